# Kernels by tensor descriptors as people write them: matrix products, one program a tile and persistent ones, attention,
# normalisations over rows, rows that are gathered and scattered, partial sums that are added in memory.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: matmul
# TYPES: fp16 bf16 fp32
# SIZES: M=1 N=8 K=8 | M=67 N=40 K=104 | M=64 N=64 K=64
# BENCH: M=4096 N=4096 K=4096 T=bf16 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:T[M,K]
# ARG: b_ptr randn:T[N,K]
# ARG: c_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-2 2e-2
#
# KERNEL: matmul_persistent
# SIZES: M=67 N=40 K=104 P=3 | M=128 N=64 K=16 P=3
# BENCH: M=4096 N=4096 K=4096 P=132 GROUP=8 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:bf16[M,K]
# ARG: b_ptr randn:bf16[K,N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# CONST: GROUP 2
# GRID: P
# TOLERANCE: c_ptr 1e-2 2e-2
#
# KERNEL: attention
# SIZES: H=2 L=64 D=16 CAUSAL=0 | H=1 L=50 D=32 CAUSAL=1
# BENCH: H=32 L=4096 D=64 CAUSAL=1 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:fp16[H,L,D]
# ARG: k_ptr randn:fp16[H,L,D]
# ARG: v_ptr randn:fp16[H,L,D]
# ARG: out_ptr empty:fp16[H,L,D]
# ARG: heads H
# ARG: length L
# ARG: scale 0.25
# CONST: HEAD_DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 5e-3 5e-3
#
# KERNEL: softmax
# TYPES: fp32 fp16
# SIZES: rows=5 columns=24 | rows=8 columns=64
# BENCH: rows=32768 columns=1024 T=fp32 COLUMNS=1024 num_warps=4
# ARG: x_ptr randn:T[rows,columns]
# ARG: out_ptr empty:T[rows,columns]
# ARG: rows rows
# ARG: columns columns
# CONST: ROWS 4
# CONST: COLUMNS 64
# GRID: cdiv(rows, ROWS)
# TOLERANCE: out_ptr 2e-3 1e-4
#
# KERNEL: layer_norm
# SIZES: rows=7 columns=40 P=2
# BENCH: rows=16384 columns=4096 P=528 COLUMNS=4096 num_warps=8
# ARG: x_ptr randn:fp32[rows,columns]
# ARG: weight_ptr randn:fp32[columns]
# ARG: bias_ptr randn:fp32[columns]
# ARG: out_ptr empty:fp32[rows,columns]
# ARG: rows rows
# ARG: columns columns
# ARG: eps 0.001
# CONST: COLUMNS 64
# GRID: P
# TOLERANCE: out_ptr 1e-5 1e-5
#
# KERNEL: take_rows
# SIZES: rows=20 columns=24 count=13
# BENCH: rows=65536 columns=1024 count=32768 ROWS=32 COLUMNS=256 num_warps=4
# ARG: x_ptr randn:fp16[rows,columns]
# ARG: index_ptr randint(0,rows):i32[count]
# ARG: out_ptr empty:fp16[count,columns]
# ARG: rows rows
# ARG: columns columns
# ARG: count count
# CONST: ROWS 8
# CONST: COLUMNS 16
# GRID: cdiv(count, ROWS), cdiv(columns, COLUMNS)
#
# KERNEL: put_rows
# SIZES: count=13 columns=20
# BENCH: count=32768 columns=1024 ROWS=32 COLUMNS=128 num_warps=4
# ARG: x_ptr randn:fp32[count,columns]
# ARG: index_ptr permutation:i32[count]
# ARG: out_ptr zeros:fp32[count,columns]
# ARG: columns columns
# ARG: count count
# CONST: ROWS 8
# CONST: COLUMNS 8
# GRID: cdiv(count, ROWS), cdiv(columns, COLUMNS)
# CHECK: out_ptr
#
# KERNEL: split_k
# SIZES: M=32 N=16 K=64
# BENCH: M=64 N=64 K=131072 PART=32 num_warps=8
# ARG: a_ptr randn:fp32[M,K]
# ARG: b_ptr randn:fp32[K,N]
# ARG: c_ptr zeros:fp32[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# CONST: PART 16
# GRID: cdiv(K, PART)
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-4 1e-4*max(1,sqrt(K/64))
import numpy as np
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        a = a_desc.load([row, k])
        b = b_desc.load([column, k])
        total = tl.dot(a, b.T, total)
    c_desc.store([row, column], total.to(c_ptr.dtype.element_ty))


def matmul_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def place(tile, rows, columns, GROUP: tl.constexpr):
    in_group = GROUP * columns
    first = (tile // in_group) * GROUP
    height = min(rows - first, GROUP)
    return first + (tile % in_group) % height, (tile % in_group) // height


@triton.jit
def matmul_persistent(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), rows * columns, tl.num_programs(0), flatten=True):
        row, column = place(tile, rows, columns, GROUP)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([row * BLOCK_M, k * BLOCK_K])
            b = b_desc.load([k * BLOCK_K, column * BLOCK_N])
            total = tl.dot(a, b, total)
        c_desc.store([row * BLOCK_M, column * BLOCK_N], total.to(tl.bfloat16))


def matmul_persistent_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def of_head(pointer, heads, length, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    return tl.make_tensor_descriptor(pointer, [heads, length, WIDTH], [length * WIDTH, WIDTH, 1], [1, ROWS, WIDTH])


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, heads, length, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    start = tl.program_id(0) * BLOCK_M
    q_desc = of_head(q_ptr, heads, length, BLOCK_M, HEAD_DIM)
    k_desc = of_head(k_ptr, heads, length, BLOCK_N, HEAD_DIM)
    v_desc = of_head(v_ptr, heads, length, BLOCK_N, HEAD_DIM)
    o_desc = of_head(out_ptr, heads, length, BLOCK_M, HEAD_DIM)
    rows = start + tl.arange(0, BLOCK_M)
    q = q_desc.load([head, start, 0]).reshape(BLOCK_M, HEAD_DIM)
    most = tl.full([BLOCK_M], float("-inf"), tl.float32)
    norm = tl.zeros([BLOCK_M], tl.float32)
    total = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    end = min(start + BLOCK_M, length) if CAUSAL else length
    for first in range(0, end, BLOCK_N):
        k = k_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD_DIM)
        columns = first + tl.arange(0, BLOCK_N)
        score = tl.dot(q, k.T) * scale
        seen = columns[None, :] < length
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        score = tl.where(seen, score, float("-inf"))
        new_most = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - new_most[:, None])
        keep = tl.exp(most - new_most)
        norm = norm * keep + tl.sum(weight, 1)
        v = v_desc.load([head, first, 0]).reshape(BLOCK_N, HEAD_DIM)
        total = tl.dot(weight.to(tl.float16), v, total * keep[:, None])
        most = new_most
    result = (total / norm[:, None]).to(tl.float16)
    o_desc.store([head, start, 0], result.reshape(1, BLOCK_M, HEAD_DIM))


def attention_reference(q_ptr, k_ptr, v_ptr, scale, CAUSAL):
    score = np.einsum("hid,hjd->hij", q_ptr, k_ptr) * scale
    if CAUSAL:
        length = score.shape[1]
        score = np.where(np.arange(length)[None, :] <= np.arange(length)[:, None], score, -np.inf)
    weight = np.exp(score - score.max(axis=2, keepdims=True))
    return np.einsum("hij,hjd->hid", weight / weight.sum(axis=2, keepdims=True), v_ptr)


@triton.jit
def softmax(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    out_desc = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    first = tl.program_id(0) * ROWS
    x = x_desc.load([first, 0]).to(tl.float32)
    x = tl.where(tl.arange(0, COLUMNS)[None, :] < columns, x, float("-inf"))
    power = tl.exp(x - tl.max(x, 1, keep_dims=True))
    out_desc.store([first, 0], power / tl.sum(power, 1, keep_dims=True))


def softmax_reference(x_ptr):
    power = np.exp(x_ptr - x_ptr.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, rows, columns, eps, COLUMNS: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [1, COLUMNS])
    out_desc = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [1, COLUMNS])
    weight = tl.make_tensor_descriptor(weight_ptr, [columns], [1], [COLUMNS]).load([0])
    bias = tl.make_tensor_descriptor(bias_ptr, [columns], [1], [COLUMNS]).load([0])
    inside = tl.arange(0, COLUMNS) < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = x_desc.load([row, 0]).reshape(COLUMNS)
        # Elements outside are zeros, which add nothing.
        mean = tl.sum(x) / columns
        distance = tl.where(inside, x - mean, 0.0)
        variance = tl.sum(distance * distance) / columns
        y = distance / tl.sqrt(variance + eps) * weight + bias
        tl.store_tensor_descriptor(out_desc, [row, 0], y.reshape(1, COLUMNS))


def layer_norm_reference(x_ptr, weight_ptr, bias_ptr, eps):
    distance = x_ptr - x_ptr.mean(axis=1, keepdims=True)
    return distance / np.sqrt((distance**2).mean(axis=1, keepdims=True) + eps) * weight_ptr + bias_ptr


@triton.jit
def take_rows(x_ptr, index_ptr, out_ptr, rows, columns, count, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [1, COLUMNS])
    out_desc = tl.make_tensor_descriptor(out_ptr, [count, columns], [columns, 1], [ROWS, COLUMNS])
    first = tl.program_id(0) * ROWS
    column = tl.program_id(1) * COLUMNS
    places = first + tl.arange(0, ROWS)
    index = tl.load(index_ptr + places, mask=places < count, other=-1)
    out_desc.store([first, column], x_desc.gather(index, column))


def take_rows_reference(x_ptr, index_ptr):
    return x_ptr[index_ptr.astype(int)]


@triton.jit
def put_rows(x_ptr, index_ptr, out_ptr, columns, count, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [count, columns], [columns, 1], [ROWS, COLUMNS])
    out_desc = tl.make_tensor_descriptor(out_ptr, [count, columns], [columns, 1], [1, COLUMNS])
    first = tl.program_id(0) * ROWS
    column = tl.program_id(1) * COLUMNS
    places = first + tl.arange(0, ROWS)
    index = tl.load(index_ptr + places, mask=places < count, other=-1)
    out_desc.scatter(x_desc.load([first, column]), index, column)


def put_rows_reference(x_ptr, index_ptr):
    out = np.zeros_like(x_ptr)
    out[index_ptr.astype(int)] = x_ptr
    return out


@triton.jit
def split_k(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PART: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [M, PART])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [PART, N])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [M, N])
    k = tl.program_id(0) * PART
    part = tl.dot(a_desc.load([0, k]), b_desc.load([k, 0]), input_precision="ieee")
    c_desc.atomic_add([0, 0], part)


def split_k_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr
