# Products that find their tiles by tables and divisions: gradients of a convolution as implicit products, blocks of a
# sparse factor by a table, adapters of segments, experts of bytes, and bytes with scales of blocks.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: input_gradient_of_convolution
# TYPES: fp16
# SIZES: B=2 C=20 H=6 W=5 F=24 R=3 P=1 ST=1 | B=1 C=16 H=8 W=8 F=16 R=3 P=1 ST=2
# BENCH: B=16 C=128 H=32 W=32 F=128 R=3 P=1 ST=1 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: DY randn:T[B,(H+2*P-R)//ST+1,(W+2*P-R)//ST+1,F]
# ARG: Wt randn:T[F,R,R,C]
# ARG: DX empty:T[B,H,W,C]
# ARG: BATCH B
# ARG: H H
# ARG: W W
# ARG: C C
# ARG: F F
# ARG: OH (H+2*P-R)//ST+1
# ARG: OW (W+2*P-R)//ST+1
# CONST: R R
# CONST: S R
# CONST: STRIDE ST
# CONST: PAD P
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(B*H*W, BLOCK_M), cdiv(C, BLOCK_N)
# TOLERANCE: DX 1e-2 1e-1
#
# KERNEL: weight_gradient_of_convolution
# TYPES: fp16
# SIZES: B=2 C=20 H=6 W=5 F=24 R=3 P=1 ST=1 | B=1 C=16 H=8 W=8 F=16 R=3 P=1 ST=2
# BENCH: B=8 C=128 H=32 W=32 F=128 R=3 P=1 ST=1 T=fp16 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: DY randn:T[B,(H+2*P-R)//ST+1,(W+2*P-R)//ST+1,F]
# ARG: X randn:T[B,H,W,C]
# ARG: DW empty:fp32[F,R,R,C]
# ARG: BATCH B
# ARG: H H
# ARG: W W
# ARG: C C
# ARG: F F
# ARG: OH (H+2*P-R)//ST+1
# ARG: OW (W+2*P-R)//ST+1
# CONST: R R
# CONST: S R
# CONST: STRIDE ST
# CONST: PAD P
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(F, BLOCK_M), cdiv(R*R*C, BLOCK_N)
# TOLERANCE: DW 1e-2 1e-1
#
# KERNEL: dense_by_table
# TYPES: fp16
# SIZES: M=40 KB=5 NB=3 NZ=2 BLOCK=16 | M=16 KB=4 NB=2 NZ=3 BLOCK=32
# BENCH: M=4096 KB=64 NB=64 NZ=16 BLOCK=64 T=fp16 BLOCK_M=128 TILE_K=32 num_warps=4 num_stages=4
# ARG: A randn:T[M,KB*BLOCK]
# ARG: B randn:T[NB*NZ,BLOCK,BLOCK]
# ARG: C empty:T[M,NB*BLOCK]
# ARG: lut randint(0,KB):i32[NB*NZ,2]
# ARG: header full(NZ):i32[NB]
# ARG: M M
# ARG: stride_am KB*BLOCK
# ARG: stride_cm NB*BLOCK
# CONST: BLOCK BLOCK
# CONST: NZ NZ
# CONST: BLOCK_M 32
# CONST: TILE_K 16
# GRID: NB, cdiv(M, BLOCK_M)
# TOLERANCE: C 1e-2 1e-1
#
# KERNEL: adapters_of_segments
# TYPES: fp16
# SIZES: SEG=3 L=21 K=72 N=48 A=3 | SEG=2 L=5 K=40 N=16 A=2
# BENCH: SEG=64 L=64 K=4096 N=64 A=8 T=fp16 BLOCK_S=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: x randn:T[SEG*L,K]
# ARG: weights randn:T[A,N,K]
# ARG: output empty:T[SEG*L,N]
# ARG: seg_lens full(L):i32[SEG]
# ARG: seg_indptr arange:i32[SEG]
# ARG: weight_indices randint(0,A):i32[SEG]
# ARG: lora_ranks full(N):i32[A]
# ARG: scalings rand:fp32[A]
# ARG: L L
# ARG: N N
# ARG: K K
# CONST: BLOCK_S 16
# CONST: BLOCK_N 16
# CONST: BLOCK_K 32
# GRID: cdiv(L, BLOCK_S) * cdiv(N, BLOCK_N), SEG
# TOLERANCE: output 1e-2 1e-1
#
# KERNEL: experts_of_bytes
# SIZES: T=20 E=3 N=40 K=72 EM=64 | T=9 E=2 N=16 K=64 EM=32
# BENCH: T=512 E=16 N=2048 K=2048 EM=2048 BLOCK_M=64 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=4
# ARG: a_ptr randint(-128,128):i8[T,K]
# ARG: b_ptr randint(-128,128):i8[E,N,K]
# ARG: c_ptr empty:bf16[EM,N]
# ARG: a_scale_ptr rand(0.001,0.01):fp32[T]
# ARG: b_scale_ptr rand(0.001,0.01):fp32[E,N]
# ARG: topk_weights_ptr rand:fp32[EM]
# ARG: sorted_token_ids_ptr permutation:i32[EM]
# ARG: expert_ids_ptr randint(0,E):i32[cdiv(EM,BLOCK_M)]
# ARG: num_tokens_post_padded_ptr full(EM):i32[1]
# ARG: N N
# ARG: K K
# ARG: EM EM
# ARG: num_valid_tokens EM-7
# ARG: stride_am K
# ARG: stride_be N*K
# ARG: stride_bn K
# ARG: stride_cm N
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 4
# CONST: top_k cdiv(EM,T)
# CONST: MUL_ROUTED_WEIGHT True
# GRID: cdiv(EM, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-2 1e-2
#
# KERNEL: bytes_with_block_scales
# SIZES: M=17 N=48 K=128 G=32 | M=40 N=33 K=64 G=64
# BENCH: M=512 N=4096 K=4096 G=128 BLOCK_M=64 BLOCK_N=128 BLOCK_K=128 num_warps=4 num_stages=3
# ARG: A randint(-128,128):i8[M,K]
# ARG: B randint(-128,128):i8[N,K]
# ARG: C empty:bf16[M,N]
# ARG: As rand(0.001,0.01):fp32[M,cdiv(K,G)]
# ARG: Bs rand(0.001,0.01):fp32[cdiv(N,G),cdiv(K,G)]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: group_n G
# ARG: group_k G
# ARG: stride_As_m cdiv(K,G)
# ARG: stride_As_k 1
# ARG: stride_Bs_k 1
# ARG: stride_Bs_n cdiv(K,G)
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 4
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: C 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def input_gradient_of_convolution(DY, Wt, DX, BATCH, H, W, C, F, OH, OW, R: tl.constexpr, S: tl.constexpr,
                                  STRIDE: tl.constexpr, PAD: tl.constexpr, BLOCK_M: tl.constexpr,
                                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows are places of the input, columns its channels, the sum goes over the kernel's places and the outputs."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = rows // (H * W)
    h = rows % (H * W) // W
    w = rows % W
    offs_c = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    GEMM_K = R * S * F
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k0 in range(0, tl.cdiv(GEMM_K, BLOCK_K)):
        gk = k0 * BLOCK_K + tl.arange(0, BLOCK_K)
        f = gk % F
        r = gk // F // S
        s = gk // F % S
        ph = h[:, None] + PAD - r[None, :]
        pw = w[:, None] + PAD - s[None, :]
        p = ph // STRIDE
        q = pw // STRIDE
        mask_dy = (ph % STRIDE == 0) & (pw % STRIDE == 0) & (ph >= 0) & (pw >= 0) & (p < OH) & (q < OW)
        mask_dy = mask_dy & (n < BATCH)[:, None] & (gk < GEMM_K)[None, :]
        dy = tl.load(DY + ((n[:, None] * OH + p) * OW + q) * F + f[None, :], mask=mask_dy, other=0.0)
        weight = tl.load(Wt + ((f * R + r) * S + s)[:, None] * C + offs_c[None, :],
                         mask=(gk < GEMM_K)[:, None] & (offs_c < C)[None, :], other=0.0)
        acc = tl.dot(dy, weight, acc)
    tl.store(DX + rows[:, None] * C + offs_c[None, :], acc.to(DX.dtype.element_ty),
             mask=(n < BATCH)[:, None] & (offs_c < C)[None, :])


def input_gradient_of_convolution_reference(DY, Wt, B, C, H, W, R, P, ST):
    oh, ow = DY.shape[1:3]
    dx = np.zeros((B, H + 2 * P, W + 2 * P, C))
    for r in range(R):
        for s in range(R):
            dx[:, r:r + ST * (oh - 1) + 1:ST, s:s + ST * (ow - 1) + 1:ST] += DY @ Wt[:, r, s]
    return dx[:, P:P + H, P:P + W]


@triton.jit
def weight_gradient_of_convolution(DY, X, DW, BATCH, H, W, C, F, OH, OW, R: tl.constexpr, S: tl.constexpr,
                                   STRIDE: tl.constexpr, PAD: tl.constexpr, BLOCK_M: tl.constexpr,
                                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows are outputs' channels, columns a place of the kernel and a channel, the sum goes over all places."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    f = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    gn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c = gn % C
    r = gn // C // S
    s = gn // C % S
    GEMM_K = BATCH * OH * OW
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k0 in range(0, GEMM_K, BLOCK_K):
        gk = k0 + tl.arange(0, BLOCK_K)
        n = gk // (OH * OW)
        p = gk % (OH * OW) // OW
        q = gk % OW
        dy = tl.load(DY + gk[None, :] * F + f[:, None], mask=(gk < GEMM_K)[None, :] & (f < F)[:, None], other=0.0)
        h = p[:, None] * STRIDE - PAD + r[None, :]
        w = q[:, None] * STRIDE - PAD + s[None, :]
        mask_x = (h >= 0) & (h < H) & (w >= 0) & (w < W) & (gk < GEMM_K)[:, None] & (gn < R * S * C)[None, :]
        x = tl.load(X + ((n[:, None] * H + h) * W + w) * C + c[None, :], mask=mask_x, other=0.0)
        acc = tl.dot(dy, x, acc)
    tl.store(DW + f[:, None] * (R * S * C) + gn[None, :], acc, mask=(f < F)[:, None] & (gn < R * S * C)[None, :])


def weight_gradient_of_convolution_reference(DY, X, C, F, R, P, ST):
    oh, ow = DY.shape[1:3]
    X = np.pad(X, ((0, 0), (P, P), (P, P), (0, 0)))
    dw = np.zeros((F, R, R, C))
    for r in range(R):
        for s in range(R):
            dw[:, r, s] = np.einsum("bhwf,bhwc->fc", DY, X[:, r:r + ST * (oh - 1) + 1:ST, s:s + ST * (ow - 1) + 1:ST])
    return dw


@triton.jit
def dense_by_table(A, B, C, lut, header, M, stride_am, stride_cm, BLOCK: tl.constexpr, NZ: tl.constexpr,
                   BLOCK_M: tl.constexpr, TILE_K: tl.constexpr):
    """Dense times block-sparse: the table says which columns of A each block meets and is read one step ahead."""
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    entries = tl.load(header + pid_n)
    pinc = lut + pid_n * NZ * 2
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.arange(0, BLOCK)
    rk = tl.arange(0, TILE_K)
    mask_m = rm[:, None] < M
    block = tl.load(pinc)
    pa = A + rm[:, None] * stride_am + rk[None, :]
    pb = B + pid_n * NZ * BLOCK * BLOCK + rk[:, None] * BLOCK + rn[None, :]
    STEPS: tl.constexpr = BLOCK // TILE_K
    acc = tl.zeros((BLOCK_M, BLOCK), dtype=tl.float32)
    for step in range(0, entries * STEPS):
        a = tl.load(pa + block * BLOCK + (step % STEPS) * TILE_K, mask=mask_m, other=0.0)
        b = tl.load(pb)
        acc += tl.dot(a, b, out_dtype=tl.float32)
        pb += TILE_K * BLOCK
        following = (step + 1) // STEPS
        block = tl.load(pinc + following * 2, mask=following < entries, other=0)
    tl.store(C + rm[:, None] * stride_cm + pid_n * BLOCK + rn[None, :], acc.to(C.dtype.element_ty), mask=mask_m)


def dense_by_table_reference(A, B, lut, M, NB, NZ, BLOCK):
    out = np.zeros((M, NB * BLOCK))
    for i, (at, _) in enumerate(lut.astype(int)):
        column = i // NZ * BLOCK
        out[:, column:column + BLOCK] += A[:, at * BLOCK:at * BLOCK + BLOCK] @ B[i]
    return out


@triton.jit
def adapters_of_segments(x, weights, output, seg_lens, seg_indptr, weight_indices, lora_ranks, scalings, L, N, K,
                         BLOCK_S: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each segment of rows meets the adapter that is its own, of a rank of its own."""
    batch_id = tl.program_id(1)
    w_index = tl.load(weight_indices + batch_id)
    rank = tl.load(lora_ranks + w_index)
    if rank == 0:
        return
    pid = tl.program_id(0)
    seg_len = tl.load(seg_lens + batch_id)
    seg_start = tl.load(seg_indptr + batch_id) * L
    scaling = tl.load(scalings + w_index)
    N = tl.minimum(N, rank)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    pid_s = pid // num_pid_n
    pid_n = pid % num_pid_n
    s_offset = tl.arange(0, BLOCK_S) + pid_s * BLOCK_S
    n_offset = tl.arange(0, BLOCK_N) + pid_n * BLOCK_N
    k_offset = tl.arange(0, BLOCK_K)
    x_ptrs = x + seg_start * K + s_offset[:, None] * K + k_offset[None, :]
    w_ptrs = weights + w_index * N * K + k_offset[:, None] + n_offset[None, :] * K
    partial_sum = tl.zeros((BLOCK_S, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        x_tile = tl.load(x_ptrs, mask=(s_offset[:, None] < seg_len) & (k_offset[None, :] < K - k * BLOCK_K), other=0.0)
        w_tile = tl.load(w_ptrs, mask=(k_offset[:, None] < K - k * BLOCK_K) & (n_offset[None, :] < N), other=0.0)
        partial_sum += tl.dot(x_tile, w_tile)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    partial_sum *= scaling
    partial_sum = partial_sum.to(x.dtype.element_ty)
    tl.store(output + (seg_start + s_offset[:, None]) * N + n_offset[None, :], partial_sum,
             mask=(s_offset[:, None] < seg_len) & (n_offset[None, :] < N))


def adapters_of_segments_reference(x, weights, weight_indices, scalings, L):
    at = np.repeat(weight_indices.astype(int), L)
    return np.einsum("mk,mnk->mn", x, weights[at]) * scalings[at][:, None]


@triton.jit
def experts_of_bytes(a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr,
                     expert_ids_ptr, num_tokens_post_padded_ptr, N, K, EM, num_valid_tokens, stride_am, stride_be,
                     stride_bn, stride_cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     GROUP_M: tl.constexpr, top_k: tl.constexpr, MUL_ROUTED_WEIGHT: tl.constexpr):
    """Tokens sorted by expert; bytes by bytes, a scale for each token and each channel of an expert."""
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(EM, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    num_tokens_post_padded = tl.load(num_tokens_post_padded_ptr)
    if pid_m * BLOCK_M >= num_tokens_post_padded:
        return
    offs_token_id = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_token = tl.load(sorted_token_ids_ptr + offs_token_id).to(tl.int64)
    token_mask = offs_token < num_valid_tokens
    off_expert = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * stride_am + offs_k[None, :])
    b_ptrs = b_ptr + off_expert * stride_be + (offs_k[:, None] + offs_bn[None, :] * stride_bn)
    b_scale = tl.load(b_scale_ptr + off_expert * N + offs_bn[None, :])
    a_scale = tl.load(a_scale_ptr + offs_token // top_k, mask=token_mask, other=0.0)[:, None]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_K), other=0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0)
        accumulator = tl.dot(a, b, accumulator, out_dtype=tl.int32)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    result = accumulator.to(tl.float32) * a_scale * b_scale
    if MUL_ROUTED_WEIGHT:
        moe_weight = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        result = result * moe_weight[:, None]
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + offs_cn[None, :]
    tl.store(c_ptrs, result.to(tl.bfloat16), mask=(offs_cn[None, :] < N))


def experts_of_bytes_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr,
                               expert_ids_ptr, T, N, EM, BLOCK_M):
    out = np.zeros((EM, N))
    for i, token in enumerate(sorted_token_ids_ptr.astype(int)):
        e, row = int(expert_ids_ptr[i // BLOCK_M]), token // -(-EM // T)
        if token < EM - 7:
            scale = a_scale_ptr[row] * b_scale_ptr[e] * topk_weights_ptr[token]
            out[token] = b_ptr[e] @ a_ptr[row] * scale
    return out


@triton.jit
def bytes_with_block_scales(A, B, C, As, Bs, M, N, K, group_n, group_k, stride_As_m, stride_As_k, stride_Bs_k,
                            stride_Bs_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                            GROUP_M: tl.constexpr):
    """Scales of groups of a row and of squares of the weights, read by numbers that come as arguments."""
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + (pid % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = A + (offs_am[:, None] * K + offs_k[None, :])
    b_ptrs = B + (offs_k[:, None] + offs_bn[None, :] * K)
    As_ptrs = As + offs_am * stride_As_m
    offs_bsn = offs_bn // group_n
    Bs_ptrs = Bs + offs_bsn * stride_Bs_n
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0)
        k_start = k * BLOCK_K
        offs_ks = k_start // group_k
        a_s = tl.load(As_ptrs + offs_ks * stride_As_k)
        b_s = tl.load(Bs_ptrs + offs_ks * stride_Bs_k)
        accumulator += tl.dot(a, b).to(tl.float32) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(C + N * offs_cm[:, None] + offs_cn[None, :], accumulator.to(C.dtype.element_ty),
             mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


def bytes_with_block_scales_reference(A, B, As, Bs, N, K, G):
    return (A * np.repeat(As, G, axis=1)[:, :K]) @ (B * np.repeat(np.repeat(Bs, G, axis=0)[:N], G, axis=1)[:, :K]).T
