# Imports loop_b, which imports this file.
import triton
import triton.language as tl

from . import loop_b

loop_value = tl.constexpr(1000)
from_b = loop_b.b_value


@triton.jit
def a_add(x):
    return x + from_b
