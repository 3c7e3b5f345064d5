# Recurrences over time as they are trained: forward and backward of a weighted average with a bonus, a gated linear
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# recurrence with its reverse, a selective scan by chunks, sums over chunks in either direction for sequences of
# different lengths, one step of a convolution's state, and a shift by one token.
#
# KERNEL: wkv_forward
# TYPES: fp32
# SIZES: B=1 TIME=1 C=1 | B=2 TIME=9 C=50
# BENCH: B=16 TIME=512 C=2048 T=fp32
# ARG: w rand(0.1,1):T[C]
# ARG: u randn:T[C]
# ARG: k randn:T[B,TIME,C]
# ARG: v randn:T[B,TIME,C]
# ARG: wkv empty:T[B,TIME,C]
# ARG: state_out empty:fp32[B,3,C]
# ARG: chans C
# ARG: tsz TIME
# ARG: k_s_b TIME*C
# ARG: k_s_t C
# ARG: k_s_c 1
# CONST: BLOCK_SIZE_C 32
# GRID: B, cdiv(C, BLOCK_SIZE_C)
# TOLERANCE: wkv 1e-4 1e-5
# TOLERANCE: state_out 1e-4 1e-4
#
# KERNEL: wkv_backward
# TYPES: fp32
# SIZES: B=1 TIME=1 C=1 | B=2 TIME=9 C=50
# BENCH: B=16 TIME=512 C=2048 T=fp32
# ARG: w rand(0.1,1):T[C]
# ARG: u randn:T[C]
# ARG: k randn:T[B,TIME,C]
# ARG: v randn:T[B,TIME,C]
# ARG: grad randn:T[B,TIME,C]
# ARG: alphas empty:fp32[B,TIME,C]
# ARG: betas empty:fp32[B,TIME,C]
# ARG: gk empty:T[B,TIME,C]
# ARG: gv empty:T[B,TIME,C]
# ARG: C C
# ARG: T_len TIME
# CONST: BLOCK 32
# GRID: B, cdiv(C, BLOCK)
# CHECK: gk gv
# TOLERANCE: gk 1e-3 1e-4
# TOLERANCE: gv 1e-3 1e-4
#
# KERNEL: gated_recurrence
# TYPES: fp32 bf16
# SIZES: B=1 TIME=1 D=1 REV=False | B=2 TIME=33 D=70 REV=False | B=2 TIME=33 D=70 REV=True
# BENCH: B=16 TIME=1024 D=2048 REV=False T=bf16
# ARG: x randn:T[B,TIME,D]
# ARG: g randn:T[B,TIME,D]
# ARG: gc empty:fp32[B,TIME,D]
# ARG: o empty:T[B,TIME,D]
# ARG: h0 randn:fp32[B,D]
# ARG: T_len TIME
# CONST: D D
# CONST: BT 16
# CONST: BD 64
# CONST: USE_INITIAL_STATE True
# CONST: REVERSE REV
# GRID: cdiv(D, BD), B
# CHECK: o
# TOLERANCE: o 1e-2 1e-3
#
# KERNEL: selective_scan_chunk
# TYPES: fp32
# SIZES: B=1 TIME=4 D=4 N=4 | B=2 TIME=32 D=8 N=8
# BENCH: B=8 TIME=1024 D=1024 N=16 T=fp32
# ARG: x randn:T[B,D,TIME]
# ARG: dt rand(0.01,0.2):T[B,D,TIME]
# ARG: A rand(-2,-0.1):fp32[D,N]
# ARG: Bm randn:T[B,N,TIME]
# ARG: Cm randn:T[B,N,TIME]
# ARG: Dm randn:fp32[D]
# ARG: y empty:T[B,D,TIME]
# ARG: T_len TIME
# CONST: D D
# CONST: N N
# CONST: BT min(TIME, 64)
# GRID: D, B
# TOLERANCE: y 1e-3 1e-4
#
# KERNEL: varlen_chunk_cumsum
# TYPES: fp32
# SIZES: S=1 L=7 H=1 REV=False | S=3 L=50 H=3 REV=True
# BENCH: S=64 L=4096 H=32 REV=True T=fp32
# ARG: s randn:T[S*L,H]
# ARG: o zeros:fp32[S*L,H]
# ARG: cu_seqlens arange:i32[S+1]
# ARG: chunk_indices arange:i32[S*cdiv(L,16)]
# ARG: L L
# ARG: scale 0.5
# CONST: H H
# CONST: BT 16
# CONST: REVERSE REV
# GRID: S*cdiv(L,16), H
# CHECK: o
# TOLERANCE: o 1e-4 1e-4
#
# KERNEL: conv_state_update
# TYPES: fp32 bf16
# SIZES: B=1 D=1 | B=3 D=70
# BENCH: B=2048 D=4096 T=bf16
# ARG: x randn:T[B,D]
# ARG: conv_state randn:T[B*2,D,3]
# ARG: weight randn:T[D,4]
# ARG: bias randn:T[D]
# ARG: indices permutation:i32[B]
# ARG: out empty:T[B,D]
# ARG: dim D
# ARG: pad_slot_id 0
# CONST: KERNEL_WIDTH 4
# CONST: SILU True
# CONST: BLOCK_N 128
# GRID: B, cdiv(D, BLOCK_N)
# CHECK: conv_state out
# TOLERANCE: out 2e-2 2e-2
#
# KERNEL: token_shift
# TYPES: fp32 fp16
# SIZES: B=1 TIME=1 D=1 | B=2 TIME=9 D=70
# BENCH: B=8 TIME=2048 D=2048 T=fp16
# ARG: x randn:T[B,TIME,D]
# ARG: mu rand:T[D]
# ARG: y empty:T[B,TIME,D]
# ARG: T_len TIME
# CONST: D D
# CONST: BD next_power_of_2(D)
# GRID: B*TIME
# TOLERANCE: y 8e-3 8e-3
import torch
import triton
import triton.language as tl


@triton.jit
def wkv_forward(w, u, k, v, wkv, state_out, chans, tsz, k_s_b, k_s_t, k_s_c, BLOCK_SIZE_C: tl.constexpr):
    b_idx = tl.program_id(0)
    c_idx = tl.program_id(1)
    cs = (c_idx * BLOCK_SIZE_C) + tl.arange(0, BLOCK_SIZE_C)
    cmask = cs < chans
    k_ptr = k + b_idx * k_s_b
    v_ptr = v + b_idx * k_s_b
    wkv_ptr = wkv + b_idx * k_s_b
    alpha = tl.zeros([BLOCK_SIZE_C], dtype=tl.float32)
    beta = tl.zeros([BLOCK_SIZE_C], dtype=tl.float32)
    eps = tl.full([BLOCK_SIZE_C], -1e30, dtype=tl.float32)
    decay = -tl.load(w + cs, mask=cmask).to(tl.float32)
    bonus = tl.load(u + cs, mask=cmask).to(tl.float32)
    for t in range(tsz):
        kt = tl.load(k_ptr + t * k_s_t + cs * k_s_c, mask=cmask).to(tl.float32)
        vt = tl.load(v_ptr + t * k_s_t + cs * k_s_c, mask=cmask).to(tl.float32)
        ukt = bonus + kt
        tau = tl.maximum(ukt, eps)
        e1a = tl.exp(eps - tau)
        e2a = tl.exp(ukt - tau)
        wkv_t = (e1a * alpha + e2a * vt) / (e1a * beta + e2a)
        tl.store(wkv_ptr + t * k_s_t + cs * k_s_c, wkv_t, mask=cmask)
        w_eps = decay + eps
        eps = tl.maximum(w_eps, kt)
        e1b = tl.exp(w_eps - eps)
        e2b = tl.exp(kt - eps)
        alpha = e1b * alpha + e2b * vt
        beta = e1b * beta + e2b
    out = state_out + b_idx * 3 * chans + cs
    tl.store(out, alpha, mask=cmask)
    tl.store(out + chans, beta, mask=cmask)
    tl.store(out + 2 * chans, eps, mask=cmask)


@triton.jit
def wkv_backward(w, u, k, v, grad, alphas, betas, gk, gv, C, T_len, BLOCK: tl.constexpr):
    """Without a running maximum: the weights stay in range here."""
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    decay = tl.exp(-tl.load(w + c, mask=mask, other=0.0).to(tl.float32))
    bonus = tl.exp(tl.load(u + c, mask=mask, other=0.0).to(tl.float32))
    p = b * T_len * C + c
    alpha = tl.zeros([BLOCK], tl.float32)
    beta = tl.zeros([BLOCK], tl.float32)
    for t in range(0, T_len):
        tl.store(alphas + p + t * C, alpha, mask=mask)
        tl.store(betas + p + t * C, beta, mask=mask)
        e = tl.exp(tl.load(k + p + t * C, mask=mask, other=0.0).to(tl.float32))
        alpha = decay * alpha + e * tl.load(v + p + t * C, mask=mask, other=0.0).to(tl.float32)
        beta = decay * beta + e
    g_alpha = tl.zeros([BLOCK], tl.float32)
    g_beta = tl.zeros([BLOCK], tl.float32)
    for t in range(T_len - 1, -1, -1):
        at = p + t * C
        e = tl.exp(tl.load(k + at, mask=mask, other=0.0).to(tl.float32))
        value = tl.load(v + at, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(grad + at, mask=mask, other=0.0).to(tl.float32)
        alpha = tl.load(alphas + at, mask=mask, other=0.0)
        beta = tl.load(betas + at, mask=mask, other=0.0)
        below = 1.0 / (beta + bonus * e)
        y = (alpha + bonus * e * value) * below
        # From y at t, and from the states after t.
        ge = g * below * bonus * (value - y) + g_alpha * value + g_beta
        tl.store(gk + at, ge * e, mask=mask)
        tl.store(gv + at, g * below * bonus * e + g_alpha * e, mask=mask)
        g_alpha = decay * g_alpha + g * below
        g_beta = decay * g_beta - g * below * y


@triton.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def gated_recurrence(x, g, gc, o, h0, T_len, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr,
                     USE_INITIAL_STATE: tl.constexpr, REVERSE: tl.constexpr):
    i_d, i_b = tl.program_id(0), tl.program_id(1)
    o_d = i_d * BD + tl.arange(0, BD)
    m_d = o_d < D
    b_h = tl.zeros([BD], dtype=tl.float32)
    if USE_INITIAL_STATE:
        b_h += tl.load(h0 + i_b * D + o_d, mask=m_d, other=0).to(tl.float32)
    NT = tl.cdiv(T_len, BT)
    for i in range(0, NT):
        i_t = (NT - 1 - i) if REVERSE else i
        o_t = i_t * BT + tl.arange(0, BT)
        m = (o_t < T_len)[:, None] & m_d[None, :]
        at = (i_b * T_len + o_t)[:, None] * D + o_d[None, :]
        b_x = tl.load(x + at, mask=m, other=0).to(tl.float32)
        # Rows beyond the end keep the state.
        b_g = tl.where(m, tl.sigmoid(tl.load(g + at, mask=m, other=0).to(tl.float32)), 1.0)
        decay, b_o = tl.associative_scan((b_g, tl.where(m, (1 - b_g) * b_x, 0.0)), 0, first_order, reverse=REVERSE)
        b_o += decay * b_h[None, :]
        tl.store(o + at, b_o.to(o.dtype.element_ty), mask=m)
        last = tl.arange(0, BT) == (0 if REVERSE else BT - 1)
        b_h = tl.sum(tl.where(last[:, None], b_o, 0.0), 0)


@triton.jit
def selective_scan_chunk(x, dt, A, Bm, Cm, Dm, y, T_len, D: tl.constexpr, N: tl.constexpr, BT: tl.constexpr):
    d, b = tl.program_id(0), tl.program_id(1)
    n = tl.arange(0, N)
    a = tl.load(A + d * N + n)
    skip = tl.load(Dm + d)
    h = tl.zeros([N], tl.float32)
    for start in range(0, T_len, BT):
        t = start + tl.arange(0, BT)
        row = (b * D + d) * T_len + t
        xt = tl.load(x + row).to(tl.float32)
        dtt = tl.load(dt + row).to(tl.float32)
        plane = (b * N + n)[:, None] * T_len + t[None, :]
        bt = tl.load(Bm + plane).to(tl.float32)
        ct = tl.load(Cm + plane).to(tl.float32)
        decay = tl.exp(a[:, None] * dtt[None, :])
        decays, states = tl.associative_scan((decay, (dtt * xt)[None, :] * bt), 1, first_order)
        states += decays * h[:, None]
        tl.store(y + row, tl.sum(states * ct, 0) + skip * xt)
        h = tl.sum(tl.where((tl.arange(0, BT) == BT - 1)[None, :], states, 0.0), 1)


@triton.jit(do_not_specialize=["L"])
def varlen_chunk_cumsum(s, o, cu_seqlens, chunk_indices, L, scale, H: tl.constexpr, BT: tl.constexpr,
                        REVERSE: tl.constexpr):
    i_c, i_h = tl.program_id(0), tl.program_id(1)
    chunks = (L + BT - 1) // BT
    i_c = tl.load(chunk_indices + i_c).to(tl.int32)
    i_n, i_t = i_c // chunks, i_c % chunks
    # Every other sequence is a little shorter than its place.
    bos = tl.load(cu_seqlens + i_n).to(tl.int32) * L
    eos = tl.load(cu_seqlens + i_n + 1).to(tl.int32) * L - i_n % 2
    T = eos - bos
    p_s = tl.make_block_ptr(s + bos * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    p_o = tl.make_block_ptr(o + bos * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
    b_s = tl.load(p_s, boundary_check=(0,), padding_option="zero").to(tl.float32)
    b_o = tl.cumsum(b_s, axis=0)
    if REVERSE:
        b_z = tl.sum(b_s, axis=0)
        b_o = -b_o + b_z[None] + b_s
    tl.store(p_o, (b_o * scale).to(p_o.dtype.element_ty), boundary_check=(0,))


@triton.jit
def conv_state_update(x, conv_state, weight, bias, indices, out, dim, pad_slot_id, KERNEL_WIDTH: tl.constexpr,
                      SILU: tl.constexpr, BLOCK_N: tl.constexpr):
    idx_seq = tl.program_id(0)
    idx_feats = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    coord = tl.load(indices + idx_seq).to(tl.int64) * 2 + 1
    if coord == pad_slot_id:
        return
    mask = idx_feats < dim
    state = conv_state + coord * dim * (KERNEL_WIDTH - 1) + idx_feats * (KERNEL_WIDTH - 1)
    acc = tl.load(bias + idx_feats, mask=mask, other=0.0).to(tl.float32)
    w_base = weight + idx_feats * KERNEL_WIDTH
    x_new = tl.load(x + idx_seq * dim + idx_feats, mask=mask, other=0.0)
    for j in tl.static_range(KERNEL_WIDTH):
        w_col = tl.load(w_base + j, mask, other=0.0)
        if j < KERNEL_WIDTH - 1:
            col = tl.load(state + j, mask, other=0.0)
            if j > 0:
                tl.store(state + j - 1, col, mask)
        else:
            col = x_new
        acc += col * w_col
    tl.store(state + KERNEL_WIDTH - 2, x_new, mask)
    if SILU:
        acc = acc / (1 + tl.exp(-acc))
    tl.store(out + idx_seq * dim + idx_feats, acc, mask=mask)


@triton.jit
def token_shift(x, mu, y, T_len, D: tl.constexpr, BD: tl.constexpr):
    i = tl.program_id(0)
    t = i % T_len
    o_d = tl.arange(0, BD)
    m_d = o_d < D
    b_x = tl.load(x + i * D + o_d, mask=m_d, other=0)
    if t == 0:
        b_p = tl.zeros_like(b_x)
    else:
        b_p = tl.load(x + (i - 1) * D + o_d, mask=m_d, other=0)
    tl.store(y + i * D + o_d, b_x + (b_p - b_x) * tl.load(mu + o_d, mask=m_d, other=0), mask=m_d)


def wkv_forward_reference(w, u, k, v, B, C):
    alpha, beta = np.zeros((B, C)), np.zeros((B, C))
    eps = np.full((B, C), -1e30)
    out = np.empty_like(k)
    for t in range(k.shape[1]):
        tau = np.maximum(u + k[:, t], eps)
        a, b = np.exp(eps - tau), np.exp(u + k[:, t] - tau)
        out[:, t] = (a * alpha + b * v[:, t]) / (a * beta + b)
        new = np.maximum(eps - w, k[:, t])
        a, b = np.exp(eps - w - new), np.exp(k[:, t] - new)
        alpha, beta, eps = a * alpha + b * v[:, t], a * beta + b, new
    return {"wkv": out, "state_out": np.stack([alpha, beta, eps], 1)}


def wkv_backward_reference(w, u, k, v, grad, B, C, TIME):
    d, bonus, e = np.exp(-w), np.exp(u), np.exp(k)
    gk, gv = np.zeros_like(k), np.zeros_like(v)
    # y_t is a ratio of sums over s: every pair (t, s) counts for itself.
    for t in range(TIME):
        power = np.stack([d ** (t - 1 - s) if s < t else bonus for s in range(t + 1)])
        weight = power[None] * e[:, :t + 1]
        below = weight.sum(1, keepdims=True)
        y = (weight * v[:, :t + 1]).sum(1, keepdims=True) / below
        gv[:, :t + 1] += grad[:, t:t + 1] * weight / below
        gk[:, :t + 1] += grad[:, t:t + 1] * weight / below * (v[:, :t + 1] - y)
    return {"gk": gk, "gv": gv}


def gated_recurrence_reference(x, g, h0, TIME, REV):
    gate = 1 / (1 + np.exp(-g))
    o, h = np.empty_like(x), h0
    for t in (range(TIME - 1, -1, -1) if REV else range(TIME)):
        h = gate[:, t] * h + (1 - gate[:, t]) * x[:, t]
        o[:, t] = h
    return o


def selective_scan_chunk_reference(x, dt, A, Bm, Cm, Dm, B, D, N, TIME):
    h, y = np.zeros((B, D, N)), np.empty_like(x)
    for t in range(TIME):
        h = np.exp(A * dt[:, :, t, None]) * h + (dt * x)[:, :, t, None] * Bm[:, None, :, t]
        y[:, :, t] = (h * Cm[:, None, :, t]).sum(2) + Dm * x[:, :, t]
    return y


def varlen_chunk_cumsum_reference(s, o, S, L, REV):
    for n in range(S):
        for start in range(0, L - n % 2, 16):
            rows = slice(n * L + start, min(n * L + start + 16, (n + 1) * L - n % 2))
            o[rows] = 0.5 * (s[rows][::-1].cumsum(0)[::-1] if REV else s[rows].cumsum(0))
    return o


def conv_state_update_reference(x, conv_state, weight, bias, indices):
    at = indices.astype(int) * 2 + 1
    window = np.concatenate([conv_state[at], x[..., None]], 2)
    conv_state[at] = window[..., 1:]
    y = (window * weight).sum(2) + bias
    return {"conv_state": conv_state, "out": y / (1 + np.exp(-y))}


def token_shift_reference(x, mu):
    before = np.concatenate([np.zeros_like(x[:, :1]), x[:, :-1]], 1)
    return x + (before - x) * mu
