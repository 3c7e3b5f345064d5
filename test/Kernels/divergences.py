# KL and Jensen-Shannon divergence over a vocabulary in blocks, with gradients where training needs them, and
# total variation distance.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: kl_div_forward
# TYPES: fp32 bf16
# SIZES: B=1 V=1 R=0 LOG=False | B=3 V=781 R=0 LOG=False | B=4 V=2000 R=1 LOG=True | B=2 V=1024 R=2 LOG=False
# BENCH: B=4096 V=32000 T=bf16 R=1 LOG=False
# ARG: y_ptr rand(-9,-1):T[B,V]
# ARG: y_stride V
# ARG: gt_ptr rand(0.01,0.2):T[B,V]
# ARG: gt_stride V
# ARG: loss_ptr zeros:fp32[B,V if R == 0 else 1]
# ARG: loss_stride V if R == 0 else 1
# ARG: n_cols V
# ARG: eps 1e-10
# CONST: BLOCK_SIZE 1024
# CONST: log_target LOG
# CONST: reduction R
# GRID: B
# CHECK: loss_ptr
# TOLERANCE: loss_ptr 3e-4 1e-4
#
# KERNEL: jsd_kernel
# TYPES: fp32
# SIZES: B=1 V=1 BETA=0.5 | B=3 V=781 BETA=0.3 | B=2 V=3000 BETA=0.0 | B=2 V=3000 BETA=1.0
# BENCH: B=2048 V=32000 T=fp32 BETA=0.5
# ARG: X_ptr rand(-9,-1):T[B,V]
# ARG: X_stride V
# ARG: Y_ptr rand(-9,-1):T[B,V]
# ARG: Y_stride V
# ARG: loss_ptr empty:fp32[B,V]
# ARG: loss_stride V
# ARG: dX_ptr empty:T[B,V]
# ARG: dX_stride V
# ARG: n_cols V
# CONST: beta BETA
# CONST: BLOCK_SIZE 1024
# GRID: B
# TOLERANCE: loss_ptr 1e-5 1e-5
# TOLERANCE: dX_ptr 1e-5 1e-5
#
# KERNEL: tv_distance
# TYPES: fp32
# SIZES: B=1 V=1 | B=3 V=2500
# BENCH: B=4096 V=16384 T=fp32
# ARG: p_ptr rand:T[B,V]
# ARG: p_stride V
# ARG: q_ptr rand:T[B,V]
# ARG: q_stride V
# ARG: loss_ptr empty:fp32[B]
# ARG: grads_ptr empty:T[B,V]
# ARG: n_cols V
# ARG: scale 0.5
# CONST: BLOCK_SIZE 1024
# GRID: B
# TOLERANCE: loss_ptr 1e-5 1e-4
import triton
import triton.language as tl

REDUCTION_NONE = tl.constexpr(0)
REDUCTION_SUM = tl.constexpr(1)
REDUCTION_MEAN = tl.constexpr(2)


@triton.jit
def kl_div_forward(y_ptr, y_stride, gt_ptr, gt_stride, loss_ptr, loss_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr,
                   log_target: tl.constexpr = False, reduction: tl.constexpr = REDUCTION_MEAN):
    pid = tl.program_id(0).to(tl.int64)
    y_ptr += pid * y_stride
    gt_ptr += pid * gt_stride
    loss_ptr += pid * loss_stride
    base_offsets = tl.arange(0, BLOCK_SIZE)
    loss_sum = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        offsets = i + base_offsets
        mask = offsets < n_cols
        y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
        y_true = tl.load(gt_ptr + offsets, mask=mask, other=0.0)
        # KL(y_true || y) = y_true * (log(y_true) - y)
        if not log_target:
            loss = y_true * (tl.log(tl.maximum(y_true, eps)) - y)
        else:
            loss = tl.exp(y_true.to(tl.float32)) * (y_true - y)
        if reduction == REDUCTION_NONE:
            tl.store(loss_ptr + offsets, loss, mask=mask)
        else:
            loss_sum += tl.sum(loss, axis=0)
    if reduction != REDUCTION_NONE:
        if reduction == REDUCTION_MEAN:
            loss_sum = loss_sum / n_cols
        tl.store(loss_ptr, loss_sum)


@triton.jit
def jsd_kernel(X_ptr, X_stride, Y_ptr, Y_stride, loss_ptr, loss_stride, dX_ptr, dX_stride, n_cols,
               beta: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    X_ptr += pid * X_stride
    dX_ptr += pid * dX_stride
    Y_ptr += pid * Y_stride
    loss_ptr += pid * loss_stride
    for i in range(0, n_cols, BLOCK_SIZE):
        offsets = i + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_cols
        X = tl.load(X_ptr + offsets, mask=mask, other=float("-inf")).to(tl.float32)
        Y = tl.load(Y_ptr + offsets, mask=mask, other=float("-inf")).to(tl.float32)
        if beta == 0.0:
            Y_max = tl.max(Y, axis=0)
            Y_shifted = Y - Y_max
            Y_prob = tl.exp(Y_shifted) * tl.exp(Y_max)
            loss = Y_prob * (Y - X)
            dX = -Y_prob
        elif beta == 1.0:
            X_max = tl.max(X, axis=0)
            X_shifted = X - X_max
            X_prob = tl.exp(X_shifted) * tl.exp(X_max)
            loss = X_prob * (X - Y)
            dX = loss + X_prob
        else:
            max_val = tl.maximum(tl.max(X, axis=0), tl.max(Y, axis=0))
            exp_max = tl.exp(max_val)
            Q = tl.exp(X - max_val) * exp_max
            P = tl.exp(Y - max_val) * exp_max
            beta_P = beta * P
            one_minus_beta_Q = (1 - beta) * Q
            M = beta_P + one_minus_beta_Q
            log_M = tl.log(M)
            loss = beta_P * Y + one_minus_beta_Q * X - M * log_M
            dX = one_minus_beta_Q * (X - log_M)
        tl.store(loss_ptr + offsets, loss, mask=mask)
        tl.store(dX_ptr + offsets, dX, mask=mask)


@triton.jit
def tv_distance(p_ptr, p_stride, q_ptr, q_stride, loss_ptr, grads_ptr, n_cols, scale, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    p_ptr += pid * p_stride
    q_ptr += pid * q_stride
    grads_ptr += pid * n_cols
    base_offsets = tl.arange(0, BLOCK_SIZE)
    loss_sum = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        offsets = i + base_offsets
        mask = offsets < n_cols
        p = tl.load(p_ptr + offsets, mask=mask, other=0.0)
        q = tl.load(q_ptr + offsets, mask=mask, other=0.0)
        tv_loss = 0.5 * tl.abs(p - q)
        grad_res = tl.where(p > q, 0.5, -0.5)
        tl.store(grads_ptr + offsets, grad_res * scale, mask=mask)
        loss_sum += tl.sum(tv_loss, axis=0)
    tl.store(loss_ptr + pid, loss_sum)


def kl_div_forward_reference(y_ptr, gt_ptr, R, LOG, V):
    loss = np.exp(gt_ptr) * (gt_ptr - y_ptr) if LOG else gt_ptr * (np.log(gt_ptr) - y_ptr)
    return loss if R == 0 else loss.sum(1, keepdims=True) / (V if R == 2 else 1)


def jsd_kernel_reference(X_ptr, Y_ptr, beta):
    P, Q = np.exp(Y_ptr), np.exp(X_ptr)
    if beta == 0:
        return dict(loss_ptr=P * (Y_ptr - X_ptr), dX_ptr=-P)
    if beta == 1:
        return dict(loss_ptr=Q * (X_ptr - Y_ptr), dX_ptr=Q * (X_ptr - Y_ptr) + Q)
    M = beta * P + (1 - beta) * Q
    return dict(loss_ptr=beta * P * Y_ptr + (1 - beta) * Q * X_ptr - M * np.log(M),
                dX_ptr=(1 - beta) * Q * (X_ptr - np.log(M)))


def tv_distance_reference(p_ptr, q_ptr, scale):
    return dict(loss_ptr=0.5 * np.abs(p_ptr - q_ptr).sum(1), grads_ptr=np.where(p_ptr > q_ptr, 0.5, -0.5) * scale)
