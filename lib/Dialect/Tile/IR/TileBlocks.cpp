//===- TileBlocks.cpp - tile.block_pointers ---------------------*- C++ -*-===//
//
// The verifier of blocks of tensors in memory.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

static LogicalResult verifyRows(BlockPointersOp op) {
  if (!op.getRows())
    return success();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getPointers().getType()).getShape();
  ArrayRef<int64_t> rows = cast<RankedTensorType>(op.getRows().getType()).getShape();
  if (shape.size() != 2 || rows != shape.take_front(1))
    return op.emitOpError() << "expects rows of a matrix, one index for each, found "
                            << op.getRows().getType() << " for " << op.getPointers().getType();
  return success();
}

LogicalResult BlockPointersOp::verify() {
  size_t rank = cast<RankedTensorType>(getPointers().getType()).getRank();
  if (getSizes().size() != rank || getStrides().size() != rank || getOffsets().size() != rank)
    return emitOpError() << "expects a size, a stride and an offset for each of " << rank
                         << " axes, found " << getSizes().size() << ", " << getStrides().size()
                         << " and " << getOffsets().size();
  SmallVector<int64_t> axes(getGuard());
  llvm::sort(axes);
  bool isSound = std::adjacent_find(axes.begin(), axes.end()) == axes.end();
  for (int64_t axis : axes)
    isSound &= axis >= 0 && axis < int64_t(rank);
  if (!isSound)
    return emitOpError() << "expects different axes from 0 to " << int64_t(rank) - 1 << " to guard";
  return verifyRows(*this);
}
