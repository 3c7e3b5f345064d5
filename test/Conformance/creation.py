# The grid, blocks that are made from nothing, and casts as functions (tl.full, tl.arange, tl.cdiv ..).
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: grid = 2,3,2
#: out -> i32[700, 706, 702, 708, 704, 710, 701, 707, 703, 709, 705, 711]
@triton.jit
def grid_axes(out):
    x, y, z = tl.program_id(0), tl.program_id(axis=1), tl.program_id(2)
    tl.static_assert(x.dtype == tl.int32 and tl.num_programs(2).dtype == tl.int32)
    sizes = tl.num_programs(0) + tl.num_programs(1) + tl.num_programs(axis=2)
    tl.store(out + (z * 3 + y) * 2 + x, (x * 3 + y) * 2 + z + 100 * sizes)


#:
@triton.jit
def grid_axis_range(p):
    tl.program_id(3)  #! the axis of a grid is 0, 1 or 2, found 3
    tl.num_programs(-1)  #! the axis of a grid is 0, 1 or 2, found -1


#:
@triton.jit
def grid_axis_at_run_time(p, n):
    tl.program_id(n)  #! argument 'axis' of tl.program_id must be a constexpr integer


# The start of a range need not be a power of two, its length must be.
#: out -> i64[3, 4, 5, 6, 4294967293, 4294967294]
@triton.jit
def arange_bounds(out):
    tl.store(out + tl.arange(0, 4), tl.arange(3, 7))
    r = tl.arange(start=4294967293, end=4294967295)
    tl.static_assert(r.dtype == tl.int32 and r.shape[0] == 2)
    tl.store(out + 4 + tl.arange(0, 2), r.to(tl.uint32))


#:
@triton.jit
def arange_errors(p, n):
    tl.arange(0, 6)  #! the length of tl.arange must be a power of two, found 6
    tl.arange(4, 4)  #! the end of tl.arange must be greater than the start, found 4 and 4
    tl.arange(8, 4)  #! the end of tl.arange must be greater than the start, found 8 and 4
    tl.arange(-4, 4)  #! the bounds of tl.arange must be from 0 to 2^32 - 1
    tl.arange(4294967280, 4294967296)  #! the bounds of tl.arange must be from 0 to 2^32 - 1
    tl.arange(0, n)  #! argument 'end' of tl.arange must be a constexpr integer
    tl.arange(0, 4.0)  #! argument 'end' of tl.arange must be a constexpr integer
    tl.arange(0, 2097152)  #! a block holds at most 1048576 elements
    tl.arange(0)  #! argument 'end'


# Every type but the 8-bit floats takes numbers and booleans.
#: out -> fp64[1, 200, -3, 65000, -70000, 4000000000, 5000000000, 18446744073709551615, 0.333251953125, 0.333984375, 0.3333333432674408, 0.3333333333333333]
@triton.jit
def full_of_each_type(out):
    tl.store(out, tl.full((), True, tl.int1).to(tl.float64))
    tl.store(out + 1, tl.full([], 200, tl.uint8).to(tl.float64))
    tl.store(out + 2, tl.full((), -3, tl.int8))
    tl.store(out + 3, tl.full((), 65000, tl.uint16))
    tl.store(out + 4, tl.full((), -70000, tl.int32))
    tl.store(out + 5, tl.full((), 4000000000, tl.uint32))
    tl.store(out + 6, tl.full((), 5000000000, tl.int64))
    tl.store(out + 7, tl.full((), 18446744073709551615, tl.uint64))
    tl.store(out + 8, tl.full((), 1 / 3, tl.float16))
    tl.store(out + 9, tl.full((), 1 / 3, tl.bfloat16))
    tl.store(out + 10, tl.full((), 1 / 3, dtype=tl.float32))
    tl.store(out + 11, tl.full((), value=1 / 3, dtype=tl.float64))


# A scalar tensor is cast; a number becomes the type at once.
#: f = fp32[2.75]
#: out -> i32[2, 2, 1, 16777217, 0, 0, 0]
@triton.jit
def full_of_scalars(out, f):
    x = tl.load(f)
    tl.store(out + tl.arange(0, 2), tl.full([2], x, tl.int32))
    tl.store(out + 2, tl.full((), x, tl.int1).to(tl.int32))
    tl.store(out + 3, tl.full((), 16777217, tl.float64).to(tl.int32))
    z = tl.full([2, 1, 4], 0, tl.float8e5)
    tl.static_assert(z.shape[0] == 2 and z.shape[2] == 4 and z.dtype == tl.float8e5)
    tl.store(out + 4, tl.sum(z.to(tl.float32)).to(tl.int32))
    tl.store(out + 5 + tl.arange(0, 2), tl.full([2], 0.0, tl.uint8) | tl.full([2], -0.0, tl.int32))


#:
@triton.jit
def full_errors(p, n):
    tl.full([8], 1.5, tl.int32)  #! the float 1.5 cannot become int32
    tl.full([8], -1, tl.uint8)  #! the negative number -1 cannot become uint8
    tl.full([8], 1.0, tl.float8e5)  #! only zero can be a constant of type float8e5
    tl.full([8], 1, tl.pointer_type(tl.int32))  #! a number cannot become pointer<int32>
    tl.full([1], tl.zeros([1], tl.int32), tl.int32)  #! the value must be a scalar, found int32[1]
    tl.full([3], 1, tl.int32)  #! dimension 0 of the shape must be a power of two, found 3
    tl.full([n], 1, tl.int32)  #! argument 'shape' of tl.full must be a constexpr integer
    tl.full([0], 1, tl.int32)  #! dimension 0 of the shape must be a power of two, found 0
    tl.full([2048, 1024], 1, tl.int32)  #! a block holds at most 1048576 elements
    tl.zeros([8])  #! argument 'dtype'
    tl.zeros([8], 5)  #! argument 'dtype' of tl.zeros must be a type such as tl.float32


#: out -> i32[0, 0, 0, 0, 0, 7]
@triton.jit
def zeros_and_zeros_like(out, n):
    a = tl.zeros((2, 2), dtype=tl.bfloat16)
    b = tl.zeros_like(a)
    tl.static_assert(b.dtype == tl.bfloat16 and b.shape[1] == 2)
    tl.store(out + tl.arange(0, 4), tl.ravel(b).to(tl.int32))
    c = tl.zeros_like(n)
    tl.static_assert(c.dtype == tl.int32 and len(c.shape) == 0)
    tl.store(out + 4, c)
    tl.store(out + 5, tl.zeros(shape=[], dtype=tl.int32) + 7)


# What tl.cdiv gives is a tensor, also of constants; it divides as // does, toward zero.
#: n = 7
#: out -> i32[3, 2, 4, 0, 1, 4]
@triton.jit
def cdiv_is_a_tensor(out, n):
    tl.store(out, tl.cdiv(n, 3))
    tl.store(out + 1, tl.cdiv(8, 4))
    tl.store(out + 2, n.cdiv(div=2))
    tl.store(out + 3, tl.cdiv(-n, 4) + 1)
    tl.store(out + 4, tl.cdiv(x=1, div=n))
    i = tl.arange(4, 8)
    tl.store(out + 5, tl.sum(tl.cdiv(i, 8)))


#: n = 7
@triton.jit
def cdiv_is_no_constant(p, n):
    x = tl.zeros([tl.cdiv(8, 4)], tl.int32)  #! must be a constexpr integer


@triton.jit
def shifted_by_width(x, TYPE: tl.constexpr):
    TYPE = tl.core._unwrap_if_constexpr(TYPE)
    return x.to(TYPE) << TYPE.primitive_bitwidth // 4


#: n = 7
#: out -> i32[1792, 8]
@triton.jit
def unwrapped_constants(out, n):
    tl.store(out, shifted_by_width(n, tl.int32))
    tl.store(out + 1, n + tl.core._unwrap_if_constexpr(1))


#: out -> i64[-1, 4294967295, 1, -9223372036854775808, 1]
@triton.jit
def to_tensor_materialises(out):
    a = tl.core.to_tensor(-1)
    b = tl.core.to_tensor(4294967295)
    c = tl.core.to_tensor(9223372036854775808)
    d = tl.core.to_tensor(True)
    tl.static_assert(a.dtype == tl.int32 and b.dtype == tl.uint32 and c.dtype == tl.uint64 and d.dtype == tl.int1)
    tl.static_assert(tl.core.to_tensor(0.5).dtype == tl.float32 and tl.core.to_tensor(1e-40).dtype == tl.float64)
    tl.static_assert(tl.core.to_tensor(1e39).dtype == tl.float64 and tl.core.to_tensor(4294967296).dtype == tl.int64)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, d)
    tl.store(out + 3, c.to(tl.int64))
    tl.store(out + 4, tl.core.to_tensor(tl.core.to_tensor(1)))


#:
@triton.jit
def to_tensor_errors(p):
    tl.core.to_tensor(18446744073709551616)  #! the integer 18446744073709551616 does not fit 64 bits
    tl.core.to_tensor("text")  #! must be a tensor or a number
    tl.core.to_tensor(None)  #! must be a tensor or a number
