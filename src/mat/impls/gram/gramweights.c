/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Weights of the samples of MATGRAM,

     G = (1/sum_i w_i) sum_i w_i F_i' S F_i + ridge,

   means and deviations alike. What shares data shares them: duplicates, the matrices of a pair, and single views
   made of a pair, which have GramData of their own. Whoever keeps something that was computed from the data
   compares the version, which no two settings of weights have in common.
*/
#include <slepcnapi/private/gramimpl.h>

static PetscObjectState versions = 0; /* 0: there are no weights */

PetscErrorCode GramWeightsCreate(GramWeights **weights)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(weights));
  (*weights)->refct = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GramWeightsDestroy(GramWeights **pweights)
{
  GramWeights *weights = *pweights;

  PetscFunctionBegin;
  *pweights = NULL;
  if (!weights || --weights->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&weights->vec));
  PetscCall(PetscFree(weights->local));
  PetscCall(PetscFree(weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local weights, checked on all ranks alike */
static PetscErrorCode GramWeightsRead(const GramData *data, Vec w, PetscReal **local, PetscReal *sum)
{
  const PetscScalar *a;
  PetscInt           n;
  PetscReal          mine[2] = {0.0, 0.0}; /* the sum; how many are no weights */
  PetscMPIInt        differ  = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(w, &n));
  if (n != data->n) differ = 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, data->comm));
  PetscCheck(!differ, data->comm, PETSC_ERR_ARG_SIZ, "There must be a weight for each of the %" PetscInt_FMT " samples, distributed as they are: create the vector by MatCreateVecs(X,NULL,&w)", data->N);
  PetscCall(PetscMalloc1(n, local));
  PetscCall(VecGetArrayRead(w, &a));
  for (PetscInt i = 0; i < n; i++) {
    (*local)[i] = PetscRealPart(a[i]);
    mine[0] += (*local)[i];
    if (!((*local)[i] >= 0.0) || PetscIsInfReal((*local)[i]) || PetscImaginaryPart(a[i]) != 0.0) mine[1] += 1.0;
  }
  PetscCall(VecRestoreArrayRead(w, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPIU_REAL, MPIU_SUM, data->comm));
  if (mine[1] > 0.0 || !(mine[0] > 0.0) || PetscIsInfReal(mine[0])) PetscCall(PetscFree(*local));
  PetscCheck(mine[1] == 0.0, data->comm, PETSC_ERR_ARG_OUTOFRANGE, "Weights of samples must be real, finite and not negative, %g of them are not: leave a sample out by a weight of 0", (double)mine[1]);
  PetscCheck(mine[0] > 0.0 && !PetscIsInfReal(mine[0]), data->comm, PETSC_ERR_ARG_OUTOFRANGE, "The weights of the samples add up to %g: they need a positive, finite sum", (double)mine[0]);
  *sum = mine[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetWeights - Gives each sample a weight, with which it enters all sums: products, means and deviations.

   Collective

   Input Parameters:
+  G - the operator, which has its views
-  w - a number for each sample that is not negative, distributed like the rows of the views; NULL for none, which is
       the same as 1 for each

   Level: intermediate

   Notes:
   Sums are divided by the sum of the weights instead of the number of samples, so that a weight of 2 is the same as a sample that
   is there twice, a weight of 0 the same as one that is not there, and a common factor of all weights changes
   nothing.

   The numbers are copied. They are shared by all operators that share the data of G: those of MatCreateCCAPair(), of
   MatDuplicate() and of MatGramCreateView(). A solver that keeps something of another of them, such as a
   preconditioner, learns of the change when MatGramSetWeights() is called for that one, too.

   The solvers that go from sample to sample (KSPSVRG, KSPKATYUSHA, KSPSAGA and KSPSDCA) refuse weights.

.seealso: MATGRAM, MatGramGetWeights(), MatGramSetViews()
@*/
PetscErrorCode MatGramSetWeights(Mat G, Vec w)
{
  Mat_Gram    *g = NULL;
  GramWeights *weights;
  PetscReal   *local = NULL, sum = 0.0;
  Vec          copy = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscCheck(g->data, PetscObjectComm((PetscObject)G), PETSC_ERR_ORDER, "Call MatGramSetViews() first");
  if (w) {
    PetscValidHeaderSpecific(w, VEC_CLASSID, 2);
    PetscCheckSameComm(G, 1, w, 2);
    PetscCall(GramWeightsRead(g->data, w, &local, &sum));
    PetscCall(VecDuplicate(w, &copy));
    PetscCall(VecCopy(w, copy));
  }
  weights = g->data->weights;
  PetscCall(VecDestroy(&weights->vec));
  PetscCall(PetscFree(weights->local));
  weights->vec     = copy;
  weights->local   = local;
  weights->sum     = sum;
  weights->version = w ? ++versions : 0;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetWeights - Gets the weights of the samples.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  w - the weights, which remain G's and must not be changed, or NULL if there are none

   Level: intermediate

.seealso: MATGRAM, MatGramSetWeights()
@*/
PetscErrorCode MatGramGetWeights(Mat G, Vec *w)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscAssertPointer(w, 2);
  *w = g->data ? g->data->weights->vec : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
