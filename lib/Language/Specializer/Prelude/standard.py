# The parts of triton.language that are kernels themselves. Parsed when a kernel first calls one.
# A function here is bound by its row in the tables of builtins, so it has no defaults.
import triton
import triton.language as tl


@triton.jit
def cdiv(x, div):
    return (x + (div - 1)) // div


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim, keep_dims, ieee_rounding):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - tl.max(x, axis, keep_dims=keep_dims)
    exponentials = tl.exp(shifted)
    return tl.fdiv(exponentials, tl.sum(exponentials, axis, keep_dims=keep_dims))


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Numbers the cells group by group: size_g rows at a time, column by column inside a group.
    linear = i * size_j + j
    group_cells = size_g * size_j
    group = linear // group_cells
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    inside = linear % group_cells
    return first_row + inside % rows, inside // rows
