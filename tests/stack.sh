#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# src/stack/stack.sh among fake folders and fake commands: what it takes, in which order, what it refuses, and that
# neither an interrupted set-up nor a second one at the same time does harm. Nothing is installed or downloaded.
. "$(dirname "$0")/tap.inc"
stack=$(cd "$(dirname "$0")/.." && pwd)/src/stack/stack.sh
bin=$scratch/bin
mkdir "$bin"
unset PETSC_DIR PETSC_ARCH SLEPC_DIR SLEPC_SOURCE MAKEFLAGS

# fake NAME LINES...: a command that comes first in PATH
fake() { name=$1; shift; printf '%s\n' '#!/bin/sh' "$@" >"$bin/$name"; chmod +x "$bin/$name"; }
fake cc 'exit 0'
fake prove 'exit 0'
fake id 'echo 0'
fake apt-get "echo \"\$*\" >>$scratch/apt" 'exit 0'
fake pkg-config 'exit 1'
# a Python that passes for one, and whose `-m venv` fails with a message
fake python3 'case $* in *ensurepip*) exit 0 ;; esac' 'echo no venv from me; exit 3'

# petsc DIR CC: something that looks like an installed PETSc; slepc DIR: the same for SLEPc
petsc() {
  mkdir -p "$1/include" "$1/lib/petsc/conf"
  echo '#define PETSC_HAVE_MPI 1' >"$1/include/petscconf.h"
  printf '%s\n' "CC = $2" "MPIEXEC = $bin/mpiexec" >"$1/lib/petsc/conf/petscvariables"
}
slepc() { mkdir -p "$1/include" "$1/lib/slepc/conf"; : >"$1/include/slepceps.h"; : >"$1/lib/slepc/conf/slepc_variables"; }
fake mpicc 'exit 0'
fake mpiexec 'exit 0'
env=$scratch/env system=$scratch/system
petsc "$env/petsc" "$bin/mpicc"; slepc "$env/slepc"
petsc "$system" "$bin/mpicc"; slepc "$system"

# run [VARIABLE=VALUE...] [-- STACK]: stack.sh's output in out, its words in err
run() {
  vars=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do vars="$vars $1"; shift; done
  [ $# = 0 ] || shift
  env PATH="$bin:$PATH" XDG_CACHE_HOME="$scratch/cache" $vars sh "$stack" "$@" >"$scratch/out" 2>"$scratch/err"
}
is() { grep -q "STACK_KIND = $1\$" "$scratch/out" && grep -q "STACK_WHY = $2" "$scratch/out"; }
said() { grep -q "$1" "$scratch/err"; }
report() { result=$?; ok $result "$1"; [ $result = 0 ] || { show "$scratch/out"; show "$scratch/err"; }; }
refused() { ! run "$@" && [ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" = 1 ]; }

both="PETSC_DIR=$env/petsc SLEPC_DIR=$env/slepc"

# --- refusals, each in one line --------------------------------------------------------------------------------

refused -- nonsense && said 'STACK=nonsense is not known';                   report "an unknown STACK is refused"
refused PETSC_DIR="$env/petsc" && said 'only one of';                        report "PETSC_DIR without SLEPC_DIR is refused"
refused SLEPC_DIR="$env/slepc" && said 'only one of';                        report "SLEPC_DIR without PETSC_DIR is refused"
refused -- env && said 'needs PETSC_DIR and SLEPC_DIR';                      report "STACK=env without them is refused"
refused PETSC_DIR=/none SLEPC_DIR="$env/slepc" && said 'no PETSc in /none';  report "a PETSC_DIR without a PETSc is refused"
refused PETSC_DIR="$env/petsc" SLEPC_DIR=/none && said 'no SLEPc in /none';  report "a SLEPC_DIR without a SLEPc is refused"
refused $both PETSC_ARCH=none && said 'PETSC_ARCH';                          report "a wrong PETSC_ARCH is refused"
refused $both STACK_SOURCES=yes && said 'set SLEPC_SOURCE';                  report "without SLEPc's sources, where they are wanted, it is refused"
mkdir -p "$env/source/src/eps/tests" && : >"$env/source/src/eps/tests/test1.c"
run $both STACK_SOURCES=yes SLEPC_SOURCE="$env/source" && grep -q "SLEPC_SOURCE = $env/source\$" "$scratch/out"; report "SLEPC_SOURCE says where they are"
petsc "$env/uni" "$bin/mpicc"
echo '#define PETSC_HAVE_MPIUNI 1' >>"$env/uni/include/petscconf.h"
refused PETSC_DIR="$env/uni" SLEPC_DIR="$env/slepc" && said 'without MPI';   report "a PETSc without MPI is refused"
XDG_CACHE_HOME='/a b' sh "$stack" pypi >"$scratch/out" 2>"$scratch/err"
[ $? != 0 ] && said 'blank'
report "a cache folder with a blank in its name is refused"

# --- the order -------------------------------------------------------------------------------------------------

! run && said 'setting up MPICH'
report "where nothing is found, a stack from PyPI is set up"
said 'venv failed; the last lines of' && said 'no venv from me'
report "a step that fails shows the last lines of its log"
pypi=$(sed -n 's/.*from PyPI in \(.*\) (about.*/\1/p' "$scratch/err")
case $pypi in "$scratch"/cache/slepc-napi/*) true ;; *) false ;; esac
report "it goes to the cache folder"
[ -d "$pypi" ] && [ ! -e "$pypi/complete" ]
report "what a failed set-up leaves is not stamped as complete"

fake pkg-config "case \$* in *--variable=prefix*) echo $system ;; esac" 'exit 0'
run && is system 'pkg-config found it'
report "a system SLEPc is taken before a new stack"
! run -- pypi && said 'setting up MPICH'
report "STACK=pypi does not take it"

site=$pypi/venv/lib/python3.11/site-packages
mkdir -p "$pypi/venv/bin" && cp "$bin/mpicc" "$bin/mpiexec" "$pypi/venv/bin"
petsc "$site/petsc" "$pypi/venv/bin/mpicc"; slepc "$site/slepc"
run && is system 'pkg-config found it'
report "a stack from PyPI that looks whole but has no stamp is not taken"
: >"$pypi/complete"
run && is pypi 'this project set it up before'
report "with the stamp it is, before the system's"
grep -q "MPICC = $pypi/venv/bin/mpicc\$" "$scratch/out" && grep -q "MPIEXEC = $bin/mpiexec\$" "$scratch/out" &&
  grep -q "PETSC_DIR = $site/petsc\$" "$scratch/out" && grep -q "SLEPC_DIR = $site/slepc\$" "$scratch/out"
report "full paths are reported"
run $both && is env 'PETSC_DIR and SLEPC_DIR are set'
report "PETSC_DIR and SLEPC_DIR come before all"
run $both -- env && is env 'STACK=env was asked for'
report "STACK=env takes them"
run $both -- pypi && is pypi 'STACK=pypi was asked for'
report "STACK=pypi does not"

fake getent "echo x:x:0:0:x:$scratch/home:/bin/sh"
mkdir -p "$scratch/home/.cache"
env -u HOME -u XDG_CACHE_HOME PATH="$bin:$PATH" sh "$stack" pypi >"$scratch/out" 2>"$scratch/err"
said "from PyPI in $scratch/home/.cache/slepc-napi/"
report "without HOME, the home folder of the user is meant"

# --- a SLEPc with PRIMME, for the benchmark ----------------------------------------------------------------------

printf '%s\n' '#!/bin/sh' 'echo no pip from me; exit 3' >"$pypi/venv/bin/pip" && chmod +x "$pypi/venv/bin/pip"
run -- pypi && is pypi 'STACK=pypi was asked for' && ! said primme
report "a SLEPc with PRIMME is not set up unless it is wanted"
run STACK_PRIMME=yes -- pypi && is pypi 'STACK=pypi was asked for' && said 'primme-source failed, see' && ! grep -q SLEPC_PRIMME "$scratch/out"
report "where it cannot be had, the stack is taken without, and it says so"
primme=$(ls -d "$pypi"/primme*)
[ ! -e "$primme/complete" ]
report "what is left of it is not stamped as complete"
: >"$primme/complete"
run -- pypi && grep -q "SLEPC_PRIMME = $primme/slepc\$" "$scratch/out"
report "with the stamp it is reported"
run $both STACK_PRIMME=yes && is env 'PETSC_DIR and SLEPC_DIR are set' && said 'built without PRIMME' && ! grep -q SLEPC_PRIMME "$scratch/out"
report "beside a stack of one's own none is set up, and it says so"

mv "$site/slepc" "$site/gone"
run && is system 'pkg-config found it'
report "a stack that lost a part after its stamp is not taken"
mv "$site/gone" "$site/slepc"
petsc "$site/petsc" /elsewhere/venv/bin/mpicc
run && is system 'pkg-config found it'
report "nor is one that was moved"

echo '#define PETSC_HAVE_MPIUNI 1' >>"$system/include/petscconf.h"
! run && said 'built without MPI: not taken' && said 'setting up MPICH'
report "a system PETSc without MPI is passed over"
fake pkg-config 'exit 1'

# --- prerequisites ---------------------------------------------------------------------------------------------

fake cc 'exit 1'
rm -f "$scratch/apt"
! run && said 'installing with apt-get: gcc libc6-dev' && grep -q 'install -y .*gcc libc6-dev' "$scratch/apt" && grep -q 'Lock::Timeout' "$scratch/apt"
report "as root, missing packages are installed with apt-get, and it says so"
fake id 'echo 1000'
rm -f "$scratch/apt"
! run && said 'Run: sudo apt-get .* install .*gcc libc6-dev' && [ ! -e "$scratch/apt" ]
report "otherwise the command is printed and nothing is installed"
fake id 'echo 0'
fake cc 'exit 0'

# --- interruptions ---------------------------------------------------------------------------------------------

# A Python whose `-m venv` works for a long time; its process number is written for us.
fake python3 'case $* in *ensurepip*) exit 0 ;; esac' "echo \$\$ >$scratch/pid; exec sleep 100"
begin() {
  rm -f "$scratch/pid"
  PATH="$bin:$PATH" XDG_CACHE_HOME="$scratch/cache" sh "$stack" pypi >/dev/null 2>"$scratch/first" &
  first=$!
  for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$scratch/pid" ] && break; sleep 1; done
  child=$(cat "$scratch/pid")
}
gone() { for i in 1 2 3 4 5; do kill -0 "$1" 2>/dev/null || return 0; sleep 1; done; return 1; }

begin
kill -TERM $first
wait $first
[ $? != 0 ] && gone "$child" && [ ! -e "$pypi/complete" ]
report "an interrupted set-up ends its step and is not stamped"

begin
kill -KILL $first
wait $first 2>/dev/null
kill -0 "$child"
report "(a killed one leaves its step running)"
fake python3 'case $* in *ensurepip*) exit 0 ;; esac' 'echo no venv from me; exit 3'
PATH="$bin:$PATH" XDG_CACHE_HOME="$scratch/cache" sh "$stack" pypi >/dev/null 2>"$scratch/err" &
second=$!
sleep 2
kill -0 $second && said 'waiting for it' && ! said 'setting up'
report "a second make waits for it"
kill "$child"
wait $second
said 'setting up MPICH' && said 'no venv from me' && [ ! -e "$pypi/complete" ]
report "and then begins anew"

finish
