# for, while, static_range and the names that they carry.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: out -> i32[10, 35, 6, 15]
@triton.jit
def ranges(out, n):
    acc = 0
    for i in range(n):
        acc += i
    tl.store(out, acc)
    acc = 0
    for i in tl.range(5, 10):
        acc += i
    tl.store(out + 1, acc)
    acc = 0
    for i in range(0, n, 2):
        acc += i
    tl.store(out + 2, acc)
    acc = 0
    for i in range(n, 0, -1):
        acc += i
    tl.store(out + 3, acc)


#: out -> i32[4321]
@triton.jit
def descending_order(out, n):
    acc = 0
    for i in range(n - 1, 0, -1):
        acc = acc * 10 + i
    tl.store(out, acc)


#: out -> i32[741]
@triton.jit
def descending_stride(out):
    acc = 0
    for i in range(7, 0, -3):
        acc = acc * 10 + i
    tl.store(out, acc)


#: out -> i32[0]
@triton.jit
def zero_trips(out, n):
    acc = 0
    for i in range(n, n):
        acc += 1
    for i in range(3, -4):
        acc += 1
    tl.store(out, acc)


#: n = 5
#: big = 3000000000
#: out -> i64[3000000004]
@triton.jit
def wide_range(out, n, big):
    acc = big * 0
    for i in range(big, big + n):
        tl.static_assert(i.dtype == tl.int64)
        acc = i
    tl.store(out, acc)


#: out -> i32[10]
@triton.jit
def range_keywords(out, n):
    acc = 0
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True, warp_specialize=False,
                      disallow_acc_multi_buffer=True, disable_licm=True):
        acc += i
    tl.store(out, acc)


#:
@triton.jit
def literal_bounds_are_runtime(p):
    for i in range(4):
        tl.static_assert(i.dtype == tl.int32)
        x = tl.arange(0, i)  #! arange


#:
@triton.jit
def float_bound(p, s):
    for i in range(s):  #! a loop bound must be a scalar integer
        pass


#:
@triton.jit
def block_bound(p):
    for i in range(tl.arange(0, 4)):  #! a loop bound must be a scalar integer
        pass


#:
@triton.jit
def zero_step(p, n):
    for i in range(0, n, 0):  #! zero
        pass


#:
@triton.jit
def over_a_tuple(p):
    for i in (1, 2):  #! a loop runs over
        pass


#:
@triton.jit
def two_targets(p, n):
    for i, j in range(n):  #! one name
        pass


#:
@triton.jit
def for_else(p, n):
    for i in range(n):
        pass
    else:
        pass  #! 'else' after a loop


#:
@triton.jit
def static_for_else(p, n):
    for i in tl.static_range(2):
        pass
    else:
        pass  #! 'else' after a loop


#:
@triton.jit
def while_else(p, n):
    i = n
    while i > 0:
        i -= 1
    else:
        pass  #! 'else' after a loop


#: out -> i32[5]
@triton.jit
def target_name_stays_bound(out, n):
    for i in range(3):
        pass
    tl.static_assert(i.dtype == tl.int32)
    tl.store(out, n)


#:
@triton.jit
def names_of_the_body_vanish(p, n):
    for i in range(n):
        y = i
    tl.store(p, y)  #! 'y' is not defined


#:
@triton.jit
def carried_dtype_changes(p, n):
    acc = 0
    for i in range(n):  #! loop-carried variable 'acc'
        acc = acc * 1.5


#:
@triton.jit
def constexpr_is_not_carried(p, n):
    acc: tl.constexpr = 0
    for i in range(n):  #! 'acc'
        acc = acc + 1


#:
@triton.jit
def none_is_not_carried(p, n):
    acc = None
    for i in range(n):  #! 'acc'
        acc = i


#:
@triton.jit
def tuple_members_change(p, n):
    t = (0, 0)
    for i in range(n):  #! loop-carried variable 't'
        t = (0, 1.5)


#: out -> i32[10, 5]
@triton.jit
def tuple_is_carried(out, n):
    t = (0, 0)
    for i in range(n):
        t = (t[0] + i, t[1] + 1)
    tl.store(out, t[0])
    tl.store(out + 1, t[1])


#: out -> i32[1, 2, 3, 4]
@triton.jit
def pointers_are_carried(out):
    q = out
    i = 1
    while i < 5:
        tl.store(q, i)
        q += 1
        i += 1


#: out -> i32[8]
@triton.jit
def while_with_condition(out, n):
    i = 1
    while tl.condition(i < n, disable_licm=True):
        i *= 2
    tl.store(out, i)


#:
@triton.jit
def while_true(p):
    while True:  #! must be a run-time int1 scalar
        pass


#:
@triton.jit
def while_integer(p, n):
    while n:  #! must be a run-time int1 scalar
        n -= 1


#: out -> i32[210, 2]
@triton.jit
def static_range_changes_types(out):
    acc = 0
    for i in tl.static_range(2, -1, -1):
        acc = acc * 10 + i
        tl.static_assert(tl.zeros([1 << i], tl.int32).shape == (1 << i,))
    x = 1
    for j in tl.static_range(3):
        x = x.to(tl.float32) if j == 1 else x
    tl.static_assert(x.dtype == tl.float32)
    tl.static_assert(j == 2)
    tl.store(out, acc)
    tl.store(out + 1, j)


#:
@triton.jit
def static_range_of_runtime(p, n):
    for i in tl.static_range(n):  #! constexpr
        pass


#: out -> i32[60]
@triton.jit
def nested_loops(out, n, m):
    acc = 0
    for i in range(n):
        for j in range(m):
            k = 0
            while k < j + 1:
                acc += i - i // 4 * 4 + 1
                k += 1
    tl.store(out, acc + 60 - 66)


#:
@triton.jit
def target_width_changes(p, n):
    for i in range(n):
        pass
    for j in range(n):  #! loop-carried variable 'i'
        for i in range(n.to(tl.int64)):
            pass


#: n = 5
#: m = 2
#: out -> i32[24, 3, 1]
@triton.jit
def runtime_step(out, n, m):
    acc = 0
    for i in range(0, n, m):
        acc = acc * 10 + i
    tl.store(out, acc)
    acc = 0
    for i in range(5, 0, -2):
        acc += 1
    tl.store(out + 1, acc)
    acc = 1
    for i in range(0, 5, -2):
        acc += 1
    tl.store(out + 2, acc)


#: n = 4294967290
#: out -> i64[4294967290]
@triton.jit
def unsigned_bounds_compare_as_signed(out, n: tl.uint32):
    acc = n.to(tl.int64)
    for i in range(0, n):
        tl.static_assert(i.dtype == tl.uint32)
        acc += 1
    tl.store(out, acc)


#: n = 5
@triton.jit
def types_of_targets(p, n: tl.int64):
    for a in range(0, n):
        tl.static_assert(a.dtype == tl.int64)
    for b in range(n.to(tl.int8)):
        tl.static_assert(b.dtype == tl.int32)
    for c in range(n.to(tl.int8), n.to(tl.int8), n.to(tl.int8)):
        tl.static_assert(c.dtype == tl.int8)
    for d in range(3000000000, 3000000002):
        tl.static_assert(d.dtype == tl.uint32)
    for _ in range(True):
        pass


#: out -> i32[10]
@triton.jit
def assigned_target(out, n):
    acc = 0
    for i in range(n):
        acc += i
        i = 100
        j: tl.constexpr = 4
    tl.store(out, acc)


#:
@triton.jit
def headers_of_other_kinds(p, n):
    for a in range("x"):  #! a loop bound must be a scalar integer, found a string
        pass
    for b in range(None):  #! a loop bound must be a scalar integer, found None
        pass
    for n.x in range(3):  #! the target of a loop must be one name
        pass
    for c in n:  #! a loop runs over
        pass
    for d in range():  #! missing argument
        pass
    for e in range(3, foo=1):  #! no parameter 'foo'
        pass
    for f in enumerate(3):  #! 'enumerate' is not defined
        pass
    for g in tl.static_range(1.5):  #! constexpr integer
        pass
    for h in tl.static_range(0, 3, 0):  #! zero
        pass
    for i in tl.static_range(10000000):  #! at most 65536
        pass
    for j in tl.range(3, num_stages=n):  #! num_stages must be a constexpr integer
        pass


#:
@triton.jit
def dtype_is_not_carried(p, n):
    t = tl.int32
    for i in range(n):  #! 't'
        t = n


#: out -> i32[1, 2, 4, 8, 8, 3]
@triton.jit
def names_of_static_range_stay(out, n):
    x = 1
    for i in tl.static_range(4):
        tl.store(out + i, x)
        x = x * 2 if i < 3 else x
        y = i
    tl.store(out + 4, x)
    tl.store(out + 5, y)
    for k in tl.static_range(0):
        undefined(1)
    for k in tl.static_range(len((1, 2))):
        z = tl.zeros([2 << k], tl.int32)
    tl.static_assert(z.shape == (4,))


#:
@triton.jit
def conditions_of_while(p, n):
    while 1:  #! must be a run-time int1 scalar
        pass
    while tl.arange(0, 4) < 2:  #! must be a run-time int1 scalar
        pass
    while "x":  #! must be a run-time int1 scalar
        pass
    while tl.condition(n):  #! must be a run-time int1 scalar
        pass


#:
@triton.jit
def while_changes_types(p, n):
    i = 0
    while i < n:  #! loop-carried variable 'i'
        i = i + 1.0


#: out -> i32[5, 3, 8]
@triton.jit
def conditions_of_several_operands(out, n):
    m = n
    while (m > 0) & (m < 6):
        m += 1
    tl.store(out, m - 1)
    k = 0
    while k < 3 and n > 4:
        k += 1
    tl.store(out + 1, k)
    while not (m > 7):
        m += 1
    tl.store(out + 2, m)


#: out -> i32[3]
@triton.jit
def no_trips_keep_values(out, n):
    x = 3
    for i in range(0):
        x = 4
    while n < 0:
        x = 5
        n += 1
    tl.store(out, x)


@triton.jit
def sum_of_blocks(x, n, start, end, step, BLOCK: tl.constexpr):
    """Iterations whose loads can start early: there may be none, and the last one may end in the middle of a block."""
    acc = tl.zeros([BLOCK], tl.int32)
    for i in range(start, end, step):
        at = i * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(x + at, mask=at < n, other=1)
    return tl.sum(acc, 0)


@triton.jit
def sum_by_carried_pointer(x, turns, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.int32)
    scale = 1
    for _ in range(turns):
        acc += scale * tl.load(x + tl.arange(0, BLOCK))
        x += BLOCK
        scale += 1
    return tl.sum(acc, 0)


@triton.jit
def sum_of_triangle(x, n, BLOCK: tl.constexpr):
    """Loops within loops, of which the first has no iteration; the largest value of each ends the next one's sum."""
    acc = tl.zeros([BLOCK], tl.int32)
    most = 0
    for i in range(n):
        for j in range(i):
            v = tl.load(x + (i + j) * BLOCK + tl.arange(0, BLOCK))
            acc += tl.where(v > most, v, 0)
            most = tl.max(v, 0) - BLOCK
    return tl.sum(acc, 0)


#: n = 2800
#: x = i32*4096
#: out -> i32[3918872, 1023, 0, 0, 2096128, 3918872, 0, 523776, 3668480, 7862784]
@triton.jit
def loads_a_turn_ahead(out, x, n):
    for block in tl.static_range(4):
        i = block * 1024 + tl.arange(0, 1024)
        tl.store(x + i, i)
    tl.debug_barrier()
    tl.store(out, sum_of_blocks(x, n, 0, tl.cdiv(n, 1024), 1, 1024))
    tl.store(out + 1, sum_of_blocks(x, n - 2799, 0, 1, 1, 1024))
    tl.store(out + 2, sum_of_blocks(x, n, 3, 3, 1, 1024))
    tl.store(out + 3, sum_of_blocks(x, n, 3, 0, 1, 1024))
    tl.store(out + 4, sum_of_blocks(x, 2048, 1, -1, -1, 1024))
    tl.store(out + 5, sum_of_blocks(x, n, 2, -1, -1, 1024))
    tl.store(out + 6, sum_by_carried_pointer(x, n - 2800, 1024))
    tl.store(out + 7, sum_by_carried_pointer(x, n - 2799, 1024))
    tl.store(out + 8, sum_by_carried_pointer(x, n - 2798, 1024) + sum_of_triangle(x, n - 2799, 1024))
    tl.store(out + 9, sum_of_triangle(x, n - 2797, 1024))


#: N = 14
#: D = 11
#: ns = i32[0, 1, -1, 2, 3, 6, 15, 16, 99, 2147483647, 2147483646, -2147483647, -17, 1000000007]
#: ds = i32[1, 2, 3, 7, 16, 100, 2147483647, -1, -3, -16, -2147483648]
#: out -> i32[0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, 2147483646, 0, -2147483647, 0, -17, 0, 1000000007, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1, 1, 3, 0, 7, 1, 8, 0, 49, 1, 1073741823, 1, 1073741823, 0, -1073741823, -1, -8, -1, 500000003, 1, 0, 0, 0, 1, 0, -1, 0, 2, 1, 0, 2, 0, 5, 0, 5, 1, 33, 0, 715827882, 1, 715827882, 0, -715827882, -1, -5, -2, 333333335, 2, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 2, 1, 2, 2, 14, 1, 306783378, 1, 306783378, 0, -306783378, -1, -2, -3, 142857143, 6, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, 1, 0, 6, 3, 134217727, 15, 134217727, 14, -134217727, -15, -1, -1, 62500000, 7, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, 0, 16, 0, 99, 21474836, 47, 21474836, 46, -21474836, -47, 0, -17, 10000000, 7, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, 0, 16, 0, 99, 1, 0, 0, 2147483646, -1, 0, 0, -17, 0, 1000000007, 0, 0, -1, 0, 1, 0, -2, 0, -3, 0, -6, 0, -15, 0, -16, 0, -99, 0, -2147483647, 0, -2147483646, 0, 2147483647, 0, 17, 0, -1000000007, 0, 0, 0, 0, 1, 0, -1, 0, 2, -1, 0, -2, 0, -5, 0, -5, 1, -33, 0, -715827882, 1, -715827882, 0, 715827882, -1, 5, -2, -333333335, 2, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, -1, 0, -6, 3, -134217727, 15, -134217727, 14, 134217727, -15, 1, -1, -62500000, 7, 0, 0, 0, 1, 0, -1, 0, 2, 0, 3, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, 2147483646, 0, -2147483647, 0, -17, 0, 1000000007]
@triton.jit
def divisors_that_a_loop_keeps(out, ns, ds, N, D):
    for j in range(D):
        d = tl.load(ds + j)
        for i in range(N):
            n = tl.load(ns + i)
            tl.store(out + 2 * (j * N + i), n // d)
            tl.store(out + 2 * (j * N + i) + 1, n % d)


#: N = 12
#: D = 11
#: ns = i32[0, 1, 2, 6, 15, 16, 99, 2147483647, -2147483648, -1, -2, -1294967277]
#: ds = i32[1, 2, 3, 7, 16, 100, 2147483647, -2147483648, -2147483647, -2, -1]
#: out -> i32[0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, -2147483648, 0, -1, 0, -2, 0, -1294967277, 0, 0, 0, 0, 1, 1, 0, 3, 0, 7, 1, 8, 0, 49, 1, 1073741823, 1, 1073741824, 0, 2147483647, 1, 2147483647, 0, 1500000009, 1, 0, 0, 0, 1, 0, 2, 2, 0, 5, 0, 5, 1, 33, 0, 715827882, 1, 715827882, 2, 1431655765, 0, 1431655764, 2, 1000000006, 1, 0, 0, 0, 1, 0, 2, 0, 6, 2, 1, 2, 2, 14, 1, 306783378, 1, 306783378, 2, 613566756, 3, 613566756, 2, 428571431, 2, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 1, 0, 6, 3, 134217727, 15, 134217728, 0, 268435455, 15, 268435455, 14, 187500001, 3, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 21474836, 47, 21474836, 48, 42949672, 95, 42949672, 94, 30000000, 19, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 1, 0, 1, 1, 2, 1, 2, 0, 1, 852516372, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 1, 0, 1, 2147483647, 1, 2147483646, 1, 852516371, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, -2147483648, 1, 2147483646, 1, 2147483645, 1, 852516370, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, -2147483648, 1, 1, 1, 0, 0, -1294967277, 0, 0, 0, 1, 0, 2, 0, 6, 0, 15, 0, 16, 0, 99, 0, 2147483647, 0, -2147483648, 1, 0, 0, -2, 0, -1294967277]
@triton.jit
def unsigned_divisors_that_a_loop_keeps(out, ns, ds, N, D):
    for j in range(D):
        d = tl.load(ds + j).to(tl.uint32)
        for i in range(N):
            n = tl.load(ns + i).to(tl.uint32)
            tl.store(out + 2 * (j * N + i), n // d)
            tl.store(out + 2 * (j * N + i) + 1, n % d)


#: n = 3
#: none = 0
#: x = i32[5, 6, 7, 8]
#: out -> i32[4, 4]
@triton.jit
def loads_at_quotients_a_turn_ahead(out, x, n, none):
    sum = 0
    for k in range(4):
        sum += tl.load(x + k // n)
        sum -= tl.load(x + k // n - k // n) - (k // n) * 3
    tl.store(out, sum)
    for k in range(none):
        sum += tl.load(x + k // none)
    tl.store(out + 1, sum)
