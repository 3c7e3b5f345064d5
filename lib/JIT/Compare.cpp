//===- Compare.cpp - How far a result is from what was expected -*- C++ -*-===//
//
// Compares arrays element by element with a tolerance that depends on their types, and formats
// elements for messages. Integers are compared exactly, NaN equals NaN, and an element that still
// has the pattern from before the launch counts as not written. tilec-run reports with it.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Compare.h"

#include "tilec/Language/ConstValue.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilec;

static bool isUnsigned64(const HostArray &array) { return array.type() == ScalarKind::UInt64; }

/// |actual - expected|: 0 only if they are equal.
static double distance(const HostArray &actual, const HostArray &expected, uint64_t index) {
  bool floats = DType(actual.type()).isFloat() || DType(expected.type()).isFloat();
  double left = actual.real(index), right = expected.real(index);
  if (floats) {
    if (left == right || (std::isnan(left) && std::isnan(right)))
      return 0;
    double difference = std::fabs(left - right);
    return std::isnan(difference) ? HUGE_VAL : difference;
  }
  int64_t a = actual.integer(index), b = expected.integer(index);
  // The same bits mean different numbers when only one side is unsigned and the top bit is set.
  bool sameMeaning = isUnsigned64(actual) == isUnsigned64(expected) || (a >= 0 && b >= 0);
  if (a == b && sameMeaning)
    return 0;
  return std::max(1.0, std::fabs(left - right));
}

Comparison tilec::compare(const HostArray &actual, const HostArray &expected, Tolerance tolerance) {
  assert(actual.size() == expected.size() && "arrays of the same size");
  Comparison result;
  for (uint64_t index = 0; index < actual.size(); ++index) {
    double difference = distance(actual, expected, index);
    if (difference == 0)
      continue;
    double scale = std::fabs(expected.real(index));
    result.largestAbsolute = std::max(result.largestAbsolute, difference);
    // An infinite difference of two infinities would give NaN.
    double relative = std::isinf(difference) ? HUGE_VAL : difference / scale;
    result.largestRelative = std::max(result.largestRelative, relative);
    double allowed =
        tolerance.absolute + (tolerance.relative == 0 ? 0 : tolerance.relative * scale);
    if (std::isfinite(difference) && difference <= allowed)
      continue;
    if (result.numMismatches++ == 0)
      result.firstMismatch = index;
    result.numUnwritten += actual.isPoison(index);
  }
  return result;
}

/// About two units in the last place for short types; longer ones leave room for sums.
static Tolerance toleranceOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::FP64:
    return {1e-9, 1e-12};
  case ScalarKind::FP32:
    return {1e-5, 1e-8};
  case ScalarKind::FP16:
    return {2e-3, 1e-5};
  case ScalarKind::BF16:
    return {1.6e-2, 1e-5};
  case ScalarKind::FP8E5:
  case ScalarKind::FP8E5B16:
    return {0.25, 1e-4};
  case ScalarKind::FP8E4NV:
  case ScalarKind::FP8E4B15:
  case ScalarKind::FP8E4B8:
    return {0.125, 2e-3};
  default:
    return {};
  }
}

Tolerance tilec::defaultTolerance(ScalarKind actual, ScalarKind expected) {
  if (!DType(actual).isFloat())
    return {};
  Tolerance left = toleranceOf(actual), right = toleranceOf(expected);
  return {std::max(left.relative, right.relative), std::max(left.absolute, right.absolute)};
}

std::string tilec::formatElement(const HostArray &array, uint64_t index) {
  DType type(array.type());
  if (type.isBool())
    return array.integer(index) ? "True" : "False";
  if (array.type() == ScalarKind::UInt64)
    return std::to_string(uint64_t(array.integer(index)));
  if (!type.isFloat())
    return std::to_string(array.integer(index));
  double value = array.real(index);
  if (!std::isfinite(value))
    return reprOfFloat(value);
  if (value == std::trunc(value) && std::fabs(value) < 1e7) {
    char text[16];
    std::snprintf(text, sizeof(text), "%.0f", value);
    return text;
  }
  // As few digits as tell the values of this type apart.
  for (int digits = 1;; ++digits) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    double back = std::strtod(text, nullptr);
    if (digits == 17 || encodeFloat(back, array.type()) == encodeFloat(value, array.type()))
      return text;
  }
}

std::pair<std::string, std::string> tilec::formatPair(const HostArray &left, const HostArray &right,
                                                      uint64_t index) {
  std::pair<std::string, std::string> texts = {formatElement(left, index),
                                               formatElement(right, index)};
  if (texts.first == texts.second && left.type() != right.type() && DType(left.type()).isFloat() &&
      DType(right.type()).isFloat())
    texts = {reprOfFloat(left.real(index)), reprOfFloat(right.real(index))};
  return texts;
}

std::string tilec::formatIndex(uint64_t index, llvm::ArrayRef<uint64_t> shape) {
  std::vector<std::string> parts(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    parts[axis] = std::to_string(index % shape[axis]);
    index /= shape[axis];
  }
  return "[" + llvm::join(parts, ", ") + "]";
}

std::string tilec::formatShape(llvm::ArrayRef<uint64_t> shape) {
  std::string text = "[";
  for (uint64_t size : shape)
    text += (text.size() > 1 ? "," : "") + std::to_string(size);
  return text + "]";
}
