# Inverse trigonometric functions and those of multiples of pi. The polynomials were fitted for the
# least largest relative error, which is below 2^-27 and 2^-56.


@triton.jit
def _atan_of_fraction(x):
    # For 0 <= x <= 1.
    z = x * x
    if x.dtype == tl.float32:
        p = _horner(z, (-0.00179365929, 0.0109147811, -0.0311781894, 0.0579579584, -0.0840347335,
                        0.10952194, -0.142642438, 0.199985489, -0.333332986))
    else:
        p = _horner(z, (1.3225239505673865e-05, -0.00015216244418885544, 0.00083132884359413801,
                        -0.0028849373625399479, 0.0071965380107115199, -0.013900606351779006,
                        0.021984899087264965, -0.02990389270090579, 0.036641930370262317,
                        -0.042191797929506239, 0.047223224850694107, -0.052535186146761406,
                        0.058805278240650426, -0.066664040583059941, 0.076922798392586686,
                        -0.090909070029758288, 0.11111111007024423, -0.14285714282575018,
                        0.19999999999951459, -0.33333333333333071))
    return tl.fma(z * x, p, x)


@triton.jit
def _half_pi_minus(x):
    # The second part of pi/2 makes up for the rounding of the first.
    if x.dtype == tl.float32:
        return 1.57079637050628662109375 - (x + 4.37113900018624283e-08)
    else:
        return 1.5707963267948966 - (x - 6.123233995736766e-17)


@triton.jit
def atan(x):
    size = tl.abs(x)
    inverted = size > 1.0
    # At 1, half of the quotient's error goes to the result, and less beyond.
    inverse = libdevice._near_quotient(_real(1.0, x), size)
    result = _atan_of_fraction(tl.where(inverted, inverse, size))
    return libdevice.copysign(tl.where(inverted, _half_pi_minus(result), result), x)


@triton.jit
def atan2(y, x):
    size_y = tl.abs(y)
    size_x = tl.abs(x)
    steep = size_y > size_x
    low = tl.where(steep, size_x, size_y)
    high = tl.where(steep, size_y, size_x)
    fraction = _quotient(low, high)
    fraction = tl.where(high == 0.0, 0.0, tl.where(isinf(low) & isinf(high), 1.0, fraction))
    result = _atan_of_fraction(fraction)
    result = tl.where(steep, _half_pi_minus(result), result)
    if x.dtype == tl.float32:
        behind = 3.1415927410125732421875 - (result + 8.74227800037248566e-08)
    else:
        behind = 3.141592653589793 - (result - 1.2246467991473532e-16)
    result = tl.where(_is_negative(x), behind, result)
    return tl.where((x != x) | (y != y), _nan(x), libdevice.copysign(result, y))


@triton.jit
def _asin_tail(z):
    # (asin(x) - x) / x for z = x^2 up to 0.36 (float64: 1/4).
    if z.dtype == tl.float32:
        p = _horner(z, (0.0465980029, -0.00263594959, 0.0278026181, 0.0296577378, 0.0446877476, 0.0749989733,
                        0.16666667))
    else:
        p = _horner(z, (0.031911956038770541, -0.016223784944273227, 0.019527959960627599,
                        0.0065280897402092428, 0.012169184378465444, 0.013885239768341048,
                        0.017359704307933464, 0.022371758082349927, 0.030381959135545103,
                        0.044642856828365558, 0.075000000003369649, 0.16666666666665408))
    return z * p


@triton.jit
def _is_near_one(size):
    # Above, asin is taken from pi/2; below 0.6 that would cost float32 a digit.
    if size.dtype == tl.float32:
        return size > 0.6
    else:
        return size > 0.5


@triton.jit
def asin(x):
    size = tl.abs(x)
    near_one = _is_near_one(size)
    # asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))
    z = tl.where(near_one, tl.fma(size, _real(-0.5, x), _real(0.5, x)), size * size)
    root = libdevice._near_root(z)
    arc = tl.where(near_one, 2.0 * root, size)
    arc = tl.fma(arc, _asin_tail(z), arc)
    result = tl.where(near_one, _half_pi_minus(arc), arc)
    return libdevice.copysign(result, x)


@triton.jit
def acos(x):
    # Near 1, acos(x) = 2 asin(sqrt((1 - x) / 2)), and near -1 what is left of pi; between, pi/2 - asin(x).
    size = tl.abs(x)
    near_one = _is_near_one(size)
    z = tl.where(near_one, tl.fma(size, _real(-0.5, x), _real(0.5, x)), size * size)
    arc = tl.where(near_one, libdevice._near_root(z), x)
    arc = tl.fma(arc, _asin_tail(z), arc)
    result = tl.where(_is_near_one(x), arc, _half_pi_minus(arc))
    return tl.where(near_one, result + result, result)


@triton.jit
def _sin_of_eighth(x):
    # For |x| <= pi/4.
    z = x * x
    if x.dtype == tl.float32:
        p = _horner(z, (-0.000195149696, 0.00833215844, -0.166666552))
    else:
        p = _horner(z, (-7.5784708202367386e-13, 1.605836178530301e-10, -2.5052104871208288e-08,
                        2.7557319214024785e-06, -0.00019841269841254725, 0.0083333333333333228,
                        -0.16666666666666666))
    return tl.fma(z * x, p, x)


@triton.jit
def _cos_of_eighth(x):
    z = x * x
    if x.dtype == tl.float32:
        p = _horner(z, (2.44327875e-05, -0.0013887313, 0.0416666456))
    else:
        p = _horner(z, (4.7377094829036873e-14, -1.1470283929972267e-11, 2.0876754279046738e-09,
                        -2.755731921496414e-07, 2.4801587301570469e-05, -0.0013888888888888872,
                        0.041666666666666664))
    return tl.fma(z * z, p, 1.0 - 0.5 * z)


@triton.jit
def _quarter_turns(x):
    # The nearest multiple of a half, in halves modulo 4, and what is left of x: exact. Beyond 2^24 (2^53)
    # numbers are even anyway.
    turns = x - 2.0 * libdevice.rint(x * 0.5)
    halves = libdevice.rint(turns * 2.0)
    return halves.to(tl.int32) & 3, (turns - halves * 0.5) * 3.141592653589793


@triton.jit
def sinpi(x):
    quarter, r = _quarter_turns(x)
    result = tl.where((quarter & 1) == 0, _sin_of_eighth(r), _cos_of_eighth(r))
    result = tl.where(quarter >= 2, -result, result)
    # Zeros have the sign of x.
    result = tl.where(libdevice.trunc(x) == x, libdevice.copysign(_real(0.0, x), x), result)
    return tl.where(isinf(x), _nan(x), result)


@triton.jit
def cospi(x):
    quarter, r = _quarter_turns(x)
    result = tl.where((quarter & 1) == 0, _cos_of_eighth(r), _sin_of_eighth(r))
    result = tl.where((quarter == 1) | (quarter == 2), -result, result)
    return tl.where(isinf(x), _nan(x), result)
