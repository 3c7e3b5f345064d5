import triton
import triton.language as tl


@triton.jit
def axpy(y, x, a, n, BLOCK: tl.constexpr):
    """y += a * x, for n elements."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.load(y + i, mask=inside) + a * tl.load(x + i, mask=inside), mask=inside)
