# SPDX-License-Identifier: BSD-2-Clause
"""The lowest tones of a membrane by FEniCSx and slepc4py, as one writes such a script: nothing in it knows of napi.

   membrane.py A B CELLS [options of PETSc and SLEPc]

A and B are what stands on the diagonals of the two matrices in the rows of the boundary.
"""
import sys
import slepc4py
slepc4py.init(sys.argv)
import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc
from slepc4py import SLEPc

on_a, on_b, cells = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
domain = mesh.create_rectangle(MPI.COMM_WORLD, [np.zeros(2), np.array([1.0, 0.75])], [cells, cells * 3 // 4])
V = fem.FunctionSpace(domain, ('CG', 1))
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
domain.topology.create_connectivity(1, 2)
border = fem.locate_dofs_topological(V, 1, mesh.exterior_facet_indices(domain.topology))
bcs = [fem.dirichletbc(PETSc.ScalarType(0), border, V)]
A = fem.petsc.assemble_matrix(fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx), bcs=bcs, diagonal=on_a)
A.assemble()
B = fem.petsc.assemble_matrix(fem.form(ufl.inner(u, v) * ufl.dx), bcs=bcs, diagonal=on_b)
B.assemble()
eps = SLEPc.EPS().create(domain.comm)
eps.setOperators(A, B)
eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
eps.setDimensions(4)
eps.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
eps.setFromOptions()
eps.solve()
x, Ax, Bx = A.createVecLeft(), A.createVecLeft(), A.createVecLeft()
print_ = PETSc.Sys.Print
print_(f'{eps.getType()} on {A.getSize()[0]} unknowns, reason {eps.getConvergedReason()}, {eps.getIterationNumber()} iterations')
for i in range(min(eps.getConverged(), 4)):
    value = eps.getEigenpair(i, x).real
    A.mult(x, Ax)
    B.mult(x, Bx)
    norm = x.dot(Bx).real
    Ax.axpy(-value, Bx)
    print_(f'pair {i}: {value:.6f}, true residual {Ax.norm() / (abs(value) * Bx.norm()):.1e}, norm {norm:.6f}')
