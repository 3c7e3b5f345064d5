# Products of few rows whose factors have scales for blocks of columns and of the depth.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: float8_of_few_rows
# SIZES: M=1 N=128 K=128 | M=17 N=256 K=384 | M=70 N=128 K=256
# BENCH: M=512 N=2048 K=7168 BLOCK_M=32 num_warps=8 num_stages=4
# ARG: x_ptr randn:fp8e4nv[M,K]
# ARG: w_ptr randn:fp8e4nv[N,K]
# ARG: y_ptr empty:bf16[M,N]
# ARG: x_scale_ptr rand(0.5,1.5):fp32[M,cdiv(K,128)]
# ARG: w_scale_ptr rand(0.5,1.5):fp32[cdiv(N,128),cdiv(K,128)]
# ARG: M M
# CONST: N N
# CONST: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 128
# CONST: BLOCK_K 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 8e-3 1e-2*max(1,K/256)

import numpy as np
import triton
import triton.language as tl


@triton.jit
def float8_of_few_rows(x_ptr, w_ptr, y_ptr, x_scale_ptr, w_scale_ptr, M, N: tl.constexpr, K: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The columns of a program are those of one scale, though each is divided to find it."""
    steps: tl.constexpr = tl.cdiv(K, BLOCK_K)
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + rows[:, None] * K + depth[None, :]
    w_ptrs = w_ptr + columns[None, :] * K + depth[:, None]
    x_scales = x_scale_ptr + rows * steps
    w_scales = w_scale_ptr + columns // BLOCK_K * steps
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(steps):
        x = tl.load(x_ptrs)
        w = tl.load(w_ptrs)
        total += tl.dot(x, w) * tl.load(x_scales + step)[:, None] * tl.load(w_scales + step)[None, :]
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    own = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(y_ptr + own[:, None] * N + columns[None, :], total.to(y_ptr.dtype.element_ty), mask=own[:, None] < M)


def float8_of_few_rows_reference(x_ptr, w_ptr, x_scale_ptr, w_scale_ptr, N, K):
    x = x_ptr * np.repeat(x_scale_ptr, 128, axis=1)[:, :K]
    w = w_ptr * np.repeat(np.repeat(w_scale_ptr, 128, axis=0)[:N], 128, axis=1)[:, :K]
    return x @ w.T
