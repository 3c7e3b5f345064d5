//===- Reduction.cpp - Which elements combine in a reduction ----*- C++ -*-===//
//
// A flat index splits into the coordinate along the reduced axis and the rest. A thread can combine
// registers whose rest is equal. For the steps between threads to be right for every operator, each
// element must be counted exactly once: the axis coordinates that the registers, then the lanes,
// the warps and the blocks add must be independent and together make up the whole axis.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Reduction.h"

#include "tilec/Layout/Transforms.h"

#include <algorithm>
#include <cassert>

namespace tilec::layout {

/// Returns every sum of some of \p basis; entry i sums those that the bits of i select.
static std::vector<uint64_t> spanOf(const std::vector<uint64_t> &basis) {
  std::vector<uint64_t> span = {0};
  for (uint64_t v : basis) {
    std::size_t count = span.size();
    for (std::size_t i = 0; i < count; ++i)
      span.push_back(span[i] ^ v);
  }
  return span;
}

/// Finds register sums that move only along the axis, one for each axis coordinate that the
/// registers of a thread reach, and adds those coordinates to \p covered.
static std::vector<uint64_t> axisRegisterMoves(const LinearLayout &layout, uint64_t axisMask,
                                               F2Basis &covered) {
  std::vector<uint64_t> rest;
  for (uint64_t basis : layout.flatBases(InDim::Register))
    rest.push_back(basis & ~axisMask);
  std::vector<uint64_t> moves;
  // A move that repeats a coordinate would count an element twice: replicas are left out.
  for (uint64_t move : F2Matrix(layout.tileBits(), rest).kernelBasis())
    if (covered.insert(layout.applyFlat(InDim::Register, static_cast<uint32_t>(move))))
      moves.push_back(move);
  return moves;
}

/// Collects the bits of \p dim to combine over. Returns false if a bit mixes the axis with others.
static bool axisBitMasks(const LinearLayout &layout, InDim dim, uint64_t axisMask, F2Basis &covered,
                         std::vector<uint32_t> &masks) {
  const std::vector<uint64_t> &bases = layout.flatBases(dim);
  for (unsigned i = 0; i < bases.size(); ++i) {
    bool alongAxis = (bases[i] & axisMask) != 0;
    if (alongAxis && (bases[i] & ~axisMask) != 0)
      return false;
    if (alongAxis && covered.insert(bases[i]))
      masks.push_back(uint32_t(1) << i);
  }
  return true;
}

/// The register of \p layout at which each register of reduceDim starts: its bits are those of the
/// register bases that stay independent without the axis.
static std::vector<uint64_t> resultRegisters(const LinearLayout &layout, uint64_t axisMask) {
  F2Basis seen;
  std::vector<uint64_t> keptBits;
  for (unsigned i = 0; i < layout.numBases(InDim::Register); ++i)
    if (seen.insert(layout.flatBases(InDim::Register)[i] & ~axisMask))
      keptBits.push_back(uint64_t(1) << i);
  return spanOf(keptBits);
}

std::optional<ReductionPlan> planReduction(const LinearLayout &layout, unsigned axis) {
  assert(axis < layout.rank() && "axis outside the tile");
  uint64_t axisMask = layout.axisMask(axis);
  ReductionPlan plan;
  F2Basis covered;
  std::vector<uint64_t> moves = axisRegisterMoves(layout, axisMask, covered);
  if (!axisBitMasks(layout, InDim::Lane, axisMask, covered, plan.laneMasks) ||
      !axisBitMasks(layout, InDim::Warp, axisMask, covered, plan.warpMasks) ||
      !axisBitMasks(layout, InDim::Block, axisMask, covered, plan.blockMasks) ||
      covered.dim() != layout.axisBits(axis))
    return std::nullopt;

  plan.result = reduceDim(layout, axis);
  std::vector<uint64_t> offsets = spanOf(moves);
  auto axisCoord = [&](uint32_t reg) { return layout.applyFlat(InDim::Register, reg) & axisMask; };
  for (uint64_t first : resultRegisters(layout, axisMask)) {
    std::vector<uint32_t> group;
    for (uint64_t offset : offsets)
      group.push_back(static_cast<uint32_t>(first ^ offset));
    std::sort(group.begin(), group.end(),
              [&](uint32_t a, uint32_t b) { return axisCoord(a) < axisCoord(b); });
    plan.registerGroups.push_back(std::move(group));
  }
  return plan;
}

LinearLayout partialLayout(const ReductionPlan &plan) {
  Shape shape = plan.result.shape();
  for (uint32_t parts : {plan.numBlockParts(), plan.numWarpParts()})
    if (parts > 1)
      shape.push_back(parts);
  unsigned warpShift = 0, blockShift = unsigned(plan.warpMasks.size());
  unsigned resultShift = blockShift + unsigned(plan.blockMasks.size());
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    for (uint64_t basis : plan.result.flatBases(dim))
      bases[unsigned(dim)].push_back(basis << resultShift);
  auto addParts = [&](InDim dim, const std::vector<uint32_t> &masks, unsigned shift) {
    for (std::size_t i = 0; i < masks.size(); ++i)
      bases[unsigned(dim)][log2Floor(masks[i])] |= uint64_t(1) << (shift + i);
  };
  addParts(InDim::Warp, plan.warpMasks, warpShift);
  addParts(InDim::Block, plan.blockMasks, blockShift);
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::createFlat(shape, std::move(bases), error);
  assert(layout && "the parts of a result are a tile");
  return *layout;
}

} // namespace tilec::layout
