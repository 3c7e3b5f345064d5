# State spaces in chunks, as libraries write them: sums of steps, the state of a chunk, states passed on, inputs against
# outputs within a chunk, the scan that puts them together with gates, and the gradient of a chunk's states.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: chunk_sums
# SIZES: L=100 H=5 C=64 | L=64 H=1 C=32
# BENCH: L=262144 H=64 C=256
# ARG: dt_ptr randn:bf16[L,H]
# ARG: A_ptr rand(-2,-0.1):fp32[H]
# ARG: dt_bias_ptr randn:fp32[H]
# ARG: dt_out_ptr empty:fp32[H,cdiv(L,C)*C]
# ARG: dA_cumsum_ptr empty:fp32[H,cdiv(L,C)*C]
# ARG: seqlen L
# ARG: nheads H
# ARG: dt_max 2.0
# CONST: chunk_size C
# CONST: HAS_DT_BIAS True
# CONST: BLOCK_SIZE_H 4
# CONST: BLOCK_SIZE_CHUNK C
# GRID: cdiv(L, C), cdiv(H, BLOCK_SIZE_H)
# TOLERANCE: dt_out_ptr 1e-4 1e-5
# TOLERANCE: dA_cumsum_ptr 1e-4 1e-4
#
# KERNEL: chunk_state
# TYPES: bf16 fp16
# SIZES: L=100 H=2 P=64 N=32 C=64 | L=17 H=1 P=40 N=16 C=32
# BENCH: L=16384 H=64 P=64 N=128 C=256 T=bf16 BLOCK_SIZE_M=64 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=4 num_stages=3
# ARG: x_ptr randn:T[L,H,P]
# ARG: b_ptr randn:T[L,N]
# ARG: states_ptr empty:fp32[cdiv(L,C),H,P,N]
# ARG: dt_ptr rand:fp32[H,L]
# ARG: dA_cumsum_ptr rand(-1,0):fp32[H,L]
# ARG: hdim P
# ARG: dstate N
# ARG: seqlen L
# ARG: nheads H
# CONST: chunk_size C
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# GRID: cdiv(P, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N), cdiv(L, C), H
# TOLERANCE: states_ptr 2e-2 6e-2
#
# KERNEL: pass_states
# SIZES: H=2 D=100 C=3 | H=1 D=1 C=1
# BENCH: H=64 D=8192 C=32 BLOCK_SIZE=512
# ARG: states_ptr randn:fp32[C,H,D]
# ARG: out_ptr empty:bf16[C,H,D]
# ARG: final_ptr empty:fp32[H,D]
# ARG: decay_ptr rand(-1,0):fp32[H,C]
# ARG: dim D
# ARG: nchunks C
# ARG: nheads H
# CONST: BLOCK_SIZE 64
# GRID: cdiv(D, BLOCK_SIZE), H
# TOLERANCE: out_ptr 8e-3 1e-3
#
# KERNEL: outputs_with_inputs
# SIZES: L=130 G=2 N=70 C=64 | L=64 G=1 N=32 C=32
# BENCH: L=16384 G=8 N=128 C=256 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: c_ptr randint(-3,4):fp16[L,G,N]
# ARG: b_ptr randint(-3,4):fp16[L,G,N]
# ARG: out_ptr zeros:fp32[cdiv(L,C),G,C,C]
# ARG: seqlen L
# ARG: K N
# ARG: ngroups G
# CONST: chunk_size C
# CONST: IS_CAUSAL True
# CONST: dot_dtype "tl.float16"
# CONST: BLOCK_SIZE_M 32
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# GRID: cdiv(C, BLOCK_SIZE_M) * cdiv(C, BLOCK_SIZE_N), cdiv(L, C) * G
# CHECK: out_ptr
# TOLERANCE: out_ptr 0 0
#
# KERNEL: chunk_scan
# TYPES: bf16 fp16
# SIZES: L=100 H=2 P=64 N=32 C=64 | L=64 H=1 P=32 N=70 C=64
# BENCH: L=8192 H=64 P=64 N=128 C=256 T=bf16 BLOCK_SIZE_M=128 BLOCK_SIZE_N=64 BLOCK_SIZE_K=64 num_warps=4 num_stages=3
# ARG: cb_ptr randn:T[cdiv(L,C),C,C]
# ARG: x_ptr randn:T[L,H,P]
# ARG: z_ptr randn:T[L,H,P]
# ARG: out_ptr empty:fp32[L,H,P]
# ARG: dt_ptr rand:fp32[H,cdiv(L,C)*C]
# ARG: dA_cumsum_ptr rand(-1,0):fp32[H,cdiv(L,C)*C]
# ARG: C_ptr randn:T[L,N]
# ARG: prev_ptr randn:T[cdiv(L,C),H,P,N]
# ARG: D_ptr randn:fp32[H]
# ARG: hdim P
# ARG: dstate N
# ARG: seqlen L
# ARG: nheads H
# CONST: chunk_size C
# CONST: HAS_D True
# CONST: HAS_Z True
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# CONST: BLOCK_SIZE_DSTATE max(16, next_power_of_2(N))
# GRID: cdiv(C, BLOCK_SIZE_M) * cdiv(P, BLOCK_SIZE_N), cdiv(L, C), H
# TOLERANCE: out_ptr 3e-2 1e-1
#
# KERNEL: gradient_of_states
# SIZES: L=100 H=2 P=40 N=32 C=64
# BENCH: L=8192 H=64 P=64 N=128 C=256 BLOCK_SIZE_M=64 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=4 num_stages=3
# ARG: dout_ptr randn:fp16[L,H,P]
# ARG: c_ptr randn:fp16[L,N]
# ARG: dstates_ptr empty:fp32[cdiv(L,C),H,P,N]
# ARG: dA_cumsum_ptr rand(-1,0):fp32[H,cdiv(L,C)*C]
# ARG: hdim P
# ARG: dstate N
# ARG: seqlen L
# ARG: nheads H
# CONST: chunk_size C
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# GRID: cdiv(P, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N), cdiv(L, C), H
# TOLERANCE: dstates_ptr 1e-2 2e-2
import numpy as np
import triton
import triton.language as tl
from packaging import version

TRITON3 = version.parse(triton.__version__) >= version.parse("3.0.0")

if TRITON3:
    @triton.jit
    def softplus(dt):
        dt = tl.where(dt <= 20.0, tl.math.log(tl.math.exp(dt) + 1), dt)
        return dt
else:
    @triton.jit
    def softplus(dt):
        dt = tl.where(dt <= 20.0, tl.math.log1p(tl.exp(dt)), dt)
        return dt


@triton.jit
def chunk_sums(dt_ptr, A_ptr, dt_bias_ptr, dt_out_ptr, dA_cumsum_ptr, seqlen, nheads, dt_max, chunk_size: tl.constexpr,
               HAS_DT_BIAS: tl.constexpr, BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_CHUNK: tl.constexpr):
    pid_c = tl.program_id(axis=0).to(tl.int64)
    pid_h = tl.program_id(axis=1)
    offs_h = pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    offs_c = tl.arange(0, BLOCK_SIZE_CHUNK)
    chunk_size_limit = min(chunk_size, seqlen - pid_c * chunk_size)
    dt = tl.load(dt_ptr + (pid_c * chunk_size + offs_c[None, :]) * nheads + offs_h[:, None],
                 mask=(offs_h[:, None] < nheads) & (offs_c[None, :] < chunk_size_limit), other=0.0).to(tl.float32)
    if HAS_DT_BIAS:
        dt_bias = tl.load(dt_bias_ptr + offs_h, mask=offs_h < nheads, other=0.0).to(tl.float32)
        dt += dt_bias[:, None]
    dt = softplus(dt)
    dt = tl.minimum(tl.maximum(dt, 0.0), dt_max)
    dt = tl.where((offs_h[:, None] < nheads) & (offs_c[None, :] < chunk_size_limit), dt, 0.0)
    at = offs_h[:, None] * (tl.num_programs(0) * chunk_size) + pid_c * chunk_size + offs_c[None, :]
    mask = (offs_h[:, None] < nheads) & (offs_c[None, :] < chunk_size)
    tl.store(dt_out_ptr + at, dt, mask=mask)
    A = tl.load(A_ptr + offs_h, mask=offs_h < nheads, other=0.0).to(tl.float32)
    dA_cs = tl.cumsum(dt * A[:, None], axis=1)
    tl.store(dA_cumsum_ptr + at, dA_cs, mask=mask)


def chunk_sums_reference(dt_ptr, A_ptr, dt_bias_ptr, dt_max, L, H, C):
    chunks = -(-L // C)
    dt = np.zeros((H, chunks * C))
    dt[:, :L] = np.clip(np.log1p(np.exp(dt_ptr + dt_bias_ptr)), 0, dt_max).T
    sums = np.cumsum((dt * A_ptr[:, None]).reshape(H, chunks, C), axis=2)
    return {"dt_out_ptr": dt, "dA_cumsum_ptr": sums.reshape(H, -1)}


@triton.jit
def chunk_state(x_ptr, b_ptr, states_ptr, dt_ptr, dA_cumsum_ptr, hdim, dstate, seqlen, nheads,
                chunk_size: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                BLOCK_SIZE_K: tl.constexpr):
    """Transposed inputs times scaled B: the loop runs over the time of one chunk."""
    pid_c = tl.program_id(axis=1).to(tl.int64)
    pid_h = tl.program_id(axis=2)
    num_pid_n = tl.cdiv(dstate, BLOCK_SIZE_N)
    pid_m = tl.program_id(axis=0) // num_pid_n
    pid_n = tl.program_id(axis=0) % num_pid_n
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    start = pid_c * chunk_size
    chunk_size_limit = min(chunk_size, seqlen - start)
    x_ptrs = x_ptr + ((start + offs_k[None, :]) * nheads + pid_h) * hdim + offs_m[:, None]
    b_ptrs = b_ptr + (start + offs_k[:, None]) * dstate + offs_n[None, :]
    dt_ptrs = dt_ptr + pid_h * seqlen + start + offs_k
    dA_cumsum_ptrs = dA_cumsum_ptr + pid_h * seqlen + start + offs_k
    dA_cs_last = tl.load(dA_cumsum_ptr + pid_h * seqlen + start + chunk_size_limit - 1).to(tl.float32)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, chunk_size_limit, BLOCK_SIZE_K):
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < hdim) & (offs_k[None, :] < chunk_size_limit - k), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < chunk_size_limit - k) & (offs_n[None, :] < dstate),
                    other=0.0).to(tl.float32)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < chunk_size_limit - k, other=0.0).to(tl.float32)
        dt_k = tl.load(dt_ptrs, mask=offs_k < chunk_size_limit - k, other=0.0).to(tl.float32)
        scale = tl.exp(tl.minimum(dA_cs_last - dA_cs_k, 0.0)) * dt_k
        b *= scale[:, None]
        b = b.to(x_ptr.dtype.element_ty)
        acc += tl.dot(x, b)
        x_ptrs += BLOCK_SIZE_K * nheads * hdim
        b_ptrs += BLOCK_SIZE_K * dstate
        dt_ptrs += BLOCK_SIZE_K
        dA_cumsum_ptrs += BLOCK_SIZE_K
    states = acc.to(states_ptr.dtype.element_ty)
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    states_ptrs = states_ptr + ((pid_c * nheads + pid_h) * hdim + offs_m[:, None]) * dstate + offs_n[None, :]
    tl.store(states_ptrs, states, mask=(offs_m[:, None] < hdim) & (offs_n[None, :] < dstate))


def chunk_state_reference(x_ptr, b_ptr, dt_ptr, dA_cumsum_ptr, L, H, P, N, C):
    out = np.zeros((-(-L // C), H, P, N))
    for c in range(0, L, C):
        at = slice(c, min(c + C, L))
        scale = np.exp(np.minimum(dA_cumsum_ptr[:, at.stop - 1:at.stop] - dA_cumsum_ptr[:, at], 0)) * dt_ptr[:, at]
        out[c // C] = np.einsum("thp,tn,ht->hpn", x_ptr[at], b_ptr[at], scale)
    return out


@triton.jit
def pass_states(states_ptr, out_ptr, final_ptr, decay_ptr, dim, nchunks, nheads, BLOCK_SIZE: tl.constexpr):
    pid_h = tl.program_id(axis=1)
    offs_m = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    states = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    states_ptrs = states_ptr + pid_h * dim + offs_m
    out_ptrs = out_ptr + pid_h * dim + offs_m
    for c in range(nchunks):
        tl.store(out_ptrs, states, mask=offs_m < dim)
        new_states = tl.load(states_ptrs, mask=offs_m < dim, other=0.0).to(tl.float32)
        scale = tl.exp(tl.load(decay_ptr + pid_h * nchunks + c).to(tl.float32))
        states = scale * states + new_states
        states_ptrs += nheads * dim
        out_ptrs += nheads * dim
    tl.store(final_ptr + pid_h * dim + offs_m, states, mask=offs_m < dim)


def pass_states_reference(states_ptr, decay_ptr, C):
    state, out = np.zeros(states_ptr.shape[1:]), []
    for c in range(C):
        out.append(state)
        state = np.exp(decay_ptr[:, c:c + 1]) * state + states_ptr[c]
    return {"out_ptr": np.stack(out), "final_ptr": state}


@triton.jit
def outputs_with_inputs(c_ptr, b_ptr, out_ptr, seqlen, K, ngroups, chunk_size: tl.constexpr, IS_CAUSAL: tl.constexpr,
                        dot_dtype: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                        BLOCK_SIZE_K: tl.constexpr):
    """Blocks above the diagonal are left alone."""
    pid_ch = tl.program_id(axis=1)
    pid_c = pid_ch // ngroups
    pid_h = pid_ch - pid_c * ngroups
    num_pid_n = tl.cdiv(chunk_size, BLOCK_SIZE_N)
    pid_m = tl.program_id(axis=0) // num_pid_n
    pid_n = tl.program_id(axis=0) % num_pid_n
    if IS_CAUSAL:
        if pid_n * BLOCK_SIZE_N >= (pid_m + 1) * BLOCK_SIZE_M:
            return
    c_ptr += (pid_c * chunk_size * ngroups + pid_h) * K
    b_ptr += (pid_c * chunk_size * ngroups + pid_h) * K
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = c_ptr + (offs_m[:, None] * ngroups * K + offs_k[None, :])
    b_ptrs = b_ptr + (offs_k[:, None] + offs_n[None, :] * ngroups * K)
    chunk_size_limit = min(chunk_size, seqlen - pid_c * chunk_size)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < chunk_size_limit) & (offs_k[None, :] < K - k * BLOCK_SIZE_K),
                    other=0.0).to(dot_dtype)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < K - k * BLOCK_SIZE_K) & (offs_n[None, :] < chunk_size_limit),
                    other=0.0).to(dot_dtype)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_SIZE_K
        b_ptrs += BLOCK_SIZE_K
    out_ptrs = out_ptr + ((pid_c * ngroups + pid_h) * chunk_size + offs_m[:, None]) * chunk_size + offs_n[None, :]
    tl.store(out_ptrs, acc, mask=(offs_m[:, None] < chunk_size) & (offs_n[None, :] < chunk_size))


def outputs_with_inputs_reference(c_ptr, b_ptr, out_ptr, L, C, BLOCK_SIZE_M, BLOCK_SIZE_N):
    out = np.copy(out_ptr)
    last = np.arange(C) // BLOCK_SIZE_M * BLOCK_SIZE_M + BLOCK_SIZE_M
    done = np.arange(C)[None, :] // BLOCK_SIZE_N * BLOCK_SIZE_N < last[:, None]
    for i in range(out.shape[0]):
        at = slice(i * C, min(i * C + C, L))
        score = np.einsum("igk,jgk->gij", c_ptr[at], b_ptr[at])
        out[i, :, :score.shape[1], :score.shape[2]] = score
    return np.where(done, out, 0)


@triton.jit
def chunk_scan(cb_ptr, x_ptr, z_ptr, out_ptr, dt_ptr, dA_cumsum_ptr, C_ptr, prev_ptr, D_ptr, hdim, dstate, seqlen,
               nheads, chunk_size: tl.constexpr, HAS_D: tl.constexpr, HAS_Z: tl.constexpr, BLOCK_SIZE_M: tl.constexpr,
               BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, BLOCK_SIZE_DSTATE: tl.constexpr):
    pid_c = tl.program_id(axis=1).to(tl.int64)
    pid_h = tl.program_id(axis=2)
    num_pid_n = tl.cdiv(hdim, BLOCK_SIZE_N)
    pid_m = tl.program_id(axis=0) // num_pid_n
    pid_n = tl.program_id(axis=0) % num_pid_n
    start = pid_c * chunk_size
    cb_ptr += pid_c * chunk_size * chunk_size
    x_ptr += (start * nheads + pid_h) * hdim
    z_ptr += (start * nheads + pid_h) * hdim
    out_ptr += (start * nheads + pid_h) * hdim
    dt_ptr += pid_h * tl.num_programs(1) * chunk_size + start
    dA_cumsum_ptr += pid_h * tl.num_programs(1) * chunk_size + start
    C_ptr += start * dstate
    prev_ptr += (pid_c * nheads + pid_h) * hdim * dstate
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dA_cs_m = tl.load(dA_cumsum_ptr + offs_m, mask=offs_m < chunk_size, other=0.0).to(tl.float32)
    chunk_size_limit = min(chunk_size, seqlen - start)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    # The state before the chunk: in one step if it is small.
    offs_k_dstate = tl.arange(0, BLOCK_SIZE_DSTATE if BLOCK_SIZE_DSTATE <= 128 else BLOCK_SIZE_K)
    C_ptrs = C_ptr + (offs_m[:, None] * dstate + offs_k_dstate[None, :])
    prev_ptrs = prev_ptr + (offs_n[None, :] * dstate + offs_k_dstate[:, None])
    scale_m = tl.exp(dA_cs_m)
    if BLOCK_SIZE_DSTATE <= 128:
        C = tl.load(C_ptrs, mask=(offs_m[:, None] < chunk_size_limit) & (offs_k_dstate[None, :] < dstate), other=0.0)
        prev_states = tl.load(prev_ptrs, mask=(offs_k_dstate[:, None] < dstate) & (offs_n[None, :] < hdim), other=0.0)
        prev_states = prev_states.to(C_ptr.dtype.element_ty)
        acc = tl.dot(C, prev_states) * scale_m[:, None]
    else:
        for k in range(0, dstate, BLOCK_SIZE_K):
            C = tl.load(C_ptrs, mask=(offs_m[:, None] < chunk_size_limit) & (offs_k_dstate[None, :] < dstate - k),
                        other=0.0)
            prev_states = tl.load(prev_ptrs, mask=(offs_k_dstate[:, None] < dstate - k) & (offs_n[None, :] < hdim),
                                  other=0.0)
            prev_states = prev_states.to(C_ptr.dtype.element_ty)
            acc += tl.dot(C, prev_states)
            C_ptrs += BLOCK_SIZE_K
            prev_ptrs += BLOCK_SIZE_K
        acc *= scale_m[:, None]
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    cb_ptrs = cb_ptr + (offs_m[:, None] * chunk_size + offs_k[None, :])
    x_ptrs = x_ptr + (offs_k[:, None] * nheads * hdim + offs_n[None, :])
    dt_ptrs = dt_ptr + offs_k
    dA_cumsum_ptrs = dA_cumsum_ptr + offs_k
    K_MAX = min((pid_m + 1) * BLOCK_SIZE_M, chunk_size_limit)
    for k in range(0, K_MAX, BLOCK_SIZE_K):
        cb = tl.load(cb_ptrs, mask=(offs_m[:, None] < chunk_size) & (offs_k[None, :] < chunk_size - k),
                     other=0.0).to(tl.float32)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)
        cb *= tl.exp(tl.minimum(dA_cs_m[:, None] - dA_cs_k[None, :], 0.0))
        dt_k = tl.load(dt_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)
        cb *= dt_k
        mask = offs_m[:, None] >= k + offs_k[None, :]
        cb = tl.where(mask, cb, 0.0)
        cb = cb.to(x_ptr.dtype.element_ty)
        x = tl.load(x_ptrs, mask=(offs_k[:, None] < chunk_size_limit - k) & (offs_n[None, :] < hdim), other=0.0)
        acc += tl.dot(cb, x)
        cb_ptrs += BLOCK_SIZE_K
        x_ptrs += BLOCK_SIZE_K * nheads * hdim
        dt_ptrs += BLOCK_SIZE_K
        dA_cumsum_ptrs += BLOCK_SIZE_K
    at = offs_m[:, None] * nheads * hdim + offs_n[None, :]
    out_mask = (offs_m[:, None] < chunk_size_limit) & (offs_n[None, :] < hdim)
    if HAS_D:
        D = tl.load(D_ptr + pid_h).to(tl.float32)
        acc += tl.load(x_ptr + at, mask=out_mask, other=0.0).to(tl.float32) * D
    if HAS_Z:
        z = tl.load(z_ptr + at, mask=out_mask, other=0.0).to(tl.float32)
        acc *= z * tl.sigmoid(z)
    tl.store(out_ptr + at, acc, mask=out_mask)


def chunk_scan_reference(cb_ptr, x_ptr, z_ptr, dt_ptr, dA_cumsum_ptr, C_ptr, prev_ptr, D_ptr, L, H, C):
    out = np.zeros_like(x_ptr)
    for c in range(0, L, C):
        at = slice(c, min(c + C, L))
        n = at.stop - c
        for h in range(H):
            dA = dA_cumsum_ptr[h, at]
            y = C_ptr[at] @ prev_ptr[c // C, h].T * np.exp(dA)[:, None]
            score = cb_ptr[c // C, :n, :n] * np.exp(np.minimum(dA[:, None] - dA, 0)) * dt_ptr[h, at]
            out[at, h] = y + np.tril(score) @ x_ptr[at, h] + D_ptr[h] * x_ptr[at, h]
    return out * z_ptr / (1 + np.exp(-z_ptr))


@triton.jit
def gradient_of_states(dout_ptr, c_ptr, dstates_ptr, dA_cumsum_ptr, hdim, dstate, seqlen, nheads,
                       chunk_size: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                       BLOCK_SIZE_K: tl.constexpr):
    """The left factor is transposed, scaled and made narrow again before the product."""
    pid_c = tl.program_id(axis=1).to(tl.int64)
    pid_h = tl.program_id(axis=2)
    num_pid_n = tl.cdiv(dstate, BLOCK_SIZE_N)
    offs_m = tl.program_id(axis=0) // num_pid_n * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = tl.program_id(axis=0) % num_pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    start = pid_c * chunk_size
    chunk_size_limit = min(chunk_size, seqlen - start)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, chunk_size_limit, BLOCK_SIZE_K):
        at = start + k + offs_k
        inside = offs_k < chunk_size_limit - k
        dout = tl.load(dout_ptr + (at[None, :] * nheads + pid_h) * hdim + offs_m[:, None],
                       mask=(offs_m[:, None] < hdim) & inside[None, :], other=0.0).to(tl.float32)
        dA = tl.load(dA_cumsum_ptr + pid_h * tl.num_programs(1) * chunk_size + at, mask=inside, other=0.0)
        dout = (dout * tl.exp(dA)).to(dout_ptr.dtype.element_ty)
        c = tl.load(c_ptr + at[:, None] * dstate + offs_n[None, :], mask=inside[:, None] & (offs_n[None, :] < dstate),
                    other=0.0)
        acc += tl.dot(dout, c)
    out_ptrs = dstates_ptr + ((pid_c * nheads + pid_h) * hdim + offs_m[:, None]) * dstate + offs_n[None, :]
    tl.store(out_ptrs, acc, mask=(offs_m[:, None] < hdim) & (offs_n[None, :] < dstate))


def gradient_of_states_reference(dout_ptr, c_ptr, dA_cumsum_ptr, L, H, P, N, C):
    out = np.zeros((-(-L // C), H, P, N))
    for c in range(0, L, C):
        at = slice(c, min(c + C, L))
        out[c // C] = np.einsum("thp,tn,ht->hpn", dout_ptr[at], c_ptr[at], np.exp(dA_cumsum_ptr[:, at]))
    return out
