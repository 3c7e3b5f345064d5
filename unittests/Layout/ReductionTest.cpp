//===- ReductionTest.cpp - Which elements combine in a reduction -*- C++ -*-===//
//
// Plans are carried out with sums of distinct numbers, which an element left out or counted twice
// would change.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Reduction.h"

#include "TestLayouts.h"

#include <map>

using namespace tilec::layout;
using namespace tilec::layout::test;

/// A number for each element; sums of few of them are unlikely to agree by chance.
static uint64_t valueOf(uint64_t flat) { return (flat + 1) * 0x9e3779b97f4a7c15u; }

using State = std::map<std::array<uint32_t, 4>, uint64_t>;

/// Every point adds the value of the point that differs by \p mask in one dimension.
static State butterfly(const State &state, unsigned dim, uint32_t mask) {
  State next;
  for (const auto &[point, value] : state) {
    std::array<uint32_t, 4> other = point;
    other[dim] ^= mask;
    next[point] = value + state.at(other);
  }
  return next;
}

static void checkPlan(const LinearLayout &layout, unsigned axis, const ReductionPlan &plan) {
  ASSERT_EQ(plan.result, reduceDim(layout, axis));
  ASSERT_EQ(plan.registerGroups.size(), plan.result.numRegisters());
  State state;
  forEachPoint(plan.result, [&](const HwPoint &p) {
    uint64_t sum = 0;
    EXPECT_EQ(plan.registerGroups[p.reg].size(), plan.registerGroups[0].size());
    for (uint32_t reg : plan.registerGroups[p.reg])
      sum += valueOf(layout.applyFlat({reg, p.lane, p.warp, p.block}));
    state[{p.reg, p.lane, p.warp, p.block}] = sum;
  });
  for (uint32_t mask : plan.laneMasks)
    state = butterfly(state, 1, mask);
  for (uint32_t mask : plan.warpMasks)
    state = butterfly(state, 2, mask);
  for (uint32_t mask : plan.blockMasks)
    state = butterfly(state, 3, mask);

  std::map<Coords, uint64_t> expected;
  for (uint64_t flat = 0; flat < layout.numElements(); ++flat) {
    Coords coords = layout.unflatten(flat);
    coords.erase(coords.begin() + axis);
    expected[coords] += valueOf(flat);
  }
  forEachPoint(plan.result, [&](const HwPoint &p) {
    ASSERT_EQ((state[{p.reg, p.lane, p.warp, p.block}]), expected[plan.result.apply(p)])
        << layout.toString() << " axis " << axis;
  });
}

TEST(ReductionTest, RowsOfABlockedLayout) {
  LinearLayout layout = makeBlocked({32, 32}, {1, 4}, {1, 0});
  std::optional<ReductionPlan> rows = planReduction(layout, 1);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->registerGroups, (std::vector<std::vector<uint32_t>>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(rows->laneMasks, (std::vector<uint32_t>{1, 2, 4}));
  EXPECT_TRUE(rows->warpMasks.empty());
  EXPECT_EQ(rows->numWarpParts(), 1u);
  checkPlan(layout, 1, *rows);

  std::optional<ReductionPlan> columns = planReduction(layout, 0);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->registerGroups,
            (std::vector<std::vector<uint32_t>>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(columns->laneMasks, (std::vector<uint32_t>{8, 16}));
  EXPECT_EQ(columns->warpMasks, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(columns->numWarpParts(), 4u);
  checkPlan(layout, 0, *columns);
}

TEST(ReductionTest, WholeBlockAndCluster) {
  LinearLayout layout = makeBlocked({4096}, {4}, {0}, 4, 2);
  std::optional<ReductionPlan> plan = planReduction(layout, 0);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->registerGroups.size(), 1u);
  EXPECT_EQ(plan->registerGroups[0].size(), 16u);
  EXPECT_EQ(plan->laneMasks.size(), 5u);
  EXPECT_EQ(plan->numWarpParts(), 4u);
  EXPECT_EQ(plan->numBlockParts(), 2u);
  EXPECT_EQ(plan->result.rank(), 0u);
  checkPlan(layout, 0, *plan);
}

TEST(ReductionTest, LargestTile) {
  LinearLayout layout = makeBlocked({65536}, {4}, {0}, 32);
  std::optional<ReductionPlan> plan = planReduction(layout, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->registerGroups[0].size(), 64u);
  EXPECT_EQ(plan->numWarpParts(), 32u);
  checkPlan(layout, 0, *plan);
}

TEST(ReductionTest, ReplicasAreCountedOnce) {
  // Register 1 repeats register 0, lane bit 1 repeats lane bit 0's elements, warp bit 0 repeats
  // all.
  LinearLayout layout = make({4}, {{{{0}, {1}}, {{2}, {2}}, {{0}}, {}}});
  std::optional<ReductionPlan> plan = planReduction(layout, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->registerGroups, (std::vector<std::vector<uint32_t>>{{0, 2}}));
  EXPECT_EQ(plan->laneMasks, (std::vector<uint32_t>{1}));
  EXPECT_TRUE(plan->warpMasks.empty());
  checkPlan(layout, 0, *plan);
}

TEST(ReductionTest, SizeOneAxisHasNoSteps) {
  LinearLayout layout = makeBlocked({8, 1}, {2, 1}, {1, 0});
  std::optional<ReductionPlan> plan = planReduction(layout, 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->registerGroups, (std::vector<std::vector<uint32_t>>{{0}, {1}}));
  EXPECT_TRUE(plan->laneMasks.empty() && plan->warpMasks.empty() && plan->blockMasks.empty());
  checkPlan(layout, 1, *plan);
}

TEST(ReductionTest, MixedThreadBitsAreRefused) {
  EXPECT_FALSE(planReduction(make({2, 2}, {{{{0, 1}}, {{1, 1}}, {}, {}}}), 0));
  EXPECT_FALSE(planReduction(make({2, 2}, {{{{0, 1}}, {}, {{1, 1}}, {}}}), 1));
  EXPECT_FALSE(planReduction(make({2, 2}, {{{{0, 1}}, {}, {}, {{1, 1}}}}), 1));
  // Lane 1 has the other element of row 0 in register 1.
  EXPECT_FALSE(planReduction(make({2, 2}, {{{{1, 1}}, {{1, 0}}, {}, {}}}), 1));
  // Registers may mix as long as the thread itself has both elements.
  LinearLayout mixed = make({2, 2}, {{{{1, 1}, {1, 0}}, {}, {}, {}}});
  std::optional<ReductionPlan> plan = planReduction(mixed, 1);
  ASSERT_TRUE(plan);
  checkPlan(mixed, 1, *plan);
}

TEST(ReductionTest, PartsAreNumberedByWarpAndBlock) {
  // Axis 1 lies over lanes, both warp bits and the block.
  LinearLayout layout = make({2, 32}, {{{{1, 0}}, {{0, 1}, {0, 2}}, {{0, 8}, {0, 4}}, {{0, 16}}}});
  std::optional<ReductionPlan> plan = planReduction(layout, 1);
  ASSERT_TRUE(plan);
  LinearLayout parts = partialLayout(*plan);
  EXPECT_EQ(parts.shape(), (Shape{2, 2, 4})) << "result, blocks, warps";
  EXPECT_EQ(parts.bases(InDim::Register), (std::vector<Coords>{{1, 0, 0}}));
  EXPECT_EQ(parts.bases(InDim::Lane), (std::vector<Coords>{{0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(parts.bases(InDim::Warp), (std::vector<Coords>{{0, 0, 1}, {0, 0, 2}}));
  EXPECT_EQ(parts.bases(InDim::Block), (std::vector<Coords>{{0, 1, 0}}));
  // Without warps and blocks there are no parts.
  LinearLayout lanes = make({4}, {{{}, {{1}, {2}}, {}, {}}});
  EXPECT_EQ(partialLayout(*planReduction(lanes, 0)).rank(), 0u);
}

TEST(ReductionTest, BlockedLayoutsAreSeparable) {
  for (const Shape &shape : sampleShapes()) {
    std::vector<unsigned> order(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
      order[i] = static_cast<unsigned>((i + 1) % shape.size());
    LinearLayout layout = makeBlocked(shape, std::vector<int64_t>(shape.size(), 2), order, 2, 2);
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      std::optional<ReductionPlan> plan = planReduction(layout, axis);
      ASSERT_TRUE(plan) << layout.toString();
      checkPlan(layout, axis, *plan);
    }
  }
}

TEST(ReductionTest, RandomPlansAreRight) {
  Rng rng(8);
  unsigned planned = 0, refused = 0;
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned i = 0; i < 10; ++i) {
        LinearLayout layout =
            randomLayout(rng, shape, mix, below(rng, 4), below(rng, 3), below(rng, 2), 2);
        for (unsigned axis = 0; axis < shape.size(); ++axis) {
          std::optional<ReductionPlan> plan = planReduction(layout, axis);
          EXPECT_TRUE(plan || mix == Mix::General) << layout.toString();
          plan ? ++planned : ++refused;
          if (plan)
            checkPlan(layout, axis, *plan);
        }
      }
  EXPECT_GT(planned, 100u);
  EXPECT_GT(refused, 10u);
}
