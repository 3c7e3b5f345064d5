# The types of parameters follow from the arguments as in a launch from Python; the kernel checks them.
#
# RUN: tilec-run %s --grid=1 --kernel=small --arg p=empty:i32[1] --arg i=3 --arg one=1 --arg big=3000000000 \
# RUN:   --arg huge=18446744073709551615 --arg f=1.0 --arg b=True --arg none=None --arg p16=ones:fp16[2] \
# RUN:   --expect p='full(42):i32[1]'
# RUN: tilec-run %s --grid=1 --kernel=declared --arg p=empty:i64[1] --arg one=1 --arg half=0.25 --arg c='(1, 2)' \
# RUN:   --arg t=tl.float16 --arg s='"text"' --expect p='full(1):i64[1]'
# RUN: tilec-run %s --grid=1 --kernel=listed --arg p=empty:i32[1] --arg a=1 --arg b=1 --expect p='full(6):i32[1]'
# RUN: tilec-run %s --grid=1 --kernel=listed --arg p=empty:i32[1] --arg a=1 --arg b=1 --sig a=i64,b=i64 --expect p='full(6):i32[1]'
import triton
import triton.language as tl


@triton.jit
def small(p, i, one, big, huge, f, b, none, p16):
    tl.static_assert(i.dtype == tl.int32)
    tl.static_assert(one == 1)
    tl.static_assert(big.dtype == tl.int64)
    tl.static_assert(huge.dtype == tl.uint64)
    tl.static_assert(f.dtype == tl.float32)
    tl.static_assert(b.dtype == tl.int1)
    tl.static_assert(none is None)
    tl.static_assert(p16.dtype.element_ty == tl.float16)
    if b and huge == 18446744073709551615 and big == 3000000000:
        tl.store(p, 39 + i)


@triton.jit
def declared(p, one: tl.int64, half: "fp64", c: tl.constexpr, t: tl.constexpr, s: tl.constexpr):
    tl.static_assert(one.dtype == tl.int64)
    tl.static_assert(half.dtype == tl.float64)
    tl.static_assert(c[1] == 2)
    tl.static_assert(t == tl.float16)
    tl.static_assert(s == "text")
    if half == 0.25:
        tl.store(p, one)


@triton.jit(do_not_specialize=["a", 2])
def listed(p, a, b):
    tl.static_assert(a.dtype.is_int())
    tl.static_assert(b.dtype.is_int())
    tl.store(p, (a + b * 5).to(tl.int32))
