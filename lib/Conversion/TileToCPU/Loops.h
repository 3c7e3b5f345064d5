//===- Loops.h - one loop nest as a linalg.generic -------------*- C++ -*-===//
//
// Private to the conversion: builds the body of one linalg.generic from the elements that are asked
// of it, and its operands from the buffers that these elements turn out to need.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOCPU_LOOPS_H
#define TILEC_LIB_CONVERSION_TILETOCPU_LOOPS_H

#include "Emit.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilec::tile::cpu {

class LoopBuilder {
public:
  LoopBuilder(KernelState &state, mlir::Location loc, llvm::ArrayRef<int64_t> extents,
              llvm::ArrayRef<mlir::utils::IteratorType> kinds);

  /// Adds an output; `map` gives the element that each iteration writes. Returns what the output
  /// holds before the iteration. All outputs come before the first read.
  mlir::Value addOutput(Buffer *buffer, mlir::AffineMap map);

  /// The element of `tile` at the position that `at` maps the iteration to.
  mlir::Value element(mlir::Value tile, mlir::AffineMap at);

  /// The element of `buffer` there.
  mlir::Value read(Buffer *buffer, mlir::AffineMap at);

  /// emitCheck() of the element of an access there.
  mlir::Value check(mlir::Operation *op, mlir::AffineMap at, mlir::Value pointer,
                    mlir::Value stored, mlir::Value mask);

  /// One coordinate of a position.
  mlir::Value positionOf(mlir::AffineExpr expr) { return positionValue(expr); }

  /// The iteration's number in loop `dim`.
  mlir::Value index(unsigned dim);

  /// True in iterations in which every one of `dims` is 0; null when that is all iterations.
  mlir::Value isFirst(llvm::ArrayRef<unsigned> dims);

  mlir::OpBuilder &ops() { return body; }
  mlir::AffineMap map(llvm::ArrayRef<mlir::AffineExpr> results) const;

  /// Writes the loop, which yields `values` to the outputs in order.
  void finish(mlir::ValueRange values);

private:
  using Key = std::pair<mlir::Value, mlir::AffineMap>;

  llvm::SmallVector<Key> dependencies(mlir::Value tile, mlir::AffineMap at);
  mlir::Value compute(mlir::Value tile, mlir::AffineMap at);
  mlir::Value computeGather(GatherOp op, mlir::Value index, mlir::AffineMap at);
  mlir::Value positionValue(mlir::AffineExpr expr);
  mlir::Value readConstant(mlir::arith::ConstantOp op, mlir::AffineMap at);
  mlir::Value scalar(mlir::Value value) { return state.scalars.lookupOrDefault(value); }
  void addSpaceOperand();

  KernelState &state;
  mlir::Location loc;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::utils::IteratorType> kinds;
  mlir::Block *block;
  mlir::OpBuilder body;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<mlir::Type> outputElements;
  llvm::SmallVector<mlir::AffineMap> inputMaps, outputMaps;
  llvm::DenseMap<Key, mlir::Value> elements, stored;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> positions;
};

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOCPU_LOOPS_H
