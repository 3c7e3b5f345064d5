//===- CombineTiles.cpp - regions that combine scalars, on tiles -*- C++ -*-===//

#include "CombineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::combinesTiles(Region &combine) {
  return llvm::all_of(combine.front().without_terminator(), [](Operation &inner) {
    return inner.hasTrait<OpTrait::Elementwise>() || isa<arith::ConstantOp>(inner);
  });
}

SmallVector<Value> tilec::tile::combineTiles(OpBuilder &builder, Location loc, Region &combine,
                                             ValueRange before, ValueRange values) {
  Block &body = combine.front();
  auto tileOf = [&](Type type) {
    return cast<RankedTensorType>(values.front().getType()).clone(type);
  };
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(before.size()), before);
  mapping.map(body.getArguments().drop_front(before.size()), values);
  auto mapScalar = [&](Value scalar) {
    if (!mapping.contains(scalar))
      mapping.map(scalar, Value(SplatOp::create(builder, loc, tileOf(scalar.getType()), scalar)));
  };
  for (Operation &inner : body.without_terminator()) {
    if (auto scalar = dyn_cast<arith::ConstantOp>(inner)) {
      auto value = DenseElementsAttr::get(tileOf(scalar.getType()), scalar.getValue());
      mapping.map(scalar.getResult(), arith::ConstantOp::create(builder, loc, value).getResult());
      continue;
    }
    llvm::for_each(inner.getOperands(), mapScalar);
    Operation *copy = builder.clone(inner, mapping);
    for (Value result : copy->getResults())
      result.setType(tileOf(result.getType()));
  }
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    mapScalar(yielded);
    results.push_back(mapping.lookup(yielded));
  }
  return results;
}
