#!/usr/bin/env python3
"""Lists the functions of tilec in the order in which compiling some kernels calls them first.

    python3 utils/symbol-order.py [--tilec=build/bin/tilec] > order.txt
    cmake build -DTILEC_ORDER_FILE=$PWD/order.txt && cmake --build build

Linked in this order, what a process needs lies on few pages, and compiling takes about a twentieth less.
Names that a later build does not have are left out by the linker. Needs valgrind, strip, and a tilec that
has its symbols.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOFTMAX = ["examples/softmax/softmax.py", "--kernel=softmax_rows", "-DBLOCK=4096",
           "--sig=out=*fp32:16,x=*fp32:16,out_stride=i32:16,x_stride=i32:16,n_cols=i32:16"]
MATMUL = ["examples/matmul/matmul.py", "--kernel=matmul", "-DACTIVATION=None", "-DBLOCK_M=128", "-DBLOCK_N=128",
          "-DBLOCK_K=64", "--sig=out=*bf16:16,a=*bf16:16,b=*bf16:16,bias=*bf16:16,M=i32,N=i32:16,K=i32:16"]
ATTENTION = ["examples/attention/attention.py", "--kernel=attention", "-DHEAD_DIM=128", "-DCAUSAL=True",
             "-DBLOCK_M=128", "-DBLOCK_N=128",
             "--sig=out=*bf16:16,q=*bf16:16,k=*bf16:16,v=*bf16:16,length=i32,heads=i32,kv_heads=i32,scale=fp32"]
RUNS = [
    [*MATMUL, "--arch=sm_90a", "--num-warps=8", "--emit=ptx"],
    [*ATTENTION, "--arch=sm_90a", "--num-warps=8", "--num-stages=2", "--emit=ptx"],
    [*SOFTMAX, "--arch=sm_90", "--num-warps=8", "--emit=ptx"],
    [*SOFTMAX, "--arch=x86-64-v3", "--emit=obj"],
]


def called(tilec, arguments, profile):
    """The functions that a run calls, by their names for the linker, in the order of their first calls."""
    command = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}", tilec, *arguments,
               "-o", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if run.returncode:
        sys.exit(f"error: {' '.join(command)} failed:\n{run.stderr[-2000:]}")
    with open(profile) as lines:
        for line in lines:
            # Each name is spelled where its number first occurs; 'n is the depth of a recursion.
            if match := re.match(r"c?fn=\(\d+\) ([^']+)", line.rstrip("\n")):
                yield match[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilec", default=os.path.join(ROOT, "build/bin/tilec"),
                        help="a tilec that is not stripped (%(default)s)")
    args = parser.parse_args()
    for program, package in {"valgrind": "valgrind", "strip": "binutils"}.items():
        if not shutil.which(program):
            sys.exit(f"error: {program} is missing; install the package {package}")
    if not os.path.isfile(args.tilec):
        sys.exit(f"error: there is no {args.tilec}")
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        # Valgrind gives up on debugging information that is newer than itself.
        tilec = f"{folder}/tilec"
        subprocess.run(["strip", "--strip-debug", "-o", tilec, args.tilec], check=True)
        for arguments in RUNS:
            names.update(dict.fromkeys(called(tilec, arguments, f"{folder}/profile")))
    if "main" not in names:
        sys.exit(f"error: {args.tilec} has no symbols")
    print("\n".join(names))


if __name__ == "__main__":
    main()
