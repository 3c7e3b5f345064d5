//===- Scan.h - In which order elements combine in a scan -------*- C++ -*-===//
//
// Splits a scan along one dimension of a tile into steps inside a thread, between the lanes of a
// warp and between warps. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_SCAN_H
#define TILEC_LAYOUT_SCAN_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// The coordinate along the scanned axis, from its low bits to its high ones, as bits of hardware
/// coordinates: first some of the register, then of the lane, then of the warp, then again of the
/// register. Entry i of each list is the mask (one bit) of the i-th bit of its part.
struct ScanPlan {
  std::vector<uint32_t> lowRegisters;
  std::vector<uint32_t> lanes;
  std::vector<uint32_t> warps;
  std::vector<uint32_t> highRegisters;
  /// The register bits that move across the axis, and those that hold copies.
  std::vector<uint32_t> otherRegisters;
};

/// Plans the scan of a tile along \p axis (below the rank). Nothing if the layout has another form:
/// a bit moves along the axis and another dimension, or along several bits of the axis, at once; a
/// bit of the axis belongs to several bits, or to CTAs of the cluster; or their order is another.
/// The layouts that blocked() makes with the axis first in their order have this form unless the
/// CTAs share the axis.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis);

/// The steps of a scan along an axis with a plan, each a tile whose axis is shorter: a group is
/// what a thread holds next to each other, a part what a warp does.
struct ScanSteps {
  /// Elements of a group, groups of a part, and parts along the axis.
  int64_t groupSize = 1, partSize = 1, numParts = 1;
  /// One element for each group, where the group is.
  LinearLayout groups;
  /// One element for each part; each thread has those of all parts, for what else it holds.
  LinearLayout parts;
};

ScanSteps scanSteps(const LinearLayout &layout, unsigned axis, const ScanPlan &plan);

/// For each register of \p layout, the register that holds its group.
std::vector<uint32_t> groupsOfRegisters(const LinearLayout &layout, unsigned axis,
                                        const ScanSteps &steps);

/// The register of parts for register \p reg of groups, where the number of the part's warp along
/// the axis is \p warp of \p numWarps.
uint32_t partOfGroup(const ScanSteps &steps, unsigned axis, uint32_t reg, uint32_t warp);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_SCAN_H
