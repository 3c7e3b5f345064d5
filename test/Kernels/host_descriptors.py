# Kernels that get tensor descriptors from the host, as people write them: matrix products, one program a tile and
# persistent ones, a transposition, attention, rows that are gathered and scattered, sums in memory, padding with NaN.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: matmul
# TYPES: fp16 bf16 fp32
# SIZES: M=1 N=8 K=8 | M=67 N=40 K=104 | M=64 N=64 K=64
# BENCH: M=4096 N=4096 K=4096 T=bf16
# ARG: a_desc desc(randn:T[M,K], [BLOCK_M, BLOCK_K])
# ARG: b_desc desc(randn:T[N,K], [BLOCK_N, BLOCK_K])
# ARG: c_desc desc(empty:T[M,N], [BLOCK_M, BLOCK_N])
# ARG: K K
# CONST: BLOCK_M min(128, max(32, M // 32))
# CONST: BLOCK_N min(128, max(32, N // 32))
# CONST: BLOCK_K min(64, max(32, K // 32))
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# WARPS: 8
# TOLERANCE: c_desc 1e-2 2e-2
#
# KERNEL: matmul_persistent
# SIZES: M=67 N=40 K=104 | M=128 N=64 K=16
# BENCH: M=4096 N=4096 K=4096
# ARG: a_desc desc(randn:bf16[M,K], [BLOCK_M, BLOCK_K])
# ARG: b_desc desc(randn:bf16[K,N], [BLOCK_K, BLOCK_N])
# ARG: c_desc desc(empty:bf16[M,N], [BLOCK_M, BLOCK_N])
# CONST: BLOCK_M min(128, max(32, M // 32))
# CONST: BLOCK_N min(128, max(16, N // 32))
# CONST: BLOCK_K min(64, max(16, K // 32))
# CONST: GROUP 8
# GRID: 3 if M < 1024 else 132
# WARPS: 8
# TOLERANCE: c_desc 1e-2 2e-2
#
# KERNEL: transpose
# TYPES: fp16 fp32
# SIZES: rows=40 columns=72 | rows=64 columns=64
# BENCH: rows=4096 columns=8192 T=fp16
# ARG: x_desc desc(randn:T[rows,columns], [32, 64])
# ARG: out_desc desc(empty:T[columns,rows], [64, 32])
# GRID: cdiv(rows, 32), cdiv(columns, 64)
#
# KERNEL: attention
# SIZES: H=2 L=64 D=16 CAUSAL=0 | H=1 L=50 D=32 CAUSAL=1
# ARG: q_desc desc(randn:fp16[H,L,D], [1, BLOCK_M, HEAD_DIM])
# ARG: k_desc desc(randn:fp16[H,L,D], [1, BLOCK_N, HEAD_DIM])
# ARG: v_desc desc(randn:fp16[H,L,D], [1, BLOCK_N, HEAD_DIM])
# ARG: out_desc desc(empty:fp16[H,L,D], [1, BLOCK_M, HEAD_DIM])
# ARG: scale 0.25
# CONST: HEAD_DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_desc 5e-3 5e-3
#
# KERNEL: take_rows
# TYPES: fp16 fp32
# SIZES: rows=20 columns=24 count=13 | rows=64 columns=128 count=32
# ARG: x_desc desc(randn:T[rows,columns], [1, 32])
# ARG: index_ptr randint(0,rows):i32[count]
# ARG: out_desc desc(empty:T[count,columns], [16, 32])
# ARG: count count
# GRID: cdiv(count, 16), cdiv(columns, 32)
#
# KERNEL: put_rows
# SIZES: rows=20 columns=24 | rows=32 columns=64
# ARG: x_desc desc(randn:fp32[rows,columns], [16, 32])
# ARG: index_ptr permutation:i32[rows]
# ARG: out_desc desc(zeros:fp32[rows,columns], [1, 32])
# GRID: cdiv(rows, 16), cdiv(columns, 32)
# CHECK: out_desc
#
# KERNEL: matmul_split_k
# SIZES: M=40 N=24 K=200 | M=32 N=32 K=64
# ARG: a_desc desc(randn:fp16[M,K], [32, 32])
# ARG: b_desc desc(randn:fp16[K,N], [32, 32])
# ARG: c_desc desc(zeros:fp32[M,N], [32, 32])
# CONST: SPLITS 3
# GRID: cdiv(M, 32), cdiv(N, 32), SPLITS
# CHECK: c_desc
# TOLERANCE: c_desc 1e-4 1e-3
#
# KERNEL: valid_means
# SIZES: rows=7 columns=40 | rows=16 columns=64
# ARG: x_desc desc(randn:fp32[rows,columns], [4, 64], nan)
# ARG: out_ptr empty:fp32[rows]
# GRID: cdiv(rows, 4)
# TOLERANCE: out_ptr 1e-5 1e-6
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul(a_desc, b_desc, c_desc, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK_M
    offs_n = tl.program_id(1) * BLOCK_N
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        a = a_desc.load([offs_m, k * BLOCK_K])
        b = b_desc.load([offs_n, k * BLOCK_K])
        accumulator = tl.dot(a, b.T, accumulator, input_precision="ieee")
    c_desc.store([offs_m, offs_n], accumulator.to(c_desc.dtype))


def matmul_on_gpu(a, b, c, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64):
    M, K = a.shape
    N, _ = b.shape
    a_desc = TensorDescriptor.from_tensor(a, [BLOCK_M, BLOCK_K])
    b_desc = TensorDescriptor.from_tensor(b, [BLOCK_N, BLOCK_K])
    c_desc = TensorDescriptor.from_tensor(c, [BLOCK_M, BLOCK_N])
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    matmul[grid](a_desc, b_desc, c_desc, K, BLOCK_M, BLOCK_N, BLOCK_K, num_warps=8)


def matmul_reference(a_desc, b_desc):
    return a_desc @ b_desc.T


@triton.jit
def tile_of(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    width = GROUP * tiles_n
    group = tile // width
    first = group * GROUP
    height = min(tiles_m - first, GROUP)
    return first + tile % height, (tile % width) // height


@triton.jit
def matmul_persistent(a_desc, b_desc, c_desc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    tiles_m = tl.cdiv(c_desc.shape[0], BLOCK_M)
    tiles_n = tl.cdiv(c_desc.shape[1], BLOCK_N)
    k_tiles = tl.cdiv(a_desc.shape[1], BLOCK_K)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        m, n = tile_of(tile, tiles_m, tiles_n, GROUP)
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(k_tiles):
            a = a_desc.load([m * BLOCK_M, k * BLOCK_K])
            b = b_desc.load([k * BLOCK_K, n * BLOCK_N])
            accumulator = tl.dot(a, b, accumulator)
        c_desc.store([m * BLOCK_M, n * BLOCK_N], accumulator.to(tl.bfloat16))


def matmul_persistent_reference(a_desc, b_desc):
    return a_desc @ b_desc


@triton.jit
def transpose(x_desc, out_desc):
    row = tl.program_id(0) * x_desc.block_shape[0]
    column = tl.program_id(1) * x_desc.block_shape[1]
    out_desc.store([column, row], x_desc.load([row, column]).T)


def transpose_reference(x_desc):
    return x_desc.T


@triton.jit
def attend(accumulator, total, highest, q, k_desc, v_desc, head, rows, length, first, scale,
           BLOCK_N: tl.constexpr, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr):
    columns = first + tl.arange(0, BLOCK_N)
    k = k_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD_DIM)
    scores = tl.dot(q, k.T) * scale
    inside = columns[None, :] < length
    if CAUSAL:
        inside = inside & (columns[None, :] <= rows[:, None])
    scores = tl.where(inside, scores, -1.0e6)
    higher = tl.maximum(highest, tl.max(scores, 1))
    weights = tl.exp(scores - higher[:, None])
    factor = tl.exp(highest - higher)
    total = total * factor + tl.sum(weights, 1)
    v = v_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD_DIM)
    accumulator = tl.dot(weights.to(v_desc.dtype), v, accumulator * factor[:, None])
    return accumulator, total, higher


@triton.jit
def attention(q_desc, k_desc, v_desc, out_desc, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    start = tl.program_id(0) * BLOCK_M
    length = q_desc.shape[1]
    rows = start + tl.arange(0, BLOCK_M)
    q = q_desc.load([head, start, 0]).reshape(BLOCK_M, HEAD_DIM)
    accumulator = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    highest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    end = min(start + BLOCK_M, length) if CAUSAL else length
    for first in range(0, end, BLOCK_N):
        accumulator, total, highest = attend(accumulator, total, highest, q, k_desc, v_desc, head, rows, length,
                                             first, scale, BLOCK_N, HEAD_DIM, CAUSAL)
    result = (accumulator / total[:, None]).to(out_desc.dtype)
    out_desc.store([head, start, 0], result.reshape(1, BLOCK_M, HEAD_DIM))


def attention_reference(q_desc, k_desc, v_desc, scale, CAUSAL):
    scores = q_desc @ k_desc.transpose(0, 2, 1) * scale
    if CAUSAL:
        length = scores.shape[1]
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v_desc


@triton.jit
def take_rows(x_desc, index_ptr, out_desc, count):
    first = tl.program_id(0) * 16
    column = tl.program_id(1) * 32
    at = first + tl.arange(0, 16)
    index = tl.load(index_ptr + at, mask=at < count, other=0)
    out_desc.store([first, column], x_desc.gather(index, column))


def take_rows_reference(x_desc, index_ptr):
    return x_desc[index_ptr]


@triton.jit
def put_rows(x_desc, index_ptr, out_desc):
    rows = x_desc.shape[0]
    first = tl.program_id(0) * 16
    column = tl.program_id(1) * 32
    at = first + tl.arange(0, 16)
    index = tl.load(index_ptr + at, mask=at < rows, other=rows)
    out_desc.scatter(x_desc.load([first, column]), index, column)


def put_rows_reference(x_desc, index_ptr):
    out = np.zeros_like(x_desc)
    out[index_ptr] = x_desc
    return out


@triton.jit
def matmul_split_k(a_desc, b_desc, c_desc, SPLITS: tl.constexpr):
    m, n = tl.program_id(0) * 32, tl.program_id(1) * 32
    accumulator = tl.zeros([32, 32], tl.float32)
    for k in range(tl.program_id(2) * 32, a_desc.shape[1], SPLITS * 32):
        accumulator = tl.dot(a_desc.load([m, k]), b_desc.load([k, n]), accumulator)
    c_desc.atomic_add([m, n], accumulator)


def matmul_split_k_reference(a_desc, b_desc):
    return a_desc @ b_desc


@triton.jit
def valid_means(x_desc, out_ptr):
    """Means of rows whose length only the descriptor knows: what is outside comes as NaN."""
    row = tl.program_id(0) * 4
    x = x_desc.load([row, 0])
    valid = x == x
    count = tl.sum(valid.to(tl.float32), 1)
    mean = tl.sum(tl.where(valid, x, 0.0), 1) / tl.maximum(count, 1.0)
    at = row + tl.arange(0, 4)
    tl.store(out_ptr + at, mean, mask=at < x_desc.shape[0])


def valid_means_reference(x_desc):
    return x_desc.mean(1)
