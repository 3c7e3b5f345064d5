# Products as a compiler of models emits them: a template's loop, whose result's place is named by idx_m, idx_n and
# xindex, then a chain of pointwise operations on it that was fused; two products that are added; a convolution as a
# loop over the kernel's places; a product whose factor is computed from other tensors while it is read.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: template_mm_epilogue
# TYPES: fp16 bf16
# SIZES: M=65 N=48 K=72 | M=16 N=100 K=33
# BENCH: M=4096 N=4096 K=2048 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 EVEN_K=True num_warps=8 num_stages=3
# ARG: arg_A randn:T[M,K]
# ARG: arg_B randn:T[N,K]
# ARG: in_ptr2 randn:T[N]
# ARG: in_ptr3 randn:T[M,N]
# ARG: out_ptr1 empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: EVEN_K False
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr1 2e-2 2e-1
#
# KERNEL: template_bmm
# TYPES: fp16
# SIZES: B=3 M=33 N=48 K=72 | B=1 M=16 N=100 K=40
# BENCH: B=32 M=1024 N=1024 K=128 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 EVEN_K=True num_warps=4 num_stages=4
# ARG: A randn:T[B,M,K]
# ARG: Bp randn:T[B,K,N]
# ARG: in_ptr2 randn:fp32[B]
# ARG: out_ptr0 empty:T[B,M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_aq M*K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bq K*N
# ARG: stride_bk N
# ARG: stride_bn 1
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: EVEN_K False
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), B
# TOLERANCE: out_ptr0 1e-2 1e-1
#
# KERNEL: template_mm_plus_mm
# TYPES: fp16 bf16
# SIZES: M=65 N=48 K1=72 | M=16 N=100 K1=33
# BENCH: M=2048 N=2048 K1=2048 T=fp16 BLOCK_M=128 BLOCK_N=64 BLOCK_K=32 EVEN_K=True num_warps=4 num_stages=3
# ARG: A randn:T[M,K1]
# ARG: B randn:T[K1,N]
# ARG: C randn:T[M,K1]
# ARG: D randn:T[K1,N]
# ARG: out_ptr0 empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K1 K1
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: EVEN_K False
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr0 2e-2 3e-1
#
# KERNEL: template_convolution
# TYPES: fp16
# SIZES: B=2 C=20 H=9 W=7 F=33 R=3 ST=1 P=1 | B=1 C=16 H=8 W=8 F=16 R=1 ST=2 P=0
# BENCH: B=16 C=128 H=56 W=56 F=128 R=3 ST=1 P=1 T=fp16 BLOCK_M=128 BLOCK_N=64 BLOCK_K=32 num_warps=4 num_stages=3
# ARG: X randn:T[B,H,W,C]
# ARG: Wt randn:T[F,R,R,C]
# ARG: in_ptr2 randn:T[F]
# ARG: out_ptr0 empty:T[B,(H+2*P-R)//ST+1,(W+2*P-R)//ST+1,F]
# ARG: BATCH B
# ARG: IN_C C
# ARG: IN_H H
# ARG: IN_W W
# ARG: OUT_C F
# ARG: OUT_H (H+2*P-R)//ST+1
# ARG: OUT_W (W+2*P-R)//ST+1
# CONST: KERNEL_H R
# CONST: KERNEL_W R
# CONST: STRIDE_H ST
# CONST: STRIDE_W ST
# CONST: PADDING_H P
# CONST: PADDING_W P
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(B*OUT_H*OUT_W, BLOCK_M), cdiv(F, BLOCK_N)
# TOLERANCE: out_ptr0 1e-2 1e-1
#
# KERNEL: template_mm_with_prologue
# TYPES: bf16
# SIZES: M=40 N=48 K=64 | M=16 N=100 K=40
# BENCH: M=4096 N=2048 K=2048 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=8 num_stages=4
# ARG: in_ptr0 randn:T[M,2*K]
# ARG: in_ptr1 rand(0.5,1.5):fp32[M,1]
# ARG: B randn:T[K,N]
# ARG: out_ptr0 empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr0 2e-2 2e-1
#
# KERNEL: template_int_mm
# SIZES: M=40 N=48 K=64 | M=17 N=32 K=96
# BENCH: M=2048 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=4
# ARG: A randint(-128,128):i8[M,K]
# ARG: B randint(-128,128):i8[N,K]
# ARG: in_ptr2 rand(0.001,0.01):bf16[M,1]
# ARG: in_ptr3 rand(0.001,0.01):bf16[N]
# ARG: in_ptr4 randn:bf16[N]
# ARG: out_ptr0 empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr0 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    grid_m = (M + BLOCK_M - 1) // BLOCK_M
    grid_n = (N + BLOCK_N - 1) // BLOCK_N
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // group_size
    return pid_m, pid_n


@triton.jit
def template_mm_epilogue(arg_A, arg_B, in_ptr2, in_ptr3, out_ptr1, M, N, K, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr):
    """A x B^T, a bias, the exact GELU, a residual."""
    stride_am = K
    stride_ak = 1
    stride_bk = 1
    stride_bn = K
    pid_m, pid_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    if (stride_am == 1 and stride_ak == M) or (stride_am == K and stride_ak == 1):
        offs_a_m = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    else:
        offs_a_m = rm % M
    offs_b_n = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        a_k_idx_vals = offs_k[None, :] + (k_idx * BLOCK_K)
        b_k_idx_vals = offs_k[:, None] + (k_idx * BLOCK_K)
        idx_m = offs_a_m[:, None]
        idx_n = a_k_idx_vals
        xindex = idx_n * stride_ak + stride_am * idx_m
        if EVEN_K:
            a = tl.load(arg_A + xindex)
        else:
            a = tl.load(arg_A + xindex, mask=a_k_idx_vals < K, other=0.0)
        idx_m = b_k_idx_vals
        idx_n = offs_b_n[None, :]
        xindex = idx_m * stride_bk + stride_bn * idx_n
        if EVEN_K:
            b = tl.load(arg_B + xindex)
        else:
            b = tl.load(arg_B + xindex, mask=b_k_idx_vals < K, other=0.0)
        acc += tl.dot(a, b, allow_tf32=True, out_dtype=tl.float32)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tmp0 = tl.load(in_ptr2 + (tl.broadcast_to(idx_n, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp1 = acc + tmp0
    tmp2 = tmp1.to(tl.float32)
    tmp3 = 0.5
    tmp4 = tmp2 * tmp3
    tmp5 = 0.7071067811865476
    tmp6 = tmp2 * tmp5
    tmp7 = tl.math.erf(tmp6)
    tmp8 = 1.0
    tmp9 = tmp7 + tmp8
    tmp10 = tmp4 * tmp9
    tmp11 = tl.load(in_ptr3 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp12 = tmp10 + tmp11
    tl.store(out_ptr1 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), tmp12, mask)


def template_mm_epilogue_reference(arg_A, arg_B, in_ptr2, in_ptr3):
    y = arg_A @ arg_B.T + in_ptr2
    z = np.abs(y) * 0.7071067811865476
    t = 1 / (1 + 0.3275911 * z)
    series = 0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    erf = 1 - t * series * np.exp(-z * z)
    return 0.5 * y * (1 + np.sign(y) * erf) + in_ptr3


@triton.jit
def template_bmm(A, Bp, in_ptr2, out_ptr0, M, N, K, stride_aq, stride_am, stride_ak, stride_bq, stride_bk, stride_bn,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                 EVEN_K: tl.constexpr):
    """A loop that counts down and moves pointers; the epilogue scales by a number for the batch and takes a sigmoid."""
    pid_m, pid_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    if (stride_am == 1 and stride_ak == M) or (stride_am == K and stride_ak == 1):
        ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    else:
        ram = rm % M
    if (stride_bk == 1 and stride_bn == K) or (stride_bk == N and stride_bn == 1):
        rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    else:
        rbn = rn % N
    rk = tl.arange(0, BLOCK_K)
    idx_q = tl.program_id(1)
    A = A + (ram[:, None] * stride_am + rk[None, :] * stride_ak + idx_q * stride_aq)
    Bp = Bp + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn + idx_q * stride_bq)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(Bp)
        else:
            a = tl.load(A, mask=rk[None, :] < k, other=0.)
            b = tl.load(Bp, mask=rk[:, None] < k, other=0.)
        acc += tl.dot(a, b, allow_tf32=False)
        A += BLOCK_K * stride_ak
        Bp += BLOCK_K * stride_bk
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    idx_q = tl.program_id(1)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m + M * N * idx_q
    tmp0 = tl.load(in_ptr2 + (tl.broadcast_to(idx_q, [BLOCK_M, BLOCK_N])), mask, eviction_policy='evict_last')
    tmp1 = acc * tmp0
    tmp2 = tl.sigmoid(tmp1)
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), tmp2, mask)


def template_bmm_reference(A, Bp, in_ptr2):
    return 1 / (1 + np.exp(-np.clip(np.matmul(A, Bp) * in_ptr2[:, None, None], -500, 500)))


@triton.jit
def template_mm_plus_mm(A, B, C, D, out_ptr0, M, N, K1, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr):
    """A x B + C x D, by two loops into one accumulator."""
    pid_m, pid_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * K1 + rk[None, :])
    B = B + (rk[:, None] * N + rbn[None, :])
    C = C + (ram[:, None] * K1 + rk[None, :])
    D = D + (rk[:, None] * N + rbn[None, :])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k1 in range(K1, 0, -BLOCK_K):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(B)
        else:
            a = tl.load(A, mask=rk[None, :] < k1, other=0.)
            b = tl.load(B, mask=rk[:, None] < k1, other=0.)
        acc += tl.dot(a, b)
        A += BLOCK_K
        B += BLOCK_K * N
    for k2 in range(K1, 0, -BLOCK_K):
        if EVEN_K:
            c = tl.load(C)
            d = tl.load(D)
        else:
            c = tl.load(C, mask=rk[None, :] < k2, other=0.)
            d = tl.load(D, mask=rk[:, None] < k2, other=0.)
        acc += tl.dot(c, d)
        C += BLOCK_K
        D += BLOCK_K * N
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tl.store(out_ptr0 + xindex, acc, mask)


def template_mm_plus_mm_reference(A, B, C, D):
    return A @ B + C @ D


@triton.jit
def template_convolution(X, Wt, in_ptr2, out_ptr0, BATCH, IN_C, IN_H, IN_W, OUT_C, OUT_H, OUT_W,
                         KERNEL_H: tl.constexpr, KERNEL_W: tl.constexpr, STRIDE_H: tl.constexpr, STRIDE_W: tl.constexpr,
                         PADDING_H: tl.constexpr, PADDING_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                         BLOCK_K: tl.constexpr):
    """One loop over i, j and blocks of channels, which it takes apart by division; channels are last."""
    nhw = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    idx_y_w = nhw % OUT_W
    nh = nhw // OUT_W
    idx_y_h = nh % OUT_H
    idx_n = nh // OUT_H
    idx_y_c = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    stride_xn = IN_H * IN_W * IN_C
    stride_xh = IN_W * IN_C
    stride_xw = IN_C
    x_base = X + (idx_n * stride_xn)[:, None]
    w_base = Wt + (idx_y_c * (KERNEL_H * KERNEL_W * IN_C))[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    BLOCK_K_COUNT = (IN_C + BLOCK_K - 1) // BLOCK_K
    for ijk in range(KERNEL_H * KERNEL_W * BLOCK_K_COUNT):
        k = (ijk % BLOCK_K_COUNT) * BLOCK_K
        ij = ijk // BLOCK_K_COUNT
        i = ij // KERNEL_W
        j = ij % KERNEL_W
        idx_x_h = i - PADDING_H + idx_y_h * STRIDE_H
        idx_x_w = j - PADDING_W + idx_y_w * STRIDE_W
        idx_x_c = tl.arange(0, BLOCK_K) + k
        x_ptrs = x_base + (idx_x_h * stride_xh)[:, None] + (idx_x_w * stride_xw)[:, None] + idx_x_c[None, :]
        mask_x = ((idx_n < BATCH)[:, None] & (idx_x_h >= 0)[:, None] & (idx_x_h < IN_H)[:, None]
                  & (idx_x_w >= 0)[:, None] & (idx_x_w < IN_W)[:, None] & (idx_x_c < IN_C)[None, :])
        matrix_x = tl.load(x_ptrs, mask=mask_x, other=0.0)
        w_ptrs = w_base + idx_x_c[:, None] + (i * KERNEL_W * IN_C) + (j * IN_C)
        mask_w = (idx_x_c[:, None] < IN_C) & (idx_y_c[None, :] < OUT_C)
        matrix_w = tl.load(w_ptrs, mask=mask_w, other=0.0)
        acc += tl.dot(matrix_x, matrix_w, allow_tf32=True)
    mask = ((idx_n < BATCH)[:, None] & (idx_y_h < OUT_H)[:, None] & (idx_y_w < OUT_W)[:, None]
            & (idx_y_c < OUT_C)[None, :])
    idx_n = idx_n[:, None]
    idx_c = idx_y_c[None, :]
    idx_h = idx_y_h[:, None]
    idx_w = idx_y_w[:, None]
    xindex = idx_c + OUT_C * idx_w + OUT_C * OUT_W * idx_h + OUT_C * OUT_W * OUT_H * idx_n
    tmp0 = tl.load(in_ptr2 + (tl.broadcast_to(idx_c, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp1 = acc + tmp0
    tmp2 = tl.full([1, 1], 0, tl.int32)
    tmp3 = tl.maximum(tmp2, tmp1)
    tl.store(out_ptr0 + xindex, tmp3, mask)


def template_convolution_reference(X, Wt, in_ptr2, ST, P, R):
    X = np.pad(X, ((0, 0), (P, P), (P, P), (0, 0)))
    oh, ow = (X.shape[1] - R) // ST + 1, (X.shape[2] - R) // ST + 1
    y = 0
    for i in range(R):
        for j in range(R):
            y = y + X[:, i:i + ST * (oh - 1) + 1:ST, j:j + ST * (ow - 1) + 1:ST] @ Wt[:, i, j].T
    return np.maximum(y + in_ptr2, 0)


@triton.jit
def template_mm_with_prologue(in_ptr0, in_ptr1, B, out_ptr0, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                              BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """The first factor is silu(gate) * up * scale of a row, computed while it is read."""
    pid_m, pid_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_a_m = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    offs_b_n = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        a_k_idx_vals = offs_k[None, :] + (k_idx * BLOCK_K)
        b_k_idx_vals = offs_k[:, None] + (k_idx * BLOCK_K)
        idx_m = offs_a_m[:, None]
        idx_n = a_k_idx_vals
        a_mask = idx_n < K
        tmp0 = tl.load(in_ptr0 + (idx_n + 2 * K * idx_m), a_mask, other=0.0).to(tl.float32)
        tmp1 = tl.load(in_ptr0 + (K + idx_n + 2 * K * idx_m), a_mask, other=0.0).to(tl.float32)
        tmp2 = tl.load(in_ptr1 + idx_m, None, eviction_policy='evict_last')
        tmp3 = tl.sigmoid(tmp0)
        tmp4 = tmp0 * tmp3
        tmp5 = tmp4 * tmp1
        tmp6 = tmp5 * tmp2
        tmp7 = tmp6.to(tl.bfloat16)
        a = tmp7.broadcast_to([BLOCK_M, BLOCK_K])
        b = tl.load(B + (offs_b_n[None, :] + N * b_k_idx_vals), mask=b_k_idx_vals < K, other=0.0)
        acc += tl.dot(a, b, allow_tf32=True, out_dtype=tl.float32)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), acc, mask)


def template_mm_with_prologue_reference(in_ptr0, in_ptr1, B, K):
    gate, up = in_ptr0[:, :K], in_ptr0[:, K:]
    return (gate / (1 + np.exp(-gate)) * up * in_ptr1) @ B


@triton.jit
def template_int_mm(A, B, in_ptr2, in_ptr3, in_ptr4, out_ptr0, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """Bytes by bytes into integers, then scales of rows and columns and a bias, each step rounded to bfloat16."""
    pid_m, pid_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * K + rk[None, :])
    B = B + (rk[:, None] + rbn[None, :] * K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(A, mask=rk[None, :] < k, other=0)
        b = tl.load(B, mask=rk[:, None] < k, other=0)
        acc += tl.dot(a, b, out_dtype=tl.int32)
        A += BLOCK_K
        B += BLOCK_K
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tmp0 = tl.load(in_ptr2 + (tl.broadcast_to(idx_m, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp1 = tl.load(in_ptr3 + (tl.broadcast_to(idx_n, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp2 = tl.load(in_ptr4 + (tl.broadcast_to(idx_n, [BLOCK_M, BLOCK_N])), mask,
                   eviction_policy='evict_last').to(tl.float32)
    tmp3 = acc.to(tl.float32) * tmp0
    tmp4 = tmp3 * tmp1
    tmp5 = tmp4 + tmp2
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), tmp5, mask)


def template_int_mm_reference(A, B, in_ptr2, in_ptr3, in_ptr4):
    return A @ B.T * in_ptr2 * in_ptr3 + in_ptr4
