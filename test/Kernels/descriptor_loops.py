# Loops of products whose factors are blocks of tensors, as hardware copies them: blocks that begin before the tensor or end
# behind it, tensors of one row and of none, lines of 32, 64 and 128 bytes and longer ones, many rows, elements of each
# width, NaN outside, a tensor that each iteration describes anew, a block that is also added up, a factor by pointers,
# two loops by the same descriptors, persistent programs that load more than factors, and attention.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: product
# TYPES: fp16 fp32
# SIZES: ROWS=64 COLUMNS=32 DEPTH=128 SHIFT=0 FIRST=0 LAST=128 | ROWS=1 COLUMNS=32 DEPTH=100 SHIFT=0 FIRST=0 LAST=128 | ROWS=37 COLUMNS=1 DEPTH=128 SHIFT=0 FIRST=0 LAST=128 BLOCK_K=32 num_warps=8 | ROWS=64 COLUMNS=32 DEPTH=1 SHIFT=0 FIRST=0 LAST=128 BLOCK_K=16 | ROWS=50 COLUMNS=20 DEPTH=90 SHIFT=-5 FIRST=-64 LAST=256 | ROWS=0 COLUMNS=32 DEPTH=128 SHIFT=0 FIRST=0 LAST=128 | ROWS=64 COLUMNS=0 DEPTH=128 SHIFT=0 FIRST=0 LAST=128 | ROWS=64 COLUMNS=32 DEPTH=0 SHIFT=0 FIRST=0 LAST=128 | ROWS=64 COLUMNS=32 DEPTH=128 SHIFT=-64 FIRST=0 LAST=128 | ROWS=64 COLUMNS=32 DEPTH=128 SHIFT=1000 FIRST=0 LAST=64 | ROWS=64 COLUMNS=32 DEPTH=128 SHIFT=0 FIRST=64 LAST=64 | ROWS=64 COLUMNS=32 DEPTH=120 SHIFT=0 FIRST=0 LAST=256 BLOCK_K=128 | ROWS=60 COLUMNS=30 DEPTH=110 SHIFT=0 FIRST=0 LAST=128 ROLES=1 num_warps=8 BLOCK_M=128 | ROWS=300 COLUMNS=30 DEPTH=50 SHIFT=0 FIRST=0 LAST=64 BLOCK_M=512 BLOCK_K=16 num_warps=8
# ARG: a_ptr randint(-3,4):T[512,128]
# ARG: b_ptr randint(-3,4):T[32,128]
# ARG: c_ptr empty:fp32[BLOCK_M,32]
# ARG: rows ROWS
# ARG: columns COLUMNS
# ARG: depth DEPTH
# ARG: shift SHIFT
# ARG: first FIRST
# ARG: last LAST
# CONST: BLOCK_M 64
# CONST: BLOCK_K 64
# CONST: ROLES 0
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: bytes
# TYPES: i8 fp8e4nv fp8e5
# SIZES: M=64 K=128 BLOCK_K=128 | M=50 K=144 BLOCK_K=64 | M=64 K=96 BLOCK_K=32
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: b_ptr randint(-3,4):T[32,K]
# ARG: c_ptr empty:fp32[M,32]
# ARG: M M
# ARG: K K
# CONST: BLOCK_K BLOCK_K
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: padded_with_nan
# SIZES: M=5 K=128 | M=64 K=64 | M=40 K=192
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[32,K]
# ARG: c_ptr empty:fp32[64,32]
# ARG: M M
# ARG: K K
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: described_anew
# SIZES: N=1 | N=4
# ARG: a_ptr randint(-3,4):fp16[N,50,64]
# ARG: b_ptr randint(-3,4):fp16[N,64,32]
# ARG: c_ptr empty:fp32[64,32]
# ARG: count N
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: also_added
# SIZES: M=50 K=200 | M=64 K=64 num_warps=8
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[32,K]
# ARG: c_ptr empty:fp32[64,32]
# ARG: sums_ptr empty:fp32[64]
# ARG: M M
# ARG: K K
# GRID: 1
# TOLERANCE: c_ptr 0 0
# TOLERANCE: sums_ptr 0 0
#
# KERNEL: one_by_pointers
# SIZES: M=50 K=192 ROLES=0 | M=50 K=320 ROLES=1
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[K,64]
# ARG: c_ptr empty:fp32[64,64]
# ARG: M M
# ARG: K K
# CONST: ROLES ROLES
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: two_loops
# SIZES: M=50 K=128 ROLES=0 | M=64 K=200 ROLES=0 | M=64 K=256 ROLES=1
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[64,K]
# ARG: c_ptr empty:fp32[64,64]
# ARG: M M
# ARG: K K
# CONST: ROLES ROLES
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: persistent
# SIZES: M=200 N=72 K=72 P=2 | M=64 N=64 K=320 P=1 | M=130 N=136 K=0 P=2
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: more_ptr randint(-3,4):fp16[M,N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: stored_before
# SIZES: M=64 N=64 K=96 | M=130 N=40 K=200
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: twice_ptr zeros:fp16[M,K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: WIDE next_power_of_2(K)
# GRID: cdiv(M, 64)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: many_loads
# SIZES: PARTS=33 K=64 | PARTS=3 K=40
# ARG: a_ptr randint(-3,4):fp16[64,K]
# ARG: b_ptr randint(-3,4):fp16[PARTS*16,K]
# ARG: c_ptr empty:fp32[64,16]
# ARG: K K
# CONST: PARTS PARTS
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: many_tensors
# SIZES: PARTS=36
# ARG: a_ptr randint(-3,4):fp16[64,64]
# ARG: b_ptr randint(-3,4):fp16[PARTS,16,64]
# ARG: c_ptr empty:fp32[64,16]
# CONST: PARTS PARTS
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: few_rows
# SIZES: N=1 K=200 | N=4 K=128 | N=8 K=192
# ARG: a_ptr randint(-3,4):fp16[64,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: c_ptr empty:fp32[64,N]
# ARG: K K
# CONST: N N
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: one_row_again
# SIZES: K=96
# ARG: a_ptr randint(-3,4):fp16[K]
# ARG: b_ptr randint(-3,4):fp16[64,K]
# ARG: c_ptr empty:fp32[64,64]
# ARG: K K
# ARG: stride 0
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: backwards
# SIZES: K=64
# ARG: a_ptr randint(-3,4):fp16[64,64]
# ARG: b_ptr randint(-3,4):fp16[64,64]
# ARG: c_ptr empty:fp32[64,64]
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: shifted_columns
# TYPES: fp16 fp32
# SIZES: M=64 K=96 O=-3 | M=4 K=80 O=5 | M=64 K=96 O=8
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: b_ptr randint(-3,4):T[64,K]
# ARG: c_ptr empty:fp32[M,64]
# ARG: M M
# ARG: K K
# ARG: shift O
# CONST: KNOWN O
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: attention
# TYPES: fp16 bf16
# SIZES: H=1 L=256 D=64 ROLES=1 | H=2 L=128 D=64 ROLES=0 | H=1 L=128 D=128 ROLES=1 num_warps=8
# ARG: q_ptr randn:T[H,L,D]
# ARG: k_ptr randn:T[H,L,D]
# ARG: v_ptr randn:T[H,L,D]
# ARG: out_ptr empty:T[H,L,D]
# ARG: heads H
# ARG: length L
# CONST: HEAD_DIM D
# CONST: ROLES ROLES
# GRID: cdiv(L, 128), H
# TOLERANCE: out_ptr 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, rows, columns, depth, shift, first, last, BLOCK_M: tl.constexpr,
            BLOCK_K: tl.constexpr, ROLES: tl.constexpr):
    """The tensors are corners of what is in memory, from which blocks begin `shift` rows away."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [rows, depth], [128, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [columns, depth], [128, 1], [32, BLOCK_K])
    acc = tl.zeros((BLOCK_M, 32), tl.float32)
    for k in tl.range(first, last, BLOCK_K, warp_specialize=ROLES):
        acc = tl.dot(a_desc.load([shift, k]), b_desc.load([0, k]).T, acc, input_precision="tf32")
    tl.store(c_ptr + tl.arange(0, BLOCK_M)[:, None] * 32 + tl.arange(0, 32)[None, :], acc)


def product_reference(a_ptr, b_ptr, ROWS, COLUMNS, DEPTH, SHIFT, FIRST, LAST, BLOCK_M, BLOCK_K):
    def block(tensor, row, height):
        found = np.zeros((height, max(0, -(-(LAST - FIRST) // BLOCK_K) * BLOCK_K)))
        for i in range(height):
            for j in range(found.shape[1]):
                if 0 <= row + i < tensor.shape[0] and 0 <= FIRST + j < tensor.shape[1]:
                    found[i, j] = tensor[row + i, FIRST + j]
        return found

    return block(a_ptr[:ROWS, :DEPTH], SHIFT, BLOCK_M) @ block(b_ptr[:COLUMNS, :DEPTH], 0, 32).T


@triton.jit
def bytes(a_ptr, b_ptr, c_ptr, M, K, BLOCK_K: tl.constexpr):
    SUM: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [32, K], [K, 1], [32, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, 32], [32, 1], [64, 32])
    acc = tl.zeros((64, 32), SUM)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc, out_dtype=SUM)
    c_desc.store([0, 0], acc.to(tl.float32))


def bytes_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def padded_with_nan(a_ptr, b_ptr, c_ptr, M, K):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 64], padding_option="nan")
    b_desc = tl.make_tensor_descriptor(b_ptr, [32, K], [K, 1], [32, 64])
    acc = tl.zeros((64, 32), tl.float32)
    for k in range(0, K, 64):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc)
    acc = tl.where(acc == acc, acc, 1000.0)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :], acc)


def padded_with_nan_reference(a_ptr, b_ptr, M):
    c = np.full((64, 32), 1000.0)
    c[:M] = a_ptr @ b_ptr.T
    return c


@triton.jit
def described_anew(a_ptr, b_ptr, c_ptr, count):
    acc = tl.zeros((64, 32), tl.float32)
    for i in range(count):
        a_desc = tl.make_tensor_descriptor(a_ptr + i * 50 * 64, [50, 64], [64, 1], [64, 64])
        b_desc = tl.make_tensor_descriptor(b_ptr + i * 64 * 32, [64, 32 - i], [32, 1], [64, 32])
        acc = tl.dot(a_desc.load([0, 0]), b_desc.load([0, 0]), acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :], acc)


def described_anew_reference(a_ptr, b_ptr, N):
    c = np.zeros((64, 32))
    for i in range(N):
        c[:50, :32 - i] += a_ptr[i] @ b_ptr[i][:, :32 - i]
    return c


@triton.jit
def also_added(a_ptr, b_ptr, c_ptr, sums_ptr, M, K):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 64])
    b_desc = tl.make_tensor_descriptor(b_ptr, [32, K], [K, 1], [32, 64])
    acc = tl.zeros((64, 32), tl.float32)
    sums = tl.zeros((64, ), tl.float32)
    for k in range(0, K, 64):
        a = a_desc.load([0, k])
        acc = tl.dot(a, b_desc.load([0, k]).T, acc)
        sums += tl.sum(a.to(tl.float32), 1)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :], acc)
    tl.store(sums_ptr + tl.arange(0, 64), sums)


def also_added_reference(a_ptr, b_ptr, M):
    a = np.zeros((64, a_ptr.shape[1]))
    a[:M] = a_ptr
    return {"c_ptr": a @ b_ptr.T, "sums_ptr": a.sum(1)}


@triton.jit
def one_by_pointers(a_ptr, b_ptr, c_ptr, M, K, ROLES: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 64])
    places = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, K, 64, warp_specialize=ROLES):
        acc = tl.dot(a_desc.load([0, k]), tl.load(b_ptr + k * 64 + places), acc)
    tl.store(c_ptr + places, acc)


def one_by_pointers_reference(a_ptr, b_ptr, M):
    c = np.zeros((64, 64))
    c[:M] = a_ptr @ b_ptr
    return c


@triton.jit
def two_loops(a_ptr, b_ptr, c_ptr, M, K, ROLES: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 64])
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, K], [K, 1], [64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, K, 64, warp_specialize=ROLES):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc)
    acc *= 2
    for k in tl.range(0, K, 64, warp_specialize=ROLES):
        acc = tl.dot(b_desc.load([0, k]), a_desc.load([0, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)


def two_loops_reference(a_ptr, b_ptr, M):
    a = np.zeros((64, a_ptr.shape[1]))
    a[:M] = a_ptr
    return 2 * (a @ b_ptr.T) + b_ptr @ a.T


@triton.jit
def persistent(a_ptr, b_ptr, more_ptr, c_ptr, M, N, K):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 64])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [64, 64])
    more_desc = tl.make_tensor_descriptor(more_ptr, [M, N], [N, 1], [64, 64])
    columns = tl.cdiv(N, 64)
    for tile in range(tl.program_id(0), tl.cdiv(M, 64) * columns, tl.num_programs(0)):
        row, column = tile // columns * 64, tile % columns * 64
        acc = more_desc.load([row, column]).to(tl.float32)
        for k in range(0, K, 64):
            acc = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, acc)
        m = row + tl.arange(0, 64)[:, None]
        n = column + tl.arange(0, 64)[None, :]
        tl.store(c_ptr + m * N + n, acc, mask=(m < M) & (n < N))


def persistent_reference(a_ptr, b_ptr, more_ptr):
    return more_ptr + a_ptr @ b_ptr.T


@triton.jit
def stored_before(a_ptr, b_ptr, twice_ptr, c_ptr, M, N, K, WIDE: tl.constexpr):
    """What is loaded by a descriptor was stored by other threads of the program."""
    first = tl.program_id(0) * 64
    m = first + tl.arange(0, 64)[:, None]
    k = tl.arange(0, WIDE)[None, :]
    tl.store(twice_ptr + m * K + k, 2.0 * tl.load(a_ptr + m * K + k, (m < M) & (k < K), 0.0), (m < M) & (k < K))
    tl.debug_barrier()
    a_desc = tl.make_tensor_descriptor(twice_ptr, [M, K], [K, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [64, 32])
    acc = tl.zeros([64, 64], dtype=tl.float32)
    for step in range(0, K, 32):
        acc = tl.dot(a_desc.load([first, step]), b_desc.load([0, step]).T, acc)
    n = tl.arange(0, 64)[None, :]
    tl.store(c_ptr + m * N + n, acc, mask=(m < M) & (n < N))


def stored_before_reference(a_ptr, b_ptr):
    return 2 * a_ptr @ b_ptr.T


@triton.jit
def many_loads(a_ptr, b_ptr, c_ptr, K, PARTS: tl.constexpr):
    """Loads by one descriptor share its tensor map."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [64, K], [K, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [PARTS * 16, K], [K, 1], [16, 32])
    acc = tl.zeros([64, 16], dtype=tl.float32)
    for k in range(0, K, 32):
        a = a_desc.load([0, k])
        for part in tl.static_range(PARTS):
            acc = tl.dot(a, b_desc.load([part * 16, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], acc)


def many_loads_reference(a_ptr, b_ptr, PARTS):
    return a_ptr @ b_ptr.reshape(PARTS, 16, -1).sum(0).T


@triton.jit
def many_tensors(a_ptr, b_ptr, c_ptr, PARTS: tl.constexpr):
    """More descriptors than a warp has lanes."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [64, 64], [64, 1], [64, 32])
    acc = tl.zeros([64, 16], dtype=tl.float32)
    for k in range(0, 64, 32):
        a = a_desc.load([0, k])
        for part in tl.static_range(PARTS):
            b_desc = tl.make_tensor_descriptor(b_ptr + part * 1024, [16, 64], [64, 1], [16, 32])
            acc = tl.dot(a, b_desc.load([0, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], acc)


def many_tensors_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.sum(0).T


@triton.jit
def few_rows(a_ptr, b_ptr, c_ptr, K, N: tl.constexpr):
    """Blocks with fewer rows than a swizzle permutes."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [64, K], [K, 1], [64, 64])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [N, 64])
    acc = tl.zeros([64, N], dtype=tl.float32)
    for k in range(0, K, 64):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * N + tl.arange(0, N)[None, :], acc)


def few_rows_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def one_row_again(a_ptr, b_ptr, c_ptr, K, stride):
    """A stride of 0: all rows are one."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [64, K], [stride, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, K], [K, 1], [64, 32])
    acc = tl.zeros([64, 64], dtype=tl.float32)
    for k in range(0, K, 32):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)


def one_row_again_reference(a_ptr, b_ptr):
    return np.broadcast_to(b_ptr @ a_ptr, (64, 64))


@triton.jit
def backwards(a_ptr, b_ptr, c_ptr):
    """A negative stride that is known: hardware has none, so threads copy."""
    a_desc = tl.make_tensor_descriptor(a_ptr + 63 * 64, [64, 64], [-64, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, 64], [64, 1], [64, 32])
    acc = tl.zeros([64, 64], dtype=tl.float32)
    for k in range(0, 64, 32):
        acc = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, acc)
    tl.store(c_ptr + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)


def backwards_reference(a_ptr, b_ptr):
    return a_ptr[::-1] @ b_ptr.T


@triton.jit
def shifted_columns(a_ptr, b_ptr, c_ptr, M, K, shift, KNOWN: tl.constexpr):
    """Blocks that begin anywhere in a line; hardware takes multiples of 16 bytes alone."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, K], [K, 1], [64, 32])
    acc = tl.zeros([64, 64], dtype=tl.float32)
    for k in range(0, K, 32):
        acc = tl.dot(a_desc.load([0, k + shift]), b_desc.load([0, k + KNOWN]).T, acc)
    m = tl.arange(0, 64)[:, None]
    tl.store(c_ptr + m * 64 + tl.arange(0, 64)[None, :], acc, mask=m < M)


def shifted_columns_reference(a_ptr, b_ptr, K, shift):
    # Steps cover whole blocks: up to the columns from K to the end of the last one.
    steps = np.arange(0, -(-K // 32) * 32) + shift
    inside = steps[(steps >= 0) & (steps < K)]
    return a_ptr[:, inside] @ b_ptr[:, inside].T


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, heads, length, HEAD_DIM: tl.constexpr, ROLES: tl.constexpr):
    start, head = tl.program_id(0) * 128, tl.program_id(1)
    size = heads * length
    q_desc = tl.make_tensor_descriptor(q_ptr, [size, HEAD_DIM], [HEAD_DIM, 1], [128, HEAD_DIM])
    k_desc = tl.make_tensor_descriptor(k_ptr, [size, HEAD_DIM], [HEAD_DIM, 1], [64, HEAD_DIM])
    v_desc = tl.make_tensor_descriptor(v_ptr, [size, HEAD_DIM], [HEAD_DIM, 1], [64, HEAD_DIM])
    o_desc = tl.make_tensor_descriptor(out_ptr, [size, HEAD_DIM], [HEAD_DIM, 1], [128, HEAD_DIM])
    q = q_desc.load([head * length + start, 0])
    most = tl.full([128], float("-inf"), tl.float32)
    norm = tl.zeros([128], tl.float32)
    acc = tl.zeros([128, HEAD_DIM], tl.float32)
    for first in tl.range(0, length, 64, warp_specialize=ROLES):
        k = k_desc.load([head * length + first, 0])
        score = tl.dot(q, k.T) * 0.18
        new_most = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp2(score - new_most[:, None])
        keep = tl.exp2(most - new_most)
        norm = norm * keep + tl.sum(weight, 1)
        v = v_desc.load([head * length + first, 0])
        acc = tl.dot(weight.to(v.dtype), v, acc * keep[:, None])
        most = new_most
    o_desc.store([head * length + start, 0], (acc / norm[:, None]).to(out_ptr.dtype.element_ty))


def attention_reference(q_ptr, k_ptr, v_ptr):
    weight = np.exp2(np.einsum("hid,hjd->hij", q_ptr, k_ptr) * 0.18)
    return np.einsum("hij,hjd->hid", weight / weight.sum(-1, keepdims=True), v_ptr)
