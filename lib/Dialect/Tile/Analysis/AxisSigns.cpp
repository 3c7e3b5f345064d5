//===- AxisSigns.cpp - integers that are never negative --------*- C++ -*-===//
//
// Signed division rounds toward zero, so accesses through `x // c` and `x % c` are wide only where
// x is known not to be negative. Places in the grid are taken not to overflow: a product counts if
// all but one factor are sizes of tiles or small constants, or if it is a program's share times its
// place, so it wraps only in a grid over more than 2^31 elements. And what divides such a place is
// taken for a count: the rows of a matrix by which `tl.program_id(0) // rows` tells columns apart
// are not fewer than none.
//
//===----------------------------------------------------------------------===//

#include "AxisTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

/// The largest constant factor that counts as the size of a tile or a row, not as one of a hash.
static constexpr int64_t kMaxFactor = int64_t(1) << 20;

static bool bothNonNegative(ArrayRef<AxisInfo> operands) {
  return operands[0].nonNegative && operands[1].nonNegative;
}

static bool isSmall(const AxisInfo &info) { return info.constant && *info.constant <= kMaxFactor; }

/// Sums with what such a mask leaves do not wrap.
static bool isMask(const AxisInfo &info) { return info.nonNegative && isSmall(info); }

/// Whether `value` is a program's place in the grid, of any width.
static bool isPlace(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return isa<ProgramIdOp>(op);
    value = op->getOperand(0);
  }
  return false;
}

/// Whether `value` is an integer argument, of any width, perhaps times a constant: of elements that
/// a program has, or of rows.
static bool isShare(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    APInt factor;
    bool isMultiple = isa<arith::MulIOp>(op) &&
                      matchPattern(op->getOperand(1), m_ConstantInt(&factor)) &&
                      factor.isStrictlyPositive();
    if (!isMultiple && !isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
}

static bool ofProduct(arith::MulIOp op, ArrayRef<AxisInfo> operands) {
  return (bothNonNegative(operands) && (isSmall(operands[0]) || isSmall(operands[1]))) ||
         (isPlace(op.getLhs()) && isShare(op.getRhs())) ||
         (isPlace(op.getRhs()) && isShare(op.getLhs()));
}

static bool ofShift(const AxisInfo &value, const AxisInfo &amount) {
  return value.nonNegative && amount.constant && *amount.constant >= 0 && *amount.constant <= 20;
}

/// Whether `value` is the number of programs along `axis`, or one less.
static bool isCountOfPrograms(Value value, Axis axis) {
  APInt taken;
  if (Operation *op = value.getDefiningOp();
      op && ((isa<arith::SubIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&taken)) &&
              taken.isOne()) ||
             (isa<arith::AddIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&taken)) &&
              taken.isAllOnes())))
    value = op->getOperand(0);
  auto count = value.getDefiningOp<NumProgramsOp>();
  return count && count.getAxis() == axis;
}

/// Whether a program's place is subtracted from the last one of its axis, as kernels do that start
/// with the longest rows.
static bool isPlaceFromEnd(arith::SubIOp op) {
  auto place = op.getRhs().getDefiningOp<ProgramIdOp>();
  return place && isCountOfPrograms(op.getLhs(), place.getAxis());
}

bool tilec::tile::isNeverNegative(Operation *op, ArrayRef<AxisInfo> operands) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::ExtSIOp, arith::ShRSIOp, arith::RemSIOp>(
          [&](Operation *) { return operands[0].nonNegative; })
      .Case<arith::ExtUIOp>([](auto) { return true; })
      .Case<arith::AddIOp, arith::MinSIOp, arith::OrIOp, arith::XOrIOp>(
          [&](Operation *) { return bothNonNegative(operands); })
      .Case<arith::SubIOp>([&](auto difference) { return isPlaceFromEnd(difference); })
      .Case<arith::DivSIOp>([&](auto division) {
        bool isPlace = !isa<ShapedType>(division.getType()) && !operands[1].constant;
        return bothNonNegative(operands) || (isPlace && operands[0].nonNegative);
      })
      .Case<arith::MaxSIOp, arith::MinUIOp>(
          [&](Operation *) { return operands[0].nonNegative || operands[1].nonNegative; })
      .Case<arith::AndIOp>([&](auto) {
        return bothNonNegative(operands) || isMask(operands[0]) || isMask(operands[1]);
      })
      .Case<arith::MulIOp>([&](auto product) { return ofProduct(product, operands); })
      .Case<arith::ShLIOp>([&](auto) { return ofShift(operands[0], operands[1]); })
      .Case<arith::SelectOp>([&](auto) { return bothNonNegative(operands.drop_front()); })
      .Default(false);
}
