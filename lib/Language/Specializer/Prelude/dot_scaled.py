# Products of factors with scales (dot_scaled), by an ordinary product of what they stand for. The values of
# the narrow types are exact in bfloat16, and so is each of them times a scale. The last axis of a factor here
# is the one whose products are added.
import triton
import triton.language as tl


@triton.jit
def _unpack_e2m1(packed):
    # Two values a byte along the last axis, the first in the lower bits. An exponent of two bits with the bias 1
    # and one bit of mantissa are the middle bits of a bfloat16 that is too small by the difference of the biases.
    # Both values of a byte are halves of one word until then.
    word = packed.to(tl.uint32)
    word = word | (word << 12)
    bits = ((word & 0x00070007) << 6) | ((word & 0x00080008) << 12)
    pairs = tl.join(bits.to(tl.uint16), (bits >> 16).to(tl.uint16))
    small = tl.reshape(pairs, packed.shape[:-1] + (2 * packed.shape[-1],)).to(tl.bfloat16, bitcast=True)
    return small * 8.507059173023462e37  # 2^126


@triton.jit
def _scale_value(scale, fast_math: tl.constexpr):
    if scale.dtype == tl.uint8:
        # The exponent of a bfloat16, but 2^-127 has no leading 1, and 255 is NaN.
        exponent = scale.to(tl.uint16)
        bits = tl.where(exponent == 0, 0x40, exponent << 7)
        if not fast_math:
            bits = tl.where(exponent == 255, 0x7FC0, bits)
        return bits.to(tl.bfloat16, bitcast=True)
    else:
        return scale.to(tl.bfloat16)


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
        x = x.to(to) * tl.reshape(spread, x.shape).to(to)
    return x.to(to)


@triton.jit
def _dot_scaled(lhs, lhs_scale, lhs_is_e2m1: tl.constexpr, lhs_k_pack: tl.constexpr, rhs, rhs_scale,
                rhs_is_e2m1: tl.constexpr, rhs_k_pack: tl.constexpr, acc, fast_math: tl.constexpr, to: tl.constexpr):
    a = _scaled_factor(lhs, lhs_scale, lhs_is_e2m1, lhs_k_pack, fast_math, to)
    b = _scaled_factor(tl.trans(rhs), rhs_scale, rhs_is_e2m1, rhs_k_pack, fast_math, to)
    return tl.dot(a, tl.trans(b), acc, input_precision="tf32")


