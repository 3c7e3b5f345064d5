import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets + SHIFT, mask=offsets < n)
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def unmasked(x, y, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets))


@triton.jit
def scalars(x, y, place):
    tl.store(y, tl.load(x + place))
    tl.atomic_add(y + place, 1.0)


@triton.jit
def last(x, y, BLOCK: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(y, tl.sum(value, 0))


@triton.jit
def total(x, y, BLOCK: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(y, tl.sum(value, 0))


@triton.jit
def locked(x, y, lock, BLOCK: tl.constexpr, RELEASE: tl.constexpr):
    value = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(y, tl.load(y) + value)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem=RELEASE)


@triton.jit
def last_block(x, parts, y, count, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(parts + pid, tl.sum(tl.load(x + pid * BLOCK + tl.arange(0, BLOCK)), 0))
    if tl.atomic_add(count, 1) == PROGRAMS - 1:
        tl.store(y, tl.sum(tl.load(parts + tl.arange(0, PROGRAMS)), 0))


@triton.jit
def reversed_in_place(x, BLOCK: tl.constexpr, BARRIER: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + BLOCK - 1 - offsets)
    if BARRIER:
        tl.debug_barrier()
    tl.store(x + offsets, value)


@triton.jit
def scattered(x, index, y, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y + tl.load(index + offsets), tl.load(x + offsets))


@triton.jit
def twice(x, BLOCK: tl.constexpr):
    ptrs = x + tl.arange(0, BLOCK)
    tl.store(ptrs, tl.load(ptrs) * 2)
    tl.store(ptrs, tl.load(ptrs) + 1)


@triton.jit
def block_of_rows(x, y, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    c = tl.arange(0, C)[None, :]
    value = tl.load(x + r * cols + c, mask=(r < rows) & (c < cols), other=0)
    tl.store(y + r * C + c, value)


@triton.jit
def shifted(x, offsets, by):
    return tl.load(x + offsets + by)


@triton.jit
def twice_shifted(x, offsets):
    return shifted(x, offsets, 1 + 1)


@triton.jit
def calls_helpers(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, shifted(x, i, 1) + twice_shifted(x, i))
