//===- Promotion.cpp - The type rules of operators --------------*- C++ -*-===//
//
// The rules are a list of which the first that matches wins; their order is part of the language
// (float16 beats bfloat16, an integer beside bfloat16 gives float32).
//
//===----------------------------------------------------------------------===//

#include "Promotion.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::APInt;

static TypeResult floatLiteralType(double value) {
  double magnitude = std::fabs(value);
  bool single = magnitude == 0 || !std::isfinite(magnitude) ||
                (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
  return {single ? ScalarKind::FP32 : ScalarKind::FP64, {}};
}

TypeResult front::literalType(const Object &number) {
  if (number.is(Object::Kind::Bool))
    return {ScalarKind::Int1, {}};
  if (number.is(Object::Kind::Float))
    return floatLiteralType(number.asDouble());
  APInt value = number.asInt();
  if (value.isSignedIntN(32))
    return {ScalarKind::Int32, {}};
  if (!value.isNegative() && value.isIntN(32))
    return {ScalarKind::UInt32, {}};
  if (value.isSignedIntN(64))
    return {ScalarKind::Int64, {}};
  if (!value.isNegative() && value.isIntN(64))
    return {ScalarKind::UInt64, {}};
  return {{}, "the integer " + number.repr() + " does not fit 64 bits"};
}

DType front::promoteInts(DType left, DType right) {
  if (left.isSignedInt() == right.isSignedInt())
    return left.bits() > right.bits() ? left : right;
  DType isSigned = left.isSignedInt() ? left : right;
  DType isUnsigned = left.isSignedInt() ? right : left;
  return isUnsigned.bits() >= isSigned.bits() ? isUnsigned : isSigned;
}

TypeResult front::promote(DType left, DType right, bool divOrMod) {
  if (left.isPointer() || right.isPointer() || left.isScalar(ScalarKind::Void) ||
      right.isScalar(ScalarKind::Void))
    return {{}, "cannot combine " + left.str() + " and " + right.str()};
  if (left.isFP64() || right.isFP64())
    return {ScalarKind::FP64, {}};
  if (left.isFP32() || right.isFP32())
    return {ScalarKind::FP32, {}};
  if (left.isFP16() || right.isFP16())
    return {divOrMod ? ScalarKind::FP32 : ScalarKind::FP16, {}};
  if (left.isBF16() && right.isBF16())
    return {divOrMod ? ScalarKind::FP32 : ScalarKind::BF16, {}};
  if (left.isBF16() || right.isBF16())
    return {ScalarKind::FP32, {}};
  if (left.isFP8() && right.isFP8())
    return {left == right ? left : DType(ScalarKind::FP16), {}};
  if (left.isFP8() || right.isFP8())
    return {{}, "cannot combine " + left.str() + " and " + right.str() + "; cast to float32 first"};
  if (divOrMod && left.isSignedInt() != right.isSignedInt())
    return {{},
            "cannot divide " + left.str() + " by " + right.str() +
                " because they differ in signedness; cast one of them"};
  return {promoteInts(left, right), {}};
}

/// bool < int < float.
static int rankOf(DType type) { return type.isBool() ? 0 : type.isInt() ? 1 : 2; }
static int rankOf(const Object &number) {
  return number.is(Object::Kind::Bool) ? 0 : number.is(Object::Kind::Int) ? 1 : 2;
}

static bool fits(const APInt &value, DType type) {
  return type.isSignedInt() ? value.isSignedIntN(type.bits())
                            : !value.isNegative() && value.isIntN(type.bits());
}

TypeResult front::promoteLiteral(DType operand, const Object &literal, bool divOrMod) {
  TypeResult result{operand, {}};
  if (rankOf(literal) > rankOf(operand)) {
    result = literalType(literal);
    if (result.error.empty())
      result = promote(operand, result.type, divOrMod);
  } else if (divOrMod && (operand.isFP16() || operand.isBF16())) {
    result.type = ScalarKind::FP32;
  }
  if (!result.error.empty() || !result.type.isInt() || !literal.isIntLike())
    return result;
  APInt value = literal.asInt();
  if (value.isNegative() && result.type.isUnsignedInt())
    return {{}, "the negative literal " + literal.repr() + " cannot become " + result.type.str()};
  if (!fits(value, result.type))
    return {{}, "the literal " + literal.repr() + " is out of range for " + result.type.str()};
  return result;
}
