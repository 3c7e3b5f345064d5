//===- Loops.h - one loop nest as a linalg.generic -------------*- C++ -*-===//
//
// Private to the conversion: builds the body of one linalg.generic from the elements that are asked
// of it, and its operands from the buffers that these elements turn out to need.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOLINALG_LOOPS_H
#define TILEC_LIB_CONVERSION_TILETOLINALG_LOOPS_H

#include "Emit.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::tile::linalgroad {

class LoopBuilder {
public:
  LoopBuilder(KernelState &state, Location loc, ArrayRef<int64_t> extents,
              ArrayRef<utils::IteratorType> kinds);

  /// Adds an output; `map` gives the element that each iteration writes. Returns what the output
  /// holds before the iteration. All outputs come before the first read.
  Value addOutput(Buffer *buffer, AffineMap map);

  /// The element of `tile` at the position that `at` maps the iteration to.
  Value element(Value tile, AffineMap at);

  /// The element of `buffer` there.
  Value read(Buffer *buffer, AffineMap at);

  /// One coordinate of a position.
  Value positionOf(AffineExpr expr) { return positionValue(expr); }

  /// The iteration's number in loop `dim`.
  Value index(unsigned dim);

  /// True in iterations in which every one of `dims` is 0; null when that is all iterations.
  Value isFirst(ArrayRef<unsigned> dims);

  OpBuilder &ops() { return body; }
  AffineMap map(ArrayRef<AffineExpr> results) const;

  /// Writes the loop, which yields `values` to the outputs in order.
  void finish(ValueRange values);

private:
  using Key = std::pair<Value, AffineMap>;

  SmallVector<Key> dependencies(Value tile, AffineMap at);
  Value compute(Value tile, AffineMap at);
  Value computeGather(GatherOp op, Value index, AffineMap at);
  Value positionValue(AffineExpr expr);
  Value readConstant(arith::ConstantOp op, AffineMap at);
  Value scalar(Value value) { return state.scalars.lookupOrDefault(value); }
  void addSpaceOperand();

  KernelState &state;
  Location loc;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  Block *block;
  OpBuilder body;
  SmallVector<Value> inputs, outputs;
  SmallVector<Type> outputElements;
  SmallVector<AffineMap> inputMaps, outputMaps;
  llvm::DenseMap<Key, Value> elements, stored;
  llvm::DenseMap<AffineExpr, Value> positions;
};

} // namespace mlir::tile::linalgroad

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_LOOPS_H
