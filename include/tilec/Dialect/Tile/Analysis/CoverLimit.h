//===- CoverLimit.h - how large a size a kernel's tile covers ---*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_COVERLIMIT_H
#define TILEC_DIALECT_TILE_ANALYSIS_COVERLIMIT_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tilec::tile {

/// The largest value of the integer parameter `size` for which every element below it is accessed:
/// the end of a range that starts at 0 and is compared with it, `range < size`, as the mask of
/// accesses at that very range.
///
/// Nothing unless the kernel is sure to need all elements. It loads at the range, and does two of
/// these: it does so in rows, which programs or iterations choose; it stores at the range; it
/// reduces what it loaded along the range. Nothing either if another iteration or program may
/// access what lies beyond, if the mask has other conditions on the range, if an array is accessed
/// in other ways too, or if the kernel looks at the size otherwise than as a divisor in floating
/// point or in addresses. The function that owns `size` is tile IR as the front end makes it.
std::optional<int64_t> findCoverLimit(mlir::BlockArgument size);

/// The end of the longest range that starts at 0 and is compared with the integer parameter `size`,
/// or with it and a constant more or less, whatever the kernel does there. Where the range is
/// shorter than the size, the rest may be left undone.
std::optional<int64_t> findComparedRange(mlir::BlockArgument size);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_COVERLIMIT_H
