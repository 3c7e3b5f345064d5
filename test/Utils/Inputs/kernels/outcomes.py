# One kernel for each outcome of test/Kernels/Inputs/run.py.
#
# KERNEL: right
# SIZES: n=1 | n=100 BLOCK=256 num_warps=2
# TYPES: fp32 i32
# ARG: x arange:T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: BLOCK 128
# GRID: 1
# REFERENCE: doubled
# BENCH: n=1000 T=fp32 BLOCK=1024 num_warps=8 num_stages=3
# TOLERANCE: out 0 1e-9*sqrt(n)
#
# KERNEL: wrong
# SIZES: n=3
# ARG: x ones:fp32[n]
# ARG: out empty:fp32[n]
# ARG: n n
# CONST: BLOCK 4
# GRID: 1
# REFERENCE: doubled
#
# KERNEL: partial
# SIZES: n=5
# ARG: x ones:fp32[n]
# ARG: out empty:fp32[n]
# CONST: BLOCK 4
# GRID: 1
# REFERENCE: doubled
#
# KERNEL: odd
# SIZES: n=4
# BENCH: n=3 BLOCK=3
# ARG: x ones:fp32[n]
# ARG: out empty:fp32[n]
# CONST: BLOCK 4
# GRID: 1
# REFERENCE: doubled
#
# KERNEL: misspelt
# SIZES: n=4
# BENCH: n=4 BLOKC=4
# ARG: x ones:fp32[n]
# ARG: out empty:fp32[n]
# CONST: BLOCK 4
# GRID: 1
# REFERENCE: doubled
#
# KERNEL: supported
# WAITING: load
# SIZES: n=3
# ARG: x ones:fp32[n]
# ARG: out empty:fp32[n]
# CONST: BLOCK 4
# GRID: 1
# REFERENCE: doubled
#
# KERNEL: mistaken
# WAITING: gadget
# SIZES: n=3
# ARG: x ones:fp32[n]
# GRID: 1
# REFERENCE: doubled
import triton
import triton.language as tl


@triton.jit
def right(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def wrong(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)


@triton.jit
def partial(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def odd(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def misspelt(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def supported(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def mistaken(x):
    tl.store(x, undefined)


def doubled(x):
    return 2 * x
