//===- ExchangeTest.cpp - Shuffles, votes, atomics --------------*- C++ -*-===//

#include "SimulatorTest.h"

using namespace tilec::test;

namespace {

TEST(Exchange, Shuffles) {
  auto shuffled = [](const std::string &form) {
    return valuesOf("shfl.sync." + form + ", -1;\nst.global.b32 [%out], %r;");
  };
  std::vector<uint32_t> across = shuffled("bfly.b32 %r, %tid.x, 5, 31");
  std::vector<uint32_t> up = shuffled("up.b32 %r, %tid.x, 3, 0");
  std::vector<uint32_t> down = shuffled("down.b32 %r, %tid.x, 3, 31");
  std::vector<uint32_t> segments = shuffled("idx.b32 %r, %tid.x, 1, 6175"); // Of 8 lanes.
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(across[lane], lane ^ 5);
    EXPECT_EQ(up[lane], lane < 3 ? lane : lane - 3);
    EXPECT_EQ(down[lane], lane > 28 ? lane : lane + 3);
    EXPECT_EQ(segments[lane], (lane & 24) + 1);
  }
}

TEST(Exchange, Votes) {
  EXPECT_EQ(resultOf("setp.lt.u32 %q, %tid.x, 5;\nvote.sync.ballot.b32 %r, %q, -1;"), 31U);
  EXPECT_EQ(resultOf("redux.sync.add.s32 %r, %tid.x, -1;"), 496U);
  EXPECT_EQ(resultOf("and.b32 %k, %tid.x, 15;\nmatch.any.sync.b32 %r, %k, -1;"), 0x10001U);
}

TEST(Exchange, Atomics) {
  uint32_t data[2] = {100, 7};
  EXPECT_EQ(simulate("atom.relaxed.gpu.global.add.u32 %r, [%p], 1;\n"
                     "atom.relaxed.gpu.global.cas.b32 %r, [%p+4], 7, 9;",
                     data, sizeof(data), 64),
            "");
  EXPECT_EQ(data[0], 164U);
  EXPECT_EQ(data[1], 9U);
}

} // namespace
