# libdevice: every kind of function once, special values, and operand types. How exact the functions are is
# measured by the test of the mathematical functions.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def store_bits(out, x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.ffs(v))
    tl.store(out + 4 + i, libdevice.popc(v))
    tl.store(out + 8 + i, libdevice.clz(v))
    tl.store(out + 12 + i, libdevice.brev(v))


#: x = i32[0, 1, 40, -1]
#: out -> i32[0, 1, 4, 1, 0, 1, 2, 32, 32, 31, 26, 0, 0, -2147483648, 335544320, -1]
@triton.jit
def bits(out, x):
    store_bits(out, x)


#: x = i64[0, 1, 1099511627776, -1]
#: out -> i64[0, 1, 41, 1, 0, 1, 1, 64, 64, 63, 23, 0, 0, -9223372036854775808, 8388608, -1]
@triton.jit
def wide_bits(out, x):
    store_bits(out, x)
    tl.static_assert(libdevice.popc(tl.load(x)).dtype == tl.int32)


#: out -> i32[-1, 0, 15, 35, 5, 6, 0, 117769219]
@triton.jit
def integer_arithmetic(out, n):
    tl.store(out, libdevice.mulhi(-5 + n * 0, 7))
    tl.store(out + 1, libdevice.mulhi(n, 7))
    tl.store(out + 2, libdevice.mul24(n, 3))
    tl.store(out + 3, libdevice.mul24(n + 16777216, 7))
    tl.store(out + 4, libdevice.hadd(n, 6))
    tl.store(out + 5, libdevice.rhadd(n, 6))
    tl.store(out + 6, libdevice.sad(n, 5, (n * 0).to(tl.uint32)))
    tl.store(out + 7, libdevice.byte_perm(0x03020100, 0x07060504, 0x7543 + n * 0))


#: x = fp32[2.5, -2.5, 3.5, -0.4]
#: out -> i32[2, -2, 4, 0, 2, -2, 3, 0, 2, -3, 3, -1, 3, -2, 4, 0]
@triton.jit
def conversions(out, x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.float2int_rn(v))
    tl.store(out + 4 + i, libdevice.float2int_rz(v))
    tl.store(out + 8 + i, libdevice.float2int_rd(v))
    tl.store(out + 12 + i, libdevice.float2int_ru(v))


#: x = fp32[2.5, -2.5, 0.49999997, 8388609]
#: out -> fp32[3, -3, 0, 8388609, 2, -2, 0, 8388609]
@triton.jit
def rounding(out, x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.round(v))
    tl.store(out + 4 + i, libdevice.rint(v))
    tl.static_assert(libdevice.llround(v).dtype == tl.int64)


#: x = fp32[1.5, -0.0, 1e-45, inf]
#: out -> i32[0, -2147483648, -149, 2147483647, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
@triton.jit
def classes(out, x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.ilogb(v))
    tl.store(out + 4 + i, libdevice.signbit(v))
    tl.store(out + 8 + i, libdevice.isinf(v).to(tl.int32))
    tl.store(out + 12 + i, libdevice.isnan(v).to(tl.int32))


#: out -> fp32[12, 1.401298464324817e-45, 1.0000001192092896, 0.9999999403953552, 1.401298464324817e-45, 5, 3, 0, 0.5, 1]
@triton.jit
def parts(out, n, s):
    one = s * 2.0
    tl.store(out, libdevice.ldexp(one + s, 3))
    tl.store(out + 1, libdevice.ldexp(one, -149))
    tl.store(out + 2, libdevice.nextafter(one, 2.0))
    tl.store(out + 3, libdevice.nextafter(one, 0.0))
    tl.store(out + 4, libdevice.nextafter(one - one, 1.0))
    tl.store(out + 5, libdevice.hypot(one * 3.0, 4.0))
    tl.store(out + 6, libdevice.fdim(one * 5.0, 2.0))
    tl.store(out + 7, libdevice.fdim(one, 2.0))
    tl.store(out + 8, libdevice.saturatef(s))
    tl.store(out + 9, libdevice.saturatef(s * 9.0))


#: x = fp32[-2, -2, -2, 0, 0, nan, 1, -1, inf, 2, -0.0, 2]
#: y = fp32[3, 2, 0.5, -1, 0, 0, nan, inf, -1, nan, -3, 1024]
#: out -> fp32[-8, 4, nan, inf, 1, 1, 1, 1, 0, nan, -inf, inf, 0, 0, 0, 0]
@triton.jit
def powers(out, x, y):
    i = tl.arange(0, 16)
    m = i < 12
    r = libdevice.pow(tl.load(x + i, mask=m), tl.load(y + i, mask=m))
    d = libdevice.pow(tl.load(x + i, mask=m).to(tl.float64), tl.load(y + i, mask=m).to(tl.float64))
    same = (r == d.to(tl.float32)) | ((r != r) & (d != d))
    tl.store(out + i, tl.where(m, tl.where(same, r, 77.0), 0.0))


# Constants for which products, quotients and roots do.
#: x = fp32[-inf, -2, -1e-40, -0.0, 0, 0.25, 3, inf]
#: out -> fp32[0, 0.25, inf, inf, inf, 16, 0.1111111119389534, 0, -0.0, -0.5, -inf, -inf, inf, 4, 0.3333333432674408, 0, 0, nan, nan, inf, inf, 2, 0.5773502588272095, 0, inf, nan, nan, -0.0, 0, 0.5, 1.7320507764816284, inf, -inf, -2, -9.99994610111476e-41, -0.0, 0, 0.25, 3, inf, inf, 4, 0, 0, 0, 0.0625, 9, inf, -inf, -8, -0.0, -0.0, 0, 0.015625, 27, inf, inf, 16, 0, 0, 0, 0.00390625, 81, inf, 0, nan, nan, inf, inf, 2, 0.5773502691896258, 0] ~3e-7
@triton.jit
def constant_powers(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    for k in tl.static_range(8):
        tl.store(out + 8 * k + i, libdevice.pow(v, (-2, -1, -0.5, 0.5, 1.0, 2.0, 3, 4)[k]))
    # The sign of a zero.
    tl.store(out + 64 + i, 1.0 / libdevice.pow(v, 0.5))


# Squares out of the range.
#: x = fp32[3e38, -inf, 1e-45, 3e-30, 0, 3e20, nan, nan]
#: y = fp32[1e38, nan, 0, -4e-30, -0.0, 4e20, 1, inf]
#: out -> fp32[3.1622777e38, inf, 1e-45, 5e-30, 0, 5e20, nan, inf] ~3e-7
@triton.jit
def lengths(out, x, y):
    i = tl.arange(0, 8)
    tl.store(out + i, libdevice.hypot(tl.load(x + i), tl.load(y + i)))


# An integer that float32 cannot hold still counts with all its digits, and says whether the power is odd.
#: n = i32[3, 16777217, -2147483647, -2147483648]
#: out -> fp32[-1, -1, -1, 1, 7.389054298400879, 0, -0.0]
@triton.jit
def whole_powers(out, n):
    i = tl.arange(0, 4)
    y = tl.load(n + i)
    minus_one = y.to(tl.float32) * 0.0 - 1.0
    tl.store(out + i, libdevice.pow(minus_one, y))
    one = tl.load(n).to(tl.float32) * 0.0 + 1.0
    tl.store(out + 4, libdevice.pow(one + 1.1920928955078125e-07, 16777215))
    tl.store(out + 5, libdevice.pow(one + 5.0, -2147483647))
    tl.store(out + 6, libdevice.pow(one - 6.0, -2147483647))


# Exact whatever the quotient; the sign is that of the dividend.
#: x = fp32[1e38, -1e38, 16777216, -6, 5, inf, 3, nan]
#: y = fp32[3, 1e-45, 1.1, 3, inf, 2, 0, 1]
#: out -> fp32[2, -0.0, 0.23636364936828613, -0.0, 5, nan, nan, nan]
@triton.jit
def remainders(out, x, y):
    i = tl.arange(0, 8)
    tl.store(out + i, libdevice.fmod(tl.load(x + i), tl.load(y + i)))


#: x = fp32[-0.0, 0]
#: out -> fp32[-0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0]
@triton.jit
def zeros_keep_their_sign(out, x):
    i = tl.arange(0, 2)
    v = tl.load(x + i)
    tl.store(out + i, tl.sin(v))
    tl.store(out + 2 + i, libdevice.tan(v))
    tl.store(out + 4 + i, libdevice.tanh(v))
    tl.store(out + 6 + i, tl.erf(v))
    tl.store(out + 8 + i, tl.sqrt(v))


#: x = fp32[nan, inf, -inf, 0, -0.0, 1e30, -1e30, 1e-42]
#: out -> fp32[nan, 1, -1, 0, -0.0, 1, -1, 1e-42, nan, inf, -1, 0, -0.0, inf, -1, 1e-42, nan, inf, nan, 0, -0.0, 69.07755279541016, nan, 1e-42] ~1e-7
@triton.jit
def special_values(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.tanh(v))
    tl.store(out + 8 + i, libdevice.expm1(v))
    tl.store(out + 16 + i, libdevice.log1p(v))


#: y = fp32[0, -0.0, 0, -0.0, 1, inf, inf, -inf]
#: x = fp32[1, 1, -1, -1, 0, inf, -inf, 1]
#: out -> fp32[0, -0.0, 3.1415927410125732, -3.1415927410125732, 1.5707963705062866, 0.7853981852531433, 2.356194496154785, -1.5707963705062866] ~1e-7
@triton.jit
def quadrants(out, y, x):
    i = tl.arange(0, 8)
    tl.store(out + i, libdevice.atan2(tl.load(y + i), tl.load(x + i)))


#: x = fp32[1.5]
#: out -> i64[1069547520, 1073217536, 0, 1]
@triton.jit
def views(out, x):
    v = tl.load(x)
    tl.store(out, libdevice.float_as_int(v))
    d = v.to(tl.float64)
    tl.store(out + 1, libdevice.double2hiint(d))
    tl.store(out + 2, libdevice.double2loint(d))
    back = libdevice.hiloint2double(libdevice.double2hiint(d), libdevice.double2loint(d))
    tl.store(out + 3, (back == libdevice.longlong_as_double(libdevice.double_as_longlong(d))).to(tl.int64))


#:
@triton.jit
def operand_types(p, h, n, s):
    a = libdevice.tanh(tl.load(h))  #! libdevice.tanh takes
    b = libdevice.atan2(s, n)  #! libdevice.atan2 takes (float32, float32) or (float64, float64), found (float32, int32)
    c = libdevice.ffs(s)  #! libdevice.ffs takes (int32) or (int64), found (float32)
    d = libdevice.pow(n, 2)  #! libdevice.pow takes
    e = libdevice.exp(1)  #! libdevice.exp takes
    f = libdevice.popc(s)  #! int32 or int64


#: x = fp64[0, -0.0, 1, 5, -1, -2.5, 171.625, inf, -inf, nan, 200, -200.5, 5e-324, 0.5, -1e-300, 171.5]
#: out -> fp64[inf, -inf, 1, 24, nan, -0.9453087204829419, inf, inf, nan, nan, inf, -0.0, inf, 1.772453850905516, -1e300, 9.483367566824795e+307] ~1e-15
@triton.jit
def gamma(out, x):
    i = tl.arange(0, 16)
    tl.store(out + i, libdevice.tgamma(tl.load(x + i)))


#: x = fp64[0, -0.0, 1, 2, -1, -2.5, 1e308, inf, -inf, nan, 1e300, -1e-300, 5e-324, 0.5, 3, 100]
#: out -> fp64[inf, inf, 0, 0, inf, -0.05624371649767405, inf, inf, inf, nan, 6.897755278982137e+302, 690.7755278982137, 744.4400719213812, 0.5723649429247001, 0.6931471805599453, 359.1342053695754] ~1e-14
@triton.jit
def log_gamma(out, x):
    i = tl.arange(0, 16)
    tl.store(out + i, libdevice.lgamma(tl.load(x + i)))


#: x = fp64[0, -0.0, 1, -1, inf, -inf, nan, 20]
#: out -> fp64[1, 1, 0.7651976865579666, 0.7651976865579666, 0, 0, nan, 0.16702466434058315, 0, -0.0, 0.44005058574493355, -0.44005058574493355, 0, -0.0, nan, 0.06683312417584991, -inf, -inf, 0.08825696421567697, nan, 0, nan, nan, 0.06264059680938384, -inf, -inf, -0.7812128213002887, nan, 0, nan, nan, -0.16551161436252118] ~1e-14
@triton.jit
def bessel(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.j0(v))
    tl.store(out + 8 + i, libdevice.j1(v))
    tl.store(out + 16 + i, libdevice.y0(v))
    tl.store(out + 24 + i, libdevice.y1(v))


#: n = i32[0, 1, 2, -3, 5, 5, 50, 2147483647, 2, 3, -3, 2, 0, 1, 7, 7]
#: x = fp64[3, 3, 3, 3, -2, 60, 2, 1, 0, -inf, inf, nan, -0.0, -0.0, 1e308, 1e-300]
#: out -> fp64[-0.26005195490193345, 0.3390589585259365, 0.4860912605858911, -0.30906272225525167, -0.007039629755871685, 0.0274547442283441, 3.22409583943638e-65, 0, 0, -0.0, -0.0, nan, 1, -0.0, -7.586687955241802e-155, 0] ~1e-13
@triton.jit
def bessel_of_any_order(out, n, x):
    i = tl.arange(0, 16)
    tl.store(out + i, libdevice.jn(tl.load(n + i), tl.load(x + i)))


#: n = i32[0, 1, 2, -3, 5, 5, 400, 2, 2, 2, 2, -1]
#: x = fp64[3, 3, 3, 3, -2, 60, 0.001, 0, inf, -inf, nan, 0]
#: out -> fp64[0.37685001001279045, 0.3246744247918001, -0.16040039348492374, 0.5385416161050315, nan, 0.09946463284045089, -inf, -inf, 0, nan, nan, inf] ~1e-13
@triton.jit
def second_bessel_of_any_order(out, n, x):
    i = tl.arange(0, 16)
    m = i < 12
    v = tl.load(x + i, mask=m)
    tl.store(out + i, libdevice.yn(tl.load(n + i, mask=m), v), mask=m)
    tl.store(out, libdevice.yn(0, tl.load(x)))


#: x = fp32[0, -0.0, 1, -1, 50, inf, -inf, nan]
#: out -> fp32[1, 1, 1.2660658359527588, 1.2660658359527588, 2.9325538e+20, inf, inf, nan, 0, -0.0, 0.5651590824127197, -0.5651590824127197, 2.9030785e+20, inf, -inf, nan] ~1e-6
@triton.jit
def modified_bessel(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.cyl_bessel_i0(v))
    tl.store(out + 8 + i, libdevice.cyl_bessel_i1(v))


#: x = fp64[0, 2, 1, 0.5, 1e-300, -0.5, 2.5, nan]
#: out -> fp64[inf, -inf, 0, 0.4769362762044699, 26.209469960516124, nan, nan, nan, -inf, nan, inf, 0, -37.0471, nan, nan, nan] ~1e-6
@triton.jit
def inverses(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.erfcinv(v))
    tl.store(out + 8 + i, libdevice.normcdfinv(v))


#:
@triton.jit
def not_there(p, n, s):
    a = libdevice.jn(s, n)  #! libdevice.jn takes (int32, float32) or (int32, float64), found (float32, int32)
    b = libdevice.fast_tanhf(s)  #! no member 'fast_tanhf'
