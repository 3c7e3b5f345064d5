//===- ExpandArith.cpp - the expansion pass, and safe integers -*- C++ -*-===//
//
// The pass runs four rounds over a function; what one writes the next may expand: arithmetic on
// halves leaves operations on f32 and conversions, transcendental functions leave f32 arithmetic,
// and integer operations that may be undefined leave ones that are not. Conversions come last,
// since every round makes some. A kernel must not stop its process, whatever its operands are: a
// division trap would, and an undefined result may.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToCPU/Passes.h"

#include "Expand.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILECPUEXPANDMATH
#include "tilec/Conversion/TileToCPU/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

//===----------------------------------------------------------------------===//
// Integer division
//===----------------------------------------------------------------------===//

namespace {
struct Divided {
  Value quotient, remainder;
};
} // namespace

static Divided divideUnsigned(Calculator &calc, Value a, Value b) {
  Value zero = calc.integer(a.getType(), 0), one = calc.integer(a.getType(), 1);
  Value isZero = calc.cmp(arith::CmpIPredicate::eq, b, zero);
  Value safe = calc.select(isZero, one, b);
  Value quotient = arith::DivUIOp::create(calc.builder, calc.loc, a, safe);
  Value remainder = arith::RemUIOp::create(calc.builder, calc.loc, a, safe);
  return {calc.select(isZero, zero, quotient), calc.select(isZero, a, remainder)};
}

static Divided divideSigned(Calculator &calc, Value a, Value b) {
  Type type = a.getType();
  Value zero = calc.integer(type, 0), one = calc.integer(type, 1);
  Value isZero = calc.cmp(arith::CmpIPredicate::eq, b, zero);
  Value isMinusOne = calc.cmp(arith::CmpIPredicate::eq, b, calc.integer(type, -1));
  // Dividing by -1 overflows for one dividend; negating wraps.
  Value safe = calc.select(calc.bitOr(isZero, isMinusOne), one, b);
  Value quotient = arith::DivSIOp::create(calc.builder, calc.loc, a, safe);
  Value remainder = arith::RemSIOp::create(calc.builder, calc.loc, a, safe);
  quotient = calc.select(isMinusOne, calc.isub(zero, a), quotient);
  return {calc.select(isZero, zero, quotient), calc.select(isZero, a, remainder)};
}

/// Rounds a signed quotient down (or up): one step more when the remainder has a sign that says so.
static Value roundedQuotient(Calculator &calc, Value a, Value b, bool up) {
  auto [quotient, remainder] = divideSigned(calc, a, b);
  Type type = a.getType();
  Value zero = calc.integer(type, 0), one = calc.integer(type, 1);
  Value isInexact = calc.cmp(arith::CmpIPredicate::ne, remainder, zero);
  Value isDefined = calc.cmp(arith::CmpIPredicate::ne, b, zero);
  Value signs = arith::XOrIOp::create(calc.builder, calc.loc, remainder, b);
  auto wanted = up ? arith::CmpIPredicate::sge : arith::CmpIPredicate::slt;
  Value away = calc.bitAnd(calc.bitAnd(isInexact, isDefined), calc.cmp(wanted, signs, zero));
  Value moved = up ? calc.iadd(quotient, one) : calc.isub(quotient, one);
  return calc.select(away, moved, quotient);
}

static Value ceilUnsigned(Calculator &calc, Value a, Value b) {
  auto [quotient, remainder] = divideUnsigned(calc, a, b);
  Value zero = calc.integer(a.getType(), 0), one = calc.integer(a.getType(), 1);
  Value isInexact = calc.cmp(arith::CmpIPredicate::ne, remainder, zero);
  Value isDefined = calc.cmp(arith::CmpIPredicate::ne, b, zero);
  return calc.select(calc.bitAnd(isInexact, isDefined), calc.iadd(quotient, one), quotient);
}

/// A divisor that is known to be neither 0 nor -1.
static bool isSafeDivisor(Value divisor) {
  APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() && !value.isAllOnes();
}

//===----------------------------------------------------------------------===//
// Shifts and conversions to integers
//===----------------------------------------------------------------------===//

static Value shift(Calculator &calc, Operation *op) {
  Value amount = op->getOperand(1);
  APInt known;
  int64_t width = amount.getType().getIntOrFloatBitWidth();
  if (matchPattern(amount, m_ConstantInt(&known)) && known.ult(width))
    return {};
  Value last = calc.integer(amount.getType(), width - 1);
  Value fits = calc.cmp(arith::CmpIPredicate::ule, amount, last);
  Value safe = calc.select(fits, amount, last);
  Operation *copy = calc.builder.clone(*op);
  copy->setOperand(1, safe);
  // An arithmetic shift by width - 1 has shifted everything out.
  if (isa<arith::ShRSIOp>(op))
    return copy->getResult(0);
  return calc.select(fits, copy->getResult(0), calc.integer(op->getResult(0).getType(), 0));
}

static Value toInteger(Calculator &calc, Operation *op, bool isSigned) {
  StringRef name = isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  Type type = op->getResult(0).getType();
  // A boolean saturates like any integer, in a type that has room for the conversion.
  Type wide = type.isInteger(1) ? calc.i32Type() : type;
  Value source = op->getOperand(0);
  Value number = LLVM::CallIntrinsicOp::create(calc.builder, calc.loc, wide,
                                               calc.builder.getStringAttr(name), source)
                     .getResult(0);
  if (wide == type) {
    // As on GPUs, NaN is the highest bit alone where 64 bits take part, otherwise 0.
    if (!source.getType().isF64() && !type.isInteger(64))
      return number;
    int64_t lowest = std::numeric_limits<int64_t>::min() >> (64 - type.getIntOrFloatBitWidth());
    Value highest = calc.integer(type, lowest);
    return calc.select(calc.cmp(arith::CmpFPredicate::UNO, source, source), highest, number);
  }
  Value zero = calc.i32(0);
  return calc.cmp(arith::CmpIPredicate::ne, number, zero);
}

Value cpu::expandUndefined(OpBuilder &builder, Operation *op) {
  Calculator calc(builder, op->getLoc());
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return {};
  Value a = op->getOperand(0);
  if (!isa<IntegerType, FloatType>(a.getType()))
    return {}; // positions in a tile are in range
  Value b = op->getNumOperands() == 2 ? op->getOperand(1) : Value();
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op) && isSafeDivisor(b))
    return {};
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivSIOp) { return divideSigned(calc, a, b).quotient; })
      .Case([&](arith::RemSIOp) { return divideSigned(calc, a, b).remainder; })
      .Case([&](arith::DivUIOp) { return divideUnsigned(calc, a, b).quotient; })
      .Case([&](arith::RemUIOp) { return divideUnsigned(calc, a, b).remainder; })
      .Case([&](arith::FloorDivSIOp) { return roundedQuotient(calc, a, b, /*up=*/false); })
      .Case([&](arith::CeilDivSIOp) { return roundedQuotient(calc, a, b, /*up=*/true); })
      .Case([&](arith::CeilDivUIOp) { return ceilUnsigned(calc, a, b); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shift(calc, op); })
      .Case([&](arith::FPToSIOp) { return toInteger(calc, op, /*isSigned=*/true); })
      .Case([&](arith::FPToUIOp) { return toInteger(calc, op, /*isSigned=*/false); })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct TileCPUExpandMathPass : tilec::tile::impl::TileCPUExpandMathBase<TileCPUExpandMathPass> {
  using TileCPUExpandMathBase::TileCPUExpandMathBase;

  void runOnOperation() override {
    expandAll(expandHalfArithmetic);
    expandAll(expandMath);
    expandAll(expandUndefined);
    expandAll([&](OpBuilder &builder, Operation *op) {
      return expandConversion(builder, op, expandF16);
    });
    forbidEstimates();
  }

private:
  /// Approximations that the language allows are those made here. LLVM's own, of 1 / sqrt(x) for
  /// example, are NaN where the result is infinite.
  void forbidEstimates() {
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
      if (!flags || !bitEnumContainsAny(flags.getValue(), ~arith::FastMathFlags::contract))
        return;
      auto kept = flags.getValue() & arith::FastMathFlags::contract;
      op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), kept));
    });
  }

  void expandAll(llvm::function_ref<Value(OpBuilder &, Operation *)> expand) {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Value value = expand(builder, op);
      if (!value)
        continue;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      ++numExpanded;
    }
  }
};

} // namespace
