# SwiGLU, forward and backward over rows, with SiLU as a helper; and SiLU-and-mul on one array that holds
# gate and value side by side.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: swiglu_forward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: a_ptr randn:T[rows,n]
# ARG: b_ptr randn:T[rows,n]
# ARG: c_ptr empty:T[rows,n]
# ARG: stride n
# CONST: n_cols n
# CONST: BLOCK_SIZE next_power_of_2(n)
# GRID: rows
# WARPS: 16
# TOLERANCE: c_ptr 2e-2 1e-3
#
# KERNEL: swiglu_backward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: dc_ptr randn:T[rows,n]
# ARG: a_ptr randn:T[rows,n]
# ARG: b_ptr randn:T[rows,n]
# ARG: stride n
# CONST: n_cols n
# CONST: BLOCK_SIZE next_power_of_2(n)
# GRID: rows
# WARPS: 16
# CHECK: a_ptr b_ptr
# TOLERANCE: a_ptr 2e-2 1e-2
# TOLERANCE: b_ptr 2e-2 1e-2
#
# KERNEL: silu_and_mul
# TYPES: fp16
# SIZES: rows=1 d=8 | rows=5 d=781 | rows=3 d=2048
# BENCH: rows=8192 d=4096 T=fp16
# ARG: out_ptr empty:T[rows,d]
# ARG: x_ptr randn:T[rows,2*d]
# ARG: d d
# CONST: BLOCK 1024
# GRID: rows, cdiv(d, BLOCK)
# TOLERANCE: out_ptr 2e-3 1e-4
import triton
import triton.language as tl


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu_forward(a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    c_ptr += program_id * stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    a_row = tl.load(a_ptr + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + col_offsets, mask=mask, other=0)
    c_row = silu(a_row).cast(b_row.dtype) * b_row
    tl.store(c_ptr + col_offsets, c_row, mask=mask)


@triton.jit
def swiglu_backward(dc_ptr, a_ptr, b_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    dc_ptr += program_id * stride
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    dc_row = tl.load(dc_ptr + col_offsets, mask=mask, other=0)
    a_row = tl.load(a_ptr + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + col_offsets, mask=mask, other=0)
    sig_a = tl.sigmoid(a_row)
    silu_a = a_row * sig_a
    db_row = dc_row * silu_a
    da_row = dc_row * (silu_a * (1 - sig_a) + sig_a) * b_row
    tl.store(a_ptr + col_offsets, da_row, mask=mask)
    tl.store(b_ptr + col_offsets, db_row, mask=mask)


@triton.jit
def silu_and_mul(out_ptr, x_ptr, d, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < d
    gate = tl.load(x_ptr + token * 2 * d + offs, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + token * 2 * d + d + offs, mask=mask)
    gate = gate / (1.0 + tl.exp(-gate))
    tl.store(out_ptr + token * d + offs, gate.to(out_ptr.dtype.element_ty) * up, mask=mask)


def swiglu_forward_reference(a_ptr, b_ptr):
    return a_ptr / (1 + np.exp(-a_ptr)) * b_ptr


def swiglu_backward_reference(dc_ptr, a_ptr, b_ptr):
    sig = 1 / (1 + np.exp(-a_ptr))
    return dict(a_ptr=dc_ptr * (a_ptr * sig * (1 - sig) + sig) * b_ptr, b_ptr=dc_ptr * a_ptr * sig)


def silu_and_mul_reference(x_ptr, d):
    gate, up = x_ptr[:, :d], x_ptr[:, d:]
    return gate / (1 + np.exp(-gate)) * up
