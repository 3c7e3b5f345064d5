"""Compares two builds of tilec, or one with two sets of options, by running what they make of the same kernels.

    python3 bench/versions.py --tilec=new/bin/tilec --than=old/bin/tilec [--filter=REGEX] [--option=--warp-roles=auto]
                              [--new-option=--num-stages=2] [--all] [--rounds=N] [--jobs=N] [--csv=versions.csv]

The kernels are those of test/Kernels that have a line 'BENCH:'. Those of which both builds make the same code are left
out, unless --all is given. Both get --option, which may be given several times, and the first build --new-option, too.
Each kernel's versions run in turns, N rounds of each; the lowest of their medians counts, since clocks change. What
they write is compared. The table is sorted by the time before over the time after, and its geometric mean comes last.
Times are measured as in bench/kernels.py; torch is needed, Triton is not. The exit status is 1 if results differ or a
kernel fails.
"""

import argparse
import concurrent.futures
import os
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernels
import providers

LINE = "{kernel:52.52} {warps:>5} {before:>10} {after:>10} {ratio:>7}"


class Pair:
    """A case with the images of both builds, or with why there are none."""

    def __init__(self, case, builds):
        self.case, self.label, self.failure = case, kernels.label(case), None
        try:
            self.new, self.old = [build.build(case, case.warps, case.stages) for build in builds]
        except Exception as failure:  # One kernel must not hide the others.
            self.failure = failure

    def differs(self):
        return self.failure is not None or self.new.image != self.old.image


class Race:
    """Measures the two versions of one kernel."""

    def __init__(self, pair, builds, timer, rounds):
        self.pair, self.timer, self.rounds = pair, timer, rounds
        kernels.torch.manual_seed(0)
        self.tensors = {name: kernels.make_tensor(array) for name, array in pair.case.arrays().items()}
        self.initial = {name: self.tensors[name].clone() for name in pair.case.checked()}
        self.launches = [build.load(image, pair.case, self.tensors)
                         for build, image in zip(builds, (pair.new, pair.old))]

    def results(self, launch):
        for name, values in self.initial.items():
            self.tensors[name].copy_(values)
        launch()
        kernels.torch.cuda.synchronize()
        return {name: self.tensors[name].clone() for name in self.initial}

    def row(self):
        found, expected = map(self.results, self.launches)
        for name, values in expected.items():
            kernels.difference(self.pair.case, name, found[name], values)
        times = [[], []]
        for _ in range(self.rounds):
            for launch, of_launch in zip(self.launches, times):
                of_launch.append(kernels.microseconds(self.timer, launch, quick=True))
        after, before = map(min, times)
        return {"kernel": self.pair.label, "warps": self.launches[0].warps, "before_us": before, "after_us": after,
                "ratio": before / after}


def measure_all(pairs, builds, args):
    """The rows, and the number of failures."""
    rows, failures, timer = [], 0, providers.Timer()
    for pair in pairs:
        try:
            if pair.failure:
                raise pair.failure
            rows.append(Race(pair, builds, timer, args.rounds).row())
        except Exception as failure:
            failures += 1
            print("FAIL: %s: %s" % (pair.label, providers.one_line(failure)), flush=True)
        if kernels.context_lost():
            print("the GPU's context is lost; the rest is not measured")
            break
        kernels.torch.cuda.empty_cache()
    return sorted(rows, key=lambda row: row["ratio"]), failures


def print_rows(rows):
    print(LINE.format(kernel="kernel", warps="warps", before="before us", after="after us", ratio="ratio"))
    for row in rows:
        print(LINE.format(kernel=row["kernel"], warps=row["warps"], before="%.2f" % row["before_us"],
                          after="%.2f" % row["after_us"], ratio="%.3f" % row["ratio"]))
    if rows:
        print("geometric mean of before / after: %.3f" % kernels.geometric_mean([row["ratio"] for row in rows]))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", required=True, help="the build after the change")
    parser.add_argument("--than", required=True, help="the build before it")
    parser.add_argument("--filter", default="", help="only kernels whose FILE.NAME this regular expression finds")
    parser.add_argument("--option", action="append", default=[], help="an option for both")
    parser.add_argument("--new-option", action="append", default=[], help="an option for the first build alone")
    parser.add_argument("--all", action="store_true", help="also kernels whose code is the same")
    parser.add_argument("--rounds", type=int, default=3, help="how often each version is measured")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at the same time")
    parser.add_argument("--csv", help="write the rows to this file")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds must be at least 1")
    return args


def main():
    args = parse_arguments()
    if not kernels.import_libraries(sys.stderr) and kernels.torch is None:
        return 2
    with tempfile.TemporaryDirectory() as folder:
        builds = [kernels.Tilec(args.tilec, folder, args.option + args.new_option),
                  kernels.Tilec(args.than, folder, args.option)]
        cases = kernels.bench_cases(os.path.join(ROOT, "test", "Kernels"), args.filter)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as threads:
            pairs = list(threads.map(lambda case: Pair(case, builds), cases))
        chosen = [pair for pair in pairs if args.all or pair.differs()]
        rows, failures = measure_all(chosen, builds, args)
    print_rows(rows)
    if args.csv and rows:
        kernels.save_rows(rows, args.csv)
    print("%d of %d kernels measured, %d failed" % (len(rows), len(pairs), failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
