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


@triton.jit
def _promote_bfloat16_to_float32(t):
    if t.dtype.is_bf16():
        return t.to(tl.float32)
    else:
        return t


@triton.constexpr_function
def _only(axis, shape):
    # The shape in which only this axis is as long as in `shape`.
    return [shape[i] if i == axis or i == axis + len(shape) else 1 for i in range(len(shape))]


@triton.jit
def _reduce_with_indices(input, axis, combine_fn, keep_dims):
    index = tl.reshape(tl.arange(0, input.shape[axis]), _only(axis, input.shape))
    return tl.reduce((input, tl.broadcast_to(index, input.shape)), axis, combine_fn, keep_dims=keep_dims)
