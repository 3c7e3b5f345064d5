# Norms over channels and groups, forward with running statistics and backward; weights scaled to a length; a gated
# norm of rows; a squashed affine map in the place of a norm.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: batch_norm_forward
# TYPES: fp32 fp16
# SIZES: N=2 C=1 S=1 RELU=False | N=3 C=5 S=49 RELU=True
# BENCH: N=64 C=256 S=784 RELU=True T=fp16
# ARG: x randn(1,2):T[N,C,S]
# ARG: weight randn:T[C]
# ARG: bias randn:T[C]
# ARG: mean empty:fp32[C]
# ARG: inv_std empty:fp32[C]
# ARG: out empty:T[N,C,S]
# ARG: running_mean zeros:fp32[C]
# ARG: running_var ones:fp32[C]
# ARG: N N
# ARG: S S
# ARG: stride_n C*S
# ARG: stride_c S
# ARG: stride_s 1
# ARG: momentum 0.1
# ARG: eps 1e-5
# CONST: AFFINE True
# CONST: TRAINS True
# CONST: RELU RELU
# CONST: BLOCK_N 4
# CONST: BLOCK_S 128
# GRID: C
# CHECK: out mean inv_std running_mean running_var
# TOLERANCE: out 3e-3 3e-3
# TOLERANCE: mean 1e-4 1e-5
# TOLERANCE: inv_std 1e-4 1e-5
# TOLERANCE: running_mean 1e-4 1e-5
# TOLERANCE: running_var 1e-4 1e-5
#
# KERNEL: group_norm_backward
# TYPES: fp32
# SIZES: N=1 G=1 CG=1 S=3 | N=2 G=3 CG=5 S=49
# BENCH: N=32 G=32 CG=8 S=1024 T=fp32
# ARG: dy randn:T[N,G*CG,S]
# ARG: x randn:T[N,G*CG,S]
# ARG: weight randn:T[G*CG]
# ARG: mean rand(-0.1,0.1):fp32[N,G]
# ARG: rstd rand(0.9,1.1):fp32[N,G]
# ARG: dx empty:T[N,G*CG,S]
# ARG: groups G
# ARG: channels CG
# ARG: S S
# CONST: BLOCK_C next_power_of_2(CG)
# CONST: BLOCK_S 256
# GRID: N*G
# TOLERANCE: dx 1e-4 1e-4
#
# KERNEL: group_norm_weight_grads
# TYPES: fp32
# SIZES: N=1 G=1 CG=1 S=3 | N=5 G=3 CG=5 S=49
# BENCH: N=32 G=32 CG=8 S=1024 T=fp32
# ARG: dy randn:T[N,G*CG,S]
# ARG: x randn:T[N,G*CG,S]
# ARG: mean rand(-0.1,0.1):fp32[N,G]
# ARG: rstd rand(0.9,1.1):fp32[N,G]
# ARG: dw empty:fp32[G*CG]
# ARG: db empty:fp32[G*CG]
# ARG: group_size CG
# ARG: N N
# ARG: C G*CG
# ARG: HW S
# CONST: BLOCK_N 4
# CONST: BLOCK_HW 64
# GRID: G*CG
# TOLERANCE: dw 1e-4 1e-3
# TOLERANCE: db 1e-4 1e-3
#
# KERNEL: scale_rows
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=5 N=300
# BENCH: M=8192 N=4096 T=fp16
# ARG: v randn:T[M,N]
# ARG: g randn:T[M]
# ARG: out empty:T[M,N]
# ARG: length empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: eps 1e-20
# CONST: BLOCK_M 4
# CONST: BLOCK_N 256
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: length 1e-5 1e-5
#
# KERNEL: gated_rms_norm
# TYPES: bf16
# SIZES: M=1 F=4 G=2 FIRST=True | M=7 F=96 G=48 FIRST=True | M=7 F=96 G=48 FIRST=False
# BENCH: M=16384 F=4096 G=1024 FIRST=True T=bf16
# ARG: x randn:T[M,F]
# ARG: gate randn:T[M,F]
# ARG: weight randn:T[F]
# ARG: out empty:T[M,F]
# ARG: rstd empty:fp32[F//G,M]
# ARG: M M
# ARG: F F
# ARG: eps 1e-6
# CONST: bias None
# CONST: GROUP G
# CONST: BLOCK next_power_of_2(G)
# CONST: GATE_FIRST FIRST
# GRID: M, F//G
# TOLERANCE: out 2e-2 1e-2
# TOLERANCE: rstd 1e-4 1e-5
#
# KERNEL: squash_backward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 P=1 | M=37 N=70 P=4
# BENCH: M=16384 N=4096 P=132 T=bf16
# ARG: x randn:T[M,N]
# ARG: dy randn:T[M,N]
# ARG: slope full(0.75):T[1]
# ARG: weight randn:T[N]
# ARG: dx empty:T[M,N]
# ARG: dslope empty:fp32[P,cdiv(N,64)]
# ARG: dweight empty:fp32[P,N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_N 64
# GRID: P, cdiv(N, BLOCK_N)
# TOLERANCE: dx 9e-3 1e-3
# TOLERANCE: dslope 1e-3 1e-2
# TOLERANCE: dweight 1e-3 1e-3
import torch
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh


@triton.jit
def batch_norm_forward(x, weight, bias, mean, inv_std, out, running_mean, running_var, N, S, stride_n, stride_c,
                       stride_s, momentum, eps, AFFINE: tl.constexpr, TRAINS: tl.constexpr, RELU: tl.constexpr,
                       BLOCK_N: tl.constexpr, BLOCK_S: tl.constexpr):
    c = tl.program_id(0)
    n_lane = tl.arange(0, BLOCK_N)[:, None]
    s_lane = tl.arange(0, BLOCK_S)[None, :]
    x += c * stride_c
    if TRAINS:
        # Around the first element, so that the squares of a large mean do not cancel.
        shift = tl.load(x).to(tl.float32)
        total = tl.zeros((BLOCK_N, BLOCK_S), tl.float32)
        squares = tl.zeros((BLOCK_N, BLOCK_S), tl.float32)
        for n in range(0, N, BLOCK_N):
            for s in range(0, S, BLOCK_S):
                mask = (n + n_lane < N) & (s + s_lane < S)
                v = tl.load(x + stride_n * (n + n_lane) + stride_s * (s + s_lane), mask=mask).to(tl.float32)
                v = tl.where(mask, v - shift, 0.0)
                total += v
                squares += v * v
        count = N * S
        moved = tl.sum(total) / count
        var = tl.sum(squares) / count - moved * moved
        m = moved + shift
        rstd = tl.rsqrt(var + eps)
        tl.store(mean + c, m)
        tl.store(inv_std + c, rstd)
        tl.store(running_mean + c, (1 - momentum) * tl.load(running_mean + c) + momentum * m)
        unbiased = var * count / (count - 1)
        tl.store(running_var + c, (1 - momentum) * tl.load(running_var + c) + momentum * unbiased)
    else:
        m = tl.load(running_mean + c)
        rstd = tl.rsqrt(tl.load(running_var + c) + eps)
    w = tl.load(weight + c).to(tl.float32) if AFFINE else 1.0
    b = tl.load(bias + c).to(tl.float32) if AFFINE else 0.0
    out += c * stride_c
    for n in range(0, N, BLOCK_N):
        for s in range(0, S, BLOCK_S):
            mask = (n + n_lane < N) & (s + s_lane < S)
            at = stride_n * (n + n_lane) + stride_s * (s + s_lane)
            y = w * (tl.load(x + at, mask=mask).to(tl.float32) - m) * rstd + b
            if RELU:
                y = tl.maximum(y, 0.0)
            tl.store(out + at, y, mask=mask)


@triton.jit
def gradient_and_normal(dy, x, at, mask, w, u, r):
    """The gradient with respect to the normalised value, and that value."""
    g = w * tl.load(dy + at, mask=mask, other=0.0).to(tl.float32)
    hat = (tl.load(x + at, mask=mask, other=0.0).to(tl.float32) - u) * r
    return g, hat


@triton.jit
def group_norm_backward(dy, x, weight, mean, rstd, dx, groups, channels, S, BLOCK_C: tl.constexpr,
                        BLOCK_S: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK_C)[:, None]
    w = tl.load(weight + pid % groups * channels + c, mask=c < channels, other=0.0).to(tl.float32)
    u, r = tl.load(mean + pid), tl.load(rstd + pid)
    sum_g = tl.zeros([BLOCK_C, BLOCK_S], tl.float32)
    sum_gh = tl.zeros([BLOCK_C, BLOCK_S], tl.float32)
    for start in range(0, S, BLOCK_S):
        s = start + tl.arange(0, BLOCK_S)[None, :]
        g, hat = gradient_and_normal(dy, x, (pid * channels + c) * S + s, (c < channels) & (s < S), w, u, r)
        sum_g += g
        sum_gh += g * hat
    mean_g = tl.sum(sum_g) / (channels * S)
    mean_gh = tl.sum(sum_gh) / (channels * S)
    for start in range(0, S, BLOCK_S):
        s = start + tl.arange(0, BLOCK_S)[None, :]
        at, mask = (pid * channels + c) * S + s, (c < channels) & (s < S)
        g, hat = gradient_and_normal(dy, x, at, mask, w, u, r)
        tl.store(dx + at, r * (g - mean_g - hat * mean_gh), mask=mask)


@triton.jit
def group_norm_weight_grads(dy, x, mean, rstd, dw, db, group_size, N, C, HW, BLOCK_N: tl.constexpr,
                            BLOCK_HW: tl.constexpr):
    c = tl.program_id(0)
    groups = C // group_size
    group = c // group_size
    dw_acc = tl.zeros([BLOCK_N, BLOCK_HW], tl.float32)
    db_acc = tl.zeros([BLOCK_N, BLOCK_HW], tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        there = n < N
        u = tl.load(mean + n * groups + group, mask=there, other=0.0)[:, None]
        r = tl.load(rstd + n * groups + group, mask=there, other=0.0)[:, None]
        for off in range(0, HW, BLOCK_HW):
            hw = off + tl.arange(0, BLOCK_HW)
            mask = there[:, None] & (hw < HW)[None, :]
            at = (n[:, None] * C + c) * HW + hw[None, :]
            g = tl.load(dy + at, mask=mask, other=0.0).to(tl.float32)
            v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
            dw_acc += g * (v - u) * r
            db_acc += g
    tl.store(dw + c, tl.sum(dw_acc))
    tl.store(db + c, tl.sum(db_acc))


@triton.jit(do_not_specialize=["eps"])
def scale_rows(v, g, out, length, M, N, eps, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Gives each row the length that g holds."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    there = row < M
    squares = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = there[:, None] & (col < N)[None, :]
        x = tl.load(v + row[:, None] * N + col[None, :], mask=mask, other=0.0).to(tl.float32)
        squares += x * x
    old = tl.sqrt(tl.sum(squares, axis=1) + eps)
    tl.store(length + row, old, mask=there)
    factor = tl.load(g + row, mask=there, other=0.0).to(tl.float32) / old
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = there[:, None] & (col < N)[None, :]
        x = tl.load(v + row[:, None] * N + col[None, :], mask=mask).to(tl.float32)
        tl.store(out + row[:, None] * N + col[None, :], x * factor[:, None], mask=mask)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gated_rms_norm(x, gate, weight, bias, out, rstd, M, F, eps, GROUP: tl.constexpr, BLOCK: tl.constexpr,
                   GATE_FIRST: tl.constexpr):
    """A group of a row has a norm of its own; the gate counts before the norm or behind it."""
    row, group = tl.program_id(0), tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    there = lane < GROUP
    at = row * F + group * GROUP + lane
    factor = 1.0
    if gate is not None:
        factor = silu(tl.load(gate + at, mask=there, other=0.0).to(tl.float32))
    v = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
    if GATE_FIRST:
        v *= factor
    r = tl.rsqrt(tl.sum(v * v, axis=0) / GROUP + eps)
    tl.store(rstd + group * M + row, r)
    y = v * r * tl.load(weight + group * GROUP + lane, mask=there, other=0.0).to(tl.float32)
    if bias is not None:
        y += tl.load(bias + group * GROUP + lane, mask=there, other=0.0).to(tl.float32)
    if not GATE_FIRST:
        y *= factor
    tl.store(out + at, y, mask=there)


@triton.jit
def squash_backward(x, dy, slope, weight, dx, dslope, dweight, M, N, BLOCK_N: tl.constexpr):
    """Of weight * tanh(slope * x): a program has the columns of a block and every P-th row."""
    part, block = tl.program_id(0), tl.program_id(1)
    n = block.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    w = tl.load(weight + n, mask=n < N, other=0.0).to(tl.float32)
    k = tl.load(slope).to(tl.float32)
    sum_w = tl.zeros([BLOCK_N], tl.float32)
    sum_k = tl.zeros([BLOCK_N], tl.float32)
    for m in range(part, M, tl.num_programs(0)):
        v = tl.load(x + m * N + n, mask=n < N, other=0.0).to(tl.float32)
        g = tl.load(dy + m * N + n, mask=n < N, other=0.0).to(tl.float32)
        y = tanh(k * v)
        inner = g * w * (1 - y * y)
        sum_w += g * y
        sum_k += inner * v
        tl.store(dx + m * N + n, inner * k, mask=n < N)
    tl.store(dweight + part * N + n, sum_w, mask=n < N)
    tl.store(dslope + part * tl.num_programs(1) + block, tl.sum(sum_k, 0))


def batch_norm_forward_reference(x, weight, bias, eps, RELU):
    mean, var, n = x.mean((0, 2)), x.var((0, 2)), x.shape[0] * x.shape[2]
    rstd = 1 / np.sqrt(var + eps)
    y = (x - mean[:, None]) * rstd[:, None] * weight[:, None] + bias[:, None]
    with np.errstate(all="ignore"):
        running_var = 0.9 + 0.1 * var * (n / (n - 1))
    return {"out": np.maximum(y, 0) if RELU else y, "mean": mean, "inv_std": rstd, "running_mean": 0.1 * mean,
            "running_var": running_var}


def group_norm_backward_reference(dy, x, weight, mean, rstd, N, G):
    hat = (x.reshape(N, G, -1) - mean[..., None]) * rstd[..., None]
    g = (dy * weight[:, None]).reshape(N, G, -1)
    grad = rstd[..., None] * (g - g.mean(2, keepdims=True) - hat * (g * hat).mean(2, keepdims=True))
    return grad.reshape(x.shape)


def group_norm_weight_grads_reference(dy, x, mean, rstd, CG):
    u, r = np.repeat(mean, CG, 1)[..., None], np.repeat(rstd, CG, 1)[..., None]
    return {"dw": (dy * (x - u) * r).sum((0, 2)), "db": dy.sum((0, 2))}


def scale_rows_reference(v, g):
    length = np.sqrt((v * v).sum(1))
    return {"out": v / length[:, None] * g[:, None], "length": length}


def gated_rms_norm_reference(x, gate, weight, M, G, eps, FIRST):
    factor = gate / (1 + np.exp(-gate))
    v = (x * factor if FIRST else x).reshape(M, -1, G)
    r = 1 / np.sqrt((v * v).mean(2) + eps)
    y = (v * r[..., None]).reshape(x.shape) * weight
    return {"out": y if FIRST else y * factor, "rstd": r.T}


def squash_backward_reference(x, dy, slope, weight, P, N):
    y = np.tanh(slope * x)
    inner = dy * weight * (1 - y * y)
    dslope = np.array([[(inner * x)[p::P, c:c + 64].sum() for c in range(0, N, 64)] for p in range(P)])
    return {"dx": inner * slope, "dslope": dslope, "dweight": np.stack([(dy * y)[p::P].sum(0) for p in range(P)])}
