//===- CarrySums.cpp - sums that a loop starts anew ------------*- C++ -*-===//
//
// The pass `tile-carry-sums`. In a loop over the steps of several tiles, a sum of products ends
// with a tile and starts from zero with the next one. Such a sum is carried as it is, so that a
// product may still add to it, and whether it starts anew is carried beside it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/DotPlan.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECARRYSUMS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

/// A sum that a loop carries unless it starts anew.
struct RestartedSum {
  DotOp product;
  arith::SelectOp select; // Between the sum and zero, which the loop yields.
  unsigned number = 0;    // Of the carried value.
};

} // namespace

/// The carried value with this number as such a sum; nothing if it is something else.
static std::optional<RestartedSum> findSum(scf::ForOp loop, unsigned number) {
  auto select = loop.getYieldedValues()[number].getDefiningOp<arith::SelectOp>();
  if (!select || !select->hasOneUse() || select->getBlock() != loop.getBody() ||
      !select.getCondition().getType().isInteger(1))
    return std::nullopt;
  Value sum = isZero(select.getTrueValue())    ? select.getFalseValue()
              : isZero(select.getFalseValue()) ? select.getTrueValue()
                                               : Value();
  auto product = sum ? sum.getDefiningOp<DotOp>() : DotOp();
  BlockArgument carried = loop.getRegionIterArg(number);
  if (!product || product->getBlock() != loop.getBody() || product.getAcc() != carried ||
      !carried.hasOneUse())
    return std::nullopt;
  return RestartedSum{product, select, number};
}

/// Makes `loop` carry the sum and whether it goes on. Returns the loop that replaces it.
static scf::ForOp carry(scf::ForOp loop, RestartedSum sum) {
  Location loc = sum.select.getLoc();
  OpBuilder b(loop);
  Value yes = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  auto type = cast<RankedTensorType>(sum.product.getType());
  Value zeros = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  bool isZeroIfTrue = isZero(sum.select.getTrueValue());
  auto next = [&](OpBuilder &at, Location, ArrayRef<BlockArgument>) -> SmallVector<Value> {
    Value goesOn = sum.select.getCondition();
    if (isZeroIfTrue)
      goesOn = arith::XOrIOp::create(at, loc, goesOn, yes);
    return {goesOn};
  };
  IRRewriter rewriter(b);
  FailureOr<LoopLikeOpInterface> replaced =
      loop.replaceWithAdditionalYields(rewriter, yes, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "a counted loop can carry more");
  loop = cast<scf::ForOp>(replaced->getOperation());
  b.setInsertionPointAfter(loop);
  Value last = loop.getResult(sum.number);
  if (!last.use_empty()) {
    auto whole = arith::SelectOp::create(b, loc, loop.getResults().back(), last, zeros);
    last.replaceAllUsesExcept(whole, whole);
  }
  b.setInsertionPoint(sum.product);
  sum.product.getAccMutable().assign(arith::SelectOp::create(
      b, loc, loop.getRegionIterArgs().back(), loop.getRegionIterArg(sum.number), zeros));
  sum.select.replaceAllUsesWith(sum.product.getResult());
  sum.select.erase();
  return loop;
}

namespace {

struct CarrySums : tilec::tile::impl::TileCarrySumsBase<CarrySums> {
  using TileCarrySumsBase::TileCarrySumsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    LaunchShape launch = getLaunchShape(kernel);
    tilec::GpuArch arch = getTarget(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    // The last loops are inner ones, which do not move when one around them is replaced.
    for (scf::ForOp loop : loops)
      for (unsigned number = 0, count = loop.getNumRegionIterArgs(); number < count; ++number)
        if (std::optional<RestartedSum> sum = findSum(loop, number);
            sum && fitsWarpGroups(sum->product, launch, arch)) {
          loop = carry(loop, *sum);
          ++numSums;
        }
  }
};

} // namespace
