"""Compares tilec with Triton on the same source: the kernels of test/Kernels on the same torch tensors.

    python3 bench/kernels.py [--tilec=bin/tilec] [--filter=REGEX] [--csv=kernels.csv] [--quick]

For every kernel with a line 'BENCH:' this compiles that case with Triton's JIT and with tilec, runs both,
compares the arrays that the kernel writes, and times both. It prints a table, then the geometric mean of
Triton's time over tilec's: above 1, tilec is faster. The exit status is 1 if a result differs or a
kernel fails.

Both are launched by the driver's own call with the same arguments, so host time does not count. Where the
header says how many warps its author asks for, both get them. Otherwise tilec chooses, and Triton runs with
its default of 4 and with tilec's number, and the better time counts. The column 'other' is tilec's time with
the choice that was not taken: its own, or Triton's. Times are medians of device events; 256 MiB are written
before each run and each array has pages of its own, as bench/providers.py does it.
"""

import argparse
import csv
import ctypes
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
import warnings

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernel_cases
import providers

torch = None
triton = None
TORCH_TYPES = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
               "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
               "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2"}
C_TYPES = {"i1": ctypes.c_int8, "i8": ctypes.c_int8, "u8": ctypes.c_uint8, "i16": ctypes.c_int16,
           "u16": ctypes.c_uint16, "i32": ctypes.c_int32, "u32": ctypes.c_uint32, "i64": ctypes.c_int64,
           "u64": ctypes.c_uint64, "fp32": ctypes.c_float, "fp64": ctypes.c_double}


class Failure(Exception):
    """A kernel that cannot be compared, or whose results differ."""


# ===------------------------------------------------------------------------------------------------
# Arrays and launches
# ===------------------------------------------------------------------------------------------------


def make_tensor(array):
    """The contents that a header asks for, in device memory with pages of its own."""
    dtype = getattr(torch, TORCH_TYPES[array.dtype])
    shape, given = array.shape, dict(device="cuda")
    makers = {
        "randn": lambda m=0.0, s=1.0: torch.randn(shape, **given) * s + m,
        "rand": lambda low=0.0, high=1.0: torch.rand(shape, **given) * (high - low) + low,
        "randint": lambda low, high: torch.randint(low, high, shape, **given),
        "zeros": lambda: torch.zeros(shape, **given),
        "empty": lambda: torch.zeros(shape, **given),
        "ones": lambda: torch.ones(shape, **given),
        "full": lambda x: torch.full(shape, x, **given),
        "arange": lambda: torch.arange(array.count, **given).reshape(shape),
        "permutation": lambda: torch.rand(shape, **given).argsort(-1),
    }
    return providers.Memory.copy_of(makers[array.contents](*array.parameters).to(dtype))


class Launch:
    """A function of the driver with its arguments, ready to be launched many times."""

    def __init__(self, function, grid, threads, shared, values, ctas=1):
        self.function = ctypes.c_void_p(function)
        self.threads, self.shared, self.ctas = threads, shared, ctas
        grid = tuple(grid) + (1,) * (3 - len(grid))
        self.grid = (grid[0] * ctas,) + tuple(grid[1:])
        self.values = values
        self.pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call = providers.Memory.call

    def __call__(self, _=None):
        if self.ctas > 1:
            return self.launch_cluster()
        self.call("cuLaunchKernel", self.function, *self.grid, self.threads, 1, 1, self.shared, self.stream,
                  self.pointers, None)

    def launch_cluster(self):
        # CUlaunchConfig with one attribute, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
        attribute = (ctypes.c_uint32 * 18)(4, 0, self.ctas, 1, 1)
        config = (ctypes.c_uint64 * 7)()
        words = ctypes.cast(config, ctypes.POINTER(ctypes.c_uint32))
        for index, word in enumerate((*self.grid, self.threads, 1, 1, self.shared)):
            words[index] = word
        config[4] = self.stream.value or 0
        config[5] = ctypes.addressof(attribute)
        words[12] = 1
        self.call("cuLaunchKernelEx", config, self.function, self.pointers, None)


def pack(kind, value):
    """A kernel argument of a signature's type as the driver takes it."""
    if kind.startswith("*"):
        return ctypes.c_uint64(value.data_ptr())
    return C_TYPES[{"u1": "i1"}.get(kind, kind)](value)


# ===------------------------------------------------------------------------------------------------
# Tensor descriptors
# ===------------------------------------------------------------------------------------------------


def argument_called(case, tensors, name):
    """What a parameter of tilec's record takes: an argument, or a part of a descriptor, x.base or x.shape.0."""
    name, *part = name.split(".")
    if not part or part[0] == "base":
        return tensors.get(name, case.arguments[name])
    numbers = case.arguments[name].shape if part[0] == "shape" else case.arguments[name].strides
    return numbers[int(part[1])]


def tensor_map(tensor, array, meta):
    """The CUtensorMap, 128 bytes at a multiple of 64, that Triton's compiled code reads blocks through."""
    from triton.backends.nvidia.driver import TMA_DTYPE_DEVICE_TO_HOST
    storage = ctypes.create_string_buffer(128 + 64)
    result = (ctypes.c_uint64 * 16).from_buffer(storage, -ctypes.addressof(storage) % 64)
    rank = len(array.shape)
    # The driver counts axes from the innermost one, and strides in bytes without that of the innermost.
    sizes = (ctypes.c_uint64 * rank)(*reversed(array.shape))
    strides = (ctypes.c_uint64 * rank)(*[meta["elem_size"] * stride for stride in reversed(array.strides[:-1])])
    box = (ctypes.c_uint32 * rank)(*reversed(meta["block_size"]))
    steps = (ctypes.c_uint32 * rank)(*[1] * rank)
    no_interleave, promote_128, fill_nan = 0, 2, 1
    providers.Memory.call("cuTensorMapEncodeTiled", result, TMA_DTYPE_DEVICE_TO_HOST[meta["elem_type"]], rank,
                          ctypes.c_void_p(tensor.data_ptr()), sizes, strides, box, steps, no_interleave,
                          meta["swizzle"], promote_128, fill_nan if array.padding == "nan" else 0)
    return result


def pack_descriptor(tensor, array, meta):
    """The parameters that Triton's compiled code has for a descriptor. `meta` is None where it makes ordinary
    accesses of it: then pointer, shape, strides and padding come first."""
    sizes = [ctypes.c_int32(size) for size in array.shape]
    strides = [ctypes.c_int64(stride) for stride in array.strides]
    if meta is not None:
        return [tensor_map(tensor, array, meta), *sizes, *strides]
    wide = [ctypes.c_int64(number) for number in (*array.shape, *array.strides)]
    return [ctypes.c_uint64(tensor.data_ptr()), *wide, ctypes.c_int8(array.padding == "nan"), *sizes, *strides]


# ===------------------------------------------------------------------------------------------------
# The two compilers
# ===------------------------------------------------------------------------------------------------


def constant(value):
    return "tl." + value if isinstance(value, str) and value.startswith(("float", "int", "bfloat")) else str(value)


class Tilec:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        major, minor = torch.cuda.get_device_capability()
        self.arch = "sm_%d%d%s" % (major, minor, "a" if major >= 9 else "")  # with what only this chip has
        toolkit = shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas")
        self.form = "cubin" if toolkit else "ptx"

    def run(self, case, form, warps, stages=None):
        spec, output = case.spec, "%s/%s.%s" % (self.folder, case.spec.name, form)
        command = [self.path, spec.path, "--kernel=" + spec.name, "--arch=" + self.arch, "--emit=" + form,
                   "--sig=" + case.signature(), "-o", output]
        command += ["-D%s=%s" % (name, constant(value)) for name, value in case.constants.items()]
        command += ["--num-warps=%d" % warps] if warps else []
        command += ["--num-stages=%d" % stages] if stages else []
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise Failure("tilec: " + (done.stderr.strip().splitlines() or ["no output"])[0])
        return output

    def compile(self, case, tensors, warps, stages=None):
        """The Launch and the milliseconds of the compiler's process; it chooses what is None."""
        start = time.perf_counter()
        image = self.run(case, self.form, warps, stages)
        elapsed = (time.perf_counter() - start) * 1e3
        with open(self.run(case, "json", warps, stages), encoding="utf-8") as file:
            record = json.load(file)["kernels"][0]
        with open(image, "rb") as file:
            text = file.read() + b"\0"
        call, module, function = providers.Memory.call, ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), text)
        call("cuModuleGetFunction", ctypes.byref(function), module, record["symbol"].encode())
        shared = record["dynamic_shared_bytes"]
        if shared > 48 << 10:
            call("cuFuncSetAttribute", function, 8, shared)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        values = [pack(item["type"], argument_called(case, tensors, item["name"])) for item in record["params"]]
        launch = Launch(function.value, case.grid, record["threads"], shared, values, record["num_ctas"])
        launch.warps = record["threads"] // 32
        return launch, elapsed


class Triton:
    """Triton's JIT, whose compiled functions are launched by the driver's call like tilec's."""

    def __init__(self):
        self.modules = {}

    def kernel(self, spec):
        if spec.path not in self.modules:
            self.modules[spec.path] = providers.load_source(spec.path)
        kernel = getattr(self.modules[spec.path], spec.name)
        while not isinstance(kernel, triton.runtime.JITFunction):
            kernel = kernel.fn  # autotune, heuristics
        return kernel

    @staticmethod
    def constant(value):
        """Types of the language for their names."""
        is_type = isinstance(value, str) and isinstance(getattr(triton.language, value, None), triton.language.dtype)
        return getattr(triton.language, value) if is_type else value

    @staticmethod
    def argument(value, tensor):
        """What a launch of Python passes for an argument that may be an array, in `tensor`, or a descriptor."""
        if not isinstance(value, kernel_cases.Array) or value.block is None:
            return value if tensor is None else tensor
        from triton.tools.tensor_descriptor import TensorDescriptor
        return TensorDescriptor(tensor, list(value.shape), list(value.strides), list(value.block), value.padding)

    @staticmethod
    def pack_all(case, arguments, tensors, compiled):
        """The values for the driver, in the order of the compiled function's parameters."""
        values, metas = [], iter(getattr(compiled.metadata, "tensordesc_meta", None) or [])
        for name, kind in compiled.src.signature.items():
            if kind == "constexpr":
                continue
            if kind.startswith("tensordesc"):
                values += pack_descriptor(tensors[name], case.arguments[name], next(metas, None))
            else:
                values.append(pack(kind, arguments[name]))
        return values

    def compile(self, case, tensors, warps, stages=None):
        kernel = self.kernel(case.spec)
        arguments = {name: self.argument(value, tensors.get(name)) for name, value in case.arguments.items()}
        options = {name: self.constant(value) for name, value in case.constants.items()}
        options["num_warps"] = warps
        if stages:
            options["num_stages"] = stages
        start = time.perf_counter()
        compiled = kernel.warmup(**arguments, **options, grid=case.grid)
        compiled._init_handles()
        elapsed = (time.perf_counter() - start) * 1e3
        values = self.pack_all(case, arguments, tensors, compiled)
        values += [ctypes.c_uint64(0), ctypes.c_uint64(0)]  # scratch that no kernel here uses
        launch = Launch(compiled.function, case.grid, 32 * warps, compiled.metadata.shared, values)
        launch.compiled = compiled  # keeps the module loaded
        return launch, elapsed


# ===------------------------------------------------------------------------------------------------
# One kernel
# ===------------------------------------------------------------------------------------------------


def difference(case, name, found, expected):
    """The largest absolute difference; Failure if an element is out of twice the tolerance."""
    relative, absolute = case.tolerance(name)
    found, expected = found.double(), expected.double()
    error = (found - expected).abs()
    same = (found == expected) | (found.isnan() & expected.isnan())
    bad = ~(same | (error <= 2 * (absolute + relative * expected.abs())))
    if bad.any():
        where = tuple(int(i) for i in bad.nonzero()[0])
        raise Failure("%s%s: Triton has %.9g, tilec %.9g; %d of %d differ" % (
            name, list(where), expected[where], found[where], int(bad.sum()), bad.numel()))
    return error[~same].max().item() if (~same).any() else 0.0


class Comparison:
    def __init__(self, case, tilec, jit, timer, quick):
        self.case, self.tilec, self.jit, self.timer, self.quick = case, tilec, jit, timer, quick
        self.tensors = {name: make_tensor(array) for name, array in case.arrays().items()}
        self.initial = {name: self.tensors[name].clone() for name in case.checked()}

    def results(self, launch):
        for name, values in self.initial.items():
            self.tensors[name].copy_(values)
        launch()
        torch.cuda.synchronize()
        return {name: self.tensors[name].clone() for name in self.initial}

    def microseconds(self, launch):
        plan = types.SimpleNamespace(warmup_ms=3 if self.quick else 10, most_warmups=30, least_runs=10,
                                     budget_ms=15 if self.quick else 50, most_runs=150)
        times = self.timer.measure(launch, types.SimpleNamespace(request=plan, inputs=[None]))
        return 1e3 * providers.quantile(times, 0.5)

    def row(self):
        spec = self.case.spec
        ours, our_compile = self.tilec.compile(self.case, self.tensors, spec.warps)
        other, _ = self.tilec.compile(self.case, self.tensors, None if spec.warps else 4)
        candidates = sorted({spec.warps or 4, spec.warps or ours.warps})
        theirs = [(self.jit.compile(self.case, self.tensors, warps), warps) for warps in candidates]
        expected = self.results(theirs[0][0][0])
        found = self.results(ours)
        largest = max(difference(self.case, name, found[name], expected[name]) for name in expected)
        their_us, warps = min((self.microseconds(launch), warps) for (launch, _), warps in theirs)
        our_us, other_us = self.microseconds(ours), self.microseconds(other)
        return {"kernel": spec.name, "size": self.case.title, "triton_warps": warps, "tilec_warps": ours.warps,
                "triton_us": their_us, "tilec_us": our_us, "other_warps": other.warps, "other_us": other_us,
                "ratio": their_us / our_us, "max_diff": largest,
                "triton_compile_ms": theirs[0][0][1], "tilec_compile_ms": our_compile}


# ===------------------------------------------------------------------------------------------------
# All of them
# ===------------------------------------------------------------------------------------------------

LINE = ("{kernel:32.32} {size:44.44} {warps:>6} {triton_us:>10} {tilec_us:>10} {ratio:>6} {other:>14} "
        "{max_diff:>9} {compiles:>12}")


def print_row(row):
    print(LINE.format(kernel=row["kernel"], size=row["size"],
                      warps="%d/%d" % (row["triton_warps"], row["tilec_warps"]),
                      triton_us="%.2f" % row["triton_us"], tilec_us="%.2f" % row["tilec_us"],
                      ratio="%.3f" % row["ratio"],
                      other="%d: %.2f" % (row["other_warps"], row["other_us"]), max_diff="%.1e" % row["max_diff"],
                      compiles="%.0f/%.0f" % (row["triton_compile_ms"], row["tilec_compile_ms"])), flush=True)


def bench_cases(folder, pattern):
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        for spec in kernel_cases.read_file(os.path.join(folder, name))[0]:
            if re.search(pattern, spec.name) and not spec.waiting and not spec.no_triton:
                case = spec.bench_case()
                if case:
                    yield case


def compare_all(args, folder):
    tilec, jit, timer = Tilec(args.tilec, folder), Triton(), providers.Timer()
    print(LINE.format(kernel="kernel", size="size", warps="warps", triton_us="Triton us", tilec_us="tilec us",
                      ratio="ratio", other="other", max_diff="max diff", compiles="compile ms"), flush=True)
    rows, failures = [], 0
    for case in bench_cases(os.path.join(ROOT, "test", "Kernels"), args.filter):
        try:
            row = Comparison(case, tilec, jit, timer, args.quick).row()
            rows.append(row)
            print_row(row)
        except Exception as failure:  # One kernel must not hide the others.
            failures += 1
            print("FAIL: %s %s: %s" % (case.spec.name, case.title, providers.one_line(failure)), flush=True)
        torch.cuda.empty_cache()
    return rows, failures


def main():
    global torch, triton
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=next((path for path in (ROOT + "/bin/tilec", ROOT + "/build/bin/tilec")
                                                 if os.path.exists(path)), "tilec"))
    parser.add_argument("--filter", default="", help="only kernels whose name this regular expression finds")
    parser.add_argument("--csv", help="write the rows to this file")
    parser.add_argument("--quick", action="store_true", help="fewer runs of each")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # Triton's on what kernels of public libraries do
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder + "/triton"  # compile times of an empty cache
        if not providers.import_libraries(sys.stderr):
            return 2
        torch, triton = providers.torch, providers.triton
        if triton is None:
            return 2
        torch.manual_seed(0)
        rows, failures = compare_all(args, folder)
    if rows:
        mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
        slower = [row["kernel"] for row in rows if row["ratio"] < 0.97]
        print("geometric mean of Triton / tilec: %.3f over %d kernels; slower by over 3%%: %s" %
              (mean, len(rows), " ".join(slower) or "none"))
        if args.csv:
            with open(args.csv, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
    print("%d compared, %d failed" % (len(rows), failures))
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
