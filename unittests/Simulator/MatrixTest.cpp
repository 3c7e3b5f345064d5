//===- MatrixTest.cpp - Products of a warp ----------------------*- C++ -*-===//
//
// Fragments are written down here as PTX's documentation draws them, apart from the simulator's
// formulas.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include "tilec/float16.h"

using namespace tilec;
using namespace tilec::test;

namespace {

TEST(Matrix, HalfProducts) {
  // a[row][k] = row + 16 * k is held as the documentation says; b is the unit matrix.
  std::vector<uint32_t> values(32 * 12, 0);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t group = lane / 4, thread = lane % 4;
    auto half = [](float value) { return uint32_t(Half(value).bits); };
    auto a = [&](uint32_t row, uint32_t k) { return half(float(row + 16 * k)); };
    auto b = [&](uint32_t k, uint32_t column) { return half(k == column ? 1.0F : 0.0F); };
    uint32_t *at = &values[lane * 12];
    for (uint32_t reg = 0; reg < 4; ++reg) {
      uint32_t row = group + (reg % 2 ? 8 : 0), k = thread * 2 + (reg < 2 ? 0 : 8);
      at[reg] = a(row, k) | a(row, k + 1) << 16;
    }
    for (uint32_t reg = 0; reg < 2; ++reg) {
      uint32_t k = thread * 2 + (reg ? 8 : 0);
      at[4 + reg] = b(k, group) | b(k + 1, group) << 16;
    }
  }
  std::string code = R"(
    mul.wide.u32 %offset, %tid.x, 48;
    add.s64 %at, %p, %offset;
    ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%at];
    ld.global.v2.b32 {%b0, %b1}, [%at+16];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3},
      {%a0, %a1, %a2, %a3}, {%b0, %b1}, {0f3F800000, 0f3F800000, 0f3F800000, 0f3F800000};
    st.global.v4.b32 [%at+32], {%d0, %d1, %d2, %d3};)";
  EXPECT_EQ(simulate(code, values.data(), values.size() * 4), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 4; ++reg) {
      uint32_t row = lane / 4 + (reg < 2 ? 0 : 8), column = lane % 4 * 2 + reg % 2;
      float found;
      std::memcpy(&found, &values[lane * 12 + 8 + reg], 4);
      EXPECT_EQ(found, float(1 + row + 16 * column)) << "lane " << lane << ", register " << reg;
    }
}

TEST(Matrix, IntegerProducts) {
  // All elements are 2 and -3: sums of 32 products.
  EXPECT_EQ(resultOf("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r, %s, %t, %u},\n"
                     "  {33686018, 33686018, 33686018, 33686018}, {-33686019, -33686019},\n"
                     "  {1, 1, 1, 1};"),
            uint32_t(1 - 32 * 6));
}

TEST(Matrix, LoadsOfMatrices) {
  // Row r of matrix m is at 128 * m + 16 * r; element c of it is 64 * m + 8 * r + c.
  std::string prefix = R"(
    mov.b64 %base, buffer;
    mul.wide.u32 %at, %tid.x, 16;
    add.s64 %row, %base, %at;
    shl.b32 %first, %tid.x, 3;
    mad.lo.s32 %pair0, %first, 65537, 65536;
    add.s32 %pair1, %pair0, 131074;
    add.s32 %pair2, %pair1, 131074;
    add.s32 %pair3, %pair2, 131074;
    st.shared.v4.b32 [%row], {%pair0, %pair1, %pair2, %pair3};
    bar.warp.sync -1;
)";
  for (bool transposed : {false, true}) {
    std::string form = transposed ? ".trans" : "";
    std::vector<uint32_t> values =
        valuesOf(prefix + "ldmatrix.sync.aligned.m8n8.x4" + form +
                 ".shared.b16 {%r0, %r1, %r2, %r3}, [%row];\nst.global.b32 [%out], %r2;");
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t row = lane / 4, column = lane % 4 * 2;
      uint32_t low = transposed ? 8 * column + row : 8 * row + column;
      uint32_t high = transposed ? low + 8 : low + 1;
      EXPECT_EQ(values[lane], (128 + low) | (128 + high) << 16) << "lane " << lane;
    }
  }
}

} // namespace
