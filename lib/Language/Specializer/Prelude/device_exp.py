# Exponentials, logarithms, powers and hyperbolic functions. x = n ln2 + r with |r| <= ln2/2; the polynomials
# were fitted with the Remez algorithm, with relative errors below 2^-28 and 2^-57.


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
        r = tl.fma(-n, _real(0.693147182464599609375, x), x)
        r = tl.fma(-n, _real(-1.904654299957768e-09, x), r)
    else:
        r = tl.fma(-n, _real(0.69314718055994529, x), x)
        r = tl.fma(-n, _real(2.3190468138462996e-17, x), r)
    return n.to(tl.int32), _expm1_reduced(r)


@triton.jit
def exp(x):
    if x.dtype == tl.float32:
        bounded = _bounded(x, -104.0, 89.0)
    else:
        bounded = _bounded(x, -746.0, 710.0)
    n, em1 = _split_exp(bounded)
    return tl.where(x != x, x, _scale(em1 + 1.0, n))


@triton.jit
def exp10(x):
    if x.dtype == tl.float32:
        bounded = _bounded(x, -46.0, 39.0)
    else:
        bounded = _bounded(x, -324.0, 309.0)
    n = libdevice.rint(bounded * 3.3219280948873623)
    if x.dtype == tl.float32:
        r = tl.fma(-n, _real(0.3010300099849701, x), bounded)
        r = tl.fma(-n, _real(-1.4320989e-08, x), r)
    else:
        r = tl.fma(-n, _real(0.30102999566398120, x), bounded)
        r = tl.fma(-n, _real(-2.8037281277851704e-18, x), r)
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
        result = tl.fma(ln, _real(0.4342944920063019, x), ln * -1.0103050118726031e-08)
    else:
        result = tl.fma(ln, _real(0.43429448190325182, x), ln * 1.098319650216765e-17)
    return tl.where(isinf(ln), ln, result)


@triton.jit
def log1p(x):
    sum = x + 1.0
    # What rounding took from the sum, relative to it, is the first term of what is missing.
    lost = tl.where(tl.abs(x) > 1.0, 1.0 - (sum - x), x - (sum - 1.0))
    result = libdevice.log(sum) + _quotient(lost, sum)
    result = tl.where((sum == 1.0) | (x != x), x, result)
    result = tl.where(x == -1.0, -_infinity(x), result)
    return tl.where(x == _infinity(x), x, result)


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
def sinh(x):
    size = tl.abs(x)
    t = expm1(size)
    result = 0.5 * (t + _quotient(t, t + 1.0))
    root = exp(0.5 * size)
    result = tl.where(size > 20.0, (0.5 * root) * root, result)
    return libdevice.copysign(result, x)


@triton.jit
def cosh(x):
    size = tl.abs(x)
    t = exp(size)
    root = exp(0.5 * size)
    return tl.where(size > 20.0, (0.5 * root) * root, 0.5 * t + _quotient(_real(0.5, x), t))


@triton.jit
def tanh(x):
    # Beyond 22 the result is 1 in either type.
    t = expm1(_bounded(tl.abs(x), 0.0, 22.0) * 2.0)
    result = libdevice.copysign(_quotient(t, t + 2.0), x)
    return tl.where(x != x, x, result)


@triton.jit
def asinh(x):
    size = tl.abs(x)
    large = size > 1e9
    square = tl.where(large, 0.0, size * size)
    small = log1p(size + _quotient(square, 1.0 + libdevice.sqrt_rn(square + 1.0)))
    result = tl.where(large, libdevice.log(size) + 0.69314718055994529, small)
    return libdevice.copysign(result, x)


@triton.jit
def acosh(x):
    large = x > 1e9
    t = tl.where(large, 1.0, x - 1.0)
    small = log1p(t + libdevice.sqrt_rn(2.0 * t + t * t))
    result = tl.where(large, libdevice.log(x) + 0.69314718055994529, small)
    return tl.where(x < 1.0, _nan(x), result)


@triton.jit
def atanh(x):
    size = tl.abs(x)
    result = 0.5 * log1p(_quotient(2.0 * size, 1.0 - size))
    return tl.where(size > 1.0, _nan(x), libdevice.copysign(result, x))


@triton.jit
def _signed_power(size, x, y, odd):
    # The sign and the special cases of x^y, given |x|^y and whether y is an odd number.
    whole = libdevice.trunc(y) == y
    result = tl.where(odd & _is_negative(x), -size, size)
    result = tl.where((x < 0.0) & isfinited(x) & isfinited(y) & (~whole), _nan(x), result)
    result = tl.where((x != x) | (y != y), _nan(x), result)
    one = (y == 0.0) | (x == 1.0) | ((x == -1.0) & isinf(y))
    return tl.where(one, 1.0, result)


@triton.jit
def _split_log(x):
    # x = 2^e m with m from sqrt(1/2) to sqrt(2): e, m. x is positive and finite.
    if x.dtype == tl.float32:
        small = x < 1.1754943508222875e-38
        bits = _bits(tl.where(small, x * 33554432.0, x))
        e = (bits - 0x3F3504F3) >> 23
        m = (bits - (e << 23)).to(tl.float32, bitcast=True)
        return (e - tl.where(small, 25, 0)).to(tl.float32), m
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
    rest = tl.fma(-s, sum, f)
    rest = tl.fma(-s, f - (sum - 2.0), rest)
    s_low = _quotient(rest, sum)
    # Products are rounded on their own where the next lines compute what rounding took.
    z = libdevice.mul_rn(s, s)
    cube = libdevice.mul_rn(s, z)
    z_low = tl.fma(s, s, -z) + 2.0 * s * s_low
    cube_low = tl.fma(s, z, -cube) + s * z_low + s_low * z
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
    u_low = tl.fma(third, cube, -u) + third * cube_low + third_low * cube
    high = 2.0 * s + u
    low = u - (high - 2.0 * s) + (2.0 * s_low + u_low + cube * z * p)
    # ln2 in two parts, the first short enough for its product with the exponent to be exact.
    whole = exponent * ln2
    total = whole + high
    rest = (whole - total) + high + (low + exponent * ln2_low)
    first = total + rest
    return first, (total - first) + rest


@triton.jit
def pow(x, y):
    if y.dtype.is_int():
        power = y.to(x.dtype)
        # What float32 cannot hold of the integer.
        rest = (y.to(tl.int64) - power.to(tl.int64)).to(x.dtype)
        return _signed_power(_power_of_size(x, power, rest), x, power, (y & 1) == 1)
    else:
        odd = (libdevice.trunc(y) == y) & (libdevice.trunc(y * 0.5) != y * 0.5)
        return _signed_power(_power_of_size(x, y, _real(0.0, x)), x, y, odd)


@triton.jit
def _exp_of_two(x, low):
    # e^(x + low) for |x| up to 120 (float64: 800).
    n = libdevice.rint(x * 1.4426950408889634)
    if x.dtype == tl.float32:
        r = tl.fma(-n, _real(0.693145751953125, x), x)
        r = tl.fma(-n, _real(1.428606765330187e-06, x), r) + low
    else:
        r = tl.fma(-n, _real(0.69314718055994529, x), x)
        r = tl.fma(-n, _real(2.3190468138462996e-17, x), r) + low
    return _scale(_expm1_reduced(r) + 1.0, n.to(tl.int32))


@triton.jit
def _power_of_size(x, y, y_low):
    # |x|^(y + y_low), by a logarithm of twice the digits. Products beyond the bounds are 0 or infinite
    # whatever their digits are.
    if x.dtype == tl.float32:
        largest: tl.constexpr = 1e30
        bound: tl.constexpr = 120.0
    else:
        largest: tl.constexpr = 1e300
        bound: tl.constexpr = 800.0
    size = tl.abs(x)
    plain = (size > 0.0) & isfinited(x)
    log_high, log_low = _log_in_two(tl.where(plain, size, 1.0))
    factor = _bounded(y, -largest, largest)
    product = _bounded(libdevice.mul_rn(factor, log_high), -bound, bound)
    rest = tl.fma(factor, log_high, -product) + (factor * log_low + y_low * log_high)
    rest = tl.where(tl.abs(product) < bound, rest, 0.0)
    result = _exp_of_two(product, rest)
    grows = (size > 1.0) == (y > 0.0)
    edge = tl.where(size == 1.0, 1.0, tl.where(grows, _infinity(x), 0.0))
    return tl.where(plain & isfinited(y), result, edge)
