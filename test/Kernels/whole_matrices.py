# Two axes in one tile: a matrix that one program turns over, vectors times matrices by a sum over the middle axis,
# positions of the largest elements along the middle and the last axis, and scales of blocks.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: turn_over
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=7 N=33 | M=64 N=128
# BENCH: M=64 N=128 T=fp32 num_warps=4
# ARG: x randn:T[M,N]
# ARG: y empty:T[N,M]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M next_power_of_2(M)
# CONST: BLOCK_N next_power_of_2(N)
# GRID: 1
#
# KERNEL: turn_over_in_place
# TYPES: fp32
# SIZES: N=1 | N=64
# BENCH: N=128 T=fp32 num_warps=4
# ARG: x randn:T[N,N]
# CONST: N N
# CHECK: x
# GRID: 1
#
# KERNEL: vectors_times_matrices
# TYPES: fp32 bf16
# SIZES: B=1 M=1 N=1 | B=3 M=17 N=40
# BENCH: B=256 M=512 N=512 T=fp32
# ARG: v randn:T[B,M]
# ARG: w randn:T[B,M,N]
# ARG: out empty:fp32[B,N]
# ARG: B B
# ARG: M M
# ARG: N N
# CONST: BLOCK_B 2
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# GRID: cdiv(B, BLOCK_B), cdiv(N, BLOCK_N)
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: argmax_of_middle
# TYPES: fp32 fp16
# SIZES: M=1 N=1 K=1 | M=2 N=37 K=70
# BENCH: M=64 N=512 K=512 T=fp32
# ARG: x randn:T[M,N,K]
# ARG: values empty:T[M,K]
# ARG: places empty:i64[M,K]
# ARG: N N
# ARG: K K
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# GRID: M, cdiv(K, BLOCK_K)
#
# KERNEL: argmax_of_rows
# TYPES: fp32
# SIZES: M=1 N=1 | M=5 N=300
# BENCH: M=4096 N=4096 T=fp32
# ARG: x randn:T[M,N]
# ARG: places empty:i64[M]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 8
# CONST: BLOCK_N 128
# GRID: cdiv(M, BLOCK_M)
#
# KERNEL: scales_of_blocks
# TYPES: bf16 fp32
# SIZES: M=1 N=1 | M=40 N=200
# BENCH: M=4096 N=7168 T=bf16
# ARG: x randn:T[M,N]
# ARG: q empty:i8[M,N]
# ARG: scales empty:fp32[cdiv(M, 128), cdiv(N, 128)]
# ARG: M M
# ARG: N N
# CONST: BLOCK 128
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
# TOLERANCE: q 0 1
import triton
import triton.language as tl


@triton.jit
def turn_over(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    mask = (m[:, None] < M) & (n[None, :] < N)
    tile = tl.load(x + m[:, None] * N + n[None, :], mask=mask)
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(tile), mask=tl.trans(mask))


@triton.jit
def turn_over_in_place(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + i[None, :])
    tl.debug_barrier()
    tl.store(x + i[None, :] * N + i[:, None], tile)


@triton.jit
def vectors_times_matrices(v, w, out, B, M, N, BLOCK_B: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    b = tl.program_id(0) * BLOCK_B + tl.arange(0, BLOCK_B)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_B, BLOCK_N), tl.float32)
    for start in range(0, M, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        row_mask = (b < B)[:, None] & (m < M)[None, :]
        rows = tl.load(v + b[:, None] * M + m[None, :], mask=row_mask, other=0.0).to(tl.float32)
        mask = row_mask[:, :, None] & (n < N)[None, None, :]
        weights = tl.load(w + (b[:, None] * M + m[None, :])[:, :, None] * N + n[None, None, :], mask=mask, other=0.0)
        total += tl.sum(rows[:, :, None] * weights.to(tl.float32), axis=1)
    tl.store(out + b[:, None] * N + n[None, :], total, mask=(b < B)[:, None] & (n < N)[None, :])


@triton.jit
def argmax_of_middle(x, values, places, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0).to(tl.int64)
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    best = tl.full([BLOCK_K], float("-inf"), tl.float32)
    place = tl.zeros([BLOCK_K], tl.int64)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        mask = (n < N)[:, None] & (k < K)[None, :]
        tile = tl.load(x + m * N * K + n[:, None] * K + k[None, :], mask=mask, other=float("-inf")).to(tl.float32)
        top, index = tl.max(tile, 0, return_indices=True)
        is_better = top > best
        place = tl.where(is_better, start + index, place)
        best = tl.where(is_better, top, best)
    tl.store(values + m * K + k, best, mask=k < K)
    tl.store(places + m * K + k, place, mask=k < K)


@triton.jit
def argmax_of_rows(x, places, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    best = tl.full([BLOCK_M], float("-inf"), tl.float32)
    place = tl.zeros([BLOCK_M], tl.int64)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        mask = (m < M)[:, None] & (n < N)[None, :]
        tile = tl.load(x + m[:, None] * N + n[None, :], mask=mask, other=float("-inf"))
        top, index = tl.max(tile, 1, return_indices=True)
        is_better = top > best
        best = tl.where(is_better, top, best)
        place = tl.where(is_better, start + index, place)
    tl.store(places + m, place, mask=m < M)


@triton.jit
def scales_of_blocks(x, q, scales, M, N, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.program_id(1)
    m = row * BLOCK + tl.arange(0, BLOCK)
    n = column * BLOCK + tl.arange(0, BLOCK)
    at = m[:, None] * N + n[None, :]
    mask = (m < M)[:, None] & (n < N)[None, :]
    tile = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(tile)) / 127.0
    tl.store(q + at, tl.floor(tile / scale + 0.5).to(tl.int8), mask=mask)
    tl.store(scales + row * tl.cdiv(N, BLOCK) + column, scale)


def turn_over_reference(x):
    return x.T


def turn_over_in_place_reference(x):
    return x.T


def vectors_times_matrices_reference(v, w):
    return np.einsum("bm,bmn->bn", v, w)


def argmax_of_middle_reference(x):
    return dict(values=x.max(1), places=x.argmax(1))


def argmax_of_rows_reference(x):
    return x.argmax(1)


def scales_of_blocks_reference(x, M, N):
    q, scales = np.zeros((M, N)), np.zeros((-(-M // 128), -(-N // 128)))
    for m in range(0, M, 128):
        for n in range(0, N, 128):
            block = x[m:m + 128, n:n + 128]
            scale = np.abs(block).max() / 127.0
            q[m:m + 128, n:n + 128] = np.floor(block / scale + 0.5)
            scales[m // 128, n // 128] = scale
    return dict(q=q, scales=scales)
