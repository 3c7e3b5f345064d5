"""Softmax over the rows of a matrix of any width, in fp16, fp32 or fp64."""

import triton
import triton.language as tl


@triton.jit
def softmax(out, x, n_cols: tl.int64, BLOCK: tl.constexpr):
    """Each program normalises one row of n_cols contiguous elements. fp16 is computed in fp32."""
    SUM: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    first = tl.program_id(0).to(tl.int64) * n_cols
    cols = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), float("-inf"), SUM)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        value = tl.load(x + first + start + cols, mask=inside, other=float("-inf")).to(SUM)
        largest = tl.maximum(largest, value)
    top = tl.max(largest, axis=0)
    total = tl.zeros((BLOCK,), SUM)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        value = tl.load(x + first + start + cols, mask=inside, other=float("-inf")).to(SUM)
        total += tl.exp(value - top)
    factor = 1 / tl.sum(total, axis=0)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        value = tl.load(x + first + start + cols, mask=inside).to(SUM)
        tl.store(out + first + start + cols, tl.exp(value - top) * factor, mask=inside)
