# The error function and its relatives. Polynomials through Chebyshev points; relative errors below 2^-27 and
# 2^-60.


@triton.jit
def _erf_over_x(z):
    # erf(x) / x for z = x^2 up to 1.
    if z.dtype == tl.float32:
        return _horner(z, (7.85383963e-05, -0.000801019953, 0.00518833008, -0.0268538147, 0.112835854,
                           -0.37612626, 1.12837911))
    else:
        return _horner(z, (-4.2309458242953377e-12, 8.7090451290531062e-11, -1.216456005728345e-09,
                           1.4792401209404813e-08, -1.6364642158167616e-07, 1.6462045441468418e-06,
                           -1.4925647567519332e-05, 0.00012055332902888736, -0.00085483270219348297,
                           0.0052239776254232985, -0.02686617064512984, 0.11283791670955121,
                           -0.37612638903183754, 1.1283791670955126))


@triton.jit
def _erfcx_of_positive(x, bounded: tl.constexpr):
    # e^(x^2) erfc(x) = p(t) / (1 + 2x) with t = (x - 4) / (x + 4); x is below 100 if it is bounded.
    t = _refined_quotient(x - 4.0, x + 4.0)
    if not bounded:
        t = tl.where(isinf(x), 1.0, t)
    if x.dtype == tl.float32:
        p = _horner(t, (0.00011660799658166694, -0.00024863229744764918, -0.00071633947188909136,
                        0.0050828091543418047, -0.016222274556440326, 0.037139916895707926,
                        -0.066323259535946283, 0.093740443792771744, -0.10103995084812757,
                        0.068096132054161762, 0.015379683653270457, -0.13962108431457343,
                        1.2329951186255526))
    else:
        p = _horner(t, (2.3603010398894445e-11, 4.1756453067492278e-11, -2.9679753749361834e-10,
                        -5.3737658737437712e-10, 2.2683682090027852e-09, 3.9499099488163162e-09,
                        -1.554950739140137e-08, -2.1866838179965482e-08, 1.110561122044458e-07,
                        7.8880015361832216e-08, -8.2566512436819739e-07, 2.9094598966586981e-07,
                        5.7096083161438529e-06, -1.1220773339263308e-05, -2.4399095413778412e-05,
                        0.0001506213142825075, -0.00019925673704798859, -0.00075777322110175572,
                        0.00503196998609679, -0.016197734065721506, 0.037167515536625229,
                        -0.066330365811668776, 0.093732834998396727, -0.10103906603632411,
                        0.06809705425469155, 0.015379652102620024, -0.1396211168405625,
                        1.2329951186255526))
    sum = tl.fma(_real(2.0, x), x, _real(1.0, x))
    if bounded:
        return _refined_quotient(p, sum)
    # Far out, where the sum may overflow, it is 1 / (sqrt(pi) x).
    return tl.where(x > 1e18, _quotient(_real(0.56418958354775629, x), x), _quotient(p, sum))


@triton.jit
def _exp_of_square(x, sign: tl.constexpr):
    # e^(sign x^2): the square's rounding error is a factor of its own.
    square = libdevice.mul_rn(x, x)
    rest = tl.fma(x, x, _minus(square))
    power = exp(sign * square)
    result = tl.fma(power, sign * rest, power)
    if sign < 0.0:
        return result
    return tl.where(isinf(power), power, result)


@triton.jit
def erfc(x):
    size = tl.abs(x)
    if x.dtype == tl.float32:
        bound: tl.constexpr = 11.0
    else:
        bound: tl.constexpr = 28.0
    bounded = _bounded(size, 0.0, bound)
    tail = _exp_of_square(bounded, -1.0) * _erfcx_of_positive(bounded, True)
    tail = tl.where(_is_negative(x), 2.0 - tail, tail)
    return tl.where(size < 0.5, 1.0 - x * _erf_over_x(x * x), tail)


@triton.jit
def erf(x):
    size = tl.abs(x)
    bounded = _bounded(size, 0.0, 7.0)
    far = 1.0 - _exp_of_square(bounded, -1.0) * _erfcx_of_positive(bounded, True)
    near = size * _erf_over_x(_bounded(size * size, 0.0, 1.0))
    return libdevice.copysign(tl.where(size < 1.0, near, far), x)


@triton.jit
def erfcx(x):
    size = tl.abs(x)
    positive = _erfcx_of_positive(size, False)
    # erfcx(-x) = 2 e^(x^2) - erfcx(x); near 0 from erf, which loses less.
    power = _exp_of_square(_bounded(x, -28.0, 0.5), 1.0)
    near = power * (1.0 - x * _erf_over_x(_bounded(x * x, 0.0, 0.25)))
    return tl.where(size < 0.5, near, tl.where(x < 0.0, 2.0 * power - positive, positive))


@triton.jit
def normcdf(x):
    # erfc's argument is rounded; its derivative makes up for that.
    if x.dtype == tl.float32:
        scaled = libdevice.mul_rn(x, _real(-0.707106769084930419921875, x))
        rest = tl.fma(x, _real(-0.707106769084930419921875, x), _minus(scaled)) + x * -1.210161748588e-08
    else:
        scaled = libdevice.mul_rn(x, _real(-0.70710678118654757, x))
        rest = tl.fma(x, _real(-0.70710678118654757, x), _minus(scaled)) + x * 4.8336466567264567e-17
    value = erfc(scaled)
    slope = -1.1283791670955126 * _exp_of_square(_bounded(scaled, -28.0, 28.0), -1.0)
    return 0.5 * tl.where(isinf(x), value, tl.fma(slope, rest, value))


@triton.jit
def _erfinv_central(x, w):
    # erfinv(x) for w = -ln(1 - x^2) up to 5; relative error below 2^-30. The last coefficient in two parts.
    s = w - 2.5
    p = _horner(s, (1.23465771e-10, 4.3406268e-10, -1.08617613e-08, 1.6503644e-08, 4.78689708e-07, -3.42626621e-06,
                    -4.99600011e-06, 0.000218264125, -0.00125270796, -0.00417732508, 0.246640277))
    return x * (tl.fma(p, s, _real(5.952710702e-08, x)) + 1.5014092922210693)


@triton.jit
def _erfinv_tail(x, w):
    # For w from 5 to 17, which is as far as float32 reaches; relative error below 2^-27.
    return x * _horner(libdevice._near_root(w) - 3.0, (-3.46924967e-05, 0.000168902741, -0.000272365251,
                                                    -0.000131791477, 0.00147398885, -0.00356146666,
                                                    0.00568757875, -0.00764378311, 0.00944533714, 1.00167529,
                                                    2.8329768))


@triton.jit
def _erfinv_of_half(x):
    # float64, for |x| up to 1/2: one of Halley's steps, which triples the digits.
    y = _erfinv_central(x, -libdevice.log((1.0 - x) * (1.0 + x)))
    step = (erf(y) - x) * 0.88622692545275794 * _exp_of_square(y, 1.0)
    return y - step / (1.0 + y * step)


@triton.jit
def _erfcinv_of_small(x):
    # For x from 0 to 1/2. The start is good to 2e-5; each step (Halley's) triples the digits.
    high, low = _log_in_two(x)
    s = libdevice.sqrt_rn(-high)
    t = 1.7031630170316303 / s - 1.0608272506082728
    y = s * _horner(t, (0.00229041104, -0.00294293888, -0.00304935721, 0.00384456741, 0.0029028571,
                        -0.00476978482, 0.00649860809, -0.0173044276, 0.0248986083, 0.0234452866, -0.247169758,
                        0.781611872))
    for _ in tl.static_range(2):
        # x / erfc(y): the two logarithms nearly cancel.
        square = libdevice.mul_rn(y, y)
        sum, rest = _two_sum(high, square)
        rest += low + tl.fma(y, y, _minus(square))
        scaled = _erfcx_of_positive(y, True)
        ratio = _exp_of_two(sum, rest) / scaled
        step = 0.88622692545275801 * scaled * (1.0 - ratio)
        y += step / (1.0 - y * step)
    return y


@triton.jit
def erfinv(x):
    size = tl.abs(x)
    inside = size < 1.0
    safe = tl.where(inside, x, 0.0)
    if x.dtype == tl.float32:
        w = _minus(libdevice.log((1.0 - safe) * (1.0 + safe)))
        y = tl.where(w < 5.0, _erfinv_central(safe, w), _erfinv_tail(safe, w))
    else:
        outer = _erfcinv_of_small(tl.where(inside & (size > 0.5), 1.0 - size, 0.25))
        central = _erfinv_of_half(tl.where(size > 0.5, 0.25, safe))
        y = tl.where(size > 0.5, libdevice.copysign(outer, x), central)
    y = tl.where(safe == 0.0, x, y)
    return tl.where(inside, y, tl.where(size == 1.0, libdevice.copysign(_infinity(x), x), _nan(x)))


@triton.jit
def _erfcinv(x):
    mirrored = x > 1.0
    size = tl.where(mirrored, 2.0 - x, x)
    small = (size > 0.0) & (size < 0.5)
    tail = _erfcinv_of_small(tl.where(small, size, 0.25))
    tail = tl.where(mirrored, -tail, tail)
    near = _erfinv_of_half(tl.where(small, 0.25, _bounded(1.0 - x, -0.5, 0.5)))
    result = tl.where(small, tail, near)
    result = tl.where(size == 0.0, libdevice.copysign(_infinity(x), 1.0 - x), result)
    return tl.where((size < 0.0) | (x != x), _nan(x), result)


@triton.jit
def erfcinv(x):
    return _erfcinv(x.to(tl.float64)).to(x.dtype)


@triton.jit
def _normcdfinv(x):
    upper = x > 0.5
    value = 1.4142135623730951 * _erfcinv(2.0 * tl.where(upper, 1.0 - x, x))
    return tl.where(upper, value, -value)


@triton.jit
def normcdfinv(x):
    return _normcdfinv(x.to(tl.float64)).to(x.dtype)
