//===- ExpandExchanges.h - exchanges through buffers -----------*- C++ -*-===//
//
// What the parts of tile-expand-exchanges share. One function an operation; each replaces its operation, which
// exchanges data between warps (exchangesData), by operations on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H

#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// The layout of a tile; its type must have one.
tilec::layout::LinearLayout layoutOf(Value tileValue);

/// The tile type of `element` with `layout`.
RankedTensorType tileTypeOf(Type element, const tilec::layout::LinearLayout &layout);

/// A buffer for a tile of `shape` of `element`, placed as `map` says; in rounds where it takes more than
/// kStaticSharedLimit.
Value makeBuffer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type element,
                 const tilec::layout::SharedLayout &map);

/// A buffer through which `value` gets the layout `wanted` without bank conflicts.
Value makeConversionBuffer(OpBuilder &builder, Location loc, Value value,
                           const tilec::layout::LinearLayout &wanted);

/// Stores each tile (or scalar) into its buffer and loads it as a value of its type with the layout `wanted`, in as
/// many rounds as the buffers have. All are stored before one is loaded, so that one barrier serves all. `peers` and
/// `reversed` as in tile.buffer_store and tile.buffer_load.
SmallVector<Value> throughBuffers(OpBuilder &builder, Location loc, ArrayRef<Value> values,
                                  ArrayRef<Value> buffers,
                                  const tilec::layout::LinearLayout &wanted,
                                  ArrayRef<int32_t> peers = {}, IntegerAttr reversed = {});

void expandReduction(ReduceOp op, RewriterBase &rewriter);

} // namespace mlir::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H
