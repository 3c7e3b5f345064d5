# Tiles of products that are blocks of a tensor, which hardware may store where launches make the maps: with masks that end
# in a block or begin in one, batches, descriptors, sums of what was there, several results, halves of a tile in a loop over
# tiles; and one that the program reads again.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: clipped
# TYPES: fp16 fp32
# SIZES: M=200 N=144 K=32 | M=64 N=16 K=32 | M=1 N=160 K=64 | M=0 N=64 K=32
# ARG: a_ptr randint(-3,4):fp16[M+1,K]
# ARG: b_ptr randint(-3,4):fp16[K,N]
# ARG: c_ptr randint(-3,4):T[M+3,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: max(1,cdiv(M,BLOCK_M)), cdiv(N,BLOCK_N)
# WARPS: 4
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: shifted
# SIZES: M=100 N=64 | M=64 N=128 | M=30 N=64
# ARG: a_ptr randint(-3,4):fp16[M,32]
# ARG: b_ptr randint(-3,4):fp16[32,N]
# ARG: c_ptr randint(-3,4):fp16[M+16,N]
# ARG: M M
# ARG: N N
# GRID: cdiv(M+16,64), cdiv(N,64)
# WARPS: 4
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: batched
# SIZES: B=3 M=70 N=64 | B=1 M=64 N=80
# ARG: a_ptr randint(-3,4):fp16[B,M,32]
# ARG: b_ptr randint(-3,4):fp16[B,32,N]
# ARG: c_ptr randint(-3,4):fp16[B,M+2,N]
# ARG: M M
# ARG: N N
# ARG: stride_cb (M+2)*N
# GRID: cdiv(M,64), cdiv(N,64), B
# WARPS: 4
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: sum_in_place
# SIZES: M=130 N=80 | M=64 N=64
# ARG: a_ptr randint(-3,4):fp16[M,32]
# ARG: b_ptr randint(-3,4):fp16[32,N]
# ARG: c_ptr randint(-3,4):fp16[M,N]
# ARG: M M
# ARG: N N
# GRID: cdiv(M,64), cdiv(N,64)
# WARPS: 4
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: two_results
# SIZES: M=130 N=80 | M=64 N=64
# ARG: a_ptr randint(-3,4):fp16[M,32]
# ARG: b_ptr randint(-3,4):fp16[32,N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: d_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# GRID: cdiv(M,64), cdiv(N,64)
# WARPS: 4
# TOLERANCE: c_ptr 0 0
# TOLERANCE: d_ptr 0 0
#
# KERNEL: by_descriptor
# SIZES: B=2 M=70 N=72 | B=1 M=64 N=64
# ARG: a_ptr randint(-3,4):fp16[B,M,32]
# ARG: b_ptr randint(-3,4):fp16[32,N]
# ARG: c_ptr empty:bf16[B,M,N]
# ARG: B B
# ARG: M M
# ARG: N N
# GRID: cdiv(M,64), cdiv(N,64), B
# WARPS: 4
# TOLERANCE: c_ptr 0 0
#
# KERNEL: halves_of_tiles
# SIZES: M=200 N=144 K=64 P=2 | M=64 N=128 K=32 P=1 | M=320 N=120 K=96 P=3
# BENCH: M=4096 N=4096 K=512 P=132 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 128
# CONST: BLOCK_K 32
# CONST: PROGRAMS P
# GRID: P
# WARPS: 4
# TOLERANCE: c_ptr 0 0
#
# KERNEL: read_again
# SIZES: M=128 | M=64
# ARG: a_ptr randint(-3,4):fp16[M,32]
# ARG: b_ptr randint(-3,4):fp16[32,64]
# ARG: c_ptr empty:fp16[M,64]
# ARG: sum_ptr empty:fp32[M]
# GRID: M // 64
# WARPS: 4
# TOLERANCE: c_ptr 0 0
# TOLERANCE: sum_ptr 0 0

import numpy as np

import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, rows, columns, M, N):
    depth = tl.arange(0, 32)
    a = tl.load(a_ptr + rows[:, None] * 32 + depth[None, :], mask=(rows[:, None] >= 0) & (rows[:, None] < M), other=0.0)
    b = tl.load(b_ptr + depth[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
    return tl.dot(a, b)


@triton.jit
def clipped(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The mask ends some columns before the matrix does, inside of what 16 bytes hold."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + depth[None, :], mask=rows[:, None] < M, other=0.0)
        b = tl.load(b_ptr + depth[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
        acc = tl.dot(a, b, acc)
    inside = (rows[:, None] < M) & (columns[None, :] < N - 5)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=inside)


def clipped_reference(a_ptr, b_ptr, c_ptr, M, N):
    result = np.array(c_ptr)
    result[:M, :N - 5] = (a_ptr[:M] @ b_ptr)[:, :N - 5]
    return result


@triton.jit
def shifted(a_ptr, b_ptr, c_ptr, M, N):
    """Rows begin 16 before the matrix, where there is something else."""
    rows = tl.program_id(0) * 64 - 16 + tl.arange(0, 64)
    columns = tl.program_id(1) * 64 + tl.arange(0, 64)
    acc = product(a_ptr, b_ptr, rows, columns, M, N)
    inside = (rows[:, None] >= 0) & (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + 16 * N + rows[:, None] * N + columns[None, :], acc.to(tl.float16), mask=inside)


def shifted_reference(a_ptr, b_ptr, c_ptr):
    result = np.array(c_ptr)
    result[16:] = a_ptr @ b_ptr
    return result


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, M, N, stride_cb):
    batch = tl.program_id(2)
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.program_id(1) * 64 + tl.arange(0, 64)
    acc = product(a_ptr + batch * M * 32, b_ptr + batch * 32 * N, rows, columns, M, N)
    c_ptrs = c_ptr + batch * stride_cb + rows[:, None] * N + columns[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def batched_reference(a_ptr, b_ptr, c_ptr, M):
    result = np.array(c_ptr)
    result[:, :M] = a_ptr @ b_ptr
    return result


@triton.jit
def sum_in_place(a_ptr, b_ptr, c_ptr, M, N):
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.program_id(1) * 64 + tl.arange(0, 64)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    c_ptrs = c_ptr + rows[:, None] * N + columns[None, :]
    before = tl.load(c_ptrs, mask=inside, other=0.0)
    acc = product(a_ptr, b_ptr, rows, columns, M, N) + before
    tl.store(c_ptrs, acc.to(tl.float16), mask=inside)


def sum_in_place_reference(a_ptr, b_ptr, c_ptr):
    return c_ptr + a_ptr @ b_ptr


@triton.jit
def two_results(a_ptr, b_ptr, c_ptr, d_ptr, M, N):
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.program_id(1) * 64 + tl.arange(0, 64)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    acc = product(a_ptr, b_ptr, rows, columns, M, N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16), mask=inside)
    tl.store(d_ptr + rows[:, None] * N + columns[None, :], -acc, mask=inside)


def two_results_reference(a_ptr, b_ptr):
    return {"c_ptr": a_ptr @ b_ptr, "d_ptr": -(a_ptr @ b_ptr)}


@triton.jit
def by_descriptor(a_ptr, b_ptr, c_ptr, B, M, N):
    """The block has three axes, as the tensor has."""
    c_desc = tl.make_tensor_descriptor(c_ptr, [B, M, N], [M * N, N, 1], [1, 64, 64])
    row, column, batch = tl.program_id(0) * 64, tl.program_id(1) * 64, tl.program_id(2)
    acc = product(a_ptr + batch * M * 32, b_ptr, row + tl.arange(0, 64), column + tl.arange(0, 64), M, N)
    c_desc.store([batch, row, column], acc.to(tl.bfloat16).reshape(1, 64, 64))


def by_descriptor_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def halves_of_tiles(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr, PROGRAMS: tl.constexpr):
    """Both halves of a tile are on their way while the next one is multiplied."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N // 2])
    columns = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, PROGRAMS, flatten=True):
        first_m, first_n = (tile // columns) * BLOCK_M, (tile % columns) * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([first_m, k * BLOCK_K])
            b = b_desc.load([first_n, k * BLOCK_K])
            acc = tl.dot(a, b.T, acc)
        left, right = tl.split(tl.permute(tl.reshape(acc, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
        c_desc.store([first_m, first_n], left.to(tl.float16))
        c_desc.store([first_m, first_n + BLOCK_N // 2], right.to(tl.float16))


def halves_of_tiles_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def read_again(a_ptr, b_ptr, c_ptr, sum_ptr):
    """What threads have stored, others of the program load behind a barrier."""
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.arange(0, 64)
    acc = product(a_ptr, b_ptr, rows, columns, 1 << 30, 64)
    c_ptrs = c_ptr + rows[:, None] * 64 + columns[None, :]
    tl.store(c_ptrs, acc.to(tl.float16))
    tl.debug_barrier()
    turned = tl.load(c_ptr + rows[None, :] * 64 + columns[:, None])
    tl.store(sum_ptr + rows, tl.sum(turned.to(tl.float32), axis=0))


def read_again_reference(a_ptr, b_ptr):
    return {"c_ptr": a_ptr @ b_ptr, "sum_ptr": (a_ptr @ b_ptr).sum(axis=1)}
