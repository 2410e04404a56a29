#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The picture that napi-cca -plot makes: how much, the scores of the first two pairs, and which variables they are about.

   napi-cca-plot results.json x_scores.npy y_scores.npy [x_loadings.npy y_loadings.npy model.json classes.npy] picture.png

napi-cca runs it; it can be run by itself on what -json and -out have written. Files but the first that are not there are
left out of the picture. Exit status 3: there is no picture, and one sentence has said why.

It is a module of the Python package, too, whose plot() draws by draw().
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
    if __name__ == "__main__":
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as missing:
    if __name__ != "__main__":
        raise
    give_up(f"Python's {missing.name} is not there; get it by 'pip install matplotlib' or "
            "'apt-get install python3-matplotlib'")

POINTS = 20000  # more make a picture slow, not clearer
LABELS = 24     # more numbers on the bars cannot be read
NAMED = 12      # variables of a view whose names are tried
CLEAR = 120     # variables up to which no name covers the point of another one: with more there is no room left
CLASSES = 10    # colours that can be told apart
SIDE = 4.2      # inches of a panel
BLUE, ORANGE, GREEN, DARK, GREY, PALE = "#2b6ca3", "#d9822b", "#4c9f70", "#333333", "#666666", "#dddddd"
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.unicode_minus": False,
         "figure.constrained_layout.w_pad": 0.12, "figure.constrained_layout.h_pad": 0.12}
VALUES = {"pls": ("covariances", "covariance of the scores"), "lda": ("discriminants", "variance between classes / within"),
          "pca": ("variances", "variance of the score"), "gev": ("ratios", "variance of X u / of Y u")}


# --- how much ---------------------------------------------------------------------------------------------------------------

def on_these_data(results):
    """Pearson's correlations of the scores; their cosines where the columns are not centred."""
    return results["pearson"] if "pearson" in results else results["cosines"]


def measure(results):
    return "correlation" if "pearson" in results else "cosine"


def finish_bars(axes, pairs, what):
    if pairs <= 12:
        axes.set_xticks(range(1, pairs + 1))
    else:
        axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True, nbins=12))
    room = 1.0 if pairs == 1 else 0.7
    axes.set_xlim(1 - room, pairs + room)
    axes.set_xlabel(what)
    axes.grid(axis="y", color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)


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
    finish_bars(axes, pairs, "pair")
    axes.set_ylabel(f"{measure(results)} of the scores")
    axes.set_title("What the data sets share", loc="left", fontsize=11)


def value_bars(axes, results, analysis):
    """What another analysis maximises."""
    key, label = VALUES[analysis]
    values = np.array(results[key], dtype=float)
    axes.bar(np.arange(1, len(values) + 1), values, 0.7, color=BLUE)
    for place, value in zip(range(1, len(values) + 1), values if len(values) <= LABELS // 2 else ()):
        share = f"\n{value / results['total_variance']:.1%}" if results.get("total_variance") else ""
        axes.annotate(f"{value:.3g}{share}", (place, value), (0, 3), textcoords="offset points", ha="center", va="bottom", fontsize=8, color=DARK)
    axes.set_ylim(0, 1.15 * max(values.max(), 1e-300))
    finish_bars(axes, len(values), "pair" if analysis == "pls" else "direction")
    axes.set_ylabel(label)
    axes.set_title({"pls": "What the data sets share", "lda": "What tells the classes apart", "pca": "Where the data vary", "gev": "Where X varies more than Y"}[analysis], loc="left", fontsize=11)


def scree(axes, results):
    """Canonical correlations and what permuted data have of them: the same quantity, so that they can be compared."""
    rho, p = np.array(results["correlations"]), np.array([np.nan if v is None else v for v in results["p_values"]])
    low, high = (np.array([np.nan if v is None else v for v in results[f"permutation_{q}"]], dtype=float) for q in ("medians", "quantiles"))
    place = np.arange(1, len(rho) + 1)
    bound = "" if results.get("permutation_quantiles_exact", True) else ", at most"
    edge = np.r_[place[0] - 0.4, place[1:] - 0.5, place[-1] + 0.4]
    axes.stairs(high, edge, baseline=low, fill=True, color=PALE, label=f"permuted data: median to 95 %{bound}")
    real = p <= 0.05
    axes.plot(place, rho, color=BLUE, linewidth=0.8, zorder=2)
    axes.scatter(place[real], rho[real], s=36, color=BLUE, zorder=3, label="p ≤ 0.05")
    axes.scatter(place[~real], rho[~real], s=36, facecolor="white", edgecolor=BLUE, zorder=3, label="p > 0.05")
    for x, value, chance in zip(place, rho, p if len(p) <= LABELS else ()):
        axes.annotate("" if np.isnan(chance) else f"p {chance:.3g}" if len(p) <= 6 else f"{chance:.2g}", (x, value), (0, 7), textcoords="offset points", ha="center", fontsize=8, color=DARK)
    axes.set_ylim(0, min(1.25, 1.35 * np.nanmax(np.r_[rho, high])))
    axes.legend(frameon=False, loc="upper right", fontsize=8)
    finish_bars(axes, len(rho), "pair")
    axes.set_ylabel("canonical correlation" if results.get("center", True) else "canonical cosine")
    axes.set_title(f"How many are real ({results['permutations']:,} permutations)", loc="left", fontsize=11)


# --- scores -----------------------------------------------------------------------------------------------------------------

def limits(axes, x, y):
    """The axes begin and end where nearly all samples are; how many are not is said. One unit is as long in both
    directions, unless one of the scores would be a line."""
    n, ranges, beyond = len(x), [], np.zeros(len(x), dtype=bool)
    for values in (x, y):
        low, high = np.quantile(values, [0.001, 0.999])
        ranges.append([low, high if high > low else low + 1.0])
    spans = [high - low for low, high in ranges]
    equal = max(spans) < 4 * min(spans)
    if equal:
        ranges = [[(low + high - max(spans)) / 2, (low + high + max(spans)) / 2] for low, high in ranges]
    for values, (low, high), limit in zip((x, y), ranges, (axes.set_xlim, axes.set_ylim)):
        room = 0.06 * (high - low)
        limit(low - room, high + room)
        beyond |= (values < low - room) | (values > high + room)
    if equal:
        axes.set_aspect("equal", adjustable="box")
    if beyond.any():  # where correlated scores leave room
        axes.text(0.98, 0.02, f"{beyond.sum()} point{'s' if beyond.sum() > 1 else ''} beyond the axes", transform=axes.transAxes,
                  ha="right", va="bottom", fontsize=9, color=DARK, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2})


def points(axes, x, y, colour=BLUE, label=None):
    n = len(x)
    faint = min(1.0, max(0.08, 400 / max(n, 1)))
    axes.scatter(x, y, s=14 if n <= 500 else 5, alpha=faint if n > 500 else 0.7, color=colour, linewidths=0, rasterized=True, label=label)


def legend(axes):
    for handle in axes.legend(frameon=True, framealpha=0.8, edgecolor="none", fontsize=8, loc="best").legend_handles:
        handle.set_alpha(1)
        handle.set_sizes([20])


def pair_scores(axes, x, y, pair, title):
    """A point a sample: the score of X against that of Y."""
    points(axes, x[:, pair], y[:, pair])
    limits(axes, x[:, pair], y[:, pair])
    axes.set_xlabel(f"score of X, $X u_{{{pair + 1}}}$")
    axes.set_ylabel(f"score of Y, $Y v_{{{pair + 1}}}$")
    axes.set_title(title, loc="left", fontsize=11)


def plane(axes, x, y, model, classes):
    """A point a sample: its first score against its second one, with a colour for each class or data set."""
    names = model.get("classes", [])
    second = x[:, 1] if x.shape[1] > 1 else np.random.default_rng(0).uniform(-0.5, 0.5, len(x)) * np.ptp(x[:, 0])
    shown = [(x[:, 0], second)]
    if classes is not None and 1 < len(names) <= CLASSES:
        colours = plt.get_cmap("tab10").colors
        for c, name in enumerate(names):
            points(axes, x[classes == c, 0], second[classes == c], [colours[c]], shorten(name))
        legend(axes)
    elif y is not None:
        other = y[:, 1] if y.shape[1] > 1 else np.zeros(len(y))
        points(axes, x[:, 0], second, label="X")
        points(axes, y[:, 0], other, ORANGE, "Y")
        shown.append((y[:, 0], other))
        legend(axes)
    else:
        points(axes, x[:, 0], second)
    limits(axes, np.concatenate([a for a, _ in shown]), np.concatenate([b for _, b in shown]))
    axes.set_xlabel("first score, $X u_1$")
    axes.set_ylabel("second score, $X u_2$" if x.shape[1] > 1 else "at random: there is one score only")
    if x.shape[1] == 1:
        axes.set_yticks([])
    axes.set_title("Samples", loc="left", fontsize=11)


# --- loadings ---------------------------------------------------------------------------------------------------------------

def shorten(name):
    return (name if len(name) <= 24 else name[:22] + "…").replace("$", r"\$")


def put_names(figure, axes, places, dots):
    """Names beside points, the most important first: each goes to the nearest place around its point where it touches no name and no other
    point; one for which there is none is left out. Returns how many that are."""
    figure.canvas.draw()
    renderer, left_out = figure.canvas.get_renderer(), 0
    inside = axes.get_window_extent(renderer)
    pixels = axes.transData.transform(dots if len(dots) <= CLEAR else [(x, y) for x, y, _, _ in places])
    taken = []
    for x, y, name, colour in places:
        text = axes.annotate(name, (x, y), (0, 0), textcoords="offset points", fontsize=8, color=colour)
        for distance in (5, 11, 18, 26):
            for angle in np.arange(8) * np.pi / 4 + np.arctan2(y, x):
                dx, dy = distance * np.cos(angle), distance * np.sin(angle)
                text.set_position((dx, dy))
                text.set_ha("left" if dx > 1 else "right" if dx < -1 else "center")
                text.set_va("bottom" if dy > 1 else "top" if dy < -1 else "center")
                box = text.get_window_extent(renderer).padded(1.5)
                covers = np.any((pixels[:, 0] > box.x0 - 2) & (pixels[:, 0] < box.x1 + 2) & (pixels[:, 1] > box.y0 - 2) & (pixels[:, 1] < box.y1 + 2))
                if not covers and box.x0 >= inside.x0 and box.x1 <= inside.x1 and box.y0 >= inside.y0 and box.y1 <= inside.y1 and not any(box.overlaps(b) for b in taken):
                    break
            else:
                continue
            taken.append(box)
            if distance > 11:  # whose name it is can no longer be seen
                axes.annotate("", (x, y), (dx, dy), textcoords="offset points", arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkB": 2})
            break
        else:
            text.remove()
            left_out += 1
    return left_out


def loadings(figure, axes, views, centred):
    """Each variable by its correlations with the first two scores of its own view, with the names of those that matter."""
    what = "correlation" if centred else "cosine"
    axes.add_patch(plt.Circle((0, 0), 1, fill=False, color=PALE, linewidth=1.0))
    axes.axhline(0, color=PALE, linewidth=0.6)
    axes.axvline(0, color=PALE, linewidth=0.6)
    axes.set_xlim(-1.12, 1.12)
    axes.set_ylim(-1.12, 1.12)
    axes.set_aspect("equal", adjustable="box")
    places = []
    for letter, values, names, colour in views:
        size = np.hypot(values[:, 0], values[:, 1])
        order = np.argsort(-size, kind="stable")
        axes.scatter(values[:, 0], values[:, 1], s=14 if len(size) <= 50 else 5, color=colour, linewidths=0, alpha=0.9 if len(size) <= 50 else 0.4, label=letter)
        named = [j for j in order[:NAMED] if size[j] >= max(0.2, 0.3 * size[order[0]])]
        places += [(size[j], values[j, 0], values[j, 1], shorten(names[j]), colour) for j in named]
    if len(views) > 1:
        axes.legend(frameon=False, loc="lower right", fontsize=8, ncol=2, bbox_to_anchor=(1.02, -0.02), handletextpad=0.1, columnspacing=0.8)
    axes.set_xlabel(f"{what} with the first score")
    axes.set_ylabel(f"{what} with the second")
    axes.set_title("Variables", loc="left", fontsize=11)
    return [place[1:] for place in sorted(places, key=lambda place: -place[0])], np.concatenate([values[:, :2] for _, values, _, _ in views])


def loading_bars(axes, views, centred):
    """With one score: the variables that have most to do with it."""
    rows = []
    for letter, values, names, colour in views:
        for j in np.argsort(-np.abs(values[:, 0]), kind="stable")[:NAMED // len(views)]:
            rows.append((values[j, 0], f"{letter}: {shorten(names[j])}" if len(views) > 1 else shorten(names[j]), colour))
    rows.reverse()
    axes.barh(range(len(rows)), [row[0] for row in rows], color=[row[2] for row in rows])
    axes.set_yticks(range(len(rows)), [row[1] for row in rows], fontsize=8)
    axes.set_xlim(-1.05, 1.05)
    axes.axvline(0, color=GREY, linewidth=0.6)
    axes.set_xlabel(f"{'correlation' if centred else 'cosine'} with the score")
    axes.set_title("Variables", loc="left", fontsize=11)


# --- the picture --------------------------------------------------------------------------------------------------------------

def load(name, step=1):
    return np.real(np.array(np.load(name, mmap_mode="r")[::step, :2])) if name and os.path.exists(name) else None


def describe(results):
    parts = []
    for view, columns, samples in (("X", "d1", "n"), ("Y", "d2", "n2")):
        if columns in results:
            more = f", {results[samples]:,} samples" if view == "Y" and results.get(samples, results["n"]) != results["n"] else ""
            parts.append(f"{os.path.basename(results[view])} ({results[columns]:,} variable{'s' if results[columns] > 1 else ''}{more})")
    return " and ".join(parts) + f", {results['n']:,} samples"


def panels_of(figure, results, model, scores, classes, views):
    """Functions that draw a panel each, in their order."""
    analysis, (x, y) = results.get("analysis", "cca"), scores
    centred = results.get("center", results.get("centered", True))
    found = []
    if analysis == "cca":
        found.append(lambda axes: bars(axes, results))
        if results.get("p_values"):
            found.append(lambda axes: scree(axes, results))
    else:
        found.append(lambda axes: value_bars(axes, results, analysis))
    if analysis in ("cca", "pls"):
        for pair in range(x.shape[1]):
            r = on_these_data(results)[pair] if analysis == "cca" else np.corrcoef(x[:, pair], y[:, pair])[0, 1]
            title = f"Pair {pair + 1}: {measure(results) if analysis == 'cca' else 'correlation'} {r:.3f}"
            found.append(lambda axes, pair=pair, title=title: pair_scores(axes, x, y, pair, title))
    else:
        found.append(lambda axes: plane(axes, x, y, model, classes))
    if views and x.shape[1] > 1:
        found.append(lambda axes: loadings(figure, axes, views, centred))
    elif views:
        found.append(lambda axes: loading_bars(axes, views, centred))
    return found


def draw(figure, title, results, model, scores, classes, views):
    """All panels, on a figure with constrained layout."""
    panels = panels_of(figure, results, model, scores, classes, views)
    columns = len(panels) if len(panels) <= 3 else 2 if len(panels) == 4 else 3
    rows = -(-len(panels) // columns)
    figure.set_size_inches(SIDE * columns, SIDE * rows)
    names = []
    for i, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, i + 1)
        names.append((axes, panel(axes)))
    figure.suptitle(title, fontsize=11, color=GREY)
    figure.canvas.draw()
    figure.set_layout_engine("none")  # what is placed by hand stays where it is
    for axes, named in names:
        if named and put_names(figure, axes, *named):
            axes.set_title("Variables (names where there is room)", loc="left", fontsize=11)


def main(results_name, x_name, y_name, picture, x_loadings=None, y_loadings=None, model_name=None, classes_name=None):
    with open(results_name) as file:
        results = json.load(file)
    model = {}
    if model_name and os.path.exists(model_name):
        with open(model_name) as file:
            model = json.load(file)
    step = max(1, -(-results["n"] // POINTS))
    x, y, classes = load(x_name, step), load(y_name, step), load(classes_name, step)
    classes = None if classes is None else classes[:, 0].astype(int)
    views = []
    for letter, name, key, colour in (("X", x_loadings, "x_names", BLUE), ("Y", y_loadings, "y_names", ORANGE)):
        values = load(name)
        if values is not None and key in model:
            views.append((letter, values, model[key], colour))
    with plt.rc_context(STYLE):
        figure = plt.figure(constrained_layout=True)
        draw(figure, describe(results) + (f", {len(x):,} of them shown" if step > 1 else ""), results, model, (x, y), classes, views)
        drawn = io.BytesIO()  # so that a picture that cannot be drawn leaves no half of a file
        figure.savefig(drawn, format="png", dpi=120)
    with open(picture, "wb") as file:
        file.write(drawn.getvalue())


if __name__ == "__main__":
    if len(sys.argv) not in (5, 9):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:4], sys.argv[-1], *sys.argv[4:-1])
    except OSError as wrong:
        give_up(wrong)
