# Inline assembly: idioms of kernels for NVIDIA GPUs, on the CPU and on GPUs. What only the CPU's tests need is in
# inline_assembly_cpu.py.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# Nibbles become the low digits of a half, from which the number is taken that the other digits are.
#: x = i32[0, 305419896, -1985229329, -1, 252645135, 2147483647, -2147483648, 1985229328]
#: out -> i32[-939472896, -1006632960, 1107314432, 1191200512, 1191200512, 1191200512, -939472896, -1006581760, -939472896, -989807616, 1073759744, 1191200512, -939472896, 1191200512, -939472896, -1040136448, -939472896, -973029376, 1006650624, 1191200512, 1191200512, 1191200512, -939472896, -1073691136, -939472896, -956251648, 17408, 1191200512, -939472896, -1140832512, 51200, -1140800256]
@triton.jit
def nibbles_to_halves(x, out):
    i = tl.arange(0, 8)
    a, b, c, d = tl.inline_asm_elementwise(
        """
        {
            .reg .b32 high, scale, offset;
            lop3.b32 $0, $4, 0x000f000f, 0x64006400, 0xea;
            lop3.b32 $1, $4, 0x00f000f0, 0x64006400, 0xea;
            shr.u32 high, $4, 8;
            lop3.b32 $2, high, 0x000f000f, 0x64006400, 0xea;
            lop3.b32 $3, high, 0x00f000f0, 0x64006400, 0xea;
            mov.b32 offset, 0x64086408;
            sub.f16x2 $0, $0, offset;
            sub.f16x2 $2, $2, offset;
            mov.b32 scale, 0x2c002c00;
            mov.b32 offset, 0xd480d480;
            fma.rn.f16x2 $1, $1, scale, offset;
            fma.rn.f16x2 $3, $3, scale, offset;
        }
        """, "=&r,=&r,=&r,=&r,r", [tl.load(x + i)], dtype=(tl.int32, tl.int32, tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(out + i, a)
    tl.store(out + 8 + i, b)
    tl.store(out + 16 + i, c)
    tl.store(out + 24 + i, d)


# Bytes become the low digits of 2^23; the upper halves of the floats are bfloats.
#: x = i8[0, 1, -1, 127, -128, 5, -100, 64]
#: out -> bf16[0, 1, -1, 127, -128, 5, -100, 64]
@triton.jit
def bytes_to_bfloats(x, out):
    i = tl.arange(0, 8)
    y = tl.inline_asm_elementwise(
        """
        {
            .reg .b32 bytes, word<4>;
            xor.b32 bytes, $2, 0x80808080;
            prmt.b32 word0, bytes, 0x4b000000, 0x7440;   // 2^23 + byte
            prmt.b32 word1, bytes, 0x4b000000, 0x7441;
            prmt.b32 word2, bytes, 0x4b000000, 0x7442;
            prmt.b32 word3, bytes, 0x4b000000, 0x7443;
            sub.f32 word0, word0, 0f4B000080;
            sub.f32 word1, word1, 0f4B000080;
            sub.f32 word2, word2, 0f4B000080;
            sub.f32 word3, word3, 0f4B000080;
            prmt.b32 $0, word0, word1, 0x7632;
            prmt.b32 $1, word2, word3, 0x7632;
        }
        """, "=r,=r,r", [tl.load(x + i)], dtype=tl.bfloat16, is_pure=True, pack=4)
    tl.store(out + i, y)


#: x = i32[0, 305419896, -1985229329, -1]
#: out -> i32[0, -8, -1, -1, 0, 7, -2, -1, 0, 6, -3, -1, 0, 5, -4, -1, 0, 4, -5, -1, 0, 3, -6, -1, 0, 2, -7, -1, 0, 1, -8, -1]
@triton.jit
def signed_nibbles(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    for place in tl.static_range(8):
        y = tl.inline_asm_elementwise("bfe.s32 $0, $1, $2, 4;", "=r,r,n", [v, 4 * place], dtype=tl.int32, is_pure=True, pack=1)
        tl.store(out + 4 * place + i, y)


# Two results with two words each for a group of four bytes.
#: x = u8[0, 31, 128, 247]
#: out -> bf16[-8, 7, -8, -1, -8, -7, 0, 7]
@triton.jit
def packed_nibbles_to_bfloats(x, out):
    i = tl.arange(0, 4)
    low, high = tl.inline_asm_elementwise(
        """
        {
            .reg .b32 four, r, one, bias;
            mov.u32 one, 0x3f803f80;
            mov.u32 bias, 0xC308C308;
            mov.b32 four, $4;
            prmt.b32 r, four, 0, 0x4140;
            lop3.b32 $0, r, 0x000f000f, 0x43004300, 0xea;
            fma.rn.bf16x2 $0, $0, one, bias;
            prmt.b32 r, four, 0, 0x4342;
            lop3.b32 $1, r, 0x000f000f, 0x43004300, 0xea;
            fma.rn.bf16x2 $1, $1, one, bias;
            shr.u32 four, four, 4;
            prmt.b32 r, four, 0, 0x4140;
            lop3.b32 $2, r, 0x000f000f, 0x43004300, 0xea;
            fma.rn.bf16x2 $2, $2, one, bias;
            prmt.b32 r, four, 0, 0x4342;
            lop3.b32 $3, r, 0x000f000f, 0x43004300, 0xea;
            fma.rn.bf16x2 $3, $3, one, bias;
        }
        """, "=&r,=&r,=&r,=&r,r", [tl.load(x + i)], dtype=(tl.bfloat16, tl.bfloat16), is_pure=True, pack=4)
    tl.store(out + i, low)
    tl.store(out + 4 + i, high)


#: x = fp32[0, -0.0, 1, -1, 448, 449, 464, 1000000000, -inf, nan, 0.001953125, 0.0009765625, 0.0029296875, -0.0009863281156867743, 17, 18, 19, 1.0625, 1.1875, 240, 9.99994610111476e-41, 0.013000000268220901, -0.017000000923871994, 300, 24.5, -7.5, 0.4375, 100, 3.299999952316284, -3.299999952316284, 0.20000000298023224, 447]
#: out -> u8[0, 128, 56, 184, 126, 126, 126, 126, 254, 127, 1, 0, 2, 129, 88, 89, 90, 56, 58, 119, 0, 7, 137, 121, 92, 207, 46, 108, 69, 197, 37, 126]
@triton.jit
def floats_to_e4m3(x, out):
    i = tl.arange(0, 32)
    y = tl.inline_asm_elementwise(
        """
        {
            .reg .b16 low, high;
            cvt.rn.satfinite.e4m3x2.f32 low, $2, $1;
            cvt.rn.satfinite.e4m3x2.f32 high, $4, $3;
            mov.b32 $0, {low, high};
        }
        """, "=r,f,f,f,f", [tl.load(x + i)], dtype=tl.uint8, is_pure=True, pack=4)
    tl.store(out + i, y)


#: x = u8[0, 128, 1, 7, 8, 56, 126, 254, 127, 255, 129, 64, 193, 42, 85, 111]
#: out -> fp16[0, -0.0, 0.001953125, 0.013671875, 0.015625, 1, 448, -448, nan, nan, -0.001953125, 2, -2.25, 0.3125, 13, 120]
@triton.jit
def e4m3_to_halves(x, out):
    i = tl.arange(0, 16)
    y = tl.inline_asm_elementwise(
        "{ .reg .b16 low, high; mov.b32 {low, high}, $2; cvt.rn.f16x2.e4m3x2 $0, low; cvt.rn.f16x2.e4m3x2 $1, high; }",
        "=r,=r,r", [tl.load(x + i)], dtype=tl.float16, is_pure=True, pack=4)
    tl.store(out + i, y)


#: x = u8[0, 128, 1, 3, 4, 60, 123, 251, 124, 252, 127, 65, 16, 144, 82, 213]
#: out -> fp16[0, -0.0, 1.52587890625e-05, 4.57763671875e-05, 6.103515625e-05, 1, 57344, -57344, inf, -inf, nan, 2.5, 0.00048828125, -0.00048828125, 48, -80]
@triton.jit
def e5m2_to_halves(x, out):
    i = tl.arange(0, 16)
    y = tl.inline_asm_elementwise("cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h", [tl.load(x + i)], dtype=tl.float16, is_pure=True, pack=2)
    tl.store(out + i, y)


#: x = fp32[0, -0.0, 0.5, -1, 3, 9.999999747378752e-06, 20, -20, inf, -inf, nan, 9.99994610111476e-41, 0.25, 0.2498999983072281, -0.30000001192092896, 88.5]
#: out -> fp32[0, -0.0, 0.46211716532707214, -0.7615941762924194, 0.9950547814369202, 9.999999747378752e-06, 1, -1, 1, -1, nan, 9.99994610111476e-41, 0.24491865932941437, 0.24482466280460358, -0.29131263494491577, 1] ~6e-4
@triton.jit
def hyperbolic_tangent(x, out):
    i = tl.arange(0, 16)
    y = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + i, y)


#: x = fp16[0, -0.0, 0.5, -1, 3, 0.25, inf, nan]
#: out -> fp16[0, -0.0, 0.462158203125, -0.76171875, 0.9951171875, 0.244873046875, 1, nan] ~2e-3
@triton.jit
def hyperbolic_tangent_of_halves(x, out):
    i = tl.arange(0, 8)
    y = tl.inline_asm_elementwise("tanh.approx.f16x2 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.float16, is_pure=True, pack=2)
    tl.store(out + i, y)


#: x = fp32[0, 1, -1, 10.5, -126, -140, 128, -inf, inf, nan, 0.10000000149011612, -0.75, 64, -64, 3, 9.99994610111476e-41]
#: out -> fp32[1, 2, 0.5, 1448.1546630859375, 1.1754943508222875e-38, 0, inf, 0, inf, nan, 1.0717734098434448, 0.5946035385131836, 1.8446744073709552e+19, 5.421010862427522e-20, 8, 1] ~3e-7
@triton.jit
def power_of_two(x, out):
    i = tl.arange(0, 16)
    y = tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + i, y)


#: x = fp32[1, -2, 3, 0, -0.0, inf, -inf, nan]
#: z = fp32[1, 2, 3, 0, -0.0, inf, 0.10000000149011612, 1000000000]
#: out -> fp32[1, -0.5, 0.3333333432674408, inf, -inf, 0, -0.0, nan, 1, 1.4142135381698608, 1.7320507764816284, 0, -0.0, inf, 0.3162277638912201, 31622.77734375, 1, 0.7071067690849304, 0.5773502588272095, inf, -inf, 0, 3.1622776985168457, 3.162277789670043e-05, 0, 1, 1.5849624872207642, -inf, -inf, inf, -3.321928024291992, 29.89735221862793] ~1e-6
@triton.jit
def reciprocals_and_roots(x, z, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [v], tl.float32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("sqrt.approx.f32 $0, $1;", "=f,f", [w], tl.float32, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("rsqrt.approx.f32 $0, $1;", "=f,f", [w], tl.float32, True, 1))
    tl.store(out + 24 + i, tl.inline_asm_elementwise("lg2.approx.f32 $0, $1;", "=f,f", [w], tl.float32, True, 1))


#: x = fp32[0, 1, -1, 3, 0.5, -2.5, 9.999999747378752e-06, 3.1415927410125732]
#: out -> fp32[0, 0.8414709568023682, -0.8414709568023682, 0.14112000167369843, 0.4794255495071411, -0.5984721183776855, 9.999999747378752e-06, -8.742277657347586e-08, 1, 0.5403022766113281, 0.5403022766113281, -0.9899924993515015, 0.8775825500488281, -0.8011435866355896, 1, -1] ~2e-6
@triton.jit
def sine_and_cosine(x, out):
    i = tl.arange(0, 8)
    s, c = tl.inline_asm_elementwise("sin.approx.f32 $0, $2; cos.approx.f32 $1, $2;", "=&f,=f,f", [tl.load(x + i)],
                                     dtype=(tl.float32, tl.float32), is_pure=True, pack=1)
    tl.store(out + i, s)
    tl.store(out + 8 + i, c)


#: x = fp32[1, 1, -1, 3, 1.0000000150474662e+30, -1.0000000031710769e-30, 1.401298464324817e-45, 7]
#: z = fp32[9.313225746154785e-10, -9.313225746154785e-10, 9.313225746154785e-10, 7, 1.0000000116860974e-07, 1.0000000150474662e+30, 1.401298464324817e-45, 7]
#: out -> fp32[1, 0.9999999403953552, -1, 10, 1.0000000150474662e+30, 9.999999394896025e+29, 2.802596928649634e-45, 14, 1.0000001192092896, 1, -0.9999999403953552, 10, 1.00000009060533e+30, 1.0000000150474662e+30, 2.802596928649634e-45, 14, 1, 0.9999999403953552, -0.9999999403953552, 10, 1.0000000150474662e+30, 9.999999394896025e+29, 2.802596928649634e-45, 14, 1073741824, -1073741824, -1073741824, 0.4285714030265808, 9.999999933815813e+36, -1.401298464324817e-45, 1, 1, 1073741824, -1073741824, -1073741824, 0.4285714328289032, 1.0000000567641113e+37, -0.0, 1, 1, 1073741824, -1073741824, -1073741824, 0.4285714030265808, 9.999999933815813e+36, -0.0, 1, 1]
@triton.jit
def directed_rounding(x, z, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(z + i)
    a, b, c = tl.inline_asm_elementwise("add.rm.f32 $0, $3, $4; add.rp.f32 $1, $3, $4; add.rz.f32 $2, $3, $4;", "=&f,=&f,=f,f,f",
                                        [v, w], dtype=(tl.float32, tl.float32, tl.float32), is_pure=True, pack=1)
    tl.store(out + i, a)
    tl.store(out + 8 + i, b)
    tl.store(out + 16 + i, c)
    a, b, c = tl.inline_asm_elementwise("div.rm.f32 $0, $3, $4; div.rp.f32 $1, $3, $4; div.rz.f32 $2, $3, $4;", "=&f,=&f,=f,f,f",
                                        [v, w], dtype=(tl.float32, tl.float32, tl.float32), is_pure=True, pack=1)
    tl.store(out + 24 + i, a)
    tl.store(out + 32 + i, b)
    tl.store(out + 40 + i, c)


#: x = fp32[1, nan, 2, -0.0, 0, nan, inf, -inf]
#: z = fp32[nan, 1, -3, 0, -0.0, nan, 5, 5]
#: out -> fp32[1, 1, -3, -0.0, -0.0, nan, 5, -inf, 1, 1, 2, 0, 0, nan, inf, 5, nan, nan, -3, -0.0, -0.0, nan, 5, -inf]
@triton.jit
def extremes(x, z, out):
    i = tl.arange(0, 8)
    low, high, both = tl.inline_asm_elementwise("min.f32 $0, $3, $4; max.f32 $1, $3, $4; min.NaN.f32 $2, $3, $4;", "=&f,=&f,=f,f,f",
                                                [tl.load(x + i), tl.load(z + i)], dtype=(tl.float32, tl.float32, tl.float32),
                                                is_pure=True, pack=1)
    tl.store(out + i, low)
    tl.store(out + 8 + i, high)
    tl.store(out + 16 + i, both)


#: x = fp32[9.99994610111476e-41, -9.99994610111476e-41, 9.999999350456404e-39, 1.1754943508222875e-38, -0.0, 3, 9.999999682655225e-21, -9.999999682655225e-21]
#: z = fp32[1, 1, 0.5, 0.5, 2, 4, 9.999999682655225e-21, 9.999999682655225e-21]
#: out -> fp32[0, -0.0, 0, 0, -0.0, 12, 0, -0.0, 9.99994610111476e-41, -9.99994610111476e-41, 4.999999675228202e-39, 5.877471754111438e-39, -0.0, 12, 9.99994610111476e-41, -9.99994610111476e-41]
@triton.jit
def flushed_products(x, z, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("mul.rn.ftz.f32 $0, $1, $2;", "=f,f,f", [v, w], tl.float32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("mul.rn.f32 $0, $1, $2;", "=f,f,f", [v, w], tl.float32, True, 1))


#: x = bf16[1, -2, 0.5, 3, inf, nan, 100, -0.0]
#: z = bf16[0.00390625, 3, 0.25, -3, 1, 1, 0.3984375, 0]
#: out -> bf16[1, 1, 0.75, 0, inf, nan, 100.5, 0, 1, -8, 0.625, -6, inf, nan, 140, -0.0, 1, 3, 0.5, 3, inf, 1, 100, 0, -1, 2, -0.5, -3, -inf, nan, -100, 0]
@triton.jit
def pairs_of_bfloats(x, z, out):
    i = tl.arange(0, 8)
    a, b, c, d = tl.inline_asm_elementwise(
        "add.rn.bf16x2 $0, $4, $5; fma.rn.bf16x2 $1, $4, $5, $4; max.bf16x2 $2, $4, $5; neg.bf16x2 $3, $4;",
        "=&r,=&r,=&r,=r,r,r", [tl.load(x + i), tl.load(z + i)],
        dtype=(tl.bfloat16, tl.bfloat16, tl.bfloat16, tl.bfloat16), is_pure=True, pack=2)
    tl.store(out + i, a)
    tl.store(out + 8 + i, b)
    tl.store(out + 16 + i, c)
    tl.store(out + 24 + i, d)


#: x = fp32[1, 65504, 65520, -1000000000, 9.99999993922529e-09, 5.99999978589949e-08, nan, -0.0]
#: out -> fp16[-0.0, 1, nan, 65504, 5.960464477539063e-08, inf, 0, -inf, -inf, 0, inf, 5.960464477539063e-08, 65504, nan, 1, -0.0]
@triton.jit
def floats_to_pairs_of_halves(x, out):
    i = tl.arange(0, 8)
    both = tl.inline_asm_elementwise("cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", [tl.load(x + i), tl.load(x + 7 - i)], dtype=tl.int32,
                                     is_pure=True, pack=1)
    pairs = out.to(tl.pointer_type(tl.int32))
    tl.store(pairs + i, both)


#: x = fp32[1, -1, 1.00048828125, 3.4028234663852886e+38, inf, nan, 9.99994610111476e-41, 0.10000000149011612]
#: out -> fp32[1, -1, 1.0009765625, inf, inf, nan, 1.0331493317774011e-40, 0.0999755859375]
@triton.jit
def floats_to_tf32(x, out):
    i = tl.arange(0, 8)
    y = tl.inline_asm_elementwise("cvt.rna.tf32.f32 $0, $1;", "=r,f", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, y.to(tl.float32, bitcast=True))


#: x = fp32[0.5, 1.5, 2.5, -0.5, -1.5, 3000000000, -3000000000, nan]
#: out -> i32[0, 2, 2, 0, -2, 2147483647, -2147483648, 0, 0, 1, 2, 0, -1, 2147483647, -2147483648, 0, 0, 1, 2, -1, -2, 2147483647, -2147483648, 0, 1, 2, 3, 0, -1, 2147483647, -2147483648, 0, 0, 2, 2, 0, 0, 255, 0, 0]
@triton.jit
def floats_to_integers(x, out):
    i = tl.arange(0, 8)
    a, b, c, d, e = tl.inline_asm_elementwise(
        """cvt.rni.s32.f32 $0, $5; cvt.rzi.s32.f32 $1, $5; cvt.rmi.s32.f32 $2, $5;
           cvt.rpi.s32.f32 $3, $5; cvt.rni.sat.u8.f32 $4, $5;""", "=&r,=&r,=&r,=&r,=r,f", [tl.load(x + i)],
        dtype=(tl.int32, tl.int32, tl.int32, tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(out + i, a)
    tl.store(out + 8 + i, b)
    tl.store(out + 16 + i, c)
    tl.store(out + 24 + i, d)
    tl.store(out + 32 + i, e)


#: x = i32[0, 1, -2147483648, -1, 2147483647, 123456789, -559038737, 40]
#: z = i32[5, -1, -2147483648, -1, 2147483647, 987654321, 305419896, 33]
#: out -> i32[0, 0, 1073741824, -2, 1073741823, 28389652, 265666030, 0, 0, -1, 1073741824, 0, 1073741823, 28389652, -39753866, 0, 0, -2147483648, 1, -1, -2, -1464608032, -142756485, 335544320, 0, 1, 1, 32, 31, 16, 24, 2, 32, 31, 0, 0, 1, 5, 0, 26, 0, 128, 64, -1, -65, -1377400189, 1457485807, 5120, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0, -1, 0]
@triton.jit
def bits_of_integers(x, z, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("mul.hi.u32 $0, $1, $2;", "=r,r,r", [v, w], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("mul.hi.s32 $0, $1, $2;", "=r,r,r", [v, w], tl.int32, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("brev.b32 $0, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 24 + i, tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 32 + i, tl.inline_asm_elementwise("clz.b32 $0, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 40 + i, tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $1, 7;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 48 + i, tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,r", [v, w], tl.int32, True, 1))
    tl.store(out + 56 + i, tl.inline_asm_elementwise("shr.s32 $0, $1, $2;", "=r,r,r", [v, w], tl.int32, True, 1))


#: x = i64[0, 1, -1, 9223372036854775807, -9223372036854775808, 81985529216486895, -5, 1099511627776]
#: z = i64[7, -1, -1, 9223372036854775807, -9223372036854775808, 9141386507638288912, 3, 1099511627776]
#: out -> i64[0, 0, -2, 4611686018427387903, 4611686018427387904, 40628384478392394, 2, 65536, 0, -1, 0, 4611686018427387903, 4611686018427387904, 40628384478392394, -1, 65536, 0, -9223372036854775808, -1, -2, 1, -597899502893742976, -2305843009213693953, 8388608]
@triton.jit
def bits_of_wide_integers(x, z, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("mul.hi.u64 $0, $1, $2;", "=l,l,l", [v, w], tl.int64, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("mul.hi.s64 $0, $1, $2;", "=l,l,l", [v, w], tl.int64, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("brev.b64 $0, $1;", "=l,l", [v], tl.int64, True, 1))


# By known selectors, which may repeat the sign of a byte, and by others.
#: x = i32[1122867, -8388098, 2139160321, -1985229329]
#: z = i32[1146447479, 305419896, 0, -1]
#: s = i32[12816, 30292, 47768, 3870]
#: out -> i32[1719083571, 1450705406, 65281, -12817, 2228224, 131071, -65409, -3276919, 1122867, 305419896, 16776960, -268448257]
@triton.jit
def permuted_bytes(x, z, s, out):
    i = tl.arange(0, 4)
    v, w = tl.load(x + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r", [v, w], tl.int32, True, 1))
    tl.store(out + 4 + i, tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, 0x91b3;", "=r,r,r", [v, w], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, $3;", "=r,r,r,r", [v, w, tl.load(s + i)], tl.int32, True, 1))


#: x = i32[5, -7, 0, 100]
#: out -> i32[6, -5, -5, 101, 1, 0, 0, 1, 5, 3, 3, 20]
@triton.jit
def predicates(x, out):
    i = tl.arange(0, 4)
    a, b, c = tl.inline_asm_elementwise(
        """
        {
            .reg .pred p, q, %r;
            setp.gt.s32 p|q, $3, 0;
            mov.b32 $0, -5;
            @p add.s32 $0, $3, 1;
            selp.b32 $1, 1, 0, p;
            setp.lt.s32 %r, $3, 20;
            mov.b32 $2, 20;
            @%r mov.b32 $2, $3;
            @q mov.b32 $2, 3;
        }
        """, "=&r,=&r,=&r,r", [tl.load(x + i)], dtype=(tl.int32, tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(out + i, a)
    tl.store(out + 4 + i, b)
    tl.store(out + 8 + i, c)


#: out -> i32[-3, 42, 15, 8, 5, 1069547520, 1073741824, 99]
@triton.jit
def numbers(out):
    a, b, c, d, e, f, g, h = tl.inline_asm_elementwise(
        """
        // Scopes hide names, and end with them.
        { .reg .b32 t; mov.b32 t, 99;
          { .reg .b32 t, u<2>; mov.u32 t, -3; mov.b32 u1, t; mov.b32 $0, u1; }
          mov.b32 $1, 0x2A; mov.b32 $2, 017; mov.b32 $3, 0b1000U; /* a comment; */ mov.u32 $4, 5;
          mov.f32 $5, 1.5; mov.b32 $6, 0f40000000;
          mov.b32 $7, t; }
        """, "=&r,=&r,=&r,=&r,=&r,=&r,=&r,=r", [], dtype=(tl.int32, tl.int32, tl.int32, tl.int32, tl.int32, tl.int32, tl.int32, tl.int32),
        is_pure=True, pack=1)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, e)
    tl.store(out + 5, f)
    tl.store(out + 6, g)
    tl.store(out + 7, h)


#: x = fp64[1.5, -2, 0, 1e300]
#: out -> fp64[2.25, 4, 0, inf]
@triton.jit
def doubles(x, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise("{ .reg .f64 t; mul.rn.f64 t, $1, $1; add.f64 $0, t, 0d0000000000000000; }", "=d,d", [tl.load(x + i)],
                                  dtype=tl.float64, is_pure=True, pack=1)
    tl.store(out + i, y)


# Groups are filled with copies; so are those of numbers, whose text has a number for each element.
#: x = i8[1, -2]
#: s = i8[7]
#: out -> i8[-2, 1, -8, -4]
@triton.jit
def less_than_a_pack(x, s, out):
    i = tl.arange(0, 2)
    y = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + i, y)
    one = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [tl.load(s + tl.arange(0, 1))], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + 2 + tl.arange(0, 1), one)
    scalar = tl.inline_asm_elementwise("add.u32 $0, $1, $2;", "=r,r,n", [tl.load(s), 5], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + 3, scalar * 0 - 4)


#: x = i16[0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000, 20000, 21000, 22000, 23000, 24000, 25000, 26000, 27000, 28000, 29000, 30000, 31000]
#: out -> i16[-1, -1001, -2001, -3001, -4001, -5001, -6001, -7001, -8001, -9001, -10001, -11001, -12001, -13001, -14001, -15001, -16001, -17001, -18001, -19001, -20001, -21001, -22001, -23001, -24001, -25001, -26001, -27001, -28001, -29001, -30001, -31001]
@triton.jit
def rows_and_columns(x, out):
    i = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    y = tl.inline_asm_elementwise("not.b32 $0, $2; not.b32 $1, $3;", "=&r,=r,r,r", [tl.load(x + i)], dtype=tl.int16, is_pure=True, pack=4)
    tl.store(out + i, y)


#: x = u8[0, 1, 2, 3, 4, 5, 6, 255, 128, 9, 10, 11, 12, 13, 14, 15]
#: out -> i32[0, 2, 4, 6, 8, 10, 12, 510, 256, 18, 20, 22, 24, 26, 28, 30, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
@triton.jit
def results_of_several_sizes(x, out):
    i = tl.arange(0, 16)
    wide, odd = tl.inline_asm_elementwise(
        """
        { .reg .b32 t;
          and.b32 $4, $5, 0x01010101;
          and.b32 t, $5, 255; shl.b32 $0, t, 1;
          bfe.u32 t, $5, 8, 8; shl.b32 $1, t, 1;
          bfe.u32 t, $5, 16, 8; shl.b32 $2, t, 1;
          shr.u32 t, $5, 24; shl.b32 $3, t, 1; }
        """, "=&r,=&r,=&r,=&r,=&r,r", [tl.load(x + i)], dtype=(tl.int32, tl.uint8), is_pure=True, pack=4)
    tl.store(out + i, wide)
    tl.store(out + 16 + i, odd.to(tl.int32))


#: x = i32[1, 2, 3, 4]
#: out -> i32[24, 25, 26, 27]
@triton.jit
def register_of_a_result(x, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise("add.s32 $0, $0, $2;", "=r,0,n", [tl.load(x + i), 23], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, y)


#: x = fp32[1, 5, -3, 2]
#: out -> i32[0, 1, 0, 1]
@triton.jit
def truth_values(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    y = tl.inline_asm_elementwise(
        "{ .reg .pred p; .reg .b32 t; setp.gt.f32 p, $1, 1.0; selp.b32 t, 1, 0, p; cvt.u16.u32 $0, t; }", "=h,f", [v],
        dtype=tl.int1, is_pure=True, pack=1)
    tl.store(out + i, tl.where(y, 1, 0))


#: x = i32[10, 20, 30, 40, 50, 60, 70, 80]
#: out -> i32[10, -1, 30, -1, 50, -1, 70, -1]
@triton.jit
def loads_under_a_predicate(x, out):
    i = tl.arange(0, 8)
    y = tl.inline_asm_elementwise(
        """
        {
            .reg .pred p;
            setp.eq.b32 p, $2, 0;
            mov.b32 $0, -1;
            @p ld.global.nc.L1::no_allocate.L2::128B.b32 $0, [$1];
        }
        """, "=&r,l,r", [x + i, i % 2], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, y)


#: x = fp32[1, 2, 3, 4, 5, 6, 7, 8]
#: out -> fp32[10, 26]
@triton.jit
def loads_of_vectors(x, out):
    i = tl.arange(0, 2)
    a, b, c, d = tl.inline_asm_elementwise(
        "ld.global.L1::evict_last.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l", [x + 4 * i],
        dtype=(tl.float32, tl.float32, tl.float32, tl.float32), is_pure=False, pack=1)
    tl.store(out + i, a + b + c + d)


#: x = u16[1, 2, 65535, 4]
#: b = i8[-1, 5, -128, 127]
#: out -> i32[0, 7, 65407, 131]
@triton.jit
def loads_of_narrow_numbers(x, b, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise(
        "{ .reg .b32 t; ld.global.ca.u16 t, [$1]; ld.global.cg.s8 $0, [$2+0]; add.s32 $0, $0, t; }", "=&r,l,l", [x + i, b + i],
        dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, y + tl.where(i == 1, 0, 0))


#: x = i32[1, 2, 3, 4]
#: out = i32[0, 0, 0, 0, 9, 9, 9, 9] -> i32[1, 0, 3, 0, 9, 2, 9, 4]
@triton.jit
def stores_under_a_predicate(x, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise(
        """
        {
            .reg .pred p;
            .reg .b32 odd;
            and.b32 odd, $2, 1;
            setp.ne.u32 p, odd, 0;
            @p st.global.L1::no_allocate.b32 [$1], $2;
            @!p st.global.cs.b32 [$1+16], $2;
            mov.b32 $0, 0;
        }
        """, "=r,l,r", [out + i, tl.load(x + i)], dtype=tl.int32, is_pure=False, pack=1)


#: x = i32[1, 2, 3, 4]
#: out -> i32[2, 4, 6, 8]
@triton.jit
def hints_and_fences(x, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise(
        "prefetch.global.L2 [$1]; griddepcontrol.wait; ld.global.b32 $0, [$1]; membar.gl; fence.acq_rel.gpu; nanosleep.u32 20; add.s32 $0, $0, $0;",
        "=&r,l", [x + i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out + i, y)
