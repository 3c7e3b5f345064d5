# Losses that hold the last product, as libraries write them: divergences of two models' logits, the probabilities of
# tokens that were chosen, gradients that skip blocks without weight, distances of all pairs of two batches.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: linear_divergence
# SIZES: B=20 V=70 K=48 KT=32 | B=1 V=33 K=32 KT=64
# BENCH: B=1024 V=32000 K=1024 KT=2048 BLOCK_B=64 BLOCK_V=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: s_ptr randn:bf16[B,K]
# ARG: sw_ptr randn(0,0.1):bf16[V,K]
# ARG: t_ptr randn:bf16[B,KT]
# ARG: tw_ptr randn(0,0.1):bf16[V,KT]
# ARG: s_lse_ptr rand(4,5):fp32[B]
# ARG: t_lse_ptr rand(4,5):fp32[B]
# ARG: loss_ptr zeros:fp32[B]
# ARG: grad_ptr empty:bf16[B,V]
# ARG: B B
# ARG: V V
# ARG: K K
# ARG: KT KT
# ARG: beta 0.3
# CONST: BLOCK_B 16
# CONST: BLOCK_V 32
# CONST: BLOCK_K 16
# GRID: cdiv(B, BLOCK_B), cdiv(V, BLOCK_V)
# CHECK: loss_ptr grad_ptr
# TOLERANCE: loss_ptr 1e-2 1e-3
# TOLERANCE: grad_ptr 2e-2 1e-4
#
# KERNEL: chosen_probabilities
# SIZES: T=40 V=100 K=48 S=2 | T=1 V=40 K=32 S=1
# BENCH: T=2048 V=32768 K=1024 S=8 BLOCK_T=128 BLOCK_V=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: h_ptr randn:bf16[T,K]
# ARG: w_ptr randn(0,0.2):bf16[V,K]
# ARG: token_ptr randint(0,V):i64[T]
# ARG: max_ptr empty:fp32[S,T]
# ARG: sum_ptr empty:fp32[S,T]
# ARG: entropy_ptr empty:fp32[S,T]
# ARG: logit_ptr zeros:fp32[T]
# ARG: T T
# ARG: V V
# ARG: K K
# ARG: temperature 0.8
# CONST: SPLIT S
# CONST: BLOCK_T 16
# CONST: BLOCK_V 32
# CONST: BLOCK_K 16
# GRID: cdiv(T, BLOCK_T), SPLIT
# CHECK: max_ptr sum_ptr entropy_ptr logit_ptr
# TOLERANCE: max_ptr 1e-2 1e-2
# TOLERANCE: sum_ptr 1e-2 1e-2
# TOLERANCE: entropy_ptr 2e-2 5e-2
# TOLERANCE: logit_ptr 1e-2 1e-2
#
# KERNEL: filtered_gradient
# SIZES: B=40 V=70 D=48 | B=1 V=33 D=32
# BENCH: B=2048 V=16384 D=1024 BLOCK_B=64 BLOCK_V=128 BLOCK_D=64 num_warps=8 num_stages=3
# ARG: E_ptr randn:bf16[B,D]
# ARG: C_ptr randn(0,1.4/D**0.5):bf16[V,D]
# ARG: LSE_ptr rand(4,5):fp32[B]
# ARG: d_out_ptr full(0.5):fp32[1]
# ARG: valids_ptr permutation:i64[B]
# ARG: target_ptr randint(0,V):i64[B]
# ARG: dE_ptr zeros:fp32[B,D]
# ARG: dC_ptr zeros:fp32[V,D]
# ARG: B B
# ARG: V V
# ARG: D D
# ARG: softcap 20.0
# ARG: filter_eps 0.0
# CONST: BLOCK_B 16
# CONST: BLOCK_V 32
# CONST: BLOCK_D 16
# CONST: GROUP_B 4
# CONST: HAS_SOFTCAP True
# CONST: COMPUTE_DC True
# GRID: cdiv(B, BLOCK_B) * cdiv(V, BLOCK_V)
# CHECK: dE_ptr dC_ptr
# TOLERANCE: dE_ptr 2e-2 1e-2
# TOLERANCE: dC_ptr 2e-2 1e-2
#
# KERNEL: all_pairs_loss
# SIZES: N=40 M=50 D=32 | N=1 M=16 D=16
# BENCH: N=4096 M=4096 D=512 BLOCK_N=128 BLOCK_M=128 BLOCK_D=64 num_warps=8 num_stages=3
# ARG: image_ptr randn(0,0.3):bf16[N,D]
# ARG: text_ptr randn(0,0.3):bf16[M,D]
# ARG: scale_ptr full(2.0):fp32[1]
# ARG: bias_ptr full(-1.5):fp32[1]
# ARG: loss_ptr zeros:fp32[1]
# ARG: dscale_ptr zeros:fp32[1]
# ARG: dimage_ptr zeros:fp32[N,D]
# ARG: N N
# ARG: M M
# ARG: D D
# ARG: offset 3
# CONST: BLOCK_N 16
# CONST: BLOCK_M 32
# CONST: BLOCK_D 16
# GRID: cdiv(N, BLOCK_N), cdiv(M, BLOCK_M)
# CHECK: loss_ptr dscale_ptr dimage_ptr
# TOLERANCE: loss_ptr 1e-3 1e-2
# TOLERANCE: dscale_ptr 1e-2 1e-1
# TOLERANCE: dimage_ptr 2e-2 5e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def logits_of(x_ptr, w_ptr, rows, columns, B, V, K, BLOCK_B: tl.constexpr, BLOCK_V: tl.constexpr,
              BLOCK_K: tl.constexpr):
    k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + rows[:, None] * K + k[None, :]
    w_ptrs = w_ptr + columns[None, :] * K + k[:, None]
    acc = tl.zeros((BLOCK_B, BLOCK_V), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=(rows[:, None] < B) & (k[None, :] < K - start), other=0.0)
        w = tl.load(w_ptrs, mask=(columns[None, :] < V) & (k[:, None] < K - start), other=0.0)
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    return acc


@triton.jit
def linear_divergence(s_ptr, sw_ptr, t_ptr, tw_ptr, s_lse_ptr, t_lse_ptr, loss_ptr, grad_ptr, B, V, K, KT, beta,
                      BLOCK_B: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_K: tl.constexpr):
    """Logits of a student and a teacher of different widths, and what their mixture says of them."""
    rows = tl.program_id(0) * BLOCK_B + tl.arange(0, BLOCK_B)
    columns = tl.program_id(1) * BLOCK_V + tl.arange(0, BLOCK_V)
    student = logits_of(s_ptr, sw_ptr, rows, columns, B, V, K, BLOCK_B, BLOCK_V, BLOCK_K)
    teacher = logits_of(t_ptr, tw_ptr, rows, columns, B, V, KT, BLOCK_B, BLOCK_V, BLOCK_K)
    row_mask = rows < B
    mask = row_mask[:, None] & (columns < V)[None, :]
    log_q = student - tl.load(s_lse_ptr + rows, mask=row_mask, other=0.0)[:, None]
    log_p = teacher - tl.load(t_lse_ptr + rows, mask=row_mask, other=0.0)[:, None]
    q = tl.exp(log_q)
    p = tl.exp(log_p)
    log_m = tl.log(beta * p + (1 - beta) * q)
    loss = beta * p * (log_p - log_m) + (1 - beta) * q * (log_q - log_m)
    loss = tl.where(mask, loss, 0.0)
    grad = (1 - beta) * q * (log_q - log_m)
    tl.atomic_add(loss_ptr + rows, tl.sum(loss, axis=1), mask=row_mask)
    tl.store(grad_ptr + rows[:, None] * V + columns[None, :], grad.to(grad_ptr.dtype.element_ty), mask=mask)


def linear_divergence_reference(s_ptr, sw_ptr, t_ptr, tw_ptr, s_lse_ptr, t_lse_ptr, beta):
    log_q = s_ptr @ sw_ptr.T - s_lse_ptr[:, None]
    log_p = t_ptr @ tw_ptr.T - t_lse_ptr[:, None]
    q, p = np.exp(log_q), np.exp(log_p)
    log_m = np.log(beta * p + (1 - beta) * q)
    grad = (1 - beta) * q * (log_q - log_m)
    return {"loss_ptr": (beta * p * (log_p - log_m) + grad).sum(1), "grad_ptr": grad}


@triton.jit
def chosen_probabilities(h_ptr, w_ptr, token_ptr, max_ptr, sum_ptr, entropy_ptr, logit_ptr, T, V, K, temperature,
                         SPLIT: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_K: tl.constexpr):
    """Running maxima, sums and entropies over a part of the words; tiles of logits are never written."""
    pid_t, pid_s = tl.program_id(0), tl.program_id(1)
    rows = pid_t * BLOCK_T + tl.arange(0, BLOCK_T)
    row_mask = rows < T
    token = tl.load(token_ptr + rows, mask=row_mask, other=-1)
    m_i = tl.full((BLOCK_T,), float("-inf"), dtype=tl.float32)
    s_i = tl.zeros((BLOCK_T,), dtype=tl.float32)
    e_i = tl.zeros((BLOCK_T,), dtype=tl.float32)
    chosen = tl.zeros((BLOCK_T,), dtype=tl.float32)
    per_part = tl.cdiv(tl.cdiv(V, BLOCK_V), SPLIT)
    for block in range(pid_s * per_part, tl.minimum((pid_s + 1) * per_part, tl.cdiv(V, BLOCK_V))):
        columns = block * BLOCK_V + tl.arange(0, BLOCK_V)
        logits = logits_of(h_ptr, w_ptr, rows, columns, T, V, K, BLOCK_T, BLOCK_V, BLOCK_K) / temperature
        logits = tl.where((columns < V)[None, :], logits, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(logits, axis=1))
        rescale = tl.exp(m_i - m_new)
        p = tl.exp(logits - m_new[:, None])
        s_i = s_i * rescale + tl.sum(p, axis=1)
        e_i = e_i * rescale + tl.sum(tl.where((columns < V)[None, :], p * logits, 0.0), axis=1)
        chosen += tl.sum(tl.where(columns[None, :] == token[:, None], logits, 0.0), axis=1)
        m_i = m_new
    tl.store(max_ptr + pid_s * T + rows, m_i, mask=row_mask)
    tl.store(sum_ptr + pid_s * T + rows, s_i, mask=row_mask)
    tl.store(entropy_ptr + pid_s * T + rows, e_i, mask=row_mask)
    tl.atomic_add(logit_ptr + rows, chosen, mask=row_mask, sem="relaxed")


def chosen_probabilities_reference(h_ptr, w_ptr, token_ptr, temperature, T, V, S, BLOCK_V):
    logits = h_ptr @ w_ptr.T / temperature
    part = -(-(-(-V // BLOCK_V)) // S) * BLOCK_V
    parts = [logits[:, s * part:s * part + part] for s in range(S)]
    powers = [np.exp(x - x.max(1, keepdims=True)) for x in parts]
    return {"max_ptr": np.stack([x.max(1) for x in parts]), "sum_ptr": np.stack([p.sum(1) for p in powers]),
            "entropy_ptr": np.stack([(p * x).sum(1) for p, x in zip(powers, parts)]),
            "logit_ptr": logits[np.arange(T), token_ptr.astype(int)]}


@triton.jit
def softcapping(v, softcap):
    return (2 * tl.sigmoid(2 * v / softcap) - 1) * softcap


@triton.jit
def softcapping_grad(dv, v, softcap):
    v = v / softcap
    return dv * (1 - v * v)


@triton.jit
def add_product(da, a_scale, b_ptrs, out_ptrs, out_mask, b_mask, D, stride, BLOCK_D: tl.constexpr):
    d = tl.arange(0, BLOCK_D)
    for start in range(0, tl.cdiv(D, BLOCK_D)):
        left = D - start * BLOCK_D
        b = tl.load(b_ptrs + d[None, :], mask=b_mask[:, None] & (d[None, :] < left), other=0.0)
        out = tl.dot(da, b) * a_scale
        tl.atomic_add(out_ptrs + d[None, :], out, mask=out_mask[:, None] & (d[None, :] < left), sem="relaxed")
        b_ptrs += BLOCK_D
        out_ptrs += BLOCK_D


@triton.jit
def filtered_gradient(E_ptr, C_ptr, LSE_ptr, d_out_ptr, valids_ptr, target_ptr, dE_ptr, dC_ptr, B, V, D, softcap,
                      filter_eps, BLOCK_B: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr,
                      GROUP_B: tl.constexpr, HAS_SOFTCAP: tl.constexpr, COMPUTE_DC: tl.constexpr):
    """A tile of logits is computed again; if its softmax is small everywhere, there is nothing to add."""
    pid = tl.program_id(axis=0)
    num_b_chunks = tl.cdiv(B, BLOCK_B)
    num_v_chunks = tl.cdiv(V, BLOCK_V)
    num_v_in_group = GROUP_B * num_v_chunks
    group_id = pid // num_v_in_group
    first_pid_b = group_id * GROUP_B
    group_size_b = min(num_b_chunks - first_pid_b, GROUP_B)
    pid_b = first_pid_b + ((pid % num_v_in_group) % group_size_b)
    pid_v = (pid % num_v_in_group) // group_size_b
    offs_b = pid_b * BLOCK_B + tl.arange(0, BLOCK_B)
    b_mask = offs_b < B
    offs_b = tl.load(valids_ptr + offs_b, mask=b_mask, other=B)
    offs_v = pid_v * BLOCK_V + tl.arange(0, BLOCK_V)
    v_mask = offs_v < V
    offs_d = tl.arange(0, BLOCK_D)
    e_ptrs = E_ptr + (offs_b[:, None] * D + offs_d[None, :])
    c_ptrs = C_ptr + (offs_v[None, :] * D + offs_d[:, None])
    accum = tl.zeros((BLOCK_B, BLOCK_V), dtype=tl.float32)
    for d in range(0, tl.cdiv(D, BLOCK_D)):
        e = tl.load(e_ptrs, mask=b_mask[:, None] & (offs_d[None, :] < D - d * BLOCK_D), other=0.0)
        c = tl.load(c_ptrs, mask=v_mask[None, :] & (offs_d[:, None] < D - d * BLOCK_D), other=0.0)
        accum = tl.dot(e, c, accum)
        e_ptrs += BLOCK_D
        c_ptrs += BLOCK_D
    if HAS_SOFTCAP:
        accum = softcapping(accum, softcap)
    lse = tl.load(LSE_ptr + offs_b, mask=b_mask, other=float("inf"))
    d_accum = tl.exp(accum - lse[:, None])
    d_accum = tl.where(v_mask[None, :], d_accum, 0.0)
    targets = tl.load(target_ptr + offs_b, mask=b_mask, other=V + 1)
    is_target = targets[:, None] == offs_v[None, :]
    d_accum += tl.where(is_target, -1.0, 0.0)
    if tl.max(tl.abs(d_accum)) < filter_eps:
        return
    if HAS_SOFTCAP:
        d_accum = softcapping_grad(d_accum, accum, softcap)
    d_out = tl.load(d_out_ptr)
    d_accum = d_accum.to(e_ptrs.dtype.element_ty)
    add_product(d_accum, d_out, C_ptr + offs_v[:, None] * D, dE_ptr + offs_b[:, None] * D, b_mask, v_mask, D, D,
                BLOCK_D)
    if COMPUTE_DC:
        add_product(tl.trans(d_accum), d_out, E_ptr + offs_b[:, None] * D, dC_ptr + offs_v[:, None] * D, v_mask, b_mask,
                    D, D, BLOCK_D)


def filtered_gradient_reference(E_ptr, C_ptr, LSE_ptr, target_ptr, B, V):
    x = np.tanh(E_ptr @ C_ptr.T / 20)
    d = (np.exp(20 * x - LSE_ptr[:, None]) - (target_ptr[:, None] == np.arange(V))) * (1 - x * x) * 0.5
    return {"dE_ptr": d @ C_ptr, "dC_ptr": d.T @ E_ptr}


@triton.jit
def all_pairs_loss(image_ptr, text_ptr, scale_ptr, bias_ptr, loss_ptr, dscale_ptr, dimage_ptr, N, M, D, offset,
                   BLOCK_N: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_D: tl.constexpr):
    """A sigmoid for every pair; those of equal number belong together."""
    rows = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    columns = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    product = logits_of(image_ptr, text_ptr, rows, columns, N, M, D, BLOCK_N, BLOCK_M, BLOCK_D)
    scale = tl.exp(tl.load(scale_ptr))
    sign = tl.where(rows[:, None] + offset == columns[None, :], 1.0, -1.0)
    mask = (rows < N)[:, None] & (columns < M)[None, :]
    z = sign * (product * scale + tl.load(bias_ptr))
    loss = tl.log(1 + tl.exp(-tl.abs(z))) - tl.minimum(z, 0.0)
    dz = tl.where(mask, -sign * tl.sigmoid(-z), 0.0)
    tl.atomic_add(loss_ptr, tl.sum(tl.where(mask, loss, 0.0)))
    tl.atomic_add(dscale_ptr, tl.sum(dz * product) * scale)
    weight = (dz * scale).to(text_ptr.dtype.element_ty)
    d = tl.arange(0, BLOCK_D)
    for start in range(0, D, BLOCK_D):
        inside = d[None, :] < D - start
        text = tl.load(text_ptr + columns[:, None] * D + start + d[None, :], mask=(columns < M)[:, None] & inside,
                       other=0.0)
        tl.atomic_add(dimage_ptr + rows[:, None] * D + start + d[None, :], tl.dot(weight, text),
                      mask=(rows < N)[:, None] & inside)


def all_pairs_loss_reference(image_ptr, text_ptr, N, M):
    product = image_ptr @ text_ptr.T
    scale = np.exp(2.0)
    sign = np.where(np.arange(N)[:, None] + 3 == np.arange(M), 1, -1)
    z = sign * (product * scale - 1.5)
    dz = -sign / (1 + np.exp(z))
    return {"loss_ptr": np.log1p(np.exp(-z)).sum(), "dscale_ptr": (dz * product).sum() * scale,
            "dimage_ptr": dz @ text_ptr * scale}
