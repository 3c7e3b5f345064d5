import triton
import triton.language as tl

from .loop_a import a_add

b_value = tl.constexpr(10)


@triton.jit
def loop_add(x):
    return a_add(x)
