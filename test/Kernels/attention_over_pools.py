# Attention over pools of tokens: a prefix in pages and then the new tokens; tokens of a pool by index, then new ones
# with a mask of their own; a latent cache with its rotated part apart, heads in sixteens, the tokens split.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: prefix_then_new
# TYPES: fp16
# SIZES: B=2 H=4 HKV=2 D=24 CTX=37 NEW=19 PG=16 | B=1 H=2 HKV=2 D=32 CTX=5 NEW=33 PG=16
# BENCH: B=8 H=32 HKV=8 D=128 CTX=1024 NEW=512 PG=16 T=fp16 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=1
# ARG: Q randn:T[B*NEW,H,D]
# ARG: K randn:T[B*NEW,HKV,D]
# ARG: V randn:T[B*NEW,HKV,D]
# ARG: K_cache randn:T[B*cdiv(CTX,PG),HKV,D//8,PG,8]
# ARG: V_cache randn:T[B*cdiv(CTX,PG),HKV,D,PG]
# ARG: B_Loc permutation:i32[B*cdiv(CTX,PG)]
# ARG: B_Start_Loc arange:i32[B]
# ARG: Out empty:T[B*NEW,H,D]
# ARG: sm_scale 0.1
# ARG: ctx_len CTX
# ARG: new_len NEW
# ARG: stride_b_loc_b cdiv(CTX,PG)
# ARG: stride_qbs H*D
# ARG: stride_qh D
# ARG: stride_kbs HKV*D
# ARG: stride_kh D
# ARG: stride_k_cache_bs HKV*D*PG
# ARG: stride_k_cache_h D*PG
# ARG: stride_k_cache_d PG*8
# ARG: stride_k_cache_bl 8
# ARG: stride_v_cache_bs HKV*D*PG
# ARG: stride_v_cache_h D*PG
# ARG: stride_v_cache_d PG
# CONST: num_queries_per_kv H//HKV
# CONST: X 8
# CONST: BLOCK_SIZE PG
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: BLOCK_DMODEL_PADDED next_power_of_2(D)
# CONST: BLOCK_DMODEL D
# CONST: SLIDING_WINDOW 0
# GRID: B, H, cdiv(NEW, BLOCK_M)
# TOLERANCE: Out 1e-2 1e-2
#
# KERNEL: extend_with_mask
# TYPES: bf16
# SIZES: B=2 H=4 HKV=2 D=32 CTX=37 NEW=19 | B=1 H=2 HKV=1 D=16 CTX=20 NEW=33
# BENCH: B=8 H=32 HKV=8 D=128 CTX=2048 NEW=256 T=bf16 BLOCK_M=64 BLOCK_N=64 num_warps=4 num_stages=1
# ARG: Q_Extend randn:T[B*NEW,H,D]
# ARG: K_Extend randn:T[B*NEW,HKV,D]
# ARG: V_Extend randn:T[B*NEW,HKV,D]
# ARG: O_Extend empty:T[B*NEW,H,D]
# ARG: K_Buffer randn:T[2*B*CTX,HKV,D]
# ARG: V_Buffer randn:T[2*B*CTX,HKV,D]
# ARG: kv_indices permutation:i64[2*B*CTX]
# ARG: mask_ptr randint(0,2):i8[B,NEW,CTX+NEW]
# ARG: sm_scale 0.1
# ARG: logit_cap 30.0
# ARG: prefix_len CTX
# ARG: extend_len NEW
# ARG: stride_qbs H*D
# ARG: stride_qh D
# ARG: stride_kbs HKV*D
# ARG: stride_kh D
# CONST: kv_group_num H//HKV
# CONST: BLOCK_DMODEL D
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: USE_CUSTOM_MASK True
# CONST: SKIP_PREFIX_CUSTOM_MASK True
# GRID: B, H, cdiv(NEW, BLOCK_M)
# TOLERANCE: O_Extend 2e-2 2e-2
#
# KERNEL: latent_heads_by_split
# TYPES: bf16
# SIZES: B=2 H=20 R=32 P=16 L=70 S=3 PG=1 | B=1 H=16 R=64 P=16 L=33 S=2 PG=1
# BENCH: B=32 H=128 R=512 P=64 L=4096 S=4 PG=1 T=bf16 BLOCK_N=32 num_warps=4 num_stages=2
# ARG: Q randn:T[B,H,R+P]
# ARG: KV_Buffer randn:T[B*L,1,R+P]
# ARG: Req_to_tokens permutation:i32[B*L]
# ARG: B_Seqlen full(L):i32[B]
# ARG: Att_Out empty:fp32[B,H,S,R+1]
# ARG: sm_scale 0.05
# ARG: stride_req L
# ARG: stride_qbs H*(R+P)
# ARG: stride_qh R+P
# ARG: stride_kbs R+P
# ARG: stride_mid_ob H*S*(R+1)
# ARG: stride_mid_oh S*(R+1)
# ARG: stride_mid_os R+1
# CONST: kv_group_num H
# CONST: q_head_num H
# CONST: BLOCK_DMODEL R
# CONST: BLOCK_DPE P
# CONST: BLOCK_N 16
# CONST: BLOCK_H 16
# CONST: NUM_KV_SPLITS S
# GRID: B, cdiv(H, 16), S
# TOLERANCE: Att_Out 1e-2 2e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def prefix_then_new(Q, K, V, K_cache, V_cache, B_Loc, B_Start_Loc, Out, sm_scale, ctx_len, new_len, stride_b_loc_b,
                    stride_qbs, stride_qh, stride_kbs, stride_kh, stride_k_cache_bs, stride_k_cache_h,
                    stride_k_cache_d, stride_k_cache_bl, stride_v_cache_bs, stride_v_cache_h, stride_v_cache_d,
                    num_queries_per_kv: tl.constexpr, X: tl.constexpr, BLOCK_SIZE: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_DMODEL_PADDED: tl.constexpr, BLOCK_DMODEL: tl.constexpr,
                    SLIDING_WINDOW: tl.constexpr):
    """Keys of the context stand in pages by eights of a head, values in pages with the token last."""
    cur_batch = tl.program_id(0)
    cur_head = tl.program_id(1)
    start_m = tl.program_id(2)
    cur_kv_head = cur_head // num_queries_per_kv
    first = tl.load(B_Start_Loc + cur_batch) * new_len
    block_start_loc = BLOCK_M * start_m
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_DMODEL_PADDED)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    off_q = (first + offs_m[:, None]) * stride_qbs + cur_head * stride_qh + offs_d[None, :]
    dim_mask = tl.where(tl.arange(0, BLOCK_DMODEL_PADDED) < BLOCK_DMODEL, 1, 0).to(tl.int1)
    q = tl.load(Q + off_q, mask=dim_mask[None, :] & (offs_m[:, None] < new_len), other=0.0)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL_PADDED], dtype=tl.float32)
    for start_n in range(0, ctx_len, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        bn = tl.load(B_Loc + cur_batch * stride_b_loc_b + (start_n + offs_n) // BLOCK_SIZE,
                     mask=(start_n + offs_n) < ctx_len, other=0)
        off_k = (bn[None, :] * stride_k_cache_bs + cur_kv_head * stride_k_cache_h
                 + (offs_d[:, None] // X) * stride_k_cache_d
                 + ((start_n + offs_n[None, :]) % BLOCK_SIZE) * stride_k_cache_bl + (offs_d[:, None] % X))
        off_v = (bn[:, None] * stride_v_cache_bs + cur_kv_head * stride_v_cache_h + offs_d[None, :] * stride_v_cache_d
                 + (start_n + offs_n[:, None]) % BLOCK_SIZE)
        k = tl.load(K_cache + off_k, mask=dim_mask[:, None] & ((start_n + offs_n[None, :]) < ctx_len), other=0.0)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk += tl.dot(q, k, input_precision="ieee")
        qk = tl.where((start_n + offs_n[None, :]) < ctx_len, qk, float("-inf"))
        qk *= sm_scale
        if SLIDING_WINDOW > 0:
            qk = tl.where((ctx_len + offs_m[:, None]) - (start_n + offs_n[None, :]) < SLIDING_WINDOW, qk, -10000)
        m_ij = tl.max(qk, 1)
        p = tl.exp(qk - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        m_i_new = tl.maximum(m_i, m_ij)
        alpha = tl.exp(m_i - m_i_new)
        beta = tl.exp(m_ij - m_i_new)
        l_i_new = alpha * l_i + beta * l_ij
        p = p * (beta / l_i_new)[:, None]
        acc = acc * (l_i / l_i_new * alpha)[:, None]
        v = tl.load(V_cache + off_v, mask=dim_mask[None, :] & ((start_n + offs_n[:, None]) < ctx_len), other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc=acc, input_precision="ieee")
        l_i = l_i_new
        m_i = m_i_new
    off_k = offs_n[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_d[:, None]
    off_v = offs_n[:, None] * stride_kbs + cur_kv_head * stride_kh + offs_d[None, :]
    k_ptrs = K + off_k
    v_ptrs = V + off_v
    block_mask = tl.where(block_start_loc < new_len, 1, 0)
    for start_n in range(0, block_mask * (start_m + 1) * BLOCK_M, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(k_ptrs + (first + start_n) * stride_kbs,
                    mask=dim_mask[:, None] & ((start_n + offs_n[None, :]) < new_len), other=0.0)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk += tl.dot(q, k, input_precision="ieee")
        qk *= sm_scale
        qk = tl.where(offs_m[:, None] >= (start_n + offs_n[None, :]), qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_new = alpha * l_i + tl.sum(p, 1)
        p = p / l_new[:, None]
        acc = acc * (l_i / l_new * alpha)[:, None]
        v = tl.load(v_ptrs + (first + start_n) * stride_kbs,
                    mask=dim_mask[None, :] & ((start_n + offs_n[:, None]) < new_len), other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc=acc, input_precision="ieee")
        l_i = l_new
        m_i = m_ij
    tl.store(Out + off_q, acc, mask=dim_mask[None, :] & (offs_m[:, None] < new_len))


def softmax_of(s):
    p = np.exp(s - s.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def prefix_then_new_reference(Q, K, V, K_cache, V_cache, B_Loc, B, H, HKV, D, CTX, NEW, PG):
    out, pages = np.zeros(Q.shape), -(-CTX // PG)
    below = np.arange(NEW)[:, None] >= np.arange(NEW)
    for b in range(B):
        at = B_Loc[b * pages:(b + 1) * pages].astype(int)
        rows = slice(b * NEW, (b + 1) * NEW)
        for h in range(H):
            g = h // (H // HKV)
            k = K_cache[at, g].transpose(0, 2, 1, 3).reshape(-1, D)[:CTX]
            v = V_cache[at, g].transpose(0, 2, 1).reshape(-1, D)[:CTX]
            new = np.where(below, Q[rows, h] @ K[rows, g].T, -np.inf)
            p = softmax_of(np.concatenate([Q[rows, h] @ k.T, new], 1) * 0.1)
            out[rows, h] = p @ np.concatenate([v, V[rows, g]])
    return out


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def extend_with_mask(Q_Extend, K_Extend, V_Extend, O_Extend, K_Buffer, V_Buffer, kv_indices, mask_ptr, sm_scale,
                     logit_cap, prefix_len, extend_len, stride_qbs, stride_qh, stride_kbs, stride_kh,
                     kv_group_num: tl.constexpr, BLOCK_DMODEL: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, USE_CUSTOM_MASK: tl.constexpr, SKIP_PREFIX_CUSTOM_MASK: tl.constexpr):
    """Tokens of the prefix are found one by one in a pool; the new ones have a mask of their own. Scores are capped."""
    cur_seq = tl.program_id(0)
    cur_head = tl.program_id(1)
    cur_block_m = tl.program_id(2)
    cur_kv_head = cur_head // kv_group_num
    first = cur_seq * extend_len
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_m = tl.arange(0, BLOCK_M)
    mask_m = (cur_block_m * BLOCK_M + offs_m) < extend_len
    offs_q = (first + cur_block_m * BLOCK_M + offs_m[:, None]) * stride_qbs + cur_head * stride_qh + offs_d[None, :]
    q = tl.load(Q_Extend + offs_q, mask=mask_m[:, None], other=0.0)
    offs_n = tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    deno = tl.zeros([BLOCK_M], dtype=tl.float32)
    e_max = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    width = prefix_len + extend_len
    mask_base = mask_ptr + cur_seq * extend_len * width
    for start_n in range(0, prefix_len, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        mask_n = (start_n + offs_n) < prefix_len
        final_mask = mask_m[:, None] & mask_n[None, :]
        if USE_CUSTOM_MASK and not SKIP_PREFIX_CUSTOM_MASK:
            custom = tl.load(mask_base + (cur_block_m * BLOCK_M + offs_m[:, None]) * width + start_n + offs_n[None, :],
                             mask=final_mask, other=0)
            final_mask &= custom != 0
        offs_kv_loc = tl.load(kv_indices + cur_seq * prefix_len + start_n + offs_n, mask=mask_n, other=0)
        k = tl.load(K_Buffer + offs_kv_loc[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_d[:, None],
                    mask=mask_n[None, :], other=0.0)
        qk = tl.dot(q.to(k.dtype), k)
        qk *= sm_scale
        if logit_cap > 0:
            qk = logit_cap * tanh(qk / logit_cap)
        qk = tl.where(final_mask, qk, float("-inf"))
        row_max = tl.max(qk, 1)
        row_max_fixed = tl.where(row_max == float("-inf"), -1e20, row_max)
        n_e_max = tl.maximum(row_max_fixed, e_max)
        re_scale = tl.exp(e_max - n_e_max)
        p = tl.exp(qk - n_e_max[:, None])
        deno = deno * re_scale + tl.sum(p, 1)
        v = tl.load(V_Buffer + offs_kv_loc[:, None] * stride_kbs + cur_kv_head * stride_kh + offs_d[None, :],
                    mask=mask_n[:, None], other=0.0)
        p = p.to(v.dtype)
        acc = acc * re_scale[:, None] + tl.dot(p, v)
        e_max = n_e_max
    block_end = extend_len if USE_CUSTOM_MASK else tl.minimum(extend_len, (cur_block_m + 1) * BLOCK_M)
    for start_n in range(0, block_end, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        mask_n = (start_n + offs_n) < block_end
        final_mask = mask_m[:, None] & mask_n[None, :]
        if USE_CUSTOM_MASK:
            custom = tl.load(mask_base + (cur_block_m * BLOCK_M + offs_m[:, None]) * width + prefix_len + start_n
                             + offs_n[None, :], mask=final_mask, other=0)
            final_mask &= custom != 0
        else:
            final_mask &= (cur_block_m * BLOCK_M + offs_m[:, None]) >= (start_n + offs_n[None, :])
        k = tl.load(K_Extend + (first + start_n + offs_n[None, :]) * stride_kbs + cur_kv_head * stride_kh
                    + offs_d[:, None], mask=mask_n[None, :], other=0.0)
        qk = tl.dot(q, k, out_dtype=tl.float32)
        qk *= sm_scale
        if logit_cap > 0:
            qk = logit_cap * tanh(qk / logit_cap)
        qk = tl.where(final_mask, qk, float("-inf"))
        row_max = tl.max(qk, 1)
        row_max_fixed = tl.where(row_max == float("-inf"), -1e20, row_max)
        n_e_max = tl.maximum(row_max_fixed, e_max)
        re_scale = tl.exp(e_max - n_e_max)
        p = tl.exp(qk - n_e_max[:, None])
        deno = deno * re_scale + tl.sum(p, 1)
        v = tl.load(V_Extend + (first + start_n + offs_n[:, None]) * stride_kbs + cur_kv_head * stride_kh
                    + offs_d[None, :], mask=mask_n[:, None], other=0.0)
        p = p.to(v.dtype)
        acc = acc * re_scale[:, None] + tl.dot(p, v)
        e_max = n_e_max
    tl.store(O_Extend + offs_q, acc / deno[:, None], mask=mask_m[:, None])


def extend_with_mask_reference(Q_Extend, K_Extend, V_Extend, K_Buffer, V_Buffer, kv_indices, mask_ptr, B, H, HKV, CTX,
                               NEW):
    out = np.zeros(Q_Extend.shape)
    for b in range(B):
        at = kv_indices[b * CTX:(b + 1) * CTX].astype(int)
        rows = slice(b * NEW, (b + 1) * NEW)
        for h in range(H):
            g = h // (H // HKV)
            k, v = (np.concatenate([pool[at, g], new[rows, g]])
                    for pool, new in ((K_Buffer, K_Extend), (V_Buffer, V_Extend)))
            s = 30 * np.tanh(Q_Extend[rows, h] @ k.T * 0.1 / 30)
            s[:, CTX:] = np.where(mask_ptr[b, :, CTX:] != 0, s[:, CTX:], -np.inf)
            out[rows, h] = softmax_of(s) @ v
    return out


@triton.jit
def latent_heads_by_split(Q, KV_Buffer, Req_to_tokens, B_Seqlen, Att_Out, sm_scale, stride_req, stride_qbs, stride_qh,
                          stride_kbs, stride_mid_ob, stride_mid_oh, stride_mid_os, kv_group_num: tl.constexpr,
                          q_head_num: tl.constexpr, BLOCK_DMODEL: tl.constexpr, BLOCK_DPE: tl.constexpr,
                          BLOCK_N: tl.constexpr, BLOCK_H: tl.constexpr, NUM_KV_SPLITS: tl.constexpr):
    """The latent part is key and, transposed, value; the rotated part is a second product."""
    cur_batch = tl.program_id(0)
    cur_head_id = tl.program_id(1)
    split_kv_id = tl.program_id(2)
    cur_head = cur_head_id * BLOCK_H + tl.arange(0, BLOCK_H)
    mask_h = cur_head < q_head_num
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_dpe = BLOCK_DMODEL + tl.arange(0, BLOCK_DPE)
    seq_len = tl.load(B_Seqlen + cur_batch)
    q = tl.load(Q + cur_batch * stride_qbs + cur_head[:, None] * stride_qh + offs_d[None, :], mask=mask_h[:, None],
                other=0.0)
    qpe = tl.load(Q + cur_batch * stride_qbs + cur_head[:, None] * stride_qh + offs_dpe[None, :],
                  mask=mask_h[:, None], other=0.0)
    kv_len_per_split = tl.cdiv(seq_len, NUM_KV_SPLITS)
    split_start = kv_len_per_split * split_kv_id
    split_end = tl.minimum(split_start + kv_len_per_split, seq_len)
    e_max = tl.zeros([BLOCK_H], dtype=tl.float32) - float("inf")
    e_sum = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, BLOCK_DMODEL], dtype=tl.float32)
    if split_end > split_start:
        for start_n in range(split_start, split_end, BLOCK_N):
            offs_n = start_n + tl.arange(0, BLOCK_N)
            kv_loc = tl.load(Req_to_tokens + stride_req * cur_batch + offs_n, mask=offs_n < split_end, other=0)
            k = tl.load(KV_Buffer + kv_loc[None, :] * stride_kbs + offs_d[:, None], mask=offs_n[None, :] < split_end,
                        other=0.0)
            qk = tl.dot(q, k.to(q.dtype))
            kpe = tl.load(KV_Buffer + kv_loc[None, :] * stride_kbs + offs_dpe[:, None],
                          mask=offs_n[None, :] < split_end, other=0.0)
            qk += tl.dot(qpe, kpe.to(qpe.dtype))
            qk *= sm_scale
            qk = tl.where(mask_h[:, None] & (offs_n[None, :] < split_end), qk, float("-inf"))
            v = tl.trans(k)
            n_e_max = tl.maximum(tl.max(qk, 1), e_max)
            re_scale = tl.exp(e_max - n_e_max)
            p = tl.exp(qk - n_e_max[:, None])
            acc *= re_scale[:, None]
            acc += tl.dot(p.to(v.dtype), v)
            e_sum = e_sum * re_scale + tl.sum(p, 1)
            e_max = n_e_max
        mid = cur_batch * stride_mid_ob + cur_head * stride_mid_oh + split_kv_id * stride_mid_os
        tl.store(Att_Out + mid[:, None] + offs_d[None, :], acc / e_sum[:, None], mask=mask_h[:, None])
        tl.store(Att_Out + mid + BLOCK_DMODEL, e_max + tl.log(e_sum), mask=mask_h)


def latent_heads_by_split_reference(Q, KV_Buffer, Req_to_tokens, B, H, R, L, S):
    out, per = np.zeros((B, H, S, R + 1)), -(-L // S)
    for b in range(B):
        for t in range(S):
            at = Req_to_tokens[b * L + t * per:b * L + min(L, t * per + per)].astype(int)
            kv = KV_Buffer[at, 0]
            s = Q[b] @ kv.T * 0.05
            out[b, :, t, :R] = softmax_of(s) @ kv[:, :R]
            out[b, :, t, R] = s.max(1) + np.log(np.exp(s - s.max(1, keepdims=True)).sum(1))
    return out
