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
BLUE, ORANGE, GREY = "#2b6ca3", "#d9822b", "#666666"


def bars(axes, results):
    """Correlations, and beside them those of the test data if there are any."""
    rho, test = results["correlations"], results.get("test_correlations")
    k = np.arange(1, len(rho) + 1)
    width = 0.4 if test else 0.7
    axes.bar(k - (width / 2 if test else 0), rho, width, color=BLUE, label="these data")
    if test:
        axes.bar(k + width / 2, test, width, color=ORANGE, label="test data")
        axes.legend(frameon=False, loc="upper right", fontsize=9)
    if len(rho) <= 10 and not test:
        for i, value in zip(k, rho):
            axes.annotate(f"{value:.3f}", (i, value), ha="center", va="bottom", fontsize=8, color=GREY)
    axes.set_ylim(min(0, *rho, *(test or [0])) * 1.1, 1.15 if test else 1.05)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True, nbins=12))
    axes.set_xlim(0.3, len(rho) + 0.7)
    axes.set_xlabel("pair")
    axes.set_ylabel("correlation")
    axes.set_title("What the data sets share", loc="left", fontsize=11)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def scatter(axes, x, y, pair, rho):
    """A point a sample. The axes begin and end where nearly all samples are."""
    n = len(x)
    faint = min(1.0, max(0.08, 400 / n))
    axes.scatter(x, y, s=14 if n <= 500 else 5, alpha=faint if n > 500 else 0.7, color=BLUE, linewidths=0, rasterized=True)
    for values, limit in ((x, axes.set_xlim), (y, axes.set_ylim)):
        low, high = np.quantile(values, [0.001, 0.999])
        room = 0.06 * (high - low) or 1.0
        limit(low - room, high + room)
    axes.set_xlabel(f"score of X, $X u_{{{pair}}}$")
    axes.set_ylabel(f"score of Y, $Y v_{{{pair}}}$")
    axes.set_title(f"Pair {pair}: correlation {rho:.3f}", loc="left", fontsize=11)


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
        scatter(axes[1 + pair], x[:, pair], y[:, pair], pair + 1, results["correlations"][pair])
    figure.suptitle(f"{os.path.basename(results['X'])} ({results['n']} x {results['d1']}) and "
                    f"{os.path.basename(results['Y'])} ({results['n']} x {results['d2']})"
                    + (f", {len(x)} of the samples shown" if step > 1 else ""), fontsize=11, color=GREY)
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
