# Attention of one new token, or a few, against a long cache: the cache in parts whose results are merged by a second
# kernel, groups of heads that share keys, pages, 8-bit keys and values with scales, a latent that all heads share, and
# new tokens behind a prefix.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: split_cache
# TYPES: fp16 bf16
# SIZES: B=2 H=8 G=4 L=129 D=64 SPLIT=3 | B=1 H=2 G=2 L=17 D=32 SPLIT=2
# BENCH: B=64 H=32 G=8 L=4096 D=128 SPLIT=8 T=bf16 BLOCK_N=64 num_warps=4 num_stages=2
# ARG: Q randn:T[B,H,D]
# ARG: K_Buffer randn:T[B*L,H//G,D]
# ARG: V_Buffer randn:T[B*L,H//G,D]
# ARG: sm_scale 0.2
# ARG: Req_to_tokens permutation:i32[B*L]
# ARG: B_Seqlen randint(0,L+1):i32[B]
# ARG: Att_Out zeros:fp32[B,H,SPLIT,D+1]
# ARG: stride_req L
# ARG: stride_qbs H*D
# ARG: stride_qh D
# ARG: stride_buf_kbs (H//G)*D
# ARG: stride_buf_kh D
# ARG: stride_mid_ob H*SPLIT*(D+1)
# ARG: stride_mid_oh SPLIT*(D+1)
# ARG: stride_mid_os D+1
# CONST: kv_group_num G
# CONST: q_head_num H
# CONST: BLOCK_DMODEL D
# CONST: BLOCK_N 32
# CONST: BLOCK_H 16
# CONST: NUM_KV_SPLITS SPLIT
# CONST: logit_cap 0.0
# GRID: B, cdiv(H, min(BLOCK_H, G)), SPLIT
# CHECK: Att_Out
# TOLERANCE: Att_Out 2e-2 2e-2
#
# KERNEL: merge_parts
# SIZES: B=2 H=3 L=129 D=64 SPLIT=3 | B=1 H=1 L=5 D=48 SPLIT=8
# BENCH: B=256 H=128 L=4096 D=128 SPLIT=8
# ARG: Mid_O randn:fp32[B,H,SPLIT,D+1]
# ARG: O empty:fp16[B,H,D]
# ARG: B_Seqlen randint(1,L+1):i32[B]
# ARG: stride_mid_ob H*SPLIT*(D+1)
# ARG: stride_mid_oh SPLIT*(D+1)
# ARG: stride_mid_os D+1
# CONST: NUM_KV_SPLITS SPLIT
# CONST: BLOCK_DV next_power_of_2(D)
# CONST: Lv D
# GRID: B, H
# TOLERANCE: O 2e-3 1e-3
#
# KERNEL: paged_groups
# SIZES: B=3 KVH=2 G=5 PAGES=6 PS=16 D=64 | B=1 KVH=1 G=8 PAGES=2 PS=32 D=32
# BENCH: B=128 KVH=8 G=8 PAGES=128 PS=16 D=128 num_warps=4 num_stages=3
# ARG: output_ptr empty:bf16[B,KVH*G,D]
# ARG: query_ptr randn:bf16[B,KVH*G,D]
# ARG: key_cache_ptr randn:bf16[B*PAGES,PS,KVH,D]
# ARG: value_cache_ptr randn:bf16[B*PAGES,PS,KVH,D]
# ARG: block_tables_ptr permutation:i32[B*PAGES]
# ARG: seq_lens_ptr randint(1,PAGES*PS+1):i32[B]
# ARG: scale 0.2
# ARG: block_table_stride PAGES
# CONST: num_query_heads KVH*G
# CONST: num_queries_per_kv G
# CONST: num_queries_per_kv_padded 16
# CONST: BLOCK_SIZE PS
# CONST: HEAD_SIZE D
# GRID: B, KVH
# TOLERANCE: output_ptr 2e-2 2e-2
#
# KERNEL: latent_cache
# TYPES: bf16
# SIZES: B=2 H=16 L=65 SPLIT=2 | B=1 H=5 L=17 SPLIT=1
# BENCH: B=64 H=128 L=4096 SPLIT=4 T=bf16 BLOCK_N=64 num_warps=4 num_stages=2
# ARG: q_ptr randn(0,0.3):T[B,H,192]
# ARG: cache_ptr randn(0,0.5):T[B,L,192]
# ARG: lens_ptr randint(1,L+1):i32[B]
# ARG: out_ptr empty:fp32[B,H,SPLIT,128]
# ARG: lse_ptr empty:fp32[B,H,SPLIT]
# ARG: scale 0.15
# ARG: L L
# ARG: H H
# CONST: LATENT 128
# CONST: ROPE 64
# CONST: BLOCK_H 16
# CONST: BLOCK_N 32
# CONST: SPLIT SPLIT
# GRID: B, cdiv(H, BLOCK_H), SPLIT
# TOLERANCE: out_ptr 2e-2 2e-2
# TOLERANCE: lse_ptr 2e-2 2e-2
#
# KERNEL: cache_of_bytes
# SIZES: B=2 KVH=2 G=4 L=100 D=64 | B=1 KVH=1 G=1 L=1 D=32
# BENCH: B=64 KVH=8 G=8 L=4096 D=128 num_warps=4 num_stages=3
# ARG: q_ptr randn:fp16[B,KVH*G,D]
# ARG: k_ptr randn:fp8e5[B,L,KVH,D]
# ARG: v_ptr randn:fp8e5[B,L,KVH,D]
# ARG: k_scale_ptr rand(0.5,1.5):fp32[B,L,KVH]
# ARG: v_scale_ptr rand(0.5,1.5):fp32[B,L,KVH]
# ARG: out_ptr empty:fp16[B,KVH*G,D]
# ARG: length L
# ARG: scale 0.2
# CONST: KVH KVH
# CONST: G G
# CONST: D D
# CONST: BLOCK_G 16
# CONST: BLOCK_N 64
# GRID: B, KVH
# TOLERANCE: out_ptr 2e-2 2e-2
#
# KERNEL: behind_a_prefix
# SIZES: B=2 EXT=65 PRE=40 H=4 G=2 D=64 | B=1 EXT=3 PRE=0 H=1 G=1 D=32
# BENCH: B=2 EXT=1024 PRE=2048 H=32 G=4 D=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=1
# ARG: Q_Extend randn:fp16[B*EXT,H,D]
# ARG: K_Extend randn:fp16[B*EXT,H//G,D]
# ARG: V_Extend randn:fp16[B*EXT,H//G,D]
# ARG: O_Extend empty:fp16[B*EXT,H,D]
# ARG: K_Buffer randn:fp16[max(B*PRE,1),H//G,D]
# ARG: V_Buffer randn:fp16[max(B*PRE,1),H//G,D]
# ARG: kv_indices permutation:i32[max(B*PRE,1)]
# ARG: sm_scale 0.2
# ARG: extend_len EXT
# ARG: prefix_len PRE
# CONST: kv_group_num G
# CONST: H H
# CONST: BLOCK_DMODEL D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: B, H, cdiv(EXT, BLOCK_M)
# TOLERANCE: O_Extend 4e-3 4e-3
#
# KERNEL: drafts_by_tree
# SIZES: B=2 NEW=7 L=33 H=2 D=32
# BENCH: B=64 NEW=16 L=2048 H=8 D=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:fp16[B,NEW,H,D]
# ARG: k_ptr randn:fp16[B,L+NEW,H,D]
# ARG: v_ptr randn:fp16[B,L+NEW,H,D]
# ARG: mask_ptr randint(0,2):u8[NEW,NEW]
# ARG: out_ptr empty:fp16[B,NEW,H,D]
# ARG: new NEW
# ARG: length L
# ARG: scale 0.2
# CONST: H H
# CONST: D D
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# GRID: B, H
# TOLERANCE: out_ptr 4e-3 4e-3
import numpy as np
import triton
import triton.language as tl


def softmax_of(score):
    power = np.exp(score - score.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def split_cache(Q, K_Buffer, V_Buffer, sm_scale, Req_to_tokens, B_Seqlen, Att_Out, stride_req, stride_qbs, stride_qh,
                stride_buf_kbs, stride_buf_kh, stride_mid_ob, stride_mid_oh, stride_mid_os,
                kv_group_num: tl.constexpr, q_head_num: tl.constexpr, BLOCK_DMODEL: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_H: tl.constexpr, NUM_KV_SPLITS: tl.constexpr, logit_cap: tl.constexpr):
    cur_batch = tl.program_id(0)
    cur_head_id = tl.program_id(1)
    cur_kv_head = cur_head_id // tl.cdiv(kv_group_num, BLOCK_H)
    split_kv_id = tl.program_id(2)
    if kv_group_num > BLOCK_H:
        VALID_BLOCK_H: tl.constexpr = BLOCK_H
    else:
        VALID_BLOCK_H: tl.constexpr = kv_group_num
    cur_head = cur_head_id * VALID_BLOCK_H + tl.arange(0, BLOCK_H)
    mask_h = cur_head < (cur_head_id + 1) * VALID_BLOCK_H
    mask_h = mask_h & (cur_head < q_head_num)
    offs_d = tl.arange(0, BLOCK_DMODEL)
    cur_batch_seq_len = tl.load(B_Seqlen + cur_batch)
    offs_q = cur_batch * stride_qbs + cur_head[:, None] * stride_qh + offs_d[None, :]
    q = tl.load(Q + offs_q, mask=mask_h[:, None], other=0.0)
    kv_len_per_split = tl.cdiv(cur_batch_seq_len, NUM_KV_SPLITS)
    split_kv_start = kv_len_per_split * split_kv_id
    split_kv_end = tl.minimum(split_kv_start + kv_len_per_split, cur_batch_seq_len)
    e_max = tl.zeros([BLOCK_H], dtype=tl.float32) - float("inf")
    e_sum = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, BLOCK_DMODEL], dtype=tl.float32)
    if split_kv_end > split_kv_start:
        for start_n in range(split_kv_start, split_kv_end, BLOCK_N):
            offs_n = start_n + tl.arange(0, BLOCK_N)
            kv_loc = tl.load(Req_to_tokens + stride_req * cur_batch + offs_n, mask=offs_n < split_kv_end, other=0)
            offs_buf_k = kv_loc[None, :] * stride_buf_kbs + cur_kv_head * stride_buf_kh + offs_d[:, None]
            k = tl.load(K_Buffer + offs_buf_k, mask=offs_n[None, :] < split_kv_end, other=0.0)
            qk = tl.dot(q, k.to(q.dtype))
            qk *= sm_scale
            if logit_cap > 0:
                qk = logit_cap * tanh(qk / logit_cap)
            qk = tl.where(mask_h[:, None] & (offs_n[None, :] < split_kv_end), qk, float("-inf"))
            offs_buf_v = kv_loc[:, None] * stride_buf_kbs + cur_kv_head * stride_buf_kh + offs_d[None, :]
            v = tl.load(V_Buffer + offs_buf_v, mask=offs_n[:, None] < split_kv_end, other=0.0)
            n_e_max = tl.maximum(tl.max(qk, 1), e_max)
            re_scale = tl.exp(e_max - n_e_max)
            p = tl.exp(qk - n_e_max[:, None])
            acc *= re_scale[:, None]
            acc += tl.dot(p.to(v.dtype), v)
            e_sum = e_sum * re_scale + tl.sum(p, 1)
            e_max = n_e_max
        offs_mid_o = (cur_batch * stride_mid_ob + cur_head[:, None] * stride_mid_oh + split_kv_id * stride_mid_os +
                      offs_d[None, :])
        tl.store(Att_Out + offs_mid_o, acc / e_sum[:, None], mask=mask_h[:, None])
        offs_mid_o_1 = (cur_batch * stride_mid_ob + cur_head * stride_mid_oh + split_kv_id * stride_mid_os +
                        BLOCK_DMODEL)
        tl.store(Att_Out + offs_mid_o_1, e_max + tl.log(e_sum), mask=mask_h)


def split_cache_reference(Q, K_Buffer, V_Buffer, sm_scale, Req_to_tokens, B_Seqlen, Att_Out, B, H, G, L, SPLIT):
    out = np.copy(Att_Out)
    for b in range(B):
        n = int(B_Seqlen[b])
        part = -(-n // SPLIT)
        for s in range(SPLIT):
            at = Req_to_tokens[b * L + s * part:b * L + min(s * part + part, n)].astype(int)
            for h in range(H if len(at) else 0):
                score = K_Buffer[at, h // G] @ Q[b, h] * sm_scale
                out[b, h, s, :-1] = softmax_of(score) @ V_Buffer[at, h // G]
                out[b, h, s, -1] = np.log(np.exp(score).sum())
    return out


@triton.jit
def merge_parts(Mid_O, O, B_Seqlen, stride_mid_ob, stride_mid_oh, stride_mid_os, NUM_KV_SPLITS: tl.constexpr,
                BLOCK_DV: tl.constexpr, Lv: tl.constexpr):
    cur_batch = tl.program_id(0)
    cur_head = tl.program_id(1)
    cur_batch_seq_len = tl.load(B_Seqlen + cur_batch)
    offs_d = tl.arange(0, BLOCK_DV)
    mask_d = offs_d < Lv
    e_sum = 0.0
    e_max = -float("inf")
    acc = tl.zeros([BLOCK_DV], dtype=tl.float32)
    offs_v = cur_batch * stride_mid_ob + cur_head * stride_mid_oh + offs_d
    offs_logic = cur_batch * stride_mid_ob + cur_head * stride_mid_oh + Lv
    for split_kv_id in range(0, NUM_KV_SPLITS):
        kv_len_per_split = tl.cdiv(cur_batch_seq_len, NUM_KV_SPLITS)
        split_kv_start = kv_len_per_split * split_kv_id
        split_kv_end = tl.minimum(split_kv_start + kv_len_per_split, cur_batch_seq_len)
        if split_kv_end > split_kv_start:
            tv = tl.load(Mid_O + offs_v + split_kv_id * stride_mid_os, mask=mask_d, other=0.0)
            tlogic = tl.load(Mid_O + offs_logic + split_kv_id * stride_mid_os)
            n_e_max = tl.maximum(tlogic, e_max)
            old_scale = tl.exp(e_max - n_e_max)
            acc *= old_scale
            exp_logic = tl.exp(tlogic - n_e_max)
            acc += exp_logic * tv
            e_sum = e_sum * old_scale + exp_logic
            e_max = n_e_max
    tl.store(O + (cur_batch * tl.num_programs(1) + cur_head) * Lv + offs_d, acc / e_sum, mask=mask_d)


def merge_parts_reference(Mid_O, B_Seqlen, B, H, D, SPLIT):
    out = np.zeros((B, H, D))
    for b in range(B):
        n = int(B_Seqlen[b])
        used = -(-n // -(-n // SPLIT))
        weights = softmax_of(Mid_O[b, :, :used, -1])
        out[b] = np.einsum("hs,hsd->hd", weights, Mid_O[b, :, :used, :-1])
    return out


@triton.jit
def paged_groups(output_ptr, query_ptr, key_cache_ptr, value_cache_ptr, block_tables_ptr, seq_lens_ptr, scale,
                 block_table_stride: tl.int64, num_query_heads: tl.constexpr, num_queries_per_kv: tl.constexpr,
                 num_queries_per_kv_padded: tl.constexpr, BLOCK_SIZE: tl.constexpr, HEAD_SIZE: tl.constexpr):
    """A page an iteration; its number comes out of a table."""
    seq_idx = tl.program_id(0)
    kv_head_idx = tl.program_id(1)
    KV_HEADS: tl.constexpr = num_query_heads // num_queries_per_kv
    query_head_idx = kv_head_idx * num_queries_per_kv + tl.arange(0, num_queries_per_kv_padded)
    head_mask = query_head_idx < (kv_head_idx + 1) * num_queries_per_kv
    head_mask = head_mask & (query_head_idx < num_query_heads)
    offs_d = tl.arange(0, HEAD_SIZE)
    q_at = (seq_idx * num_query_heads + query_head_idx[:, None]) * HEAD_SIZE + offs_d[None, :]
    Q = tl.load(query_ptr + q_at, mask=head_mask[:, None], other=0.0)
    block_table_offset = seq_idx * block_table_stride
    M = tl.full([num_queries_per_kv_padded], float("-inf"), dtype=tl.float32)
    L = tl.full([num_queries_per_kv_padded], 1.0, dtype=tl.float32)
    acc = tl.zeros([num_queries_per_kv_padded, HEAD_SIZE], dtype=tl.float32)
    seq_len = tl.load(seq_lens_ptr + seq_idx)
    num_blocks = tl.cdiv(seq_len, BLOCK_SIZE)
    for j in range(0, num_blocks):
        physical = tl.load(block_tables_ptr + block_table_offset + j).to(tl.int64)
        offs_n = tl.arange(0, BLOCK_SIZE)
        rows = (physical * BLOCK_SIZE + offs_n) * KV_HEADS + kv_head_idx
        K = tl.load(key_cache_ptr + rows[None, :] * HEAD_SIZE + offs_d[:, None])
        V = tl.load(value_cache_ptr + rows[:, None] * HEAD_SIZE + offs_d[None, :])
        seq_offset = j * BLOCK_SIZE + offs_n
        boundary = tl.full([BLOCK_SIZE], seq_len, dtype=tl.int32)
        seq_mask = seq_offset[None, :] < boundary
        S = tl.where(head_mask[:, None] & seq_mask, 0.0, float("-inf")).to(tl.float32)
        S += scale * tl.dot(Q, K)
        m_j = tl.maximum(M, tl.max(S, axis=1))
        m_j = tl.where(m_j > float("-inf"), m_j, 0.0)
        P = tl.exp(S - m_j[:, None])
        l_j = tl.sum(P, axis=1)
        alpha = tl.exp(M - m_j)
        acc = acc * alpha[:, None]
        L = tl.where(j == 0, l_j, L * alpha + l_j)
        M = m_j
        acc += tl.dot(P.to(V.dtype), V)
    acc = acc / L[:, None]
    tl.store(output_ptr + q_at, acc, mask=head_mask[:, None])


def paged_groups_reference(query_ptr, key_cache_ptr, value_cache_ptr, block_tables_ptr, seq_lens_ptr, scale, B, KVH,
                           G, PAGES, D):
    out = np.zeros((B, KVH * G, D))
    for b in range(B):
        n = int(seq_lens_ptr[b])
        pages = block_tables_ptr[b * PAGES:(b + 1) * PAGES].astype(int)
        k = np.repeat(key_cache_ptr[pages].reshape(-1, KVH, D)[:n], G, axis=1)
        v = np.repeat(value_cache_ptr[pages].reshape(-1, KVH, D)[:n], G, axis=1)
        out[b] = np.einsum("hn,nhd->hd", softmax_of(np.einsum("hd,nhd->hn", query_ptr[b], k) * scale), v)
    return out


@triton.jit
def latent_cache(q_ptr, cache_ptr, lens_ptr, out_ptr, lse_ptr, scale, L, H, LATENT: tl.constexpr, ROPE: tl.constexpr,
                 BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr, SPLIT: tl.constexpr):
    """The latent is key and value at once: loaded as a key, it becomes the value by a transposition."""
    WIDTH: tl.constexpr = LATENT + ROPE
    batch = tl.program_id(0)
    heads = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    part = tl.program_id(2)
    offs_c = tl.arange(0, LATENT)
    offs_r = LATENT + tl.arange(0, ROPE)
    mask_h = heads < H
    q_rows = (batch * H + heads[:, None]) * WIDTH
    q = tl.load(q_ptr + q_rows + offs_c[None, :], mask=mask_h[:, None], other=0.0)
    q_rope = tl.load(q_ptr + q_rows + offs_r[None, :], mask=mask_h[:, None], other=0.0)
    length = tl.load(lens_ptr + batch)
    per_part = tl.cdiv(length, SPLIT)
    first = part * per_part
    last = tl.minimum(first + per_part, length)
    e_max = tl.full([BLOCK_H], float("-inf"), dtype=tl.float32)
    e_sum = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, LATENT], dtype=tl.float32)
    for start_n in range(first, last, BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        rows = (batch * L + offs_n[None, :]) * WIDTH
        k = tl.load(cache_ptr + rows + offs_c[:, None], mask=offs_n[None, :] < last, other=0.0)
        qk = tl.dot(q, k)
        k_rope = tl.load(cache_ptr + rows + offs_r[:, None], mask=offs_n[None, :] < last, other=0.0)
        qk += tl.dot(q_rope, k_rope)
        qk = tl.where(offs_n[None, :] < last, qk * scale, float("-inf"))
        v = tl.trans(k)
        n_e_max = tl.maximum(tl.max(qk, 1), e_max)
        re_scale = tl.exp(e_max - n_e_max)
        p = tl.exp(qk - n_e_max[:, None])
        acc = acc * re_scale[:, None] + tl.dot(p.to(v.dtype), v)
        e_sum = e_sum * re_scale + tl.sum(p, 1)
        e_max = n_e_max
    at = (batch * H + heads) * SPLIT + part
    tl.store(out_ptr + at[:, None] * LATENT + offs_c[None, :], tl.where(e_sum[:, None] > 0, acc / e_sum[:, None], 0.0),
             mask=mask_h[:, None])
    tl.store(lse_ptr + at, e_max + tl.log(e_sum), mask=mask_h)


def latent_cache_reference(q_ptr, cache_ptr, lens_ptr, scale, B, H, SPLIT):
    out, lse = np.zeros((B, H, SPLIT, 128)), np.full((B, H, SPLIT), -np.inf)
    for b in range(B):
        n = int(lens_ptr[b])
        part = -(-n // SPLIT)
        for s in range(SPLIT):
            rows = cache_ptr[b, s * part:min(s * part + part, n)]
            if len(rows):
                score = q_ptr[b] @ rows.T * scale
                out[b, :, s] = softmax_of(score) @ rows[:, :128]
                lse[b, :, s] = np.log(np.exp(score).sum(axis=1))
    return {"out_ptr": out, "lse_ptr": lse}


@triton.jit
def cache_of_bytes(q_ptr, k_ptr, v_ptr, k_scale_ptr, v_scale_ptr, out_ptr, length, scale, KVH: tl.constexpr,
                   G: tl.constexpr, D: tl.constexpr, BLOCK_G: tl.constexpr, BLOCK_N: tl.constexpr):
    """Scales of tokens multiply the scores, and the weights before they meet the values."""
    batch = tl.program_id(0)
    head = tl.program_id(1)
    group = tl.arange(0, BLOCK_G)
    offs_d = tl.arange(0, D)
    q_at = ((batch * KVH + head) * G + group[:, None]) * D + offs_d[None, :]
    q = tl.load(q_ptr + q_at, mask=group[:, None] < G, other=0.0)
    m_i = tl.full([BLOCK_G], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_G], dtype=tl.float32)
    acc = tl.zeros([BLOCK_G, D], dtype=tl.float32)
    for start_n in range(0, length, BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        inside = offs_n < length
        token = (batch * length + offs_n) * KVH + head
        k = tl.load(k_ptr + token[None, :] * D + offs_d[:, None], mask=inside[None, :], other=0.0)
        k_scale = tl.load(k_scale_ptr + token, mask=inside, other=0.0)
        qk = tl.dot(q, k.to(q.dtype)) * (k_scale * scale)[None, :]
        qk = tl.where(inside[None, :], qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + token[:, None] * D + offs_d[None, :], mask=inside[:, None], other=0.0)
        v_scale = tl.load(v_scale_ptr + token, mask=inside, other=0.0)
        p = (p * v_scale[None, :]).to(tl.float16)
        acc = tl.dot(p, v.to(tl.float16), acc * alpha[:, None])
        m_i = m_new
    tl.store(out_ptr + q_at, (acc / l_i[:, None]).to(tl.float16), mask=group[:, None] < G)


def cache_of_bytes_reference(q_ptr, k_ptr, v_ptr, k_scale_ptr, v_scale_ptr, scale, G):
    k = np.repeat(k_ptr * k_scale_ptr[..., None], G, axis=2)
    v = np.repeat(v_ptr * v_scale_ptr[..., None], G, axis=2)
    return np.einsum("bhn,bnhd->bhd", softmax_of(np.einsum("bhd,bnhd->bhn", q_ptr, k) * scale), v)


@triton.jit
def behind_a_prefix(Q_Extend, K_Extend, V_Extend, O_Extend, K_Buffer, V_Buffer, kv_indices, sm_scale, extend_len,
                    prefix_len, kv_group_num: tl.constexpr, H: tl.constexpr, BLOCK_DMODEL: tl.constexpr,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """First the prefix, whose tokens lie anywhere, then the new tokens up to the diagonal: two loops of one sum."""
    cur_seq = tl.program_id(0)
    cur_head = tl.program_id(1)
    cur_block_m = tl.program_id(2)
    cur_kv_head = cur_head // kv_group_num
    KV_HEADS: tl.constexpr = H // kv_group_num
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_m = tl.arange(0, BLOCK_M)
    mask_m = (cur_block_m * BLOCK_M + offs_m) < extend_len
    offs_q = ((cur_seq * extend_len + cur_block_m * BLOCK_M + offs_m[:, None]) * H + cur_head) * BLOCK_DMODEL
    q = tl.load(Q_Extend + offs_q + offs_d[None, :], mask=mask_m[:, None], other=0.0)
    offs_n = tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    deno = tl.zeros([BLOCK_M], dtype=tl.float32)
    e_max = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    for start_n in range(0, prefix_len, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        mask_n = (start_n + offs_n) < prefix_len
        loc = tl.load(kv_indices + cur_seq * prefix_len + start_n + offs_n, mask=mask_n, other=0)
        offs_k = (loc[None, :] * KV_HEADS + cur_kv_head) * BLOCK_DMODEL + offs_d[:, None]
        k = tl.load(K_Buffer + offs_k, mask=mask_n[None, :], other=0.0)
        qk = tl.dot(q.to(k.dtype), k)
        qk *= sm_scale
        qk = tl.where(mask_m[:, None] & mask_n[None, :], qk, float("-inf"))
        n_e_max = tl.maximum(tl.max(qk, 1), e_max)
        # Rows outside have only infinities.
        n_e_max = tl.where(n_e_max == float("-inf"), 0.0, n_e_max)
        re_scale = tl.exp(e_max - n_e_max)
        p = tl.exp(qk - n_e_max[:, None])
        deno = deno * re_scale + tl.sum(p, 1)
        offs_v = (loc[:, None] * KV_HEADS + cur_kv_head) * BLOCK_DMODEL + offs_d[None, :]
        v = tl.load(V_Buffer + offs_v, mask=mask_n[:, None], other=0.0)
        acc = acc * re_scale[:, None] + tl.dot(p.to(v.dtype), v)
        e_max = n_e_max
    end = tl.minimum(extend_len, (cur_block_m + 1) * BLOCK_M)
    for start_n in range(0, end, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        mask_n = (start_n + offs_n) < end
        rows = (cur_seq * extend_len + start_n + offs_n) * KV_HEADS + cur_kv_head
        k = tl.load(K_Extend + rows[None, :] * BLOCK_DMODEL + offs_d[:, None], mask=mask_n[None, :], other=0.0)
        qk = tl.dot(q, k, out_dtype=tl.float32)
        qk *= sm_scale
        causal = (cur_block_m * BLOCK_M + offs_m[:, None]) >= (start_n + offs_n[None, :])
        causal &= mask_m[:, None] & mask_n[None, :]
        qk = tl.where(causal, qk, float("-inf"))
        n_e_max = tl.maximum(tl.max(qk, 1), e_max)
        n_e_max = tl.where(n_e_max == float("-inf"), 0.0, n_e_max)
        re_scale = tl.exp(e_max - n_e_max)
        p = tl.exp(qk - n_e_max[:, None])
        deno = deno * re_scale + tl.sum(p, 1)
        v = tl.load(V_Extend + rows[:, None] * BLOCK_DMODEL + offs_d[None, :], mask=mask_n[:, None], other=0.0)
        acc = acc * re_scale[:, None] + tl.dot(p.to(v.dtype), v)
        e_max = n_e_max
    tl.store(O_Extend + offs_q + offs_d[None, :], acc / deno[:, None], mask=mask_m[:, None])


def behind_a_prefix_reference(Q_Extend, K_Extend, V_Extend, K_Buffer, V_Buffer, kv_indices, sm_scale, B, EXT, PRE, G):
    out = np.zeros_like(Q_Extend)
    seen = np.concatenate([np.ones((EXT, PRE), bool), np.tril(np.ones((EXT, EXT), bool))], axis=1)
    for b in range(B):
        at = kv_indices[b * PRE:(b + 1) * PRE].astype(int)
        new = slice(b * EXT, (b + 1) * EXT)
        k = np.repeat(np.concatenate([K_Buffer[at], K_Extend[new]]), G, axis=1)
        v = np.repeat(np.concatenate([V_Buffer[at], V_Extend[new]]), G, axis=1)
        score = np.einsum("ihd,jhd->hij", Q_Extend[new], k) * sm_scale
        out[new] = np.einsum("hij,jhd->ihd", softmax_of(np.where(seen, score, -np.inf)), v)
    return out


@triton.jit
def drafts_by_tree(q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, new, length, scale, H: tl.constexpr, D: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Drafted tokens see the whole cache, themselves, and of each other what the tree of drafts allows."""
    batch = tl.program_id(0)
    head = tl.program_id(1)
    rows = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, D)
    q_at = ((batch * new + rows[:, None]) * H + head) * D + offs_d[None, :]
    q = tl.load(q_ptr + q_at, mask=rows[:, None] < new, other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for start_n in range(0, length + new, BLOCK_N):
        at = start_n + tl.arange(0, BLOCK_N)
        inside = at < length + new
        kv_at = ((batch * (length + new) + at) * H + head) * D
        k = tl.load(k_ptr + kv_at[None, :] + offs_d[:, None], mask=inside[None, :], other=0.0)
        qk = tl.dot(q, k) * scale
        draft = at - length
        allowed = tl.load(mask_ptr + rows[:, None] * new + draft[None, :],
                          mask=(rows[:, None] < new) & (draft[None, :] >= 0) & inside[None, :], other=0)
        seen = (draft[None, :] < 0) | (draft[None, :] == rows[:, None]) | (allowed != 0)
        qk = tl.where(seen & inside[None, :], qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + kv_at[:, None] + offs_d[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        m_i = m_new
    tl.store(out_ptr + q_at, (acc / l_i[:, None]).to(tl.float16), mask=rows[:, None] < new)


def drafts_by_tree_reference(q_ptr, k_ptr, v_ptr, mask_ptr, scale, NEW, L):
    score = np.einsum("bihd,bjhd->bhij", q_ptr, k_ptr) * scale
    seen = np.concatenate([np.ones((NEW, L), bool), (mask_ptr != 0) | np.eye(NEW, dtype=bool)], axis=1)
    return np.einsum("bhij,bjhd->bihd", softmax_of(np.where(seen, score, -np.inf)), v_ptr)
