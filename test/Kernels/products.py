# Matrix products as people write them: by pointers with masks and a grouped order of programs, with a bias and an
# activation, batched, in several precisions, small ones, and attention.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: matmul
# TYPES: fp16 bf16 fp32
# SIZES: M=1 N=1 K=1 | M=67 N=40 K=100 | M=72 N=40 K=104 | M=128 N=64 K=64
# BENCH: M=4096 N=4096 K=4096 T=bf16 GROUP_M=8 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:T[M,K]
# ARG: b_ptr randn:T[K,N]
# ARG: c_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP_M 2
# CONST: ACTIVATION "'leaky_relu'"
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-2 2e-2
#
# KERNEL: matmul_transposed
# SIZES: M=33 N=17 K=48
# BENCH: M=2048 N=2048 K=1024 BLOCK=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:fp32[K,M]
# ARG: b_ptr randn:fp32[N,K]
# ARG: c_ptr empty:fp64[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 16
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
# TOLERANCE: c_ptr 1e-5 1e-5*max(1,K/64)
#
# KERNEL: matmul_doubles
# SIZES: M=16 N=16 K=32
# ARG: a_ptr randn:fp64[M,K]
# ARG: b_ptr randn:fp64[K,N]
# ARG: c_ptr randn:fp64[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-12 1e-12
#
# KERNEL: matmul_bytes
# SIZES: M=20 N=30 K=70
# BENCH: M=4096 N=4096 K=2048 BLOCK=128 num_warps=8 num_stages=3
# ARG: a_ptr randint(-128,128):i8[M,K]
# ARG: b_ptr randint(-128,128):i8[K,N]
# ARG: c_ptr empty:i32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 32
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
#
# KERNEL: matmul_fp8
# SIZES: M=16 N=32 K=64
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e5[K,N]
# ARG: c_ptr empty:fp32[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# TOLERANCE: c_ptr 1e-5 1e-4
#
# KERNEL: matmul_half_sums
# SIZES: M=16 N=32 K=64
# ARG: a_ptr rand:fp16[M,K]
# ARG: b_ptr rand:fp16[K,N]
# ARG: c_ptr empty:fp16[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# TOLERANCE: c_ptr 1e-2 1e-2
#
# KERNEL: batched
# SIZES: B=2 M=16 N=16 K=32 | B=3 M=5 N=20 K=33
# BENCH: B=4096 M=32 N=32 K=128 num_warps=4 num_stages=2
# ARG: a_ptr randn:fp32[B,M,K]
# ARG: b_ptr randn:fp32[B,K,N]
# ARG: c_ptr empty:fp32[B,M,N]
# ARG: B B
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_B 2
# CONST: BLOCK 32
# GRID: cdiv(B, BLOCK_B)
# TOLERANCE: c_ptr 1e-4 1e-4
#
# KERNEL: stacks
# SIZES: N=1
# ARG: a_ptr randn:fp32[2,4,8,16]
# ARG: b_ptr randn:fp32[2,4,16,4]
# ARG: c_ptr empty:fp32[2,4,8,4]
# GRID: 1
# TOLERANCE: c_ptr 1e-5 1e-5
#
# KERNEL: chain
# SIZES: N=1
# ARG: x_ptr randn:fp32[16,16]
# ARG: out_ptr empty:fp32[16,16]
# ARG: steps 3
# GRID: 1
# TOLERANCE: out_ptr 1e-3 1e-3
#
# KERNEL: swapped
# SIZES: N=1
# ARG: x_ptr randn:fp32[16,16]
# ARG: y_ptr randn:fp32[16,16]
# ARG: out_ptr empty:fp32[2,16,16]
# ARG: steps 3
# GRID: 1
# TOLERANCE: out_ptr 1e-3 1e-3
#
# KERNEL: running_sums
# SIZES: STEPS=1 | STEPS=3
# BENCH: STEPS=3 num_warps=4
# ARG: x_ptr randint(-3,4):fp32[64*STEPS,32]
# ARG: y_ptr empty:fp32[32,64]
# ARG: stride 32
# CONST: STEPS STEPS
# GRID: 1
# TOLERANCE: y_ptr 0 0
#
# KERNEL: sums_from_below
# SIZES: M=20 STEPS=2 | M=16 STEPS=3
# ARG: a_ptr randint(-3,4):fp16[M,64]
# ARG: b_ptr randint(-3,4):fp16[64,32]
# ARG: c_ptr empty:fp32[M,32]
# ARG: M M
# ARG: steps STEPS
# GRID: 1
# TOLERANCE: c_ptr 0 0
#
# KERNEL: attention
# TYPES: fp16 fp32
# SIZES: L=64 H=2 D=32 CAUSAL=0 | L=64 H=1 D=16 CAUSAL=1 | L=256 H=3 D=128 CAUSAL=0 BLOCK_M=128 BLOCK_N=128 num_warps=8 num_stages=2
# BENCH: L=4096 H=16 D=128 CAUSAL=1 T=fp16 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: q_ptr randn:T[H,L,D]
# ARG: k_ptr randn:T[H,L,D]
# ARG: v_ptr randn:T[H,L,D]
# ARG: out_ptr empty:T[H,L,D]
# ARG: scale 0.25
# ARG: length L
# CONST: HEAD_DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 5e-3 5e-3
import numpy as np
import triton
import triton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
           ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * columns
    first = (pid // in_group) * GROUP_M
    height = min(rows - first, GROUP_M)
    row = first + (pid % in_group) % height
    column = (pid % in_group) // height
    offs_m = (row * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (column * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    offs_cm = row * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = column * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


def matmul_reference(a_ptr, b_ptr):
    c = a_ptr @ b_ptr
    return np.where(c >= 0, c, 0.01 * c)


@triton.jit
def matmul_transposed(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + k[:, None] * M + rows[None, :], mask=(k[:, None] < K) & (rows[None, :] < M), other=0)
        b = tl.load(b_ptr + columns[:, None] * K + k[None, :], mask=(columns[:, None] < N) & (k[None, :] < K), other=0)
        total += tl.dot(tl.trans(a), b.T, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul_transposed_reference(a_ptr, b_ptr):
    return a_ptr.T @ b_ptr.T


@triton.jit
def matmul_doubles(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c_ptrs = c_ptr + m[:, None] * N + n[None, :]
    tl.store(c_ptrs, tl.dot(a, b, tl.load(c_ptrs), out_dtype=tl.float64))


def matmul_doubles_reference(a_ptr, b_ptr, c_ptr):
    return a_ptr @ b_ptr + c_ptr


@triton.jit
def matmul_bytes(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.int32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        b = tl.load(b_ptr + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(a, b, total, out_dtype=tl.int32)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul_bytes_reference(a_ptr, b_ptr):
    return a_ptr.astype(np.int64) @ b_ptr.astype(np.int64)


@triton.jit
def matmul_fp8(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, max_num_imprecise_acc=32))


def matmul_fp8_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def matmul_half_sums(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    total = tl.full([M, N], 1, tl.float16)
    for _ in range(2):
        total = tl.dot(a, b, total, out_dtype=tl.float16)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


def matmul_half_sums_reference(a_ptr, b_ptr):
    return 1 + 2 * (a_ptr @ b_ptr)


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, B, M, N, K, BLOCK_B: tl.constexpr, BLOCK: tl.constexpr):
    s = (tl.program_id(0) * BLOCK_B + tl.arange(0, BLOCK_B))[:, None, None]
    i = tl.arange(0, BLOCK)[None, :, None]
    j = tl.arange(0, BLOCK)[None, None, :]
    total = tl.zeros([BLOCK_B, BLOCK, BLOCK], tl.float32)
    for start in range(0, K, BLOCK):
        a = tl.load(a_ptr + (s * M + i) * K + start + j, mask=(s < B) & (i < M) & (start + j < K), other=0)
        b = tl.load(b_ptr + (s * K + start + i) * N + j, mask=(s < B) & (start + i < K) & (j < N), other=0)
        total += tl.dot(a, b, allow_tf32=False)
    tl.store(c_ptr + (s * M + i) * N + j, total, mask=(s < B) & (i < M) & (j < N))


def batched_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def stacks(a_ptr, b_ptr, c_ptr):
    """Ranks above three."""
    a = tl.reshape(tl.load(a_ptr + tl.arange(0, 1024)), [2, 4, 8, 16])
    b = tl.reshape(tl.load(b_ptr + tl.arange(0, 512)), [2, 4, 16, 4])
    c = tl.dot(a, b, input_precision="IEEE")
    tl.store(c_ptr + tl.arange(0, 256), tl.reshape(c, [256]))


def stacks_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def chain(x_ptr, out_ptr, steps):
    """A factor that the loop carries: the product may not overwrite it while it is read."""
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i[:, None] * 16 + i[None, :]) * 0.25
    y = x
    for _ in range(steps):
        y = tl.dot(y, x, y, input_precision="ieee")
    tl.store(out_ptr + i[:, None] * 16 + i[None, :], y)


def chain_reference(x_ptr):
    x = x_ptr * 0.25
    y = x
    for _ in range(3):
        y = y @ x + y
    return y


@triton.jit
def swapped(x_ptr, y_ptr, out_ptr, steps):
    """Two products, each of which needs the other's accumulator as it was."""
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    x = tl.load(x_ptr + at) * 0.25
    y = tl.load(y_ptr + at) * 0.25
    for _ in range(steps):
        new_x = tl.dot(y, y, x, input_precision="ieee")
        new_y = tl.dot(x, x, y, input_precision="ieee")
        x = new_x
        y = new_y
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + 256 + at, y)


def swapped_reference(x_ptr, y_ptr):
    x, y = x_ptr * 0.25, y_ptr * 0.25
    for _ in range(3):
        x, y = y @ y + x, x @ x + y
    return np.stack([x, y])


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, length, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    base = tl.program_id(1) * length * HEAD_DIM
    offs_m = start * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(q_ptr + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :])
    peak = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    end = (start + 1) * BLOCK_M if CAUSAL else length
    for n in range(0, end, BLOCK_N):
        n = tl.multiple_of(n, BLOCK_N)
        k = tl.load(k_ptr + base + (n + offs_n[None, :]) * HEAD_DIM + offs_d[:, None])
        scores = tl.dot(q, k) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(offs_m[:, None] >= n + offs_n[None, :], scores, float("-inf"))
        new_peak = tl.maximum(peak, tl.max(scores, 1))
        weights = tl.exp2(scores - new_peak[:, None])
        fade = tl.exp2(peak - new_peak)
        total = total * fade + tl.sum(weights, 1)
        acc = acc * fade[:, None]
        v = tl.load(v_ptr + base + (n + offs_n[:, None]) * HEAD_DIM + offs_d[None, :])
        acc = tl.dot(weights.to(q.dtype), v, acc)
        peak = new_peak
    out = acc / total[:, None]
    tl.store(out_ptr + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :], out.to(out_ptr.dtype.element_ty))


def attention_reference(q_ptr, k_ptr, v_ptr, CAUSAL):
    scores = q_ptr @ k_ptr.transpose(0, 2, 1) * 0.25
    if CAUSAL:
        scores = np.where(np.tril(np.ones(scores.shape[1:])) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v_ptr


@triton.jit
def running_sums(x_ptr, y_ptr, stride, STEPS: tl.constexpr):
    """The same instructions multiply in each of a few steps, while what they read in shared memory changes."""
    row, column = tl.arange(0, 64), tl.arange(0, 32)
    lower = tl.where(row[:, None] >= row[None, :], 1.0, 0.0).to(tl.float8e4nv)
    sums = tl.zeros([64, 32], tl.float32)
    x = tl.make_block_ptr(x_ptr, (64 * STEPS, 32), (stride, 1), (0, 0), (64, 32), (0, 1))
    for _ in range(STEPS):
        sums += tl.dot(lower, tl.load(x).to(tl.float8e4nv), max_num_imprecise_acc=64)
        x = tl.advance(x, (64, 0))
    tl.store(y_ptr + row[:, None] + column[None, :] * 64, sums)


def running_sums_reference(x_ptr):
    return x_ptr.reshape(-1, 64, 32).sum(0).cumsum(0).T


@triton.jit
def sums_from_below(a_ptr, b_ptr, c_ptr, M, steps):
    """Rows that wrap around are not stored, but what they give is, by the next step, for the rows above."""
    depth, column = tl.arange(0, 64), tl.arange(0, 32)
    b = tl.load(b_ptr + depth[:, None] * 32 + column[None, :])
    sums = tl.zeros([16, 32], tl.float32)
    for step in range(steps):
        row = (steps - 1 - step) * 16 + tl.arange(0, 16)
        a = tl.load(a_ptr + (row % M)[:, None] * 64 + depth[None, :])
        sums += tl.dot(a, b)
        tl.store(c_ptr + row[:, None] * 32 + column[None, :], sums, mask=row[:, None] < M)


def sums_from_below_reference(a_ptr, b_ptr, M, STEPS):
    products = (a_ptr @ b_ptr)[np.arange(16 * STEPS) % M].reshape(STEPS, 16, 32)
    return products[::-1].cumsum(0)[::-1].reshape(-1, 32)[:M]
