# Casts, broadcasting, pointers and attributes.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: x = i32[300, -1, 0]
#: out -> i32[44, -1, 0, 44, 255, 0, 1, 1, 0]
@triton.jit
def integer_casts(out, x):
    for k in tl.static_range(3):
        v = tl.load(x + k)
        tl.store(out + k, v.to(tl.int8))
        tl.store(out + 3 + k, v.to(tl.uint8))
        tl.store(out + 6 + k, v.to(tl.int1))


#: out -> i64[-1, 4294967295, 1]
@triton.jit
def extension_follows_the_source(out, n):
    i = n * 0 - 1
    tl.store(out, i.to(tl.int64))
    tl.store(out + 1, i.to(tl.uint32).to(tl.int64))
    tl.store(out + 2, (n > 0).to(tl.int64))


#: x = fp32[2.9, -2.9, nan, 0.0]
#: out -> i32[2, -2, 1, 1, 1, 0]
@triton.jit
def float_to_integer(out, x):
    for k in tl.static_range(2):
        tl.store(out + k, tl.load(x + k).to(tl.int32))
    for k in tl.static_range(4):
        tl.store(out + 2 + k, tl.load(x + k).to(tl.int1))


#: out -> fp32[4294967296, -1, 1, 16777216]
@triton.jit
def integer_to_float(out, n):
    i = n * 0 - 1
    tl.store(out, i.to(tl.uint32).to(tl.float32))
    tl.store(out + 1, i.to(tl.float32))
    tl.store(out + 2, (n > 0).to(tl.float32))
    tl.store(out + 3, (n * 0 + 16777217).to(tl.float32))


#: x = fp32[1.0009765, 65520, -1e-8, nan, -inf, 1e-7]
#: out -> fp32[1.0009765625, 1, inf, 65504, 0, 0, nan, nan, -inf, -inf, 1.1920928955078125e-07, 5.960464477539063e-08]
@triton.jit
def float_narrowing(out, x):
    for k in tl.static_range(6):
        v = tl.load(x + k)
        tl.store(out + 2 * k, v.to(tl.float16))
        tl.store(out + 2 * k + 1, v.to(tl.float16, fp_downcast_rounding="rtz"))


#: x = fp32[1.013, -1.013, 3.4e38, nan]
#: out -> fp32[1.0078125, 1.015625, -1.0078125, -1.015625, 3.3895313892515355e38, inf, nan, nan]
@triton.jit
def float_narrowing_to_bf16(out, x):
    for k in tl.static_range(4):
        v = tl.load(x + k)
        tl.store(out + 2 * k, v.to(tl.bfloat16, fp_downcast_rounding="rtz"))
        tl.store(out + 2 * k + 1, v.to(tl.bfloat16))


#: x = fp64[1.0000000596046447, -16777217, 1e300]
#: out -> fp32[1, -16777216, 3.4028234663852886e38]
@triton.jit
def float_narrowing_from_fp64(out, x):
    for k in tl.static_range(3):
        tl.store(out + k, tl.load(x + k).to(tl.float32, fp_downcast_rounding="rtz"))


#:
@triton.jit
def rounding_errors(p, s, n):
    a = s.to(tl.float64, fp_downcast_rounding="rtz")  #! a rounding mode is for
    b = s.to(tl.float16, fp_downcast_rounding="up")  #! unknown rounding
    c = s.to(tl.float16, fp_downcast_rounding="rtne")
    d = s.to(tl.float32, fp_downcast_rounding="rtz")
    e = c.to(tl.bfloat16, fp_downcast_rounding="rtz")  #! a rounding mode is for


#: out -> i32[1065353216, 1]
@triton.jit
def bitcasts(out, n):
    one = (n - 4).to(tl.float32)
    tl.store(out, one.to(tl.int32, bitcast=True))
    tl.store(out + 1, tl.cast(one, tl.uint32, bitcast=True).to(tl.float32, bitcast=True).to(tl.int32))


#:
@triton.jit
def bitcast_of_other_width(p, n):
    a = n.to(tl.float16, bitcast=True)  #! cannot bitcast


#:
@triton.jit
def casts_of_literals(p):
    tl.static_assert(tl.cast(1, tl.float16).dtype == tl.float16)
    tl.static_assert(tl.cast(1.5, tl.int32).dtype == tl.int32)


#: out -> i64[1, 8, 1]
@triton.jit
def pointer_casts(out):
    a = (out + 1).to(tl.int64) - out.to(tl.int64)
    tl.store(out + 1, a)
    tl.store(out, out.to(tl.int1).to(tl.int64))
    q = out.to(tl.int64).to(tl.pointer_type(tl.int32))
    tl.static_assert(q.dtype.element_ty == tl.int32)
    tl.store(out + 2, (q.to(tl.int64) == out.to(tl.int64)).to(tl.int64))


#:
@triton.jit
def pointer_cast_errors(p):
    a = p.to(tl.int32)  #! a pointer casts to
    b = p.to(tl.float32)  #! a pointer casts to


#:
@triton.jit
def broadcasting(p, n):
    x = tl.arange(0, 8)
    y = tl.zeros([4, 1], tl.int32)
    tl.static_assert((x + n).shape == (8,))
    tl.static_assert((x + y).shape == (4, 8))
    tl.static_assert((x[None, :] + y).shape == (4, 8))
    tl.static_assert(tl.broadcast_to(y, 4, 16).shape == (4, 16))
    tl.static_assert(tl.broadcast_to(y, [4, 16]).shape == (4, 16))
    tl.static_assert(tl.broadcast_to(n, [4, 16]).shape == (4, 16))
    a, b = tl.broadcast(x, y)
    tl.static_assert(a.shape == b.shape)


#:
@triton.jit
def broadcast_errors(p):
    x = tl.arange(0, 8)
    a = x + tl.arange(0, 4)  #! cannot broadcast
    b = tl.broadcast_to(x, 4, 8)  #! cannot broadcast


#:
@triton.jit
def shapes(p, n):
    a = tl.zeros([3], tl.int32)  #! power of two
    b = tl.zeros([2097152], tl.int32)  #! 1048576
    c = tl.arange(0, 6)  #! power of two
    d = tl.arange(3, 7)
    tl.static_assert(d.shape == (4,))
    e = tl.arange(4, 4)  #! 
    f = tl.zeros([n], tl.int32)  #! constexpr
    g = tl.zeros([], tl.int32)
    tl.static_assert(g.shape == ())


#: out -> i32[7]
@triton.jit
def pointer_offsets(out, n):
    wide = tl.full([1], 4294967295, tl.uint32)
    a = (out + wide).to(tl.int64) - (out + tl.zeros([1], tl.int32)).to(tl.int64)
    tl.device_assert(a == 17179869180)
    q = 1 + (out - 1)
    tl.store(q + tl.full([1], -3, tl.int8) + 3, tl.full([1], 7, tl.int32))


#:
@triton.jit
def attributes_of_tensors(p, n):
    x = tl.zeros([4, 8], tl.float16)
    tl.static_assert(x.dtype == tl.float16)
    tl.static_assert(x.shape == (4, 8))
    tl.static_assert(x.shape[1] == 8)
    tl.static_assert(x.numel == 32)
    tl.static_assert(x.type.is_block())
    tl.static_assert(x.type.element_ty == tl.float16)
    tl.static_assert(x.type.shape == (4, 8))
    tl.static_assert(x.type.scalar == tl.float16)
    tl.static_assert(n.shape == ())
    tl.static_assert(n.numel == 1)
    tl.static_assert(not n.type.is_block())
    tl.static_assert(p.dtype.element_ty == tl.int32)
    tl.static_assert((p + tl.arange(0, 4)).dtype == tl.pointer_type(tl.int32))


#:
@triton.jit
def attributes_of_types(p):
    tl.static_assert(tl.float16.name == "fp16")
    tl.static_assert(tl.uint32.name == "uint32")
    tl.static_assert(tl.bfloat16.primitive_bitwidth == 16)
    tl.static_assert(tl.int1.primitive_bitwidth == 1)
    tl.static_assert(tl.int64.itemsize == 8)
    tl.static_assert(tl.int16.int_bitwidth == 16)
    tl.static_assert(tl.float32.fp_mantissa_width == 23)
    tl.static_assert(tl.float16.exponent_bias == 15)
    tl.static_assert(tl.float32.scalar == tl.float32)
    tl.static_assert(tl.block_type(tl.float16, [4, 2]).element_ty == tl.float16)
    tl.static_assert(tl.int32.is_int())
    tl.static_assert(tl.int1.is_int_unsigned())
    tl.static_assert(tl.int32.is_int_signed())
    tl.static_assert(tl.uint8.is_uint8())
    tl.static_assert(tl.int1.is_bool())
    tl.static_assert(tl.float64.is_floating())
    tl.static_assert(tl.bfloat16.is_standard_floating())
    tl.static_assert(not tl.float16.is_fp8())
    tl.static_assert(tl.float16.is_fp16())
    tl.static_assert(tl.float64.is_fp64())
    tl.static_assert(tl.int8.get_int_max_value() == 127)
    tl.static_assert(tl.int8.get_int_min_value() == -128)
    tl.static_assert(tl.uint16.get_int_max_value() == 65535)
    tl.static_assert(tl.int32 != tl.uint32)
    tl.static_assert(tl.float8e5.is_fp8())
    tl.static_assert(tl.float8e4nv.primitive_bitwidth == 8)


#: STRIDE = 4
@triton.jit
def attributes_of_constexprs(p, STRIDE: tl.constexpr):
    tl.static_assert(STRIDE.value == 4)
    x = tl.arange(0, STRIDE.value)


#:
@triton.jit
def unknown_attributes(p, n):
    a = n.missing  #! no attribute 'missing'
    b = n.squeeze()  #! no attribute 'squeeze'


#: out -> i32[3, 6, 12, 4]
@triton.jit
def methods(out):
    x = tl.arange(0, 4)
    tl.store(out, x.max(0))
    tl.store(out + 1, x.sum(axis=0))
    tl.store(out + 2, x.reshape(2, 2).expand_dims(0).broadcast_to(2, 2, 2).to(tl.int32).ravel().sum(0))
    tl.store(out + 3, x.cast(tl.float32).exp2().sum().to(tl.int32) - 11)


#:
@triton.jit
def functions_that_are_no_methods(p):
    x = tl.arange(0, 4)
    a = x.minimum(2)  #! no attribute 'minimum'
    b = x.where(x, x)  #! no attribute 'where'
    c = x.load()  #! no attribute 'load'


#:
@triton.jit
def more_attributes_of_types(p):
    b = tl.zeros([4, 8], tl.float16)
    tl.static_assert(b.type.get_block_shapes() == (4, 8))
    tl.static_assert(b.type.numel == 32)
    tl.static_assert(b.type == tl.block_type(tl.float16, [4, 8]))
    tl.static_assert(b.shape == [4, 8])
    tl.static_assert(b.T.shape == (8, 4))
    tl.static_assert(tl.int1.name == "int1")
    tl.static_assert(tl.float8e5.name == "fp8e5")
    tl.static_assert(tl.int1.itemsize == 0)
    tl.static_assert(tl.bfloat16.fp_mantissa_width == 7)
    tl.static_assert(tl.float64.fp_mantissa_width == 52)
    tl.static_assert(tl.float8e4nv.fp_mantissa_width == 3)
    tl.static_assert(tl.float8e5.exponent_bias == 15)
    tl.static_assert(tl.float8e4nv.exponent_bias == 7)
    tl.static_assert(tl.float8e4b15.exponent_bias == 15)
    tl.static_assert(tl.bfloat16.exponent_bias == 127)
    tl.static_assert(tl.float64.exponent_bias == 1023)
    tl.static_assert(tl.float8e4b15.is_fp8e4b15() and not tl.float8e5.is_standard_floating())
    tl.static_assert(tl.uint64.get_int_max_value() == 2**64 - 1)
    tl.static_assert(tl.int32.kind() == tl.dtype.KIND.INTEGRAL)
    tl.static_assert(tl.int1.kind() == tl.dtype.KIND.BOOLEAN)
    tl.static_assert(tl.float8e5.kind() == tl.dtype.KIND.FLOATING)
    tl.static_assert(tl.float16.kind() is tl.float64.kind())
    tl.static_assert(tl.pointer_type(tl.int32, const=True).is_const())
    tl.static_assert(tl.pointer_type(tl.int32).primitive_bitwidth == 64)
    tl.static_assert(tl.pi32_t == p.dtype)


#:
@triton.jit
def queries_of_other_types(p, n):
    a = n.T  #! needs a block with two axes
    b = tl.float32.get_int_max_value()  #! is for integer types
    c = n.dtype.get_block_shapes()  #! a block type
    d = n.dtype.kinds()  #! no attribute 'kinds'
    e = tl.arange(0, 4).type.kind().X  #! no attribute 'X'


#: x = bf16[99840, -98304, 9.25e18, 3]
#: out -> fp16[49920, -49152, inf, 1.5, 1536, -34624, 0, 3, 5.5]
@triton.jit
def range_of_bfloat16_on_the_way_to_float16(out, x):
    """Halves of what float16 cannot hold are within its range, and so are sums and products with 0."""
    i = tl.arange(0, 4)
    v = tl.load(x + i).to(tl.float32)
    tl.store(out + i, (v * 0.5).to(tl.float16))
    a, b = tl.load(x).to(tl.float32), tl.load(x + 1).to(tl.float32)
    tl.store(out + 4, (a + b).to(tl.float16))
    tl.store(out + 5, (b * 0.5 + 0.1455 * a).to(tl.float16))
    tl.store(out + 6, (tl.load(x + 2).to(tl.float64) * 0.0).to(tl.float16))
    tl.store(out + 7, (tl.load(x + 3).to(tl.float32) - 0.0).to(tl.float16))
    tl.store(out + 8, (tl.load(x + 3).to(tl.float64) + 2.5).to(tl.float16))
