"""Softmax over the rows of a matrix: exp(x - max) / sum(exp(x - max))."""

import triton
import triton.language as tl


@triton.jit
def softmax_rows(out, x, out_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    """Each program normalises one row. BLOCK is a power of two, at least n_cols; strides count elements."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    value = tl.load(x + row * x_stride + cols, mask=inside, other=float("-inf")).to(tl.float32)
    weight = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * out_stride + cols, weight / tl.sum(weight, axis=0), mask=inside)


@triton.jit
def softmax_persistent(out, x, out_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """As many programs as the GPU holds at once share the rows, each taking every num_programs-th."""
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        value = tl.load(x + row * x_stride + cols, mask=inside, other=float("-inf")).to(tl.float32)
        weight = tl.exp(value - tl.max(value, axis=0))
        tl.store(out + row * out_stride + cols, weight / tl.sum(weight, axis=0), mask=inside)
