# Cross entropy over a vocabulary: the gradient written where the logits were, after one walk for maximum and sum;
# and forward and backward apart, the one with a row in a block, the other with a block of a row in each program.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: cross_entropy_in_place
# TYPES: fp32 bf16
# SIZES: rows=1 V=1 S=0.0 C=0.0 | rows=4 V=781 S=0.1 C=0.0 | rows=3 V=5000 S=0.0 C=30.0 | rows=3 V=1024 S=0.1 C=20.0
# BENCH: rows=4096 V=32000 S=0.0 C=0.0 T=bf16
# ARG: logits randn(0,2):T[rows,V]
# ARG: labels randint(0,V):i64[rows]
# ARG: losses empty:fp32[rows]
# ARG: stride V
# ARG: V V
# ARG: counted rows
# CONST: SKIP 2
# CONST: SMOOTH S
# CONST: CAP C
# CONST: BLOCK min(4096, next_power_of_2(V))
# GRID: rows
# WARPS: 16
# CHECK: logits losses
# TOLERANCE: logits 1.2e-2 1e-5
# TOLERANCE: losses 1e-4 1e-5
#
# KERNEL: cross_entropy_forward
# TYPES: fp16
# SIZES: rows=1 V=7 | rows=5 V=1000
# BENCH: rows=4096 V=32000 T=fp16
# ARG: logits randn(0,3):T[rows,V]
# ARG: labels randint(-1,V):i64[rows]
# ARG: losses empty:fp32[rows]
# ARG: norms empty:fp32[rows]
# ARG: stride V
# ARG: V V
# CONST: BLOCK next_power_of_2(V)
# GRID: rows
#
# KERNEL: cross_entropy_backward
# TYPES: fp16
# SIZES: rows=1 V=7 | rows=5 V=5000
# BENCH: rows=4096 V=32000 T=fp16
# ARG: logits randn:T[rows,V]
# ARG: labels randint(-1,V):i64[rows]
# ARG: norms rand(5,9):fp32[rows]
# ARG: upstream randn:fp32[rows]
# ARG: stride V
# ARG: V V
# CONST: BLOCK 4096
# GRID: cdiv(V, BLOCK), rows
# WARPS: 8
# CHECK: logits
# TOLERANCE: logits 2e-3 1e-6
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh


@triton.jit
def capped(x, CAP: tl.constexpr):
    """A logit under its cap, and how fast it still grows there."""
    if CAP > 0:
        t = tanh(x / CAP)
        return CAP * t, 1.0 - t * t
    else:
        return x, 1.0


@triton.jit
def cross_entropy_in_place(logits, labels, losses, stride, V, counted, SKIP: tl.constexpr, SMOOTH: tl.constexpr,
                           CAP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    logits += row * stride
    label = tl.load(labels + row)
    if label == SKIP:
        tl.store(losses + row, 0.0)
        for start in range(0, V, BLOCK):
            tl.store(logits + start + lane, 0.0, mask=start + lane < V)
        return

    top = float("-inf")
    total = 0.0
    plain = 0.0
    for start in range(0, V, BLOCK):
        inside = start + lane < V
        x, _ = capped(tl.load(logits + start + lane, mask=inside, other=0.0).to(tl.float32), CAP)
        if SMOOTH > 0:
            plain += tl.sum(tl.where(inside, x, 0.0))
        x = tl.where(inside, x, float("-inf"))
        higher = tl.maximum(top, tl.max(x))
        total *= tl.exp(top - higher)
        total += tl.sum(tl.exp(x - higher))
        top = higher
    lse = tl.log(total) + top

    chosen = capped(tl.load(logits + label).to(tl.float32), CAP)[0]
    loss = lse - chosen
    if SMOOTH > 0:
        loss = (1 - SMOOTH) * loss + SMOOTH * (lse - plain / V)
    tl.store(losses + row, loss / counted)
    # All threads have the label's logit before one of them overwrites it.
    tl.debug_barrier()

    for start in range(0, V, BLOCK):
        inside = start + lane < V
        x = tl.load(logits + start + lane, mask=inside, other=0.0, eviction_policy="evict_first")
        x, slope = capped(x.to(tl.float32), CAP)
        wanted = tl.where(start + lane == label, 1.0 - SMOOTH, 0.0) + SMOOTH / V
        tl.store(logits + start + lane, (tl.exp(x - lse) - wanted) * slope / counted, mask=inside)


@triton.jit
def cross_entropy_forward(logits, labels, losses, norms, stride: tl.int64, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = logits + row * stride
    lane = tl.arange(0, BLOCK)
    x = tl.load(first + lane, mask=lane < V, other=float("-inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    lse = tl.log(tl.sum(tl.exp(x - top), axis=0)) + top
    label = tl.load(labels + row)
    loss = 0.0
    if label >= 0:
        loss = lse - tl.load(first + label).to(tl.float32)
    tl.store(norms + row, lse)
    tl.store(losses + row, loss)


@triton.jit
def cross_entropy_backward(logits, labels, norms, upstream, stride: tl.int64, V, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(labels + row)
    factor = tl.load(upstream + row) if label >= 0 else 0.0
    x = tl.load(logits + row * stride + at, mask=at < V)
    gradient = tl.exp(x.to(tl.float32) - tl.load(norms + row)) - (at == label).to(tl.float32)
    tl.store(logits + row * stride + at, factor * gradient, mask=at < V)


def cross_entropy_in_place_reference(logits, labels, V, counted, SKIP, SMOOTH, CAP):
    t = np.tanh(logits / CAP) if CAP else 0 * logits
    x = CAP * t if CAP else logits
    lse = np.log(np.exp(x).sum(1, keepdims=True))
    wanted = np.full_like(x, SMOOTH / V)
    wanted[np.arange(len(x)), labels] += 1 - SMOOTH
    counts = (labels != SKIP)[:, None] / counted
    return dict(losses=((lse - x) * wanted * counts).sum(1), logits=(np.exp(x - lse) - wanted) * (1 - t * t) * counts)


def cross_entropy_forward_reference(logits, labels):
    lse = np.log(np.exp(logits).sum(1))
    return dict(norms=lse, losses=np.where(labels >= 0, lse - logits[np.arange(len(lse)), labels], 0))


def cross_entropy_backward_reference(logits, labels, norms, upstream):
    gradient = np.exp(logits - norms[:, None]) - (np.arange(logits.shape[1]) == labels[:, None])
    return gradient * (upstream * (labels >= 0))[:, None]
