# Products without tl.dot: matrix times vector in tiles over K, batched dot products of rows, the outer product and
# pairwise distances.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: mv_kernel
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=37 N=500 | M=64 N=256
# BENCH: M=8192 N=8192 T=bf16
# ARG: A randn:T[M,N]
# ARG: B randn:T[N]
# ARG: C empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: stride_am N
# ARG: stride_an 1
# ARG: stride_bn 1
# ARG: stride_cm 1
# CONST: BLOCK_M 32
# CONST: BLOCK_N 128
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: C 1e-5 1e-4
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
# KERNEL: outer_kernel
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
def mv_kernel(A, B, C, M, N, stride_am, stride_an, stride_bn, stride_cm, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    offset_m = pid * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    offset_n = tl.arange(0, BLOCK_N)[None, :]
    m_mask = offset_m < M
    A_ptrs = A + offset_m * stride_am + offset_n * stride_an
    B_ptrs = B + offset_n * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for n in range(0, N, BLOCK_N):
        n_mask = n + offset_n < N
        a = tl.load(A_ptrs, mask=n_mask & m_mask, other=0.0).to(tl.float32)
        b = tl.load(B_ptrs, mask=n_mask, other=0.0).to(tl.float32)
        acc += a * b
        A_ptrs += BLOCK_N * stride_an
        B_ptrs += BLOCK_N * stride_bn
    acc = tl.sum(acc, axis=1)
    C_ptrs = C + offset_m * stride_cm
    tl.store(C_ptrs, acc[:, None], mask=m_mask)


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
def outer_kernel(a, b, c, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
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


def mv_kernel_reference(A, B):
    return A @ B


def rowwise_dot_reference(x, y):
    return (x * y).sum(1)


def outer_kernel_reference(a, b):
    return np.outer(a, b)


def pairwise_distance_reference(a, b):
    return np.sqrt(((a[:, None, :] - b[None, :, :])**2).sum(2))
