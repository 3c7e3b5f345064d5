import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets + SHIFT, mask=offsets < n)
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def rows(x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    at = row * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(y + at, value / tl.sum(value, 0))


@triton.jit
def at(p, i):
    return tl.load(p + i)


@triton.jit
def inlined(x, y, place, BLOCK: tl.constexpr):
    tl.store(y + tl.arange(0, BLOCK), at(x, tl.arange(0, BLOCK) + place))


@triton.jit
def scalars(x, y, place):
    tl.store(y, tl.load(x + place))


@triton.jit
def count(x, y, place, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.atomic_add(y + place + tl.arange(0, BLOCK), value)


@triton.jit
def old(x, y, place, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    before = tl.atomic_max(y + place, 1)
    tl.store(x + tl.arange(0, BLOCK), value + before)


@triton.jit
def crooked(x, y, BLOCK: tl.constexpr):
    p = (x.to(tl.pointer_type(tl.int8)) + 1).to(tl.pointer_type(tl.float32))
    tl.store(y + tl.arange(0, BLOCK), tl.load(p + tl.arange(0, BLOCK)))


@triton.jit
def nowhere(x, y, BLOCK: tl.constexpr):
    p = tl.cast(tl.cast(0, tl.int64), tl.pointer_type(tl.float32))
    tl.store(y + tl.arange(0, BLOCK), tl.load(p + tl.arange(0, BLOCK)))


@triton.jit
def checked(x, y, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.device_assert(value < 3, "too large")
    tl.store(y + tl.arange(0, BLOCK), value)
