"""Compares tilec with Triton on the same source: the kernels of test/Kernels on the same torch tensors.

    python3 bench/kernels.py [--tilec=bin/tilec] [--filter=REGEX] [--csv=kernels.csv] [--quick] [--jobs=N]
                             [--limit-s=SECONDS] [--skip=N]

For every kernel with a line 'BENCH:' this compiles that case with Triton's JIT and with tilec, runs both,
compares the arrays that the kernel writes, and times both. It prints a table, then the geometric mean of
Triton's time over tilec's: above 1, tilec is faster. The exit status is 1 if a result differs or a
kernel fails with tilec; one that fails with Triton alone is named and left out.

Everything is compiled first, as much at once as there are processors, so the times of compilers are those of
a busy machine; --jobs=1 shows them alone. --limit-s starts no kernel after so many seconds and says how many
are left; --skip leaves out as many from the start, to go on there.

Both are launched by the driver's own call with the same arguments, so host time does not count. Where the
header says how many warps and stages its author asks for, both get them. Otherwise tilec chooses, and Triton
runs with its default of 4 and with tilec's number, and the better time counts. The column 'other' is tilec's
time with the choice that was not taken: its own, or Triton's. Times are medians of device events; 256 MiB are
written before each run and each array has pages of its own, as bench/providers.py does it.
"""

import argparse
import concurrent.futures
import csv
import ctypes
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types
import warnings

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernel_cases
import launch_shapes
import providers
import tensor_maps

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


class TritonFailure(Exception):
    """A kernel that Triton does not compile or load."""


# ===------------------------------------------------------------------------------------------------
# Arrays and launches
# ===------------------------------------------------------------------------------------------------


def make_tensor(array):
    """The contents that a header asks for, in device memory with pages of its own."""
    dtype = getattr(torch, TORCH_TYPES[array.dtype])
    shape, given = array.shape, dict(device="cuda")
    whole = torch.float32 if array.dtype.startswith("fp8") else None  # torch casts floats alone to 8 bits
    makers = {
        "randn": lambda m=0.0, s=1.0: torch.randn(shape, **given) * s + m,
        "rand": lambda low=0.0, high=1.0: torch.rand(shape, **given) * (high - low) + low,
        "randint": lambda low, high: torch.randint(low, high, shape, dtype=whole, **given),
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

    def __init__(self, function, grid, block, shared, values, ctas=1):
        self.function = ctypes.c_void_p(function)
        self.grid, self.block, self.shared, self.ctas = grid, block, shared, ctas
        self.values = values
        self.pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self.stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call = providers.Memory.call

    def __call__(self, _=None):
        if self.ctas > 1:
            return self.launch_cluster()
        self.call("cuLaunchKernel", self.function, *self.grid, *self.block, self.shared, self.stream,
                  self.pointers, None)

    def launch_cluster(self):
        # CUlaunchConfig with one attribute, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
        attribute = (ctypes.c_uint32 * 18)(4, 0, self.ctas, 1, 1)
        config = (ctypes.c_uint64 * 7)()
        words = ctypes.cast(config, ctypes.POINTER(ctypes.c_uint32))
        for index, word in enumerate((*self.grid, *self.block, self.shared)):
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
    strides = [meta["elem_size"] * stride for stride in array.strides[:-1]]
    return tensor_maps.encode(tensor.data_ptr(), TMA_DTYPE_DEVICE_TO_HOST[meta["elem_type"]], array.shape, strides,
                              meta["block_size"], meta["swizzle"], fill=int(array.padding == "nan"))


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
    """Compiles into a folder, for the present GPU where no other architecture is given."""

    def __init__(self, path, folder, flags=(), arch=None):
        self.path, self.folder, self.flags = path, folder, list(flags)
        self.numbers = itertools.count()  # of outputs, which are made at the same time
        self.arch = arch or self.present_arch()
        toolkit = shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas")
        self.form = "cubin" if toolkit else "ptx"

    @staticmethod
    def present_arch():
        major, minor = torch.cuda.get_device_capability()
        return "sm_%d%d%s" % (major, minor, "a" if major >= 9 else "")  # with what only this chip has

    def run(self, case, form, warps, stages=None):
        spec, output = case.spec, "%s/%d-%s.%s" % (self.folder, next(self.numbers), case.spec.name, form)
        command = [self.path, spec.path, "--kernel=" + spec.name, "--arch=" + self.arch, "--emit=" + form,
                   "--sig=" + case.signature(), "-o", output]
        command += ["-D%s=%s" % (name, constant(value)) for name, value in case.constants.items()]
        command += ["--num-warps=%d" % warps] if warps else []
        command += ["--num-stages=%d" % stages] if stages else []
        # As launches of objects, libtilec and tilec-run have it.
        command += ["--tensor-maps=launcher", *self.flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise Failure("tilec: " + (done.stderr.strip().splitlines() or ["no output"])[0])
        return output

    def build(self, case, warps, stages=None):
        """The image, what is known of the kernel, and the milliseconds of the compiler's process."""
        start = time.perf_counter()
        path = self.run(case, self.form, warps, stages)
        elapsed = (time.perf_counter() - start) * 1e3
        with open(self.run(case, "json", warps, stages), encoding="utf-8") as file:
            record = json.load(file)["kernels"][0]
        with open(path, "rb") as file:
            return types.SimpleNamespace(image=file.read() + b"\0", record=record, elapsed=elapsed)

    def load(self, built, case, tensors):
        call, module, function = providers.Memory.call, ctypes.c_void_p(), ctypes.c_void_p()
        record = built.record
        call("cuModuleLoadData", ctypes.byref(module), built.image)
        call("cuModuleGetFunction", ctypes.byref(function), module, record["symbol"].encode())
        shared = record["dynamic_shared_bytes"]
        if shared > 48 << 10:
            call("cuFuncSetAttribute", function, 8, shared)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        values = [pack(item["type"], argument_called(case, tensors, item["name"])) for item in record["params"]]
        maps = [tensor_maps.of_record(known, [value.value for value in values])
                for known in record.get("tensor_maps", [])]
        multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
        grid, block, shared = launch_shapes.of_record(record, case.grid, multiprocessors)
        sizes = [pack("i32", size) for size in launch_shapes.sizes_of_grid(record, case.grid)]
        launch = Launch(function.value, grid, block, shared, values + sizes + maps, record["num_ctas"])
        launch.warps = record["threads"] // 32
        return launch

    def compile(self, case, tensors, warps, stages=None):
        """The Launch and the milliseconds of the compiler's process; it chooses what is None."""
        built = self.build(case, warps, stages)
        return self.load(built, case, tensors), built.elapsed


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

    def constant(self, spec, value):
        """What the text of a constant means in the kernel's file: a type, a string, None, a function."""
        if not isinstance(value, str):
            return value
        return eval(constant(value), dict(vars(self.modules[spec.path]), tl=triton.language))

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

    def arguments(self, case, tensors):
        return {name: self.argument(value, tensors.get(name)) for name, value in case.arguments.items()}

    def build(self, case, tensors, warps, stages=None):
        """The compiled kernel, loaded, and the milliseconds that it took. Only types and alignment of tensors count."""
        kernel = self.kernel(case.spec)
        arguments = self.arguments(case, tensors)
        options = {name: self.constant(case.spec, value) for name, value in case.constants.items()}
        options["num_warps"] = warps
        if stages:
            options["num_stages"] = stages
        start = time.perf_counter()
        compiled = kernel.warmup(**arguments, **options, grid=case.grid)
        compiled._init_handles()
        return compiled, (time.perf_counter() - start) * 1e3

    @staticmethod
    def scratch(metadata, grid):
        """Memory in which a kernel's programs make tensor descriptors; None for those that make none."""
        size = getattr(metadata, "global_scratch_size", 0) * math.prod(grid) * metadata.num_ctas
        # torch aligns more than any kernel asks for.
        return torch.empty(size, dtype=torch.uint8, device="cuda") if size else None

    def compile(self, case, tensors, warps, stages=None):
        compiled, elapsed = self.build(case, tensors, warps, stages)
        values = self.pack_all(case, self.arguments(case, tensors), tensors, compiled)
        return self.launch(compiled, values, case.grid), elapsed

    @classmethod
    def launch(cls, compiled, values, grid):
        """The Launch of a compiled kernel, which is loaded, with these arguments."""
        metadata, scratch = compiled.metadata, cls.scratch(compiled.metadata, grid)
        memory = ctypes.c_uint64(scratch.data_ptr() if scratch is not None else 0)
        profiler = ctypes.c_uint64(0)  # its scratch
        x, y, z = tuple(grid) + (1,) * (3 - len(grid))
        grid, block = (x * metadata.num_ctas, y, z), (32 * metadata.num_warps, 1, 1)
        launch = Launch(compiled.function, grid, block, metadata.shared, [*values, memory, profiler],
                        metadata.num_ctas)
        launch.kept = compiled, scratch  # the module stays loaded
        return launch


# ===------------------------------------------------------------------------------------------------
# Compiling in parallel
# ===------------------------------------------------------------------------------------------------


class TritonProcess:
    """Compiles into Triton's cache. One that dies takes its kernel with it, and not the others."""

    def __init__(self):
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve-triton"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)  # dumps of what does not compile

    def build(self, case, warps):
        """The milliseconds, or TritonFailure."""
        if self.process is None:
            self.start()
        request = {"path": case.spec.path, "kernel": case.spec.name, "warps": warps}
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process = None
            raise TritonFailure("its process has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise TritonFailure(answer["error"])
        return answer["ms"]

    def stop(self):
        if self.process is not None:
            self.process.communicate()


def serve_triton():
    """Answers each line, a request of TritonProcess, with a line."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Libraries print; the answers must not be among it.
    with open(os.devnull, "w") as silence:
        import_libraries(silence)
    jit, specs = Triton(), {}
    for line in sys.stdin:
        request = json.loads(line)
        path = request["path"]
        if path not in specs:
            specs[path] = {spec.name: spec for spec in kernel_cases.read_file(path)[0]}
        try:
            case = specs[path][request["kernel"]].bench_case()
            tensors = {name: torch.empty(16, dtype=getattr(torch, TORCH_TYPES[array.dtype]), device="cuda")
                       for name, array in case.arrays().items()}
            answer = {"ms": jit.build(case, tensors, request["warps"], case.stages)[1]}
        except Exception as failure:
            answer = {"error": providers.one_line(failure)}
        print(json.dumps(answer), file=out, flush=True)


class Builds:
    """What is compiled of a case before anything is measured: by tilec as asked and otherwise, and by Triton with
    each number of warps that it is tried with."""

    def __init__(self, case, tilec, processes):
        self.case, self.failure, self.triton_ms = case, None, {}
        try:
            self.ours = tilec.build(case, case.warps, case.stages)
            self.other = tilec.build(case, None if case.warps else 4, case.stages)
            for warps in sorted({case.warps or 4, case.warps or self.ours.record["threads"] // 32}):
                self.build_triton(processes, warps)
        except Exception as failure:  # It is reported where the kernel would be measured.
            self.failure = failure

    def build_triton(self, processes, warps):
        try:
            self.triton_ms[warps] = processes().build(self.case, warps)
        except TritonFailure as failure:
            self.triton_failure = failure

    def check(self):
        if self.failure:
            raise self.failure
        if not self.triton_ms:
            raise self.triton_failure


def build_all(cases, tilec, jobs):
    """The Builds of the cases; each thread has a process for Triton."""
    here, started = threading.local(), []

    def processes():
        if not hasattr(here, "process"):
            here.process = TritonProcess()
            started.append(here.process)
        return here.process

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        builds = list(threads.map(lambda case: Builds(case, tilec, processes), cases))
    for process in started:
        process.stop()
    print("%d kernels compiled in %.0f s by %d jobs" % (len(builds), time.monotonic() - start, jobs), flush=True)
    return builds


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


def microseconds(timer, launch, quick):
    """The median time of a launch; `quick` takes fewer."""
    plan = types.SimpleNamespace(warmup_ms=3 if quick else 10, most_warmups=30, least_runs=10,
                                 budget_ms=15 if quick else 50, most_runs=150)
    times = timer.measure(launch, types.SimpleNamespace(request=plan, inputs=[None]))
    return 1e3 * providers.quantile(times, 0.5)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def save_rows(rows, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


class Comparison:
    def __init__(self, builds, tilec, jit, timer, quick):
        builds.check()
        self.builds, self.case = builds, builds.case
        self.tilec, self.jit, self.timer, self.quick = tilec, jit, timer, quick
        torch.manual_seed(0)  # The inputs do not depend on what ran before.
        self.tensors = {name: make_tensor(array) for name, array in self.case.arrays().items()}
        self.initial = {name: self.tensors[name].clone() for name in self.case.checked()}

    def results(self, launch):
        for name, values in self.initial.items():
            self.tensors[name].copy_(values)
        launch()
        torch.cuda.synchronize()
        return {name: self.tensors[name].clone() for name in self.initial}

    def largest_difference(self, launch, expected):
        found = self.results(launch)
        return max(difference(self.case, name, found[name], expected[name]) for name in expected)

    def microseconds(self, launch):
        return microseconds(self.timer, launch, self.quick)

    def triton_launches(self):
        """(Launch, warps) of what Triton has compiled; the cache has it."""
        try:
            return [(self.jit.compile(self.case, self.tensors, warps, self.case.stages)[0], warps)
                    for warps in self.builds.triton_ms]
        except Exception as failure:
            raise TritonFailure(providers.one_line(failure))

    def row(self):
        builds, theirs = self.builds, self.triton_launches()
        ours = self.tilec.load(builds.ours, self.case, self.tensors)
        other = self.tilec.load(builds.other, self.case, self.tensors)
        expected = self.results(theirs[0][0])
        largest = max(self.largest_difference(launch, expected) for launch in (ours, other))
        their_us, warps = min((self.microseconds(launch), warps) for launch, warps in theirs)
        our_us, other_us = self.microseconds(ours), self.microseconds(other)
        return {"kernel": label(self.case), "size": self.case.title, "triton_warps": warps, "tilec_warps": ours.warps,
                "triton_us": their_us, "tilec_us": our_us, "other_warps": other.warps, "other_us": other_us,
                "ratio": their_us / our_us, "max_diff": largest,
                "triton_compile_ms": builds.triton_ms[warps], "tilec_compile_ms": builds.ours.elapsed}


# ===------------------------------------------------------------------------------------------------
# All of them
# ===------------------------------------------------------------------------------------------------

LINE = ("{kernel:46.46} {size:44.44} {warps:>6} {triton_us:>10} {tilec_us:>10} {ratio:>6} {other:>14} "
        "{max_diff:>9} {compiles:>12}")


def label(case):
    """Names of kernels repeat in other files."""
    return "%s.%s" % (os.path.basename(case.spec.path)[:-3], case.spec.name)


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
            case = spec.bench_case()
            if case and re.search(pattern, label(case)) and not spec.waiting and not spec.no_triton:
                yield case


def context_lost():
    """After a wrong access nothing runs any more in this process."""
    try:
        torch.cuda.synchronize()
        return False
    except RuntimeError:
        return True


class Table:
    """Measures one kernel after another and prints a line for each."""

    def __init__(self, args, folder):
        self.args, self.rows, self.failures, self.skipped = args, [], 0, 0
        self.tilec, self.jit, self.timer = Tilec(args.tilec, folder), Triton(), providers.Timer()

    def compare(self, builds):
        try:
            row = Comparison(builds, self.tilec, self.jit, self.timer, self.args.quick).row()
            self.rows.append(row)
            print_row(row)
            if self.args.csv:  # At once: a run may be ended before its end.
                save_rows(self.rows, self.args.csv)
            return
        except TritonFailure as failure:
            self.skipped += 1
            text = "SKIP: %s %s: Triton: %s" % (label(builds.case), builds.case.title, failure)
        except Exception as failure:  # One kernel must not hide the others.
            self.failures += 1
            text = "FAIL: %s %s: %s" % (label(builds.case), builds.case.title, providers.one_line(failure))
        print(text, flush=True)

    def run(self, start):
        """Up to the limit, counted from `start`."""
        cases = list(bench_cases(os.path.join(ROOT, "test", "Kernels"), self.args.filter))[self.args.skip:]
        builds = build_all(cases, self.tilec, self.args.jobs)
        print(LINE.format(kernel="kernel", size="size", warps="warps", triton_us="Triton us", tilec_us="tilec us",
                          ratio="ratio", other="other", max_diff="max diff", compiles="compile ms"), flush=True)
        for index, build in enumerate(builds):
            if time.monotonic() - start > self.args.limit_s:
                return self.stopped("the time is up", index, len(builds))
            self.compare(build)
            if context_lost():
                return self.stopped("the GPU's context is lost", index + 1, len(builds))
            torch.cuda.empty_cache()

    def stopped(self, why, done, count):
        if done < count:
            print("%s: %d kernels left; go on with --skip=%d" % (why, count - done, self.args.skip + done), flush=True)

    def summary(self):
        if not self.rows:
            return
        mean = geometric_mean([row["ratio"] for row in self.rows])
        print("geometric mean of Triton / tilec: %.3f over %d kernels" % (mean, len(self.rows)))
        for text, low, high in (("below 0.9", 0, 0.9), ("from 0.9 to 1", 0.9, 1)):
            slower = sorted((row["ratio"], row["kernel"]) for row in self.rows if low <= row["ratio"] < high)
            print("%d %s: %s" % (len(slower), text, " ".join("%s(%.2f)" % (name, ratio) for ratio, name in slower)))


def import_libraries(report):
    """Loads torch and Triton; False after saying what is missing."""
    global torch, triton
    warnings.simplefilter("ignore")  # Triton's on what kernels of public libraries do
    if not providers.import_libraries(report):
        return False
    torch, triton = providers.torch, providers.triton
    return triton is not None


def main():
    start = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=next((path for path in (ROOT + "/bin/tilec", ROOT + "/build/bin/tilec")
                                                 if os.path.exists(path)), "tilec"))
    parser.add_argument("--filter", default="", help="only kernels whose FILE.NAME this regular expression finds")
    parser.add_argument("--csv", help="write the rows to this file")
    parser.add_argument("--quick", action="store_true", help="fewer runs of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at the same time")
    parser.add_argument("--limit-s", type=float, default=math.inf, help="start no kernel after so many seconds")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many kernels from the start")
    parser.add_argument("--serve-triton", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve_triton:
        return serve_triton()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder + "/triton"  # compile times of an empty cache
        if not import_libraries(sys.stderr):
            return 2
        table = Table(args, folder)
        table.run(start)
    table.summary()
    print("%d compared, %d failed, %d skipped" % (len(table.rows), table.failures, table.skipped))
    return 1 if table.failures or not table.rows else 0


if __name__ == "__main__":
    sys.exit(main())
