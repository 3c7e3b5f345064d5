//===- DotTest.cpp - Layouts of a product of matrices -----------*- C++ -*-===//
//
// The fragments are compared with the formulas of the PTX manual, in which a lane has the group
// lane / 4 and the number lane % 4 in it. What warps hold must then be what their products need.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Dot.h"

#include "TestLayouts.h"

#include <set>

using namespace tilec::layout;
using namespace tilec::layout::test;

namespace {
struct Place {
  int32_t row, column;
};
} // namespace

static void expectFragment(const LinearLayout &layout, uint32_t registers,
                           Place (*formula)(uint32_t reg, int32_t group, int32_t inGroup)) {
  ASSERT_EQ(layout.numRegisters(), registers);
  for (uint32_t reg = 0; reg < registers; ++reg)
    for (uint32_t lane = 0; lane < 32; ++lane) {
      Place expected = formula(reg, lane / 4, lane % 4);
      Coords found = layout.apply(reg, lane, 0, 0);
      EXPECT_EQ(found, (Coords{expected.row, expected.column})) << reg << " of lane " << lane;
    }
}

static constexpr MmaShape kHalf = {16, 8, 16, 2}, kTF32 = {16, 8, 8, 1}, kByte = {16, 8, 32, 4},
                          kDouble = {8, 8, 4, 1};

TEST(Dot, FragmentsOfHalf) {
  DotLayouts layouts = mmaLayouts(kHalf, {16, 8}, 16, 1, 1, WarpOrder::Balanced);
  expectFragment(layouts.acc, 4, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{group + (reg < 2 ? 0 : 8), in * 2 + int32_t(reg & 1)};
  });
  expectFragment(layouts.lhs, 8, [](uint32_t reg, int32_t group, int32_t in) {
    bool isUpper = reg < 2 || (reg >= 4 && reg < 6);
    return Place{group + (isUpper ? 0 : 8), in * 2 + int32_t(reg & 1) + (reg < 4 ? 0 : 8)};
  });
  expectFragment(layouts.rhs, 4, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{in * 2 + int32_t(reg & 1) + (reg < 2 ? 0 : 8), group};
  });
}

TEST(Dot, RowsTogether) {
  // A group of 128 rows: the second eight rows of an instruction are the neighbours of the first
  // eight, and the second instruction has the neighbours of both.
  DotLayouts four = mmaLayouts(kHalf, {128, 8}, 16, 4, 1, WarpOrder::Groups, /*rowsTogether=*/4);
  expectFragment(four.acc, 8, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{4 * group + int32_t(reg >> 1 & 1) + 2 * int32_t(reg >> 2),
                 in * 2 + int32_t(reg & 1)};
  });
  EXPECT_EQ(four.acc.apply(0, 0, 1, 0), (Coords{32, 0}));
  EXPECT_EQ(four.lhs.apply(2, 4, 1, 0), (Coords{32 + 4 + 1, 0}));
  EXPECT_EQ(four.lhs.apply(8, 4, 1, 0), (Coords{32 + 4 + 2, 0}));
  // One instruction has no further rows than these two.
  DotLayouts two = mmaLayouts(kHalf, {64, 8}, 16, 4, 1, WarpOrder::Groups, /*rowsTogether=*/4);
  expectFragment(two.acc, 4, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{2 * group + int32_t(reg >> 1), in * 2 + int32_t(reg & 1)};
  });
  EXPECT_EQ(two.rhs, mmaLayouts(kHalf, {64, 8}, 16, 4, 1, WarpOrder::Groups).rhs);
}

TEST(Dot, FragmentsOfTF32) {
  DotLayouts layouts = mmaLayouts(kTF32, {16, 8}, 8, 1, 1, WarpOrder::Balanced);
  expectFragment(layouts.lhs, 4, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{group + (reg % 2 == 0 ? 0 : 8), in + (reg < 2 ? 0 : 4)};
  });
  expectFragment(layouts.rhs, 2, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{in + (reg == 0 ? 0 : 4), group};
  });
}

TEST(Dot, FragmentsOfBytes) {
  DotLayouts layouts = mmaLayouts(kByte, {16, 8}, 32, 1, 1, WarpOrder::Balanced);
  expectFragment(layouts.lhs, 16, [](uint32_t reg, int32_t group, int32_t in) {
    bool isUpper = reg < 4 || (reg >= 8 && reg < 12);
    return Place{group + (isUpper ? 0 : 8), in * 4 + int32_t(reg & 3) + (reg < 8 ? 0 : 16)};
  });
  expectFragment(layouts.rhs, 8, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{in * 4 + int32_t(reg & 3) + (reg < 4 ? 0 : 16), group};
  });
}

TEST(Dot, FragmentsOfDoubles) {
  DotLayouts layouts = mmaLayouts(kDouble, {8, 8}, 4, 1, 1, WarpOrder::Balanced);
  expectFragment(layouts.acc, 2, [](uint32_t reg, int32_t group, int32_t in) {
    return Place{group, in * 2 + int32_t(reg)};
  });
  expectFragment(layouts.lhs, 1,
                 [](uint32_t, int32_t group, int32_t in) { return Place{group, in}; });
  expectFragment(layouts.rhs, 1,
                 [](uint32_t, int32_t group, int32_t in) { return Place{in, group}; });
}

/// The coordinates along `axis` that one warp holds.
static std::set<int32_t> heldByWarp(const LinearLayout &layout, uint32_t warp, unsigned axis) {
  std::set<int32_t> held;
  for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
    for (uint32_t lane = 0; lane < 32; ++lane)
      held.insert(layout.apply(reg, lane, warp, 0)[axis]);
  return held;
}

/// Every warp has the rows and columns, and the matrices, of the result that it computes.
static void expectComplete(const DotLayouts &layouts, int64_t depth, int64_t numWarps) {
  unsigned rank = layouts.acc.rank(), rows = rank - 2, columns = rank - 1;
  for (uint32_t warp = 0; warp < numWarps; ++warp) {
    EXPECT_EQ(heldByWarp(layouts.acc, warp, rows), heldByWarp(layouts.lhs, warp, rows));
    EXPECT_EQ(heldByWarp(layouts.acc, warp, columns), heldByWarp(layouts.rhs, warp, columns));
    EXPECT_EQ(heldByWarp(layouts.lhs, warp, columns).size(), size_t(depth));
    EXPECT_EQ(heldByWarp(layouts.rhs, warp, rows).size(), size_t(depth));
    if (rank == 3) {
      EXPECT_EQ(heldByWarp(layouts.acc, warp, 0), heldByWarp(layouts.lhs, warp, 0));
      EXPECT_EQ(heldByWarp(layouts.acc, warp, 0), heldByWarp(layouts.rhs, warp, 0));
    }
  }
}

TEST(Dot, WarpsHoldWhatTheyMultiply) {
  for (const Shape &shape : {Shape{128, 64}, Shape{16, 8}, Shape{1, 1}, Shape{8, 256}, Shape{64, 4},
                             Shape{2, 32, 32}, Shape{8, 16, 16}, Shape{4, 2, 64}})
    for (int64_t numWarps : {1, 2, 4, 8})
      for (WarpOrder order : {WarpOrder::Balanced, WarpOrder::Rows, WarpOrder::Columns}) {
        expectComplete(mmaLayouts(kHalf, shape, 32, numWarps, 1, order), 32, numWarps);
        expectComplete(mmaLayouts(kByte, shape, 64, numWarps, 1, order), 64, numWarps);
        expectComplete(mmaLayouts(kDouble, shape, 16, numWarps, 1, order), 16, numWarps);
      }
}

TEST(Dot, WarpGroupsHoldWhatTheyMultiply) {
  for (const Shape &shape : {Shape{64, 16}, Shape{128, 64}, Shape{64, 256}, Shape{256, 128}})
    for (int64_t numWarps : {4, 8, 16}) {
      DotLayouts layouts = mmaLayouts(kHalf, shape, 32, numWarps, 1, WarpOrder::Groups);
      expectComplete(layouts, 32, numWarps);
      // The four warps of a group have 16 rows each of 64, and the same columns.
      std::set<int32_t> rows;
      for (uint32_t warp = 0; warp < 4; ++warp) {
        EXPECT_EQ(heldByWarp(layouts.acc, warp, 1), heldByWarp(layouts.acc, 0, 1));
        for (int32_t row : heldByWarp(layouts.acc, warp, 0))
          if (row < 64) {
            EXPECT_EQ(uint32_t(row) / 16, warp);
            rows.insert(row);
          }
      }
      EXPECT_EQ(rows.size(), 64u);
    }
  // Groups that share rows have neighbouring columns each.
  DotLayouts halves = mmaLayouts(kHalf, {64, 256}, 16, 8, 1, WarpOrder::Groups);
  std::set<int32_t> columns = heldByWarp(halves.acc, 4, 1);
  EXPECT_EQ(columns.size(), 128u);
  EXPECT_EQ(*columns.begin(), 128);
}

TEST(Dot, WarpsShareTheWork) {
  // Nothing is computed twice where there is enough to do.
  EXPECT_FALSE(mmaLayouts(kHalf, {64, 64}, 16, 4, 1, WarpOrder::Balanced).acc.hasReplication());
  EXPECT_FALSE(mmaLayouts(kHalf, {64, 16}, 16, 4, 1, WarpOrder::Rows).acc.hasReplication());
  EXPECT_FALSE(mmaLayouts(kHalf, {4, 16, 8}, 16, 4, 1, WarpOrder::Balanced).acc.hasReplication());
  EXPECT_FALSE(mmaLayouts(kHalf, {64, 16}, 16, 4, 1, WarpOrder::Columns).acc.hasReplication());
  // A square for each warp, or rows or columns if these are asked for.
  EXPECT_EQ(heldByWarp(mmaLayouts(kHalf, {64, 64}, 16, 4, 1, WarpOrder::Balanced).acc, 0, 1).size(),
            32u);
  EXPECT_EQ(heldByWarp(mmaLayouts(kHalf, {64, 64}, 16, 4, 1, WarpOrder::Rows).acc, 0, 1).size(),
            64u);
  EXPECT_EQ(heldByWarp(mmaLayouts(kHalf, {64, 64}, 16, 4, 1, WarpOrder::Columns).acc, 0, 0).size(),
            64u);
}

TEST(Dot, ThreadsHoldWhatTheyMultiply) {
  LinearLayout acc = makeBlocked({16, 32}, {2, 4}, {1, 0}, 2);
  DotLayouts layouts = threadDotLayouts(acc, 8);
  EXPECT_EQ(layouts.acc, acc);
  auto held = [](const LinearLayout &layout, uint32_t lane, uint32_t warp, unsigned axis) {
    std::set<int32_t> coordinates;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg)
      coordinates.insert(layout.apply(reg, lane, warp, 0)[axis]);
    return coordinates;
  };
  for (uint32_t warp = 0; warp < 2; ++warp)
    for (uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(held(layouts.lhs, lane, warp, 0), held(acc, lane, warp, 0));
      EXPECT_EQ(held(layouts.rhs, lane, warp, 1), held(acc, lane, warp, 1));
      EXPECT_EQ(held(layouts.lhs, lane, warp, 1).size(), 8u);
      EXPECT_EQ(held(layouts.rhs, lane, warp, 0).size(), 8u);
    }
}
