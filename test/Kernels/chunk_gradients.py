# Gradients of linear attention in chunks, and other memories that learn while they read, as libraries write them: the
# gradients of queries, keys and gates; a gradient that is carried from the last chunk to the first; factors of a
# corrected memory and their gradients; weights that are trained within the sequence; a state space's inputs.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: query_key_gate_gradients
# SIZES: L=100 H=2 K=64 V=64 GATE=1 | L=33 H=1 K=32 V=40 GATE=0
# BENCH: L=8192 H=32 K=128 V=128 GATE=1 BT=64 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: q randn:bf16[L,H,K]
# ARG: k randn:bf16[L,H,K]
# ARG: v randn:bf16[L,H,V]
# ARG: h randn:bf16[cdiv(L,BT),H,K,V]
# ARG: g rand(-0.5,0):fp32[L,H]
# ARG: do randn:bf16[L,H,V]
# ARG: dh randn:bf16[cdiv(L,BT),H,K,V]
# ARG: dq empty:bf16[L,H,K]
# ARG: dk empty:bf16[L,H,K]
# ARG: dg empty:fp32[cdiv(K,BK),L,H]
# ARG: scale 0.2
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 32
# CONST: BK 32
# CONST: BV 32
# CONST: USE_G GATE == 1
# CONST: IS_VARLEN False
# CONST: cu_seqlens "None"
# CONST: chunk_indices "None"
# GRID: cdiv(K, BK), cdiv(L, BT), H
# CHECK: dq dk
# TOLERANCE: dq 3e-2 2e-1
# TOLERANCE: dk 3e-2 2e-1
#
# KERNEL: value_gradients
# SIZES: L=100 H=2 K=64 V=40 | L=1 H=1 K=32 V=32
# BENCH: L=16384 H=32 K=128 V=128 BT=64 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: q randn:bf16[L,H,K]
# ARG: k randn:bf16[L,H,K]
# ARG: g rand(-0.5,0):fp32[L,H]
# ARG: do randn:bf16[L,H,V]
# ARG: dh randn:bf16[cdiv(L,BT),H,K,V]
# ARG: dv empty:bf16[L,H,V]
# ARG: scale 0.2
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# CONST: USE_G True
# GRID: cdiv(V, BV), cdiv(L, BT), H
# TOLERANCE: dv 3e-2 2e-1
#
# KERNEL: memory_from_the_end
# SIZES: L=100 H=2 K=128 V=32 | L=40 H=1 K=64 V=48
# BENCH: L=8192 H=32 K=128 V=128 BT=64 BV=32 num_warps=4 num_stages=2
# ARG: q randn(0,0.3):bf16[L,H,K]
# ARG: k randn(0,0.4/K**0.5):bf16[L,H,K]
# ARG: w randn(0,0.4/K**0.5):bf16[L,H,K]
# ARG: g rand(-0.5,0):fp32[L,H]
# ARG: do randn:bf16[L,H,V]
# ARG: dv randn:bf16[L,H,V]
# ARG: dht randn:fp32[H,K,V]
# ARG: dh empty:bf16[cdiv(L,BT),H,K,V]
# ARG: dv2 empty:bf16[L,H,V]
# ARG: dh0 empty:fp32[H,K,V]
# ARG: scale 0.2
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 32
# CONST: BV 32
# CONST: USE_G True
# CONST: USE_FINAL_STATE_GRADIENT True
# CONST: USE_INITIAL_STATE True
# GRID: cdiv(V, BV), H
# TOLERANCE: dh 3e-2 8e-2
# TOLERANCE: dv2 3e-2 8e-2
# TOLERANCE: dh0 3e-2 8e-2
#
# KERNEL: factors_of_corrections
# SIZES: L=100 H=2 K=64 V=40 GATE=1 | L=17 H=1 K=32 V=64 GATE=0
# BENCH: L=16384 H=32 K=128 V=128 GATE=1 BT=64 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: k randn:bf16[L,H,K]
# ARG: v randn:bf16[L,H,V]
# ARG: beta rand:fp32[L,H]
# ARG: w empty:bf16[L,H,K]
# ARG: u empty:bf16[L,H,V]
# ARG: A randn:bf16[L,H,BT]
# ARG: g rand(-2,0):fp32[L,H]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# CONST: USE_G GATE == 1
# GRID: cdiv(L, BT), H
# TOLERANCE: w 3e-2 1e-1
# TOLERANCE: u 3e-2 1e-1
#
# KERNEL: gradients_of_factors
# SIZES: L=128 H=2 K=64 V=64 | L=50 H=1 K=32 V=32
# BENCH: L=16384 H=32 K=128 V=128 BT=64 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: k randn(0,0.3):bf16[L,H,K]
# ARG: v randn:bf16[L,H,V]
# ARG: beta rand:fp32[L,H]
# ARG: A randn(0,0.3):bf16[L,H,BT]
# ARG: dw randn(0,0.3):bf16[L,H,K]
# ARG: du randn(0,0.3):bf16[L,H,V]
# ARG: dk empty:bf16[L,H,K]
# ARG: dv empty:bf16[L,H,V]
# ARG: dbeta empty:fp32[L,H]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# GRID: cdiv(L, BT), H
# TOLERANCE: dk 4e-2 3e-1
# TOLERANCE: dv 4e-2 3e-1
# TOLERANCE: dbeta 4e-2 6e-1
#
# KERNEL: weights_in_training
# SIZES: L=64 H=2 D=32 | L=50 H=1 D=64
# BENCH: L=4096 H=132 D=64 BT=16 num_warps=4 num_stages=2
# ARG: q randn(0,0.3):bf16[H,L,D]
# ARG: k randn(0,0.3):bf16[H,L,D]
# ARG: v randn:bf16[H,L,D]
# ARG: eta rand(0,0.02):fp32[H,L]
# ARG: w rand(0.5,1.5):fp32[H,D]
# ARG: b randn(0,0.1):fp32[H,D]
# ARG: h0 randn(0,0.1):fp32[H,D,D]
# ARG: o empty:bf16[H,L,D]
# ARG: ht empty:fp32[H,D,D]
# ARG: scale 1.0
# ARG: eps 1e-5
# ARG: T L
# CONST: D D
# CONST: BT 16
# CONST: BD next_power_of_2(D)
# GRID: H
# TOLERANCE: o 3e-2 5e-2*max(1,L/64)
# TOLERANCE: ht 3e-2 5e-2*max(1,L/64)
#
# KERNEL: conjugate_steps
# SIZES: L=64 H=2 K=32 | L=40 H=1 K=64
# BENCH: L=8192 H=16 K=128 BT=64 ITERATIONS=30 num_warps=4 num_stages=2
# ARG: q randn:fp16[L,H,K]
# ARG: k randn(0,0.1):fp16[L,H,K]
# ARG: hkk zeros:fp16[cdiv(L,BT),H,K,K]
# ARG: g rand(-0.1,0):fp32[L,H]
# ARG: lamb rand(0.5,1):fp32[H,K]
# ARG: q_star empty:fp16[L,H,K]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: BT 32
# CONST: ITERATIONS 6
# GRID: cdiv(L, BT), H
# TOLERANCE: q_star 2e-2 3e-2
#
# KERNEL: inputs_of_scan
# TYPES: bf16
# SIZES: L=100 H=2 P=64 N=32 C=64 | L=33 H=4 P=40 N=16 C=32
# BENCH: L=16384 H=32 P=64 N=128 C=256 T=bf16 BLOCK_SIZE_M=64 BLOCK_SIZE_N=64 BLOCK_SIZE_K=32 num_warps=4 num_stages=4
# ARG: x_ptr randn:T[L,H,P]
# ARG: cb_ptr randn:T[cdiv(L,C),C,C]
# ARG: dout_ptr randn:T[L,H,P]
# ARG: b_ptr randn:T[L,N]
# ARG: dstates_ptr randn:T[cdiv(L,C),H,P,N]
# ARG: dt_ptr rand:fp32[H,cdiv(L,C),C]
# ARG: dA_cumsum_ptr rand(-1,0):fp32[H,cdiv(L,C),C]
# ARG: D_ptr randn:fp32[H]
# ARG: dx_ptr empty:T[L,H,P]
# ARG: ddt_ptr zeros:fp32[H,cdiv(L,C),C]
# ARG: chunk_size C
# ARG: hdim P
# ARG: dstate N
# ARG: seqlen L
# ARG: nheads H
# CONST: HAS_D True
# CONST: BLOCK_SIZE_M 32
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 16
# CONST: BLOCK_SIZE_DSTATE max(16, next_power_of_2(N))
# GRID: cdiv(C, BLOCK_SIZE_M) * cdiv(P, BLOCK_SIZE_N), cdiv(L, C), H
# CHECK: dx_ptr ddt_ptr
# TOLERANCE: dx_ptr 3e-2 2e-1
# TOLERANCE: ddt_ptr 3e-2 1.5
import numpy as np
import triton
import triton.language as tl


@triton.heuristics({"USE_G": lambda args: args["g"] is not None,
                    "IS_VARLEN": lambda args: args["cu_seqlens"] is not None})
@triton.jit(do_not_specialize=["T"])
def query_key_gate_gradients(q, k, v, h, g, do, dh, dq, dk, dg, cu_seqlens, chunk_indices, scale, T, H: tl.constexpr,
                             K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
                             USE_G: tl.constexpr, IS_VARLEN: tl.constexpr):
    """Of a chunk, from the states before it and the gradients of the states behind it."""
    i_k, i_t, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    if IS_VARLEN:
        i_n, i_t = (tl.load(chunk_indices + i_t * 2).to(tl.int32), tl.load(chunk_indices + i_t * 2 + 1).to(tl.int32))
        bos, eos = tl.load(cu_seqlens + i_n).to(tl.int32), tl.load(cu_seqlens + i_n + 1).to(tl.int32)
        T = eos - bos
    v += i_h * V
    do += i_h * V
    h += (i_t * H + i_h).to(tl.int64) * K * V
    dh += (i_t * H + i_h).to(tl.int64) * K * V
    q += i_h * K
    k += i_h * K
    dq += i_h * K
    dk += i_h * K
    b_dq = tl.zeros([BT, BK], dtype=tl.float32)
    b_dk = tl.zeros([BT, BK], dtype=tl.float32)
    b_ds = tl.zeros([BT, BT], dtype=tl.float32)
    b_dg_last = tl.zeros([1], dtype=tl.float32) if USE_G else None
    for i_v in range(tl.cdiv(V, BV)):
        p_v = tl.make_block_ptr(v, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_do = tl.make_block_ptr(do, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_h = tl.make_block_ptr(h, (V, K), (1, V), (i_v * BV, i_k * BK), (BV, BK), (0, 1))
        p_dh = tl.make_block_ptr(dh, (V, K), (1, V), (i_v * BV, i_k * BK), (BV, BK), (0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_do = tl.load(p_do, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        b_dh = tl.load(p_dh, boundary_check=(0, 1))
        if USE_G:
            b_dg_last += tl.sum(b_h.to(tl.float32) * b_dh.to(tl.float32))
        b_ds += tl.dot(b_do, tl.trans(b_v))
        b_dq += tl.dot(b_do, b_h.to(b_do.dtype))
        b_dk += tl.dot(b_v, b_dh.to(b_v.dtype))
    p_q = tl.make_block_ptr(q, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    p_k = tl.make_block_ptr(k, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    b_q = tl.load(p_q, boundary_check=(0, 1))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    p_dq = tl.make_block_ptr(dq, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    p_dk = tl.make_block_ptr(dk, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t)
    if USE_G:
        b_dg = tl.zeros([BT], dtype=tl.float32)
        g += i_h
        dg += i_k.to(tl.int64) * T * H + i_h
        p_g = tl.make_block_ptr(g, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        b_g_last = tl.load(g + (min(i_t * BT + BT, T) - 1) * H)
        b_dg_last *= tl.exp(b_g_last)
        b_dq = b_dq * tl.exp(b_g)[:, None] * scale
        b_dg += tl.sum(b_dq * b_q, axis=1)
        b_dk = b_dk * tl.where(m_t, tl.exp(-b_g + b_g_last), 0)[:, None]
        b_dg -= tl.sum(b_k * b_dk, axis=1)
        b_dg_last += tl.sum(b_dk * b_k)
        b_ds = tl.where(m_A, b_ds * tl.exp(b_g[:, None] - b_g[None, :]), 0) * scale
        b_ds2 = b_ds * tl.dot(b_q, tl.trans(b_k))
        b_dg += tl.sum(b_ds2, axis=1)
        b_dg -= tl.sum(b_ds2, axis=0)
        b_ds = b_ds.to(b_k.dtype)
        b_dq += tl.dot(b_ds, b_k)
        b_dk += tl.dot(tl.trans(b_ds), b_q)
        p_dg = tl.make_block_ptr(dg, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_dg = tl.where(o_t < min(i_t * BT + BT, T) - 1, b_dg, b_dg + b_dg_last)
        tl.store(p_dg, b_dg.to(p_dg.dtype.element_ty), boundary_check=(0,))
    else:
        b_ds = tl.where(m_A, b_ds, 0).to(b_k.dtype)
        b_dq += tl.dot(b_ds, b_k)
        b_dk += tl.dot(tl.trans(b_ds), b_q) * scale
        b_dq *= scale
    tl.store(p_dq, b_dq.to(p_dq.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p_dk, b_dk.to(p_dk.dtype.element_ty), boundary_check=(0, 1))


def chunks_of(L, BT):
    return [(i, slice(i * BT, min(i * BT + BT, L))) for i in range(-(-L // BT))]


def query_key_gate_gradients_reference(q, k, v, h, g, do, dh, scale, L, H, GATE, BT):
    dq, dk = np.zeros(q.shape), np.zeros(k.shape)
    for i, t in chunks_of(L, BT):
        for j in range(H):
            gate = g[t, j] if GATE else np.zeros(len(g[t]))
            ds = np.tril(do[t, j] @ v[t, j].T * np.exp(gate[:, None] - gate)) * scale
            dq[t, j] = do[t, j] @ h[i, j].T * np.exp(gate)[:, None] * scale + ds @ k[t, j]
            # Without gates the products with states are not scaled.
            dk[t, j] = v[t, j] @ dh[i, j].T * np.exp(gate[-1] - gate)[:, None] + ds.T @ q[t, j]
    return {"dq": dq, "dk": dk}


@triton.jit(do_not_specialize=["T"])
def value_gradients(q, k, g, do, dh, dv, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                    BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr):
    i_v, i_t, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q += i_h * K
    k += i_h * K
    do += i_h * V
    dv += i_h * V
    dh += (i_t * H + i_h).to(tl.int64) * K * V
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    b_dv = tl.zeros([BT, BV], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_q = tl.make_block_ptr(q, (K, T), (1, H * K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_A += tl.dot(b_k, b_q)
        p_dh = tl.make_block_ptr(dh, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
        b_dh = tl.load(p_dh, boundary_check=(0, 1))
        b_dv += tl.dot(b_k, b_dh.to(b_k.dtype))
    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    if USE_G:
        p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        b_g_last = tl.load(g + i_h + (min(i_t * BT + BT, T) - 1) * H)
        b_dv *= tl.where(m_t, tl.exp(-b_g + b_g_last), 0)[:, None]
        b_A *= tl.exp(b_g[None, :] - b_g[:, None])
    m_A = (o_t[:, None] <= o_t[None, :]) & (m_t[:, None] & m_t)
    b_A = tl.where(m_A, b_A * scale, 0).to(do.dtype.element_ty)
    p_do = tl.make_block_ptr(do, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_dv = tl.make_block_ptr(dv, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    b_do = tl.load(p_do, boundary_check=(0, 1))
    b_dv += tl.dot(b_A.to(b_do.dtype), b_do)
    tl.store(p_dv, b_dv.to(p_dv.dtype.element_ty), boundary_check=(0, 1))


def value_gradients_reference(q, k, g, do, dh, scale, L, H, BT):
    dv = np.zeros(do.shape)
    for i, t in chunks_of(L, BT):
        for j in range(H):
            gate = g[t, j]
            a = np.triu(k[t, j] @ q[t, j].T * np.exp(gate - gate[:, None])) * scale
            dv[t, j] = k[t, j] @ dh[i, j] * np.exp(gate[-1] - gate)[:, None] + a @ do[t, j]
    return dv


@triton.jit(do_not_specialize=["T"])
def memory_from_the_end(q, k, w, g, do, dv, dht, dh, dv2, dh0, scale, T, H: tl.constexpr, K: tl.constexpr,
                        V: tl.constexpr, BT: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr,
                        USE_FINAL_STATE_GRADIENT: tl.constexpr, USE_INITIAL_STATE: tl.constexpr):
    """Keys are taken in parts of 64, each with a gradient of its own."""
    i_v, i_h = tl.program_id(0), tl.program_id(1)
    NT = tl.cdiv(T, BT)
    b_dh1 = tl.zeros([64, BV], dtype=tl.float32)
    if K > 64:
        b_dh2 = tl.zeros([64, BV], dtype=tl.float32)
    dh += i_h.to(tl.int64) * K * V
    dv += i_h * V
    dv2 += i_h * V
    do += i_h * V
    q += i_h * K
    k += i_h * K
    w += i_h * K
    stride_v = H * V
    stride_h = H * K * V
    stride_k = H * K
    if USE_FINAL_STATE_GRADIENT:
        p_dht1 = tl.make_block_ptr(dht + i_h * K * V, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        b_dh1 += tl.load(p_dht1, boundary_check=(0, 1))
        if K > 64:
            p_dht2 = tl.make_block_ptr(dht + i_h * K * V, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
            b_dh2 += tl.load(p_dht2, boundary_check=(0, 1))
    for i_t in range(NT - 1, -1, -1):
        p_dh1 = tl.make_block_ptr(dh + i_t.to(tl.int64) * stride_h, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        tl.store(p_dh1, b_dh1.to(p_dh1.dtype.element_ty), boundary_check=(0, 1))
        if K > 64:
            p_dh2 = tl.make_block_ptr(dh + i_t.to(tl.int64) * stride_h, (K, V), (V, 1), (64, i_v * BV), (64, BV),
                                      (1, 0))
            tl.store(p_dh2, b_dh2.to(p_dh2.dtype.element_ty), boundary_check=(0, 1))
        if USE_G:
            last_idx = min((i_t + 1) * BT, T) - 1
            bg_last = tl.load(g + last_idx * H + i_h)
            bg_last_exp = tl.exp(bg_last)
            p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
            b_g = tl.load(p_g, boundary_check=(0,))
            b_g_exp = tl.exp(b_g)
        p_dv = tl.make_block_ptr(dv, (T, V), (stride_v, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_dv2 = tl.make_block_ptr(dv2, (T, V), (stride_v, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_do = tl.make_block_ptr(do, (T, V), (stride_v, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_do = tl.load(p_do, boundary_check=(0, 1))
        p_k = tl.make_block_ptr(k, (T, K), (stride_k, 1), (i_t * BT, 0), (BT, 64), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_dv = tl.dot(b_k, b_dh1.to(b_k.dtype))
        if K > 64:
            p_k = tl.make_block_ptr(k, (T, K), (stride_k, 1), (i_t * BT, 64), (BT, 64), (1, 0))
            b_k = tl.load(p_k, boundary_check=(0, 1))
            b_dv += tl.dot(b_k, b_dh2.to(b_k.dtype))
        if USE_G:
            m_t = (i_t * BT + tl.arange(0, BT)) < T
            b_dv *= tl.where(m_t, tl.exp(bg_last - b_g), 0)[:, None]
        b_dv += tl.load(p_dv, boundary_check=(0, 1))
        tl.store(p_dv2, b_dv.to(p_dv.dtype.element_ty), boundary_check=(0, 1))
        p_w = tl.make_block_ptr(w, (K, T), (1, stride_k), (0, i_t * BT), (64, BT), (0, 1))
        p_q = tl.make_block_ptr(q, (K, T), (1, stride_k), (0, i_t * BT), (64, BT), (0, 1))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        if USE_G:
            b_dh1 *= bg_last_exp
            b_q = b_q * b_g_exp[None, :]
        b_q = (b_q * scale).to(p_q.dtype.element_ty)
        b_dh1 += tl.dot(b_q, b_do.to(b_q.dtype)) - tl.dot(b_w, b_dv.to(b_w.dtype))
        if K > 64:
            p_q = tl.make_block_ptr(q, (K, T), (1, stride_k), (64, i_t * BT), (64, BT), (0, 1))
            p_w = tl.make_block_ptr(w, (K, T), (1, stride_k), (64, i_t * BT), (64, BT), (0, 1))
            b_q = tl.load(p_q, boundary_check=(0, 1))
            b_w = tl.load(p_w, boundary_check=(0, 1))
            if USE_G:
                b_dh2 *= bg_last_exp
                b_q = b_q * b_g_exp[None, :]
            b_q = (b_q * scale).to(p_q.dtype.element_ty)
            b_dh2 += tl.dot(b_q, b_do.to(b_q.dtype)) - tl.dot(b_w, b_dv.to(b_w.dtype))
    if USE_INITIAL_STATE:
        p_dh0 = tl.make_block_ptr(dh0 + i_h * K * V, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        tl.store(p_dh0, b_dh1.to(p_dh0.dtype.element_ty), boundary_check=(0, 1))
        if K > 64:
            p_dh1 = tl.make_block_ptr(dh0 + i_h * K * V, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
            tl.store(p_dh1, b_dh2.to(p_dh1.dtype.element_ty), boundary_check=(0, 1))


def memory_from_the_end_reference(q, k, w, g, do, dv, dht, scale, L, H, K, V, BT):
    chunks = chunks_of(L, BT)
    dh, dv2, dh0 = np.zeros((len(chunks), H, K, V)), np.zeros(dv.shape), np.zeros((H, K, V))
    for j in range(H):
        state = dht[j]
        for i, t in reversed(chunks):
            dh[i, j] = state
            gate = g[t, j]
            dv2[t, j] = k[t, j] @ state * np.exp(gate[-1] - gate)[:, None] + dv[t, j]
            state = (state * np.exp(gate[-1]) + (q[t, j] * np.exp(gate)[:, None]).T @ do[t, j] * scale -
                     w[t, j].T @ dv2[t, j])
        dh0[j] = state
    return {"dh": dh, "dv2": dv2, "dh0": dh0}


@triton.autotune(configs=[triton.Config({}, num_warps=w, num_stages=s) for w in [2, 4, 8] for s in [2, 3, 4]],
                 key=["H", "K", "V", "BT", "BK", "BV"])
@triton.jit(do_not_specialize=["T"])
def factors_of_corrections(k, v, beta, w, u, A, g, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                           BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr):
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    p_b = tl.make_block_ptr(beta + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_b = tl.load(p_b, boundary_check=(0,))
    p_A = tl.make_block_ptr(A + i_h * BT, (T, BT), (H * BT, 1), (i_t * BT, 0), (BT, BT), (1, 0))
    b_A = tl.load(p_A, boundary_check=(0, 1))
    for i_v in range(tl.cdiv(V, BV)):
        p_v = tl.make_block_ptr(v + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_u = tl.make_block_ptr(u + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_vb = (b_v * b_b[:, None]).to(b_v.dtype)
        b_u = tl.dot(b_A, b_vb, allow_tf32=False)
        tl.store(p_u, b_u.to(p_u.dtype.element_ty), boundary_check=(0, 1))
    if USE_G:
        p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.exp(tl.load(p_g, boundary_check=(0,)))
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_w = tl.make_block_ptr(w + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_kb = b_k * b_b[:, None]
        if USE_G:
            b_kb *= b_g[:, None]
        b_w = tl.dot(b_A, b_kb.to(b_k.dtype))
        tl.store(p_w, b_w.to(p_w.dtype.element_ty), boundary_check=(0, 1))


def factors_of_corrections_reference(k, v, beta, A, g, L, H, GATE, BT):
    w, u = np.zeros(k.shape), np.zeros(v.shape)
    for i, t in chunks_of(L, BT):
        for j in range(H):
            a = A[t, j][:, :len(beta[t])]
            u[t, j] = a @ (v[t, j] * beta[t, j, None])
            w[t, j] = a @ (k[t, j] * (beta[t, j] * (np.exp(g[t, j]) if GATE else 1))[:, None])
    return {"w": w, "u": u}


@triton.jit(do_not_specialize=["T"])
def gradients_of_factors(k, v, beta, A, dw, du, dk, dv, dbeta, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                         BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    """Back through the two products and the inverse that made their factor."""
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    p_beta = tl.make_block_ptr(beta + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    p_A = tl.make_block_ptr(A + i_h * BT, (BT, T), (1, H * BT), (0, i_t * BT), (BT, BT), (0, 1))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_A = tl.load(p_A, boundary_check=(0, 1))
    b_dbeta = tl.zeros([BT], dtype=tl.float32)
    b_dA = tl.zeros([BT, BT], dtype=tl.float32)
    for i_v in range(tl.cdiv(V, BV)):
        p_v = tl.make_block_ptr(v + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_dv = tl.make_block_ptr(dv + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_du = tl.make_block_ptr(du + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_v_beta = (b_v * b_beta[:, None]).to(b_v.dtype)
        b_du = tl.load(p_du, boundary_check=(0, 1))
        b_dA += tl.dot(b_du, tl.trans(b_v_beta), allow_tf32=False)
        b_dv_beta = tl.dot(b_A, b_du, allow_tf32=False)
        b_dv = b_dv_beta * b_beta[:, None]
        b_dbeta += tl.sum(b_dv_beta * b_v, 1)
        tl.store(p_dv, b_dv.to(p_dv.dtype.element_ty), boundary_check=(0, 1))
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_dk = tl.make_block_ptr(dk + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_dw = tl.make_block_ptr(dw + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_k_beta = (b_k * b_beta[:, None]).to(b_k.dtype)
        b_dw = tl.load(p_dw, boundary_check=(0, 1))
        b_dA += tl.dot(b_dw, tl.trans(b_k_beta), allow_tf32=False)
        b_dk_beta = tl.dot(b_A, b_dw, allow_tf32=False)
        b_dk = b_dk_beta * b_beta[:, None]
        b_dbeta += tl.sum(b_dk_beta * b_k, 1)
        tl.store(p_dk, b_dk.to(p_dk.dtype.element_ty), boundary_check=(0, 1))
    b_dA = tl.where(tl.arange(0, BT)[:, None] > tl.arange(0, BT)[None, :], b_dA, 0)
    b_dA = tl.dot(b_dA.to(b_A.dtype), b_A)
    b_dA = tl.dot(b_A, b_dA.to(b_A.dtype))
    b_dA = tl.where(tl.arange(0, BT)[:, None] > tl.arange(0, BT)[None, :], -b_dA, 0).to(k.dtype.element_ty)
    tl.debug_barrier()
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_dk = tl.make_block_ptr(dk + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_dk = tl.load(p_dk, boundary_check=(0, 1))
        b_k_beta = (b_k * b_beta[:, None]).to(b_k.dtype)
        b_dk_beta = tl.dot(b_dA, b_k, allow_tf32=False)
        b_dbeta += tl.sum(b_dk_beta * b_k, 1)
        b_dk += tl.dot(tl.trans(b_dA), b_k_beta, allow_tf32=False)
        b_dk += b_dk_beta * b_beta[:, None]
        tl.store(p_dk, b_dk.to(p_dk.dtype.element_ty), boundary_check=(0, 1))
    p_dbeta = tl.make_block_ptr(dbeta + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    tl.store(p_dbeta, b_dbeta.to(p_dbeta.dtype.element_ty), boundary_check=(0,))


def gradients_of_factors_reference(k, v, beta, A, dw, du, L, H, BT):
    dk, dv, dbeta = np.zeros(k.shape), np.zeros(v.shape), np.zeros(beta.shape)
    for i, t in chunks_of(L, BT):
        for j in range(H):
            n = len(beta[t])
            b = beta[t, j, None]
            # Rows outside are zero, columns outside are not.
            a = np.zeros((BT, BT))
            a[:n] = A[t, j]
            full = lambda x: np.pad(x, ((0, BT - n), (0, 0)))
            kk, vv, ww, uu, b = full(k[t, j]), full(v[t, j]), full(dw[t, j]), full(du[t, j]), full(b)
            da = np.tril(uu @ (vv * b).T + ww @ (kk * b).T, -1)
            dvb, dkb = a.T @ uu, a.T @ ww
            da = -np.tril(a.T @ (da @ a.T), -1)
            dkb2 = da @ kk
            dv[t, j] = (dvb * b)[:n]
            dk[t, j] = (dkb * b + da.T @ (kk * b) + dkb2 * b)[:n]
            dbeta[t, j] = ((dvb * vv).sum(1) + ((dkb + dkb2) * kk).sum(1))[:n]
    return {"dk": dk, "dv": dv, "dbeta": dbeta}


@triton.jit
def weights_in_training(q, k, v, eta, w, b, h0, o, ht, scale, eps, T, D: tl.constexpr, BT: tl.constexpr,
                        BD: tl.constexpr):
    """A square of weights with a norm behind it takes a step of gradient descent with every chunk."""
    i_h = tl.program_id(0)
    base = i_h.to(tl.int64) * T * D
    o_i = tl.arange(0, BT)
    o_d = tl.arange(0, BD)
    m_d = o_d < D
    b_w = tl.load(w + i_h * D + o_d, mask=m_d, other=0.0)
    b_b = tl.load(b + i_h * D + o_d, mask=m_d, other=0.0)
    p_h0 = tl.make_block_ptr(h0 + i_h * D * D, (D, D), (D, 1), (0, 0), (BD, BD), (1, 0))
    b_h = tl.load(p_h0, boundary_check=(0, 1)).to(tl.float32)
    for i_t in range(tl.cdiv(T, BT)):
        p_q = tl.make_block_ptr(q + base, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
        p_k = tl.make_block_ptr(k + base, (D, T), (1, D), (0, i_t * BT), (BD, BT), (0, 1))
        p_v = tl.make_block_ptr(v + base, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
        p_o = tl.make_block_ptr(o + base, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
        p_e = tl.make_block_ptr(eta + i_h * T, (T,), (1,), (i_t * BT,), (BT,), (0,))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_e = tl.load(p_e, boundary_check=(0,))
        b_kh = tl.dot(tl.trans(b_k), b_h.to(b_k.dtype)).to(tl.float32)
        b_kh = tl.where(m_d[None, :], b_kh, 0.0)
        mean = tl.sum(b_kh, axis=1) / D
        b_xc = tl.where(m_d[None, :], b_kh - mean[:, None], 0.0)
        rstd = 1 / tl.sqrt(tl.sum(b_xc * b_xc, axis=1) / D + eps)
        b_hat = b_xc * rstd[:, None]
        b_out = b_hat * b_w[None, :] + b_b[None, :]
        b_grad = (b_out - b_v.to(tl.float32) + tl.trans(b_k).to(tl.float32)) * b_w[None, :]
        b_v2 = rstd[:, None] * (b_grad - (tl.sum(b_grad, 1)[:, None] +
                                          b_hat * tl.sum(b_grad * b_hat, 1)[:, None]) / D)
        b_v2 = tl.where(m_d[None, :], b_v2, 0.0)
        b_s = tl.dot((b_q * scale).to(b_k.dtype), b_k, allow_tf32=False)
        b_s = tl.where(o_i[:, None] >= o_i[None, :], b_s * b_e[None, :], 0)
        b_o = tl.dot((b_q * scale).to(b_q.dtype), b_h.to(b_q.dtype))
        b_o -= tl.dot(b_s.to(b_v.dtype), b_v2.to(b_v.dtype))
        b_h -= tl.dot((b_k * b_e[None, :]).to(b_v.dtype), b_v2.to(b_v.dtype), allow_tf32=False)
        b_o = tl.where(m_d[None, :], b_o, 0.0)
        mean_o = tl.sum(b_o, axis=1) / D
        b_oc = tl.where(m_d[None, :], b_o - mean_o[:, None], 0.0)
        rstd_o = 1 / tl.sqrt(tl.sum(b_oc * b_oc, axis=1) / D + eps)
        b_o = b_q.to(tl.float32) + b_oc * rstd_o[:, None] * b_w[None, :] + b_b[None, :]
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
    p_ht = tl.make_block_ptr(ht + i_h * D * D, (D, D), (D, 1), (0, 0), (BD, BD), (1, 0))
    tl.store(p_ht, b_h.to(p_ht.dtype.element_ty), boundary_check=(0, 1))


def weights_in_training_reference(q, k, v, eta, w, b, h0, scale, eps, L, H, D, BT):
    o, ht = np.zeros(q.shape), np.zeros(h0.shape)

    def centred(x):
        x = x - x.mean(axis=1, keepdims=True)
        rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
        return x * rstd, rstd

    for j in range(H):
        state = h0[j]
        for i, t in chunks_of(L, BT):
            hat, rstd = centred(k[j, t] @ state)
            grad = (hat * w[j] + b[j] - v[j, t] + k[j, t]) * w[j]
            v2 = rstd * (grad - grad.mean(1, keepdims=True) - hat * (grad * hat).mean(1, keepdims=True))
            s = np.tril(q[j, t] @ k[j, t].T * scale * eta[j, t])
            out = q[j, t] @ state * scale - s @ v2
            state = state - (k[j, t] * eta[j, t, None]).T @ v2
            o[j, t] = q[j, t] + centred(out)[0] * w[j] + b[j]
        ht[j] = state
    return {"o": o, "ht": ht}


@triton.jit(do_not_specialize=["T"])
def conjugate_steps(q, k, hkk, g, lamb, q_star, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr,
                    ITERATIONS: tl.constexpr):
    """Solves (memory + lambda) x = q for every row of a chunk by conjugate gradients."""
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    p_q = tl.make_block_ptr(q + i_h * K, (T, K), (H * K, 1), (i_t * BT, 0), (BT, K), (1, 0))
    p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, 0), (BT, K), (1, 0))
    p_h = tl.make_block_ptr(hkk + (i_t * H + i_h).to(tl.int64) * K * K, (K, K), (K, 1), (0, 0), (K, K), (1, 0))
    p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_q = tl.load(p_q, boundary_check=(0, 1)).to(tl.float32)
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_h = tl.load(p_h, boundary_check=(0, 1))
    b_g = tl.load(p_g, boundary_check=(0,)).to(tl.float32)
    b_lamb = tl.load(lamb + i_h * K + tl.arange(0, K))
    o_t = i_t * BT + tl.arange(0, BT)
    m_A = (o_t[:, None] >= o_t[None, :]) & (o_t[:, None] < T)
    b_decay = tl.where(m_A, tl.exp(b_g[:, None] - b_g[None, :]), 0.0)
    b_x = b_q / b_lamb[None, :]
    b_r = b_q - apply(b_x, b_k, b_h, b_decay, b_g, b_lamb)
    b_p = tl.zeros([BT, K], dtype=tl.float32) + b_r
    b_rr = tl.sum(b_r * b_r, axis=1)
    for i in range(ITERATIONS):
        b_Ap = apply(b_p, b_k, b_h, b_decay, b_g, b_lamb)
        b_alpha = b_rr / (tl.sum(b_p * b_Ap, axis=1) + 1e-5)
        b_x += b_alpha[:, None] * b_p
        b_r -= b_alpha[:, None] * b_Ap
        b_rr_new = tl.sum(b_r * b_r, axis=1)
        b_p = b_r + (b_rr_new / (b_rr + 1e-5))[:, None] * b_p
        b_rr = b_rr_new
    p_x = tl.make_block_ptr(q_star + i_h * K, (T, K), (H * K, 1), (i_t * BT, 0), (BT, K), (1, 0))
    tl.store(p_x, b_x.to(p_x.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def apply(b_x, b_k, b_h, b_decay, b_g, b_lamb):
    b_s = tl.dot(b_x.to(b_k.dtype), tl.trans(b_k)) * b_decay
    b_y = tl.dot(b_s.to(b_k.dtype), b_k)
    b_y += tl.dot((b_x * tl.exp(b_g)[:, None]).to(b_h.dtype), b_h)
    return b_y + b_x * b_lamb[None, :]


def conjugate_steps_reference(q, k, g, lamb, L, H, K, BT):
    out = np.zeros(q.shape)
    for i, t in chunks_of(L, BT):
        for j in range(H):
            kk, gate = k[t, j], g[t, j]
            for row in range(len(gate)):
                weight = np.exp(gate[row] - gate[:row + 1])
                a = (kk[:row + 1] * weight[:, None]).T @ kk[:row + 1] + np.diag(lamb[j])
                out[i * BT + row, j] = np.linalg.solve(a, q[i * BT + row, j])
    return out


@triton.jit
def inputs_of_scan(x_ptr, cb_ptr, dout_ptr, b_ptr, dstates_ptr, dt_ptr, dA_cumsum_ptr, D_ptr, dx_ptr, ddt_ptr,
                   chunk_size, hdim, dstate, seqlen, nheads, HAS_D: tl.constexpr, BLOCK_SIZE_M: tl.constexpr,
                   BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, BLOCK_SIZE_DSTATE: tl.constexpr):
    """What later outputs and states of the chunk give an input."""
    pid_c = tl.program_id(axis=1)
    pid_h = tl.program_id(axis=2)
    num_pid_n = tl.cdiv(hdim, BLOCK_SIZE_N)
    pid_m = tl.program_id(axis=0) // num_pid_n
    pid_n = tl.program_id(axis=0) % num_pid_n
    start = pid_c * chunk_size
    x_ptr += (start * nheads + pid_h).to(tl.int64) * hdim
    dout_ptr += (start * nheads + pid_h).to(tl.int64) * hdim
    dx_ptr += (start * nheads + pid_h).to(tl.int64) * hdim
    cb_ptr += pid_c.to(tl.int64) * chunk_size * chunk_size
    b_ptr += start * dstate
    dstates_ptr += (pid_c * nheads + pid_h).to(tl.int64) * hdim * dstate
    at = (pid_h * tl.num_programs(1) + pid_c) * chunk_size
    dt_ptr += at
    ddt_ptr += at
    dA_cumsum_ptr += at
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    chunk_size_limit = min(chunk_size, seqlen - start)
    dA_cs_m = tl.load(dA_cumsum_ptr + offs_m, mask=offs_m < chunk_size_limit, other=0.0).to(tl.float32)
    dA_cs_last = tl.load(dA_cumsum_ptr + chunk_size - 1).to(tl.float32)
    offs_dstate = tl.arange(0, BLOCK_SIZE_DSTATE)
    b = tl.load(b_ptr + offs_m[:, None] * dstate + offs_dstate[None, :],
                mask=(offs_m[:, None] < chunk_size_limit) & (offs_dstate[None, :] < dstate), other=0.0)
    dstates = tl.load(dstates_ptr + offs_n[None, :] * dstate + offs_dstate[:, None],
                      mask=(offs_n[None, :] < hdim) & (offs_dstate[:, None] < dstate), other=0.0)
    acc = tl.dot(b, dstates) * tl.exp(dA_cs_last - dA_cs_m)[:, None]
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    cb_ptrs = cb_ptr + (offs_m[:, None] + offs_k[None, :] * chunk_size)
    dout_ptrs = dout_ptr + (offs_k[:, None] * nheads * hdim + offs_n[None, :])
    dA_cumsum_ptrs = dA_cumsum_ptr + offs_k
    K_MAX = chunk_size_limit
    K_MIN = pid_m * BLOCK_SIZE_M
    cb_ptrs += K_MIN * chunk_size
    dout_ptrs += K_MIN * nheads * hdim
    dA_cumsum_ptrs += K_MIN
    for k in range(K_MIN, K_MAX, BLOCK_SIZE_K):
        k = tl.multiple_of(k, BLOCK_SIZE_K)
        cb = tl.load(cb_ptrs, mask=(offs_m[:, None] < chunk_size) & (offs_k[None, :] < K_MAX - k), other=0.0)
        dout = tl.load(dout_ptrs, mask=(offs_k[:, None] < K_MAX - k) & (offs_n[None, :] < hdim), other=0.0)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < K_MAX - k, other=0.0).to(tl.float32)
        cb *= tl.exp(tl.minimum((dA_cs_k[None, :] - dA_cs_m[:, None]), 0.0))
        mask = (k + offs_k[None, :] >= offs_m[:, None]) & (k + offs_k[None, :] < K_MAX)
        cb = tl.where(mask, cb, 0.0)
        cb = cb.to(dout_ptr.dtype.element_ty)
        acc += tl.dot(cb, dout)
        cb_ptrs += BLOCK_SIZE_K * chunk_size
        dout_ptrs += BLOCK_SIZE_K * nheads * hdim
        dA_cumsum_ptrs += BLOCK_SIZE_K
    dt_m = tl.load(dt_ptr + offs_m, mask=offs_m < chunk_size_limit, other=0.0).to(tl.float32)
    dx = acc * dt_m[:, None]
    places = offs_m[:, None] * nheads * hdim + offs_n[None, :]
    inside = (offs_m[:, None] < chunk_size_limit) & (offs_n[None, :] < hdim)
    if HAS_D:
        dout_res = tl.load(dout_ptr + places, mask=inside, other=0.0).to(tl.float32)
        dx += dout_res * tl.load(D_ptr + pid_h).to(tl.float32)
    tl.store(dx_ptr + places, dx.to(dx_ptr.dtype.element_ty), mask=inside)
    x = tl.load(x_ptr + places, mask=inside, other=0.0).to(tl.float32)
    ddt = tl.sum(acc * x, axis=1)
    tl.atomic_add(ddt_ptr + offs_m, ddt, mask=offs_m < chunk_size)


def inputs_of_scan_reference(x_ptr, cb_ptr, dout_ptr, b_ptr, dstates_ptr, dt_ptr, dA_cumsum_ptr, D_ptr, L, H, C):
    dx, ddt = np.zeros(x_ptr.shape), np.zeros(dt_ptr.shape)
    for i, t in chunks_of(L, C):
        for j in range(H):
            s = dA_cumsum_ptr[j, i]
            n = len(b_ptr[t])
            acc = b_ptr[t] @ dstates_ptr[i, j].T * np.exp(s[-1] - s[:n])[:, None]
            decay = np.exp(np.minimum(s[:n] - s[:n, None], 0))
            acc += np.triu(cb_ptr[i, :n, :n].T * decay) @ dout_ptr[t, j]
            dx[t, j] = acc * dt_ptr[j, i, :n, None] + dout_ptr[t, j] * D_ptr[j]
            ddt[j, i, :n] = (acc * x_ptr[t, j]).sum(1)
    return {"dx_ptr": dx, "ddt_ptr": ddt}
