# Products whose factors take more registers than a thread has: they are read from shared memory piece by piece, so no
# barrier may stand between a factor and its product.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: pull_gradient
# SIZES: M=40 N=70 | M=1 N=1 | M=64 N=64
# BENCH: M=4096 N=4096
# ARG: x_ptr randn:bf16[M,1024]
# ARG: y_ptr randn:bf16[N,1024]
# ARG: scale_ptr rand(0.5,2):fp32[M]
# ARG: out_ptr empty:fp32[M,1024]
# ARG: M M
# ARG: N N
# ARG: heat 0.01
# CONST: D 1024
# CONST: BLOCK_M 16
# CONST: BLOCK_N 64
# GRID: cdiv(M, BLOCK_M)
# WARPS: 8
# TOLERANCE: out_ptr 2e-2 1e-3*N
#
# KERNEL: soft_clusters
# SIZES: N=300 P=2 | N=1 P=1 | N=257 P=3
# BENCH: N=262144 P=264 num_stages=1
# ARG: x_ptr randn:fp32[N,32]
# ARG: v_ptr randn:fp32[N,32]
# ARG: centre_ptr randn:fp32[64,32]
# ARG: sum_ptr empty:fp32[P,64,32]
# ARG: weight_ptr empty:fp32[P,64]
# ARG: N N
# ARG: P P
# CONST: D 32
# CONST: CENTRES 64
# CONST: BLOCK 128
# GRID: P
# WARPS: 4
# TOLERANCE: sum_ptr 1e-4 1e-5*N
# TOLERANCE: weight_ptr 1e-4 1e-5*N

import numpy as np
import triton
import triton.language as tl


@triton.jit
def pull_gradient(x_ptr, y_ptr, scale_ptr, out_ptr, M, N, heat, D: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr):
    """How a loss over all pairs of rows pulls x: a row of x stays, all rows of y pass by and are multiplied twice."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    x = tl.load(x_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < M, other=0.0)
    scale = tl.load(scale_ptr + m, mask=m < M, other=1.0)
    pull = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        y = tl.load(y_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        near = tl.exp2(tl.dot(x, tl.trans(y)) * scale[:, None] * heat)
        near = tl.where(n[None, :] < N, near, 0.0)
        pull = tl.dot(near.to(tl.bfloat16), y, pull)
    tl.store(out_ptr + m[:, None] * D + d[None, :], pull, mask=m[:, None] < M)


def pull_gradient_reference(x_ptr, y_ptr, scale_ptr, heat):
    return np.exp2(x_ptr @ y_ptr.T * scale_ptr[:, None] * heat) @ y_ptr


@triton.jit
def soft_clusters(x_ptr, v_ptr, centre_ptr, sum_ptr, weight_ptr, N, P, D: tl.constexpr, CENTRES: tl.constexpr,
                  BLOCK: tl.constexpr):
    """Sums of points by their weights for each centre, in full precision, by programs that take turns."""
    d, c = tl.arange(0, D), tl.arange(0, CENTRES)
    centres = tl.load(centre_ptr + c[:, None] * D + d[None, :])
    sums = tl.zeros((CENTRES, D), dtype=tl.float32)
    total = tl.zeros((CENTRES,), dtype=tl.float32)
    for start in range(tl.program_id(0) * BLOCK, N, P * BLOCK):
        n = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        scores = tl.dot(x, tl.trans(centres), input_precision="ieee")
        weights = tl.exp(scores - tl.max(scores, axis=1)[:, None])
        weights = weights / tl.sum(weights, axis=1)[:, None]
        weights = tl.where(n[:, None] < N, weights, 0.0)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        sums += tl.dot(tl.trans(weights), v, input_precision="ieee")
        total += tl.sum(weights, axis=0)
    at = tl.program_id(0) * CENTRES + c
    tl.store(sum_ptr + at[:, None] * D + d[None, :], sums)
    tl.store(weight_ptr + at, total)


def soft_clusters_reference(x_ptr, v_ptr, centre_ptr, N, P):
    scores = x_ptr @ centre_ptr.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    owner = np.arange(N) // 128 % P
    parts = [weights * (owner == p)[:, None] for p in range(P)]
    return {"sum_ptr": np.stack([part.T @ v_ptr for part in parts]), "weight_ptr": np.stack([part.sum(axis=0) for part in parts])}
