# Softmax of rows: the tutorial's persistent form with num_stages, a scaled and masked one, a causal one that
# walks only over what the mask leaves, an online one, and the backward step.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: softmax_kernel
# TYPES: fp32 bf16
# SIZES: n_rows=1 n_cols=1 | n_rows=5 n_cols=781 | n_rows=7 n_cols=1024
# BENCH: n_rows=8192 n_cols=4096 T=fp32
# ARG: output_ptr empty:T[n_rows,n_cols]
# ARG: input_ptr randn:T[n_rows,n_cols]
# ARG: input_row_stride n_cols
# ARG: output_row_stride n_cols
# ARG: n_rows n_rows
# ARG: n_cols n_cols
# CONST: BLOCK_SIZE next_power_of_2(n_cols)
# CONST: num_stages 2
# GRID: min(n_rows, 528)
# WARPS: 8
#
# KERNEL: scaled_masked_softmax
# TYPES: fp16
# SIZES: B=1 H=1 S=1 | B=2 H=3 S=77 | B=1 H=2 S=256
# BENCH: B=8 H=16 S=512 T=fp16
# ARG: out empty:T[B,H,S,S]
# ARG: x randn(0,2):T[B,H,S,S]
# ARG: attention_mask randint(0,2):i1[B,S,S]
# ARG: scale 0.125
# ARG: heads H
# ARG: seq S
# CONST: BLOCK next_power_of_2(S)
# GRID: S, B*H
# TOLERANCE: out 2e-3 1e-6
#
# KERNEL: causal_softmax
# TYPES: fp32
# SIZES: R=1 S=1 | R=2 S=300 | R=1 S=1024
# BENCH: R=16 S=2048 T=fp32
# ARG: out zeros:T[R,S,S]
# ARG: x randn(0,3):T[R,S,S]
# ARG: S S
# CONST: BLOCK 256
# GRID: S, R
# CHECK: out
#
# KERNEL: online_softmax
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=3 N=781 | M=2 N=5000
# BENCH: M=4096 N=32768 T=fp16
# ARG: output_ptr empty:T[M,N]
# ARG: input_ptr randn(0,2):T[M,N]
# ARG: M M
# ARG: N N
# CONST: TILE_N min(2048, next_power_of_2(N))
# GRID: M
# WARPS: 8
#
# KERNEL: softmax_backward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=5 N=781 | M=9 N=512
# BENCH: M=16384 N=1024 T=bf16
# ARG: out_ptr randn:T[M,N]
# ARG: out_grad_ptr randn:T[M,N]
# ARG: in_grad_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: TILE_M 4
# CONST: TILE_N next_power_of_2(N)
# GRID: cdiv(M, TILE_M)
# TOLERANCE: in_grad_ptr 1e-2 1e-3
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = row_start_ptr + col_offsets
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float('inf')).to(tl.float32)
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        output_ptrs = output_row_start_ptr + col_offsets
        tl.store(output_ptrs, softmax_output, mask=mask)


@triton.jit
def scaled_masked_softmax(out, x, attention_mask, scale, heads, seq, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    batch = tl.program_id(1) // heads
    base = (tl.program_id(1).to(tl.int64) * seq + row) * seq
    cols = tl.arange(0, BLOCK)
    inside = cols < seq
    keep = tl.load(attention_mask + (batch * seq + row) * seq + cols, mask=inside, other=0)
    score = tl.load(x + base + cols, mask=inside, other=0.0).to(tl.float32) * scale
    score = tl.where(inside, tl.where(keep, score, score - 10000.0), float("-inf"))
    score = tl.exp(score - tl.max(score, 0))
    tl.store(out + base + cols, score / tl.sum(score, 0), mask=inside)


@triton.jit
def causal_softmax(out, x, S, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = (tl.program_id(1).to(tl.int64) * S + row) * S
    m = -float("inf")
    total = 0.0
    for start in range(0, row + 1, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + cols, mask=cols <= row, other=-float("inf"))
        m_new = max(m, tl.max(v))
        total = total * tl.exp(m - m_new) + tl.sum(tl.exp(v - m_new))
        m = m_new
    for start in range(0, row + 1, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + cols, mask=cols <= row)
        tl.store(out + base + cols, tl.exp(v - m) / total, mask=cols <= row)


@triton.jit
def prev_multiple_of(a, b):
    # the largest x < a that x % b == 0
    return tl.cdiv(a, b) * b - b


@triton.jit
def online_softmax(output_ptr, input_ptr, M, N, TILE_N: tl.constexpr):
    pid_m = tl.program_id(0)
    m = tl.full([TILE_N], value=float("-inf"), dtype=tl.float32)
    z = tl.full([TILE_N], value=0.0, dtype=tl.float32)
    input_ptr += pid_m * N
    output_ptr += pid_m * N
    previous_multiple = prev_multiple_of(N, TILE_N)
    for start_n in range(0, previous_multiple, TILE_N):
        n_offsets = start_n + tl.arange(0, TILE_N)
        inp = tl.load(input_ptr + n_offsets).to(tl.float32)
        m_new = tl.maximum(m, inp)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(inp - m_new))
        m = m_new
    # specialize the last iteration
    for start_n in range(previous_multiple, N, TILE_N):
        n_offsets = start_n + tl.arange(0, TILE_N)
        mask = n_offsets < N
        inp = tl.load(input_ptr + n_offsets, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, inp)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(inp - m_new))
        m = m_new
    m_reduced = tl.max(m, 0)
    z = tl.sum(z * tl.exp(m - m_reduced), 0)
    m = m_reduced
    previous_multiple = prev_multiple_of(N, TILE_N)
    # walk backwards: what was read last is still in the cache
    for start_n in range(0, TILE_N, TILE_N):
        n_offsets = (previous_multiple - start_n) + tl.arange(0, TILE_N)
        mask = n_offsets < N
        inp = tl.load(input_ptr + n_offsets, mask=mask, other=-float("inf"),
                      eviction_policy="evict_first").to(tl.float32)
        o = tl.exp(inp - m) / z
        tl.store(output_ptr + n_offsets, o, mask=mask)
    for start_n in range(TILE_N, N, TILE_N):
        n_offsets = (previous_multiple - start_n) + tl.arange(0, TILE_N)
        inp = tl.load(input_ptr + n_offsets, eviction_policy="evict_first").to(tl.float32)
        o = tl.exp(inp - m) / z
        tl.store(output_ptr + n_offsets, o)


@triton.jit
def softmax_backward(out_ptr, out_grad_ptr, in_grad_ptr, M, N, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    pid_m = tl.program_id(0)
    m_offsets = pid_m * TILE_M + tl.arange(0, TILE_M)
    n_offsets = tl.arange(0, TILE_N)
    offsets = m_offsets[:, None] * N + n_offsets
    mask = (m_offsets[:, None] < M) & (n_offsets < N)
    out_tile = tl.load(out_ptr + offsets, mask=mask).to(tl.float32)
    out_grad_tile = tl.load(out_grad_ptr + offsets, mask=mask).to(tl.float32)
    scale = tl.sum(out_tile * out_grad_tile, axis=1)
    in_grad_tile = out_tile * (out_grad_tile - scale[:, None])
    tl.store(in_grad_ptr + offsets, in_grad_tile, mask=mask)


def rows_softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def softmax_kernel_reference(input_ptr):
    return rows_softmax(input_ptr)


def scaled_masked_softmax_reference(x, attention_mask, scale):
    return rows_softmax(x * scale - np.where(attention_mask[:, None], 0, 10000.0))


def causal_softmax_reference(x, S):
    seen = np.tril(np.ones((S, S), bool))
    return np.where(seen, rows_softmax(np.where(seen, x, -np.inf)), 0)


def online_softmax_reference(input_ptr):
    return rows_softmax(input_ptr)


def softmax_backward_reference(out_ptr, out_grad_ptr):
    return out_ptr * (out_grad_ptr - (out_ptr * out_grad_ptr).sum(1, keepdims=True))
