//===- ConstArith.cpp - Python's arithmetic on compile-time values -*- C++ -*-===//
//
// Integers are APInts of the least width that holds them (64 bits at least); every operation widens
// its operands first so that nothing wraps, and Object::integer narrows the result again.
//
//===----------------------------------------------------------------------===//

#include "ConstArith.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using namespace tilec::ast;
using llvm::APInt;
using llvm::StringRef;

static ConstResult ok(Object object) { return {std::move(object), {}}; }
static ConstResult fail(std::string message) { return {Object::poison(), std::move(message)}; }

static ConstResult tooLarge() {
  return fail("the result needs more than " + std::to_string(maxConstBits) + " bits");
}

static ConstResult tooLong() {
  return fail("the result has more than " + std::to_string(maxConstElements) + " elements");
}

static ConstResult checked(APInt value) {
  if (value.getSignificantBits() > maxConstBits)
    return tooLarge();
  return ok(Object::integer(std::move(value)));
}

static ConstResult mismatch(BinaryOp op, const Object &left, const Object &right) {
  return fail(
      ("cannot apply '" + spelling(op) + "' to " + left.typeStr() + " and " + right.typeStr())
          .str());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Floor division and the remainder with the divisor's sign.
static std::pair<APInt, APInt> floorDivMod(const APInt &a, const APInt &b) {
  APInt quotient = a.sdiv(b), remainder = a.srem(b);
  if (!remainder.isZero() && remainder.isNegative() != b.isNegative()) {
    quotient -= 1;
    remainder += b;
  }
  return {quotient, remainder};
}

static ConstResult trueDivide(const APInt &a, const APInt &b) {
  if (b.isZero())
    return fail("division by zero");
  // Quad precision holds 113 bits, so that rounding twice is exact for all 64-bit operands.
  llvm::APFloat x(llvm::APFloat::IEEEquad()), y(llvm::APFloat::IEEEquad());
  x.convertFromAPInt(a, true, llvm::APFloat::rmNearestTiesToEven);
  y.convertFromAPInt(b, true, llvm::APFloat::rmNearestTiesToEven);
  x.divide(y, llvm::APFloat::rmNearestTiesToEven);
  bool lost;
  x.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return ok(Object::real(x.convertToDouble()));
}

static ConstResult intPower(const APInt &base, const APInt &exponent) {
  if (exponent.isNegative()) {
    if (base.isZero())
      return fail("0 cannot be raised to a negative power");
    return ok(Object::real(
        std::pow(Object::integer(base).asDouble(), Object::integer(exponent).asDouble())));
  }
  APInt result(64, 1), square = base;
  if (base.isZero() || base.isOne() || base.isAllOnes()) { // 0, 1 and -1 never grow.
    bool odd = exponent[0];
    return ok(Object::integer(exponent.isZero()          ? APInt(64, 1)
                              : base.isAllOnes() && !odd ? -base
                                                         : base));
  }
  if (exponent.getActiveBits() > 32 || exponent.getZExtValue() > maxConstBits)
    return tooLarge();
  for (uint64_t left = exponent.getZExtValue(); left; left >>= 1) {
    unsigned width = result.getSignificantBits() + square.getSignificantBits() + 1;
    if (width > 2 * maxConstBits)
      return tooLarge();
    if (left & 1)
      result = result.sextOrTrunc(width) * square.sextOrTrunc(width);
    width = 2 * square.getSignificantBits() + 1;
    if (left > 1)
      square = square.sextOrTrunc(width) * square.sextOrTrunc(width);
  }
  return checked(result);
}

static ConstResult intShift(BinaryOp op, const APInt &a, const APInt &b) {
  if (b.isNegative())
    return fail("negative shift count");
  if (op == BinaryOp::RShift)
    return ok(Object::integer(a.ashr(b.getLimitedValue(a.getBitWidth() - 1))));
  if (a.isZero())
    return ok(Object::integer(0));
  if (b.getActiveBits() > 32 || a.getSignificantBits() + b.getZExtValue() > maxConstBits)
    return tooLarge();
  unsigned count = b.getZExtValue();
  return ok(Object::integer(a.sext(a.getBitWidth() + count + 1).shl(count)));
}

static ConstResult intBinary(BinaryOp op, const Object &left, const Object &right) {
  APInt a = left.asInt(), b = right.asInt();
  if (op == BinaryOp::Pow)
    return intPower(a, b);
  if (op == BinaryOp::LShift || op == BinaryOp::RShift)
    return intShift(op, a, b);
  if (op == BinaryOp::Div)
    return trueDivide(a, b);
  unsigned width = op == BinaryOp::Mul ? a.getSignificantBits() + b.getSignificantBits() + 1
                                       : std::max(a.getBitWidth(), b.getBitWidth()) + 1;
  a = a.sextOrTrunc(width);
  b = b.sextOrTrunc(width);
  switch (op) {
  case BinaryOp::Add:
    return checked(a + b);
  case BinaryOp::Sub:
    return checked(a - b);
  case BinaryOp::Mul:
    return checked(a * b);
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    if (b.isZero())
      return fail("integer division by zero");
    auto [quotient, remainder] = floorDivMod(a, b);
    return checked(op == BinaryOp::Mod ? remainder : quotient);
  }
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor: {
    APInt bits = op == BinaryOp::And ? a & b : op == BinaryOp::Or ? a | b : a ^ b;
    if (left.is(Object::Kind::Bool) && right.is(Object::Kind::Bool))
      return ok(Object::boolean(bits.getBoolValue()));
    return checked(bits);
  }
  default:
    return mismatch(op, left, right);
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static ConstResult floatDivMod(BinaryOp op, double a, double b) {
  if (b == 0)
    return fail("float division by zero");
  double mod = std::fmod(a, b);
  double quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) {
    mod += b;
    quotient -= 1;
  } else if (mod == 0) {
    mod = std::copysign(0.0, b);
  }
  if (op == BinaryOp::Mod)
    return ok(Object::real(mod));
  if (quotient == 0)
    return ok(Object::real(std::copysign(0.0, a / b)));
  double floor = std::floor(quotient);
  return ok(Object::real(quotient - floor > 0.5 ? floor + 1 : floor));
}

static ConstResult floatBinary(BinaryOp op, const Object &left, const Object &right) {
  double a = left.asDouble(), b = right.asDouble();
  switch (op) {
  case BinaryOp::Add:
    return ok(Object::real(a + b));
  case BinaryOp::Sub:
    return ok(Object::real(a - b));
  case BinaryOp::Mul:
    return ok(Object::real(a * b));
  case BinaryOp::Div:
    if (b == 0)
      return fail("float division by zero");
    return ok(Object::real(a / b));
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return floatDivMod(op, a, b);
  case BinaryOp::Pow:
    if (a == 0 && b < 0)
      return fail("0.0 cannot be raised to a negative power");
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
      return fail("a negative number cannot be raised to a fractional power");
    return ok(Object::real(std::pow(a, b)));
  default:
    return mismatch(op, left, right);
  }
}

//===----------------------------------------------------------------------===//
// Sequences and dispatch
//===----------------------------------------------------------------------===//

static ConstResult repeat(const Object &sequence, const Object &times, llvm::StringSaver &strings) {
  std::optional<int64_t> count = times.asInt64();
  size_t size = sequence.isString() ? sequence.asString().size() : sequence.leafCount();
  if (!count || (size && *count > int64_t(maxConstElements / size)))
    return tooLong();
  if (sequence.isString()) {
    std::string text;
    for (int64_t i = 0; i < *count; ++i)
      text += sequence.asString();
    return ok(Object::string(strings.save(text)));
  }
  Object::List items;
  for (int64_t i = 0; !sequence.elements().empty() && i < *count; ++i)
    llvm::append_range(items, sequence.elements());
  return ok(sequence.isList() ? Object::listOf(std::move(items)) : Object::tuple(std::move(items)));
}

ConstResult front::constBinary(BinaryOp op, const Object &left, const Object &right,
                               llvm::StringSaver &strings) {
  if (op == BinaryOp::MatMul)
    return fail("the operator '@' does not exist in the kernel language; use tl.dot");
  if (left.isIntLike() && right.isIntLike())
    return intBinary(op, left, right);
  if (left.isNumber() && right.isNumber())
    return floatBinary(op, left, right);
  if (op == BinaryOp::Add && left.isTuple() && right.isTuple()) {
    if (left.leafCount() + right.leafCount() > maxConstElements)
      return tooLong();
    Object::List items = left.elements();
    llvm::append_range(items, right.elements());
    return ok(left.isList() ? Object::listOf(std::move(items)) : Object::tuple(std::move(items)));
  }
  if (op == BinaryOp::Add && left.isString() && right.isString() &&
      left.asString().size() + right.asString().size() > maxConstElements)
    return tooLong();
  if (op == BinaryOp::Add && left.isString() && right.isString())
    return ok(Object::string(strings.save(left.asString() + right.asString())));
  if (op == BinaryOp::Mul && (left.isTuple() || left.isString()) && right.isIntLike())
    return repeat(left, right, strings);
  return mismatch(op, left, right);
}

ConstResult front::constUnary(UnaryOpKind op, const Object &operand) {
  if (op == UnaryOpKind::Not)
    return ok(Object::boolean(!constTruth(operand)));
  if (operand.is(Object::Kind::Float)) {
    if (op == UnaryOpKind::Minus)
      return ok(Object::real(-operand.asDouble()));
    if (op == UnaryOpKind::Plus)
      return ok(operand);
  }
  if (operand.isIntLike()) {
    APInt value = operand.asInt();
    if (op == UnaryOpKind::Minus)
      return checked(-value.sext(value.getBitWidth() + 1));
    return checked(op == UnaryOpKind::Invert ? ~value : value);
  }
  return fail(("cannot apply unary '" + spelling(op) + "' to " + operand.typeStr()).str());
}

/// -1, 0 or 1, or nothing when a nan is involved.
static std::optional<int> order(const Object &left, const Object &right) {
  if (left.isIntLike() && right.isIntLike()) {
    APInt a = left.asInt(), b = right.asInt();
    unsigned width = std::max(a.getBitWidth(), b.getBitWidth());
    a = a.sext(width);
    b = b.sext(width);
    return a == b ? 0 : a.slt(b) ? -1 : 1;
  }
  // Quad precision is exact for doubles and for integers up to 113 bits.
  auto exact = [](const Object &object) {
    llvm::APFloat result(llvm::APFloat::IEEEquad());
    bool lost;
    if (object.isIntLike()) {
      result.convertFromAPInt(object.asInt(), true, llvm::APFloat::rmNearestTiesToEven);
    } else {
      result = llvm::APFloat(object.asDouble());
      result.convert(llvm::APFloat::IEEEquad(), llvm::APFloat::rmNearestTiesToEven, &lost);
    }
    return result;
  };
  switch (exact(left).compare(exact(right))) {
  case llvm::APFloat::cmpLessThan:
    return -1;
  case llvm::APFloat::cmpEqual:
    return 0;
  case llvm::APFloat::cmpGreaterThan:
    return 1;
  case llvm::APFloat::cmpUnordered:
    return std::nullopt;
  }
  llvm_unreachable("unknown order");
}

static bool equalConst(const Object &left, const Object &right);

/// The same entries in any order.
static bool equalDicts(llvm::ArrayRef<Object> left, llvm::ArrayRef<Object> right) {
  auto isIn = [&](const Object &key, const Object &value) {
    for (size_t i = 0; i < right.size(); i += 2)
      if (equalConst(right[i], key))
        return equalConst(right[i + 1], value);
    return false;
  };
  bool same = left.size() == right.size();
  for (size_t i = 0; same && i < left.size(); i += 2)
    same = isIn(left[i], left[i + 1]);
  return same;
}

static bool equalConst(const Object &left, const Object &right) {
  if (left.isNumber() && right.isNumber())
    return order(left, right) == 0;
  if (left.isTuple() && right.isTuple())
    return left.elements().size() == right.elements().size() &&
           std::equal(left.elements().begin(), left.elements().end(), right.elements().begin(),
                      equalConst);
  if (left.isDict() && right.isDict())
    return equalDicts(left.elements(), right.elements());
  return left.identicalTo(right);
}

ConstResult front::constCompare(CompareOp op, const Object &left, const Object &right) {
  if (op == CompareOp::Eq || op == CompareOp::NotEq)
    return ok(Object::boolean(equalConst(left, right) == (op == CompareOp::Eq)));
  std::optional<int> result;
  if (left.isNumber() && right.isNumber())
    result = order(left, right);
  else if (left.isString() && right.isString())
    result = left.asString().compare(right.asString());
  else
    return fail(("cannot compare " + left.typeStr() + " with " + right.typeStr() + " by '" +
                 spelling(op) + "'")
                    .str());
  if (!result)
    return ok(Object::boolean(false));
  switch (op) {
  case CompareOp::Lt:
    return ok(Object::boolean(*result < 0));
  case CompareOp::LtE:
    return ok(Object::boolean(*result <= 0));
  case CompareOp::Gt:
    return ok(Object::boolean(*result > 0));
  default:
    return ok(Object::boolean(*result >= 0));
  }
}

ConstResult front::constCompareTuples(CompareOp op, const Object &left, const Object &right) {
  for (auto [a, b] : llvm::zip(left.elements(), right.elements()))
    if (!equalConst(a, b))
      return a.isTuple() && b.isTuple() ? constCompareTuples(op, a, b) : constCompare(op, a, b);
  return constCompare(op, Object::integer(left.elements().size()),
                      Object::integer(right.elements().size()));
}

bool front::constTruth(const Object &object) {
  switch (object.kind()) {
  case Object::Kind::None:
  case Object::Kind::Poison:
    return false;
  case Object::Kind::Bool:
  case Object::Kind::Int:
    return !object.asInt().isZero();
  case Object::Kind::Float:
    return object.asDouble() != 0;
  case Object::Kind::String:
    return !object.asString().empty();
  case Object::Kind::Tuple:
  case Object::Kind::Dict:
    return !object.elements().empty();
  default:
    return true;
  }
}

ConstResult front::constToInt(const Object &object) {
  if (object.isIntLike())
    return ok(Object::integer(object.asInt()));
  if (!object.is(Object::Kind::Float))
    return fail("cannot convert " + object.typeStr() + " to an integer");
  double value = object.asDouble();
  if (!std::isfinite(value))
    return fail("cannot convert " + reprOfFloat(value) + " to an integer");
  llvm::APSInt result(1088, /*isUnsigned=*/false); // Holds the largest double.
  bool exact;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero, &exact);
  return ok(Object::integer(result));
}

std::optional<double> front::parseFloat(StringRef text) {
  std::string lower = text.trim().lower();
  StringRef magnitude = lower;
  bool negative = magnitude.consume_front("-");
  if (!negative)
    magnitude.consume_front("+");
  if (magnitude == "inf" || magnitude == "infinity")
    return negative ? -INFINITY : INFINITY;
  if (magnitude == "nan")
    return double(NAN);
  // getAsDouble also takes hexadecimal digits and names, which Python does not.
  bool decimal = !magnitude.empty() && llvm::all_of(magnitude, [](char c) {
    return llvm::isDigit(c) || c == '.' || c == 'e' || c == '+' || c == '-';
  });
  double value;
  if (!decimal || magnitude.front() == '+' || magnitude.front() == '-' ||
      magnitude.getAsDouble(value, /*AllowInexact=*/true))
    return std::nullopt;
  return negative ? -value : value;
}
