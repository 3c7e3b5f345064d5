"""Draws the results of tilec-bench: GB/s against size, one figure a suite and type, SVG and PNG.

    python3 bench/plot.py bench-results/results.csv [--out DIR] [--title TEXT]

One line a provider, the band from the 20% to the 80% quantile around it. Needs matplotlib.
"""

import argparse
import csv
import math
import os
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as failure:
    sys.stderr.write(f"plot.py: {failure}\n")
    sys.exit(1)

# The ceiling is grey and dashed; tilec is drawn last and thickest.
STYLES = {
    "copy": {"color": "0.5", "linestyle": "--"},
    "cuda-naive": {"color": "tab:brown"},
    "cuda-shared": {"color": "tab:olive"},
    "cuda-vector": {"color": "tab:green"},
    "cuda-online": {"color": "tab:cyan"},
    "torch": {"color": "tab:red"},
    "torch.compile": {"color": "tab:orange"},
    "triton": {"color": "tab:blue"},
    "tilec": {"color": "black", "linewidth": 2.2},
}


def read(path):
    """{(suite, dtype): {provider: [row, ..]}} of what was measured, in file order."""
    figures = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] != "ok" or float(row["median_ms"]) <= 0:
                continue
            lines = figures.setdefault((row["suite"], row["dtype"]), {})
            lines.setdefault(row["provider"], []).append(row)
    return figures


def rate(row, column):
    milliseconds = float(row[column])
    return int(row["bytes"]) / (milliseconds * 1e6) if milliseconds > 0 else math.nan


def size_name(row):
    rows, cols = int(row["rows"]), int(row["cols"])
    if rows != 1:
        return f"{rows}×{cols}"
    return f"$2^{{{cols.bit_length() - 1}}}$" if cols & (cols - 1) == 0 else str(cols)


def positions(lines):
    """Where each size goes, the ticks, and the axis's name: N itself when rows are the same."""
    rows = [row for line in lines.values() for row in line]
    sizes = {(int(row["rows"]), int(row["cols"])): row for row in rows}
    matrix = any(size[0] != 1 for size in sizes)
    if matrix and len({size[0] for size in sizes}) == 1:
        return {size: size[1] for size in sizes}, None, f"N (columns; M = {rows[0]['rows']} rows)"
    places = {size: index for index, size in enumerate(sizes)}
    ticks = [(places[size], size_name(row)) for size, row in sizes.items()]
    return places, ticks, "rows × columns" if matrix else "elements"


def draw(suite, dtype, lines, title):
    figure, axes = plt.subplots(figsize=(9, 5.5))
    places, ticks, label = positions(lines)
    order = [name for name in STYLES if name in lines]
    order += [name for name in lines if name not in STYLES]
    for name in order:
        rows = sorted(lines[name], key=lambda row: places[int(row["rows"]), int(row["cols"])])
        x = [places[int(row["rows"]), int(row["cols"])] for row in rows]
        style = STYLES.get(name, {})
        axes.plot(x, [rate(row, "median_ms") for row in rows], label=name,
                  marker="." if len(x) < 30 else None, **style)
        axes.fill_between(x, [rate(row, "q80_ms") for row in rows],
                          [rate(row, "q20_ms") for row in rows], alpha=0.15, linewidth=0,
                          color=style.get("color"))
    if ticks:
        axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks], rotation=30,
                        ha="right")
    axes.set_xlabel(label)
    axes.set_ylabel("GB/s")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.set_title(f"{suite}, {dtype}" + (f", {title}" if title else ""))
    axes.legend(loc="best", ncols=2)
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", help="results.csv of tilec-bench")
    parser.add_argument("--out", help="folder for the figures; default: that of the CSV")
    parser.add_argument("--title", default="", help="what to add to each title, e.g. the GPU")
    args = parser.parse_args()
    figures = read(args.csv)
    if not figures:
        parser.exit(1, f"plot.py: nothing was measured in {args.csv}\n")
    folder = args.out or os.path.dirname(os.path.abspath(args.csv))
    # Text as text, and no date: the same results give the same file.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tilec"})
    for (suite, dtype), lines in figures.items():
        figure = draw(suite, dtype, lines, args.title)
        for kind, options in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 120})):
            figure.savefig(os.path.join(folder, f"{suite}-{dtype}.{kind}"), **options)
        plt.close(figure)
        print(f"{suite}-{dtype}.svg, {suite}-{dtype}.png")


if __name__ == "__main__":
    main()
