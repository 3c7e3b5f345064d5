//===- Transforms.cpp - Layouts made from parameters or layouts -*- C++ -*-===//
//
// Each transform rewrites the bases bit by bit and builds a new layout through the checked factory,
// so that a mistake here cannot yield a layout that misses elements.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Transforms.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <utility>

namespace tilec::layout {

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

static bool verifyCount(const char *name, int64_t count, std::string &error, int64_t most = 1024) {
  if (count > 0 && isPowerOf2(static_cast<uint64_t>(count)) && count <= most)
    return true;
  error = std::string("expected ") + name + " to be a power of two from 1 to " +
          std::to_string(most) + ", found " + std::to_string(count);
  return false;
}

static bool verifyParams(const BlockedParams &params, std::string &error) {
  std::size_t rank = params.shape.size();
  if (!LinearLayout::verifyShape(params.shape, error))
    return false;
  if (params.sizePerThread.size() != rank || params.order.size() != rank) {
    error = "expected " + std::to_string(rank) + " entries in size per thread and order, found " +
            std::to_string(params.sizePerThread.size()) + " and " +
            std::to_string(params.order.size());
    return false;
  }
  std::vector<bool> seen(rank, false);
  for (unsigned axis : params.order) {
    if (axis >= rank || seen[axis]) {
      error = "expected order to name each dimension once, found " + std::to_string(axis);
      return false;
    }
    seen[axis] = true;
  }
  for (int64_t size : params.sizePerThread)
    if (!verifyCount("size per thread", size, error, int64_t(1) << LinearLayout::kMaxTileBits))
      return false;
  return verifyCount("the number of warps", params.numWarps, error) &&
         verifyCount("the number of blocks", params.numCTAs, error) &&
         verifyCount("the number of threads in a warp", params.threadsPerWarp, error);
}

namespace {
/// Hands out the bits of a tile's dimensions, from the bottom or from the top of each.
class BitAllocator {
public:
  explicit BitAllocator(const BlockedParams &params) : order(params.order) {
    unsigned shift = 0;
    shifts.resize(params.shape.size());
    next.resize(params.shape.size(), 0);
    end.resize(params.shape.size());
    for (std::size_t i = params.shape.size(); i-- > 0;) {
      shifts[i] = shift;
      end[i] = log2Floor(static_cast<uint64_t>(params.shape[i]));
      shift += end[i];
    }
  }

  /// Moves up to \p count of the lowest free bits of \p axis to \p bases.
  void takeLow(unsigned axis, unsigned count, std::vector<uint64_t> &bases) {
    for (; count > 0 && next[axis] < end[axis]; --count)
      bases.push_back(uint64_t(1) << (shifts[axis] + next[axis]++));
  }

  /// Appends \p count bits, fastest dimension first; zeros once the tile is used up.
  void fill(unsigned count, std::vector<uint64_t> &bases) {
    std::size_t goal = bases.size() + count;
    for (unsigned axis : order)
      takeLow(axis, static_cast<unsigned>(goal - bases.size()), bases);
    bases.resize(goal, 0);
  }

  /// Appends \p count bits from the top of the slowest dimension on; zeros once there are none.
  void fillFromTop(unsigned count, std::vector<uint64_t> &bases) {
    std::size_t start = bases.size();
    for (std::size_t i = order.size(); i-- > 0;) {
      unsigned axis = order[i];
      while (bases.size() - start < count && next[axis] < end[axis])
        bases.push_back(uint64_t(1) << (shifts[axis] + --end[axis]));
    }
    // The lowest bit of the block number selects the lowest of the bits taken, so that neighbouring
    // blocks hold neighbouring parts.
    std::reverse(bases.begin() + static_cast<std::ptrdiff_t>(start), bases.end());
    bases.resize(start + count, 0);
  }

  /// Appends every bit that is left, fastest dimension first.
  void takeRest(std::vector<uint64_t> &bases) {
    for (unsigned axis : order)
      takeLow(axis, end[axis] - next[axis], bases);
  }

private:
  std::vector<unsigned> order;
  std::vector<unsigned> shifts;
  /// The free bits of each dimension are next .. end-1.
  std::vector<unsigned> next;
  std::vector<unsigned> end;
};
} // namespace

std::optional<LinearLayout> blocked(const BlockedParams &params, std::string &error) {
  if (!verifyParams(params, error))
    return std::nullopt;
  BitAllocator allocator(params);
  LinearLayout::FlatBasisLists bases;
  auto &[registers, lanes, warps, blocks] = bases;
  for (unsigned axis : params.order)
    allocator.takeLow(axis, log2Floor(static_cast<uint64_t>(params.sizePerThread[axis])),
                      registers);
  allocator.fill(log2Floor(static_cast<uint64_t>(params.threadsPerWarp)), lanes);
  allocator.fill(log2Floor(static_cast<uint64_t>(params.numWarps)), warps);
  allocator.fillFromTop(log2Floor(static_cast<uint64_t>(params.numCTAs)), blocks);
  allocator.takeRest(registers);
  return LinearLayout::createFlat(params.shape, std::move(bases), error);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// Rebuilds \p layout with another shape and every flat index sent through \p map, which must be
/// linear and onto.
static LinearLayout mapBases(const LinearLayout &layout, const Shape &shape,
                             const std::function<uint64_t(uint64_t)> &map) {
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    for (uint64_t basis : layout.flatBases(dim))
      bases[static_cast<unsigned>(dim)].push_back(map(basis));
  std::string error;
  std::optional<LinearLayout> result = LinearLayout::createFlat(shape, std::move(bases), error);
  assert(result && "a linear map onto the tile keeps the layout valid");
  return std::move(*result);
}

/// Rebuilds \p layout with the register bases for which \p keep returns true.
static LinearLayout filterRegisters(const LinearLayout &layout,
                                    const std::function<bool(uint64_t)> &keep) {
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    for (uint64_t basis : layout.flatBases(dim))
      if (dim != InDim::Register || keep(basis))
        bases[static_cast<unsigned>(dim)].push_back(basis);
  std::string error;
  std::optional<LinearLayout> result =
      LinearLayout::createFlat(layout.shape(), std::move(bases), error);
  assert(result && "redundant registers are not needed to cover the tile");
  return std::move(*result);
}

LinearLayout expandDim(const LinearLayout &layout, unsigned axis) {
  assert(axis <= layout.rank() && "axis outside the result");
  Shape shape = layout.shape();
  shape.insert(shape.begin() + axis, 1);
  return reshape(layout, shape);
}

LinearLayout squeezeDim(const LinearLayout &layout, unsigned axis) {
  assert(axis < layout.rank() && layout.shape()[axis] == 1 && "only size 1 can be removed");
  Shape shape = layout.shape();
  shape.erase(shape.begin() + axis);
  return reshape(layout, shape);
}

LinearLayout permute(const LinearLayout &layout, const std::vector<unsigned> &order) {
  assert(order.size() == layout.rank() && "order must name each dimension once");
  Shape shape;
  for (unsigned axis : order)
    shape.push_back(layout.shape()[axis]);
  return mapBases(layout, shape, [&](uint64_t flat) {
    uint64_t result = 0;
    for (unsigned axis : order)
      result = result << layout.axisBits(axis) |
               (flat & layout.axisMask(axis)) >> layout.axisShift(axis);
    return result;
  });
}

LinearLayout reshape(const LinearLayout &layout, const Shape &newShape) {
  // The flat index of an element does not change, and so neither do the bases.
  return mapBases(layout, newShape, [](uint64_t flat) { return flat; });
}

bool isInRegisters(const LinearLayout &layout, unsigned axis) {
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block})
    for (uint64_t basis : layout.flatBases(dim))
      if (basis & layout.axisMask(axis))
        return false;
  return true;
}

LinearLayout insertInRegisters(const LinearLayout &layout, unsigned axis, int64_t size) {
  assert(axis <= layout.rank() && isPowerOf2(static_cast<uint64_t>(size)) && "not a dimension");
  unsigned bits = log2Floor(static_cast<uint64_t>(size));
  unsigned shift = axis == layout.rank() ? 0 : layout.axisShift(axis) + layout.axisBits(axis);
  uint64_t lowMask = (uint64_t(1) << shift) - 1;
  Shape shape = layout.shape();
  shape.insert(shape.begin() + axis, size);
  LinearLayout::FlatBasisLists bases;
  for (unsigned bit = 0; bit < bits; ++bit)
    bases[static_cast<unsigned>(InDim::Register)].push_back(uint64_t(1) << (shift + bit));
  for (InDim dim : kAllInDims)
    for (uint64_t basis : layout.flatBases(dim))
      bases[static_cast<unsigned>(dim)].push_back((basis & lowMask) | (basis & ~lowMask) << bits);
  std::string error;
  std::optional<LinearLayout> result = LinearLayout::createFlat(shape, std::move(bases), error);
  assert(result && "the new dimension is covered by the new registers");
  return std::move(*result);
}

LinearLayout insertInLanes(const LinearLayout &layout, unsigned axis, int64_t size) {
  LinearLayout inRegisters = insertInRegisters(layout, axis, size);
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    for (uint64_t basis : inRegisters.flatBases(dim))
      bases[static_cast<unsigned>(dim)].push_back(basis);
  auto &registers = bases[static_cast<unsigned>(InDim::Register)];
  size_t next = 0, end = log2Floor(static_cast<uint64_t>(size));
  for (uint64_t &basis : bases[static_cast<unsigned>(InDim::Lane)])
    if (basis == 0 && next < end)
      basis = registers[next++];
  registers.erase(registers.begin(), registers.begin() + next);
  std::string error;
  std::optional<LinearLayout> result =
      LinearLayout::createFlat(inRegisters.shape(), std::move(bases), error);
  assert(result && "the same bases in other places");
  return std::move(*result);
}

namespace {
/// Bits of threads that change places with register bits.
class RegisterSwaps {
public:
  RegisterSwaps(std::vector<uint64_t> &registers, uint64_t axisMask,
                const std::vector<uint64_t> &wanted)
      : wanted(wanted) {
    for (uint64_t &reg : registers)
      if (reg != 0 && (reg & axisMask) == 0)
        unused.push_back(&reg);
    // The highest register bit is the least likely to be of a group that an access moves.
    std::sort(unused.begin(), unused.end(), [this](const uint64_t *a, const uint64_t *b) {
      return std::pair(rankOf(*a), a) < std::pair(rankOf(*b), b);
    });
  }

  /// Brings \p basis into the register whose bit is wanted least, if that is less than \p rank says
  /// or if \p basis must be in one. Returns whether there was such a register.
  bool swap(uint64_t &basis, std::optional<size_t> rank = {}) {
    if (unused.empty() || (rank && rankOf(*unused.back()) <= *rank))
      return false;
    std::swap(basis, *unused.back());
    unused.pop_back();
    return true;
  }

private:
  /// The place of a bit among the wanted ones; behind them if it is none.
  size_t rankOf(uint64_t basis) const {
    return static_cast<size_t>(std::find(wanted.begin(), wanted.end(), basis) - wanted.begin());
  }

  const std::vector<uint64_t> &wanted;
  std::vector<uint64_t *> unused;
};
} // namespace

std::optional<LinearLayout> bringIntoRegisters(const LinearLayout &layout, unsigned axis,
                                               const std::vector<uint64_t> &wanted) {
  assert(axis < layout.rank() && "axis outside the tile");
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    bases[static_cast<unsigned>(dim)] = layout.flatBases(dim);
  uint64_t mask = layout.axisMask(axis);
  RegisterSwaps swaps(bases[static_cast<unsigned>(InDim::Register)], mask, wanted);
  std::vector<uint64_t *> ofThreads;
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (uint64_t &basis : bases[static_cast<unsigned>(dim)])
      ofThreads.push_back(&basis);
  bool moves = false;
  for (uint64_t *basis : ofThreads)
    if (*basis & mask) {
      moves = true;
      if (!swaps.swap(*basis))
        return std::nullopt;
    }
  for (uint64_t basis : layout.flatBases(InDim::Block))
    if (basis & mask)
      return std::nullopt;
  for (size_t rank = 0; moves && rank < wanted.size(); ++rank)
    for (uint64_t *basis : ofThreads)
      if (*basis == wanted[rank] && !swaps.swap(*basis, rank))
        break;
  std::string error;
  return LinearLayout::createFlat(layout.shape(), std::move(bases), error);
}

std::optional<LinearLayout> widenFromLanes(const LinearLayout &layout, unsigned axis) {
  uint64_t next = uint64_t(layout.contiguousRegisters(axis)) << layout.axisShift(axis);
  LinearLayout::FlatBasisLists bases;
  for (InDim dim : kAllInDims)
    bases[static_cast<unsigned>(dim)] = layout.flatBases(dim);
  std::vector<uint64_t> &lanes = bases[static_cast<unsigned>(InDim::Lane)];
  std::vector<uint64_t> &registers = bases[static_cast<unsigned>(InDim::Register)];
  auto lane = std::find(lanes.begin(), lanes.end(), next);
  auto reg = registers.end();
  for (auto it = registers.begin(); it != registers.end(); ++it) {
    bool isFurther = *it > next && (*it & ~layout.axisMask(axis)) == 0;
    if (isFurther && (reg == registers.end() || *it < *reg))
      reg = it;
  }
  if (lane == lanes.end() || reg == registers.end())
    return std::nullopt;
  std::swap(*lane, *reg);
  // Neighbours come first, as accesses want them.
  std::rotate(registers.begin() + log2Floor(layout.contiguousRegisters(axis)), reg, reg + 1);
  std::string error;
  std::optional<LinearLayout> result =
      LinearLayout::createFlat(layout.shape(), std::move(bases), error);
  assert(result && "the same bases cover the tile");
  return result;
}

LinearLayout dropZeroRegisters(const LinearLayout &layout) {
  return filterRegisters(layout, [](uint64_t basis) { return basis != 0; });
}

LinearLayout dropRedundantRegisters(const LinearLayout &layout) {
  F2Basis seen;
  return filterRegisters(layout, [&seen](uint64_t basis) { return seen.insert(basis); });
}

LinearLayout projectDim(const LinearLayout &result, unsigned axis) {
  assert(axis < result.rank() && "axis outside the tile");
  Shape shape = result.shape();
  shape[axis] = 1;
  unsigned shift = result.axisShift(axis);
  unsigned bits = result.axisBits(axis);
  uint64_t lowMask = (uint64_t(1) << shift) - 1;
  // Zeroing the axis takes its bits out of the flat index: those above move down.
  return dropRedundantRegisters(mapBases(result, shape, [&](uint64_t flat) {
    return (flat & lowMask) | (flat >> (shift + bits)) << shift;
  }));
}

LinearLayout reduceDim(const LinearLayout &layout, unsigned axis) {
  return squeezeDim(projectDim(layout, axis), axis);
}

} // namespace tilec::layout
