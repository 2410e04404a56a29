#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# conformance.py itself, with a program and reference files made up for it: does it fail where it should?
. "$(dirname "$0")/tap.inc"
root=$(cd "$(dirname "$0")" && pwd)
command -v "${PYTHON:-python3}" >/dev/null || { skip 'no Python 3' 'the conformance harness'; finish; }
src=$scratch/slepc/src/eps
mkdir -p "$src/tests/output" "$src/tutorials"

# The numbers 1 to 30 as eigenvalues. -own: sets a solver of its own after the options; -silent: prints without solving
cat >"$src/tests/fake.c" <<'END'
#include <slepceps.h>
int main(int argc, char **argv)
{
  Mat       A;
  EPS       eps;
  PetscBool own, silent;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-own", &own));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-silent", &silent));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 30, 30, 1, NULL, 0, NULL, &A));
  for (PetscInt i = 0; i < 30; i++) PetscCall(MatSetValue(A, i, i, i + 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetFromOptions(eps));
  if (own) PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  if (silent) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " All requested eigenvalues computed up to the required tolerance:\n     30.00000, 29.00000\n"));
  else {
    PetscCall(EPSSolve(eps));
    PetscCall(EPSErrorView(eps, EPS_ERROR_RELATIVE, NULL));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}

/*TEST

   testset:
      args: -eps_nev 2
      test:
         suffix: right
         args: -eps_type {{krylovschur gd}}
      test:
         suffix: digit
      test:
         suffix: wrong
      test:
         suffix: missing
      test:
         suffix: own
         args: -own
         output_file: output/fake_right.out
      test:
         suffix: silent
         args: -silent
         output_file: output/fake_right.out
      test:
         suffix: filter
         filter: sed -e "s/30.00000/thirty/"
      test:
         suffix: elsewhere
         requires: cuda
      test:
         suffix: other
         args: -eps_non_hermitian
      test:
         suffix: loop
         args: -eps_gd_blocksize 3 -eps_tol {{1e-7 1e-8}}
         output_file: output/fake_right.out

   testset:
      args: -eps_nev 2 -eps_all -eps_interval 1,2
      output_file: output/fake_right.out
      test:
         suffix: interval
      test:
         suffix: words

   testset:
      args: -eps_nev 2
      output_file: output/fake_wrong.out
      test:
         suffix: edited
      test:
         suffix: edited2
      test:
         suffix: broken

   testset:
      args: -eps_nev 2
      output_file: output/fake_right.out
      test:
         suffix: listed
      test:
         suffix: listed2
      test:
         suffix: listed3

   test:
      suffix: smallest
      args: -eps_nev 2 -eps_type lobpcg -eps_lobpcg_blocksize 3

TEST*/
END
# reference NAME VALUES
reference() { printf '\n All requested eigenvalues computed up to the required tolerance:\n     %s\n\n' "$2" >"$src/tests/output/fake_$1.out"; }
reference right '30.00000, 29.00000'
reference digit '30.00001, 28.99999'
reference wrong '30.00002, 29.00000'
reference filter 'thirty, 29.00000'
reference smallest '1.00000, 2.00000'
cat >"$scratch/known" <<'END'
tests/fake_interval  refused  slicing
tests/fake_words     refused  something else
tests/fake_edited    differs  s/30.00002/30.00000/  # for a reason
tests/fake_edited2   differs  s/29.00000/28.00000/  # for another
tests/fake_broken    broken   -  # nobody gets that
tests/fake_listed    refused  slicing
tests/fake_listed2   differs  s/30/31/  # not true
tests/fake_listed3   broken   -  # not true either
END
mkdir "$scratch/build"
ln -s "$NAPI_BUILD/lib" "$NAPI_BUILD/stack.mk" "$scratch/build"
conformance() { NAPI_BUILD=$scratch/build SLEPC_SOURCE=$scratch/slepc "${PYTHON:-python3}" "$root/conformance/conformance.py" --known "$scratch/known" "$@" >"$scratch/out" 2>&1; }
# says OK-OR-NOT CASE WORDS: the line about the case
says() { grep -q "^$1 [0-9]* - tests/fake_$2[: ].*$3" "$scratch/out"; ok $? "$4" || show "$scratch/out"; }

conformance
ok $((1 - ($? != 0))) "one failure makes it fail"
says ok right 'as fake_right.out' 'the right values pass'
says ok digit 'as fake_digit.out' 'the last digit may differ by one'
says 'not ok' wrong 'is not as' 'by two it may not'
says 'not ok' missing 'no reference' 'a reference file that is not there is a failure'
says 'not ok' own 'krylovschur has run' 'a program that runs another solver is found out'
says 'not ok' silent 'no EPSSolve' 'and one that runs none'
says ok filter 'as fake_filter.out' 'the filter is applied'
says ok loop+eps_tol=1e-8 'as fake_right.out' 'a loop over an option is a case for each value'
says ok interval 'refused: slicing' 'what is refused has to name what is in the list'
says 'not ok' words 'names "something else"' 'and not something else'
says ok edited 'differs: for a reason' 'what differs has to agree once edited'
says 'not ok' edited2 'more than known.txt says' 'and does not where the edit does not explain it'
says ok broken 'nobody gets that' "what SLEPc's own solver does not get either is broken"
for name in listed listed2 listed3; do says 'not ok' $name 'take it out' "what passes may not be in the list ($name)"; done
says ok smallest 'as fake_smallest.out' 'where the solver was one for the smallest, the smallest are wanted'
! grep -q 'fake_elsewhere\|fake_other' "$scratch/out" && grep -q 'do not apply:.*1 requires cuda' "$scratch/out" && grep -q 'do not apply:.*1 not Hermitian' "$scratch/out"
ok $? 'what needs another stack, or is not Hermitian, does not apply' || show "$scratch/out"
grep -q "^# SLEPc.*: 18 cases apply" "$scratch/out" && grep -q "a loop: 19:" "$scratch/out"; ok $? 'a loop over solvers is one case' || show "$scratch/out"

conformance tests/fake_right 'tests/fake_loop*'
ok $? 'without a failure it succeeds' || show "$scratch/out"
printf 'tests/fake_right  nonsense  x\n' >"$scratch/known"
! conformance && grep -q 'known:1: not understood' "$scratch/out"; ok $? 'a line of the list that is not understood is an error' || show "$scratch/out"
finish
