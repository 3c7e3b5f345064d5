//===- FoldMaskedSums.cpp - sums of what a mask has made zero ---*- C++ -*-===//
//
// The pass `tile-fold-masked-sums`. Kernels that were written by a compiler guard a sum twice: the
// load gives zero where its mask is false, and there the sum is not taken. Adding the zero is the
// same, and leaves ptxas free to start all loads before the first sum: under one predicate it keeps
// each load next to its sum.
//
// It is the same for floats, too, if what the loop carries is never -0, which + 0 would make +0: it
// starts as another number, and only the sum of two -0 is -0.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFOLDMASKEDSUMS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// How far values are followed to where they come from.
static constexpr unsigned kMostSteps = 8;

/// Whether `mask` is false where `other` is: it is `other`, or a conjunction with it.
static bool isFalseOutside(Value mask, Value other, unsigned steps = kMostSteps) {
  if (mask == other)
    return true;
  auto both = mask ? mask.getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  return both && steps > 0 && llvm::any_of(both->getOperands(), [&](Value operand) {
           return isFalseOutside(operand, other, steps - 1);
         });
}

/// Whether the elements of `value` are zero, of either sign, where `mask` is false.
static bool isZeroOutside(Value value, Value mask, unsigned steps = kMostSteps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  if (matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero()))
    return true;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getOther() && isFalseOutside(load.getMask(), mask) &&
           isZeroOutside(load.getOther(), mask, steps - 1);
  // Products of which one factor alone is zero may be NaN.
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::NegFOp, arith::MulFOp, arith::MulIOp,
             arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isZeroOutside(operand, mask, steps - 1); });
}

/// Whether a loop carries `value`, from a number that is not -0 on, and nothing but `next` later.
static bool isNeverNegativeZero(Value value, Value next) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument == loop.getInductionVar() ||
      loop.getTiedLoopYieldedValue(argument)->get() != next)
    return false;
  llvm::APFloat start(0.0);
  return matchPattern(loop.getTiedLoopInit(argument)->get(), m_ConstantFloat(&start)) &&
         !start.isNegZero();
}

/// The sum that `select` is, whether its condition holds or not; null if it is none.
static Value findSum(arith::SelectOp select) {
  Operation *sum = select.getTrueValue().getDefiningOp();
  Value kept = select.getFalseValue(), mask = select.getCondition();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) ||
      !llvm::is_contained(sum->getOperands(), kept))
    return {};
  Value added = sum->getOperand(sum->getOperand(0) == kept ? 1 : 0);
  bool isExact = isa<arith::AddIOp>(sum) || isNeverNegativeZero(kept, select);
  return isExact && isZeroOutside(added, mask) ? select.getTrueValue() : Value();
}

namespace {

struct FoldMaskedSums : tilec::tile::impl::TileFoldMaskedSumsBase<FoldMaskedSums> {
  void runOnOperation() override {
    getOperation().walk([&](arith::SelectOp select) {
      if (Value sum = findSum(select)) {
        select.replaceAllUsesWith(sum);
        select.erase();
        ++numFolded;
      }
    });
  }
};

} // namespace
