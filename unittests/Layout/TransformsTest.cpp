//===- TransformsTest.cpp - Layouts made from parameters or layouts -*- C++ -*-===//
//
// What blocked() promises, checked on its bases; transforms checked at every hardware point.
//
//===----------------------------------------------------------------------===//

#include "TestLayouts.h"

#include <numeric>
#include <set>

using namespace tilec::layout;
using namespace tilec::layout::test;

static std::string textOf(const LinearLayout &layout) { return layout.toString(); }

//===----------------------------------------------------------------------===//
// blocked
//===----------------------------------------------------------------------===//

TEST(BlockedTest, OneDimension) {
  EXPECT_EQ(textOf(makeBlocked({1024}, {4}, {0})),
            "shape = [1024], register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], "
            "warp = [[128], [256]], block = []");
}

TEST(BlockedTest, TwoDimensionsBothOrders) {
  EXPECT_EQ(
      textOf(makeBlocked({32, 32}, {1, 4}, {1, 0})),
      "shape = [32, 32], register = [[0, 1], [0, 2], [16, 0]], "
      "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []");
  EXPECT_EQ(
      textOf(makeBlocked({32, 32}, {4, 1}, {0, 1})),
      "shape = [32, 32], register = [[1, 0], [2, 0], [0, 16]], "
      "lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = []");
}

TEST(BlockedTest, SmallTilesReplicateThreadsAndKeepVectors) {
  EXPECT_EQ(textOf(makeBlocked({16}, {4}, {0})),
            "shape = [16], register = [[1], [2]], lane = [[4], [8], [0], [0], [0]], "
            "warp = [[0], [0]], block = []");
  EXPECT_EQ(
      textOf(makeBlocked({2}, {4}, {0}, 1)),
      "shape = [2], register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []");
  EXPECT_EQ(textOf(makeBlocked({1}, {1}, {0}, 1)),
            "shape = [1], register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = []");
  EXPECT_EQ(textOf(makeBlocked({}, {}, {}, 2)),
            "shape = [], register = [], lane = [[], [], [], [], []], warp = [[]], block = []");
}

TEST(BlockedTest, BlocksSplitTheSlowestDimensionFromTheTop) {
  EXPECT_EQ(textOf(makeBlocked({64, 32}, {1, 1}, {1, 0}, 2, 4)),
            "shape = [64, 32], register = [[2, 0], [4, 0], [8, 0]], "
            "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0]], "
            "block = [[16, 0], [32, 0]]");
  EXPECT_EQ(textOf(makeBlocked({4096}, {4}, {0}, 4, 2)),
            "shape = [4096], register = [[1], [2], [512], [1024]], "
            "lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = [[2048]]");
  // One block bit finds no tile bit: both of its values hold the same.
  EXPECT_EQ(textOf(makeBlocked({2, 64}, {1, 1}, {1, 0}, 1, 8)),
            "shape = [2, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], "
            "warp = [], block = [[0, 32], [1, 0], [0, 0]]");
}

TEST(BlockedTest, EveryElementIsHeldEquallyOften) {
  for (const Shape &shape : sampleShapes()) {
    std::vector<unsigned> order(shape.size());
    std::iota(order.begin(), order.end(), 0u);
    do {
      for (int64_t perThread : {1, 2, 8}) {
        LinearLayout layout =
            makeBlocked(shape, std::vector<int64_t>(shape.size(), perThread), order, 2, 2);
        std::vector<unsigned> count(layout.numElements(), 0);
        uint64_t points = 0;
        forEachPoint(layout, [&](const HwPoint &p) {
          ++count[layout.applyFlat(p)];
          ++points;
        });
        for (unsigned times : count)
          EXPECT_EQ(times * layout.numElements(), points);
        EXPECT_EQ(layout.freeBits(InDim::Register), 0u) << "only threads replicate";
        if (!order.empty()) {
          EXPECT_GE(layout.contiguousRegisters(order[0]), std::min(perThread, shape[order[0]]));
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(BlockedTest, ReportsBadParameters) {
  auto errorOf = [](BlockedParams params) {
    std::string error;
    EXPECT_FALSE(blocked(params, error));
    return error;
  };
  BlockedParams good;
  good.shape = {8, 8};
  good.sizePerThread = {1, 2};
  good.order = {1, 0};
  BlockedParams p = good;
  p.shape = {8, 7};
  EXPECT_EQ(errorOf(p), "expected tile sizes to be powers of two, found [8, 7]");
  p = good;
  p.sizePerThread = {1};
  EXPECT_EQ(errorOf(p), "expected 2 entries in size per thread and order, found 1 and 2");
  p = good;
  p.order = {1, 1};
  EXPECT_EQ(errorOf(p), "expected order to name each dimension once, found 1");
  p.order = {2, 0};
  EXPECT_EQ(errorOf(p), "expected order to name each dimension once, found 2");
  p = good;
  p.sizePerThread = {1, 3};
  EXPECT_EQ(errorOf(p),
            "expected size per thread to be a power of two from 1 to 1073741824, found 3");
  p = good;
  p.numWarps = 0;
  EXPECT_EQ(errorOf(p),
            "expected the number of warps to be a power of two from 1 to 1024, found 0");
  p = good;
  p.numCTAs = -2;
  EXPECT_EQ(errorOf(p),
            "expected the number of blocks to be a power of two from 1 to 1024, found -2");
  p = good;
  p.threadsPerWarp = 2048;
  EXPECT_EQ(errorOf(p), "expected the number of threads in a warp to be a power of two from 1 to "
                        "1024, found 2048");
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// Calls \p check with random layouts of every sample shape.
template <typename Check> static void forRandomLayouts(Check check) {
  Rng rng(17);
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned i = 0; i < 6; ++i)
        check(randomLayout(rng, shape, mix, below(rng, 5), below(rng, 3), below(rng, 2), 2));
}

TEST(TransformsTest, ExpandAndSqueeze) {
  forRandomLayouts([](const LinearLayout &layout) {
    for (unsigned axis = 0; axis <= layout.rank(); ++axis) {
      LinearLayout expanded = expandDim(layout, axis);
      EXPECT_EQ(expanded.shape()[axis], 1);
      forEachPoint(layout, [&](const HwPoint &p) {
        Coords want = layout.apply(p);
        want.insert(want.begin() + axis, 0);
        ASSERT_EQ(expanded.apply(p), want);
      });
      EXPECT_EQ(squeezeDim(expanded, axis), layout);
    }
  });
}

TEST(TransformsTest, Permute) {
  forRandomLayouts([](const LinearLayout &layout) {
    std::vector<unsigned> order(layout.rank());
    std::iota(order.begin(), order.end(), 0u);
    do {
      LinearLayout permuted = permute(layout, order);
      for (unsigned i = 0; i < layout.rank(); ++i)
        EXPECT_EQ(permuted.shape()[i], layout.shape()[order[i]]);
      forEachPoint(layout, [&](const HwPoint &p) {
        Coords from = layout.apply(p), want;
        for (unsigned axis : order)
          want.push_back(from[axis]);
        ASSERT_EQ(permuted.apply(p), want);
      });
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

TEST(TransformsTest, ReshapeKeepsRowMajorOrder) {
  LinearLayout layout = makeBlocked({8, 16}, {1, 2}, {0, 1}, 2);
  for (const Shape &shape : {Shape{128}, Shape{2, 64}, Shape{4, 2, 16}, Shape{1, 128, 1}}) {
    LinearLayout reshaped = reshape(layout, shape);
    EXPECT_EQ(reshaped.shape(), shape);
    forEachPoint(layout, [&](const HwPoint &p) {
      uint64_t flat = 0;
      Coords coords = reshaped.apply(p);
      for (std::size_t i = 0; i < shape.size(); ++i)
        flat = flat * static_cast<uint64_t>(shape[i]) + static_cast<uint64_t>(coords[i]);
      ASSERT_EQ(flat, layout.applyFlat(p));
    });
    EXPECT_EQ(reshape(reshaped, {8, 16}), layout);
  }
}

TEST(TransformsTest, DropRegisters) {
  LinearLayout layout = make({4}, {{{{0}, {1}, {0}, {1}}, {{2}, {0}}, {}, {}}});
  EXPECT_EQ(dropZeroRegisters(layout).bases(InDim::Register), (std::vector<Coords>{{1}, {1}}));
  EXPECT_EQ(dropRedundantRegisters(layout).bases(InDim::Register), (std::vector<Coords>{{1}}));
  forRandomLayouts([](const LinearLayout &layout) {
    LinearLayout dropped = dropRedundantRegisters(layout);
    for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
      EXPECT_EQ(dropped.flatBases(dim), layout.flatBases(dim));
    std::set<uint64_t> before, after;
    for (uint32_t r = 0; r < layout.numRegisters(); ++r)
      before.insert(layout.applyFlat({r, 0, 0, 0}));
    for (uint32_t r = 0; r < dropped.numRegisters(); ++r)
      after.insert(dropped.applyFlat({r, 0, 0, 0}));
    EXPECT_EQ(after, before);
    EXPECT_EQ(after.size(), dropped.numRegisters());
  });
}

TEST(TransformsTest, ProjectAndReduce) {
  EXPECT_EQ(textOf(reduceDim(makeBlocked({32, 32}, {1, 4}, {1, 0}), 1)),
            "shape = [32], register = [[16]], lane = [[0], [0], [0], [1], [2]], "
            "warp = [[4], [8]], block = []");
  forRandomLayouts([](const LinearLayout &layout) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      LinearLayout projected = projectDim(layout, axis);
      EXPECT_EQ(projected.shape()[axis], 1);
      EXPECT_EQ(projected.freeBits(InDim::Register), 0u);
      // Every thread still has what its elements need, and nothing else.
      HwPoint p;
      for (p.block = 0; p.block < layout.size(InDim::Block); ++p.block)
        for (p.warp = 0; p.warp < layout.size(InDim::Warp); ++p.warp)
          for (p.lane = 0; p.lane < layout.size(InDim::Lane); ++p.lane) {
            std::set<Coords> want, have;
            for (p.reg = 0; p.reg < layout.numRegisters(); ++p.reg) {
              Coords coords = layout.apply(p);
              coords[axis] = 0;
              want.insert(coords);
            }
            for (p.reg = 0; p.reg < projected.numRegisters(); ++p.reg)
              have.insert(projected.apply(p));
            ASSERT_EQ(have, want);
            p.reg = 0;
          }
      EXPECT_EQ(reduceDim(layout, axis), squeezeDim(projected, axis));
    }
  });
}

TEST(TransformsTest, WidenFromLanes) {
  // The sums of a matrix instruction: 2 columns a lane, 4 lanes a row.
  LinearLayout sums = make(
      {16, 16}, {{{{0, 1}, {8, 0}, {0, 8}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}, {}}});
  EXPECT_EQ(
      textOf(*widenFromLanes(sums, 1)),
      "shape = [16, 16], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 8], [0, 4], [1, 0], "
      "[2, 0], [4, 0]], warp = [], block = []");
  // Behind that a lane has no more of the row to give.
  EXPECT_FALSE(widenFromLanes(*widenFromLanes(sums, 1), 1));
  // Rows are not next to each other in registers, but lanes have them: a register with further rows
  // changes places.
  EXPECT_EQ(
      textOf(*widenFromLanes(sums, 0)),
      "shape = [16, 16], register = [[1, 0], [0, 1], [0, 8]], lane = [[0, 2], [0, 4], [8, 0], "
      "[2, 0], [4, 0]], warp = [], block = []");
}

TEST(TransformsTest, BringIntoRegisters) {
  // Rows are shared by lanes: their bit changes places with the highest register bit.
  LinearLayout rows = makeBlocked({2, 256}, {1, 8}, {0, 1}, 1);
  EXPECT_EQ(textOf(rows),
            "shape = [2, 256], register = [[0, 1], [0, 2], [0, 4], [0, 128]], lane = [[1, 0], "
            "[0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []");
  EXPECT_EQ(
      textOf(*bringIntoRegisters(rows, 0)),
      "shape = [2, 256], register = [[0, 1], [0, 2], [0, 4], [1, 0]], lane = [[0, 128], [0, 8], "
      "[0, 16], [0, 32], [0, 64]], warp = [], block = []");
  EXPECT_FALSE(isInRegisters(rows, 0));
  EXPECT_FALSE(isInRegisters(rows, 1)); // In part alone.
  EXPECT_TRUE(isInRegisters(*bringIntoRegisters(rows, 0), 0));
  // And what else is wanted comes along, in place of what is wanted less.
  EXPECT_EQ(
      textOf(*bringIntoRegisters(rows, 0, {64, 4, 32, 16, 8})),
      "shape = [2, 256], register = [[0, 32], [0, 64], [0, 4], [1, 0]], lane = [[0, 128], [0, 8], "
      "[0, 16], [0, 1], [0, 2]], warp = [], block = []");
  // Nothing moves where the axis is in registers already.
  EXPECT_EQ(bringIntoRegisters(makeBlocked({2, 64}, {2, 1}, {0, 1}, 2), 0, {32}),
            makeBlocked({2, 64}, {2, 1}, {0, 1}, 2));
  // Of warps only those that share the axis do.
  LinearLayout columns = makeBlocked({2, 64}, {1, 2}, {1, 0}, 2);
  EXPECT_EQ(textOf(columns),
            "shape = [2, 64], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], "
            "[0, 32]], warp = [[1, 0]], block = []");
  EXPECT_EQ(
      textOf(*bringIntoRegisters(columns, 0)),
      "shape = [2, 64], register = [[1, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], "
      "warp = [[0, 1]], block = []");
  EXPECT_EQ(bringIntoRegisters(makeBlocked({2, 32}, {1, 1}, {1, 0}, 2), 0), std::nullopt);
  unsigned found = 0;
  forRandomLayouts([&found](const LinearLayout &layout) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      std::optional<LinearLayout> near = bringIntoRegisters(layout, axis);
      if (!near)
        continue;
      ++found;
      std::multiset<uint64_t> before, after;
      for (InDim dim : kAllInDims) {
        ASSERT_EQ(near->numBases(dim), layout.numBases(dim));
        before.insert(layout.flatBases(dim).begin(), layout.flatBases(dim).end());
        after.insert(near->flatBases(dim).begin(), near->flatBases(dim).end());
        for (uint64_t basis : near->flatBases(dim))
          ASSERT_TRUE(dim == InDim::Register || (basis & layout.axisMask(axis)) == 0);
      }
      ASSERT_EQ(before, after);
    }
  });
  EXPECT_GT(found, 0u);
}

TEST(TransformsTest, InsertInRegisters) {
  EXPECT_EQ(
      textOf(insertInRegisters(makeBlocked({64}, {2}, {0}, 1), 1, 2)),
      "shape = [64, 2], register = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], "
      "[32, 0]], warp = [], block = []");
  forRandomLayouts([](const LinearLayout &layout) {
    for (unsigned axis = 0; axis <= layout.rank(); ++axis) {
      LinearLayout wide = insertInRegisters(layout, axis, 4);
      for (uint32_t reg = 0; reg < wide.numRegisters(); ++reg) {
        Coords coords = wide.apply(reg, 1, 0, 0);
        ASSERT_EQ(coords[axis], int32_t(reg % 4));
        coords.erase(coords.begin() + axis);
        ASSERT_EQ(coords, layout.apply(reg / 4, 1, 0, 0));
      }
    }
  });
}

TEST(TransformsTest, InsertInLanesThatHoldTheSame) {
  // Of 32 lanes, four times eight hold the same: two bits of the new index are lanes, one a
  // register.
  LinearLayout few = makeBlocked({8}, {1}, {0}, 1);
  LinearLayout wide = insertInLanes(few, 1, 8);
  EXPECT_EQ(wide.numRegisters(), 2u);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 2; ++reg) {
      Coords coords = wide.apply(reg, lane, 0, 0);
      EXPECT_EQ(coords[0], few.apply(0, lane, 0, 0)[0]);
      EXPECT_EQ(coords[1], int32_t(lane >> 3 | reg << 2));
    }
  // Each lane has an element of its own: as insertInRegisters.
  LinearLayout full = makeBlocked({64}, {2}, {0}, 1);
  EXPECT_EQ(insertInLanes(full, 1, 2), insertInRegisters(full, 1, 2));
  EXPECT_EQ(insertInLanes(full, 0, 1), insertInRegisters(full, 0, 1));
}
