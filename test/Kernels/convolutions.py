# Convolutions as products without a matrix of patches: addresses of windows in one and two dimensions, by loops over
# taps or over the joined reduction, grouped channels, transposed, with the gradient of the weight, fused pooling.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: conv1d
# TYPES: fp16 bf16
# SIZES: B=2 L=65 CI=33 CO=40 W=3 S=1 P=1 | B=1 L=50 CI=16 CO=17 W=5 S=2 P=0
# BENCH: B=8 L=4096 CI=512 CO=512 W=3 S=1 P=1 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):T[B,L,CI]
# ARG: w_ptr randint(-3,4):T[W,CI,CO]
# ARG: bias_ptr randint(-3,4):fp32[CO]
# ARG: y_ptr empty:fp32[B,(L+2*P-W)//S+1,CO]
# ARG: in_length L
# ARG: out_length (L+2*P-W)//S+1
# ARG: in_channels CI
# ARG: out_channels CO
# CONST: WIDTH W
# CONST: STRIDE S
# CONST: PADDING P
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv((L+2*P-W)//S+1, BLOCK_M), cdiv(CO, BLOCK_N), B
# TOLERANCE: y_ptr 0 0
#
# KERNEL: conv2d_joined
# SIZES: N=2 C=5 H=9 W=11 K=20 R=3 S=3 STR=1 PAD=1 | N=1 C=17 H=8 W=8 K=33 R=1 S=1 STR=2 PAD=0 | N=1 C=3 H=7 W=12 K=8 R=2 S=5 STR=2 PAD=2
# BENCH: N=16 C=64 H=56 W=56 K=128 R=3 S=3 STR=1 PAD=1 BLOCK_NPQ=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[N,C,H,W]
# ARG: w_ptr randint(-3,4):fp16[K,C,R,S]
# ARG: y_ptr empty:fp16[N,K,(H+2*PAD-R)//STR+1,(W+2*PAD-S)//STR+1]
# ARG: N N
# ARG: C C
# ARG: H H
# ARG: W W
# ARG: K K
# ARG: P (H+2*PAD-R)//STR+1
# ARG: Q (W+2*PAD-S)//STR+1
# ARG: R R
# ARG: S S
# ARG: stride STR
# ARG: padding PAD
# CONST: BLOCK_NPQ 64
# CONST: BLOCK_K 32
# CONST: BLOCK_CRS 32
# CONST: GROUP_M 4
# GRID: cdiv(N*((H+2*PAD-R)//STR+1)*((W+2*PAD-S)//STR+1), BLOCK_NPQ) * cdiv(K, BLOCK_K)
# TOLERANCE: y_ptr 0 0
#
# KERNEL: conv2d_taps
# SIZES: N=2 C=40 H=9 W=10 K=33 G=1 DIL=1 | N=1 C=64 H=12 W=9 K=64 G=2 DIL=2
# BENCH: N=16 C=256 H=56 W=56 K=256 G=1 DIL=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):bf16[N,H,W,C]
# ARG: w_ptr randint(-3,4):bf16[3,3,C//G,K]
# ARG: y_ptr empty:fp32[N,H,W,K]
# ARG: H H
# ARG: W W
# ARG: rows N*H*W
# ARG: C C
# ARG: K K
# CONST: GROUPS G
# CONST: DILATION DIL
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(N*H*W, BLOCK_M), cdiv(K//G, BLOCK_N), G
# TOLERANCE: y_ptr 0 0
#
# KERNEL: weight_gradient
# SIZES: N=2 C=17 H=9 W=8 K=20 PART=80
# BENCH: N=32 C=128 H=56 W=56 K=128 PART=1024 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[N,H,W,C]
# ARG: dy_ptr randint(-3,4):fp16[N,H,W,K]
# ARG: dw_ptr zeros:fp32[3,3,C,K]
# ARG: H H
# ARG: W W
# ARG: rows N*H*W
# ARG: C C
# ARG: K K
# ARG: per_program PART
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: 9, cdiv(N*H*W, PART)
# CHECK: dw_ptr
# TOLERANCE: dw_ptr 0 0
#
# KERNEL: transposed
# SIZES: H=5 W=7 C=24 K=17 STR=2 | H=4 W=4 C=16 K=32 STR=3
# BENCH: H=128 W=128 C=128 K=128 STR=2 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[H,W,C]
# ARG: w_ptr randint(-3,4):fp16[3,3,C,K]
# ARG: y_ptr empty:fp16[(H-1)*STR+3,(W-1)*STR+3,K]
# ARG: H H
# ARG: W W
# ARG: OH (H-1)*STR+3
# ARG: OW (W-1)*STR+3
# ARG: C C
# ARG: K K
# CONST: STRIDE STR
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(((H-1)*STR+3)*((W-1)*STR+3), BLOCK_M), cdiv(K, BLOCK_N)
# TOLERANCE: y_ptr 0 0
#
# KERNEL: conv_and_pool
# SIZES: H=8 W=16 C=16 K=32
# BENCH: H=512 W=512 C=64 K=64 COLUMNS=64 num_warps=4 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[H+2,W+2,C]
# ARG: w_ptr randint(-3,4):fp16[K,3,3,C]
# ARG: scale_ptr randint(1,3):fp32[K]
# ARG: shift_ptr randint(-9,10):fp32[K]
# ARG: y_ptr empty:fp32[H//2,W//2,K]
# ARG: W W
# CONST: C C
# CONST: K K
# CONST: COLUMNS 16
# GRID: H // 2, W // COLUMNS
# TOLERANCE: y_ptr 0 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def conv1d(x_ptr, w_ptr, bias_ptr, y_ptr, in_length, out_length, in_channels, out_channels, WIDTH: tl.constexpr,
           STRIDE: tl.constexpr, PADDING: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    batch = tl.program_id(2)
    t = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    co = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for tap in tl.static_range(WIDTH):
        at = t * STRIDE + tap - PADDING
        for c in range(0, in_channels, BLOCK_K):
            ci = c + tl.arange(0, BLOCK_K)
            x = tl.load(x_ptr + (batch * in_length + at[:, None]) * in_channels + ci[None, :],
                        mask=(at[:, None] >= 0) & (at[:, None] < in_length) & (ci[None, :] < in_channels), other=0.0)
            w = tl.load(w_ptr + (tap * in_channels + ci[:, None]) * out_channels + co[None, :],
                        mask=(ci[:, None] < in_channels) & (co[None, :] < out_channels), other=0.0)
            acc = tl.dot(x, w, acc)
    acc += tl.load(bias_ptr + co, mask=co < out_channels, other=0.0)[None, :]
    tl.store(y_ptr + (batch * out_length + t[:, None]) * out_channels + co[None, :], acc,
             mask=(t[:, None] < out_length) & (co[None, :] < out_channels))


def conv1d_reference(x_ptr, w_ptr, bias_ptr, L, W, S, P):
    x = np.pad(x_ptr, ((0, 0), (P, P), (0, 0)))
    out = (L + 2 * P - W) // S + 1
    return sum(x[:, i:i + (out - 1) * S + 1:S] @ w_ptr[i] for i in range(W)) + bias_ptr


@triton.jit
def conv2d_joined(x_ptr, w_ptr, y_ptr, N, C, H, W, K, P, Q, R, S, stride, padding, BLOCK_NPQ: tl.constexpr,
                  BLOCK_K: tl.constexpr, BLOCK_CRS: tl.constexpr, GROUP_M: tl.constexpr):
    """Channels and taps are one axis, which quotients and remainders take apart."""
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(N * P * Q, BLOCK_NPQ)
    num_pid_n = tl.cdiv(K, BLOCK_K)
    num_pid_in_group = GROUP_M * num_pid_n
    first_pid_m = (pid // num_pid_in_group) * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m
    pid_n = (pid % num_pid_in_group) // group_size_m
    npq = pid_m * BLOCK_NPQ + tl.arange(0, BLOCK_NPQ)
    n = npq // (P * Q)
    p = (npq % (P * Q)) // Q
    q = npq % Q
    k = pid_n * BLOCK_K + tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_NPQ, BLOCK_K), dtype=tl.float32)
    for start in range(0, C * R * S, BLOCK_CRS):
        crs = start + tl.arange(0, BLOCK_CRS)
        c = crs // (R * S)
        r = (crs % (R * S)) // S
        s = crs % S
        h = p[:, None] * stride + r[None, :] - padding
        w = q[:, None] * stride + s[None, :] - padding
        x_mask = (npq[:, None] < N * P * Q) & (crs[None, :] < C * R * S)
        x_mask &= (h >= 0) & (h < H) & (w >= 0) & (w < W)
        x = tl.load(x_ptr + ((n[:, None] * C + c[None, :]) * H + h) * W + w, mask=x_mask, other=0.0)
        weight = tl.load(w_ptr + k[None, :] * (C * R * S) + crs[:, None],
                         mask=(k[None, :] < K) & (crs[:, None] < C * R * S), other=0.0)
        acc = tl.dot(x, weight, acc)
    y_ptrs = y_ptr + ((n[:, None] * K + k[None, :]) * P + p[:, None]) * Q + q[:, None]
    tl.store(y_ptrs, acc.to(tl.float16), mask=(npq[:, None] < N * P * Q) & (k[None, :] < K))


def conv2d_joined_reference(x_ptr, w_ptr, R, S, STR, PAD):
    x = np.pad(x_ptr, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)))
    p, q = (x.shape[2] - R) // STR + 1, (x.shape[3] - S) // STR + 1
    return sum(np.einsum("nchw,kc->nkhw", x[:, :, r:r + (p - 1) * STR + 1:STR, s:s + (q - 1) * STR + 1:STR],
                         w_ptr[:, :, r, s]) for r in range(R) for s in range(S))


@triton.jit
def conv2d_taps(x_ptr, w_ptr, y_ptr, H, W, rows, C, K, GROUPS: tl.constexpr, DILATION: tl.constexpr,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Channels last; nine taps of a loop whose channels are those of the group."""
    group = tl.program_id(2)
    per_group = C // GROUPS
    outputs = K // GROUPS
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = m % W
    row = (m // W) % H
    k = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.cdiv(per_group, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(9 * steps):
        tap = i // steps
        dr = (tap // 3 - 1) * DILATION
        dc = (tap % 3 - 1) * DILATION
        c = (i % steps) * BLOCK_K + tl.arange(0, BLOCK_K)
        inside = (m < rows) & (row + dr >= 0) & (row + dr < H) & (column + dc >= 0) & (column + dc < W)
        x = tl.load(x_ptr + (m + dr * W + dc)[:, None] * C + group * per_group + c[None, :],
                    mask=inside[:, None] & (c[None, :] < per_group), other=0.0)
        w = tl.load(w_ptr + (tap * per_group + c[:, None]) * K + group * outputs + k[None, :],
                    mask=(c[:, None] < per_group) & (k[None, :] < outputs), other=0.0)
        acc = tl.dot(x, w, acc)
    tl.store(y_ptr + m[:, None] * K + group * outputs + k[None, :], acc,
             mask=(m[:, None] < rows) & (k[None, :] < outputs))


def conv2d_taps_reference(x_ptr, w_ptr, H, W, C, K, G, DIL):
    x = np.pad(x_ptr, ((0, 0), (DIL, DIL), (DIL, DIL), (0, 0)))
    parts = []
    for g in range(G):
        part = x[..., g * (C // G):(g + 1) * (C // G)]
        weight = w_ptr[..., g * (K // G):(g + 1) * (K // G)]
        parts.append(sum(part[:, r * DIL:r * DIL + H, s * DIL:s * DIL + W] @ weight[r, s]
                         for r in range(3) for s in range(3)))
    return np.concatenate(parts, axis=-1)


@triton.jit
def weight_gradient(x_ptr, dy_ptr, dw_ptr, H, W, rows, C, K, per_program, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The reduction runs over pixels, in parts that are added in memory."""
    tap = tl.program_id(0)
    dr = tap // 3 - 1
    dc = tap % 3 - 1
    c = tl.arange(0, BLOCK_M)
    k = tl.arange(0, BLOCK_N)
    first = tl.program_id(1) * per_program
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(first, tl.minimum(first + per_program, rows), BLOCK_K):
        m = start + tl.arange(0, BLOCK_K)
        row = (m // W) % H + dr
        column = m % W + dc
        inside = (m < rows) & (row >= 0) & (row < H) & (column >= 0) & (column < W)
        x = tl.load(x_ptr + (m + dr * W + dc)[None, :] * C + c[:, None], mask=inside[None, :] & (c[:, None] < C),
                    other=0.0)
        dy = tl.load(dy_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < rows) & (k[None, :] < K), other=0.0)
        acc += tl.dot(x, dy)
    tl.atomic_add(dw_ptr + (tap * C + c[:, None]) * K + k[None, :], acc, mask=(c[:, None] < C) & (k[None, :] < K))


def weight_gradient_reference(x_ptr, dy_ptr, H, W):
    x = np.pad(x_ptr, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.stack([np.stack([np.einsum("nhwc,nhwk->ck", x[:, r:r + H, s:s + W], dy_ptr) for s in range(3)])
                     for r in range(3)])


@triton.jit
def transposed(x_ptr, w_ptr, y_ptr, H, W, OH, OW, C, K, STRIDE: tl.constexpr, BLOCK_M: tl.constexpr,
               BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each pixel of the result gathers the pixels that reach it: those at whole steps."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    row, column = m // OW, m % OW
    k = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for r in tl.static_range(3):
        for s in tl.static_range(3):
            h = row - r
            w = column - s
            reached = (m < OH * OW) & (h >= 0) & (w >= 0) & (h % STRIDE == 0) & (w % STRIDE == 0)
            h = h // STRIDE
            w = w // STRIDE
            reached &= (h < H) & (w < W)
            for start in range(0, C, BLOCK_K):
                c = start + tl.arange(0, BLOCK_K)
                x = tl.load(x_ptr + (h * W + w)[:, None] * C + c[None, :], mask=reached[:, None] & (c[None, :] < C),
                            other=0.0)
                weight = tl.load(w_ptr + ((r * 3 + s) * C + c[:, None]) * K + k[None, :],
                                 mask=(c[:, None] < C) & (k[None, :] < K), other=0.0)
                acc += tl.dot(x, weight)
    tl.store(y_ptr + m[:, None] * K + k[None, :], acc.to(tl.float16), mask=(m[:, None] < OH * OW) & (k[None, :] < K))


def transposed_reference(x_ptr, w_ptr, H, W, C, K, STR):
    y = np.zeros(((H - 1) * STR + 3, (W - 1) * STR + 3, K))
    for r in range(3):
        for s in range(3):
            y[r:r + (H - 1) * STR + 1:STR, s:s + (W - 1) * STR + 1:STR] += x_ptr @ w_ptr[r, s]
    return y


@triton.jit
def conv_and_pool(x_ptr, w_ptr, scale_ptr, shift_ptr, y_ptr, W, C: tl.constexpr, K: tl.constexpr,
                  COLUMNS: tl.constexpr):
    """Two rows of the convolution, scaled and cut at zero; the largest of each square by reshapes of the product."""
    row = tl.program_id(0) * 2
    first = tl.program_id(1) * COLUMNS
    m = tl.arange(0, 2 * COLUMNS)
    r, s = m // COLUMNS, first + m % COLUMNS
    c = tl.arange(0, C)
    k = tl.arange(0, K)
    acc = tl.zeros((2 * COLUMNS, K), dtype=tl.float32)
    for tap in range(9):
        at = (row + r + tap // 3) * (W + 2) + s + tap % 3
        x = tl.load(x_ptr + at[:, None] * C + c[None, :])
        w = tl.load(w_ptr + (k[None, :] * 9 + tap) * C + c[:, None])
        acc = tl.dot(x, w, acc)
    acc = tl.maximum(acc * tl.load(scale_ptr + k)[None, :] + tl.load(shift_ptr + k)[None, :], 0.0)
    pairs = tl.reshape(acc, (2, COLUMNS // 2, 2, K))
    best = tl.max(tl.max(pairs, axis=2), axis=0)
    out = tl.arange(0, COLUMNS // 2)
    tl.store(y_ptr + ((row // 2) * (W // 2) + first // 2 + out[:, None]) * K + k[None, :], best)


def conv_and_pool_reference(x_ptr, w_ptr, scale_ptr, shift_ptr, H, W, K):
    y = sum(x_ptr[r:r + H, s:s + W] @ w_ptr[:, r, s].T for r in range(3) for s in range(3))
    y = np.maximum(y * scale_ptr + shift_ptr, 0)
    return y.reshape(H // 2, 2, W // 2, 2, K).max(axis=(1, 3))
