# Linear attention in chunks, as libraries write it: a memory that fades by a constant or by gates is carried from chunk
# to chunk by products, or kept for every chunk by one kernel and read by another; sub-chunks keep powers small.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: retention
# TYPES: bf16 fp16
# SIZES: H=2 L=100 K=32 V=64 | H=1 L=17 K=64 V=32
# BENCH: H=132 L=4096 K=64 V=128 T=bf16 BT=64 BK=64 BV=64 num_warps=4 num_stages=2
# ARG: q randn:T[H,L,K]
# ARG: k randn:T[H,L,K]
# ARG: v randn:T[H,L,V]
# ARG: o empty:fp32[H,L,V]
# ARG: final empty:fp32[H,K,V]
# ARG: scale 0.2
# ARG: length L
# CONST: K K
# CONST: V V
# CONST: BT 32
# CONST: BK min(32, K)
# CONST: BV 32
# CONST: STORE_FINAL True
# GRID: cdiv(V, BV), 1, H
# TOLERANCE: o 3e-2 6e-2*max(1,L/512)
# TOLERANCE: final 2e-2 6e-2*max(1,L/512)
#
# KERNEL: chunk_states
# SIZES: H=2 L=129 K=64 V=64 | H=1 L=64 K=32 V=32
# BENCH: H=64 L=2048 K=128 V=128 BK=64 BV=64 num_warps=4 num_stages=2
# ARG: k randn:bf16[H,L,K]
# ARG: v randn:bf16[H,L,V]
# ARG: g rand(-0.1,0):fp32[H,L,K]
# ARG: h empty:bf16[H,cdiv(L,64),K,V]
# ARG: h0 randn:fp32[H,K,V]
# ARG: ht empty:fp32[H,K,V]
# ARG: length L
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# CONST: USE_INITIAL_STATE True
# CONST: STORE_FINAL_STATE True
# GRID: cdiv(K, BK), cdiv(V, BV), H
# TOLERANCE: h 3e-2 8e-2
# TOLERANCE: ht 2e-2 8e-2
#
# KERNEL: chunk_outputs
# SIZES: H=2 L=100 K=64 V=32 | H=1 L=64 K=32 V=64
# BENCH: H=32 L=4096 K=128 V=128 BK=64 BV=128 num_warps=4 num_stages=2
# ARG: q randn:bf16[H,L,K]
# ARG: k randn:bf16[H,L,K]
# ARG: v randn:bf16[H,L,V]
# ARG: h randn:bf16[H,cdiv(L,64),K,V]
# ARG: g rand(-0.1,0):fp32[H,L]
# ARG: o empty:bf16[H,L,V]
# ARG: scale 0.2
# ARG: length L
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# GRID: cdiv(V, BV), cdiv(L, BT), H
# TOLERANCE: o 3e-2 8e-2
#
# KERNEL: scores_of_gates
# SIZES: H=2 L=64 K=32 | H=1 L=50 K=64
# BENCH: H=16 L=4096 K=128 BK=64 num_warps=4
# ARG: q randn:fp32[H,L,K]
# ARG: k randn:fp32[H,L,K]
# ARG: g rand(-0.3,0):fp32[H,L,K]
# ARG: A zeros:fp32[H,L,64]
# ARG: scale 0.2
# ARG: length L
# CONST: K K
# CONST: BT 64
# CONST: BC 16
# CONST: BK 32
# CONST: NC 4
# GRID: cdiv(L, BT), NC * NC, H
# CHECK: A
# TOLERANCE: A 1e-3 1e-3
#
# KERNEL: normalised
# SIZES: H=2 L=70 D=32 | H=1 L=1 D=16
# BENCH: H=264 L=1024 D=64 num_warps=8
# ARG: q_ptr randn:fp16[H,L,D]
# ARG: k_ptr randn:fp16[H,L,D]
# ARG: v_ptr randn:fp16[H,L,D]
# ARG: o_ptr empty:fp32[H,L,D]
# ARG: length L
# CONST: D D
# CONST: BT 16
# GRID: H
# TOLERANCE: o_ptr 3e-3 1e-2
#
# KERNEL: gradient_of_memory
# SIZES: H=2 L=96 K=32 V=32
# BENCH: H=264 L=4096 K=64 V=64 BT=64 num_warps=4 num_stages=2
# ARG: q randn:bf16[H,L,K]
# ARG: do randn:bf16[H,L,V]
# ARG: dh empty:fp32[H,L//BT,K,V]
# ARG: scale 0.2
# ARG: length L
# CONST: K K
# CONST: V V
# CONST: BT 32
# GRID: H
# TOLERANCE: dh 1e-2 5e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def retention(q, k, v, o, final, scale, length, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr,
              BV: tl.constexpr, STORE_FINAL: tl.constexpr):
    """All of a head's chunks in one program; the fading is 1 - 2^-(5+h)."""
    i_v, i_h = tl.program_id(0), tl.program_id(2)
    tl.static_assert(K % BK == 0)
    b_b = tl.math.log2(1 - tl.math.exp2(-5 - i_h.to(tl.float32)))
    o_i = tl.arange(0, BT)
    m_s = o_i[:, None] >= o_i[None, :]
    d_s = tl.where(m_s, tl.math.exp2((o_i[:, None] - o_i[None, :]) * b_b), 0)
    for i_k in range(K // BK):
        b_h = tl.zeros([BK, BV], dtype=tl.float32)
        for i_t in range(0, tl.cdiv(length, BT)):
            p_q = tl.make_block_ptr(q + i_h * length * K, (length, K), (K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
            p_k = tl.make_block_ptr(k + i_h * length * K, (K, length), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
            p_v = tl.make_block_ptr(v + i_h * length * V, (length, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
            p_o = tl.make_block_ptr(o + i_h * length * V, (length, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
            b_q = tl.load(p_q, boundary_check=(0, 1))
            b_q = (b_q * scale).to(b_q.dtype)
            b_k = tl.load(p_k, boundary_check=(0, 1))
            b_v = tl.load(p_v, boundary_check=(0, 1))
            b_s = tl.dot(b_q, b_k, allow_tf32=False) * d_s
            b_o = tl.dot(b_s.to(b_q.dtype), b_v, allow_tf32=False)
            d_i = tl.math.exp2((o_i + 1) * b_b)
            b_o += tl.dot(b_q, b_h.to(b_q.dtype), allow_tf32=False) * d_i[:, None]
            steps = tl.minimum(BT, length - i_t * BT)
            d_b = tl.math.exp2(steps * b_b)
            d_h = tl.math.exp2((steps - o_i - 1) * b_b)
            d_h = tl.where(o_i < steps, d_h, 0.0)
            b_h = d_b * b_h + tl.dot(b_k, (b_v * d_h[:, None]).to(b_k.dtype), allow_tf32=False)
            if i_k > 0:
                b_o += tl.load(p_o, boundary_check=(0, 1))
            tl.debug_barrier()
            tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
        if STORE_FINAL:
            p_f = tl.make_block_ptr(final + i_h * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
            tl.store(p_f, b_h, boundary_check=(0, 1))


def retention_reference(q, k, v, scale, H, L, K, V):
    o, final = np.zeros((H, L, V)), np.zeros((H, K, V))
    for h in range(H):
        for t in range(L):
            final[h] = final[h] * (1 - 2.0**(-5 - h)) + np.outer(k[h, t], v[h, t])
            o[h, t] = scale * q[h, t] @ final[h]
    return {"o": o, "final": final}


@triton.jit
def chunk_states(k, v, g, h, h0, ht, length, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr,
                 BV: tl.constexpr, USE_INITIAL_STATE: tl.constexpr, STORE_FINAL_STATE: tl.constexpr):
    """The memory as it is before every chunk; a gate for each column of the keys."""
    i_k, i_v, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    chunks = tl.cdiv(length, BT)
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    o_k = i_k * BK + tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    if USE_INITIAL_STATE:
        p_h0 = tl.make_block_ptr(h0 + i_h * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
        b_h = tl.load(p_h0, boundary_check=(0, 1)).to(tl.float32)
    for i_t in range(chunks):
        o_t = i_t * BT + tl.arange(0, BT)
        p_h = tl.make_block_ptr(h + (i_h * chunks + i_t) * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV),
                                (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
        m_t = o_t < length
        b_k = tl.load(k + (i_h * length + o_t[None, :]) * K + o_k[:, None], mask=m_t[None, :], other=0.0)
        b_v = tl.load(v + (i_h * length + o_t[:, None]) * V + o_v[None, :], mask=m_t[:, None], other=0.0)
        b_g = tl.load(g + (i_h * length + o_t[None, :]) * K + o_k[:, None], mask=m_t[None, :], other=0.0)
        b_gc = tl.cumsum(b_g, axis=1)
        b_gn = tl.sum(b_g, axis=1)
        b_h *= tl.exp(b_gn)[:, None]
        b_k = (b_k * tl.exp(b_gn[:, None] - b_gc)).to(b_k.dtype)
        b_h += tl.dot(b_k, b_v)
    if STORE_FINAL_STATE:
        p_ht = tl.make_block_ptr(ht + i_h * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
        tl.store(p_ht, b_h.to(p_ht.dtype.element_ty), boundary_check=(0, 1))


def chunk_states_reference(k, v, g, h0, H, L, K, V):
    h, ht = np.zeros((H, -(-L // 64), K, V)), np.copy(h0)
    for i in range(H):
        for t in range(L):
            if t % 64 == 0:
                h[i, t // 64] = ht[i]
            ht[i] = ht[i] * np.exp(g[i, t])[:, None] + np.outer(k[i, t], v[i, t])
    return {"h": h, "ht": ht}


@triton.jit
def chunk_outputs(q, k, v, h, g, o, scale, length, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
                  BK: tl.constexpr, BV: tl.constexpr):
    i_v, i_t, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    chunks = tl.cdiv(length, BT)
    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_q = tl.make_block_ptr(q + i_h * length * K, (length, K), (K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_k = tl.make_block_ptr(k + i_h * length * K, (K, length), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
        p_h = tl.make_block_ptr(h + (i_h * chunks + i_t) * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV),
                                (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        b_o += tl.dot(b_q, b_h)
        b_A += tl.dot(b_q, b_k)
    o_t = i_t * BT + tl.arange(0, BT)
    b_g = tl.load(g + i_h * length + o_t, mask=o_t < length, other=0.0)
    b_g = tl.cumsum(b_g, axis=0)
    b_o = b_o * tl.exp(b_g)[:, None]
    m_A = tl.arange(0, BT)[:, None] >= tl.arange(0, BT)[None, :]
    b_A = tl.where(m_A, b_A * tl.exp(tl.where(m_A, b_g[:, None] - b_g[None, :], 0.0)), 0)
    p_v = tl.make_block_ptr(v + i_h * length * V, (length, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_o = tl.make_block_ptr(o + i_h * length * V, (length, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    b_v = tl.load(p_v, boundary_check=(0, 1))
    b_o = b_o * scale + tl.dot(b_A.to(b_v.dtype), b_v) * scale
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))


def chunk_outputs_reference(q, k, v, h, g, scale, H, L, V):
    o = np.zeros((H, L, V))
    for i in range(H):
        for c in range(0, L, 64):
            at = slice(c, min(c + 64, L))
            gc = np.cumsum(g[i, at])
            A = np.tril(q[i, at] @ k[i, at].T * np.exp(gc[:, None] - gc))
            o[i, at] = scale * (q[i, at] @ h[i, c // 64] * np.exp(gc)[:, None] + A @ v[i, at])
    return o


@triton.jit
def scores_of_gates(q, k, g, A, scale, length, K: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr, BK: tl.constexpr,
                    NC: tl.constexpr):
    """Blocks of 16 below the diagonal by products, relative to the gate where the block of rows begins; blocks on the
    diagonal key by key."""
    i_t, i_c, i_h = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_i, i_j = i_c // NC, i_c % NC
    if i_t * BT + i_i * BC >= length:
        return
    o_i = i_t * BT + i_i * BC + tl.arange(0, BC)
    o_j = i_t * BT + i_j * BC + tl.arange(0, BC)
    m_i = o_i < length
    q += i_h * length * K
    k += i_h * length * K
    g += i_h * length * K
    if i_i > i_j:
        b_A = tl.zeros([BC, BC], dtype=tl.float32)
        for i_k in range(K // BK):
            o_k = i_k * BK + tl.arange(0, BK)
            b_q = tl.load(q + o_i[:, None] * K + o_k[None, :], mask=m_i[:, None], other=0.0)
            b_gq = tl.load(g + o_i[:, None] * K + o_k[None, :], mask=m_i[:, None], other=0.0)
            b_kT = tl.load(k + o_j[None, :] * K + o_k[:, None])
            b_gk = tl.load(g + o_j[None, :] * K + o_k[:, None])
            # Gates between the end of the keys' block and the start of the rows'.
            between = tl.zeros([BK], dtype=tl.float32)
            for t in range((i_j + 1) * BC, i_i * BC):
                between += tl.load(g + (i_t * BT + t) * K + o_k)
            b_q = b_q * tl.exp(tl.cumsum(b_gq, axis=0) + between[None, :])
            b_kT = b_kT * tl.exp(tl.sum(b_gk, axis=1)[:, None] - tl.cumsum(b_gk, axis=1))
            b_A += tl.dot(b_q, b_kT, input_precision="tf32x3")
        tl.store(A + (i_h * length + o_i[:, None]) * BT + i_j * BC + tl.arange(0, BC)[None, :], b_A * scale,
                 mask=m_i[:, None])
    elif i_i == i_j:
        b_A = tl.zeros([BC, BC], dtype=tl.float32)
        for j in range(0, tl.minimum(BC, length - i_t * BT - i_i * BC)):
            row = i_t * BT + i_i * BC + j
            dot = tl.zeros([BC], dtype=tl.float32)
            for i_k in range(K // BK):
                o_k = i_k * BK + tl.arange(0, BK)
                b_q = tl.load(q + o_i[:, None] * K + o_k[None, :], mask=m_i[:, None], other=0.0)
                b_g = tl.cumsum(tl.load(g + o_i[:, None] * K + o_k[None, :], mask=m_i[:, None], other=0.0), axis=0)
                b_k = tl.load(k + row * K + o_k)
                b_gj = tl.sum(tl.where((tl.arange(0, BC) == j)[:, None], b_g, 0.0), axis=0)
                dot += tl.sum(b_q * b_k[None, :] * tl.exp(tl.minimum(b_g - b_gj[None, :], 0.0)), axis=1)
            dot = tl.where(tl.arange(0, BC) >= j, dot * scale, 0.0)
            b_A = tl.where((tl.arange(0, BC) == j)[None, :], dot[:, None], b_A)
        tl.store(A + (i_h * length + o_i[:, None]) * BT + i_j * BC + tl.arange(0, BC)[None, :], b_A, mask=m_i[:, None])


def scores_of_gates_reference(q, k, g, A, scale, H, L):
    out = np.copy(A)
    for i in range(H):
        for c in range(0, L, 64):
            at = slice(c, min(c + 64, L))
            gc = np.cumsum(g[i, at], axis=0)
            power = np.exp(np.minimum(gc[:, None] - gc[None], 0))
            score = np.tril(np.einsum("ik,jk,ijk->ij", q[i, at], k[i, at], power)) * scale
            out[i, at, :score.shape[1]] = score
    return out


@triton.jit
def feature(x):
    """elu(x) + 1"""
    return tl.where(x > 0, x + 1, tl.exp(x))


@triton.jit
def normalised(q_ptr, k_ptr, v_ptr, o_ptr, length, D: tl.constexpr, BT: tl.constexpr):
    """Values and the sum of keys are remembered; each result is divided by what the sum answers."""
    base = tl.program_id(0) * length * D
    offs_t = tl.arange(0, BT)
    offs_d = tl.arange(0, D)
    memory = tl.zeros([D, D], dtype=tl.float32)
    keys = tl.zeros([D], dtype=tl.float32)
    for start in range(0, length, BT):
        at = base + (start + offs_t)[:, None] * D + offs_d[None, :]
        mask = (start + offs_t)[:, None] < length
        q = tl.where(mask, feature(tl.load(q_ptr + at, mask=mask, other=0.0).to(tl.float32)), 0.0)
        k = tl.where(mask, feature(tl.load(k_ptr + at, mask=mask, other=0.0).to(tl.float32)), 0.0)
        v = tl.load(v_ptr + at, mask=mask, other=0.0).to(tl.float32)
        score = tl.dot(q, tl.trans(k), input_precision="ieee")
        score = tl.where(offs_t[:, None] >= offs_t[None, :], score, 0.0)
        out = tl.dot(score, v, input_precision="ieee") + tl.dot(q, memory, input_precision="ieee")
        norm = tl.sum(score, axis=1) + tl.sum(q * keys[None, :], axis=1)
        tl.store(o_ptr + at, out / norm[:, None], mask=mask)
        memory = tl.dot(tl.trans(k), v, memory, input_precision="ieee")
        keys += tl.sum(k, axis=0)


def normalised_reference(q_ptr, k_ptr, v_ptr):
    q, k = (np.where(x > 0, x + 1, np.exp(x)) for x in (q_ptr, k_ptr))
    score = np.tril(np.einsum("hik,hjk->hij", q, k))
    return score @ v_ptr / score.sum(axis=2, keepdims=True)


@triton.jit
def gradient_of_memory(q, do, dh, scale, length, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    """From the last chunk to the first."""
    i_h = tl.program_id(0)
    o_t, o_k, o_v = tl.arange(0, BT), tl.arange(0, K), tl.arange(0, V)
    chunks = length // BT
    b_dh = tl.zeros([K, V], dtype=tl.float32)
    for i_t in range(chunks - 1, -1, -1):
        tl.store(dh + ((i_h * chunks + i_t) * K + o_k[:, None]) * V + o_v[None, :], b_dh)
        b_q = tl.load(q + (i_h * length + i_t * BT + o_t[None, :]) * K + o_k[:, None])
        b_q = (b_q * scale).to(b_q.dtype)
        b_do = tl.load(do + (i_h * length + i_t * BT + o_t[:, None]) * V + o_v[None, :])
        b_dh += tl.dot(b_q, b_do, allow_tf32=False)


def gradient_of_memory_reference(q, do, scale, H, L, K, V, BT):
    dh = np.zeros((H, L // BT, K, V))
    for c in range(L // BT - 1, 0, -1):
        at = slice(c * BT, c * BT + BT)
        dh[:, c - 1] = dh[:, c] + scale * np.einsum("htk,htv->hkv", q[:, at], do[:, at])
    return dh
