# Loops that ask for warps which only copy: of no, one, two iterations and around the number of slots, with tails of the
# depth, rows and columns that end inside a tile, one and two groups that multiply; factors that go through registers;
# attention whose keys and values have barriers of their own, by one loop and by two; two sums; bounds in memory; and
# loops that must do without, since they write, are inside others, or load more than factors. Queries that each of many
# tiles loads once.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: product
# TYPES: fp16 bf16
# SIZES: M=128 N=64 K=0 num_warps=8 | M=100 N=40 K=64 num_warps=8 | M=130 N=72 K=128 num_warps=4 | M=136 N=64 K=136 num_warps=8 | M=128 N=64 K=192 num_warps=4 | M=64 N=64 K=256 num_warps=8 | M=20 N=8 K=328 num_warps=8 num_stages=2 | M=128 N=64 K=320 num_warps=4 num_stages=2
# BENCH: M=4096 N=4096 K=4096 T=bf16 BLOCK_N=256 num_warps=8 num_stages=3
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
# KERNEL: two_sums
# WARPS: 4
# SIZES: M=64 K=32 | M=70 K=96 | M=64 K=160
# ARG: x randint(-3,4):bf16[M,K]
# ARG: gate randint(-3,4):bf16[K,64]
# ARG: up randint(-3,4):bf16[64,K]
# ARG: out empty:fp32[M,64]
# ARG: M M
# ARG: K K
# GRID: cdiv(M, 64)
# TOLERANCE: out 0 0
#
# KERNEL: computed
# WARPS: 4
# SIZES: N=1 | N=3 | N=5
# ARG: x randint(-3,4):i8[128,5*32]
# ARG: y randint(-3,4):fp16[5*32,64]
# ARG: out empty:fp32[128,64]
# ARG: steps N
# GRID: 1
# TOLERANCE: out 0 0
#
# KERNEL: attention
# TYPES: fp16 bf16
# SIZES: L=128 H=1 D=64 CAUSAL=1 num_warps=8 | L=256 H=2 D=64 CAUSAL=0 num_warps=4 | L=640 H=1 D=64 CAUSAL=0 BLOCK_N=64 num_warps=4 | L=384 H=1 D=64 CAUSAL=1 num_warps=8 | L=256 H=1 D=128 CAUSAL=1 num_warps=8 | L=512 H=1 D=64 CAUSAL=1 BLOCK_N=64 num_warps=8 num_stages=2
# BENCH: L=4096 H=64 D=128 CAUSAL=0 T=bf16 num_warps=8 num_stages=2
# ARG: q_ptr randn:T[H,L,D]
# ARG: k_ptr randn:T[H,L,D]
# ARG: v_ptr randn:T[H,L,D]
# ARG: out_ptr empty:T[H,L,D]
# ARG: scale 0.25
# ARG: length L
# CONST: HEAD_DIM D
# CONST: CAUSAL CAUSAL
# CONST: BLOCK_N 128
# GRID: cdiv(L, 128), H
# TOLERANCE: out_ptr 1e-2 1e-2
#
# KERNEL: two_loops
# TYPES: bf16
# SIZES: L=128 H=1 D=64 num_warps=8 | L=384 H=1 D=64 num_warps=8 | L=256 H=2 D=64 num_warps=4
# BENCH: L=4096 H=16 D=128 T=bf16 num_warps=8 num_stages=2
# ARG: q_ptr randn:T[H,L,D]
# ARG: k_ptr randn:T[H,L,D]
# ARG: v_ptr randn:T[H,L,D]
# ARG: out_ptr empty:T[H,L,D]
# ARG: scale 0.25
# ARG: length L
# CONST: HEAD_DIM D
# GRID: cdiv(L, 128), H
# TOLERANCE: out_ptr 1e-2 1e-2
#
# KERNEL: ragged
# WARPS: 8
# SIZES: B=4
# ARG: x randint(-3,4):fp16[128,256]
# ARG: y randint(-3,4):fp16[256,64]
# ARG: depths arange:i32[4]
# ARG: out empty:fp32[B,128,64]
# GRID: B
# TOLERANCE: out 0 0
#
# KERNEL: writes
# WARPS: 8
# SIZES: N=1 | N=4
# ARG: x randint(-3,4):fp16[128,4*64]
# ARG: y randint(-3,4):fp16[4*64,64]
# ARG: out empty:fp32[4,128,64]
# ARG: steps N
# GRID: 1
# CHECK: out
# TOLERANCE: out 0 0
#
# KERNEL: persistent
# WARPS: 8
# SIZES: M=300 K=128
# ARG: x randint(-3,4):fp16[M,K]
# ARG: y randint(-3,4):fp16[K,64]
# ARG: out empty:fp32[M,64]
# ARG: M M
# ARG: K K
# GRID: 2
# TOLERANCE: out 0 0
#
# KERNEL: persistent_ahead
# TYPES: fp16 bf16
# SIZES: M=300 N=64 K=128 num_warps=8 | M=200 N=129 K=72 num_warps=4 | M=700 N=64 K=64 num_warps=4 | M=130 N=200 K=328 num_warps=8 | M=513 N=136 K=192 num_warps=4 num_stages=2 | M=256 N=72 K=0 num_warps=8 | M=100 N=64 K=320 num_warps=8 num_stages=2
# BENCH: M=8192 N=8192 K=512 T=bf16 BLOCK_M=128 BLOCK_N=256 num_warps=8 num_stages=3 PROGRAMS=132
# ARG: a randint(-3,4):T[M,K]
# ARG: b randint(-3,4):T[K,N]
# ARG: c empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# CONST: PROGRAMS 3
# GRID: PROGRAMS
# TOLERANCE: c 0.01 0
#
# KERNEL: tiles_of_attention
# TYPES: fp16 bf16
# SIZES: L=512 S=256 H=1 num_warps=8 | L=256 S=64 H=3 num_warps=8 | L=128 S=576 H=7 num_warps=8 | L=384 S=0 H=2 num_warps=8 | L=128 S=128 H=1 num_warps=8 | L=320 S=192 H=2 BLOCK_M=64 num_warps=4 num_stages=2
# BENCH: L=1024 S=1024 H=256 D=128 T=bf16 BLOCK_N=128 PROGRAMS=132 num_warps=8 num_stages=2
# ARG: q randn(0,0.5):T[H,L,D]
# ARG: k randn(0,0.5):T[H,S,D]
# ARG: v randn(0,1):T[H,S,D]
# ARG: out empty:T[H,L,D]
# ARG: length L
# ARG: keys S
# ARG: tiles H*L//BLOCK_M
# CONST: D 64
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# CONST: PROGRAMS 3
# GRID: PROGRAMS
# TOLERANCE: out 1e-2 1e-2
#
# KERNEL: with_bias
# WARPS: 8
# SIZES: K=64 | K=256
# ARG: x randint(-3,4):fp16[128,K]
# ARG: y randint(-3,4):fp16[K,64]
# ARG: weights randint(1,3):fp32[K]
# ARG: out empty:fp32[128,64]
# ARG: K K
# GRID: 1
# TOLERANCE: out 0 0
#
# KERNEL: blocks_under_condition
# WARPS: 4
# SIZES: STEPS=1 | STEPS=2
# ARG: x ones:fp32[64,32]
# ARG: y ones:fp8e5[32,32]
# ARG: out empty:fp32[64,32]
# ARG: steps STEPS
# GRID: 1
# TOLERANCE: out 0 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * K + k[None, :]
    b_ptrs = b + k[:, None] * N + columns[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in tl.range(0, K, BLOCK_K, warp_specialize=True):
        left = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K - start), other=0.0)
        right = tl.load(b_ptrs, mask=(k[:, None] < K - start) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def product_reference(a, b):
    return a @ b


@triton.jit
def two_sums(x, gate, up, out, M, K):
    """Two products of one factor, which stay in flight together: three buffers with one pair of barriers, or two."""
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    columns = tl.arange(0, 64)
    gates = tl.zeros((64, 64), tl.float32)
    ups = tl.zeros((64, 64), tl.float32)
    for start in tl.range(0, K, 32, warp_specialize=True):
        k = start + tl.arange(0, 32)
        left = tl.load(x + rows[:, None] * K + k[None, :], mask=rows[:, None] < M, other=0.0)
        gates = tl.dot(left, tl.load(gate + k[:, None] * 64 + columns[None, :]), gates)
        ups = tl.dot(left, tl.load(up + columns[:, None] * K + k[None, :]).T, ups)
    tl.store(out + rows[:, None] * 64 + columns[None, :], gates * ups, mask=rows[:, None] < M)


def two_sums_reference(x, gate, up):
    return (x @ gate) * (x @ up.T)


@triton.jit
def computed(x, y, out, steps):
    """The left factor is read from its slot as bytes, and becomes halves in registers."""
    rows = tl.arange(0, 128)
    columns = tl.arange(0, 64)
    acc = tl.zeros((128, 64), tl.float32)
    for step in tl.range(0, steps, warp_specialize=True):
        k = step * 32 + tl.arange(0, 32)
        left = tl.load(x + rows[:, None] * 160 + k[None, :]).to(tl.float16)
        acc = tl.dot(left, tl.load(y + k[:, None] * 64 + columns[None, :]), acc)
    tl.store(out + rows[:, None] * 64 + columns[None, :], acc)


def computed_reference(x, y, steps):
    return x[:, :32 * steps].astype(np.float64) @ y[:32 * steps]


@triton.jit
def attend(acc, total, peak, q, k_ptr, v_ptr, scale, offs_m, start, end, HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr,
           MASKED: tl.constexpr):
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    for n in tl.range(start, end, BLOCK_N, warp_specialize=True):
        n = tl.multiple_of(n, BLOCK_N)
        k = tl.load(k_ptr + (n + offs_n[None, :]) * HEAD_DIM + offs_d[:, None])
        scores = tl.dot(q, k) * (scale * 1.44269504)
        if MASKED:
            scores = tl.where(offs_m[:, None] >= n + offs_n[None, :], scores, float("-inf"))
        new_peak = tl.maximum(peak, tl.max(scores, 1))
        weights = tl.exp2(scores - new_peak[:, None])
        fade = tl.exp2(peak - new_peak)
        total = total * fade + tl.sum(weights, 1)
        acc = acc * fade[:, None]
        v = tl.load(v_ptr + (n + offs_n[:, None]) * HEAD_DIM + offs_d[None, :])
        acc = tl.dot(weights.to(q.dtype), v, acc)
        peak = new_peak
    return acc, total, peak


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, length, HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr,
              CAUSAL: tl.constexpr):
    base = tl.program_id(1) * length * HEAD_DIM
    offs_m = tl.program_id(0) * 128 + tl.arange(0, 128)
    places = base + offs_m[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    q = tl.load(q_ptr + places)
    peak = tl.full([128], float("-inf"), dtype=tl.float32)
    total = tl.zeros([128], dtype=tl.float32)
    acc = tl.zeros([128, HEAD_DIM], dtype=tl.float32)
    end = (tl.program_id(0) + 1) * 128 if CAUSAL else length
    acc, total, peak = attend(acc, total, peak, q, k_ptr + base, v_ptr + base, scale, offs_m, 0, end, HEAD_DIM, BLOCK_N,
                              CAUSAL)
    tl.store(out_ptr + places, (acc / total[:, None]).to(out_ptr.dtype.element_ty))


def attention_reference(q_ptr, k_ptr, v_ptr, CAUSAL):
    scores = q_ptr @ k_ptr.transpose(0, 2, 1) * 0.25
    if CAUSAL:
        scores = np.where(np.tril(np.ones(scores.shape[1:])) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v_ptr


@triton.jit
def two_loops(q_ptr, k_ptr, v_ptr, out_ptr, scale, length, HEAD_DIM: tl.constexpr):
    """Keys that all rows see, and behind them those around the diagonal."""
    base = tl.program_id(1) * length * HEAD_DIM
    offs_m = tl.program_id(0) * 128 + tl.arange(0, 128)
    places = base + offs_m[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    q = tl.load(q_ptr + places)
    peak = tl.full([128], float("-inf"), dtype=tl.float32)
    total = tl.zeros([128], dtype=tl.float32)
    acc = tl.zeros([128, HEAD_DIM], dtype=tl.float32)
    first = tl.program_id(0) * 128
    acc, total, peak = attend(acc, total, peak, q, k_ptr + base, v_ptr + base, scale, offs_m, 0, first, HEAD_DIM, 64,
                              False)
    acc, total, peak = attend(acc, total, peak, q, k_ptr + base, v_ptr + base, scale, offs_m, first, first + 128,
                              HEAD_DIM, 64, True)
    tl.store(out_ptr + places, (acc / total[:, None]).to(out_ptr.dtype.element_ty))


def two_loops_reference(q_ptr, k_ptr, v_ptr):
    return attention_reference(q_ptr, k_ptr, v_ptr, True)


@triton.jit
def ragged(x, y, depths, out):
    """The number of iterations is in memory, and both kinds of warps load it."""
    rows = tl.arange(0, 128)
    columns = tl.arange(0, 64)
    acc = tl.zeros((128, 64), tl.float32)
    steps = tl.load(depths + tl.program_id(0))
    for step in tl.range(0, steps, warp_specialize=True):
        k = step * 64 + tl.arange(0, 64)
        left = tl.load(x + rows[:, None] * 256 + k[None, :])
        acc = tl.dot(left, tl.load(y + k[:, None] * 64 + columns[None, :]), acc)
    tl.store(out + tl.program_id(0) * 8192 + rows[:, None] * 64 + columns[None, :], acc)


def ragged_reference(x, y, depths):
    return np.stack([x[:, :64 * int(n)] @ y[:64 * int(n)] for n in depths])


@triton.jit
def writes(x, y, out, steps):
    """Each iteration stores, so no warps run ahead."""
    rows = tl.arange(0, 128)
    columns = tl.arange(0, 64)
    acc = tl.zeros((128, 64), tl.float32)
    places = rows[:, None] * 64 + columns[None, :]
    for step in tl.range(0, 4, warp_specialize=True):
        k = step * 64 + tl.arange(0, 64)
        left = tl.load(x + rows[:, None] * 256 + k[None, :])
        right = tl.load(y + k[:, None] * 64 + columns[None, :])
        acc = tl.dot(left, right, acc)
        tl.store(out + step * 8192 + places, tl.where(step < steps, acc, 0.0))


def writes_reference(x, y, steps):
    sums = [x[:, :64 * (n + 1)] @ y[:64 * (n + 1)] for n in range(4)]
    return np.stack([sums[n] if n < steps else np.zeros((128, 64)) for n in range(4)])


@triton.jit
def persistent(x, y, out, M, K):
    """A loop over tiles around the one that multiplies."""
    columns = tl.arange(0, 64)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, 128), tl.num_programs(0), warp_specialize=True):
        rows = tile * 128 + tl.arange(0, 128)
        acc = tl.zeros((128, 64), tl.float32)
        for start in range(0, K, 64):
            k = start + tl.arange(0, 64)
            left = tl.load(x + rows[:, None] * K + k[None, :], mask=rows[:, None] < M, other=0.0)
            acc = tl.dot(left, tl.load(y + k[:, None] * 64 + columns[None, :]), acc)
        tl.store(out + rows[:, None] * 64 + columns[None, :], acc, mask=rows[:, None] < M)


def persistent_reference(x, y):
    return x @ y


@triton.jit
def persistent_ahead(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     PROGRAMS: tl.constexpr):
    """The same where no tile loads what another one stores, so that copies run ahead into the next tile; programs have
    one tile, several or none."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    stored = tl.program_id(0) - PROGRAMS
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=True, warp_specialize=True):
        rows = (tile % tiles_m) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = (tile // tiles_m) * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            k = step * BLOCK_K + tl.arange(0, BLOCK_K)
            left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
            right = tl.load(b + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N),
                            other=0.0)
            acc = tl.dot(left, right, acc)
        stored += PROGRAMS
        rows = (stored % tiles_m) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = (stored // tiles_m) * BLOCK_N + tl.arange(0, BLOCK_N)
        tl.store(c + rows[:, None] * N + columns[None, :], acc.to(c.dtype.element_ty),
                 mask=(rows[:, None] < M) & (columns[None, :] < N))


def persistent_ahead_reference(a, b):
    return a @ b


@triton.jit
def tiles_of_attention(q, k, v, out, length, keys, tiles, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                       PROGRAMS: tl.constexpr):
    """Each tile loads its queries once; programs have several tiles, one, or none, and tiles may have no keys."""
    column = tl.arange(0, D)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True, warp_specialize=True):
        of_head = length // BLOCK_M
        head = tile // of_head
        row = (tile % of_head) * BLOCK_M + tl.arange(0, BLOCK_M)
        queries = tl.load(q + head * length * D + row[:, None] * D + column[None, :])
        total = tl.full([BLOCK_M], 1.0, tl.float32)
        sums = tl.zeros([BLOCK_M, D], tl.float32)
        for start in range(0, keys, BLOCK_N):
            key = start + tl.arange(0, BLOCK_N)
            right = tl.load(k + head * keys * D + key[None, :] * D + column[:, None])
            weights = tl.exp(tl.dot(queries, right) * 0.125)
            total += tl.sum(weights, 1)
            values = tl.load(v + head * keys * D + key[:, None] * D + column[None, :])
            sums = tl.dot(weights.to(v.dtype.element_ty), values, sums)
        result = (sums / total[:, None]).to(out.dtype.element_ty)
        tl.store(out + head * length * D + row[:, None] * D + column[None, :], result)


def tiles_of_attention_reference(q, k, v):
    weights = np.exp(q @ k.transpose(0, 2, 1) * 0.125)
    return weights @ v / (1 + weights.sum(-1, keepdims=True))


@triton.jit
def with_bias(x, y, weights, out, K):
    """What else the loop loads stays with the warps that multiply."""
    rows = tl.arange(0, 128)
    columns = tl.arange(0, 64)
    acc = tl.zeros((128, 64), tl.float32)
    for start in tl.range(0, K, 64, warp_specialize=True):
        k = start + tl.arange(0, 64)
        left = tl.load(x + rows[:, None] * K + k[None, :])
        right = tl.load(y + k[:, None] * 64 + columns[None, :])
        acc += tl.dot(left, right) * tl.load(weights + start)
    tl.store(out + rows[:, None] * 64 + columns[None, :], acc)


def with_bias_reference(x, y, weights):
    K = x.shape[1]
    return sum(x[:, k:k + 64] @ y[k:k + 64] * weights[k] for k in range(0, K, 64))


# The maps of descriptors are made where the blocks are copied, by the warps that copy, while the others exchange what
# they multiply.
@triton.jit
def blocks_under_condition(x, y, out, steps):
    if tl.program_id(0) >= steps:
        return
    rows, columns = tl.arange(0, 64)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(x + rows * 32 + columns)
    blocks = tl.make_tensor_descriptor(y, [32, 32], [32, 1], [32, 32])
    for step in tl.range(0, steps, warp_specialize=True):
        value = tl.dot(value.to(tl.float8e5), blocks.load([0, 0]))
    tl.store(out + rows * 32 + columns, value)


def blocks_under_condition_reference(x, y, steps):
    for step in range(steps):
        x = x @ y
    return x
