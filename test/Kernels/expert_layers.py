# Layers of experts, as libraries write them: weights of four bits for sorted tokens, rows that are gathered or
# scattered on either side, a clamped gate over interleaved columns, gradients of weights by descriptors, low-rank
# additions.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: four_bit_experts
# SIZES: T=20 E=4 TOPK=2 N=64 K=128 G=64 ZP=1 | T=3 E=2 TOPK=1 N=32 K=64 G=32 ZP=0
# BENCH: T=1024 E=8 TOPK=2 N=4096 K=4096 G=128 ZP=0 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randn:bf16[T,K]
# ARG: b_ptr randint(0,256):u8[E,N,K//2]
# ARG: c_ptr zeros:bf16[T*TOPK,N]
# ARG: scale_ptr rand(0.05,0.1):bf16[E,N,K//G]
# ARG: zp_ptr randint(0,256):u8[E,N//2,K//G]
# ARG: topk_weights_ptr rand:fp32[T*TOPK]
# ARG: sorted_ids_ptr permutation:i32[T*TOPK+BLOCK_M*E]
# ARG: expert_ids_ptr randint(-1,E):i32[cdiv(T*TOPK+BLOCK_M*E,BLOCK_M)]
# ARG: padded_ptr full(T*TOPK+BLOCK_M*E):i32[1]
# CONST: N N
# CONST: K K
# ARG: EM T*TOPK+BLOCK_M*E
# ARG: num_valid_tokens T*TOPK
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 1
# CONST: GROUP_SIZE G
# CONST: HAS_ZP ZP == 1
# CONST: MUL_ROUTED_WEIGHT True
# CONST: top_k TOPK
# GRID: cdiv(T*TOPK+BLOCK_M*E, BLOCK_M) * cdiv(N, BLOCK_N)
# CHECK: c_ptr
# TOLERANCE: c_ptr 2e-2 2e-1
#
# KERNEL: scattered_experts
# SIZES: T=20 E=3 TOPK=2 N=40 K=48 XG=0 YG=1 | T=33 E=2 TOPK=1 N=32 K=64 XG=1 YG=0
# BENCH: T=2048 E=8 TOPK=2 N=4096 K=2048 XG=0 YG=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: X_ptr randn:fp16[T*TOPK if XG else T,K]
# ARG: W_ptr randn:fp16[E,K,N]
# ARG: Y_ptr empty:fp16[T*TOPK,N]
# ARG: bias_ptr randn:fp16[E,N]
# ARG: grouped_idx_ptr permutation:i32[T*TOPK]
# ARG: expert_idxs_ptr arange:i32[T*TOPK]
# ARG: stretch cdiv(T*TOPK, E)
# ARG: FAN_OUT TOPK
# ARG: M T*TOPK
# ARG: K K
# ARG: N N
# CONST: E E
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: x_grouped XG == 1
# CONST: y_grouped YG == 1
# CONST: ACC_TYPE "tl.float32"
# GRID: cdiv(T*TOPK, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: Y_ptr 1e-2 5e-2
#
# KERNEL: clamped_gate
# SIZES: T=40 E=3 N=64 K=48 | T=1 E=1 N=32 K=32
# BENCH: T=4096 E=8 N=5760 K=2880 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn:bf16[T,K]
# ARG: w_ptr randn(0,0.2):bf16[E,K,N]
# ARG: bias_ptr randn:fp32[E,N]
# ARG: gather_ptr permutation:i32[T]
# ARG: starts_ptr arange:i32[E+1]
# ARG: stretch cdiv(T, E)
# ARG: out_ptr empty:bf16[T,N//2]
# ARG: T T
# ARG: N N
# ARG: K K
# ARG: alpha 1.702
# ARG: limit 2.0
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(cdiv(T, E), BLOCK_M), cdiv(N, BLOCK_N), E
# TOLERANCE: out_ptr 3e-2 1e-1
#
# KERNEL: expert_weight_gradients
# SIZES: T=90 E=3 N=48 K=64 | T=8 E=2 N=32 K=32
# BENCH: T=8192 E=16 N=2048 K=1024 BLOCK_N=128 BLOCK_K=128 BLOCK_T=64 num_warps=8 num_stages=3
# ARG: x_ptr randn:bf16[T,K]
# ARG: dy_ptr randn:bf16[T,N]
# ARG: ends_ptr arange:i32[E+1]
# ARG: stretch T//E
# ARG: dw_ptr empty:fp32[E,K,N]
# ARG: T T
# ARG: N N
# ARG: K K
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: BLOCK_T 16
# GRID: cdiv(K, BLOCK_K), cdiv(N, BLOCK_N), E
# TOLERANCE: dw_ptr 1e-3 1e-2
#
# KERNEL: product_with_adapters
# SIZES: M=50 N=48 K=64 R=16 A=3 | M=1 N=32 K=32 R=32 A=1
# BENCH: M=2048 N=4096 K=4096 R=16 A=4 BLOCK_M=64 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: x_ptr randn:bf16[M,K]
# ARG: w_ptr randn:bf16[N,K]
# ARG: lora_a_ptr randn(0,0.2):bf16[A,R,K]
# ARG: lora_b_ptr randn(0,0.2):bf16[A,N,R]
# ARG: adapter_ptr randint(-1,A):i32[cdiv(M,BLOCK_M)]
# ARG: y_ptr empty:bf16[M,N]
# ARG: scaling 0.5
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: R R
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 1e-2 2e-1
import numpy as np
import triton
import triton.language as tl


@triton.jit
def write_zeros_to_output(c_ptr, stride_cm, pid_n, N, offs_token, token_mask, BLOCK_M: tl.constexpr,
                          BLOCK_N: tl.constexpr):
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=c_ptr.dtype.element_ty)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + stride_cm * offs_token[:, None] + offs_cn[None, :], acc,
             mask=token_mask[:, None] & (offs_cn[None, :] < N))


@triton.jit
def four_bit_experts(a_ptr, b_ptr, c_ptr, scale_ptr, zp_ptr, topk_weights_ptr, sorted_ids_ptr, expert_ids_ptr,
                     padded_ptr, N: tl.constexpr, K: tl.constexpr, EM, num_valid_tokens, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, GROUP_SIZE: tl.constexpr,
                     HAS_ZP: tl.constexpr, MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr):
    """Two weights of a column are a byte, which is loaded twice."""
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(EM, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    if pid_m * BLOCK_M >= tl.load(padded_ptr):
        return
    offs_token_id = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_token = tl.load(sorted_ids_ptr + offs_token_id, mask=offs_token_id < EM, other=num_valid_tokens)
    token_mask = offs_token < num_valid_tokens
    off_expert = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    if off_expert == -1:
        write_zeros_to_output(c_ptr, N, pid_n, N, offs_token, token_mask, BLOCK_M, BLOCK_N)
        return
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * K + offs_k[None, :])
    b_ptrs = b_ptr + off_expert * N * (K // 2) + (offs_k[:, None] // 2) + offs_bn[None, :] * (K // 2)
    b_shifter = (offs_k[:, None] % 2) * 4
    if HAS_ZP:
        b_zp_shifter = (offs_bn[None, :] % 2) * 4
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_K), other=0.0)
        b = tl.load(b_ptrs)
        b = (b >> b_shifter) & 0xF
        group = (offs_k[:, None] + BLOCK_K * k) // GROUP_SIZE
        b_scale = tl.load(scale_ptr + (off_expert * N + offs_bn[None, :]) * (K // GROUP_SIZE) + group).to(tl.float32)
        if HAS_ZP:
            zp_ptrs = zp_ptr + (off_expert * (N // 2) + offs_bn[None, :] // 2) * (K // GROUP_SIZE) + group
            b_zp = (tl.load(zp_ptrs) >> b_zp_shifter) & 0xF
            b = ((b.to(tl.float32) - b_zp.to(tl.float32)) * b_scale).to(a.dtype)
        else:
            b = ((b.to(tl.float32) - 8) * b_scale).to(a.dtype)
        accumulator = tl.dot(a, b, acc=accumulator)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K // 2
    if MUL_ROUTED_WEIGHT:
        moe_weight = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        accumulator = accumulator * moe_weight[:, None]
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + N * offs_token[:, None] + offs_cn[None, :], accumulator.to(c_ptr.dtype.element_ty),
             mask=token_mask[:, None] & (offs_cn[None, :] < N))


def four_bit_experts_reference(a_ptr, b_ptr, scale_ptr, zp_ptr, topk_weights_ptr, sorted_ids_ptr, expert_ids_ptr, T,
                               TOPK, N, G, ZP, BLOCK_M):
    c = np.zeros((T * TOPK, N))
    for place, token in enumerate(sorted_ids_ptr.astype(int)):
        expert = int(expert_ids_ptr[place // BLOCK_M])
        if token >= T * TOPK or expert < 0:
            continue
        b = b_ptr[expert].astype(int)
        b = np.stack([b & 15, b >> 4], axis=-1).reshape(N, -1)
        z = zp_ptr[expert].astype(int)
        z = np.stack([z & 15, z >> 4], axis=1).reshape(N, -1) if ZP else np.full(scale_ptr[expert].shape, 8)
        b = (b - np.repeat(z, G, axis=1)) * np.repeat(scale_ptr[expert], G, axis=1)
        c[token] = b @ a_ptr[token // TOPK] * topk_weights_ptr[token]
    return c


@triton.jit
def rows_by_an_expert(acc, E_idx, E_mask, M_in_idx, N_block, N_mask, X_ptr, W_ptr, K, N, expert, BLOCK_K: tl.constexpr,
                      NO_K_MASK: tl.constexpr):
    K_block = tl.arange(0, BLOCK_K)
    X_blk_ptrs = X_ptr + M_in_idx[:, None] * K + K_block[None, :]
    W_blk_ptrs = W_ptr + K_block[:, None] * N + N_block[None, :] + expert * K * N
    for block in range(0, tl.cdiv(K, BLOCK_K)):
        if NO_K_MASK:
            x = tl.load(X_blk_ptrs, mask=E_mask[:, None])
            w = tl.load(W_blk_ptrs, mask=N_mask[None, :])
        else:
            K_mask = (block * BLOCK_K + K_block) < K
            x = tl.load(X_blk_ptrs, mask=E_mask[:, None] & K_mask[None, :])
            w = tl.load(W_blk_ptrs, mask=K_mask[:, None] & N_mask[None, :])
        X_blk_ptrs += BLOCK_K
        W_blk_ptrs += BLOCK_K * N
        acc = tl.dot(x, w, acc)
    return acc


@triton.jit
def scattered_experts(X_ptr, W_ptr, Y_ptr, bias_ptr, grouped_idx_ptr, expert_idxs_ptr, stretch, FAN_OUT, M, K, N,
                      E: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                      x_grouped: tl.constexpr, y_grouped: tl.constexpr, ACC_TYPE: tl.constexpr):
    """A block of sorted rows may hold those of several experts, one behind the other; each passes once."""
    pid = tl.program_id(axis=0)
    N_BLOCK_COUNT = tl.cdiv(N, BLOCK_N)
    M_block_id = pid // N_BLOCK_COUNT
    N_block_id = pid % N_BLOCK_COUNT
    M_block = M_block_id * BLOCK_M + tl.arange(0, BLOCK_M)
    N_block = N_block_id * BLOCK_N + tl.arange(0, BLOCK_N)
    N_mask = N_block < N
    M_boundary_mask = M_block < M
    E_idxs = tl.load(expert_idxs_ptr + M_block, mask=M_boundary_mask, other=E * stretch) // stretch
    E_first_idx = tl.min(E_idxs)
    E_last_idx = tl.minimum(tl.max(tl.where(M_boundary_mask, E_idxs, 0)), E - 1)
    M_idx = tl.load(grouped_idx_ptr + M_block, mask=M_boundary_mask, other=0).to(tl.int32)
    if x_grouped:
        M_in_idx = M_block
    else:
        M_in_idx = M_idx // FAN_OUT
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)
    for E_idx in range(E_first_idx, E_last_idx + 1):
        E_mask = E_idxs == E_idx
        acc = rows_by_an_expert(acc, E_idx, E_mask, M_in_idx, N_block, N_mask, X_ptr, W_ptr, K, N, E_idx, BLOCK_K,
                                False)
        bias = tl.load(bias_ptr + E_idx * N + N_block, mask=N_mask, other=0.0)
        acc += tl.where(E_mask[:, None], bias[None, :].to(tl.float32), 0.0)
    if y_grouped:
        M_out_idx = M_block
    else:
        M_out_idx = M_idx
    tl.store(Y_ptr + M_out_idx[:, None] * N + N_block[None, :], acc.to(Y_ptr.dtype.element_ty),
             mask=M_boundary_mask[:, None] & N_mask[None, :])


def scattered_experts_reference(X_ptr, W_ptr, bias_ptr, grouped_idx_ptr, stretch, FAN_OUT, M, N, XG, YG):
    y = np.zeros((M, N))
    for i in range(M):
        index = int(grouped_idx_ptr[i])
        expert = i // stretch
        y[i if YG else index] = X_ptr[i if XG else index // FAN_OUT] @ W_ptr[expert] + bias_ptr[expert]
    return y


@triton.jit
def clamped_gate(x_ptr, w_ptr, bias_ptr, gather_ptr, starts_ptr, stretch, out_ptr, T, N, K, alpha, limit,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Even columns are the gate, odd ones the input; both are cut off before they meet."""
    pid_m, pid_n, expert = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start = tl.minimum(tl.load(starts_ptr + expert) * stretch, T)
    end = tl.minimum(tl.load(starts_ptr + expert + 1) * stretch, T)
    if start + pid_m * BLOCK_M >= end:
        return
    rows = start + pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    row_mask = rows < end
    source = tl.load(gather_ptr + rows, mask=row_mask, other=0)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + source.to(tl.int64)[:, None] * K + offs_k[None, :]
    w_ptrs = w_ptr + expert.to(tl.int64) * K * N + offs_k[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        x = tl.load(x_ptrs, mask=row_mask[:, None] & (offs_k[None, :] < k), other=0.0)
        w = tl.load(w_ptrs, mask=(offs_k[:, None] < k) & (offs_n[None, :] < N), other=0.0, cache_modifier=".cg")
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * N
    acc += tl.load(bias_ptr + expert * N + offs_n, mask=offs_n < N, other=0.0)[None, :]
    gate, up = tl.split(acc.reshape(BLOCK_M, BLOCK_N // 2, 2))
    gate = tl.minimum(gate, limit)
    up = tl.clamp(up, -limit, limit)
    out = gate / (1 + tl.exp(-alpha * gate)) * (up + 1)
    offs_o = pid_n * (BLOCK_N // 2) + tl.arange(0, BLOCK_N // 2)
    tl.store(out_ptr + rows[:, None] * (N // 2) + offs_o[None, :], out.to(out_ptr.dtype.element_ty),
             mask=row_mask[:, None] & (offs_o[None, :] < N // 2))


def clamped_gate_reference(x_ptr, w_ptr, bias_ptr, gather_ptr, T, E, N):
    out = np.zeros((T, N // 2))
    stretch = -(-T // E)
    for e in range(E):
        rows = slice(min(e * stretch, T), min(e * stretch + stretch, T))
        y = x_ptr[gather_ptr[rows].astype(int)] @ w_ptr[e] + bias_ptr[e]
        gate, up = np.minimum(y[:, ::2], 2), np.clip(y[:, 1::2], -2, 2)
        out[rows] = gate / (1 + np.exp(-1.702 * gate)) * (up + 1)
    return out


@triton.jit
def expert_weight_gradients(x_ptr, dy_ptr, ends_ptr, stretch, dw_ptr, T, N, K, BLOCK_N: tl.constexpr,
                            BLOCK_K: tl.constexpr, BLOCK_T: tl.constexpr):
    """Descriptors end where an expert's rows end, so what lies behind reads as zero."""
    expert = tl.program_id(2)
    start = tl.load(ends_ptr + expert) * stretch
    end = tl.load(ends_ptr + expert + 1) * stretch
    x_desc = tl.make_tensor_descriptor(x_ptr, [end, K], [K, 1], [BLOCK_T, BLOCK_K])
    dy_desc = tl.make_tensor_descriptor(dy_ptr, [end, N], [N, 1], [BLOCK_T, BLOCK_N])
    dw_desc = tl.make_tensor_descriptor(dw_ptr + expert.to(tl.int64) * K * N, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    off_k = tl.program_id(0) * BLOCK_K
    off_n = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_K, BLOCK_N), dtype=tl.float32)
    for t in tl.range(start, end, BLOCK_T):
        x = x_desc.load([t, off_k])
        dy = dy_desc.load([t, off_n])
        acc = tl.dot(x.T, dy, acc)
    dw_desc.store([off_k, off_n], acc)


def expert_weight_gradients_reference(x_ptr, dy_ptr, E, stretch):
    parts = [slice(e * stretch, e * stretch + stretch) for e in range(E)]
    return np.stack([x_ptr[t].T @ dy_ptr[t] for t in parts])


@triton.jit
def product_with_adapters(x_ptr, w_ptr, lora_a_ptr, lora_b_ptr, adapter_ptr, y_ptr, scaling, M, N, K, R: tl.constexpr,
                          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The shrinking product shares the loop; rows of a block have one adapter, or none."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    adapter = tl.load(adapter_ptr + pid_m)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    offs_r = tl.arange(0, R)
    x_ptrs = x_ptr + offs_m[:, None] * K + offs_k[None, :]
    w_ptrs = w_ptr + offs_n[None, :] * K + offs_k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    if adapter >= 0:
        small = tl.zeros((BLOCK_M, R), dtype=tl.float32)
        a_ptrs = lora_a_ptr + adapter * R * K + offs_r[None, :] * K + offs_k[:, None]
        for k in range(0, K, BLOCK_K):
            x = tl.load(x_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K - k), other=0.0)
            w = tl.load(w_ptrs, mask=(offs_n[None, :] < N) & (offs_k[:, None] < K - k), other=0.0)
            a = tl.load(a_ptrs, mask=offs_k[:, None] < K - k, other=0.0)
            acc += tl.dot(x, w)
            small += tl.dot(x, a)
            x_ptrs += BLOCK_K
            w_ptrs += BLOCK_K
            a_ptrs += BLOCK_K
        b = tl.load(lora_b_ptr + adapter * N * R + offs_n[None, :] * R + offs_r[:, None], mask=offs_n[None, :] < N,
                    other=0.0)
        acc += tl.dot((small * scaling).to(b.dtype), b)
    else:
        for k in range(0, K, BLOCK_K):
            x = tl.load(x_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K - k), other=0.0)
            w = tl.load(w_ptrs, mask=(offs_n[None, :] < N) & (offs_k[:, None] < K - k), other=0.0)
            acc += tl.dot(x, w)
            x_ptrs += BLOCK_K
            w_ptrs += BLOCK_K
    tl.store(y_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(y_ptr.dtype.element_ty),
             mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def product_with_adapters_reference(x_ptr, w_ptr, lora_a_ptr, lora_b_ptr, adapter_ptr, scaling, M, BLOCK_M):
    y = x_ptr @ w_ptr.T
    for block in range(-(-M // BLOCK_M)):
        adapter = int(adapter_ptr[block])
        rows = slice(block * BLOCK_M, min(block * BLOCK_M + BLOCK_M, M))
        if adapter >= 0:
            y[rows] += x_ptr[rows] @ lora_a_ptr[adapter].T @ lora_b_ptr[adapter].T * scaling
    return y
