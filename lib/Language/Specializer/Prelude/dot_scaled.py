# Products of factors with scales (dot_scaled), by an ordinary product of what they stand for. The values of
# the narrow types are exact in bfloat16, and so is each of them times a scale. The last axis of a factor here
# is the one whose products are added.


@triton.jit
def _e2m1_to_bf16(code):
    # An exponent of two bits with the bias 1, and one bit of mantissa, are the upper bits of a bfloat16 of
    # another bias. 0 and 0.5 have no leading 1.
    magnitude = code & 7
    bits = tl.where(magnitude < 2, magnitude * 0x3F00, (magnitude << 6) + 0x3F00)
    return (bits | ((code & 8) << 12)).to(tl.bfloat16, bitcast=True)


@triton.jit
def _unpack_e2m1(packed):
    # Two values a byte along the last axis, the first in the lower bits.
    wide = packed.to(tl.uint16)
    pairs = tl.join(wide & 15, wide >> 4)
    return _e2m1_to_bf16(tl.reshape(pairs, packed.shape[:-1] + (2 * packed.shape[-1],)))


@triton.jit
def _scale_value(scale, fast_math: tl.constexpr):
    if scale.dtype == tl.uint8:
        # The exponent of a float32, but 2^-127 has no leading 1, and 255 is NaN.
        exponent = scale.to(tl.uint32)
        bits = tl.where(exponent == 0, 0x400000, exponent << 23)
        if not fast_math:
            bits = tl.where(exponent == 255, 0x7FC00000, bits)
        return bits.to(tl.float32, bitcast=True)
    else:
        return scale.to(tl.float32)


@triton.jit
def _scaled_factor(x, scale, is_e2m1: tl.constexpr, along_sum: tl.constexpr, fast_math: tl.constexpr, to: tl.constexpr):
    if is_e2m1:
        if along_sum:
            x = _unpack_e2m1(x)
        else:
            x = tl.trans(_unpack_e2m1(tl.trans(x)))
    if scale is not None:
        value = tl.expand_dims(_scale_value(scale, fast_math), 2)
        spread = tl.broadcast_to(value, (scale.shape[0], scale.shape[1], x.shape[1] // scale.shape[1]))
        x = x.to(tl.float32) * tl.reshape(spread, x.shape)
    return x.to(to)


@triton.jit
def _dot_scaled(lhs, lhs_scale, lhs_is_e2m1: tl.constexpr, lhs_k_pack: tl.constexpr, rhs, rhs_scale,
                rhs_is_e2m1: tl.constexpr, rhs_k_pack: tl.constexpr, acc, fast_math: tl.constexpr, to: tl.constexpr):
    a = _scaled_factor(lhs, lhs_scale, lhs_is_e2m1, lhs_k_pack, fast_math, to)
    b = _scaled_factor(tl.trans(rhs), rhs_scale, rhs_is_e2m1, rhs_k_pack, fast_math, to)
    return tl.dot(a, tl.trans(b), acc, input_precision="tf32")


