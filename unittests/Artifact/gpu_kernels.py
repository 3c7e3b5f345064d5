# Kernels whose launches need more than a grid: shared memory beyond 48 KB, a cluster, tensor maps.

import triton
import triton.language as tl


@triton.jit
def big(x):
    rows = tl.arange(0, 16384)
    value = tl.load(x + rows)
    tl.store(x + rows, value - tl.max(value, axis=0))


@triton.jit
def cluster(x):
    rows = tl.arange(0, 1024)
    tl.store(x + rows, tl.load(x + rows) * 2.0)


@triton.jit
def product(out, left, right):
    depth = left.shape[1]
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, depth, 64):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], sums)
