# Pieces of sampling: temperature and penalties on logits, the k-th largest value by bisection in a while loop,
# probabilities cut below a share of the largest, a token drawn with Gumbel noise, and entropy.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: apply_penalties
# TYPES: fp32
# SIZES: B=1 V=1 | B=3 V=781
# BENCH: B=512 V=32000 T=fp32
# ARG: logits randn:T[B,V]
# ARG: counts randint(0,3):i32[B,V]
# ARG: temperature rand(0.5,2):fp32[B]
# ARG: repetition rand(1,1.5):fp32[B]
# ARG: frequency 0.1
# ARG: presence 0.2
# ARG: V V
# CONST: BLOCK 1024
# GRID: B, cdiv(V, BLOCK)
# CHECK: logits
# TOLERANCE: logits 1e-5 1e-6
#
# KERNEL: kth_largest
# TYPES: fp32
# SIZES: B=1 V=1 K=1 | B=4 V=500 K=20
# BENCH: B=1024 V=16384 K=50 T=fp32
# ARG: x permutation:T[B,V]
# ARG: out empty:fp32[B]
# ARG: V V
# ARG: k K
# CONST: BLOCK next_power_of_2(V)
# GRID: B
# TOLERANCE: out 0 0.6
#
# KERNEL: min_p_filter
# TYPES: fp32
# SIZES: B=1 V=1 | B=4 V=500
# BENCH: B=1024 V=32000 T=fp32
# ARG: logits randn(0,3):T[B,V]
# ARG: min_p rand(0.05,0.3):fp32[B]
# ARG: out empty:T[B,V]
# ARG: V V
# CONST: BLOCK 1024
# GRID: B
#
# KERNEL: gumbel_argmax
# TYPES: fp32
# SIZES: B=1 V=1 | B=4 V=500
# BENCH: B=1024 V=32000 T=fp32
# ARG: logits randn(0,50):T[B,V]
# ARG: seeds arange:i64[B]
# ARG: out empty:i64[B]
# ARG: V V
# ARG: scale 0.0
# CONST: BLOCK next_power_of_2(V)
# GRID: B
#
# KERNEL: entropy_kernel
# TYPES: fp32 bf16
# SIZES: B=1 V=1 | B=4 V=3000
# BENCH: B=4096 V=32000 T=bf16
# ARG: logits randn(0,3):T[B,V]
# ARG: out empty:fp32[B]
# ARG: stride V
# ARG: V V
# CONST: BLOCK 1024
# GRID: B
# TOLERANCE: out 1e-4 1e-5
import triton
import triton.language as tl


@triton.jit
def apply_penalties(logits, counts, temperature, repetition, frequency, presence, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < V
    x = tl.load(logits + row * V + cols, mask=mask).to(tl.float32)
    count = tl.load(counts + row * V + cols, mask=mask, other=0)
    seen = count > 0
    rep = tl.load(repetition + row)
    scale = tl.where(seen, rep, 1.0)
    x *= tl.where(x > 0, 1.0 / scale, scale)
    x -= frequency * count
    x -= presence * seen
    t = tl.load(temperature + row)
    if t != 0.0 and t != 1.0:
        x = x / t
    tl.store(logits + row * V + cols, x, mask=mask)


@triton.jit
def kth_largest(x, out, V, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    value = tl.load(x + row * V + cols, mask=cols < V, other=float("-inf"))
    low = tl.min(tl.where(cols < V, value, float("inf")), 0) - 1.0
    high = tl.max(value, 0)
    steps = 0
    while (steps < 40) & (high - low > 0.25):
        middle = (low + high) * 0.5
        above = tl.sum((value > middle).to(tl.int32), 0)
        low = tl.where(above >= k, middle, low)
        high = tl.where(above >= k, high, middle)
        steps += 1
    tl.store(out + row, high)


@triton.jit
def min_p_filter(logits, min_p, out, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        largest = tl.maximum(largest, tl.load(logits + row * V + cols, mask=cols < V, other=-float("inf")))
    threshold = tl.max(largest, axis=0) + tl.log(tl.load(min_p + row))
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(logits + row * V + cols, mask=cols < V)
        tl.store(out + row * V + cols, tl.where(x < threshold, float("-inf"), x), mask=cols < V)


@triton.jit
def gumbel_argmax(logits, seeds, out, V, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < V
    x = tl.load(logits + row * V + cols, mask=mask, other=float("-inf")).to(tl.float32)
    seed = tl.load(seeds + row)
    u = tl.maximum(tl.rand(seed, cols), 1e-7)
    noise = -tl.log(-tl.log(u))
    x = tl.where(mask, x + scale * noise, float("-inf"))
    tl.store(out + row, tl.argmax(x, axis=0))


@triton.jit
def entropy_kernel(logits, out, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    logits += row * stride
    m = -float("inf")
    d = 0.0
    weighted = 0.0
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(logits + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        rescale = tl.exp(m - m_new)
        p = tl.exp(x - m_new)
        d = d * rescale + tl.sum(p)
        weighted = weighted * rescale + tl.sum(tl.where(cols < V, p * x, 0.0))
        m = m_new
    tl.store(out + row, m + tl.log(d) - weighted / d)


def apply_penalties_reference(logits, counts, temperature, repetition, frequency, presence):
    scale = np.where(counts > 0, repetition[:, None], 1)
    x = np.where(logits > 0, logits / scale, logits * scale) - frequency * counts - presence * (counts > 0)
    return x / temperature[:, None]


def kth_largest_reference(x, K):
    return np.sort(x, 1)[:, -K]


def min_p_filter_reference(logits, min_p):
    return np.where(logits < logits.max(1, keepdims=True) + np.log(min_p)[:, None], -np.inf, logits)


def gumbel_argmax_reference(logits):
    return logits.argmax(1)


def entropy_kernel_reference(logits):
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return -(p * np.log(p)).sum(1)
