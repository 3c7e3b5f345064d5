# Recurrences by chunks with gates, as libraries of linear attention write them, and transforms as products: scores of a
# chunk by sub-chunks with gates in both factors, states of the gated delta rule in parts of 64 rows, outputs of a
# diagonal-plus-low-rank memory, a scan over chunks with D and Z, Hadamard and Monarch transforms, a triangular solve.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: gated_scores_between
# TYPES: fp16 bf16
# SIZES: B=1 L=50 H=2 K=24 | B=2 L=33 H=1 K=40
# BENCH: B=8 L=4096 H=16 K=128 T=bf16 BK=64 num_warps=2 num_stages=3
# ARG: q randn:T[B,L,H,K]
# ARG: k randn:T[B,L,H,K]
# ARG: g rand(-0.5,0):fp32[B,L,H,K]
# ARG: A zeros:fp32[B,L,H,BT]
# ARG: scale 0.25
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: BT 32
# CONST: BC 16
# CONST: BK 16
# CONST: NC BT//BC
# GRID: cdiv(L, BT), NC*NC, B*H
# CHECK: A
# TOLERANCE: A 2e-2 5e-2
#
# KERNEL: gated_delta_states
# TYPES: bf16
# SIZES: B=1 L=50 H=2 K=64 V=24 | B=2 L=33 H=1 K=128 V=32
# BENCH: B=4 L=2048 H=16 K=128 V=128 T=bf16 BT=64 BV=32 num_warps=4 num_stages=2
# ARG: k rand(-0.1,0.1):T[B,L,H,K]
# ARG: v randn:T[B,L,H,V]
# ARG: w rand(-0.1,0.1):T[B,L,H,K]
# ARG: v_new empty:T[B,L,H,V]
# ARG: g rand(-1,0):fp32[B,L,H]
# ARG: h empty:T[B,cdiv(L,BT),H,K,V]
# ARG: ht empty:fp32[B,H,K,V]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 16
# CONST: BV 16
# CONST: USE_G True
# CONST: STORE_FINAL_STATE True
# CONST: SAVE_NEW_VALUE True
# GRID: cdiv(V, BV), B*H
# TOLERANCE: v_new 3e-2 5e-2
# TOLERANCE: h 3e-2 5e-2
# TOLERANCE: ht 3e-2 5e-2
#
# KERNEL: low_rank_outputs
# TYPES: bf16
# SIZES: B=1 L=50 H=2 K=24 V=40 | B=2 L=33 H=1 K=32 V=16
# BENCH: B=4 L=4096 H=16 K=128 V=128 T=bf16 BT=64 BK=64 BV=64 num_warps=4 num_stages=3
# ARG: qg randn:T[B,L,H,K]
# ARG: v randn:T[B,L,H,V]
# ARG: v_new randn:T[B,L,H,V]
# ARG: A_qk randn:T[B,L,H,BT]
# ARG: A_qb randn:T[B,L,H,BT]
# ARG: h randn:T[B,cdiv(L,BT),H,K,V]
# ARG: o empty:T[B,L,H,V]
# ARG: T L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BT 16
# CONST: BK 16
# CONST: BV 16
# GRID: cdiv(V, BV), cdiv(L, BT), B*H
# TOLERANCE: o 3e-2 2e-1
#
# KERNEL: scan_with_gate
# TYPES: fp16
# SIZES: B=1 L=48 C=24 H=2 P=20 N=16 | B=2 L=32 C=32 H=4 P=16 N=24
# BENCH: B=8 L=4096 C=256 H=24 P=64 N=128 T=fp16 BLOCK_M=128 BLOCK_N=64 BLOCK_K=64 BLOCK_S=128 num_warps=4 num_stages=2
# ARG: cb_ptr randn:T[B,L//C,1,C,C]
# ARG: x_ptr randn:T[B,L,H,P]
# ARG: z_ptr randn:T[B,L,H,P]
# ARG: out_ptr empty:T[B,L,H,P]
# ARG: dt_ptr rand:fp32[B,H,L//C,C]
# ARG: dA_cumsum_ptr rand(-1,0):fp32[B,H,L//C,C]
# ARG: C_ptr randn:T[B,L,1,N]
# ARG: states_ptr randn:fp32[B,L//C,H,P,N]
# ARG: D_ptr randn:fp32[H]
# ARG: chunk_size C
# ARG: hdim P
# ARG: dstate N
# ARG: seqlen L
# ARG: nheads H
# ARG: nchunks L//C
# CONST: HAS_D True
# CONST: HAS_Z True
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# CONST: BLOCK_S next_power_of_2(N)
# GRID: cdiv(C, BLOCK_M) * cdiv(P, BLOCK_N), B*(L//C), H
# TOLERANCE: out_ptr 2e-2 2e-1
#
# KERNEL: hadamard_by_sixteens
# TYPES: fp16
# SIZES: R=5 A=16 B=16 | R=3 A=32 B=16
# BENCH: R=16384 A=16 B=16 T=fp16 ROWS=4 num_warps=4 num_stages=1
# ARG: x_ptr randn:T[R,A*B]
# ARG: y_ptr empty:T[R,A*B]
# ARG: scale 0.0625
# ARG: R R
# CONST: A A
# CONST: B B
# CONST: ROWS 2
# GRID: cdiv(R, ROWS)
# TOLERANCE: y_ptr 5e-3 5e-3
#
# KERNEL: two_block_diagonals
# TYPES: bf16
# SIZES: M=20 P=16 Q=32 | M=3 P=32 Q=16
# BENCH: M=8192 P=64 Q=64 T=bf16 BLOCK_M=16 num_warps=4 num_stages=2
# ARG: x_ptr randn:T[M,P*Q]
# ARG: w1_ptr randn:T[P,Q,Q]
# ARG: mid_ptr empty:T[M,Q,P]
# ARG: M M
# CONST: P P
# CONST: Q Q
# CONST: BLOCK_M 16
# GRID: cdiv(M, BLOCK_M), P//16
# TOLERANCE: mid_ptr 1e-2 1e-1
#
# KERNEL: solve_by_blocks
# SIZES: B=3 N=48 R=20 | B=1 N=32 R=16
# BENCH: B=256 N=256 R=256 BR=64 num_warps=4 num_stages=2
# ARG: L_ptr rand(-0.2,0.2):fp32[B,N,N]
# ARG: inv_ptr rand(-0.2,0.2):fp32[B,N//16,16,16]
# ARG: rhs_ptr randn:fp32[B,N,R]
# ARG: x_ptr empty:fp32[B,N,R]
# ARG: R R
# CONST: N N
# CONST: BLOCK 16
# CONST: BR 16
# GRID: B, cdiv(R, BR)
# TOLERANCE: x_ptr 1e-3 1e-3
import numpy as np
import triton
import triton.language as tl


@triton.jit(do_not_specialize=['T'])
def gated_scores_between(q, k, g, A, scale, T, H: tl.constexpr, K: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr,
                         BK: tl.constexpr, NC: tl.constexpr):
    """Scores of a sub-chunk with an earlier one: both are scaled by gates against the first gate of the later one."""
    i_t, i_c, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    i_i, i_j = i_c // NC, i_c % NC
    if i_t * BT + i_i * BC >= T:
        return
    if i_i <= i_j:
        return
    bos = i_b * T
    q += (bos * H + i_h) * K
    k += (bos * H + i_h) * K
    g += (bos * H + i_h) * K
    A += (bos * H + i_h) * BT
    m_i = i_t * BT + i_i * BC + tl.arange(0, BC) < T
    b_A = tl.zeros([BC, BC], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_q = tl.make_block_ptr(q, (T, K), (H * K, 1), (i_t * BT + i_i * BC, i_k * BK), (BC, BK), (1, 0))
        p_g = tl.make_block_ptr(g, (T, K), (H * K, 1), (i_t * BT + i_i * BC, i_k * BK), (BC, BK), (1, 0))
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (i_k * BK, i_t * BT + i_j * BC), (BK, BC), (0, 1))
        p_gk = tl.make_block_ptr(g, (K, T), (1, H * K), (i_k * BK, i_t * BT + i_j * BC), (BK, BC), (0, 1))
        o_k = i_k * BK + tl.arange(0, BK)
        m_k = o_k < K
        b_gn = tl.load(g + (i_t * BT + i_i * BC) * H * K + o_k, mask=m_k, other=0)
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_g = tl.load(p_g, boundary_check=(0, 1))
        b_qg = b_q * tl.exp(b_g - b_gn[None, :]) * scale
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_gk = tl.load(p_gk, boundary_check=(0, 1))
        b_kg = b_k * tl.exp(b_gn[:, None] - b_gk)
        b_A += tl.dot(b_qg, b_kg)
    b_A = tl.where(m_i[:, None], b_A, 0)
    p_A = tl.make_block_ptr(A, (T, BT), (H * BT, 1), (i_t * BT + i_i * BC, i_j * BC), (BC, BC), (1, 0))
    tl.store(p_A, b_A.to(A.dtype.element_ty), boundary_check=(0, 1))


def gated_scores_between_reference(q, k, g, B, L, H, BT, BC):
    out = np.zeros((B, L, H, BT))
    for t in range(0, L, BC):
        rows = slice(t, min(t + BC, L))
        base = t // BT * BT
        for s in range(base, t, BC):
            qg = q[:, rows] * np.exp(g[:, rows] - g[:, t:t + 1]) * 0.25
            kg = k[:, s:s + BC] * np.exp(g[:, t:t + 1] - g[:, s:s + BC])
            out[:, rows, :, s - base:s - base + BC] = np.einsum("bihk,bjhk->bihj", qg, kg)
    return out


@triton.jit(do_not_specialize=['T'])
def gated_delta_states(k, v, w, v_new, g, h, ht, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                       BT: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr, STORE_FINAL_STATE: tl.constexpr,
                       SAVE_NEW_VALUE: tl.constexpr):
    """States in registers by parts of 64 rows, which the flags of the depth bring into being."""
    i_v, i_nh = tl.program_id(0), tl.program_id(1)
    i_n, i_h = i_nh // H, i_nh % H
    NT = tl.cdiv(T, BT)
    b_h1 = tl.zeros([64, BV], dtype=tl.float32)
    if K > 64:
        b_h2 = tl.zeros([64, BV], dtype=tl.float32)
    h += (i_n * NT * H + i_h) * K * V
    v += (i_n * T * H + i_h) * V
    k += (i_n * T * H + i_h) * K
    w += (i_n * T * H + i_h) * K
    g += i_n * T * H + i_h
    if SAVE_NEW_VALUE:
        v_new += (i_n * T * H + i_h) * V
    stride_v = H * V
    stride_h = H * K * V
    stride_k = H * K
    for i_t in range(NT):
        p_h1 = tl.make_block_ptr(h + i_t * stride_h, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        tl.store(p_h1, b_h1.to(p_h1.dtype.element_ty), boundary_check=(0, 1))
        if K > 64:
            p_h2 = tl.make_block_ptr(h + i_t * stride_h, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
            tl.store(p_h2, b_h2.to(p_h2.dtype.element_ty), boundary_check=(0, 1))
        p_w = tl.make_block_ptr(w, (T, K), (stride_k, 1), (i_t * BT, 0), (BT, 64), (1, 0))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_v = tl.dot(b_w, b_h1.to(b_w.dtype))
        if K > 64:
            p_w = tl.make_block_ptr(w, (T, K), (stride_k, 1), (i_t * BT, 64), (BT, 64), (1, 0))
            b_w = tl.load(p_w, boundary_check=(0, 1))
            b_v += tl.dot(b_w, b_h2.to(b_w.dtype))
        p_v = tl.make_block_ptr(v, (T, V), (stride_v, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1)) - b_v
        if SAVE_NEW_VALUE:
            p_v = tl.make_block_ptr(v_new, (T, V), (stride_v, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
            tl.store(p_v, b_v.to(p_v.dtype.element_ty), boundary_check=(0, 1))
        last_idx = min((i_t + 1) * BT, T) - 1
        if USE_G:
            m_t = (i_t * BT + tl.arange(0, BT)) < T
            b_g_last = tl.load(g + last_idx * H)
            p_g = tl.make_block_ptr(g, (T, ), (H, ), (i_t * BT, ), (BT, ), (0, ))
            b_g = tl.load(p_g, boundary_check=(0, ))
            b_v = b_v * tl.where(m_t, tl.exp(b_g_last - b_g), 0)[:, None]
            b_g_last = tl.exp(b_g_last)
            b_h1 *= b_g_last
            if K > 64:
                b_h2 *= b_g_last
        b_v = b_v.to(k.dtype.element_ty)
        p_k = tl.make_block_ptr(k, (K, T), (1, stride_k), (0, i_t * BT), (64, BT), (0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h1 += tl.dot(b_k, b_v)
        if K > 64:
            p_k = tl.make_block_ptr(k, (K, T), (1, stride_k), (64, i_t * BT), (64, BT), (0, 1))
            b_k = tl.load(p_k, boundary_check=(0, 1))
            b_h2 += tl.dot(b_k, b_v)
    if STORE_FINAL_STATE:
        ht += i_nh * K * V
        p_ht = tl.make_block_ptr(ht, (K, V), (V, 1), (0, i_v * BV), (64, BV), (1, 0))
        tl.store(p_ht, b_h1.to(p_ht.dtype.element_ty), boundary_check=(0, 1))
        if K > 64:
            p_ht = tl.make_block_ptr(ht, (K, V), (V, 1), (64, i_v * BV), (64, BV), (1, 0))
            tl.store(p_ht, b_h2.to(p_ht.dtype.element_ty), boundary_check=(0, 1))


def gated_delta_states_reference(k, v, w, g, B, L, H, K, V, BT):
    state, h, new = np.zeros((B, H, K, V)), [], []
    for t in range(0, L, BT):
        rows = slice(t, min(L, t + BT))
        h.append(state)
        u = v[:, rows] - np.einsum("bthk,bhkv->bthv", w[:, rows], state)
        new.append(u)
        last = g[:, rows][:, -1]
        u = u * np.exp(last[:, None] - g[:, rows])[..., None]
        state = state * np.exp(last)[..., None, None] + np.einsum("bthk,bthv->bhkv", k[:, rows], u)
    return {"h": np.stack(h, 1), "v_new": np.concatenate(new, 1), "ht": state}


@triton.jit(do_not_specialize=['T'])
def low_rank_outputs(qg, v, v_new, A_qk, A_qb, h, o, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                     BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    """A loop over the depth for the state, then two products with triangles of scores into the same sum."""
    i_v, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    i_b, i_h = i_bh // H, i_bh % H
    NT = tl.cdiv(T, BT)
    i_tg = i_b * NT + i_t
    bos = i_b * T
    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_qg = tl.make_block_ptr(qg + (bos * H + i_h) * K, (T, K), (H * K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_h = tl.make_block_ptr(h + (i_tg * H + i_h) * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV), (BK, BV), (1, 0))
        b_qg = tl.load(p_qg, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        b_o += tl.dot(b_qg, b_h)
    p_Aqk = tl.make_block_ptr(A_qk + (bos * H + i_h) * BT, (T, BT), (H * BT, 1), (i_t * BT, 0), (BT, BT), (1, 0))
    p_Aqb = tl.make_block_ptr(A_qb + (bos * H + i_h) * BT, (T, BT), (H * BT, 1), (i_t * BT, 0), (BT, BT), (1, 0))
    p_v = tl.make_block_ptr(v + (bos * H + i_h) * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_v_new = tl.make_block_ptr(v_new + (bos * H + i_h) * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_o = tl.make_block_ptr(o + (bos * H + i_h) * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    m_s = tl.arange(0, BT)[:, None] >= tl.arange(0, BT)[None, :]
    b_Aqk = tl.load(p_Aqk, boundary_check=(0, 1))
    b_Aqb = tl.load(p_Aqb, boundary_check=(0, 1))
    b_Aqk = tl.where(m_s, b_Aqk, 0)
    b_Aqb = tl.where(m_s, b_Aqb, 0)
    b_v = tl.load(p_v, boundary_check=(0, 1))
    b_v_new = tl.load(p_v_new, boundary_check=(0, 1))
    b_o = b_o + tl.dot(b_Aqk.to(b_v.dtype), b_v) + tl.dot(b_Aqb.to(b_v_new.dtype), b_v_new)
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))


def low_rank_outputs_reference(qg, v, v_new, A_qk, A_qb, h, L, BT):
    o = np.zeros(v.shape)
    for c, t in enumerate(range(0, L, BT)):
        rows, n = slice(t, min(L, t + BT)), min(BT, L - t)
        o[:, rows] = np.einsum("bthk,bhkv->bthv", qg[:, rows], h[:, c])
        for a, x in ((A_qk, v), (A_qb, v_new)):
            a = a[:, rows, :, :n] * (np.arange(n)[:, None] >= np.arange(n))[:, None]
            o[:, rows] += np.einsum("bths,bshv->bthv", a, x[:, rows])
    return o


@triton.jit
def scan_with_gate(cb_ptr, x_ptr, z_ptr, out_ptr, dt_ptr, dA_cumsum_ptr, C_ptr, states_ptr, D_ptr, chunk_size, hdim,
                   dstate, seqlen, nheads, nchunks, HAS_D: tl.constexpr, HAS_Z: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_S: tl.constexpr):
    """What the states bring, then the chunk's own inputs below the diagonal, then D times the input and the gate."""
    pid_bc = tl.program_id(1).to(tl.int64)
    pid_h = tl.program_id(2)
    pid_c = pid_bc % nchunks
    pid_b = pid_bc // nchunks
    num_pid_n = tl.cdiv(hdim, BLOCK_N)
    pid_m = tl.program_id(0) // num_pid_n
    pid_n = tl.program_id(0) % num_pid_n
    first = pid_b * seqlen + pid_c * chunk_size
    cb_ptr += pid_bc * chunk_size * chunk_size
    x_ptr += (first * nheads + pid_h) * hdim
    dt_ptr += ((pid_b * nheads + pid_h) * nchunks + pid_c) * chunk_size
    dA_cumsum_ptr += ((pid_b * nheads + pid_h) * nchunks + pid_c) * chunk_size
    C_ptr += first * dstate
    states_ptr += (pid_bc * nheads + pid_h) * hdim * dstate
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    dA_cs_m = tl.load(dA_cumsum_ptr + offs_m, mask=offs_m < chunk_size, other=0.0).to(tl.float32)
    limit = min(chunk_size, seqlen - pid_c * chunk_size)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    offs_s = tl.arange(0, BLOCK_S)
    scale_m = tl.exp(dA_cs_m)
    C = tl.load(C_ptr + offs_m[:, None] * dstate + offs_s[None, :],
                mask=(offs_m[:, None] < limit) & (offs_s[None, :] < dstate), other=0.0)
    states = tl.load(states_ptr + offs_n[None, :] * dstate + offs_s[:, None],
                     mask=(offs_s[:, None] < dstate) & (offs_n[None, :] < hdim), other=0.0)
    states = states.to(C_ptr.dtype.element_ty)
    acc = tl.dot(C, states) * scale_m[:, None]
    offs_k = tl.arange(0, BLOCK_K)
    cb_ptrs = cb_ptr + offs_m[:, None] * chunk_size + offs_k[None, :]
    x_ptrs = x_ptr + offs_k[:, None] * (nheads * hdim) + offs_n[None, :]
    dt_ptrs = dt_ptr + offs_k
    dA_cumsum_ptrs = dA_cumsum_ptr + offs_k
    K_MAX = min((pid_m + 1) * BLOCK_M, limit)
    for k in range(0, K_MAX, BLOCK_K):
        cb = tl.load(cb_ptrs, mask=(offs_m[:, None] < chunk_size) & (offs_k[None, :] < chunk_size - k), other=0.0)
        cb = cb.to(tl.float32)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)
        cb *= tl.exp(tl.minimum(dA_cs_m[:, None] - dA_cs_k[None, :], 0.0))
        dt_k = tl.load(dt_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)
        cb *= dt_k
        cb = tl.where(offs_m[:, None] >= k + offs_k[None, :], cb, 0.0)
        cb = cb.to(x_ptr.dtype.element_ty)
        x = tl.load(x_ptrs, mask=(offs_k[:, None] < limit - k) & (offs_n[None, :] < hdim), other=0.0)
        acc += tl.dot(cb, x)
        cb_ptrs += BLOCK_K
        x_ptrs += BLOCK_K * nheads * hdim
        dt_ptrs += BLOCK_K
        dA_cumsum_ptrs += BLOCK_K
    both = (offs_m[:, None] < limit) & (offs_n[None, :] < hdim)
    at = offs_m[:, None] * (nheads * hdim) + offs_n[None, :]
    if HAS_D:
        D = tl.load(D_ptr + pid_h).to(tl.float32)
        x_residual = tl.load(x_ptr + at, mask=both, other=0.0).to(tl.float32)
        acc += x_residual * D
    base = (first * nheads + pid_h) * hdim
    if HAS_Z:
        z = tl.load(z_ptr + base + at, mask=both, other=0.0).to(tl.float32)
        acc *= z * tl.sigmoid(z)
    tl.store(out_ptr + base + at, acc, mask=both)


def scan_with_gate_reference(cb_ptr, x_ptr, z_ptr, dt_ptr, dA_cumsum_ptr, C_ptr, states_ptr, D_ptr, B, L, C, H, P, N):
    n = L // C
    x = x_ptr.reshape(B, n, C, H, P)
    cumsum, dt = (a.transpose(0, 2, 3, 1) for a in (dA_cumsum_ptr, dt_ptr))
    out = np.einsum("bcln,bchpn->bclhp", C_ptr.reshape(B, n, C, N), states_ptr) * np.exp(cumsum)[..., None]
    decay = np.exp(np.minimum(cumsum[:, :, :, None] - cumsum[:, :, None], 0)) * dt[:, :, None]
    scores = np.tril(cb_ptr[:, :, 0])[..., None] * decay
    out += np.einsum("bclsh,bcshp->bclhp", scores, x)
    out = (out + x * D_ptr[:, None]).reshape(B, L, H, P)
    return out * z_ptr / (1 + np.exp(-z_ptr))


@triton.jit
def signs(N: tl.constexpr, dtype: tl.constexpr):
    """The matrix of Hadamard: -1 to the number of common bits of row and column."""
    both = tl.arange(0, N)[:, None] & tl.arange(0, N)[None, :]
    both ^= both >> 4
    both ^= both >> 2
    both ^= both >> 1
    return (1 - 2 * (both & 1)).to(dtype)


@triton.jit
def hadamard_by_sixteens(x_ptr, y_ptr, scale, R, A: tl.constexpr, B: tl.constexpr, ROWS: tl.constexpr):
    """Each row is a matrix, between two matrices of signs; several rows stand behind each other."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, A * B)
    mask = rows[:, None] < R
    x = tl.load(x_ptr + rows[:, None] * (A * B) + cols[None, :], mask=mask, other=0.0)
    x = tl.reshape(x, (ROWS * A, B))
    x = tl.dot(x, signs(B, x.dtype)) * scale
    x = tl.trans(tl.reshape(x, (ROWS, A, B)), 0, 2, 1)
    x = tl.reshape(x, (ROWS * B, A)).to(x_ptr.dtype.element_ty)
    x = tl.dot(x, signs(A, x.dtype))
    x = tl.trans(tl.reshape(x, (ROWS, B, A)), 0, 2, 1)
    tl.store(y_ptr + rows[:, None] * (A * B) + cols[None, :], tl.reshape(x, (ROWS, A * B)).to(y_ptr.dtype.element_ty),
             mask=mask)


def hadamard_by_sixteens_reference(x_ptr, R, A, B):
    def matrix(n):
        return np.array([[(-1.0)**bin(i & j).count("1") for j in range(n)] for i in range(n)])
    return (matrix(A) @ x_ptr.reshape(R, A, B) @ matrix(B)).reshape(R, A * B) * 0.0625


@triton.jit
def two_block_diagonals(x_ptr, w1_ptr, mid_ptr, M, P: tl.constexpr, Q: tl.constexpr, BLOCK_M: tl.constexpr):
    """A product in three dimensions: sixteen blocks of a diagonal at once, whose results are stored transposed."""
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_p = tl.program_id(1) * 16 + tl.arange(0, 16)
    offs_q = tl.arange(0, Q)
    mask = offs_m[None, :, None] < M
    x = tl.load(x_ptr + offs_m[None, :, None] * (P * Q) + offs_p[:, None, None] * Q + offs_q[None, None, :], mask=mask,
                other=0.0)
    w = tl.load(w1_ptr + offs_p[:, None, None] * (Q * Q) + offs_q[None, :, None] * Q + offs_q[None, None, :])
    y = tl.dot(x, w).to(mid_ptr.dtype.element_ty)
    y = tl.permute(y, (1, 2, 0))
    tl.store(mid_ptr + offs_m[:, None, None] * (P * Q) + offs_q[None, :, None] * P + offs_p[None, None, :], y,
             mask=offs_m[:, None, None] < M)


def two_block_diagonals_reference(x_ptr, w1_ptr, M, P, Q):
    return np.einsum("mpq,pqr->mrp", x_ptr.reshape(M, P, Q), w1_ptr)


@triton.jit
def solve_by_blocks(L_ptr, inv_ptr, rhs_ptr, x_ptr, R, N: tl.constexpr, BLOCK: tl.constexpr, BR: tl.constexpr):
    """Forward substitution: each block of rows needs those before it, which the program itself has stored."""
    b = tl.program_id(0)
    cols = tl.program_id(1) * BR + tl.arange(0, BR)
    r = tl.arange(0, BLOCK)
    mask = cols[None, :] < R
    L_ptr += b * N * N
    inv_ptr += b * N * BLOCK
    rhs_ptr += b * N * R
    x_ptr += b * N * R
    for i in range(0, N // BLOCK):
        acc = tl.load(rhs_ptr + (i * BLOCK + r)[:, None] * R + cols[None, :], mask=mask, other=0.0)
        for j in range(0, i):
            block = tl.load(L_ptr + (i * BLOCK + r)[:, None] * N + (j * BLOCK + r)[None, :])
            solved = tl.load(x_ptr + (j * BLOCK + r)[:, None] * R + cols[None, :], mask=mask, other=0.0)
            acc -= tl.dot(block, solved, input_precision="ieee")
        inverse = tl.load(inv_ptr + i * BLOCK * BLOCK + r[:, None] * BLOCK + r[None, :])
        x = tl.dot(inverse, acc, input_precision="ieee")
        tl.store(x_ptr + (i * BLOCK + r)[:, None] * R + cols[None, :], x, mask=mask)
        tl.debug_barrier()


def solve_by_blocks_reference(L_ptr, inv_ptr, rhs_ptr, N):
    x = np.zeros(rhs_ptr.shape)
    for i in range(0, N, 16):
        x[:, i:i + 16] = inv_ptr[:, i // 16] @ (rhs_ptr[:, i:i + 16] - L_ptr[:, i:i + 16, :i] @ x[:, :i])
    return x
