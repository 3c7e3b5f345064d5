#!/usr/bin/env python3
"""Compares random kernels with an interpreter of the language that shares nothing with the compiler.

    utils/fuzz/fuzz.py [--target=cpu|cuda|both|triton] [--start=N] [--count=N] [--jobs=N]
    utils/fuzz/fuzz.py --seed=N [--reduce] [--print]

Each kernel follows from its seed alone. The first form runs many in several processes and prints the seeds
of those whose results differ, that do not compile, crash or hang; the second runs one, prints it, and makes
it smaller. Exit status 1 says that there was a problem. docs/fuzzing.md says what is compared, and how.
"""

import argparse
import json
import os
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
from generator import generate  # noqa: E402
from reducer import reduce  # noqa: E402

_CHUNK = 25  # kernels that a process takes at a time
_SILENCE = 120  # seconds after which a kernel hangs


# ===------------------------------------------------------------------------------------------------
# Processes that run kernels
# ===------------------------------------------------------------------------------------------------


def worker(options):
    """Reads ranges of seeds from standard input, and writes a line before and after each kernel."""
    checkers = {target: Checker(options.library, target) for target in options.targets}
    for line in sys.stdin:
        first, count = map(int, line.split())
        for seed in range(first, first + count):
            say({"begin": seed})
            for target, checker in checkers.items():
                problem = problem_of(checker, seed)
                if problem:
                    say({"seed": seed, "target": target, "problem": problem})
                is_fault = problem and problem.startswith("error") and (target == "cuda" or "CUDA" in problem)
                if is_fault:
                    os._exit(0)  # a fault spoils the device's context; a new process gets a new one
        say({"end": count})


def problem_of(checker, seed):
    try:
        return checker.problem(generate(seed))
    except Exception as error:  # a mistake of this program is a problem too
        return "generator: %s: %s" % (type(error).__name__, error)


def say(record):
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


class Worker:
    """A process, the seeds that it has, and the one that it is at."""

    def __init__(self, options):
        command = [sys.executable, os.path.abspath(__file__), "--worker", "--library", options.library,
                   "--target", options.target]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.current, self.left, self.buffer, self.heard = None, (0, 0), b"", time.time()

    def give(self, first, count):
        self.left, self.current, self.heard = (first, first + count), None, time.time()
        self.process.stdin.write(b"%d %d\n" % (first, count))

    def read(self):
        """The records that have come, or None at the end."""
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            return None
        self.heard = time.time()
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
                if time.time() - key.data.heard > _SILENCE:
                    self.report(key.data.current, "hang: more than %d s" % _SILENCE)
                    key.data.process.kill()
                    key.data.heard = time.time()


# ===------------------------------------------------------------------------------------------------
# One kernel
# ===------------------------------------------------------------------------------------------------


def single(options):
    program = generate(options.seed)
    print(source_of(program))
    if options.print:
        return 0
    status = 0
    for target in options.targets:
        checker = Checker(options.library, target)
        # A driver does not survive a fork.
        find = checker.guarded_problem if target == "cpu" else checker.problem
        problem = find(program)
        print("# %s: %s" % (target, problem or "as expected"))
        if problem is None:
            continue
        status = 1
        if options.reduce:
            smaller = reduce(program, find, lambda size: print("# size %d" % size, file=sys.stderr))
            print(source_of(smaller))
            print("# grid %s, constants %s, scalars %s" % (smaller.grid, smaller.constants,
                                                          {each.name: each.value for each in smaller.scalars}))
            print("# %s: %s" % (target, find(smaller)))
    return status


def default_library():
    tools = os.environ.get("TILEC_BIN_DIR") or os.path.join(HERE, "..", "..", "build", "bin")
    for folder in (os.path.join(tools, "..", "lib"), tools):
        if os.path.exists(os.path.join(folder, "libtilec.so")):
            return os.path.join(folder, "libtilec.so")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=default_library(), help="libtilec.so; default: that of the build")
    parser.add_argument("--target", choices=["cpu", "cuda", "both", "triton"], default="cpu",
                        help="triton: whether Triton agrees with the interpreter, where torch and Triton are")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--seed", type=int, help="run and print only this kernel")
    parser.add_argument("--reduce", action="store_true", help="with --seed: make it smaller")
    parser.add_argument("--print", action="store_true", help="with --seed: only print it")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.targets = ["cpu", "cuda"] if options.target == "both" else [options.target]
    if options.library is None:
        parser.error("there is no libtilec.so; give --library")
    if options.worker:
        return worker(options)
    if options.seed is not None:
        return single(options)
    began = time.time()
    campaign = Campaign(options)
    campaign.run()
    print("%d kernels from seed %d on %s: %d problems, %.0f s" % (campaign.done, options.start, options.target,
                                                                campaign.problems, time.time() - began))
    return 1 if campaign.problems or campaign.done != options.count else 0


if __name__ == "__main__":
    sys.exit(main())
