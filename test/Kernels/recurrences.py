# States that a program carries through time: a matrix that decays and gets rank-one updates, the delta rule
# with normalised keys, and one step of a selective scan.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: decaying_state
# SIZES: B=1 L=1 K=16 V=16 | B=2 L=9 K=64 V=32
# BENCH: B=512 L=256 K=64 V=64
# ARG: r randn:fp32[B,L,K]
# ARG: k randn:fp32[B,L,K]
# ARG: v randn:fp32[B,L,V]
# ARG: w rand(-2,0):fp32[B,L,K]
# ARG: u randn:fp32[K]
# ARG: out empty:fp32[B,L,V]
# ARG: T L
# ARG: scale 0.125
# CONST: K K
# CONST: V V
# CONST: BV min(V, 32)
# GRID: V // BV, B
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: delta_rule
# TYPES: fp32 bf16
# SIZES: B=1 L=1 K=16 V=8 | B=2 L=9 K=64 V=16
# BENCH: B=512 L=256 K=128 V=64 T=bf16
# ARG: q randn:T[B,L,K]
# ARG: k randn:T[B,L,K]
# ARG: v randn:T[B,L,V]
# ARG: g rand(-1,0):fp32[B,L]
# ARG: beta rand:T[B,L]
# ARG: h0 randn:fp32[B,K,V]
# ARG: out empty:T[B,L,V]
# ARG: ht empty:fp32[B,K,V]
# ARG: T L
# CONST: K K
# CONST: V V
# CONST: BV 8
# GRID: V // BV, B
# TOLERANCE: out 1e-2 2e-2
# TOLERANCE: ht 1e-3 1e-3
#
# KERNEL: selective_update
# TYPES: fp32 bf16
# SIZES: B=1 D=8 N=16 | B=3 D=50 N=10
# BENCH: B=2048 D=128 N=128 T=bf16
# ARG: state randn:fp32[B + 1,D,N]
# ARG: x randn:T[B,D]
# ARG: dt randn:T[B,D]
# ARG: A rand(-2,0):fp32[D,N]
# ARG: Bm randn:T[B,N]
# ARG: Cm randn:T[B,N]
# ARG: z randn:T[B,D]
# ARG: slots permutation:i32[B]
# ARG: out empty:T[B,D]
# ARG: dim D
# ARG: dstate N
# CONST: BLOCK_M 4
# CONST: BLOCK_N next_power_of_2(N)
# GRID: cdiv(D, BLOCK_M), B
# CHECK: out state
# TOLERANCE: out 1e-2 1e-2
# TOLERANCE: state 1e-4 1e-4
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


def configs():
    return [triton.Config({}, num_warps=warps, num_stages=stages) for warps in (1, 2, 4) for stages in (2, 3)]


@triton.autotune(configs=configs(), key=["K", "V"])
@triton.jit(do_not_specialize=["T"])
def decaying_state(r, k, v, w, u, out, T, scale, K: tl.constexpr, V: tl.constexpr, BV: tl.constexpr):
    i_v, i_b = tl.program_id(0), tl.program_id(1)
    keys = tl.arange(0, K)
    values = i_v * BV + tl.arange(0, BV)
    p_r = r + i_b * T * K + keys
    p_k = k + i_b * T * K + keys
    p_w = w + i_b * T * K + keys
    p_v = v + i_b * T * V + values
    p_o = out + i_b * T * V + values
    b_u = tl.load(u + keys)
    state = tl.zeros([BV, K], dtype=tl.float32)
    for _ in range(0, T):
        b_k = tl.load(p_k).to(tl.float32)
        b_v = tl.load(p_v).to(tl.float32)
        b_r = tl.load(p_r).to(tl.float32) * scale
        b_w = tl.exp(tl.load(p_w).to(tl.float32))
        kv = b_k[None, :] * b_v[:, None]
        tl.store(p_o, tl.sum((state + kv * b_u[None, :]) * b_r[None, :], axis=1))
        state = state * b_w[None, :] + kv
        p_r += K; p_k += K; p_w += K; p_v += V; p_o += V


@triton.jit(do_not_specialize=["T"])
def delta_rule(q, k, v, g, beta, h0, out, ht, T, K: tl.constexpr, V: tl.constexpr, BV: tl.constexpr):
    i_v, i_b = tl.program_id(0), tl.program_id(1)
    o_k = tl.arange(0, K)
    o_v = i_v * BV + tl.arange(0, BV)
    b_h = tl.zeros([K, BV], dtype=tl.float32)
    b_h += tl.load(h0 + i_b * K * V + o_k[:, None] * V + o_v[None, :])
    for t in range(T):
        row = i_b * T + t
        b_q = tl.load(q + row * K + o_k).to(tl.float32)
        b_k = tl.load(k + row * K + o_k).to(tl.float32)
        b_v = tl.load(v + row * V + o_v).to(tl.float32)
        b_q = b_q / tl.sqrt(tl.sum(b_q * b_q) + 1e-6)
        b_k = b_k / tl.sqrt(tl.sum(b_k * b_k) + 1e-6)
        b_h *= tl.exp(tl.load(g + row))
        b_v -= tl.sum(b_h * b_k[:, None], 0)
        b_v *= tl.load(beta + row).to(tl.float32)
        b_h += b_k[:, None] * b_v[None, :]
        tl.store(out + row * V + o_v, tl.sum(b_h * b_q[:, None], 0).to(out.dtype.element_ty))
    tl.store(ht + i_b * K * V + o_k[:, None] * V + o_v[None, :], b_h)


@triton.jit
def softplus(x):
    return tl.where(x <= 20.0, libdevice.log1p(tl.exp(x)), x)


@triton.heuristics({"BLOCK_N": lambda args: triton.next_power_of_2(args["dstate"])})
@triton.jit
def selective_update(state, x, dt, A, Bm, Cm, z, slots, out, dim, dstate, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m, pid_b = tl.program_id(0), tl.program_id(1)
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    slot = tl.load(slots + pid_b).to(tl.int64)
    mask = (m[:, None] < dim) & (n[None, :] < dstate)
    p_state = state + slot * dim * dstate + m[:, None] * dstate + n[None, :]
    s = tl.load(p_state, mask=mask, other=0.0)
    b_x = tl.load(x + pid_b * dim + m, mask=m < dim, other=0.0).to(tl.float32)
    b_dt = softplus(tl.load(dt + pid_b * dim + m, mask=m < dim, other=0.0).to(tl.float32))
    b_A = tl.load(A + m[:, None] * dstate + n[None, :], mask=mask, other=0.0)
    b_B = tl.load(Bm + pid_b * dstate + n, mask=n < dstate, other=0.0).to(tl.float32)
    b_C = tl.load(Cm + pid_b * dstate + n, mask=n < dstate, other=0.0).to(tl.float32)
    b_z = tl.load(z + pid_b * dim + m, mask=m < dim, other=0.0).to(tl.float32)
    s = s * tl.exp(b_A * b_dt[:, None]) + (b_B[None, :] * b_dt[:, None]) * b_x[:, None]
    tl.store(p_state, s, mask=mask)
    y = tl.sum(s * b_C[None, :], axis=1)
    y *= b_z * tl.sigmoid(b_z)
    tl.store(out + pid_b * dim + m, y, mask=m < dim)


class DecayingState(torch.autograd.Function):
    @staticmethod
    def forward(ctx, r, k, v, w, u, scale=None):
        out = torch.empty_like(v)
        B, T, K, V = *k.shape, v.shape[-1]
        decaying_state[lambda meta: (triton.cdiv(V, meta["BV"]), B)](r, k, v, w, u, out, T, scale or K**-0.5, K, V, 32)
        return out


def decaying_state_reference(r, k, v, w, u, scale):
    state = np.zeros((len(k), v.shape[2], k.shape[2]))
    out = np.zeros_like(v)
    for t in range(k.shape[1]):
        kv = k[:, t, None, :] * v[:, t, :, None]
        out[:, t] = ((state + kv * u) * (r[:, t, None, :] * scale)).sum(2)
        state = state * np.exp(w[:, t, None, :]) + kv
    return out


def delta_rule_reference(q, k, v, g, beta, h0):
    h = h0.copy()
    out = np.zeros_like(v)
    q = q / np.sqrt((q * q).sum(2, keepdims=True) + 1e-6)
    k = k / np.sqrt((k * k).sum(2, keepdims=True) + 1e-6)
    for t in range(k.shape[1]):
        h = h * np.exp(g[:, t, None, None])
        change = (v[:, t] - (h * k[:, t, :, None]).sum(1)) * beta[:, t, None]
        h = h + k[:, t, :, None] * change[:, None, :]
        out[:, t] = (h * q[:, t, :, None]).sum(1)
    return {"out": out, "ht": h}


def selective_update_reference(state, x, dt, A, Bm, Cm, z, slots):
    state = state.copy()
    out = np.zeros_like(x)
    dt = np.log1p(np.exp(dt))
    for b, slot in enumerate(slots.astype(int)):
        state[slot] = state[slot] * np.exp(A * dt[b][:, None]) + Bm[b] * dt[b][:, None] * x[b][:, None]
        out[b] = (state[slot] * Cm[b]).sum(1) * z[b] / (1 + np.exp(-z[b]))
    return {"out": out, "state": state}
