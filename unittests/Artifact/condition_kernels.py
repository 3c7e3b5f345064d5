# Kernels that not every configuration suits.

import triton
import triton.language as tl


# The mask shows that a program covers BLOCK columns and no more.
@triton.jit
def copy_rows(out, used, x, stride, n, BLOCK: tl.constexpr):
    """Copies rows, and tells the size of the tile."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(used, BLOCK)
    value = tl.load(x + row * stride + cols, mask=cols < n)
    tl.store(out + row * stride + cols, value, mask=cols < n)


# As above, but what is beyond the tile is not wanted.
@triton.jit
def copy_starts(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + cols, mask=cols < n)
    tl.store(out + row * stride + cols, value, mask=cols < n)


# What must hold is said on the command line.
@triton.jit
def stated(out, n, scale, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.jit
def computed(out, n):
    tl.store(out, n)


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def by_heuristic(out, used, x, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + cols
    tl.store(used, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=cols < n), mask=cols < n)
