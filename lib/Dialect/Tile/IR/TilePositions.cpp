//===- TilePositions.cpp - where elements come from ------------*- C++ -*-===//
//
// For operations that give elements other positions: the position in the operand, as expressions in
// the position in the result.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tilec::tile;

using Position = SmallVector<AffineExpr>;

Position BroadcastOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  Position result(position);
  for (auto [expr, size] : llvm::zip_equal(result, getSrc().getType().getShape()))
    if (size == 1)
      expr = getAffineConstantExpr(0, getContext());
  return result;
}

Position ExpandDimsOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  Position result(position);
  result.erase(result.begin() + getAxis());
  return result;
}

Position ReshapeOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  ArrayRef<int64_t> shape = getSrc().getType().getShape();
  Position wide;
  SmallVector<int64_t> wideSizes;
  for (auto [expr, size] : llvm::zip_equal(position, getType().getShape()))
    if (size != 1) {
      wide.push_back(expr);
      wideSizes.push_back(size);
    }
  auto isWide = [](int64_t size) { return size != 1; };
  Position result;
  if (llvm::to_vector(llvm::make_filter_range(shape, isWide)) == wideSizes) {
    unsigned next = 0;
    for (int64_t size : shape)
      result.push_back(size == 1 ? getAffineConstantExpr(0, getContext()) : wide[next++]);
    return result;
  }
  AffineExpr linear = getAffineConstantExpr(0, getContext());
  for (auto [expr, size] : llvm::zip_equal(wide, wideSizes))
    linear = linear * size + expr;
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(shape)) {
    result.push_back(linear.floorDiv(stride) % size);
    stride *= size;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

Position PermuteOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  Position result(position.size());
  for (auto [expr, axis] : llvm::zip_equal(position, getOrder()))
    result[axis] = expr;
  return result;
}

Position TakeOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  Position result(position);
  result.insert(result.begin() + getAxis(), getAffineConstantExpr(getIndex(), getContext()));
  return result;
}

Position FlipOp::getOperandPosition(ArrayRef<AffineExpr> position) {
  Position result(position);
  AffineExpr &flipped = result[getAxis()];
  flipped = getAffineConstantExpr(getType().getDimSize(getAxis()) - 1, getContext()) - flipped;
  return result;
}
