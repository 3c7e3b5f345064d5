//===- ExpandExchanges.h - exchanges through buffers -----------*- C++ -*-===//
//
// What the parts of tile-expand-exchanges share. One function an operation; each replaces its
// operation, which exchanges data between warps (exchangesData), by operations on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H

#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// The layout of a tile; its type must have one.
tilec::layout::LinearLayout layoutOf(mlir::Value tileValue);

/// The tile type of `element` with `layout`.
mlir::RankedTensorType tileTypeOf(mlir::Type element, const tilec::layout::LinearLayout &layout);

/// The bytes of slots and of factors that may be in use where `op` is; and the most that slots take
/// in a loop that is not around it, which lie where other buffers do before and after the loop.
struct SlotBytes {
  int64_t around = 0, elsewhere = 0;
};
SlotBytes slotBytes(mlir::Operation *op);

/// The bytes of shared memory that slots, factors and barrier objects leave to exchanges in a
/// region of `around`.
int64_t sharedBeside(mlir::Operation *around);

/// In how many rounds so many bytes go through a buffer in a region of `around`. Slots of a loop
/// that is over or has not begun make room; and so does what no slots take if no other buffer
/// is in use beside this one (`isAlone`): a tile takes as large a share of all registers.
int64_t roundsFor(int64_t bytes, mlir::Operation *around, bool isAlone);

/// A buffer for a tile of `shape` of `element`, placed as `map` says; in rounds where it takes more
/// than kStaticSharedLimit, and than the slots of some loop that is over or has not begun.
mlir::Value makeBuffer(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                       mlir::Type element, const tilec::layout::SharedLayout &map);

/// A buffer through which `value` gets the layout `wanted` without bank conflicts.
mlir::Value makeConversionBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                 const tilec::layout::LinearLayout &wanted);

/// The type of a buffer for all elements of a tile, also those that other CTAs hold, in a region of
/// `around`.
BufferType wholeBufferType(mlir::Operation *around, mlir::Value value);

/// The bits of the rank in which CTAs differ that together hold a tile.
llvm::SmallVector<int32_t> holdersOf(const tilec::layout::LinearLayout &layout);

/// Stores all that `value` has.
BufferStoreOp storeInto(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        mlir::Value buffer, uint32_t round = 0, llvm::ArrayRef<int32_t> peers = {});

/// How elements go through a buffer; as in tile.buffer_store and tile.buffer_load.
struct ExchangeOptions {
  llvm::ArrayRef<int32_t> peers = {};
  mlir::IntegerAttr axis = {}, index = {};
  mlir::IntegerAttr reversed = {};
};

/// Stores each tile (or scalar) into its buffer and loads it as a value of its element type with
/// the layout `wanted`, in as many rounds as the buffers have. All are stored before one is loaded,
/// so that one barrier serves all.
llvm::SmallVector<mlir::Value> throughBuffers(mlir::OpBuilder &builder, mlir::Location loc,
                                              llvm::ArrayRef<mlir::Value> values,
                                              llvm::ArrayRef<mlir::Value> buffers,
                                              const tilec::layout::LinearLayout &wanted,
                                              const ExchangeOptions &options = {});

/// A place for a tile with the layout `writer` whose dimension `axis` are parts of a result with
/// the layout `result`: the parts of one element next to each other, or, where a thread of `result`
/// has several elements in a row, each part's elements. Both ways accesses are wide, and lanes meet
/// few bank conflicts.
tilec::layout::SharedLayout placeParts(const tilec::layout::LinearLayout &writer, unsigned axis,
                                       const tilec::layout::LinearLayout &result);

/// Has the gather whose result only `convert` uses give its result in the layout that this makes,
/// where indices are made from scalars; changes nothing elsewhere.
void gatherAs(ConvertLayoutOp convert, mlir::RewriterBase &rewriter);

void expandGather(GatherOp op, mlir::RewriterBase &rewriter);

void expandReduction(ReduceOp op, mlir::RewriterBase &rewriter);

/// No CTAs of a cluster may share the axis.
void expandScan(ScanOp op, mlir::RewriterBase &rewriter);

/// A layout for scans along `axis` in which every CTA of a cluster has the whole tile, and a thread
/// at most `mostAlone` neighbours.
tilec::layout::LinearLayout scannedByEach(mlir::RankedTensorType type, LaunchShape launch,
                                          unsigned axis, int64_t mostAlone);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_EXPANDEXCHANGES_H
