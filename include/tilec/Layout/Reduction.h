//===- Reduction.h - Which elements combine in a reduction ------*- C++ -*-===//
//
// Splits a reduction along one dimension of a tile into steps inside a thread, between the lanes of
// a warp, between warps and between blocks. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_REDUCTION_H
#define TILEC_LAYOUT_REDUCTION_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// The steps of a reduction, in order. After them every lane, warp and block that takes part holds
/// the result, laid out as `result`; elements that a layout repeats are combined only once.
struct ReductionPlan {
  /// reduceDim(layout, axis).
  LinearLayout result;
  /// For each register of `result`, the registers to combine in the thread, by ascending coordinate
  /// along the axis as lane 0 of warp 0 sees it. All groups have the same size.
  std::vector<std::vector<uint32_t>> registerGroups;
  /// XOR masks of the butterfly shuffles, each one lane bit, lowest first.
  std::vector<uint32_t> laneMasks;
  /// Warps that differ only in these bits combine; each mask is one bit, lowest first.
  std::vector<uint32_t> warpMasks;
  /// Likewise for the blocks of a cluster.
  std::vector<uint32_t> blockMasks;

  /// Number of partial results that meet in the warp step, and in the block step.
  uint32_t numWarpParts() const { return uint32_t(1) << warpMasks.size(); }
  uint32_t numBlockParts() const { return uint32_t(1) << blockMasks.size(); }
};

/// Plans the reduction of a tile along \p axis (below the rank). Nothing if the layout is not
/// separable there: a lane, warp or block bit moves along the axis and another dimension at once,
/// or the elements of one result lie in different registers of different lanes. Convert the layout
/// first, for instance to one from blocked(), which always is separable.
std::optional<ReductionPlan> planReduction(const LinearLayout &layout, unsigned axis);

/// The layout of the partial results that warps and blocks have after the steps inside a warp:
/// `result` with a dimension for the blocks' parts behind it and then one for the warps', each left
/// out where it would have one element. Bit i of a part's number is the bit of the warp or block
/// that mask i names.
LinearLayout partialLayout(const ReductionPlan &plan);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_REDUCTION_H
