//===- SwizzleTest.cpp - Bank-conflict-free placement in shared memory -*- C++ -*-===//
//
// Every plan is carried out on simulated shared memories: what is loaded must be what the layouts
// say, accesses must be aligned, and the wavefronts, counted bank by bank, must be as announced.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Swizzle.h"

#include "tilec/Layout/Conversion.h"

#include "TestLayouts.h"

#include <map>
#include <set>

using namespace tilec::layout;
using namespace tilec::layout::test;

static SharedPlan planOf(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                         unsigned maxVecBits = 128) {
  std::string error;
  std::optional<SharedPlan> plan = chooseSwizzle(src, dst, elementBits, error, maxVecBits);
  EXPECT_TRUE(plan) << error;
  return plan ? *plan : SharedPlan();
}

static uint64_t offsetAt(const LinearLayout &layout, const SharedLayout &shared, const HwPoint &p) {
  uint64_t offset = 0;
  uint32_t values[] = {p.reg, p.lane, p.warp, p.block};
  for (InDim dim : kAllInDims) {
    std::vector<uint64_t> bases = shared.offsetBases(layout, dim);
    for (std::size_t i = 0; i < bases.size(); ++i)
      if ((values[static_cast<unsigned>(dim)] >> i) & 1)
        offset ^= bases[i];
  }
  EXPECT_EQ(offset, shared.offset(layout.applyFlat(p)));
  return offset;
}

/// Counts the wavefronts of one access by a warp from the hardware's rules.
static unsigned countWavefronts(const std::vector<uint64_t> &laneOffsets, unsigned elementBits,
                                unsigned vecElems) {
  unsigned accessBytes = elementBits / 8 * vecElems;
  std::size_t phaseLanes = accessBytes <= 4 ? 32 : 128 / accessBytes;
  unsigned total = 0;
  for (std::size_t start = 0; start < laneOffsets.size(); start += phaseLanes) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    for (std::size_t i = start; i < std::min(start + phaseLanes, laneOffsets.size()); ++i)
      for (unsigned byte = 0; byte < accessBytes; ++byte) {
        uint64_t word = (laneOffsets[i] * (elementBits / 8) + byte) / 4;
        wordsOfBank[word % 32].insert(word);
      }
    std::size_t worst = 0;
    for (const auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, words.size());
    total += static_cast<unsigned>(worst);
  }
  return total;
}

/// Visits every access of every thread: point of its first register, registers, offset.
template <typename Visitor>
static void forEachAccess(const LinearLayout &layout, const SharedLayout &shared,
                          const SharedAccess &access, unsigned elementBits, Visitor visit) {
  for (const std::vector<uint32_t> &registers : access.vectors) {
    ASSERT_EQ(registers.size(), access.vecElems);
    for (uint32_t block = 0; block < layout.size(InDim::Block); ++block)
      for (uint32_t warp = 0; warp < layout.size(InDim::Warp); ++warp) {
        std::vector<uint64_t> laneOffsets;
        for (uint32_t lane = 0; lane < layout.size(InDim::Lane); ++lane) {
          HwPoint p{registers[0], lane, warp, block};
          laneOffsets.push_back(offsetAt(layout, shared, p));
          visit(p, registers, laneOffsets.back());
        }
        ASSERT_EQ(countWavefronts(laneOffsets, elementBits, access.vecElems), access.wavefronts);
      }
  }
}

static void checkPlan(const LinearLayout &src, const LinearLayout &dst, const SharedPlan &plan,
                      unsigned elementBits) {
  const SharedLayout &shared = plan.layout;
  SCOPED_TRACE("from {" + src.toString() + "} to {" + dst.toString() + "}");
  constexpr uint64_t kEmpty = ~uint64_t(0);
  std::vector<std::vector<uint64_t>> memory(src.size(InDim::Block),
                                            std::vector<uint64_t>(shared.numElements(), kEmpty));
  forEachAccess(src, shared, plan.store, elementBits,
                [&](HwPoint p, const std::vector<uint32_t> &registers, uint64_t offset) {
                  ASSERT_EQ(offset % plan.store.vecElems, 0u) << "misaligned store";
                  for (uint32_t reg : registers) {
                    p.reg = reg;
                    uint64_t element = src.applyFlat(p);
                    uint64_t &cell = memory[p.block][offset++];
                    ASSERT_TRUE(cell == kEmpty || cell == element) << "two elements in one place";
                    cell = element;
                  }
                });
  std::set<uint32_t> loaded;
  forEachAccess(dst, shared, plan.load, elementBits,
                [&](HwPoint p, const std::vector<uint32_t> &registers, uint64_t offset) {
                  ASSERT_EQ(offset % plan.load.vecElems, 0u) << "misaligned load";
                  uint64_t owner = shared.toBlock.apply(dst.applyFlat(p));
                  if (!conversionCrossesBlocks(src, dst))
                    owner = p.block;
                  for (uint32_t reg : registers) {
                    p.reg = reg;
                    loaded.insert(reg);
                    ASSERT_EQ(memory[owner][offset++], dst.applyFlat(p));
                  }
                });
  EXPECT_EQ(loaded.size(), dst.numRegisters());
  EXPECT_EQ(plan.load.vectors.size() * plan.load.vecElems, dst.numRegisters());
  EXPECT_EQ(plan.store.vectors.size() * plan.store.vecElems,
            src.numRegisters() >> popCount(src.freeBits(InDim::Register)))
      << "a thread stores each of its elements once";
}

//===----------------------------------------------------------------------===//
// Cost functions
//===----------------------------------------------------------------------===//

TEST(SwizzleTest, CountsConflictsOfPlainRowMajor) {
  SharedLayout plain = SharedLayout::rowMajor({32, 32});
  LinearLayout rows = makeBlocked({32, 32}, {1, 1}, {1, 0});
  LinearLayout columns = makeBlocked({32, 32}, {1, 1}, {0, 1});
  EXPECT_EQ(bankConflicts(rows, plain, 32, 1), 1u);
  EXPECT_EQ(bankConflicts(columns, plain, 32, 1), 32u);
  EXPECT_EQ(bankConflicts(columns, plain, 16, 1), 16u);
  EXPECT_EQ(bankConflicts(columns, plain, 8, 1), 8u);
  EXPECT_EQ(bankConflicts(columns, plain, 64, 1), 32u);
  EXPECT_EQ(bankConflicts(makeBlocked({32, 32}, {1, 4}, {1, 0}), plain, 32, 4), 4u);
  EXPECT_EQ(plain.numElements(), 1024u);
  EXPECT_EQ(minWavefronts(32, 1), 1u);
  EXPECT_EQ(minWavefronts(8, 2), 1u);
  EXPECT_EQ(minWavefronts(32, 2), 2u);
  EXPECT_EQ(minWavefronts(16, 8), 4u);
  EXPECT_EQ(minWavefronts(128, 1), 4u);
  EXPECT_EQ(minWavefronts(32, 4, 4), 1u);
}

//===----------------------------------------------------------------------===//
// Transposition, the case that matters most
//===----------------------------------------------------------------------===//

namespace {
struct TransposeCase {
  Shape shape;
  unsigned elementBits;
  int64_t srcVec;
  int64_t dstVec;
};
} // namespace

static std::vector<TransposeCase> transposeCases() {
  std::vector<TransposeCase> cases;
  for (const Shape &shape : {Shape{32, 32}, Shape{64, 64}, Shape{128, 32}, Shape{32, 128}})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (int64_t srcVec : {int64_t(1), int64_t(128 / bits)})
        for (int64_t dstVec : {int64_t(1), int64_t(128 / bits)})
          cases.push_back({shape, bits, srcVec, dstVec});
  return cases;
}

TEST(SwizzleTest, TransposesAreFreeOfConflicts) {
  for (const TransposeCase &c : transposeCases())
    for (int64_t warps : {1, 4, 8}) {
      LinearLayout rows = makeBlocked(c.shape, {1, c.srcVec}, {1, 0}, warps);
      LinearLayout columns = makeBlocked(c.shape, {c.dstVec, 1}, {0, 1}, warps);
      SharedPlan plan = planOf(rows, columns, c.elementBits);
      checkPlan(rows, columns, plan, c.elementBits);
      EXPECT_EQ(plan.store.wavefronts, plan.store.minWavefronts) << c.elementBits;
      EXPECT_EQ(plan.load.wavefronts, plan.load.minWavefronts) << c.elementBits;
      // One side can use whole vectors; only in replicated tiles is another split cheaper.
      if (!rows.hasReplication() && !columns.hasReplication()) {
        EXPECT_GE(plan.store.vecElems * plan.load.vecElems, std::max(c.srcVec, c.dstVec));
      }
    }
}

TEST(SwizzleTest, SharedDirectionVectorisesBothSides) {
  // Same direction of registers, lanes go elsewhere.
  LinearLayout a = makeBlocked({64, 64}, {1, 4}, {1, 0});
  LinearLayout b = makeBlocked({64, 64}, {1, 4}, {0, 1});
  for (auto [src, dst] : {std::pair(a, b), std::pair(b, a)}) {
    SharedPlan plan = planOf(src, dst, 32);
    checkPlan(src, dst, plan, 32);
    EXPECT_EQ(plan.store.vecElems, 4u);
    EXPECT_EQ(plan.load.vecElems, 4u);
    EXPECT_EQ(plan.store.wavefronts, 4u);
    EXPECT_EQ(plan.load.wavefronts, 4u);
    SharedPlan narrow = planOf(src, dst, 32, 64);
    checkPlan(src, dst, narrow, 32);
    EXPECT_EQ(narrow.store.vecElems, 2u);
  }
}

TEST(SwizzleTest, BlocksShareNoMemory) {
  LinearLayout rows = makeBlocked({64, 64}, {1, 4}, {1, 0}, 4, 2);
  LinearLayout other = makeBlocked({64, 64}, {1, 1}, {1, 0}, 4, 2);
  ASSERT_FALSE(conversionCrossesBlocks(rows, other));
  SharedPlan plan = planOf(rows, other, 32);
  EXPECT_EQ(plan.layout.numElements(), 2048u) << "each block stores its half";
  checkPlan(rows, other, plan, 32);
  LinearLayout columns = makeBlocked({64, 64}, {4, 1}, {0, 1}, 4, 2);
  ASSERT_TRUE(conversionCrossesBlocks(rows, columns));
  checkPlan(rows, columns, planOf(rows, columns, 32), 32);
}

TEST(SwizzleTest, RandomPlansAreRight) {
  Rng rng(9);
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned elementBits : {8u, 16u, 32u, 64u, 128u})
        for (unsigned i = 0; i < 4; ++i) {
          unsigned lanes = below(rng, 2) ? 5 : below(rng, 5);
          unsigned warps = below(rng, 3), blocks = below(rng, 3);
          LinearLayout src = randomLayout(rng, shape, mix, lanes, warps, blocks, 1);
          LinearLayout dst = randomLayout(rng, shape, mix, lanes, warps, blocks, 1);
          SharedPlan plan = planOf(src, dst, elementBits);
          checkPlan(src, dst, plan, elementBits);
          EXPECT_GE(accessCost(plan.load, dst.numRegisters()),
                    leastAccessCost(dst, elementBits, plan.load.vecElems, dst.numRegisters()));
          checkPlan(src, src, planOf(src, src, elementBits), elementBits);
          if (!conversionCrossesBlocks(src, dst)) {
            // The accesses follow from the placement alone, and are no worse than planned with it.
            SharedPlan again = plan;
            again.store = planAccess(src, plan.layout, elementBits, /*isStore=*/true);
            again.load = planAccess(dst, plan.layout, elementBits, /*isStore=*/false);
            checkPlan(src, dst, again, elementBits);
            EXPECT_LE(again.load.vectors.size() * again.load.wavefronts,
                      plan.load.vectors.size() * (plan.load.wavefronts + 1));
          }
        }
}

TEST(SwizzleTest, PlacesInOrderWithoutGaps) {
  Rng rng(11);
  for (const Shape &shape : sampleShapes())
    for (Mix mix : {Mix::Permutation, Mix::General})
      for (unsigned i = 0; i < 6; ++i) {
        LinearLayout layout =
            randomLayout(rng, shape, mix, below(rng, 6), below(rng, 3), below(rng, 3), 1);
        std::vector<unsigned> order(layout.tileBits());
        for (unsigned bit = 0; bit < order.size(); ++bit)
          order[bit] = bit;
        std::shuffle(order.begin(), order.end(), rng);
        SharedPlan plan;
        plan.layout = placeInOrder(layout, order);
        plan.store = planAccess(layout, plan.layout, 32, /*isStore=*/true);
        plan.load = planAccess(layout, plan.layout, 32, /*isStore=*/false);
        checkPlan(layout, layout, plan, 32);
      }
}

TEST(SwizzleTest, PlacesTheFirstBitLowest) {
  LinearLayout rows = makeBlocked({4, 8}, {1, 1}, {1, 0}, 1);
  // The rows' bits first: neighbours in a column are neighbours in memory.
  SharedLayout byColumn = placeInOrder(rows, {3, 4, 0, 1, 2});
  EXPECT_EQ(byColumn.toOffset.columns(), (std::vector<uint64_t>{4, 8, 16, 1, 2}));
  // What blocks add is left out.
  LinearLayout halves = make({4}, {{{{1}}, {}, {}, {{2}}}});
  EXPECT_EQ(placeInOrder(halves, {0, 1}).toOffset.columns(), (std::vector<uint64_t>{1, 0}));
}

TEST(SwizzleTest, PlacesCopiesOfNeighbouringThreadsSideBySide) {
  // Registers {1, 2} and 256, lanes 4 to 64, a warp bit 128, as a copy of four registers: in order
  // of the index.
  LinearLayout spread =
      make({512}, {{{{1}, {2}, {256}}, {{4}, {8}, {16}, {32}, {64}}, {{128}}, {}}});
  EXPECT_EQ(placeByThread(spread, 4).toOffset.columns(),
            (std::vector<uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
  // As copies of one register, the second register comes after all threads.
  EXPECT_EQ(placeByThread(spread, 1).toOffset.columns(),
            (std::vector<uint64_t>{64, 128, 1, 2, 4, 8, 16, 32, 256}));
  // Threads that hold copies of elements have no place of their own, and blocks have their own
  // elements only.
  LinearLayout shared = make({4}, {{{}, {{0}, {1}}, {}, {{2}}}});
  EXPECT_EQ(placeByThread(shared, 1).toOffset.columns(), (std::vector<uint64_t>{1, 0}));
  Rng rng(12);
  for (unsigned i = 0; i < 50; ++i) {
    LinearLayout layout = randomLayout(rng, {32, 64}, Mix::Permutation, 5, 2, 0);
    for (unsigned width : {1u, 2u, 4u}) {
      if (width > layout.numRegisters())
        continue;
      SharedPlan plan;
      plan.layout = placeByThread(layout, width);
      plan.store = planAccess(layout, plan.layout, 32, /*isStore=*/true);
      plan.load = planAccess(layout, plan.layout, 32, /*isStore=*/false);
      EXPECT_EQ(plan.load.wavefronts, plan.load.minWavefronts);
      if (!layout.hasReplication()) {
        EXPECT_GE(plan.load.vecElems, width);
      }
      checkPlan(layout, layout, plan, 32);
    }
  }
}

TEST(SwizzleTest, NeighboursInTheBuffer) {
  LinearLayout layout = make({64}, {{{{1}, {2}, {32}}, {{4}, {8}, {16}}, {}, {}}});
  SharedLayout map = SharedLayout::rowMajor({64});
  EXPECT_EQ(neighboursIn(map, layout, 8), 4) << "the next register is 32 elements on";
  EXPECT_EQ(neighboursIn(map, layout, 2), 2) << "no more than asked for";
  // The second register is where another lane has its first.
  SharedLayout apart = placeInOrder(layout, {0, 2, 1, 3, 4, 5});
  EXPECT_EQ(neighboursIn(apart, layout, 8), 2);
  // A lane that moves by one element leaves no two registers side by side.
  SharedLayout swapped = placeInOrder(layout, {2, 0, 1, 3, 4, 5});
  EXPECT_EQ(neighboursIn(swapped, layout, 8), 1);
}

TEST(SwizzleTest, RandomPermutationsRarelyConflict) {
  // Two phases of at most a row each always have a common swizzle when neither side needs
  // alignment, so scalar plans never conflict, whatever the layouts.
  Rng rng(10);
  for (Mix mix : {Mix::Permutation, Mix::General})
    for (unsigned elementBits : {8u, 16u, 32u, 64u})
      for (unsigned i = 0; i < 25; ++i) {
        LinearLayout src = randomLayout(rng, {32, 64}, mix, 5, 2, 0);
        LinearLayout dst = randomLayout(rng, {32, 64}, mix, 5, 2, 0);
        SharedPlan plan = planOf(src, dst, elementBits, elementBits);
        EXPECT_EQ(plan.store.wavefronts, plan.store.minWavefronts);
        EXPECT_EQ(plan.load.wavefronts, plan.load.minWavefronts);
        checkPlan(src, dst, plan, elementBits);
      }
}

TEST(SwizzleTest, ReportsBadArguments) {
  std::string error;
  LinearLayout a = make({4}, {{{{1}}, {{2}}, {}, {}}});
  EXPECT_FALSE(chooseSwizzle(a, a, 1, error));
  EXPECT_EQ(error, "expected elements of 8, 16, 32, 64 or 128 bits, found 1");
  EXPECT_FALSE(chooseSwizzle(a, a, 24, error));
  EXPECT_FALSE(chooseSwizzle(a, a, 256, error));
  EXPECT_FALSE(chooseSwizzle(a, make({4}, {{{{1}}, {}, {{2}}, {}}}), 32, error));
  EXPECT_EQ(error, "expected layouts with the same number of lanes, found 2 and 1");
}
