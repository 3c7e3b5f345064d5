//===- BulkAccessTest.cpp - Blocks that hardware copies ---------*- C++ -*-===//

#include "tilec/Layout/BulkAccess.h"
#include "tilec/Layout/MatrixAccess.h"
#include "gtest/gtest.h"

#include <set>

using namespace tilec::layout;

namespace {

/// The placement of a matrix whose lines are along the last dimension.
SharedLayout placed(const Shape &shape, unsigned elementBits) {
  return placeForMatrices(shape, unsigned(shape.size()) - 1, elementBits);
}

/// Copies a block as PTX says ("Swizzling Modes"): each box lies where its part says, one line
/// after the other, with groups of 16 bytes exchanged by address. Every element must be where the
/// placement has it.
void checkPlan(const Shape &shape, const SharedLayout &shared, unsigned elementBits,
               unsigned swizzleBits, const Shape &box, std::size_t numParts) {
  std::optional<BulkPlan> plan = planBulkCopy(shared, shape, elementBits);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->swizzleBits, swizzleBits);
  EXPECT_EQ(plan->box, box);
  EXPECT_EQ(plan->parts.size(), numParts);
  uint64_t bytes = elementBits / 8, line = uint64_t(16) << swizzleBits;
  std::size_t rank = shape.size();
  EXPECT_EQ(uint64_t(box[rank - 1]) * bytes, line);
  std::set<uint64_t> seen;
  for (const BulkPart &part : plan->parts) {
    ASSERT_EQ(part.first.size(), rank);
    EXPECT_EQ(part.offset * bytes % (8 * line), 0u) << "boxes begin at an atom of the swizzle";
    for (int64_t row = 0; row < box[rank - 2]; ++row)
      for (int64_t column = 0; column < box[rank - 1]; ++column) {
        uint64_t plain = part.offset * bytes + uint64_t(row) * line + uint64_t(column) * bytes;
        uint64_t address = plain ^ (plain >> 7 & ((uint64_t(1) << swizzleBits) - 1)) << 4;
        uint64_t index = uint64_t((part.first[rank - 2] + row) * shape[rank - 1] +
                                  part.first[rank - 1] + column);
        ASSERT_EQ(address, shared.offset(index) * bytes) << "row " << row << " column " << column;
        EXPECT_TRUE(seen.insert(index).second);
      }
  }
  EXPECT_EQ(seen.size(), shared.numElements());
}

TEST(BulkAccess, FillsEachSwizzle) {
  checkPlan({64, 64}, placed({64, 64}, 16), 16, 3, {64, 64}, 1);
  checkPlan({64, 32}, placed({64, 32}, 16), 16, 2, {64, 32}, 1);
  checkPlan({64, 16}, placed({64, 16}, 16), 16, 1, {64, 16}, 1);
}

TEST(BulkAccess, TakesElementsOfEachWidth) {
  checkPlan({32, 128}, placed({32, 128}, 8), 8, 3, {32, 128}, 1);
  checkPlan({32, 32}, placed({32, 32}, 8), 8, 1, {32, 32}, 1);
  checkPlan({32, 32}, placed({32, 32}, 32), 32, 3, {32, 32}, 1);
  checkPlan({32, 8}, placed({32, 8}, 32), 32, 1, {32, 8}, 1);
  checkPlan({32, 16}, placed({32, 16}, 64), 64, 3, {32, 16}, 1);
}

TEST(BulkAccess, TakesFewRows) {
  checkPlan({8, 64}, placed({8, 64}, 16), 16, 3, {8, 64}, 1);
  checkPlan({8, 16}, placed({8, 16}, 16), 16, 1, {8, 16}, 1);
  checkPlan({16, 128}, placed({16, 128}, 16), 16, 3, {16, 64}, 2);
}

TEST(BulkAccess, BoxesHaveAtMost256Rows) {
  checkPlan({256, 64}, placed({256, 64}, 16), 16, 3, {256, 64}, 1);
  checkPlan({512, 64}, placed({512, 64}, 16), 16, 3, {256, 64}, 2);
  checkPlan({1024, 32}, placed({1024, 32}, 16), 16, 2, {256, 32}, 4);
  checkPlan({512, 128}, placed({512, 128}, 16), 16, 3, {256, 64}, 4);
}

TEST(BulkAccess, LongLinesAreSeveralParts) {
  Shape shape = {32, 256};
  SharedLayout shared = placed(shape, 16);
  checkPlan(shape, shared, 16, 3, {32, 64}, 4);
  std::optional<BulkPlan> plan = planBulkCopy(shared, shape, 16);
  ASSERT_TRUE(plan);
  for (std::size_t part = 0; part < plan->parts.size(); ++part) {
    EXPECT_EQ(plan->parts[part].first, Coords({0, int32_t(part * 64)}));
    EXPECT_EQ(plan->parts[part].offset, part * 32 * 64);
  }
  // Lines that are kept short for an instruction.
}

TEST(BulkAccess, LeadingAxesHaveOneElement) {
  SharedLayout shared = placed({64, 128}, 16);
  checkPlan({1, 64, 128}, shared, 16, 3, {1, 64, 64}, 2);
  checkPlan({1, 1, 1, 64, 128}, shared, 16, 3, {1, 1, 1, 64, 64}, 2);
}

TEST(BulkAccess, RefusesWhatBoxesDoNotFill) {
  Shape shape = {32, 64};
  EXPECT_FALSE(planBulkCopy(SharedLayout::rowMajor(shape), shape, 16)) << "no swizzle";
  EXPECT_FALSE(planBulkCopy(placeForMatrices(shape, 0, 16), shape, 16)) << "lines are columns";
  EXPECT_FALSE(planBulkCopy(placed(shape, 16), shape, 32)) << "of another width";
  EXPECT_FALSE(planBulkCopy(placed({2, 64, 64}, 16), {2, 64, 64}, 16)) << "several matrices";
  EXPECT_FALSE(planBulkCopy(placed(shape, 16), {2, 16, 64}, 16)) << "several matrices";
  EXPECT_FALSE(planBulkCopy(SharedLayout::rowMajor({64}), {64}, 16)) << "no matrix";
  EXPECT_FALSE(planBulkCopy(placed({32, 8}, 16), {32, 8}, 16)) << "lines of 16 bytes";
  EXPECT_FALSE(planBulkCopy(placed({4, 64}, 16), {4, 64}, 16)) << "half of an atom";
  EXPECT_FALSE(planBulkCopy(placed(shape, 8), shape, 4)) << "two elements in a byte";
}

TEST(BulkAccess, RefusesGaps) {
  // Rows with a gap of 16 bytes behind them, so that banks differ without a swizzle.
  Shape shape = {8, 64};
  SharedLayout shared = placed(shape, 16);
  for (std::size_t bit = 6; bit < shared.toOffset.columns().size(); ++bit) {
    std::vector<uint64_t> columns = shared.toOffset.columns();
    columns[bit] ^= 8;
    SharedLayout other = shared;
    other.toOffset = F2Matrix(shared.toOffset.numRows(), columns);
    EXPECT_FALSE(planBulkCopy(other, shape, 16)) << "row bit " << bit - 6;
  }
}

} // namespace
