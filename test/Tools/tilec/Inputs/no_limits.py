# Kernels that are right for any n, or may be: what is beyond the tile is done elsewhere, or is not wanted.

import triton
import triton.language as tl


# Other programs, iterations and accesses go on.
@triton.jit
def elementwise(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def moved_pointer(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    start = tl.program_id(0) * BLOCK
    tl.store(out + start + i, tl.load(x + start + i, mask=i < n - start), mask=i < n - start)


@triton.jit
def full_tiles(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * m + tl.program_id(1) * BLOCK + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def strided_tiles(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + tl.program_id(1) * BLOCK * m + i * m
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def loop(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x += tl.program_id(0) * m
    total = tl.load(x + i, mask=i < n, other=0.0)
    for start in range(BLOCK, n, BLOCK):
        total += tl.load(x + start + i, mask=start + i < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def rest_elsewhere(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x += tl.program_id(0) * n
    total = tl.load(x + i, mask=i < n, other=0.0)
    for k in range(1, m):
        total += tl.load(x + k * BLOCK + i)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def unrolled(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * m + i
    for k in tl.static_range(0, 4):
        tl.store(out + at + k * BLOCK, tl.load(x + at + k * BLOCK, mask=k * BLOCK + i < n), mask=k * BLOCK + i < n)


@triton.jit
def blocks(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(0, m):
        tl.store(out + k * BLOCK + i, tl.load(x + k * BLOCK + i, mask=i < n), mask=i < n)


@triton.jit
def steps(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(0, m, BLOCK):
        at = tl.program_id(0) * m + k + i
        tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def carried(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(0, m):
        tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
        x += BLOCK
        out += BLOCK


@triton.jit
def windows(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    value = tl.load(x + row * (BLOCK // 2) + i, mask=i < n, other=0.0)
    tl.store(out + row, tl.sum(value, axis=0))


@triton.jit
def sliding(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def starts(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(m + tl.program_id(0)) + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def offset(out, x, m, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * n + m + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < n
    tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def first_of_launches(out, x, m, n, START: tl.constexpr, BLOCK: tl.constexpr):
    i = START + tl.arange(0, BLOCK)
    at = tl.program_id(0) * m + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def part_of_launches(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + m * n + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def halves(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, 2 * BLOCK)
    at = tl.program_id(0) * m
    tl.store(out + at + i, tl.load(x + at + i, mask=i < n), mask=i < n)
    tl.store(out + at + j, tl.load(x + at + j, mask=j < n), mask=j < n)


# The kernel looks at the size.
@triton.jit
def clamped(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if n > BLOCK:
        tl.store(out + BLOCK, 1.0)
    at = tl.program_id(0) * m + i
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def first_half(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * m + i
    tl.store(out + at, tl.load(x + at, mask=i < n // 2), mask=i < n // 2)


@triton.jit
def counted(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * m + i
    count = tl.sum((i < n).to(tl.int32), axis=0)
    tl.store(out + at, tl.load(x + at, mask=i < n) * count, mask=i < n)


# The mask has a second condition on the columns.
@triton.jit
def shorter(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i
    inside = (i < n) & (i < m)
    tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def causal(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    value = tl.load(x + row * n + i, mask=(i < n) & (i <= row), other=0.0)
    tl.store(out + row, tl.sum(value, axis=0))


@triton.jit
def outside(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i
    tl.store(out + at, tl.load(x + at), mask=(i < n) | (i > 5))


# The first elements may be all that is wanted.
@triton.jit
def table(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    entries = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(tl.where(i == tl.program_id(0) % 4, entries, 0.0), axis=0))


@triton.jit
def histogram(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16)).to(tl.int32), BLOCK)
    tl.store(out + i, tl.load(out + i, mask=i < n) + counts, mask=i < n)


@triton.jit
def best(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    values = tl.sort(tl.load(x + row * m + tl.arange(0, 4 * BLOCK)))
    tl.store(out + row * n + i, tl.gather(values, i, axis=0), mask=i < n)


# The only vector: as it is, filled, or reduced. The rest may be left to nobody.
@triton.jit
def only_vector(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def filled(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * m + i, tl.zeros([BLOCK], tl.float32), mask=i < n)


@triton.jit
def sum_of_vector(out, x, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def no_access(out, x, m, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * m + tl.arange(0, BLOCK)
    tl.store(out + at, tl.where(tl.arange(0, BLOCK) < n, tl.load(x + at), 0.0))


@triton.jit
def later_block(out, x, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(x + row * n, (n,), (1,), (m,), (BLOCK,), (0,))
    tl.store(out + row, tl.sum(tl.load(block, boundary_check=(0,), padding_option="zero"), axis=0))


@triton.jit
def advanced(out, x, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(x + row * n, (n,), (1,), (0,), (BLOCK,), (0,))
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(0, m):
        total += tl.load(block, boundary_check=(0,), padding_option="zero")
        block = tl.advance(block, (BLOCK,))
    tl.store(out + row, tl.sum(total, axis=0))


@triton.jit
def two_blocks(out, x, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tensor = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, BLOCK])
    total = tl.sum(tensor.load([row, 0]) + tensor.load([row, BLOCK]))
    tl.store(out + row, total)


@triton.jit
def tiled_tensor(out, x, m, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [BLOCK, 1], [1, BLOCK])
    tl.store(out + tl.program_id(0), tl.sum(source.load([tl.program_id(0), 0])))


@triton.jit
def unchecked_block(out, x, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(x + row * n, (n,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out + row, tl.sum(tl.load(block), axis=0))
