"""Softmax over rows of which this rank holds some columns, in the three steps between all-reductions."""

import triton
import triton.language as tl


@triton.jit
def row_max(top, x, n_cols, BLOCK: tl.constexpr):
    """top[row] is the largest of the row's n_cols elements here, -inf if there are none."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        value = tl.load(x + row.to(tl.int64) * n_cols + start + cols, mask=inside, other=float("-inf"))
        largest = tl.maximum(largest, value)
    tl.store(top + row, tl.max(largest, axis=0))


@triton.jit
def row_sum(total, x, top, n_cols, BLOCK: tl.constexpr):
    """total[row] is the sum of exp(x - top[row]) over the elements here."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    largest = tl.load(top + row)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        value = tl.load(x + row.to(tl.int64) * n_cols + start + cols, mask=inside, other=float("-inf"))
        sums += tl.exp(value - largest)
    tl.store(total + row, tl.sum(sums, axis=0))


@triton.jit
def normalise(out, x, top, total, n_cols, BLOCK: tl.constexpr):
    """out is exp(x - top[row]) / total[row]."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    largest = tl.load(top + row)
    factor = 1 / tl.load(total + row)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        at = row.to(tl.int64) * n_cols + start + cols
        tl.store(out + at, tl.exp(tl.load(x + at, mask=inside) - largest) * factor, mask=inside)
