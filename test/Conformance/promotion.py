# Types of literals, promotion of operands, and the operators.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# Asserts the type of x + y for an x of one type and each type of y, in the order of the parameters.
@triton.jit
def check_row(x: tl.constexpr, i1: tl.constexpr, i8: tl.constexpr, i32: tl.constexpr, i64: tl.constexpr,
              u8: tl.constexpr, u32: tl.constexpr, u64: tl.constexpr, fp16: tl.constexpr,
              bf16: tl.constexpr, fp32: tl.constexpr, fp64: tl.constexpr):
    left = tl.zeros([4], x)
    tl.static_assert((left + tl.zeros([4], tl.int1)).dtype == i1)
    tl.static_assert((left + tl.zeros([4], tl.int8)).dtype == i8)
    tl.static_assert((left + tl.zeros([4], tl.int32)).dtype == i32)
    tl.static_assert((left + tl.zeros([4], tl.int64)).dtype == i64)
    tl.static_assert((left + tl.zeros([4], tl.uint8)).dtype == u8)
    tl.static_assert((left + tl.zeros([4], tl.uint32)).dtype == u32)
    tl.static_assert((left + tl.zeros([4], tl.uint64)).dtype == u64)
    tl.static_assert((left + tl.zeros([4], tl.float16)).dtype == fp16)
    tl.static_assert((left + tl.zeros([4], tl.bfloat16)).dtype == bf16)
    tl.static_assert((left + tl.zeros([4], tl.float32)).dtype == fp32)
    tl.static_assert((left + tl.zeros([4], tl.float64)).dtype == fp64)


#:
@triton.jit
def row_i1(p):
    check_row(tl.int1, tl.int1, tl.int8, tl.int32, tl.int64, tl.uint8, tl.uint32, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_i8(p):
    check_row(tl.int8, tl.int8, tl.int8, tl.int32, tl.int64, tl.uint8, tl.uint32, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_i32(p):
    check_row(tl.int32, tl.int32, tl.int32, tl.int32, tl.int64, tl.int32, tl.uint32, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_i64(p):
    check_row(tl.int64, tl.int64, tl.int64, tl.int64, tl.int64, tl.int64, tl.int64, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_u8(p):
    check_row(tl.uint8, tl.uint8, tl.uint8, tl.int32, tl.int64, tl.uint8, tl.uint32, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_u32(p):
    check_row(tl.uint32, tl.uint32, tl.uint32, tl.uint32, tl.int64, tl.uint32, tl.uint32, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_u64(p):
    check_row(tl.uint64, tl.uint64, tl.uint64, tl.uint64, tl.uint64, tl.uint64, tl.uint64, tl.uint64,
              tl.float16, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_fp16(p):
    check_row(tl.float16, tl.float16, tl.float16, tl.float16, tl.float16, tl.float16, tl.float16, tl.float16,
              tl.float16, tl.float16, tl.float32, tl.float64)


#:
@triton.jit
def row_bf16(p):
    check_row(tl.bfloat16, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32,
              tl.float16, tl.bfloat16, tl.float32, tl.float64)


#:
@triton.jit
def row_fp32(p):
    check_row(tl.float32, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32, tl.float32,
              tl.float32, tl.float32, tl.float32, tl.float64)


#:
@triton.jit
def row_fp64(p):
    x = tl.zeros([4], tl.float64)
    tl.static_assert((x + tl.zeros([4], tl.int64)).dtype == tl.float64)
    tl.static_assert((x + tl.zeros([4], tl.float32)).dtype == tl.float64)


#:
@triton.jit
def int16_rows(p):
    x = tl.zeros([4], tl.int16)
    y = tl.zeros([4], tl.uint16)
    tl.static_assert((x + y).dtype == tl.uint16)
    tl.static_assert((x + tl.zeros([4], tl.int8)).dtype == tl.int16)
    tl.static_assert((y + tl.zeros([4], tl.int32)).dtype == tl.int32)
    tl.static_assert((x + tl.zeros([4], tl.uint8)).dtype == tl.int16)


#:
@triton.jit
def literal_mode(p, h, b):
    half = tl.load(h)
    brain = tl.load(b)
    small = tl.zeros([], tl.int8)
    word = tl.load(p)
    flag = word > 0
    byte = tl.zeros([], tl.uint8)
    tl.static_assert((half * 0.5).dtype == tl.float16)
    tl.static_assert((brain + 1).dtype == tl.bfloat16)
    tl.static_assert((small + 1).dtype == tl.int8)
    tl.static_assert((word * 2.0).dtype == tl.float32)
    tl.static_assert((flag & 1).dtype == tl.int32)
    tl.static_assert((flag | True).dtype == tl.int1)
    tl.static_assert((half / 2).dtype == tl.float32)
    tl.static_assert((1 / brain).dtype == tl.float32)
    tl.static_assert((byte // 2).dtype == tl.uint8)
    tl.static_assert((word * 1e-40).dtype == tl.float64)
    tl.static_assert((half * 1e-40).dtype == tl.float16)
    tl.static_assert((True + small).dtype == tl.int8)
    tl.static_assert(tl.add(half, 1).dtype == tl.float16)
    tl.static_assert(tl.mul(1, 2).dtype == tl.int32)
    tl.static_assert(tl.where(flag, half, 0.0).dtype == tl.float16)


#:
@triton.jit
def materialised(p):
    a = True
    tl.static_assert(a.dtype == tl.int1)
    b = 2147483647
    tl.static_assert(b.dtype == tl.int32)
    c = 2147483648
    tl.static_assert(c.dtype == tl.uint32)
    d = 4294967296
    tl.static_assert(d.dtype == tl.int64)
    e = 9223372036854775808
    tl.static_assert(e.dtype == tl.uint64)
    f = -2147483649
    tl.static_assert(f.dtype == tl.int64)
    g = 1.5
    tl.static_assert(g.dtype == tl.float32)
    h = 1e300
    tl.static_assert(h.dtype == tl.float64)
    i = 1e-40
    tl.static_assert(i.dtype == tl.float64)
    j = float("inf")
    tl.static_assert(j.dtype == tl.float32)
    k = float("nan")
    tl.static_assert(k.dtype == tl.float32)


#:
@triton.jit
def too_large(p):
    a = 18446744073709551616  #! 


#:
@triton.jit
def literals_out_of_range(p):
    x = tl.zeros([4], tl.int8)
    a = x + 200  #! out of range
    y = tl.zeros([4], tl.uint32)
    b = y + (-1)  #! negative
    c = y * 4294967296  #! out of range


#:
@triton.jit
def constants_of_a_type(p):
    a = tl.full([4], 1.5, tl.int32)  #! 
    b = tl.full([4], -1, tl.uint32)  #! 
    c = tl.full([4], True, tl.float32)
    d = tl.full([4], 3, tl.bfloat16)


#: out -> fp32[0, 0]
@triton.jit
def negative_zero(out):
    z = tl.full([1], -0.0, tl.float32)
    w = -tl.zeros([1], tl.float32)
    i = tl.arange(0, 1)
    tl.static_assert(z.to(tl.int32, bitcast=True).dtype == tl.int32)
    tl.store(out + i, z.to(tl.int32, bitcast=True).to(tl.float32))
    tl.store(out + 1 + i, w.to(tl.int32, bitcast=True).to(tl.float32))


#:
@triton.jit
def division_types(p):
    i = tl.zeros([4], tl.int64)
    h = tl.zeros([4], tl.float16)
    b = tl.zeros([4], tl.bfloat16)
    f = tl.zeros([4], tl.float32)
    d = tl.zeros([4], tl.float64)
    tl.static_assert((i / i).dtype == tl.float32)
    tl.static_assert((h / h).dtype == tl.float32)
    tl.static_assert((b / b).dtype == tl.float32)
    tl.static_assert((h / b).dtype == tl.float32)
    tl.static_assert((h % 2).dtype == tl.float32)
    tl.static_assert((f / d).dtype == tl.float64)
    tl.static_assert((i % 2).dtype == tl.int64)


#:
@triton.jit
def mixed_signedness(p):
    u = tl.zeros([4], tl.uint32)
    i = tl.zeros([4], tl.int32)
    tl.static_assert((u + i).dtype == tl.uint32)
    a = u // i  #! sign
    b = u % i  #! sign
    c = u // 2
    tl.static_assert(c.dtype == tl.uint32)


#:
@triton.jit
def integers_only(p):
    f = tl.zeros([4], tl.float32)
    a = f // 2  #! divides integers only
    b = f & 1  #! cannot apply '&'
    c = f << 1  #! cannot apply '<<'
    d = ~f  #! cannot apply unary '~'


#: out -> i32[-3, -1, 3, 2147483647, 1, 2]
@triton.jit
def integer_division(out, n):
    k = -7 + n * 0
    tl.store(out, k // 2)
    tl.store(out + 1, k % 2)
    tl.store(out + 2, 7 // (n - 3))
    u = tl.full([], 4294967295, tl.uint32) + (n * 0).to(tl.uint32)
    tl.store(out + 3, (u // 2).to(tl.int32))
    tl.store(out + 4, (u % 2).to(tl.int32))
    tl.store(out + 5, (7 + 0 * n) % n)


#: x = fp32[-7.5, 7.5]
#: out -> fp32[-1.5, 1.5]
@triton.jit
def float_remainder(out, x):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.load(x + i) % 3)


#: out -> i32[-1073741824, 1073741824, 8, -2, 2147483646]
@triton.jit
def shifts(out, n):
    i = -2147483648 + n * 0
    u = i.to(tl.uint32)
    tl.store(out, i >> 1)
    tl.store(out + 1, (u >> 1).to(tl.int32))
    tl.store(out + 2, 1 << (n - 2))
    tl.store(out + 3, (i + 2147483646) >> (n - 5))
    tl.store(out + 4, (u + 2147483646 + 2147483648).to(tl.int32))


#: x = fp32[nan, 1]
#: out -> i32[0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]
@triton.jit
def comparisons(out, x):
    i = tl.arange(0, 2)
    v = tl.load(x + i)
    tl.store(out + i, (v == v).to(tl.int32))
    tl.store(out + 2 + i, (v < v).to(tl.int32))
    tl.store(out + 4 + i, (v != v).to(tl.int32) * 0)
    tl.store(out + 6 + i, (v != v).to(tl.int32))
    tl.store(out + 8 + i, (v >= v).to(tl.int32))
    tl.store(out + 10 + i, (v <= v).to(tl.int32))


#:
@triton.jit
def pointer_operators(p, f, s):
    a = p + f  #! cannot apply '+'
    b = p - p  #! cannot apply '-'
    c = 1 - p  #! cannot apply '-'
    d = p * 2  #! cannot apply '*'
    e = p + s  #! 
    g = p == p  #! pointers cannot be compared
    h = -p  #! cannot apply unary '-'


#: options = --debug
#: out -> i32[1]
@triton.jit
def no_overflow(out, n):
    tl.store(out, (n + 2147483642) - 2147483646)
