//===- Scan.cpp - In which order elements combine in a scan -----*- C++ -*-===//
//
// Makes the plan of a scan from a layout: each bit of the index along the axis belongs to one bit
// of the register, lane or warp number. A scan needs these bits in an order in which thread, warp
// and CTA can each finish their part before the next; for other layouts there is no plan, and the
// tile is converted first.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Scan.h"

#include <cassert>

namespace tilec::layout {

namespace {
/// The hardware bit that one bit of the axis belongs to.
struct Owner {
  InDim dim = InDim::Register;
  uint32_t mask = 0;
};
} // namespace

/// Finds the owner of each bit of the axis, low bits first; nothing if some has none or several.
static std::optional<std::vector<Owner>> ownersOf(const LinearLayout &layout, unsigned axis) {
  std::vector<Owner> owners(layout.axisBits(axis));
  for (InDim dim : kAllInDims)
    for (unsigned i = 0; i < layout.numBases(dim); ++i) {
      uint64_t basis = layout.flatBases(dim)[i];
      if ((basis & layout.axisMask(axis)) == 0)
        continue;
      if (!isPowerOf2(basis) || dim == InDim::Block)
        return std::nullopt;
      Owner &owner = owners[log2Floor(basis) - layout.axisShift(axis)];
      if (owner.mask != 0)
        return std::nullopt;
      owner = {dim, uint32_t(1) << i};
    }
  for (const Owner &owner : owners)
    if (owner.mask == 0)
      return std::nullopt;
  return owners;
}

std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis) {
  assert(axis < layout.rank() && "axis outside the tile");
  std::optional<std::vector<Owner>> owners = ownersOf(layout, axis);
  if (!owners)
    return std::nullopt;
  ScanPlan plan;
  std::vector<uint32_t> *parts[] = {&plan.lowRegisters, &plan.lanes, &plan.warps,
                                    &plan.highRegisters};
  constexpr InDim dims[] = {InDim::Register, InDim::Lane, InDim::Warp, InDim::Register};
  unsigned part = 0;
  uint32_t used = 0;
  for (const Owner &owner : *owners) {
    while (part < 4 && dims[part] != owner.dim)
      ++part;
    // Inside a warp, and among warps, order must be that of the numbers.
    if (part == 4 ||
        (!parts[part]->empty() && owner.dim != InDim::Register && owner.mask < parts[part]->back()))
      return std::nullopt;
    parts[part]->push_back(owner.mask);
    if (owner.dim == InDim::Register)
      used |= owner.mask;
  }
  for (unsigned i = 0; i < layout.numBases(InDim::Register); ++i)
    if ((used >> i & 1) == 0)
      plan.otherRegisters.push_back(uint32_t(1) << i);
  return plan;
}

} // namespace tilec::layout
