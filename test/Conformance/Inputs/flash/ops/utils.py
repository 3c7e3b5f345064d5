import triton
import triton.language as tl

from flash.config import WIDTH as FACTOR
from . import loop_b
from .loop_a import loop_value

OFFSET = tl.constexpr(100)
alias_of_tl = tl


@triton.constexpr_function
def twice(n):
    return 2 * n


@triton.jit
def add_one(x):
    return x + ONE


@triton.jit
def scale_by(x, factor=FACTOR):
    return x * factor + OFFSET


@triton.jit
def slow_add(a, b):
    return a + b


@triton.jit
def through_loop(x):
    return loop_b.loop_add(x) + loop_value


@triton.jit
def apply(f, x):
    return f(x)


ONE = tl.constexpr(1)
