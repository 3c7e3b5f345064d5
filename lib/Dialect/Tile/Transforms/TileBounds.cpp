//===- TileBounds.cpp - between which numbers a tile's elements are -*- C++ -*-===//
//
// Bounds are numbers of 64 bits, in which no step on elements of at most 32 bits overflows. Where a
// bound leaves the range of its elements, these may have wrapped around: then nothing is known.
//
//===----------------------------------------------------------------------===//

#include "TileBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

static bool isConstant(Value value) {
  llvm::APInt constant;
  return matchPattern(value, m_ConstantInt(&constant));
}

/// What has the same elements as its operand, some of them several times, or is the same number.
static bool keepsElements(Operation *op) {
  return isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp, PromiseOp, arith::ExtSIOp>(op);
}

/// Whether the elements, or the number, have bounds.
static bool isBounded(Value value) {
  constexpr unsigned mostBits = 32;
  Operation *op = value.getDefiningOp();
  if (keepsElements(op) && !isa<PromiseOp>(op))
    return isBounded(op->getOperand(0));
  auto element = dyn_cast<IntegerType>(elementOf(value.getType()));
  if (!element || element.getWidth() > mostBits)
    return false;
  if (!isa<RankedTensorType>(value.getType()) || isa_and_nonnull<MakeRangeOp>(op) ||
      isConstant(value))
    return true;
  if (isa_and_nonnull<arith::MulIOp>(op) && !isConstant(op->getOperand(1)))
    return false;
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, PromiseOp>(op) &&
         llvm::all_of(op->getOperands(), isBounded);
}

bool tilec::tile::hasKnownBounds(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op) || (keepsElements(op) && !isa<arith::ExtSIOp>(op)))
    return llvm::all_of(op->getOperands(), hasKnownBounds);
  if (!isa<RankedTensorType>(mask.getType()))
    return mask.getType().isInteger(1);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  using Predicate = arith::CmpIPredicate;
  bool isSigned = llvm::is_contained(
      {Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge}, compare.getPredicate());
  return isSigned && isBounded(compare.getLhs()) && isBounded(compare.getRhs());
}

namespace {

struct Bounds {
  Value least, most;
};

/// Creates bounds, and what they depend on.
class BoundsBuilder {
public:
  BoundsBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value isAllTrue(Value mask);

private:
  Bounds boundsOf(Value value);
  Bounds combine(Operation *op);
  Bounds checked(Bounds bounds, Type element);
  Bounds fixed(int64_t least, int64_t most) { return {constant(least), constant(most)}; }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), value);
  }
  void require(arith::CmpIPredicate predicate, Value left, Value right) {
    both(arith::CmpIOp::create(b, loc, predicate, left, right));
  }
  void both(Value condition) {
    holds = holds ? arith::AndIOp::create(b, loc, holds, condition).getResult() : condition;
  }

  OpBuilder &b;
  Location loc;
  Value holds; // What has to be true for the mask to be.
};

} // namespace

/// No element has wrapped around.
Bounds BoundsBuilder::checked(Bounds bounds, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  require(arith::CmpIPredicate::sge, bounds.least, constant(llvm::minIntN(bits)));
  require(arith::CmpIPredicate::sle, bounds.most, constant(llvm::maxIntN(bits)));
  return bounds;
}

Bounds BoundsBuilder::combine(Operation *op) {
  Bounds left = boundsOf(op->getOperand(0));
  if (isa<arith::MulIOp>(op)) {
    llvm::APInt factor;
    [[maybe_unused]] bool isKnown = matchPattern(op->getOperand(1), m_ConstantInt(&factor));
    assert(isKnown && "other products have no bounds");
    if (factor.isNegative())
      std::swap(left.least, left.most);
    Value wide = constant(factor.getSExtValue());
    return {arith::MulIOp::create(b, loc, left.least, wide),
            arith::MulIOp::create(b, loc, left.most, wide)};
  }
  Bounds right = boundsOf(op->getOperand(1));
  if (isa<arith::SubIOp>(op))
    return {arith::SubIOp::create(b, loc, left.least, right.most),
            arith::SubIOp::create(b, loc, left.most, right.least)};
  return {arith::AddIOp::create(b, loc, left.least, right.least),
          arith::AddIOp::create(b, loc, left.most, right.most)};
}

Bounds BoundsBuilder::boundsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (keepsElements(op))
    return boundsOf(op->getOperand(0));
  if (auto range = value.getDefiningOp<MakeRangeOp>())
    return fixed(range.getStart(), int64_t(range.getEnd()) - 1);
  llvm::APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return fixed(known.getSExtValue(), known.getSExtValue());
  if (!isa<RankedTensorType>(value.getType())) {
    Value wide = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
    return {wide, wide};
  }
  return checked(combine(op), elementOf(value.getType()));
}

Value BoundsBuilder::isAllTrue(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op) || (op && keepsElements(op))) {
    for (Value operand : op->getOperands())
      isAllTrue(operand);
    return holds;
  }
  if (!isa<RankedTensorType>(mask.getType())) {
    both(mask);
    return holds;
  }
  auto compare = cast<arith::CmpIOp>(op);
  Bounds left = boundsOf(compare.getLhs()), right = boundsOf(compare.getRhs());
  using Predicate = arith::CmpIPredicate;
  bool isLess = llvm::is_contained({Predicate::slt, Predicate::sle}, compare.getPredicate());
  require(compare.getPredicate(), isLess ? left.most : left.least,
          isLess ? right.least : right.most);
  return holds;
}

Value tilec::tile::createIsAllTrue(OpBuilder &builder, Location loc, Value mask) {
  return BoundsBuilder(builder, loc).isAllTrue(mask);
}
