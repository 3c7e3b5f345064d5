//===- BulkAccess.cpp - Blocks that hardware copies -------------*- C++ -*-===//

#include "tilec/Layout/BulkAccess.h"

#include <algorithm>

namespace tilec::layout {

namespace {

/// The placement of a block's lines and rows, compared with that of boxes.
class BlockPlacement {
public:
  BlockPlacement(const SharedLayout &shared, unsigned innerBits, unsigned elementBits)
      : columns(shared.toOffset.columns()), innerBits(innerBits), elementBytes(elementBits / 8) {}

  /// Whether boxes whose lines have 16 << \p swizzleBits bytes fill it, 2^\p boxRowBits rows each.
  bool fits(unsigned swizzleBits, unsigned boxRowBits) const;
  unsigned lineBits(unsigned swizzleBits) const {
    return log2Floor((uint64_t(16) << swizzleBits) / elementBytes);
  }
  unsigned rowBits() const { return unsigned(columns.size()) - innerBits; }
  /// The offset, in elements, of the element in this row and column.
  uint64_t offset(uint64_t row, uint64_t column) const {
    uint64_t index = row << innerBits | column, result = 0;
    for (std::size_t bit = 0; bit < columns.size(); ++bit)
      result ^= index >> bit & 1 ? columns[bit] : 0;
    return result;
  }

private:
  const std::vector<uint64_t> &columns;
  unsigned innerBits;
  uint64_t elementBytes;
};

} // namespace

bool BlockPlacement::fits(unsigned swizzleBits, unsigned boxRowBits) const {
  uint64_t line = uint64_t(16) << swizzleBits, atom = 8 * line;
  unsigned inLine = lineBits(swizzleBits);
  if (innerBits < inLine)
    return false;
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    uint64_t address = columns[bit] * elementBytes;
    if (bit < inLine) {
      if (address != elementBytes << bit)
        return false;
    } else if (bit >= innerBits && bit < innerBits + boxRowBits) {
      uint64_t plain = line << (bit - innerBits);
      if (address != (plain ^ (plain >> 7 & ((uint64_t(1) << swizzleBits) - 1)) << 4))
        return false;
    } else if (address % atom != 0) {
      return false;
    }
  }
  return true;
}

std::optional<BulkPlan> planBulkCopy(const SharedLayout &shared, const Shape &shape,
                                     unsigned elementBits) {
  constexpr unsigned mostRowBits = 8; // A box has at most 256 elements along a dimension.
  constexpr unsigned atomRowBits = 3; // Swizzles permute atoms of eight lines.
  unsigned rank = unsigned(shape.size());
  for (unsigned axis = 0; axis + 2 < rank; ++axis)
    if (shape[axis] != 1)
      return std::nullopt;
  if (rank < 2 || elementBits < 8)
    return std::nullopt;
  BlockPlacement placement(shared, log2Floor(uint64_t(shape[rank - 1])), elementBits);
  unsigned boxRowBits = std::min(mostRowBits, placement.rowBits());
  if (boxRowBits < atomRowBits)
    return std::nullopt;
  for (unsigned swizzleBits : {3u, 2u, 1u}) {
    if (!placement.fits(swizzleBits, boxRowBits))
      continue;
    BulkPlan plan;
    plan.swizzleBits = swizzleBits;
    plan.box.assign(rank, 1);
    plan.box[rank - 1] = int64_t(1) << placement.lineBits(swizzleBits);
    plan.box[rank - 2] = int64_t(1) << boxRowBits;
    for (int64_t row = 0; row < shape[rank - 2]; row += plan.box[rank - 2])
      for (int64_t column = 0; column < shape[rank - 1]; column += plan.box[rank - 1]) {
        Coords first(rank, 0);
        first[rank - 2] = row;
        first[rank - 1] = column;
        plan.parts.push_back({first, placement.offset(uint64_t(row), uint64_t(column))});
      }
    return plan;
  }
  return std::nullopt;
}

} // namespace tilec::layout
