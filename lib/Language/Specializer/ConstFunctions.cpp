//===- ConstFunctions.cpp - Python's functions on known values --*- C++ -*-===//
//
// Functions of Python and of triton that hosts call, such as abs, max and cdiv, on values that are
// known while a kernel is read. Errors are texts, which the caller reports at its place.
//
//===----------------------------------------------------------------------===//

#include "ConstFunctions.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;
using namespace tilec::front;
using ast::CompareOp;

bool front::constEquals(const Object &left, const Object &right) {
  return constCompare(CompareOp::Eq, left, right).object.asBool();
}

std::optional<size_t> front::constIndex(const Object &index, size_t size) {
  std::optional<int64_t> at = index.isIntLike() ? index.asInt64() : std::nullopt;
  if (at && *at < 0)
    *at += int64_t(size);
  return at && *at >= 0 && *at < int64_t(size) ? std::optional<size_t>(*at) : std::nullopt;
}

ConstResult front::constAbs(const Object &value) {
  ConstResult negative = constCompare(CompareOp::Lt, value, Object::integer(0));
  if (!negative.error.empty())
    return negative;
  return negative.object.asBool() ? constUnary(ast::UnaryOpKind::Minus, value)
                                  : ConstResult{value, ""};
}

ConstResult front::constExtreme(bool isMax, const Object &value, const Object &best) {
  ConstResult better = constCompare(isMax ? CompareOp::Gt : CompareOp::Lt, value, best);
  if (better.error.empty())
    better.object = better.object.asBool() ? value : best;
  return better;
}

ConstResult front::constCDiv(const Object &left, const Object &right, llvm::StringSaver &strings) {
  ConstResult sum = constBinary(ast::BinaryOp::Add, left, right, strings);
  if (sum.error.empty())
    sum = constBinary(ast::BinaryOp::Sub, sum.object, Object::integer(1), strings);
  if (sum.error.empty())
    sum = constBinary(ast::BinaryOp::FloorDiv, sum.object, right, strings);
  return sum;
}

std::optional<int64_t> front::constNextPowerOf2(int64_t number) {
  if (number > int64_t(1) << 61)
    return std::nullopt;
  return number <= 0 ? 0 : int64_t(llvm::PowerOf2Ceil(uint64_t(number)));
}
