# Operations and conversions that round down (rm), up (rp) or toward zero (rz). A GPU has an instruction for
# each. Elsewhere the result rounded to nearest moves to its neighbour if it lies on the wrong side of the exact
# one; the sign of their difference is computed on operands scaled to about 1, where nothing underflows.


@triton.jit
def _instruction(name: tl.constexpr, operands, result: tl.constexpr):
    source: tl.constexpr = operands[0].dtype
    text: tl.constexpr = name + (" $0, $1;", " $0, $1, $2;", " $0, $1, $2, $3;")[len(operands) - 1]
    letter: tl.constexpr = "d" if source == tl.float64 else "f" if source == tl.float32 else "l" if source.primitive_bitwidth == 64 else "r"
    one: tl.constexpr = ("=d" if result == tl.float64 else "=f") + "," + letter
    two: tl.constexpr = one + "," + letter
    constraints: tl.constexpr = (one, two, two + "," + letter)[len(operands) - 1]
    return tl.inline_asm_elementwise(text, constraints, operands, result, True, 1)


@triton.jit
def _moved(result, error, mode: tl.constexpr):
    # `result` is rounded to nearest, `error` has the sign of the exact result less that.
    bits = _bits(result)
    away = (bits + 1).to(result.dtype, bitcast=True)
    back = (bits - 1).to(result.dtype, bitcast=True)
    negative = bits < 0
    if mode == "rp":
        return tl.where(error > 0.0, tl.where(negative, back, away), result)
    elif mode == "rm":
        return tl.where(error < 0.0, tl.where(negative, away, back), result)
    else:
        outside = tl.where(negative, error > 0.0, error < 0.0) & (result != 0.0)
        return tl.where(outside, back, result)


@triton.jit
def _signed_zero(result, error, any_negative, mode: tl.constexpr):
    # A sum that is exactly 0 is -0 when rounding down, unless both sides are +0.
    if mode == "rm":
        zero = (result == 0.0) & (error == 0.0)
        return tl.where(zero, tl.where(any_negative, _real(-1.0, result), 1.0) * 0.0, result)
    else:
        return result


@triton.jit
def _is_plain(x):
    return (x != 0.0) & (tl.abs(x) < _infinity(x))


@triton.jit
def _normalised(x):
    # x 2^-e with a size from 1 to 2, and e; x is plain.
    e = _exponent(x).to(tl.int32)
    return ldexp(x, -e), e


@triton.jit
def _two_sum(x, y):
    sum = libdevice.add_rn(x, y)
    part = libdevice.sub_rn(sum, x)
    rest = libdevice.add_rn(libdevice.sub_rn(x, libdevice.sub_rn(sum, part)), libdevice.sub_rn(y, part))
    return sum, rest


@triton.jit
def _add_toward(x, y, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"add.{mode}.f32", (x, y), tl.float32)
        else:
            return _instruction(f"add.{mode}.f64", (x, y), tl.float64)
    else:
        result = libdevice.add_rn(x, y)
        swap = tl.abs(x) < tl.abs(y)
        large = tl.where(swap, y, x)
        small = tl.where(swap, x, y)
        # Exact; infinite, with the right sign, where the sum overflows.
        error = libdevice.sub_rn(small, libdevice.sub_rn(result, large))
        result = _moved(result, error, mode)
        return _signed_zero(result, error, _is_negative(x) | _is_negative(y), mode)


@triton.jit
def _mul_toward(x, y, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"mul.{mode}.f32", (x, y), tl.float32)
        else:
            return _instruction(f"mul.{mode}.f64", (x, y), tl.float64)
    else:
        result = libdevice.mul_rn(x, y)
        plain = _is_plain(x) & _is_plain(y)
        a, ea = _normalised(tl.where(plain, x, 1.0))
        b, eb = _normalised(tl.where(plain, y, 1.0))
        error = tl.fma(a, b, -ldexp(result, -(ea + eb)))
        return _moved(result, tl.where(plain, error, 0.0), mode)


@triton.jit
def _div_toward(x, y, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"div.{mode}.f32", (x, y), tl.float32)
        else:
            return _instruction(f"div.{mode}.f64", (x, y), tl.float64)
    else:
        result = _quotient(x, y)
        plain = _is_plain(x) & _is_plain(y)
        a, ea = _normalised(tl.where(plain, x, 1.0))
        b, eb = _normalised(tl.where(plain, y, 1.0))
        error = tl.fma(-ldexp(result, eb - ea), b, a)
        error = tl.where(b < 0.0, -error, error)
        return _moved(result, tl.where(plain, error, 0.0), mode)


@triton.jit
def _rcp_toward(x, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"rcp.{mode}.f32", (x,), tl.float32)
        else:
            return _instruction(f"rcp.{mode}.f64", (x,), tl.float64)
    else:
        return _div_toward(_real(1.0, x), x, mode)


@triton.jit
def _sqrt_toward(x, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"sqrt.{mode}.f32", (x,), tl.float32)
        else:
            return _instruction(f"sqrt.{mode}.f64", (x,), tl.float64)
    else:
        result = libdevice.sqrt_rn(x)
        plain = (x > 0.0) & (x < _infinity(x))
        safe = tl.where(plain, x, 1.0)
        half = _exponent(safe).to(tl.int32) >> 1
        root = ldexp(result, -half)
        error = tl.fma(-root, root, ldexp(safe, -2 * half))
        return _moved(result, tl.where(plain, error, 0.0), mode)


@triton.jit
def _fma_error(x, y, z, result):
    # The sign of x y + z - result, for x and y that are plain and z that is finite: as a sum of four numbers
    # that do not overlap, of which the largest decides.
    if x.dtype == tl.float32:
        far: tl.constexpr = 72
        none: tl.constexpr = -1000
    else:
        far: tl.constexpr = 159
        none: tl.constexpr = -10000
    a, ea = _normalised(x)
    b, eb = _normalised(y)
    c, ec = _normalised(tl.where(z == 0.0, 1.0, z))
    product_e = ea + eb
    sum_e = tl.where(z == 0.0, none, ec)
    e = tl.maximum(product_e, sum_e)
    # How far below the other a side lies does not matter beyond three times the digits.
    a = ldexp(a, tl.maximum(product_e - e, -far))
    c = tl.where(z == 0.0, 0.0, ldexp(c, tl.maximum(sum_e - e, -far)))
    high = libdevice.mul_rn(a, b)
    low = tl.fma(a, b, -high)
    first, t0 = _two_sum(c, low)
    t2, t1 = _two_sum(first, high)
    carry, u0 = _two_sum(-ldexp(result, -e), t0)
    carry, u1 = _two_sum(carry, t1)
    u3, u2 = _two_sum(carry, t2)
    small = tl.where(u1 == 0.0, u0, u1)
    return tl.where(u3 != 0.0, u3, tl.where(u2 != 0.0, u2, small))


@triton.jit
def _fma_toward(x, y, z, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        if x.dtype == tl.float32:
            return _instruction(f"fma.{mode}.f32", (x, y, z), tl.float32)
        else:
            return _instruction(f"fma.{mode}.f64", (x, y, z), tl.float64)
    else:
        result = tl.fma(x, y, z)
        plain = _is_plain(x) & _is_plain(y) & isfinited(z)
        error = _fma_error(tl.where(plain, x, 1.0), tl.where(plain, y, 1.0), tl.where(plain, z, 0.0), result)
        error = tl.where(isinf(result), -result, error)
        error = tl.where(plain, error, 0.0)
        result = _moved(result, error, mode)
        negative_product = _is_negative(x) != _is_negative(y)
        return _signed_zero(result, error, negative_product | _is_negative(z), mode)


@triton.jit
def _double2float_toward(x, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        return _instruction(f"cvt.{mode}.f32.f64", (x,), tl.float32)
    else:
        result = x.to(tl.float32)
        wide = result.to(tl.float64)
        return _moved(result, tl.where(x > wide, 1.0, tl.where(x < wide, -1.0, 0.0)), mode)


@triton.jit
def _integer_toward(x, type: tl.constexpr, mode: tl.constexpr):
    if tl.target_info.is_cuda():
        kind: tl.constexpr = "s" if x.dtype.is_int_signed() else "u"
        to: tl.constexpr = "f64" if type == tl.float64 else "f32"
        width: tl.constexpr = "64" if x.dtype.primitive_bitwidth == 64 else "32"
        return _instruction(f"cvt.{mode}.{to}.{kind}{width}", (x,), type)
    else:
        digits: tl.constexpr = 53 if type == tl.float64 else 24
        negative = x < 0
        wide = x.to(tl.uint64)
        size = tl.where(negative, 0 - wide, wide)
        # Without the digits that have no place, it is what rounding toward zero gives.
        surplus = tl.maximum(64 - digits - libdevice.clz(size.to(tl.int64)), 0).to(tl.uint64)
        kept = (size >> surplus) << surplus
        result = kept.to(type)
        lost = tl.where(kept != size, _real(1.0, result), 0.0)
        if mode == "rm":
            return tl.where(negative, _moved(result, lost, "rp") * -1.0, result)
        elif mode == "rp":
            return tl.where(negative, result * -1.0, _moved(result, lost, "rp"))
        else:
            return tl.where(negative, result * -1.0, result)


@triton.jit
def add_rd(x, y):
    return _add_toward(x, y, "rm")


@triton.jit
def add_ru(x, y):
    return _add_toward(x, y, "rp")


@triton.jit
def add_rz(x, y):
    return _add_toward(x, y, "rz")


@triton.jit
def sub_rd(x, y):
    return _add_toward(x, y * -1.0, "rm")


@triton.jit
def sub_ru(x, y):
    return _add_toward(x, y * -1.0, "rp")


@triton.jit
def sub_rz(x, y):
    return _add_toward(x, y * -1.0, "rz")


@triton.jit
def mul_rd(x, y):
    return _mul_toward(x, y, "rm")


@triton.jit
def mul_ru(x, y):
    return _mul_toward(x, y, "rp")


@triton.jit
def mul_rz(x, y):
    return _mul_toward(x, y, "rz")


@triton.jit
def div_rd(x, y):
    return _div_toward(x, y, "rm")


@triton.jit
def div_ru(x, y):
    return _div_toward(x, y, "rp")


@triton.jit
def div_rz(x, y):
    return _div_toward(x, y, "rz")


@triton.jit
def fma_rd(x, y, z):
    return _fma_toward(x, y, z, "rm")


@triton.jit
def fma_ru(x, y, z):
    return _fma_toward(x, y, z, "rp")


@triton.jit
def fma_rz(x, y, z):
    return _fma_toward(x, y, z, "rz")


@triton.jit
def rcp_rd(x):
    return _rcp_toward(x, "rm")


@triton.jit
def rcp_ru(x):
    return _rcp_toward(x, "rp")


@triton.jit
def rcp_rz(x):
    return _rcp_toward(x, "rz")


@triton.jit
def sqrt_rd(x):
    return _sqrt_toward(x, "rm")


@triton.jit
def sqrt_ru(x):
    return _sqrt_toward(x, "rp")


@triton.jit
def sqrt_rz(x):
    return _sqrt_toward(x, "rz")


@triton.jit
def double2float_rd(x):
    return _double2float_toward(x, "rm")


@triton.jit
def double2float_ru(x):
    return _double2float_toward(x, "rp")


@triton.jit
def int2float_rd(x):
    return _integer_toward(x, tl.float32, "rm")


@triton.jit
def int2float_ru(x):
    return _integer_toward(x, tl.float32, "rp")


@triton.jit
def int2float_rz(x):
    return _integer_toward(x, tl.float32, "rz")


@triton.jit
def uint2float_rd(x):
    return _integer_toward(x, tl.float32, "rm")


@triton.jit
def uint2float_ru(x):
    return _integer_toward(x, tl.float32, "rp")


@triton.jit
def uint2float_rz(x):
    return _integer_toward(x, tl.float32, "rz")


@triton.jit
def ll2float_rd(x):
    return _integer_toward(x, tl.float32, "rm")


@triton.jit
def ll2float_ru(x):
    return _integer_toward(x, tl.float32, "rp")


@triton.jit
def ll2float_rz(x):
    return _integer_toward(x, tl.float32, "rz")


@triton.jit
def ull2float_rd(x):
    return _integer_toward(x, tl.float32, "rm")


@triton.jit
def ull2float_ru(x):
    return _integer_toward(x, tl.float32, "rp")


@triton.jit
def ull2float_rz(x):
    return _integer_toward(x, tl.float32, "rz")


@triton.jit
def ll2double_rd(x):
    return _integer_toward(x, tl.float64, "rm")


@triton.jit
def ll2double_ru(x):
    return _integer_toward(x, tl.float64, "rp")


@triton.jit
def ll2double_rz(x):
    return _integer_toward(x, tl.float64, "rz")


@triton.jit
def ull2double_rd(x):
    return _integer_toward(x, tl.float64, "rm")


@triton.jit
def ull2double_ru(x):
    return _integer_toward(x, tl.float64, "rp")


@triton.jit
def ull2double_rz(x):
    return _integer_toward(x, tl.float64, "rz")
