# Element-wise functions: their types, forms, exact results and NaN.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language.math import exp2 as power_of_two
from triton.language import math as tlm


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = fp32[0.25, 0.5, 1, 2, 3, 7.5, 0.0010000000474974513, 20]
#: out -> fp32[1.2840254166877414, 1.6487212707001282, 2.718281828459045, 7.38905609893065, 20.085536923187668, 1808.0424144560632, 1.0010005002142532, 485165195.4097903, 1.189207115002721, 1.4142135623730951, 2, 4, 8, 181.01933598375618, 1.0006933874955262, 1048576, -1.3862943611198906, -0.6931471805599453, 0, 0.6931471805599453, 1.0986122886681098, 2.0149030205422647, -6.907755231484687, 2.995732273553991, -2, -1, 0, 1, 1.584962500721156, 2.9068905956085187, -9.96578421613775, 4.321928094887363, 0.24740395925452294, 0.479425538604203, 0.8414709848078965, 0.9092974268256817, 0.1411200080598672, 0.9379999767747389, 0.0009999998808307693, 0.9129452507276277, 0.9689124217106447, 0.8775825618903728, 0.5403023058681398, -0.4161468365471424, -0.9899924966004454, 0.3466353178350258, 0.9999994999999942, 0.40808206181339196, 0.5, 0.7071067811865476, 1, 1.4142135623730951, 1.7320508075688772, 2.7386127875258306, 0.03162277735268443, 4.47213595499958, 2, 1.414213562373095, 1, 0.7071067811865475, 0.5773502691896258, 0.3651483716701107, 31.622775850683176, 0.22360679774997896, 0.2763263901682369, 0.5204998778130465, 0.8427007929497149, 0.9953222650189527, 0.9999779095030014, 1, 0.0011283788445643173, 1, 0, 0, 1, 2, 3, 7, 0, 20, 1, 1, 1, 2, 3, 8, 1, 20, 0.5621765008857981, 0.6224593312018546, 0.7310585786300049, 0.8807970779778823, 0.9525741268224334, 0.9994472213630764, 0.500249999991041, 0.9999999979388463] ~4e-6
@triton.jit
def functions_of_float32(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, tl.exp(v))
    tl.store(out + 8 + i, power_of_two(v))
    tl.store(out + 16 + i, v.log())
    tl.store(out + 24 + i, tl.math.log2(v))
    tl.store(out + 32 + i, tlm.sin(v))
    tl.store(out + 40 + i, v.cos())
    tl.store(out + 48 + i, tl.sqrt(x=v))
    tl.store(out + 56 + i, tl.rsqrt(v))
    tl.store(out + 64 + i, tl.math.erf(v))
    tl.store(out + 72 + i, tl.floor(v))
    tl.store(out + 80 + i, tl.math.ceil(v))
    tl.store(out + 88 + i, tl.sigmoid(v))


#: x = fp64[0.25, 0.5, 1, 2, 3, 7.5, 0.0010000000474974513, 20]
#: out -> fp64[1.2840254166877414, 1.6487212707001282, 2.718281828459045, 7.38905609893065, 20.085536923187668, 1808.0424144560632, 1.0010005002142532, 485165195.4097903, 1.189207115002721, 1.4142135623730951, 2, 4, 8, 181.01933598375618, 1.0006933874955262, 1048576, -1.3862943611198906, -0.6931471805599453, 0, 0.6931471805599453, 1.0986122886681098, 2.0149030205422647, -6.907755231484687, 2.995732273553991, -2, -1, 0, 1, 1.584962500721156, 2.9068905956085187, -9.96578421613775, 4.321928094887363, 0.24740395925452294, 0.479425538604203, 0.8414709848078965, 0.9092974268256817, 0.1411200080598672, 0.9379999767747389, 0.0009999998808307693, 0.9129452507276277, 0.9689124217106447, 0.8775825618903728, 0.5403023058681398, -0.4161468365471424, -0.9899924966004454, 0.3466353178350258, 0.9999994999999942, 0.40808206181339196, 0.5, 0.7071067811865476, 1, 1.4142135623730951, 1.7320508075688772, 2.7386127875258306, 0.03162277735268443, 4.47213595499958, 2, 1.414213562373095, 1, 0.7071067811865475, 0.5773502691896258, 0.3651483716701107, 31.622775850683176, 0.22360679774997896, 0.2763263901682369, 0.5204998778130465, 0.8427007929497149, 0.9953222650189527, 0.9999779095030014, 1, 0.0011283788445643173, 1, 0, 0, 1, 2, 3, 7, 0, 20, 1, 1, 1, 2, 3, 8, 1, 20, 0.5621765008857981, 0.6224593312018546, 0.7310585786300049, 0.8807970779778823, 0.9525741268224334, 0.9994472213630764, 0.500249999991041, 0.9999999979388463] ~5e-15
@triton.jit
def functions_of_float64(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, v.exp())
    tl.store(out + 8 + i, v.exp2())
    tl.store(out + 16 + i, tl.log(v))
    tl.store(out + 24 + i, v.log2())
    tl.store(out + 32 + i, v.sin())
    tl.store(out + 40 + i, tl.cos(v))
    tl.store(out + 48 + i, v.sqrt())
    tl.store(out + 56 + i, v.rsqrt())
    tl.store(out + 64 + i, v.erf())
    tl.store(out + 72 + i, v.floor())
    tl.store(out + 80 + i, v.ceil())
    tl.store(out + 88 + i, v.sigmoid())


# Of scalars and of literals; a literal becomes float32.
#: s = 2.0
#: out -> fp32[7.38905609893065, 1.4142135623730951, 1.6487212707001282, 0.8807970779778823, 2, 1] ~1e-6
@triton.jit
def functions_of_scalars(out, s):
    a = tl.exp(s)
    tl.static_assert(a.dtype == tl.float32 and len(a.shape) == 0)
    tl.store(out, a)
    tl.store(out + 1, tl.math.sqrt_rn(s))
    tl.store(out + 2, tl.exp(0.5))
    tl.store(out + 3, tl.sigmoid(s))
    tl.store(out + 4, tl.floor(2.75))
    tl.store(out + 5, tl.fdiv(s, 2.0))


#: x = fp32[0, -0.0, inf, -inf, nan, -1]
#: out -> fp32[1, 1, inf, 0, nan, -inf, -inf, inf, nan, nan, nan, 0, -0.0, inf, nan, nan, nan, inf, -inf, 0, nan, nan, nan, 0, 0, 1, -1, nan]
@triton.jit
def special_arguments(x, out):
    for k in tl.static_range(5):
        tl.store(out + k, tl.exp(tl.load(x + k)))
    for k in tl.static_range(6):
        tl.store(out + 5 + k, tl.log(tl.load(x + k)))
    for k in tl.static_range(6):
        tl.store(out + 11 + k, tl.sqrt_rn(tl.load(x + k)))
    for k in tl.static_range(3):
        tl.store(out + 17 + k, tl.rsqrt(tl.load(x + k)))
    tl.store(out + 20, tl.rsqrt(tl.load(x + 5)))
    tl.store(out + 21, tl.sin(tl.load(x + 2)))
    tl.store(out + 22, tl.cos(tl.load(x + 3)))
    tl.store(out + 23, tl.sin(tl.load(x)))
    for k in tl.static_range(4):
        tl.store(out + 24 + k, tl.erf(tl.load(x + k + 1)))


# IEEE division and square root; the other forms of dividing are within 2 units.
#: x = fp32[1, 2, 3, 10, -7, 9.99994610111476e-41, 3.0000000054977558e+38, 5, 3, 7, 11, 9, 1.7000000476837158, 3, 0.699999988079071, 0]
#: out -> fp32[0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 1.1111111640930176, -4.117647171020508, 3.3332686570894424e-41, inf, inf, 1, 1.4142135381698608, 1.7320507764816284, 3.1622776985168457, 2.6457512378692627, 9.999973025467516e-21, 1.7320507716308828e+19, 2.2360680103302]
#: wide -> fp64[0.3333333333333333, 0.2857142857142857, 0.2727272727272727, 1.1111111111111112, -4.117646943326643, 3.333315367038253e-41, 4.285714366553503e+38, inf, 0.3333333333333333, 0.2857142857142857, 0.2727272727272727, 1.1111111111111112, -4.117646943326643, 3.333315367038253e-41, 4.285714366553503e+38, inf]
@triton.jit
def exact_division(x, out, wide):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(x + 8 + i)
    tl.store(out + i, tl.div_rn(a, b))
    tl.store(out + 8 + i, tl.math.sqrt_rn(tl.abs(a)))
    tl.store(wide + i, tl.fdiv(a.to(tl.float64), b.to(tl.float64)))
    tl.store(wide + 8 + i, a.to(tl.float64) / b.to(tl.float64))


#: x = fp32[1, 2, 3, 10, -7, 1, 2, 3, 3, 7, 11, 9, 1.7000000476837158, 3, 7, 11]
#: near -> fp32[0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 1.1111111640930176, -4.117647171020508, 0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 1.1111111640930176, -4.117647171020508, 0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 0.3333333432674408, 0.2857142984867096, 0.27272728085517883, 1.1111111640930176, -4.117647171020508, 0.3333333432674408, 0.2857142984867096, 0.27272728085517883] ~2.4e-7
@triton.jit
def division(x, near):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(x + 8 + i)
    tl.store(near + i, tl.fdiv(a, b))
    tl.store(near + 8 + i, tl.math.fdiv(a, b, ieee_rounding=True))
    tl.store(near + 16 + i, a / b)


#: n = 7
#: out -> fp32[3.5, 2.3333332538604736, 0.5, 0.1428571492433548] ~2.4e-7
@triton.jit
def division_promotes(out, n):
    h = tl.full([1], 1.0, tl.float16)
    one = tl.arange(0, 1)
    a = tl.div_rn(n, 2.0)
    tl.static_assert(a.dtype == tl.float32)
    tl.store(out, a)
    b = tl.math.div_rn(tl.full([1], 7, tl.float16), tl.full([1], 3, tl.bfloat16).to(tl.float32))
    tl.store(out + 1 + one, b)
    c = tl.fdiv(h, h + h)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(out + 2 + one, c)
    tl.store(out + 3 + one, 1 / (h * 7))


# One rounding, in every float; a literal is float32, and pairs promote.
#: out -> fp64[0.0004883408546447754, 0.031494140625, 0.12890625, 4.440892098500626e-16, 7, 3.5]
@triton.jit
def fma_rounds_once(out, n):
    a = tl.full((), 1.000244140625, tl.float32)
    tl.store(out, tl.fma(a, a, -tl.full((), 1.0, tl.float32)))
    b = tl.full((), 1.015625, tl.float16)
    x = tl.fma(b, b, -(b * 0 + 1))
    tl.static_assert(x.dtype == tl.float16)
    tl.store(out + 1, x)
    c = tl.full((), 1.0625, tl.bfloat16)
    y = tl.math.fma(c, c, -(c * 0 + 1))
    tl.static_assert(y.dtype == tl.bfloat16)
    tl.store(out + 2, y)
    d = tl.full((), 1.0000000000000002220446049250313 + 0.0000000000000002220446049250313 * 0, tl.float64)
    d = d * 0 + 1 + 2.220446049250313e-16
    tl.store(out + 3, tl.fma(d, d, -(d * 0 + 1)))
    z = tl.fma(tl.full([2], 2, tl.float16), 3.0, n * 0 + 1)
    tl.static_assert(z.dtype == tl.float32 and z.shape == (2,))
    tl.store(out + 4, tl.max(z, 0))
    tl.store(out + 5, tl.fma(0.5, tl.full((), 5, tl.float64), 1.0))


#: x = fp32[-1.5, -0.0, nan, -inf]
#: out -> fp64[1.5, 0, nan, inf, -128, 200, 2147483648, 1, -9223372036854775808, 1.5, 1.5, 3.5]
@triton.jit
def abs_types(x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.abs(tl.load(x + i)))
    a = tl.abs(tl.full((), -128, tl.int8))
    tl.static_assert(a.dtype == tl.int8)
    tl.store(out + 4, a)
    tl.store(out + 5, tl.abs(tl.full((), 200, tl.uint8)))
    tl.store(out + 6, tl.abs(tl.full((), 2147483648, tl.uint32)))
    b = tl.abs(tl.full((), True, tl.int1))
    tl.static_assert(b.dtype == tl.int1)
    tl.store(out + 7, b.to(tl.float64))
    tl.store(out + 8, tl.math.abs(tl.full((), -9223372036854775808, tl.int64)))
    tl.store(out + 9, tl.load(x).to(tl.float16).abs())
    tl.store(out + 10, tl.abs(tl.load(x).to(tl.bfloat16)))
    tl.store(out + 11, tl.abs(-3.5))


# The high half of the unsigned product, whatever the sign of the types.
#: x = u32[3, 2147483648, 4294967295, 123456789, 7, 2, 4294967295, 987654321]
#: y = u64[9223372036854775808, 18446744073709551615, 12345678901234567890, 2, 18446744073709551615, 9876543210987654321]
#: out -> i32[0, 1, -2, 28389652]
#: uns -> u32[0, 1, 4294967294, 28389652]
#: wide -> i64[1, -2, 6609981178781634653]
@triton.jit
def umulhi_types(x, y, out, uns, wide):
    for k in tl.static_range(4):
        p, q = tl.load(x + k), tl.load(x + 4 + k)
        u = tl.umulhi(p, q)
        s = tl.math.umulhi(p.to(tl.int32), q.to(tl.int32))
        tl.static_assert(u.dtype == tl.uint32 and s.dtype == tl.int32)
        tl.store(uns + k, u)
        tl.store(out + k, s)
    for k in tl.static_range(3):
        p, q = tl.load(y + k), tl.load(y + 3 + k)
        tl.static_assert(tl.umulhi(p, q).dtype == tl.uint64)
        tl.store(wide + k, tl.umulhi(p.to(tl.int64), q.to(tl.int64)))


#: x = fp32[1, nan, nan, -0.0, inf, -5, nan, 2, nan, 0, -inf, 3]
#: out -> fp32[1, 2, nan, 0, -inf, -5, nan, nan, nan, 0, -inf, -5, 1, 2, nan, 0, inf, 3, nan, nan, nan, 0, inf, 3]
#: wide -> fp64[nan, nan, nan, 0, -inf, -5, 1, 2, nan, 0, inf, 3]
@triton.jit
def minimum_and_nan(x, out, wide):
    for k in tl.static_range(6):
        a, b = tl.load(x + k), tl.load(x + 6 + k)
        tl.store(out + k, tl.minimum(a, b))
        tl.store(out + 6 + k, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
        tl.store(out + 12 + k, tl.maximum(a, b, tl.PropagateNan.NONE))
        tl.store(out + 18 + k, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
        tl.store(wide + k, tl.minimum(a.to(tl.float64), b.to(tl.float64), tl.PropagateNan.ALL))
        tl.store(wide + 6 + k, tl.maximum(a.to(tl.float64), b.to(tl.float64)))


#: out -> fp64[-5, 251, 5, 3, 0.5, 2, 1, 0, 255, 7]
@triton.jit
def minimum_types(out, n):
    a = tl.full((), -5, tl.int8)
    x = tl.minimum(a, tl.full((), 3, tl.int16))
    tl.static_assert(x.dtype == tl.int16)
    tl.store(out, x)
    tl.store(out + 1, tl.maximum(a.to(tl.uint8), tl.full((), 3, tl.int8).to(tl.uint8)))
    tl.store(out + 2, tl.maximum(n, 3))
    tl.store(out + 3, tl.minimum(n, 3.0))
    b = tl.full((), 0.5, tl.bfloat16)
    y = tl.minimum(b, b + 1)
    tl.static_assert(y.dtype == tl.float32)
    tl.store(out + 4, y)
    h = tl.full((), 2.0, tl.float16)
    z = tl.maximum(h, h * 0.5)
    tl.static_assert(z.dtype == tl.float16 and tl.maximum(h, 0.0).dtype == tl.float32)
    tl.store(out + 5, z)
    t = n > 0
    tl.store(out + 6, tl.maximum(t, n < 0).to(tl.int32))
    tl.store(out + 7, tl.minimum(t, n < 0).to(tl.int32))
    u = tl.full((), 255, tl.uint8)
    tl.store(out + 8, tl.maximum(u, t))
    tl.store(out + 9, tl.max(tl.maximum(tl.arange(0, 4), tl.full([2, 1], 7, tl.int32)), None))


# The bare names: constants stay constants, other arguments fold from the left.
#: out -> fp64[2, 8, 1, 9, 2.5, -1, 3]
@triton.jit
def bare_min_and_max(out, n):
    C: tl.constexpr = min(4, 2, 8)
    tl.static_assert(C == 2 and max(C, 8) == 8)
    tl.store(out, tl.sum(tl.full([C], 1, tl.int32)))
    tl.store(out + 1, max(4, 2, 8))
    tl.store(out + 2, min(n, 1))
    tl.store(out + 3, max(n, 9, 3))
    tl.store(out + 4, min(n, 2.5))
    tl.store(out + 5, min(n, n - 6, n + 1))
    tl.store(out + 6, tl.max(min(tl.arange(0, 8), 3), 0))


#: x = fp32[-3, -1, 0.5, 2, nan]
#: out -> fp32[-1, -1, 0.5, 1, -1, -1, -1, 0.5, 1, nan, -1, 1, 0.5]
@triton.jit
def clamp_forms(x, out, n):
    for k in tl.static_range(5):
        v = tl.load(x + k)
        tl.store(out + k, tl.clamp(v, -1.0, 1.0))
        tl.store(out + 5 + k, tl.clamp(v, -1, 1, propagate_nan=tl.PropagateNan.ALL))
    h = tl.load(x).to(tl.bfloat16)
    a = tl.clamp(h, -1.0, 1.0)
    tl.static_assert(a.dtype == tl.float32)
    tl.store(out + 10, a)
    i = tl.arange(0, 4)
    b = tl.clamp(x=(i * 1.0).to(tl.float16)[:, None], min=tl.zeros([1, 2], tl.float16), max=tl.full([2], 1.0, tl.float16))
    tl.static_assert(b.dtype == tl.float16 and b.shape == (4, 2))
    tl.store(out + 11, tl.max(b))
    c = tl.clamp(n * 0, 0.5, 2.0)
    tl.static_assert(c.dtype == tl.float32)
    tl.store(out + 12, c)


# add, sub and mul are the operators; two numbers give a tensor.
#: out -> fp64[3, -1, 6, 44, 0.5, 2.5, 7]
@triton.jit
def operators_as_functions(out, n):
    a = tl.add(1, 2)
    tl.static_assert(a.dtype == tl.int32)
    tl.store(out, a)
    tl.store(out + 1, tl.sub(1, 2, sanitize_overflow=False))
    tl.store(out + 2, tl.mul(2, tl.mul(n, 3) - 12))
    b = tl.add(tl.full((), 100, tl.uint8), tl.full((), 200, tl.uint8), False)
    tl.static_assert(b.dtype == tl.uint8)
    tl.store(out + 3, b)
    c = tl.mul(tl.full((), 1, tl.float16), 0.5)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(out + 4, c)
    tl.store(out + 5, tl.sub(n, 2.5))
    tl.store(out + 6, tl.add(x=n, y=2))


#: out -> fp32[0.37754066879814546, 0.37754066879814546, 0.8807970779778823, 0.37754066879814546, 0.37754066879814546, 0.37754066879814546, 0.37754066879814546, 0.8807970779778823, 0.6224593312018546, 0.6224593312018546, 0.11920292202211755, 0.6224593312018546, 0.6224593312018546, 0.6224593312018546, 0.6224593312018546, 0.11920292202211755, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.05816603482205683, 0.15811167549031316, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.06765883697341267, 0.18391578707950068, 0.04103715902487351, 0.11155056366889776, 0.30322587017552854, 0.06765883697341267, 0.18391578707950068, 0.04103715902487351, 0.37754066879814546, 0.37754066879814546, 0.8807970779778823, 0.37754066879814546, 0.37754066879814546, 0.37754066879814546, 0.37754066879814546, 0.8807970779778823, 0.6224593312018546, 0.6224593312018546, 0.11920292202211755, 0.6224593312018546, 0.6224593312018546, 0.6224593312018546, 0.6224593312018546, 0.11920292202211755, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.05816603482205683, 0.15811167549031316, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.05816603482205683, 0.15811167549031316, 0.03527948347349014, 0.09589957884340945, 0.2606820825269154, 0.06765883697341267, 0.18391578707950068, 0.04103715902487351, 0.11155056366889776, 0.30322587017552854, 0.06765883697341267, 0.18391578707950068, 0.04103715902487351] ~1e-6
@triton.jit
def softmax_forms(out):
    z = tl.reshape(tl.arange(0, 16) * 7 % 5, (2, 8)) * 0.5
    write(out, tl.softmax(z))
    write(out + 16, tl.softmax(z, 1, keep_dims=True))
    write(out + 32, z.softmax(dim=0, ieee_rounding=True))
    write(out + 48, tl.softmax(tl.arange(0, 8) * 7 % 5 * 0.5))
    write(out + 56, tl.softmax(z, dim=-1, keep_dims=True).to(tl.float32))


#: out -> i32[1, 20, 3, 40, 1, 1, 0, 1, 10, 10, 11, 11]
@triton.jit
def where_forms(out, n):
    i = tl.arange(0, 4)
    write(out, tl.where(i % 2 == 0, i + 1, (i + 1) * 10))
    h = tl.zeros([2], tl.float16)
    tl.static_assert(tl.where(True, h, 0.5).dtype == tl.float16 and tl.where(n > 0, 1, 2).dtype == tl.int32)
    tl.static_assert(tl.where(n > 0, h, n).dtype == tl.float16 and tl.where(n > 0, 1, 0.5).dtype == tl.float32)
    tl.static_assert(tl.where(n > 0, tl.zeros([2], tl.int8), 1).dtype == tl.int8)
    tl.static_assert(tl.where(n > 0, tl.zeros([2], tl.int1), 1).dtype == tl.int32)
    write(out + 4, tl.where(tl.arange(0, 2) < 5, 1, 0))
    tl.store(out + 6, tl.where(n < 0, 1, 0))
    tl.store(out + 7, tl.where(True, 1, 0))
    write(out + 8, tl.where(n > 0, tl.arange(10, 12)[:, None], tl.zeros([1, 2], tl.int32)))


#: grid = 5,4
#: rows -> i32[0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 4, 4, 4, 4]
#: columns -> i32[0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3]
@triton.jit
def swizzles(rows, columns):
    i, j = tl.program_id(0), tl.program_id(1)
    a, b = tl.swizzle2d(i, j, tl.num_programs(0), tl.num_programs(1), 2)
    tl.store(rows + i * 4 + j, a)
    tl.store(columns + i * 4 + j, b)


#: out -> i32[0, 2, 0, 4, 1, 1, 0, 0]
@triton.jit
def logical_methods(out, n):
    i = tl.arange(0, 4)
    a = (i % 2 == 1).logical_and(i > 0)
    write(out, tl.where(a, i + 1, 0))
    b = (n > 0).logical_or(n < 0)
    tl.store(out + 4, b.to(tl.int32))
    tl.store(out + 5, (n > 0).logical_and(True).to(tl.int32))
    tl.store(out + 6 + tl.arange(0, 2), (tl.arange(0, 2) > 5).logical_or(n < 0).to(tl.int32))


# The methods that Python calls for operators. A signed 4-bit number is in the lower half of a byte.
#: b = i8[7, 8, 23, -1]
#: out -> i32[7, -8, 7, -1, 10, 11, 26, 2, -4, -5, -20, 4, 14, 16, 46, -2, 4, 8, 0, 1, 1, 0, 0, 0, -7, -8, -23, 1, -8, -9, -24, 0, 0, 1, 0, 1]
@triton.jit
def operators_as_methods(b, out):
    i = tl.arange(0, 4)
    x = tl.load(b + i)
    n = x.to(tl.int32)
    tl.store(out + i, x.__lshift__(4).to(tl.int8).__rshift__(4))
    tl.store(out + 4 + i, n.__add__(3))
    tl.store(out + 8 + i, n.__rsub__(3))
    tl.store(out + 12 + i, n.__mul__(n.__xor__(n) | 2))
    tl.store(out + 16 + i, (i + 2).__rlshift__(1).__and__(12).__or__(i.__eq__(3).to(tl.int32)))
    tl.store(out + 20 + i, n.__lt__(8).to(tl.int32).__floordiv__(1).__mod__(2) * i.__le__(0))
    tl.store(out + 24 + i, n.__neg__())
    tl.store(out + 28 + i, n.__invert__())
    tl.store(out + 32 + i, n.__ge__(8).to(tl.int32).__radd__(0) * (i.__ne__(2).to(tl.int32)) | n.__gt__(100).to(tl.int32) | i.__eq__(3).to(tl.int32))


#: out -> i32[3, 15, 3, 2, 4, 13, 4, 2, 10, 2]
@triton.jit
def more_operators_as_methods(out, n):
    tl.store(out, n.__sub__(2))
    tl.store(out + 1, n.__rmul__(3))
    tl.store(out + 2, n.__rfloordiv__(17))
    tl.store(out + 3, n.__rmod__(17))
    tl.store(out + 4, n.__rand__(4))
    tl.store(out + 5, n.__ror__(8))
    tl.store(out + 6, n.__rxor__(1))
    tl.store(out + 7, n.__rrshift__(64))
    tl.store(out + 8, (n.__truediv__(2) * 4).to(tl.int32))
    tl.store(out + 9, n.__rtruediv__(10).to(tl.int32))


#: h = fp16*8
@triton.jit
def math_errors(p, h, n, s):
    x = tl.load(h)
    tl.exp(x)  #! tl.exp takes float32 or float64, found float16
    x.log()  #! tl.log takes float32 or float64, found float16
    tl.sqrt(n)  #! tl.sqrt takes float32 or float64, found int32
    tl.sin(1)  #! tl.sin takes float32 or float64, found int32
    tl.sigmoid(x)  #! tl.exp takes float32 or float64
    tl.floor(x)  #! tl.floor takes float32 or float64, found float16
    tl.sqrt_rn(s.to(tl.float64))  #! tl.sqrt_rn takes float32, found float64
    tl.div_rn(x, x)  #! tl.div_rn takes float32, found float16
    tl.fdiv(x, s)  #! tl.fdiv takes two floats of one type
    tl.fdiv(n, n)  #! tl.fdiv takes two floats of one type
    tl.fma(n, n, n)  #! tl.fma takes floats, found int32
    tl.umulhi(n.to(tl.int16), n.to(tl.int16))  #! tl.umulhi takes integers of 32 or 64 bits, found int16
    tl.umulhi(s, s)  #! tl.umulhi takes integers of 32 or 64 bits, found float32
    tl.clamp(n, 0, 1)  #! tl.clamp takes floats, found int32
    tl.maximum(p, p)  #! cannot combine
    tl.maximum(s, s, propagate_nan=True)  #! tl.PropagateNan.ALL or tl.PropagateNan.NONE
    tl.abs(p)  #! a number
    tl.tanh(s)  #! no member 'tanh'
    tl.math.pow(s, s)  #! no member 'pow'


#:
@triton.jit
def more_math_errors(p, n, s):
    tl.math.tanh(s)  #! no member 'tanh'
    tl.isnan(s)  #! no member 'isnan'
    s.where(s, s)  #! 'where'
    s.maximum(s)  #! 'maximum'
    s.fma(s, s)  #! 'fma'
    n.logical_and(n)  #! int1
    n.__lshift__(1.5)  #! cannot apply '<<' to int32
    n.__pow__(2)  #! has no attribute '__pow__'
    tl.__add__(n, n)  #! no member '__add__'
    min((1, 2))  #! min takes two or more numbers or tensors
    max(n)  #! max takes two or more numbers or tensors
    min(0.0, float("nan"))  #! takes no NaN and no -0.0
