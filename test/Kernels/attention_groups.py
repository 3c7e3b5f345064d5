# Attention with tiles of queries for two groups of four warps, in loops of few iterations: none, one, as many as there
# are stages, one more and one less. Groups fall out of step within a loop and meet behind it.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: wide_queries
# SIZES: K=0 S=2 | K=1 S=2 | K=2 S=2 | K=3 S=2 | K=2 S=3 | K=3 S=3 | K=4 S=3 | K=7 S=4 | K=1 S=4
# ARG: q_ptr randn:fp16[128,64]
# ARG: k_ptr randn:fp16[max(K,1)*32,64]
# ARG: v_ptr randn:fp16[max(K,1)*32,64]
# ARG: out_ptr empty:fp32[128,64]
# ARG: total_ptr empty:fp32[128]
# ARG: length K*32
# CONST: STAGES S
# CONST: HEAD_DIM 64
# CONST: BLOCK_M 128
# CONST: BLOCK_N 32
# GRID: 1
# WARPS: 8
# TOLERANCE: out_ptr 1e-2 5e-2
# TOLERANCE: total_ptr 1e-3 1e-3
#
# KERNEL: below_diagonal
# SIZES: L=128 S=2 | L=256 S=2 | L=384 S=3
# ARG: q_ptr randn:bf16[L,32]
# ARG: k_ptr randn:bf16[L,32]
# ARG: v_ptr randn:bf16[L,32]
# ARG: out_ptr empty:fp32[L,32]
# ARG: scale 0.3
# CONST: STAGES S
# CONST: HEAD_DIM 32
# CONST: BLOCK_M 128
# CONST: BLOCK_N 64
# GRID: cdiv(L, BLOCK_M)
# WARPS: 8
# TOLERANCE: out_ptr 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def wide_queries(q_ptr, k_ptr, v_ptr, out_ptr, total_ptr, length, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, STAGES: tl.constexpr):
    rows = tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, HEAD_DIM)
    q = tl.load(q_ptr + rows[:, None] * HEAD_DIM + depth[None, :])
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    for n in tl.range(0, length, BLOCK_N, num_stages=STAGES):
        k = tl.load(k_ptr + (n + cols)[None, :] * HEAD_DIM + depth[:, None])
        weights = tl.exp(tl.minimum(tl.dot(q, k) * 0.125, 4.0))
        total += tl.sum(weights, 1)
        v = tl.load(v_ptr + (n + cols)[:, None] * HEAD_DIM + depth[None, :])
        acc = tl.dot(weights.to(tl.float16), v, acc)
    tl.store(out_ptr + rows[:, None] * HEAD_DIM + depth[None, :], acc)
    tl.store(total_ptr + rows, total)


def wide_queries_reference(q_ptr, k_ptr, v_ptr, K):
    keys, values = k_ptr[: K * 32], v_ptr[: K * 32]
    weights = np.exp(np.minimum(q_ptr @ keys.T * 0.125, 4.0))
    return {"out_ptr": weights @ values, "total_ptr": weights.sum(axis=1)}


@triton.jit
def add_keys(acc, total, peak, q, k_ptr, v_ptr, low, high, rows, scale, MASKED: tl.constexpr, HEAD_DIM: tl.constexpr,
             BLOCK_N: tl.constexpr, STAGES: tl.constexpr):
    cols = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, HEAD_DIM)
    for n in tl.range(low, high, BLOCK_N, num_stages=STAGES):
        k = tl.load(k_ptr + (n + cols)[None, :] * HEAD_DIM + depth[:, None])
        scores = tl.dot(q, k) * scale
        if MASKED:
            scores = tl.where(rows[:, None] >= (n + cols)[None, :], scores, float("-inf"))
        higher = tl.maximum(peak, tl.max(scores, 1))
        weights = tl.exp(scores - higher[:, None])
        fade = tl.exp(peak - higher)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + (n + cols)[:, None] * HEAD_DIM + depth[None, :])
        acc = tl.dot(weights.to(v.dtype), v, acc * fade[:, None])
        peak = higher
    return acc, total, peak


@triton.jit
def below_diagonal(q_ptr, k_ptr, v_ptr, out_ptr, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, STAGES: tl.constexpr):
    start = tl.program_id(0) * BLOCK_M
    rows = start + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, HEAD_DIM)
    places = rows[:, None] * HEAD_DIM + depth[None, :]
    q = tl.load(q_ptr + places)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    peak = tl.full([BLOCK_M], float("-inf"), tl.float32)
    acc, total, peak = add_keys(acc, total, peak, q, k_ptr, v_ptr, 0, start, rows, scale, False, HEAD_DIM, BLOCK_N,
                                STAGES)
    acc, total, peak = add_keys(acc, total, peak, q, k_ptr, v_ptr, start, start + BLOCK_M, rows, scale, True,
                                HEAD_DIM, BLOCK_N, STAGES)
    tl.store(out_ptr + places, acc / total[:, None])


def below_diagonal_reference(q_ptr, k_ptr, v_ptr, scale, L):
    scores = np.where(np.tril(np.ones((L, L))) > 0, q_ptr @ k_ptr.T * scale, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v_ptr / weights.sum(axis=1, keepdims=True)
