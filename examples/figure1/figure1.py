#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Figure 1 of the paper: runs its six panels, as many at a time as there are cores, and draws them.

Writes figure1.csv (all curves), table.md (passes to 1e-4 and 1e-8) and, if matplotlib is there, figure1.png and figure1.svg
to the folder given by --out. See figure1.c for what is run.
"""
import argparse
import csv
import os
import subprocess
import sys
import threading
import time

DATA = [("tmc2007", "tmc2007"), ("mnist", "MNIST"), ("xrmb", "XRMB-like")]
RIDGES = ["1e-3", "1e-5"]
# passes over the data at which a panel ends, and rows of each data set
FULL = {"passes": 700, "rows": {"tmc2007": 10**9, "mnist": 10**9, "xrmb": 40000}}
QUICK = {"passes": 400, "rows": {"tmc2007": 10**9, "mnist": 10000, "xrmb": 5000}}
FIRST = 1.5  # pass at which the axes begin: nothing is found in fewer
LOOK = {
    "AppGrad": ("#8c8c8c", (0, (1, 1.2)), "AppGrad"),
    "CCALin": ("#1b7837", (0, (5, 1.5)), "CCALin"),
    "ALS-VR": ("#e08214", (0, (3, 1, 1, 1)), "ALS-VR"),
    "SI-VR": ("#762a83", (0, (6, 1, 1, 1, 1, 1)), "SI-VR"),
    "NAPI": ("#2166ac", "-", "NAPI, the paper's momentum"),
    "NAPI optimal, block CG": ("#b2182b", "-", "NAPI optimal, block CG (ours)"),
}


def run(arguments, settings, cores):
    """All panels; the slow ones first. Returns the names of the CSV files."""
    jobs = []
    for data in ("mnist", "xrmb", "tmc2007"):
        if data != "xrmb" and not os.path.isdir(os.path.join(arguments.data, data)):
            print("left out: %s, which is not under %s" % (data, arguments.data))
        else:
            jobs += [(data, ridge) for ridge in RIDGES]
    total, done, lock, begin, failed = len(jobs), [0], threading.Lock(), time.time(), []
    files = {job: os.path.join(arguments.out, "%s-%s.csv" % job) for job in jobs}

    def work():
        while True:
            with lock:
                if not jobs or failed:
                    return
                job = jobs.pop(0)
            command = [arguments.program, "-data", job[0], "-ridge", job[1], "-dir", arguments.data, "-csv", files[job],
                       "-rows", str(settings["rows"][job[0]]), "-passes", str(settings["passes"])]
            if arguments.quick:
                command.append("-quick")
            child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            for line in child.stdout:
                with lock:
                    print("[%d of %d panels, %4.0f s] %s" % (done[0], total, time.time() - begin, line.rstrip()), flush=True)
            with lock:
                if child.wait():
                    failed.append(" ".join(command))
                done[0] += 1

    threads = [threading.Thread(target=work) for _ in range(cores)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        sys.exit("failed: " + failed[0])
    print("%d panels in %.0f s" % (total, time.time() - begin))
    return files


def read(files):
    """{(data, ridge): {system: {variant: [(passes, suboptimality)]}}} and the facts of each panel"""
    curves, facts = {}, {}
    for job, name in files.items():
        with open(name, newline="") as f:
            for row in csv.DictReader(f):
                curve = curves.setdefault(job, {}).setdefault(row["system"], {}).setdefault(row["variant"], [])
                curve.append((float(row["passes"]), float(row["suboptimality"])))
                facts[job] = {k: row[k] for k in ("n", "d1", "d2", "rho1", "rho2")}
    return curves, facts


def reached(curve, level):
    return next((p for p, s in curve if s <= level), None)


def best(variants):
    """The variant that is first at 1e-4, or closest in the end"""
    def key(item):
        p = reached(item[1], 1e-4)
        return (p is None, p if p is not None else 0.0, min(s for _, s in item[1]))
    return min(variants.items(), key=key)


def table(curves, facts, passes, out):
    def cell(variants, level):
        number = reached(best(variants)[1], level)
        return "> %d" % passes if number is None else "%.0f" % number

    with open(out, "w") as f:
        f.write("| data | ridge | " + " | ".join(LOOK[s][2] for s in LOOK) + " |\n|---|---|" + "---|" * len(LOOK) + "\n")
        for job in sorted(curves, key=lambda j: ([d for d, _ in DATA].index(j[0]), RIDGES.index(j[1]))):
            cells = []
            for s in LOOK:
                variants = curves[job].get(s)
                cells.append("%s / %s (%s)" % (cell(variants, 1e-4), cell(variants, 1e-8), best(variants)[0]) if variants else "")
            f.write("| %s | %s | %s |\n" % (dict(DATA)[job[0]], job[1], " | ".join(cells)))
    with open(out) as f:
        print("passes to suboptimality 1e-4 / 1e-8 (stages a solve; AppGrad: step times lambda_max)\n" + f.read())


def shrink(name):
    """64 colours are enough, and a third of the size; Pillow comes with matplotlib"""
    from PIL import Image
    with Image.open(name) as image:
        image.convert("RGB").quantize(64).save(name, optimize=True)


def draw(curves, facts, settings, arguments):
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("No figure was drawn, because python3 has no matplotlib: install it by `python3 -m pip install matplotlib` and "
              "run `%s --draw` again. The curves are in %s." % (" ".join(sys.argv), os.path.join(arguments.out, "figure1.csv")))
        return
    plt.rcParams.update({"font.size": 11, "axes.titlesize": 11.5, "svg.fonttype": "none", "font.family": "sans-serif"})
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 7.8), sharey=True)
    handles = {}
    for i, ridge in enumerate(RIDGES):
        for j, (data, title) in enumerate(DATA):
            a = axes[i][j]
            for s, (color, style, label) in LOOK.items():
                variants = curves.get((data, ridge), {}).get(s)
                if not variants:
                    continue
                _, curve = best(variants)
                x = [p for p, _ in curve]
                y = [max(v, 1e-13) for _, v in curve]
                end = next((k for k, v in enumerate(y) if v < 1e-11), len(y) - 1)
                handles[s], = a.plot(x[:end + 1], y[:end + 1], color=color, linestyle=style, linewidth=2.4 if "optimal" in s else 1.9,
                                     label=label, zorder=3 if s.startswith("NAPI") else 2)
            a.set_yscale("log")
            a.set_ylim(1e-10, 2)
            a.set_xscale("log")  # the fast curves are apart on it, which would all lie at the left edge of a linear one
            a.set_xlim(FIRST, settings["passes"])
            ticks = [t for t in (1, 3, 10, 30, 100, 300, 1000) if FIRST <= t <= settings["passes"]]
            a.set_xticks(ticks, [str(t) for t in ticks])
            a.set_yticks([1e0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
            a.minorticks_off()
            a.grid(True, color="#dddddd", linewidth=0.6)
            exponent = ridge[-1]
            fact = facts.get((data, ridge))
            a.set_title("%s, $\\gamma = 10^{-%s}$" % (title, exponent))
            if fact:
                a.text(0.03, 0.04, "$\\rho_2/\\rho_1$ = %.4f" % (float(fact["rho2"]) / float(fact["rho1"])), transform=a.transAxes,
                       ha="left", va="bottom", fontsize=9.5, color="#444444")
            if i == 1:
                a.set_xlabel("passes over the data (logarithmic)")
            if j == 0:
                a.set_ylabel("suboptimality $1 - \\rho/\\rho_1$")
    figure.legend(handles=[handles[s] for s in LOOK if s in handles], loc="upper center", ncol=3, frameon=False, fontsize=11.5)
    shape = {d: next((facts[(d, r)] for r in RIDGES if (d, r) in facts), None) for d, _ in DATA}
    words = ["%s: n = %s, %s + %s." % (t, "{:,}".format(int(shape[d]["n"])), shape[d]["d1"], shape[d]["d2"]) for d, t in DATA if shape[d]]
    figure.text(0.5, 0.012, "Lower and further to the left is better.\n" + " ".join(words) + "\n"
                "tmc2007 stands in for the paper's Mediamill, and generated data of XRMB's shape for XRMB.\n"
                "k = 1, one random start for all, SVRG step 1/max ||x||². Exact values: ρ₂ in NAPI's β = ρ₂²/4, the gap in SI-VR.",
                ha="center", va="bottom", fontsize=10.5, color="#333333", linespacing=1.35)
    figure.tight_layout(rect=(0, 0.125, 1, 0.915))
    name = os.path.join(arguments.out, "figure1.png")
    figure.savefig(name, dpi=100)
    shrink(name)
    figure.savefig(os.path.join(arguments.out, "figure1.svg"))
    print("drawn: %s" % name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--out", default="build/figure1")
    parser.add_argument("--quick", action="store_true", help="a part of the data, fewer passes, one variant of each system")
    parser.add_argument("--jobs", type=int, default=2, help="panels at a time")
    parser.add_argument("--draw", action="store_true", help="only draw what was run before")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.out = os.path.join(arguments.out, "quick")
    os.makedirs(arguments.out, exist_ok=True)
    settings = QUICK if arguments.quick else FULL
    if arguments.draw:
        files = {(d, r): os.path.join(arguments.out, "%s-%s.csv" % (d, r)) for d, _ in DATA for r in RIDGES}
        files = {job: name for job, name in files.items() if os.path.exists(name)}
    else:
        files = run(arguments, settings, max(1, min(arguments.jobs, os.cpu_count() or 1)))
    with open(os.path.join(arguments.out, "figure1.csv"), "w") as all_curves:
        for i, name in enumerate(files.values()):
            with open(name) as f:
                lines = f.readlines()
            all_curves.writelines(lines if i == 0 else lines[1:])
    curves, facts = read(files)
    table(curves, facts, settings["passes"], os.path.join(arguments.out, "table.md"))
    draw(curves, facts, settings, arguments)


if __name__ == "__main__":
    main()
