"""Measures torch, torch.compile and Triton for tilec-bench, by its method.

    python3 bench/providers.py --serve

tilec-bench starts this, writes one request a line (a JSON object: provider, kernel, source, dtype, rows,
cols, block, warps, ...) and reads one CSV line for each:

    status,median_ms,q20_ms,q80_ms,fastest_ms,runs,max_error,message      status: ok, wrong or failed

Method: device events around each run, 256 MiB written before it, inputs taken in turn, the result checked
against float64 first. Before the first request it prints "missing,PROVIDER,REASON" for what it cannot
measure, then "ready,VERSIONS", or "none,REASON".
"""

import ctypes
import importlib.util
import json
import os
import sys
import types

FLUSH_BYTES = 256 << 20
# Elements that are held in float64 at a time.
CHECK_ELEMENTS = 1 << 26

torch = None
triton = None


class Wrong(Exception):
    """A result that is not near float64's."""


def one_line(failure):
    """The first line that says something, without what CSV readers trip over."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    text = f"{type(failure).__name__}: {lines[0]}" if lines else type(failure).__name__
    return text.replace('"', "'")


class Memory:
    """Device memory from the driver in whole pages, as tilec-bench has it. torch packs small tensors into one
    page, and a kernel whose input and output share one waits for one address translation less, up to 0.6 us."""

    PAGE_BYTES = 2 << 20
    driver = None

    def __init__(self, size):
        self.pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(self.pointer),
                  ctypes.c_size_t(-(-size // self.PAGE_BYTES) * self.PAGE_BYTES))
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|i1", "version": 3,
                                         "data": (self.pointer.value, False)}

    def __del__(self):
        if self.pointer:
            self.call("cuMemFree_v2", self.pointer)

    @classmethod
    def call(cls, name, *arguments):
        cls.driver = cls.driver or ctypes.CDLL("libcuda.so.1")
        result = getattr(cls.driver, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} failed with CUDA error {result}")

    @classmethod
    def copy_of(cls, tensor):
        """The tensor, in memory of its own that lives as long as it."""
        size = tensor.numel() * tensor.element_size()
        result = torch.as_tensor(cls(size), device="cuda").view(tensor.dtype).view(tensor.shape)
        return result.copy_(tensor)


class Case:
    """A request with its tensors on the GPU."""

    def __init__(self, request):
        self.request = types.SimpleNamespace(**request)
        self.dtype = {"fp32": torch.float32, "bf16": torch.bfloat16,
                      "fp16": torch.float16}[self.request.dtype]
        self.is_gelu = self.request.kernel == "gelu"
        shape = (self.request.cols,) if self.is_gelu else (self.request.rows, self.request.cols)
        self.inputs = [Memory.copy_of(torch.randn(shape, device="cuda", dtype=self.dtype))
                       for _ in range(self.request.inputs)]
        self.out = Memory.copy_of(torch.full_like(self.inputs[0], float("nan")))

    def reference(self, x):
        x = x.double()
        if self.is_gelu:
            return torch.nn.functional.gelu(x, approximate="tanh")
        return torch.softmax(x, dim=-1)

    def check(self, result, x):
        """The largest absolute error; Wrong if an element is too far off."""
        width = x.shape[-1]
        step = CHECK_ELEMENTS if self.is_gelu else max(1, CHECK_ELEMENTS // width)
        largest = 0.0
        for begin in range(0, x.shape[0], step):
            expected = self.reference(x[begin:begin + step])
            error = (result[begin:begin + step].double() - expected).abs()
            allowed = self.request.atol + self.request.rtol * expected.abs()
            bad = ~(error <= allowed)
            if bad.any():
                where = tuple(int(i) for i in bad.nonzero()[0])
                where = (where[0] + begin,) + where[1:]
                raise Wrong(f"{int(bad.sum())} elements or more are wrong; the first is "
                            f"{list(where)}: expected {expected[bad][0].item():.9g} and found "
                            f"{result[where].item():.9g}")
            largest = max(largest, error.max().item())
        return largest


def load_source(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3] + "_bench", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Sources:
    """Kernel files, loaded once each."""

    def __init__(self):
        self.modules = {}

    def kernel(self, path, name):
        if path not in self.modules:
            self.modules[path] = load_source(path)
        return getattr(self.modules[path], name)


SOURCES = Sources()


def resident_programs(kernel, warps):
    """How many programs of a compiled kernel the GPU holds at once."""
    device = torch.cuda.get_device_properties(0)
    kernel._init_handles()
    registers = max(kernel.n_regs, 16)
    per_sm = min(device.max_threads_per_multi_processor // (32 * warps), 32,
                 device.regs_per_multiprocessor // (registers * 32 * warps))
    shared = kernel.metadata.shared
    if shared:
        # A block takes 1 KiB beside what it asks for.
        per_sm = min(per_sm, device.shared_memory_per_multiprocessor // (shared + 1024))
    return max(1, per_sm) * device.multi_processor_count


def triton_run(case):
    """A function of an input that launches the kernel into case.out."""
    r, out = case.request, case.out
    kernel = SOURCES.kernel(r.source, r.kernel)
    options = {"BLOCK": r.block, "num_warps": r.warps}
    if case.is_gelu:
        grid = (triton.cdiv(r.cols, r.block),)
        return lambda x: kernel[grid](out, x, r.cols, **options)
    if r.kernel == "softmax_rows":
        grid = (r.rows,)
        return lambda x: kernel[grid](out, x, r.cols, r.cols, r.cols, **options)
    values = (r.cols, r.cols, r.rows, r.cols)
    compiled = kernel.warmup(out, case.inputs[0], *values, grid=(1,), **options)
    grid = (min(r.rows, resident_programs(compiled, r.warps)),)
    return lambda x: kernel[grid](out, x, *values, **options)


def torch_function(case):
    if case.is_gelu:
        return lambda x: torch.nn.functional.gelu(x, approximate="tanh")
    return lambda x: torch.softmax(x, dim=-1)


def prepare(case):
    """A function of an input that runs the provider and returns the result."""
    provider = case.request.provider
    if provider == "triton":
        launch = triton_run(case)

        def run(x):
            launch(x)
            return case.out

        return run
    if provider == "torch":
        return torch_function(case)
    # Each size is compiled for itself, as a user with one size would have it.
    torch._dynamo.reset()
    return torch.compile(torch_function(case), dynamic=False)


class Timer:
    def __init__(self):
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")

    def clear_cache(self):
        """By the driver's own fill, as tilec-bench does it: what runs right behind another program starts up to
        0.3 us earlier, which shows at small sizes."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        Memory.call("cuMemsetD8Async", ctypes.c_uint64(self.flush.data_ptr()), ctypes.c_ubyte(0),
                    ctypes.c_size_t(FLUSH_BYTES), stream)

    def times(self, run, inputs, count):
        make = lambda: [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        starts, stops = make(), make()
        for index in range(count):
            x = inputs[index % len(inputs)]
            self.clear_cache()
            starts[index].record()
            run(x)
            stops[index].record()
        torch.cuda.synchronize()
        return [start.elapsed_time(stop) for start, stop in zip(starts, stops)]

    def measure(self, run, case):
        """The times of the runs that count; numbers of runs as TimingPlan has them."""
        r = case.request

        def runs(budget, run_ms, least, most):
            return int(min(max(budget / max(run_ms, 1e-6), least), most))

        run_ms = self.times(run, case.inputs, 2)[-1]
        warm = self.times(run, case.inputs, runs(r.warmup_ms, run_ms, 1, r.most_warmups))
        run_ms = quantile(sorted(warm), 0.5)
        count = runs(r.budget_ms, run_ms, r.least_runs, r.most_runs)
        return sorted(self.times(run, case.inputs, count))


def quantile(times, part):
    """Interpolated between neighbours of the sorted times."""
    place = part * (len(times) - 1)
    below = int(place)
    above = min(below + 1, len(times) - 1)
    return times[below] + (place - below) * (times[above] - times[below])


def answer(request, timer):
    case = Case(request)
    run = prepare(case)
    error = case.check(run(case.inputs[0]), case.inputs[0])
    times = timer.measure(run, case)
    numbers = [quantile(times, 0.5), quantile(times, 0.2), quantile(times, 0.8), times[0]]
    return "ok," + ",".join(f"{number:.6f}" for number in numbers) + f",{len(times)},{error:.3e},"


def import_libraries(out):
    """Loads what there is; False after saying why nothing can be measured."""
    global torch, triton
    try:
        import torch as torch_module
    except ImportError as failure:
        print(f"none,Python has no torch ({one_line(failure)})", file=out, flush=True)
        return False
    torch = torch_module
    if not torch.cuda.is_available():
        print("none,torch finds no GPU", file=out, flush=True)
        return False
    versions = f"torch {torch.__version__}"
    try:
        import triton as triton_module
        triton = triton_module
        versions += f", Triton {triton.__version__}"
    except ImportError as failure:
        for provider in ("triton", "torch.compile"):  # torch.compile generates Triton kernels.
            print(f"missing,{provider},{one_line(failure)}", file=out, flush=True)
    print(f"ready,{versions}", file=out, flush=True)
    return True


def serve():
    # Libraries print; the answers must not be among it.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if not import_libraries(out):
        return
    torch.manual_seed(0)
    timer = Timer()
    for line in sys.stdin:
        try:
            text = answer(json.loads(line), timer)
        except Wrong as failure:
            text = f"wrong,0,0,0,0,0,0,{failure}"
        except Exception as failure:  # Triton runs out of resources at some sizes.
            text = f"failed,0,0,0,0,0,0,{one_line(failure)}"
        torch.cuda.empty_cache()  # The next measurement may be another process's.
        print(text, file=out, flush=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["--serve"]:
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    serve()
