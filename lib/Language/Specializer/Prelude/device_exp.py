# Exponentials, logarithms, powers and hyperbolic functions. x = n ln2 + r with |r| <= ln2/2; the polynomials
# were fitted for the least largest relative error, which is below 2^-28 and 2^-57.


@triton.jit
def _expm1_reduced(r):
    # e^r - 1 for |r| <= ln2/2.
    if r.dtype == tl.float32:
        q = _horner(r, (0.00138146419, 0.00836871006, 0.0416683853, 0.166665211, 0.49999994))
    else:
        q = _horner(r, (2.0014014934372088e-09, 2.5080391190255431e-08, 2.7559512506960266e-07,
                        2.7557315150885067e-06, 2.480158550201231e-05, 0.00019841269829024697,
                        0.0013888888889452972, 0.0083333333333387924, 0.041666666666666081,
                        0.1666666666666666, 0.5))
    return tl.fma(r * r, q, r)


@triton.jit
def _split_exp(x):
    # The integer n, and e^x 2^-n - 1.
    n = libdevice.rint(x * 1.4426950408889634)
    if x.dtype == tl.float32:
        r = tl.fma(n, _real(-0.693147182464599609375, x), x)
        r = tl.fma(n, _real(1.904654299957768e-09, x), r)
    else:
        r = tl.fma(n, _real(-0.69314718055994529, x), x)
        r = tl.fma(n, _real(-2.3190468138462996e-17, x), r)
    return n.to(tl.int32), _expm1_reduced(r)


@triton.jit
def _exp_reduced(r):
    # float32, for |r| <= ln2/2.
    return _horner(r, (0.00138146419, 0.00836871006, 0.0416683853, 0.166665211, 0.49999994, 1.0, 1.0))


@triton.jit
def _nearest(x, factor):
    # x factor rounded to an integer. The sum with 1.5 2^23 has it in its low bits.
    moved = tl.fma(x, _real(factor, x), _real(12582912.0, x))
    return moved - 12582912.0, _bits(moved)


@triton.jit
def _power_of_low_bits(n):
    return ((n << 23) + 0x3F800000).to(tl.float32, bitcast=True)


@triton.jit
def _scale_by_low_bits(power, whole, half):
    # power 2^whole for a power of about 1, in two steps as _scale takes them; whole and half are from _nearest. The
    # first step adds to the exponent. Of a NaN both are the same bits, so it stays one.
    first = (_bits(power) + ((whole - half) << 23)).to(tl.float32, bitcast=True)
    return first * _power_of_low_bits(half)


@triton.jit
def _limited(x, low, high):
    # NaN stays NaN.
    return tl.clamp(x, _real(low, x), _real(high, x), tl.PropagateNan.ALL)


@triton.jit
def exp(x):
    if x.dtype == tl.float32:
        x = _limited(x, -104.0, 89.0)
        n, whole = _nearest(x, 1.4426950408889634)
        r = tl.fma(n, _real(-0.693147182464599609375, x), x)
        r = tl.fma(n, _real(1.904654299957768e-09, x), r)
        _, half = _nearest(x, 0.7213475204444817)
        return _scale_by_low_bits(_exp_reduced(r), whole, half)
    else:
        n, em1 = _split_exp(_bounded(x, -746.0, 710.0))
        return tl.where(x != x, x, _scale(em1 + 1.0, n))


@triton.jit
def exp10(x):
    if x.dtype == tl.float32:
        x = _limited(x, -46.0, 39.0)
        n, whole = _nearest(x, 3.3219280948873623)
        r = tl.fma(n, _real(-0.3010300099849701, x), x)
        r = tl.fma(n, _real(1.4320989e-08, x), r)
        _, half = _nearest(x, 1.6609640474436812)
        return _scale_by_low_bits(_exp_reduced(r * 2.302585092994045684), whole, half)
    else:
        bounded = _bounded(x, -324.0, 309.0)
        n = libdevice.rint(bounded * 3.3219280948873623)
        r = tl.fma(n, _real(-0.30102999566398120, x), bounded)
        r = tl.fma(n, _real(2.8037281277851704e-18, x), r)
        em1 = _expm1_reduced(r * 2.302585092994045684)
        return tl.where(x != x, x, _scale(em1 + 1.0, n.to(tl.int32)))


@triton.jit
def expm1(x):
    if x.dtype == tl.float32:
        bounded = _bounded(x, -40.0, 89.0)
    else:
        bounded = _bounded(x, -60.0, 710.0)
    n, em1 = _split_exp(bounded)
    # Half of the result: 2^n itself may be too large.
    half = _power_of_two(n - 1, x)
    result = tl.fma(half, em1, half - 0.5) * 2.0
    result = tl.where(n == 0, em1, result)
    return tl.where((x == 0.0) | (x != x), x, result)


@triton.jit
def log10(x):
    ln = libdevice.log(x)
    if x.dtype == tl.float32:
        result = tl.fma(ln, _real(0.4342944622039795, x), ln * 1.9699272e-08)
    else:
        result = tl.fma(ln, _real(0.43429448190325182, x), ln * 1.098319650216765e-17)
    return result


@triton.jit
def _log1p_plain(x):
    # float32, finite and above -1. 1 + x = 2^e (1 + f) with 1 + f in [2/3, 4/3): f comes from x, so no digit of it
    # is lost in the sum.
    sum = x + 1.0
    shift = (_bits(sum) - 0x3F2AAAAB) & -0x800000
    # 4 2^-e, since 2^-e itself may be denormal; so this is 4 f, and the polynomial is one of it.
    scale = (0x40800000 - shift).to(tl.float32, bitcast=True)
    f = tl.fma(x, scale, scale - 4.0)
    tail = _horner(f, (-1.2283357e-07, 5.334699e-07, -1.8596619e-06, 8.548422e-06, -4.0723135e-05, 0.00019541432,
                       -0.00097655493, 0.005208315, -0.03125))
    ln = tl.fma(tail, f * f, 0.25 * f)
    return tl.fma(shift.to(tl.float32), _real(0.6931471805599453 / 8388608.0, x), ln)


@triton.jit
def _log1p_narrow(x):
    # Infinity and NaN stay, negative sums give NaN.
    sum = x + 1.0
    plain = _bits(sum).to(tl.uint32, bitcast=True) < 0x7F800000
    result = tl.where(plain, _log1p_plain(x), tl.fma(sum, _infinity(x), _infinity(x)))
    return libdevice.copysign(tl.where(sum == 0.0, _infinity(x), result), x)


@triton.jit
def _log1p_wide(x):
    sum = x + 1.0
    # What rounding took from the sum, relative to it, is the first term of what is missing.
    lost = tl.where(tl.abs(x) > 1.0, 1.0 - (sum - x), x - (sum - 1.0))
    result = libdevice.log(sum) + lost / sum
    result = tl.where((sum == 1.0) | (x != x), x, result)
    result = tl.where(x == -1.0, -_infinity(x), result)
    return tl.where(x == _infinity(x), x, result)


@triton.jit
def log1p(x):
    if x.dtype == tl.float32:
        return _log1p_narrow(x)
    else:
        return _log1p_wide(x)


@triton.jit
def _exponent(x):
    # Of a finite x other than 0, as an integer of its width.
    if x.dtype == tl.float32:
        small = tl.abs(x) < 1.1754943508222875e-38
        bits = _bits(tl.where(small, x * 8388608.0, x))
        return ((bits >> 23) & 255) - 127 - tl.where(small, 23, 0)
    else:
        small = tl.abs(x) < 2.2250738585072014e-308
        bits = _bits(tl.where(small, x * 4503599627370496.0, x))
        return ((bits >> 52) & 2047) - 1023 - tl.where(small, 52, 0)


@triton.jit
def logb(x):
    result = tl.where(isfinited(x), _exponent(x).to(x.dtype), x * x)
    return tl.where(x == 0.0, -_infinity(x), result)


@triton.jit
def ilogb(x):
    result = tl.where(isinf(x), 2147483647, _exponent(x).to(tl.int32))
    return tl.where((x == 0.0) | (x != x), -2147483648, result)


@triton.jit
def ldexp(x, n):
    # Three steps reach from the largest number to the smallest. Steps down are short enough that where one
    # of them rounds already, the next one leaves nothing.
    if x.dtype == tl.float32:
        step: tl.constexpr = 126
        down: tl.constexpr = 126 - 24
    else:
        step: tl.constexpr = 1022
        down: tl.constexpr = 1022 - 53
    left = tl.minimum(tl.maximum(n, -3 * down), 3 * step)
    for _ in tl.static_range(2):
        part = tl.where(left < -step, -down, tl.minimum(left, step))
        x = x * _power_of_two(part, x)
        left -= part
    return x * _power_of_two(left, x)


@triton.jit
def scalbn(x, n):
    return ldexp(x, n)


@triton.jit
def _quarter_exp(x):
    # float32: e^x / 4 for x >= 0, which is finite where e^x / 2 is; beyond 89.7 the one for that.
    x = tl.minimum(x, _real(89.7, x), tl.PropagateNan.ALL)
    n, whole = _nearest(x, 1.4426950408889634)
    r = tl.fma(n, _real(-0.693147182464599609375, x), x)
    r = tl.fma(n, _real(1.904654299957768e-09, x), r)
    return _exp_reduced(r) * _power_of_low_bits(whole - 2)


@triton.jit
def sinh(x):
    size = tl.abs(x)
    if x.dtype == tl.float32:
        z = size * size
        near = tl.fma(z * size, _horner(z, (2.7822132e-06, 0.00019842896, 0.0083333105, 0.16666667)), size)
        power = _quarter_exp(size)
        far = tl.fma(power, _real(2.0, x), libdevice._near_quotient(_real(-0.125, x), power))
        result = tl.where(size < 1.0, near, far)
    else:
        t = expm1(size)
        result = 0.5 * (t + t / (t + 1.0))
        root = exp(0.5 * size)
        result = tl.where(size > 20.0, (0.5 * root) * root, result)
    return libdevice.copysign(result, x)


@triton.jit
def cosh(x):
    size = tl.abs(x)
    if x.dtype == tl.float32:
        power = _quarter_exp(size)
        return tl.fma(power, _real(2.0, x), libdevice._near_quotient(_real(0.125, x), power))
    else:
        t = exp(size)
        root = exp(0.5 * size)
        return tl.where(size > 20.0, (0.5 * root) * root, 0.5 * t + 0.5 / t)


@triton.jit
def tanh(x):
    # Beyond 22 the result is 1 in either type.
    t = expm1(_bounded(tl.abs(x), 0.0, 22.0) * 2.0)
    result = libdevice.copysign(_quotient(t, t + 2.0), x)
    return tl.where(x != x, x, result)


@triton.jit
def _log_of_sum(t, size, large):
    # float32: ln(1 + t), or ln(2 size) where that is large; infinity and NaN stay.
    result = _log1p_plain(tl.where(large, size, t)) + tl.where(large, _real(0.6931471805599453, size), 0.0)
    return tl.where(tl.abs(size) < _infinity(size), result, size)


@triton.jit
def asinh(x):
    size = tl.abs(x)
    large = size > 1e9
    if x.dtype == tl.float32:
        square = size * size
        t = size + _refined_quotient(square, 1.0 + libdevice._near_root(square + 1.0))
        result = _log_of_sum(t, size, large)
    else:
        square = tl.where(large, 0.0, size * size)
        small = log1p(size + square / (1.0 + libdevice.sqrt_rn(square + 1.0)))
        result = tl.where(large, libdevice.log(size) + 0.69314718055994529, small)
    return libdevice.copysign(result, x)


@triton.jit
def acosh(x):
    large = x > 1e9
    t = x - 1.0
    if x.dtype == tl.float32:
        result = _log_of_sum(t + libdevice._near_root(tl.fma(t, t, t + t)), x, large)
    else:
        t = tl.where(large, 1.0, t)
        small = log1p(t + libdevice.sqrt_rn(2.0 * t + t * t))
        result = tl.where(large, libdevice.log(x) + 0.69314718055994529, small)
    return tl.where(x < 1.0, _nan(x), result)


@triton.jit
def atanh(x):
    size = tl.abs(x)
    if x.dtype == tl.float32:
        result = 0.5 * _log1p_plain(_refined_quotient(size + size, 1.0 - size))
        result = tl.where(size < 1.0, result, tl.where(size == 1.0, _infinity(x), _nan(x)))
    else:
        result = 0.5 * log1p(2.0 * size / (1.0 - size))
        result = tl.where(size > 1.0, _nan(x), result)
    return libdevice.copysign(result, x)


@triton.jit
def _signed_power(size, x, y, left):
    # The sign and the special cases of x^y, given |x|^y and what y has beside an even number.
    result = tl.where(left == 1.0, libdevice.copysign(size, x), size)
    bad = (x < 0.0) & isfinited(x) & (left > 0.0) & (left < 1.0)
    result = tl.where(bad | (x != x) | (y != y), _nan(x), result)
    return tl.where((y == 0.0) | (x == 1.0), 1.0, result)


@triton.jit
def _split_log(x):
    # x = 2^e m with m from sqrt(1/2) to sqrt(2): e, m. x is positive and finite.
    if x.dtype == tl.float32:
        small = x < 1.1754943508222875e-38
        bits = _bits(tl.where(small, x * 33554432.0, x))
        shift = (bits - 0x3F3504F3) & -0x800000
        m = (bits - shift).to(tl.float32, bitcast=True)
        return tl.fma(shift.to(tl.float32), _real(1.0 / 8388608.0, x), tl.where(small, _real(-25.0, x), 0.0)), m
    else:
        small = x < 2.2250738585072014e-308
        bits = _bits(tl.where(small, x * 18014398509481984.0, x))
        e = (bits - 0x3FE6A09E667F3BCD) >> 52
        m = (bits - (e << 52)).to(tl.float64, bitcast=True)
        return (e - tl.where(small, 54, 0)).to(tl.float64), m


@triton.jit
def _log_in_two(x):
    # ln x as the sum of two numbers, to about 2^-35 (float64: 2^-65) of it; x is positive and finite.
    exponent, m = _split_log(x)
    f = m - 1.0
    sum = m + 1.0
    s = _quotient(f, sum)
    rest = tl.fma(_minus(s), sum, f)
    rest = tl.fma(_minus(s), f - (sum - 2.0), rest)
    s_low = _quotient(rest, sum)
    # Products are rounded on their own where the next lines compute what rounding took.
    z = libdevice.mul_rn(s, s)
    cube = libdevice.mul_rn(s, z)
    z_low = tl.fma(s, s, _minus(z)) + 2.0 * s * s_low
    cube_low = tl.fma(s, z, _minus(cube)) + s * z_low + s_low * z
    if x.dtype == tl.float32:
        third = _real(0.666666686534881591796875, x)
        third_low = -1.9868215517249155e-08
        p = _horner(z, (2 / 13, 2 / 11, 2 / 9, 2 / 7, 2 / 5))
        ln2 = 0.693145751953125
        ln2_low = 1.428606765330187e-06
    else:
        third = _real(0.66666666666666663, x)
        third_low = _real(3.7007434154171883e-17, x)
        p = _horner(z, (2 / 25, 2 / 23, 2 / 21, 2 / 19, 2 / 17, 2 / 15, 2 / 13, 2 / 11, 2 / 9, 2 / 7, 2 / 5))
        ln2 = _real(0.69314718055989033, x)
        ln2_low = _real(5.4979230187083712e-14, x)
    u = libdevice.mul_rn(third, cube)
    u_low = tl.fma(third, cube, _minus(u)) + third * cube_low + third_low * cube
    high = 2.0 * s + u
    low = u - (high - 2.0 * s) + (2.0 * s_low + u_low + cube * z * p)
    # ln2 in two parts, the first short enough for its product with the exponent to be exact.
    whole = exponent * ln2
    total = whole + high
    rest = (whole - total) + high + (low + exponent * ln2_low)
    first = total + rest
    return first, (total - first) + rest


@triton.jit
def _left_of_even(y):
    # What is left of y beside an even number: exact, 0 for large y and NaN for infinite ones.
    return tl.abs(tl.fma(_real(-2.0, y), libdevice.rint(y * 0.5), y))


@triton.jit
def pow(x, y):
    if y.dtype.is_int():
        power = y.to(x.dtype)
        # What float32 cannot hold of the integer.
        rest = (y.to(tl.int64) - power.to(tl.int64)).to(x.dtype)
        left = (y & 1).to(x.dtype)
    else:
        power = y
        rest = None
        left = _left_of_even(y)
    if x.dtype == tl.float32:
        return _narrow_pow(x, power, rest, left)
    else:
        return _signed_power(_wide_power_of_size(x, power, rest), x, power, left)


@triton.jit
def _power_of_constant(x, power: tl.constexpr):
    # For the powers that BuiltinsLibdevicePrelude.cpp names: within 2 ulp, and the special cases of `pow`. The
    # reciprocal comes first, which leaves the range only where the result does.
    if power == 1.0:
        return x
    elif power == 2.0:
        return x * x
    elif power == 3.0:
        return x * x * x
    elif power == 4.0:
        square = x * x
        return square * square
    elif power == -1.0:
        return 1.0 / x
    elif power == -2.0:
        inverse = _quotient(_real(1.0, x), x)
        return inverse * inverse
    elif power == 0.5:
        # The root of -0 is -0.
        return tl.where(x == -_infinity(x), _infinity(x), libdevice.sqrt(x + 0.0))
    else:
        return tl.where(x == -_infinity(x), 0.0, libdevice.rsqrt(x + 0.0))


@triton.jit
def _exp_of_two(x, low):
    # e^(x + low) for |x| up to 120 (float64: 800).
    n = libdevice.rint(x * 1.4426950408889634)
    if x.dtype == tl.float32:
        r = tl.fma(n, _real(-0.693145751953125, x), x)
        r = tl.fma(n, _real(-1.428606765330187e-06, x), r) + low
    else:
        r = tl.fma(n, _real(-0.69314718055994529, x), x)
        r = tl.fma(n, _real(-2.3190468138462996e-17, x), r) + low
    return _scale(_expm1_reduced(r) + 1.0, n.to(tl.int32))


@triton.jit
def _log_times_three_halves(x):
    # 3/2 ln x as the sum of two float32, to about 2^-36 of it; x is positive and finite. With s = (m - 1) / (m + 1)
    # it is s (3 + s^2 + s^4 q), so that what needs more digits has coefficients without error.
    exponent, m = _split_log(x)
    f = m - 1.0
    inverse = libdevice._near_quotient(_real(1.0, x), f + 2.0)
    s = libdevice.mul_rn(f, inverse)
    # f - s (f + 2), whose first terms cancel without rounding.
    rest = tl.fma(_minus(s), f, tl.fma(_real(-2.0, x), s, f))
    z = libdevice.mul_rn(s, s)
    z_low = tl.fma(z * z, _horner(z, (0.3512945, 0.42820635, 0.6000023)), tl.fma(s, s, _minus(z)))
    sum = z + 3.0
    sum_low = (z - (sum - 3.0)) + z_low
    high = libdevice.mul_rn(s, sum)
    low = tl.fma(s, sum_low, tl.fma(s, sum, _minus(high)))
    # The rest times the derivative by s.
    low = tl.fma(rest * inverse, tl.fma(z, _real(3.0, x), _real(3.0, x)), low)
    # 3/2 ln 2 in two parts, the first short enough for its product with the exponent to be exact.
    total = tl.fma(exponent, _real(1.03973388671875, x), high)
    total_low = tl.fma(exponent, _real(1.03973388671875, x), _minus(total)) + high
    return total, total_low + tl.fma(exponent, _real(-1.3115879e-05, x), low)


@triton.jit
def _exp_of_two_thirds(x, low):
    # e^(2/3 (x + low)) for |x| up to 160; polynomial in the unit of x.
    n, whole = _nearest(x, 0.961796693925976)
    r = tl.fma(n, _real(-1.03973388671875, x), x)
    r = tl.fma(n, _real(1.3115879e-05, x), r) + low
    power = _horner(r, (0.000121468634, 0.001102715, 0.008230743, 0.04938204, 0.2222222, 0.6666666666666666, 1.0))
    _, half = _nearest(x, 0.480898346962988)
    return _scale_by_low_bits(power, whole, half)


@triton.jit
def _narrow_pow(x, y, y_low, left):
    # x^(y + y_low) in float32; left is what y has beside an even number.
    size = tl.abs(x)
    left = tl.where(_is_negative(x), left, 0.0)
    log, log_low = _log_times_three_halves(size)
    if y_low is None:
        # Finite numbers below 0 have no powers with a fraction; the function is above 0 for fractions only.
        log = tl.where(tl.fma(_minus(left), left, left) > 0.0, _nan(x), log)
    log = tl.where(size < _infinity(x), log, size)
    log = tl.where(size == 0.0, -_infinity(x), log)
    # An infinite y would be undone by the logarithm of 1.
    y = _limited(y, -3e38, 3e38)
    product = libdevice.mul_rn(y, log)
    low = tl.fma(y, log_low, tl.fma(y, log, _minus(product)))
    if y_low is not None:
        low = tl.fma(y_low, log, low)
    # Beyond the bound the result is 0 or infinite, or NaN as the product, and the rest may be NaN.
    beyond = tl.maximum(product, _real(0.0, x), tl.PropagateNan.ALL) * 3e38
    result = tl.where(tl.abs(product) < 160.0, _exp_of_two_thirds(product, low), beyond)
    result = tl.where(left == 1.0, _minus(result), result)
    return tl.where((y == 0.0) | (x == 1.0), 1.0, result)


@triton.jit
def _wide_power_of_size(x, y, y_low):
    # Products beyond the bounds are 0 or infinite whatever their digits are.
    largest: tl.constexpr = 1e300
    bound: tl.constexpr = 800.0
    size = tl.abs(x)
    plain = (size > 0.0) & isfinited(x)
    log_high, log_low = _log_in_two(tl.where(plain, size, 1.0))
    factor = _bounded(y, -largest, largest)
    product = _bounded(libdevice.mul_rn(factor, log_high), -bound, bound)
    rest = tl.fma(factor, log_high, _minus(product)) + factor * log_low
    if y_low is not None:
        rest += y_low * log_high
    rest = tl.where(tl.abs(product) < bound, rest, 0.0)
    result = _exp_of_two(product, rest)
    grows = (size > 1.0) == (y > 0.0)
    edge = tl.where(size == 1.0, 1.0, tl.where(grows, _infinity(x), 0.0))
    return tl.where(plain & isfinited(y), result, edge)
