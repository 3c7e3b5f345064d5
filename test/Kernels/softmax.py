# Softmax of rows: by programs that stay, scaled and masked, causal, of rows longer than a block, and the way
# back.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: persistent_softmax
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=5 N=781 | M=7 N=1024
# BENCH: M=8192 N=4096 T=fp32
# ARG: x randn:T[M,N]
# ARG: out empty:T[M,N]
# ARG: stride N
# ARG: M M
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# CONST: STAGES 2
# GRID: min(M, 528)
# WARPS: 8
#
# KERNEL: scaled_masked_softmax
# TYPES: fp16
# SIZES: B=1 H=1 S=1 | B=2 H=3 S=77 | B=1 H=2 S=256
# BENCH: B=8 H=16 S=512 T=fp16
# ARG: out empty:T[B,H,S,S]
# ARG: x randn(0,2):T[B,H,S,S]
# ARG: attention_mask randint(0,2):i1[B,S,S]
# ARG: scale 0.125
# ARG: heads H
# ARG: seq S
# CONST: BLOCK next_power_of_2(S)
# GRID: S, B*H
# TOLERANCE: out 2e-3 1e-6
#
# KERNEL: causal_softmax
# TYPES: fp32
# SIZES: R=1 S=1 | R=2 S=300 | R=1 S=1024
# BENCH: R=16 S=2048 T=fp32
# ARG: out zeros:T[R,S,S]
# ARG: x randn(0,3):T[R,S,S]
# ARG: S S
# CONST: BLOCK 256
# GRID: S, R
# CHECK: out
#
# KERNEL: long_softmax
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=3 N=781 | M=2 N=5000
# BENCH: M=4096 N=32768 T=fp16
# ARG: x randn(0,2):T[M,N]
# ARG: out empty:T[M,N]
# ARG: N N
# CONST: BLOCK min(2048, next_power_of_2(N))
# GRID: M
# WARPS: 8
#
# KERNEL: softmax_backward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=5 N=781 | M=9 N=512
# BENCH: M=16384 N=1024 T=bf16
# ARG: shares randn:T[M,N]
# ARG: upstream randn:T[M,N]
# ARG: out empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: ROWS 4
# CONST: BLOCK next_power_of_2(N)
# GRID: cdiv(M, ROWS)
# TOLERANCE: out 1e-2 1e-3
import triton
import triton.language as tl


@triton.jit
def normalized(x):
    e = tl.exp(x - tl.max(x, axis=0))
    return e / tl.sum(e, axis=0)


@triton.jit
def persistent_softmax(x, out, stride, M, N, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    col = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), M, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * stride + col, mask=col < N, other=-float('inf'))
        tl.store(out + row * stride + col, normalized(v.to(tl.float32)), mask=col < N)


@triton.jit
def scaled_masked_softmax(out, x, attention_mask, scale, heads, seq, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    batch = tl.program_id(1) // heads
    base = (tl.program_id(1).to(tl.int64) * seq + row) * seq
    cols = tl.arange(0, BLOCK)
    inside = cols < seq
    keep = tl.load(attention_mask + (batch * seq + row) * seq + cols, mask=inside, other=0)
    score = tl.load(x + base + cols, mask=inside, other=0.0).to(tl.float32) * scale
    score = tl.where(inside, tl.where(keep, score, score - 10000.0), float("-inf"))
    score = tl.exp(score - tl.max(score, 0))
    tl.store(out + base + cols, score / tl.sum(score, 0), mask=inside)


@triton.jit
def causal_softmax(out, x, S, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = (tl.program_id(1).to(tl.int64) * S + row) * S
    m = -float("inf")
    total = 0.0
    for start in range(0, row + 1, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + cols, mask=cols <= row, other=-float("inf"))
        m_new = max(m, tl.max(v))
        total = total * tl.exp(m - m_new) + tl.sum(tl.exp(v - m_new))
        m = m_new
    for start in range(0, row + 1, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + cols, mask=cols <= row)
        tl.store(out + base + cols, tl.exp(v - m) / total, mask=cols <= row)


@triton.jit
def long_softmax(x, out, N, BLOCK: tl.constexpr):
    """The way back starts with the blocks that were read last, which caches may still have."""
    x += tl.program_id(0).to(tl.int64) * N
    out += tl.program_id(0).to(tl.int64) * N
    lane = tl.arange(0, BLOCK)
    # Maximum and sum of every lane's elements; a lane that has none yet has the maximum -inf.
    top = tl.load(x + lane, lane < N, other=float("-inf")).to(tl.float32)
    total = tl.where(lane < N, 1.0, 0.0)
    for start in range(BLOCK, N, BLOCK):
        v = tl.load(x + start + lane, start + lane < N, other=float("-inf")).to(tl.float32)
        # One of the two terms is exp(0).
        below = tl.exp(-tl.abs(v - top))
        total = tl.where(v > top, total * below + 1.0, total + below)
        top = tl.maximum(top, v)
    most = tl.max(top, 0)
    total = tl.sum(total * tl.exp(top - most), 0)
    last = (N - 1) // BLOCK * BLOCK
    for start in range(last, -1, -BLOCK):
        v = tl.load(x + start + lane, start + lane < N, eviction_policy="evict_first").to(tl.float32)
        tl.store(out + start + lane, tl.exp(v - most) / total, start + lane < N)


@triton.jit
def softmax_backward(shares, upstream, out, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, BLOCK)
    inside = (row < M)[:, None] & (col < N)[None, :]
    at = row[:, None] * N + col[None, :]
    d = tl.load(upstream + at, inside, other=0.0).to(tl.float32)
    p = tl.load(shares + at, inside, other=0.0).to(tl.float32)
    mean = tl.sum(p * d, axis=1, keep_dims=True)
    tl.store(out + at, (d - mean) * p, inside)


def rows_softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def persistent_softmax_reference(x):
    return rows_softmax(x)


def scaled_masked_softmax_reference(x, attention_mask, scale):
    return rows_softmax(x * scale - np.where(attention_mask[:, None], 0, 10000.0))


def causal_softmax_reference(x, S):
    seen = np.tril(np.ones((S, S), bool))
    return np.where(seen, rows_softmax(np.where(seen, x, -np.inf)), 0)


def long_softmax_reference(x):
    return rows_softmax(x)


def softmax_backward_reference(shares, upstream):
    return shares * (upstream - (shares * upstream).sum(1, keepdims=True))
