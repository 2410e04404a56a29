#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Finds the PETSc, SLEPc and MPI to build with, or sets them up.
#
#   stack.sh [env|pypi|debian|debian-complex|debian-64]
#
# Without an argument it takes the first of: PETSC_DIR and SLEPC_DIR from the environment; the PyPI stack an
# earlier run set up; a system SLEPc known to pkg-config; a new PyPI stack. It prints make variables
# (STACK_KIND, STACK_WHY, PETSC_DIR, PETSC_ARCH, SLEPC_DIR, MPICC, MPIEXEC, SLEPC_SOURCE) on standard output and
# everything a person should read on standard error. With STACK_SOURCES set, SLEPc's sources (SLEPC_SOURCE) are fetched where
# they are missing. With STACK_PRIMME set, a second SLEPc of the same version that has PRIMME is set up beside that of the
# PyPI stack, for the benchmark alone; where it is, SLEPC_PRIMME names it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
wanted=${1:-}

say() { printf 'stack: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
pin() { sed -n "s/^$1==//p" "$here/versions"; }

case ${XDG_CACHE_HOME:-} in
/*) cache=$XDG_CACHE_HOME/slepc-napi ;;
*) cache=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}/.cache/slepc-napi ;;
esac
case $cache in *[[:space:]]*) die "neither make nor PETSc can work in a folder with a blank in its name: $cache; set XDG_CACHE_HOME to another" ;; esac
pypi=$cache/pypi-petsc$(pin petsc)-slepc$(pin slepc)-mpich$(pin mpich)
site() { echo "$pypi"/venv/lib/python3*/site-packages; }

# --- long steps -----------------------------------------------------------------------------------------------

# attempt NAME LOG COMMAND...: runs a command with its output in a log, showing every half minute that it is alive.
# What starts with setsid is a process group of its own, and ends with us when we are interrupted; anything else
# (apt-get, which must not be stopped halfway) is left to finish.
attempt() {
  name=$1 log=$2; shift 2
  say "$name: started, its log is $log"
  began=$(date +%s)
  "$@" </dev/null >"$log" 2>&1 &
  job=$!
  trap 'kill -TERM -$job 2>/dev/null; say "interrupted"; exit 130' INT TERM HUP
  waited=0
  while kill -0 $job 2>/dev/null; do
    sleep 1; waited=$((waited + 1))
    [ $((waited % 30)) != 0 ] || say "$name: still at work after $(($(date +%s) - began)) s"
  done
  wait $job; ended=$?
  trap - INT TERM HUP
  [ $ended != 0 ] || say "$name: done in $(($(date +%s) - began)) s"
  return $ended
}

# step NAME LOG COMMAND...: the same for what we cannot do without
step() {
  attempt "$@" || { say "$1 failed; the last lines of $2:"; tail -n 40 "$2" >&2; exit 1; }
}

# lock FILE: holds a lock until we and our running steps have ended, so that a second make waits for the first,
# and for what an abruptly killed one left running.
lock() {
  mkdir -p "$cache" && exec 9>"$cache/$1" || die "cannot write in $cache; set XDG_CACHE_HOME to a folder that can be written"
  flock -n 9 && return
  say "another make is at this; waiting for it (its logs are in $cache)"
  until flock -w 30 9; do say "still waiting"; done
}

# --- what the system must have --------------------------------------------------------------------------------

links() { t=$(mktemp) && echo 'int main(void){return 0;}' | cc -x c - "$@" -o "$t" 2>/dev/null; r=$?; rm -f "$t"; return $r; }

# The first Python that can make a virtual environment.
python() {
  for p in python3 /usr/bin/python3; do
    "$p" -c 'import venv, ensurepip' 2>/dev/null && command -v "$p" && return
  done
  return 1
}

# DPkg::Lock::Timeout waits for another apt-get's install, but not for its update.
apt_get() {
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" && return
    tail -n 5 "$log" | grep -q 'Could not get lock' || return 1
    sleep 20
  done
  return 1
}
apt_both() { apt_get update && apt_get install -y --no-install-recommends "$@"; }

# Installs Debian packages when that is ours to do; otherwise says which command would.
apt_install() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    die "missing: $*. Run: sudo apt-get update && sudo apt-get install -y --no-install-recommends $* (elsewhere than on Debian, the packages of that kind), then make again"
  fi
  say "installing with apt-get: $*"
  step apt-get "$cache/apt.log" apt_both "$@"
}

# What PETSc's build needs, and then what it takes to compile and test with it.
prerequisites() {
  missing=
  links || missing="$missing gcc libc6-dev"
  command -v make >/dev/null || missing="$missing make"
  command -v prove >/dev/null || missing="$missing perl"
  whole || python >/dev/null || missing="$missing python3-venv"
  # The reference BLAS would do, but is several times slower: take it only where OpenBLAS is not ours to install.
  if ! links -lopenblas && { [ "$(id -u)" = 0 ] || ! links -llapack -lblas; }; then missing="$missing libopenblas-serial-dev"; fi
  [ -z "$missing" ] || apt_install $missing
}

# --- the stack from PyPI --------------------------------------------------------------------------------------

# The stamp is written last; the rest tells a stack that was moved or half deleted afterwards.
whole() {
  [ -f "$pypi/complete" ] && [ -f "$(site)/petsc/include/petscconf.h" ] && [ -f "$(site)/slepc/include/slepceps.h" ] &&
    [ -x "$pypi/venv/bin/mpicc" ] && [ "$(variable "$(site)/petsc" CC)" = "$pypi/venv/bin/mpicc" ]
}

# pip_step NAME VARIABLE=VALUE... install ARGUMENTS...
# pip's cache knows neither mpicc nor PETSc's options, so it is not used. -v, so that the log shows where it is.
pip_step() {
  name=$1; shift
  step "$name" "$pypi/$name.log" setsid env PATH="$pypi/venv/bin:$PATH" "$@"
}

# From the user's pip settings we want how to reach PyPI, not where to install or which builds to take.
clean_environment() {
  unset PETSC_DIR PETSC_ARCH SLEPC_DIR SLEPC_CONFIGURE_OPTIONS CC CXX FC F77 F90 CFLAGS CPPFLAGS LDFLAGS \
    MPICXX MPIFORT MPIF90 MPIEXEC MPICH_CC MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH PYTHONHOME \
    PIP_TARGET PIP_PREFIX PIP_ROOT PIP_NO_BINARY PIP_ONLY_BINARY PIP_NO_DEPS PIP_NO_BUILD_ISOLATION
  export PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
  export PIP_CONSTRAINT="$here/versions" PIP_BUILD_CONSTRAINT="$here/versions"
}

setup_pypi() {
  lock lock
  whole && return                                # the other one finished it
  say "setting up MPICH $(pin mpich), PETSc $(pin petsc) and SLEPc $(pin slepc) from PyPI in $pypi (about 10 minutes, once)"
  prerequisites
  clean_environment
  rm -rf "$pypi" && mkdir -p "$pypi" || die "cannot make room for the stack in $pypi"    # whatever an interrupted run left
  blas=; links -lopenblas && blas=--with-blaslapack-lib=-lopenblas
  step venv "$pypi/venv.log" setsid "$(python)" -m venv "$pypi/venv"
  pip_step mpich pip install --no-cache-dir "mpich==$(pin mpich)" setuptools wheel
  pip_step petsc MPICC="$pypi/venv/bin/mpicc" PETSC_CONFIGURE_OPTIONS="--with-fc=0 --with-cxx=0 --with-x=0 COPTFLAGS=-O3 $blas" \
    pip install -v --no-cache-dir "petsc==$(pin petsc)"
  check_mpi "$(site)/petsc"
  [ "$(variable "$(site)/petsc" CC)" = "$pypi/venv/bin/mpicc" ] || die "PETSc was not built with $pypi/venv/bin/mpicc; see $pypi/petsc.log"
  # Without PETSC_DIR slepc's build would fetch a petsc of its own, and build it without MPI.
  pip_step slepc PETSC_DIR="$(site)/petsc" pip install -v --no-cache-dir --no-deps "slepc==$(pin slepc)"
  [ -f "$(site)/slepc/include/slepceps.h" ] || die "SLEPc was not installed in $(site)/slepc; see $pypi/slepc.log"
  check_mpi "$(site)/petsc"
  pypi_source
  sync
  date >"$pypi/complete"
}

# SLEPc's own EPS tests and tutorials, which our tests run with -eps_type napi, come with its source package alone.
pypi_source() {
  pip_step slepc-source PETSC_DIR="$(site)/petsc" \
    pip download --no-cache-dir --no-deps --no-build-isolation --no-binary slepc --dest "$pypi/source" "slepc==$(pin slepc)"
  (cd "$pypi/source" && tar xzf slepc-*.tar.gz --strip-components=1 && rm slepc-*.tar.gz) || die "cannot unpack SLEPc's sources in $pypi/source"
}

# --- a SLEPc with PRIMME, for the benchmark -------------------------------------------------------------------

# It stands beside the other, of the same version and for the same PETSc, so that one can take the other's place at run time. What
# cannot be had is said, and done without.
primme=$pypi/primme$(pin primme)

setup_primme() {
  [ ! -f "$primme/complete" ] || return 0
  lock lock
  [ ! -f "$primme/complete" ] || return 0
  say "setting up a SLEPc with PRIMME $(pin primme), for the benchmark alone, in $primme (about 3 minutes, once)"
  clean_environment
  rm -rf "$primme" && mkdir -p "$primme/source" "$primme/include" "$primme/lib" || { say "cannot make room in $primme"; return 1; }
  primme_step primme-source sh -c 'pip download --no-cache-dir --no-deps --no-binary primme --dest . "$1" && tar xzf primme-*.tar.gz --strip-components=1' sh "primme==$(pin primme)" &&
    primme_step primme sh -c 'mpicc -O3 -fPIC -DNDEBUG -DF77UNDERSCORE -Isrc/primme/include -Isrc/primme/eigs -Isrc/primme/svds -Isrc/primme/linalg -c src/primme/*/*.c &&
      ar rcs ../lib/libprimme.a *.o && cp src/primme/include/primme*.h ../include' &&
    primme_step primme-slepc env PETSC_DIR="$(site)/petsc" sh -c 'cp -R ../../source slepc && cd slepc && export SLEPC_DIR="$PWD" &&
      python3 configure --prefix="$1/slepc" --with-primme-dir="$1" && make all && make install' sh "$primme" &&
    has_primme "$primme/slepc" || { say "no SLEPc with PRIMME: $name failed, see $log; the benchmark does without that column"; return 1; }
  rm -rf "$primme/source"
  sync
  date >"$primme/complete"
}
primme_step() {
  name=$1; shift
  attempt "$name" "$primme/$name.log" setsid env PATH="$pypi/venv/bin:$PATH" sh -c 'cd "$0" && exec "$@"' "$primme/source" "$@"
}

has_primme() { grep -q 'define SLEPC_HAVE_PRIMME 1' "$1/include/slepcconf.h"; }

# --- what was found -------------------------------------------------------------------------------------------

# variable PREFIX NAME: a variable of PETSc's makefiles
variable() { sed -n "s/^$2 *= *//p" "$1/lib/petsc/conf/petscvariables" 2>/dev/null | head -n 1; }

without_mpi() { grep -q 'define PETSC_HAVE_MPIUNI' "$1/include/petscconf.h"; }

check_mpi() {
  [ -f "$1/include/petscconf.h" ] || die "no PETSc in $1: its include/petscconf.h is missing; check PETSC_DIR and PETSC_ARCH"
  ! without_mpi "$1" || die "the PETSc in $1 was built without MPI; slepc-napi needs one with it (STACK=pypi sets one up)"
}

full() { command -v "${1%% *}" 2>/dev/null || echo "${1%% *}"; }

# report KIND WHY PETSC_DIR PETSC_ARCH SLEPC_DIR [SLEPC_SOURCE]
report() {
  prefix=$3${4:+/$4}
  check_mpi "$prefix"
  [ -f "$5/include/slepceps.h" ] && [ -f "$5/lib/slepc/conf/slepc_variables" ] ||
    die "no SLEPc in $5: its include/slepceps.h or lib/slepc/conf/slepc_variables is missing; check SLEPC_DIR"
  mpicc=$(full "$(variable "$prefix" CC)")
  [ -x "$mpicc" ] || die "the compiler of the PETSc in $prefix is not there: $mpicc"
  # Where PETSc was not told an MPI launcher, the one beside its compiler is meant.
  mpiexec=$(variable "$prefix" MPIEXEC)
  command -v "${mpiexec%% *}" >/dev/null || mpiexec=$(dirname "$mpicc")/mpiexec
  mpiexec=$(full "$mpiexec")
  [ -x "$mpiexec" ] || die "the PETSc in $prefix names no mpiexec, and there is none beside $mpicc"
  [ "$1" = pypi ] || [ -z "${STACK_PRIMME:-}" ] || has_primme "$5" || say "the SLEPc in $5 was built without PRIMME, and one with it is set up beside the stack from PyPI only"
  cat <<END
override STACK_KIND = $1
STACK_WHY = $2
override PETSC_DIR = $3
override PETSC_ARCH = $4
override SLEPC_DIR = $5
override MPICC = $mpicc
override MPIEXEC = $mpiexec
override SLEPC_SOURCE = ${6:-}
END
}

wants_sources() { [ -n "${STACK_SOURCES:-}" ] && [ ! -f "$1/src/eps/tests/test1.c" ]; }

report_env() {
  source=${SLEPC_SOURCE:-$(ls -d "$SLEPC_DIR/src/eps" >/dev/null 2>&1 && echo "$SLEPC_DIR")}
  ! wants_sources "$source" || die "SLEPc's sources are not in $SLEPC_DIR: set SLEPC_SOURCE to the folder of the version's source package"
  report env "$1" "$PETSC_DIR" "${PETSC_ARCH:-}" "$SLEPC_DIR" "$source"
}

report_pypi() {
  if wants_sources "$pypi/source"; then lock lock; clean_environment; pypi_source; fi
  if [ -n "${STACK_PRIMME:-}" ]; then setup_primme; fi
  report pypi "$1" "$(site)/petsc" "" "$(site)/slepc" "$pypi/source"
  if [ -f "$primme/complete" ]; then echo "SLEPC_PRIMME = $primme/slepc"; fi
}

# Debian keeps one folder for each combination of scalars and indices; $1 is the packages' name for it.
report_debian() {
  triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || cc -dumpmachine 2>/dev/null)
  case $1 in real) v= f=$triplet-real ;; complex) v= f=$triplet-complex ;; 64) v=64- f=$triplet-real ;; esac
  p=$(ls -d /usr/lib/petscdir/petsc${v}3.*/"$f" 2>/dev/null | tail -n 1)
  s=$(ls -d /usr/lib/slepcdir/slepc${v}3.*/"$f" 2>/dev/null | tail -n 1)
  [ -d "$p/include" ] && [ -d "$s/include" ] && command -v mpicc >/dev/null && command -v prove >/dev/null && links -lstdc++ || return 1
  report "$2" "$3" "$p" "" "$s" "$(debian_source "$s")"
}

# Package libslepc3.x-dev-examples, not everywhere installed.
debian_source() {
  v=${1%/*}; v=${v##*3.}
  examples=/usr/share/slepc/3.$v/share/slepc/examples
  if wants_sources "$examples"; then apt_install "libslepc3.$v-dev-examples"; fi
  ls -d "$examples" 2>/dev/null
}

debian() {
  case $1 in real) package=libslepc-real-dev ;; complex) package=libslepc-complex-dev ;; 64) package=libslepc64-real-dev ;; esac
  report_debian "$1" "$wanted" "STACK=$wanted was asked for" && return
  lock apt.lock
  apt_install $package make g++ perl             # Debian's PETSc links with C++ libraries
  report_debian "$1" "$wanted" "STACK=$wanted was asked for" || die "$package is installed, but no PETSc and SLEPc under /usr/lib/petscdir and /usr/lib/slepcdir"
}

# A system SLEPc must be of a version we support, installed (not a source tree), and have MPI.
system_slepc() {
  pkg-config --exists 'slepc >= 3.18' petsc 2>/dev/null || return 1
  s=$(pkg-config --variable=prefix slepc) p=$(pkg-config --variable=prefix petsc)
  [ -f "$s/lib/slepc/conf/slepc_variables" ] && [ -f "$p/include/petscconf.h" ] || return 1
  ! without_mpi "$p" || { say "pkg-config finds the PETSc in $p, but it was built without MPI: not taken"; return 1; }
}

case $wanted in
env)
  [ -n "${PETSC_DIR:-}" ] && [ -n "${SLEPC_DIR:-}" ] || die "STACK=env needs PETSC_DIR and SLEPC_DIR set (and PETSC_ARCH where your PETSc has one)"
  report_env "STACK=env was asked for" ;;
pypi)
  if whole; then prerequisites; else setup_pypi; fi
  report_pypi "STACK=pypi was asked for" ;;
debian) debian real ;;
debian-complex) debian complex ;;
debian-64) debian 64 ;;
"")
  if [ -n "${PETSC_DIR:-}${SLEPC_DIR:-}" ]; then
    [ -n "${PETSC_DIR:-}" ] && [ -n "${SLEPC_DIR:-}" ] || die "only one of PETSC_DIR and SLEPC_DIR is set; set both, or neither to let make find a stack"
    report_env "PETSC_DIR and SLEPC_DIR are set"
  elif whole; then
    prerequisites
    report_pypi "this project set it up before"
  elif system_slepc; then
    report system "pkg-config found it" "$p" "" "$s" "$(debian_source "$s")"
  else
    setup_pypi
    report_pypi "no other was found, so it was set up now"
  fi ;;
*) die "STACK=$wanted is not known; use env, pypi, debian, debian-complex or debian-64" ;;
esac
