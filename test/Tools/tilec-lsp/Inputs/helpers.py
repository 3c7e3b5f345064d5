"""What other files of the tests import."""
import triton
import triton.language as tl

WIDTH = tl.constexpr(16)


@triton.jit
def doubled(x):
    """Twice as much."""
    return x + x


@triton.jit
def broken(x):
    return x + missing_name
