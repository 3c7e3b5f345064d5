# Rows that are one tile, whose masks show how long they may be.

import triton
import triton.language as tl


@triton.jit
def row(out, x, stride, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    base = tl.program_id(0) * stride
    value = tl.load(x + base + cols, mask=cols < n, other=0.0)
    value = value - tl.sum(value, axis=0) / n
    tl.store(out + base + cols, value, mask=cols < n)


@triton.jit
def copied(out, x, stride, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * stride + cols
    tl.store(out + at, tl.load(x + at, mask=cols < n), mask=cols < n)


@triton.jit
def reduced(out, x, stride, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    if row < stride:
        value = tl.load(x + row * stride + cols, mask=cols < n, other=0.0)
        tl.store(out + row, tl.sqrt(tl.sum(value * value, axis=0)))


@triton.jit
def vector(out, x, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i * stride, mask=i < n, other=float("-inf"))
    tl.store(out + i, tl.exp(value - tl.max(value, axis=0)), mask=i < n)


@triton.jit
def persistent(out, x, rows, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    inside = n > cols
    for r in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        value = tl.load(x + r * n + cols, mask=inside & (r > 0), other=0.0)
        tl.store(out + r * n + cols, tl.where(inside, value, 0.0), mask=inside)


@triton.jit
def columns(out, x, step, n: tl.int64, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i * step
    tl.atomic_add(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def rows_of(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    return tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)


@triton.jit
def called(out, x, shape, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, rows_of(out, x + row * shape[0], shape[1], BLOCK))


@triton.jit
def plane(out, x, m, n, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.max_contiguous(tl.arange(0, COLS), COLS)
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    offsets = rows[:, None] * stride + cols[None, :]
    tl.store(out + offsets, tl.load(x + offsets, mask=inside), mask=inside)


@triton.jit
def block_pointer(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(x + row * stride, (n,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out + row, tl.sum(tl.load(block, boundary_check=(0,), padding_option="zero"), axis=0))


@triton.jit
def descriptor(out, x, m, n, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS
    source = tl.make_tensor_descriptor(x, [m, n], [stride, 1], [ROWS, COLS])
    target = tl.make_tensor_descriptor(out, [m, n], [stride, 1], [ROWS, COLS])
    target.store([rows, 0], source.load([rows, 0]))
