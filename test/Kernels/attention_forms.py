# Attention forward as libraries write it: two stages around the diagonal, windows, slopes by distance, biases in
# memory, grouped heads, ragged sequences, bounded scores, sinks, block pointers with a transposed key, keys of another
# depth than values, relative positions by a second product, masks of blocks.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: two_stages
# TYPES: fp16 bf16
# SIZES: Z=1 H=2 L=128 D=64 S=3 | Z=2 H=1 L=128 D=32 S=1
# BENCH: Z=2 H=16 L=4096 D=128 S=3 T=fp16 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: Q randn:T[Z,H,L,D]
# ARG: K randn:T[Z,H,L,D]
# ARG: V randn:T[Z,H,L,D]
# ARG: sm_scale 0.2
# ARG: M empty:fp32[Z*H,L]
# ARG: Out empty:T[Z,H,L,D]
# ARG: stride_qz H*L*D
# ARG: stride_qh L*D
# ARG: stride_qm D
# ARG: stride_qk 1
# ARG: Z Z
# ARG: H H
# ARG: N_CTX L
# CONST: HEAD_DIM D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: STAGE S
# GRID: cdiv(L, BLOCK_M), Z * H
# TOLERANCE: Out 1e-2 1e-2
# TOLERANCE: M 1e-3 1e-2
#
# KERNEL: masked_ends
# SIZES: L=65 LK=129 H=4 G=2 D=40 CAUSAL=1 | L=1 LK=17 H=2 G=1 D=64 CAUSAL=1 | L=100 LK=65 H=2 G=2 D=16 CAUSAL=0
# BENCH: L=4096 LK=4096 H=16 G=4 D=128 CAUSAL=1 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: Q randn:fp16[L,H,D]
# ARG: K randn:fp16[LK,H//G,D]
# ARG: V randn:fp16[LK,H//G,D]
# ARG: Out empty:fp16[L,H,D]
# ARG: Lse empty:fp32[H,L]
# ARG: softmax_scale 0.2
# ARG: stride_qm H*D
# ARG: stride_kn (H//G)*D
# ARG: seqlen_q L
# ARG: seqlen_k LK
# ARG: headdim D
# CONST: GROUP G
# CONST: IS_CAUSAL CAUSAL
# CONST: BLOCK_HEADDIM max(16, next_power_of_2(D))
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: EVEN_M L % BLOCK_M == 0
# CONST: EVEN_N LK % BLOCK_N == 0
# CONST: EVEN_HEADDIM D == BLOCK_HEADDIM
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: Out 4e-3 4e-3
# TOLERANCE: Lse 1e-3 4e-3
#
# KERNEL: ragged
# SIZES: B=3 L=100 H=2 D=32 W=0 CAP=0.0 | B=2 L=65 H=1 D=64 W=20 CAP=5.0
# BENCH: B=8 L=2048 H=16 D=128 W=0 CAP=30.0 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: q_ptr randn:bf16[B*L,H,D]
# ARG: k_ptr randn:bf16[B*L,H,D]
# ARG: v_ptr randn:bf16[B*L,H,D]
# ARG: out_ptr zeros:bf16[B*L,H,D]
# ARG: cu_seqlens_ptr arange:i32[B+1]
# ARG: used_ptr randint(0,L+1):i32[B]
# ARG: stretch L
# ARG: scale 0.2
# ARG: cap CAP
# CONST: H H
# CONST: D D
# CONST: WINDOW W
# CONST: SOFTCAP CAP > 0
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(L, BLOCK_M), H, B
# CHECK: out_ptr
# TOLERANCE: out_ptr 2e-2 2e-2
#
# KERNEL: slopes_and_biases
# SIZES: H=2 L=65 D=32 KIND=0 | H=3 L=64 D=32 KIND=1 | H=2 L=33 D=16 KIND=2
# BENCH: H=16 L=2048 D=64 KIND=2 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:fp16[H,L,D]
# ARG: k_ptr randn:fp16[H,L,D]
# ARG: v_ptr randn:fp16[H,L,D]
# ARG: bias_ptr randn:fp32[H,L,L]
# ARG: slopes_ptr rand:fp32[H]
# ARG: out_ptr empty:fp16[H,L,D]
# ARG: length L
# ARG: stride_bias_m 0 if KIND == 1 else L
# ARG: scale 0.25
# CONST: D D
# CONST: BIAS_TYPE "'none'" if KIND == 0 else "'vector'" if KIND == 1 else "'matrix'"
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 4e-3 4e-3
#
# KERNEL: with_sinks
# SIZES: H=2 L=65 D=64 W=16 | H=1 L=128 D=32 W=1000
# BENCH: H=32 L=4096 D=64 W=1024 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:bf16[H,L,D]
# ARG: k_ptr randn:bf16[H,L,D]
# ARG: v_ptr randn:bf16[H,L,D]
# ARG: sinks_ptr randn:fp32[H]
# ARG: out_ptr empty:bf16[H,L,D]
# ARG: length L
# ARG: window W
# ARG: scale 0.2
# CONST: D D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 2e-2 2e-2
#
# KERNEL: by_block_pointers
# SIZES: H=2 L=128 D=64 | H=3 L=64 D=32
# BENCH: H=32 L=4096 D=64 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: Q randn:fp16[H,L,D]
# ARG: K randn:fp16[H,L,D]
# ARG: V randn:fp16[H,L,D]
# ARG: Out empty:fp16[H,L,D]
# ARG: sm_scale 0.125
# ARG: stride_h L*D
# ARG: stride_m D
# ARG: stride_d 1
# ARG: N_CTX L
# CONST: HEAD_DIM D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: PRE_LOAD_V False
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: Out 4e-3 4e-3
#
# KERNEL: deep_keys
# SIZES: H=2 L=70 DQ=96 DV=64 | H=1 L=64 DQ=72 DV=32
# BENCH: H=16 L=4096 DQ=192 DV=128 NOPE=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: q_ptr randn(0,0.5):fp16[L,H,DQ]
# ARG: k_ptr randn(0,0.5):fp16[L,H,DQ]
# ARG: v_ptr randn:fp16[L,H,DV]
# ARG: out_ptr empty:fp16[L,H,DV]
# ARG: length L
# ARG: scale 0.2
# ARG: H H
# CONST: NOPE 64
# CONST: ROPE DQ - NOPE
# CONST: DV DV
# CONST: BLOCK_ROPE max(16, next_power_of_2(ROPE))
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 4e-3 4e-3
#
# KERNEL: blocks_by_layout
# SIZES: H=2 L=128 D=32
# BENCH: H=16 L=4096 D=64 BLOCK_M=64 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:fp16[H,L,D]
# ARG: k_ptr randn:fp16[H,L,D]
# ARG: v_ptr randn:fp16[H,L,D]
# ARG: layout_ptr randint(0,2):i8[L//BLOCK_M,L//BLOCK_N]
# ARG: out_ptr empty:fp16[H,L,D]
# ARG: scale 0.25
# ARG: length L
# CONST: D D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 4e-3 4e-3
import numpy as np
import triton
import triton.language as tl


@triton.jit
def inner(acc, l_i, m_i, q, K_ptrs, V_ptrs, stride_kn, start_m, qk_scale, BLOCK_M: tl.constexpr,
          BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m, offs_n, N_CTX):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    K_ptrs += lo * stride_kn
    V_ptrs += lo * stride_kn
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(K_ptrs)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(V_ptrs)
        p = p.to(v.dtype)
        acc = tl.dot(p, v, acc)
        m_i = m_ij
        K_ptrs += BLOCK_N * stride_kn
        V_ptrs += BLOCK_N * stride_kn
    return acc, l_i, m_i


@triton.jit
def two_stages(Q, K, V, sm_scale, M, Out, stride_qz, stride_qh, stride_qm, stride_qk, Z, H, N_CTX,
               HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr):
    tl.static_assert(BLOCK_N <= HEAD_DIM)
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    base = off_z.to(tl.int64) * stride_qz + off_h.to(tl.int64) * stride_qh
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + base + offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk)
    K_ptrs = K + base + offs_n[None, :] * stride_qm + offs_d[:, None] * stride_qk
    V_ptrs = V + base + offs_n[:, None] * stride_qm + offs_d[None, :] * stride_qk
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    if STAGE & 1:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, K_ptrs, V_ptrs, stride_qm, start_m, qk_scale, BLOCK_M, BLOCK_N,
                              4 - STAGE, offs_m, offs_n, N_CTX)
    if STAGE & 2:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, K_ptrs, V_ptrs, stride_qm, start_m, qk_scale, BLOCK_M, BLOCK_N, 2,
                              offs_m, offs_n, N_CTX)
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + off_hz * N_CTX + offs_m, m_i)
    tl.store(Out + base + offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk, acc.to(Out.type.element_ty))


def softmax_of(score):
    power = np.exp(score - score.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


def below(rows, columns):
    return np.arange(columns)[None, :] <= np.arange(rows)[:, None] + columns - rows


def two_stages_reference(Q, K, V, sm_scale, Z, H, L, S):
    score = np.einsum("zhid,zhjd->zhij", Q, K) * sm_scale
    if S == 3:
        score = np.where(below(L, L), score, -np.inf)
    # The sum of the first part starts at one where no largest value was, so that it fades away.
    peak = score.max(axis=-1)
    sums = np.log2(np.exp(score - peak[..., None]).sum(axis=-1)) + peak / np.log(2)
    return {"Out": np.einsum("zhij,zhjd->zhid", softmax_of(score), V), "M": sums.reshape(Z * H, L)}


@triton.jit
def masked_ends(Q, K, V, Out, Lse, softmax_scale, stride_qm, stride_kn, seqlen_q, seqlen_k, headdim,
                GROUP: tl.constexpr, IS_CAUSAL: tl.constexpr, BLOCK_HEADDIM: tl.constexpr, EVEN_M: tl.constexpr,
                EVEN_N: tl.constexpr, EVEN_HEADDIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_HEADDIM)
    q_ptrs = Q + off_h * headdim + (offs_m[:, None] * stride_qm + offs_d[None, :])
    k_ptrs = K + (off_h // GROUP) * headdim + (offs_n[:, None] * stride_kn + offs_d[None, :])
    v_ptrs = V + (off_h // GROUP) * headdim + (offs_n[:, None] * stride_kn + offs_d[None, :])
    lse_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    acc_o = tl.zeros([BLOCK_M, BLOCK_HEADDIM], dtype=tl.float32)
    if EVEN_M & EVEN_N:
        if EVEN_HEADDIM:
            q = tl.load(q_ptrs)
        else:
            q = tl.load(q_ptrs, mask=offs_d[None, :] < headdim, other=0.0)
    else:
        if EVEN_HEADDIM:
            q = tl.load(q_ptrs, mask=offs_m[:, None] < seqlen_q, other=0.0)
        else:
            q = tl.load(q_ptrs, mask=(offs_m[:, None] < seqlen_q) & (offs_d[None, :] < headdim), other=0.0)
    shift = seqlen_k - seqlen_q
    end_n = seqlen_k if not IS_CAUSAL else tl.minimum((start_m + 1) * BLOCK_M + shift, seqlen_k)
    for start_n in range(0, end_n, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        if EVEN_N & EVEN_M & EVEN_HEADDIM:
            k = tl.load(k_ptrs + start_n * stride_kn)
        else:
            k = tl.load(k_ptrs + start_n * stride_kn,
                        mask=((start_n + offs_n)[:, None] < seqlen_k) & (offs_d[None, :] < headdim), other=0.0)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk += tl.dot(q, tl.trans(k))
        if not EVEN_N:
            qk += tl.where((start_n + offs_n)[None, :] < seqlen_k, 0, float("-inf"))
        if IS_CAUSAL:
            qk += tl.where(offs_m[:, None] + shift >= (start_n + offs_n)[None, :], 0, float("-inf"))
        m_ij = tl.maximum(tl.max(qk, 1) * softmax_scale, lse_i)
        p = tl.exp(qk * softmax_scale - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        acc_o_scale = tl.exp(m_i - m_ij)
        acc_o = acc_o * acc_o_scale[:, None]
        if EVEN_N & EVEN_M & EVEN_HEADDIM:
            v = tl.load(v_ptrs + start_n * stride_kn)
        else:
            v = tl.load(v_ptrs + start_n * stride_kn,
                        mask=((start_n + offs_n)[:, None] < seqlen_k) & (offs_d[None, :] < headdim), other=0.0)
        p = p.to(v.dtype)
        acc_o += tl.dot(p, v)
        m_i = m_ij
        l_i_new = tl.exp(lse_i - m_ij) + l_ij
        lse_i = m_ij + tl.log(l_i_new)
    o_scale = tl.exp(m_i - lse_i)
    acc_o = acc_o * o_scale[:, None]
    tl.store(Lse + off_h * seqlen_q + offs_m, lse_i, mask=offs_m < seqlen_q)
    out_ptrs = Out + off_h * headdim + (offs_m[:, None] * stride_qm + offs_d[None, :])
    tl.store(out_ptrs, acc_o, mask=(offs_m[:, None] < seqlen_q) & (offs_d[None, :] < headdim))


def masked_ends_reference(Q, K, V, softmax_scale, L, LK, G, CAUSAL):
    K, V = np.repeat(K, G, axis=1), np.repeat(V, G, axis=1)
    score = np.einsum("ihd,jhd->hij", Q, K) * softmax_scale
    if CAUSAL:
        score = np.where(below(L, LK), score, -np.inf)
    peak = score.max(axis=-1)
    return {"Out": np.einsum("hij,jhd->ihd", softmax_of(score), V),
            "Lse": np.log(np.exp(score - peak[..., None]).sum(axis=-1)) + peak}


@triton.jit
def bounded(x, cap):
    """cap * tanh(x / cap)"""
    y = 2 * x / cap
    return cap * (2 * tl.sigmoid(y) - 1)


@triton.jit
def ragged(q_ptr, k_ptr, v_ptr, out_ptr, cu_seqlens_ptr, used_ptr, stretch, scale, cap, H: tl.constexpr,
           D: tl.constexpr, WINDOW: tl.constexpr, SOFTCAP: tl.constexpr, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr):
    """Programs behind the end of their sequence stop at once."""
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    seq = tl.program_id(2)
    first = tl.load(cu_seqlens_ptr + seq) * stretch
    length = tl.load(used_ptr + seq)
    if start_m * BLOCK_M >= length:
        return
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    q_at = (first + offs_m[:, None]) * (H * D) + head * D + offs_d[None, :]
    q = tl.load(q_ptr + q_at, mask=offs_m[:, None] < length, other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    begin = 0
    if WINDOW > 0:
        begin = tl.maximum(start_m * BLOCK_M - WINDOW + 1, 0) // BLOCK_N * BLOCK_N
    end = tl.minimum((start_m + 1) * BLOCK_M, length)
    for start_n in range(begin, end, BLOCK_N):
        at = start_n + offs_n
        k = tl.load(k_ptr + (first + at[None, :]) * (H * D) + head * D + offs_d[:, None], mask=at[None, :] < length,
                    other=0.0)
        qk = tl.dot(q, k) * scale
        if SOFTCAP:
            qk = bounded(qk, cap)
        seen = at[None, :] <= offs_m[:, None]
        if WINDOW > 0:
            seen = seen & (offs_m[:, None] - at[None, :] < WINDOW)
        qk = tl.where(seen & (at[None, :] < length), qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        # Rows that have seen nothing yet would subtract infinity from itself.
        m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp(qk - m_safe[:, None])
        alpha = tl.exp(m_i - m_safe)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (first + at[:, None]) * (H * D) + head * D + offs_d[None, :], mask=at[:, None] < length,
                    other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    tl.store(out_ptr + q_at, (acc / l_i[:, None]).to(out_ptr.dtype.element_ty), mask=offs_m[:, None] < length)


def ragged_reference(q_ptr, k_ptr, v_ptr, out_ptr, used_ptr, scale, B, L, W, CAP):
    out = np.copy(out_ptr)
    for b in range(B):
        n = int(used_ptr[b])
        rows = slice(b * L, b * L + n)
        if n == 0:
            continue
        score = np.einsum("ihd,jhd->hij", q_ptr[rows], k_ptr[rows]) * scale
        if CAP:
            score = CAP * np.tanh(score / CAP)
        seen = below(n, n)
        if W:
            seen = seen & (np.arange(n)[:, None] - np.arange(n)[None, :] < W)
        out[rows] = np.einsum("hij,jhd->ihd", softmax_of(np.where(seen, score, -np.inf)), v_ptr[rows])
    return out


@triton.jit
def slopes_and_biases(q_ptr, k_ptr, v_ptr, bias_ptr, slopes_ptr, out_ptr, length, stride_bias_m, scale,
                      D: tl.constexpr, BIAS_TYPE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    q = tl.load(q_ptr + (head * length + offs_m[:, None]) * D + offs_d[None, :], mask=offs_m[:, None] < length,
                other=0.0)
    slope = tl.load(slopes_ptr + head)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    b_ptrs = bias_ptr + head * length * length + offs_m[:, None] * stride_bias_m + offs_n[None, :]
    for start_n in range(0, length, BLOCK_N):
        at = start_n + offs_n
        k = tl.load(k_ptr + (head * length + at[:, None]) * D + offs_d[None, :], mask=at[:, None] < length, other=0.0)
        qk = tl.dot(q, k.T) * scale
        if BIAS_TYPE == "none":
            qk -= slope * tl.abs(offs_m[:, None] - at[None, :]).to(tl.float32)
        elif BIAS_TYPE == "vector":
            qk += tl.load(bias_ptr + head * length * length + at, mask=at < length, other=0.0)[None, :]
        else:
            qk += tl.load(b_ptrs + start_n, mask=(offs_m[:, None] < length) & (at[None, :] < length), other=0.0)
        qk = tl.where(at[None, :] < length, qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (head * length + at[:, None]) * D + offs_d[None, :], mask=at[:, None] < length, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        m_i = m_new
    out = acc / l_i[:, None]
    tl.store(out_ptr + (head * length + offs_m[:, None]) * D + offs_d[None, :], out.to(tl.float16),
             mask=offs_m[:, None] < length)


def slopes_and_biases_reference(q_ptr, k_ptr, v_ptr, bias_ptr, slopes_ptr, scale, L, KIND):
    score = np.einsum("hid,hjd->hij", q_ptr, k_ptr) * scale
    if KIND == 0:
        score = score - slopes_ptr[:, None, None] * np.abs(np.arange(L)[:, None] - np.arange(L))
    else:
        score = score + (bias_ptr[:, :1] if KIND == 1 else bias_ptr)
    return softmax_of(score) @ v_ptr


@triton.jit
def with_sinks(q_ptr, k_ptr, v_ptr, sinks_ptr, out_ptr, length, window, scale, D: tl.constexpr,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """A learned score takes part in the sum, and nothing of it in the result."""
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    log2e: tl.constexpr = 1.44269504
    q = tl.load(q_ptr + (head * length + offs_m[:, None]) * D + offs_d[None, :], mask=offs_m[:, None] < length,
                other=0.0)
    q = (q * scale).to(q_ptr.dtype.element_ty)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) + tl.load(sinks_ptr + head) * log2e
    l_i = tl.full([BLOCK_M], 1.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    first = tl.maximum(0, start_m * BLOCK_M - window) // BLOCK_N
    last = tl.cdiv(tl.minimum((start_m + 1) * BLOCK_M, length), BLOCK_N)
    for block in range(first, last):
        at = block * BLOCK_N + offs_n
        k = tl.load(k_ptr + (head * length + at[None, :]) * D + offs_d[:, None], mask=at[None, :] < length, other=0.0)
        v = tl.load(v_ptr + (head * length + at[:, None]) * D + offs_d[None, :], mask=at[:, None] < length, other=0.0)
        qk = tl.dot(q, k) * log2e
        distance = offs_m[:, None] - at[None, :]
        qk = tl.where((distance >= 0) & (distance < window), qk, -1.0e30)
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        alpha = tl.exp2(m_i - m_new)
        p = tl.exp2(qk - m_new[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        acc += tl.dot(p.to(v.dtype), v)
        m_i = m_new
    tl.store(out_ptr + (head * length + offs_m[:, None]) * D + offs_d[None, :],
             (acc / l_i[:, None]).to(out_ptr.dtype.element_ty), mask=offs_m[:, None] < length)


def with_sinks_reference(q_ptr, k_ptr, v_ptr, sinks_ptr, scale, H, L, W):
    score = np.einsum("hid,hjd->hij", q_ptr, k_ptr) * scale
    distance = np.arange(L)[:, None] - np.arange(L)
    score = np.where((distance >= 0) & (distance < W), score, -np.inf)
    score = np.concatenate([score, np.broadcast_to(sinks_ptr[:, None, None], (H, L, 1))], axis=2)
    return softmax_of(score)[:, :, :-1] @ v_ptr


@triton.jit
def by_block_pointers(Q, K, V, Out, sm_scale, stride_h, stride_m, stride_d, N_CTX, HEAD_DIM: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRE_LOAD_V: tl.constexpr):
    start_m = tl.program_id(0)
    offset = tl.program_id(1).to(tl.int64) * stride_h
    Q_block_ptr = tl.make_block_ptr(base=Q + offset, shape=(N_CTX, HEAD_DIM), strides=(stride_m, stride_d),
                                    offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
    K_block_ptr = tl.make_block_ptr(base=K + offset, shape=(HEAD_DIM, N_CTX), strides=(stride_d, stride_m),
                                    offsets=(0, 0), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1))
    V_block_ptr = tl.make_block_ptr(base=V + offset, shape=(N_CTX, HEAD_DIM), strides=(stride_m, stride_d),
                                    offsets=(0, 0), block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0))
    O_block_ptr = tl.make_block_ptr(base=Out + offset, shape=(N_CTX, HEAD_DIM), strides=(stride_m, stride_d),
                                    offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    q = tl.load(Q_block_ptr)
    q = (q * (sm_scale * 1.44269504)).to(K.dtype.element_ty)
    for start_n in range(0, (start_m + 1) * BLOCK_M, BLOCK_N):
        k = tl.load(K_block_ptr)
        if PRE_LOAD_V:
            v = tl.load(V_block_ptr)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk = tl.where(offs_m[:, None] >= (start_n + offs_n[None, :]), qk, float("-inf"))
        qk += tl.dot(q, k)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        acc = acc * alpha[:, None]
        if not PRE_LOAD_V:
            v = tl.load(V_block_ptr)
        acc += tl.dot(p.to(v.dtype), v)
        l_i = l_i * alpha + tl.sum(p, 1)
        m_i = m_ij
        K_block_ptr = tl.advance(K_block_ptr, (0, BLOCK_N))
        V_block_ptr = tl.advance(V_block_ptr, (BLOCK_N, 0))
    acc = acc / l_i[:, None]
    tl.store(O_block_ptr, acc.to(Out.dtype.element_ty))


def by_block_pointers_reference(Q, K, V, sm_scale, L):
    score = np.einsum("hid,hjd->hij", Q, K) * sm_scale
    return softmax_of(np.where(below(L, L), score, -np.inf)) @ V


@triton.jit
def deep_keys(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, H, NOPE: tl.constexpr, ROPE: tl.constexpr,
              DV: tl.constexpr, BLOCK_ROPE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Keys in two parts, one of a power of two and a smaller one that carries positions; values are narrower."""
    DQ: tl.constexpr = NOPE + ROPE
    head = tl.program_id(1)
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, NOPE)
    offs_r = NOPE + tl.arange(0, BLOCK_ROPE)
    offs_v = tl.arange(0, DV)
    q_rows = (offs_m[:, None] * H + head) * DQ
    q = tl.load(q_ptr + q_rows + offs_d[None, :], mask=offs_m[:, None] < length, other=0.0)
    q_r = tl.load(q_ptr + q_rows + offs_r[None, :], mask=(offs_m[:, None] < length) & (offs_r[None, :] < DQ),
                  other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, DV], dtype=tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, length)
    for start_n in range(0, end, BLOCK_N):
        at = start_n + offs_n
        k_rows = (at[None, :] * H + head) * DQ
        k = tl.load(k_ptr + k_rows + offs_d[:, None], mask=at[None, :] < length, other=0.0)
        qk = tl.dot(q, k)
        k_r = tl.load(k_ptr + k_rows + offs_r[:, None], mask=(at[None, :] < length) & (offs_r[:, None] < DQ),
                      other=0.0)
        qk += tl.dot(q_r, k_r)
        qk = tl.where(at[None, :] <= offs_m[:, None], qk * scale, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (at[:, None] * H + head) * DV + offs_v[None, :], mask=at[:, None] < length, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    tl.store(out_ptr + (offs_m[:, None] * H + head) * DV + offs_v[None, :], (acc / l_i[:, None]).to(tl.float16),
             mask=offs_m[:, None] < length)


def deep_keys_reference(q_ptr, k_ptr, v_ptr, scale, L):
    score = np.einsum("ihd,jhd->hij", q_ptr, k_ptr) * scale
    return np.einsum("hij,jhd->ihd", softmax_of(np.where(below(L, L), score, -np.inf)), v_ptr)


@triton.jit
def blocks_by_layout(q_ptr, k_ptr, v_ptr, layout_ptr, out_ptr, scale, length, D: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Blocks that a layout leaves out are skipped by a branch around both products."""
    start_m = tl.program_id(0)
    base = tl.program_id(1) * length * D
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    q = tl.load(q_ptr + base + offs_m[:, None] * D + offs_d[None, :])
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    blocks = length // BLOCK_N
    for block in range(blocks):
        wanted = tl.load(layout_ptr + start_m * blocks + block)
        if wanted != 0:
            at = block * BLOCK_N + offs_n
            k = tl.load(k_ptr + base + at[:, None] * D + offs_d[None, :])
            qk = tl.dot(q, tl.trans(k)) * scale
            m_new = tl.maximum(m_i, tl.max(qk, 1))
            p = tl.exp(qk - m_new[:, None])
            alpha = tl.exp(m_i - m_new)
            l_i = l_i * alpha + tl.sum(p, 1)
            v = tl.load(v_ptr + base + at[:, None] * D + offs_d[None, :])
            acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
            m_i = m_new
    out = acc / l_i[:, None]
    tl.store(out_ptr + base + offs_m[:, None] * D + offs_d[None, :], out.to(tl.float16))


def blocks_by_layout_reference(q_ptr, k_ptr, v_ptr, layout_ptr, scale, BLOCK_M, BLOCK_N):
    score = np.einsum("hid,hjd->hij", q_ptr, k_ptr) * scale
    seen = np.repeat(np.repeat(layout_ptr != 0, BLOCK_M, axis=0), BLOCK_N, axis=1)
    power = np.where(seen, np.exp(score), 0)
    return power @ v_ptr / (1 + power.sum(axis=2, keepdims=True))
