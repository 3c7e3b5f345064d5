//===- ScalarSteps.cpp - carry numbers instead of tiles ---------*- C++ -*-===//
//
// The pass `tile-scalar-steps`. A tile of pointers (or integers) that each iteration of a loop
// moves by the same amount in all elements is its initial value plus one number. If the loop
// carries that number, it takes one register instead of two for each element, and the tile is a
// free value, which gets the layout of the load that uses it. On the CPU path an address becomes a
// base plus an affine offset, so that accesses vectorise.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "ScalarSteps.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESCALARSTEPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

static std::optional<Uniform> uniformOf(Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return Uniform{splat.getSrc(), {}};
  DenseIntElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
    return Uniform{{},
                   IntegerAttr::get(constant.getElementType(), constant.getSplatValue<APInt>())};
  return std::nullopt;
}

std::optional<Step> tilec::tile::stepOf(Operation *op, Value &from) {
  if (!isa_and_present<AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  from = op->getOperand(0);
  if (std::optional<Uniform> by = uniformOf(op->getOperand(1)))
    return Step{*by, isa<arith::SubIOp>(op)};
  if (!isa<arith::AddIOp>(op))
    return std::nullopt;
  from = op->getOperand(1);
  if (std::optional<Uniform> by = uniformOf(op->getOperand(0)))
    return Step{*by};
  return std::nullopt;
}

/// The steps from `from` to `to`: a loop carries `from` and yields `to`. Nothing if there are none,
/// or `to` is made in any other way.
static std::optional<SmallVector<Step>> stepsOf(Value from, Value to) {
  SmallVector<Step> steps;
  while (to != from) {
    std::optional<Step> step = stepOf(to.getDefiningOp(), to);
    if (!step)
      return std::nullopt;
    steps.push_back(*step);
  }
  if (steps.empty())
    return std::nullopt;
  return steps;
}

Value StepBuilder::numberOf(const Uniform &uniform) {
  if (!uniform.value)
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(number, uniform.constant.getValue().sext(number.getWidth())));
  if (uniform.value.getType() == number)
    return uniform.value;
  return arith::ExtSIOp::create(builder, loc, number, uniform.value);
}

StepBuilder::StepBuilder(scf::ForOp loop, RankedTensorType tile)
    : builder(loop), loc(loop.getLoc()), tile(tile) {
  bool isPointer = isa<PtrType>(tile.getElementType());
  // A sum of pointer steps may need 64 bits. Integers must wrap around as before.
  number = isPointer ? builder.getI64Type() : cast<IntegerType>(tile.getElementType());
}

Value StepBuilder::zero() {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(number, 0));
}

Value StepBuilder::sum(Value start, ArrayRef<Step> steps) {
  for (const Step &step : steps) {
    Value by = numberOf(step.by);
    start = step.down ? Value(arith::SubIOp::create(builder, loc, start, by))
                      : Value(arith::AddIOp::create(builder, loc, start, by));
  }
  return start;
}

Value StepBuilder::moved(Value base, Value by) {
  Value offsets = SplatOp::create(builder, loc, RankedTensorType::get(tile.getShape(), number), by);
  if (isa<PtrType>(tile.getElementType()))
    return AddPtrOp::create(builder, loc, tile, base, offsets);
  return arith::AddIOp::create(builder, loc, base, offsets);
}

void tilec::tile::carryNumber(scf::ForOp loop, unsigned index, Value base, Value start,
                              llvm::function_ref<Value(StepBuilder &)> next) {
  Value carried = loop.getRegionIterArgs()[index], result = loop.getResult(index);
  StepBuilder steps(loop, cast<RankedTensorType>(carried.getType()));
  auto usesOf = [](Value value) {
    return llvm::to_vector(llvm::make_pointer_range(value.getUses()));
  };
  SmallVector<OpOperand *> usesInside = usesOf(carried), usesBehind = usesOf(result);
  loop.getInitArgsMutable()[index].set(start);
  carried.setType(start.getType());
  result.setType(start.getType());

  Operation *yield = loop.getBody()->getTerminator();
  steps.builder.setInsertionPoint(yield);
  yield->setOperand(index, next(steps));

  steps.builder.setInsertionPointToStart(loop.getBody());
  Value inside = steps.moved(base, carried);
  for (OpOperand *use : usesInside)
    use->set(inside);
  steps.builder.setInsertionPointAfter(loop);
  if (usesBehind.empty())
    return;
  Value behind = steps.moved(base, result);
  for (OpOperand *use : usesBehind)
    use->set(behind);
}

namespace {

struct ScalarSteps : tilec::tile::impl::TileScalarStepsBase<ScalarSteps> {
  using TileScalarStepsBase::TileScalarStepsBase;

  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index) {
        BlockArgument carried = loop.getRegionIterArgs()[index];
        if (!isa<RankedTensorType>(carried.getType()))
          continue;
        std::optional<SmallVector<Step>> steps = stepsOf(carried, loop.getYieldedValues()[index]);
        if (!steps)
          continue;
        Value start = StepBuilder(loop, cast<RankedTensorType>(carried.getType())).zero();
        carryNumber(loop, index, loop.getInitArgs()[index], start,
                    [&](StepBuilder &builder) { return builder.sum(carried, *steps); });
        ++numScalars;
      }
      numScalars += followIterations(loop);
    });
  }
};

} // namespace
