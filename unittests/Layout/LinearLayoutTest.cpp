//===- LinearLayoutTest.cpp - How a tile is spread over the hardware -*- C++ -*-===//
//
// Construction and its error texts; evaluation and queries against enumeration of all points.
//
//===----------------------------------------------------------------------===//

#include "TestLayouts.h"

#include <map>
#include <set>

using namespace tilec::layout;
using namespace tilec::layout::test;

static std::string errorOf(const Shape &shape, const Lists &lists) {
  std::string error;
  EXPECT_FALSE(LinearLayout::create(shape, lists, error));
  return error;
}

TEST(LinearLayoutTest, DefaultIsOneElementInOneThread) {
  LinearLayout layout;
  EXPECT_EQ(layout.rank(), 0u);
  EXPECT_EQ(layout.numElements(), 1u);
  EXPECT_EQ(layout.numRegisters(), 1u);
  EXPECT_TRUE(layout.apply(0, 0, 0, 0).empty());
  EXPECT_FALSE(layout.hasReplication());
  EXPECT_EQ(layout, make({}, {}));
}

TEST(LinearLayoutTest, EvaluatesByXor) {
  LinearLayout layout =
      make({8, 16}, {{{{0, 1}, {0, 2}}, {{0, 4}, {0, 8}, {1, 0}}, {{2, 0}}, {{4, 0}}}});
  EXPECT_EQ(layout.numBases(InDim::Lane), 3u);
  EXPECT_EQ(layout.size(InDim::Lane), 8u);
  EXPECT_EQ(layout.apply(3, 0, 0, 0), (Coords{0, 3}));
  EXPECT_EQ(layout.apply(3, 7, 1, 1), (Coords{7, 15}));
  EXPECT_EQ(layout.applyFlat({1, 4, 0, 0}), 17u);
  EXPECT_EQ(layout.apply(4, 8, 2, 2), (Coords{0, 0})) << "bits beyond the sizes are ignored";
  EXPECT_EQ(layout.basis(InDim::Lane, 2), (Coords{1, 0}));
  EXPECT_EQ(layout.bases(InDim::Register), (std::vector<Coords>{{0, 1}, {0, 2}}));
  EXPECT_EQ(layout.axisMask(0), 0x70u);
  EXPECT_EQ(layout.axisMask(1), 0x0fu);
}

TEST(LinearLayoutTest, FlattenAndUnflattenAreInverse) {
  for (const Shape &shape : sampleShapes()) {
    LinearLayout layout = makeBlocked(shape, std::vector<int64_t>(shape.size(), 1), [&] {
      std::vector<unsigned> order;
      for (std::size_t i = shape.size(); i-- > 0;)
        order.push_back(static_cast<unsigned>(i));
      return order;
    }());
    for (uint64_t flat = 0; flat < layout.numElements(); ++flat) {
      Coords coords = layout.unflatten(flat);
      uint64_t expected = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        EXPECT_LT(coords[i], shape[i]);
        expected = expected * static_cast<uint64_t>(shape[i]) + static_cast<uint64_t>(coords[i]);
      }
      EXPECT_EQ(expected, flat);
      EXPECT_EQ(layout.flatten(coords), flat);
    }
  }
}

TEST(LinearLayoutTest, ReportsBadShapes) {
  EXPECT_EQ(errorOf({3}, {}), "expected tile sizes to be powers of two, found [3]");
  EXPECT_EQ(errorOf({4, 0}, {}), "expected tile sizes to be powers of two, found [4, 0]");
  EXPECT_EQ(errorOf({-4}, {}), "expected tile sizes to be powers of two, found [-4]");
  EXPECT_EQ(errorOf({INT64_MIN}, {}),
            "expected tile sizes to be powers of two, found [-9223372036854775808]");
  EXPECT_EQ(errorOf({65536, 65536}, {}),
            "expected at most 1073741824 tile elements, found shape [65536, 65536]");
  EXPECT_EQ(errorOf(Shape(6, int64_t(1) << 62), {}).substr(0, 43),
            "expected at most 1073741824 tile elements, ");
}

TEST(LinearLayoutTest, ReportsBadBases) {
  EXPECT_EQ(errorOf({4}, {{{{1, 0}}, {}, {}, {}}}),
            "expected each register basis to have 1 coordinates, found [1, 0]");
  EXPECT_EQ(errorOf({4}, {{{}, {{}}, {}, {}}}),
            "expected each lane basis to have 1 coordinates, found []");
  EXPECT_EQ(errorOf({4, 2}, {{{}, {}, {{1, 2}}, {}}}),
            "expected each warp basis to lie inside the tile [4, 2], found [1, 2]");
  EXPECT_EQ(errorOf({4}, {{{}, {}, {}, {{-1}}}}),
            "expected each block basis to lie inside the tile [4], found [-1]");
  EXPECT_EQ(
      errorOf({4}, {{{{1}}, {{1}}, {}, {}}}),
      "expected the bases to reach all 4 elements of the tile [4], found that they reach only 2");
  std::vector<Coords> many(21, Coords{0});
  EXPECT_EQ(errorOf({1}, {{{}, many, {}, {}}}),
            "expected at most 20 bases in a dimension and 63 in all, found 21 lane bases");
  std::vector<Coords> twenty(20, Coords{0});
  EXPECT_EQ(errorOf({1}, {{twenty, twenty, twenty, twenty}}),
            "expected at most 20 bases in a dimension and 63 in all, found 20 block bases");
  std::string error;
  EXPECT_FALSE(LinearLayout::createFlat({4}, {{{1, 4}, {}, {}, {}}}, error));
  EXPECT_EQ(error, "expected each register basis to lie inside the 4 tile elements, found 4");
}

TEST(LinearLayoutTest, EqualityHashAndText) {
  LinearLayout a = make({4, 2}, {{{{0, 1}}, {{1, 0}, {2, 0}}, {{0, 0}}, {}}});
  LinearLayout b = a;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  std::vector<LinearLayout> others = {
      make({4, 2}, {{{{0, 1}}, {{2, 0}, {1, 0}}, {{0, 0}}, {}}}),
      make({2, 4}, {{{{0, 1}}, {{0, 2}, {1, 0}}, {{0, 0}}, {}}}),
      make({4, 2}, {{{{0, 1}}, {{1, 0}, {2, 0}}, {}, {{0, 0}}}}),
      make({4, 2}, {{{{0, 1}, {1, 0}}, {{2, 0}}, {{0, 0}}, {}}}),
  };
  for (const LinearLayout &other : others) {
    EXPECT_NE(a, other);
    EXPECT_NE(a.hash(), other.hash());
  }
  EXPECT_EQ(a.toString(), "shape = [4, 2], register = [[0, 1]], lane = [[1, 0], [2, 0]], "
                          "warp = [[0, 0]], block = []");
  EXPECT_EQ(LinearLayout().toString(),
            "shape = [], register = [], lane = [], warp = [], block = []");
}

/// Each element is held exactly once by the points whose redundant bits are zero.
static void checkFreeBits(const LinearLayout &layout) {
  std::map<uint64_t, unsigned> count;
  uint64_t points = 0;
  forEachPoint(layout, [&](const HwPoint &p) {
    ++points;
    if ((p.reg & layout.freeBits(InDim::Register)) || (p.lane & layout.freeBits(InDim::Lane)) ||
        (p.warp & layout.freeBits(InDim::Warp)) || (p.block & layout.freeBits(InDim::Block)))
      return;
    ++count[layout.applyFlat(p)];
  });
  EXPECT_EQ(count.size(), layout.numElements()) << layout.toString();
  for (const auto &[element, times] : count)
    EXPECT_EQ(times, 1u) << layout.toString();
  EXPECT_EQ(layout.hasReplication(), points != layout.numElements());
}

TEST(LinearLayoutTest, FreeBitsSelectOneReplica) {
  Rng rng(1);
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned i = 0; i < 10; ++i)
        checkFreeBits(
            randomLayout(rng, shape, mix, below(rng, 5), below(rng, 3), below(rng, 2), 2));
  LinearLayout layout = make({4}, {{{{1}, {1}}, {{0}, {2}}, {{3}}, {}}});
  EXPECT_EQ(layout.freeBits(InDim::Register), 2u);
  EXPECT_EQ(layout.freeBits(InDim::Lane), 1u);
  EXPECT_EQ(layout.freeBits(InDim::Warp), 1u);
  EXPECT_EQ(layout.freeBits(InDim::Block), 0u);
}

TEST(LinearLayoutTest, ApplyMatchesTheMatrix) {
  Rng rng(2);
  for (const Shape &shape : sampleShapes()) {
    LinearLayout layout = randomLayout(rng, shape, Mix::General, 3, 2, 1);
    F2Matrix all = layout.matrix();
    EXPECT_TRUE(all.isSurjective());
    forEachPoint(layout, [&](const HwPoint &p) {
      uint64_t bits = p.block;
      bits = bits << layout.numBases(InDim::Warp) | p.warp;
      bits = bits << layout.numBases(InDim::Lane) | p.lane;
      bits = bits << layout.numBases(InDim::Register) | p.reg;
      EXPECT_EQ(layout.applyFlat(p), all.apply(bits));
      EXPECT_EQ(layout.flatten(layout.apply(p)), all.apply(bits));
    });
  }
}

TEST(LinearLayoutTest, ContiguousRegistersMatchEnumeration) {
  Rng rng(3);
  auto check = [](const LinearLayout &layout) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      // Registers of a group follow each other in this thread.
      auto isVector = [&](uint32_t first, uint32_t size, HwPoint point) {
        Coords want = layout.apply(first, point.lane, point.warp, point.block);
        for (uint32_t i = 0; i < size; ++i, ++want[axis])
          if (layout.apply(first + i, point.lane, point.warp, point.block) != want)
            return false;
        return true;
      };
      auto areVectors = [&](uint32_t size) {
        for (uint32_t lane = 0; lane < layout.size(InDim::Lane); ++lane)
          for (uint32_t warp = 0; warp < layout.size(InDim::Warp); ++warp)
            for (uint32_t first = 0; first < layout.numRegisters(); first += size)
              if (!isVector(first, size, {0, lane, warp, 0}))
                return false;
        return true;
      };
      uint32_t run = layout.numRegisters();
      while (!areVectors(run))
        run /= 2;
      EXPECT_EQ(layout.contiguousRegisters(axis), run) << layout.toString();
    }
  };
  for (const Shape &shape : sampleShapes())
    for (unsigned i = 0; i < 20; ++i)
      check(randomLayout(rng, shape, Mix::Permutation, 1, 1, 0));
  // Lane 0 makes pairs of registers change places, which must not count as a vector.
  std::string error;
  auto swapped =
      LinearLayout::create({64}, {{{{1}, {2}}, {{4}, {8}, {16}, {32}, {2}}, {}, {}}}, error);
  ASSERT_TRUE(swapped) << error;
  EXPECT_EQ(swapped->contiguousRegisters(0), 2u);
  check(*swapped);
  LinearLayout layout = makeBlocked({64, 64}, {1, 4}, {1, 0});
  EXPECT_EQ(layout.contiguousRegisters(1), 4u);
  EXPECT_EQ(layout.contiguousRegisters(0), 1u);
  check(layout);
  EXPECT_EQ(makeBlocked({8}, {8}, {0}).contiguousRegisters(0), 8u);
}
