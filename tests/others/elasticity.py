# SPDX-License-Identifier: BSD-2-Clause
"""The lowest modes of an elastic block by FEniCSx and slepc4py, with the rigid-body motions handed to multigrid.

   elasticity.py clamped|free CELLS [options of PETSc and SLEPc]
"""
import sys
import slepc4py
slepc4py.init(sys.argv)
import numpy as np
import ufl
from dolfinx import fem, la, mesh
from mpi4py import MPI
from petsc4py import PETSc
from slepc4py import SLEPc

clamped, cells = sys.argv[1] == 'clamped', int(sys.argv[2])
domain = mesh.create_box(MPI.COMM_WORLD, [np.zeros(3), np.array([2.0, 1.0, 0.8])], [2 * cells, cells, cells], mesh.CellType.hexahedron)
V = fem.VectorFunctionSpace(domain, ('CG', 1))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
young, nu = 1.0, 0.3
mu, lmbda = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
strain = lambda w: ufl.sym(ufl.grad(w))
stress = lambda w: 2 * mu * strain(w) + lmbda * ufl.tr(strain(w)) * ufl.Identity(3)
bcs = []
if clamped:
    wall = fem.locate_dofs_geometrical(V, lambda x: np.isclose(x[0], 0))
    bcs = [fem.dirichletbc(np.zeros(3, dtype=PETSc.ScalarType), wall, V)]
A = fem.petsc.assemble_matrix(fem.form(ufl.inner(stress(u), strain(v)) * ufl.dx), bcs=bcs)
A.assemble()
B = fem.petsc.assemble_matrix(fem.form(ufl.inner(u, v) * ufl.dx), bcs=bcs, diagonal=0)
B.assemble()


def rigid_motions():
    """Three translations and three rotations, orthonormal."""
    x = V.tabulate_dof_coordinates()
    size = V.dofmap.index_map.size_local
    basis = [A.createVecRight() for _ in range(6)]
    for k, vec in enumerate(basis):
        field = vec.array.reshape(-1, 3)
        if k < 3:
            field[:, k] = 1
        else:
            i, j = (k + 1) % 3, (k + 2) % 3
            field[:, i], field[:, j] = -x[:size, j], x[:size, i]
        for other in basis[:k]:
            vec.axpy(-vec.dot(other), other)
        vec.normalize()
    return basis


motions = PETSc.NullSpace().create(vectors=rigid_motions(), comm=A.comm)
A.setNearNullSpace(motions)
if not clamped:
    A.setNullSpace(motions)
eps = SLEPc.EPS().create(domain.comm)
eps.setOperators(A, B)
eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
eps.setDimensions(10 if not clamped else 4)
eps.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
eps.setFromOptions()
eps.solve()
x, Ax, Bx = A.createVecLeft(), A.createVecLeft(), A.createVecLeft()
print_ = PETSc.Sys.Print
print_(f'{eps.getType()} on {A.getSize()[0]} unknowns, reason {eps.getConvergedReason()}, {eps.getIterationNumber()} iterations')
for i in range(min(eps.getConverged(), 10)):
    value = eps.getEigenpair(i, x).real
    A.mult(x, Ax)
    B.mult(x, Bx)
    norm = x.dot(Bx).real
    Ax.axpy(-value, Bx)
    print_(f'pair {i}: {value:.6f}, residual {Ax.norm() / Bx.norm():.1e}, norm {norm:.6f}')
