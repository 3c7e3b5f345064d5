# What a kernel promises of its offsets, pointers and masks makes accesses wider.
#
# RUN: tilec %s --kernel=wrapped --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=scalar --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=assumed --sig='x=*fp32,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=pointers --sig='x=*fp32,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=masked --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=sometimes --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --kernel=places_unknown --sig='x=*fp32:16,out=*fp32:16,n=i32' -DBLOCK=512 --num-warps=4 --arch=sm_90 -o - | FileCheck %s --check-prefix=NARROW
# RUN: not tilec %s --kernel=nothing --sig='n=i32' -DBLOCK=512 2>&1 | FileCheck %s --check-prefix=ERROR
import triton
import triton.language as tl

# CHECK-NOT: ld.global.b32
# CHECK: ld.global.v4.b32
# CHECK-NOT: ld.global.b32

# NARROW-NOT: ld.global.v
# NARROW: ld.global.b32
# NARROW-NOT: ld.global.v


@triton.jit
def wrapped(x, out, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % n
    i = tl.max_contiguous(tl.multiple_of(i, BLOCK), BLOCK)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + i))


@triton.jit
def scalar(x, out, n, BLOCK: tl.constexpr):
    n = tl.multiple_of(n, 24)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + tl.program_id(0) * n + tl.arange(0, BLOCK)))


@triton.jit
def assumed(x, out, n, BLOCK: tl.constexpr):
    tl.assume((n % 8 == 0) & (n > 0))
    tl.assume((x.to(tl.int64) & 15) == 0)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + tl.program_id(0) * n + tl.arange(0, BLOCK)))


@triton.jit
def pointers(x, out, n, BLOCK: tl.constexpr):
    p = tl.multiple_of(x + tl.program_id(0) * n + tl.arange(0, BLOCK), 16)
    tl.store(out + tl.arange(0, BLOCK), tl.load(p))


@triton.jit
def masked(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=tl.max_constancy(i // n < 7, 4)))


@triton.jit
def sometimes(x, out, n, BLOCK: tl.constexpr):
    # Only programs that come by the condition keep the promise.
    if tl.program_id(1) == 7:
        tl.assume(n % 8 == 0)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + tl.program_id(0) * n + tl.arange(0, BLOCK)))


@triton.jit
def places_unknown(x, out, n, BLOCK: tl.constexpr):
    # Which elements are multiples is not said.
    i = tl.multiple_of((tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % n, BLOCK)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + i))


@triton.jit
def nothing(n, BLOCK: tl.constexpr):
    # ERROR: hints.py:[[#@LINE+1]]:27: error: tl.multiple_of takes positive numbers, found 0
    a = tl.multiple_of(n, 0)
    # ERROR: error: tl.max_contiguous takes one value an axis, expected 1, found 2
    b = tl.max_contiguous(tl.arange(0, BLOCK), [8, 8])
    # ERROR: error: tl.assume takes a scalar of type int1, found int32
    tl.assume(n)
