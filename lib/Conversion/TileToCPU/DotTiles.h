//===- DotTiles.h - products of matrices by AMX ----------------*- C++ -*-===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOCPU_DOTTILES_H
#define TILEC_LIB_CONVERSION_TILETOCPU_DOTTILES_H

#include "mlir/IR/Builders.h"

namespace tilec::tile::cpu {

/// Bits of the elements of a column that lie together in the right factor: AMX adds up their
/// products in one step.
inline constexpr int64_t kTileGroupBits = 32;

/// Whether a product of so many rows and columns, with rows of the left factor of so many bytes, is
/// one of whole tiles.
bool fillsTiles(int64_t rows, int64_t columns, int64_t depthBytes);

/// Writes the loops that add the product of `lhs` and `rhs` to `acc`, by AMX: memrefs of rank 2, or
/// 3 for a stack of matrices. `lhs` has i16 (bf16) or i8 elements, and `rhs` the same, its rows
/// packed by groups of kTileGroupBits: it has fewer and longer ones. The product fills tiles.
void emitTileProduct(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs, mlir::Value rhs,
                     mlir::Value acc);

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOCPU_DOTTILES_H
