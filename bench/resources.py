"""Compares what two builds of tilec make of the same kernels, on a machine without a GPU.

    python3 bench/resources.py --tilec=new/bin/tilec --than=old/bin/tilec [--filter=REGEX] [--arch=sm_90a] [--jobs=N]
                               [--launches=launches.csv] [--include=FOLDER] [--option=--num-stages=1]

The kernels are those of test/Kernels that have a line 'BENCH:', or the launches in a table that bench/launches.py has
written. For each one whose PTX differs, a line says what the machine code of both takes: registers and bytes of
spills of a thread, bytes of shared memory of a CTA, resident CTAs of an SM. It needs ptxas. The exit status is 1 if a
build does not compile a kernel.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import re
import shutil
import sys
import tempfile
import types

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernels


class RecordedLaunch:
    """A row of bench/launches.py, in the form of a case of bench/kernels.py."""

    def __init__(self, key, number):
        path, name, items, self.constants, self.warps, self.stages = json.loads(key)
        self.spec, self.items = types.SimpleNamespace(path=path, name=name), items
        self.label = "%s.%d" % (name, number)

    def signature(self):
        return ",".join(self.items)


def recorded_launches(path):
    """The launches of a table, numbered for each kernel."""
    counts = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            number = counts[row["kernel"]] = counts.get(row["kernel"], -1) + 1
            yield RecordedLaunch(row["kind"], number)


def bench_cases():
    for case in kernels.bench_cases(os.path.join(ROOT, "test", "Kernels"), ""):
        case.label = kernels.label(case)
        yield case


class Build:
    """One build of tilec."""

    def __init__(self, path, folder, args):
        flags = [*args.option]
        for include in args.include:
            flags += ["-I", include]
        self.code = kernels.Tilec(path, folder, flags, args.arch)
        self.usage = kernels.Tilec(path, folder, [*flags, "--resource-usage"], args.arch)

    def ptx(self, case):
        with open(self.code.run(case, "ptx", case.warps, case.stages), encoding="utf-8") as file:
            return file.read()

    def resources(self, case):
        """Registers, spills, shared memory and resident CTAs, as text."""
        with open(self.usage.run(case, "json", case.warps, case.stages), encoding="utf-8") as file:
            record = json.load(file)["kernels"][0]
        used = record["resources"]
        return "%4d %5d %7d %3d" % (used["registers"], used["spill_store_bytes"],
                                    record["static_shared_bytes"] + record["dynamic_shared_bytes"],
                                    used["ctas_per_sm"])


def compare(case, ours, than):
    """A line of the table: None where both builds make the same code."""
    try:
        if ours.ptx(case) == than.ptx(case):
            return None
        return "%-48.48s %s  | %s" % (case.label, than.resources(case), ours.resources(case))
    except kernels.Failure as failure:
        return "FAIL: %s: %s" % (case.label, failure)


def chosen_cases(args):
    """The cases that the arguments name; ValueError says why there are none."""
    for path in (args.tilec, args.than):
        if not shutil.which(path):
            raise ValueError("'%s' is no program" % path)
    try:
        cases = list(recorded_launches(args.launches) if args.launches else bench_cases())
        chosen = [case for case in cases if re.search(args.filter, case.label)]
    except OSError as failure:
        raise ValueError("'%s': %s" % (args.launches, failure.strerror))
    except (KeyError, json.JSONDecodeError):
        raise ValueError("'%s' is no table of bench/launches.py" % args.launches)
    except re.error as failure:
        raise ValueError("--filter is no regular expression: %s" % failure)
    if not chosen:
        raise ValueError("no kernel matches '%s'" % args.filter)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", required=True, help="a build's compiler")
    parser.add_argument("--than", required=True, help="the compiler of the build that it is compared with")
    parser.add_argument("--filter", default="", help="only kernels that this regular expression finds")
    parser.add_argument("--arch", default="sm_90a", help="GPU to compile for")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at the same time")
    parser.add_argument("--launches", help="a table of bench/launches.py: its launches instead of test/Kernels")
    parser.add_argument("--include", action="append", default=[], help="where imported kernel files are, too")
    parser.add_argument("--option", action="append", default=[], help="an option that both compilers get")
    args = parser.parse_args()
    try:
        chosen = chosen_cases(args)
    except ValueError as failure:
        print("error: %s" % failure, file=sys.stderr)
        return 1
    different, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        ours, than = (Build(path, tempfile.mkdtemp(dir=folder), args) for path in (args.tilec, args.than))
        print("%-48s %s" % ("kernel", "registers, spills, shared memory, CTAs: of --than | of --tilec"))
        for line in pool.map(lambda case: compare(case, ours, than), chosen):
            if line:
                print(line, flush=True)
                failed += line.startswith("FAIL")
                different += not line.startswith("FAIL")
    print("%d kernels, %d differ, %d failed" % (len(chosen), different, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
