//===- Scan.cpp - In which order elements combine in a scan -----*- C++ -*-===//
//
// Makes the plan of a scan from a layout: each bit of the index along the axis belongs to one bit
// of the register, lane or warp number. A scan needs these bits in an order in which thread, warp
// and CTA can each finish their part before the next; for other layouts there is no plan, and the
// tile is converted first.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Scan.h"

#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Transforms.h"

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

/// \p layout with \p axis split in two dimensions, the second of \p size elements.
static LinearLayout splitAxis(const LinearLayout &layout, unsigned axis, int64_t size) {
  Shape shape = layout.shape();
  shape[axis] /= size;
  shape.insert(shape.begin() + axis + 1, size);
  return reshape(layout, shape);
}

ScanSteps scanSteps(const LinearLayout &layout, unsigned axis, const ScanPlan &plan) {
  ScanSteps steps;
  steps.groupSize = int64_t(1) << plan.lowRegisters.size();
  steps.partSize = int64_t(1) << plan.lanes.size();
  steps.numParts = int64_t(1) << (plan.warps.size() + plan.highRegisters.size());
  steps.groups = reduceDim(splitAxis(layout, axis, steps.groupSize), axis + 1);
  steps.parts = insertInRegisters(reduceDim(steps.groups, axis), axis, steps.numParts);
  return steps;
}

std::vector<uint32_t> groupsOfRegisters(const LinearLayout &layout, unsigned axis,
                                        const ScanSteps &steps) {
  std::optional<std::vector<uint32_t>> registers =
      broadcastMap(expandDim(steps.groups, axis + 1), splitAxis(layout, axis, steps.groupSize));
  assert(registers && "each thread holds the groups of its elements");
  return *registers;
}

uint32_t partOfGroup(const ScanSteps &steps, unsigned axis, uint32_t reg, uint32_t warp) {
  // The flat index of the part: that of the group, with the lanes' bits taken out.
  uint64_t flat = steps.groups.applyFlat(InDim::Register, reg);
  unsigned shift = steps.parts.axisShift(axis), lanes = log2Floor(uint64_t(steps.partSize));
  uint64_t below = flat & ((uint64_t(1) << shift) - 1), above = flat >> (shift + lanes) << shift;
  return pointOf(steps.parts, (below | above) ^ uint64_t(warp) << shift).reg;
}

} // namespace tilec::layout
