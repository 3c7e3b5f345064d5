//===- MatrixAccessTest.cpp - Factors in shared memory ----------*- C++ -*-===//

#include "tilec/Layout/MatrixAccess.h"
#include "TestLayouts.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Dot.h"
#include "tilec/Layout/Transforms.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilec::layout;

namespace {

uint64_t flat(const Shape &shape, int64_t row, int64_t column) {
  return uint64_t(row * shape.back() + column);
}

TEST(MatrixAccessTest, InnerAxis) {
  test::Lists rows = {{{{0, 1}, {0, 2}, {1, 0}}, {{0, 4}, {2, 0}, {4, 0}}, {}, {}}};
  EXPECT_EQ(innerAxis(test::make({8, 8}, rows)), 1u);
  test::Lists columns = {{{{1, 0}, {2, 0}, {0, 1}}, {{4, 0}, {0, 2}, {0, 4}}, {}, {}}};
  EXPECT_EQ(innerAxis(test::make({8, 8}, columns)), 0u);
  test::Lists oneEach = {{{}, {{1, 0}, {0, 1}}, {}, {}}};
  EXPECT_EQ(innerAxis(test::make({2, 2}, oneEach)), 1u) << "no difference";
  test::Lists batches = {{{{0, 1, 0}, {1, 0, 0}}, {{0, 0, 1}}, {}, {}}};
  EXPECT_EQ(innerAxis(test::make({2, 2, 2}, batches)), 1u) << "of the last two";
}

TEST(MatrixAccess, PlacesLinesAsTheSwizzleModesDo) {
  // 64 halves a row: PTX's mode of 128 bytes exchanges bits 4 to 6 of the address with bits 7 to 9.
  Shape shape = {16, 64};
  SharedLayout map = placeForMatrices(shape, 1, 16);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 64; ++column) {
      uint64_t address = uint64_t(row * 128 + column * 2);
      EXPECT_EQ(map.offset(flat(shape, row, column)) * 2, address ^ (address >> 7 & 7) << 4);
    }
  // 32 halves: mode of 64 bytes, bits 4 and 5 with bits 7 and 8.
  shape = {16, 32};
  map = placeForMatrices(shape, 1, 16);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 32; ++column) {
      uint64_t address = uint64_t(row * 64 + column * 2);
      EXPECT_EQ(map.offset(flat(shape, row, column)) * 2, address ^ (address >> 7 & 3) << 4);
    }
  // 16 halves: mode of 32 bytes, bit 4 with bit 7.
  shape = {16, 16};
  map = placeForMatrices(shape, 1, 16);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 16; ++column) {
      uint64_t address = uint64_t(row * 32 + column * 2);
      EXPECT_EQ(map.offset(flat(shape, row, column)) * 2, address ^ (address >> 7 & 1) << 4);
    }
}

TEST(MatrixAccess, PlacesWideRowsInPanels) {
  // 128 halves a row: two panels of 64 columns, each with all rows.
  Shape shape = {32, 128};
  SharedLayout map = placeForMatrices(shape, 1, 16);
  EXPECT_EQ(map.offset(flat(shape, 0, 64)), 32U * 64);
  EXPECT_EQ(map.offset(flat(shape, 1, 0)), 64U + 8);
  // Columns are lines where the first dimension is the inner one.
  SharedLayout columns = placeForMatrices(shape, 0, 16);
  EXPECT_EQ(columns.offset(flat(shape, 1, 0)), 1U);
  EXPECT_EQ(columns.offset(flat(shape, 0, 1)), 32U);
  // Every element has a place of its own, also in a stack and where lines are short.
  for (Shape each : {Shape{32, 128}, Shape{4, 16, 8}, Shape{2, 64, 64}, Shape{1, 16}})
    for (unsigned inner : {unsigned(each.size()) - 1, unsigned(each.size()) - 2}) {
      SharedLayout placed = placeForMatrices(each, inner, 16);
      std::set<uint64_t> offsets;
      for (uint64_t index = 0; index < placed.numElements(); ++index)
        EXPECT_TRUE(offsets.insert(placed.offset(index)).second);
    }
}

/// Reads a factor as ldmatrix does and compares with the layout.
void checkPlan(const LinearLayout &layout, const SharedLayout &map, unsigned bits,
               bool transposed) {
  std::optional<MatrixPlan> plan = planMatrixAccess(layout, map, bits);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->transposed, transposed);
  unsigned each = 32 / bits;
  std::set<uint32_t> seen;
  for (uint32_t warp = 0; warp < layout.size(InDim::Warp); ++warp)
    for (const std::vector<uint32_t> &matrices : plan->instructions) {
      uint64_t base = map.offset(layout.applyFlat(HwPoint{matrices[0], 0, warp, 0}));
      auto rowOffset = [&](unsigned lane) {
        uint64_t offset = base;
        for (unsigned bit = 0; bit < 5; ++bit)
          offset ^= lane >> bit & 1 ? plan->laneOffsets[bit] : 0;
        EXPECT_EQ(offset * bits % 128, 0U) << "rows are aligned";
        return offset;
      };
      for (unsigned matrix = 0; matrix < matrices.size(); ++matrix) {
        std::set<uint64_t> banks;
        for (unsigned row = 0; row < 8; ++row)
          banks.insert(rowOffset(8 * matrix + row) * bits / 128 % 8);
        EXPECT_EQ(banks.size(), 8U) << "no bank conflicts";
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (unsigned i = 0; i < each; ++i) {
            uint32_t reg = matrices[matrix] + i;
            seen.insert(reg);
            // Of a row: four bytes of it; of a column: elements of two rows.
            uint64_t found = transposed ? rowOffset(8 * matrix + lane % 4 * 2 + i) + lane / 4
                                        : rowOffset(8 * matrix + lane / 4) + lane % 4 * each + i;
            EXPECT_EQ(found, map.offset(layout.applyFlat(HwPoint{reg, lane, warp, 0})));
          }
      }
    }
  EXPECT_EQ(seen.size(), layout.numRegisters());
}

TEST(MatrixAccess, ReadsFragments) {
  for (int64_t warps : {1, 4, 8}) {
    DotLayouts halves = mmaLayouts({16, 8, 16, 2}, {64, 128}, 64, warps, 1, WarpOrder::Balanced);
    checkPlan(halves.lhs, placeForMatrices({64, 64}, 1, 16), 16, false);
    checkPlan(halves.lhs, placeForMatrices({64, 64}, 0, 16), 16, true);
    checkPlan(halves.rhs, placeForMatrices({64, 128}, 1, 16), 16, true);
    checkPlan(halves.rhs, placeForMatrices({64, 128}, 0, 16), 16, false);
    DotLayouts floats = mmaLayouts({16, 8, 8, 1}, {64, 128}, 32, warps, 1, WarpOrder::Balanced);
    checkPlan(floats.lhs, placeForMatrices({64, 32}, 1, 32), 32, false);
    checkPlan(floats.rhs, placeForMatrices({32, 128}, 0, 32), 32, false);
    DotLayouts bytes = mmaLayouts({16, 8, 32, 4}, {64, 128}, 128, warps, 1, WarpOrder::Balanced);
    checkPlan(bytes.lhs, placeForMatrices({64, 128}, 1, 8), 8, false);
  }
}

/// Elements of the longest access to `map` by threads of `layout`.
unsigned widthOf(const LinearLayout &layout, const SharedLayout &map, unsigned elementBits) {
  return planAccess(layout, map, elementBits, /*isStore=*/false).vecElems;
}

TEST(MatrixAccess, TransposesInBlocks) {
  for (unsigned elementBits : {8u, 16u, 32u})
    for (unsigned inner : {0u, 1u}) {
      Shape shape = {128, 128};
      LinearLayout layout = layoutForTransposition(shape, inner, elementBits, 8, 1);
      EXPECT_FALSE(layout.hasReplication());
      EXPECT_EQ(widthOf(layout, placeForMatrices(shape, inner, elementBits), elementBits), 4u);
      EXPECT_EQ(widthOf(layout, placeForMatrices(shape, 1 - inner, elementBits), elementBits),
                128 / elementBits);
    }
  // Fewer blocks than threads.
  LinearLayout small = layoutForTransposition({8, 16}, 1, 32, 4, 2);
  EXPECT_EQ(small.numRegisters(), 16u);
  EXPECT_EQ(small.freeBits(InDim::Lane), 0x18u);
  EXPECT_EQ(small.freeBits(InDim::Warp), 3u);
}

/// No access costs less than the bound by which placeForMatrixAccess ends its search.
TEST(MatrixAccess, MatricesCostNoLessThanWideAccesses) {
  // From one matrix an instruction to four.
  for (int64_t columns : {8, 16, 32, 64}) {
    LinearLayout sums = mmaLayouts({16, 8, 16, 2}, {64, columns}, 64, 4, 1, WarpOrder::Rows).acc;
    SharedLayout placed = placeForMatrices(sums.shape(), 1, 16);
    unsigned width = std::min(8u, sums.numRegisters());
    EXPECT_GE(leastCost(sums, placed, 16, /*isStore=*/true, /*mayUseMatrices=*/true),
              leastAccessCost(sums, 16, width, sums.numRegisters()))
        << columns;
  }
}

/// The placement for stmatrix through which the sums of a product become rows of 16 bytes a thread.
std::optional<SharedLayout> placeSums(const LinearLayout &sums, const LinearLayout &rows,
                                      unsigned bits) {
  std::string error;
  std::optional<SharedPlan> usual = chooseSwizzle(sums, rows, bits, error);
  EXPECT_TRUE(usual) << error;
  return placeForMatrixAccess(sums, rows, *usual, bits, /*canStore=*/true);
}

TEST(MatrixAccess, PlacesSumsForStores) {
  std::string error;
  // 64 x 64 by four warps: eight elements a register run, eight lanes a row.
  std::optional<LinearLayout> rows =
      LinearLayout::create({64, 64},
                           LinearLayout::BasisLists{{{{0, 1}, {0, 2}, {0, 4}, {16, 0}, {32, 0}},
                                                     {{0, 8}, {0, 16}, {0, 32}, {1, 0}, {2, 0}},
                                                     {{4, 0}, {8, 0}},
                                                     {}}},
                           error);
  ASSERT_TRUE(rows) << error;
  DotLayouts halves = mmaLayouts({16, 8, 16, 2}, {64, 64}, 64, 4, 1, WarpOrder::Rows);
  std::optional<SharedLayout> placed = placeSums(halves.acc, *rows, 16);
  ASSERT_TRUE(placed);
  checkPlan(halves.acc, *placed, 16, /*transposed=*/false);
  EXPECT_EQ(planAccess(*rows, *placed, 16, /*isStore=*/false).vecElems, 8u);
  EXPECT_EQ(bankConflicts(*rows, *placed, 16, 8), 4u);
  // Of 32 bits stmatrix moves one of a lane's two neighbours: even columns lie before odd ones.
  placed = placeSums(halves.acc, *rows, 32);
  ASSERT_TRUE(placed);
  checkPlan(halves.acc, *placed, 32, /*transposed=*/false);
  EXPECT_EQ(planAccess(*rows, *placed, 32, /*isStore=*/false).vecElems, 4u);
  // Rows become fragments by ldmatrix, also without stmatrix.
  std::optional<SharedPlan> usual = chooseSwizzle(*rows, halves.acc, 16, error);
  ASSERT_TRUE(usual) << error;
  placed = placeForMatrixAccess(*rows, halves.acc, *usual, 16, /*canStore=*/false);
  ASSERT_TRUE(placed);
  checkPlan(halves.acc, *placed, 16, /*transposed=*/false);
  EXPECT_TRUE(planIfCheaper(halves.acc, *placed, 16, /*isStore=*/false));
  // Rows to rows: ordinary accesses are as wide as they can be.
  usual = chooseSwizzle(*rows, *rows, 16, error);
  ASSERT_TRUE(usual) << error;
  EXPECT_FALSE(placeForMatrixAccess(*rows, *rows, *usual, 16, /*canStore=*/true));
}

TEST(MatrixAccess, PlacesRowsOfBytesWithoutConflicts) {
  // A thread has sixteen elements of a row of 128, two groups of 16 bytes: in lines of 128 bytes
  // the groups of two threads would share banks.
  std::string error;
  std::optional<LinearLayout> rows =
      LinearLayout::create({32, 128},
                           LinearLayout::BasisLists{{{{0, 1}, {0, 2}, {0, 4}, {0, 8}, {16, 0}},
                                                     {{0, 16}, {0, 32}, {0, 64}, {1, 0}, {2, 0}},
                                                     {{4, 0}, {8, 0}},
                                                     {}}},
                           error);
  ASSERT_TRUE(rows) << error;
  DotLayouts halves = mmaLayouts({16, 8, 16, 2}, {16, 128}, 32, 4, 1, WarpOrder::Balanced);
  std::optional<SharedPlan> usual = chooseSwizzle(*rows, halves.rhs, 16, error);
  ASSERT_TRUE(usual) << error;
  auto placed = placeForMatrixAccess(*rows, halves.rhs, *usual, 16, /*canStore=*/true);
  ASSERT_TRUE(placed);
  checkPlan(halves.rhs, *placed, 16, /*transposed=*/true);
  EXPECT_EQ(bankConflicts(*rows, *placed, 16, 8), 4u);
}

TEST(MatrixAccess, RefusesWhatIsNoMatrix) {
  DotLayouts floats = mmaLayouts({16, 8, 8, 1}, {64, 128}, 32, 4, 1, WarpOrder::Balanced);
  EXPECT_FALSE(planMatrixAccess(floats.rhs, placeForMatrices({32, 128}, 1, 32), 32))
      << "only 16-bit elements are transposed";
  DotLayouts doubles = mmaLayouts({8, 8, 4, 1}, {64, 128}, 32, 4, 1, WarpOrder::Balanced);
  EXPECT_FALSE(planMatrixAccess(doubles.lhs, placeForMatrices({64, 32}, 1, 64), 64));
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

/// Where PTX finds the element `across` (a row or column of the instruction) and `depthByte` bytes
/// along the depth, by a descriptor whose address is `start` ("Strides", "Matrix Descriptor").
uint64_t addressByDescriptor(const GroupFactorPlan &plan, uint64_t start, uint64_t across,
                             uint64_t depthByte, uint64_t elementBytes) {
  uint64_t leading = (plan.descriptor >> 16 & 0x3fff) * 16;
  uint64_t stride = (plan.descriptor >> 32 & 0x3fff) * 16;
  unsigned swizzleBits = 4 - unsigned(plan.descriptor >> 62);
  uint64_t line = uint64_t(16) << swizzleBits, address = start;
  if (!plan.isTransposed) {
    address += across / 8 * stride + across % 8 * line + depthByte;
  } else {
    uint64_t depth = depthByte / elementBytes, byte = across * elementBytes;
    address += depth / 8 * stride + depth % 8 * line + byte / line * leading + byte % line;
  }
  return address ^ (address >> 7 & ((uint64_t(1) << swizzleBits) - 1)) << 4;
}

/// Every instruction finds every element where the map has it.
void checkGroupPlan(const Shape &shape, unsigned inner, unsigned depthAxis, int64_t span,
                    unsigned elementBits, uint64_t descriptor) {
  SharedLayout map = placeForMatrices(shape, inner, elementBits);
  std::optional<GroupFactorPlan> plan = planGroupFactor(map, shape, depthAxis, span, elementBits);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->descriptor, descriptor);
  EXPECT_EQ(plan->isTransposed, inner != depthAxis);
  uint64_t bytes = elementBits / 8;
  int64_t step = int64_t(32 / bytes);
  auto at = [&](int64_t across, int64_t depth) {
    bool isRow = depthAxis == 1;
    return map.offset(isRow ? flat(shape, across, depth) : flat(shape, depth, across)) * bytes;
  };
  for (int64_t first = 0; first < shape[1 - depthAxis]; first += span)
    for (int64_t depth = 0; depth < shape[depthAxis]; depth += step)
      for (int64_t across = 0; across < span; ++across)
        for (int64_t k = 0; k < step; ++k)
          ASSERT_EQ(addressByDescriptor(*plan, at(first, depth), uint64_t(across),
                                        uint64_t(k) * bytes, bytes),
                    at(first + across, depth + k));
}

TEST(MatrixAccess, DescribesFactorsForWarpGroups) {
  // Lines along the depth: of 128, 64 and 32 bytes; rows of the left factor, columns of the right.
  checkGroupPlan({128, 64}, 1, 1, 64, 16, 0x4000004000000000);
  checkGroupPlan({128, 128}, 1, 1, 64, 16, 0x4000004000000000);
  checkGroupPlan({64, 32}, 1, 1, 64, 16, 0x8000002000000000);
  checkGroupPlan({64, 16}, 1, 1, 64, 16, 0xc000001000000000);
  checkGroupPlan({64, 256}, 0, 0, 256, 16, 0x4000004000000000);
  checkGroupPlan({64, 32}, 1, 1, 64, 32, 0x4000004000000000);
  checkGroupPlan({64, 128}, 1, 1, 64, 8, 0x4000004000000000);
  // Across it: the leading stride leads to the next lines.
  checkGroupPlan({64, 256}, 1, 0, 256, 16, 0x4000004002000000);
  checkGroupPlan({64, 256}, 1, 0, 64, 16, 0x4000004002000000);
  checkGroupPlan({32, 128}, 1, 0, 128, 16, 0x4000004001000000);
  checkGroupPlan({64, 128}, 0, 1, 64, 16, 0x4000004000400000);
  // An instruction takes a part of each line.
  checkGroupPlan({32, 64}, 1, 0, 32, 16, 0x4000004000400000);
  checkGroupPlan({64, 128}, 1, 0, 8, 16, 0x4000004002000000);
  checkGroupPlan({64, 32}, 1, 0, 16, 16, 0x8000002000200000);
}

TEST(MatrixAccess, RefusesWhatWarpGroupsCannotRead) {
  Shape shape = {32, 64};
  // Without swizzle; across the depth but of 32 or 8 bits.
  EXPECT_FALSE(planGroupFactor(SharedLayout::rowMajor(shape), shape, 1, 8, 16));
  EXPECT_FALSE(planGroupFactor(placeForMatrices(shape, 1, 32), shape, 0, 64, 32));
  EXPECT_FALSE(planGroupFactor(placeForMatrices(shape, 1, 8), shape, 0, 64, 8));
}

} // namespace
