# The delta rule in chunks, as libraries write it: products of keys with themselves, inverses of unit triangular
# matrices by rows in blocks of 16 and by products to blocks of 64, corrected keys and values, the memory from chunk to
# chunk, and all of it in one kernel.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: keys_with_keys
# TYPES: bf16 fp16
# SIZES: L=100 H=2 K=64 G=1 | L=17 H=1 K=96 G=0
# BENCH: L=16384 H=32 K=128 G=1 T=bf16 BK=64 num_warps=4 num_stages=3
# ARG: k randn(0,0.3):T[L,H,K]
# ARG: beta rand:fp32[L,H]
# ARG: g rand(-2,0):fp32[L,H]
# ARG: A empty:fp32[L,H,64]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: BT 64
# CONST: BK 32
# CONST: USE_G G
# GRID: cdiv(L, BT), H
# TOLERANCE: A 1e-2 1e-2
# REFERENCE: keys_with_keys_reference
#
# KERNEL: inverse_by_rows
# SIZES: L=64 H=2 | L=40 H=1
# BENCH: L=32768 H=32
# ARG: A randn(0,0.3):fp32[L,H,64]
# ARG: Ad empty:fp32[L,H,16]
# ARG: T L
# CONST: H H
# CONST: BT 64
# GRID: cdiv(L, 16), H
# TOLERANCE: Ad 1e-4 1e-4
#
# KERNEL: inverse_by_blocks
# SIZES: L=64 H=2 | L=128 H=1
# BENCH: L=8192 H=32 num_warps=4
# ARG: A randn(0,0.2):fp32[L,H,64]
# ARG: Ai empty:fp32[L,H,64]
# ARG: T L
# CONST: H H
# CONST: BT 64
# CONST: DOT_PRECISION "'ieee'"
# GRID: cdiv(L, BT), H
# TOLERANCE: Ai 1e-3 1e-3
#
# KERNEL: corrected
# TYPES: bf16 fp16
# SIZES: L=100 H=2 K=64 V=32 | L=64 H=1 K=32 V=64
# BENCH: L=8192 H=32 K=128 V=128 T=bf16 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: k randn:T[L,H,K]
# ARG: v randn:T[L,H,V]
# ARG: beta rand:fp32[L,H]
# ARG: A randn(0,0.3):T[L,H,64]
# ARG: g rand(-1,0):fp32[L,H]
# ARG: w empty:T[L,H,K]
# ARG: u empty:T[L,H,V]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 64
# CONST: BK 32
# CONST: BV 32
# GRID: cdiv(L, BT), H
# TOLERANCE: w 2e-2 4e-2
# TOLERANCE: u 2e-2 4e-2
#
# KERNEL: memory_by_chunks
# SIZES: L=100 H=2 K=64 V=32 S=0.2 | L=32 H=1 K=32 V=32 S=0.2
# BENCH: L=4096 H=64 K=128 V=128 S=0.01 BT=64 num_warps=4 num_stages=2
# ARG: k randn(0,0.2):fp16[L,H,K]
# ARG: u randn:fp16[L,H,V]
# ARG: w randn(0,S):fp16[L,H,K]
# ARG: g rand(-0.1,0):fp32[L,H]
# ARG: h empty:fp32[cdiv(L,BT),H,K,V]
# ARG: v_new empty:fp16[L,H,V]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 32
# CONST: BV 32
# GRID: cdiv(V, BV), H
# TOLERANCE: h 3e-2 5e-2
# TOLERANCE: v_new 3e-2 5e-2
#
# KERNEL: all_in_registers
# SIZES: L=64 K=32 V=32 | L=50 K=16 V=64
# ARG: q randn:fp32[L,K]
# ARG: k randn(0,0.25):fp32[L,K]
# ARG: v randn:fp32[L,V]
# ARG: beta rand:fp32[L]
# ARG: o empty:fp32[L,V]
# ARG: T L
# CONST: K K
# CONST: V V
# CONST: BT 16
# GRID: 1
# TOLERANCE: o 1e-3 1e-3
import numpy as np
import triton
import triton.language as tl


@triton.heuristics({"USE_G": lambda args: args["g"] is not None})
@triton.jit(do_not_specialize=["T"])
def keys_with_keys(k, beta, g, A, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr,
                   USE_G: tl.constexpr):
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    o_t = i_t * BT + tl.arange(0, BT)
    m_t = o_t < T
    p_beta = tl.make_block_ptr(beta + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_A = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_A += tl.dot(b_k, tl.trans(b_k))
    if USE_G:
        p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        b_A = b_A * tl.exp(tl.minimum(b_g[:, None] - b_g[None, :], 0.0))
    b_A *= b_beta[:, None]
    m_A = (o_t[:, None] > o_t[None, :]) & (m_t[:, None] & m_t)
    b_A = tl.where(m_A, b_A, 0)
    p_A = tl.make_block_ptr(A + i_h * BT, (T, BT), (BT * H, 1), (i_t * BT, 0), (BT, BT), (1, 0))
    tl.store(p_A, b_A.to(p_A.dtype.element_ty), boundary_check=(0, 1))


def keys_with_keys_reference(k, beta, g, L, H, G):
    A = np.zeros((L, H, 64))
    for h in range(H):
        for c in range(0, L, 64):
            at = slice(c, min(c + 64, L))
            score = beta[at, h, None] * (k[at, h] @ k[at, h].T)
            if G:
                score = score * np.exp(np.minimum(g[at, h, None] - g[at, h], 0))
            A[at, h, :score.shape[0]] = np.tril(score, -1)
    return A


@triton.jit
def inverse_by_rows(A, Ad, T, H: tl.constexpr, BT: tl.constexpr):
    """(I + A)^-1 of the blocks on the diagonal: each row from those above it."""
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    o_i = tl.arange(0, 16)
    m_A = o_i[:, None] > o_i[None, :]
    A = A + i_h * BT
    Ad = Ad + i_h * 16
    offset = (i_t * 16) % BT
    p_A = tl.make_block_ptr(A, (T, BT), (H * BT, 1), (i_t * 16, offset), (16, 16), (1, 0))
    b_A = -tl.where(m_A, tl.load(p_A, boundary_check=(0, 1)).to(tl.float32), 0)
    for i in range(2, tl.minimum(16, T - i_t * 16)):
        b_a = -tl.load(A + (i_t * 16 + i) * H * BT + o_i + offset)
        b_a = tl.where(o_i < i, b_a, 0.0)
        b_a = b_a + tl.sum(b_a[:, None] * b_A, 0)
        b_A = tl.where((o_i == i)[:, None], b_a, b_A)
    b_A += o_i[:, None] == o_i[None, :]
    p_Ai = tl.make_block_ptr(Ad, (T, 16), (H * 16, 1), (i_t * 16, 0), (16, 16), (1, 0))
    tl.store(p_Ai, b_A.to(p_Ai.dtype.element_ty, fp_downcast_rounding="rtne"), boundary_check=(0, 1))


def inverse_by_rows_reference(A, L, H):
    out = np.zeros((L, H, 16))
    for h in range(H):
        for c in range(0, L, 16):
            n = min(16, L - c)
            block = np.tril(A[c:c + n, h, c % 64:c % 64 + n], -1)
            out[c:c + n, h, :n] = np.linalg.inv(np.eye(n) + block)
    return out


@triton.jit
def inverse_of_block(A, row, column, T, H: tl.constexpr, BT: tl.constexpr):
    o_i = tl.arange(0, 16)
    p_A = tl.make_block_ptr(A, (T, BT), (H * BT, 1), (row, column), (16, 16), (1, 0))
    b_A = -tl.where(o_i[:, None] > o_i[None, :], tl.load(p_A, boundary_check=(0, 1)).to(tl.float32), 0)
    for i in range(1, 16):
        b_a = tl.sum(tl.where((o_i == i)[:, None], b_A, 0.0), 0)
        b_a += tl.sum(b_a[:, None] * b_A, 0)
        b_A = tl.where((o_i == i)[:, None], b_a, b_A)
    return b_A + (o_i[:, None] == o_i[None, :]).to(tl.float32)


@triton.jit
def block_of(A, row, column, T, H: tl.constexpr, BT: tl.constexpr):
    p_A = tl.make_block_ptr(A, (T, BT), (H * BT, 1), (row, column), (16, 16), (1, 0))
    return tl.load(p_A, boundary_check=(0, 1)).to(tl.float32)


@triton.jit
def put_block(Ai, value, row, column, T, H: tl.constexpr, BT: tl.constexpr):
    p_A = tl.make_block_ptr(Ai, (T, BT), (H * BT, 1), (row, column), (16, 16), (1, 0))
    tl.store(p_A, value.to(p_A.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def inverse_by_blocks(A, Ai, T, H: tl.constexpr, BT: tl.constexpr, DOT_PRECISION: tl.constexpr):
    """Ten blocks of 16 by 16: four inverses, and six that products make of them."""
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    A += i_h * BT
    Ai += i_h * BT
    r1 = i_t * BT
    r2, r3, r4 = r1 + 16, r1 + 32, r1 + 48
    Ai_11 = inverse_of_block(A, r1, 0, T, H, BT)
    Ai_22 = inverse_of_block(A, r2, 16, T, H, BT)
    Ai_33 = inverse_of_block(A, r3, 32, T, H, BT)
    Ai_44 = inverse_of_block(A, r4, 48, T, H, BT)
    A_21, A_31, A_32 = block_of(A, r2, 0, T, H, BT), block_of(A, r3, 0, T, H, BT), block_of(A, r3, 16, T, H, BT)
    A_41, A_42, A_43 = block_of(A, r4, 0, T, H, BT), block_of(A, r4, 16, T, H, BT), block_of(A, r4, 32, T, H, BT)
    Ai_21 = -tl.dot(tl.dot(Ai_22, A_21, input_precision=DOT_PRECISION), Ai_11, input_precision=DOT_PRECISION)
    Ai_32 = -tl.dot(tl.dot(Ai_33, A_32, input_precision=DOT_PRECISION), Ai_22, input_precision=DOT_PRECISION)
    Ai_43 = -tl.dot(tl.dot(Ai_44, A_43, input_precision=DOT_PRECISION), Ai_33, input_precision=DOT_PRECISION)
    Ai_31 = -tl.dot(Ai_33, tl.dot(A_31, Ai_11, input_precision=DOT_PRECISION) +
                    tl.dot(A_32, Ai_21, input_precision=DOT_PRECISION), input_precision=DOT_PRECISION)
    Ai_42 = -tl.dot(Ai_44, tl.dot(A_42, Ai_22, input_precision=DOT_PRECISION) +
                    tl.dot(A_43, Ai_32, input_precision=DOT_PRECISION), input_precision=DOT_PRECISION)
    Ai_41 = -tl.dot(Ai_44, tl.dot(A_41, Ai_11, input_precision=DOT_PRECISION) +
                    tl.dot(A_42, Ai_21, input_precision=DOT_PRECISION) +
                    tl.dot(A_43, Ai_31, input_precision=DOT_PRECISION), input_precision=DOT_PRECISION)
    zero = tl.zeros([16, 16], dtype=tl.float32)
    put_block(Ai, Ai_11, r1, 0, T, H, BT)
    put_block(Ai, Ai_22, r2, 16, T, H, BT)
    put_block(Ai, Ai_33, r3, 32, T, H, BT)
    put_block(Ai, Ai_44, r4, 48, T, H, BT)
    put_block(Ai, Ai_21, r2, 0, T, H, BT)
    put_block(Ai, Ai_31, r3, 0, T, H, BT)
    put_block(Ai, Ai_32, r3, 16, T, H, BT)
    put_block(Ai, Ai_41, r4, 0, T, H, BT)
    put_block(Ai, Ai_42, r4, 16, T, H, BT)
    put_block(Ai, Ai_43, r4, 32, T, H, BT)
    put_block(Ai, zero, r1, 16, T, H, BT)
    put_block(Ai, zero, r1, 32, T, H, BT)
    put_block(Ai, zero, r1, 48, T, H, BT)
    put_block(Ai, zero, r2, 32, T, H, BT)
    put_block(Ai, zero, r2, 48, T, H, BT)
    put_block(Ai, zero, r3, 48, T, H, BT)


def inverse_by_blocks_reference(A, L, H):
    out = np.zeros_like(A)
    for h in range(H):
        for c in range(0, L, 64):
            out[c:c + 64, h] = np.linalg.inv(np.eye(64) + np.tril(A[c:c + 64, h], -1))
    return out


@triton.jit
def corrected(k, v, beta, A, g, w, u, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
              BK: tl.constexpr, BV: tl.constexpr):
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    p_beta = tl.make_block_ptr(beta + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    p_A = tl.make_block_ptr(A + i_h * BT, (T, BT), (H * BT, 1), (i_t * BT, 0), (BT, BT), (1, 0))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_g = tl.exp(tl.load(p_g, boundary_check=(0,)))
    b_A = tl.load(p_A, boundary_check=(0, 1))
    # Columns behind the end multiply rows that are loaded as zeros.
    for i_v in range(tl.cdiv(V, BV)):
        p_v = tl.make_block_ptr(v + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_u = tl.make_block_ptr(u + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_vb = (b_v * b_beta[:, None]).to(b_v.dtype)
        b_u = tl.dot(b_A, b_vb, allow_tf32=False)
        tl.store(p_u, b_u.to(p_u.dtype.element_ty), boundary_check=(0, 1))
    for i_k in range(tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_w = tl.make_block_ptr(w + i_h * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_kb = (b_k * b_beta[:, None] * b_g[:, None]).to(b_k.dtype)
        b_w = tl.dot(b_A, b_kb)
        tl.store(p_w, b_w.to(p_w.dtype.element_ty), boundary_check=(0, 1))


def corrected_reference(k, v, beta, A, g, L, H):
    w, u = np.zeros_like(k), np.zeros_like(v)
    for h in range(H):
        for c in range(0, L, 64):
            at = slice(c, min(c + 64, L))
            a = A[at, h, :min(64, L - c)]
            u[at, h] = a @ (v[at, h] * beta[at, h, None])
            w[at, h] = a @ (k[at, h] * (beta[at, h] * np.exp(g[at, h]))[:, None])
    return {"w": w, "u": u}


@triton.jit
def memory_by_chunks(k, u, w, g, h, v_new, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
                     BV: tl.constexpr):
    """Each chunk asks the memory before it adds to it: the second product needs the first one's result."""
    i_v, i_h = tl.program_id(0), tl.program_id(1)
    b_h = tl.zeros([K, BV], dtype=tl.float32)
    for i_t in range(tl.cdiv(T, BT)):
        p_h = tl.make_block_ptr(h + (i_t * H + i_h) * K * V, (K, V), (V, 1), (0, i_v * BV), (K, BV), (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
        p_w = tl.make_block_ptr(w + i_h * K, (T, K), (H * K, 1), (i_t * BT, 0), (BT, K), (1, 0))
        p_u = tl.make_block_ptr(u + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_n = tl.make_block_ptr(v_new + i_h * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        p_k = tl.make_block_ptr(k + i_h * K, (K, T), (1, H * K), (0, i_t * BT), (K, BT), (0, 1))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_v = tl.load(p_u, boundary_check=(0, 1)) - tl.dot(b_w, b_h.to(b_w.dtype))
        tl.store(p_n, b_v.to(p_n.dtype.element_ty), boundary_check=(0, 1))
        last = tl.minimum((i_t + 1) * BT, T) - 1
        b_g_last = tl.load(g + last * H + i_h)
        o_t = i_t * BT + tl.arange(0, BT)
        b_g = tl.load(g + o_t * H + i_h, mask=o_t < T, other=0.0)
        b_v = tl.where((o_t < T)[:, None], b_v * tl.exp(b_g_last - b_g)[:, None], 0.0)
        b_h = b_h * tl.exp(b_g_last)
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h += tl.dot(b_k, b_v.to(b_k.dtype))


def memory_by_chunks_reference(k, u, w, g, L, H, K, V, BT):
    h, v_new = np.zeros((-(-L // BT), H, K, V)), np.zeros_like(u)
    for i in range(H):
        memory = np.zeros((K, V))
        for c in range(0, L, BT):
            at = slice(c, min(c + BT, L))
            h[c // BT, i] = memory
            v_new[at, i] = u[at, i] - w[at, i] @ memory
            last = g[at.stop - 1, i]
            memory = memory * np.exp(last) + k[at, i].T @ (v_new[at, i] * np.exp(last - g[at, i])[:, None])
    return {"h": h, "v_new": v_new}


@triton.jit
def all_in_registers(q, k, v, beta, o, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    """Six products and a triangular inverse an iteration, in float32 throughout."""
    o_t, o_k, o_v = tl.arange(0, BT), tl.arange(0, K), tl.arange(0, V)
    memory = tl.zeros([K, V], dtype=tl.float32)
    for start in range(0, T, BT):
        t = start + o_t
        inside = (t < T)[:, None]
        b_q = tl.load(q + t[:, None] * K + o_k[None, :], mask=inside, other=0.0)
        b_k = tl.load(k + t[:, None] * K + o_k[None, :], mask=inside, other=0.0)
        b_v = tl.load(v + t[:, None] * V + o_v[None, :], mask=inside, other=0.0)
        b_beta = tl.load(beta + t, mask=t < T, other=0.0)
        b_kb = b_k * b_beta[:, None]
        b_A = -tl.where(o_t[:, None] > o_t[None, :], tl.dot(b_kb, tl.trans(b_k), input_precision="ieee"), 0.0)
        for i in range(1, BT):
            mask = o_t == i
            b_a = tl.sum(tl.where(mask[:, None], b_A, 0.0), 0)
            b_a = b_a + tl.sum(b_a[:, None] * b_A, 0) * (o_t < i)
            b_A = tl.where(mask[:, None], b_a, b_A)
        b_A += (o_t[:, None] == o_t[None, :]).to(tl.float32)
        b_u = tl.dot(b_A, b_v * b_beta[:, None], input_precision="ieee")
        b_w = tl.dot(b_A, b_kb, input_precision="ieee")
        b_u -= tl.dot(b_w, memory, input_precision="ieee")
        score = tl.dot(b_q, tl.trans(b_k), input_precision="ieee")
        score = tl.where(o_t[:, None] >= o_t[None, :], score, 0.0)
        b_o = tl.dot(b_q, memory, input_precision="ieee")
        b_o += tl.dot(score, b_u, input_precision="ieee")
        memory += tl.dot(tl.trans(b_k), b_u, input_precision="ieee")
        tl.store(o + t[:, None] * V + o_v[None, :], b_o, mask=inside)


def all_in_registers_reference(q, k, v, beta, L, K, V):
    memory, o = np.zeros((K, V)), np.zeros((L, V))
    for t in range(L):
        memory = memory + np.outer(k[t], beta[t] * (v[t] - k[t] @ memory))
        o[t] = q[t] @ memory
    return o
