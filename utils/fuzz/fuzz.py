#!/usr/bin/env python3
"""Compares random kernels with an interpreter of the language that shares nothing with the compiler.

    utils/fuzz/fuzz.py [--kind=tiles|large-tiles|products|tiles-of-products] [--target=TARGET[,TARGET..]] [--start=N] [--count=N] [--jobs=N]
    utils/fuzz/fuzz.py --seed=N [--kind=..] [--target=..] [--reduce] [--print]

A target is cpu, cuda, triton (whether Triton agrees with the interpreter, where torch and Triton are), or an
architecture such as sm_90a, whose code the simulator executes.

Each kernel follows from its seed alone. The first form runs many in several processes and prints the seeds
of those whose results differ, that do not compile, crash or hang; the second runs one, prints it, and makes
it smaller. Exit status 1 says that there was a problem. docs/fuzzing.md says what is compared, and how.
"""

import argparse
import json
import os
import re
import selectors
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "test")]
import features  # noqa: E402

try:
    import numpy  # noqa: F401 (what the modules below need)
except ImportError:
    other = features.python_with_numpy()
    if other is None:
        sys.exit("error: NumPy is needed (package python3-numpy)")
    os.execv(other, [other] + sys.argv)

from check import Checker, source_of  # noqa: E402
import generator  # noqa: E402
import large  # noqa: E402
import products  # noqa: E402
from reducer import reduce  # noqa: E402

_CHUNK = 25  # kernels that a process takes at a time
_SILENCE = 120  # seconds after which a kernel hangs
_KINDS = {"tiles": generator.generate, "products": products.generate,
          "tiles-of-products": products.generate_over_tiles, "large-tiles": large.generate}


# ===------------------------------------------------------------------------------------------------
# Processes that run kernels
# ===------------------------------------------------------------------------------------------------


def worker(options):
    """Reads ranges of seeds from standard input, and writes a line before and after each kernel."""
    checkers = {target: Checker(options.library, target, options.tool) for target in options.targets}
    for line in sys.stdin:
        first, count = map(int, line.split())
        for seed in range(first, first + count):
            say({"begin": seed})
            for target, checker in checkers.items():
                problem = problem_of(checker, options.kind, seed)
                if problem:
                    say({"seed": seed, "target": target, "problem": problem})
                is_fault = problem and problem.startswith("error") and (target == "cuda" or "CUDA" in problem)
                if is_fault:
                    os._exit(0)  # a fault spoils the device's context; a new process gets a new one
        say({"end": count})


def problem_of(checker, kind, seed):
    try:
        return checker.problem(_KINDS[kind](seed))
    except Exception as error:  # a mistake of this program is a problem too
        return "generator: %s: %s" % (type(error).__name__, error)


def say(record):
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


class Worker:
    """A process, the seeds that it has, and the one that it is at."""

    def __init__(self, options):
        command = [sys.executable, os.path.abspath(__file__), "--worker", "--library", options.library,
                   "--tool", options.tool or "", "--target", ",".join(options.targets), "--kind", options.kind]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.current, self.left, self.buffer, self.heard = None, (0, 0), b"", time.monotonic()

    def give(self, first, count):
        self.left, self.current, self.heard = (first, first + count), None, time.monotonic()
        self.process.stdin.write(b"%d %d\n" % (first, count))

    def read(self):
        """The records that have come, or None at the end."""
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            return None
        self.heard = time.monotonic()
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        return [json.loads(line) for line in lines]


class Campaign:
    """Gives ranges of seeds to processes and counts what they find."""

    def __init__(self, options):
        self.options, self.problems, self.done = options, 0, 0
        self.next, self.end = options.start, options.start + options.count
        self.waiting = []  # ranges that a process left behind
        self.selector = selectors.DefaultSelector()

    def start(self):
        worker = Worker(self.options)
        self.selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
        self.feed(worker)

    def feed(self, worker):
        """Gives a process more to do, or ends it."""
        if self.waiting:
            worker.give(*self.waiting.pop())
        elif self.next < self.end:
            count = min(_CHUNK, self.end - self.next)
            worker.give(self.next, count)
            self.next += count
        else:
            self.selector.unregister(worker.process.stdout)
            worker.process.stdin.close()
            worker.process.wait()

    def report(self, seed, text):
        self.problems += 1
        print("seed %d: %s" % (seed, text), flush=True)

    def handle(self, worker, record):
        if "begin" in record:
            worker.current = record["begin"]
        elif "problem" in record:
            self.report(record["seed"], "%s: %s" % (record["target"], record["problem"]))
        else:
            self.done += record["end"]
            self.feed(worker)

    def lost(self, worker):
        """A process that ended by itself: the kernel that it was at is the reason."""
        self.selector.unregister(worker.process.stdout)
        code = worker.process.wait()
        if code < 0:
            self.report(worker.current, "crash: signal %d" % -code)
        elif code > 0:
            sys.exit("error: a process ends with status %d" % code)
        first, end = worker.left
        at = end if worker.current is None else worker.current + 1
        self.done += at - first
        if at < end:
            self.waiting.append((at, end - at))
        if self.waiting or self.next < self.end:
            self.start()

    def run(self):
        for _ in range(self.options.jobs):
            self.start()
        while self.selector.get_map():
            for key, _ in self.selector.select(5):
                records = key.data.read()
                if records is None:
                    self.lost(key.data)
                for record in records or []:
                    self.handle(key.data, record)
            for key in list(self.selector.get_map().values()):
                if time.monotonic() - key.data.heard > _SILENCE:
                    self.report(key.data.current, "hang: more than %d s" % _SILENCE)
                    key.data.process.kill()
                    key.data.heard = time.monotonic()


# ===------------------------------------------------------------------------------------------------
# One kernel
# ===------------------------------------------------------------------------------------------------


def single(options):
    program = _KINDS[options.kind](options.seed)
    print(source_of(program, options.targets[0]))
    if options.print:
        return 0
    status = 0
    for target in options.targets:
        checker = Checker(options.library, target, options.tool)
        # A driver does not survive a fork.
        find = checker.guarded_problem if target == "cpu" else checker.problem
        problem = find(program)
        print("# %s: %s" % (target, problem or "as expected"))
        if problem is None:
            continue
        status = 1
        if options.reduce:
            smaller = reduce(program, find, lambda size: print("# size %d" % size, file=sys.stderr))
            print(source_of(smaller, target))
            print("# grid %s, constants %s, scalars %s, %d warps, %d stages" % (
                smaller.grid, smaller.constants, {each.name: each.value for each in smaller.scalars}, smaller.num_warps,
                smaller.num_stages))
            print("# %s: %s" % (target, find(smaller)))
    return status


def default_library():
    tools = os.environ.get("TILEC_BIN_DIR") or os.path.join(HERE, "..", "..", "build", "bin")
    for folder in (os.path.join(tools, "..", "lib"), tools):
        if os.path.exists(os.path.join(folder, "libtilec.so")):
            return os.path.join(folder, "libtilec.so")
    return None


def default_tool():
    tool = os.path.join(os.environ.get("TILEC_BIN_DIR") or os.path.join(HERE, "..", "..", "build", "bin"), "tilec-run")
    return tool if os.path.exists(tool) else None


def check_targets(parser, options):
    """Says what is missing for a target, or wrong about it."""
    options.targets = options.target.replace("both", "cpu,cuda").split(",")
    for target in options.targets:
        if not re.fullmatch("cpu|cuda|triton|sm_[0-9]+a?", target):
            parser.error("expected targets cpu, cuda, triton or an architecture, found '%s'" % target)
        if target.startswith("sm_") and not options.tool:
            parser.error("there is no tilec-run; give --tool")
        if target in ("cpu", "cuda") and not options.library:
            parser.error("there is no libtilec.so; give --library")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=default_library(), help="libtilec.so; default: that of the build")
    parser.add_argument("--tool", default=default_tool(), help="tilec-run, which has the simulator; default: the build's")
    parser.add_argument("--target", default="cpu", help="where kernels run; both: cpu,cuda")
    parser.add_argument("--kind", choices=list(_KINDS), default="tiles",
                        help="tiles: of everything but products; large-tiles: those of which threads have many "
                        "elements; products: loops around tl.dot; "
                        "tiles-of-products: those that walk over several tiles of a result")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--seed", type=int, help="run and print only this kernel")
    parser.add_argument("--reduce", action="store_true", help="with --seed: make it smaller")
    parser.add_argument("--print", action="store_true", help="with --seed: only print it")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    check_targets(parser, options)
    if options.worker:
        return worker(options)
    if options.seed is not None:
        return single(options)
    began = time.monotonic()
    campaign = Campaign(options)
    campaign.run()
    print("%d kernels from seed %d on %s: %d problems, %.0f s" % (campaign.done, options.start, options.target,
                                                                campaign.problems, time.monotonic() - began))
    return 1 if campaign.problems or campaign.done != options.count else 0


if __name__ == "__main__":
    sys.exit(main())
