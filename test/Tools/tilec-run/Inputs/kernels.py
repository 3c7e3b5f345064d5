"""Kernels for the tests of tilec-run."""
import triton
import triton.language as tl


@triton.jit
def scale(out, x, factor, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def fill(out, value, n: tl.int64, KIND: tl.constexpr, step=2):
    """Writes as many elements as it is told, even beyond the array."""
    tl.static_assert(KIND == "up" or KIND == "down")
    for k in range(n):
        tl.store(out + k, value + k * step if KIND == "up" else value - k * step)


@triton.jit
def checked(out, n):
    assert n < 10, "n is too large"
    tl.store(out, n)
