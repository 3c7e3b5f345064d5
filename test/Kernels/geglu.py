# GEGLU with the tanh approximation from libdevice, forward and backward.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: geglu_forward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: a randn:T[rows,n]
# ARG: b randn:T[rows,n]
# ARG: c empty:T[rows,n]
# ARG: stride n
# CONST: n_cols n
# CONST: BLOCK_SIZE next_power_of_2(n)
# GRID: rows
# WARPS: 16
# TOLERANCE: c 2e-2 1e-3
#
# KERNEL: geglu_backward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: dc randn:T[rows,n]
# ARG: a randn:T[rows,n]
# ARG: b randn:T[rows,n]
# ARG: stride n
# CONST: n_cols n
# CONST: BLOCK_SIZE next_power_of_2(n)
# GRID: rows
# WARPS: 16
# CHECK: a b
# TOLERANCE: a 2e-2 2e-2
# TOLERANCE: b 2e-2 1e-2
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh


@triton.jit
def geglu_forward(a, b, c, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    a += program_id * stride
    b += program_id * stride
    c += program_id * stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    a_row = tl.load(a + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b + col_offsets, mask=mask, other=0)
    sqrt_2_over_pi = 0.7978845608028654
    a_cubed = a_row * a_row * a_row
    tanh_arg = sqrt_2_over_pi * (a_row + 0.044715 * a_cubed)
    tanh_result = tanh(tanh_arg)
    geglu_a = 0.5 * a_row * (1 + tanh_result)
    c_row = geglu_a.cast(b_row.dtype) * b_row
    tl.store(c + col_offsets, c_row, mask=mask)


@triton.jit
def geglu_backward(dc, a, b, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    dc += program_id * stride
    a += program_id * stride
    b += program_id * stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    dc_row = tl.load(dc + col_offsets, mask=mask, other=0)
    a_row = tl.load(a + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b + col_offsets, mask=mask, other=0)
    sqrt_2_over_pi = 0.7978845608028654
    a_cubed = a_row * a_row * a_row
    tanh_arg = sqrt_2_over_pi * (a_row + 0.044715 * a_cubed)
    tanh_result = tanh(tanh_arg)
    geglu_a = 0.5 * a_row * (1 + tanh_result)
    geglu_a = geglu_a.to(dc_row.dtype).to(tl.float32)
    db_row = dc_row.cast(tl.float32) * geglu_a
    term1 = 0.5 * (1 + tanh_result)
    tanh_sq = tanh_result * tanh_result
    term2 = 0.5 * a_row * (1 - tanh_sq) * (sqrt_2_over_pi * (1 + 3 * 0.044715 * a_row * a_row))
    da_row = dc_row * b_row * (term1 + term2)
    tl.store(a + col_offsets, da_row, mask=mask)
    tl.store(b + col_offsets, db_row.to(dc_row.dtype), mask=mask)


def geglu_forward_reference(a, b):
    return 0.5 * a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) * b


def geglu_backward_reference(dc, a, b):
    t = np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))
    slope = 0.5 * (1 + t) + 0.5 * a * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * a * a)
    return dict(a=dc * b * slope, b=dc * 0.5 * a * (1 + t))
