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
def _erfcx_of_positive(x):
    # e^(x^2) erfc(x) = p(t) / (1 + 2x) with t = (x - 4) / (x + 4).
    t = _quotient(x - 4.0, x + 4.0)
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
    return tl.where(isinf(x), 0.0, _quotient(p, sum))


@triton.jit
def _exp_of_square(x, sign: tl.constexpr):
    # e^(sign x^2): the square's rounding error is a factor of its own.
    square = x * x
    rest = tl.fma(x, x, -square)
    return tl.fma(exp(sign * square), sign * rest, exp(sign * square))


@triton.jit
def erfc(x):
    size = tl.abs(x)
    if x.dtype == tl.float32:
        bound: tl.constexpr = 11.0
    else:
        bound: tl.constexpr = 28.0
    bounded = _bounded(size, 0.0, bound)
    tail = _exp_of_square(bounded, -1.0) * _erfcx_of_positive(bounded)
    tail = tl.where(_is_negative(x), 2.0 - tail, tail)
    return tl.where(size < 0.5, 1.0 - x * _erf_over_x(x * x), tail)


@triton.jit
def erf(x):
    size = tl.abs(x)
    bounded = _bounded(size, 0.0, 7.0)
    far = 1.0 - _exp_of_square(bounded, -1.0) * _erfcx_of_positive(bounded)
    near = size * _erf_over_x(_bounded(size * size, 0.0, 1.0))
    return libdevice.copysign(tl.where(size < 1.0, near, far), x)


@triton.jit
def erfcx(x):
    positive = _erfcx_of_positive(tl.abs(x))
    # erfcx(-x) = 2 e^(x^2) - erfcx(x)
    negative = 2.0 * _exp_of_square(_bounded(x, -28.0, 0.0), 1.0) - positive
    return tl.where(x < 0.0, negative, positive)


@triton.jit
def normcdf(x):
    # erfc's argument is rounded; its derivative makes up for that.
    if x.dtype == tl.float32:
        scaled = x * -0.707106769084930419921875
        rest = tl.fma(x, _real(-0.707106769084930419921875, x), -scaled) + x * -1.210161748588e-08
    else:
        scaled = x * -0.70710678118654757
        rest = tl.fma(x, _real(-0.70710678118654757, x), -scaled) + x * 4.8336466567264567e-17
    value = erfc(scaled)
    slope = -1.1283791670955126 * _exp_of_square(_bounded(scaled, -28.0, 28.0), -1.0)
    return 0.5 * tl.where(isinf(x), value, tl.fma(slope, rest, value))


@triton.jit
def _erfinv_start(x, w):
    # erfinv(x) for w = -ln(1 - x^2), relative error below 2^-22.
    s = w - 2.5
    central = _horner(s, (4.6719325090386648e-10, -8.7390107028301222e-09, 1.5984306133900061e-08,
                          4.6541741050231655e-07, -3.4234142742220455e-06, -4.9596917942159365e-06,
                          0.00021825772396383332, -0.0012527485028416628, -0.0041773200405401216,
                          0.24664028942745514, 1.501409351110792))
    t = libdevice.sqrt_rn(w) - 3.0
    tail = _horner(t, (-0.00011966033030281269, 3.456942319611338e-05, 0.001248650914372172,
                       -0.0036032836827689942, 0.0057812428338337657, -0.0076432711092459171,
                       0.0094329139006040057, 1.0016755850908465, 2.8329770619133843))
    return tl.where(w < 5.0, central, tail) * x


@triton.jit
def erfinv(x):
    size = tl.abs(x)
    inside = size < 1.0
    safe = tl.where(inside, x, 0.0)
    w = -libdevice.log((1.0 - safe) * (1.0 + safe))
    y = _erfinv_start(safe, w)
    if x.dtype == tl.float64:
        # Far out the fit is rough. Each step (Halley's) triples the digits.
        for _ in tl.static_range(2):
            above = erf(y) - safe
            outer = tl.where(_is_negative(x), erfc(-y) - (1.0 + safe), (1.0 - safe) - erfc(y))
            step = tl.where(size < 0.5, above, outer) * 0.88622692545275794 * _exp_of_square(y, 1.0)
            y = y - _quotient(step, 1.0 + y * step)
    y = tl.where(safe == 0.0, x, y)
    return tl.where(inside, y, tl.where(size == 1.0, libdevice.copysign(_infinity(x), x), _nan(x)))


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
        square = y * y
        sum, rest = _two_sum(high, square)
        rest += low + tl.fma(y, y, -square)
        scaled = _erfcx_of_positive(y)
        ratio = _exp_of_two(sum, rest) / scaled
        step = 0.88622692545275801 * scaled * (1.0 - ratio)
        y += step / (1.0 - y * step)
    return y


@triton.jit
def _erfcinv(x):
    mirrored = x > 1.0
    size = tl.where(mirrored, 2.0 - x, x)
    small = (size > 0.0) & (size < 0.5)
    tail = _erfcinv_of_small(tl.where(small, size, 0.25))
    tail = tl.where(mirrored, -tail, tail)
    result = tl.where(small, tail, erfinv(1.0 - x))
    result = tl.where(size == 0.0, libdevice.copysign(_infinity(x), 1.0 - x), result)
    return tl.where(size < 0.0, _nan(x), result)


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
