# Gradients of attention as libraries write them: the sums of gradient times result, a kernel for keys and values and
# one for queries, both from one program's loops, all in one with atomic additions, by pieces of ragged sequences.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: prepare
# TYPES: fp16 bf16
# SIZES: H=2 L=65 D=32 | H=1 L=1 D=64
# BENCH: H=64 L=4096 D=128 T=bf16 BLOCK_M=64
# ARG: O randn:T[H,L,D]
# ARG: DO randn:T[H,L,D]
# ARG: Delta empty:fp32[H,L]
# ARG: N_CTX L
# CONST: BLOCK_M 32
# CONST: HEAD_DIM D
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: Delta 1e-4 1e-4
#
# KERNEL: keys_and_values
# TYPES: fp16 bf16
# SIZES: H=2 L=128 D=64 CAUSAL=1 | H=1 L=64 D=32 CAUSAL=0
# BENCH: H=16 L=4096 D=64 CAUSAL=1 T=bf16 BLOCK_N1=128 num_warps=4 num_stages=5
# ARG: Q randn:T[H,L,D]
# ARG: K randn:T[H,L,D]
# ARG: V randn:T[H,L,D]
# ARG: sm_scale 0.15
# ARG: DO randn:T[H,L,D]
# ARG: M randn(6,0.2):fp32[H,L]
# ARG: Delta randn:fp32[H,L]
# ARG: DK empty:fp32[H,L,D]
# ARG: DV empty:fp32[H,L,D]
# ARG: stride_tok D
# ARG: stride_d 1
# ARG: N_CTX L
# CONST: BLOCK_M1 32
# CONST: BLOCK_N1 64
# CONST: HEAD_DIM D
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, BLOCK_N1), H
# TOLERANCE: DK 2e-2 5e-2
# TOLERANCE: DV 2e-2 5e-2
#
# KERNEL: queries
# TYPES: fp16 bf16
# SIZES: H=2 L=100 D=64 CAUSAL=1 | H=1 L=65 D=32 CAUSAL=0
# BENCH: H=16 L=4096 D=64 CAUSAL=1 T=bf16 BLOCK_M=128 BLOCK_N=64 num_warps=4
# ARG: Q randn:T[H,L,D]
# ARG: K randn:T[H,L,D]
# ARG: V randn:T[H,L,D]
# ARG: sm_scale 0.15
# ARG: DO randn:T[H,L,D]
# ARG: Lse randn(6,0.2):fp32[H,L]
# ARG: Delta randn:fp32[H,L]
# ARG: DQ empty:fp32[H,L,D]
# ARG: N_CTX L
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: HEAD_DIM D
# CONST: CAUSAL CAUSAL
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: DQ 2e-2 5e-2
#
# KERNEL: all_in_one
# SIZES: L=100 H=2 D=64 CAUSAL=1 | L=64 H=1 D=48 CAUSAL=0
# BENCH: L=4096 H=16 D=64 CAUSAL=1 BLOCK_M=128 BLOCK_N=128 num_warps=8 num_stages=1
# ARG: Q randn:bf16[L,H,D]
# ARG: K randn:bf16[L,H,D]
# ARG: V randn:bf16[L,H,D]
# ARG: DO randn:bf16[L,H,D]
# ARG: DQ zeros:fp32[L,H,D]
# ARG: DK empty:bf16[L,H,D]
# ARG: DV empty:bf16[L,H,D]
# ARG: LSE randn(6,0.2):fp32[H,L]
# ARG: D randn:fp32[H,L]
# ARG: softmax_scale 0.15
# ARG: stride_m H*D
# ARG: seqlen L
# ARG: headdim D
# CONST: IS_CAUSAL CAUSAL
# CONST: BLOCK_HEADDIM next_power_of_2(D)
# CONST: ATOMIC_ADD True
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# GRID: cdiv(L, BLOCK_N), H
# CHECK: DQ DK DV
# TOLERANCE: DQ 2e-2 5e-2
# TOLERANCE: DK 3e-2 5e-2
# TOLERANCE: DV 3e-2 5e-2
# REFERENCE: all_in_one_reference
#
# KERNEL: both_in_turn
# SIZES: H=2 L=128 D=64
# BENCH: H=16 L=4096 D=64 BLOCK_N1=128 BLOCK_M2=128 num_warps=4 num_stages=5
# ARG: Q randn:fp16[H,L,D]
# ARG: K randn:fp16[H,L,D]
# ARG: V randn:fp16[H,L,D]
# ARG: sm_scale 0.15
# ARG: DO randn:fp16[H,L,D]
# ARG: DQ empty:fp16[H,L,D]
# ARG: DK empty:fp16[H,L,D]
# ARG: DV empty:fp16[H,L,D]
# ARG: M randn(9,0.2):fp32[H,L]
# ARG: Delta randn:fp32[H,L]
# ARG: stride_tok D
# ARG: stride_d 1
# ARG: N_CTX L
# CONST: BLOCK_M1 32
# CONST: BLOCK_N1 64
# CONST: BLOCK_M2 64
# CONST: BLOCK_N2 32
# CONST: BLK_SLICE_FACTOR 2
# CONST: HEAD_DIM D
# GRID: cdiv(L, BLOCK_N1), 1, H
# TOLERANCE: DQ 2e-2 5e-2
# TOLERANCE: DK 2e-2 5e-2
# TOLERANCE: DV 2e-2 5e-2
#
# KERNEL: bias_gradient
# SIZES: H=2 L=65 D=32
# BENCH: H=16 L=2048 D=64 BLOCK=128 num_warps=8
# ARG: q_ptr randn:bf16[H,L,D]
# ARG: k_ptr randn:bf16[H,L,D]
# ARG: v_ptr randn:bf16[H,L,D]
# ARG: do_ptr randn:bf16[H,L,D]
# ARG: bias_ptr randn:bf16[H,L,L]
# ARG: lse_ptr randn(6,0.2):fp32[H,L]
# ARG: delta_ptr randn:fp32[H,L]
# ARG: dbias_ptr empty:fp32[H,L,L]
# ARG: scale 0.15
# ARG: length L
# CONST: D D
# CONST: BLOCK 64
# GRID: cdiv(L, BLOCK), cdiv(L, BLOCK), H
# TOLERANCE: dbias_ptr 2e-2 3e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def prepare(O, DO, Delta, N_CTX, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr):
    off_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    off_h = tl.program_id(1)
    off_n = tl.arange(0, HEAD_DIM)
    at = off_h * HEAD_DIM * N_CTX + off_m[:, None] * HEAD_DIM + off_n[None, :]
    o = tl.load(O + at, mask=off_m[:, None] < N_CTX, other=0.0).to(tl.float32)
    do = tl.load(DO + at, mask=off_m[:, None] < N_CTX, other=0.0).to(tl.float32)
    delta = tl.sum(o * do, axis=1)
    tl.store(Delta + off_h * N_CTX + off_m, delta, mask=off_m < N_CTX)


def prepare_reference(O, DO):
    return (O * DO).sum(axis=-1)


def gradients(Q, K, V, DO, lse, delta, scale, causal):
    """From the logarithms of the sums in base e."""
    score = np.einsum("hid,hjd->hij", Q, K) * scale
    p = np.exp(score - lse[..., None])
    if causal:
        p = p * np.tril(np.ones(p.shape[1:]))
    ds = p * (np.einsum("hid,hjd->hij", DO, V) - delta[..., None])
    return (np.einsum("hij,hjd->hid", ds, K) * scale, np.einsum("hij,hid->hjd", ds, Q) * scale,
            np.einsum("hij,hid->hjd", p, DO))


@triton.jit
def dkdv(dk, dv, Q, k, v, sm_scale, DO, M, D, stride_tok, stride_d, N_CTX, BLOCK_M1: tl.constexpr,
         BLOCK_N1: tl.constexpr, HEAD_DIM: tl.constexpr, start_n, start_m, num_steps, MASK: tl.constexpr):
    offs_m = start_m + tl.arange(0, BLOCK_M1)
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    offs_k = tl.arange(0, HEAD_DIM)
    qT_ptrs = Q + offs_m[None, :] * stride_tok + offs_k[:, None] * stride_d
    do_ptrs = DO + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d
    tl.static_assert(BLOCK_N1 % BLOCK_M1 == 0)
    curr_m = start_m
    step_m = BLOCK_M1
    for blk_idx in range(num_steps):
        qT = tl.load(qT_ptrs)
        offs_m = curr_m + tl.arange(0, BLOCK_M1)
        m = tl.load(M + offs_m)
        qkT = tl.dot(k, qT)
        pT = tl.math.exp2(qkT - m[None, :])
        if MASK:
            mask = offs_m[None, :] >= offs_n[:, None]
            pT = tl.where(mask, pT, 0.0)
        do = tl.load(do_ptrs)
        ppT = pT
        ppT = ppT.to(do.dtype)
        dv += tl.dot(ppT, do)
        Di = tl.load(D + offs_m)
        dpT = tl.dot(v, tl.trans(do)).to(tl.float32)
        dsT = pT * (dpT - Di[None, :])
        dsT = dsT.to(do.dtype)
        dk += tl.dot(dsT, tl.trans(qT))
        curr_m += step_m
        qT_ptrs += step_m * stride_tok
        do_ptrs += step_m * stride_tok
    return dk, dv


@triton.jit
def dq_of(dq, q, K, V, do, m, D, stride_tok, stride_d, N_CTX, BLOCK_M2: tl.constexpr, BLOCK_N2: tl.constexpr,
          HEAD_DIM: tl.constexpr, start_m, start_n, num_steps, MASK: tl.constexpr):
    offs_m = start_m + tl.arange(0, BLOCK_M2)
    offs_n = start_n + tl.arange(0, BLOCK_N2)
    offs_k = tl.arange(0, HEAD_DIM)
    kT_ptrs = K + offs_n[None, :] * stride_tok + offs_k[:, None] * stride_d
    vT_ptrs = V + offs_n[None, :] * stride_tok + offs_k[:, None] * stride_d
    Di = tl.load(D + offs_m)
    tl.static_assert(BLOCK_M2 % BLOCK_N2 == 0)
    curr_n = start_n
    step_n = BLOCK_N2
    for blk_idx in range(num_steps):
        kT = tl.load(kT_ptrs)
        vT = tl.load(vT_ptrs)
        qk = tl.dot(q, kT)
        p = tl.math.exp2(qk - m)
        if MASK:
            offs_n = curr_n + tl.arange(0, BLOCK_N2)
            mask = offs_m[:, None] >= offs_n[None, :]
            p = tl.where(mask, p, 0.0)
        dp = tl.dot(do, vT).to(tl.float32)
        ds = p * (dp - Di[:, None])
        ds = ds.to(kT.dtype)
        dq += tl.dot(ds, tl.trans(kT))
        curr_n += step_n
        kT_ptrs += step_n * stride_tok
        vT_ptrs += step_n * stride_tok
    return dq


@triton.jit
def keys_and_values(Q, K, V, sm_scale, DO, M, Delta, DK, DV, stride_tok, stride_d, N_CTX, BLOCK_M1: tl.constexpr,
                    BLOCK_N1: tl.constexpr, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr):
    start_n = tl.program_id(0) * BLOCK_N1
    base = (tl.program_id(1) * N_CTX * HEAD_DIM).to(tl.int64)
    Q += base
    K += base
    V += base
    DO += base
    M += tl.program_id(1) * N_CTX
    Delta += tl.program_id(1) * N_CTX
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    offs_k = tl.arange(0, HEAD_DIM)
    at = offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d
    k = tl.load(K + at)
    k = (k * (sm_scale * 1.44269504)).to(K.dtype.element_ty)
    v = tl.load(V + at)
    dv = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    start_m = 0
    if CAUSAL:
        start_m = start_n
        dk, dv = dkdv(dk, dv, Q, k, v, sm_scale, DO, M, Delta, stride_tok, stride_d, N_CTX, BLOCK_M1, BLOCK_N1,
                      HEAD_DIM, start_n, start_m, BLOCK_N1 // BLOCK_M1, MASK=True)
        start_m += BLOCK_N1
    dk, dv = dkdv(dk, dv, Q, k, v, sm_scale, DO, M, Delta, stride_tok, stride_d, N_CTX, BLOCK_M1, BLOCK_N1, HEAD_DIM,
                  start_n, start_m, (N_CTX - start_m) // BLOCK_M1, MASK=False)
    tl.store(DV + base + at, dv)
    tl.store(DK + base + at, dk * sm_scale)


def keys_and_values_reference(Q, K, V, sm_scale, DO, M, Delta, CAUSAL):
    _, dk, dv = gradients(Q, K, V, DO, M * np.log(2), Delta, sm_scale, CAUSAL)
    return {"DK": dk, "DV": dv}


@triton.jit
def queries(Q, K, V, sm_scale, DO, Lse, Delta, DQ, N_CTX, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr):
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_k = tl.arange(0, HEAD_DIM)
    at = head * N_CTX * HEAD_DIM + offs_m[:, None] * HEAD_DIM + offs_k[None, :]
    q = tl.load(Q + at, mask=offs_m[:, None] < N_CTX, other=0.0)
    do = tl.load(DO + at, mask=offs_m[:, None] < N_CTX, other=0.0)
    lse = tl.load(Lse + head * N_CTX + offs_m, mask=offs_m < N_CTX, other=float("inf"))
    delta = tl.load(Delta + head * N_CTX + offs_m, mask=offs_m < N_CTX, other=0.0)
    dq = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    end = tl.minimum((start_m + 1) * BLOCK_M, N_CTX) if CAUSAL else N_CTX
    for start_n in tl.range(0, end, BLOCK_N, num_stages=2):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        from_n = head * N_CTX * HEAD_DIM + offs_n[:, None] * HEAD_DIM + offs_k[None, :]
        k = tl.load(K + from_n, mask=offs_n[:, None] < N_CTX, other=0.0)
        v = tl.load(V + from_n, mask=offs_n[:, None] < N_CTX, other=0.0)
        qk = tl.dot(q, k.T) * sm_scale
        p = tl.exp(qk - lse[:, None])
        if CAUSAL:
            p = tl.where(offs_m[:, None] >= offs_n[None, :], p, 0.0)
        dp = tl.dot(do, v.T)
        ds = (p * (dp - delta[:, None])).to(k.dtype)
        dq = tl.dot(ds, k, dq)
    tl.store(DQ + at, dq * sm_scale, mask=offs_m[:, None] < N_CTX)


def queries_reference(Q, K, V, sm_scale, DO, Lse, Delta, CAUSAL):
    return gradients(Q, K, V, DO, Lse, Delta, sm_scale, CAUSAL)[0]


@triton.jit
def all_in_one(Q, K, V, DO, DQ, DK, DV, LSE, D, softmax_scale, stride_m, seqlen, headdim, IS_CAUSAL: tl.constexpr,
               BLOCK_HEADDIM: tl.constexpr, ATOMIC_ADD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Five products an iteration: scores, dV, dP, dK, and dQ, which all programs of a head add to."""
    start_n = tl.program_id(0)
    off_h = tl.program_id(1)
    Q += off_h * headdim
    K += off_h * headdim
    V += off_h * headdim
    DO += off_h * headdim
    DQ += off_h * headdim
    DK += off_h * headdim
    DV += off_h * headdim
    LSE += off_h * seqlen
    D += off_h * seqlen
    begin_m = 0 if not IS_CAUSAL else ((start_n * BLOCK_N) // BLOCK_M) * BLOCK_M
    offs_qm = begin_m + tl.arange(0, BLOCK_M)
    offs_n = start_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_m = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, BLOCK_HEADDIM)
    q_ptrs = Q + (offs_qm[:, None] * stride_m + offs_d[None, :])
    do_ptrs = DO + (offs_qm[:, None] * stride_m + offs_d[None, :])
    dq_ptrs = DQ + (offs_qm[:, None] * stride_m + offs_d[None, :])
    n_mask = (offs_n[:, None] < seqlen) & (offs_d[None, :] < headdim)
    k = tl.load(K + (offs_n[:, None] * stride_m + offs_d[None, :]), mask=n_mask, other=0.0)
    v = tl.load(V + (offs_n[:, None] * stride_m + offs_d[None, :]), mask=n_mask, other=0.0)
    dv = tl.zeros([BLOCK_N, BLOCK_HEADDIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N, BLOCK_HEADDIM], dtype=tl.float32)
    num_block_m = tl.cdiv(seqlen, BLOCK_M)
    for start_m in range(begin_m, num_block_m * BLOCK_M, BLOCK_M):
        start_m = tl.multiple_of(start_m, BLOCK_M)
        offs_m_curr = start_m + offs_m
        m_mask = (offs_m_curr[:, None] < seqlen) & (offs_d[None, :] < headdim)
        q = tl.load(q_ptrs, mask=m_mask, other=0.0)
        qk = tl.dot(q, tl.trans(k))
        qk = tl.where(offs_n[None, :] < seqlen, qk, float("-inf"))
        if IS_CAUSAL:
            qk = tl.where(offs_m_curr[:, None] >= (offs_n[None, :]), qk, float("-inf"))
        lse_i = tl.load(LSE + offs_m_curr, mask=offs_m_curr < seqlen, other=float("inf"))
        p = tl.exp(qk * softmax_scale - lse_i[:, None])
        do = tl.load(do_ptrs, mask=m_mask, other=0.0)
        dv += tl.dot(tl.trans(p.to(do.dtype)), do)
        dp = tl.dot(do, tl.trans(v))
        Di = tl.load(D + offs_m_curr, mask=offs_m_curr < seqlen, other=0.0)
        ds = (p * (dp - Di[:, None]) * softmax_scale).to(q.dtype)
        dk += tl.dot(tl.trans(ds), q)
        if not ATOMIC_ADD:
            dq = tl.load(dq_ptrs, mask=m_mask, other=0.0, eviction_policy="evict_last")
            dq += tl.dot(ds, k)
            tl.store(dq_ptrs, dq, mask=m_mask, eviction_policy="evict_last")
        else:
            dq = tl.dot(ds, k)
            tl.atomic_add(dq_ptrs, dq, mask=m_mask)
        dq_ptrs += BLOCK_M * stride_m
        q_ptrs += BLOCK_M * stride_m
        do_ptrs += BLOCK_M * stride_m
    tl.store(DV + (offs_n[:, None] * stride_m + offs_d[None, :]), dv, mask=n_mask)
    tl.store(DK + (offs_n[:, None] * stride_m + offs_d[None, :]), dk, mask=n_mask)


def all_in_one_reference(Q, K, V, DO, LSE, D, softmax_scale, CAUSAL, H, L):
    # The size of a head and the sums have one name.
    heads = [x.transpose(1, 0, 2) for x in (Q, K, V, DO)]
    dq, dk, dv = gradients(*heads, LSE, D, softmax_scale, CAUSAL)
    return {"DQ": dq.transpose(1, 0, 2), "DK": dk.transpose(1, 0, 2), "DV": dv.transpose(1, 0, 2)}


@triton.jit
def both_in_turn(Q, K, V, sm_scale, DO, DQ, DK, DV, M, Delta, stride_tok, stride_d, N_CTX, BLOCK_M1: tl.constexpr,
                 BLOCK_N1: tl.constexpr, BLOCK_M2: tl.constexpr, BLOCK_N2: tl.constexpr,
                 BLK_SLICE_FACTOR: tl.constexpr, HEAD_DIM: tl.constexpr):
    """Keys and values of a block, then its queries: four loops of the helpers above."""
    LN2: tl.constexpr = 0.6931471824645996
    RCP_LN2: tl.constexpr = 1.4426950408889634
    head = tl.program_id(2)
    adj = (head * N_CTX * HEAD_DIM).to(tl.int64)
    off_chz = (head * N_CTX).to(tl.int64)
    pid = tl.program_id(0)
    Q += adj
    K += adj
    V += adj
    DO += adj
    DQ += adj
    DK += adj
    DV += adj
    M += off_chz
    Delta += off_chz
    offs_k = tl.arange(0, HEAD_DIM)
    start_n = pid * BLOCK_N1
    start_m = start_n
    MASK_BLOCK_M1: tl.constexpr = BLOCK_M1 // BLK_SLICE_FACTOR
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    dv = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    k = tl.load(K + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d)
    v = tl.load(V + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d)
    ks = (k * (sm_scale * RCP_LN2)).to(k.dtype)
    num_steps = BLOCK_N1 // MASK_BLOCK_M1
    dk, dv = dkdv(dk, dv, Q, ks, v, sm_scale, DO, M, Delta, stride_tok, stride_d, N_CTX, MASK_BLOCK_M1, BLOCK_N1,
                  HEAD_DIM, start_n, start_m, num_steps, MASK=True)
    start_m += num_steps * MASK_BLOCK_M1
    num_steps = (N_CTX - start_m) // BLOCK_M1
    dk, dv = dkdv(dk, dv, Q, ks, v, sm_scale, DO, M, Delta, stride_tok, stride_d, N_CTX, BLOCK_M1, BLOCK_N1, HEAD_DIM,
                  start_n, start_m, num_steps, MASK=False)
    tl.store(DV + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d, dv)
    dk *= sm_scale
    tl.store(DK + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d, dk)
    start_m = pid * BLOCK_M2
    end_n = start_m + BLOCK_M2
    MASK_BLOCK_N2: tl.constexpr = BLOCK_N2 // BLK_SLICE_FACTOR
    offs_m = start_m + tl.arange(0, BLOCK_M2)
    q = tl.load(Q + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d)
    q = (q * (sm_scale * RCP_LN2)).to(q.dtype)
    dq = tl.zeros([BLOCK_M2, HEAD_DIM], dtype=tl.float32)
    do = tl.load(DO + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d)
    m = tl.load(M + offs_m)
    m = m[:, None]
    num_steps = BLOCK_M2 // MASK_BLOCK_N2
    dq = dq_of(dq, q, K, V, do, m, Delta, stride_tok, stride_d, N_CTX, BLOCK_M2, MASK_BLOCK_N2, HEAD_DIM, start_m,
               end_n - num_steps * MASK_BLOCK_N2, num_steps, MASK=True)
    end_n -= num_steps * MASK_BLOCK_N2
    num_steps = end_n // BLOCK_N2
    dq = dq_of(dq, q, K, V, do, m, Delta, stride_tok, stride_d, N_CTX, BLOCK_M2, BLOCK_N2, HEAD_DIM, start_m,
               end_n - num_steps * BLOCK_N2, num_steps, MASK=False)
    dq *= LN2 * (sm_scale * RCP_LN2)
    tl.store(DQ + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d, dq)


def both_in_turn_reference(Q, K, V, sm_scale, DO, M, Delta):
    dq, dk, dv = gradients(Q, K, V, DO, M * np.log(2), Delta, sm_scale, True)
    return {"DQ": dq, "DK": dk, "DV": dv}


@triton.jit
def bias_gradient(q_ptr, k_ptr, v_ptr, do_ptr, bias_ptr, lse_ptr, delta_ptr, dbias_ptr, scale, length,
                  D: tl.constexpr, BLOCK: tl.constexpr):
    """One tile of scores a program, from two products without any loop."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    head = tl.program_id(2)
    offs_d = tl.arange(0, D)
    row_at = (head * length + rows[:, None]) * D + offs_d[None, :]
    column_at = (head * length + columns[:, None]) * D + offs_d[None, :]
    q = tl.load(q_ptr + row_at, mask=rows[:, None] < length, other=0.0)
    do = tl.load(do_ptr + row_at, mask=rows[:, None] < length, other=0.0)
    k = tl.load(k_ptr + column_at, mask=columns[:, None] < length, other=0.0)
    v = tl.load(v_ptr + column_at, mask=columns[:, None] < length, other=0.0)
    mask = (rows[:, None] < length) & (columns[None, :] < length)
    at = (head * length + rows[:, None]) * length + columns[None, :]
    bias = tl.load(bias_ptr + at, mask=mask, other=0.0).to(tl.float32)
    lse = tl.load(lse_ptr + head * length + rows, mask=rows < length, other=0.0)
    delta = tl.load(delta_ptr + head * length + rows, mask=rows < length, other=0.0)
    p = tl.exp(tl.dot(q, tl.trans(k)) * scale + bias - lse[:, None])
    dp = tl.dot(do, tl.trans(v))
    tl.store(dbias_ptr + at, p * (dp - delta[:, None]), mask=mask)


def bias_gradient_reference(q_ptr, k_ptr, v_ptr, do_ptr, bias_ptr, lse_ptr, delta_ptr, scale):
    score = np.einsum("hid,hjd->hij", q_ptr, k_ptr) * scale + bias_ptr
    return np.exp(score - lse_ptr[..., None]) * (np.einsum("hid,hjd->hij", do_ptr, v_ptr) - delta_ptr[..., None])
