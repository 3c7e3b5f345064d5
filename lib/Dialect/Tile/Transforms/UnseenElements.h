//===- UnseenElements.h - elements that nobody will see ---------*- C++ -*-===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_UNSEENELEMENTS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_UNSEENELEMENTS_H

#include "AffineForms.h"

namespace tilec::tile {

/// Whether memory does not depend on the elements of the tile `value` whose index along `axis` is
/// such that index + rest >= 0: rows of products, sums and the like keep to themselves, and each
/// store at the end masks these rows. `forms` has read `rest`.
bool areUnseen(mlir::Value value, unsigned axis, const AffineSum &rest, AffineForms &forms);

/// The `rest` with which that is so, as the stores say; nothing if there is none.
std::optional<AffineSum> restUnseen(mlir::Value value, unsigned axis, AffineForms &forms);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_UNSEENELEMENTS_H
