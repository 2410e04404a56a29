# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # At which frequencies does a steel plate ring?
#
# Stiffness K and mass M of a plate, K x = omega^2 M x, by finite elements; the lowest modes by `slepcnapi.eigsh` with pyamg's multigrid in the place of
# a factorisation; the theory of Kirchhoff, which knows the frequencies of a rectangle with supported edges, to compare with; and a plate that it does not
# know: the same one with a pump on it.
#
#     pip install '.[all]' pyamg
#     python examples/python/plate.py

# %%
import matplotlib.pyplot as plt
import numpy as np
import pyamg
import scipy.sparse as sp

from slepcnapi import eigsh

# %% [markdown]
# ## The plate
#
# Elements of Bogner, Fox and Schmit: a rectangle with cubic functions of x times cubic functions of y, which are continuous with their slopes, as the
# energy of bending asks for. So the matrices of the plate are Kronecker products of those of two beams. Unknowns are the deflection at each node and its
# slopes; these times the length of an element, so that all are lengths.

# %%
length, width, thickness = 1.2, 0.8, 0.005  # metres
young, poisson, density = 210e9, 0.3, 7850.0  # steel
bending = young * thickness**3 / 12 / (1 - poisson**2)
elements = 60, 40


def beam(size, n):
    """The integrals of w'' w'', w' w' and w w along a beam with supported ends, and what the motions 1 and x are in its unknowns."""
    h = size / n
    bend = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]) / h**3
    slope = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) / (30 * h)
    value = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) * h / 420
    unknowns = 2 * np.arange(n)[:, None] + np.arange(4)  # of each element: deflection and slope, left and right
    free = np.setdiff1d(np.arange(2 * n + 2), [0, 2 * n])  # an end may turn, but not move
    rows, columns = np.repeat(unknowns, 4, axis=1).ravel(), np.tile(unknowns, 4).ravel()
    matrices = [sp.coo_array((np.tile(element.ravel(), n), (rows, columns))).tocsr()[free][:, free] for element in (bend, slope, value)]
    motions = np.zeros((2, 2 * n + 2))
    motions[0, ::2] = 1
    motions[1, ::2], motions[1, 1::2] = np.linspace(0, size, n + 1), h
    return matrices, motions[:, free]


(Kx, Cx, Mx), (one_x, x) = beam(length, elements[0])
(Ky, Cy, My), (one_y, y) = beam(width, elements[1])
K = bending * sp.csr_array(sp.kron(Kx, My) + 2 * sp.kron(Cx, Cy) + sp.kron(Mx, Ky))
M = density * thickness * sp.csr_array(sp.kron(Mx, My))
print(f"{elements[0]} x {elements[1]} elements: {K.shape[0]} unknowns, {K.nnz} nonzeros")

# %% [markdown]
# ## Its lowest modes
#
# A multigrid method is good for a plate if it knows which motions bend nothing: a shift and two tilts. It takes part as a LinearOperator; neither K nor M is
# factored.

# %%
unbent = np.column_stack([np.kron(one_x, one_y), np.kron(x, one_y), np.kron(one_x, y)])
multigrid = pyamg.smoothed_aggregation_solver(K, B=unbent, smooth=("energy", {"degree": 2, "maxiter": 4}), max_coarse=100).aspreconditioner()
omega2, modes, stats = eigsh(K, k=6, M=M, which="SM", preconditioner=multigrid, tol=1e-6, return_stats=True)
frequencies = np.sqrt(omega2) / (2 * np.pi)

m, n = np.mgrid[1:20, 1:20].reshape(2, -1)
half_waves = (m / length) ** 2 + (n / width) ** 2
lowest = np.argsort(half_waves)[:6]
theory = np.pi / 2 * half_waves[lowest] * np.sqrt(bending / (density * thickness))

print("mode   half waves   computed, Hz   theory, Hz")
for i, f in enumerate(frequencies):
    print(f"{i + 1:4d}   {m[lowest[i]]:5d} x {n[lowest[i]]:d}   {f:12.4f}   {theory[i]:10.4f}")
print(f"largest difference: {max(abs(frequencies / theory - 1)):.0e}")

# %% [markdown]
# ## A pump on it
#
# A mass of 3 kg (the plate has 37.7) bolted on at a quarter of the length and of the width, which is one more entry in M. The modes above are a good start.

# %%
pump = 3.0
nodes_x, nodes_y = one_x == 1, one_y == 1  # deflections, not slopes; those of the edges are not unknown
at_x = np.flatnonzero(nodes_x)[elements[0] // 4 - 1]
at_y = np.flatnonzero(nodes_y)[elements[1] // 4 - 1]
node = at_x * len(one_y) + at_y
loaded = M + sp.coo_array(([pump], ([node], [node])), shape=M.shape).tocsr()
omega2, loaded_modes, loaded_stats = eigsh(K, k=6, M=loaded, which="SM", preconditioner=multigrid, tol=1e-6, X0=modes, return_stats=True)
loaded_frequencies = np.sqrt(omega2) / (2 * np.pi)
print("with the pump, Hz:", " ".join(f"{f:.3f}" for f in loaded_frequencies))

# %% [markdown]
# ## The picture


# %%
def deflection(mode):
    """Of all nodes, those of the edges with it, the largest being 1."""
    whole = np.zeros((elements[0] + 1, elements[1] + 1))
    whole[1:-1, 1:-1] = mode.reshape(len(one_x), len(one_y))[np.ix_(nodes_x, nodes_y)]
    return whole.T / whole.flat[np.argmax(abs(whole))]


figure, axes = plt.subplots(4, 3, figsize=(9, 8.6), layout="constrained")
along, across = np.linspace(0, length, elements[0] + 1), np.linspace(0, width, elements[1] + 1)
for block, name, found, f in ((0, "plate", modes, frequencies), (2, "with a pump of 3 kg", loaded_modes, loaded_frequencies)):
    for i in range(6):
        axis, w = axes[block + i // 3, i % 3], deflection(found[:, i])
        axis.contourf(along, across, w, levels=np.linspace(-1, 1, 26), cmap="RdBu_r")
        axis.contour(along[1:-1], across[1:-1], w[1:-1, 1:-1], levels=[0], colors="black", linewidths=0.8)
        axis.set_title(f"{f[i]:.1f} Hz" + (f"   (theory {theory[i]:.1f})" if block == 0 else ""), fontsize=10)
        axis.set(aspect="equal", xticks=[], yticks=[])
        if block:
            axis.plot(length / 4, width / 4, "o", color="black", markersize=5)
    axes[block, 0].set_ylabel(name), axes[block + 1, 0].set_ylabel(name)
figure.suptitle("The lowest modes of a steel plate, 1.2 m x 0.8 m x 5 mm, with supported edges", fontsize=12)
figure.savefig("plate.png", dpi=80)
plt.show()
