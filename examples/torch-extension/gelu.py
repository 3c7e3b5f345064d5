"""GELU in its tanh form, x/2 * (1 + tanh(u)) with u = sqrt(2/pi) * (x + 0.044715 x^3), and its gradient.

(1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)). Beyond +-16 the results are those of +-16 but for x itself, and the cube would
overflow.
"""

import triton
import triton.language as tl


@triton.jit
def share(bounded):
    """Which part of x the result is."""
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    return 1 / (1 + tl.exp(-2 * u))


@triton.jit
def gelu_forward(out, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    bounded = tl.minimum(tl.maximum(value, -16.0), 16.0)
    # -inf * 0 would be NaN.
    result = tl.where(value < -16.0, -0.0, value * share(bounded))
    tl.store(out + at, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def gelu_backward(dx, dout, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    upstream = tl.load(dout + at, mask=inside, other=0.0).to(tl.float32)
    bounded = tl.minimum(tl.maximum(value, -16.0), 16.0)
    part = share(bounded)
    slope = 2 * 0.7978845608028654 * (1 + 3 * 0.044715 * bounded * bounded)
    tl.store(dx + at, (upstream * (part + bounded * part * (1 - part) * slope)).to(dx.dtype.element_ty), mask=inside)
