# Products with 64 rows and more of 16-bit factors, which groups of four warps make on GPUs that can: loops without
# iterations and with tails, one and several groups, sums that stay in flight and sums that others need, factors from
# registers, from outside of the loop, computed, and stored either way.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: tall
# WARPS: 8
# TYPES: fp16 bf16
# SIZES: M=100 N=40 K=0 | M=128 N=64 K=64 | M=130 N=70 K=200 | M=136 N=72 K=200 | M=20 N=64 K=330
# BENCH: M=4096 N=4096 K=2048 T=fp16 BLOCK_N=128 num_warps=8 num_stages=3
# ARG: a randint(-3,4):T[M,K]
# ARG: b randint(-3,4):T[K,N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c 0 0
#
# KERNEL: wide
# WARPS: 8
# SIZES: M=64 N=256 K=48 | M=33 N=200 K=100
# ARG: a randint(-3,4):fp16[M,K]
# ARG: b randint(-3,4):fp16[N,K]
# ARG: c empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_K 32
# GRID: 1
# TOLERANCE: c 0 0
#
# KERNEL: two_sums
# WARPS: 4
# SIZES: M=64 K=32 | M=70 K=96
# BENCH: M=67584 K=512 num_warps=4 num_stages=3
# ARG: x randint(-3,4):bf16[M,K]
# ARG: gate randint(-3,4):bf16[K,64]
# ARG: up randint(-3,4):bf16[64,K]
# ARG: out empty:fp32[M,64]
# ARG: M M
# ARG: K K
# GRID: cdiv(M, 64)
# TOLERANCE: out 0 0
#
# KERNEL: while_keys
# WARPS: 4
# SIZES: N=2 S=0.5 | N=3 S=-0.25 | N=0 S=0.5
# ARG: q rand(-1,1):bf16[64,128]
# ARG: k rand(-1,1):bf16[96,64]
# ARG: v rand(-1,1):bf16[96,32]
# ARG: out empty:fp32[128,32]
# ARG: most empty:fp32[128]
# ARG: count N
# ARG: scale S
# GRID: 1
# TOLERANCE: out 2e-2 2e-2
# TOLERANCE: most 1e-4 1e-4
#
# KERNEL: fading
# WARPS: 4
# SIZES: N=0 | N=1 | N=4
# ARG: x randint(-3,4):fp16[64,4*32]
# ARG: y randint(-3,4):fp16[4*32,32]
# ARG: out empty:fp32[64,32]
# ARG: before empty:fp32[64,32]
# ARG: steps N
# GRID: 1
# TOLERANCE: out 0 0
# TOLERANCE: before 0 0
#
# KERNEL: only_last
# WARPS: 8
# SIZES: N=0 | N=1 | N=3
# ARG: x randint(-5,6):i8[128,64]
# ARG: y randint(-5,6):i32[128,3*64]
# ARG: out empty:i32[64,64]
# ARG: steps N
# GRID: 1
# TOLERANCE: out 0 0
#
# KERNEL: computed
# WARPS: 4
# SIZES: N=1 | N=3
# ARG: x randint(-3,4):i8[128,3*32]
# ARG: y randint(-3,4):fp16[3*32,64]
# ARG: scale randint(1,3):fp16[64]
# ARG: out empty:fp32[128,64]
# ARG: steps N
# GRID: 1
# TOLERANCE: out 0 0
#
# KERNEL: attention
# WARPS: 8
# TYPES: fp16 bf16
# SIZES: L=128 H=1 D=64 CAUSAL=1 | L=256 H=2 D=32 CAUSAL=0
# BENCH: L=4096 H=16 D=128 CAUSAL=1 T=bf16 num_warps=8 num_stages=2
# ARG: q_ptr randn:T[H,L,D]
# ARG: k_ptr randn:T[H,L,D]
# ARG: v_ptr randn:T[H,L,D]
# ARG: out_ptr empty:T[H,L,D]
# ARG: scale 0.25
# ARG: length L
# CONST: HEAD_DIM D
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, 128), H
# TOLERANCE: out_ptr 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def tall(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * K + k[None, :]
    b_ptrs = b + k[:, None] * N + columns[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K - start), other=0.0)
        right = tl.load(b_ptrs, mask=(k[:, None] < K - start) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def tall_reference(a, b):
    return a @ b


@triton.jit
def wide(a, b, c, M, N, K, BLOCK_K: tl.constexpr):
    """Two groups share 64 rows, and the sums are halves."""
    rows = tl.arange(0, 64)
    columns = tl.arange(0, 256)
    acc = tl.zeros((64, 256), tl.float16)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + columns[:, None] * K + k[None, :], mask=(columns[:, None] < N) & (k[None, :] < K), other=0.0)
        acc = tl.dot(left, right.T, acc, out_dtype=tl.float16)
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def wide_reference(a, b):
    return a @ b.T


@triton.jit
def two_sums(x, gate, up, out, M, K):
    """Two products of one factor stay in flight together."""
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.arange(0, 64)
    gates = tl.zeros((64, 64), tl.float32)
    ups = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, 32):
        k = start + tl.arange(0, 32)
        left = tl.load(x + rows[:, None] * K + k[None, :], mask=rows[:, None] < M, other=0.0)
        gates = tl.dot(left, tl.load(gate + k[:, None] * 64 + columns[None, :]), gates)
        ups = tl.dot(left, tl.load(up + columns[None, :] * K + k[:, None]), ups)
    tl.store(out + rows[:, None] * 64 + columns[None, :], gates * ups, mask=rows[:, None] < M)


def two_sums_reference(x, gate, up):
    return (x @ gate) * (x @ up.T)


@triton.jit
def while_keys(q, k, v, out, most, count, scale):
    """Queries that are transposed in a `while`, and a scale of unknown sign: products follow a branch."""
    rows, d, keys, columns = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 32)
    queries = tl.trans(tl.load(q + d[:, None] * 128 + rows[None, :]))
    m = tl.full([128], float("-inf"), tl.float32)
    total = tl.zeros([128], tl.float32)
    acc = tl.zeros([128, 32], tl.float32)
    i = 0
    while i < count:
        scores = tl.dot(queries, tl.load(k + (i * 32 + keys)[None, :] * 64 + d[:, None])) * scale
        higher = tl.maximum(m, tl.max(scores, 1))
        p = tl.exp2(scores - higher[:, None])
        fade = tl.exp2(m - higher)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None] + tl.dot(p.to(tl.bfloat16), tl.load(v + (i * 32 + keys)[:, None] * 32 + columns[None, :]))
        m = higher
        i += 1
    tl.store(out + rows[:, None] * 32 + columns[None, :], acc / tl.where(total > 0, total, 1.0)[:, None])
    tl.store(most + rows, m)


def while_keys_reference(q, k, v, count, scale):
    count *= 32
    if count == 0:
        return {"out": np.zeros((128, 32)), "most": np.full(128, -np.inf)}
    scores = q.T @ k[:count].T * scale
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    return {"out": weights @ v[:count] / weights.sum(1, keepdims=True), "most": scores.max(1)}


@triton.jit
def fading(x, y, out, before, steps):
    """Each iteration needs the sum of the one before, and one more of the sums goes on after the next product."""
    rows = tl.arange(0, 64)
    columns = tl.arange(0, 32)
    acc = tl.zeros((64, 32), tl.float32)
    last = tl.zeros((64, 32), tl.float32)
    for i in range(steps):
        k = i * 32 + tl.arange(0, 32)
        left = tl.load(x + rows[:, None] * 128 + k[None, :])
        right = tl.load(y + k[:, None] * 32 + columns[None, :])
        last = acc
        acc = tl.dot(left, right, acc * 0.5)
    at = rows[:, None] * 32 + columns[None, :]
    tl.store(out + at, acc)
    tl.store(before + at, last)


def fading_reference(x, y, steps):
    acc = last = np.zeros((64, 32))
    for i in range(steps):
        last = acc
        acc = 0.5 * acc + x[:, i * 32:(i + 1) * 32] @ y[i * 32:(i + 1) * 32]
    return {"out": acc, "before": last}


@triton.jit
def only_last(x, y, out, steps):
    """No iteration reads the sum of the one before."""
    rows, columns = tl.arange(0, 128), tl.arange(0, 64)
    fixed = tl.load(x + rows[:, None] * 64 + columns[None, :])
    acc = tl.zeros((64, 64), tl.int32)
    for i in range(steps):
        part = tl.load(y + rows[:, None] * 192 + i * 64 + columns[None, :]).to(tl.int8)
        acc = tl.dot(tl.trans(part), part)
        acc += tl.dot(tl.trans(fixed), fixed)
    tl.store(out + columns[:, None] * 64 + columns[None, :], acc)


def only_last_reference(x, y, steps):
    part, fixed = y[:, (steps - 1) * 64:steps * 64].astype(np.int64), x.astype(np.int64)
    return part.T @ part + fixed.T @ fixed if steps else np.zeros((64, 64))


@triton.jit
def computed(x, y, scale, out, steps):
    """Bytes become halves in registers; the right factor is scaled, and stored for the instructions."""
    rows = tl.arange(0, 128)
    columns = tl.arange(0, 64)
    scales = tl.load(scale + columns)
    acc = tl.zeros((128, 64), tl.float32)
    for i in range(steps):
        k = i * 32 + tl.arange(0, 32)
        left = tl.load(x + rows[:, None] * 96 + k[None, :]).to(tl.float16)
        right = tl.load(y + k[:, None] * 64 + columns[None, :]) * scales[None, :]
        acc = tl.dot(left, right, acc)
    tl.store(out + rows[:, None] * 64 + columns[None, :], acc)


def computed_reference(x, y, scale, steps):
    return x[:, :32 * steps].astype(np.float64) @ (y * scale)[:32 * steps]


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, length, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    base = tl.program_id(1) * length * HEAD_DIM
    offs_m = start * 128 + tl.arange(0, 128)
    offs_n = tl.arange(0, 64)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(q_ptr + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :])
    peak = tl.full([128], float("-inf"), dtype=tl.float32)
    total = tl.zeros([128], dtype=tl.float32)
    acc = tl.zeros([128, HEAD_DIM], dtype=tl.float32)
    end = (start + 1) * 128 if CAUSAL else length
    for n in range(0, end, 64):
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
