# RMS norm: rounded before or after the weight, which may be stored less one; backward with a partial sum of the
# weight's gradient for each program; and the norm of a sum that is kept.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: rms_norm_forward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 LATE=False | rows=3 n=781 LATE=True | rows=4 n=4096 LATE=False
# BENCH: rows=8192 n=4096 T=bf16 LATE=False
# ARG: x randn:T[rows,n]
# ARG: weight randn(0,0.3):T[n]
# ARG: out empty:T[rows,n]
# ARG: scales empty:fp32[rows]
# ARG: stride_x n
# ARG: stride_out n
# ARG: n n
# ARG: eps 1e-6
# ARG: plus 1.0
# CONST: ROUND_LATE LATE
# CONST: BLOCK next_power_of_2(n)
# GRID: rows
# WARPS: 8
# TOLERANCE: out 1.7e-2 1e-2
#
# KERNEL: rms_norm_backward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 G=1 | rows=10 n=781 G=3 | rows=16 n=1024 G=4
# BENCH: rows=8192 n=4096 G=264 T=bf16
# ARG: upstream randn:T[rows,n]
# ARG: x randn:T[rows,n]
# ARG: weight randn(1,0.3):T[n]
# ARG: scales rand(0.5,1.5):fp32[rows]
# ARG: dx empty:T[rows,n]
# ARG: dw_parts empty:fp32[G,n]
# ARG: rows rows
# ARG: n n
# CONST: BLOCK next_power_of_2(n)
# GRID: G
# WARPS: 8
# TOLERANCE: dx 1.7e-2 1e-3
# TOLERANCE: dw_parts 1e-4 1e-4
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


@triton.jit
def rms_norm_forward(x, weight, out, scales, stride_x, stride_out, n, eps, plus, ROUND_LATE: tl.constexpr,
                     BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < n
    stored = tl.load(x + row * stride_x + col, mask=inside, other=0)
    value = stored.to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / n + eps)
    value *= scale
    gain = tl.load(weight + col, mask=inside, other=0).to(tl.float32) + plus
    if not ROUND_LATE:
        value = value.to(stored.dtype).to(tl.float32)
        gain = gain.to(stored.dtype).to(tl.float32)
    tl.store(out + row * stride_out + col, value * gain, mask=inside)
    tl.store(scales + row, scale)


@triton.jit
def rms_norm_backward(upstream, x, weight, scales, dx, dw_parts, rows, n, BLOCK: tl.constexpr):
    """Each program takes every G-th row, and adds up what these rows want of the weight."""
    part = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < n
    gain = tl.load(weight + col, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], tl.float32)
    for row in range(part, rows, tl.num_programs(0)):
        at = row.to(tl.int64) * n + col
        scale = tl.load(scales + row)
        unit = tl.load(x + at, mask=inside, other=0.0).to(tl.float32) * scale
        d = tl.load(upstream + at, mask=inside, other=0.0).to(tl.float32)
        dw += d * unit
        d *= gain
        along = tl.sum(d * unit, axis=0) / n
        tl.store(dx + at, ((d - along * unit) * scale).to(dx.dtype.element_ty), mask=inside)
    tl.store(dw_parts + part * n + col, dw, mask=inside)


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
    scale = tl.rsqrt(tl.sum(wide * wide, axis=0) / hidden + eps)
    w = tl.load(weight_ptr + offsets, mask=mask)
    tl.store(input_ptr + row * input_stride + offsets, (wide * scale).to(x.dtype) * w, mask=mask)


def rms_norm_forward_reference(x, weight, eps, plus):
    scales = 1 / np.sqrt((x * x).mean(1) + eps)
    return dict(out=x * scales[:, None] * (weight + plus), scales=scales)


def rms_norm_backward_reference(upstream, x, weight, scales, G):
    unit = x * scales[:, None]
    d = upstream * weight
    dx = (d - unit * (d * unit).mean(1, keepdims=True)) * scales[:, None]
    return dict(dx=dx, dw_parts=np.stack([(upstream * unit)[g::G].sum(0) for g in range(G)]))


def fused_add_rms_norm_reference(input_ptr, residual_ptr, weight_ptr, eps):
    total = input_ptr + residual_ptr
    scale = 1 / np.sqrt((total * total).mean(1, keepdims=True) + eps)
    return dict(input_ptr=total * scale * weight_ptr, residual_ptr=total)
