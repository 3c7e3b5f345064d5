# Programs that walk over several tiles of a product: loops that are flattened, with pointers and descriptors, bounds that
# depend on the tile, values that the outer loop carries; and one loop over the steps of all tiles, whose sums start anew.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: flat_pointers
# TYPES: fp16 bf16
# SIZES: M=130 N=136 K=72 P=2 | M=64 N=64 K=200 P=3 | M=200 N=70 K=24 P=1 | M=256 N=128 K=64 P=4
# BENCH: M=4096 N=4096 K=2048 P=132 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 GROUP=8 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: b_ptr randint(-3,4):T[K,N]
# ARG: c_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP 2
# CONST: PROGRAMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: many_tiles
# TYPES: fp16 bf16
# SIZES: M=300 N=264 K=72 H=2 | M=64 N=128 K=192 H=1 | M=136 N=136 K=8 H=40
# BENCH: M=4096 N=4096 K=512 H=2 T=bf16 num_stages=3
# ARG: a_ptr randint(-3,4):T[H,M,K]
# ARG: b_ptr randint(-3,4):T[H,K,N]
# ARG: c_ptr empty:T[H,M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 128
# CONST: BLOCK_N 128
# CONST: BLOCK_K 64
# GRID: cdiv(N, BLOCK_N), cdiv(M, BLOCK_M), H
# WARPS: 8
# TOLERANCE: c_ptr 0 0
#
# KERNEL: flat_carried
# SIZES: M=130 N=136 K=96 P=2 | M=64 N=64 K=64 P=3 | M=320 N=128 K=160 P=2
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: c_ptr zeros:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: PROGRAMS P
# GRID: P
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: flat_halves
# SIZES: M=130 N=136 K=72 P=2 R=2 | M=64 N=64 K=40 P=3 R=1 | M=256 N=264 K=328 P=4 R=3
# BENCH: M=4096 N=4096 K=2048 P=132 R=1 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: b_ptr randint(-3,4):bf16[N,K]
# ARG: bias_ptr randint(-3,4):fp32[N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: repeat R
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: PROGRAMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: flat_staged
# SIZES: M=200 N=64 K=96 P=2 | M=64 N=128 K=32 P=1
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: bias_ptr randint(-3,4):fp32[M,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: PROGRAMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: flat_twice
# SIZES: T=5 K=64 P=2 | T=3 K=32 P=1
# ARG: a_ptr randint(-3,4):fp16[T,32,K]
# ARG: b_ptr randint(-3,4):fp16[K,32]
# ARG: bias_ptr randint(-3,4):fp32[T,32,32]
# ARG: c_ptr empty:fp32[2,T,32,32]
# ARG: T T
# ARG: K K
# CONST: PROGRAMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: flat_in_order
# SIZES: T=3
# ARG: a_ptr randint(0,2):fp16[64,64]
# ARG: x_ptr randint(-1,2):fp16[T+1,64,64]
# CHECK: x_ptr
# CONST: T T
# GRID: 1
# TOLERANCE: x_ptr 0 0
#
# KERNEL: one_loop
# TYPES: fp16 bf16
# SIZES: M=130 N=136 K=72 P=2 | M=64 N=64 K=64 P=3 | M=256 N=192 K=32 P=3 | M=200 N=264 K=392 P=2
# BENCH: M=4096 N=4096 K=2048 P=132 T=bf16 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 GROUP=8 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: b_ptr randint(-3,4):T[N,K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP 2
# CONST: PROGRAMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: running_sums
# SIZES: M=128 N=64 K=256 PART=2 | M=64 N=64 K=96 PART=1 | M=64 N=128 K=160 PART=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[K,N]
# ARG: parts_ptr zeros:fp32[(K // 32 + PART - 1) // PART,M,N]
# ARG: rest_ptr empty:fp32[M,N]
# ARG: N N
# ARG: K K
# ARG: part PART
# CONST: BLOCK 64
# GRID: M // BLOCK, N // BLOCK
# CHECK: parts_ptr rest_ptr
# TOLERANCE: parts_ptr 0 0
# TOLERANCE: rest_ptr 0 0

import numpy as np

import triton
import triton.language as tl


@triton.jit
def place(tile, rows, columns, GROUP: tl.constexpr):
    in_group = GROUP * columns
    first = (tile // in_group) * GROUP
    height = min(rows - first, GROUP)
    return first + (tile % in_group) % height, (tile % in_group) // height


@triton.jit
def flat_pointers(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    for tile in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=True):
        row, column = place(tile, rows, columns, GROUP)
        offs_m = row * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_n = column * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BLOCK_K)):
            offs_k = k * BLOCK_K + depth
            a = tl.load(a_ptr + offs_m[:, None] * K + offs_k[None, :],
                        mask=(offs_m[:, None] < M) & (offs_k[None, :] < K), other=0.0)
            b = tl.load(b_ptr + offs_k[:, None] * N + offs_n[None, :],
                        mask=(offs_k[:, None] < K) & (offs_n[None, :] < N), other=0.0)
            acc = tl.dot(a, b, acc)
        inside = (offs_m[:, None] < M) & (offs_n[None, :] < N)
        tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(c_ptr.dtype.element_ty), mask=inside)


def flat_pointers_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def many_tiles(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A program has one tile: that a CTA goes on to the next one is the compiler's and the launch's affair."""
    offs_m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptr += tl.program_id(2) * M * K
    b_ptr += tl.program_id(2) * K * N
    c_ptr += tl.program_id(2) * M * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        offs_k = k + depth
        a = tl.load(a_ptr + offs_m[:, None] * K + offs_k[None, :],
                    mask=(offs_m[:, None] < M) & (offs_k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + offs_k[:, None] * N + offs_n[None, :],
                    mask=(offs_k[:, None] < K) & (offs_n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    inside = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(c_ptr.dtype.element_ty), mask=inside)


def many_tiles_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def flat_carried(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                 PROGRAMS: tl.constexpr):
    """A tile takes as many steps as its number says, some none. What is stored follows from carried numbers."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    columns = tl.cdiv(N, BLOCK_N)
    row = tl.program_id(0) // columns
    column = tl.program_id(0) % columns
    stored = tl.program_id(0) - PROGRAMS
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, PROGRAMS, flatten=True):
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tile % 2, min(tl.cdiv(K, BLOCK_K), 4 * (tile % 3))):
            a = a_desc.load([row * BLOCK_M, k * BLOCK_K])
            b = b_desc.load([column * BLOCK_N, k * BLOCK_K])
            acc = tl.dot(a, b.T, acc)
        stored += PROGRAMS
        offs_m = (stored // columns) * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_n = (stored % columns) * BLOCK_N + tl.arange(0, BLOCK_N)
        tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc, (offs_m[:, None] < M) & (offs_n[None, :] < N))
        column += PROGRAMS
        row += column // columns
        column = column % columns


def flat_carried_reference(a_ptr, b_ptr, K, BLOCK_M, BLOCK_N, BLOCK_K):
    result = np.zeros((a_ptr.shape[0], b_ptr.shape[0]))
    columns = -(-b_ptr.shape[0] // BLOCK_N)
    for tile in range(-(-a_ptr.shape[0] // BLOCK_M) * columns):
        rows = slice(tile // columns * BLOCK_M, (tile // columns + 1) * BLOCK_M)
        right = slice(tile % columns * BLOCK_N, (tile % columns + 1) * BLOCK_N)
        steps = slice(tile % 2 * BLOCK_K, max(tile % 2, min(-(-K // BLOCK_K), 4 * (tile % 3))) * BLOCK_K)
        result[rows, right] = a_ptr[rows, steps] @ b_ptr[right, steps].T
    return result


@triton.jit
def flat_halves(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, repeat, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr, PROGRAMS: tl.constexpr):
    """A flattened loop in another one, and sums that are stored in halves."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N // 2])
    columns = tl.cdiv(N, BLOCK_N)
    for again in range(repeat):
        for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * columns, PROGRAMS, flatten=True):
            first_m, first_n = (tile // columns) * BLOCK_M, (tile % columns) * BLOCK_N
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for k in range(tl.cdiv(K, BLOCK_K)):
                a = a_desc.load([first_m, k * BLOCK_K])
                b = b_desc.load([first_n, k * BLOCK_K])
                acc = tl.dot(a, b.T, acc)
            left, right = tl.split(tl.permute(tl.reshape(acc, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
            offs_n = first_n + tl.arange(0, BLOCK_N // 2)
            left += tl.load(bias_ptr + offs_n, offs_n < N, 0.0)[None, :]
            offs_n += BLOCK_N // 2
            right += tl.load(bias_ptr + offs_n, offs_n < N, 0.0)[None, :]
            c_desc.store([first_m, first_n], left.to(tl.float16))
            c_desc.store([first_m, first_n + BLOCK_N // 2], right.to(tl.float16))


def flat_halves_reference(a_ptr, b_ptr, bias_ptr):
    return a_ptr @ b_ptr.T + bias_ptr


@triton.jit
def flat_staged(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, PROGRAMS: tl.constexpr):
    """The flattened loop has stages and loads of its own, and three loops in it."""
    columns = tl.cdiv(N, 64)
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [64, 32])
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, 64) * columns, PROGRAMS, flatten=True, num_stages=2):
        row, column = (tile // columns) * 64, (tile % columns) * 64
        offs_m = row + tl.arange(0, 64)[:, None]
        offs_n = column + tl.arange(0, 64)[None, :]
        inside = (offs_m < M) & (offs_n < N)
        acc = tl.load(bias_ptr + offs_m * N + offs_n, inside, 0.0)
        for k in range(0, K, 32):
            acc = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, acc)
        for k in range(0, K, 64):
            acc = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, acc)
        for k in range(0, 32, 32):
            acc = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, acc)
        tl.store(c_ptr + offs_m * N + offs_n, acc, inside)


def flat_staged_reference(a_ptr, b_ptr, bias_ptr, K):
    result = bias_ptr + a_ptr @ b_ptr.T + a_ptr[:, :32] @ b_ptr[:, :32].T
    for k in range(0, K, 64):
        result = result + a_ptr[:, k:k + 32] @ b_ptr[:, k:k + 32].T
    return result


@triton.jit
def flat_twice(a_ptr, b_ptr, bias_ptr, c_ptr, T, K, PROGRAMS: tl.constexpr):
    """Two flattened loops with stages and loads of their own, one behind the other."""
    at = tl.arange(0, 32)
    whole = at[:, None] * 32 + at[None, :]
    for tile in tl.range(tl.program_id(0), T, PROGRAMS, flatten=True, num_stages=2):
        acc = tl.zeros((32, 32), dtype=tl.float32)
        for k in range(0, K, 32):
            a = tl.load(a_ptr + (tile * 32 + at[:, None]) * K + k + at[None, :])
            acc = tl.dot(a, tl.load(b_ptr + k * 32 + whole), acc)
        tl.store(c_ptr + tile * 1024 + whole, acc + tl.load(bias_ptr + tile * 1024 + whole))
    for tile in tl.range(tl.program_id(0), T, PROGRAMS, flatten=True, num_stages=2):
        acc = tl.zeros((32, 32), dtype=tl.float32)
        for k in range(0, K, 32):
            a = tl.load(a_ptr + (tile * 32 + at[:, None]) * K + k + at[None, :])
            acc = tl.dot(a, tl.load(b_ptr + k * 32 + whole), acc)
        tl.store(c_ptr + (T + tile) * 1024 + whole, acc - tl.load(bias_ptr + tile * 1024 + whole))


def flat_twice_reference(a_ptr, b_ptr, bias_ptr):
    return np.stack([a_ptr @ b_ptr + bias_ptr, a_ptr @ b_ptr - bias_ptr])


@triton.jit
def flat_in_order(a_ptr, x_ptr, T: tl.constexpr):
    """What a tile stores is loaded by the next one, behind a barrier: nothing moves across that."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [64, 64], [64, 1], [64, 32])
    rows = tl.arange(0, 64)
    for t in tl.range(0, T, flatten=True):
        acc = tl.zeros((64, 64), dtype=tl.float32)
        for k in range(0, 64, 32):
            x_ptrs = x_ptr + t * 4096 + (k + tl.arange(0, 32)[:, None]) * 64 + rows[None, :]
            acc = tl.dot(a_desc.load([0, k]), tl.load(x_ptrs), acc)
        tl.store(x_ptr + (t + 1) * 4096 + rows[:, None] * 64 + rows[None, :], (acc % 4).to(tl.float16))
        tl.debug_barrier()


def flat_in_order_reference(a_ptr, x_ptr, T):
    x = np.array(x_ptr)
    for t in range(T):
        x[t + 1] = np.fmod(a_ptr @ x[t], 4)
    return x


@triton.jit
def one_loop(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    """The steps of all tiles of a program in one loop, by descriptors."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    start = tl.program_id(0)
    rows, columns, steps = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    tiles = rows * columns
    mine = tiles // PROGRAMS
    if start < tiles % PROGRAMS:
        mine += 1
    tile = start - PROGRAMS
    step = -1
    first_m = 0
    first_n = 0
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, steps * mine):
        step = tl.where(step == steps - 1, 0, step + 1)
        if step == 0:
            tile += PROGRAMS
            row, column = place(tile, rows, columns, GROUP)
            first_m = row * BLOCK_M
            first_n = column * BLOCK_N
        a = a_desc.load([first_m, step * BLOCK_K])
        b = b_desc.load([first_n, step * BLOCK_K])
        acc += tl.dot(a, b.T)
        if step == steps - 1:
            offs_m = first_m + tl.arange(0, BLOCK_M)
            offs_n = first_n + tl.arange(0, BLOCK_N)
            inside = (offs_m[:, None] < M) & (offs_n[None, :] < N)
            tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc, inside)
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)


def one_loop_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def running_sums(a_ptr, b_ptr, parts_ptr, rest_ptr, N, K, part, BLOCK: tl.constexpr):
    """Sums over parts of the depth, of which the last one goes on behind the loop; and read by two branches."""
    offs_m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    offs_n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offs_k = tl.arange(0, 32)
    size = tl.num_programs(0) * BLOCK * N
    to = offs_m[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in tl.range(0, K // 32, num_stages=3):
        a = tl.load(a_ptr + offs_m[:, None] * K + (k * 32 + offs_k)[None, :])
        b = tl.load(b_ptr + (k * 32 + offs_k)[:, None] * N + offs_n[None, :])
        acc = tl.dot(a, b, acc)
        if (k + 1) * 32 == K:
            tl.store(rest_ptr + to, acc)
        if (k + 1) % part == 0:
            tl.store(parts_ptr + (k // part) * size + to, acc)
            acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    if (K // 32) % part != 0:
        tl.store(parts_ptr + (K // 32 // part) * size + to, acc)


def running_sums_reference(a_ptr, b_ptr, part):
    step = 32 * part
    parts = [a_ptr[:, k:k + step] @ b_ptr[k:k + step] for k in range(0, a_ptr.shape[1], step)]
    return {"parts_ptr": np.array(parts), "rest_ptr": parts[-1]}
