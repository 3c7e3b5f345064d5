//===- AxisTransfer.cpp - axis facts through arithmetic ---------*- C++ -*-===//
//
// One small function for an operation of upstream's; those of the dialect have an interface.
// Integers wrap, so a group that counts up may wrap inside; that is harmless as long as the group
// starts at a multiple of its own size, which getAccessWidth demands of every group it uses.
//
//===----------------------------------------------------------------------===//

#include "AxisTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;
using Dim = AxisInfo::Dim;

//===----------------------------------------------------------------------===//
// Integer arithmetic
//===----------------------------------------------------------------------===//

static std::optional<int64_t> foldConstants(const AxisInfo &a, const AxisInfo &b,
                                            int64_t (*combine)(uint64_t, uint64_t)) {
  if (!a.constant || !b.constant)
    return std::nullopt;
  return combine(uint64_t(*a.constant), uint64_t(*b.constant));
}

static AxisInfo ofAdd(Type type, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = axisInfoOfSum(type, a, b, 1);
  info.constant = foldConstants(a, b, [](uint64_t x, uint64_t y) { return int64_t(x + y); });
  return info;
}

static AxisInfo ofSub(Type type, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = alongEachAxis(type, [&](unsigned axis) {
    const Dim &x = a.dims[axis], &y = b.dims[axis];
    int64_t contiguity = std::min(x.contiguity, y.constancy);
    return Dim{contiguity,
               std::min(a.divisibilityAt(axis, contiguity), b.divisibilityAt(axis, contiguity)),
               std::min(x.constancy, y.constancy)};
  });
  info.constant = foldConstants(a, b, [](uint64_t x, uint64_t y) { return int64_t(x - y); });
  return info;
}

static AxisInfo ofMul(Type type, const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1 || b.constant == 1)
    return a.constant == 1 ? b : a;
  AxisInfo info = alongEachAxis(type, [&](unsigned axis) {
    int64_t product = a.divisibilityAt(axis, 1) * b.divisibilityAt(axis, 1);
    return Dim{1, capDivisibility(product),
               std::min(a.dims[axis].constancy, b.dims[axis].constancy)};
  });
  info.constant = foldConstants(a, b, [](uint64_t x, uint64_t y) { return int64_t(x * y); });
  return info;
}

/// A narrower integer wraps sooner: no group may count past half of its range.
static AxisInfo ofTrunc(Type type, const AxisInfo &source) {
  unsigned width = elementOf(type).getIntOrFloatBitWidth();
  int64_t limit = int64_t(1) << std::min(width - 1, 30u);
  AxisInfo info = alongEachAxis(type, [&](unsigned axis) {
    int64_t contiguity = std::min(source.dims[axis].contiguity, limit);
    return Dim{contiguity, source.divisibilityAt(axis, contiguity), source.dims[axis].constancy};
  });
  info.constant = source.constant;
  return info;
}

static AxisInfo ofShl(Type type, const AxisInfo &value, const AxisInfo &amount) {
  if (!amount.constant || *amount.constant < 0 || *amount.constant > 30)
    return alongEachAxis(type, [&](unsigned axis) {
      return Dim{1, 1, std::min(value.dims[axis].constancy, amount.dims[axis].constancy)};
    });
  return ofMul(type, value, AxisInfo::splat(type, int64_t(1) << *amount.constant));
}

/// Quotient or remainder of a division. Inside a group that starts at a multiple of its size, which
/// divides the divisor too, the quotient is constant and the remainder counts, if division rounds
/// down there: `roundsDown`. Facts about single elements hold either way.
static AxisInfo ofDivision(Type type, const AxisInfo &value, const AxisInfo &divisor,
                           bool remainder, bool roundsDown) {
  bool isPower = divisor.constant && llvm::isPowerOf2_64(uint64_t(*divisor.constant));
  return alongEachAxis(type, [&](unsigned axis) {
    const Dim &dim = value.dims[axis];
    int64_t factor = divisor.divisibilityAt(axis, 1), same = divisor.dims[axis].constancy;
    int64_t group =
        roundsDown ? std::min({dim.contiguity, dim.divisibility, factor, same}) : int64_t(1);
    int64_t equal = std::min(dim.constancy, same);
    if (remainder)
      return Dim{group, std::min(value.divisibilityAt(axis, group), factor), equal};
    int64_t left = isPower ? std::max<int64_t>(1, value.divisibilityAt(axis, 1) / factor) : 1;
    return Dim{1, left, std::max(group, equal)};
  });
}

/// Only equal elements stay equal: the rule for any elementwise operation.
static AxisInfo ofElementwise(Type type, ArrayRef<AxisInfo> operands) {
  return alongEachAxis(type, [&](unsigned axis) {
    int64_t constancy = AxisInfo::kMaxDivisibility;
    for (const AxisInfo &operand : operands)
      constancy = std::min(constancy, operand.dims[axis].constancy);
    return Dim{1, 1, constancy};
  });
}

/// Whether `counting < constant` (or >=) is one answer over a group: both sides are multiples of
/// the group's size, so the constant lies at a group boundary.
static int64_t comparisonConstancy(const AxisInfo &counting, const AxisInfo &constant,
                                   unsigned axis) {
  int64_t group = std::min(counting.dims[axis].contiguity, constant.dims[axis].constancy);
  while (group > 1 &&
         (counting.divisibilityAt(axis, group) < group || constant.divisibilityAt(axis, 1) < group))
    group /= 2;
  return group;
}

static AxisInfo ofCompare(arith::CmpIOp op, const AxisInfo &lhs, const AxisInfo &rhs) {
  using Predicate = arith::CmpIPredicate;
  bool lhsCounts = llvm::is_contained(
      {Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge}, op.getPredicate());
  bool rhsCounts = llvm::is_contained(
      {Predicate::sgt, Predicate::sle, Predicate::ugt, Predicate::ule}, op.getPredicate());
  return alongEachAxis(op.getType(), [&](unsigned axis) {
    int64_t constancy = std::min(lhs.dims[axis].constancy, rhs.dims[axis].constancy);
    if (lhsCounts)
      constancy = std::max(constancy, comparisonConstancy(lhs, rhs, axis));
    if (rhsCounts)
      constancy = std::max(constancy, comparisonConstancy(rhs, lhs, axis));
    return Dim{1, 1, constancy};
  });
}

static AxisInfo ofSelect(Type type, ArrayRef<AxisInfo> operands) {
  // A scalar condition chooses for all elements alike.
  bool scalar = operands[0].dims.size() != operands[1].dims.size();
  return alongEachAxis(type, [&](unsigned axis) {
    const Dim &a = operands[1].dims[axis], &b = operands[2].dims[axis];
    int64_t same = scalar ? AxisInfo::kMaxDivisibility : operands[0].dims[axis].constancy;
    Dim dim;
    dim.contiguity = std::min({a.contiguity, b.contiguity, same});
    dim.divisibility = std::min(operands[1].divisibilityAt(axis, dim.contiguity),
                                operands[2].divisibilityAt(axis, dim.contiguity));
    dim.constancy = std::min({a.constancy, b.constancy, same});
    return dim;
  });
}

/// One of two values: what divides both divides the result.
static AxisInfo ofExtreme(Type type, const AxisInfo &a, const AxisInfo &b) {
  return alongEachAxis(type, [&](unsigned axis) {
    return Dim{1, std::min(a.divisibilityAt(axis, 1), b.divisibilityAt(axis, 1)),
               std::min(a.dims[axis].constancy, b.dims[axis].constancy)};
  });
}

/// What is loaded from one place is one value; what it is, memory says.
static AxisInfo ofLoad(LoadOp op, ArrayRef<AxisInfo> operands) {
  if (!isa<RankedTensorType>(op.getType()) || op.getIsVolatile())
    return AxisInfo::unknown(op.getType());
  size_t numRead = 1 + bool(op.getMask()) + bool(op.getOther());
  return alongEachAxis(op.getType(), [&](unsigned axis) {
    int64_t constancy = AxisInfo::kMaxDivisibility;
    for (const AxisInfo &operand : operands.take_front(numRead))
      constancy = std::min(constancy, operand.dims[axis].constancy);
    return Dim{1, 1, constancy};
  });
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static AxisInfo ofConstant(arith::ConstantOp op) {
  Type element = elementOf(op.getType());
  if (!element.isIntOrIndex() || (element.isInteger() && element.getIntOrFloatBitWidth() > 64))
    return AxisInfo::unknown(op.getType());
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return AxisInfo::splat(op.getType(), integer.getValue().getSExtValue());
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (splat)
    return AxisInfo::splat(op.getType(), splat.getSplatValue<APInt>().getSExtValue());
  return AxisInfo::unknown(op.getType());
}

/// A signed division rounds toward zero, which is down where nothing is negative. The remainder
/// counts inside a negative group, too, unless the group starts at a multiple of the divisor. As
/// under Triton nobody is taken to address memory by such a remainder (docs/language.md): positions
/// that wrap around would start a whole row before the first.
static AxisInfo ofDivision(Operation *op, ArrayRef<AxisInfo> operands) {
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  bool roundsDown = isRemainder || isa<arith::DivUIOp>(op) || operands[0].nonNegative;
  return ofDivision(op->getResult(0).getType(), operands[0], operands[1], isRemainder, roundsDown);
}

/// A right shift rounds down, an arithmetic one also for negative values.
static AxisInfo ofShr(Type type, ArrayRef<AxisInfo> operands) {
  std::optional<int64_t> amount = operands[1].constant;
  if (!amount || *amount < 0 || *amount > 30)
    return ofElementwise(type, operands);
  return ofDivision(type, operands[0], AxisInfo::splat(type, int64_t(1) << *amount),
                    /*remainder=*/false, /*roundsDown=*/true);
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() > 0;
}

static AxisInfo factsAlongAxes(Operation *op, OpResult result, ArrayRef<AxisInfo> operands) {
  Type type = result.getType();
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) { return ofConstant(constant); })
      .Case([&](LoadOp load) { return ofLoad(load, operands); })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](Operation *) { return operands[0]; })
      .Case<arith::TruncIOp>([&](auto) { return ofTrunc(type, operands[0]); })
      .Case<arith::AddIOp>([&](auto) { return ofAdd(type, operands[0], operands[1]); })
      .Case<arith::SubIOp>([&](auto) { return ofSub(type, operands[0], operands[1]); })
      .Case<arith::MulIOp>([&](auto) { return ofMul(type, operands[0], operands[1]); })
      .Case<arith::ShLIOp>([&](auto) { return ofShl(type, operands[0], operands[1]); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) { return ofShr(type, operands); })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::DivSIOp, arith::RemSIOp>(
          [&](Operation *) { return ofDivision(op, operands); })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](Operation *) { return ofExtreme(type, operands[0], operands[1]); })
      .Case([&](arith::CmpIOp compare) { return ofCompare(compare, operands[0], operands[1]); })
      .Case<arith::SelectOp>([&](auto) { return ofSelect(type, operands); })
      .Default([&](Operation *other) {
        return isElementwise(other) ? ofElementwise(type, operands) : AxisInfo::unknown(type);
      });
}

AxisInfo tilec::tile::transferAxisInfo(Operation *op, OpResult result,
                                       ArrayRef<AxisInfo> operands) {
  AxisInfo info;
  if (auto ours = dyn_cast<AxisInfoOpInterface>(op)) {
    info = ours.inferAxisInfo(operands);
  } else {
    info = factsAlongAxes(op, result, operands);
    info.nonNegative = isNeverNegative(op, operands);
  }
  if (info.constant)
    info.nonNegative = *info.constant >= 0;
  return info;
}
