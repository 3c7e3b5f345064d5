"""Measures torch, torch.compile and Triton for tilec-bench, by its method.

    python3 bench/providers.py --serve

tilec-bench starts this, writes one request a line (a JSON object: provider, kernel, source, dtype, size,
configs, ...) and reads one CSV line for each:

    status,median_ms,q20_ms,q80_ms,fastest_ms,runs,max_error,text      status: ok, wrong or failed

The text says what gave the time, where there was a choice, or why there is none. Of a request's configurations,
which are for Triton's kernels, the fastest counts.

Method: device events around each run, 256 MiB written before it (as many times as a run has launches, so that
the host is ahead), inputs taken in turn, the result checked against float64 first. Before the first request
it prints "missing,PROVIDER,REASON" for what it cannot measure, then "ready,VERSIONS", or "none,REASON".
"""

import ctypes
import importlib.util
import json
import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import problems

FLUSH_BYTES = 256 << 20

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
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[self.request.dtype]
        self.problem = problems.KINDS[self.request.kernel](types.SimpleNamespace(**self.request.size), dtype)
        self.inputs = [{name: Memory.copy_of(tensor) for name, tensor in self.problem.make_inputs().items()}
                       for _ in range(self.request.inputs)]
        self.out = Memory.copy_of(torch.empty(self.problem.result_shape(), dtype=dtype, device="cuda"))

    def check(self, run):
        """The largest absolute error of a run; Wrong if an element is too far off."""
        x, largest = self.inputs[0], 0.0
        self.out.fill_(float("nan"))
        result = run(x)
        for index, expected in self.problem.expected(x):
            found = result[index].double()
            error = (found - expected).abs()
            allowed = self.request.atol + self.request.rtol * expected.abs()
            if self.problem.is_relative_to_row:
                scale = expected.square().mean(dim=-1, keepdim=True).sqrt()
                allowed = self.request.atol * scale + self.request.rtol * expected.abs()
            bad = ~(error <= allowed)
            if bad.any():
                raise Wrong(f"{int(bad.sum())} elements or more are wrong; the first is "
                            f"{place_of(index, bad.nonzero()[0].tolist())}: expected "
                            f"{expected[bad][0].item():.9g} and found {found[bad][0].item():.9g}")
            largest = max(largest, error.max().item())
        return largest

    def triton_run(self, kernel, config):
        """A function of inputs that launches the kernel and returns the result."""
        options = dict(config["blocks"], num_warps=config["warps"])
        if config["stages"]:
            options["num_stages"] = config["stages"]

        def run(x):
            self.problem.launch(kernel, options, x, self.out)
            return self.out

        return run

    def runs(self):
        """For each way to run the provider a function of inputs that returns the result, and one that, after a run,
        says in words which way it was."""
        provider = self.request.provider
        if provider == "triton":
            kernel = SOURCES.kernel(self.request.source, self.request.kernel)
            for config in self.request.configs:
                yield self.triton_run(kernel, config), lambda text=config["text"]: text
        elif provider == "torch":
            yield self.problem.library, self.problem.library_name
        else:
            # Each size is compiled for itself, as a user with one size would have it.
            torch._dynamo.reset()
            yield torch.compile(self.problem.library, dynamic=False), lambda: ""


def place_of(index, offset):
    """Where in the whole result the element `offset` of the part at `index` is."""
    offset, place = list(offset), []
    for part in index if isinstance(index, tuple) else (index,):
        place.append(part.start + offset.pop(0) if isinstance(part, slice) else part)
    return place + offset


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
        kernel = getattr(self.modules[path], name)
        while not isinstance(kernel, triton.runtime.JITFunction):
            kernel = kernel.fn  # autotune: tilec-bench has configurations of its own
        return kernel


SOURCES = Sources()


class Timer:
    # How often the cache is cleared before a run, which takes about 0.1 ms each time.
    clears = 1

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
            for _ in range(self.clears):
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
    timer.clears = case.request.size["launches"]
    best, failures = None, []
    for run, describe in case.runs():
        try:
            error = case.check(run)
            times = timer.measure(run, case)
        except Exception as failure:  # Triton runs out of resources with some configurations.
            failures.append(failure)
            if len(case.request.configs) > 1:
                print(f"tilec-bench: note: {request['kernel']} {request['dtype']}, {request['provider']} {describe()}: "
                      f"{one_line(failure)}", file=sys.stderr, flush=True)
            continue
        if best is None or quantile(times, 0.5) < quantile(best[0], 0.5):
            best = times, error, describe()
    if best is None:
        raise failures[0]
    times, error, text = best
    numbers = [quantile(times, 0.5), quantile(times, 0.2), quantile(times, 0.8), times[0]]
    return "ok," + ",".join(f"{number:.6f}" for number in numbers) + f",{len(times)},{error:.3e},{text}"


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
    problems.torch, problems.triton = torch, triton
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True  # as tl.dot has it for float32
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
