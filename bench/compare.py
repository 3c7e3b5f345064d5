"""Times tilec's kernels beside Triton's on the same source, torch, and a device copy.

    python3 bench/compare.py [--tilec build/bin/tilec] [--quick] [--csv FILE]

Needs a GPU, torch and Triton. Each kernel is checked against float64 before it is timed; times are
medians of triton.testing.do_bench, which clears the L2 cache before each run. GB/s count each element
read once and written once.
"""

import argparse
import importlib.util
import sys

import torch
import triton

from driver import Kernel

SOFTMAX = "examples/softmax/softmax.py"
GELU = "examples/gelu/gelu.py"
NAMES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}


def load(path):
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def time_ms(function):
    return triton.testing.do_bench(function, warmup=15, rep=60, return_mode="median")


def largest_error(result, expected):
    return (result.double() - expected).abs().max().item()


def hint(value):
    return ":16" if value % 16 == 0 else ""


class Table:
    def __init__(self, csv):
        self.rows, self.csv = [], csv
        print(f"{'kernel':24} {'size':>16} {'type':>5} {'copy':>6} {'torch':>6} {'triton':>6} "
              f"{'tilec':>6}  tilec/copy tilec/triton  error", flush=True)

    def add(self, kernel, size, dtype, moved, times, error):
        rates = {name: moved / ms * 1e-6 for name, ms in times.items() if ms}
        ours, copy, theirs = rates["tilec"], rates["copy"], rates.get("triton")
        cells = [f"{rates[name]:6.0f}" if name in rates else "     -"
                 for name in ("copy", "torch", "triton", "tilec")]
        ratio = f"{ours / theirs:12.3f}" if theirs else f"{'-':>12}"
        print(f"{kernel:24} {size:>16} {NAMES[dtype]:>5} {' '.join(cells)}  {ours / copy:10.3f} "
              f"{ratio}  {error:.1e}", flush=True)
        self.rows.append((kernel, size, NAMES[dtype], rates, error))

    def save(self):
        if not self.csv:
            return
        with open(self.csv, "w") as file:
            file.write("kernel,size,type,copy,torch,triton,tilec,error\n")
            for kernel, size, dtype, rates, error in self.rows:
                numbers = ",".join(f"{rates.get(name, 0):.1f}"
                                   for name in ("copy", "torch", "triton", "tilec"))
                file.write(f"{kernel},{size},{dtype},{numbers},{error:.3e}\n")


def warps_for(block):
    return 4 if block < 2048 else 8 if block < 4096 else 16


def bench_softmax(args, table, rows, cols, dtype, persistent):
    x = torch.randn(rows, cols, device="cuda", dtype=torch.float32).to(dtype)
    y, theirs = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
    block = triton.next_power_of_2(cols)
    warps = 8 if persistent else warps_for(block)
    name = "softmax_persistent" if persistent else "softmax_rows"
    element = NAMES[dtype]
    stride = f"i32{hint(cols)}"
    signature = {"out": f"*{element}:16", "x": f"*{element}:16", "out_stride": stride,
                 "x_stride": stride, "n_cols": stride}
    if persistent:
        signature["n_rows"] = f"i32{hint(rows)}"
    kernel = Kernel(args.tilec, SOFTMAX, name,
                    ",".join(f"{key}={value}" for key, value in signature.items()),
                    {"BLOCK": block}, warps)
    source = getattr(load(SOFTMAX), name)
    values = (y, x, cols, cols) + ((rows,) if persistent else ()) + (cols,)
    grid = (rows,)
    if persistent:
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        resident = max(1, min(2048 // (32 * warps), 65536 // (kernel.attribute(4) * 32 * warps)))
        grid = (min(rows, sms * resident),)
    ours = kernel.prepare(grid, *values)
    ours()
    expected = torch.softmax(x.double(), dim=1)
    error = largest_error(y, expected)
    del expected

    def run_triton():
        source[grid](theirs, *values[1:], BLOCK=block, num_warps=warps)

    times = {"copy": time_ms(lambda: y.copy_(x)), "torch": time_ms(lambda: torch.softmax(x, 1))}
    try:
        run_triton()
        times["triton"] = time_ms(run_triton)
    except Exception as failure:  # Triton runs out of resources at some sizes.
        print(f"  triton: {str(failure).splitlines()[0]}")
    times["tilec"] = time_ms(ours)
    table.add(name, f"{rows}x{cols}", dtype, 2 * x.numel() * x.element_size(), times, error)


def bench_gelu(args, table, count, dtype):
    x = torch.randn(count, device="cuda", dtype=torch.float32).to(dtype)
    y, theirs = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
    element = NAMES[dtype]
    kernel = Kernel(args.tilec, GELU, "gelu",
                    f"out=*{element}:16,x=*{element}:16,n=i32{hint(count)}", {"BLOCK": 1024}, 4)
    grid = (triton.cdiv(count, 1024),)
    ours = kernel.prepare(grid, y, x, count)
    ours()
    error = largest_error(y, torch.nn.functional.gelu(x.double(), approximate="tanh"))
    source = load(GELU).gelu
    run_triton = lambda: source[grid](theirs, x, count, BLOCK=1024, num_warps=4)
    run_triton()
    times = {"copy": time_ms(lambda: y.copy_(x)),
             "torch": time_ms(lambda: torch.nn.functional.gelu(x, approximate="tanh")),
             "triton": time_ms(run_triton), "tilec": time_ms(ours)}
    table.add("gelu", str(count), dtype, 2 * x.numel() * x.element_size(), times, error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilec", default="build/bin/tilec")
    parser.add_argument("--csv", help="write the table there too")
    parser.add_argument("--quick", action="store_true", help="a few sizes only")
    args = parser.parse_args()
    torch.manual_seed(0)
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "triton", triton.__version__)
    table = Table(args.csv)
    columns = [1024, 4096, 781] if args.quick else [256, 512, 781, 1024, 2048, 2560, 4096, 8192,
                                                    9216, 12672]
    for dtype in (torch.float32, torch.bfloat16):
        for persistent in (False, True):
            for cols in columns:
                bench_softmax(args, table, 4096, cols, dtype, persistent)
        for cols in [] if args.quick else [16384, 32768, 65536]:
            bench_softmax(args, table, 8192, cols, dtype, False)
        for bits in [24] if args.quick else [20, 24, 26, 28]:
            bench_gelu(args, table, 2 ** bits, dtype)
    table.save()


if __name__ == "__main__":
    main()
