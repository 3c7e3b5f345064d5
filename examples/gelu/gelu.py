"""GELU in its tanh form: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))."""

import triton
import triton.language as tl


@triton.jit
def gelu(out, x, n, BLOCK: tl.constexpr):
    """Each program maps BLOCK elements. Right for every finite x, and for infinities.

    (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)). For large negative u the exponential overflows to infinity
    and the quotient is 0, as it should be; no intermediate value is ever inf / inf. The cube is formed
    so that it saturates with the sign of x.
    """
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    value = tl.load(x + offsets, mask=inside).to(tl.float32)
    # Beyond +-16 the result is x or 0 to the last bit, and the cube cannot overflow.
    bounded = tl.minimum(tl.maximum(value, -16.0), 16.0)
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    result = value / (1 + tl.exp(-2 * u))
    # -inf / inf would be NaN.
    tl.store(out + offsets, tl.where(value < -16.0, -0.0, result), mask=inside)
