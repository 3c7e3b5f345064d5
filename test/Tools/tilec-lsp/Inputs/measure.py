"""The time from an edit to an answer about it, for a file with one kernel of 500 lines whose types are known.

    measure.py [--limit=MS] SERVER

After each of 140 edits inside the kernel a question is asked, so that each answer takes a whole check of the file. With --limit
a median above it is an error.
"""

import argparse
import statistics
import sys
import time

import lsp


def kernel(lines):
    """A kernel of that many lines: loads, loops, branches, reductions, and calls of a helper."""
    text = ["# tilec: --sig=long:x=*fp32,out=*fp32,n=i32,rows=i32 -DBLOCK=128",
            "import triton", "import triton.language as tl", "", "",
            "@triton.jit", "def smooth(x, amount: tl.constexpr):", "    return x / (1 + tl.exp(-x * amount))", "", "",
            "@triton.jit", "def long(x, out, n, rows, BLOCK: tl.constexpr):",
            "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
            "    mask = offsets < n",
            "    total = tl.zeros([BLOCK], tl.float32)"]
    step = 0
    while len(text) < lines - 1:
        step += 1
        text += ["    value%d = tl.load(x + offsets + %d, mask=mask, other=0.0)" % (step, step),
                 "    for row in range(rows):",
                 "        value%d += smooth(value%d, %d) * row" % (step, step, step % 3),
                 "        total = total + tl.where(mask, value%d, 0.0)" % step,
                 "    if n > %d:" % step,
                 "        total = total * 2",
                 "    largest%d = tl.max(value%d, axis=0)" % (step, step),
                 "    total -= largest%d" % step]
    return "\n".join(text[:lines - 1] + ["    tl.store(out + offsets, total, mask=mask)", ""])


def first_answer(ask):
    """The answer to a question that is empty until the compiler has worked on the file."""
    while not (answer := ask()):
        time.sleep(0.02)
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=float)
    parser.add_argument("server")
    arguments = parser.parse_args()
    session = lsp.Session([arguments.server])
    document = session.open("long.py", kernel(500))
    found = document.diagnostics()
    if found:
        sys.exit("error: the kernel is not correct: %s" % found[0]["message"])
    first_answer(document.lenses)
    questions = {"hover": lambda: document.hover("tot^al = total + tl.wh"), "completion": lambda: document.complete("tl.wh"),
                 "inlayHint": lambda: document.ask("inlayHint", range={"start": {"line": 0, "character": 0},
                                                                       "end": {"line": 500, "character": 0}}),
                 "definition": lambda: document.ask("definition", "+= smo^oth(value1"),
                 "rename": lambda: document.ask("rename", "tot^al = total + tl.wh", newName="sum"),
                 "diagnostics": lambda: document.diagnostics() == [], "codeLens": document.lenses}
    times = {name: [] for name in questions}
    for number in range(140):
        document.replace("    mask = offsets < n", "    mask = offsets < n ", 0)
        name = list(questions)[number % len(questions)]
        start = time.monotonic()
        if not questions[name]():
            sys.exit("error: no answer to %s" % name)
        times[name].append((time.monotonic() - start) * 1000)
    session.close()
    median = statistics.median(sum(times.values(), []))
    print("500 lines: median %.1f ms, longest %.1f ms" % (median, max(sum(times.values(), []))))
    print("medians: " + ", ".join("%s %.1f ms" % (name, statistics.median(taken)) for name, taken in times.items()))
    if arguments.limit is not None and median > arguments.limit:
        sys.exit("error: that is more than %g ms" % arguments.limit)


if __name__ == "__main__":
    main()
