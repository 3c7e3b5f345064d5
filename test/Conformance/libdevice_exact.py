# Conversions of libdevice in each rounding direction, bit views, and what is exact or a fast approximation.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language.extra import libdevice

#: x = fp32[2.5, -2.5, 3.5, -0.75]
#: out -> i32[2, -2, 4, -1, 2, -2, 3, 0, 2, -3, 3, -1, 3, -2, 4, 0]
@triton.jit
def float_to_int(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.float2int_rn(v))
    tl.store(out + 4 + i, libdevice.float2int_rz(v))
    tl.store(out + 8 + i, libdevice.float2int_rd(v))
    tl.store(out + 12 + i, libdevice.float2int_ru(v))


#: x = fp32[2.5, 0.25, 3.5, 0.75]
#: out -> i32[2, 0, 4, 1, 2, 0, 3, 0, 2, 0, 3, 0, 3, 1, 4, 1]
@triton.jit
def float_to_uint(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(libdevice.float2uint_rn(v).dtype == tl.int32)
    tl.store(out + 0 + i, libdevice.float2uint_rn(v))
    tl.store(out + 4 + i, libdevice.float2uint_rz(v))
    tl.store(out + 8 + i, libdevice.float2uint_rd(v))
    tl.store(out + 12 + i, libdevice.float2uint_ru(v))


#: x = fp32[2.5, -2.5, 1099511627776, -0.75]
#: out -> i64[2, -2, 1099511627776, -1, 2, -2, 1099511627776, 0, 2, -3, 1099511627776, -1, 3, -2, 1099511627776, 0]
@triton.jit
def float_to_ll(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.float2ll_rn(v))
    tl.store(out + 4 + i, libdevice.float2ll_rz(v))
    tl.store(out + 8 + i, libdevice.float2ll_rd(v))
    tl.store(out + 12 + i, libdevice.float2ll_ru(v))


#: x = fp32[2.5, 0.25, 1099511627776, 0.75]
#: out -> i64[2, 0, 1099511627776, 1, 2, 0, 1099511627776, 0, 2, 0, 1099511627776, 0, 3, 1, 1099511627776, 1]
@triton.jit
def float_to_ull(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(libdevice.float2ull_rn(v).dtype == tl.int64)
    tl.store(out + 0 + i, libdevice.float2ull_rn(v))
    tl.store(out + 4 + i, libdevice.float2ull_rz(v))
    tl.store(out + 8 + i, libdevice.float2ull_rd(v))
    tl.store(out + 12 + i, libdevice.float2ull_ru(v))


#: x = fp64[2.5, -2.5, 3.5, -0.75]
#: out -> i32[2, -2, 4, -1, 2, -2, 3, 0, 2, -3, 3, -1, 3, -2, 4, 0]
@triton.jit
def double_to_int(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.double2int_rn(v))
    tl.store(out + 4 + i, libdevice.double2int_rz(v))
    tl.store(out + 8 + i, libdevice.double2int_rd(v))
    tl.store(out + 12 + i, libdevice.double2int_ru(v))


#: x = fp64[2.5, 0.25, 3.5, 0.75]
#: out -> i32[2, 0, 4, 1, 2, 0, 3, 0, 2, 0, 3, 0, 3, 1, 4, 1]
@triton.jit
def double_to_uint(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(libdevice.double2uint_rn(v).dtype == tl.int32)
    tl.store(out + 0 + i, libdevice.double2uint_rn(v))
    tl.store(out + 4 + i, libdevice.double2uint_rz(v))
    tl.store(out + 8 + i, libdevice.double2uint_rd(v))
    tl.store(out + 12 + i, libdevice.double2uint_ru(v))


#: x = fp64[2.5, -2.5, 1099511627776, -0.75]
#: out -> i64[2, -2, 1099511627776, -1, 2, -2, 1099511627776, 0, 2, -3, 1099511627776, -1, 3, -2, 1099511627776, 0]
@triton.jit
def double_to_ll(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.double2ll_rn(v))
    tl.store(out + 4 + i, libdevice.double2ll_rz(v))
    tl.store(out + 8 + i, libdevice.double2ll_rd(v))
    tl.store(out + 12 + i, libdevice.double2ll_ru(v))


#: x = fp64[2.5, 0.25, 1099511627776, 0.75]
#: out -> i64[2, 0, 1099511627776, 1, 2, 0, 1099511627776, 0, 2, 0, 1099511627776, 0, 3, 1, 1099511627776, 1]
@triton.jit
def double_to_ull(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(libdevice.double2ull_rn(v).dtype == tl.int64)
    tl.store(out + 0 + i, libdevice.double2ull_rn(v))
    tl.store(out + 4 + i, libdevice.double2ull_rz(v))
    tl.store(out + 8 + i, libdevice.double2ull_rd(v))
    tl.store(out + 12 + i, libdevice.double2ull_ru(v))


#: x = i32[16777217, -16777219, 5, -2147483647]
#: out -> fp32[16777216.0, -16777220.0, 5.0, -2147483648.0, 16777216.0, -16777218.0, 5.0, -2147483520.0, 16777216.0, -16777220.0, 5.0, -2147483648.0, 16777218.0, -16777218.0, 5.0, -2147483520.0]
@triton.jit
def int_to_float(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.int2float_rn(v))
    tl.store(out + 4 + i, libdevice.int2float_rz(v))
    tl.store(out + 8 + i, libdevice.int2float_rd(v))
    tl.store(out + 12 + i, libdevice.int2float_ru(v))


#: x = i32[16777217, -16777219, 5, -2147483647]
#: out -> fp64[16777217.0, -16777219.0, 5.0, -2147483647.0]
@triton.jit
def int_to_double(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.int2double_rn(v))


#: x = u32[16777217, 16777219, 5, 4294967295]
#: out -> fp32[16777216.0, 16777220.0, 5.0, 4294967296.0, 16777216.0, 16777218.0, 5.0, 4294967040.0, 16777216.0, 16777218.0, 5.0, 4294967040.0, 16777218.0, 16777220.0, 5.0, 4294967296.0]
@triton.jit
def uint_to_float(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.uint2float_rn(v))
    tl.store(out + 4 + i, libdevice.uint2float_rz(v))
    tl.store(out + 8 + i, libdevice.uint2float_rd(v))
    tl.store(out + 12 + i, libdevice.uint2float_ru(v))


#: x = u32[16777217, 16777219, 5, 4294967295]
#: out -> fp64[16777217.0, 16777219.0, 5.0, 4294967295.0]
@triton.jit
def uint_to_double(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.uint2double_rn(v))


#: x = i64[9007199254740993, -9007199254740995, 7, -9223372036854775807]
#: out -> fp32[9007199254740992.0, -9007199254740992.0, 7.0, -9.223372036854776e+18, 9007199254740992.0, -9007199254740992.0, 7.0, -9.223371487098962e+18, 9007199254740992.0, -9007200328482816.0, 7.0, -9.223372036854776e+18, 9007200328482816.0, -9007199254740992.0, 7.0, -9.223371487098962e+18]
@triton.jit
def ll_to_float(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.ll2float_rn(v))
    tl.store(out + 4 + i, libdevice.ll2float_rz(v))
    tl.store(out + 8 + i, libdevice.ll2float_rd(v))
    tl.store(out + 12 + i, libdevice.ll2float_ru(v))


#: x = i64[9007199254740993, -9007199254740995, 7, -9223372036854775807]
#: out -> fp64[9007199254740992.0, -9007199254740996.0, 7.0, -9.223372036854776e+18, 9007199254740992.0, -9007199254740994.0, 7.0, -9.223372036854775e+18, 9007199254740992.0, -9007199254740996.0, 7.0, -9.223372036854776e+18, 9007199254740994.0, -9007199254740994.0, 7.0, -9.223372036854775e+18]
@triton.jit
def ll_to_double(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.ll2double_rn(v))
    tl.store(out + 4 + i, libdevice.ll2double_rz(v))
    tl.store(out + 8 + i, libdevice.ll2double_rd(v))
    tl.store(out + 12 + i, libdevice.ll2double_ru(v))


#: x = u64[9007199254740993, 9007199254740995, 7, 18446744073709551615]
#: out -> fp32[9007199254740992.0, 9007199254740992.0, 7.0, 1.8446744073709552e+19, 9007199254740992.0, 9007199254740992.0, 7.0, 1.8446742974197924e+19, 9007199254740992.0, 9007199254740992.0, 7.0, 1.8446742974197924e+19, 9007200328482816.0, 9007200328482816.0, 7.0, 1.8446744073709552e+19]
@triton.jit
def ull_to_float(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.ull2float_rn(v))
    tl.store(out + 4 + i, libdevice.ull2float_rz(v))
    tl.store(out + 8 + i, libdevice.ull2float_rd(v))
    tl.store(out + 12 + i, libdevice.ull2float_ru(v))


#: x = u64[9007199254740993, 9007199254740995, 7, 18446744073709551615]
#: out -> fp64[9007199254740992.0, 9007199254740996.0, 7.0, 1.8446744073709552e+19, 9007199254740992.0, 9007199254740994.0, 7.0, 1.844674407370955e+19, 9007199254740992.0, 9007199254740994.0, 7.0, 1.844674407370955e+19, 9007199254740994.0, 9007199254740996.0, 7.0, 1.8446744073709552e+19]
@triton.jit
def ull_to_double(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.ull2double_rn(v))
    tl.store(out + 4 + i, libdevice.ull2double_rz(v))
    tl.store(out + 8 + i, libdevice.ull2double_rd(v))
    tl.store(out + 12 + i, libdevice.ull2double_ru(v))


#: x = fp64[0.1, -0.1, 1.0000000596046448, 1e+300]
#: out -> fp32[0.10000000149011612, -0.10000000149011612, 1.0, inf, 0.09999999403953552, -0.09999999403953552, 1.0, 3.4028234663852886e+38, 0.09999999403953552, -0.10000000149011612, 1.0, 3.4028234663852886e+38, 0.10000000149011612, -0.09999999403953552, 1.0000001192092896, inf]
@triton.jit
def double_to_float(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + 0 + i, libdevice.double2float_rn(v))
    tl.store(out + 4 + i, libdevice.double2float_rz(v))
    tl.store(out + 8 + i, libdevice.double2float_rd(v))
    tl.store(out + 12 + i, libdevice.double2float_ru(v))


#: x = fp32[1.5, -2]
#: y = fp64[1.5, -2]
#: out -> i64[1069547520, -1073741824, 1069547520, -1073741824, 4609434218613702656, -4611686018427387904, 1073217536, -1073741824, 0, 0]
#: back -> fp64[1.5, -2, 1.5, -2, 1.5, -2, 1.5]
@triton.jit
def bit_views(x, y, out, back):
    i = tl.arange(0, 2)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.static_assert(libdevice.float_as_uint(a).dtype == tl.int32)
    bits, wide = libdevice.float_as_int(a), libdevice.double_as_longlong(b)
    tl.store(out + i, bits)
    tl.store(out + 2 + i, libdevice.float_as_uint(a))
    tl.store(out + 4 + i, wide)
    tl.store(out + 6 + i, libdevice.double2hiint(b))
    tl.store(out + 8 + i, libdevice.double2loint(b))
    tl.store(back + i, libdevice.int_as_float(bits))
    tl.store(back + 2 + i, libdevice.uint_as_float(bits.to(tl.uint32)))
    tl.store(back + 4 + i, libdevice.longlong_as_double(wide))
    tl.store(back + 6, libdevice.hiloint2double(tl.program_id(0) + 1073217536, 0))


#: x = fp32[1.100000023841858, -2.700000047683716, 3.299999952316284, 0.0010000000474974513]
#: y = fp32[3.700000047683716, 1.899999976158142, -5.099999904632568, 7.0]
#: out -> fp32[4.800000190734863, -0.8000000715255737, -1.7999999523162842, 7.000999927520752, -2.5999999046325684, -4.599999904632568, 8.399999618530273, -6.999000072479248, 4.070000171661377, -5.130000114440918, -16.829999923706055, 0.007000000216066837, 0.29729729890823364, -1.4210526943206787, -0.6470588445663452, 0.00014285715587902814, 5.170000076293945, -7.829999923706055, -13.529999732971191, 0.00800000037997961, 1.0488088130950928, 1.6431677341461182, 1.8165901899337769, 0.03162277862429619, 1.100000023841858, 2.700000047683716, -3.299999952316284, 0.0010000000474974513, 1.100000023841858, 2.700000047683716, 3.299999952316284, 0.0010000000474974513, 2.0, -2.0, 4.0, 1.0, 1.0, -3.0, 3.0, 0.0, 1.0, -2.0, 3.0, 0.0, 1.0, -3.0, 3.0, 0.0]
#: wide -> fp64[4.800000071525574, -0.8000000715255737, -1.7999999523162842, 7.0010000000474975, -2.600000023841858, -4.600000023841858, 8.399999856948853, -6.9989999999525025, 4.070000140666963, -5.130000026226043, -16.82999944210053, 0.007000000332482159, 0.29729729990962644, -1.421052674507501, -0.6470588262793378, 0.00014285714964249304, 1.100000023841858, 2.700000047683716, -3.299999952316284, 0.0010000000474974513, 2.0, -2.0, 4.0, 1.0, 1.0, -3.0, 3.0, 0.0, 1.0, -2.0, 3.0, 0.0, 1.0, -3.0, 3.0, 0.0]
@triton.jit
def exact_functions(x, y, out, wide):
    i = tl.arange(0, 4)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, libdevice.add_rn(a, b))
    tl.store(out + 4 + i, libdevice.sub_rn(a, b))
    tl.store(out + 8 + i, libdevice.mul_rn(a, b))
    tl.store(out + 12 + i, libdevice.div_rn(a, b))
    tl.store(out + 16 + i, libdevice.fma_rn(a, b, a))
    tl.store(out + 20 + i, libdevice.sqrt_rn(libdevice.abs(a)))
    tl.store(out + 24 + i, libdevice.copysign(a, b))
    tl.store(out + 28 + i, libdevice.abs(a))
    tl.store(out + 32 + i, libdevice.ceil(a))
    tl.store(out + 36 + i, libdevice.floor(a))
    tl.store(out + 40 + i, libdevice.trunc(a))
    tl.store(out + 44 + i, libdevice.nearbyint(a))
    c, d = a.to(tl.float64), b.to(tl.float64)
    tl.store(wide + i, libdevice.add_rn(c, d))
    tl.store(wide + 4 + i, libdevice.sub_rn(c, d))
    tl.store(wide + 8 + i, libdevice.mul_rn(c, d))
    tl.store(wide + 12 + i, libdevice.div_rn(c, d))
    tl.store(wide + 16 + i, libdevice.copysign(c, d))
    tl.store(wide + 20 + i, libdevice.ceil(c))
    tl.store(wide + 24 + i, libdevice.floor(c))
    tl.store(wide + 28 + i, libdevice.trunc(c))
    tl.store(wide + 32 + i, libdevice.nearbyint(c))


#: x = fp32[0.5, 1.25, 2.0, 0.125]
#: out -> fp32[0.8775825618903728, 0.3153223623952687, -0.4161468365471424, 0.992197667229329, 0.479425538604203, 0.9489846193555862, 0.9092974268256817, 0.12467473338522769, 0.5463024898437905, 3.0095696738628313, -2.185039863261519, 0.12565513657513097, 1.6487212707001282, 3.4903429574618414, 7.38905609893065, 1.1331484530668263, 3.1622776601683795, 17.78279410038923, 100.0, 1.333521432163324, -0.6931471805599453, 0.22314355131420976, 0.6931471805599453, -2.0794415416798357, -1.0, 0.32192809488736235, 1.0, -3.0, -0.3010299956639812, 0.09691001300805642, 0.3010299956639812, -0.9030899869919435, 0.7071067811865476, 1.3217140793007052, 4.0, 0.7711054127039704, 0.16666666666666666, 0.4166666666666667, 0.6666666666666666, 0.041666666666666664] ~3e-6
@triton.jit
def fast_functions(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.fast_cosf(v))
    tl.store(out + 4 + i, libdevice.fast_sinf(v))
    tl.store(out + 8 + i, libdevice.fast_tanf(v))
    tl.store(out + 12 + i, libdevice.fast_expf(v))
    tl.store(out + 16 + i, libdevice.fast_exp10f(v))
    tl.store(out + 20 + i, libdevice.fast_logf(v))
    tl.store(out + 24 + i, libdevice.fast_log2f(v))
    tl.store(out + 28 + i, libdevice.fast_log10f(v))
    tl.store(out + 32 + i, libdevice.fast_powf(v, v))
    tl.store(out + 36 + i, libdevice.fast_dividef(v, v * 0 + 3))


#: x = fp32[1.100000023841858, -2.700000047683716, 3.299999952316284, 0.0010000000474974513]
#: y = fp32[3.700000047683716, 1.899999976158142, -5.099999904632568, 7.0]
#: out -> fp32[4.799999713897705, -0.8000000715255737, -1.7999999523162842, 7.000999927520752, -2.5999999046325684, -4.599999904632568, 8.399999618530273, -6.99899959564209, 4.069999694824219, -5.12999963760376, -16.829998016357422, 0.007000000216066837, 0.29729729890823364, -1.4210525751113892, -0.6470587849617004, 0.0001428571413271129, 5.170000076293945, -7.829999923706055, -13.529998779296875, 0.00800000037997961, 0.9090908765792847, -0.37037035822868347, 0.3030302822589874, 999.9999389648438, 1.0488088130950928, 1.6431676149368286, 1.8165901899337769, 0.03162277489900589, 4.799999713897705, -0.8000000715255737, -1.7999999523162842, 7.000999927520752, -2.6000001430511475, -4.600000381469727, 8.399999618530273, -6.999000072479248, 4.069999694824219, -5.130000114440918, -16.829999923706055, 0.007000000216066837, 0.29729729890823364, -1.4210526943206787, -0.6470588445663452, 0.0001428571413271129, 5.170000076293945, -7.830000400543213, -13.529999732971191, 0.00800000037997961, 0.9090908765792847, -0.37037038803100586, 0.3030302822589874, 999.9999389648438, 1.0488088130950928, 1.6431676149368286, 1.8165901899337769, 0.03162277489900589, 4.800000190734863, -0.8000000715255737, -1.7999999523162842, 7.00100040435791, -2.5999999046325684, -4.599999904632568, 8.40000057220459, -6.99899959564209, 4.070000171661377, -5.12999963760376, -16.829998016357422, 0.007000000681728125, 0.29729732871055603, -1.4210525751113892, -0.6470587849617004, 0.00014285715587902814, 5.1700005531311035, -7.829999923706055, -13.529998779296875, 0.00800000037997961, 0.9090909361839294, -0.37037035822868347, 0.3030303120613098, 1000.0, 1.0488089323043823, 1.6431677341461182, 1.8165903091430664, 0.03162277862429619]
@triton.jit
def directed_operations_of_float32(x, y, out):
    i = tl.arange(0, 4)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + 0 + i, libdevice.add_rz(a, b))
    tl.store(out + 4 + i, libdevice.sub_rz(a, b))
    tl.store(out + 8 + i, libdevice.mul_rz(a, b))
    tl.store(out + 12 + i, libdevice.div_rz(a, b))
    tl.store(out + 16 + i, libdevice.fma_rz(a, b, a))
    tl.store(out + 20 + i, libdevice.rcp_rz(a))
    tl.store(out + 24 + i, libdevice.sqrt_rz(tl.abs(a)))
    tl.store(out + 28 + i, libdevice.add_rd(a, b))
    tl.store(out + 32 + i, libdevice.sub_rd(a, b))
    tl.store(out + 36 + i, libdevice.mul_rd(a, b))
    tl.store(out + 40 + i, libdevice.div_rd(a, b))
    tl.store(out + 44 + i, libdevice.fma_rd(a, b, a))
    tl.store(out + 48 + i, libdevice.rcp_rd(a))
    tl.store(out + 52 + i, libdevice.sqrt_rd(tl.abs(a)))
    tl.store(out + 56 + i, libdevice.add_ru(a, b))
    tl.store(out + 60 + i, libdevice.sub_ru(a, b))
    tl.store(out + 64 + i, libdevice.mul_ru(a, b))
    tl.store(out + 68 + i, libdevice.div_ru(a, b))
    tl.store(out + 72 + i, libdevice.fma_ru(a, b, a))
    tl.store(out + 76 + i, libdevice.rcp_ru(a))
    tl.store(out + 80 + i, libdevice.sqrt_ru(tl.abs(a)))


#: x = fp64[1.1, -2.7, 3.3, 0.001]
#: y = fp64[3.7, 1.9, -5.1, 7.0]
#: out -> fp64[4.8, -0.8000000000000003, -1.7999999999999998, 7.0009999999999994, -2.6, -4.6, 8.399999999999999, -6.999, 4.07, -5.13, -16.829999999999995, 0.007, 0.29729729729729726, -1.4210526315789473, -0.6470588235294117, 0.00014285714285714284, 5.17, -7.83, -13.529999999999998, 0.008, 0.909090909090909, -0.3703703703703703, 0.30303030303030304, 999.9999999999999, 1.0488088481701514, 1.6431676725154982, 1.816590212458495, 0.03162277660168379, 4.8, -0.8000000000000003, -1.7999999999999998, 7.0009999999999994, -2.6, -4.6000000000000005, 8.399999999999999, -6.9990000000000006, 4.07, -5.130000000000001, -16.83, 0.007, 0.29729729729729726, -1.4210526315789476, -0.6470588235294118, 0.00014285714285714284, 5.17, -7.830000000000001, -13.53, 0.008, 0.909090909090909, -0.37037037037037035, 0.30303030303030304, 999.9999999999999, 1.0488088481701514, 1.6431676725154982, 1.816590212458495, 0.03162277660168379, 4.800000000000001, -0.8000000000000003, -1.7999999999999998, 7.001, -2.6, -4.6, 8.4, -6.999, 4.070000000000001, -5.13, -16.829999999999995, 0.007, 0.2972972972972973, -1.4210526315789473, -0.6470588235294117, 0.00014285714285714287, 5.170000000000001, -7.83, -13.529999999999998, 0.008, 0.9090909090909091, -0.3703703703703703, 0.3030303030303031, 1000.0, 1.0488088481701516, 1.6431676725154984, 1.8165902124584952, 0.0316227766016838]
@triton.jit
def directed_operations_of_float64(x, y, out):
    i = tl.arange(0, 4)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + 0 + i, libdevice.add_rz(a, b))
    tl.store(out + 4 + i, libdevice.sub_rz(a, b))
    tl.store(out + 8 + i, libdevice.mul_rz(a, b))
    tl.store(out + 12 + i, libdevice.div_rz(a, b))
    tl.store(out + 16 + i, libdevice.fma_rz(a, b, a))
    tl.store(out + 20 + i, libdevice.rcp_rz(a))
    tl.store(out + 24 + i, libdevice.sqrt_rz(tl.abs(a)))
    tl.store(out + 28 + i, libdevice.add_rd(a, b))
    tl.store(out + 32 + i, libdevice.sub_rd(a, b))
    tl.store(out + 36 + i, libdevice.mul_rd(a, b))
    tl.store(out + 40 + i, libdevice.div_rd(a, b))
    tl.store(out + 44 + i, libdevice.fma_rd(a, b, a))
    tl.store(out + 48 + i, libdevice.rcp_rd(a))
    tl.store(out + 52 + i, libdevice.sqrt_rd(tl.abs(a)))
    tl.store(out + 56 + i, libdevice.add_ru(a, b))
    tl.store(out + 60 + i, libdevice.sub_ru(a, b))
    tl.store(out + 64 + i, libdevice.mul_ru(a, b))
    tl.store(out + 68 + i, libdevice.div_ru(a, b))
    tl.store(out + 72 + i, libdevice.fma_ru(a, b, a))
    tl.store(out + 76 + i, libdevice.rcp_ru(a))
    tl.store(out + 80 + i, libdevice.sqrt_ru(tl.abs(a)))


#: x = fp32[0.5, 1.25, 3.0, 8.0]
#: out -> fp32[0.6156903441929259, 0.3678229164523611, 0.17900115118138993, 0.06998516620088092, 1.224744871391589, 3.0618621784789726, 7.348469228349534, 19.595917942265423, 1.3228756555322954, 3.307189138830738, 7.937253933193772, 21.166010488516726, 0.8164965809277261, 0.32659863237109044, 0.13608276348795434, 0.051031036307982884, 0.7559289460184544, 0.30237157840738177, 0.1259881576697424, 0.0472455591261534, 0.8944271909999159, 0.35777087639996635, 0.14907119849998599, 0.05590169943749474, 0.4769362762044699, 0.17914345462129166] ~1e-6
@triton.jit
def other_functions(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.erfcx(v))
    tl.store(out + 4 + i, libdevice.norm3d(v, v, v * 2))
    tl.store(out + 8 + i, libdevice.norm4d(v, v, v, v * 2))
    tl.store(out + 12 + i, libdevice.rnorm3d(v, v, v * 2))
    tl.store(out + 16 + i, libdevice.rnorm4d(v, v, v, v * 2))
    tl.store(out + 20 + i, libdevice.rhypot(v, v * 2))
    tl.store(out + 24, libdevice.erfinv(tl.load(x)))
    tl.store(out + 25, libdevice.erfinv(tl.load(x + 1) * 0.16))


#: x = fp32[0.5, 1.25, 3.0, 8.0]
#: exact -> fp32[-1.0, 0.0, 1.0, 3.0, 4.0, 10.0, 24.0, 64.0, 2.0, 0.800000011920929, 0.3333333432674408, 0.125, 1.4142135381698608, 0.8944271802902222, 0.5773502588272095, 0.3535533845424652]
#: whole -> i64[2, -4, 1, 2, -4, 2]
#: n = 3
@triton.jit
def more_exact_functions(x, exact, whole, n):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(exact + i, libdevice.logb(v))
    tl.store(exact + 4 + i, libdevice.scalbn(v, n))
    tl.store(exact + 8 + i, libdevice.rcp_rn(v))
    tl.store(exact + 12 + i, libdevice.rsqrt_rn(v))
    q = tl.load(x) * 5
    tl.store(whole, libdevice.llrint(q))
    tl.store(whole + 1, libdevice.llrint(-q - 1.25))
    tl.store(whole + 2, libdevice.finitef(q).to(tl.int64) + libdevice.finitef(q / 0).to(tl.int64))
    wide = q.to(tl.float64)
    tl.store(whole + 3, libdevice.llrint(wide))
    tl.store(whole + 4, libdevice.llrint(-wide - 1.5))
    tl.store(whole + 5, libdevice.isfinited(wide).to(tl.int64) * 2 + libdevice.isfinited(wide / 0).to(tl.int64))


# The high half of a reciprocal: about 20 bits.
#: y = fp64[3, -0.5]
#: out -> fp64[0.3333333333333333, -2] ~2e-6
@triton.jit
def high_half_of_reciprocal(y, out):
    i = tl.arange(0, 2)
    tl.store(out + i, libdevice.rcp64h(tl.load(y + i)))
