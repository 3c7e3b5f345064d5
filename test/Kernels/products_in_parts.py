# Products that are scaled, or added in full precision, for each block of the depth: as large tiles, whose sums fill most
# registers beside those of the block.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: float8_by_blocks
# SIZES: M=1 N=128 K=128 | M=129 N=256 K=384 | M=200 N=384 K=256 BLOCK_N=256 num_warps=8
# BENCH: M=4096 N=4096 K=4096 num_warps=4 num_stages=3
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e4nv[N,K]
# ARG: c_ptr empty:bf16[M,N]
# ARG: a_scale_ptr rand(0.5,1.5):fp32[M,cdiv(K,128)]
# ARG: b_scale_ptr rand(0.5,1.5):fp32[cdiv(N,128),cdiv(K,128)]
# ARG: M M
# ARG: N N
# ARG: K K
# WARPS: 4
# CONST: BLOCK_M 128
# CONST: BLOCK_N 128
# CONST: BLOCK_K 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 8e-3 1e-2*max(1,K/256)
#
# KERNEL: float8_by_instructions
# SIZES: M=1 N=16 K=128 | M=129 N=256 K=384 | M=200 N=384 K=256 BLOCK_N=256 num_warps=8
# BENCH: M=4096 N=4096 K=4096 num_warps=4 num_stages=3
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e4nv[N,K]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# WARPS: 4
# CONST: BLOCK_M 128
# CONST: BLOCK_N 128
# CONST: BLOCK_K 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 8e-3 1e-2*max(1,K/256)
#
# KERNEL: int8_by_groups
# SIZES: M=1 N=128 K=64 | M=129 N=256 K=192 | M=70 N=384 K=128 BLOCK_N=256 num_warps=8
# BENCH: M=4096 N=4096 K=4096 num_warps=4 num_stages=4
# ARG: a_ptr randint(-127,128):i8[M,K]
# ARG: b_ptr randint(-127,128):i8[N,K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: scale_ptr rand(0.5,1.5):fp32[cdiv(K,64),N]
# ARG: M M
# ARG: N N
# ARG: K K
# WARPS: 4
# CONST: BLOCK_M 128
# CONST: BLOCK_N 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-5 1
#
# KERNEL: bfloat16_by_blocks
# SIZES: M=1 N=256 K=64 | M=65 N=512 K=192 | M=130 N=256 K=128 BLOCK_M=128 BLOCK_N=128
# BENCH: M=4096 N=4096 K=4096 num_warps=4 num_stages=3
# ARG: a_ptr randn:bf16[M,K]
# ARG: b_ptr randn:bf16[K,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: scale_ptr rand(0.5,1.5):fp32[cdiv(K,64)]
# ARG: M M
# ARG: N N
# ARG: K K
# WARPS: 4
# CONST: BLOCK_M 64
# CONST: BLOCK_N 256
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-5 1e-4

import numpy as np
import triton
import triton.language as tl


@triton.jit
def float8_by_blocks(a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A scale for 128 elements of a row of A, and for 128 x 128 of B."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_rows, b_rows = rows % M, columns % N
    a_ptrs = a_ptr + a_rows[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + b_rows[None, :] * K + depth[:, None]
    blocks = tl.cdiv(K, BLOCK_K)
    a_scales = a_scale_ptr + a_rows * blocks
    b_scales = b_scale_ptr + b_rows // 128 * blocks
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for block in range(blocks):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - block * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - block * BLOCK_K, other=0.0)
        sums += tl.dot(a, b) * tl.load(a_scales + block)[:, None] * tl.load(b_scales + block)[None, :]
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums.to(tl.bfloat16),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


def float8_by_blocks_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, N, K):
    a = a_ptr * np.repeat(a_scale_ptr, 128, axis=1)[:, :K]
    b = b_ptr * np.repeat(np.repeat(b_scale_ptr, 128, axis=0)[:N], 128, axis=1)[:, :K]
    return a @ b.T


@triton.jit
def float8_by_instructions(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                           BLOCK_K: tl.constexpr):
    """What one instruction adds with few bits goes to sums in full precision at once."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows % M)[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + (columns % N)[None, :] * K + depth[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for block in range(0, K, BLOCK_K):
        sums += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), max_num_imprecise_acc=0)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums.to(tl.bfloat16),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


def float8_by_instructions_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def int8_by_groups(a_ptr, b_ptr, c_ptr, scale_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Sums of 64 integers have a scale for each column."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, 64)
    a_ptrs = a_ptr + (rows % M)[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + (columns % N)[None, :] * K + depth[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for group in range(K // 64):
        of_group = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), out_dtype=tl.int32)
        sums += of_group.to(tl.float32) * tl.load(scale_ptr + group * N + columns % N)[None, :]
        a_ptrs += 64
        b_ptrs += 64
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums, mask=(rows[:, None] < M) & (columns[None, :] < N))


def int8_by_groups_reference(a_ptr, b_ptr, scale_ptr, K):
    return sum((a_ptr[:, first:first + 64] @ b_ptr[:, first:first + 64].T) * scale_ptr[first // 64]
               for first in range(0, K, 64))


@triton.jit
def bfloat16_by_blocks(a_ptr, b_ptr, c_ptr, scale_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """One scale for 64 of the depth; neighbours of B are along its columns."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, 64)
    a_ptrs = a_ptr + (rows % M)[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * N + columns[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for block in range(K // 64):
        sums += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs)) * tl.load(scale_ptr + block)
        a_ptrs += 64
        b_ptrs += 64 * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums, mask=rows[:, None] < M)


def bfloat16_by_blocks_reference(a_ptr, b_ptr, scale_ptr, K):
    return (a_ptr * np.repeat(scale_ptr, 64)[:K]) @ b_ptr
