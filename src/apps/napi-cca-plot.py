#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The picture that napi-cca -plot makes: correlations as bars, and the scores of the first two pairs against each other.

   napi-cca-plot results.json x_scores.npy y_scores.npy picture.png

napi-cca runs it; it can be run by itself on what -json and -out have written. Exit status 3: there is no picture, and
one sentence has said why.
"""
import io
import json
import os
import sys


def give_up(why):
    print(f"napi-cca: no picture: {why}", file=sys.stderr)
    sys.exit(3)


try:
    import numpy as np
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as missing:
    give_up(f"Python's {missing.name} is not there; get it by 'pip install matplotlib' or "
            "'apt-get install python3-matplotlib'")

POINTS = 20000  # more make a picture slow, not clearer
LABELS = 24     # more numbers on the bars cannot be read
BLUE, ORANGE, GREEN, DARK, GREY = "#2b6ca3", "#d9822b", "#4c9f70", "#333333", "#666666"


def on_these_data(results):
    """Pearson's correlations of the scores; their cosines where the columns are not centred."""
    return results["pearson"] if "pearson" in results else results["cosines"]


def measure(results):
    return "correlation" if "pearson" in results else "cosine"


def bars(axes, results):
    """Correlations of the scores on these data, on test data and cross-validated: numbers that can be compared. The
    canonical correlation, which has the regularisation in it, is none of them."""
    shown = [(on_these_data(results), BLUE, "these data")]
    for keys, colour, label in ((("test_correlations", "test_cosines"), ORANGE, "test data"), (("cv_correlations", "cv_cosines"), GREEN, "cross-validated")):
        values = next((results[key] for key in keys if results.get(key)), None)
        if values:
            shown.append((values, colour, label))
    pairs, width = len(shown[0][0]), 0.8 / len(shown) if len(shown) > 1 else 0.7
    count = pairs * len(shown)
    flat = count <= 6  # there is room for the numbers side by side; for up to LABELS of them if they stand upright
    for i, (values, colour, label) in enumerate(shown):
        x = np.arange(1, pairs + 1) + (i - (len(shown) - 1) / 2) * width
        axes.bar(x, values, width, color=colour, label=label)
        for place, value in zip(x, values if count <= LABELS else ()):
            axes.annotate(f"{value:.3f}", (place, max(value, 0)), (0, 3), textcoords="offset points", ha="center", va="bottom",
                          rotation=0 if flat else 90, fontsize=9 if flat else 8, color=DARK)
    if len(shown) > 1:
        axes.legend(frameon=False, loc="upper center", ncol=len(shown), fontsize=9 if len(shown) < 3 else 8)
    lowest = min(0, *(value for values, _, _ in shown for value in values))
    axes.set_ylim(lowest * 1.1, 1.08 + (0.1 if not flat and count <= LABELS else 0) + (0.1 if len(shown) > 1 else 0))
    axes.set_yticks(np.arange(-1 if lowest < 0 else 0, 1.01, 0.2 if lowest == 0 else 0.5))
    if pairs <= 12:
        axes.set_xticks(range(1, pairs + 1))
    else:
        axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True, nbins=12))
    room = 1.0 if pairs == 1 else 0.7
    axes.set_xlim(1 - room, pairs + room)
    axes.set_xlabel("pair")
    axes.set_ylabel(f"{measure(results)} of the scores")
    axes.set_title("What the data sets share", loc="left", fontsize=11)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def scatter(axes, x, y, pair, rho, what):
    """A point a sample. The axes begin and end where nearly all samples are; how many are not is said."""
    n = len(x)
    faint = min(1.0, max(0.08, 400 / n))
    axes.scatter(x, y, s=14 if n <= 500 else 5, alpha=faint if n > 500 else 0.7, color=BLUE, linewidths=0, rasterized=True)
    beyond = np.zeros(n, dtype=bool)
    for values, limit in ((x, axes.set_xlim), (y, axes.set_ylim)):
        low, high = np.quantile(values, [0.001, 0.999])
        room = 0.06 * (high - low) or 1.0
        limit(low - room, high + room)
        beyond |= (values < low - room) | (values > high + room)
    if beyond.any():  # where correlated scores leave room
        axes.text(0.98, 0.02, f"{beyond.sum()} point{'s' if beyond.sum() > 1 else ''} beyond the axes", transform=axes.transAxes,
                  ha="right", va="bottom", fontsize=9, color=DARK, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2})
    axes.set_xlabel(f"score of X, $X u_{{{pair}}}$")
    axes.set_ylabel(f"score of Y, $Y v_{{{pair}}}$")
    axes.set_title(f"Pair {pair}: {what} {rho:.3f}", loc="left", fontsize=11)


def main(results_name, x_name, y_name, picture):
    with open(results_name) as file:
        results = json.load(file)
    x, y = np.load(x_name, mmap_mode="r"), np.load(y_name, mmap_mode="r")
    step = max(1, -(-len(x) // POINTS))
    x, y = np.real(np.array(x[::step, :2])), np.real(np.array(y[::step, :2]))
    pairs = x.shape[1]
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
                         "figure.constrained_layout.w_pad": 0.12, "figure.constrained_layout.h_pad": 0.12})
    figure, axes = plt.subplots(1, 1 + pairs, figsize=(4.2 * (1 + pairs), 4.2), constrained_layout=True)
    bars(axes[0], results)
    for pair in range(pairs):
        scatter(axes[1 + pair], x[:, pair], y[:, pair], pair + 1, on_these_data(results)[pair], measure(results))
    data = " and ".join(f"{os.path.basename(results[v])} ({results[d]:,} variable{'s' if results[d] > 1 else ''})" for v, d in (("X", "d1"), ("Y", "d2")))
    figure.suptitle(f"{data}, {results['n']:,} samples" + (f", {len(x):,} of them shown" if step > 1 else ""), fontsize=11, color=GREY)
    drawn = io.BytesIO()  # so that a picture that cannot be drawn leaves no half of a file
    figure.savefig(drawn, format="png", dpi=120)
    with open(picture, "wb") as file:
        file.write(drawn.getvalue())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except OSError as wrong:
        give_up(wrong)
