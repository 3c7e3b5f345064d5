//===- SpreadLine.cpp - a line as a tile -----------------------*- C++ -*-===//

#include "SpreadLine.h"

using namespace mlir;
using namespace tilec::tile;

Value tilec::tile::spreadLine(OpBuilder &b, Location loc, Value line, unsigned axis,
                              RankedTensorType type) {
  auto expand = [&](unsigned at) {
    auto from = cast<RankedTensorType>(line.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape.insert(shape.begin() + at, 1);
    line =
        ExpandDimsOp::create(b, loc, RankedTensorType::get(shape, from.getElementType()), line, at);
  };
  for (unsigned before = 0; before < axis; ++before)
    expand(0);
  for (unsigned rank = axis + 1; rank < type.getRank(); ++rank)
    expand(rank);
  Type whole = cloneWithElement(type, elementOf(line.getType()));
  return b.createOrFold<BroadcastOp>(loc, whole, line);
}
