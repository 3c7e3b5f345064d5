import triton
import triton.language as tl

import Inputs.flash as base

SHIFT = tl.constexpr(7)


@triton.jit
def shift(x):
    return x + SHIFT + base.ops.utils.OFFSET
