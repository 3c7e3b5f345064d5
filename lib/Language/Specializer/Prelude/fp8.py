# The 8-bit floats, which are bytes in the IR. All of them are exact in fp16. Converting to them rounds a
# fp32 to nearest even (or toward zero) and saturates: what is too large, infinity included, becomes the
# largest finite value.
import triton
import triton.language as tl


@triton.jit
def _half(sign_and_magnitude):
    # A float with five bits of exponent and the bias of fp16 in the upper byte.
    return sign_and_magnitude.to(tl.float16, bitcast=True)


@triton.jit
def _fp8e5_to_fp16(code):
    return _half(code.to(tl.uint16) << 8)


@triton.jit
def _fp8e4nv_to_fp16(code):
    sign = (code & 0x80).to(tl.uint16) << 8
    magnitude = (code & 0x7F).to(tl.uint16)
    # The bias is 7 instead of 15: what is read with the wrong one is too small by 2^8.
    scaled = _half(sign | (magnitude << 7)) * 256.0
    return tl.where(magnitude == 0x7F, _half(sign | 0x7E00), scaled)


@triton.jit
def _fp8e4b15_to_fp16(code):
    return _half(((code & 0x80).to(tl.uint16) << 8) | ((code & 0x7F).to(tl.uint16) << 7))


@triton.jit
def _fp32_to_fp8(x, mantissa: tl.constexpr, bias: tl.constexpr, largest: tl.constexpr, nan: tl.constexpr, nearest: tl.constexpr):
    bits = x.to(tl.uint32, bitcast=True)
    magnitude = bits & 0x7FFFFFFF
    dropped: tl.constexpr = 23 - mantissa
    # Above the smallest normal number: drop bits of the mantissa and change the bias.
    rounded = magnitude
    if nearest:
        rounded = magnitude + (((1 << (dropped - 1)) - 1) + ((magnitude >> dropped) & 1))
    normal = (rounded >> dropped) - ((127 - bias) << mantissa)
    # Below: how many of the smallest steps there are.
    steps = magnitude.to(tl.float32, bitcast=True) * (1 << (bias + mantissa - 1))
    if nearest:
        # Adding 2^23 leaves no place for a fraction.
        steps = (steps + 8388608.0) - 8388608.0
    subnormal = steps.to(tl.uint32)
    code = tl.where(magnitude < ((128 - bias) << 23), subnormal, normal)
    code = tl.where(code > largest, largest, code)
    code = tl.where(magnitude > 0x7F800000, nan, code)
    return (code | ((bits >> 24) & 0x80)).to(tl.uint8)


@triton.jit
def _fp32_to_fp8e5(x):
    return _fp32_to_fp8(x, 2, 15, 0x7B, 0x7F, True)


@triton.jit
def _fp32_to_fp8e5_rtz(x):
    return _fp32_to_fp8(x, 2, 15, 0x7B, 0x7F, False)


@triton.jit
def _fp32_to_fp8e4nv(x):
    return _fp32_to_fp8(x, 3, 7, 0x7E, 0x7F, True)


@triton.jit
def _fp32_to_fp8e4nv_rtz(x):
    return _fp32_to_fp8(x, 3, 7, 0x7E, 0x7F, False)


# Four at a time, where the machine converts (from compute capability 8.9 on).


@triton.jit
def _fp32_to_fp8_machine(x, instruction: tl.constexpr):
    code: tl.constexpr = ("{ .reg .b16 low, high; " + instruction + " low, $2, $1; " + instruction + " high, $4, $3; "
                          "mov.b32 $0, {low, high}; }")
    return tl.inline_asm_elementwise(code, "=r,f,f,f,f", [x], dtype=tl.uint8, is_pure=True, pack=4)


@triton.jit
def _fp32_to_fp8e5_machine(x):
    return _fp32_to_fp8_machine(x, "cvt.rn.satfinite.e5m2x2.f32")


@triton.jit
def _fp32_to_fp8e4nv_machine(x):
    return _fp32_to_fp8_machine(x, "cvt.rn.satfinite.e4m3x2.f32")


# The workaround known-fp8: ptxas knows nothing of bytes with this zero. It is the highest bit of the mask of the lanes
# before a thread's own, among which lane 31 never is.
@triton.jit
def _fp8e4nv_to_fp16_machine(code):
    return tl.inline_asm_elementwise(
        "{ .reg .b32 four; .reg .b16 low, high; mov.u32 four, %lanemask_lt; shr.u32 four, four, 31; or.b32 four, four, $2; "
        "mov.b32 {low, high}, four; cvt.rn.f16x2.e4m3x2 $0, low; cvt.rn.f16x2.e4m3x2 $1, high; }",
        "=r,=r,r", [code], dtype=tl.float16, is_pure=True, pack=4)


# Without the workaround.
@triton.jit
def _fp8e4nv_to_fp16_machine_plain(code):
    return tl.inline_asm_elementwise(
        "{ .reg .b16 low, high; mov.b32 {low, high}, $2; cvt.rn.f16x2.e4m3x2 $0, low; cvt.rn.f16x2.e4m3x2 $1, high; }",
        "=r,=r,r", [code], dtype=tl.float16, is_pure=True, pack=4)


# The upper byte of a fp16 without its highest bit of exponent; halves are rounded away from zero.
@triton.jit
def _fp32_to_fp8e4b15(x):
    bits = x.to(tl.float16, fp_downcast_rounding="rtz").to(tl.uint16, bitcast=True)
    magnitude = tl.minimum(bits & 0x7FFF, tl.full([], 0x3F00, tl.uint16))
    return (((magnitude * 2 + 0x80) | (bits & 0x8000)) >> 8).to(tl.uint8)


@triton.jit
def _fp32_to_fp8e4b15_rtz(x):
    return _fp32_to_fp8(x, 3, 15, 0x7E, 0x7E, False)
