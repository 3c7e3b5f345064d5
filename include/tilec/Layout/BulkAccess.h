//===- BulkAccess.h - Blocks that hardware copies ---------------*- C++ -*-===//
//
// How copies by tensor maps (PTX, "Tensors") fill a placement in shared memory. A box of such a
// copy has lines of at most 128 bytes, one after the other, with groups of 16 bytes permuted as the
// swizzle modes say, so a block takes several copies where its lines are longer.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_BULKACCESS_H
#define TILEC_LAYOUT_BULKACCESS_H

#include "tilec/Layout/Swizzle.h"

#include <optional>

namespace tilec::layout {

/// One copy: the first element of its box in the block, and the offset of that element in the
/// buffer, in elements.
struct BulkPart {
  Coords first;
  uint64_t offset;
};

/// How a block is copied.
struct BulkPlan {
  /// Lines have 16 << swizzleBits bytes, and so many bits of an address's group of 16 bytes are
  /// permuted: 1 to 3.
  unsigned swizzleBits;
  /// The elements of a box along each dimension of the block, the first one outermost.
  Shape box;
  std::vector<BulkPart> parts;
};

/// The plan for a block of \p shape whose elements, in row-major order, have the placement
/// \p shared; nothing if no such copies fill it. Lines run along the last dimension; of the others,
/// all but the one before it, which has eight at least, have one element. \p elementBits is 8, 16,
/// 32 or 64. The buffer's address must be a multiple of eight lines. Pure.
std::optional<BulkPlan> planBulkCopy(const SharedLayout &shared, const Shape &shape,
                                     unsigned elementBits);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_BULKACCESS_H
