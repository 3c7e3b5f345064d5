//===- Chunks.h - parts of a tile that differ in registers ------*- C++ -*-===//
//
// A chunk of a tile has the elements whose flat indices (row-major) agree in some bits, the chunk
// bits, of which each is a register's alone: a basis of one register bit, and in no other. Then all
// threads have as many elements of each chunk, in a layout that is the tile's without these bits.
// The number of a chunk is what its elements' chunk bits say, the lowest first.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKS_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// The bits of a flat index that belong to `axis` of a tile of `shape`.
uint64_t axisBits(llvm::ArrayRef<int64_t> shape, unsigned axis);

/// The type of the chunks of a tile with a layout; null if a bit is not a register's alone.
mlir::RankedTensorType chunkOf(mlir::RankedTensorType type, uint64_t bits);

/// The chunk bits of tile operand `operand` of `op`, which is elementwise, a shape change, a
/// broadcast or a conversion between layouts, for those of its result; nothing if `op` is neither,
/// or numbers chunks otherwise. Bits that the operand does not have are left out.
std::optional<uint64_t> chunkBitsOfOperand(mlir::Operation *op, mlir::Value operand, uint64_t bits);

/// Sets of `count` bits, or as many as there are, that may be chunk bits of such a tile: the
/// highest of one axis each, the last axis first.
llvm::SmallVector<uint64_t> chunkBitsFor(mlir::RankedTensorType type, unsigned count);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKS_H
