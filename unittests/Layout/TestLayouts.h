//===- TestLayouts.h - Layouts to test with ---------------------*- C++ -*-===//
//
// Builders that fail the test instead of returning nothing, enumeration of hardware points, and
// reproducible random layouts: the algebra is compared with what enumeration finds.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_UNITTESTS_LAYOUT_TESTLAYOUTS_H
#define TILEC_UNITTESTS_LAYOUT_TESTLAYOUTS_H

#include "tilec/Layout/LinearLayout.h"
#include "tilec/Layout/Transforms.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

namespace tilec::layout::test {

using FlatLists = LinearLayout::FlatBasisLists;
using Lists = LinearLayout::BasisLists;

inline LinearLayout make(const Shape &shape, const Lists &lists) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(shape, lists, error);
  EXPECT_TRUE(layout) << error;
  return layout ? *layout : LinearLayout();
}

inline LinearLayout makeFlat(const Shape &shape, const FlatLists &lists) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::createFlat(shape, lists, error);
  EXPECT_TRUE(layout) << error;
  return layout ? *layout : LinearLayout();
}

inline LinearLayout makeBlocked(const Shape &shape, const std::vector<int64_t> &sizePerThread,
                                const std::vector<unsigned> &order, int64_t numWarps = 4,
                                int64_t numCTAs = 1) {
  BlockedParams params;
  params.shape = shape;
  params.sizePerThread = sizePerThread;
  params.order = order;
  params.numWarps = numWarps;
  params.numCTAs = numCTAs;
  std::string error;
  std::optional<LinearLayout> layout = blocked(params, error);
  EXPECT_TRUE(layout) << error;
  return layout ? *layout : LinearLayout();
}

/// Calls \p visit with every hardware point, registers fastest.
template <typename Visitor> void forEachPoint(const LinearLayout &layout, Visitor visit) {
  HwPoint p;
  for (p.block = 0; p.block < layout.size(InDim::Block); ++p.block)
    for (p.warp = 0; p.warp < layout.size(InDim::Warp); ++p.warp)
      for (p.lane = 0; p.lane < layout.size(InDim::Lane); ++p.lane)
        for (p.reg = 0; p.reg < layout.numRegisters(); ++p.reg)
          visit(p);
}

using Rng = std::mt19937;

inline unsigned below(Rng &rng, unsigned limit) { return static_cast<unsigned>(rng() % limit); }

/// How the bits of a random layout are chosen.
enum class Mix { Permutation, General };

/// A random layout with the given numbers of lane, warp and block bits and as many registers as
/// needed, plus up to \p spareRegisterBits replicated ones. Permutation: every basis is zero or one
/// bit, each bit of the tile occurs once. General: arbitrary bases, made to cover the tile.
inline LinearLayout randomLayout(Rng &rng, const Shape &shape, Mix mix, unsigned laneBits,
                                 unsigned warpBits, unsigned blockBits,
                                 unsigned spareRegisterBits = 0) {
  unsigned tileBits = 0;
  for (int64_t size : shape)
    tileBits += log2Floor(static_cast<uint64_t>(size));
  std::vector<uint64_t> pool;
  for (unsigned i = 0; i < tileBits; ++i)
    pool.push_back(uint64_t(1) << i);
  // A few zeros stand for replication among threads.
  unsigned threadBits = laneBits + warpBits + blockBits;
  for (unsigned i = below(rng, 3); i > 0; --i)
    pool.push_back(0);
  while (pool.size() < threadBits)
    pool.push_back(0);
  for (unsigned i = spareRegisterBits ? below(rng, spareRegisterBits + 1) : 0; i > 0; --i)
    pool.push_back(0);
  std::shuffle(pool.begin(), pool.end(), rng);
  if (mix == Mix::General && tileBits > 0) {
    // Adding one entry to another keeps the span.
    for (unsigned i = 0; i < 3 * pool.size(); ++i) {
      unsigned a = below(rng, static_cast<unsigned>(pool.size()));
      unsigned b = below(rng, static_cast<unsigned>(pool.size()));
      if (a != b)
        pool[a] ^= pool[b];
    }
  }
  FlatLists lists;
  auto take = [&](InDim dim, std::size_t count) {
    auto &list = lists[static_cast<unsigned>(dim)];
    for (; count > 0; --count) {
      list.push_back(pool.back());
      pool.pop_back();
    }
  };
  take(InDim::Lane, laneBits);
  take(InDim::Warp, warpBits);
  take(InDim::Block, blockBits);
  take(InDim::Register, pool.size());
  return makeFlat(shape, lists);
}

/// Shapes of all ranks: single elements, less than a warp, more than the threads.
inline std::vector<Shape> sampleShapes() {
  return {{},      {1},    {2},      {16},    {64},     {256},     {1, 1},     {8, 1},
          {1, 32}, {4, 8}, {16, 16}, {64, 8}, {2, 128}, {2, 4, 8}, {1, 16, 4}, {4, 1, 2, 8}};
}

} // namespace tilec::layout::test

#endif // TILEC_UNITTESTS_LAYOUT_TESTLAYOUTS_H
