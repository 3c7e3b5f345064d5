# Products with structure, as libraries write them: blocks chosen by tables for the result or for a factor, two of four
# weights with their places, gathered and scattered rows, triangles, bands, complex numbers, batches of small matrices
# by products of rank three, and tiles that a table sends to different branches.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: chosen_tiles
# TYPES: fp16 bf16
# SIZES: B=2 M=96 N=64 K=70 COUNT=3
# BENCH: B=8 M=2048 N=2048 K=1024 COUNT=512 T=bf16 BLOCK=64 TILE_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randint(-3,4):T[B,M,K]
# ARG: b_ptr randint(-3,4):T[B,K,N]
# ARG: rows_ptr randint(0,M//BLOCK):i32[COUNT]
# ARG: columns_ptr randint(0,N//BLOCK):i32[COUNT]
# ARG: c_ptr empty:fp32[B,COUNT,BLOCK,BLOCK]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 32
# CONST: TILE_K 32
# GRID: COUNT, B
# TOLERANCE: c_ptr 0 0
#
# KERNEL: sparse_factor
# SIZES: R=3 C=5 N=70 WIDTH=2 | R=1 C=2 N=16 WIDTH=1
# BENCH: R=64 C=64 N=4096 WIDTH=16 BLOCK_C=64 BLOCK_N=128 num_warps=4 num_stages=3
# ARG: values_ptr randint(-3,4):bf16[R*WIDTH,BLOCK_R,BLOCK_C]
# ARG: columns_ptr randint(0,C):i32[R*WIDTH]
# ARG: starts_ptr arange:i32[R+1]
# ARG: x_ptr randint(-3,4):bf16[C*BLOCK_C,N]
# ARG: y_ptr empty:fp32[R*BLOCK_R,N]
# ARG: width WIDTH
# ARG: N N
# CONST: BLOCK_R 64
# CONST: BLOCK_C 32
# CONST: BLOCK_N 32
# GRID: R, cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 0 0
#
# KERNEL: two_of_four
# SIZES: M=65 N=40 K=128 | M=16 N=16 K=64
# BENCH: M=1024 N=4096 K=2048 BLOCK_M=128 BLOCK_N=64 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: w_ptr randint(-3,4):fp16[N,K//2]
# ARG: place_ptr randint(0,4):u8[N,K//2]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 16
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: gather_product_scatter
# SIZES: IN=40 OUT=30 PAIRS=50 C=24 D=40
# BENCH: IN=100000 OUT=100000 PAIRS=262144 C=128 D=128 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[IN,C]
# ARG: w_ptr randint(-3,4):fp16[27,C,D]
# ARG: in_ptr randint(0,IN):i32[PAIRS]
# ARG: out_ptr randint(0,OUT):i32[PAIRS]
# ARG: y_ptr zeros:fp32[OUT,D]
# ARG: pairs PAIRS
# ARG: kernel 13
# ARG: C C
# ARG: D D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(PAIRS, BLOCK_M), cdiv(D, BLOCK_N)
# CHECK: y_ptr
# TOLERANCE: y_ptr 0 0
#
# KERNEL: triangle
# SIZES: M=130 N=40 UPPER=0 | M=65 N=17 UPPER=1
# BENCH: M=4096 N=4096 UPPER=0 BLOCK=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,M]
# ARG: b_ptr randint(-3,4):bf16[M,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# CONST: UPPER UPPER
# CONST: BLOCK 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: band
# SIZES: L=100 H=2 D=32 W=16
# BENCH: L=8192 H=32 D=64 W=64 BLOCK=64 num_warps=4
# ARG: q_ptr randint(-3,4):fp16[H,L,D]
# ARG: k_ptr randint(-3,4):fp16[H,L,D]
# ARG: out_ptr zeros:fp32[H,L,2*W+1]
# ARG: L L
# CONST: W W
# CONST: D D
# CONST: BLOCK 32
# GRID: cdiv(L, BLOCK), 3, H
# CHECK: out_ptr
# TOLERANCE: out_ptr 0 0
#
# KERNEL: complex_product
# SIZES: M=33 N=20 K=50
# BENCH: M=1024 N=1024 K=1024 BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 num_warps=8 num_stages=2
# ARG: a_ptr randint(-3,4):fp32[M,K,2]
# ARG: b_ptr randint(-3,4):fp32[K,N,2]
# ARG: c_ptr empty:fp32[M,N,2]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: small_matrices
# TYPES: fp16 fp32
# SIZES: B=10 | B=1
# BENCH: B=131072 T=fp16 num_warps=4
# ARG: a_ptr randint(-3,4):T[B,16,16]
# ARG: b_ptr randint(-3,4):T[B,16,16]
# ARG: c_ptr empty:fp32[B,16,16]
# ARG: B B
# CONST: BLOCK_B 4
# GRID: cdiv(B, BLOCK_B)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: heads_at_once
# SIZES: L=50 H=4 D=16
# BENCH: L=4096 H=4 D=64 BLOCK_N=32 num_warps=4 num_stages=2
# ARG: q_ptr randn:fp16[L,H,D]
# ARG: k_ptr randn:fp16[L,H,D]
# ARG: v_ptr randn:fp16[L,H,D]
# ARG: out_ptr empty:fp32[L,H,D]
# ARG: L L
# ARG: scale 0.3
# CONST: H H
# CONST: D D
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# GRID: cdiv(L, BLOCK_M)
# TOLERANCE: out_ptr 4e-3 4e-3
#
# KERNEL: branches
# SIZES: M=130 N=40 K=64
# BENCH: M=67584 N=128 K=1024 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[2,K,N]
# ARG: kind_ptr randint(0,3):i32[cdiv(M,BLOCK_M)]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: c_ptr 0 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def chosen_tiles(a_ptr, b_ptr, rows_ptr, columns_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, TILE_K: tl.constexpr):
    """Only the tiles of the result that a table lists."""
    pid = tl.program_id(0)
    batch = tl.program_id(1)
    m = tl.load(rows_ptr + pid) * BLOCK + tl.arange(0, BLOCK)
    n = tl.load(columns_ptr + pid) * BLOCK + tl.arange(0, BLOCK)
    m = tl.max_contiguous(tl.multiple_of(m, BLOCK), BLOCK)
    n = tl.max_contiguous(tl.multiple_of(n, BLOCK), BLOCK)
    k = tl.arange(0, TILE_K)
    pa = a_ptr + batch * M * K + m[:, None] * K + k[None, :]
    pb = b_ptr + batch * K * N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for left in range(K, 0, -TILE_K):
        a = tl.load(pa, mask=k[None, :] < left, other=0.0)
        b = tl.load(pb, mask=k[:, None] < left, other=0.0)
        acc += tl.dot(a, b, out_dtype=tl.float32)
        pa += TILE_K
        pb += TILE_K * N
    at = tl.arange(0, BLOCK)
    c_ptrs = c_ptr + ((batch * tl.num_programs(0) + pid) * BLOCK + at[:, None]) * BLOCK + at[None, :]
    tl.store(c_ptrs, acc)


def chosen_tiles_reference(a_ptr, b_ptr, rows_ptr, columns_ptr, B, BLOCK):
    c = a_ptr @ b_ptr
    at = [(int(r) * BLOCK, int(s) * BLOCK) for r, s in zip(rows_ptr, columns_ptr)]
    return np.stack([np.stack([c[b, r:r + BLOCK, s:s + BLOCK] for r, s in at]) for b in range(B)])


@triton.jit
def sparse_factor(values_ptr, columns_ptr, starts_ptr, x_ptr, y_ptr, width, N, BLOCK_R: tl.constexpr,
                  BLOCK_C: tl.constexpr, BLOCK_N: tl.constexpr):
    """Blocks of a row, one after another; addresses of the next block come from differences of a table."""
    row = tl.program_id(0)
    r = tl.arange(0, BLOCK_R)
    c = tl.arange(0, BLOCK_C)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    first = tl.load(starts_ptr + row) * width
    last = tl.load(starts_ptr + row + 1) * width
    acc = tl.zeros((BLOCK_R, BLOCK_N), dtype=tl.float32)
    for block in range(first, last):
        column = tl.load(columns_ptr + block)
        values = tl.load(values_ptr + (block * BLOCK_R + r[:, None]) * BLOCK_C + c[None, :])
        x = tl.load(x_ptr + (column * BLOCK_C + c[:, None]) * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(values, x, acc)
    tl.store(y_ptr + (row * BLOCK_R + r[:, None]) * N + n[None, :], acc, mask=n[None, :] < N)


def sparse_factor_reference(values_ptr, columns_ptr, x_ptr, R, WIDTH, N, BLOCK_R, BLOCK_C):
    y = np.zeros((R * BLOCK_R, N))
    for i in range(R * WIDTH):
        column = int(columns_ptr[i]) * BLOCK_C
        row = i // WIDTH * BLOCK_R
        y[row:row + BLOCK_R] += values_ptr[i] @ x_ptr[column:column + BLOCK_C]
    return y


@triton.jit
def two_of_four(a_ptr, w_ptr, place_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    """Each kept weight goes to its place among four: the tile is spread out by comparisons and a sum."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    kept = tl.arange(0, BLOCK_K // 2)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=m[:, None] < M, other=0.0)
        at = n[:, None] * (K // 2) + (start // 2 + kept)[None, :]
        w = tl.load(w_ptr + at, mask=n[:, None] < N, other=0.0)
        place = tl.load(place_ptr + at, mask=n[:, None] < N, other=0)
        w = tl.reshape(w, (BLOCK_N, BLOCK_K // 4, 2, 1))
        place = tl.reshape(place, (BLOCK_N, BLOCK_K // 4, 2, 1))
        four = tl.reshape(tl.arange(0, 4), (1, 1, 1, 4))
        spread = tl.sum(tl.where(place.to(tl.int32) == four, w, 0.0).to(tl.float32), axis=2)
        dense = tl.reshape(spread, (BLOCK_N, BLOCK_K)).to(tl.float16)
        acc = tl.dot(a, tl.trans(dense), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def two_of_four_reference(a_ptr, w_ptr, place_ptr, N, K):
    dense = np.zeros((N, K))
    for i in range(K // 2):
        np.add.at(dense, (np.arange(N), i // 2 * 4 + place_ptr[:, i].astype(int)), w_ptr[:, i])
    return a_ptr @ dense.T


@triton.jit
def gather_product_scatter(x_ptr, w_ptr, in_ptr, out_ptr, y_ptr, pairs, kernel, C, D, BLOCK_M: tl.constexpr,
                           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A tap of a convolution over few points of space: pairs of points say what goes where."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = m < pairs
    source = tl.load(in_ptr + m, mask=inside, other=0)
    target = tl.load(out_ptr + m, mask=inside, other=0)
    w_ptr += kernel * C * D
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, C, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + source[:, None] * C + k[None, :], mask=inside[:, None] & (k[None, :] < C), other=0.0)
        w = tl.load(w_ptr + k[:, None] * D + n[None, :], mask=(k[:, None] < C) & (n[None, :] < D), other=0.0)
        acc = tl.dot(x, w, acc)
    tl.atomic_add(y_ptr + target[:, None] * D + n[None, :], acc, mask=inside[:, None] & (n[None, :] < D))


def gather_product_scatter_reference(x_ptr, w_ptr, in_ptr, out_ptr, OUT, D):
    y = np.zeros((OUT, D))
    np.add.at(y, out_ptr.astype(int), x_ptr[in_ptr.astype(int)] @ w_ptr[13])
    return y


@triton.jit
def triangle(a_ptr, b_ptr, c_ptr, M, N, UPPER: tl.constexpr, BLOCK: tl.constexpr, BLOCK_N: tl.constexpr,
             BLOCK_K: tl.constexpr):
    """Steps where the triangle is full need no comparison; those on the diagonal do."""
    pid = tl.program_id(0)
    m = pid * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK, BLOCK_N), dtype=tl.float32)
    if UPPER:
        first, last = pid * BLOCK, M
    else:
        first, last = 0, tl.minimum((pid + 1) * BLOCK, M)
    for start in range(first, last, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * M + k[None, :], mask=(m[:, None] < M) & (k[None, :] < M), other=0.0)
        on_diagonal = (start + BLOCK_K > pid * BLOCK) & (start < (pid + 1) * BLOCK)
        if on_diagonal:
            if UPPER:
                a = tl.where(k[None, :] >= m[:, None], a, 0.0)
            else:
                a = tl.where(k[None, :] <= m[:, None], a, 0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < M) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def triangle_reference(a_ptr, b_ptr, UPPER):
    return (np.triu(a_ptr) if UPPER else np.tril(a_ptr)) @ b_ptr


@triton.jit
def band(q_ptr, k_ptr, out_ptr, L, W: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    """Products near the diagonal, stored with the diagonals as columns."""
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = (tl.program_id(0) + tl.program_id(1) - 1) * BLOCK + tl.arange(0, BLOCK)
    head = tl.program_id(2)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (head * L + m[:, None]) * D + d[None, :], mask=m[:, None] < L, other=0.0)
    k = tl.load(k_ptr + (head * L + n[None, :]) * D + d[:, None], mask=(n[None, :] >= 0) & (n[None, :] < L), other=0.0)
    diagonal = n[None, :] - m[:, None] + W
    mask = (diagonal >= 0) & (diagonal <= 2 * W) & (m[:, None] < L) & (n[None, :] >= 0) & (n[None, :] < L)
    tl.store(out_ptr + (head * L + m[:, None]) * (2 * W + 1) + diagonal, tl.dot(q, k), mask=mask)


def band_reference(q_ptr, k_ptr, H, L, W):
    out = np.zeros((H, L, 2 * W + 1))
    for i in range(L):
        for j in range(max(0, i - W), min(L, i + W + 1)):
            out[:, i, j - i + W] = (q_ptr[:, i] * k_ptr[:, j]).sum(axis=1)
    return out


@triton.jit
def complex_product(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr):
    """Real and imaginary parts lie next to each other; three products instead of four."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    part = tl.arange(0, 2)
    p1 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    p2 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    p3 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + (m[:, None] * K + k[None, :])[:, :, None] * 2 + part[None, None, :],
                    mask=((m[:, None] < M) & (k[None, :] < K))[:, :, None], other=0.0)
        b = tl.load(b_ptr + (k[:, None] * N + n[None, :])[:, :, None] * 2 + part[None, None, :],
                    mask=((k[:, None] < K) & (n[None, :] < N))[:, :, None], other=0.0)
        a_real, a_imag = tl.split(a)
        b_real, b_imag = tl.split(b)
        p1 = tl.dot(a_real, b_real, p1, input_precision="ieee")
        p2 = tl.dot(a_imag, b_imag, p2, input_precision="ieee")
        p3 = tl.dot(a_real + a_imag, b_real + b_imag, p3, input_precision="ieee")
    c = tl.join(p1 - p2, p3 - p1 - p2)
    tl.store(c_ptr + (m[:, None] * N + n[None, :])[:, :, None] * 2 + part[None, None, :], c,
             mask=((m[:, None] < M) & (n[None, :] < N))[:, :, None])


def complex_product_reference(a_ptr, b_ptr):
    c = (a_ptr[..., 0] + 1j * a_ptr[..., 1]) @ (b_ptr[..., 0] + 1j * b_ptr[..., 1])
    return np.stack([c.real, c.imag], axis=-1)


@triton.jit
def small_matrices(a_ptr, b_ptr, c_ptr, B, BLOCK_B: tl.constexpr):
    """a b + b a + (a b)^T"""
    s = (tl.program_id(0) * BLOCK_B + tl.arange(0, BLOCK_B))[:, None, None]
    i = tl.arange(0, 16)[None, :, None]
    j = tl.arange(0, 16)[None, None, :]
    at = (s * 16 + i) * 16 + j
    a = tl.load(a_ptr + at, mask=s < B, other=0.0)
    b = tl.load(b_ptr + at, mask=s < B, other=0.0)
    ab = tl.dot(a, b, input_precision="ieee")
    c = tl.dot(b, a, ab, input_precision="ieee") + tl.permute(ab, (0, 2, 1))
    tl.store(c_ptr + at, c, mask=s < B)


def small_matrices_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr + b_ptr @ a_ptr + (a_ptr @ b_ptr).transpose(0, 2, 1)


@triton.jit
def heads_at_once(q_ptr, k_ptr, v_ptr, out_ptr, L, scale, H: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr):
    """Attention with all heads in one tile of rank three."""
    h = tl.arange(0, H)[:, None, None]
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[None, :, None]
    d = tl.arange(0, D)[None, None, :]
    q = tl.load(q_ptr + (m * H + h) * D + d, mask=m < L, other=0.0)
    peak = tl.full((H, BLOCK_M), float("-inf"), dtype=tl.float32)
    total = tl.zeros((H, BLOCK_M), dtype=tl.float32)
    acc = tl.zeros((H, BLOCK_M, D), dtype=tl.float32)
    for start in range(0, L, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)[None, :, None]
        k = tl.load(k_ptr + (n * H + h) * D + d, mask=n < L, other=0.0)
        v = tl.load(v_ptr + (n * H + h) * D + d, mask=n < L, other=0.0)
        score = tl.dot(q, tl.permute(k, (0, 2, 1))) * scale
        score = tl.where((start + tl.arange(0, BLOCK_N))[None, None, :] < L, score, float("-inf"))
        new_peak = tl.maximum(peak, tl.max(score, axis=2))
        power = tl.exp(score - new_peak[:, :, None])
        fade = tl.exp(peak - new_peak)
        total = total * fade + tl.sum(power, axis=2)
        acc = tl.dot(power.to(tl.float16), v, acc * fade[:, :, None])
        peak = new_peak
    tl.store(out_ptr + (m * H + h) * D + d, acc / total[:, :, None], mask=m < L)


def heads_at_once_reference(q_ptr, k_ptr, v_ptr, scale):
    score = np.einsum("ihd,jhd->hij", q_ptr, k_ptr) * scale
    power = np.exp(score - score.max(axis=2, keepdims=True))
    return np.einsum("hij,jhd->ihd", power / power.sum(axis=2, keepdims=True), v_ptr)


@triton.jit
def branches(a_ptr, b_ptr, kind_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             BLOCK_K: tl.constexpr):
    """A table says which weight a tile of rows takes, or both, or that it skips every other step."""
    pid = tl.program_id(0)
    m = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    kind = tl.load(kind_ptr + pid)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
        b_ptrs = b_ptr + k[:, None] * N + n[None, :]
        if kind == 0:
            acc = tl.dot(a, tl.load(b_ptrs, mask=n[None, :] < N, other=0.0), acc)
        elif kind == 1:
            acc += tl.dot(a, tl.load(b_ptrs, mask=n[None, :] < N, other=0.0))
            acc = tl.dot(a, tl.load(b_ptrs + K * N, mask=n[None, :] < N, other=0.0), acc)
        else:
            if (start // BLOCK_K) % 2 == 1:
                acc = tl.dot(a, tl.load(b_ptrs + K * N, mask=n[None, :] < N, other=0.0), acc * 2)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def branches_reference(a_ptr, b_ptr, kind_ptr, M, N, K, BLOCK_M, BLOCK_K):
    c = np.zeros((M, N))
    for i in range(0, M, BLOCK_M):
        at = slice(i, i + BLOCK_M)
        a, kind = a_ptr[at], kind_ptr[i // BLOCK_M]
        if kind < 2:
            c[at] = a @ b_ptr[0] + (a @ b_ptr[1] if kind == 1 else 0)
            continue
        for start in range(BLOCK_K, K, 2 * BLOCK_K):
            step = slice(start, start + BLOCK_K)
            c[at] = 2 * c[at] + a[:, step] @ b_ptr[1, step]
    return c
