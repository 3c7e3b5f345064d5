# Roots, norms, neighbours, conversions, and arithmetic on integers.


@triton.jit
def _root_start(a):
    # float32, normal: a^(-1/3) with a relative error of 2^-18. A third of the bit pattern is a third of the exponent,
    # within 4 percent; the polynomial, fitted for the least largest error, is that of (1 - e)^(-1/3).
    third = (_bits(a).to(tl.uint32, bitcast=True) // 3).to(tl.int32, bitcast=True)
    r = (0x54A20000 - third).to(tl.float32, bitcast=True)
    e = tl.fma(_minus(a) * r, r * r, _real(1.0, a))
    return r * _horner(e, (0.17421219, 0.22373417, 0.33333024, 0.999998))


@triton.jit
def _narrow_cbrt(x):
    size = tl.abs(x)
    # So that the error is not denormal.
    small = size < 2.0**-80
    a = tl.where(small, size * 2.0**48, size)
    r = _root_start(a)
    square = r * r
    t = a * square
    # One of Newton's steps with what rounding took from the cube.
    power = libdevice.mul_rn(t, t)
    error = tl.fma(power, t, _minus(a)) + tl.fma(t, t, _minus(power)) * t
    t = tl.fma(error * square, _real(-1.0 / 3.0, x), t)
    t = t * tl.where(small, _real(2.0**-16, x), 1.0)
    # Zeros come out right; infinity and NaN stay.
    return libdevice.copysign(tl.where(size < _infinity(x), t, size), x)


@triton.jit
def _wide_cbrt(x):
    # Away from both ends of the range, by the cube of a power of two.
    size = tl.abs(x)
    plain = (size > 0.0) & (size < _infinity(x))
    a = tl.where(plain, size, 1.0)
    factor = tl.where(a < 2.0**-700, _real(2.0**150, x), tl.where(a > 2.0**900, _real(2.0**-100, x), 1.0))
    a = a * factor * factor * factor
    # A third of the bit pattern; each of Halley's steps triples the digits of the guess.
    t = (_bits(a) // 3 + 0x2A9F76253119D328).to(tl.float64, bitcast=True)
    for _ in tl.static_range(3):
        cube = t * t * t
        t = t * ((cube + 2.0 * a) / (2.0 * cube + a))
    # Products whose rests follow are rounded on their own, not as a part of the difference.
    square = libdevice.mul_rn(t, t)
    square_low = tl.fma(t, t, _minus(square))
    cube = libdevice.mul_rn(square, t)
    error = (cube - a) + (tl.fma(square, t, _minus(cube)) + square_low * t)
    t = t - error / (3.0 * square)
    # The factor is a power of two, so the quotient is exact.
    return tl.where(plain, libdevice.copysign(t / factor, x), x)


@triton.jit
def cbrt(x):
    if x.dtype == tl.float32:
        return _narrow_cbrt(x)
    else:
        return _wide_cbrt(x)


@triton.jit
def rcbrt(x):
    if x.dtype == tl.float32:
        size = tl.abs(x)
        small = size < 2.0**-80
        a = tl.where(small, size * 2.0**48, size)
        r = _root_start(a)
        e = tl.fma(_minus(a) * r, r * r, _real(1.0, x))
        r = tl.fma(r * e, _real(1.0 / 3.0, x), r) * tl.where(small, _real(2.0**16, x), 1.0)
        r = tl.where(size == 0.0, _infinity(x), r)
        # Of infinity 0, of NaN itself.
        r = tl.where(size < _infinity(x), r, libdevice._near_quotient(_real(1.0, x), size))
        return libdevice.copysign(r, x)
    else:
        return 1.0 / _wide_cbrt(x)


@triton.jit
def rsqrt(x):
    return tl.rsqrt(x)


@triton.jit
def rsqrt_rn(x):
    return (1.0 / libdevice.sqrt_rn(x.to(tl.float64))).to(tl.float32)


@triton.jit
def rcp_rn(x):
    return _quotient(_real(1.0, x), x)


@triton.jit
def rcp64h(x):
    # The upper half of the reciprocal; the lower is 0.
    bits = (1.0 / x).to(tl.int64, bitcast=True)
    return ((bits >> 32) << 32).to(tl.float64, bitcast=True)


@triton.jit
def round(x):
    # Halves go away from zero. The fraction of x is exact.
    whole = libdevice.trunc(x)
    away = tl.abs(x - whole) >= 0.5
    return tl.where(away, whole + libdevice.copysign(_real(1.0, x), x), whole)


@triton.jit
def _norm_scale(size):
    # A power of two near `size`, inverted: products with it neither overflow nor lose digits.
    plain = (size > 0.0) & isfinited(size)
    exponent = tl.where(plain, _exponent(tl.where(plain, size, 1.0)), 0)
    if size.dtype == tl.float32:
        exponent = tl.minimum(tl.maximum(exponent, -126), 126)
    else:
        exponent = tl.minimum(tl.maximum(exponent, -1022), 1022)
    return _power_of_two(-exponent, size), _power_of_two(exponent, size)


@triton.jit
def _norm(sum_of_squares, scale, any_infinite):
    result = libdevice._near_root(sum_of_squares) * scale
    return tl.where(any_infinite, _infinity(result), result)


@triton.jit
def hypot(x, y):
    if x.dtype == tl.float32:
        # Powers of two keep the squares in the range; a square that is too small for it does not matter then.
        largest = tl.maximum(tl.abs(x), tl.abs(y))
        high = largest > 1.152921504606847e18
        low = largest < 9.094947017729282e-13
        down = tl.where(high, _real(2.0**-80, x), tl.where(low, _real(2.0**100, x), 1.0))
        up = tl.where(high, _real(2.0**80, x), tl.where(low, _real(2.0**-100, x), 1.0))
        infinite = largest == _infinity(x)
    else:
        down, up = _norm_scale(tl.where(tl.abs(x) > tl.abs(y), tl.abs(x), tl.abs(y)))
        infinite = isinf(x) | isinf(y)
    a = x * down
    b = y * down
    return _norm(tl.fma(a, a, b * b), up, infinite)


@triton.jit
def rhypot(x, y):
    return rcp_rn(hypot(x, y))


@triton.jit
def norm3d(x, y, z):
    largest = tl.maximum(tl.maximum(tl.abs(x), tl.abs(y)), tl.abs(z))
    down, up = _norm_scale(largest)
    a = x * down
    b = y * down
    c = z * down
    return _norm(tl.fma(a, a, tl.fma(b, b, c * c)), up, isinf(largest))


@triton.jit
def rnorm3d(x, y, z):
    return rcp_rn(norm3d(x, y, z))


@triton.jit
def norm4d(x, y, z, w):
    largest = tl.maximum(tl.maximum(tl.abs(x), tl.abs(y)), tl.maximum(tl.abs(z), tl.abs(w)))
    down, up = _norm_scale(largest)
    a = x * down
    b = y * down
    c = z * down
    d = w * down
    return _norm(tl.fma(a, a, tl.fma(b, b, tl.fma(c, c, d * d))), up, isinf(largest))


@triton.jit
def rnorm4d(x, y, z, w):
    return rcp_rn(norm4d(x, y, z, w))


@triton.jit
def remainder(x, y):
    # x less the nearest multiple of y; of two, the even one. The remainder by 2 y says which it is; where 2 y
    # overflows, that is x itself.
    step = tl.abs(y)
    rest = libdevice.fmod(tl.abs(x), step + step)
    above = rest - step
    near = tl.where(above + above >= step, above - step, above)
    result = tl.where((rest + rest <= step) | isinf(step), rest, near)
    result = tl.where(_is_negative(x), result * -1.0, result)
    return tl.where((y == 0.0) | (y != y), _nan(x), result)


@triton.jit
def fdim(x, y):
    return tl.where((x > y) | (x != x) | (y != y), x - y, 0.0)


@triton.jit
def saturatef(x):
    # NaN becomes 0.
    return tl.where(x > 0.0, tl.where(x < 1.0, x, 1.0), 0.0)


@triton.jit
def nextafter(x, y):
    # Bit patterns are in the order of magnitudes.
    bits = _bits(x)
    moved = tl.where((x < y) == (bits >= 0), bits + 1, bits - 1)
    least = tl.where(y < 0.0, _bits(libdevice.copysign(_real(0.0, x), _real(-1.0, x))) + 1, 1)
    result = tl.where(x == 0.0, least, moved).to(x.dtype, bitcast=True)
    result = tl.where(x == y, y, result)
    return tl.where((x != x) | (y != y), _nan(x), result)


@triton.jit
def llrint(x):
    return libdevice.rint(x).to(tl.int64)


@triton.jit
def llround(x):
    return round(x).to(tl.int64)


@triton.jit
def fast_dividef(x, y):
    return x / y


@triton.jit
def fast_powf(x, y):
    return tl.exp2(y * libdevice.fast_log2f(x))


@triton.jit
def fast_exp10f(x):
    return tl.exp2(x * 3.3219280948873623)


@triton.jit
def fast_tanf(x):
    return libdevice.fast_sinf(x) / libdevice.fast_cosf(x)


@triton.jit
def ffs(x):
    # The bits below the lowest one set, and that one.
    return libdevice.popc(x ^ (x - 1)) * (x != 0).to(tl.int32)


@triton.jit
def _reversed_word(bits):
    bits = ((bits >> 1) & 0x55555555) | ((bits & 0x55555555) << 1)
    bits = ((bits >> 2) & 0x33333333) | ((bits & 0x33333333) << 2)
    bits = ((bits >> 4) & 0x0F0F0F0F) | ((bits & 0x0F0F0F0F) << 4)
    bits = ((bits >> 8) & 0x00FF00FF) | ((bits & 0x00FF00FF) << 8)
    return (bits >> 16) | (bits << 16)


@triton.jit
def brev(x):
    if x.dtype == tl.int32:
        return _reversed_word(x.to(tl.uint32)).to(tl.int32)
    else:
        low = _reversed_word(x.to(tl.uint32)).to(tl.uint64)
        high = _reversed_word((x >> 32).to(tl.uint32)).to(tl.uint64)
        return ((low << 32) | high).to(tl.int64)


@triton.jit
def mulhi(x, y):
    high = tl.umulhi(x, y)
    if x.dtype.is_int_signed():
        # Read as unsigned, a negative number is too large by 2^width.
        high = high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
    return high


@triton.jit
def mul24(x, y):
    # The low 24 bits of each, by sign.
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@triton.jit
def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


@triton.jit
def sad(x, y, z):
    larger = tl.maximum(x, y)
    return z + (larger - tl.minimum(x, y)).to(z.dtype)


@triton.jit
def byte_perm(x, y, selector):
    both = (y.to(tl.uint32).to(tl.uint64) << 32) | x.to(tl.uint32).to(tl.uint64)
    result = x.to(tl.uint32) & 0
    for i in tl.static_range(4):
        place = ((selector >> (4 * i)) & 7).to(tl.uint64) * 8
        result = result | (((both >> place) & 255).to(tl.uint32) << (8 * i))
    return result.to(tl.int32)


@triton.jit
def double2hiint(x):
    return (x.to(tl.int64, bitcast=True) >> 32).to(tl.int32)


@triton.jit
def double2loint(x):
    return x.to(tl.int64, bitcast=True).to(tl.int32)


@triton.jit
def hiloint2double(high, low):
    bits = (high.to(tl.int64) << 32) | low.to(tl.uint32).to(tl.int64)
    return bits.to(tl.float64, bitcast=True)
