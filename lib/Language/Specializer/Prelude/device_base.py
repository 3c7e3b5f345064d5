# What the functions of libdevice share: constants of the operand's type, bit patterns, powers of two. All
# functions of this part take operands of one type and shape, which their caller has checked.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _real(value, x):
    # A literal would be float32 where it is no operand of an operator.
    return tl.full([], value, x.dtype)


@triton.jit
def _bits(x):
    if x.dtype == tl.float32:
        return x.to(tl.int32, bitcast=True)
    else:
        return x.to(tl.int64, bitcast=True)


@triton.jit
def _minus(x):
    # Unlike 0 - x, which is what a sign means in this language, an operand's sign costs no instruction.
    return x * -1.0


@triton.jit
def _is_negative(x):
    return _bits(x) < 0


@triton.jit
def _horner(x, coefficients):
    # The highest power first.
    sum = _real(coefficients[0], x)
    for i in tl.static_range(1, len(coefficients)):
        sum = tl.fma(sum, x, _real(coefficients[i], x))
    return sum


@triton.jit
def _power_of_two(n, x):
    # 2^n in the type of x for integers n in the range of normal exponents.
    if x.dtype == tl.float32:
        return ((n.to(tl.int32) + 127) << 23).to(tl.float32, bitcast=True)
    else:
        return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def _scale(x, n):
    # x 2^n in two steps, so that neither power leaves the range and a denormal result rounds once.
    half = n >> 1
    return x * _power_of_two(half, x) * _power_of_two(n - half, x)


@triton.jit
def _bounded(x, low, high):
    # NaN stays NaN.
    above = tl.where(x < low, low, x)
    return tl.where(above > high, high, above)


@triton.jit
def _quotient(x, y):
    if x.dtype == tl.float32:
        return tl.div_rn(x, y)
    else:
        return x / y


@triton.jit
def _refined_quotient(x, y):
    # x / y rounded to nearest, but for few cases, where neither 1 / y nor the quotient is infinite or denormal: what
    # the hardware's reciprocal lacks is added, without the branch of an exact division.
    if x.dtype == tl.float32:
        inverse = libdevice._near_quotient(_real(1.0, y), y)
        quotient = libdevice.mul_rn(x, inverse)
        return tl.fma(tl.fma(_minus(quotient), y, x), inverse, quotient)
    else:
        return x / y


@triton.jit
def _infinity(x):
    return _real(float("inf"), x)


@triton.jit
def _nan(x):
    return _real(float("nan"), x)


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == _infinity(x)


@triton.jit
def finitef(x):
    return tl.abs(x) < _infinity(x)


@triton.jit
def isfinited(x):
    return tl.abs(x) < _infinity(x)


@triton.jit
def signbit(x):
    return _is_negative(x).to(tl.int32)
