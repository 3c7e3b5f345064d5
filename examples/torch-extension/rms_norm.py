"""RMS norm of rows, x / sqrt(mean(x^2) + eps) * weight, and its gradients. Sums are of float32."""

import triton
import triton.language as tl


@triton.jit
def rms_norm_forward(out, scales, x, weight, n, eps, BLOCK: tl.constexpr):
    """A program takes a row, and keeps its factor for the gradients."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + row * n + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / n + eps)
    gain = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * n + at, (value * scale * gain).to(out.dtype.element_ty), mask=inside)
    tl.store(scales + row, scale)


@triton.jit
def rms_norm_backward(dx, dweight_parts, dout, x, weight, scales, rows, n, BLOCK: tl.constexpr):
    """Each program takes every so many rows, and adds up what these want of the weight."""
    part = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    gain = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    dgain = tl.zeros([BLOCK], tl.float32)
    for row in range(part, rows, tl.num_programs(0)):
        here = row.to(tl.int64) * n + at
        scale = tl.load(scales + row)
        unit = tl.load(x + here, mask=inside, other=0.0).to(tl.float32) * scale
        upstream = tl.load(dout + here, mask=inside, other=0.0).to(tl.float32)
        dgain += upstream * unit
        upstream *= gain
        along = tl.sum(upstream * unit, axis=0) / n
        tl.store(dx + here, ((upstream - along * unit) * scale).to(dx.dtype.element_ty), mask=inside)
    tl.store(dweight_parts + part.to(tl.int64) * n + at, dgain, mask=inside)
