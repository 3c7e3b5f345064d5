# Linear layers with what libraries fuse around the product: bias and an activation chosen by name, a gate that a second
# weight makes, a residual, a low-rank adapter beside the weight, norms of the rows found in the same pass, sums and
# largest values of the rows, the slope of an activation, rotations of the result.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: linear
# SIZES: M=65 N=33 K=70 A="gelu" | M=17 N=64 K=64 A="tanh_gelu" | M=64 N=129 K=40 A="silu" | M=1 N=1 K=1 A="" | M=30 N=20 K=96 A="relu_squared"
# BENCH: M=4096 N=4096 K=2048 A="gelu" BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: OUT empty:fp16[M,N]
# ARG: BEFORE empty:fp16[M,N]
# ARG: X randn(0,0.5):fp16[M,K]
# ARG: W randn(0,0.5):fp16[N,K]
# ARG: BIAS randn:fp16[N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_om N
# ARG: stride_im K
# ARG: stride_wn K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: GROUP_M 8
# CONST: BLOCK_K 32
# CONST: EVEN_K K % BLOCK_K == 0
# CONST: SAVE_BEFORE True
# CONST: ACTIVATION '"%s"' % A
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: OUT 4e-3 4e-3
# TOLERANCE: BEFORE 4e-3 4e-3
#
# KERNEL: gated
# TYPES: fp16 bf16
# SIZES: M=65 N=48 K=70 | M=3 N=17 K=128
# BENCH: M=4096 N=4096 K=2048 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):T[M,K]
# ARG: w_gate_ptr randn(0,0.5):T[K,N]
# ARG: w_up_ptr randn(0,0.5):T[K,N]
# ARG: out_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_xm K
# ARG: stride_xk 1
# ARG: stride_wk N
# ARG: stride_wn 1
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 2e-2 2e-2
#
# KERNEL: residual
# SIZES: M=65 N=70 K=64 DROP=0.0 | M=30 N=40 K=33 DROP=0.5
# BENCH: M=4096 N=4096 K=2048 DROP=0.5 BLOCK_M=128 BLOCK_N=128 num_warps=8
# ARG: x_ptr randint(-3,4):bf16[M,K]
# ARG: w_ptr randint(-3,4):bf16[K,N]
# ARG: res_ptr randint(-9,10):bf16[M,N]
# ARG: keep_ptr randint(0,2):i8[M,N]
# ARG: out_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: p DROP
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# CONST: HAS_DROPOUT DROP > 0
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 0 0
#
# KERNEL: low_rank
# TYPES: fp16 bf16
# SIZES: M=65 N=40 K=96 R=16 | M=10 N=64 K=70 R=8
# BENCH: M=4096 N=4096 K=2048 R=16 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):T[M,K]
# ARG: w_ptr randn(0,0.5):T[N,K]
# ARG: lora_a_ptr randn(0,0.5):T[R,K]
# ARG: lora_b_ptr randn(0,0.5):T[N,R]
# ARG: out_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: R R
# ARG: scaling 0.5
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: BLOCK_R 16
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 3e-2 8e-2
#
# KERNEL: norm_then_linear
# SIZES: M=65 N=48 K=100 | M=7 N=129 K=64
# BENCH: M=4096 N=4096 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn:fp16[M,K]
# ARG: g_ptr rand(0.5,1.5):fp16[K]
# ARG: w_ptr randn(0,0.5):fp16[K,N]
# ARG: out_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: eps 1e-5
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: USE_FP8 False
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 4e-3 1e-2
#
# KERNEL: layer_norm_linear
# SIZES: M=65 N=40 K=100 | M=1 N=16 K=17
# BENCH: M=8448 N=1024 K=1024 BLOCK_M=64 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(1,2):fp32[M,K]
# ARG: gamma_ptr randn(1,0.2):fp32[K]
# ARG: beta_ptr randn:fp32[K]
# ARG: w_ptr randn(0,0.5):bf16[N,K]
# ARG: out_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: eps 1e-5
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: out_ptr 2e-2 8e-2
#
# KERNEL: row_peaks
# SIZES: M=65 N=100 K=40 | M=3 N=17 K=32
# BENCH: M=16896 N=4096 K=512 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[M,K]
# ARG: w_ptr randint(-3,4):fp16[N,K]
# ARG: best_ptr empty:fp32[M]
# ARG: index_ptr empty:i32[M]
# ARG: sum_ptr empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: best_ptr 0 0
# TOLERANCE: sum_ptr 0 0
#
# KERNEL: linear_backward
# SIZES: M=65 N=40 K=70 A="silu" | M=20 N=33 K=64 A="relu"
# BENCH: M=4096 N=2048 K=4096 A="silu" BLOCK_M=128 BLOCK_N=64 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: grad_ptr randn(0,0.5):bf16[M,N]
# ARG: before_ptr randn:bf16[M,N]
# ARG: w_ptr randn(0,0.5):bf16[N,K]
# ARG: dx_ptr empty:fp32[M,K]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: ACTIVATION '"%s"' % A
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(K, BLOCK_K)
# TOLERANCE: dx_ptr 2e-2 5e-2
#
# KERNEL: project_and_rotate
# SIZES: L=65 H=3 D=32 K=48 | L=5 H=1 D=64 K=33
# BENCH: L=4096 H=32 D=128 K=2048 BLOCK_L=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):fp16[L,K]
# ARG: w_ptr randn(0,0.5):fp16[K,H*D]
# ARG: cos_ptr rand(-1,1):fp32[L,D//2]
# ARG: sin_ptr rand(-1,1):fp32[L,D//2]
# ARG: out_ptr empty:fp16[H,L,D]
# ARG: L L
# ARG: K K
# ARG: stride_w H*D
# CONST: D D
# CONST: BLOCK_L 64
# CONST: BLOCK_K 32
# GRID: cdiv(L, BLOCK_L), H
# TOLERANCE: out_ptr 4e-3 1e-2
import math
import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

_sqrt2 = tl.constexpr(math.sqrt(2.0))
_kAlpha = tl.constexpr(math.sqrt(2.0 / math.pi))


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def relu(x):
    return tl.where(x >= 0, x, 0.0)


@triton.jit
def relu_squared(x):
    x_ = relu(x)
    return (x_ * x_).to(x.dtype)


@triton.jit
def gelu(x):
    return x * 0.5 * (1.0 + libdevice.erf(x / _sqrt2))


@triton.jit
def fast_gelu(x):
    return 0.5 * x * (1.0 + tanh(_kAlpha * (x + 0.044715 * x * x * x)))


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def linear(OUT, BEFORE, X, W, BIAS, M, N, K, stride_om, stride_im, stride_wn, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr,
           SAVE_BEFORE: tl.constexpr, ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    GROUP_M = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + (pid % GROUP_M)
    pid_n = (pid % num_pid_in_group) // GROUP_M
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    x_ptrs = X + (rm[:, None] * stride_im + rk[None, :])
    w_ptrs = W + (rn[None, :] * stride_wn + rk[:, None])
    bias = tl.load(BIAS + rn, mask=rn < N, other=0.0).to(tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32) + bias[None, :]
    for k in range(K, 0, -BLOCK_K):
        if EVEN_K:
            x = tl.load(x_ptrs, mask=rm[:, None] < M, other=0.0)
            w = tl.load(w_ptrs, mask=rn[None, :] < N, other=0.0)
        else:
            x = tl.load(x_ptrs, mask=(rm[:, None] < M) & (rk[None, :] < k), other=0.0)
            w = tl.load(w_ptrs, mask=(rn[None, :] < N) & (rk[:, None] < k), other=0.0)
        acc += tl.dot(x, w)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    out_offsets = rm[:, None] * stride_om + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    if SAVE_BEFORE:
        tl.store(BEFORE + out_offsets, acc, mask=mask)
    if ACTIVATION == "gelu":
        acc = gelu(acc)
    elif ACTIVATION == "tanh_gelu":
        acc = fast_gelu(acc)
    elif ACTIVATION == "silu":
        acc = acc * tl.sigmoid(acc)
    elif ACTIVATION == "relu_squared":
        acc = relu_squared(acc)
    tl.store(OUT + out_offsets, acc, mask=mask)


def activated(x, name):
    if name == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    if name == "tanh_gelu":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if name == "silu":
        return x / (1 + np.exp(-x))
    return np.maximum(x, 0)**2 if name == "relu_squared" else x


def linear_reference(X, W, BIAS, A):
    before = X @ W.T + BIAS
    return {"BEFORE": before, "OUT": activated(before, A)}


@triton.jit
def gated(x_ptr, w_gate_ptr, w_up_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_wk, stride_wn,
          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    offs_m = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + offs_m[:, None] * stride_xm + offs_k[None, :] * stride_xk
    gate_ptrs = w_gate_ptr + offs_k[:, None] * stride_wk + offs_n[None, :] * stride_wn
    up_ptrs = w_up_ptr + offs_k[:, None] * stride_wk + offs_n[None, :] * stride_wn
    acc_gate = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    acc_up = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(x_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        gate = tl.load(gate_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc_gate += tl.dot(x, gate)
        up = tl.load(up_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc_up += tl.dot(x, up)
        x_ptrs += BLOCK_K * stride_xk
        gate_ptrs += BLOCK_K * stride_wk
        up_ptrs += BLOCK_K * stride_wk
    out = (acc_gate * tl.sigmoid(acc_gate)) * acc_up
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], out.to(out_ptr.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


def gated_reference(x_ptr, w_gate_ptr, w_up_ptr):
    return activated(x_ptr @ w_gate_ptr, "silu") * (x_ptr @ w_up_ptr)


@triton.jit
def residual(x_ptr, w_ptr, res_ptr, keep_ptr, out_ptr, M, N, K, p, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             BLOCK_K: tl.constexpr, HAS_DROPOUT: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    at = rm[:, None] * N + rn[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, K, BLOCK_K, num_stages=2):
        rk = k + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, w, acc)
    if HAS_DROPOUT:
        keep = tl.load(keep_ptr + at, mask=mask, other=0)
        acc = tl.where(keep != 0, acc / (1 - p), 0.0)
    acc += tl.load(res_ptr + at, mask=mask, other=0.0)
    tl.store(out_ptr + at, acc, mask=mask)


def residual_reference(x_ptr, w_ptr, res_ptr, keep_ptr, DROP):
    c = x_ptr @ w_ptr
    return (np.where(keep_ptr != 0, c / (1 - DROP), 0) if DROP else c) + res_ptr


@triton.jit
def low_rank(x_ptr, w_ptr, lora_a_ptr, lora_b_ptr, out_ptr, M, N, K, R, scaling, BLOCK_M: tl.constexpr,
             BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_R: tl.constexpr):
    """The rows meet the weight and the adapter's first factor at once; the second factor follows the loop."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rr = tl.arange(0, BLOCK_R)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    xa = tl.zeros((BLOCK_M, BLOCK_R), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        k_mask = rk + k * BLOCK_K < K
        x = tl.load(x_ptr + rm[:, None] * K + (rk + k * BLOCK_K)[None, :], mask=(rm < M)[:, None] & k_mask[None, :],
                    other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + (rk + k * BLOCK_K)[:, None], mask=(rn < N)[None, :] & k_mask[:, None],
                    other=0.0)
        a = tl.load(lora_a_ptr + rr[None, :] * K + (rk + k * BLOCK_K)[:, None],
                    mask=(rr < R)[None, :] & k_mask[:, None], other=0.0)
        acc = tl.dot(x, w, acc)
        xa = tl.dot(x, a, xa)
    b = tl.load(lora_b_ptr + rn[None, :] * R + rr[:, None], mask=(rn < N)[None, :] & (rr < R)[:, None], other=0.0)
    b = (b * scaling).to(x_ptr.dtype.element_ty)
    acc += tl.dot(xa.to(x_ptr.dtype.element_ty), b)
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


def low_rank_reference(x_ptr, w_ptr, lora_a_ptr, lora_b_ptr, scaling):
    return x_ptr @ w_ptr.T + scaling * (x_ptr @ lora_a_ptr.T) @ lora_b_ptr.T


@triton.jit
def norm_then_linear(x_ptr, g_ptr, w_ptr, out_ptr, M, N, K, eps, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, USE_FP8: tl.constexpr):
    """The mean of squares is found beside the product, which is scaled when both are known."""
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + offs_m[:, None] * K + offs_k[None, :]
    w_ptrs = w_ptr + offs_k[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    x_sum = tl.zeros((BLOCK_M, BLOCK_K), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        inside = offs_k < K - k
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < M) & inside[None, :], other=0.0)
        x_sum += x.to(tl.float32) * x.to(tl.float32)
        g = tl.load(g_ptr + k + offs_k, mask=inside, other=0.0)
        w = tl.load(w_ptrs, mask=inside[:, None] & (offs_n[None, :] < N), other=0.0)
        x = x * g[None, :]
        acc += tl.dot(x, w)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * N
    x_mean = tl.sum(x_sum, axis=1) / K
    x_norm = tl.math.rsqrt(x_mean + eps)
    acc = acc * x_norm[:, None]
    out_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(out_ptr + offs_m[:, None] * N + offs_n[None, :], acc, mask=out_mask)


def norm_then_linear_reference(x_ptr, g_ptr, w_ptr, eps):
    return (x_ptr / np.sqrt((x_ptr**2).mean(axis=1, keepdims=True) + eps) * g_ptr) @ w_ptr


@triton.jit
def layer_norm_linear(x_ptr, gamma_ptr, beta_ptr, w_ptr, out_ptr, M, N, K, eps, BLOCK_M: tl.constexpr,
                      BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """First the mean and the variance of the rows, in one pass by Welford's formula, then all columns."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rk = tl.arange(0, BLOCK_K)
    mean = tl.zeros((BLOCK_M,), dtype=tl.float32)
    m2 = tl.zeros((BLOCK_M,), dtype=tl.float32)
    count = 0.0
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & ((k + rk)[None, :] < K),
                    other=0.0)
        inside = tl.minimum(K - k, BLOCK_K).to(tl.float32)
        part_mean = tl.sum(x, axis=1) / inside
        distance = tl.where((k + rk)[None, :] < K, x - part_mean[:, None], 0.0)
        delta = part_mean - mean
        m2 += tl.sum(distance * distance, axis=1) + delta * delta * count * inside / (count + inside)
        mean += delta * inside / (count + inside)
        count += inside
    rstd = 1 / tl.sqrt(m2 / K + eps)
    for n in range(0, tl.cdiv(N, BLOCK_N)):
        rn = n * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            k_mask = k + rk < K
            x = tl.load(x_ptr + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & k_mask[None, :],
                        other=0.0)
            gamma = tl.load(gamma_ptr + k + rk, mask=k_mask, other=0.0)
            beta = tl.load(beta_ptr + k + rk, mask=k_mask, other=0.0)
            w = tl.load(w_ptr + rn[:, None] * K + (k + rk)[None, :], mask=(rn[:, None] < N) & k_mask[None, :],
                        other=0.0)
            x_hat = (x - mean[:, None]) * rstd[:, None] * gamma[None, :] + beta[None, :]
            acc = tl.dot(x_hat.to(tl.bfloat16), tl.trans(w), acc)
        tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def layer_norm_linear_reference(x_ptr, gamma_ptr, beta_ptr, w_ptr, eps):
    distance = x_ptr - x_ptr.mean(axis=1, keepdims=True)
    x = distance / np.sqrt((distance**2).mean(axis=1, keepdims=True) + eps) * gamma_ptr + beta_ptr
    return x @ w_ptr.T


@triton.jit
def row_peaks(x_ptr, w_ptr, best_ptr, index_ptr, sum_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr):
    """The best column of each row, without the matrix ever being stored."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    index = tl.zeros((BLOCK_M,), dtype=tl.int32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for n in range(0, N, BLOCK_N):
        rn = n + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            rk = k + tl.arange(0, BLOCK_K)
            x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
            w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
            acc += tl.dot(x, w)
        total += tl.sum(acc, axis=1)
        acc = tl.where(rn[None, :] < N, acc, float("-inf"))
        here, where = tl.max(acc, axis=1, return_indices=True)
        index = tl.where(here > best, n + where, index)
        best = tl.maximum(best, here)
    tl.store(best_ptr + rm, best, mask=rm < M)
    tl.store(index_ptr + rm, index, mask=rm < M)
    tl.store(sum_ptr + rm, total, mask=rm < M)


def row_peaks_reference(x_ptr, w_ptr):
    c = x_ptr @ w_ptr.T
    return {"best_ptr": c.max(axis=1), "index_ptr": c.argmax(axis=1), "sum_ptr": c.sum(axis=1)}


@triton.jit
def linear_backward(grad_ptr, before_ptr, w_ptr, dx_ptr, M, N, K, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The gradient passes the slope of the activation on its way into the product."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rk = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_K), dtype=tl.float32)
    for n in range(0, N, BLOCK_N):
        rn = n + tl.arange(0, BLOCK_N)
        mask = (rm[:, None] < M) & (rn[None, :] < N)
        grad = tl.load(grad_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=0.0)
        before = tl.load(before_ptr + rm[:, None] * N + rn[None, :], mask=mask, other=0.0).to(tl.float32)
        if ACTIVATION == "silu":
            s = tl.sigmoid(before)
            slope = s * (1 + before * (1 - s))
        else:
            slope = tl.where(before > 0, 1.0, 0.0)
        w = tl.load(w_ptr + rn[:, None] * K + rk[None, :], mask=(rn[:, None] < N) & (rk[None, :] < K), other=0.0)
        acc += tl.dot((grad * slope).to(w.dtype), w)
    tl.store(dx_ptr + rm[:, None] * K + rk[None, :], acc, mask=(rm[:, None] < M) & (rk[None, :] < K))


def linear_backward_reference(grad_ptr, before_ptr, w_ptr, A):
    s = 1 / (1 + np.exp(-before_ptr))
    slope = s * (1 + before_ptr * (1 - s)) if A == "silu" else before_ptr > 0
    return (grad_ptr * slope) @ w_ptr


@triton.jit
def project_and_rotate(x_ptr, w_ptr, cos_ptr, sin_ptr, out_ptr, L, K, stride_w, D: tl.constexpr,
                       BLOCK_L: tl.constexpr, BLOCK_K: tl.constexpr):
    """A head's projection in two halves, which are then turned against each other."""
    HALF: tl.constexpr = D // 2
    rl = tl.program_id(0) * BLOCK_L + tl.arange(0, BLOCK_L)
    head = tl.program_id(1)
    rd = tl.arange(0, HALF)
    first = tl.zeros((BLOCK_L, HALF), dtype=tl.float32)
    second = tl.zeros((BLOCK_L, HALF), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        rk = k + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + rl[:, None] * K + rk[None, :], mask=(rl[:, None] < L) & (rk[None, :] < K), other=0.0)
        w_ptrs = w_ptr + rk[:, None] * stride_w + head * D + rd[None, :]
        first = tl.dot(x, tl.load(w_ptrs, mask=rk[:, None] < K, other=0.0), first)
        second = tl.dot(x, tl.load(w_ptrs + HALF, mask=rk[:, None] < K, other=0.0), second)
    mask = rl[:, None] < L
    cos = tl.load(cos_ptr + rl[:, None] * HALF + rd[None, :], mask=mask, other=1.0)
    sin = tl.load(sin_ptr + rl[:, None] * HALF + rd[None, :], mask=mask, other=0.0)
    out_ptrs = out_ptr + (head * L + rl[:, None]) * D + rd[None, :]
    tl.store(out_ptrs, (first * cos - second * sin).to(tl.float16), mask=mask)
    tl.store(out_ptrs + HALF, (second * cos + first * sin).to(tl.float16), mask=mask)


def project_and_rotate_reference(x_ptr, w_ptr, cos_ptr, sin_ptr, L, H, D):
    y = (x_ptr @ w_ptr).reshape(L, H, D).transpose(1, 0, 2)
    first, second = y[..., :D // 2], y[..., D // 2:]
    return np.concatenate([first * cos_ptr - second * sin_ptr, second * cos_ptr + first * sin_ptr], axis=-1)
