# Inline assembly on the CPU: instructions that the simulator or common GPUs do not have, and errors.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run --target=cpu %s
import triton
import triton.language as tl


#: x = i32[5, -7, 2147483647, -2147483648]
#: y = i32[3, 9, 1, -1]
#: z = i32[1, 2, 3, 4]
#: out -> i32[3, 18, -2147483647, -2147483645, 8, 2, 2147483647, -2147483648, 2, -16, 2147483646, -2147483647, 16, -61, 2, 4, 2, 2, 30, 30, 1, 0, 0, 0, 3, 0, 1, 0, 1, 1, 3, 4]
@triton.jit
def integer_arithmetic(x, y, z, out):
    i = tl.arange(0, 4)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("sad.s32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))
    tl.store(out + 4 + i, tl.inline_asm_elementwise("add.sat.s32 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("sub.sat.s32 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, True, 1))
    tl.store(out + 12 + i, tl.inline_asm_elementwise("mad24.lo.s32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("bfind.s32 $0, $1;", "=r,r", [a], tl.int32, True, 1))
    tl.store(out + 20 + i, tl.inline_asm_elementwise("cnot.b32 $0, $1;", "=r,r", [a - 5], tl.int32, True, 1))
    tl.store(out + 24 + i, tl.inline_asm_elementwise("min.relu.s32 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, True, 1))
    tl.store(out + 28 + i, tl.inline_asm_elementwise("mad.hi.s32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))


# Numbers of 128 bits.
#: x = i64[9223372036854775807, -1, -9223372036854775808, 5]
#: y = i64[1, -1, 7, 0]
#: out -> i64[-2, -2, 0, 10, 2, -1, 15, 0, 9223372036854775801, -7, 9223372036854775802, -1, 1, -1, 7, -1]
@triton.jit
def carries(x, y, out):
    i = tl.arange(0, 4)
    low, high = tl.load(x + i), tl.load(y + i)
    a, b = tl.inline_asm_elementwise("add.cc.u64 $0, $2, $2; addc.u64 $1, $3, $3;", "=&l,=l,l,l", [low, high], (tl.int64, tl.int64), True, 1)
    tl.store(out + i, a)
    tl.store(out + 4 + i, b)
    a, b = tl.inline_asm_elementwise("sub.cc.u64 $0, $2, 6; subc.u64 $1, $3, 0;", "=&l,=l,l,l", [low, high], (tl.int64, tl.int64), True, 1)
    tl.store(out + 8 + i, a)
    tl.store(out + 12 + i, b)


#: x = i32[16909060, -8388225, -2139062144, 16711935]
#: y = i32[67305985, 50267134, 2139062143, -16843010]
#: z = i32[100, -5, 0, 7]
#: out -> i32[120, -130, -65024, 11, 120, 126, 65024, -1013, 3448, 97404, -8290560, 129547]
@triton.jit
def products_of_bytes(x, y, z, out):
    i = tl.arange(0, 4)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(z + i)
    tl.store(out + i, tl.inline_asm_elementwise("dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))
    tl.store(out + 4 + i, tl.inline_asm_elementwise("dp4a.u32.s32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("dp2a.hi.s32.u32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c], tl.int32, True, 1))


#: x = i32[0, 1, 2, 7]
#: out -> i32[857870592, 1144201745, 1430532898, 1716864051, 1432778496, 1719074833, 1996493090, 1122867, 0, 286331153, 572662306, 858993459, 857870592, 857870609, 857874978, 858993459, 0, 286331136, 572657920, 857870592, 285217024, 857879330, 285217024, 857879330]
@triton.jit
def modes_of_permutations(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, tl.inline_asm_elementwise("prmt.b32.f4e $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 4 + i, tl.inline_asm_elementwise("prmt.b32.b4e $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("prmt.b32.rc8 $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 12 + i, tl.inline_asm_elementwise("prmt.b32.ecl $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("prmt.b32.ecr $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))
    tl.store(out + 20 + i, tl.inline_asm_elementwise("prmt.b32.rc16 $0, 0x33221100, 0x77665544, $1;", "=r,r", [v], tl.int32, True, 1))


#: x = fp32[1, -2, nan, -0.0, 9.99994610111476e-41, inf, 0.5, 3]
#: out -> i32[0, -1, 0, -1, -1, 0, -1, 0, 10, 20, 20, 10, 10, 10, 10, 10, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 2, 2, 2, 1, 0, 1, 0]
#: ones -> fp32[1, 0, 0, 0, 1, 1, 1, 1]
@triton.jit
def choices(x, out, ones):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(ones + i, tl.inline_asm_elementwise("set.gt.f32.f32 $0, $1, 0f00000000;", "=f,f", [v], tl.float32, True, 1))
    tl.store(out + i, tl.inline_asm_elementwise("set.lt.s32.f32 $0, $1, 1.0;", "=r,f", [v], tl.int32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("slct.s32.f32 $0, 10, 20, $1;", "=r,f", [v], tl.int32, True, 1))
    tl.store(out + 16 + i, tl.inline_asm_elementwise("{ .reg .pred p; testp.finite.f32 p, $1; selp.b32 $0, 1, 0, p; }", "=r,f", [v], tl.int32, True, 1))
    tl.store(out + 24 + i, tl.inline_asm_elementwise("{ .reg .pred p; testp.subnormal.f32 p, $1; selp.b32 $0, 1, 0, p; }", "=r,f", [v], tl.int32, True, 1))
    tl.store(out + 32 + i, tl.inline_asm_elementwise("{ .reg .pred p; testp.normal.f32 p, $1; selp.b32 $0, 1, 0, p; }", "=r,f", [v], tl.int32, True, 1))
    both = tl.inline_asm_elementwise(
        """
        { .reg .pred p, q, r;
          setp.gt.f32 r, $1, 1.0;
          setp.gt.and.f32 p|q, $1, 0.0, !r;
          selp.b32 $0, 1, 0, p;
          @q add.u32 $0, $0, 2; }
        """, "=&r,f", [v], tl.int32, True, 1)
    tl.store(out + 40 + i, both)


#: x = i64[4629700418006417408, 4503599630591721472, -9223372036854775808, 9187343241736483530]
#: out -> i64[4701758012055879680, 4512606827698978816, 0, 9187343241974906880, 4665729215033769984, 4539628427619074048, -9223372036854775808, 9187343241744872138]
@triton.jit
def pairs_of_floats(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, tl.inline_asm_elementwise("fma.rn.f32x2 $0, $1, $1, $1;", "=l,l", [v], tl.int64, True, 1))
    tl.store(out + 4 + i, tl.inline_asm_elementwise("add.f32x2 $0, $1, $1;", "=l,l", [v], tl.int64, True, 1))


#: x = fp32[1, -2, nan, -0.0, 3, 0.25, 9, -9]
#: y = fp32[-5, -1, 2, 0, nan, -8, -8, 2]
#: out -> fp32[-1, 1, 2, -0.0, 3, -0.25, -8, -2, 0, 0, 0, 0, 0, 0, 1, 0]
@triton.jit
def signs_and_limits(x, y, out):
    i = tl.arange(0, 8)
    v, w = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.inline_asm_elementwise("min.xorsign.abs.f32 $0, $1, $2;", "=f,f,f", [v, w], tl.float32, True, 1))
    tl.store(out + 8 + i, tl.inline_asm_elementwise("add.sat.f32 $0, $1, $2;", "=f,f,f", [v, w], tl.float32, True, 1))


# What a predicate was before counts for both results.
#: x = i32[1, -2, 3, 0]
#: out -> i32[2, 1, 2, 1]
@triton.jit
def predicate_that_is_written(x, out):
    i = tl.arange(0, 4)
    y = tl.inline_asm_elementwise(
        """
        { .reg .pred p, q;
          setp.gt.s32 p, $1, 0;
          setp.ne.u32 q, 0, 0;
          @p setp.lt.s32 p|q, $1, -5;
          selp.b32 $0, 2, 1, q; }
        """, "=r,r", [tl.load(x + i)], tl.int32, True, 1)
    tl.store(out + i, y)


#: x = fp16[1, -2, nan, -0.0, 3, 0.5, -60000, 60000]
#: out -> fp16[0, 2, nan, 0, 7, 0, inf, inf]
@triton.jit
def cut_off_products(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    y = tl.inline_asm_elementwise("{ .reg .b32 two; mov.b32 two, 0xc000c000; fma.rn.relu.f16x2 $0, $1, $1, two; }", "=r,r", [v], tl.float16, True, 2)
    tl.store(out + i, y)


#: x = fp32[0, -0.0, 0.25, 0.25999999046325684, 0.75, 1.25, -1.75, 2.5, 3.5, 5, 5.099999904632568, -7, inf, nan, 1.0000000031710769e-30, -6]
#: out -> i32[128, 16, 34, 76, 102, 247, 119, 240]
@triton.jit
def floats_to_e2m1(x, out):
    i = tl.arange(0, 8)
    low, high = tl.load(x + 2 * i), tl.load(x + 2 * i + 1)
    y = tl.inline_asm_elementwise(
        "{ .reg .b8 both, zero; cvt.rn.satfinite.e2m1x2.f32 both, $2, $1; mov.b32 {zero, _, _, _}, 0; mov.b32 $0, {both, zero, zero, zero}; }",
        "=r,f,f", [low, high], tl.int32, True, 1)
    tl.store(out + i, y)


#: x = i32[16, 50, 84, 118, 152, 186, 220, 254]
#: out -> i32[939524096, 1040202752, 1107312640, 1174422528, -1207926784, -1107248128, -1040138240, -973028352]
@triton.jit
def e2m1_to_halves(x, out):
    i = tl.arange(0, 8)
    y = tl.inline_asm_elementwise("{ .reg .b8 both; mov.b32 {both, _, _, _}, $1; cvt.rn.f16x2.e2m1x2 $0, both; }", "=r,r", [tl.load(x + i)],
                                  tl.int32, True, 1)
    tl.store(out + i, y)


#: x = i32[1, 2, 3, 4]
#: sum = i32[100] -> i32[110]
#: out -> i32[1, 2, 3, 4]
@triton.jit
def hints_and_sums(x, sum, out):
    i = tl.arange(0, 4)
    policy = tl.inline_asm_elementwise("createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l", [], tl.int64, True, 1)
    y = tl.inline_asm_elementwise(
        "ld.global.L1::no_allocate.L2::cache_hint.b32 $0, [$1], $3; red.global.add.u32 [$2], $0;", "=&r,l,l,l",
        [x + i, sum + i * 0, policy + i * 0], tl.int32, False, 1)
    tl.store(out + i, y)


#: flag = i32[3] -> i32[8]
#: out -> i32[3, 8, 8]
@triton.jit
def flags(flag, out):
    seen, found = tl.inline_asm_elementwise(
        """
        { .reg .b64 p; mov.b64 p, $2;
          ld.acquire.gpu.global.b32 $0, [p];
          st.release.gpu.global.b32 [p], 8;
          ld.volatile.global.b32 $1, [p]; }
        """, "=&r,=&r,l", [flag], (tl.int32, tl.int32), False, 1)
    tl.store(out, seen)
    tl.store(out + 1, found)
    tl.store(out + 2, tl.load(flag))


#:
@triton.jit
def what_a_processor_has_not(p, n):
    i = tl.arange(0, 32)
    a = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, False, 1)  #! the special register '%smid' is not supported on the CPU
    b = tl.inline_asm_elementwise("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", [i], tl.int32, False, 1)  #! 'shfl.sync.bfly.b32' is not supported on the CPU
