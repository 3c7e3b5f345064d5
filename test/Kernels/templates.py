# Products as compilers of models fill them into templates: indices by names of their own, epilogues of a line for each
# operation, loops that count down, and attention over lists of blocks.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: product_with_epilogue
# SIZES: M=65 N=40 K=72 | M=1 N=24 K=32
# BENCH: M=4096 N=4096 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 EVEN_K=True num_warps=8 num_stages=3
# ARG: arg_A randn:bf16[M,K]
# ARG: arg_B randn:bf16[K,N]
# ARG: in_ptr2 randn:bf16[N]
# ARG: in_ptr3 randn:bf16[M,N]
# ARG: out_ptr0 empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: EVEN_K False
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr0 2e-2 2e-1
#
# KERNEL: sum_of_two_products
# SIZES: M=65 N=40 K1=64 K2=96 | M=16 N=24 K1=32 K2=32
# BENCH: M=2048 N=2048 K1=2048 K2=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=8 num_stages=4
# ARG: A randn:fp16[M,K1]
# ARG: B randn:fp16[K1,N]
# ARG: C randn:fp16[M,K2]
# ARG: D randn:fp16[K2,N]
# ARG: out_ptr0 empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K1 K1
# ARG: K2 K2
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr0 2e-2 2e-1
#
# KERNEL: convolution_by_taps
# SIZES: B=2 C=32 H=9 W=7 O=24 KERNEL=3 STRIDE=1 PADDING=1 | B=1 C=16 H=5 W=5 O=16 KERNEL=1 STRIDE=2 PADDING=0
# BENCH: B=16 C=128 H=56 W=56 O=128 KERNEL=3 STRIDE=1 PADDING=1 BLOCK_M=128 BLOCK_N=64 BLOCK_K=32 num_warps=4 num_stages=3
# ARG: X randn:fp16[B,H,W,C]
# ARG: W_ptr randn:fp16[KERNEL,KERNEL,C,O]
# ARG: out_ptr0 empty:fp16[B,(H+2*PADDING-KERNEL)//STRIDE+1,(W+2*PADDING-KERNEL)//STRIDE+1,O]
# ARG: BATCH B
# ARG: IN_C C
# ARG: IN_H H
# ARG: IN_W W
# ARG: OUT_C O
# ARG: OUT_H (H+2*PADDING-KERNEL)//STRIDE+1
# ARG: OUT_W (W+2*PADDING-KERNEL)//STRIDE+1
# CONST: KERNEL_H KERNEL
# CONST: KERNEL_W KERNEL
# CONST: STRIDE STRIDE
# CONST: PADDING PADDING
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(B * OUT_H * OUT_W, BLOCK_M), cdiv(O, BLOCK_N)
# TOLERANCE: out_ptr0 2e-2 2e-1
#
# KERNEL: listed_blocks
# SIZES: H=2 G=2 S=256 D=32 | H=1 G=1 S=128 D=64
# BENCH: H=16 G=1 S=4096 D=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: Q randn:bf16[H,S,D]
# ARG: K randn:bf16[H//G,S,D]
# ARG: V randn:bf16[H//G,S,D]
# ARG: kv_counts full(1):i32[S//128]
# ARG: kv_list arange:i32[S//128]
# ARG: full_counts arange:i32[S//128]
# ARG: full_list permutation:i32[S//128,S//128]
# ARG: out_ptr0 empty:bf16[H,S,D]
# ARG: LSE empty:fp32[H,S]
# ARG: sm_scale D**-0.5
# ARG: Q_LEN S
# ARG: KV_LEN S
# CONST: GROUP G
# CONST: HEAD_DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: LISTED 128
# GRID: cdiv(S, BLOCK_M), H
# TOLERANCE: out_ptr0 2e-2 2e-2
# TOLERANCE: LSE 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def tile_in_group(pid, grid_m, grid_n, GROUP_M: tl.constexpr):
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    return group_id * GROUP_M + pid % group_size, (pid % width) // group_size


@triton.jit
def product_with_epilogue(arg_A, arg_B, in_ptr2, in_ptr3, out_ptr0, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                          BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, EVEN_K: tl.constexpr):
    """gelu(A B + bias) * gate, an operation a line."""
    if M * N == 0:
        return
    stride_am = K
    stride_bk = N
    pid_m, pid_n = tile_in_group(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_a_m = rm % M
    offs_b_n = rn % N
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        a_k = offs_k[None, :] + (k_idx * BLOCK_K)
        b_k = offs_k[:, None] + (k_idx * BLOCK_K)
        idx_m = offs_a_m[:, None]
        idx_n = offs_b_n[None, :]
        if EVEN_K:
            a = tl.load(arg_A + (a_k + stride_am * idx_m))
            b = tl.load(arg_B + (idx_n + stride_bk * b_k))
        else:
            a = tl.load(arg_A + (a_k + stride_am * idx_m), mask=a_k < K, other=0.0)
            b = tl.load(arg_B + (idx_n + stride_bk * b_k), mask=b_k < K, other=0.0)
        acc += tl.dot(a, b, allow_tf32=False, out_dtype=tl.float32)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tmp0 = tl.load(in_ptr2 + (tl.broadcast_to(idx_n, acc.shape)), mask, eviction_policy="evict_last").to(tl.float32)
    tmp1 = acc + tmp0
    tmp2 = 0.5
    tmp3 = tmp1 * tmp2
    tmp4 = 0.7071067811865476
    tmp5 = tmp1 * tmp4
    tmp6 = tl.erf(tmp5)
    tmp7 = 1.0
    tmp8 = tmp6 + tmp7
    tmp9 = tmp3 * tmp8
    tmp10 = tl.load(in_ptr3 + (tl.broadcast_to(xindex, acc.shape)), mask).to(tl.float32)
    tmp11 = tmp9 * tmp10
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, acc.shape)), tmp11, mask)


def product_with_epilogue_reference(arg_A, arg_B, in_ptr2, in_ptr3):
    x = arg_A @ arg_B + in_ptr2
    erf = np.vectorize(__import__("math").erf)
    return 0.5 * x * (1 + erf(x / np.sqrt(2))) * in_ptr3


@triton.jit
def sum_of_two_products(A, B, C, D, out_ptr0, M, N, K1, K2, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """A B + C D; depths are multiples of a block, and what is left of them is counted down."""
    pid_m, pid_n = tile_in_group(tl.program_id(0), (M + BLOCK_M - 1) // BLOCK_M, (N + BLOCK_N - 1) // BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M) if BLOCK_M > 64 else rm % M
    rbn = rn % N
    rk = tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * K1 + rk[None, :])
    B = B + (rk[:, None] * N + rbn[None, :])
    C = C + (ram[:, None] * K2 + rk[None, :])
    D = D + (rk[:, None] * N + rbn[None, :])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k1 in range(K1, 0, -BLOCK_K):
        a = tl.load(A, mask=rk[None, :] < k1, other=0.0)
        b = tl.load(B, mask=rk[:, None] < k1, other=0.0)
        acc += tl.dot(a, b)
        A += BLOCK_K
        B += BLOCK_K * N
    for k2 in range(K2, 0, -BLOCK_K):
        c = tl.load(C, mask=rk[None, :] < k2, other=0.0)
        d = tl.load(D, mask=rk[:, None] < k2, other=0.0)
        acc += tl.dot(c, d)
        C += BLOCK_K
        D += BLOCK_K * N
    idx_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    idx_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    mask = (idx_m < M) & (idx_n < N)
    tl.store(out_ptr0 + (idx_n + N * idx_m), acc, mask)


def sum_of_two_products_reference(A, B, C, D):
    return A @ B + C @ D


@triton.jit
def convolution_by_taps(X, W_ptr, out_ptr0, BATCH, IN_C, IN_H, IN_W, OUT_C, OUT_H, OUT_W, KERNEL_H: tl.constexpr,
                        KERNEL_W: tl.constexpr, STRIDE: tl.constexpr, PADDING: tl.constexpr, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Channels last; one loop over taps and blocks of channels, from whose counter both follow."""
    nhw = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    idx_y_w = nhw % OUT_W
    nh = nhw // OUT_W
    idx_y_h = nh % OUT_H
    idx_n = nh // OUT_H
    idx_y_c = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    x_base = X + (idx_n * (IN_H * IN_W * IN_C))[:, None]
    w_base = W_ptr + idx_y_c[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    BLOCK_K_COUNT = (IN_C + BLOCK_K - 1) // BLOCK_K
    for ijk in range(KERNEL_H * KERNEL_W * BLOCK_K_COUNT):
        k = (ijk % BLOCK_K_COUNT) * BLOCK_K
        ij = ijk // BLOCK_K_COUNT
        i = ij // KERNEL_W
        j = ij % KERNEL_W
        idx_x_h = i - PADDING + idx_y_h * STRIDE
        idx_x_w = j - PADDING + idx_y_w * STRIDE
        idx_x_c = tl.arange(0, BLOCK_K) + k
        x_ptrs = x_base + (idx_x_h * IN_W * IN_C)[:, None] + (idx_x_w * IN_C)[:, None] + idx_x_c[None, :]
        mask_x = ((idx_n < BATCH)[:, None] & (idx_x_h >= 0)[:, None] & (idx_x_h < IN_H)[:, None]
                  & (idx_x_w >= 0)[:, None] & (idx_x_w < IN_W)[:, None] & (idx_x_c < IN_C)[None, :])
        matrix_x = tl.load(x_ptrs, mask=mask_x, other=0.0)
        w_ptrs = w_base + (idx_x_c * OUT_C)[:, None] + (i * KERNEL_W + j) * IN_C * OUT_C
        mask_w = (idx_x_c[:, None] < IN_C) & (idx_y_c[None, :] < OUT_C)
        matrix_w = tl.load(w_ptrs, mask=mask_w, other=0.0)
        acc += tl.dot(matrix_x, matrix_w, allow_tf32=True)
    mask = ((idx_n < BATCH)[:, None] & (idx_y_h < OUT_H)[:, None] & (idx_y_w < OUT_W)[:, None]
            & (idx_y_c < OUT_C)[None, :])
    xindex = idx_y_c[None, :] + OUT_C * idx_y_w[:, None] + OUT_C * OUT_W * idx_y_h[:, None] \
        + OUT_C * OUT_W * OUT_H * idx_n[:, None]
    tl.store(out_ptr0 + xindex, acc, mask)


def convolution_by_taps_reference(X, W_ptr, KERNEL, STRIDE, PADDING):
    x = np.pad(X, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (KERNEL, KERNEL), axis=(1, 2))[:, ::STRIDE, ::STRIDE]
    return np.einsum("nhwcij,ijco->nhwo", windows, W_ptr)


@triton.jit
def distance_to_next(step, blocks, count, LISTED: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """From a part of a listed block to the next part, perhaps of the next block in the list."""
    number = step // PARTS
    here = tl.load(blocks + number, eviction_policy="evict_last")
    there = tl.load(blocks + number + 1, eviction_policy="evict_last", mask=number + 1 < count)
    is_last = (step + 1) % PARTS == 0
    jump = (there - here) * LISTED - (PARTS - 1) * BLOCK
    return jump * is_last + (1 - is_last) * BLOCK


@triton.jit
def over_list(acc, l_i, m_i, q, K_block, V_block, offs_m, offs_n, blocks, count, first, last, Q_LEN, KV_LEN, SCALE,
              IS_FULL: tl.constexpr, LISTED: tl.constexpr, BLOCK_N: tl.constexpr, DTYPE: tl.constexpr):
    PARTS: tl.constexpr = LISTED // BLOCK_N
    for step in range(first, last):
        k = tl.load(K_block)
        qk = tl.dot(q, k, input_precision="ieee")
        qk *= SCALE
        m = offs_m % Q_LEN
        n = offs_n % KV_LEN
        tmp0 = qk + (n - m).to(tl.float32) * 0.0078125
        post_mod = tmp0
        if not IS_FULL:
            tmp1 = m >= n
            post_mod = tl.where(tmp1, post_mod, float("-inf"))
        post_mod *= 1.44269504
        m_ij = tl.maximum(m_i, tl.max(post_mod, 1))
        masked_out = m_ij == float("-inf")
        m_ij_masked = tl.where(masked_out, 0, m_ij)
        alpha = tl.math.exp2(m_i - m_ij_masked)
        p = tl.math.exp2(post_mod - m_ij_masked[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V_block)
        acc = tl.dot(p.to(DTYPE), v, acc, input_precision="ieee")
        m_i = m_ij
        offset = distance_to_next(step, blocks, count, LISTED, PARTS, BLOCK_N)
        V_block = tl.advance(V_block, (offset, 0))
        K_block = tl.advance(K_block, (0, offset))
        offs_n = offs_n + offset
    return acc, l_i, m_i


@triton.jit
def listed_blocks(Q, K, V, kv_counts, kv_list, full_counts, full_list, out_ptr0, LSE, sm_scale, Q_LEN, KV_LEN,
                  GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  LISTED: tl.constexpr):
    """Blocks of keys that need the mask are in one list, those that do not in another one; a bias by distance."""
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    off_hkv = off_h // GROUP
    DTYPE: tl.constexpr = Q.dtype.element_ty
    PARTS: tl.constexpr = LISTED // BLOCK_N
    row = start_m // (LISTED // BLOCK_M)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    Q_block = tl.make_block_ptr(base=Q + off_h * Q_LEN * HEAD_DIM, shape=(Q_LEN, HEAD_DIM), strides=(HEAD_DIM, 1),
                                offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
    q = tl.load(Q_block)
    kv_start = tl.load(kv_list + row) * LISTED
    kv_count = tl.load(kv_counts + row)
    last = tl.minimum(kv_count * PARTS, tl.maximum(tl.cdiv(KV_LEN, BLOCK_N), 1))
    K_block = tl.make_block_ptr(base=K + off_hkv * KV_LEN * HEAD_DIM, shape=(HEAD_DIM, KV_LEN), strides=(1, HEAD_DIM),
                                offsets=(0, kv_start), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1))
    V_block = tl.make_block_ptr(base=V + off_hkv * KV_LEN * HEAD_DIM, shape=(KV_LEN, HEAD_DIM), strides=(HEAD_DIM, 1),
                                offsets=(kv_start, 0), block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0))
    offs_n = kv_start + tl.arange(0, BLOCK_N)
    acc, l_i, m_i = over_list(acc, l_i, m_i, q, K_block, V_block, offs_m[:, None], offs_n[None, :], kv_list + row,
                              kv_count, 0, last, Q_LEN, KV_LEN, sm_scale, False, LISTED, BLOCK_N, DTYPE)
    full = full_list + row * (KV_LEN // LISTED)
    kv_start = tl.load(full) * LISTED
    kv_count = tl.load(full_counts + row)
    last = tl.minimum(kv_count * PARTS, tl.maximum(tl.cdiv(KV_LEN, BLOCK_N), 1))
    K_block = tl.make_block_ptr(base=K + off_hkv * KV_LEN * HEAD_DIM, shape=(HEAD_DIM, KV_LEN), strides=(1, HEAD_DIM),
                                offsets=(0, kv_start), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1))
    V_block = tl.make_block_ptr(base=V + off_hkv * KV_LEN * HEAD_DIM, shape=(KV_LEN, HEAD_DIM), strides=(HEAD_DIM, 1),
                                offsets=(kv_start, 0), block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0))
    offs_n = kv_start + tl.arange(0, BLOCK_N)
    acc, l_i, m_i = over_list(acc, l_i, m_i, q, K_block, V_block, offs_m[:, None], offs_n[None, :], full, kv_count, 0,
                              last, Q_LEN, KV_LEN, sm_scale, True, LISTED, BLOCK_N, DTYPE)
    l_i = tl.where(l_i == 0.0, 1, l_i)
    acc = acc / l_i[:, None]
    idx_m = offs_m[:, None]
    idx_d = tl.arange(0, HEAD_DIM)[None, :]
    mask = (idx_m < Q_LEN) & (idx_d < HEAD_DIM)
    tl.store(out_ptr0 + off_h * Q_LEN * HEAD_DIM + idx_m * HEAD_DIM + idx_d, acc, mask)
    tl.store(LSE + off_h * Q_LEN + offs_m, m_i + tl.math.log2(l_i), mask=offs_m < Q_LEN)


def listed_blocks_reference(Q, K, V, full_list, sm_scale, H, G, S):
    out, lse = np.zeros(Q.shape), np.zeros((H, S))
    place = np.arange(S)
    for block in range(S // 128):
        rows = slice(128 * block, 128 * block + 128)
        # A block that is in both lists counts twice.
        weight = np.zeros((128, S))
        weight[:, rows] += place[rows, None] >= place[None, rows]
        for full in full_list[block, :block].astype(int):
            weight[:, 128 * full:128 * full + 128] += 1
        for h in range(H):
            score = Q[h, rows] @ K[h // G].T * sm_scale + (place[None, :] - place[rows, None]) / 128
            score = np.where(weight > 0, score, -np.inf)
            peak = score.max(axis=1, keepdims=True)
            p = np.exp(score - peak) * weight
            out[h, rows] = p @ V[h // G] / p.sum(axis=1, keepdims=True)
            lse[h, rows] = (peak[:, 0] + np.log(p.sum(axis=1))) / np.log(2)
    return {"out_ptr0": out, "LSE": lse}
