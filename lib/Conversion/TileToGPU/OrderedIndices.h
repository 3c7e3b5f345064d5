//===- OrderedIndices.h - Reductions that carry positions -------*- C++ -*-===//
//
// argmin and argmax reduce values together with their positions: of equal values they take the one
// whose position is smaller. Where the order in which a thread combines its registers says which
// position that is, nothing needs to be compared.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_ORDEREDINDICES_H
#define TILEC_LIB_CONVERSION_TILETOGPU_ORDEREDINDICES_H

#include "mlir/IR/Region.h"
#include "mlir/IR/ValueRange.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec::tile {

/// Numbers of those of \p srcs that are positions along \p axis: ranges, broadcast along others.
/// Empty if registers of a thread do not come in the same order in every thread.
llvm::SmallVector<unsigned> findIndices(mlir::ValueRange srcs, unsigned axis,
                                        const layout::LinearLayout &layout);

/// Makes \p ordered a copy of \p combine for first operands whose \p indices are below those of the
/// second ones. \p combine takes as many first operands as second ones.
void cloneForAscending(mlir::Region &combine, llvm::ArrayRef<unsigned> indices,
                       mlir::Region &ordered);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_ORDEREDINDICES_H
