//===- ConversionTest.cpp - How to move a tile between two layouts -*- C++ -*-===//
//
// Every plan is carried out on the element numbers that the source layout holds; each destination
// register must then hold the number that the destination layout says.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Conversion.h"

#include "TestLayouts.h"

#include <array>
#include <set>

using namespace tilec::layout;
using namespace tilec::layout::test;

static ConversionPlan planOf(const LinearLayout &src, const LinearLayout &dst,
                             const ConversionOptions &options = {}) {
  std::string error;
  std::optional<ConversionPlan> plan = planConversion(src, dst, error, options);
  EXPECT_TRUE(plan) << error;
  return plan ? *plan : ConversionPlan();
}

/// Whether every destination place finds its element in some source place of the same warp (or, if
/// \p within is Block, of the same block), by enumeration.
static bool reachable(const LinearLayout &src, const LinearLayout &dst, InDim within) {
  std::set<std::array<uint64_t, 3>> have;
  auto key = [&](const LinearLayout &layout, const HwPoint &p) {
    return std::array<uint64_t, 3>{p.block, within == InDim::Warp ? p.warp : 0,
                                   layout.applyFlat(p)};
  };
  forEachPoint(src, [&](const HwPoint &p) { have.insert(key(src, p)); });
  bool all = true;
  forEachPoint(dst, [&](const HwPoint &p) { all &= have.count(key(dst, p)) == 1; });
  return all;
}

/// The place before a swap of what is at \p point behind it.
static HwPoint behindSwap(HwPoint point, LaneSwap swap) {
  uint32_t ofRegister = point.reg >> swap.registerBit & 1, ofLane = point.lane >> swap.laneBit & 1;
  point.reg ^= (ofRegister ^ ofLane) << swap.registerBit;
  point.lane ^= (ofRegister ^ ofLane) << swap.laneBit;
  return point;
}

static void checkPlan(const LinearLayout &src, const LinearLayout &dst,
                      const ConversionPlan &plan) {
  std::string what = "from {" + src.toString() + "} to {" + dst.toString() + "}";
  if (plan.kind == ConversionKind::Shared) {
    EXPECT_EQ(plan.crossesBlocks, conversionCrossesBlocks(src, dst));
    return;
  }
  if (plan.kind == ConversionKind::Shuffle) {
    ASSERT_EQ(plan.shuffle.registers.size(), dst.numRegisters());
  } else {
    ASSERT_EQ(plan.registers.size(), dst.numRegisters());
  }
  forEachPoint(dst, [&](const HwPoint &p) {
    HwPoint from = p;
    if (plan.kind == ConversionKind::Swaps) {
      from.reg = plan.registers[p.reg];
      for (std::size_t i = plan.swaps.size(); i-- > 0;)
        from = behindSwap(from, plan.swaps[i]);
    } else if (plan.kind == ConversionKind::Shuffle) {
      from.lane = plan.shuffle.sourceLane(p);
      from.reg = plan.shuffle.sourceRegister(p);
      if (plan.shuffle.sameLane) {
        ASSERT_EQ(from.lane, p.lane ^ plan.shuffle.registers[p.reg].laneXor);
      }
    } else {
      from.reg = plan.registers[p.reg];
      if (plan.kind == ConversionKind::Identity) {
        ASSERT_EQ(from.reg, p.reg);
      }
    }
    ASSERT_LT(from.lane, src.size(InDim::Lane));
    ASSERT_LT(from.reg, src.numRegisters());
    ASSERT_EQ(src.applyFlat(from), dst.applyFlat(p)) << what;
  });
}

TEST(ConversionTest, Identity) {
  for (const Shape &shape : sampleShapes()) {
    Rng rng(4);
    LinearLayout layout = randomLayout(rng, shape, Mix::General, 3, 1, 1, 2);
    EXPECT_EQ(planOf(layout, layout).kind, ConversionKind::Identity) << layout.toString();
    checkPlan(layout, layout, planOf(layout, layout));
  }
}

TEST(ConversionTest, IdentityKeepsReplicasInPlace) {
  LinearLayout layout = make({4}, {{{{0}, {1}, {1}}, {{2}}, {}, {}}});
  EXPECT_EQ(planOf(layout, layout).kind, ConversionKind::Identity);
  EXPECT_EQ(planOf(layout, layout).registers, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ConversionTest, RegisterPermutation) {
  LinearLayout a = make({8}, {{{{1}, {2}}, {{4}}, {}, {}}});
  LinearLayout b = make({8}, {{{{2}, {1}}, {{4}}, {}, {}}});
  ConversionPlan plan = planOf(a, b);
  EXPECT_EQ(plan.kind, ConversionKind::Registers);
  EXPECT_EQ(plan.registers, (std::vector<uint32_t>{0, 2, 1, 3}));
  // Dropping and adding replicas are register copies too.
  LinearLayout c = make({8}, {{{{1}, {0}, {2}}, {{4}}, {}, {}}});
  EXPECT_EQ(planOf(a, c).registers, (std::vector<uint32_t>{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(planOf(c, a).registers, (std::vector<uint32_t>{0, 1, 4, 5}));
  EXPECT_FALSE(registerMap(a, make({8}, {{{{4}, {2}}, {{1}}, {}, {}}})));
  EXPECT_FALSE(registerMap(a, make({4, 2}, {{{{0, 1}, {1, 0}}, {{2, 0}}, {}, {}}})));
}

TEST(ConversionTest, LanePermutationIsOneShuffleARegister) {
  LinearLayout a = make({16}, {{{{1}}, {{2}, {4}, {8}}, {}, {}}});
  LinearLayout b = make({16}, {{{{1}}, {{8}, {2}, {4}}, {}, {}}});
  ConversionPlan plan = planOf(a, b);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffle);
  EXPECT_FALSE(plan.shuffle.sameLane);
  EXPECT_TRUE(plan.shuffle.selectors.empty());
  EXPECT_EQ(plan.shuffle.laneOfLane, (std::vector<uint32_t>{4, 1, 2}));
  EXPECT_EQ(plan.shuffle.numShuffles(), 2u);
  checkPlan(a, b, plan);
}

TEST(ConversionTest, BitsOfRegistersAndLanesChangePlaces) {
  LinearLayout a = make({4}, {{{{1}}, {{2}}, {}, {}}});
  LinearLayout b = make({4}, {{{{2}}, {{1}}, {}, {}}});
  ConversionPlan plan = planOf(a, b);
  ASSERT_EQ(plan.kind, ConversionKind::Swaps);
  EXPECT_EQ(plan.swaps, (std::vector<LaneSwap>{{0, 0}}));
  EXPECT_EQ(plan.registers, (std::vector<uint32_t>{0, 1}));
  checkPlan(a, b, plan);
  // A lane bit's place is free only when another has left it: two swaps, and registers in another
  // order.
  LinearLayout c = make({32}, {{{{1}, {16}, {8}}, {{2}, {4}}, {}, {}}});
  LinearLayout d = make({32}, {{{{1}, {2}, {16}}, {{4}, {8}}, {}, {}}});
  EXPECT_NE(planOf(c, d).kind, ConversionKind::Swaps) << "beyond the limit";
  ConversionOptions two;
  two.maxSwaps = 2;
  plan = planOf(c, d, two);
  ASSERT_EQ(plan.kind, ConversionKind::Swaps);
  EXPECT_EQ(plan.swaps, (std::vector<LaneSwap>{{2, 1}, {2, 0}}));
  EXPECT_EQ(plan.registers, (std::vector<uint32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  checkPlan(c, d, plan);
  // Lanes that only change places with each other are no case for it.
  LinearLayout e = make({32}, {{{{1}, {16}, {8}}, {{4}, {2}}, {}, {}}});
  EXPECT_EQ(planOf(c, e, two).kind, ConversionKind::Shuffle);
}

TEST(ConversionTest, ExchangeOfRegisterAndLaneBitSelects) {
  LinearLayout a = make({4}, {{{{1}}, {{2}}, {}, {}}});
  LinearLayout b = make({4}, {{{{2}}, {{1}}, {}, {}}});
  ConversionOptions strict;
  strict.maxSwaps = 0;
  ConversionPlan plan = planOf(a, b, strict);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffle);
  EXPECT_EQ(plan.shuffle.selectors, (std::vector<BitSelector>{{1, 0, 0}}));
  checkPlan(a, b, plan);
  strict.maxCandidates = 1;
  EXPECT_EQ(planOf(a, b, strict).kind, ConversionKind::Shared);
  strict.maxCandidates = 2;
  strict.maxSelectedShuffles = 3;
  EXPECT_EQ(planOf(a, b, strict).kind, ConversionKind::Shared);
  strict.maxSelectedShuffles = 4;
  EXPECT_EQ(planOf(a, b, strict).kind, ConversionKind::Shuffle);
}

TEST(ConversionTest, ReplicatedSourceNeedsNoShuffle) {
  // Lane 1 of the source repeats lane 0, so each lane picks from its own registers.
  LinearLayout a = make({4}, {{{{1}, {2}}, {{0}}, {}, {}}});
  LinearLayout b = make({4}, {{{{1}}, {{2}}, {}, {}}});
  ConversionPlan plan = planOf(a, b);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffle);
  EXPECT_TRUE(plan.shuffle.sameLane);
  EXPECT_EQ(plan.shuffle.numShuffles(), 0u);
  checkPlan(a, b, plan);
  // And the other way every lane needs both halves.
  checkPlan(b, a, planOf(b, a));
  EXPECT_EQ(planOf(b, a).kind, ConversionKind::Shuffle);
}

TEST(ConversionTest, AnotherLaneIsBetterThanASelect) {
  // Element 3 lies in register 1 of lane 1, and in register 0 of lane 3.
  LinearLayout a = make({4}, {{{{2}}, {{1}, {2}}, {}, {}}});
  LinearLayout b = make({4}, {{{{1}}, {{3}, {0}}, {}, {}}});
  ConversionPlan plan = planOf(a, b);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffle);
  EXPECT_TRUE(plan.shuffle.selectors.empty());
  EXPECT_EQ(plan.shuffle.laneOfLane, (std::vector<uint32_t>{3, 0}));
  checkPlan(a, b, plan);
}

TEST(ConversionTest, WarpDependentSelection) {
  // The element's high bit moves from a replicated lane bit and register into the warp number.
  LinearLayout a = make({4}, {{{{2}}, {{1}}, {{0}}, {}}});
  LinearLayout b = make({4}, {{{}, {{1}}, {{2}}, {}}});
  ConversionPlan plan = planOf(a, b);
  ASSERT_EQ(plan.kind, ConversionKind::Shuffle);
  EXPECT_EQ(plan.shuffle.selectors, (std::vector<BitSelector>{{0, 1, 0}}));
  checkPlan(a, b, plan);
}

TEST(ConversionTest, AcrossWarpsAndBlocks) {
  LinearLayout rows = makeBlocked({64, 64}, {1, 4}, {1, 0});
  LinearLayout cols = makeBlocked({64, 64}, {4, 1}, {0, 1});
  EXPECT_EQ(planOf(rows, cols).kind, ConversionKind::Shared);
  EXPECT_FALSE(planOf(rows, cols).crossesBlocks);
  LinearLayout a = make({4}, {{{{1}}, {}, {}, {{2}}}});
  LinearLayout b = make({4}, {{{{2}}, {}, {}, {{1}}}});
  EXPECT_EQ(planOf(a, b).kind, ConversionKind::Shared);
  EXPECT_TRUE(planOf(a, b).crossesBlocks);
  LinearLayout swapped = make({4}, {{{}, {}, {}, {{2}, {1}}}});
  EXPECT_TRUE(conversionCrossesBlocks(make({4}, {{{}, {}, {}, {{1}, {2}}}}), swapped));
  EXPECT_FALSE(conversionCrossesBlocks(swapped, swapped));
  LinearLayout c = make({4}, {{{{1}, {2}}, {}, {}, {{0}}}});
  EXPECT_FALSE(conversionCrossesBlocks(c, a));
  EXPECT_TRUE(conversionCrossesBlocks(a, c));
}

TEST(ConversionTest, RandomPlansAreRightAndAsCheapAsPossible) {
  Rng rng(5);
  unsigned seen[5] = {0, 0, 0, 0, 0};
  ConversionOptions generous;
  generous.maxCandidates = 64;
  generous.maxShuffles = generous.maxSelectedShuffles = 4096;
  generous.maxSwaps = 2;
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned i = 0; i < 25; ++i) {
        unsigned lanes = below(rng, 4), warps = below(rng, 3), blocks = below(rng, 3);
        LinearLayout src = randomLayout(rng, shape, mix, lanes, warps, blocks, 1);
        LinearLayout dst = randomLayout(rng, shape, mix, lanes, warps, blocks, 1);
        checkPlan(src, dst, planOf(src, dst));
        ConversionPlan plan = planOf(src, dst, generous);
        checkPlan(src, dst, plan);
        ++seen[static_cast<unsigned>(plan.kind)];
        EXPECT_EQ(plan.kind == ConversionKind::Shared, !reachable(src, dst, InDim::Warp));
        EXPECT_EQ(conversionCrossesBlocks(src, dst), !reachable(src, dst, InDim::Block));
      }
  for (unsigned count : seen)
    EXPECT_GT(count, 10u) << "the random layouts must exercise every kind";
}

TEST(ConversionTest, BroadcastsFromProjections) {
  Rng rng(6);
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned axis = 0; axis < shape.size(); ++axis) {
        LinearLayout result = randomLayout(rng, shape, mix, 3, 1, 1, 1);
        LinearLayout operand = projectDim(result, axis);
        std::optional<std::vector<uint32_t>> map = broadcastMap(operand, result);
        ASSERT_TRUE(map);
        forEachPoint(result, [&](const HwPoint &p) {
          HwPoint from = p;
          from.reg = (*map)[p.reg];
          Coords want = result.apply(p);
          want[axis] = 0;
          ASSERT_EQ(operand.apply(from), want);
        });
      }
  LinearLayout row = make({1, 4}, {{{{0, 1}}, {{0, 2}}, {}, {}}});
  LinearLayout tile = make({2, 4}, {{{{0, 1}, {1, 0}}, {{0, 2}}, {}, {}}});
  EXPECT_EQ(broadcastMap(row, tile), (std::vector<uint32_t>{0, 1, 0, 1}));
  EXPECT_FALSE(broadcastMap(make({1, 4}, {{{{0, 2}}, {{0, 1}}, {}, {}}}), tile));
  EXPECT_FALSE(broadcastMap(make({4}, {{{{1}}, {{2}}, {}, {}}}), tile));
  EXPECT_FALSE(broadcastMap(make({1, 2}, {{{{0, 1}}, {{0, 0}}, {}, {}}}), tile));
}

TEST(ConversionTest, ReportsIncompatibleLayouts) {
  std::string error;
  LinearLayout a = make({4}, {{{{1}}, {{2}}, {}, {}}});
  EXPECT_FALSE(planConversion(a, make({2, 2}, {{{{0, 1}}, {{1, 0}}, {}, {}}}), error));
  EXPECT_EQ(error, "expected layouts of one shape, found {shape = [4], register = [[1]], lane = "
                   "[[2]], warp = [], block = []} and {shape = [2, 2], register = [[0, 1]], lane "
                   "= [[1, 0]], warp = [], block = []}");
  EXPECT_FALSE(planConversion(a, make({4}, {{{{1}}, {}, {{2}}, {}}}), error));
  EXPECT_EQ(error, "expected layouts with the same number of lanes, found 2 and 1");
  EXPECT_FALSE(planConversion(a, make({4}, {{{{1}}, {{2}}, {{0}}, {}}}), error));
  EXPECT_EQ(error, "expected layouts with the same number of warps, found 1 and 2");
  EXPECT_FALSE(planConversion(a, make({4}, {{{{1}}, {{2}}, {}, {{0}}}}), error));
  EXPECT_EQ(error, "expected layouts with the same number of blocks, found 1 and 2");
}

TEST(ConversionTest, PointOfAnElement) {
  LinearLayout row = makeBlocked({1024}, {4}, {0});
  HwPoint flip = pointOf(row, row.axisMask(0));
  EXPECT_EQ((std::array<uint32_t, 4>{flip.reg, flip.lane, flip.warp, flip.block}),
            (std::array<uint32_t, 4>{7, 31, 3, 0}));
  // Where the thread itself holds a copy, nobody else is asked.
  LinearLayout copies = makeFlat({4}, {{{1, 2}, {1}, {2}, {}}});
  HwPoint own = pointOf(copies, 3);
  EXPECT_EQ((std::array<uint32_t, 4>{own.reg, own.lane, own.warp, own.block}),
            (std::array<uint32_t, 4>{3, 0, 0, 0}));
  Rng rng(11);
  for (unsigned i = 0; i < 200; ++i) {
    LinearLayout layout = randomLayout(rng, {4, 16}, Mix::General, 3, 2, 1, 1);
    for (uint64_t flat = 0; flat < layout.numElements(); ++flat)
      ASSERT_EQ(layout.applyFlat(pointOf(layout, flat)), flat);
  }
}

TEST(ConversionTest, HoldersOfAnIndex) {
  // Of 16 neighbours along the second axis a thread holds two, and eight lanes hold the others.
  LinearLayout layout = makeFlat({4, 16}, {{{1, 16}, {2, 4, 8, 32, 0}, {0}, {}}});
  std::optional<TakenIndex> taken = takeIndex(layout, 1, 15);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->layout, makeFlat({4}, {{{1}, {0, 0, 0, 2, 0}, {0}, {}}}));
  EXPECT_EQ(taken->registers, (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(taken->lane, 7u);
  EXPECT_EQ(taken->warp, 0u);
  EXPECT_EQ(takeIndex(layout, 1, 4)->lane, 2u);
  // A bit along two axes, an index bit in two places, CTAs along the axis.
  EXPECT_FALSE(takeIndex(makeFlat({2, 2}, {{{}, {1, 3}, {}, {}}}), 1, 0));
  EXPECT_FALSE(takeIndex(makeFlat({4}, {{{1}, {1, 2}, {}, {}}}), 0, 0));
  EXPECT_FALSE(takeIndex(makeFlat({4}, {{{}, {1}, {}, {2}}}), 0, 0));
}
