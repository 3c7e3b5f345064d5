# Kullback-Leibler and Jensen-Shannon divergence over a vocabulary in blocks, with gradients where training needs
# them, and the distance of total variation.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: kl_divergence
# TYPES: fp32 bf16
# SIZES: B=1 V=1 R=0 LOG=False | B=3 V=781 R=0 LOG=False | B=4 V=2000 R=1 LOG=True | B=2 V=1024 R=2 LOG=False
# BENCH: B=4096 V=32000 T=bf16 R=1 LOG=False
# ARG: scores rand(-9,-1):T[B,V]
# ARG: target rand(0.01,0.2):T[B,V]
# ARG: out zeros:fp32[B,V if R == 0 else 1]
# ARG: stride V
# ARG: V V
# ARG: floor 1e-10
# CONST: TARGET_IS_LOG LOG
# CONST: REDUCE R
# CONST: BLOCK 1024
# GRID: B
# CHECK: out
# TOLERANCE: out 3e-4 1e-4
#
# KERNEL: jensen_shannon
# TYPES: fp32
# SIZES: B=1 V=1 W=0.5 | B=3 V=781 W=0.3 | B=2 V=3000 W=0.0 | B=2 V=3000 W=1.0
# BENCH: B=2048 V=32000 T=fp32 W=0.5
# ARG: student rand(-9,-1):T[B,V]
# ARG: teacher rand(-9,-1):T[B,V]
# ARG: loss empty:fp32[B,V]
# ARG: gradient empty:T[B,V]
# ARG: V V
# CONST: WEIGHT W
# CONST: BLOCK 1024
# GRID: B, cdiv(V, BLOCK)
# TOLERANCE: loss 1e-5 1e-5
# TOLERANCE: gradient 1e-5 1e-5
#
# KERNEL: total_variation
# TYPES: fp32
# SIZES: B=1 V=1 | B=3 V=2500
# BENCH: B=4096 V=16384 T=fp32
# ARG: p rand:T[B,V]
# ARG: q rand:T[B,V]
# ARG: distances empty:fp32[B]
# ARG: gradient empty:T[B,V]
# ARG: V V
# ARG: factor 0.5
# CONST: BLOCK 1024
# GRID: B
# TOLERANCE: distances 1e-5 1e-4
import triton
import triton.language as tl

SUM = tl.constexpr(1)
MEAN = tl.constexpr(2)


@triton.jit
def surplus(target, score, floor, TARGET_IS_LOG: tl.constexpr):
    """target * log(target / score), the score being a logarithm already."""
    if TARGET_IS_LOG:
        weight, log_weight = tl.exp(target), target
    else:
        weight, log_weight = target, tl.log(tl.maximum(target, floor))
    return weight * (log_weight - score)


@triton.jit
def kl_divergence(scores, target, out, stride, V, floor, TARGET_IS_LOG: tl.constexpr = False,
                  REDUCE: tl.constexpr = MEAN, BLOCK: tl.constexpr = 1024):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((), tl.float32)
    for start in range(0, V, BLOCK):
        at = start + tl.arange(0, BLOCK)
        s = tl.load(scores + row * stride + at, at < V, other=0.0).to(tl.float32)
        t = tl.load(target + row * stride + at, at < V, other=0.0).to(tl.float32)
        each = surplus(t, s, floor, TARGET_IS_LOG)
        if REDUCE == SUM or REDUCE == MEAN:
            total += tl.sum(tl.where(at < V, each, 0.0))
        else:
            tl.store(out + row * V + at, each, at < V)
    if REDUCE == SUM:
        tl.store(out + row, total)
    elif REDUCE == MEAN:
        tl.store(out + row, total / V)


@triton.jit
def jensen_shannon(student, teacher, loss, gradient, V, WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    """At weights 0 and 1 there is no mixture, and one of the two divergences is left."""
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0).to(tl.int64) * V
    log_q = tl.load(student + row + at, at < V).to(tl.float32)
    log_p = tl.load(teacher + row + at, at < V).to(tl.float32)
    q, p = tl.exp(log_q), tl.exp(log_p)
    if WEIGHT == 0.0:
        tl.store(loss + row + at, p * (log_p - log_q), at < V)
        tl.store(gradient + row + at, -p, at < V)
    elif WEIGHT == 1.0:
        apart = log_q - log_p
        tl.store(loss + row + at, q * apart, at < V)
        tl.store(gradient + row + at, tl.fma(q, apart, q), at < V)
    else:
        log_mix = tl.log(WEIGHT * p + (1.0 - WEIGHT) * q)
        mine = (1.0 - WEIGHT) * q * (log_q - log_mix)
        tl.store(gradient + row + at, mine, at < V)
        tl.store(loss + row + at, mine + WEIGHT * p * (log_p - log_mix), at < V)


@triton.jit
def total_variation(p, q, distances, gradient, V, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    apart = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, V, BLOCK):
        i = start + lane
        d = tl.load(p + row * V + i, mask=i < V, other=0.0) - tl.load(q + row * V + i, mask=i < V, other=0.0)
        apart += tl.abs(d)
        half = 0.5 * factor
        tl.store(gradient + row * V + i, tl.where(d > 0, half, -half), mask=i < V)
    tl.store(distances + row, 0.5 * tl.sum(apart))


def kl_divergence_reference(scores, target, R, LOG, V):
    each = np.exp(target) * (target - scores) if LOG else target * (np.log(target) - scores)
    return each if R == 0 else each.sum(1, keepdims=True) / (V if R == 2 else 1)


def jensen_shannon_reference(student, teacher, W):
    p, q = np.exp(teacher), np.exp(student)
    if W in (0, 1):
        loss = q * (student - teacher) if W else p * (teacher - student)
        return dict(loss=loss, gradient=loss + q if W else -p)
    log_mix = np.log(W * p + (1 - W) * q)
    gradient = (1 - W) * q * (student - log_mix)
    return dict(loss=W * p * (teacher - log_mix) + gradient, gradient=gradient)


def total_variation_reference(p, q, factor):
    return dict(distances=np.abs(p - q).sum(1) / 2, gradient=np.where(p > q, factor / 2, -factor / 2))
