import triton
import triton.language as tl


@triton.jit
def kernel(out, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    value = tl.load(x + i, mask=inside)
    tl.store(out + i, value * value + tl.load(y + i, mask=inside), mask=inside)
