# RMS norm with an offset on the weight and the casting conventions of two model families; backward with
# partial sums over the rows of a program; and the norm fused with the residual's addition.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: rms_norm_forward
# TYPES: fp32 bf16
# SIZES: rows=1 n_cols=1 CASTING=0 | rows=3 n_cols=781 CASTING=1 | rows=4 n_cols=4096 CASTING=0
# BENCH: rows=8192 n_cols=4096 T=bf16 CASTING=0
# ARG: Y_ptr empty:T[rows,n_cols]
# ARG: Y_row_stride n_cols
# ARG: X_ptr randn:T[rows,n_cols]
# ARG: X_row_stride n_cols
# ARG: W_ptr randn(1,0.3):T[n_cols]
# ARG: W_row_stride 1
# ARG: RSTD_ptr empty:fp32[rows]
# ARG: RSTD_row_stride 1
# ARG: n_cols n_cols
# ARG: eps 1e-6
# ARG: offset 0.0
# CONST: casting_mode CASTING
# CONST: BLOCK_SIZE next_power_of_2(n_cols)
# GRID: rows
# WARPS: 8
# TOLERANCE: Y_ptr 1.7e-2 1e-3
#
# KERNEL: rms_norm_backward
# TYPES: fp32 bf16
# SIZES: n_rows=1 n_cols=1 G=1 | n_rows=10 n_cols=781 G=3 | n_rows=16 n_cols=1024 G=4
# BENCH: n_rows=8192 n_cols=4096 G=264 T=bf16
# ARG: dY_ptr randn:T[n_rows,n_cols]
# ARG: dY_row_stride n_cols
# ARG: dX_ptr empty:T[n_rows,n_cols]
# ARG: dX_row_stride n_cols
# ARG: X_ptr randn:T[n_rows,n_cols]
# ARG: X_row_stride n_cols
# ARG: W_ptr randn(1,0.3):T[n_cols]
# ARG: RSTD_ptr rand(0.5,1.5):fp32[n_rows]
# ARG: dW_ptr empty:fp32[G,n_cols]
# ARG: n_rows n_rows
# ARG: n_cols n_cols
# ARG: rows_per_program cdiv(n_rows, G)
# CONST: BLOCK_SIZE next_power_of_2(n_cols)
# GRID: G
# WARPS: 8
# TOLERANCE: dX_ptr 1.7e-2 1e-3
# TOLERANCE: dW_ptr 1e-4 1e-4
#
# KERNEL: fused_add_rms_norm
# TYPES: fp16 bf16
# SIZES: rows=1 hidden=8 | rows=3 hidden=781 | rows=5 hidden=2048
# BENCH: rows=8192 hidden=4096 T=fp16
# ARG: input_ptr randn:T[rows,hidden]
# ARG: residual_ptr randn:T[rows,hidden]
# ARG: weight_ptr randn(1,0.3):T[hidden]
# ARG: input_stride hidden
# ARG: hidden hidden
# ARG: eps 1e-5
# CONST: BLOCK next_power_of_2(hidden)
# GRID: rows
# WARPS: 8
# CHECK: input_ptr residual_ptr
# TOLERANCE: input_ptr 1.7e-2 1e-2
import triton
import triton.language as tl

_CASTING_MODE_LLAMA = tl.constexpr(0)
_CASTING_MODE_GEMMA = tl.constexpr(1)


@triton.jit
def rms_norm_forward(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, W_row_stride, RSTD_ptr,
                     RSTD_row_stride, n_cols, eps, offset, casting_mode: tl.constexpr,
                     BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    Y_ptr += row_idx * Y_row_stride
    X_ptr += row_idx * X_row_stride
    RSTD_ptr += row_idx * RSTD_row_stride
    X_row = tl.load(X_ptr + col_offsets, mask=mask, other=0)
    X_row_dtype = X_row.dtype
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0)
    if casting_mode == _CASTING_MODE_LLAMA:
        X_row = X_row.to(tl.float32)
    if casting_mode == _CASTING_MODE_GEMMA:
        W_row = W_row.to(tl.float32)
        X_row = X_row.to(tl.float32)
    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square + eps)
    tl.store(RSTD_ptr, rstd)
    X_row = X_row * rstd
    if casting_mode == _CASTING_MODE_LLAMA:
        X_row = X_row.to(X_row_dtype)
    Y_row = X_row * (offset + W_row)
    if casting_mode == _CASTING_MODE_GEMMA:
        Y_row = Y_row.to(X_row_dtype)
    tl.store(Y_ptr + col_offsets, Y_row, mask=mask)


@triton.jit
def rms_norm_backward(dY_ptr, dY_row_stride, dX_ptr, dX_row_stride, X_ptr, X_row_stride, W_ptr, RSTD_ptr,
                      dW_ptr, n_rows, n_cols, rows_per_program, BLOCK_SIZE: tl.constexpr):
    row_block_id = tl.program_id(0).to(tl.int64)
    row_start = row_block_id * rows_per_program
    row_end = min((row_block_id + 1) * rows_per_program, n_rows)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    dW_row = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    dY_ptr += row_start * dY_row_stride
    dX_ptr += row_start * dX_row_stride
    X_ptr += row_start * X_row_stride
    RSTD_ptr += row_start
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0.0)
    for _ in range(row_start, row_end):
        dY_row = tl.load(dY_ptr + col_offsets, mask=mask, other=0.0)
        X_row = tl.load(X_ptr + col_offsets, mask=mask, other=0.0)
        rstd_row = tl.load(RSTD_ptr)
        X_row = X_row.to(tl.float32)
        m = (dY_row * W_row).to(tl.float32)
        dX_row = rstd_row * m
        dX_row += rstd_row * (-(1 / n_cols) * rstd_row * rstd_row * tl.sum(m * X_row, axis=0) * X_row)
        dW_row += dY_row * (X_row * rstd_row)
        tl.store(dX_ptr + col_offsets, dX_row.to(dX_ptr.dtype.element_ty), mask=mask)
        dY_ptr += dY_row_stride
        dX_ptr += dX_row_stride
        X_ptr += X_row_stride
        RSTD_ptr += 1
    tl.store(dW_ptr + row_block_id * n_cols + col_offsets, dW_row, mask=mask)


@triton.jit
def fused_add_rms_norm(input_ptr, residual_ptr, weight_ptr, input_stride, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    mask = offsets < hidden
    x = tl.load(input_ptr + row * input_stride + offsets, mask=mask, other=0.0)
    r = tl.load(residual_ptr + row * input_stride + offsets, mask=mask, other=0.0)
    total = x + r
    tl.store(residual_ptr + row * input_stride + offsets, total, mask=mask)
    wide = total.to(tl.float32)
    variance = tl.sum(wide * wide, axis=0) / hidden
    w = tl.load(weight_ptr + offsets, mask=mask)
    out = (wide * tl.rsqrt(variance + eps)).to(x.dtype) * w
    tl.store(input_ptr + row * input_stride + offsets, out, mask=mask)


def rms_norm_forward_reference(X_ptr, W_ptr, eps):
    rstd = 1 / np.sqrt((X_ptr * X_ptr).mean(1) + eps)
    return dict(Y_ptr=X_ptr * rstd[:, None] * W_ptr, RSTD_ptr=rstd)


def rms_norm_backward_reference(dY_ptr, X_ptr, W_ptr, RSTD_ptr, n_rows, n_cols, G):
    rstd = RSTD_ptr[:, None]
    m = dY_ptr * W_ptr
    dx = rstd * m - rstd**3 / n_cols * (m * X_ptr).sum(1, keepdims=True) * X_ptr
    step = -(-n_rows // G)
    each = dY_ptr * X_ptr * rstd
    return dict(dX_ptr=dx, dW_ptr=np.stack([each[g * step:(g + 1) * step].sum(0) for g in range(G)]))


def fused_add_rms_norm_reference(input_ptr, residual_ptr, weight_ptr, eps):
    total = input_ptr + residual_ptr
    rstd = 1 / np.sqrt((total * total).mean(1, keepdims=True) + eps)
    return dict(input_ptr=total * rstd * weight_ptr, residual_ptr=total)
