#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The words agree with the code: manual pages, options, links, names, spelling (tests/docs.py says what is looked at). And each of
# these checks is seen to fail, on a copy in which one thing is wrong.
. "$(dirname "$0")/tap.inc"
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
for p in ${PYTHON:-} python3 /usr/bin/python3; do python=$("$p" -c 'import sys; print(sys.executable)' 2>/dev/null) && break; done
[ "$python" ] || { skip "there is no Python 3" "the words agree with the code"; finish; }

for check in page name option size link path spelling; do
  "$python" tests/docs.py . $check >"$scratch/$check" 2>&1
  ok $? "$check: nothing is wrong" || show "$scratch/$check"
done

make --no-print-directory help >"$scratch/help"
missing=$(sed -n 's/^GOALS = //p' makefile | tr ' ' '\n' | while read -r goal; do grep -q "^make $goal  *[^ ]" "$scratch/help" || echo "$goal"; done)
[ -z "$missing" ]; ok $? "make help lists every goal${missing:+, but for $missing}"

make --no-print-directory docs BUILD="$scratch/build" PYTHON="$python" >"$scratch/log" 2>&1
ok $? "make docs" || show "$scratch/log"
[ -s "$scratch/build/docs/EPSNAPISetMomentum.html" ] && grep -q 'href="EPSNAPISetMomentum.html"' "$scratch/build/docs/index.html" && [ ! -e "$scratch/build/stack.mk" ]
ok $? "there is a page for a function, it is in the index, and no stack was needed"
(cd "$scratch/build/docs" && cat ./*.html | grep -o 'href="[^"#]*' | sort -u | cut -c7- | while read -r page; do [ -e "$page" ] || echo "$page"; done) >"$scratch/log"
[ ! -s "$scratch/log" ]; ok $? "its links lead somewhere" || show "$scratch/log"

# --- each check can fail ---------------------------------------------------------------------------------------

# wrong CHECK TEXT WHAT FILE SED...: in a copy of which one file has been changed by sed, the check says TEXT, which it did not before
copy=$scratch/copy
wrong() {
  check=$1 text=$2 what=$3 file=$4; shift 4
  rm -rf "$copy" && mkdir "$copy" && cp -R README.md CHANGELOG.md makefile docs src include examples tests .ci "$copy"
  sed "$@" "$file" >"$copy/$file"
  ! cmp -s "$file" "$copy/$file" && ! "$python" tests/docs.py "$copy" $check >"$scratch/log" 2>&1 && grep -q -e "$text" "$scratch/log" && ! grep -q -e "$text" "$scratch/$check"
  ok $? "seen: $what" || show "$scratch/log"
}
header=include/slepcnapi.h
source=$(grep -l '^   CCACreate - ' src/cca/interface/*.c)
wrong page 'NobodyKnows has no manual page' 'a function without a page' $header 's/^SLEPC_EXTERN PetscErrorCode CCACreate(/SLEPC_EXTERN PetscErrorCode NobodyKnows(CCA);\n&/'
wrong page 'NobodyKind has no manual page' 'an enum without a page' $header 's/^SLEPC_EXTERN PetscErrorCode CCACreate(/typedef enum {\n  A,\n  B\n} NobodyKind;\n&/'
wrong page 'NOBODY has no manual page' 'a type without a page' $header 's/^#define CCADIRECT.*/&\n#define NOBODY "nobody"/'
wrong page 'CCACreate has 2 manual pages' 'a page that is there twice' "$source" '$a/*@\n   CCACreate - Twice\n\n   Level: beginner\n@*/\nPetscErrorCode CCACreate(void);'
wrong page 'CCACreate belongs beside the code' 'a page in the header' $header '$a/*@\n   CCACreate - Twice\n\n   Level: beginner\n@*/\nPetscErrorCode CCACreate(void);'
wrong page 'CCAHidden is not in' 'a page of a function that is not public' "$source" '$a/*@\n   CCAHidden - Twice\n\n   Level: beginner\n@*/\nPetscErrorCode CCAHidden(void);'
wrong page 'CCACreate needs one Level' 'a page without a level' "$source" '/^   CCACreate - /,/^@/s/Level: beginner/Level: clever/'
wrong page 'CCACreat is not in' 'a page whose name is not that of its function' "$source" 's/^   CCACreate - /   CCACreat - /'
wrong name 'CCANobody() is not in' 'a page that names a function nobody has' "$source" 's/^.seealso: CCASetData()/.seealso: CCANobody()/'
wrong option '-cca_nobody is not in docs/options.md' 'an option that is not documented' "$source" '$astatic const char *option = "-cca_nobody";'
wrong option '-ksp_%s_nobody is not in docs/options.md' 'one whose name is put together' "$source" '$astatic const char *option = "-ksp_%s_nobody";'
wrong option '-cca_nobody is not in the code' 'an option that is documented only' docs/options.md 's/`-cca_history`/`-cca_nobody`/'
wrong option '-cca_history is not in docs/options.md' 'and the one that it replaces' docs/options.md 's/`-cca_history`/`-cca_nobody`/'
wrong option '-cca_nobody is not in docs/options.md' 'an option in a manual page only' "$source" 's/^   CCACreate - Creates/& (see -cca_nobody)/'
wrong option '-ksp_nobody_step is not in docs/options.md' 'one of several in a manual page' "$source" 's/^   CCACreate - Creates/& (see -ksp_<svrg,nobody>_step)/'
wrong size 'README.md has' 'a README that is too long' README.md 's/$/ and more of it, and more of it, and more of it, and more of it/'
wrong link 'there is no docs/nobody.md' 'a link to nowhere' README.md 's|](docs/options.md)|](docs/nobody.md)|'
wrong link 'docs/methods.md has no heading #nobody' 'a heading that is not there' docs/options.md 's|(methods.md#momentum)|(methods.md#nobody)|'
wrong path 'there is no src/stack/nobody' 'a file that is not there' docs/developing.md 's|src/stack/versions|src/stack/nobody|'
wrong path '`make help` has no nobody' 'a goal that is not there' README.md 's|`make docs`|`make nobody`|'
wrong spelling 'README.md:1: colored' 'an American word' README.md '1s/$/, colored/'
wrong spelling 'regularized' 'an American word in a comment' "$source" 's/^   CCACreate - Creates/& regularized/'
finish
