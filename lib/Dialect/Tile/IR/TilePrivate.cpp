//===- TilePrivate.cpp - memory of single threads ---------------*- C++ -*-===//

#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

LogicalResult PrivateType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count,
                                  Type elementType) {
  if (count < 1 || count > kMaxTileElements)
    return emitError() << "expects 1 to " << kMaxTileElements << " elements, found " << count;
  if (!elementType.isIntOrFloat())
    return emitError() << "expects elements that are integers or floats, found " << elementType;
  return success();
}

static LogicalResult verifyAccess(Operation *op, RankedTensorType tile, PrivateType memory) {
  LayoutAttr layout = getLayout(tile);
  if (!layout)
    return op->emitOpError("expects a tile with a layout");
  if (tile.getElementType() != memory.getElementType())
    return op->emitOpError("expects a tile of ") << memory.getElementType();
  int64_t registers = layout.toLinearLayout(tile.getShape()).numRegisters();
  if (memory.getCount() % registers != 0)
    return op->emitOpError("expects room for tiles of ")
           << registers << " elements a thread, found " << memory.getCount();
  return success();
}

LogicalResult PrivateStoreOp::verify() {
  return verifyAccess(*this, cast<RankedTensorType>(getValue().getType()), getMemory().getType());
}

LogicalResult PrivateLoadOp::verify() {
  return verifyAccess(*this, cast<RankedTensorType>(getResult().getType()), getMemory().getType());
}
