# The 8-bit floats: loads, stores, conversions with their rounding, promotion, and what does not exist.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: x = u8[0, 1, 3, 4, 60, 123, 124, 125, 128, 129, 188, 252]
#: out -> fp32[0, 1.52587890625e-05, 4.57763671875e-05, 6.103515625e-05, 1, 57344, inf, nan, -0.0, -1.52587890625e-05, -1, -inf, 0, 0, 0, 0]
@triton.jit
def e5_to_float32(x, out):
    i = tl.arange(0, 16)
    bits = tl.load(x + i, mask=i < 12, other=0)
    tl.store(out + i, bits.to(tl.float8e5, bitcast=True).to(tl.float32))


#: x = u8[0, 1, 7, 8, 56, 126, 127, 129, 184, 255]
#: out -> fp32[0, 0.001953125, 0.013671875, 0.015625, 1, 448, nan, -0.001953125, -1, nan, 0, 0, 0, 0, 0, 0]
@triton.jit
def e4nv_to_float32(x, out):
    i = tl.arange(0, 16)
    bits = tl.load(x + i, mask=i < 10, other=0)
    tl.store(out + i, bits.to(tl.float8e4nv, bitcast=True).to(tl.float32))


#: x = u8[0, 1, 8, 120, 126, 127, 248, 255]
#: out -> fp32[0, 7.62939453125e-06, 6.103515625e-05, 1, 1.75, 1.875, -1, -1.875]
@triton.jit
def e4b15_to_float32(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4b15, bitcast=True).to(tl.float32))


#: x = fp32[1, 1.125, 1.375, 1.1250001, 57344, 1e9, inf, nan, 7e-6, 8e-6, 2.2888184e-05, -1, -0.0, 61440, 3e-5, -inf]
#: out -> u8[60, 60, 62, 61, 123, 123, 123, 127, 0, 1, 2, 188, 128, 123, 2, 251]
@triton.jit
def float32_to_e5(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i).to(tl.float8e5).to(tl.uint8, bitcast=True))


#: x = fp32[1, 1.0625, 1.1875, 1.0626, 448, 464, 1e9, inf, nan, 0.0009765625, 0.00098, 0.0029296875, -1, -500, 0.0156, 1e-30]
#: out -> u8[56, 56, 58, 57, 126, 126, 126, 126, 127, 0, 1, 2, 184, 254, 8, 0]
@triton.jit
def float32_to_e4nv(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4nv).to(tl.uint8, bitcast=True))


#: x = fp32[1, 1.0625, 1.75, 1.8, 1e9, 7.62939453125e-06, 1e-6, -3]
#: out -> u8[120, 121, 126, 126, 126, 1, 0, 254]
@triton.jit
def float32_to_e4b15(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4b15).to(tl.uint8, bitcast=True))


#: x = fp32[1, 1.0625, 1.75, 1.8, 1e9, 7.62939453125e-06, 1e-6, -3]
#: out -> u8[120, 121, 126, 126, 126, 1, 0, 254, 120, 121, 126, 126, 126, 1, 0, 254]
#: back -> fp32[1, 1.125, 1.75, 1.75, 1.75, 7.62939453125e-06, 0, -1.75]
@triton.jit
def conversions_by_name(x, out, back):
    i = tl.arange(0, 8)
    code = tl.extra.cuda.convert_custom_float8_sm80(tl.load(x + i), tl.float8e4b15)
    half = tl.load(x + i).to(tl.float16, fp_downcast_rounding="rtz")
    again = tl.extra.cuda.convert_custom_float8_sm70(half, tl.float8e4b15, "rtne")
    tl.store(out + i, code.to(tl.uint8, bitcast=True))
    tl.store(out + 8 + i, again.to(tl.uint8, bitcast=True))
    wide = tl.extra.cuda.utils.convert_custom_float8(code, tl.float16, None, has_minx2=False)
    tl.static_assert(wide.dtype == tl.float16)
    tl.store(back + i, tl.extra.cuda.convert_custom_float8_sm80(code, dst_ty=tl.float32))


#:
@triton.jit
def conversions_by_name_of_others(p, f):
    a = tl.extra.cuda.convert_custom_float8_sm80(tl.load(p), tl.float8e4b15)  #! float8e4b15, float16 or float32
    b = tl.extra.cuda.convert_custom_float8_sm80(tl.load(f), tl.float8e5)  #! float8e4b15
    c = tl.load(f).to(tl.float8e4b15)
    d = tl.extra.cuda.convert_custom_float8_sm80(c, tl.float64)  #! float16 or float32


#: x = fp32[1.24, -1.24, 1e9, 1.5e-5, 3e-5, 0.00195, 0.0039, nan]
#: out -> u8[60, 188, 123, 0, 1, 23, 27, 127, 57, 185, 126, 0, 0, 0, 1, 127]
@triton.jit
def toward_zero(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    a = v.to(tl.float8e5, fp_downcast_rounding="rtz")
    b = v.to(tl.float8e4nv, fp_downcast_rounding="rtz")
    tl.store(out + i, a.to(tl.uint8, bitcast=True))
    tl.store(out + 8 + i, b.to(tl.uint8, bitcast=True))


#: x = fp8e4nv[1, -0.5, 448, 0.001953125]
#: out -> fp8e5[1, -0.5, 448, 0.001953125]
@triton.jit
def buffers_of_fp8(x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + i).to(tl.float32))


#: x = fp8e5[1, 2, 3, 4]
#: out -> fp32[2, 4, 6, 8]
@triton.jit
def promotion(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    half = tl.full([4], 2, tl.float16)
    tl.static_assert(v.dtype == tl.float8e5)
    tl.static_assert((v * half).dtype == tl.float16)
    tl.static_assert((v * half.to(tl.bfloat16)).dtype == tl.float32)
    tl.static_assert((v * half.to(tl.float32)).dtype == tl.float32)
    tl.static_assert((v * half.to(tl.float64)).dtype == tl.float64)
    tl.static_assert((v + v.to(tl.float32).to(tl.float8e4nv)).dtype == tl.float16)
    tl.static_assert(tl.where(i > 1, v, v).dtype == tl.float8e5)
    tl.store(out + i, v * half)


#:
@triton.jit
def no_casts_to_integers(p, n, s):
    v = s.to(tl.float8e5)
    a = v.to(tl.int32)  #! cannot cast float8e5 to int32
    b = n.to(tl.float8e5)  #! cannot cast int32 to float8e5
    e = s.to(tl.float16).to(tl.float8e5, fp_downcast_rounding="rtz")  #! from float32 only


# Comparisons are those of the numbers.
#: x = fp32[1, -1, 0, nan, inf, 57344, 1.25, -0.0]
#: y = fp32[2, -2, -0.0, nan, -inf, 57344, 1, 3]
#: out -> i32[2, 5, 8, 0, 5, 8, 5, 2, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
@triton.jit
def comparisons(x, y, out):
    i = tl.arange(0, 8)
    a = tl.load(x + i).to(tl.float8e5)
    b = tl.load(y + i).to(tl.float8e5)
    order = (a < b).to(tl.int32) * 2 + (a > b).to(tl.int32) * 5 + (a == b).to(tl.int32) * 8
    tl.store(out + i, order)
    c = a.to(tl.float8e4nv)
    tl.store(out + 8 + i, ((c != b) & (c < b) & (c > 0.0)).to(tl.int32))
    tl.store(out + 16 + i, tl.where(a < b, 1, 0))


#:
@triton.jit
def no_constants_and_no_arithmetic(p, n, s):
    v = s.to(tl.float8e5)
    zero = tl.zeros([4], tl.float8e5)
    a = tl.full([4], 1.0, tl.float8e5)  #! only zero can be a constant
    b = v * 2  #! only zero can be a constant
    c = v + v  #! nothing computes with float8e5
    d = tl.maximum(v, v)  #! nothing computes with float8e5
    e = -v  #! nothing computes with float8e5
    f = v + n  #! cannot combine


#:
@triton.jit
def types_of_other_vendors(p, s):
    a = s.to(tl.float8e4b8)  #! is not supported on
    b = s.to(tl.float8e5b16)  #! is not supported on
