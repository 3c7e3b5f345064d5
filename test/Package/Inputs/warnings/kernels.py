import triton
import triton.language as tl


@triton.jit
def scale(y, x, factor, n, BLOCK: tl.constexpr, HOW: tl.constexpr):
    """Multiplies the n elements of x by a factor.

    Ends in a backslash \\
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def names(y, n, launch, stream, grid, options, config, status, scale, exp, int):
    tl.store(y + tl.program_id(0), 1)


@triton.jit
def copy(y, x, slot):
    y.store([slot, 0], x.load([slot, 0]))
