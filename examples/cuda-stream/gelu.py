import triton
import triton.language as tl


@triton.jit
def gelu(out, x, n, BLOCK: tl.constexpr):
    """x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), which is x / (1 + exp(-2u))."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    bounded = tl.minimum(tl.maximum(value, -16.0), 16.0)
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    tl.store(out + i, value / (1 + tl.exp(-2 * u)), mask=i < n)
