# Atomic operations: every operation on every type it takes, masks, orders, scopes, old values, errors.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# Arrays of 8 elements: what is added to each, and what was there before.
#: a = i32[1, 2, 3, 4, -5, 6, 7, 8] -> i32[1, 3, 5, 7, -1, 11, 13, 15]
#: b = u32[4294967295, 2, 3, 4, 5, 6, 7, 8] -> u32[4294967295, 3, 5, 7, 9, 11, 13, 15]
#: c = i64[-1, 2, 3, 4, 5, 6, 7, 8] -> i64[-1, 3, 5, 7, 9, 11, 13, 15]
#: d = u64[1, 2, 3, 4, 5, 6, 7, 8] -> u64[1, 3, 5, 7, 9, 11, 13, 15]
#: e = fp16[1, 2, 3, 4, 5, 6, 7, 0.5] -> fp16[1, 3, 5, 7, 9, 11, 13, 7.5]
#: f = bf16[1, 2, 3, 4, 5, 6, 7, 0.5] -> bf16[1, 3, 5, 7, 9, 11, 13, 7.5]
#: g = fp32[1, 2, 3, 4, 5, 6, 7, 0.5] -> fp32[1, 3, 5, 7, 9, 11, 13, 7.5]
#: h = fp64[1, 2, 3, 4, 5, 6, 7, 0.5] -> fp64[1, 3, 5, 7, 9, 11, 13, 7.5]
#: old -> fp64[1, 2, 3, 4, -5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 0.5, 1, 2, 3, 4, 5, 6, 7, 0.5, 1, 2, 3, 4, 5, 6, 7, 0.5]
@triton.jit
def add_types(a, b, c, d, e, f, g, h, old):
    i = tl.arange(0, 8)
    tl.store(old + i, tl.atomic_add(a + i, i))
    tl.atomic_add(b + i, i)
    tl.atomic_add(c + i, i)
    tl.atomic_add(d + i, i)
    x = tl.atomic_add(e + i, i)
    tl.static_assert(x.dtype == tl.float16 and x.shape == (8,))
    tl.store(old + 8 + i, x)
    y = tl.atomic_add(f + i, i)
    tl.static_assert(y.dtype == tl.bfloat16)
    tl.store(old + 16 + i, y)
    (g + i).atomic_add(i)
    tl.store(old + 24 + i, tl.atomic_add(h + i, val=i))


# All lanes and programs on one address: nothing gets lost.
#: a = i32[5] -> i32[65541]
#: b = fp32[0.5] -> fp32[128.5]
#: c = fp16[0.5] -> fp16[128.5]
#: d = bf16[0] -> bf16[128]
#: e = i64[0] -> i64[1099511627776]
#: f = fp64[0.25] -> fp64[128.25]
#: grid = 4
@triton.jit
def contention(a, b, c, d, e, f):
    i = tl.arange(0, 32)
    tl.atomic_add(a + i * 0, 512)
    tl.atomic_add(b + i * 0, 1.0)
    tl.atomic_add(c + i * 0, 1.0)
    tl.atomic_add(d + i * 0, 1.0)
    tl.atomic_add(e + i * 0, tl.full([32], 1, tl.int64) << 33)
    tl.atomic_add(f + i * 0, 1)


# A scalar pointer performs one operation a program, whatever the number of threads.
#: a = i32[0] -> i32[3]
#: b = fp32[1.5] -> fp32[4.5]
#: grid = 3
#: options = --num-warps=8
@triton.jit
def one_operation_a_program(a, b):
    tl.atomic_add(a, 1)
    x = tl.atomic_add(b, 1)
    tl.static_assert(x.dtype == tl.float32 and len(x.shape) == 0)


#: a = i32[12, 10, 255, -1, 0, 7, 8, -128] -> i32[8, 8, 15, 5, 0, 7, 0, 0]
#: b = u32[12, 10, 255, 4294967295, 0, 7, 8, 4294967168] -> u32[14, 14, 255, 4294967295, 4294967295, 7, 9, 4294967295]
#: c = i64[12, 10, 255, -1, 0, 7, 8, -128] -> i64[6, 6, 240, -6, -1, 0, 9, -1]
#: d = u64[12, 10, 255, 1, 0, 7, 8, 128] -> u64[6, 6, 240, 4, 1, 0, 9, 255]
#: e = i32[12, 10, 255, -1, 0, 7, 8, -128] -> i32[10, 12, 15, 5, -1, 7, 1, 127]
#: v = i32[10, 12, 15, 5, -1, 7, 1, 127]
#: old -> i64[12, 10, 255, -1, 0, 7, 8, -128, 12, 10, 255, -1, 0, 7, 8, -128, 12, 10, 255, -1, 0, 7, 8, -128, 12, 10, 255, 1, 0, 7, 8, 128, 12, 10, 255, -1, 0, 7, 8, -128]
@triton.jit
def bitwise_and_exchange(a, b, c, d, e, v, old):
    i = tl.arange(0, 8)
    x = tl.load(v + i)
    tl.store(old + i, tl.atomic_and(a + i, x))
    tl.store(old + 8 + i, tl.atomic_or(b + i, x).to(tl.int32))
    tl.store(old + 16 + i, tl.atomic_xor(c + i, x))
    tl.store(old + 24 + i, (d + i).atomic_xor(tl.abs(x)))
    tl.store(old + 32 + i, tl.atomic_xchg(e + i, x))


#: a = i64[6, 5] -> i64[2, 7]
#: b = u64[6, 5] -> u64[2, 7]
#: c = u32[6, 5] -> u32[5, 3]
#: d = u32[1, 9] -> u32[77, 77]
#: e = i64[1, 9] -> i64[-77, -77]
#: f = fp32[1, nan] -> fp32[-0.5, -0.5]
#: g = fp64[1, inf] -> fp64[-0.5, -0.5]
#: h = u64[1, 9] -> u64[77, 77]
#: old -> fp64[1, nan, 1, inf]
@triton.jit
def more_bitwise_and_exchange(a, b, c, d, e, f, g, h, old):
    i = tl.arange(0, 2)
    two = tl.where(i == 0, 3, 2)
    tl.atomic_and(a, 2)
    tl.atomic_or(a + 1, 2)
    tl.atomic_and(b, 3, sem="relaxed")
    tl.atomic_or(b + 1, 2)
    tl.atomic_xor(c, 3)
    tl.atomic_and(c + 1, 3)
    tl.atomic_or(c + 1, 2)
    tl.atomic_xchg(d + i, 77)
    tl.atomic_xchg(e + i, -77)
    tl.store(old + i, tl.atomic_xchg(f + i, -0.5))
    tl.store(old + 2 + i, tl.atomic_xchg(g + i, -0.5))
    tl.atomic_xchg(h + i, two * 0 + 77)


#: a = i32[5, -3, 0, 7, -9, 100, -100, 1] -> i32[5, -2, 0, 8, -8, 100, -100, 1]
#: b = i64[5, -3, 0, 7, -9, 100, -100, 1] -> i64[4, -3, -1, 7, -9, 99, -101, 1]
#: c = u32[5, 4294967293, 0, 7, 4294967287, 100, 4294967196, 1] -> u32[5, 4294967294, 4294967295, 8, 4294967288, 100, 4294967196, 1]
#: d = u64[5, 3, 0, 7, 9, 100, 100, 1] -> u64[4, 2, 0, 7, 8, 99, 100, 1]
#: e = fp32[2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5] -> fp32[2.5, -1, 0, 4, -4, 50, -50, 0.5]
#: f = fp32[2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5] -> fp32[2, -1.5, -0.5, 3.5, -4.5, 49.5, -50.5, 0.5]
#: g = fp64[2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5] -> fp64[2.5, -1, 0, 4, -4, 50, -50, 0.5]
#: h = fp64[2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5] -> fp64[2, -1.5, -0.5, 3.5, -4.5, 49.5, -50.5, 0.5]
#: v = i32[4, -2, -1, 8, -8, 99, -101, 1]
#: old -> fp64[5, -3, 0, 7, -9, 100, -100, 1, 5, -3, 0, 7, -9, 100, -100, 1, 5, -3, 0, 7, -9, 100, -100, 1, 5, 3, 0, 7, 9, 100, 100, 1, 2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5, 2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5, 2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5, 2.5, -1.5, 0, 3.5, -4.5, 50, -50, 0.5]
@triton.jit
def extreme_types(a, b, c, d, e, f, g, h, v, old):
    i = tl.arange(0, 8)
    x = tl.load(v + i)
    tl.store(old + i, tl.atomic_max(a + i, x))
    tl.store(old + 8 + i, tl.atomic_min(b + i, x))
    tl.store(old + 16 + i, tl.atomic_max(c + i, x).to(tl.int32))
    tl.store(old + 24 + i, tl.atomic_min(d + i, tl.abs(x)))
    tl.store(old + 32 + i, tl.atomic_max(e + i, x / 2))
    tl.store(old + 40 + i, (f + i).atomic_min(x / 2))
    tl.store(old + 48 + i, tl.atomic_max(g + i, x / 2))
    tl.store(old + 56 + i, tl.atomic_min(h + i, x / 2))


# Signs and infinities of floats, from many lanes; zeros count by their signs.
#: a = fp32[-inf, inf, -1, 0] -> fp32[31, -15.5, -0.0, -3]
#: b = fp64[-inf, inf] -> fp64[31, -15.5]
@triton.jit
def extremes_of_floats(a, b):
    i = tl.arange(0, 32)
    tl.atomic_max(a + i * 0, i * 1.0)
    tl.atomic_min(a + 1 + i * 0, i * -0.5)
    tl.atomic_max(a + 2 + i * 0, tl.where(i == 3, -1.0, -2.0) * 0)
    tl.atomic_min(a + 3, -3.0)
    tl.atomic_max(b + i * 0, i)
    tl.atomic_min(b + 1 + i * 0, i / -2)


#: a = i32[1, 2, 3, 4] -> i32[11, 2, 13, 4]
#: b = fp32[1, 2, 3, 4] -> fp32[1, 2, 9, 9]
#: c = i64[1, 2, 3, 4] -> i64[7, 2, 3, 4]
#: d = fp16[1, 2, 3, 4] -> fp16[1, 12, 3, 14]
#: e = i32[1] -> i32[1]
#: f = i32[1] -> i32[4]
#: old -> i32[1, 3, 1]
@triton.jit
def masks(a, b, c, d, e, f, old, n):
    i = tl.arange(0, 4)
    x = tl.atomic_add(a + i, 10, mask=i % 2 == 0)
    tl.store(old + i // 2, x, mask=i % 2 == 0)
    tl.atomic_max(b + i, 9.0, i >= 2)
    tl.atomic_xchg(c + i, 7, mask=i == 0)
    tl.atomic_add(d + i, 10, mask=i % 2 == 1)
    tl.atomic_add(e, 3, mask=n < 0)
    tl.store(old + 2, tl.atomic_add(f, 3, n > 0))


# Value and mask are broadcast to the pointers.
#: a = i32[0, 0, 0, 0, 0, 0, 0, 0] -> i32[10, 10, 10, 10, 0, 0, 0, 0]
#: b = i32[0, 0, 0, 0, 0, 0, 0, 0] -> i32[0, 1, 2, 3, 0, 1, 2, 3]
@triton.jit
def values_and_masks_broadcast(a, b):
    r, c = tl.arange(0, 2)[:, None], tl.arange(0, 4)[None, :]
    x = tl.atomic_add(a + r * 4 + c, 10, mask=r == 0)
    tl.static_assert(x.shape == (2, 4))
    tl.atomic_add(b + r * 4 + c, tl.arange(0, 4))


# Order and scope name what other threads see; alone, every combination does the same.
#: a = i32[0] -> i32[12]
#: b = fp32[0] -> fp32[4]
#: c = i32[0] -> i32[9]
@triton.jit
def orders_and_scopes(a, b, c):
    tl.atomic_add(a, 1, sem="relaxed", scope="cta")
    tl.atomic_add(a, 1, sem="acquire", scope="gpu")
    tl.atomic_add(a, 1, sem="release", scope="sys")
    tl.atomic_add(a, 1, sem="acq_rel", scope="cta")
    tl.atomic_or(a, 8, None, "acq_rel", "sys")
    tl.atomic_max(b, 1.0, sem="acquire", scope="cta")
    tl.atomic_xchg(b, 2.0, sem="release", scope="sys")
    tl.atomic_add(b, 2.0, sem="relaxed", scope="sys")
    tl.atomic_cas(c, 0, 3, sem="acquire")
    tl.atomic_cas(c, 3, 5, sem="release", scope="cta")
    tl.atomic_cas(c, 5, 7, "relaxed", "sys")
    tl.atomic_cas(c, 7, 9, sem="acq_rel", scope="gpu")


# Compare and swap: bit patterns, 16 to 64 bits, floats too.
#: a = i32[1, 2, 3, 4] -> i32[9, 2, 3, 9]
#: b = i64[1, 2] -> i64[1, -1099511627776]
#: c = fp32[1.5, nan] -> fp32[2.5, nan]
#: d = fp64[1.5, -0.0] -> fp64[2.5, -0.0]
#: e = i16[1, -2] -> i16[1, 300]
#: f = fp16[0.5, 1] -> fp16[7, 1]
#: g = u16[1, 65535] -> u16[1, 2]
#: h = bf16[0.5, 1] -> bf16[0.5, 7]
#: old -> fp64[1, 2, 3, 4, 1, 2, 1.5, nan, 1.5, 0, 1, -2, 0.5, 1, 0.5, 1]
@triton.jit
def compare_and_swap(a, b, c, d, e, f, g, h, old):
    i, j = tl.arange(0, 4), tl.arange(0, 2)
    zero = tl.zeros([4], tl.int32)
    tl.store(old + i, tl.atomic_cas(a + i, tl.where(i == 3, 4, 1), zero + 9))
    wide = tl.full([2], 2, tl.int64)
    tl.store(old + 4 + j, (b + j).atomic_cas(wide, -(wide << 39)))
    one = tl.full([2], 1.5, tl.float32)
    tl.store(old + 6 + j, tl.atomic_cas(c + j, one, one + 1))
    two = tl.full([2], 1.5, tl.float64)
    x = tl.atomic_cas(d + j, tl.where(j == 0, two, 0.0), two + 1)
    tl.store(old + 8 + j, tl.abs(x))
    s = tl.full([2], -2, tl.int16)
    tl.store(old + 10 + j, tl.atomic_cas(e + j, s, s + 302))
    half = tl.full([2], 0.5, tl.float16)
    tl.store(old + 12 + j, tl.atomic_cas(f + j, half, half * 14))
    u = tl.full([2], 65535, tl.uint16)
    tl.atomic_cas(g + j, u, u + 3)
    bf = tl.full([2], 1, tl.bfloat16)
    tl.store(old + 14 + j, tl.atomic_cas(h + j, bf, bf * 7))


# A lock of one word, and a counter that only its holder changes.
#: lock = i32[0] -> i32[0]
#: count = i32[0] -> i32[64]
#: grid = 64
@triton.jit
def lock_by_cas(lock, count):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(count, tl.load(count, volatile=True) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


#: c = i8*8
#: u = u16*8
#: i = i16*8
#: e = fp8e5*8
#: r = i64*8
@triton.jit
def atomic_errors(p, f, h, b, c, u, i, e, r, n):
    tl.atomic_add(c, 1)  #! tl.atomic_add does not work on elements of type int8
    tl.atomic_add(u, 1)  #! tl.atomic_add does not work on elements of type uint16
    tl.atomic_xchg(i, 1)  #! tl.atomic_xchg does not work on elements of type int16
    tl.atomic_add(e, 1.0)  #! tl.atomic_add does not work on elements of type float8e5
    tl.atomic_max(h, 1.0)  #! tl.atomic_max does not work on elements of type float16
    tl.atomic_min(b, 1.0)  #! tl.atomic_min does not work on elements of type bfloat16
    tl.atomic_xchg(h, 1.0)  #! tl.atomic_xchg does not work on elements of type float16
    tl.atomic_and(f, 1)  #! tl.atomic_and does not work on elements of type float32
    tl.atomic_or(f, 1)  #! tl.atomic_or does not work on elements of type float32
    tl.atomic_xor(f, 1)  #! tl.atomic_xor does not work on elements of type float32
    tl.atomic_add(p, 1, mask=True)  #! a tensor of int1 or None
    tl.atomic_add(p, 1, mask=n)  #! a tensor of int1 or None
    tl.atomic_add(p, tl.zeros([4], tl.int32))  #! a scalar pointer takes a scalar value
    tl.atomic_add(p, 1, mask=tl.zeros([4], tl.int1))  #! a scalar pointer takes a scalar mask
    tl.atomic_add(p + tl.arange(0, 4), tl.zeros([2, 4], tl.int32))  #! only a load broadcasts the pointer
    tl.atomic_add(n, 1)  #! a pointer
    tl.atomic_add(p, 1, sem="seq_cst")  #! unknown name 'seq_cst'
    tl.atomic_add(p, 1, scope="block")  #! unknown name 'block'
    tl.atomic_cas(r, 0, 1)  #! tl.atomic_cas converts nothing: expected int64, found int32
    tl.atomic_cas(p + tl.arange(0, 4), 0, 1)  #! tl.atomic_cas converts nothing: expected int32[4], found int32


#:
@triton.jit
def atomics_through_const(p: tl.const, n):
    tl.atomic_add(p, 1)  #! tl.atomic_add cannot write through a pointer to const


#: c = i8*8
@triton.jit
def compare_and_swap_errors(p, c, n):
    tl.atomic_cas(c, 0, 1)  #! tl.atomic_cas does not work on elements of type int8
    tl.atomic_cas(p, 0, 1, mask=n > 0)  #! 'mask'
