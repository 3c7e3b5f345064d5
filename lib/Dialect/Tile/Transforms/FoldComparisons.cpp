//===- FoldComparisons.cpp - comparisons that bounds decide -----*- C++ -*-===//
//
// The pass `tile-fold-comparisons`. Bounds are those of the signed numbers that a value, or all
// elements of a tile, may be; where arithmetic could wrap around, nothing is known. They follow
// from constants alone, so they do not change while comparisons become constants.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFOLDCOMPARISONS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {

struct Bounds {
  int64_t least, most;
};

class BoundsAnalysis {
public:
  /// The bounds of integers; nothing where they are not known.
  std::optional<Bounds> of(Value value);
  /// What `compare` is for all elements; nothing where that is not known.
  std::optional<bool> decide(arith::CmpIOp compare);

private:
  std::optional<Bounds> compute(Value value);
  std::optional<Bounds> ofArithmetic(Operation *op);
  std::optional<Bounds> ofSum(Operation *op, bool isDifference);
  std::optional<Bounds> ofProduct(Operation *op);
  std::optional<Bounds> ofQuotient(Operation *op);
  std::optional<Bounds> ofRemainder(Operation *op);
  std::optional<Bounds> ofMask(Operation *op);
  std::optional<Bounds> ofExtreme(Operation *op, bool isLeast);

  DenseMap<Value, std::optional<Bounds>> known;
};

} // namespace

/// The iterations' numbers of a loop with constant bounds: the last one is a whole number of steps
/// from the first.
static std::optional<Bounds> ofIterations(scf::ForOp loop) {
  llvm::APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive() ||
      lower.getBitWidth() > 32 || lower.sge(upper))
    return std::nullopt;
  int64_t first = lower.getSExtValue(), end = upper.getSExtValue(), by = step.getSExtValue();
  return Bounds{first, first + (end - 1 - first) / by * by};
}

std::optional<Bounds> BoundsAnalysis::of(Value value) {
  auto [place, isNew] = known.try_emplace(value);
  if (!isNew)
    return place->second;
  std::optional<Bounds> bounds = compute(value);
  auto element = dyn_cast<IntegerType>(elementOf(value.getType()));
  if (!element || element.getWidth() > 64 || element.getWidth() == 1)
    return std::nullopt;
  unsigned bits = element.getWidth();
  if (bounds && (bounds->least < llvm::minIntN(bits) || bounds->most > llvm::maxIntN(bits)))
    bounds.reset(); // Elements may have wrapped around.
  return known[value] = bounds;
}

std::optional<Bounds> BoundsAnalysis::compute(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getBitWidth() <= 64
               ? std::optional(Bounds{constant.getSExtValue(), constant.getSExtValue()})
               : std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() ? ofIterations(loop) : std::nullopt;
  }
  return ofArithmetic(value.getDefiningOp());
}

std::optional<Bounds> BoundsAnalysis::ofArithmetic(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Bounds>>(op)
      .Case([](MakeRangeOp range) {
        return Bounds{int64_t(range.getStart()), int64_t(range.getEnd()) - 1};
      })
      .Case<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, PermuteOp, arith::ExtSIOp>(
          [&](Operation *same) { return of(same->getOperand(0)); })
      .Case([&](arith::AddIOp) { return ofSum(op, /*isDifference=*/false); })
      .Case([&](arith::SubIOp) { return ofSum(op, /*isDifference=*/true); })
      .Case([&](arith::MulIOp) { return ofProduct(op); })
      .Case([&](arith::DivSIOp) { return ofQuotient(op); })
      .Case([&](arith::RemSIOp) { return ofRemainder(op); })
      .Case([&](arith::AndIOp) { return ofMask(op); })
      .Case([&](arith::MinSIOp) { return ofExtreme(op, /*isLeast=*/true); })
      .Case([&](arith::MaxSIOp) { return ofExtreme(op, /*isLeast=*/false); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Bounds> BoundsAnalysis::ofSum(Operation *op, bool isDifference) {
  std::optional<Bounds> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  Bounds sum;
  if (!left || !right)
    return std::nullopt;
  bool overflows = isDifference ? llvm::SubOverflow(left->least, right->most, sum.least) ||
                                      llvm::SubOverflow(left->most, right->least, sum.most)
                                : llvm::AddOverflow(left->least, right->least, sum.least) ||
                                      llvm::AddOverflow(left->most, right->most, sum.most);
  return overflows ? std::nullopt : std::optional(sum);
}

std::optional<Bounds> BoundsAnalysis::ofProduct(Operation *op) {
  std::optional<Bounds> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  int64_t corners[4];
  if (!left || !right || llvm::MulOverflow(left->least, right->least, corners[0]) ||
      llvm::MulOverflow(left->least, right->most, corners[1]) ||
      llvm::MulOverflow(left->most, right->least, corners[2]) ||
      llvm::MulOverflow(left->most, right->most, corners[3]))
    return std::nullopt;
  return Bounds{*llvm::min_element(corners), *llvm::max_element(corners)};
}

/// Division by a positive constant keeps the order.
std::optional<Bounds> BoundsAnalysis::ofQuotient(Operation *op) {
  std::optional<Bounds> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right || right->least != right->most || right->least <= 0)
    return std::nullopt;
  return Bounds{left->least / right->least, left->most / right->least};
}

/// The remainder has the sign of what is divided.
std::optional<Bounds> BoundsAnalysis::ofRemainder(Operation *op) {
  std::optional<Bounds> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!right || right->least <= 0)
    return std::nullopt;
  int64_t largest = right->most - 1;
  if (!left)
    return Bounds{-largest, largest};
  return Bounds{left->least < 0 ? std::max(left->least, -largest) : 0,
                left->most > 0 ? std::min(left->most, largest) : 0};
}

/// Of two numbers that are not negative, `and` is none, and not more than either.
std::optional<Bounds> BoundsAnalysis::ofMask(Operation *op) {
  std::optional<Bounds> most;
  for (Value operand : op->getOperands())
    if (std::optional<Bounds> bounds = of(operand); bounds && bounds->least >= 0)
      most = Bounds{0, most ? std::min(most->most, bounds->most) : bounds->most};
  return most;
}

std::optional<Bounds> BoundsAnalysis::ofExtreme(Operation *op, bool isLeast) {
  std::optional<Bounds> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  return isLeast ? Bounds{std::min(left->least, right->least), std::min(left->most, right->most)}
                 : Bounds{std::max(left->least, right->least), std::max(left->most, right->most)};
}

/// Whether each number of `left` is less than each of `right`, or none is.
static std::optional<bool> isLess(Bounds left, Bounds right) {
  if (left.most < right.least)
    return true;
  return left.least >= right.most ? std::optional(false) : std::nullopt;
}

static std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional(!*value) : std::nullopt;
}

std::optional<bool> BoundsAnalysis::decide(arith::CmpIOp compare) {
  std::optional<Bounds> left = of(compare.getLhs()), right = of(compare.getRhs());
  if (!left || !right)
    return std::nullopt;
  bool areUnsigned = left->least >= 0 && right->least >= 0;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::ult:
    return areUnsigned ? isLess(*left, *right) : std::nullopt;
  case arith::CmpIPredicate::slt:
    return isLess(*left, *right);
  case arith::CmpIPredicate::ugt:
    return areUnsigned ? isLess(*right, *left) : std::nullopt;
  case arith::CmpIPredicate::sgt:
    return isLess(*right, *left);
  case arith::CmpIPredicate::ule:
    return areUnsigned ? negated(isLess(*right, *left)) : std::nullopt;
  case arith::CmpIPredicate::sle:
    return negated(isLess(*right, *left));
  case arith::CmpIPredicate::uge:
    return areUnsigned ? negated(isLess(*left, *right)) : std::nullopt;
  case arith::CmpIPredicate::sge:
    return negated(isLess(*left, *right));
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne: {
    bool areApart = left->most < right->least || right->most < left->least;
    return areApart ? std::optional(compare.getPredicate() == arith::CmpIPredicate::ne)
                    : std::nullopt;
  }
  }
  llvm_unreachable("unknown predicate");
}

namespace {

struct FoldComparisons : tilec::tile::impl::TileFoldComparisonsBase<FoldComparisons> {
  void runOnOperation() override {
    BoundsAnalysis bounds;
    SmallVector<std::pair<arith::CmpIOp, bool>> decided;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // In program order: a chain of sums may be long, and must not be followed at once.
      for (Value result : op->getResults())
        if (isa<IntegerType>(elementOf(result.getType())))
          (void)bounds.of(result);
      auto compare = dyn_cast<arith::CmpIOp>(op);
      if (std::optional<bool> result = compare ? bounds.decide(compare) : std::nullopt)
        decided.push_back({compare, *result});
    });
    for (auto [compare, result] : decided)
      replace(compare, result);
    numFolded += decided.size();
    if (decided.empty())
      markAllAnalysesPreserved();
  }

private:
  static void replace(arith::CmpIOp compare, bool result) {
    OpBuilder b(compare);
    Type type = compare.getType();
    TypedAttr value = b.getBoolAttr(result);
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, result);
    compare.replaceAllUsesWith(arith::ConstantOp::create(b, compare.getLoc(), value).getResult());
    compare.erase();
  }
};

} // namespace
