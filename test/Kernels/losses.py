# Losses beside cross entropy: negative log likelihood over a grid with a weight a class, binary with logits and a
# focal factor, smooth L1 and its relatives reduced by an atomic, cosine similarity, triplets, alignments of CTC.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: label_loss
# TYPES: fp32 fp16
# SIZES: N=1 C=1 D=1 IGN=9 | N=2 C=5 D=300 IGN=2
# BENCH: N=16 C=64 D=16384 IGN=255 T=fp16
# ARG: scores randn:T[N,C,D]
# ARG: labels randint(0,C):i64[N,D]
# ARG: weights rand(0.5,1.5):T[C]
# ARG: out empty:T[N,D]
# ARG: sums zeros:fp32[2]
# ARG: ignored IGN
# ARG: C C
# ARG: D D
# CONST: BLOCK 128
# GRID: cdiv(D, BLOCK), N
# CHECK: out sums
# TOLERANCE: sums 1e-3 1e-3
#
# KERNEL: focal_with_logits
# TYPES: fp32 bf16
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=bf16
# ARG: logits randn(0,4):T[n]
# ARG: targets randint(0,2):T[n]
# ARG: loss empty:fp32[n]
# ARG: grad empty:T[n]
# ARG: alpha 0.25
# ARG: gamma 2.0
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# TOLERANCE: loss 1e-4 1e-6
# TOLERANCE: grad 1e-2 1e-4
#
# KERNEL: elementwise_loss
# TYPES: fp32
# SIZES: M=3 N=50 KIND=0 | M=3 N=500 KIND=1 | M=3 N=500 KIND=2 | M=2 N=77 KIND=3
# BENCH: M=8192 N=4096 KIND=1 T=fp32
# ARG: a randn(0,2):T[M,N]
# ARG: b randn(0,2):T[M,N]
# ARG: out zeros:fp32[1]
# ARG: beta 0.7
# ARG: M M
# ARG: N N
# CONST: KIND KIND
# CONST: MEAN True
# CONST: BLOCK 512
# GRID: M
# CHECK: out
# TOLERANCE: out 1e-3 1e-4
#
# KERNEL: cosine_rows
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=9 N=300
# BENCH: M=16384 N=2048 T=fp16
# ARG: x randn:T[M,N]
# ARG: y randn:T[M,N]
# ARG: out empty:fp32[M]
# ARG: dx empty:T[M,N]
# ARG: eps 1e-8
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
# TOLERANCE: out 1e-4 1e-5
# TOLERANCE: dx 2e-3 1e-4
#
# KERNEL: triplet_margin
# TYPES: fp32
# SIZES: M=1 N=3 SWAP=False | M=9 N=100 SWAP=True
# BENCH: M=65536 N=256 SWAP=True T=fp32
# ARG: anchor randn:T[M,N]
# ARG: positive randn:T[M,N]
# ARG: negative randn:T[M,N]
# ARG: loss empty:fp32[M]
# ARG: margin 1.0
# ARG: M M
# ARG: N N
# CONST: SWAP SWAP
# CONST: BLOCK_M 4
# CONST: BLOCK_N next_power_of_2(N)
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: loss 1e-4 1e-5
#
# KERNEL: ctc_alphas
# SIZES: B=1 TIME=4 V=5 L=2 | B=3 TIME=30 V=11 L=7
# BENCH: B=256 TIME=256 V=64 L=60
# ARG: log_probs randn:fp32[TIME,B,V]
# ARG: labels randint(1,V):i64[B,L]
# ARG: lengths randint(1,L+1):i32[B]
# ARG: scratch empty:fp32[B,next_power_of_2(2*L+1)]
# ARG: nll empty:fp32[B]
# ARG: T_len TIME
# ARG: stride_t B*V
# ARG: V V
# ARG: L L
# CONST: BLOCK next_power_of_2(2*L+1)
# GRID: B
# CHECK: nll
# TOLERANCE: nll 1e-4 1e-3
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit(do_not_specialize=["ignored"])
def label_loss(scores, labels, weights, out, sums, ignored, C, D, BLOCK: tl.constexpr):
    """Less the score of the label at each place, times the weight of its class; the sums of losses and weights."""
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1)
    label = tl.load(labels + n * D + d, mask=d < D, other=0)
    assert (label >= 0 and label < C) or label == ignored, "label out of range"
    counts = d < D and not (label == ignored)
    weight = tl.load(weights + label, mask=counts, other=0.0).to(tl.float32)
    score = tl.load(scores + (n * C + label) * D + d, mask=counts, other=0.0).to(tl.float32)
    loss = -weight * score
    tl.store(out + n * D + d, loss, mask=d < D)
    tl.atomic_add(sums, tl.sum(loss), sem="relaxed")
    tl.atomic_add(sums + 1, tl.sum(weight), sem="relaxed")


@triton.jit
def focal_with_logits(logits, targets, loss, grad, alpha, gamma, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(logits + offs, mask=mask, other=0.0).to(tl.float32)
    t = tl.load(targets + offs, mask=mask, other=0.0).to(tl.float32)
    p = tl.sigmoid(x)
    # log(1 + exp(-|x|)) keeps its precision for large |x|.
    bce = tl.maximum(x, 0.0) - x * t + libdevice.log1p(tl.exp(-tl.abs(x)))
    p_t = p * t + (1 - p) * (1 - t)
    a_t = alpha * t + (1 - alpha) * (1 - t)
    rest = 1 - p_t
    factor = libdevice.pow(rest, gamma)
    tl.store(loss + offs, a_t * factor * bce, mask=mask)
    sign = 2 * t - 1
    d = a_t * sign * factor * (gamma * p_t * libdevice.log(tl.maximum(p_t, 1e-30)) - rest)
    tl.store(grad + offs, d.to(grad.dtype.element_ty), mask=mask)


@triton.jit
def elementwise_loss(a, b, out, beta, M, N, KIND: tl.constexpr, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(a + row * N + cols, mask=mask, other=0.0)
        y = tl.load(b + row * N + cols, mask=mask, other=0.0)
        d = x - y
        if KIND == 0:  # mean squared
            part = d * d
        elif KIND == 1:  # smooth L1
            size = tl.abs(d)
            part = tl.where(size < beta, 0.5 * d * d / beta, size - 0.5 * beta)
        elif KIND == 2:  # Huber
            size = tl.abs(d)
            part = tl.where(size <= beta, 0.5 * d * d, beta * (size - 0.5 * beta))
        else:  # log cosh
            size = tl.abs(d)
            part = tl.where(mask, size + tl.log(1.0 + tl.exp(-2.0 * size)) - 0.6931471805599453, 0.0)
        total += tl.sum(part, axis=0)
    scale = 1.0
    if MEAN:
        scale = 1.0 / (M * N)
    tl.atomic_add(out, total * scale)


@triton.jit
def cosine_rows(x, y, out, dx, eps, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    a = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(y + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    aa, bb, ab = tl.sum(a * a), tl.sum(b * b), tl.sum(a * b)
    r = tl.rsqrt(tl.maximum(aa, eps) * tl.maximum(bb, eps))
    similarity = ab * r
    tl.store(out + row, similarity)
    g = b * r - a * (similarity / tl.maximum(aa, eps))
    tl.store(dx + row * N + cols, g.to(dx.dtype.element_ty), mask=mask)


@triton.jit
def distance(a, b):
    d = a - b
    return tl.sqrt(tl.sum(d * d, axis=1))


@triton.jit
def triplet_margin(anchor, positive, negative, loss, margin, M, N, SWAP: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    mask = (m[:, None] < M) & (n[None, :] < N)
    at = m[:, None] * N + n[None, :]
    a, p, q = [tl.load(base + at, mask=mask, other=0.0) for base in (anchor, positive, negative)]
    far = distance(a, q)
    if SWAP:
        far = tl.minimum(far, distance(p, q))
    tl.store(loss + m, tl.maximum(distance(a, p) - far + margin, 0.0), mask=m < M)


@triton.jit
def log_add(a, b):
    largest = tl.maximum(a, b)
    safe = tl.where(largest == float("-inf"), 0.0, largest)
    return tl.where(largest == float("-inf"), largest, safe + tl.log(tl.exp(a - safe) + tl.exp(b - safe)))


@triton.jit
def ctc_alphas(log_probs, labels, lengths, scratch, nll, T_len, stride_t, V, L, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    length = tl.load(lengths + b)
    s = tl.arange(0, BLOCK)
    states = 2 * length + 1
    is_label = (s % 2 == 1) & (s < states)
    label = tl.load(labels + b * L + s // 2, mask=is_label, other=0)
    before = tl.load(labels + b * L + s // 2 - 1, mask=is_label & (s > 1), other=0)
    may_skip = is_label & (s > 1) & (label != before)
    row = log_probs + b * V
    alpha = tl.where(s < 2, tl.load(row + label, mask=s < states, other=float("-inf")), float("-inf"))
    place = scratch + b * BLOCK + s
    for t in range(1, T_len):
        # Neighbours are read through memory.
        tl.store(place, alpha)
        tl.debug_barrier()
        one = tl.load(place - 1, mask=s >= 1, other=float("-inf"))
        two = tl.load(place - 2, mask=may_skip, other=float("-inf"))
        tl.debug_barrier()
        emit = tl.load(row + t * stride_t + label, mask=s < states, other=float("-inf"))
        alpha = log_add(log_add(alpha, one), two) + emit
    last = tl.max(tl.where(s == states - 1, alpha, float("-inf")), 0)
    other = tl.max(tl.where(s == states - 2, alpha, float("-inf")), 0)
    tl.store(nll + b, -log_add(last, other))


def label_loss_reference(scores, labels, weights, IGN):
    label = labels.astype(int)
    weight = np.where(label == IGN, 0, weights[label])
    out = -np.take_along_axis(scores, label[:, None], 1)[:, 0] * weight
    return {"out": out, "sums": np.array([out.sum(), weight.sum()])}


def focal_with_logits_reference(logits, targets, alpha, gamma):
    p = 1 / (1 + np.exp(-logits))
    pt = np.where(targets > 0, p, 1 - p)
    at = np.where(targets > 0, alpha, 1 - alpha)
    sign = 2 * targets - 1
    return {"loss": -at * (1 - pt) ** gamma * np.log(pt),
            "grad": at * sign * (1 - pt) ** gamma * (gamma * pt * np.log(pt) - (1 - pt))}


def elementwise_loss_reference(a, b, beta, KIND):
    d = abs(a - b)
    kinds = [d * d, np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta),
             np.where(d <= beta, 0.5 * d * d, beta * (d - 0.5 * beta)), np.log(np.cosh(d))]
    return kinds[KIND].mean()


def cosine_rows_reference(x, y):
    xx, yy, xy = (x * x).sum(1, keepdims=True), (y * y).sum(1, keepdims=True), (x * y).sum(1, keepdims=True)
    s = xy / np.sqrt(xx * yy)
    return {"out": s[:, 0], "dx": y / np.sqrt(xx * yy) - x * s / xx}


def triplet_margin_reference(anchor, positive, negative, margin, SWAP):
    near, far, other = [np.sqrt(((a - b) ** 2).sum(1)) for a, b in
                        ((anchor, positive), (anchor, negative), (positive, negative))]
    return np.maximum(near - (np.minimum(far, other) if SWAP else far) + margin, 0)


def ctc_alphas_reference(log_probs, labels, lengths, TIME):
    result = []
    for b, length in enumerate(lengths.astype(int)):
        label = np.zeros(2 * length + 1, int)
        label[1::2] = labels[b, :length]
        alpha = np.full(len(label), -np.inf)
        alpha[:2] = log_probs[0, b, label[:2]]
        for t in range(1, TIME):
            one = np.concatenate([[-np.inf], alpha[:-1]])
            two = np.concatenate([[-np.inf] * 2, alpha[:-2]])[:len(label)]
            skips = np.array([s > 1 and s % 2 == 1 and label[s] != label[s - 2] for s in range(len(label))])
            alpha = np.logaddexp(np.logaddexp(alpha, one), np.where(skips, two, -np.inf)) + log_probs[t, b, label]
        result.append(-np.logaddexp(alpha[-1], alpha[-2]))
    return np.array(result)
