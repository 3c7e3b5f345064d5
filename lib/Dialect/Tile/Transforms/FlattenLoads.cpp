//===- FlattenLoads.cpp - boxes as the matrices that products take -*- C++ -*-===//
//
// The pass `tile-flatten-loads`. A box of three dimensions and more, loaded and reshaped to a
// factor, would be a tile in registers in between, which no copy into shared memory can serve.
// Pointers are values that are computed for free, so they are reshaped instead.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFLATTENLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The load from which `factor` comes by nothing but shape changes, at least one of which is a
/// reshape; `changes` are those behind it up to the last reshape, in order.
static LoadOp loadOfBox(Value factor, SmallVectorImpl<Operation *> &changes) {
  SmallVector<Operation *> path;
  while (Operation *op = factor.getDefiningOp()) {
    if (!op->hasOneUse())
      return {};
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto isReshape = [](Operation *change) { return isa<ReshapeOp>(change); };
      auto last = llvm::find_if(path, isReshape);
      changes.assign(path.rbegin(), std::make_reverse_iterator(last));
      return load;
    }
    if (!isa<ReshapeOp, PermuteOp>(op))
      return {};
    path.push_back(op);
    factor = op->getOperand(0);
  }
  return {};
}

/// `value` with `changes`, whose types are of another element. A constant stays one, so that zeros
/// are known as such.
static Value changed(Value value, ArrayRef<Operation *> changes, OpBuilder &b) {
  if (SplatElementsAttr splat; matchPattern(value, m_Constant(&splat))) {
    auto last = cast<RankedTensorType>(changes.back()->getResult(0).getType());
    auto type = RankedTensorType::get(last.getShape(), splat.getElementType());
    return arith::ConstantOp::create(b, value.getLoc(), splat.resizeSplat(type));
  }
  for (Operation *change : changes) {
    auto shape = cast<RankedTensorType>(change->getResult(0).getType()).getShape();
    auto type = RankedTensorType::get(shape, elementOf(value.getType()));
    Operation *copy = b.clone(*change);
    copy->setOperand(0, value);
    copy->getResult(0).setType(type);
    value = copy->getResult(0);
  }
  return value;
}

/// Loads the elements where `changes` would put them.
static void flatten(LoadOp load, ArrayRef<Operation *> changes) {
  OpBuilder b(load);
  // What is only reshaped is the same block.
  if (!llvm::all_of(changes, llvm::IsaPred<ReshapeOp>))
    load.getBlockMutable().clear();
  SmallVector<Value> operands;
  for (Value operand : load->getOperands())
    operands.push_back(isa<BlockType>(operand.getType()) ? operand : changed(operand, changes, b));
  auto matrix = cast<LoadOp>(b.clone(*load));
  matrix->setOperands(operands);
  matrix.getResult().setType(changes.back()->getResult(0).getType());
  changes.back()->replaceAllUsesWith(matrix);
  for (Operation *change : llvm::reverse(changes))
    change->erase();
  load.erase();
}

namespace {

struct FlattenLoads : tilec::tile::impl::TileFlattenLoadsBase<FlattenLoads> {
  using TileFlattenLoadsBase::TileFlattenLoadsBase;

  void runOnOperation() override {
    getOperation().walk([&](DotOp dot) {
      for (Value factor : {dot.getLhs(), dot.getRhs()}) {
        SmallVector<Operation *> changes;
        if (LoadOp load = loadOfBox(factor, changes); load && !changes.empty()) {
          flatten(load, changes);
          ++numFlattened;
        }
      }
    });
  }
};

} // namespace
