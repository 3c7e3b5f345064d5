"""Prints what a page of --report says, for tests: report.py PAGE [--variant=N] [LINE ..]

Without lines, its panes and figures; with lines of the main file, the text in each pane that comes from them. Of a page for
several variants these and what each takes, or one of them, counted from 1.
"""

import json
import re
import sys

wanted = [int(word.split("=")[1]) - 1 for word in sys.argv if word.startswith("--variant=")]
sys.argv = [word for word in sys.argv if not word.startswith("--variant=")]
text = open(sys.argv[1], encoding="utf-8").read() if sys.argv[1] != "-" else sys.stdin.read()
# Only the end of the element ends it, whatever is in strings.
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1))


def print_variants():
    for number, variant in enumerate(data["variants"], 1):
        label, kernel = variant["label"], variant["kernels"][0]
        used = kernel.get("ptxas", {})
        print("variant %d: %s on %s: %s; registers %s, instructions %s%s" % (
            number, label["kernel"], label["target"], label["variant"], used.get("registers"), variant.get("instructions"),
            ", without figures" if variant.get("isShort") else ""))
    print("%d texts, files %s" % (len(data["texts"]), " ".join(file["name"].split("/")[-1] for file in data["files"])))


if "variants" in data and not wanted:
    print_variants()
    sys.exit()
if wanted:
    whole, data = data, data["variants"][wanted[0]]
    data["producer"] = whole["producer"]
    data["files"] = [whole["files"][number] for number in data["files"]]
    for pane in data["panes"]:
        pane["text"] = whole["texts"][pane["text"]]


def expand(runs):
    return [value for value, count in zip(runs[::2], runs[1::2]) for _ in range(count)]


def place(chain):
    numbers = data["chains"][chain]
    return " < ".join("%s:%d" % (data["files"][numbers[i]]["name"].split("/")[-1], numbers[i + 1])
                      for i in range(0, len(numbers), 3)) or "no line"


def pieces(found):
    return "%d-%d of %d" % (found["least"], found["most"], found["needed"])


def print_lines(lines):
    for pane in data["panes"]:
        for row, chain in zip(pane["text"].splitlines(), expand(pane["chains"])):
            numbers = data["chains"][chain]
            if numbers and numbers[0] == 0 and numbers[1] in lines:
                print("%s %s: %s" % (pane["id"], place(chain), row.strip()))


def print_access(access):
    line = "access at %s: %s of %s, %d bytes" % (place(access["chain"]), access["kind"], access["type"],
                                                 access.get("bytes", access.get("blockBytes", 0)))
    if "layout" in access:
        line += ", %d elements, %d times; lines %s, sectors %s; %s" % (
            access["width"], access["count"], pieces(access["lines"]), pieces(access["sectors"]), access["addresses"])
    print(line)


def operations(found):
    return ", ".join("%s at %s" % (one["op"], place(one["chain"])) for one in found)


def print_buffer(buffer):
    print("buffer at %s: %d bytes for %s of %s" % (place(buffer["chain"]), buffer["bytes"],
                                                   "x".join(map(str, buffer["shape"])), buffer["type"]))
    for access in buffer["accesses"]:
        line = "  %s at %s" % (access["kind"], place(access["chain"]))
        if "matrix" in access:
            line += ": %d times %s" % (access["count"], access["matrix"])
        elif "wavefronts" in access:
            line += ": %d times %d bytes, wavefronts %d of %d" % (
                access["count"], access["bytes"], access["wavefronts"], access["leastWavefronts"])
        if "origin" in access:
            line += ", of " + operations([access["origin"]])
        if access.get("ends"):
            line += ", for " + operations(access["ends"])
        print(line)


def events(items, depth=0):
    for item in items:
        print("  " * depth + "event %s at %s" % (item["kind"], place(item["chain"])))
        events(item.get("body", []), depth + 1)


def print_all():
    print("target", data["target"], "by", data["producer"])
    for pane in data["panes"]:
        chains = expand(pane["chains"])
        assert len(chains) == len(pane["text"].splitlines()), pane["id"]
        print("pane %s: %d lines, %d with a place" % (pane["id"], len(chains), sum(map(bool, chains))))
        if pane["note"]:
            print("note of %s: %s" % (pane["id"], pane["note"]))
    for remark in data["remarks"]:
        print("%s at %s: %s" % (remark["severity"], place(remark["chain"]), remark["text"]))
    for kernel in data["kernels"]:
        print("kernel", kernel["name"], json.dumps(kernel, sort_keys=True))
    for access in data.get("accesses", []):
        print_access(access)
    exchanges = data.get("exchanges", {"inWarps": [], "buffers": []})
    for exchange in exchanges["inWarps"]:
        print("exchange at %s: %s, %s, %d shuffles" % (place(exchange["chain"]), exchange["op"], exchange["how"],
                                                       exchange["shuffles"]))
        if "origin" in exchange:
            print("  from %s to %s" % (operations([exchange["origin"]]), operations(exchange["ends"])))
    for buffer in exchanges["buffers"]:
        print_buffer(buffer)
    for layout in data.get("layouts", []):
        print("layout %s: register %s, lane %s, warp %s" % (layout["shape"], layout["register"], layout["lane"], layout["warp"]))
    for timeline in data.get("timeline", []):
        events(timeline["events"])
    measured = data.get("measured", {"variants": []})
    for variant in measured["variants"]:
        print("measured on %s: %s" % (measured["devices"][variant["device"]]["name"], json.dumps(variant, sort_keys=True)))


if len(sys.argv) > 2:
    print_lines(set(map(int, sys.argv[2:])))
else:
    print_all()
