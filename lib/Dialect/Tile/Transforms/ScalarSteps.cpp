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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESCALARSTEPS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {
/// The number that all elements of a tile are: a value, or a constant if the value is null.
struct Uniform {
  Value value;
  IntegerAttr constant;
};

/// By how much all elements move.
struct Step {
  Uniform by;
  bool down = false;
};
} // namespace

static std::optional<Uniform> uniformOf(Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return Uniform{splat.getSrc(), {}};
  DenseIntElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
    return Uniform{{},
                   IntegerAttr::get(constant.getElementType(), constant.getSplatValue<APInt>())};
  return std::nullopt;
}

/// One step: `op` makes a tile of another one, `from`, by moving all elements alike.
static std::optional<Step> stepOf(Operation *op, Value &from) {
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

namespace {

/// Rewrites one loop, whose carried tile number `index` moves by `steps`.
class StepRewriter {
public:
  StepRewriter(scf::ForOp loop, unsigned index)
      : loop(loop), index(index), builder(loop), loc(loop.getLoc()),
        tile(cast<RankedTensorType>(loop.getRegionIterArgs()[index].getType())) {
    bool isPointer = isa<PtrType>(tile.getElementType());
    // A sum of pointer steps may need 64 bits. Integers must wrap around as before.
    number = isPointer ? builder.getI64Type() : cast<IntegerType>(tile.getElementType());
  }

  void run(ArrayRef<Step> steps);

private:
  Value numberOf(const Uniform &uniform);
  Value moved(Value init, Value by);

  scf::ForOp loop;
  unsigned index;
  OpBuilder builder;
  Location loc;
  RankedTensorType tile;
  IntegerType number;
};

} // namespace

Value StepRewriter::numberOf(const Uniform &uniform) {
  if (!uniform.value)
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(number, uniform.constant.getValue().sext(number.getWidth())));
  if (uniform.value.getType() == number)
    return uniform.value;
  return arith::ExtSIOp::create(builder, loc, number, uniform.value);
}

/// The tile `init`, moved by `by`.
Value StepRewriter::moved(Value init, Value by) {
  Value offsets = SplatOp::create(builder, loc, RankedTensorType::get(tile.getShape(), number), by);
  if (isa<PtrType>(tile.getElementType()))
    return AddPtrOp::create(builder, loc, tile, init, offsets);
  return arith::AddIOp::create(builder, loc, init, offsets);
}

void StepRewriter::run(ArrayRef<Step> steps) {
  Value init = loop.getInitArgs()[index];
  Value carried = loop.getRegionIterArgs()[index], result = loop.getResult(index);
  auto usesOf = [](Value value) {
    return llvm::to_vector(llvm::make_pointer_range(value.getUses()));
  };
  SmallVector<OpOperand *> usesInside = usesOf(carried), usesBehind = usesOf(result);

  Value start = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(number, 0));
  loop.getInitArgsMutable()[index].set(start);
  carried.setType(number);
  result.setType(number);

  Operation *yield = loop.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  Value next = carried;
  for (const Step &step : steps) {
    Value by = numberOf(step.by);
    next = step.down ? Value(arith::SubIOp::create(builder, loc, next, by))
                     : Value(arith::AddIOp::create(builder, loc, next, by));
  }
  yield->setOperand(index, next);

  builder.setInsertionPointToStart(loop.getBody());
  Value inside = moved(init, carried);
  for (OpOperand *use : usesInside)
    use->set(inside);
  builder.setInsertionPointAfter(loop);
  if (usesBehind.empty())
    return;
  Value behind = moved(init, result);
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
        StepRewriter(loop, index).run(*steps);
        ++numScalars;
      }
    });
  }
};

} // namespace
