"""Compile times and code of kernels over sizes of tiles and numbers of warps.

    python3 bench/tile_sizes.py [--tilec=build/bin/tilec] [--sizes=8,12,16,20] [--warps=1,4,32] [--kernel=NAME ..]
                                [--triton] [--most-lines=N] [--limit-s=120]

The kernels are those of test/Kernels/tiles_in_chunks.py whose tile has one axis, of 2^size elements. Each line has the
milliseconds of tilec's process to PTX, the lines of that, the milliseconds from there to a cubin and what ptxas says of
the code (both where there is a ptxas), and with --triton the milliseconds that Triton takes to a cubin, without its
imports; a compilation that takes longer than --limit-s is 'too long'. Where PTX has more than --most-lines lines,
the exit status is 1.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "test", "Kernels", "tiles_in_chunks.py")
SIGNATURES = {
    "wide_softmax": "x=*fp32:16,y=*fp32:16,stride=i32:16,n=i32:16",
    "wide_layer_norm": "x=*fp16:16,w=*fp16:16,b=*fp16:16,y=*fp16:16,mean=*fp32:16,n=i32:16,eps=fp32",
    "wide_cross_entropy": "logits=*bf16:16,labels=*i64:16,loss=*fp32:16,gradient=*bf16:16,n=i32:16",
    "wide_argmax": "x=*fp32:16,value=*fp32:16,place=*i32:16,n=i32:16",
    "wide_recurrence": "a=*fp32:16,b=*fp32:16,h=*fp32:16,n=i32:16",
    "rows_of_tables": "table=*fp32:16,index=*i32:16,out=*fp32:16,y=*fp32:16,n=i32:16",
}
LINE = "{kernel:20} {size:>5} {warps:>5} {ptx:>9} {lines:>6} {cubin:>9} {registers:>9} {spills:>7} {triton:>9}"

TRITON = """
import importlib.util, sys, time, triton
from triton.backends.compiler import GPUTarget
spec = importlib.util.spec_from_file_location("kernels", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
kernel, block, warps = getattr(module, sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
types = dict(item.split("=") for item in sys.argv[5].split(","))
aligned = {(number,): [["tt.divisibility", 16]] for number, type in enumerate(types.values()) if ":" in type}
source = triton.compiler.ASTSource(kernel, {name: type.split(":")[0] for name, type in types.items()} | {"BLOCK": "constexpr"},
                                   {"BLOCK": block}, aligned)
start = time.perf_counter()
triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
print((time.perf_counter() - start) * 1e3)
"""


def timed(command, limit, **options):
    """The finished process and its milliseconds; nothing if it takes too long."""
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, **options)
    except subprocess.TimeoutExpired:
        return None, None
    if done.returncode:
        sys.exit("error: %s: %s" % (" ".join(command[:6]), done.stderr.strip().splitlines()[-1:]))
    return done, (time.perf_counter() - start) * 1e3


def shown(milliseconds):
    return "too long" if milliseconds is None else "%.0f" % milliseconds


def triton_time(kernel, size, warps, limit, folder):
    environment = dict(os.environ, TRITON_CACHE_DIR=tempfile.mkdtemp(dir=folder))
    command = [sys.executable, "-c", TRITON, FILE, kernel, str(1 << size), str(warps), SIGNATURES[kernel]]
    done, _ = timed(command, limit, env=environment)
    return float(done.stdout) if done else None


def measure(args, kernel, size, warps, folder):
    """Prints a line; returns how many lines the PTX has."""
    ptx, cubin = folder + "/k.ptx", folder + "/k.cubin"
    command = [args.tilec, FILE, "--kernel=" + kernel, "--sig=" + SIGNATURES[kernel], "-DBLOCK=%d" % (1 << size),
               "--num-warps=%d" % warps, "--arch=sm_90a", "--emit=ptx", "-o", ptx]
    done, elapsed = timed(command, args.limit_s)
    row = dict(kernel=kernel, size="2^%d" % size, warps=warps, ptx=shown(elapsed), lines="", cubin="", registers="",
               spills="", triton="")
    lines = 0
    if done:
        with open(ptx, encoding="utf-8") as file:
            row["lines"] = lines = sum(1 for _ in file)
    if done and shutil.which("ptxas"):
        done, elapsed = timed(["ptxas", "-v", "-arch=sm_90a", ptx, "-o", cubin], args.limit_s)
        row["cubin"] = shown(elapsed)
        if done:
            row["registers"] = re.search(r"Used (\d+) registers", done.stderr).group(1)
            row["spills"] = re.search(r"(\d+) bytes spill stores", done.stderr).group(1)
    if args.triton:
        row["triton"] = shown(triton_time(kernel, size, warps, args.limit_s, folder))
    print(LINE.format(**row), flush=True)
    return lines


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=os.path.join(ROOT, "build", "bin", "tilec"))
    parser.add_argument("--sizes", type=numbers, default=[8, 10, 12, 14, 16, 18, 20], help="exponents of two")
    parser.add_argument("--warps", type=numbers, default=[1, 4, 32])
    parser.add_argument("--kernel", action="append", choices=sorted(SIGNATURES), help="only this one")
    parser.add_argument("--triton", action="store_true", help="compile by Triton, too")
    parser.add_argument("--most-lines", type=int, help="fail if PTX is longer")
    parser.add_argument("--limit-s", type=float, default=120, help="seconds that one compilation may take")
    args = parser.parse_args()
    print(LINE.format(kernel="kernel", size="tile", warps="warps", ptx="PTX ms", lines="lines", cubin="cubin ms",
                      registers="registers", spills="spills", triton="Triton ms"))
    longest = 0
    with tempfile.TemporaryDirectory() as folder:
        for kernel in args.kernel or SIGNATURES:
            for size in args.sizes:
                for warps in args.warps:
                    longest = max(longest, measure(args, kernel, size, warps, folder))
    if args.most_lines and longest > args.most_lines:
        sys.exit("error: %d lines of PTX, at most %d are expected" % (longest, args.most_lines))


if __name__ == "__main__":
    main()
