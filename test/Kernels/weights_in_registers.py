# Products whose right factor threads compute from bytes, or that have to transpose it: on sm_90a the transposed product
# is added up, whose left factor comes from registers. Loops of no and of one iteration, sums that begin elsewhere,
# weights with neighbours along either dimension, several warps.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: bytes
# TYPES: bf16 fp16
# SIZES: M=65 N=80 K=200 num_warps=4 DEEP=0 | M=64 N=64 K=0 num_warps=4 DEEP=0 | M=40 N=256 K=33 num_warps=8 DEEP=0 | M=130 N=72 K=320 num_warps=4 DEEP=1 | M=16 N=128 K=64 num_warps=8 DEEP=1
# BENCH: M=4096 N=8192 K=4096 DEEP=0 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=4
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: w_ptr randint(-128,128):i8[K*N]
# ARG: zero_ptr randint(-9,10):T[N]
# ARG: c_ptr randint(-9,10):fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: DEEP DEEP
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: columns_of_floats
# SIZES: M=65 N=130 K=100 num_warps=4 BLOCK=64 | M=33 N=256 K=32 num_warps=8 BLOCK=128 | M=129 N=64 K=64 num_warps=4 BLOCK=128
# BENCH: M=4096 N=4096 K=4096 BLOCK=128 BLOCK_M=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: a_ptr randint(-9,10):fp32[M,K]
# ARG: b_ptr randint(-9,10):fp32[K,N]
# ARG: bias_ptr randint(-9,10):fp32[N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N BLOCK
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: halves_to_floats
# SIZES: M=65 N=130 K=100 num_warps=4 | M=33 N=256 K=32 num_warps=8
# BENCH: M=4096 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: a_ptr randint(-9,10):fp32[M,K]
# ARG: w_ptr randint(-9,10):bf16[K,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: groups_of_nibbles
# SIZES: M=65 N=64 K=128 num_warps=4 | M=16 N=192 K=64 num_warps=8
# BENCH: M=2048 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: w_ptr randint(0,256):u8[K//2,N]
# ARG: scale_ptr randint(1,3):fp16[K//32,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: eighths_of_floats
# SIZES: M=65 N=64 K=100 num_warps=4 W=fp8e4nv | M=16 N=192 K=64 num_warps=8 W=fp8e5 | M=128 N=130 K=32 num_warps=4 W=fp8e4nv
# BENCH: M=4096 N=4096 K=4096 W=fp8e4nv BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=4
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: w_ptr randint(-3,4):W[K,N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 4e-3 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def bytes(a_ptr, w_ptr, zero_ptr, c_ptr, M, N, K, DEEP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
          BLOCK_K: tl.constexpr):
    """The sum begins with what is there. Weights are K x N, or N x K if DEEP."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    c_ptrs = c_ptr + rm[:, None] * N + rn[None, :]
    inside = (rm[:, None] < M) & (rn[None, :] < N)
    zero = tl.load(zero_ptr + rn, mask=rn < N, other=0)
    acc = tl.load(c_ptrs, mask=inside, other=0)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0)
        if DEEP:
            w = tl.load(w_ptr + rn[:, None] * K + (k + rk)[None, :], mask=(rn[:, None] < N) & (rk[None, :] < K - k),
                        other=0).T
        else:
            w = tl.load(w_ptr + (k + rk)[:, None] * N + rn[None, :], mask=(rk[:, None] < K - k) & (rn[None, :] < N),
                        other=0)
        acc += tl.dot(a, w.to(a.dtype) - zero[None, :])
    tl.store(c_ptrs, acc, mask=inside)


def bytes_reference(a_ptr, w_ptr, zero_ptr, c_ptr, N, K, DEEP):
    w = w_ptr.reshape(N, K).T if DEEP else w_ptr.reshape(K, N)
    return c_ptr + a_ptr @ (w - zero_ptr)


@triton.jit
def columns_of_floats(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr):
    """tf32: instructions transpose no factor of 32 bits."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0)
        b = tl.load(b_ptr + (k + rk)[:, None] * N + rn[None, :], mask=(rk[:, None] < K - k) & (rn[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
    acc += tl.load(bias_ptr + rn, mask=rn < N, other=0)[None, :]
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], tl.maximum(acc, 0), mask=(rm[:, None] < M) & (rn[None, :] < N))


def columns_of_floats_reference(a_ptr, b_ptr, bias_ptr):
    return np.maximum(a_ptr @ b_ptr + bias_ptr, 0)


@triton.jit
def halves_to_floats(a_ptr, w_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0)
        w = tl.load(w_ptr + (k + rk)[:, None] * N + rn[None, :], mask=(rk[:, None] < K - k) & (rn[None, :] < N), other=0)
        acc = tl.dot(a, w.to(tl.float32), acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def halves_to_floats_reference(a_ptr, w_ptr):
    return a_ptr @ w_ptr


@triton.jit
def groups_of_nibbles(a_ptr, w_ptr, scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr):
    """Two rows in a byte, with a scale for each 32 of a column, which each iteration loads."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    half = tl.arange(0, BLOCK_K // 2)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=rm[:, None] < M, other=0.0)
        packed = tl.load(w_ptr + (k // 2 + half)[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0)
        w = tl.join(packed & 0xF, packed >> 4).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        scale = tl.load(scale_ptr + ((k + rk) // 32)[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0)
        acc = tl.dot(a, (w.to(tl.int8) - 8).to(tl.float16) * scale, acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def groups_of_nibbles_reference(a_ptr, w_ptr, scale_ptr, N, K):
    w = w_ptr.astype(np.int64)
    w = np.stack([w & 15, w >> 4], axis=1).reshape(K, N) - 8
    return a_ptr @ (w * np.repeat(scale_ptr, 32, axis=0))


@triton.jit
def eighths_of_floats(a_ptr, w_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr):
    """Rows and columns beyond the matrices wrap around."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rm % M)[:, None] * K + rk[None, :]
    w_ptrs = w_ptr + rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
        w = tl.load(w_ptrs, mask=rk[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, w.to(tl.bfloat16), acc)
        a_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * N
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=(rm[:, None] < M) & (rn[None, :] < N))


def eighths_of_floats_reference(a_ptr, w_ptr):
    return a_ptr @ w_ptr
