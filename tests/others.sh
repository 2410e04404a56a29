#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that others wrote, unmodified, with our library loaded by -dll_append: deal.II's step-36, getdp's elasticity template,
# FEniCSx scripts (ours, but as one writes them), SLEPc's tutorials. What they find must be what they find with the solver that they
# have by themselves, or what is known. Each is skipped by name where it is not installed or belongs to another SLEPc than this
# build; the packages of Debian: libdeal.ii-dev libdeal.ii-doc cmake g++, getdp, python3-dolfinx-real, libslepc3.x-dev-examples.
. "$(dirname "$0")/tap.inc"
here=$(cd "$(dirname "$0")" && pwd)
lib=$NAPI_BUILD/lib/libslepcnapi.so
kept=$NAPI_BUILD/others # what takes long to compile, kept from one run to the next
mkdir -p "$kept"
cd "$scratch" || exit 1
export XDG_CACHE_HOME="$kept/cache"

# uses_ours FILE: a program or module that is linked to the SLEPc of this build
uses_ours() {
  used=$(ldd "$1" 2>/dev/null | sed -n 's/.*libslepc[^ ]* => \([^ ]*\).*/\1/p' | head -n 1)
  [ -n "$used" ] && readlink -f "$SLEPC_DIR/$PETSC_ARCH"/lib/libslepc*.so | grep -q -x -F "$(readlink -f "$used")"
}
# with OPTIONS COMMAND...: napi, and options, from the environment
with() { options=$1; shift; PETSC_OPTIONS="-dll_append $lib -eps_type napi $options" timeout 600 "$@" >got 2>&1; }
# agree GOT WANTED: as many numbers, one a line, in whatever order, equal to five digits, or as far as they are printed
agree() {
  sort -g "$1" >a; sort -g "$2" >b
  [ -s b ] && [ "$(wc -l <a)" = "$(wc -l <b)" ] && paste a b | awk '{ d = $1 - $2; if (d < 0) d = -d; s = $2 < 0 ? -$2 : $2; if (d > 1e-5 * s + 1e-6) exit 1 }'
}
# expect TEXT: what napi found, in `found`, is in `wanted`
expect() { agree found wanted; ok $? "$1" || { show got; show wanted; }; }

# --- deal.II -----------------------------------------------------------------------------------------------------

# It sets its type, krylovschur, before it reads the options: ours wins.
step36=$(ls -d /usr/share/doc/libdeal.ii-doc/examples/step-36 /usr/share/deal.II/examples/step-36 "${DEAL_II_DIR:-/nowhere}/examples/step-36" 2>/dev/null | head -n 1)
library=$(ls /usr/lib/*/libdeal.ii.so "${DEAL_II_DIR:-/nowhere}"/lib/libdeal*.so 2>/dev/null | head -n 1)
if [ -z "$step36" ] || [ -z "$library" ] || ! command -v cmake >/dev/null; then
  skip "deal.II, its examples or cmake are not here" "deal.II's step-36"
elif ! uses_ours "$library"; then
  skip "deal.II here belongs to another SLEPc than $SLEPC_DIR" "deal.II's step-36"
else
  if [ ! -x "$kept/step-36/step-36" ]; then
    mkdir -p "$kept/step-36" && cp "$step36"/* "$kept/step-36"
    (cd "$kept/step-36" && cmake . && make) >log 2>&1 || { show log; rm -f "$kept/step-36/step-36"; }
  fi
  cp "$step36"/step-36.prm .
  eigenvalues() { sed -n 's/^ *Eigenvalue [0-9]* : *//p' "$1"; }
  timeout 600 "$kept/step-36/step-36" >plain 2>&1
  eigenvalues plain >wanted
  [ "$(wc -l <wanted)" = 5 ]; ok $? "deal.II's step-36 runs by itself" || show plain
  for options in '' '-st_type sinvert -eps_target 0' '-st_type sinvert -eps_target 1' '-st_type sinvert -eps_target 13' '-st_type precond -st_pc_type gamg'; do
    with "-eps_view $options" "$kept/step-36/step-36"
    eigenvalues got >found
    grep -q '^  type: napi' got || : >found
    expect "deal.II's step-36 with napi ${options:-and no other option}"
  done
fi

# --- getdp -------------------------------------------------------------------------------------------------------

# Both of its matrices are negative definite, and it calls the problem non-Hermitian: -eps_gen_hermitian says that it is. ARPACK is
# what it takes by itself; -slepc asks for SLEPc.
template=$(ls /usr/share/doc/getdp*/examples/templates/Lib_Elasticity_u.pro 2>/dev/null | head -n 1)
if [ -z "$template" ] || ! command -v getdp >/dev/null; then
  skip "it is not installed" "getdp's elasticity template"
elif ! uses_ours "$(command -v getdp)"; then
  skip "getdp here belongs to another SLEPc than $SLEPC_DIR" "getdp's elasticity template"
else
  cp "$template" "$here/others/beam.pro" .
  # 24 x 5 quadrangles on 1 x 0.2, clamped at the left
  awk 'BEGIN {
    m = 24; n = 5; print "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" (m + 1) * (n + 1)
    for (j = 0; j <= n; j++) for (i = 0; i <= m; i++) print 1 + i + j * (m + 1), i / m, .2 * j / n, 0
    print "$EndNodes\n$Elements\n" m * n + n
    for (j = 0; j < n; j++) print ++e, 1, 2, 2, 2, 1 + j * (m + 1), 1 + (j + 1) * (m + 1)
    for (j = 0; j < n; j++) for (i = 0; i < m; i++) { k = 1 + i + j * (m + 1); print ++e, 3, 2, 1, 1, k, k + 1, k + m + 2, k + m + 1 }
    print "$EndElements" }' >beam.msh
  squares() { sed -n 's/.*E[Ii][Gg].* w^2 = *\([^ ]*\) .*/\1/p' "$1"; }
  for target in 0 1000; do
    timeout 600 getdp beam.pro -msh beam.msh -solve Elasticity_u -v 4 -setnumber Freq_Target $target >plain 2>&1
    squares plain >wanted
    [ "$(wc -l <wanted)" = 4 ] && grep -q 'Arpack' plain; ok $? "getdp by itself, frequency $target Hz" || show plain
    for options in '' '-st_pc_type gamg' '-st_ksp_type preonly -st_pc_type lu'; do
      with "-eps_gen_hermitian $options" getdp beam.pro -msh beam.msh -solve Elasticity_u -slepc -v 4 -setnumber Freq_Target $target
      squares got | head -n 4 >found
      grep -q 'SLEPc solution method: napi' got || : >found
      # multigrid is for what is definite: with a target inside the spectrum it may fail, and this is said
      case $target$options in
      1000*gamg) [ -s found ] || { grep -q 'Error.*SLEPc' got && cp wanted found; } ;;
      esac
      expect "getdp with napi ${options:+and $options}, frequency $target Hz"
    done
  done
  with '' getdp beam.pro -msh beam.msh -solve Elasticity_u -slepc -v 4
  [ $? != 0 ] && [ -z "$(squares got)" ] && grep -q -e '-eps_gen_hermitian' got
  ok $? "without -eps_gen_hermitian it is refused, and told how" || show got
fi

# --- FEniCSx -----------------------------------------------------------------------------------------------------

export PYTHONPATH="$SLEPC_DIR/lib/python3/dist-packages:$PETSC_DIR/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"
python= why="no Python here can import dolfinx and slepc4py"
for p in ${PYTHON:-} python3 /usr/bin/python3; do
  module=$("$p" -c 'import dolfinx; from slepc4py import SLEPc; print(SLEPc.__file__)' 2>/dev/null | tail -n 1)
  [ -n "$module" ] || continue
  if uses_ours "$module"; then python=$p; break; fi
  why="the slepc4py here belongs to another SLEPc than $SLEPC_DIR"
done
# fenicsx SCRIPT NP ARGUMENTS...: the pairs it finds with SLEPc's own solver, in `wanted`, or with napi, in `found`
pairs() { sed -n 's/^pair [0-9]*: \([^,]*\),.*/\1/p' "$1"; }
# good FILE: vectors of norm 1 in B, residuals below 1e-6
good() { tr -d , <"$1" | awk '/^pair/ { if ($NF < .99999 || $NF > 1.00001 || $(NF - 2) > 1e-6) exit 1 }'; }
napi() {
  script=$1 np=$2; shift 2
  ranks "$np" "$python" "$here/others/$script.py" "$@" -dll_append "$lib" -eps_type napi >got 2>&1
  pairs got | head -n "$(wc -l <wanted)" >found
  { grep -q '^napi on .* reason [1-9]' got && good got; } || : >found
}
if [ -z "$python" ]; then
  skip "$why" "FEniCSx: a membrane"
  skip "$why" "FEniCSx: elasticity"
else
  # 0 or next to 0 on B's diagonal: no eigenvalue comes from the boundary; 1 on both: as many ones as there are nodes on it
  "$python" "$here/others/membrane.py" 1 0 24 -st_type sinvert -eps_target 0 >plain 2>&1
  pairs plain | head -n 4 >tones
  [ "$(wc -l <tones)" = 4 ]; ok $? "FEniCSx: a membrane with krylovschur" || show plain
  printf '1\n1\n1\n1\n' >ones
  for np in 1 2; do
    for rows in '1 0' '1 1e-30' '1 1'; do
      for options in '' '-st_type sinvert -eps_target 0' '-st_type precond'; do
        if [ "$rows" = '1 1' ]; then cp ones wanted; else cp tones wanted; fi
        napi membrane $np $rows 24 $options
        expect "FEniCSx: a membrane with $rows on the diagonals ${options:+and $options}, $np rank(s)"
      done
    done
  done
  # nearest to 20 are the first tone and then the ones (krylovschur misses some of those)
  { head -n 1 tones; head -n 3 ones; } >wanted
  napi membrane 1 1 1 24 -st_type sinvert -eps_target 20
  expect "FEniCSx: a membrane with 1 1 on the diagonals, target 20"
  "$python" "$here/others/elasticity.py" clamped 5 -st_type sinvert -eps_target 0 >plain 2>&1
  pairs plain | head -n 4 >clamped
  [ "$(wc -l <clamped)" = 4 ]; ok $? "FEniCSx: a clamped block with krylovschur" || show plain
  "$python" "$here/others/elasticity.py" free 5 -st_type sinvert -eps_target -.1 >plain 2>&1
  pairs plain | head -n 10 | awk '{ print ($1 < .001 && $1 > -.001) ? 0 : $1 }' >free
  [ "$(grep -c -x 0 free)" = 6 ] && [ "$(wc -l <free)" = 10 ]; ok $? "FEniCSx: a free block with krylovschur has six rigid modes" || show plain
  for np in 1 2; do
    cp clamped wanted
    for options in '' '-st_pc_type gamg' '-st_pc_type gamg -st_type sinvert -eps_target 0' '-st_pc_type gamg -st_type precond'; do
      napi elasticity $np clamped 5 $options
      expect "FEniCSx: a clamped block ${options:+with $options}, $np rank(s)"
    done
    cp free wanted
    for options in '-st_pc_type gamg' '-st_pc_type gamg -st_type sinvert -eps_target -.1'; do
      napi elasticity $np free 5 $options
      expect "FEniCSx: a free block with $options, $np rank(s)"
    done
  done
fi

# --- SLEPc's tutorials -------------------------------------------------------------------------------------------

tutorials=${SLEPC_SOURCE:-/nowhere}/src/eps/tutorials
if [ ! -f "$tutorials/ex1.c" ]; then
  skip "SLEPc's sources are not here" "SLEPc's tutorials"
else
  # the table of eigenvalues that every one of them prints; complex numbers have an imaginary part of zero
  table() { sed -n -e 's/[+-]0\.0*i//' -e 's/^ *\(-\{0,1\}[0-9][0-9]*\.[0-9]*\) *[0-9.e+-]* *\([0-9.e+-]*\)$/\1/p' "$1"; }
  # laplacian D N SCALE: the three smallest eigenvalues on N^D points, over SCALE (krylovschur misses one of two equal ones)
  laplacian() {
    awk -v d="$1" -v n="$2" -v scale="$3" 'function one(k) { return 4 * sin(atan2(0, -1) * k / (2 * n + 2)) ^ 2 }
      BEGIN { for (i = 1; i <= 3; i++) for (j = 1; j <= (d > 1 ? 3 : 1); j++) for (k = 1; k <= (d > 2 ? 3 : 1); k++)
        printf "%.6f\n", (one(i) + (d > 1 ? one(j) : 0) + (d > 2 ? one(k) : 0)) / scale }' | sort -g | head -n 3 >wanted
  }
  while read -r most dimension points scale program; do
    name=${program%% *}
    [ "$kept/$name" -nt "$tutorials/$name.c" ] || $MPICC $SLEPC_CFLAGS "$tutorials/$name.c" -o "$kept/$name" $SLEPC_LIBS >log 2>&1 || show log
    laplacian $dimension $points $scale
    for np in $(seq $most); do
      for options in -eps_smallest_real -eps_smallest_magnitude '-st_type sinvert -eps_target 0' '-st_type precond -eps_smallest_real'; do
        PETSC_OPTIONS="-dll_append $lib -eps_type napi" ranks $np "$kept/"$program -eps_nev 3 $options -eps_view </dev/null >got 2>&1
        table got | head -n 3 >found
        grep -q 'type: napi' got || : >found
        expect "SLEPc's $program with $options, $np rank(s)"
      done
    done
  done <<END
2 1 100 1 ex1 -n 100
2 2 15 1 ex2 -n 15
1 2 15 1 ex3 -n 15
2 2 15 4 ex13 -n 15
2 3 10 1 ex19
END
  # nonlinear inverse iteration, for which it asks the power method: no other type can do it
  [ "$kept/ex34" -nt "$tutorials/ex34.c" ] || $MPICC $SLEPC_CFLAGS "$tutorials/ex34.c" -o "$kept/ex34" $SLEPC_LIBS >log 2>&1 || show log
  with '' "$kept/ex34"
  [ $? != 0 ] && grep -q -i "napi.*\(non-symmetric\|hermitian\)" got; ok $? "SLEPc's ex34, which is not Hermitian, is refused" || show got
fi

finish
