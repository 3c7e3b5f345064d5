//===- ScanTest.cpp - In which order elements combine in a scan -*- C++ -*-===//
//
// Plans are checked against their promise: the masks, read as one number, give the coordinate along
// the axis, and what is left never moves along it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Scan.h"

#include "TestLayouts.h"

using namespace tilec::layout;
using namespace tilec::layout::test;

/// The coordinate that the plan reads off a point.
static int32_t coordinateOf(const ScanPlan &plan, const HwPoint &p) {
  int32_t coordinate = 0;
  unsigned bit = 0;
  auto add = [&](const std::vector<uint32_t> &masks, uint32_t value) {
    for (uint32_t mask : masks)
      coordinate |= int32_t((value & mask) != 0) << bit++;
  };
  add(plan.lowRegisters, p.reg);
  add(plan.lanes, p.lane);
  add(plan.warps, p.warp);
  add(plan.highRegisters, p.reg);
  return coordinate;
}

static void checkPlan(const LinearLayout &layout, unsigned axis, const ScanPlan &plan) {
  EXPECT_EQ(plan.lowRegisters.size() + plan.highRegisters.size() + plan.otherRegisters.size(),
            layout.numBases(InDim::Register));
  forEachPoint(layout, [&](const HwPoint &p) {
    ASSERT_EQ(coordinateOf(plan, p), layout.apply(p)[axis])
        << layout.toString() << " axis " << axis;
  });
}

/// Each thread holds the groups of its elements, and the parts before each of its groups.
static void checkSteps(const LinearLayout &layout, unsigned axis, const ScanPlan &plan) {
  ScanSteps steps = scanSteps(layout, axis, plan);
  EXPECT_EQ(steps.groupSize * steps.partSize * steps.numParts, layout.shape()[axis]);
  std::vector<uint32_t> groups = groupsOfRegisters(layout, axis, steps);
  ASSERT_EQ(groups.size(), layout.numRegisters());
  forEachPoint(layout, [&](const HwPoint &p) {
    HwPoint group = p;
    group.reg = groups[p.reg];
    Coords expected = layout.apply(p);
    expected[axis] /= int32_t(steps.groupSize);
    ASSERT_EQ(steps.groups.apply(group), expected) << layout.toString() << " axis " << axis;
    int32_t numWarps = 1 << plan.warps.size();
    for (int32_t warp = 0; warp < numWarps; ++warp) {
      HwPoint part = p;
      part.reg = partOfGroup(steps, axis, group.reg, warp);
      Coords ofPart = expected;
      ofPart[axis] /= int32_t(steps.partSize);
      ofPart[axis] = ofPart[axis] / numWarps * numWarps + warp;
      ASSERT_EQ(steps.parts.apply(part), ofPart) << layout.toString() << " axis " << axis;
    }
  });
}

TEST(ScanTest, AxisFirstLayoutsHavePlans) {
  for (const Shape &shape : sampleShapes())
    for (unsigned axis = 0; axis < shape.size(); ++axis)
      for (int64_t own : {1, 4})
        for (int64_t warps : {1, 4}) {
          std::vector<unsigned> order = {axis};
          for (unsigned other = 0; other < shape.size(); ++other)
            if (other != axis)
              order.push_back(other);
          std::vector<int64_t> size(shape.size(), 1);
          size[axis] = own;
          LinearLayout layout = makeBlocked(shape, size, order, warps);
          std::optional<ScanPlan> plan = planScan(layout, axis);
          ASSERT_TRUE(plan) << layout.toString();
          checkPlan(layout, axis, *plan);
          checkSteps(layout, axis, *plan);
        }
}

TEST(ScanTest, PartsOfALongRow) {
  std::optional<ScanPlan> plan = planScan(makeBlocked({2048}, {4}, {0}), 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->lowRegisters, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(plan->lanes, (std::vector<uint32_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(plan->warps, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(plan->highRegisters, (std::vector<uint32_t>{4, 8}));
  EXPECT_TRUE(plan->otherRegisters.empty());
}

TEST(ScanTest, OtherFormsHaveNone) {
  // Lanes out of order, an axis bit twice, a bit along two axes, warps before lanes, CTAs along the
  // axis.
  EXPECT_FALSE(planScan(makeFlat({4}, {{{}, {2, 1}, {}, {}}}), 0));
  EXPECT_FALSE(planScan(makeFlat({4}, {{{1}, {1, 2}, {}, {}}}), 0));
  EXPECT_FALSE(planScan(makeFlat({2, 2}, {{{}, {1, 3}, {}, {}}}), 0));
  EXPECT_FALSE(planScan(makeFlat({4}, {{{}, {2}, {1}, {}}}), 0));
  EXPECT_FALSE(planScan(makeFlat({4}, {{{}, {1}, {}, {2}}}), 0));
}

TEST(ScanTest, RandomLayouts) {
  Rng rng(7);
  unsigned planned = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    LinearLayout layout =
        randomLayout(rng, {4, 16}, i % 2 ? Mix::General : Mix::Permutation, 3, 1, 0, 1);
    for (unsigned axis : {0, 1})
      if (std::optional<ScanPlan> plan = planScan(layout, axis)) {
        checkPlan(layout, axis, *plan);
        checkSteps(layout, axis, *plan);
        ++planned;
      }
  }
  EXPECT_GT(planned, 20u);
}
