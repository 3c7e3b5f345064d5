# A tile from 0 with a mask: whether it must cover all of the size, the compiler does not know.

import triton
import triton.language as tl


@triton.jit
def cross_entropy(out, logits, labels, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(logits + row * n + i, mask=i < n, other=-float("inf"))
    top = tl.max(x, axis=0)
    label = tl.load(labels + row)
    tl.store(out + row, top + tl.log(tl.sum(tl.exp(x - top), axis=0)) - tl.load(logits + row * n + label))


@triton.jit
def last_is_inside(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    keep = i <= n - 1
    tl.store(out + i, tl.sort(tl.load(x + i, mask=keep, other=0.0)), mask=keep)


@triton.jit
def flagged(out, x, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i + FLAG, tl.sort(tl.load(x + i, mask=i < n, other=0.0)), mask=i < n)


@triton.jit
def least(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < tl.minimum(m, n)
    tl.store(out + i, tl.sort(tl.load(x + i, mask=inside, other=0.0)), mask=inside)


@triton.jit
def first_block(out, x, m, n, BLOCK: tl.constexpr):
    block = tl.make_block_ptr(x, (n,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out, tl.sum(tl.load(block, boundary_check=(0,), padding_option="zero"), axis=0))


# Any configuration is right.
@triton.jit
def elementwise(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def row_in_pieces(out, x, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(total, axis=0))


# The same range in each configuration.
@triton.jit
def same_range(out, x, n, SCALE: tl.constexpr):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.load(x + i, mask=i < n) * SCALE, mask=i < n)
