"""Compares tilec's CPU target with NumPy's BLAS, and Triton's interpreter, on products of matrices.

    python3 bench/cpu_products.py [--tilec-run build/bin/tilec-run] [--size 1024] [--threads 1,2] [--rounds 5]

The kernel is `matmul` of test/Kernels/products.py: pointers, offsets modulo M and N, masks in K. Each time is the
fastest of all rounds, in which tilec and NumPy take turns, since other work on the machine disturbs some of them.
tilec-run empties the caches before each run; NumPy's arrays are in them. The ratio is of speeds: 1 is as fast as NumPy.
Where torch and Triton are installed, the interpreter runs the same kernel once. The first line names NumPy's BLAS.
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "test", "Kernels", "products.py")
BLOCKS = [(64, 64, 64), (128, 128, 32), (128, 128, 64), (64, 128, 32)]

NUMPY = """
import sys, time, numpy
size, kind = int(sys.argv[1]), sys.argv[2]
a, b = (numpy.random.randn(size, size).astype(kind) for _ in "ab")
out, best = numpy.empty_like(a), 1e9
for _ in range(30):
    start = time.perf_counter()
    numpy.matmul(a, b, out=out)
    best = min(best, time.perf_counter() - start)
print(best * 1e3)
"""

INTERPRETER = """
import importlib.util, sys, time, torch
spec = importlib.util.spec_from_file_location("products", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
n, bm, bn, bk = map(int, sys.argv[2:])
a, b = torch.randn(n, n), torch.randn(n, n)
c = torch.empty(n, n)
start = time.perf_counter()
module.matmul[(n // bm * (n // bn),)](a, b, c, n, n, n, n, 1, n, 1, n, 1, bm, bn, bk, 8, "")
elapsed = time.perf_counter() - start
assert torch.allclose(c, a @ b, atol=1e-2)
print(elapsed * 1e3)
"""


def output(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"error: {command[0]}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    return done.stdout


def numpy_ms(size, kind, threads):
    return float(output([sys.executable, "-c", NUMPY, str(size), kind], OPENBLAS_NUM_THREADS=str(threads)))


def tilec_ms(path, size, kind, threads, block):
    arrays = [f"--arg={name}={fill}:{kind}[{size},{size}]"
              for name, fill in (("a_ptr", "randn"), ("b_ptr", "randn"), ("c_ptr", "empty"))]
    numbers = dict(M=size, N=size, K=size, stride_am=size, stride_ak=1, stride_bk=size, stride_bn=1, stride_cm=size,
                   stride_cn=1)
    constants = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block), GROUP_M=8, ACTIVATION='""')
    text = output([path, FILE, "--kernel=matmul", "--target=cpu", f"--threads={threads}", "--bench", *arrays,
                   "--grid=cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)", *(f"--arg={k}={v}" for k, v in numbers.items()),
                   *(f"-D{k}={v}" for k, v in constants.items())])
    return float(re.search(r"fastest ([0-9.]+) us", text).group(1)) / 1e3


def blas():
    import numpy
    info = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {numpy.__version__}, {info['name']} {info['version']}"


def compare(args, threads):
    best = {}
    for _ in range(args.rounds):
        rivals = [("numpy", lambda: numpy_ms(args.size, "float32", threads))]
        rivals += [(block, lambda block=block: tilec_ms(args.tilec_run, args.size, "fp32", threads, block))
                   for block in BLOCKS]
        for name, measure in rivals:
            best[name] = min(best.get(name, float("inf")), measure())
    print(f"{threads} thread{'s' if threads > 1 else ''}: numpy {best['numpy']:.2f} ms")
    for block in BLOCKS:
        print(f"  tilec {'x'.join(map(str, block)):12} {best[block]:8.2f} ms   {best['numpy'] / best[block]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilec-run", default=os.path.join(ROOT, "build", "bin", "tilec-run"))
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    print(f"float32, {args.size} x {args.size} x {args.size}; {blas()}")
    for threads in map(int, args.threads.split(",")):
        compare(args, threads)
    try:
        import torch, triton
    except ImportError as missing:
        print(f"Triton's interpreter: not measured ({missing})")
        return
    # It runs one program after the other, on as many threads as NumPy's products take.
    block = [str(size) for size in BLOCKS[0]]
    elapsed = output([sys.executable, "-c", INTERPRETER, FILE, str(args.size), *block], TRITON_INTERPRET="1")
    print(f"Triton {triton.__version__}'s interpreter, {'x'.join(block)}: {float(elapsed):.0f} ms")


if __name__ == "__main__":
    main()
