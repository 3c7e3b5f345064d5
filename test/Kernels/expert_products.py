# Mixtures of experts and adapters of many users, as libraries write them: products of sorted tokens with the weights of
# their experts, weights of routes, both layers of an expert, groups one after another, adapters chosen by a token or by
# a segment, gradients of the experts' weights.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: fused_moe
# TYPES: fp16 bf16
# SIZES: TOKENS=33 TOP=2 EM=80 E=4 N=40 K=70 WEIGHTED=0 | TOKENS=64 TOP=1 EM=64 E=3 N=64 K=64 WEIGHTED=1 | TOKENS=1 TOP=3 EM=16 E=8 N=17 K=32 WEIGHTED=1
# BENCH: TOKENS=4096 TOP=2 EM=8192 E=8 N=2048 K=2048 WEIGHTED=1 T=bf16 GROUP_SIZE_M=8 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):T[TOKENS,K]
# ARG: b_ptr randint(-3,4):T[E,N,K]
# ARG: c_ptr zeros:fp32[TOKENS*TOP,N]
# ARG: topk_weights_ptr randint(1,4):fp32[TOKENS*TOP]
# ARG: sorted_token_ids_ptr permutation:i32[EM]
# ARG: expert_ids_ptr randint(-1,E):i32[EM//BLOCK_SIZE_M]
# ARG: num_tokens_post_padded_ptr full(EM):i32[1]
# ARG: N N
# ARG: K K
# ARG: EM EM
# ARG: num_valid_tokens TOKENS*TOP
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_be N*K
# ARG: stride_bk 1
# ARG: stride_bn K
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_SIZE_M 16
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# CONST: GROUP_SIZE_M 4
# CONST: MUL_ROUTED_WEIGHT WEIGHTED
# CONST: top_k TOP
# CONST: compute_type "tl.float32"
# GRID: cdiv(EM, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: gated_experts
# SIZES: TOKENS=40 E=3 N=32 K=50
# BENCH: TOKENS=8192 E=8 N=1024 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):bf16[TOKENS,K]
# ARG: w_ptr randn(0,0.5):bf16[E,2*N,K]
# ARG: y_ptr empty:bf16[TOKENS,N]
# ARG: order_ptr permutation:i32[TOKENS]
# ARG: expert_ptr randint(0,E):i32[cdiv(TOKENS,BLOCK_M)]
# ARG: tokens TOKENS
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(TOKENS, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 2e-2 2e-2
#
# KERNEL: groups_in_turn
# SIZES: E=4 STRETCH=65 N=48 K=64 P=3
# BENCH: E=8 STRETCH=2048 N=2048 K=2048 P=132 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8
# ARG: x_ptr randint(-3,4):fp16[E*STRETCH,K]
# ARG: w_ptr randint(-3,4):fp16[E,K,N]
# ARG: y_ptr zeros:fp16[E*STRETCH,N]
# ARG: sizes_ptr randint(0,STRETCH+1):i32[E]
# ARG: stretch STRETCH
# ARG: N N
# ARG: K K
# CONST: E E
# CONST: PROGRAMS P
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: P
# CHECK: y_ptr
# TOLERANCE: y_ptr 0 0
#
# KERNEL: weight_gradients
# SIZES: E=3 STRETCH=50 N=40 K=33
# BENCH: E=8 STRETCH=2048 N=2048 K=1024 BLOCK_M=128 BLOCK_N=128 BLOCK_T=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[E*STRETCH,K]
# ARG: dy_ptr randint(-3,4):fp16[E*STRETCH,N]
# ARG: dw_ptr empty:fp32[E,K,N]
# ARG: sizes_ptr randint(0,STRETCH+1):i32[E]
# ARG: stretch STRETCH
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_T 16
# GRID: cdiv(K, BLOCK_M), cdiv(N, BLOCK_N), E
# TOLERANCE: dw_ptr 0 0
#
# KERNEL: shrink_segments
# SIZES: B=3 L=20 H=129 R=16 SPLIT=2 | B=1 L=17 H=64 R=8 SPLIT=1
# BENCH: B=64 L=512 H=4096 R=16 SPLIT=8 BLOCK_M=32 BLOCK_K=256 num_warps=4 num_stages=2
# ARG: x_ptr randint(-3,4):fp16[B*L,H]
# ARG: a_ptr randint(-3,4):fp16[4,R,H]
# ARG: out_ptr zeros:fp32[B*L,R]
# ARG: lens_ptr randint(0,L+1):i32[B]
# ARG: lora_ptr randint(-1,4):i32[B]
# ARG: stretch L
# ARG: H H
# ARG: R R
# ARG: scaling 0.5
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: BLOCK_K 32
# CONST: SPLIT_K SPLIT
# CONST: EVEN_K H % (BLOCK_K * SPLIT) == 0
# GRID: cdiv(L, BLOCK_M) * cdiv(R, BLOCK_N), SPLIT, B
# CHECK: out_ptr
# TOLERANCE: out_ptr 0 0
#
# KERNEL: expand_segments
# SIZES: B=3 L=20 N=70 R=16 | B=2 L=9 N=32 R=8
# BENCH: B=64 L=512 N=4096 R=16 BLOCK_M=64 BLOCK_N=128 num_warps=4
# ARG: x_ptr randint(-3,4):fp32[B*L,R]
# ARG: b_ptr randint(-3,4):fp16[4,N,R]
# ARG: out_ptr randint(-9,10):fp16[B*L,N]
# ARG: lens_ptr randint(0,L+1):i32[B]
# ARG: lora_ptr randint(-1,4):i32[B]
# ARG: stretch L
# ARG: N N
# ARG: R R
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_R 16
# CONST: ADD_INPUTS True
# GRID: cdiv(L, BLOCK_M) * cdiv(N, BLOCK_N), B
# CHECK: out_ptr
# TOLERANCE: out_ptr 0 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def write_zeros(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_SIZE_M: tl.constexpr,
                BLOCK_SIZE_N: tl.constexpr, compute_type: tl.constexpr):
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=compute_type)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, accumulator, mask=token_mask[:, None] & (offs_cn[None, :] < N))


@triton.jit
def fused_moe(a_ptr, b_ptr, c_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr,
              N, K, EM, num_valid_tokens, stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_cm, stride_cn,
              BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
              GROUP_SIZE_M: tl.constexpr, MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr,
              compute_type: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(EM, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    num_tokens_post_padded = tl.load(num_tokens_post_padded_ptr)
    if pid_m * BLOCK_SIZE_M >= num_tokens_post_padded:
        return
    offs_token_id = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M).to(tl.int64)
    offs_token = tl.load(sorted_token_ids_ptr + offs_token_id)
    token_mask = offs_token < num_valid_tokens
    off_experts = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    if off_experts == -1:
        # No expert of this rank.
        write_zeros(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_SIZE_M, BLOCK_SIZE_N,
                    compute_type)
        return
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + off_experts * stride_be + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_SIZE_K), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator += tl.dot(a, b)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if MUL_ROUTED_WEIGHT:
        moe_weight = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        accumulator = accumulator * moe_weight[:, None]
    accumulator = accumulator.to(compute_type)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, accumulator, mask=token_mask[:, None] & (offs_cn[None, :] < N))


def fused_moe_reference(a_ptr, b_ptr, c_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, TOKENS, TOP,
                        WEIGHTED, BLOCK_SIZE_M):
    out = np.zeros_like(c_ptr)
    for i, token in enumerate(sorted_token_ids_ptr.astype(int)):
        expert = int(expert_ids_ptr[i // BLOCK_SIZE_M])
        if token < TOKENS * TOP and expert >= 0:
            out[token] = b_ptr[expert] @ a_ptr[token // TOP] * (topk_weights_ptr[token] if WEIGHTED else 1)
    return out


@triton.jit
def gated_experts(x_ptr, w_ptr, y_ptr, order_ptr, expert_ptr, tokens, N, K, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Gate and input of an expert are the halves of one weight."""
    at = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rows = tl.load(order_ptr + at, mask=at < tokens, other=0)
    expert = tl.load(expert_ptr + tl.program_id(0)).to(tl.int64)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + rows[:, None] * K + k[None, :]
    w_ptrs = w_ptr + expert * 2 * N * K + n[None, :] * K + k[:, None]
    gate = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=(at[:, None] < tokens) & (k[None, :] < K - start), other=0.0)
        mask = (n[None, :] < N) & (k[:, None] < K - start)
        gate = tl.dot(x, tl.load(w_ptrs, mask=mask, other=0.0), gate)
        up = tl.dot(x, tl.load(w_ptrs + N * K, mask=mask, other=0.0), up)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    y = gate * tl.sigmoid(gate) * up
    tl.store(y_ptr + rows[:, None] * N + n[None, :], y.to(tl.bfloat16), mask=(at[:, None] < tokens) & (n[None, :] < N))


def gated_experts_reference(x_ptr, w_ptr, order_ptr, expert_ptr, TOKENS, N, BLOCK_M):
    y = np.zeros((TOKENS, N))
    for i, row in enumerate(order_ptr.astype(int)):
        both = w_ptr[int(expert_ptr[i // BLOCK_M])] @ x_ptr[row]
        y[row] = both[:N] / (1 + np.exp(-both[:N])) * both[N:]
    return y


@triton.jit
def groups_in_turn(x_ptr, w_ptr, y_ptr, sizes_ptr, stretch, N, K, E: tl.constexpr, PROGRAMS: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A program goes over the tiles of all experts, and over those without tokens at no cost."""
    tile = tl.program_id(0)
    ended = 0
    columns = tl.cdiv(N, BLOCK_N)
    for e in tl.static_range(E):
        size = tl.load(sizes_ptr + e)
        tiles = tl.cdiv(size, BLOCK_M) * columns
        if size > 0:
            while tile < ended + tiles:
                m = (tile - ended) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
                n = (tile - ended) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
                acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for start in tl.range(0, K, BLOCK_K, num_stages=3):
                    k = start + tl.arange(0, BLOCK_K)
                    x = tl.load(x_ptr + (e * stretch + m)[:, None] * K + k[None, :], mask=m[:, None] < size, other=0.0)
                    w = tl.load(w_ptr + (e * K + k)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
                    acc = tl.dot(x, w, acc)
                tl.store(y_ptr + (e * stretch + m)[:, None] * N + n[None, :], acc.to(tl.float16),
                         mask=(m[:, None] < size) & (n[None, :] < N))
                tile += PROGRAMS
        ended += tiles


def groups_in_turn_reference(x_ptr, w_ptr, y_ptr, sizes_ptr, E, STRETCH):
    y = np.copy(y_ptr)
    for e in range(E):
        rows = slice(e * STRETCH, e * STRETCH + int(sizes_ptr[e]))
        y[rows] = x_ptr[rows] @ w_ptr[e]
    return y


@triton.jit
def weight_gradients(x_ptr, dy_ptr, dw_ptr, sizes_ptr, stretch, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_T: tl.constexpr):
    """Reductions whose lengths are known at run time, also none at all."""
    e = tl.program_id(2)
    k = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    size = tl.load(sizes_ptr + e)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, size, BLOCK_T):
        t = start + tl.arange(0, BLOCK_T)
        x = tl.load(x_ptr + (e * stretch + t)[:, None] * K + k[None, :], mask=(t[:, None] < size) & (k[None, :] < K),
                    other=0.0)
        dy = tl.load(dy_ptr + (e * stretch + t)[:, None] * N + n[None, :], mask=(t[:, None] < size) & (n[None, :] < N),
                     other=0.0)
        acc = tl.dot(x.T, dy, acc)
    tl.store(dw_ptr + (e * K + k[:, None]) * N + n[None, :], acc, mask=(k[:, None] < K) & (n[None, :] < N))


def weight_gradients_reference(x_ptr, dy_ptr, sizes_ptr, E, STRETCH):
    at = [slice(e * STRETCH, e * STRETCH + int(sizes_ptr[e])) for e in range(E)]
    return np.stack([x_ptr[rows].T @ dy_ptr[rows] for rows in at])


@triton.jit
def shrink_segments(x_ptr, a_ptr, out_ptr, lens_ptr, lora_ptr, stretch, H, R, scaling, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr, EVEN_K: tl.constexpr):
    pid = tl.program_id(axis=0)
    pid_sk = tl.program_id(axis=1)
    cur_batch = tl.program_id(axis=2)
    cta_n_num = tl.cdiv(R, BLOCK_N)
    pid_m = pid // cta_n_num
    pid_n = pid % cta_n_num
    M = tl.load(lens_ptr + cur_batch)
    if pid_m * BLOCK_M >= M:
        return
    lora_index = tl.load(lora_ptr + cur_batch)
    if lora_index == -1:
        return
    start = cur_batch * stretch
    offset_m = tl.arange(0, BLOCK_M) + pid_m * BLOCK_M
    offset_n = tl.arange(0, BLOCK_N) + pid_n * BLOCK_N
    offset_k = pid_sk * BLOCK_K + tl.arange(0, BLOCK_K)
    ram = tl.max_contiguous(tl.multiple_of(offset_m % M, 1), 1)
    rbn = tl.max_contiguous(tl.multiple_of(offset_n % R, 1), 1)
    a_ptrs = x_ptr + (start + ram)[:, None] * H + offset_k[None, :]
    b_ptrs = a_ptr + lora_index * R * H + rbn[None, :] * H + offset_k[:, None]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(H, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            tiled_a = tl.load(a_ptrs)
            tiled_b = tl.load(b_ptrs)
        else:
            k_remaining = H - k * (BLOCK_K * SPLIT_K)
            tiled_a = tl.load(a_ptrs, mask=offset_k[None, :] < k_remaining, other=0.0)
            tiled_b = tl.load(b_ptrs, mask=offset_k[:, None] < k_remaining, other=0.0)
        accumulator += tl.dot(tiled_a, tiled_b)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K
    c_ptrs = out_ptr + (start + offset_m)[:, None] * R + offset_n[None, :]
    c_mask = (offset_m[:, None] < M) & (offset_n[None, :] < R)
    accumulator *= scaling
    if SPLIT_K == 1:
        tl.store(c_ptrs, accumulator, mask=c_mask)
    else:
        tl.atomic_add(c_ptrs, accumulator, mask=c_mask)


def shrink_segments_reference(x_ptr, a_ptr, out_ptr, lens_ptr, lora_ptr, scaling, B, L):
    out = np.copy(out_ptr)
    for b in range(B):
        rows = slice(b * L, b * L + int(lens_ptr[b]))
        if lora_ptr[b] >= 0:
            out[rows] = x_ptr[rows] @ a_ptr[int(lora_ptr[b])].T * scaling
    return out


@triton.jit
def expand_segments(x_ptr, b_ptr, out_ptr, lens_ptr, lora_ptr, stretch, N, R, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_R: tl.constexpr, ADD_INPUTS: tl.constexpr):
    pid = tl.program_id(axis=0)
    cur_batch = tl.program_id(axis=1)
    cta_n_num = tl.cdiv(N, BLOCK_N)
    pid_m = pid // cta_n_num
    pid_n = pid % cta_n_num
    M = tl.load(lens_ptr + cur_batch)
    lora_index = tl.load(lora_ptr + cur_batch)
    if (pid_m * BLOCK_M >= M) | (lora_index == -1):
        return
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    r = tl.arange(0, BLOCK_R)
    x = tl.load(x_ptr + (cur_batch * stretch + m)[:, None] * R + r[None, :], mask=(m[:, None] < M) & (r[None, :] < R),
                other=0.0).to(b_ptr.dtype.element_ty)
    b = tl.load(b_ptr + (lora_index * N + n)[None, :] * R + r[:, None], mask=(n[None, :] < N) & (r[:, None] < R),
                other=0.0)
    tiled_c = tl.dot(x, b).to(out_ptr.dtype.element_ty)
    c_ptrs = out_ptr + (cur_batch * stretch + m)[:, None] * N + n[None, :]
    c_mask = (m[:, None] < M) & (n[None, :] < N)
    if ADD_INPUTS:
        tiled_out = tl.load(c_ptrs, mask=c_mask, other=0.0)
        tiled_c += tiled_out
    tl.store(c_ptrs, tiled_c, mask=c_mask)


def expand_segments_reference(x_ptr, b_ptr, out_ptr, lens_ptr, lora_ptr, B, L):
    out = np.copy(out_ptr)
    for b in range(B):
        rows = slice(b * L, b * L + int(lens_ptr[b]))
        if lora_ptr[b] >= 0:
            out[rows] += x_ptr[rows] @ b_ptr[int(lora_ptr[b])].T
    return out
