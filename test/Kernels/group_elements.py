# Products with 64 rows and more of factors that are not 16 bits wide, which groups of four warps make on GPUs that can:
# float32 as tf32, bytes, and floats of 8 bits, with each factor along or across the depth, or computed.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: four_ways
# WARPS: 8
# TYPES: fp32 i8 fp8e4nv fp8e5
# SIZES: M=144 N=80 K=176 A=0 B=0 | M=144 N=80 K=176 A=0 B=1 | M=160 N=64 K=64 A=1 B=0 | M=144 N=80 K=176 A=1 B=1 | M=33 N=7 K=45 A=0 B=1
# BENCH: M=4096 N=4096 K=4096 A=0 B=1 T=fp8e4nv BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a randint(-3,4):T[M,K]
# ARG: b randint(-3,4):T[K,N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am 1 if A else K
# ARG: stride_ak M if A else 1
# ARG: stride_bk 1 if B else N
# ARG: stride_bn K if B else 1
# CONST: SUMS "tl.int32" if T == "i8" else "tl.float32"
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c 0 0
#
# KERNEL: computed
# WARPS: 4
# TYPES: fp32 i8
# SIZES: M=64 N=32 K=128 | M=50 N=20 K=100 | M=64 N=32 K=0
# ARG: a randint(-3,4):T[M,K]
# ARG: b randint(-3,4):T[N,K]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: SUMS "tl.int32" if T == "i8" else "tl.float32"
# GRID: 1
# TOLERANCE: c 0 0

import numpy as np
import triton
import triton.language as tl


@triton.jit
def four_ways(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, SUMS: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_ptrs = b + depth[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), SUMS)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < K - start), other=0.0)
        right = tl.load(b_ptrs, mask=(depth[:, None] < K - start) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc, out_dtype=SUMS)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def four_ways_reference(a, b, M, N, K, A, B):
    left = a.reshape(K, M).T if A else a.reshape(M, K)
    return left.astype(np.float64) @ (b.reshape(N, K).T if B else b.reshape(K, N)).astype(np.float64)


@triton.jit
def computed(a, b, c, M, N, K, SUMS: tl.constexpr):
    """Both factors are computed: the left one stays in registers, the right one goes through shared memory."""
    rows, columns, depth = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 32)
    acc = tl.zeros((64, 32), SUMS)
    for start in range(0, K, 32):
        k = start + depth
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + columns[:, None] * K + k[None, :], mask=(columns[:, None] < N) & (k[None, :] < K), other=0.0)
        acc += tl.dot(left * 2, (right + 1).T, out_dtype=SUMS)
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def computed_reference(a, b):
    return (a.astype(np.float64) * 2) @ (b.astype(np.float64) + 1).T
