#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples print what their head comments say, on 1 and 2 ranks.
#
# Each line "$ ./name arguments" of a head comment is run, and its output compared with the lines that follow it, down to
# an empty line or the end of the comment: word by word, numbers with a point to 1e-5, whole numbers (counts of
# iterations, which depend on the random start) to a third, except that one digit has to be right.
. "$(dirname "$0")/tap.inc"
here=$(cd "$(dirname "$0")/.." && pwd)

compare() { # compare WANTED GOT: says where they differ
  awk '
    function close_enough(want, got,   d) {
      if (want == got) return 1
      sub(/[,:]$/, "", want); sub(/[,:]$/, "", got)
      if (want == got) return 1
      if (want !~ /^-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$/ || got !~ /^-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$/) return 0
      d = got - want; if (d < 0) d = -d
      if (want ~ /[.e]/) return d <= 1e-5 * (want < 0 ? -want : want)
      return want >= 10 && d <= want / 3
    }
    NR == FNR { line[FNR] = $0; lines = FNR; next }
    {
      if (FNR > lines) { print "not wanted: " $0; bad = 1; next }
      n = split(line[FNR], want, " ")
      same = (n == NF)
      for (i = 1; i <= n && same; i++) same = close_enough(want[i], $i)
      if (!same) { print "wanted: " line[FNR]; print "got:    " $0; bad = 1 }
      seen = FNR
    }
    END { if (seen < lines) { print "missing: " line[seen + 1]; bad = 1 }; exit bad }
  ' "$1" "$2"
}

# The comparison itself can fail.
printf 'eigenvalue 1: 2.50000, yes\ntook 100 steps\n' >"$scratch/a"
printf 'eigenvalue 1: 2.50001, yes\ntook 120 steps\n' >"$scratch/b"
compare "$scratch/a" "$scratch/b" >/dev/null; ok $? 'the comparison forgives the last digit and some iterations'
for change in 's/2.50000/2.50100/' 's/100/140/' 's/yes/no/' 's/1:/2:/' '2d'; do
  sed "$change" "$scratch/a" >"$scratch/b"
  compare "$scratch/a" "$scratch/b" >/dev/null
  [ $? -ne 0 ]; ok $? "the comparison sees $change"
done
: >"$scratch/b"; compare "$scratch/a" "$scratch/b" >/dev/null
[ $? -ne 0 ]; ok $? 'the comparison sees that nothing was printed'

for source in "$here"/examples/*.c; do
  name=$(basename "$source" .c)
  # one file for each run: the command in its first line, the output wanted in the others
  awk -v to="$scratch/$name" '
    /SPDX-License-Identifier/ { next }
    /\*\// { exit }
    /^   \$ \.\// { file = to "." ++n; sub(/^   \$ \.\/[^ ]*/, ""); print > file; next }
    /^ *$/ { file = "" }
    file { sub(/^   /, ""); print > file }
  ' "$source"
  [ -f "$scratch/$name.1" ]; ok $? "$name says how to run it"
  for run in "$scratch/$name".[0-9]; do
    [ -f "$run" ] || continue
    arguments=$(sed "s|/path/|$NAPI_BUILD/lib/|;q" "$run")
    sed 1d "$run" >"$scratch/wanted"
    for np in 1 2; do
      # shellcheck disable=SC2086 # the arguments are meant to be split
      ranks $np "$NAPI_BUILD/examples/$name" $arguments >"$scratch/got" 2>"$scratch/err"
      status=$?
      if [ $status = 0 ]; then compare "$scratch/wanted" "$scratch/got" >"$scratch/difference"; status=$?; else cat "$scratch/got" "$scratch/err" >"$scratch/difference"; fi
      ok $status "$name$(sed -n 1p "$run") on $np rank(s) prints what its head comment says"
      [ $status = 0 ] || show "$scratch/difference"
    done
  done
done
finish
