# The gamma function and its logarithm, in float64: float32 is rounded once.


@triton.jit
def _gamma_tail(x):
    # ln gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + tail(x), for x from 12 on.
    w = 1.0 / x
    p = _horner(w * w, (-0.02955065359477124, 0.00641025641025641, -0.0019175269175269176, 0.0008417508417508417,
                        -0.0005952380952380953, 0.0007936507936507937, -0.002777777777777778,
                        0.08333333333333333))
    return p * w


@triton.jit
def _gamma_near(t):
    # gamma(t + 3/2) for t up to 1/2 on either side.
    return _horner(t * 2.0, (-1.420743529591811e-11, 4.262222028457249e-11, -4.26216211088947e-11,
                            1.2786323743890479e-10, -6.073486906367263e-10, 1.8220041028737747e-09,
                            -5.128375924618212e-09, 1.5384082326038672e-08, -4.6469676482828825e-08,
                            1.3938306853004366e-07, -4.178133192643162e-07, 1.252814898212055e-06,
                            -3.75498861201985e-06, 1.1252464220855473e-05, -3.363758374630023e-05,
                            0.00010092814883874258, -0.0002968901215703209, 0.0009157859972871906,
                            -0.0024225953843678666, 0.009040334940281114, -0.01341185057059658,
                            0.10370336342207545, 0.01616919872444251, 0.886226925452758))


@triton.jit
def _gamma_power(x, sign):
    # gamma(x)^sign for x from 12 on and a sign of 1 or -1. The exponent has twice the digits.
    high, low = _log_in_two(x)
    log, log_low = _two_sum(high, -1.0 + 0.0 * x)
    # Rounded as it is: _two_sum must see the number whose rest the next line keeps.
    factor = x - 0.5
    product = libdevice.mul_rn(factor, log)
    rest = tl.fma(factor, log, _minus(product)) + factor * (log_low + low)
    product, rounded = _two_sum(product, 0.41893853320467274 + 0.0 * x)
    rest = (rest + rounded) + _gamma_tail(x)
    return _exp_of_two(sign * product, sign * rest)


@triton.jit
def _tgamma(x):
    size = tl.abs(x)
    negative = x < -0.5
    large = size >= 12.0
    # Moderate: gamma(s) = gamma(t) (s - 1) (s - 2) .. t with t from 1 to 2; the product in two parts.
    s = tl.where(large | (x != x), 1.5, tl.where(negative, size, x))
    t = s
    product = 1.0 + 0.0 * s
    product_low = 0.0 * s
    for _ in tl.static_range(11):
        down = t >= 2.0
        t = tl.where(down, t - 1.0, t)
        factor = tl.where(down, t, 1.0)
        next = libdevice.mul_rn(product, factor)
        product_low = tl.fma(product, factor, _minus(next)) + product_low * factor
        product = next
    # Below 1: one or two steps up.
    value = _gamma_near(tl.where(t < 0.0, s + 0.5, tl.where(t < 1.0, s - 0.5, t - 1.5)))
    value = tl.where(t < 0.0, value / (s * (s + 1.0)), tl.where(t < 1.0, value / s, value))
    value = tl.where(isinf(value), value, tl.fma(value, product, value * product_low))
    power = _gamma_power(_bounded(tl.where(large, size, 12.0), 12.0, 200.0), tl.where(negative, -1.0, 1.0))
    # gamma(-s) = -pi / (s sin(pi s) gamma(s))
    turn = size * sinpi(size)
    mirrored = -3.141592653589793 / turn * tl.where(large, power, 1.0 / value)
    result = tl.where(negative, mirrored, tl.where(large, power, value))
    result = tl.where(x == 0.0, 1.0 / x, tl.where(x == _infinity(x), x, result))
    nothing = (negative & (libdevice.trunc(x) == x)) | (x != x) | (x == -_infinity(x))
    return tl.where(nothing, _nan(x), result)


@triton.jit
def tgamma(x):
    return _tgamma(x.to(tl.float64)).to(x.dtype)


@triton.jit
def _lgamma_of_positive(x):
    large = x >= 12.0
    s = tl.where(large, 2.5, x)
    t = s
    product = 1.0 + 0.0 * s
    for _ in tl.static_range(9):
        down = t >= 3.0
        t = tl.where(down, t - 1.0, t)
        product = product * tl.where(down, t, 1.0)
    # (t - 1) (t - 2) p(t - 2) from 1 to 3; below, that of t + 1 less ln t.
    below = t < 1.0
    p = _horner(tl.where(below, t - 1.0, t - 2.0), (3.9592899392841773e-10, -8.152852870624974e-10,
                                            -1.1901740908188623e-09, 2.444386936885692e-09,
                                            4.305220610785349e-09, -8.87711600370437e-09, 3.821541398410965e-10,
                                            -9.172949166290702e-10, 2.4876913129422816e-08,
                                            -5.1889381335192836e-08, 8.858800462314761e-08,
                                            -1.8624721164419038e-07, 4.0491176292722286e-07,
                                            -8.554195306752008e-07, 1.8077244952477939e-06,
                                            -3.8465374565754054e-06, 8.22227252824938e-06,
                                            -1.7661849545809686e-05, 3.8168877217049974e-05,
                                            -8.309510094797398e-05, 0.00018255264018626728,
                                            -0.0004057073998333553, 0.0009153769221939477,
                                            -0.0021081308338353785, 0.004998641164698706, -0.012384192193374183,
                                            0.032965000621155816, -0.1003173016743539, 0.42278433509846713))
    zeros = tl.where(below, t * (t - 1.0), (t - 1.0) * (t - 2.0))
    # One logarithm for all: of the product, of t, or of x.
    log = libdevice.log(tl.where(large, x, tl.where(below, t, product)))
    moderate = tl.fma(zeros, p, tl.where(below, -log, log))
    y = tl.where(large, x, 12.0)
    far = tl.fma(y - 0.5, log - 1.0, 0.41893853320467274 + _gamma_tail(y))
    return tl.where(large, far, moderate)


@triton.jit
def _lgamma(x):
    size = tl.abs(x)
    inside = (size > 8e-19) & (size < _infinity(x))
    s = tl.where(inside, size, 1.0)
    value = _lgamma_of_positive(s)
    turn = s * tl.abs(sinpi(s))
    mirrored = libdevice.log(3.141592653589793 / tl.where(turn == 0.0, 1.0, turn)) - value
    # At poles, the negative integers, the result is infinite.
    mirrored = tl.where(turn == 0.0, _infinity(x), mirrored)
    result = tl.where(x < 0.0, mirrored, value)
    result = tl.where(size <= 8e-19, -libdevice.log(size), result)
    return tl.where(isinf(x), _infinity(x), tl.where(x != x, x, result))


@triton.jit
def lgamma(x):
    return _lgamma(x.to(tl.float64)).to(x.dtype)
