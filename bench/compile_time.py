"""Wall time of whole compiler processes: tilec to PTX and to a cubin, and nvcc on the same kernel in CUDA.

    python3 bench/compile_time.py [--tilec build/bin/tilec] [--runs 20]

Prints the median and the 20% and 80% quantiles of each command in milliseconds. nvcc and ptxas are left
out where they are missing.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time

ROWS = ["examples/softmax/softmax.py", "--kernel=softmax_rows", "-DBLOCK=4096", "--num-warps=8",
        "--arch=sm_90",
        "--sig=out=*fp32:16,x=*fp32:16,out_stride=i32:16,x_stride=i32:16,n_cols=i32:16"]
GELU = ["examples/gelu/gelu.py", "--kernel=gelu", "-DBLOCK=1024", "--arch=sm_90",
        "--sig=out=*fp32:16,x=*fp32:16,n=i32:16"]


def measure(name, command, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append((time.perf_counter() - start) * 1e3)
    times = sorted(times[1:])  # the first run reads files into memory
    quantile = lambda part: times[min(len(times) - 1, int(part * len(times)))]
    print(f"{name:32} {statistics.median(times):8.1f} ms   ({quantile(0.2):.1f} to {quantile(0.8):.1f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilec", default="build/bin/tilec")
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = ["-o", f"{folder}/k"]
        measure("tilec --version", [args.tilec, "--version"], args.runs)
        for name, kernel in (("softmax_rows", ROWS), ("gelu", GELU)):
            for form in ("ptx", "cubin") if shutil.which("ptxas") else ("ptx",):
                measure(f"tilec {name} to {form}",
                        [args.tilec, *kernel, f"--emit={form}", *out], args.runs)
        if shutil.which("nvcc"):
            source = "bench/cuda/softmax_rows.cu"
            for form, flag in (("ptx", "-ptx"), ("cubin", "-cubin")):
                measure(f"nvcc softmax_rows to {form}",
                        ["nvcc", "-arch=sm_90", flag, source, *out], max(3, args.runs // 4))


if __name__ == "__main__":
    main()
