# Attention over lists of blocks, full and partial, with the functions of scores and of masks inlined, as compilers of
# models emit it, forward and for one query; queries and keys in bytes with scales of blocks; biases of rows and
# columns.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: flexible_forward
# TYPES: fp16 bf16
# SIZES: Z=2 HQ=4 HKV=2 L=64 D=32 SPARSE=32 | Z=1 HQ=1 HKV=1 L=128 D=16 SPARSE=32
# BENCH: Z=4 HQ=16 HKV=4 L=2048 D=64 SPARSE=128 T=bf16 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: arg_Q randn:T[Z,HQ,L,D]
# ARG: arg_K randn:T[Z,HKV,L,D]
# ARG: arg_V randn:T[Z,HKV,L,D]
# ARG: arg_LSE empty:fp32[Z,HQ,L]
# ARG: arg_KV_NUM_BLKS randint(1,3):i32[1,1,L//SPARSE]
# ARG: arg_KV_IDX randint(0,L//SPARSE):i32[1,1,L//SPARSE,L//SPARSE]
# ARG: arg_FULL_KV_NUM_BLKS full(2):i32[1,1,L//SPARSE]
# ARG: arg_FULL_KV_IDX permutation:i32[1,1,L//SPARSE,L//SPARSE]
# ARG: in_ptr8 rand(0.01,0.1):fp32[HQ]
# ARG: in_ptr9 randint(0,2):i32[Z,L]
# ARG: out_ptr0 empty:T[Z,HQ,L,D]
# ARG: Q_LEN L
# ARG: KV_LEN L
# CONST: ZQ Z
# CONST: HQ HQ
# CONST: GQA_SHARED_HEADS HQ//HKV
# CONST: SM_SCALE 0.125
# CONST: QK_HEAD_DIM D
# CONST: V_HEAD_DIM D
# CONST: SPARSE_Q_BLOCK_SIZE SPARSE
# CONST: SPARSE_KV_BLOCK_SIZE SPARSE
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# GRID: cdiv(L, BLOCK_M), Z*HQ
# TOLERANCE: arg_LSE 1e-3 1e-3
# TOLERANCE: out_ptr0 2e-2 2e-2
#
# KERNEL: flexible_decoding
# TYPES: fp16
# SIZES: Z=2 HKV=2 G=4 L=64 D=32 KS=2 NB=2 SPARSE=32 | Z=1 HKV=1 G=3 L=128 D=16 KS=2 NB=1 SPARSE=32
# BENCH: Z=16 HKV=8 G=4 L=8192 D=128 KS=8 NB=16 SPARSE=128 T=fp16 BLOCK_N=64 num_warps=2 num_stages=3
# ARG: arg_Q randn:T[Z,HKV*G,1,D]
# ARG: arg_K randn:T[Z,HKV,L,D]
# ARG: arg_V randn:T[Z,HKV,L,D]
# ARG: arg_M empty:fp32[Z,KS,HKV*G]
# ARG: arg_L empty:fp32[Z,KS,HKV*G]
# ARG: arg_KV_NUM_BLKS full(NB):i32[1]
# ARG: arg_KV_IDX permutation:i32[1,L//SPARSE]
# ARG: out_ptr0 empty:fp32[Z,KS,HKV*G,D]
# ARG: KV_LEN L
# CONST: HKV HKV
# CONST: G G
# CONST: BLOCK_M 16
# CONST: SPLIT_KV KS
# CONST: SM_SCALE 0.125
# CONST: QK_HEAD_DIM D
# CONST: SPARSE_KV_BLOCK_SIZE SPARSE
# CONST: BLOCK_N 16
# GRID: Z*HKV*KS
# TOLERANCE: arg_M 1e-3 1e-3
# TOLERANCE: arg_L 2e-3 2e-3
# TOLERANCE: out_ptr0 1e-2 1e-2
#
# KERNEL: bytes_then_halves
# SIZES: B=1 H=2 HKV=1 L=45 D=32 | B=2 H=2 HKV=2 L=33 D=64
# BENCH: B=2 H=32 HKV=32 L=2048 D=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=4
# ARG: Q randint(-64,64):i8[B,H,L,D]
# ARG: K randint(-64,64):i8[B,HKV,L,D]
# ARG: V randn:fp16[B,HKV,L,D]
# ARG: Q_scale rand(0.001,0.01):fp32[B,H,cdiv(L,BLOCK_M)]
# ARG: K_scale rand(0.001,0.01):fp32[B,HKV,cdiv(L,BLOCK_N)]
# ARG: Out empty:fp16[B,H,L,D]
# ARG: stride_qz H*L*D
# ARG: stride_qh L*D
# ARG: stride_qn D
# ARG: stride_kz HKV*L*D
# ARG: stride_kh L*D
# ARG: stride_kn D
# ARG: qo_len L
# ARG: kv_len L
# CONST: H H
# CONST: num_kv_groups H//HKV
# CONST: HEAD_DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# GRID: cdiv(L, BLOCK_M), H, B
# TOLERANCE: Out 1e-2 1e-2
#
# KERNEL: rows_and_columns
# TYPES: fp16
# SIZES: B=2 SH=5 SW=7 D=32 | B=1 SH=8 SW=8 D=16
# BENCH: B=32 SH=32 SW=32 D=64 T=fp16 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: Q randn:T[B,SH*SW,D]
# ARG: K randn:T[B,SH*SW,D]
# ARG: V randn:T[B,SH*SW,D]
# ARG: Rel_h randn:T[B,SH*SW,SH]
# ARG: Rel_w randn:T[B,SH*SW,SW]
# ARG: Out empty:T[B,SH*SW,D]
# ARG: sm_scale 0.125
# ARG: N_CTX SH*SW
# ARG: KH SH
# ARG: KW SW
# CONST: D D
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# GRID: cdiv(SH*SW, BLOCK_M), B
# TOLERANCE: Out 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def offset_for_next_block(loop_iter, col_indices, total_blocks, SPARSE_BLOCK: tl.constexpr, MULTIPLE: tl.constexpr,
                          BLOCK: tl.constexpr):
    """How far the next block of columns is: within a block of the list, or on to the next of the list."""
    cur_block_idx = loop_iter // MULTIPLE
    cur_block = tl.load(col_indices + cur_block_idx, eviction_policy="evict_last")
    next_block = tl.load(col_indices + cur_block_idx + 1, eviction_policy="evict_last",
                         mask=cur_block_idx + 1 < total_blocks)
    needs_jump = (loop_iter + 1) % MULTIPLE == 0
    jump = (next_block - cur_block) * SPARSE_BLOCK - (MULTIPLE - 1) * BLOCK
    return jump * needs_jump + (1 - needs_jump) * BLOCK


@triton.jit
def forward_block(q, K_block_ptr, V_block_ptr, in_ptr8, in_ptr9, KV_LEN, acc, l_i, m_i, off_z, off_h, offs_m, offs_n,
                  SM_SCALE: tl.constexpr, IS_FULL: tl.constexpr):
    k = tl.load(K_block_ptr)
    qk = tl.dot(q, k, input_precision="ieee")
    qk *= SM_SCALE
    n = offs_n % KV_LEN
    tmp0 = (qk)
    tmp1 = tl.load(in_ptr8 + off_h)
    tmp2 = tmp1 * (n - offs_m).to(tl.float32)
    tmp3 = tmp0 + tmp2
    post_mod_scores = tmp3
    if not IS_FULL:
        tmp4 = offs_m >= n
        tmp5 = tl.load(in_ptr9 + off_z * KV_LEN + offs_m)
        tmp6 = tl.load(in_ptr9 + off_z * KV_LEN + n)
        tmp7 = tmp5 == tmp6
        tmp8 = tmp4 & tmp7
        post_mod_scores = tl.where(tmp8, post_mod_scores, float("-inf"))
    post_mod_scores *= 1.44269504
    m_ij = tl.maximum(m_i, tl.max(post_mod_scores, 1))
    masked_out_rows = (m_ij == float("-inf"))
    m_ij_masked = tl.where(masked_out_rows, 0, m_ij)
    alpha = tl.math.exp2(m_i - m_ij_masked)
    p = tl.math.exp2(post_mod_scores - m_ij_masked[:, None])
    l_i = l_i * alpha + tl.sum(p, 1)
    acc = acc * alpha[:, None]
    v = tl.load(V_block_ptr)
    acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
    return acc, l_i, m_ij


@triton.jit
def forward_list(q, K_block_ptr, V_block_ptr, in_ptr8, in_ptr9, KV_LEN, acc, l_i, m_i, off_z, off_h, offs_m, offs_n,
                 kv_indices, kv_num_blocks, block_n_end, SM_SCALE: tl.constexpr, SPARSE: tl.constexpr,
                 BLOCK_N: tl.constexpr, IS_FULL: tl.constexpr):
    MULTIPLE: tl.constexpr = SPARSE // BLOCK_N
    for start_n in range(0, block_n_end):
        acc, l_i, m_i = forward_block(q, K_block_ptr, V_block_ptr, in_ptr8, in_ptr9, KV_LEN, acc, l_i, m_i, off_z,
                                      off_h, offs_m, offs_n, SM_SCALE, IS_FULL)
        offset = offset_for_next_block(start_n, kv_indices, kv_num_blocks, SPARSE, MULTIPLE, BLOCK_N)
        V_block_ptr = tl.advance(V_block_ptr, (offset, 0))
        K_block_ptr = tl.advance(K_block_ptr, (0, offset))
        offs_n = offs_n + offset
    return acc, l_i, m_i


@triton.jit
def flexible_forward(arg_Q, arg_K, arg_V, arg_LSE, arg_KV_NUM_BLKS, arg_KV_IDX, arg_FULL_KV_NUM_BLKS, arg_FULL_KV_IDX,
                     in_ptr8, in_ptr9, out_ptr0, Q_LEN, KV_LEN, ZQ: tl.constexpr, HQ: tl.constexpr,
                     GQA_SHARED_HEADS: tl.constexpr, SM_SCALE: tl.constexpr, QK_HEAD_DIM: tl.constexpr,
                     V_HEAD_DIM: tl.constexpr, SPARSE_Q_BLOCK_SIZE: tl.constexpr, SPARSE_KV_BLOCK_SIZE: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Partial blocks of a list, with a mask of documents below the diagonal, then full ones; slopes are added."""
    HKV: tl.constexpr = HQ // GQA_SHARED_HEADS
    q_start = tl.program_id(0)
    off_zq = tl.program_id(1) // HQ
    off_hq = tl.program_id(1) % HQ
    off_hkv = off_hq // GQA_SHARED_HEADS
    Q = arg_Q + (off_zq * HQ + off_hq) * Q_LEN * QK_HEAD_DIM
    K = arg_K + (off_zq * HKV + off_hkv) * KV_LEN * QK_HEAD_DIM
    V = arg_V + (off_zq * HKV + off_hkv) * KV_LEN * V_HEAD_DIM
    MULTIPLE_Q: tl.constexpr = SPARSE_Q_BLOCK_SIZE // BLOCK_M
    MULTIPLE_KV: tl.constexpr = SPARSE_KV_BLOCK_SIZE // BLOCK_N
    row = q_start // MULTIPLE_Q
    columns = KV_LEN // SPARSE_KV_BLOCK_SIZE
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, V_HEAD_DIM], dtype=tl.float32)
    offs_m = (q_start * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    Q_block_ptr = tl.make_block_ptr(Q, (Q_LEN, QK_HEAD_DIM), (QK_HEAD_DIM, 1), (q_start * BLOCK_M, 0),
                                    (BLOCK_M, QK_HEAD_DIM), (1, 0))
    q = tl.load(Q_block_ptr)

    kv_indices = arg_KV_IDX + row * columns
    kv_num_blocks = tl.load(arg_KV_NUM_BLKS + row)
    kv_start = tl.load(kv_indices) * SPARSE_KV_BLOCK_SIZE
    block_n_end = tl.minimum(kv_num_blocks * MULTIPLE_KV, tl.maximum(tl.cdiv(KV_LEN, BLOCK_N), 1))
    K_block_ptr = tl.make_block_ptr(K, (QK_HEAD_DIM, KV_LEN), (1, QK_HEAD_DIM), (0, kv_start), (QK_HEAD_DIM, BLOCK_N),
                                    (0, 1))
    V_block_ptr = tl.make_block_ptr(V, (KV_LEN, V_HEAD_DIM), (V_HEAD_DIM, 1), (kv_start, 0), (BLOCK_N, V_HEAD_DIM),
                                    (1, 0))
    offs_n = (kv_start + tl.arange(0, BLOCK_N))[None, :]
    acc, l_i, m_i = forward_list(q, K_block_ptr, V_block_ptr, in_ptr8, in_ptr9, KV_LEN, acc, l_i, m_i, off_zq, off_hq,
                                 offs_m, offs_n, kv_indices, kv_num_blocks, block_n_end, SM_SCALE,
                                 SPARSE_KV_BLOCK_SIZE, BLOCK_N, False)

    kv_indices = arg_FULL_KV_IDX + row * columns
    kv_num_blocks = tl.load(arg_FULL_KV_NUM_BLKS + row)
    kv_start = tl.load(kv_indices) * SPARSE_KV_BLOCK_SIZE
    block_n_end = tl.minimum(kv_num_blocks * MULTIPLE_KV, tl.maximum(tl.cdiv(KV_LEN, BLOCK_N), 1))
    K_block_ptr = tl.make_block_ptr(K, (QK_HEAD_DIM, KV_LEN), (1, QK_HEAD_DIM), (0, kv_start), (QK_HEAD_DIM, BLOCK_N),
                                    (0, 1))
    V_block_ptr = tl.make_block_ptr(V, (KV_LEN, V_HEAD_DIM), (V_HEAD_DIM, 1), (kv_start, 0), (BLOCK_N, V_HEAD_DIM),
                                    (1, 0))
    offs_n = (kv_start + tl.arange(0, BLOCK_N))[None, :]
    acc, l_i, m_i = forward_list(q, K_block_ptr, V_block_ptr, in_ptr8, in_ptr9, KV_LEN, acc, l_i, m_i, off_zq, off_hq,
                                 offs_m, offs_n, kv_indices, kv_num_blocks, block_n_end, SM_SCALE,
                                 SPARSE_KV_BLOCK_SIZE, BLOCK_N, True)

    l_i = tl.where(l_i == 0.0, 1, l_i)
    acc = acc / l_i[:, None]
    idx_d = tl.arange(0, V_HEAD_DIM)[None, :]
    mask = (offs_m < Q_LEN) & (idx_d < V_HEAD_DIM)
    xindex = idx_d + V_HEAD_DIM * offs_m + V_HEAD_DIM * Q_LEN * off_hq + V_HEAD_DIM * Q_LEN * HQ * off_zq
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, acc.shape)), acc, mask)
    rows = q_start * BLOCK_M + tl.arange(0, BLOCK_M)
    lse = m_i + tl.math.log2(l_i)
    tl.store(arg_LSE + tl.program_id(1) * Q_LEN + rows, lse, mask=rows < Q_LEN)


def flexible_forward_reference(arg_Q, arg_K, arg_V, arg_KV_NUM_BLKS, arg_KV_IDX, arg_FULL_KV_NUM_BLKS,
                               arg_FULL_KV_IDX, in_ptr8, in_ptr9, Z, HQ, HKV, L, D, SPARSE):
    out, lse = np.zeros((Z, HQ, L, D)), np.zeros((Z, HQ, L))
    for z in range(Z):
        below = (np.arange(L)[:, None] >= np.arange(L)) & (in_ptr9[z][:, None] == in_ptr9[z])
        for h in range(HQ):
            s = arg_Q[z, h] @ arg_K[z, h // (HQ // HKV)].T * 0.125 + in_ptr8[h] * (np.arange(L) - np.arange(L)[:, None])
            for row in range(L // SPARSE):
                rows = slice(row * SPARSE, row * SPARSE + SPARSE)
                parts, values = [], []
                for full, count, index in ((False, arg_KV_NUM_BLKS, arg_KV_IDX),
                                           (True, arg_FULL_KV_NUM_BLKS, arg_FULL_KV_IDX)):
                    for at in index[0, 0, row, :int(count[0, 0, row])].astype(int):
                        columns = slice(at * SPARSE, at * SPARSE + SPARSE)
                        part = s[rows, columns]
                        parts.append(part if full else np.where(below[rows, columns], part, -np.inf))
                        values.append(arg_V[z, h // (HQ // HKV), columns])
                part, value = np.concatenate(parts, 1), np.concatenate(values)
                top = part.max(1, keepdims=True)
                p = np.exp(part - top)
                out[z, h, rows] = p @ value / p.sum(1, keepdims=True)
                lse[z, h, rows] = (top[:, 0] + np.log(p.sum(1))) * 1.44269504
    return {"out_ptr0": out, "arg_LSE": lse}


@triton.jit
def flexible_decoding(arg_Q, arg_K, arg_V, arg_M, arg_L, arg_KV_NUM_BLKS, arg_KV_IDX, out_ptr0, KV_LEN,
                      HKV: tl.constexpr, G: tl.constexpr, BLOCK_M: tl.constexpr, SPLIT_KV: tl.constexpr,
                      SM_SCALE: tl.constexpr, QK_HEAD_DIM: tl.constexpr, SPARSE_KV_BLOCK_SIZE: tl.constexpr,
                      BLOCK_N: tl.constexpr):
    """One query; the heads that share keys are the rows. Each program has a part of the list of blocks."""
    pid = tl.program_id(0)
    off_z = pid // (HKV * SPLIT_KV)
    off_hkv = (pid // SPLIT_KV) % HKV
    off_t = pid % SPLIT_KV
    MULTIPLE: tl.constexpr = SPARSE_KV_BLOCK_SIZE // BLOCK_N
    kv_num_blocks = tl.load(arg_KV_NUM_BLKS)
    blocks_per_split = (kv_num_blocks * MULTIPLE + SPLIT_KV - 1) // SPLIT_KV
    block_n_start = off_t * blocks_per_split
    block_n_end = tl.minimum(block_n_start + blocks_per_split, kv_num_blocks * MULTIPLE)
    offs_g = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, QK_HEAD_DIM)
    heads = off_hkv * G + offs_g
    q = tl.load(arg_Q + (off_z * HKV * G + heads)[:, None] * QK_HEAD_DIM + offs_d[None, :], mask=offs_g[:, None] < G,
                other=0.0)
    q = (q * SM_SCALE).to(q.dtype)
    K = arg_K + (off_z * HKV + off_hkv).to(tl.int64) * KV_LEN * QK_HEAD_DIM
    V = arg_V + (off_z * HKV + off_hkv).to(tl.int64) * KV_LEN * QK_HEAD_DIM
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, QK_HEAD_DIM], dtype=tl.float32)
    for start_n in range(block_n_start, block_n_end):
        block = tl.load(arg_KV_IDX + start_n // MULTIPLE)
        offs_n = block * SPARSE_KV_BLOCK_SIZE + (start_n % MULTIPLE) * BLOCK_N + tl.arange(0, BLOCK_N)
        k = tl.load(K + offs_n[None, :] * QK_HEAD_DIM + offs_d[:, None])
        qk = tl.dot(q, k)
        qk = tl.where((KV_LEN - 1 - offs_n)[None, :] % 7 != 3, qk, float("-inf"))
        qk *= 1.44269504
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        safe = tl.where(m_ij == float("-inf"), 0, m_ij)
        alpha = tl.math.exp2(m_i - safe)
        p = tl.math.exp2(qk - safe[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + offs_n[:, None] * QK_HEAD_DIM + offs_d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_ij
    at = (off_z * SPLIT_KV + off_t) * HKV * G + heads
    tl.store(arg_M + at, m_i, mask=offs_g < G)
    tl.store(arg_L + at, l_i, mask=offs_g < G)
    tl.store(out_ptr0 + at[:, None] * QK_HEAD_DIM + offs_d[None, :], acc, mask=offs_g[:, None] < G)


def flexible_decoding_reference(arg_Q, arg_K, arg_V, arg_KV_IDX, Z, HKV, G, L, D, KS, NB, SPARSE, BLOCK_N):
    total = NB * (SPARSE // BLOCK_N)
    per = -(-total // KS)
    m, l, out = (np.zeros((Z, KS, HKV * G) + shape) for shape in ((), (), (D,)))
    for t in range(KS):
        index = arg_KV_IDX[0].astype(int)
        n = np.concatenate([index[b * BLOCK_N // SPARSE] * SPARSE + b * BLOCK_N % SPARSE + np.arange(BLOCK_N)
                            for b in range(t * per, min(total, t * per + per))])
        for z in range(Z):
            for h in range(HKV * G):
                s = arg_K[z, h // G, n] @ (arg_Q[z, h, 0] * 0.125) * 1.44269504
                s = np.where((L - 1 - n) % 7 != 3, s, -np.inf)
                m[z, t, h] = s.max()
                p = np.exp2(s - s.max())
                l[z, t, h], out[z, t, h] = p.sum(), p @ arg_V[z, h // G, n]
    return {"arg_M": m, "arg_L": l, "out_ptr0": out}


@triton.jit
def bytes_inner(acc, l_i, m_i, q, q_scale, kv_len, K_ptrs, K_scale_ptr, V_ptrs, stride_kn, start_m,
                BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr,
                offs_m: tl.constexpr, offs_n: tl.constexpr):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    else:
        lo, hi = start_m * BLOCK_M, tl.minimum((start_m + 1) * BLOCK_M, kv_len)
        lo = tl.multiple_of(lo, BLOCK_M)
        K_scale_ptr += lo // BLOCK_N
        K_ptrs += stride_kn * lo
        V_ptrs += stride_kn * lo
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k_mask = offs_n[None, :] < (kv_len - start_n)
        k = tl.load(K_ptrs, mask=k_mask)
        k_scale = tl.load(K_scale_ptr)
        qk = tl.dot(q, k).to(tl.float32) * q_scale * k_scale
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk = qk - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(V_ptrs, mask=offs_n[:, None] < (kv_len - start_n))
        p = p.to(tl.float16)
        acc += tl.dot(p, v, out_dtype=tl.float16)
        m_i = m_ij
        K_ptrs += BLOCK_N * stride_kn
        K_scale_ptr += 1
        V_ptrs += BLOCK_N * stride_kn
    return acc, l_i, m_i


@triton.jit
def bytes_then_halves(Q, K, V, Q_scale, K_scale, Out, stride_qz, stride_qh, stride_qn, stride_kz, stride_kh, stride_kn,
                      qo_len, kv_len, H: tl.constexpr, num_kv_groups: tl.constexpr, HEAD_DIM: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Scores are of bytes with a scale for each block of queries and of keys; products with values sum in halves."""
    start_m = tl.program_id(0)
    off_z = tl.program_id(2).to(tl.int64)
    off_h = tl.program_id(1).to(tl.int64)
    q_scale_offset = (off_z * H + off_h) * tl.cdiv(qo_len, BLOCK_M)
    k_scale_offset = (off_z * (H // num_kv_groups) + off_h // num_kv_groups) * tl.cdiv(kv_len, BLOCK_N)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, HEAD_DIM)
    Q_ptrs = Q + (off_z * stride_qz + off_h * stride_qh) + offs_m[:, None] * stride_qn + offs_k[None, :]
    kv = off_z * stride_kz + (off_h // num_kv_groups) * stride_kh
    K_ptrs = K + kv + offs_n[None, :] * stride_kn + offs_k[:, None]
    V_ptrs = V + kv + offs_n[:, None] * stride_kn + offs_k[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    q = tl.load(Q_ptrs, mask=offs_m[:, None] < qo_len)
    q_scale = tl.load(Q_scale + q_scale_offset + start_m)
    acc, l_i, m_i = bytes_inner(acc, l_i, m_i, q, q_scale, kv_len, K_ptrs, K_scale + k_scale_offset, V_ptrs, stride_kn,
                                start_m, BLOCK_M, HEAD_DIM, BLOCK_N, 1, offs_m, offs_n)
    acc, l_i, m_i = bytes_inner(acc, l_i, m_i, q, q_scale, kv_len, K_ptrs, K_scale + k_scale_offset, V_ptrs, stride_kn,
                                start_m, BLOCK_M, HEAD_DIM, BLOCK_N, 2, offs_m, offs_n)
    acc = acc / l_i[:, None]
    O_ptrs = Out + (off_z * stride_qz + off_h * stride_qh) + offs_m[:, None] * stride_qn + offs_k[None, :]
    tl.store(O_ptrs, acc.to(Out.type.element_ty), mask=offs_m[:, None] < qo_len)


def bytes_then_halves_reference(Q, K, V, Q_scale, K_scale, B, H, HKV, L, BLOCK_M, BLOCK_N):
    out = np.zeros(Q.shape)
    below = np.arange(L)[:, None] >= np.arange(L)
    for b in range(B):
        for h in range(H):
            g = h // (H // HKV)
            scale = np.repeat(Q_scale[b, h], BLOCK_M)[:L, None] * np.repeat(K_scale[b, g], BLOCK_N)[:L]
            s = np.where(below, Q[b, h] @ K[b, g].T * scale, -np.inf)
            top = s.max(1, keepdims=True)
            p = np.exp2(s - top)
            out[b, h] = p @ V[b, g] / p.sum(1, keepdims=True)
    return out


@triton.jit
def rows_and_columns(Q, K, V, Rel_h, Rel_w, Out, sm_scale, N_CTX, KH, KW, D: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    """A picture's places: a bias for the row and one for the column of each key, both read by index."""
    start_m = tl.program_id(0)
    off_b = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    Q += off_b * N_CTX * D
    K += off_b * N_CTX * D
    V += off_b * N_CTX * D
    Rel_h += off_b * N_CTX * KH
    Rel_w += off_b * N_CTX * KW
    m_mask = offs_m < N_CTX
    q = tl.load(Q + offs_m[:, None] * D + offs_d[None, :], mask=m_mask[:, None], other=0.0)
    qk_scale = sm_scale * 1.44269504
    q = (q * qk_scale).to(q.dtype)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for start_n in range(0, N_CTX, BLOCK_N):
        n = start_n + offs_n
        n_mask = n < N_CTX
        k = tl.load(K + n[None, :] * D + offs_d[:, None], mask=n_mask[None, :], other=0.0)
        qk = tl.dot(q, k)
        both = m_mask[:, None] & n_mask[None, :]
        b0 = tl.load(Rel_h + offs_m[:, None] * KH + (n // KW)[None, :], mask=both, other=0.0)
        b1 = tl.load(Rel_w + offs_m[:, None] * KW + (n % KW)[None, :], mask=both, other=0.0)
        qk += ((b0 + b1) * 1.44269504).to(tl.float32)
        qk = tl.where(n_mask[None, :], qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        alpha = tl.math.exp2(m_i - m_ij)
        p = tl.math.exp2(qk - m_ij[:, None])
        acc *= alpha[:, None]
        v = tl.load(V + n[:, None] * D + offs_d[None, :], mask=n_mask[:, None], other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        l_i = l_i * alpha + tl.sum(p, 1)
        m_i = m_ij
    acc = acc / l_i[:, None]
    tl.store(Out + off_b * N_CTX * D + offs_m[:, None] * D + offs_d[None, :], acc.to(Out.dtype.element_ty),
             mask=m_mask[:, None])


def softmax_of(s):
    p = np.exp(s - s.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def rows_and_columns_reference(Q, K, V, Rel_h, Rel_w, SH, SW):
    s = Q @ K.transpose(0, 2, 1) * 0.125 + np.repeat(Rel_h, SW, axis=2) + np.tile(Rel_w, SH)
    return softmax_of(s) @ V
