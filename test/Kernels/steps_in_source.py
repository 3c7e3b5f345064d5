# Loops that the source unrolls, products in three steps, grids that wrap around: checksums by parts, layers, stencils,
# updates by outer products of columns.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: hash_by_parts
# SIZES: n=1 | n=1000 | n=5000
# BENCH: n=16777216 num_warps=4
# ARG: sums empty:i64[cdiv(n,2048)]
# ARG: x randint(-1000000,1000000):i32[n]
# ARG: n n
# CONST: TILE 2048
# CONST: BLOCK 256
# GRID: cdiv(n, 2048)
#
# KERNEL: layer_and_back
# SIZES: M=1 | M=40
# BENCH: M=8192 num_warps=4 num_stages=2
# ARG: y empty:fp32[M,256]
# ARG: x randn:fp32[M,256]
# ARG: w randn:fp32[256,512]
# ARG: v randn:fp32[512,256]
# ARG: M M
# CONST: D 256
# CONST: H 512
# CONST: BLOCK_M 32
# CONST: BLOCK_H 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, 32)
# TOLERANCE: y 2e-4 5e-2
#
# KERNEL: wrapped_laplacian
# TYPES: fp32 bf16
# SIZES: H=1 W=1 | H=5 W=7 | H=16 W=64
# BENCH: H=4096 W=4096 T=fp32 num_warps=4
# ARG: y empty:T[H,W]
# ARG: x randn:T[H,W]
# ARG: H H
# ARG: W W
# CONST: BLOCK 256
# GRID: cdiv(H*W, 256)
# TOLERANCE: y 2e-2 2e-2
#
# KERNEL: update_by_columns
# TYPES: fp32 fp64
# SIZES: N=1 | N=16 | N=45
# BENCH: N=2048 T=fp64 num_warps=8
# ARG: y empty:T[N,N]
# ARG: a randn:T[N,16]
# ARG: x randn:T[N,N]
# ARG: N N
# CONST: K 16
# CONST: BLOCK 32
# GRID: cdiv(N, 32), cdiv(N, 32)
# TOLERANCE: y 1e-4 1e-4
#
# KERNEL: chosen_column
# TYPES: fp32 bf16 i32 fp64
# SIZES: N=1 K=0 | N=40 K=-1 | N=40 K=63 | N=33 K=64 | N=70 K=17 | N=5 K=4294967299
# BENCH: N=262144 K=17 T=fp32 num_warps=4
# ARG: y empty:T[N]
# ARG: x randn:T[N,64]
# ARG: N N
# ARG: K K
# CONST: BLOCK 16
# GRID: cdiv(N, 16)
# CHECK: y

import triton
import triton.language as tl


@triton.jit
def mix(x):
    x ^= x >> 16
    x = x * 0x45D9F3B
    x ^= x >> 13
    return x


@triton.jit
def hash_by_parts(sums, x, n, TILE: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    first = tl.zeros((), dtype=tl.uint32)
    second = tl.zeros((), dtype=tl.uint32)
    for start in tl.static_range(0, TILE, BLOCK):
        at = pid * TILE + start + tl.arange(0, BLOCK)
        mask = at < n
        value = tl.load(x + at, mask=mask, other=0).to(tl.uint32)
        first += tl.sum(tl.where(mask, mix(value ^ at.to(tl.uint32)), 0), axis=0)
        second += tl.sum(tl.where(mask, mix(value + 7 * at.to(tl.uint32)), 0), axis=0)
    tl.store(sums + pid, ((first.to(tl.uint64) << 32) | second.to(tl.uint64)).to(tl.int64))


@triton.jit
def layer_and_back(y, x, w, v, M, D: tl.constexpr, H: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_H: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    mask = rows < M
    columns = tl.arange(0, D)
    out = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, H, BLOCK_H):
        units = start + tl.arange(0, BLOCK_H)
        hidden = tl.zeros((BLOCK_M, BLOCK_H), dtype=tl.float32)
        for k in range(0, D, BLOCK_K):
            depth = k + tl.arange(0, BLOCK_K)
            a = tl.load(x + rows[:, None] * D + depth[None, :], mask=mask[:, None], other=0.0)
            b = tl.load(w + depth[:, None] * H + units[None, :])
            hidden = tl.dot(a, b, hidden, input_precision="tf32x3")
        hidden = tl.maximum(hidden, 0.0)
        back = tl.load(v + units[:, None] * D + columns[None, :])
        out = tl.dot(hidden, back, out, input_precision="tf32x3")
    tl.store(y + rows[:, None] * D + columns[None, :], out, mask=mask[:, None])


@triton.jit
def wrapped_laplacian(y, x, H, W, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < H * W
    column = at % W
    row = at // W
    centre = tl.load(x + row * W + column, mask=mask, other=0.0).to(tl.float32)
    east = tl.load(x + row * W + (column + 1) % W, mask=mask, other=0.0).to(tl.float32)
    west = tl.load(x + row * W + (column + W - 1) % W, mask=mask, other=0.0).to(tl.float32)
    south = tl.load(x + (row + 1) % H * W + column, mask=mask, other=0.0).to(tl.float32)
    north = tl.load(x + (row + H - 1) % H * W + column, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * W + column, (east + west + south + north - 4.0 * centre).to(y.dtype.element_ty), mask=mask)


@triton.jit
def update_by_columns(y, a, x, N, K: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    steps = tl.arange(0, K)
    left = tl.load(a + rows[:, None] * K + steps[None, :], mask=rows[:, None] < N, other=0.0)
    right = tl.load(a + columns[:, None] * K + steps[None, :], mask=columns[:, None] < N, other=0.0)
    mask = (rows < N)[:, None] & (columns < N)[None, :]
    out = tl.load(x + rows[:, None] * N + columns[None, :], mask=mask, other=0.0)
    for k in tl.static_range(K):
        from_left = tl.sum(tl.where(steps[None, :] == k, left, 0.0), axis=1)
        from_right = tl.sum(tl.where(steps[None, :] == k, right, 0.0), axis=1)
        out -= from_left[:, None] * from_right[None, :]
    tl.store(y + rows[:, None] * N + columns[None, :], out, mask=mask)


@triton.jit
def chosen_column(y, x, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, 64)
    tile = tl.load(x + rows[:, None] * 64 + columns[None, :], mask=rows[:, None] < N, other=0)
    tl.store(y + rows, tl.sum(tl.where(columns[None, :] == K, tile, 0), axis=1).to(y.dtype.element_ty), mask=rows < N)


def mix_reference(x):
    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(0x45D9F3B)
    return x ^ (x >> np.uint32(13))


def hash_by_parts_reference(x, n, TILE):
    at = np.arange(n, dtype=np.uint32)
    value = x.astype(np.int32).view(np.uint32)
    with np.errstate(over="ignore"):
        parts = mix_reference(value ^ at), mix_reference(value + np.uint32(7) * at)
    sums = [np.add.reduceat(part.astype(np.uint64), np.arange(0, n, TILE)) & np.uint64(0xFFFFFFFF) for part in parts]
    return ((sums[0] << np.uint64(32)) | sums[1]).view(np.int64)


def layer_and_back_reference(x, w, v):
    return np.maximum(x @ w, 0) @ v


def wrapped_laplacian_reference(x):
    return (np.roll(x, -1, 1) + np.roll(x, 1, 1) + np.roll(x, -1, 0) + np.roll(x, 1, 0)) - 4 * x


def update_by_columns_reference(a, x):
    return x - a @ a.T


def chosen_column_reference(x, K):
    return x[:, K] if 0 <= K < 64 else 0 * x[:, 0]
