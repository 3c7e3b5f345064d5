//===- UniformLoads.cpp - load what all elements share once -----*- C++ -*-===//
//
// The pass `tile-uniform-loads`. The scale of a block of weights is often loaded for each column
// of the block, by pointers that division makes equal: offsets // 128, where 128 offsets begin at a
// multiple of 128. As a tile it is loaded by every thread for each of its columns, or copied to as
// many places of shared memory, one after another, since all come from one address. The address is
// a scalar's, so it becomes one.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEUNIFORMLOADS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// Makes the first element of tiles that follow from scalars.
class FirstElement {
public:
  explicit FirstElement(OpBuilder &b) : b(b) {}

  /// Whether make() knows how to.
  bool isKnown(Value tile);
  /// Whether what isKnown() has seen is little to compute twice.
  bool isShort() const { return known.size() <= 32; }
  Value make(Value tile);

private:
  OpBuilder &b;
  llvm::DenseMap<Value, bool> known;
  llvm::DenseMap<Value, Value> made;
};

} // namespace

static bool changesShape(Operation *op) {
  return isa<ExpandDimsOp, BroadcastOp, ReshapeOp, PermuteOp>(op);
}

bool FirstElement::isKnown(Value tile) {
  if (!isa<RankedTensorType>(tile.getType()))
    return true;
  auto [entry, isNew] = known.try_emplace(tile, false);
  Operation *op = tile.getDefiningOp();
  if (!isNew || !op)
    return entry->second;
  SplatElementsAttr splat;
  bool result = isa<SplatOp, MakeRangeOp>(op) || matchPattern(op, m_Constant(&splat));
  bool isOfElements = isElementwise(op) && op->getNumResults() == 1 && isMemoryEffectFree(op);
  if (!result && (isOfElements || changesShape(op)))
    result = llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand); });
  return known[tile] = result;
}

Value FirstElement::make(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type)
    return tile;
  if (Value value = made.lookup(tile))
    return value;
  Operation *op = tile.getDefiningOp();
  Location loc = op->getLoc();
  Type element = type.getElementType();
  SplatElementsAttr splat;
  Value value;
  if (auto source = dyn_cast<SplatOp>(op)) {
    value = source.getSrc();
  } else if (matchPattern(op, m_Constant(&splat))) {
    value = arith::ConstantOp::create(b, loc, splat.getSplatValue<TypedAttr>());
  } else if (auto range = dyn_cast<MakeRangeOp>(op)) {
    value = arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, range.getStart()));
  } else if (changesShape(op) || isa<PromiseOp>(op)) { // What is promised says how elements follow.
    value = make(op->getOperand(0));
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(make(operand));
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(element);
    value = copy->getResult(0);
  }
  return made[tile] = value;
}

/// Whether all elements are equal.
static bool isUniform(const AxisInfoAnalysis &axes, Value tile) {
  // Nothing is known about floats otherwise.
  SplatElementsAttr splat;
  if (tile.getDefiningOp<SplatOp>() || matchPattern(tile, m_Constant(&splat)))
    return true;
  auto type = cast<RankedTensorType>(tile.getType());
  AxisInfo info = axes.get(tile);
  return llvm::all_of(llvm::enumerate(type.getShape()),
                      [&](auto dim) { return info.dims[dim.index()].constancy >= dim.value(); });
}

static bool isOfOneAddress(const AxisInfoAnalysis &axes, LoadOp load, FirstElement &first) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getNumElements() == 1 || load.getIsVolatile() || load.getBlock())
    return false;
  return llvm::all_of(
             load->getOperands(),
             [&](Value operand) { return isUniform(axes, operand) && first.isKnown(operand); }) &&
         first.isShort();
}

namespace {
struct UniformLoads : tilec::tile::impl::TileUniformLoadsBase<UniformLoads> {
  void runOnOperation() override {
    SmallVector<LoadOp> loads;
    getOperation().walk([&](LoadOp load) { loads.push_back(load); });
    AxisInfoAnalysis axes(getOperation());
    for (LoadOp load : loads) {
      OpBuilder b(load);
      FirstElement first(b);
      if (!isOfOneAddress(axes, load, first))
        continue;
      SmallVector<Value> operands;
      for (Value operand : load->getOperands())
        operands.push_back(first.make(operand));
      auto one = cast<LoadOp>(b.clone(*load));
      one->setOperands(operands);
      one.getResult().setType(elementOf(load.getType()));
      Value tile = SplatOp::create(b, load.getLoc(), load.getType(), one.getResult());
      load.replaceAllUsesWith(tile);
      load.erase();
      ++numLoads;
    }
  }
};
} // namespace
