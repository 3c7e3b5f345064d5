//===- Emit.h - what writing out one kernel shares -------------*- C++ -*-===//
//
// Private to the conversion: the state of one kernel's rewriting, and the writers of scalar
// operations, of single elements, of loop nests and of control flow.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOLINALG_EMIT_H
#define TILEC_LIB_CONVERSION_TILETOLINALG_EMIT_H

#include "Buffers.h"
#include "Plan.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace mlir::tile::linalgroad {

/// The type of one element (or scalar) in the output: pointers become !llvm.ptr.
Type elementType(Type type);

struct KernelState {
  KernelState(OpBuilder builder, BlockArgument scratch, ValueRange grid)
      : builder(builder), pool(scratch), grid(grid) {}

  OpBuilder builder;
  BufferPool pool;
  IRMapping scalars;                       // scalars of the input to those of the output
  llvm::DenseMap<Value, Buffer *> buffers; // tiles that are kept
  ValueRange grid;                         // program id x, y, z and grid size x, y, z
  unsigned numLoops = 0;
};

/// Writes one scalar operation, or one element of an operation on tiles, whose operands' values are
/// `operands`. Handles everything without regions and without positions: arith, math, pointers.
Value emitElement(OpBuilder &builder, Operation *op, ValueRange operands);

/// Writes a load of one element: `other` (zero when null) where the mask is false.
Value emitLoad(OpBuilder &builder, LoadOp op, Value pointer, Value mask, Value other);

/// Writes a store of one element.
void emitStore(OpBuilder &builder, StoreOp op, Value pointer, Value value, Value mask);

/// Writes an atomic operation on one element; zero is the result where the mask (may be null) is
/// false.
Value emitAtomic(OpBuilder &builder, AtomicRMWOp op, Value pointer, Value value, Value mask);
Value emitAtomic(OpBuilder &builder, AtomicCASOp op, Value pointer, Value expected, Value value);

/// Writes the output of one element (null: of the program) at `index`, one index value for each
/// dimension.
void emitPrint(const KernelState &state, OpBuilder &builder, PrintOp op, ValueRange index,
               Value element);

/// Zero, or the null pointer.
Value zeroOf(OpBuilder &builder, Location loc, Type type);

/// Writes a copy of the operations of a region of scalar code for the given arguments; returns what
/// it yields. `scalars` maps what the region uses from outside.
SmallVector<Value> emitScalarCode(OpBuilder &builder, Region &region, const IRMapping &scalars,
                                  ValueRange arguments);

/// The same for a combine region and two groups of scalars, or of vectors if canCombineVectors().
SmallVector<Value> emitCombine(OpBuilder &builder, Region &combine, const IRMapping &scalars,
                               ValueRange left, ValueRange right);
bool canCombineVectors(ReduceOp op);

/// Writes one group as one loop nest and what finishes its reductions.
void emitGroup(KernelState &state, const Group &group);

/// Writes the one step of a group that has its own kind of loop.
void emitScan(KernelState &state, ScanOp op);
void emitHistogram(KernelState &state, HistogramOp op);

/// Writes a block's operations up to its terminator, and then `writes`. Everything in the block
/// must have passed checkKernel().
void emitBlock(KernelState &state, Block &block, ArrayRef<TileWrite> writes);

/// Fails with a diagnostic at the first operation that the CPU path does not know.
LogicalResult checkKernel(Operation *kernel);

} // namespace mlir::tile::linalgroad

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_EMIT_H
