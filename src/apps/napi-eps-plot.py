#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The picture that napi-eps -plot makes: the first modes, on the points where they are.

   napi-eps-plot modes.vtu picture.png

napi-eps runs it; it can be run by itself on what -out has written. A membrane is shown from above, a solid by the plane in its middle,
an elastic body by its deformed surface. Exit status 3: there is no picture, and one sentence has said why.
"""
import base64
import io
import sys
import xml.etree.ElementTree


def give_up(why):
    print(f"napi-eps: no picture: {why}", file=sys.stderr)
    sys.exit(3)


try:
    import numpy as np
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
except ImportError as missing:
    give_up(f"Python's {missing.name} is not there; get it by 'pip install matplotlib' or "
            "'apt-get install python3-matplotlib'")

MODES = 6       # more cannot be seen side by side
SIDE = 160      # points a side: more make a picture slow, not clearer
FACES = 6000    # of a surface, likewise
TYPES = {"Float64": "f8", "Int64": "i8", "UInt8": "u1"}
GREY = "#666666"


def read(name):
    """The arrays of a .vtu file as napi-eps writes it: name -> array, and the names of the modes in their order."""
    root = xml.etree.ElementTree.parse(name).getroot()
    order = "<" if root.get("byte_order") == "LittleEndian" else ">"
    arrays, modes = {}, []
    for part in root.iter():
        for array in part.findall("DataArray"):
            values = np.frombuffer(base64.b64decode(array.text.strip()), dtype="u1")[8:].view(order + TYPES[array.get("type")])
            width = int(array.get("NumberOfComponents", 1))
            arrays[array.get("Name")] = values.reshape(-1, width) if width > 1 else values
            if part.tag == "PointData" and not array.get("Name").endswith("_imaginary"):
                modes.append(array.get("Name"))
    return arrays, modes


def sides(points):
    """The coordinates along each axis if the points are a grid, the first running fastest, else None."""
    axes = [np.unique(np.round(points[:, d], 12)) for d in range(3)]
    return axes if np.prod([len(a) for a in axes]) == len(points) else None


def extreme(values):
    return float(np.max(np.abs(values))) or 1.0


def flat(axes, arrays, mode):
    """A scalar in the plane, or in the middle of a solid, or on points that are no grid."""
    points, values = arrays["points"], arrays[mode]
    if values.ndim > 1:
        values = np.linalg.norm(values, axis=1)
    limit, grid = extreme(values), sides(points)
    options = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "rasterized": True}
    if grid and len(grid[0]) > 1 and len(grid[1]) > 1:
        x, y, z = grid
        cube = values.reshape(len(z), len(y), len(x))
        # a mode may vanish in the very middle: the plane where most happens is shown
        layer = int(np.argmax(np.abs(cube).max(axis=(1, 2))))
        steps = [max(1, -(-len(a) // SIDE)) for a in (x, y)]
        axes.pcolormesh(x[::steps[0]], y[::steps[1]], cube[layer, ::steps[1], ::steps[0]], shading="gouraud", **options)
        if len(z) > 1:
            axes.set_xlabel(f"z = {z[layer]:.3g}", fontsize=9, color=GREY)
    else:
        axes.scatter(points[:, 0], points[:, 1], c=values, s=max(2, min(40, 20000 / len(points))), linewidths=0, **options)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def surface(cells):
    """The faces of hexahedra that belong to one of them only."""
    faces = np.concatenate([cells[:, f] for f in ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (3, 2, 6, 7), (0, 3, 7, 4), (1, 2, 6, 5))])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def body(axes, arrays, mode):
    """An elastic body, moved by a sixth of its length at most."""
    points, moved = arrays["points"], arrays[mode]
    length = np.ptp(points, axis=0)
    size = np.linalg.norm(moved, axis=1)
    places = points + moved * (max(length) / 6 / (size.max() or 1.0))
    if arrays["types"][0] == 12:
        faces = surface(arrays["connectivity"].reshape(-1, 8))
        shown = Poly3DCollection(places[faces[::max(1, len(faces) // FACES)]], linewidths=0.15, edgecolors="#333333")
        shown.set_facecolor(plt.cm.viridis(size[faces[::max(1, len(faces) // FACES)]].mean(axis=1) / (size.max() or 1.0)))
        axes.add_collection3d(shown)
    else:
        axes.scatter(*places.T, c=size, s=6)
    low, high = np.minimum(points.min(axis=0), places.min(axis=0)), np.maximum(points.max(axis=0), places.max(axis=0))
    room = np.maximum(high - low, 1e-3 * max(high - low))
    for limit, a, b in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), low, low + room):
        limit(a, b)
    axes.set_box_aspect(room)
    axes.view_init(22, -60)
    axes.set_axis_off()


def title(arrays, k):
    omega = arrays.get("omega")
    if omega is None:
        return f"{k + 1}: $\\lambda$ = {arrays['lambda'][k]:.6g}"
    if not np.isfinite(omega[k]):
        return f"{k + 1}: $\\lambda$ = {arrays['lambda'][k]:.4g}, no oscillation"
    return f"{k + 1}: rigid" if omega[k] == 0 else f"{k + 1}: $\\omega$ = {omega[k]:.5g}, f = {omega[k] / (2 * np.pi):.4g}"


def main(modes_name, picture):
    arrays, modes = read(modes_name)
    solid = arrays[modes[0]].ndim > 1 and np.ptp(arrays["points"][:, 2]) > 0
    shown = min(MODES, len(modes))
    columns = shown if shown < 4 else -(-shown // 2)
    rows = -(-shown // columns)
    length = np.ptp(arrays["points"], axis=0)
    tall = 3.6 * (0.62 if solid else min(1.4, max(0.3, length[1] / (length[0] or 1)))) + 0.45
    figure = plt.figure(figsize=(4.0 * columns, tall * rows + 0.4), constrained_layout=True)
    for k, mode in enumerate(modes[:shown]):
        axes = figure.add_subplot(rows, columns, k + 1, projection="3d" if solid else None)
        (body if solid else flat)(axes, arrays, mode)
        axes.set_title(title(arrays, k), fontsize=11)
    points = len(arrays["points"])
    figure.suptitle(f"{shown} of {len(modes)} modes, {points:,} points" if shown < len(modes) else f"{shown} mode{'s'[:shown > 1]}, {points:,} points", fontsize=11, color=GREY)
    drawn = io.BytesIO()  # so that a picture that cannot be drawn leaves no half of a file
    figure.savefig(drawn, format="png", dpi=120)
    with open(picture, "wb") as file:
        file.write(drawn.getvalue())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except OSError as wrong:
        give_up(wrong)
