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

namespace tilec::tile::cpu {

/// The type of one element (or scalar) in the output: pointers become !llvm.ptr.
mlir::Type elementType(mlir::Type type);

/// What products of matrices know of the processor, as the pass's options say.
struct Processor {
  int64_t vectorRegisters, vectorBytes;
  bool addsPairs; ///< One instruction adds up products of pairs of i16.
  bool hasTiles;  ///< It has AMX, with bf16 and i8.
};

struct KernelState {
  KernelState(mlir::OpBuilder builder, Processor processor, mlir::BlockArgument scratch,
              mlir::ValueRange grid, mlir::Value record, bool checksMemory)
      : builder(builder), processor(processor), pool(scratch), grid(grid), record(record),
        checksMemory(checksMemory) {}

  mlir::OpBuilder builder;
  Processor processor;
  BufferPool pool;
  mlir::IRMapping scalars;                       // scalars of the input to those of the output
  llvm::DenseMap<mlir::Value, Buffer *> buffers; // tiles that are kept
  llvm::DenseSet<mlir::Value> identities;        // remainders that are their left operand here
  mlir::ValueRange grid;                         // program id x, y, z and grid size x, y, z
  mlir::Value record;                            // the launch's HostFailure
  bool checksMemory;                             // each access asks first
  unsigned numLoops = 0;
};

/// Writes one scalar operation, or one element of an operation on tiles, whose operands' values are
/// `operands`. Handles everything without regions and without positions: arith, math, pointers.
mlir::Value emitElement(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Writes a load of one element: `other` (zero when null) where the mask is false.
mlir::Value emitLoad(mlir::OpBuilder &builder, LoadOp op, mlir::Value pointer, mlir::Value mask,
                     mlir::Value other);

/// Writes a store of one element.
void emitStore(mlir::OpBuilder &builder, StoreOp op, mlir::Value pointer, mlir::Value value,
               mlir::Value mask);

/// Writes an atomic operation on one element; zero is the result where the mask (may be null) is
/// false.
mlir::Value emitAtomic(mlir::OpBuilder &builder, AtomicRMWOp op, mlir::Value pointer,
                       mlir::Value value, mlir::Value mask);
mlir::Value emitAtomic(mlir::OpBuilder &builder, AtomicCASOp op, mlir::Value pointer,
                       mlir::Value expected, mlir::Value value, mlir::Value mask);

/// Writes the check of one element of `op`, a load, store or atomic operation, in a kernel that is
/// checked. Returns the mask under which the access happens: `mask` (may be null) itself in other
/// kernels. `stored` is what a store writes, `index` the element's number in C order; null: none,
/// and a scalar.
mlir::Value emitCheck(const KernelState &state, mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::Value pointer, mlir::Value stored, mlir::Value mask, mlir::Value index);

/// Writes a barrier of the program, which only checks need.
void emitBarrier(KernelState &state, BarrierOp op);

/// Writes the output of one element (null: of the program) at `index`, one index value for each
/// dimension.
void emitPrint(const KernelState &state, mlir::OpBuilder &builder, PrintOp op,
               mlir::ValueRange index, mlir::Value element);

/// Zero, or the null pointer.
mlir::Value zeroOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Writes a copy of the operations of a region of scalar code for the given arguments; returns what
/// it yields. `scalars` maps what the region uses from outside.
llvm::SmallVector<mlir::Value> emitScalarCode(mlir::OpBuilder &builder, mlir::Region &region,
                                              const mlir::IRMapping &scalars,
                                              mlir::ValueRange arguments);

/// The same for a combine region and two groups of scalars, or of vectors if canCombineVectors().
llvm::SmallVector<mlir::Value> emitCombine(mlir::OpBuilder &builder, mlir::Region &combine,
                                           const mlir::IRMapping &scalars, mlir::ValueRange left,
                                           mlir::ValueRange right);
bool canCombineVectors(ReduceOp op);

/// The remainders of sums of ranges and scalars in the addresses of a group's loads and stores.
llvm::SmallVector<mlir::Value> wrapsOf(const Group &group);

/// Writes the condition under which each of `wraps` is its left operand in all elements.
mlir::Value emitIsInside(KernelState &state, mlir::Location loc, mlir::ValueRange wraps);

/// Writes one group as one loop nest and what finishes its reductions.
void emitGroup(KernelState &state, const Group &group);

/// Writes the one step of a group that has its own kind of loop.
void emitScan(KernelState &state, ScanOp op);
void emitHistogram(KernelState &state, HistogramOp op);
/// `dest` is the buffer that the product is wanted in; null: one of its own.
void emitDot(KernelState &state, DotOp op, Buffer *dest);

/// Writes a block's operations up to its terminator, and then `writes`. Everything in the block
/// must have passed checkKernel().
void emitBlock(KernelState &state, mlir::Block &block, llvm::ArrayRef<TileWrite> writes);

/// Fails with a diagnostic at the first operation that the CPU path does not know.
mlir::LogicalResult checkKernel(mlir::Operation *kernel);

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_EMIT_H
