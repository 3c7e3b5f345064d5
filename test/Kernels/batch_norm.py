# Norms over channels and groups, forward with running statistics and backward; weights scaled to a length; a gated
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# norm of rows; a squashed affine map in the place of a norm.
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
# ARG: batch_dim N
# ARG: spatial_dim S
# ARG: stride_n C*S
# ARG: stride_c S
# ARG: stride_s 1
# ARG: momentum 0.1
# ARG: eps 1e-5
# CONST: affine True
# CONST: track_running_stats True
# CONST: is_train True
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
# ARG: grad_y randn:T[N,G*CG,S]
# ARG: x randn:T[N,G*CG,S]
# ARG: weight randn:T[G*CG]
# ARG: mean rand(-0.1,0.1):fp32[N,G]
# ARG: rstd rand(0.9,1.1):fp32[N,G]
# ARG: grad_x empty:T[N,G*CG,S]
# ARG: num_groups G
# ARG: group_size CG
# ARG: HW S
# CONST: W None
# CONST: BLOCK_GROUP next_power_of_2(CG)
# CONST: BLOCK_HW 256
# GRID: N*G
# TOLERANCE: grad_x 1e-4 1e-4
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
# KERNEL: weight_norm_first
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=5 N=300
# BENCH: M=8192 N=4096 T=fp16
# ARG: output empty:T[M,N]
# ARG: norm empty:fp32[M]
# ARG: v randn:T[M,N]
# ARG: g randn:T[M]
# ARG: M M
# ARG: N N
# ARG: eps 1e-20
# CONST: BLOCK_ROW_SIZE 4
# CONST: BLOCK_COL_SIZE 256
# GRID: cdiv(M, BLOCK_ROW_SIZE)
# TOLERANCE: norm 1e-5 1e-5
#
# KERNEL: gated_rms_norm
# TYPES: bf16
# SIZES: M=1 F=4 G=2 | M=7 F=96 G=48
# BENCH: M=16384 F=4096 G=1024 T=bf16
# ARG: X randn:T[M,F]
# ARG: Y empty:T[M,F]
# ARG: W randn:T[F]
# ARG: Z randn:T[M,F]
# ARG: Rstd empty:fp32[F//G,M]
# ARG: stride_x_row F
# ARG: stride_y_row F
# ARG: stride_z_row F
# ARG: M M
# ARG: N G
# ARG: eps 1e-6
# CONST: B None
# CONST: HAS_BIAS False
# CONST: HAS_Z True
# CONST: BLOCK_N next_power_of_2(G)
# CONST: NORM_BEFORE_GATE False
# CONST: IS_RMS_NORM True
# GRID: M, F//G
# TOLERANCE: Rstd 1e-4 1e-5
#
# KERNEL: dyt_backward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 P=1 | M=37 N=70 P=4
# BENCH: M=16384 N=4096 P=132 T=bf16
# ARG: dy randn:T[M,N]
# ARG: dx empty:T[M,N]
# ARG: dalpha empty:fp32[P,cdiv(N,64)]
# ARG: dgamma empty:fp32[P,N]
# ARG: x randn:T[M,N]
# ARG: alpha full(0.75):T[1]
# ARG: gamma randn:T[N]
# ARG: M M
# ARG: N N
# CONST: HAVE_BETA False
# CONST: BLOCK_N 64
# GRID: P, cdiv(N, BLOCK_N)
# TOLERANCE: dx 9e-3 1e-3
# TOLERANCE: dalpha 1e-3 1e-2
# TOLERANCE: dgamma 1e-3 1e-3
import torch
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh


@triton.jit
def batch_norm_forward(x, weight, bias, mean, inv_std, out, running_mean, running_var, batch_dim, spatial_dim,
                       stride_n, stride_c, stride_s, momentum, eps, affine: tl.constexpr,
                       track_running_stats: tl.constexpr, is_train: tl.constexpr, RELU: tl.constexpr,
                       BLOCK_N: tl.constexpr, BLOCK_S: tl.constexpr):
    feat = tl.program_id(axis=0)
    if is_train:
        total = tl.zeros((BLOCK_N, BLOCK_S), tl.float32)
        squares = tl.zeros((BLOCK_N, BLOCK_S), tl.float32)
        shift = tl.load(x + feat * stride_c).to(tl.float32)
        for block in range(0, tl.cdiv(batch_dim, BLOCK_N)):
            n = block * BLOCK_N + tl.arange(0, BLOCK_N)
            batch_mask = n < batch_dim
            for part in range(0, tl.cdiv(spatial_dim, BLOCK_S)):
                s = part * BLOCK_S + tl.arange(0, BLOCK_S)
                mask = batch_mask[:, None] & (s < spatial_dim)[None, :]
                p = x + stride_n * n[:, None] + stride_c * feat + stride_s * s[None, :]
                v = tl.where(mask, tl.load(p, mask=mask).to(tl.float32) - shift, 0.0)
                total += v
                squares += v * v
        count = batch_dim * spatial_dim
        moved = tl.sum(total) / count
        var = tl.sum(squares) / count - moved * moved
        m = moved + shift
        rstd = tl.rsqrt(var + eps)
        tl.store(mean + feat, m)
        tl.store(inv_std + feat, rstd)
        if track_running_stats:
            old_mean = tl.load(running_mean + feat)
            old_var = tl.load(running_var + feat)
            tl.store(running_mean + feat, (1 - momentum) * old_mean + momentum * m)
            n_tracked = count / (count - 1)
            tl.store(running_var + feat, (1 - momentum) * old_var + momentum * var * n_tracked)
    else:
        m = tl.load(running_mean + feat)
        rstd = tl.rsqrt(tl.load(running_var + feat) + eps)
    if affine:
        w = tl.load(weight + feat).to(tl.float32)
        b = tl.load(bias + feat).to(tl.float32)
    else:
        w = 1.0
        b = 0.0
    for block in range(0, tl.cdiv(batch_dim, BLOCK_N)):
        n = block * BLOCK_N + tl.arange(0, BLOCK_N)
        for part in range(0, tl.cdiv(spatial_dim, BLOCK_S)):
            s = part * BLOCK_S + tl.arange(0, BLOCK_S)
            mask = (n < batch_dim)[:, None] & (s < spatial_dim)[None, :]
            at = stride_n * n[:, None] + stride_c * feat + stride_s * s[None, :]
            y = w * (tl.load(x + at, mask=mask).to(tl.float32) - m) * rstd + b
            if RELU:
                y = tl.maximum(y, 0.0)
            tl.store(out + at, y, mask=mask)


@triton.jit
def group_norm_backward(grad_y, x, weight, mean, rstd, num_groups, group_size, grad_x, HW, W,
                        BLOCK_GROUP: tl.constexpr, BLOCK_HW: tl.constexpr):
    pid = tl.program_id(0)
    group = pid % num_groups
    in_group = tl.arange(0, BLOCK_GROUP)
    channel = group * group_size + in_group
    channel_mask = in_group < group_size
    r = tl.load(rstd + pid).to(tl.float32)
    u = tl.load(mean + pid).to(tl.float32)
    w = tl.load(weight + channel, mask=channel_mask, other=0.0).to(tl.float32)[:, None]
    dx_part2 = tl.zeros([BLOCK_GROUP, BLOCK_HW], dtype=tl.float32)
    dx_part3 = tl.zeros([BLOCK_GROUP, BLOCK_HW], dtype=tl.float32)
    for off in range(0, HW, BLOCK_HW):
        hw = off + tl.arange(0, BLOCK_HW)
        mask = channel_mask[:, None] & (hw < HW)[None, :]
        at = pid * group_size * HW + in_group[:, None] * HW + hw[None, :]
        dy = tl.load(grad_y + at, mask=mask, other=0.0).to(tl.float32)
        v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        dx_hat = w * dy
        dx_part2 += dx_hat
        dx_part3 += dx_hat * tl.where(mask, (v - u) * r, 0.0)
    count = group_size * HW
    part2 = tl.sum(dx_part2) / count
    part3 = tl.sum(dx_part3) / count
    for off in range(0, HW, BLOCK_HW):
        hw = off + tl.arange(0, BLOCK_HW)
        mask = channel_mask[:, None] & (hw < HW)[None, :]
        at = pid * group_size * HW + in_group[:, None] * HW + hw[None, :]
        dy = tl.load(grad_y + at, mask=mask, other=0.0).to(tl.float32)
        v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        dx = r * (w * dy - (part2 + (v - u) * r * part3))
        tl.store(grad_x + at, dx.to(grad_x.dtype.element_ty), mask=mask)


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
def weight_norm_first(output, norm, v, g, M, N, eps, BLOCK_ROW_SIZE: tl.constexpr, BLOCK_COL_SIZE: tl.constexpr):
    tx = tl.arange(0, BLOCK_COL_SIZE)[:, None]
    bx = tl.program_id(axis=0) * BLOCK_ROW_SIZE
    ty = tl.arange(0, BLOCK_ROW_SIZE)[None, :]
    row_offset = bx + ty
    row_mask = row_offset < M
    v_block = tl.zeros([BLOCK_COL_SIZE, BLOCK_ROW_SIZE], dtype=tl.float32)
    for base in range(0, N, BLOCK_COL_SIZE):
        col_offset = base + tx
        mask = col_offset < N and row_mask
        v_value = tl.load(v + row_offset * N + col_offset, mask=mask).to(tl.float32)
        v_block += tl.where(mask, v_value * v_value, 0.0)
    normalized = tl.sqrt(tl.sum(v_block, axis=0) + eps)
    tl.store(norm + row_offset, normalized[None, :], mask=row_mask)
    g_value = tl.load(g + row_offset, mask=row_mask).to(tl.float32)
    for base in range(0, N, BLOCK_COL_SIZE):
        col_offset = base + tx
        mask = col_offset < N and row_mask
        v_value = tl.load(v + row_offset * N + col_offset, mask=mask).to(tl.float32)
        out = v_value / normalized[None, :] * g_value
        tl.store(output + row_offset * N + col_offset, out, mask=mask)


@triton.heuristics({"HAS_BIAS": lambda args: args["B"] is not None})
@triton.heuristics({"HAS_Z": lambda args: args["Z"] is not None})
@triton.jit
def gated_rms_norm(X, Y, W, B, Z, Rstd, stride_x_row, stride_y_row, stride_z_row, M, N, eps, BLOCK_N: tl.constexpr,
                   HAS_BIAS: tl.constexpr, HAS_Z: tl.constexpr, NORM_BEFORE_GATE: tl.constexpr,
                   IS_RMS_NORM: tl.constexpr):
    row = tl.program_id(0)
    group = tl.program_id(1)
    X += row * stride_x_row + group * N
    Y += row * stride_y_row + group * N
    if HAS_Z:
        Z += row * stride_z_row + group * N
    Rstd += group * M
    W += group * N
    if HAS_BIAS:
        B += group * N
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
    if HAS_Z and not NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=cols < N).to(tl.float32)
        x *= z * tl.sigmoid(z)
    if not IS_RMS_NORM:
        mean = tl.sum(x, axis=0) / N
        x = tl.where(cols < N, x - mean, 0.)
    xbar = tl.where(cols < N, x, 0.)
    var = tl.sum(xbar * xbar, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Rstd + row, rstd)
    mask = cols < N
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    y = x * rstd * w
    if HAS_BIAS:
        y += tl.load(B + cols, mask=mask).to(tl.float32)
    if HAS_Z and NORM_BEFORE_GATE:
        z = tl.load(Z + cols, mask=mask).to(tl.float32)
        y *= z * tl.sigmoid(z)
    tl.store(Y + cols, y, mask=mask)


@triton.jit
def dyt_backward(dy, dx, dalpha, dgamma, x, alpha, gamma, HAVE_BETA: tl.constexpr, M, N, BLOCK_N: tl.constexpr):
    cols = tl.cast(tl.program_id(1), tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = cols < N
    start_row = tl.program_id(0)
    a = tl.load(alpha).to(tl.float32)
    da = 0.0
    g = tl.load(gamma + cols, mask=mask, other=0.0).to(tl.float32)
    dg = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for row in range(start_row, M, tl.num_programs(0)):
        v = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        grad = tl.load(dy + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        t = tanh(a * v)
        dg += grad * t
        inner = grad * g * (1 - t * t)
        da += tl.sum(inner * v, 0)
        tl.store(dx + row * N + cols, inner * a, mask=mask)
    tl.store(dgamma + start_row * N + cols, dg, mask=mask)
    tl.store(dalpha + start_row * tl.cdiv(N, BLOCK_N) + tl.program_id(1), da)


def batch_norm_forward_reference(x, weight, bias, eps, RELU):
    mean, var, n = x.mean((0, 2)), x.var((0, 2)), x.shape[0] * x.shape[2]
    rstd = 1 / np.sqrt(var + eps)
    y = (x - mean[:, None]) * rstd[:, None] * weight[:, None] + bias[:, None]
    with np.errstate(all="ignore"):
        running_var = 0.9 + 0.1 * var * (n / (n - 1))
    return {"out": np.maximum(y, 0) if RELU else y, "mean": mean, "inv_std": rstd, "running_mean": 0.1 * mean,
            "running_var": running_var}


def group_norm_backward_reference(grad_y, x, weight, mean, rstd, N, G, CG, S):
    hat = (x.reshape(N, G, -1) - mean[..., None]) * rstd[..., None]
    g = (grad_y * weight[:, None]).reshape(N, G, -1)
    grad = rstd[..., None] * (g - g.mean(2, keepdims=True) - hat * (g * hat).mean(2, keepdims=True))
    return grad.reshape(x.shape)


def group_norm_weight_grads_reference(dy, x, mean, rstd, CG):
    u, r = np.repeat(mean, CG, 1)[..., None], np.repeat(rstd, CG, 1)[..., None]
    return {"dw": (dy * (x - u) * r).sum((0, 2)), "db": dy.sum((0, 2))}


def weight_norm_first_reference(v, g):
    norm = np.sqrt((v * v).sum(1))
    return {"output": v / norm[:, None] * g[:, None], "norm": norm}


def gated_rms_norm_reference(X, W, Z, M, G, eps):
    x = (X * Z / (1 + np.exp(-Z))).reshape(M, -1, G)
    rstd = 1 / np.sqrt((x * x).mean(2) + eps)
    return {"Y": (x * rstd[..., None]).reshape(X.shape) * W, "Rstd": rstd.T}


def dyt_backward_reference(dy, x, alpha, gamma, P, N):
    t = np.tanh(alpha * x)
    inner = dy * gamma * (1 - t * t)
    da = np.array([[(inner * x)[p::P, c:c + 64].sum() for c in range(0, N, 64)] for p in range(P)])
    return {"dx": inner * alpha, "dalpha": da, "dgamma": np.stack([(dy * t)[p::P].sum(0) for p in range(P)])}
