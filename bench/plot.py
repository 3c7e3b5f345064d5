"""Draws the results of tilec-bench: GB/s or TFLOP/s against size, one figure a suite and type, SVG and PNG.

    python3 bench/plot.py bench-results/results.csv [--out DIR] [--title TEXT]

One line a provider, the band from the 20% to the 80% quantile around it. Products have a panel for each series of
sizes, such as one head size, and the roofline: what the best product and the fastest copy of the run allow. Needs
matplotlib.
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
    "roofline": {"color": "0.5", "linestyle": "--"},
    "cuda-naive": {"color": "tab:brown"},
    "cuda-shared": {"color": "tab:olive"},
    "cuda-vector": {"color": "tab:green"},
    "cuda-online": {"color": "tab:cyan"},
    "torch": {"color": "tab:red"},
    "torch.compile": {"color": "tab:orange"},
    "triton": {"color": "tab:blue"},
    "tilec": {"color": "black", "linewidth": 2.2},
}


# What the numbers of a size are called.
NAMES = {"matmul": ("M", "N", "K"), "attention": ("batch", "heads", "length", "head size"),
         "mlp": ("rows", "width", "layers")}


def read(path):
    """{(suite, dtype): {series: {provider: [row, ..]}}} of what was measured, in file order."""
    figures = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] != "ok" or float(row["median_ms"]) <= 0:
                continue
            series = figures.setdefault((row["suite"], row["dtype"]), {})
            lines = series.setdefault(row["series"], {})
            lines.setdefault(row["provider"], []).append(row)
    return figures


def is_product(row):
    return float(row["operations"]) > 0


def rate(row, column):
    milliseconds = float(row[column])
    if milliseconds <= 0:
        return math.nan
    return float(row["operations"]) / (milliseconds * 1e9) if is_product(row) else \
        int(row["bytes"]) / (milliseconds * 1e6)


def roof(row):
    return float(row["roof"]) if row["roof"] else math.nan


def numbers(size):
    return tuple(1 << int(part[2:]) if part.startswith("2^") else int(part)
                 for part in size.replace("-causal", "").split("x"))


def size_name(size):
    return f"$2^{{{size[2:]}}}$" if size.startswith("2^") else size.replace("x", "×")


def product_positions(suite, sizes):
    """Where each size of a product goes, the ticks, and the axis's name: that of the number that varies."""
    columns = list(zip(*map(numbers, sizes)))
    places = {size: index for index, size in enumerate(sizes)}
    names = NAMES.get(suite, ())
    if len(set(columns)) == 1 and len(sizes) > 1:  # squares
        return places, [(places[size], str(numbers(size)[0])) for size in sizes], " = ".join(names)
    varying = [index for index, column in enumerate(columns) if len(set(column)) > 1]
    if suite == "attention":  # The batch is what is left of the tokens.
        varying = [index for index in varying if names[index] != "batch"]
    if len(varying) == 1:
        index = varying[0]
        return places, [(places[size], str(numbers(size)[index])) for size in sizes], names[index]
    return places, [(places[size], size_name(size)) for size in sizes], " × ".join(names)


def positions(suite, lines):
    """Where each size goes, the ticks, and the axis's name: N itself when rows are the same."""
    rows = [row for line in lines.values() for row in line]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    if is_product(rows[0]):
        return product_positions(suite, sorted(sizes, key=lambda size: numbers(size)[::-1]))
    matrix = any("x" in size for size in sizes)
    if matrix and len({numbers(size)[0] for size in sizes}) == 1:
        return {size: numbers(size)[1] for size in sizes}, None, f"N (columns; M = {numbers(sizes[0])[0]} rows)"
    places = {size: index for index, size in enumerate(sizes)}
    ticks = [(places[size], size_name(size)) for size in sizes]
    return places, ticks, "rows × columns" if matrix else "elements"


def draw_series(axes, suite, name, lines):
    places, ticks, label = positions(suite, lines)
    some = next(iter(lines.values()))
    # Where several numbers vary, what is between two sizes means nothing.
    points_alone = {"linestyle": "", "marker": "o"} if is_product(some[0]) and "×" in label else {}
    if is_product(some[0]):
        rows = {row["size"]: row for line in lines.values() for row in line}
        points = sorted((places[size], roof(row)) for size, row in rows.items())
        style = {**STYLES["roofline"], **points_alone, **({"marker": "_"} if points_alone else {})}
        axes.plot(*zip(*points), label="roofline", **style)
    order = [provider for provider in STYLES if provider in lines]
    order += [provider for provider in lines if provider not in STYLES]
    for provider in order:
        rows = sorted(lines[provider], key=lambda row: places[row["size"]])
        x = [places[row["size"]] for row in rows]
        style = STYLES.get(provider, {})
        marker = {"marker": "." if len(x) < 30 else None}
        axes.plot(x, [rate(row, "median_ms") for row in rows], label=provider,
                  **{**marker, **style, **points_alone})
        if not points_alone:
            axes.fill_between(x, [rate(row, "q80_ms") for row in rows],
                              [rate(row, "q20_ms") for row in rows], alpha=0.15, linewidth=0,
                              color=style.get("color"))
    if ticks:
        axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks], rotation=30,
                        ha="right")
    axes.set_xlabel(label)
    axes.set_ylabel("TFLOP/s" if is_product(some[0]) else "GB/s")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if name:
        axes.set_title(name)
    axes.legend(loc="best", ncols=2)


def draw(suite, dtype, series, title):
    columns = min(len(series), 2)
    rows = -(-len(series) // columns)
    figure, axes = plt.subplots(rows, columns, squeeze=False, figsize=(9 if columns == 1 else 15, 5.5 * rows))
    panels = [panel for line in axes for panel in line]
    for panel, (name, lines) in zip(panels, series.items()):
        draw_series(panel, suite, name, lines)
    for panel in panels[len(series):]:
        panel.set_visible(False)
    text = f"{suite}, {dtype}" + (f", {title}" if title else "")
    if any(series):  # A name of its own for each panel.
        figure.suptitle(text)
    else:
        panels[0].set_title(text)
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
    for (suite, dtype), series in figures.items():
        figure = draw(suite, dtype, series, args.title)
        for kind, options in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 120})):
            figure.savefig(os.path.join(folder, f"{suite}-{dtype}.{kind}"), **options)
        plt.close(figure)
        print(f"{suite}-{dtype}.svg, {suite}-{dtype}.png")


if __name__ == "__main__":
    main()
