//===- ArithmeticTest.cpp - Numbers in the simulator ------------*- C++ -*-===//

#include "SimulatorTest.h"

using namespace tilec::test;

namespace {

TEST(Arithmetic, Integers) {
  EXPECT_EQ(resultOf("add.s32 %r, -1, 3;"), 2U);
  EXPECT_EQ(resultOf("mul.hi.u32 %r, -1, -1;"), 0xfffffffeU);
  EXPECT_EQ(resultOf("mul.hi.s32 %r, -1, -1;"), 0U);
  EXPECT_EQ(resultOf("div.s32 %r, -7, 2;"), uint32_t(-3));
  EXPECT_EQ(resultOf("rem.s32 %r, -7, 2;"), uint32_t(-1));
  EXPECT_EQ(resultOf("div.s32 %r, -2147483648, -1;"), 0x80000000U);
  EXPECT_EQ(resultOf("mul.wide.s32 %w, -3, 5;\ncvt.u32.u64 %r, %w;"), uint32_t(-15));
  EXPECT_EQ(resultOf("min.s32 %r, -1, 1;"), uint32_t(-1));
  EXPECT_EQ(resultOf("min.u32 %r, -1, 1;"), 1U);
}

TEST(Arithmetic, Bits) {
  EXPECT_EQ(resultOf("shl.b32 %r, 1, 32;"), 0U);
  EXPECT_EQ(resultOf("shr.s32 %r, -8, 40;"), 0xffffffffU);
  EXPECT_EQ(resultOf("bfe.s32 %r, 52, 2, 4;"), uint32_t(-3)); // 52 is 0b110100.
  EXPECT_EQ(resultOf("bfe.u32 %r, 52, 2, 4;"), 13U);
  EXPECT_EQ(resultOf("bfi.b32 %r, 3, 0, 4, 2;"), 0x30U);
  EXPECT_EQ(resultOf("prmt.b32 %r, 1732584193, 0, 291;"), 0x01234567U); // 0x67452301, reversed.
  EXPECT_EQ(resultOf("lop3.b32 %r, 12, 10, 6, 150;"), 12U ^ 10U ^ 6U);
  EXPECT_EQ(resultOf("shf.l.wrap.b32 %r, -2147483648, 1, 1;"), 3U);
  EXPECT_EQ(resultOf("popc.b32 %r, 255;"), 8U);
  EXPECT_EQ(resultOf("clz.b32 %r, 1;"), 31U);
}

TEST(Arithmetic, NegativeResultsCutOff) {
  EXPECT_EQ(resultOf("max.relu.s32 %r, -5, -3;"), 0U);
  EXPECT_EQ(resultOf("max.relu.s32 %r, -5, 3;"), 3U);
  EXPECT_EQ(resultOf("min.relu.s32 %r, -5, 3;"), 0U);
  EXPECT_EQ(resultOf("min.relu.s32 %r, 5, 3;"), 3U);
}

TEST(Arithmetic, PartsOfRegisters) {
  EXPECT_EQ(resultOf("mov.b32 {%low, %high}, 65538;\nmov.b32 %r, {%high, %low};"), 0x20001U);
}

TEST(Arithmetic, Floats) {
  EXPECT_EQ(resultOf("fma.rn.f32 %r, 0f40000000, 0f40400000, 0f3F800000;"), 0x40e00000U); // 7
  EXPECT_EQ(resultOf("max.f32 %r, 0f7FC00000, 0f3F800000;"), 0x3f800000U);
  EXPECT_EQ(resultOf("max.NaN.f32 %r, 0f7FC00000, 0f3F800000;"), 0x7fc00000U);
  EXPECT_EQ(resultOf("min.f32 %r, 0f00000000, 0f80000000;"), 0x80000000U);
  EXPECT_EQ(resultOf("ex2.approx.ftz.f32 %r, 0f40400000;"), 0x41000000U);     // 8
  EXPECT_EQ(resultOf("add.rz.f32 %r, 0f3F800000, 0f33000000;"), 0x3f800000U); // 1 + 2^-25
  EXPECT_EQ(resultOf("add.rp.f32 %r, 0f3F800000, 0f33000000;"), 0x3f800001U);
  EXPECT_EQ(resultOf("mul.f16x2 %r, 1006648320, 1073758208;"), 0x40004000U); // (1, 1) * (2, 2)
}

TEST(Arithmetic, Conversions) {
  EXPECT_EQ(resultOf("cvt.rzi.s32.f32 %r, 0fC0200000;"), uint32_t(-2)); // -2.5
  EXPECT_EQ(resultOf("cvt.rzi.s32.f32 %r, 0f7FC00000;"), 0U);           // NaN
  EXPECT_EQ(resultOf("cvt.rzi.u32.f32 %r, 0fBF800000;"), 0U);           // -1
  EXPECT_EQ(resultOf("cvt.rn.f32.u32 %r, -1;"), 0x4f800000U);
  EXPECT_EQ(resultOf("cvt.rz.f32.u32 %r, -1;"), 0x4f7fffffU);
  EXPECT_EQ(resultOf("cvt.rn.f16x2.f32 %r, 0f3F800000, 0f40000000;"), 0x3c004000U);
  EXPECT_EQ(resultOf("cvt.rn.bf16x2.f32 %r, 0f3F808000, 0f3F818000;"), 0x3f803f82U); // Ties.
  EXPECT_EQ(resultOf("cvt.rn.satfinite.e4m3x2.f32 %h, 0f7F800000, 0f3F800000;\n"
                     "cvt.u32.u16 %r, %h;"),
            0x7e38U); // Infinity becomes 448.
  EXPECT_EQ(resultOf("cvt.s32.s8 %r, 255;"), uint32_t(-1));
  EXPECT_EQ(resultOf("cvt.rni.f32.f32 %r, 0f40200000;"), 0x40000000U); // 2.5 to 2
}

TEST(Arithmetic, Comparisons) {
  auto holds = [](const std::string &instruction) {
    return resultOf("setp." + instruction + ";\nselp.b32 %r, 1, 0, %q;") == 1;
  };
  EXPECT_TRUE(holds("lt.s32 %q, -1, 0"));
  EXPECT_FALSE(holds("lt.u32 %q, -1, 0"));
  EXPECT_FALSE(holds("eq.f32 %q, 0f7FC00000, 0f7FC00000"));
  EXPECT_TRUE(holds("neu.f32 %q, 0f7FC00000, 0f7FC00000"));
  EXPECT_TRUE(holds("nan.f32 %q, 0f7FC00000, 0f3F800000"));
  EXPECT_FALSE(holds("num.f32 %q, 0f7FC00000, 0f3F800000"));
  EXPECT_TRUE(holds("gt.f16 %q, 15360, 0"));
}

} // namespace
