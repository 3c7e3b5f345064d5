//===- SelectedElement.h - Sums of one element ------------------*- C++ -*-===//
//
// Who wants the element at a computed place of a tile writes the sum of what is zero elsewhere. Of
// the lanes that share the axis one has the element, and it is known which: the others ask that one
// instead of adding up what all have.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_SELECTEDELEMENT_H
#define TILEC_LIB_CONVERSION_TILETOGPU_SELECTEDELEMENT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OpDefinition.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec::tile {

/// The place along \p axis of the one element of \p source that may differ from zero, an integer
/// that all threads have, and what is to be subtracted from it; nothing if \p source is something
/// else. Where the place is outside of the tile, all elements are zero.
struct SelectedElement {
  mlir::OpFoldResult place;
  int64_t start = 0;

  static std::optional<SelectedElement> find(mlir::Value source, unsigned axis);
};

/// For each bit of a place along \p axis, the bit of the lane's number that it says, or 0; empty if
/// bits of lanes and of places are no pairs.
llvm::SmallVector<uint64_t> lanesOfPlaces(const layout::LinearLayout &layout, unsigned axis);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_SELECTEDELEMENT_H
