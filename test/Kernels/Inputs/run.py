#!/usr/bin/env python3
"""Runs kernel files against their float64 references and looks at the GPU code.

    test/Kernels/Inputs/run.py [--tilec=PATH] [--tilec-run=PATH] [--report] FILE|FOLDER ..

Each case runs on the CPU target, and on the GPU where there is one or else the simulator. The case to measure is
compiled for sm_90a; unless it sets its warps, it must assemble for sm_90 without spills where ptxas is found. --report
prints registers, shared bytes and instruction counts of each. kernel_cases.py says what the headers mean. The last
line counts: `N passed, N failed, N skipped`.
"""

import argparse
import collections
import inspect
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(os.path.dirname(HERE))]

import features

try:
    import numpy as np
except ImportError:
    other = features.python_with_numpy()
    if other is None:
        sys.exit("error: NumPy is needed for the references (package python3-numpy)")
    os.execv(other, [other] + sys.argv)

import kernel_cases

NUMPY_TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
               "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
               "fp16": np.float16, "fp32": np.float32, "fp64": np.float64}
# Bits behind the point, the least exponent of a normal number, and the largest number.
EIGHT_BITS = {"fp8e4nv": (3, -6, 448.0), "fp8e5": (2, -14, 57344.0)}


# ===------------------------------------------------------------------------------------------------
# Arrays
# ===------------------------------------------------------------------------------------------------


def round_to(values, dtype):
    """float64 values rounded to the nearest ones of a float type, still as float64."""
    if dtype in ("fp16", "fp32", "fp64"):
        return values.astype(NUMPY_TYPES[dtype]).astype(np.float64)
    if dtype in EIGHT_BITS:
        mantissa, least, largest = EIGHT_BITS[dtype]
        exponents = np.maximum(np.frexp(values)[1] - 1, least)
        steps = np.ldexp(1.0, exponents - mantissa)
        return np.clip(np.rint(values / steps) * steps, -largest, largest)
    if dtype != "bf16":
        raise kernel_cases.HeaderError("cannot make arrays of %s" % dtype)
    # fp32 rounded to nearest even at bit 16.
    bits = values.astype(np.float32).view(np.uint32)
    bits = (bits + (0x7FFF + ((bits >> 16) & 1))) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


def make_values(array, random):
    """The elements of an input; None for `empty`."""
    kind, parameters, shape = array.contents, array.parameters, array.shape
    if kind == "empty":
        return None
    if kind == "randint":
        return random.integers(*parameters, size=shape)
    if kind == "permutation":
        return np.stack([random.permutation(shape[-1]) for _ in range(array.count // shape[-1])]).reshape(shape)
    makers = {"randn": lambda m=0.0, s=1.0: random.normal(m, s, shape),
              "rand": lambda low=0.0, high=1.0: random.uniform(low, high, shape),
              "zeros": lambda: np.zeros(shape), "ones": lambda: np.ones(shape),
              "full": lambda x: np.full(shape, float(x)),
              "arange": lambda: np.arange(array.count, dtype=np.float64).reshape(shape)}
    if kind not in makers:
        raise kernel_cases.HeaderError("unknown contents '%s'" % kind)
    values = makers[kind](*parameters)
    return round_to(values, array.dtype) if array.dtype in kernel_cases.FLOATS else values.astype(np.int64)


def save(path, values, dtype):
    """Writes an input for tilec-run's @FILE.npy:TYPE."""
    stored = NUMPY_TYPES.get(dtype, np.float32)
    np.save(path, values.astype(stored))


# ===------------------------------------------------------------------------------------------------
# One case
# ===------------------------------------------------------------------------------------------------


class Failure(Exception):
    """A case that did not do what it should."""


def constant(value):
    return "tl." + value if isinstance(value, str) and value.startswith(("float", "int", "bfloat")) else str(value)


def compiler_options(case):
    options = ["--num-warps=%d" % case.warps] if case.warps else []
    return options + (["--num-stages=%d" % case.stages] if case.stages else [])


def run_command(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        raise Failure("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done


def execute(tools, case, values, target, folder):
    """Runs the case on a target and returns the checked arrays."""
    spec = case.spec
    command = [tools.tilec_run, spec.path, "--kernel=" + spec.name, "--target=" + target,
               "--grid=" + ",".join(map(str, case.grid))]
    for name, value in case.arguments.items():
        if not isinstance(value, kernel_cases.Array):
            text = str(value)
        elif values[name] is None:
            text = value.described("empty:%s[%s]" % (value.dtype, ",".join(map(str, value.shape))))
        else:
            text = value.described("@%s/%s.npy:%s" % (folder, name, value.dtype))
        command += ["--arg", "%s=%s" % (name, text)]
    for name, value in case.constants.items():
        command += ["-D", "%s=%s" % (name, constant(value))]
    if target != "cpu":
        command += compiler_options(case)
    if target == "simulator":  # of which an odd seed lets programs share CTAs
        command += ["--seed=%d" % (zlib.crc32(case.title.encode()) % 2)]
    for name in case.checked():
        command += ["--save", "%s=%s/out-%s.npy" % (name, folder, name)]
    run_command(command)
    return {name: np.load("%s/out-%s.npy" % (folder, name)) for name in case.checked()}


def expected_results(case, values, references):
    function = references[case.spec.reference]
    known = {name: value for name, value in case.arguments.items() if name not in values}
    known.update(case.values)
    known.update(case.constants)
    known.update({name: value for name, value in values.items() if value is not None})
    wanted = inspect.signature(function).parameters
    missing = [name for name in wanted if name not in known]
    if missing:
        raise kernel_cases.HeaderError("%s needs '%s', which is no input" % (case.spec.reference, missing[0]))
    inputs = {name: np.copy(known[name]) if name in values else known[name] for name in wanted}
    try:
        with np.errstate(all="ignore"):
            result = function(**inputs)
    except Exception as error:
        raise kernel_cases.HeaderError("%s: %s: %s" % (case.spec.reference, type(error).__name__, error))
    return result if isinstance(result, dict) else {case.checked()[0]: result}


def compare(case, name, found, expected):
    relative, absolute = case.tolerance(name)
    expected = np.broadcast_to(np.asarray(expected), case.arguments[name].shape)
    if found.shape != expected.shape:
        raise Failure("%s has shape %s, expected %s" % (name, found.shape, expected.shape))
    if case.arguments[name].dtype in kernel_cases.FLOATS:
        with np.errstate(all="ignore"):
            found, expected = found.astype(np.float64), expected.astype(np.float64)
            good = np.abs(found - expected) <= absolute + relative * np.abs(expected)
        good |= (found == expected) | (np.isnan(found) & np.isnan(expected))
    else:
        good = np.abs(found.astype(np.int64) - expected.astype(np.int64)) <= absolute
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        raise Failure("%s%s is %s, expected %s; %d of %d elements are off" %
                      (name, list(where), found[where], expected[where], int((~good).sum()), good.size))


def run_case(tools, case, references, targets):
    random = np.random.default_rng(len(case.title))
    values = {name: make_values(array, random) for name, array in case.arrays().items()}
    expected = expected_results(case, values, references)
    with tempfile.TemporaryDirectory() as folder:
        for name, array in case.arrays().items():
            if values[name] is not None:
                save("%s/%s.npy" % (folder, name), values[name], array.dtype)
        for target in targets:
            found = execute(tools, case, values, target, folder)
            for name in case.checked():
                try:
                    compare(case, name, found[name], expected[name])
                except Failure as failure:
                    raise Failure("on %s: %s" % (target, failure))


# ===------------------------------------------------------------------------------------------------
# GPU code
# ===------------------------------------------------------------------------------------------------


def compile_command(tools, case, form, output, arch="sm_90"):
    spec = case.spec
    command = [tools.tilec, spec.path, "--kernel=" + spec.name, "--arch=" + arch, "--emit=" + form,
               "--sig=" + case.signature(), "-o", output]
    command += ["-D%s=%s" % (name, constant(value)) for name, value in case.constants.items()]
    return command + compiler_options(case)


def check_code(tools, case, has_ptxas):
    """Compiles for sm_90a and returns a line on the code; spills on sm_90 are a failure."""
    text = run_command(compile_command(tools, case, "ptx", "-", "sm_90a")).stdout
    counts = collections.Counter(re.findall(r"\b((?:ld|st)\.global[\w.:]*?\.(?:v\d\.)?\w+) ", text))
    accesses = " ".join("%s×%d" % (re.sub(r"global\.|L1::\w+\.|L2::\w+\.", "", name), count)
                        for name, count in sorted(counts.items()))
    # An author who sets warps and tiles for a large size has chosen the registers, too, and ptxas takes long for such.
    if case.sets_warps or not has_ptxas:
        return accesses
    with tempfile.TemporaryDirectory() as folder:
        output = folder + "/record.json"
        run_command(compile_command(tools, case, "json", output) + ["--resource-usage"])
        with open(output, encoding="utf-8") as file:
            record = json.load(file)["kernels"][0]
    used = record["resources"]
    if used["spill_load_bytes"] or used["spill_store_bytes"] or used["stack_bytes"]:
        raise Failure("spills: %s" % used)
    limit = case.spec.max_registers
    if limit and used["registers"] > limit:
        raise Failure("%d registers, allowed are %d" % (used["registers"], limit))
    return "%d threads, %d registers, %d shared bytes; %s" % (
        record["threads"], used["registers"], record["static_shared_bytes"] + record["dynamic_shared_bytes"],
        accesses)


def check_waiting(tools, case):
    """A kernel that waits for a feature must fail with an error that says so at a place in its file."""
    done = subprocess.run(compile_command(tools, case, "ptx", "-"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode == 0:
        raise Failure("is supported now: remove its line 'WAITING:'")
    pattern = r"%s:\d+:\d+: error: [^\n]*%s[^\n]*not supported yet" % (
        re.escape(os.path.basename(case.spec.path)), re.escape(case.spec.waiting))
    if not re.search(pattern, done.stderr):
        raise Failure("must be an error that says '%s .. not supported yet', but is\n%s" %
                      (case.spec.waiting, done.stderr))


# ===------------------------------------------------------------------------------------------------
# All of it
# ===------------------------------------------------------------------------------------------------


class Runner:
    def __init__(self, tools):
        self.tools = tools
        self.passed = self.failed = self.skipped = 0
        found = features.available(os.environ)
        self.has_ptxas = "ptxas" in found
        self.targets = tools.target or ["cpu", "cuda" if "gpu" in found else "simulator"]

    def attempt(self, title, work):
        try:
            note = work()
            self.passed += 1
            if note and self.tools.report:
                print("%s: %s" % (title, note), flush=True)
        except (Failure, kernel_cases.HeaderError, subprocess.TimeoutExpired) as failure:
            self.failed += 1
            print("FAIL: %s: %s" % (title, failure), flush=True)

    def run_file(self, path):
        try:
            specs, references = kernel_cases.read_file(path)
            references = references({"np": np, "math": math})
        except (kernel_cases.HeaderError, SyntaxError) as error:
            self.failed += 1
            print("FAIL: %s: %s" % (path, error), flush=True)
            return
        for spec in specs:
            self.run_spec(spec, references)

    def run_spec(self, spec, references):
        title = "%s: %s" % (os.path.basename(spec.path), spec.name)
        try:
            cases, bench = list(spec.cases()), spec.bench_case()
        except kernel_cases.HeaderError as error:
            self.failed += 1
            print("FAIL: %s: %s" % (title, error), flush=True)
            return
        if spec.waiting:
            self.attempt(title, lambda: check_waiting(self.tools, cases[0]))
            self.skipped += len(cases)
            return
        for case in cases:
            self.attempt("%s %s" % (title, case.title),
                         lambda: run_case(self.tools, case, references, self.targets))
        if bench:
            self.attempt("%s sm_90a" % title, lambda: check_code(self.tools, bench, self.has_ptxas))


def kernel_files(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".py"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default="tilec")
    parser.add_argument("--tilec-run", default="tilec-run")
    parser.add_argument("--target", action="append", help="cpu, cuda or simulator instead; may be repeated")
    parser.add_argument("--report", action="store_true", help="print what the GPU code needs")
    parser.add_argument("paths", nargs="+", help="kernel files, or folders of them")
    tools = parser.parse_args()
    runner = Runner(tools)
    for path in tools.paths:
        for file in kernel_files(path):
            runner.run_file(file)
    if runner.passed + runner.failed == 0:
        print("error: no kernel ran")
        runner.failed = 1
    print("%d passed, %d failed, %d skipped" % (runner.passed, runner.failed, runner.skipped))
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
