# tl.load and tl.store: shapes of pointer, mask and other, conversions, bytes behind int1 pointers, hints.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = i32[3, -4, 5, 6]
#: out -> i32[3, 0, 9, -4, 77, 5, -1]
@triton.jit
def scalar_loads(x, out, n):
    a = tl.load(x)
    tl.static_assert(len(a.shape) == 0 and a.dtype == tl.int32)
    tl.store(out, a)
    tl.store(out + 1, tl.load(x, mask=n < 0, other=0))
    tl.store(out + 2, tl.load(x + 1, n < 0, 9))
    tl.store(out + 3, tl.load(x + 1, True))
    tl.store(out + 4, tl.load(x, mask=False, other=77))
    tl.store(out + 5, tl.load(x + 2, mask=True, other=1))
    tl.store(out + 6, tl.load(pointer=x, mask=n < 0, other=-1.5))


# The mask may enlarge the block of pointers; then `other` is broadcast to both.
#: x = i32[1, 2, 3, 4]
#: out -> i32[1, -1, 2, -1, 3, -1, 4, -1, 1, 20, 2, 20, 3, 20, 4, 20, 10, 2, 10, 4, 1, 1, 1, 1]
@triton.jit
def masks_enlarge_loads(x, out):
    i = tl.arange(0, 4)
    p = x + i[:, None]
    a = tl.load(p, mask=tl.arange(0, 2)[None, :] == 0, other=-1)
    tl.static_assert(a.shape == (4, 2))
    write(out, a)
    other = (tl.arange(0, 2) + 1) * 10
    write(out + 8, tl.load(p, mask=tl.arange(0, 2)[None, :] == 0, other=other[None, :]))
    write(out + 16, tl.load(x + i, mask=i % 2 == 1, other=tl.zeros([1], tl.int32) + 10))
    b = tl.load(x + tl.zeros([4], tl.int32), mask=tl.full([1], True, tl.int1), other=0)
    tl.static_assert(b.shape == (4,))
    write(out + 20, b)


# `other` is cast to the type of the elements, a stored value too.
#: x = i8[1, 2]
#: h = fp16[0.5, 0.25]
#: out -> fp64[44, 2, 3, 2, 0.333251953125, 0.25]
#: q -> u8[44, 255, 0, 7]
@triton.jit
def conversions(x, h, out, q):
    i = tl.arange(0, 2)
    a = tl.load(x + i, mask=i == 1, other=300)
    b = tl.load(x + i, mask=i == 1, other=3.9)
    c = tl.load(h + i, mask=i == 1, other=1 / 3)
    tl.static_assert(a.dtype == tl.int8 and c.dtype == tl.float16)
    tl.store(out + i, a)
    tl.store(out + 2 + i, b)
    tl.store(out + 4 + i, c)
    tl.store(q, 300)
    tl.store(q + 1, -1)
    tl.store(q + 2, 0.9)
    (q + 3).store(tl.full((), 7.7, tl.float16))


# Bytes behind pointers to int1: what is not 0 is true, and a store writes the number as int8.
#: x = i1[1, 0, 1, 1]
#: y = i8[5, 0, -128, 1]
#: b -> i1[1, 0, 1, 1]
#: c = i8*8 -> i8[2, 0, 1, 0, -1, 1, 44, 0]
#: out -> i32[1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0]
@triton.jit
def booleans_are_bytes(x, y, b, c, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(v.dtype == tl.int1)
    tl.store(out + i, v.to(tl.int32))
    bytes = (y + i).to(tl.pointer_type(tl.int1))
    tl.store(out + 4 + i, tl.load(bytes).to(tl.int32))
    tl.store(out + 8 + i, tl.load(x + i, mask=i == 0, other=False).to(tl.int32))
    tl.store(b + i, v)
    q = c.to(tl.pointer_type(tl.int1))
    tl.store(q, 2)
    tl.store(q + 1, 0.5)
    tl.store(q + 2, True)
    tl.store(q + 4 + tl.arange(0, 2), tl.arange(0, 2) * 2 - 1)
    tl.store(q + 6, 300)


# Every hint leaves the values alone.
#: x = fp32[1.5, -2, 3, 4]
#: out -> fp32[1.5, -2, 3, 4, 1.5, -2, 3, 4, 1.5, -2, 3, 4, 1.5, -2, 3, 4, 1.5, -2, 3, 4]
@triton.jit
def hints(x, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i, cache_modifier=".ca", eviction_policy="evict_first")
    b = tl.load(x + i, mask=i < 9, cache_modifier=".cg", eviction_policy="evict_last")
    c = tl.load(x + i, cache_modifier=".cv", volatile=True)
    d = tl.load(x + i, volatile=True, eviction_policy="")
    e = tl.load(x + i, None, None, (), "", "", "", False)
    tl.store(out + i, a, cache_modifier=".wb")
    tl.store(out + 4 + i, b, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(out + 8 + i, c, mask=i < 9, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(out + 12 + i, d, cache_modifier=".wt")
    tl.store(out + 16 + i, e, None, (), "", "")


#: out -> i32[7, 7, 7, 7, 1, 9, 3, 9, 5, 5, 5, 5]
@triton.jit
def stores_broadcast_values(out):
    i = tl.arange(0, 4)
    tl.store(out + i, 7)
    tl.store(out + 4 + i, i + 1, True)
    tl.store(out + 4 + i, 9, mask=i % 2 == 1)
    tl.store(out + 4 + i, 11, False)
    p = out + 8 + tl.reshape(i, (2, 2))
    tl.store(p, tl.full([2, 1], 5, tl.int32), mask=tl.full([2], True, tl.int1))


# Of stores of small tiles that overlap, the later one stays: beside each other, over scalars, and in loops.
#: x = i32[5, 0, 7, 0, 0, 3, 0, 1, 2, 0, 0, 4, 0, 0, 6, 8]
#: n = 4
#: out -> i32[1, 2, 3, 100, 101, 102, 103, 104, 105, 106, 107, 30, 5, 7, 3, 1, 2, 4, 6, 8]
#: options = --num-warps=4
@triton.jit
def stores_in_program_order(x, out, n):
    i = tl.arange(0, 8)
    tl.store(out + i, i + 1)
    tl.store(out + 3 + i, 107 - i)
    tl.store(out + 10 - i, 107 - i)
    tl.store(out + 11 + tl.zeros_like(i), 20)
    tl.store(out + 11, 30)
    count = 0
    j = tl.arange(0, 4)
    for k in range(n):
        v = tl.load(x + k * 4 + j)
        wanted = (v != 0).to(tl.int32)
        before = tl.cumsum(wanted, 0) - wanted
        tl.store(out + 12 + count + j, -1, mask=count + j < 8)
        tl.store(out + 12 + count + before, v, mask=v != 0)
        count += tl.sum(wanted, 0)


# Distances of pointers: signed ones extend their sign, unsigned ones do not, in every width.
#: x = i32[10, 11, 12, 13, 14, 15, 16, 17]
#: out -> i32[13, 14, 15, 12, 13, 17, 11, 11, 12, 14, 10, 16]
@triton.jit
def pointer_arithmetic(x, out):
    q = x + 4
    one = tl.program_id(0) + 1
    tl.store(out, tl.load(q - one))
    tl.store(out + 1, tl.load(q + 0 * one))
    tl.store(out + 2, tl.load(one + q))
    tl.store(out + 3, tl.load(q + (-2 * one).to(tl.int8)))
    tl.store(out + 4, tl.load(q - one.to(tl.int16)))
    tl.store(out + 5, tl.load(q + (3 * one).to(tl.uint8)))
    tl.store(out + 6, tl.load(q - (3 * one).to(tl.int64)))
    tl.store(out + 7, tl.load(q - 3))
    tl.store(out + 8, tl.load(x + 1 + (one > 0)))
    # 252 as uint8 is +252, and back.
    tl.store(out + 9, tl.load((q + (252 * one).to(tl.uint8)) - 252))
    tl.store(out + 10, tl.load(q + (4294967292 * one.to(tl.int64)).to(tl.uint32) - 4294967296))
    tl.store(out + 11, tl.load(q - (4294967294 * one.to(tl.int64)).to(tl.uint64) + 4294967296))


# where and loops carry pointers; casts give addresses.
#: x = i32[10, 11, 12, 13]
#: y = i32[20, 21, 22, 23]
#: out -> i64[20, 11, 22, 13, 4, 1, 46, 10]
@triton.jit
def pointers_as_values(x, y, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(tl.where(i % 2 == 0, y + i, x + i)))
    tl.store(out + 4, (x + 1).to(tl.int64) - x.to(tl.uint64).to(tl.int64))
    tl.store(out + 5, x.to(tl.int1).to(tl.int64))
    total = tl.zeros((), tl.int32)
    q = x
    for k in range(4):
        total += tl.load(q)
        q += 1
    tl.store(out + 6, total)
    address = x.to(tl.int64)
    tl.store(out + 7, tl.load(address.to(tl.pointer_type(tl.int32))))


#: x = fp32[1, -2]
#: out -> i32[1065353216, -1073741824, 128, 63]
@triton.jit
def pointers_reinterpret(x, out):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.load((x + i).to(tl.pointer_type(tl.int32), bitcast=True)))
    tl.store(out + 2 + i, tl.load(x.to(tl.pointer_type(tl.uint8)) + 2 + i))


# (0) is 0 and no tuple: nothing is checked.
#: p = i32[1, 2, 3, 4]
#: out -> i32[1, 2, 3, 4]
@triton.jit
def checks_of_nothing(p, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(p + i, boundary_check=(0)), boundary_check=(0))


#:
@triton.jit
def load_errors(p, f, n):
    i = tl.arange(0, 4)
    tl.load(n)  #! a pointer or a block of pointers
    tl.load(p, other=0)  #! 'other' needs a mask
    tl.load(p, mask=i < 2)  #! a scalar pointer takes a scalar mask and other
    tl.load(p, mask=True, other=i)  #! a scalar pointer takes a scalar mask and other
    tl.load(p + i, mask=i)  #! a tensor of int1
    tl.load(p + i, mask=1)  #! a tensor of int1
    tl.load(p + i, mask=i < 2, other=tl.zeros([2, 4], tl.int32))  #! is larger than pointer and mask
    tl.load(p + i, mask=tl.arange(0, 2) == 0)  #! cannot broadcast the shapes [4] and [2]
    tl.load(p + i, boundary_check=(0,))  #! boundary checks and padding are for block pointers only
    tl.load(p + i, padding_option="zero")  #! boundary checks and padding are for block pointers only
    tl.load(p, cache_modifier=".wb")  #! unknown cache modifier '.wb'
    tl.load(p, eviction_policy="evict_normal")  #! unknown eviction policy 'evict_normal'
    tl.load(f, mask=True, other=p)  #! cannot cast
    p.load()  #! load
    p + f  #! cannot apply '+'
    p + 1.5  #! a pointer moves by integers
    p - p  #! cannot apply '-'
    2 - p  #! cannot apply '-'
    p * 2  #! cannot apply '*'
    p == p  #! pointers cannot be compared


#:
@triton.jit
def store_errors(p, f, n):
    i = tl.arange(0, 4)
    tl.store(p, i)  #! a scalar pointer takes a scalar value
    tl.store(p, 1, mask=i < 2)  #! a scalar pointer takes a scalar mask
    tl.store(p + i, tl.zeros([2, 4], tl.int32))  #! only a load broadcasts the pointer
    tl.store(p + i, 1, mask=i[:, None] < 2)  #! only a load broadcasts the pointer
    tl.store(p + i, 1, mask=i)  #! a tensor of int1
    tl.store(p, 1, mask=1)  #! a tensor of int1
    tl.store(p + i, 1, boundary_check=(0,))  #! boundary checks and padding are for block pointers only
    tl.store(p, 1, cache_modifier=".ca")  #! unknown cache modifier '.ca'
    tl.store(p, 1, eviction_policy="last")  #! unknown eviction policy 'last'
    tl.store(p, "x")  #! a tensor or a number
    tl.store(n, 1)  #! a pointer or a block of pointers
    tl.store(p, f)  #! a pointer casts to int64, uint64 and int1 only
    -p  #! cannot apply unary '-'
    p.to(tl.int32)  #! a pointer casts to int64, uint64 and int1 only
    p.to(tl.float64)  #! a pointer casts to int64, uint64 and int1 only
    tl.where(n > 0, p, 0)  #! tl.where takes two pointers of one type
    tl.where(n > 0, p, f)  #! tl.where takes two pointers of one type


#:
@triton.jit
def stores_through_const(p: tl.const, f: "*kfp32", n):
    tl.store(p, tl.load(p))  #! cannot store through a pointer to const
    tl.store(f + tl.arange(0, 4), 1.0)  #! cannot store through a pointer to const
