# Recurrences over time with a state in registers, as linear attention runs them one step at a time: gated, with the
# delta rule, and a causal convolution with its activation.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: fused_recurrent_gated
# TYPES: fp32
# SIZES: B=1 T_LEN=1 H=1 K=16 V=16 | B=2 T_LEN=9 H=2 K=32 V=48
# BENCH: B=8 T_LEN=256 H=16 K=64 V=64 T=fp32
# ARG: q randn:T[B,T_LEN,H,K]
# ARG: k randn(0,0.3):T[B,T_LEN,H,K]
# ARG: v randn:T[B,T_LEN,H,V]
# ARG: g rand(-1,0):T[B,T_LEN,H]
# ARG: o empty:T[B,T_LEN,H,V]
# ARG: ht empty:fp32[B,H,K,V]
# ARG: scale 0.25
# ARG: T_len T_LEN
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: BK next_power_of_2(K)
# CONST: BV 16
# GRID: cdiv(V, BV), B*H
# TOLERANCE: o 1e-4 1e-4
# TOLERANCE: ht 1e-4 1e-4
#
# KERNEL: delta_rule_step
# TYPES: bf16
# SIZES: B=1 H=1 K=16 V=16 | B=3 H=2 K=64 V=48
# BENCH: B=128 H=32 K=128 V=128 T=bf16
# ARG: q randn:T[B,H,K]
# ARG: k randn(0,0.1):T[B,H,K]
# ARG: v randn:T[B,H,V]
# ARG: beta rand:fp32[B,H]
# ARG: state randn:fp32[B,H,K,V]
# ARG: o empty:T[B,H,V]
# CONST: K K
# CONST: V V
# CONST: BK next_power_of_2(K)
# CONST: BV 16
# GRID: cdiv(V, BV), B*H
# CHECK: o state
# TOLERANCE: o 1e-2 1e-2
# TOLERANCE: state 1e-4 1e-4
#
# KERNEL: causal_conv1d
# TYPES: fp32 bf16
# SIZES: B=1 T_LEN=1 D=1 | B=2 T_LEN=9 D=70
# BENCH: B=8 T_LEN=4096 D=1024 T=bf16
# ARG: x randn:T[B,T_LEN,D]
# ARG: weight randn:T[D,4]
# ARG: bias randn:T[D]
# ARG: y empty:T[B,T_LEN,D]
# ARG: T_len T_LEN
# ARG: D D
# CONST: W 4
# CONST: ACTIVATION 1
# CONST: BT 8
# CONST: BD min(64, next_power_of_2(D))
# GRID: cdiv(D, BD), cdiv(T_LEN, BT), B
# TOLERANCE: y 8e-3 1e-3
import triton
import triton.language as tl


@triton.jit
def fused_recurrent_gated(q, k, v, g, o, ht, scale, T_len, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                          BK: tl.constexpr, BV: tl.constexpr):
    i_v, i_nh = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    i_n, i_h = i_nh // H, i_nh % H
    o_k = tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    p_q = q + (i_n * T_len * H + i_h) * K + o_k
    p_k = k + (i_n * T_len * H + i_h) * K + o_k
    p_v = v + (i_n * T_len * H + i_h) * V + o_v
    p_o = o + (i_n * T_len * H + i_h) * V + o_v
    p_g = g + i_n * T_len * H + i_h
    m_k = o_k < K
    m_v = o_v < V
    m_h = m_k[:, None] & m_v[None, :]
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    for _ in range(0, T_len):
        b_q = tl.load(p_q, mask=m_k, other=0).to(tl.float32) * scale
        b_k = tl.load(p_k, mask=m_k, other=0).to(tl.float32)
        b_v = tl.load(p_v, mask=m_v, other=0).to(tl.float32)
        b_g = tl.load(p_g).to(tl.float32)
        b_h = b_h * tl.exp(b_g)
        b_h += b_k[:, None] * b_v[None, :]
        b_o = b_h * b_q[:, None]
        b_o = tl.sum(b_o, axis=0)
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), mask=m_v)
        p_q += H * K
        p_k += H * K
        p_v += H * V
        p_o += H * V
        p_g += H
    p_ht = ht + i_nh * K * V + o_k[:, None] * V + o_v[None, :]
    tl.store(p_ht, b_h.to(p_ht.dtype.element_ty), mask=m_h)


@triton.jit
def delta_rule_step(q, k, v, beta, state, o, K: tl.constexpr, V: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    i_v, i_h = tl.program_id(0), tl.program_id(1)
    o_k = tl.arange(0, BK)
    o_v = i_v * BV + tl.arange(0, BV)
    m_k = o_k < K
    m_v = o_v < V
    p_s = state + i_h * K * V + o_k[:, None] * V + o_v[None, :]
    s = tl.load(p_s, mask=m_k[:, None] & m_v[None, :], other=0.0)
    b_k = tl.load(k + i_h * K + o_k, mask=m_k, other=0.0).to(tl.float32)
    b_q = tl.load(q + i_h * K + o_k, mask=m_k, other=0.0).to(tl.float32)
    b_v = tl.load(v + i_h * V + o_v, mask=m_v, other=0.0).to(tl.float32)
    b_v = (b_v - tl.sum(s * b_k[:, None], 0)) * tl.load(beta + i_h)
    s += b_k[:, None] * b_v[None, :]
    tl.store(p_s, s, mask=m_k[:, None] & m_v[None, :])
    tl.store(o + i_h * V + o_v, tl.sum(s * b_q[:, None], 0), mask=m_v)


@triton.jit
def causal_conv1d(x, weight, bias, y, T_len, D, W: tl.constexpr, ACTIVATION: tl.constexpr, BT: tl.constexpr,
                  BD: tl.constexpr):
    i_d, i_t, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    o_d = i_d * BD + tl.arange(0, BD)
    m_d = o_d < D
    o_t = i_t * BT + tl.arange(0, BT)
    b_y = tl.zeros((BT, BD), dtype=tl.float32)
    for i_w in tl.static_range(-W + 1, 1):
        o_x = o_t + i_w
        m_x = ((o_x >= 0) & (o_x < T_len))[:, None] & m_d
        b_x = tl.load(x + (i_b * T_len + o_x)[:, None] * D + o_d, mask=m_x, other=0).to(tl.float32)
        b_w = tl.load(weight + o_d * W + (i_w + W - 1), mask=m_d, other=0).to(tl.float32)
        b_y += b_x * b_w
    b_y += tl.load(bias + o_d, mask=m_d).to(tl.float32)
    if ACTIVATION == 1:
        b_y = b_y * tl.sigmoid(b_y)
    m_y = (o_t < T_len)[:, None] & m_d[None, :]
    tl.store(y + (i_b * T_len + o_t)[:, None] * D + o_d[None, :], b_y.to(y.dtype.element_ty), mask=m_y)


def fused_recurrent_gated_reference(q, k, v, g, scale, B, H, K, V):
    state = np.zeros((B, H, K, V))
    o = np.empty(v.shape)
    for t in range(q.shape[1]):
        state = state * np.exp(g[:, t, :, None, None]) + k[:, t, :, :, None] * v[:, t, :, None, :]
        o[:, t] = np.einsum("bhkv,bhk->bhv", state, scale * q[:, t])
    return dict(o=o, ht=state)


def delta_rule_step_reference(q, k, v, beta, state):
    new = (v - np.einsum("bhkv,bhk->bhv", state, k)) * beta[..., None]
    state = state + k[..., :, None] * new[..., None, :]
    return dict(o=np.einsum("bhkv,bhk->bhv", state, q), state=state)


def causal_conv1d_reference(x, weight, bias):
    padded = np.concatenate([np.zeros_like(x[:, :1])] * 3 + [x], 1)
    y = sum(padded[:, w:w + x.shape[1]] * weight[:, w] for w in range(4)) + bias
    return y / (1 + np.exp(-y))
