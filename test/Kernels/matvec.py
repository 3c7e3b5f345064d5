# Products without tl.dot: matrix times vector, dot products of rows, the outer product and distances between all
# pairs.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: matrix_times_vector
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=37 N=500 | M=64 N=256
# BENCH: M=8192 N=8192 T=bf16
# ARG: a randn:T[M,N]
# ARG: x randn:T[N]
# ARG: y empty:fp32[M]
# ARG: row_stride N
# ARG: M M
# ARG: N N
# CONST: BM 32
# CONST: BN 128
# GRID: cdiv(M, BM)
# TOLERANCE: y 1e-5 1e-4
#
# KERNEL: rowwise_dot
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=5 N=781
# BENCH: M=16384 N=2048 T=fp16
# ARG: x randn:T[M,N]
# ARG: y randn:T[M,N]
# ARG: out empty:fp32[M]
# ARG: N N
# CONST: BLOCK 1024
# GRID: M
# TOLERANCE: out 1e-5 1e-4
#
# KERNEL: outer_product
# TYPES: fp32
# SIZES: M=1 N=1 | M=37 N=100
# BENCH: M=8192 N=8192 T=fp32
# ARG: a randn:T[M]
# ARG: b randn:T[N]
# ARG: c empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 32
# CONST: BLOCK_N 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
#
# KERNEL: pairwise_distance
# TYPES: fp32
# SIZES: M=1 N=1 K=1 | M=20 N=33 K=19
# BENCH: M=1024 N=1024 K=64 T=fp32
# ARG: a randn:T[M,K]
# ARG: b randn:T[N,K]
# ARG: out empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def matrix_times_vector(a, x, y, row_stride, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    products = tl.zeros((BM, BN), tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        factor = tl.load(x + n, mask=n < N, other=0.0).to(tl.float32)
        tile = tl.load(a + m[:, None] * row_stride + n[None, :], mask=(m < M)[:, None] & (n < N)[None, :], other=0.0)
        products = tl.fma(tile.to(tl.float32), tl.broadcast_to(factor[None, :], BM, BN), products)
    tl.store(y + m, tl.sum(products, axis=1), mask=m < M)


@triton.jit
def rowwise_dot(x, y, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for k in range(tl.cdiv(N, BLOCK)):
        cols = k * BLOCK + tl.arange(0, BLOCK)
        a = tl.load(x + row * N + cols, mask=cols < N, other=0.0)
        b = tl.load(y + row * N + cols, mask=cols < N, other=0.0)
        acc += tl.sum(a.to(tl.float32) * b.to(tl.float32), axis=0)
    tl.store(out + row, acc)


@triton.jit
def outer_product(a, b, c, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    left = tl.load(a + m, mask=m < M)
    right = tl.load(b + n, mask=n < N)
    tl.store(c + m[:, None] * N + n[None, :], left[:, None] * right[None, :], mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def pairwise_distance(a, b, out, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for k in range(K):
        u = tl.load(a + m * K + k, mask=m < M, other=0.0)
        v = tl.load(b + n * K + k, mask=n < N, other=0.0)
        d = u[:, None] - v[None, :]
        acc = tl.fma(d, d, acc)
    mask = (m < M)[:, None] & (n < N)[None, :]
    tl.store(out + m[:, None] * N + n[None, :], tl.sqrt(acc), mask=mask)


def matrix_times_vector_reference(a, x):
    return a @ x


def rowwise_dot_reference(x, y):
    return (x * y).sum(1)


def outer_product_reference(a, b):
    return np.outer(a, b)


def pairwise_distance_reference(a, b):
    return np.sqrt(((a[:, None, :] - b[None, :, :])**2).sum(2))
