"""Compares tilec with Triton on the launches that a Python program makes: a library's tests, a model's step.

    python3 bench/launches.py [--tilec=bin/tilec] [--filter=REGEX] [--include=FOLDER] [--configs=N] [--csv=launches.csv]
                              [--limit-s=SECONDS] [--lock=FILE] [--quick] PROGRAM.py [ARGUMENT ..]

The program runs as it is. The first launch of each kind (a kernel, the types, divisibility and constants of its
arguments, warps and stages) is made by both compilers from the same contents of all arrays; then the arrays that it
takes are compared, and both are timed as bench/kernels.py does it. The program goes on with Triton's results. Of
what a tuner would try, it gets --configs. Imported kernels are looked for in --include, too. With --limit-s=0 nothing is
compared: so several processes can fill Triton's cache, each with a part of the program. With --lock several can compare
at once, each a part: their programs run and compile side by side, and each measures while no other one runs on the GPU.

Each launch is a line of the table; then come, for each kernel, the geometric mean of Triton's time over tilec's, and
what failed. A difference is that of the largest element, relative to the largest one of its array; differences above
the type's tolerance are listed, since kernels whose atomic operations come in any order, or whose sums overflow, have
some under one compiler, too. The exit status is 1 if tilec does not compile a kernel, or no launch was compared.
"""

import argparse
import contextlib
import enum
import fcntl
import json
import math
import os
import re
import runpy
import sys
import tempfile
import time
import types

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernels
import providers

torch = None
triton = None
# Names of types that are not those of tl's members.
DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64", "fp8e4nv": "float8e4nv",
          "fp8e5": "float8e5", "fp8e4b15": "float8e4b15"}
# Largest differences that rounding explains, relative to the largest element.
TOLERANCES = {2: 2e-2, 4: 2e-3, 8: 1e-6, 1: 0.15}
MOST_BYTES = 6 << 30  # Of the arrays of a launch, which are kept three times.


class Unsupported(Exception):
    """A launch that is left out."""


def constant_text(value):
    """A compile-time value as tilec's -D takes it."""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    value = value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, tuple):
        return "(%s)" % "".join(constant_text(item) + ", " for item in value)
    if isinstance(value, torch.dtype):
        return str(value)
    if type(value).__name__ == "dtype":
        return "tl." + DTYPES.get(value.name, value.name)
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise Unsupported("a constant of type %s" % type(value).__name__)


def hints(attributes):
    return ":16" if any(name == "tt.divisibility" and number % 16 == 0 for name, number in attributes) else ""


class Kind:
    """What one launch is compiled for, in the form of a case of bench/kernels.py."""

    def __init__(self, function, arguments, compiled, grid):
        source, metadata = compiled.src, compiled.metadata
        code = function.fn.__code__
        self.spec = types.SimpleNamespace(path=code.co_filename, name=function.fn.__name__)
        self.arguments, self.grid = arguments, grid
        self.warps, self.stages = metadata.num_warps, metadata.num_stages
        self.constants, self.items = {}, []
        for index, (name, kind) in enumerate(source.signature.items()):
            value = source.constants.get((index,), arguments[name])
            if kind == "constexpr":
                self.add_constant(function, index, name, value)
            elif isinstance(kind, str) and not kind.startswith("tensordesc"):
                self.items.append("%s=%s%s" % (name, {"u1": "i1"}.get(kind, kind), hints(source.attrs.get((index,), []))))
            else:
                raise Unsupported("a tuple or a descriptor")
        if metadata.num_ctas != 1:
            raise Unsupported("clusters")

    def add_constant(self, function, index, name, value):
        if value == 1 and isinstance(value, int) and not function.params[index].is_constexpr:
            self.items.append(name + "=i32:1")
        else:
            self.constants[name] = constant_text(value)

    def signature(self):
        return ",".join(self.items)

    def key(self):
        return json.dumps([self.spec.path, self.spec.name, self.items, self.constants, self.warps, self.stages])


class Arrays:
    """The memory of a launch's tensors, each storage once."""

    def __init__(self, arguments):
        self.tensors = {name: value for name, value in arguments.items() if isinstance(value, torch.Tensor)}
        self.storages = {value.untyped_storage().data_ptr(): value.untyped_storage()
                         for value in self.tensors.values()}
        if sum(storage.nbytes() for storage in self.storages.values()) > MOST_BYTES:
            raise Unsupported("arrays of more than %d GiB" % (MOST_BYTES >> 30))

    def save(self):
        return {address: storage.clone() for address, storage in self.storages.items()}

    def restore(self, saved):
        for address, storage in self.storages.items():
            storage.copy_(saved[address])

    def difference(self, found, expected):
        """The largest relative difference, its tensor, and whether rounding explains all."""
        worst, is_explained = (0.0, ""), True
        for name, tensor in self.tensors.items():
            address = tensor.untyped_storage().data_ptr()
            view = lambda saved: torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(saved[address])
            ours, theirs = view(found), view(expected)
            if torch.equal(ours.view(torch.uint8), theirs.view(torch.uint8)):
                continue
            ours, theirs = (torch.nan_to_num(each.double(), nan=12345.0) for each in (ours, theirs))
            scale = theirs.abs().max().clamp(min=1e-30)
            error = float((ours - theirs).abs().max() / scale)
            is_explained &= error <= (TOLERANCES[tensor.element_size()] if tensor.is_floating_point() else 0)
            worst = max(worst, (error, name))
        return *worst, is_explained


class Gpu:
    """The GPU, shared with the other processes that were given the same file."""

    def __init__(self, path):
        # A lock that is held shared stays so as long as others come: who wants it alone closes the door first.
        self.lock, self.door = (open(path + end, "w") for end in ("", ".door")) if path else (None, None)
        self.enter(fcntl.LOCK_SH)

    def enter(self, mode):
        if self.lock:
            fcntl.flock(self.door, fcntl.LOCK_EX)
            fcntl.flock(self.lock, mode)
            fcntl.flock(self.door, fcntl.LOCK_UN)

    def leave(self):
        if not self.lock:
            return
        try:
            torch.cuda.synchronize()
        finally:  # Others go on, too, after an error of this one.
            fcntl.flock(self.lock, fcntl.LOCK_UN)

    @contextlib.contextmanager
    def left(self):
        """While this process only compiles."""
        self.leave()
        try:
            yield
        finally:
            self.enter(fcntl.LOCK_SH)

    @contextlib.contextmanager
    def alone(self):
        """While no other process runs anything."""
        self.leave()
        self.enter(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self.leave()
            self.enter(fcntl.LOCK_SH)


class Launches:
    """Stands in for JITFunction.run."""

    LINE = "{kernel:52.52} {warps:>5} {triton_us:>10.2f} {tilec_us:>10.2f} {ratio:>6.3f} {difference:>9.1e} {note}"

    def __init__(self, args, folder):
        self.args, self.rows, self.failures, self.left_out = args, [], [], []
        flags = ["--warp-roles=auto"]
        for path in args.include:
            flags += ["-I", path]
        self.tilec = kernels.Tilec(args.tilec, folder, flags)
        self.timer = providers.Timer()
        self.gpu = Gpu(args.lock)
        self.seen = set()
        self.start, self.is_busy = time.monotonic(), False
        self.original = triton.runtime.JITFunction.run
        launches = self

        def run(function, *arguments, grid, warmup, **options):
            return launches.run(function, arguments, grid, warmup, options)

        triton.runtime.JITFunction.run = run

    def run(self, function, arguments, grid, warmup, options):
        launch = lambda warm: self.original(function, *arguments, grid=grid, warmup=warm, **options)
        is_wanted = not warmup and not self.is_busy and re.search(self.args.filter, function.fn.__name__)
        if not is_wanted or time.monotonic() - self.start > self.args.limit_s:
            return launch(warmup)
        self.is_busy = True
        try:
            with self.gpu.left():
                compiled = launch(True)
            bound = function.signature.bind(*arguments, **{name: value for name, value in options.items()
                                                           if name in function.signature.parameters})
            bound.apply_defaults()
            values = dict(bound.arguments)
            whole = grid(values) if callable(grid) else grid
            if self.compare(function, values, compiled, tuple(int(size) for size in whole)):
                return compiled
        finally:
            self.is_busy = False
        return launch(False)

    def is_new(self, kind):
        key = kind.key()
        is_new = key not in self.seen
        self.seen.add(key)
        return is_new

    def compare(self, function, values, compiled, grid):
        """Whether the launch has been made."""
        name = function.fn.__name__
        try:
            kind = Kind(function, values, compiled, grid)
            if 0 in grid or not self.is_new(kind):
                return False
            arrays = Arrays(values)
        except Unsupported as reason:
            self.left_out.append("%s: %s" % (name, reason))
            return False
        before = arrays.save()
        theirs = self.triton_launch(values, compiled, grid)
        theirs()
        torch.cuda.synchronize()
        expected = arrays.save()
        try:
            with self.gpu.left():
                built = self.tilec.build(kind, kind.warps, kind.stages)
            with self.gpu.alone():
                self.measure(kind, built, arrays, theirs, before, expected)
        except Exception as failure:  # One kernel must not hide the others.
            self.fail(kind, providers.one_line(failure))
        arrays.restore(expected)
        torch.cuda.synchronize()
        return True

    def fail(self, kind, text):
        self.failures.append("%s: %s" % (kind.spec.name, text))
        print("FAIL: %s: %s" % (kind.spec.name, text), kind.key(), flush=True)

    @staticmethod
    def triton_launch(values, compiled, grid):
        compiled._init_handles()
        packed = [kernels.pack(kind, values[name]) for name, kind in compiled.src.signature.items()
                  if kind != "constexpr"]
        return kernels.Triton.launch(compiled, packed, grid)

    def microseconds(self, launch):
        return kernels.microseconds(self.timer, launch, self.args.quick)

    def measure(self, kind, built, arrays, theirs, before, expected):
        ours = self.tilec.load(built, kind, arrays.tensors)
        arrays.restore(before)
        ours()
        torch.cuda.synchronize()
        error, where, is_explained = arrays.difference(arrays.save(), expected)
        arrays.restore(before)
        their_us = self.microseconds(theirs)
        arrays.restore(before)
        our_us = self.microseconds(ours)
        note = "" if is_explained else "DIFFERS in " + where
        row = {"kernel": kind.spec.name, "warps": kind.warps, "triton_us": their_us, "tilec_us": our_us,
               "ratio": their_us / our_us, "difference": error, "note": note, "kind": kind.key()}
        self.rows.append(row)
        print(self.LINE.format(**row), flush=True)
        if self.args.csv:  # At once: a program may take longer than one waits for it.
            kernels.save_rows(self.rows, self.args.csv)

    def summary(self):
        groups = {}
        for row in self.rows:
            groups.setdefault(row["kernel"], []).append(row["ratio"])
        mean = kernels.geometric_mean
        for ratio, name, ratios in sorted((mean(ratios), name, ratios) for name, ratios in groups.items()):
            print("%.3f (%.3f to %.3f, %d launches) %s" % (ratio, min(ratios), max(ratios), len(ratios), name))
        for text in sorted(set(self.left_out)):
            print("left out:", text)
        if self.rows:
            slow = sum(row["ratio"] < 0.9 for row in self.rows)
            print("geometric mean of Triton / tilec: %.3f over %d launches, %d below 0.9, %d differ" % (
                mean([row["ratio"] for row in self.rows]), len(self.rows), slow,
                sum(bool(row["note"]) for row in self.rows)))
        print("%d compared, %d failed, %d left out" % (len(self.rows), len(self.failures), len(self.left_out)))


def limit_tuners(count):
    """Has tuners try so many of their configurations, spread over the list."""
    original = triton.runtime.Autotuner.__init__

    def init(self, function, names, configs, *rest, **named):
        step = max(1, len(configs) // count)
        original(self, function, names, configs[::step][:count], *rest, **named)

    triton.runtime.Autotuner.__init__ = init


def run_program(path, arguments):
    """As if it had been started by itself; an error of its own ends it, not the comparison."""
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit:
        pass
    except Exception as failure:
        print("error: %s: %s" % (path, providers.one_line(failure)), file=sys.stderr)


def main():
    global torch, triton
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=next((path for path in (ROOT + "/bin/tilec", ROOT + "/build/bin/tilec")
                                                 if os.path.exists(path)), "tilec"))
    parser.add_argument("--filter", default="", help="only kernels whose name this regular expression finds")
    parser.add_argument("--include", action="append", default=[], help="where imported kernel files are, too")
    parser.add_argument("--configs", type=int, default=2, help="configurations that each tuner tries")
    parser.add_argument("--csv", help="write the rows to this file")
    parser.add_argument("--limit-s", type=float, default=math.inf, help="compare no launch after so many seconds")
    parser.add_argument("--lock", help="a file: measure while no other process that was given it runs")
    parser.add_argument("--quick", action="store_true", help="fewer runs of each")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not kernels.import_libraries(sys.stderr):
        return 2
    torch, triton = kernels.torch, kernels.triton
    limit_tuners(args.configs)
    with tempfile.TemporaryDirectory() as folder:
        launches = Launches(args, folder)
        run_program(args.program, args.arguments)
    launches.summary()
    return 1 if launches.failures or not (launches.rows or args.limit_s == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
