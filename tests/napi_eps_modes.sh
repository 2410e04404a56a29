#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# napi-eps for who has a stiffness and a mass: -modes with its frequencies, rigid modes and negative eigenvalues, -swap and what lambda then
# is, the generated bodies, and the files of vectors, .vtu and .vtk among them.
. "$(dirname "$0")/tap.inc"
eps=$NAPI_BUILD/bin/napi-eps
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }
nth() { sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p" "$3" | tr -d ' ' | cut -d, -f"$1"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }
calc() { awk "BEGIN { pi = atan2(0, -1); printf \"%.15g\", $1 }"; }

# --- frequencies -------------------------------------------------------------------------------------------------

# 6/h^2 (1-c)/(2+c), c = cos(pi j/m), h = 1/20, m = 20 and 15: j = 1 and 1
square=$(awk 'BEGIN { pi = atan2(0, -1); a = cos(pi/20); b = cos(pi/15); printf "%.15g", 2400 * ((1-a)/(2+a) + (1-b)/(2+b)) }')
for np in 1 2 3; do
  ranks $np "$eps" -generate fem2d -m 20,15 -modes -eps_nev 3 -eps_tol 1e-9 -json m.$np -out m.$np.npy >out 2>err
  ok $? "$np ranks: the lowest modes" || show err
  near "$(nth 1 eigenvalues m.$np)" "$square" 1e-8 && near "$(nth 1 omega m.$np)" "$(calc "sqrt($square)")" 1e-9 &&
    near "$(nth 1 frequency m.$np)" "$(calc "sqrt($square) / (2 * pi)")" 1e-9
  ok $? "$np ranks: lambda = omega^2, omega and f are those that are known" || show m.$np
  [ "$(value lambda m.$np)" = 'omega^2' ] && [ "$(value rigid_modes m.$np)" = 0 ] && [ "$(value negative_eigenvalues m.$np)" = 0 ]
  ok $? "$np ranks: the JSON file says what lambda is"
done
grep -q 'lambda = omega^2 .* omega .* f = omega/2pi' out && ! grep -q rigid out; ok $? "so does the table" || show out
ranks 1 "$eps" -generate fem2d -m 20,15 -modes -swap -eps_nev 3 -eps_tol 1e-9 -json s >out 2>err
near "$(nth 2 omega s)" "$(nth 2 omega m.1)" 1e-8 && [ "$(value lambda s)" = '1/omega^2' ] && [ "$(value swapped s)" = true ] && grep -q 'lambda = 1/omega^2' out
ok $? "-modes -swap: the same frequencies, from lambda = 1/omega^2" || show out
ranks 1 "$eps" -generate fem2d -m 20,15 -swap -eps_nev 3 -eps_tol 1e-9 -json s >out 2>err
near "$(nth 1 inverse_eigenvalues s)" "$square" 1e-8 && [ "$(value lambda s)" = 'inverse of an eigenvalue of the pair as it was given' ] &&
  grep -q 'lambda is the inverse of an eigenvalue' out && grep -q ' 1/lambda$' out
ok $? "-swap alone: table and JSON say what lambda is, and have its inverse" || show out
ranks 1 "$eps" -generate fem2d -m 20,15 -eps_nev 3 -eps_smallest_real -eps_tol 1e-9 -json s >out 2>err
near "$(nth 1 eigenvalues s)" "$square" 1e-8 && [ "$(value lambda s)" = eigenvalue ] && [ "$(value swapped s)" = false ]
ok $? "-eps_smallest_real just works" || show err
ranks 1 "$eps" -generate fem2d -m 20,15 -modes -eps_largest_real -eps_tol 1e-9 -json s >out 2>err
near "$(nth 1 eigenvalues s)" "$(calc '2400 * ((1+cos(pi/20))/(2-cos(pi/20)) + (1+cos(pi/15))/(2-cos(pi/15)))')" 1e-8
ok $? "-modes leaves it to the user which" || show out

# --- free bodies -------------------------------------------------------------------------------------------------

# Neumann: wave numbers from 0 on
ranks 1 "$eps" -generate fem2d -m 8,4 -free -modes -eps_type lapack -eps_nev 4 -json f >out 2>err
one=$(calc '384 * (1-cos(pi/8))/(2+cos(pi/8))') two=$(calc '384 * (1-cos(pi/4))/(2+cos(pi/4))')
[ "$(value n f)" = 45 ] && [ "$(nth 1 omega f)" = 0 ] && near "$(nth 2 eigenvalues f)" "$one" 1e-10 && near "$(nth 3 eigenvalues f)" "$two" 1e-10 && near "$(nth 4 eigenvalues f)" "$two" 1e-10
ok $? "fem2d -free: a zero, then the known eigenvalues, also the double one" || show f
[ "$(value rigid_modes f)" = 1 ] && grep -q '^1 rigid mode (omega = 0)' out && [ "$(grep -c 'rigid$' out)" = 1 ]
ok $? "one rigid mode is said" || show out
for np in 1 2 3; do
  ranks $np "$eps" -generate elasticity -m 4,2,2 -free -modes -eps_nev 8 -st_type sinvert -eps_target -1 -eps_tol 1e-9 -json e.$np >out 2>err
  ok $? "$np ranks: a free elastic body" || show err
  [ "$(value n e.$np) $(value rigid_modes e.$np)" = "135 6" ] && grep -q '^6 rigid modes (omega = 0)' out && [ "$(nth 6 omega e.$np)" = 0 ]
  ok $? "$np ranks: has six rigid modes" || show out
  ranks $np "$eps" -generate elasticity -m 4,2,2 -modes -eps_nev 3 -eps_tol 1e-9 -json c.$np >out 2>err
  ok $? "$np ranks: a clamped one" || show err
done
ranks 1 "$eps" -generate elasticity -m 4,2,2 -free -modes -eps_nev 8 -eps_type lapack -json l >out 2>err
ranks 1 "$eps" -generate elasticity -m 4,2,2 -modes -eps_nev 3 -eps_type lapack -json k >out 2>err
for np in 1 2 3; do
  near "$(nth 7 omega e.$np)" "$(nth 7 omega l)" 1e-8 && near "$(nth 8 omega e.$np)" "$(nth 8 omega l)" 1e-8 &&
    near "$(nth 1 omega c.$np)" "$(nth 1 omega k)" 1e-8 && near "$(nth 3 omega c.$np)" "$(nth 3 omega k)" 1e-8
  ok $? "$np ranks: both have the frequencies that LAPACK finds on one"
done
# a beam so thin that conjugate gradients lose its modes (the largest eigenvalue is 3e10 times the smallest): a factorisation that is named solves
ranks 1 "$eps" -generate elasticity -m 200,1,1 -modes -eps_nev 2 -st_pc_type lu -json t >out 2>err; status=$?
ranks 1 "$eps" -generate elasticity -m 200,1,1 -modes -eps_nev 2 -eps_type krylovschur -st_type sinvert -eps_target 0 -json u >out 2>>err
[ $status = 0 ] && near "$(nth 1 omega t)" "$(nth 1 omega u)" 1e-5 && near "$(nth 2 omega t)" "$(nth 2 omega u)" 1e-5; ok $? "a factorisation that is named is the inner solver" || show err
ranks 2 "$eps" -generate elasticity -m 4,2,2 -free -nullspace -modes -eps_nev 8 -eps_tol 1e-9 -json z >out 2>err
[ $? = 0 ] && [ "$(value rigid_modes z)" = 6 ] && near "$(nth 7 omega z)" "$(nth 7 omega l)" 1e-8
ok $? "-nullspace: the rigid modes are known beforehand" || { show out; show err; }
ranks 1 "$eps" -generate fem3d -m 4 -box 1,1.1,1.23 -modes -eps_type lapack -json b >out 2>err
near "$(nth 1 eigenvalues b)" "$(calc '96 * (1 + 1/1.21 + 1/1.5129) * (1-cos(pi/4))/(2+cos(pi/4))')" 1e-11
ok $? "-box: its lengths" || show out

# a stiffness with a negative eigenvalue, and one that is zero
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n1 1 -4\n2 2 9\n4 4 16\n' >k.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 1\n3 3 1\n4 4 4\n' >m.mtx
ranks 1 "$eps" -A k.mtx -B m.mtx -modes -eps_nev 4 -eps_type lapack -json n >out 2>err
[ "$(nth 1 omega n) $(nth 2 omega n)" = 'null 0' ] && near "$(nth 3 omega n)" 2 1e-12 && near "$(nth 4 omega n)" 3 1e-12 && [ "$(value negative_eigenvalues n)" = 1 ] &&
  grep -q '^1 eigenvalue is negative' out && grep -q '^   1 *-4 * - * - .*negative$' out && ! grep -q -i nan out n
ok $? "a negative eigenvalue has no omega, which is said" || { show out; show n; }

# --- files -------------------------------------------------------------------------------------------------------

cat >read.py <<'END'
import base64, struct, sys, xml.etree.ElementTree as xml
def vtu(name):
    out = {}
    for a in xml.parse(name).getroot().iter('DataArray'):
        b = base64.b64decode(a.text.strip()); n, = struct.unpack('<Q', b[:8]); assert n == len(b) - 8
        out[a.get('Name')] = [x[0] for x in struct.iter_unpack({'Float64': '<d', 'Int64': '<q', 'UInt8': '<B'}[a.get('type')], b[8:])]
    return out
def vtk(name):
    f, out = open(name, 'rb'), {}
    assert f.readline().startswith(b'# vtk DataFile') and f.readline() and f.readline() == b'BINARY\n' and f.readline() == b'DATASET UNSTRUCTURED_GRID\n'
    def take(kind, n):
        v = [x[0] for x in struct.iter_unpack('>' + kind, f.read(n * struct.calcsize(kind)))]; assert len(v) == n and f.read(1) == b'\n'
        return v
    for line in iter(f.readline, b''):
        w = line.decode().split()
        if w[0] == 'POINTS': out['points'] = take('d', 3 * int(w[1]))
        elif w[0] == 'CELLS':
            v = take('i', int(w[2])); k = v[0] + 1; assert len(v) == k * int(w[1]) and set(v[::k]) == {k - 1}
            out['connectivity'] = [x for i, x in enumerate(v) if i % k]
        elif w[0] == 'CELL_TYPES': out['types'] = take('i', int(w[1]))
        elif w[-1] == 'double': out[w[0]] = take('d', int(w[1]) * int(w[2]))
        else: assert w[0] in ('FIELD', 'POINT_DATA'), w
    return out
def npy(name):
    b = open(name, 'rb').read(); shape = eval(b[10:128])['shape']
    return shape, [x[0] for x in struct.iter_unpack('<d', b[128:])]
END
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ "$(ranks 1 "$eps" --version | grep -c 'real numbers')" = 1 ] || python=
if [ "$python" ]; then
  for np in 1 2 3; do
    ranks $np "$eps" -generate fem2d -m 6,4 -modes -eps_nev 2 -out p.npy >out 2>err && ranks $np "$eps" -generate fem2d -m 6,4 -modes -eps_nev 2 -out p.vtu >out 2>err &&
      ranks $np "$eps" -generate fem2d -m 6,4 -modes -eps_nev 2 -out p.vtk >out 2>err
    ok $? "$np ranks: a membrane as .npy, .vtu and .vtk" || show err
    "$python" -c '
from read import *
(n, k), x = npy("p.npy"); u, t = vtu("p.vtu"), vtk("p.vtk")
assert (n, k) == (15, 2) and len(u["points"]) == 3 * 35 and u["types"] == [9] * 24 and u["offsets"] == list(range(4, 97, 4))
assert all(t[a] == u[a] for a in t), [a for a in t if t[a] != u[a]]
area = 0
for c in range(24):
    q = [u["points"][3 * i:3 * i + 2] for i in u["connectivity"][4 * c:4 * c + 4]]
    a = sum(q[i][0] * q[(i + 1) % 4][1] - q[(i + 1) % 4][0] * q[i][1] for i in range(4)) / 2
    assert a > 0; area += a
assert abs(area - 4 / 6) < 1e-12
for m in range(2):
    mode = u["mode_%d" % (m + 1)]
    for p in range(35):
        i, j = p % 7, p // 7
        inside = 0 < i < 6 and 0 < j < 4
        assert abs(mode[p] - (x[((i - 1) + 5 * (j - 1)) * 2 + m] if inside else 0)) < 1e-14
assert abs(u["omega"][0] ** 2 - u["lambda"][0]) < 1e-10 * u["lambda"][0]' 2>err
    ok $? "$np ranks: points, cells and values are right, zero on the boundary" || show err
    ranks $np "$eps" -generate elasticity -m 3,2,1 -modes -eps_nev 2 -eps_tol 1e-10 -out p.npy >out 2>err && ranks $np "$eps" -generate elasticity -m 3,2,1 -modes -eps_nev 2 -eps_tol 1e-10 -out p.vtu >out 2>err
    "$python" -c '
from read import *
(n, k), x = npy("p.npy"); u = vtu("p.vtu")
assert n == 54 and len(u["points"]) == 3 * 24 and u["types"] == [12] * 6 and len(u["mode_1"]) == 72
for p in range(24):
    i, rest = p % 4, p // 4
    for c in range(3): assert abs(u["mode_1"][3 * p + c] - (x[(((i - 1) + 3 * rest) * 3 + c) * 2] if i else 0)) < 1e-14
for c in range(6):
    q = [u["points"][3 * i:3 * i + 3] for i in u["connectivity"][8 * c:8 * c + 8]]
    e = [[b - a for a, b in zip(q[0], q[k])] for k in (1, 3, 4)]
    assert abs(e[0][0] * e[1][1] * e[2][2] - 1 / 27) < 1e-12 and abs(q[6][0] - q[0][0] - 1 / 3) < 1e-12' 2>err
    ok $? "$np ranks: an elastic body has vectors with three components" || show err
    printf '0 0\n1 0\n1 1\n.5 2\n' >points.txt; printf '0 0 1\n3 4 5\n' >two.csv
    ranks $np "$eps" -A k.mtx -B m.mtx -eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -eps_nev 2 -points points.txt -out q.vtu >out 2>err &&
      ranks $np "$eps" -A k.mtx -B m.mtx -eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -eps_nev 2 -points two.csv -out q.vtk >out 2>err
    ok $? "$np ranks: -points" || show err
    "$python" -c '
from read import *
u, t = vtu("q.vtu"), vtk("q.vtk")
assert u["points"] == [0, 0, 0, 1, 0, 0, 1, 1, 0, .5, 2, 0] and u["types"] == [1] * 4 and u["connectivity"] == [0, 1, 2, 3]
assert abs(abs(u["mode_1"][1]) - 1) < 1e-9 and abs(u["lambda"][0] - 9) < 1e-9
assert t["points"] == [0, 0, 1, 3, 4, 5] and len(t["mode_1"]) == 6 and abs(abs(t["mode_1"][1]) - 1) < 1e-9 and t["mode_1"][2] == t["mode_1"][5] == 0' 2>err
    ok $? "$np ranks: vertices; two unknowns a point are a vector in the plane" || show err
  done
  # x'Mx = 1 with the consistent mass: the rows of a mass matrix of one element of length 1, times 1/6 (2 1; 1 2)
  printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n' >mass.mtx
  printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 2 7\n' >stiff.mtx
  ranks 1 "$eps" -A stiff.mtx -B mass.mtx -modes -eps_nev 2 -out x.npy >out 2>err && "$python" -c '
from read import *
_, x = npy("x.npy")
for j in (0, 1): assert abs(2 * x[j] ** 2 + 2 * x[j] * x[2 + j] + 2 * x[2 + j] ** 2 - 1) < 1e-12' 2>>err
  ok $? "modes have a mass of one" || show err
  ranks 1 "$eps" -A stiff.mtx -B mass.mtx -modes -swap -eps_nev 2 -out x.npy >out 2>err && "$python" -c '
from read import *
_, x = npy("x.npy")
for j in (0, 1): assert abs(2 * x[j] ** 2 + 2 * x[j] * x[2 + j] + 2 * x[2 + j] ** 2 - 1) < 1e-12' 2>>err
  ok $? "also with -swap" || show err
else skip "no python3, or complex numbers" "files for VTK"; fi

# refused TEXT ARGUMENTS...: one sentence, before the work
refused() {
  text=$1; shift
  ranks 1 "$eps" "$@" >out 2>err
  [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "^napi-eps: .*$text" err && [ ! -s out ]
  ok $? "refused: $*" || show err
}
printf '1\n2\n' >line.csv; printf '1 2\n3 4\n5 6\n' >three.csv
for name in x x.vtp x.png x.npy.gz x.csv; do refused 'the end of the name says which format' -A k.mtx -out $name; done
refused 'have to know where the unknowns are: give -points' -A k.mtx -out x.vtu
refused 'have to know where the unknowns are: give -points' -A k.mtx -plot
refused '2 or 3 coordinates' -A k.mtx -points line.csv -out x.vtk
refused 'has 3 points, and there are 4 unknowns' -A k.mtx -points three.csv -out x.vtk
refused 'knows where its points are' -generate fem2d -points three.csv -out x.vtk
refused 'give -out <file>.vtu' -A k.mtx -points three.csv
refused 'No such file' -A k.mtx -points nobody -out x.vtk
refused 'it is what is to be read' -A k.mtx -points three.csv -out x.vtk -json three.csv
refused '-free says how -generate' -A k.mtx -free
refused '-nullspace is that of' -generate fem2d -nullspace
refused '-box needs 3 lengths' -generate elasticity -box 1,2
refused 'positive' -generate fem2d -box 1,0
refused 'at least 1 element' -generate elasticity -m 0,1,1
refused 'leave out -modes' -X three.csv -Y three.csv -modes
[ ! -e x.vtu ] && [ ! -e x.vtk ]; ok $? "and nothing is written"

# --- the picture -------------------------------------------------------------------------------------------------

printf '#!/bin/sh\ncp "$2" seen.vtu; printf drawn >"$3"\n' >python && chmod +x python
NAPI_PYTHON=$scratch/python ranks 1 "$eps" -generate fem2d -m 6,4 -modes -eps_nev 2 -plot p.png >out 2>err
[ $? = 0 ] && [ "$(cat p.png)" = drawn ] && grep -q '^picture: p.png' out && grep -q '<VTKFile' seen.vtu; ok $? "-plot hands the modes to the script" || show err
printf '#!/bin/sh\nexit 127\n' >python; rm -f p.png
NAPI_PYTHON=$scratch/python ranks 1 "$eps" -generate fem2d -m 6,4 -modes -eps_nev 2 -plot p.png >out 2>err
[ $? = 0 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^napi-eps: no picture: ' err && [ ! -e p.png ]; ok $? "no Python is one sentence, and no picture" || show err
if python3 -c 'import matplotlib, numpy' 2>/dev/null; then
  for what in 'fem2d -m 12,9' 'fem3d -m 4' 'elasticity -m 4,2,2'; do
    ranks 1 "$eps" -generate $what -modes -eps_nev 3 -plot p.png >out 2>err
    [ $? = 0 ] && [ ! -s err ] && [ "$(head -c 4 p.png | tail -c 3)" = PNG ]; ok $? "a picture of $what" || show err
    rm -f p.png
  done
else skip "no matplotlib" "pictures"; fi
finish
