//===- Check.cpp - inputs, and results against float64 ---------*- C++ -*-===//
//
// Checks results of a benchmark against float64. As inputs repeat one block of random numbers, the
// function is computed once for each number of the block, and every row of a matrix, wherever it
// starts in the block, is compared with these values. Several threads share the elements of a
// result.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "tilec/JIT/Fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

using namespace tilec;
using namespace tilec::bench;

/// Elements of GELU that are checked together.
static constexpr uint64_t kGeluUnit = uint64_t(1) << 16;

llvm::Expected<Pattern> Pattern::create(ScalarKind type) {
  llvm::Expected<HostArray> array = HostArray::create(type, {length});
  if (!array)
    return array.takeError();
  fillNormal(*array, 0);
  Pattern pattern;
  pattern.type = type;
  pattern.encoded.assign(array->data(), array->data() + array->bytes());
  pattern.values.resize(length);
  for (uint64_t index = 0; index < length; ++index)
    pattern.values[index] = array->real(index);
  return pattern;
}

void Verdict::merge(const Verdict &other) {
  // A NaN must stay visible, and max() would drop it.
  if (std::isnan(other.largestError) || other.largestError > largestError)
    largestError = other.largestError;
  mismatches += other.mismatches;
  if (other.firstMismatch < firstMismatch) {
    firstMismatch = other.firstMismatch;
    expected = other.expected;
    found = other.found;
  }
}

std::string Verdict::text(const Case &what) const {
  char numbers[96];
  std::snprintf(numbers, sizeof(numbers), "expected %.9g, found %.9g", expected, found);
  std::string place = "[" + std::to_string(firstMismatch) + "]";
  if (what.suite->hasRows())
    place = "[" + std::to_string(firstMismatch / what.size.cols) + ", " +
            std::to_string(firstMismatch % what.size.cols) + "]";
  return std::to_string(mismatches) + " of " + std::to_string(what.size.elements()) +
         " elements are wrong; the first is " + place + ": " + numbers;
}

/// The function that the kernel maps each element with before it relates elements to each other.
static double mapElement(KernelKind kind, double x) {
  if (kind == KernelKind::Gelu)
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  // The pattern's numbers are small: no maximum needs to be taken off in float64.
  return std::exp(x);
}

Checker::Checker(KernelKind kind, const Pattern &pattern) : computes(kind), type(pattern.type) {
  mapped.reserve(pattern.values.size());
  for (double value : pattern.values)
    mapped.push_back(mapElement(kind, value));
  if (type == ScalarKind::FP32)
    return;
  for (uint64_t bits = 0; bits < (1 << 16); ++bits)
    decoded.push_back(decodeFloat(bits, type));
}

uint64_t Checker::unit(const Case &what) {
  return what.suite->hasRows() ? what.size.cols : kGeluUnit;
}

double Checker::decode(const uint8_t *element) const {
  if (type == ScalarKind::FP32) {
    float value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return decoded[bits];
}

Verdict Checker::checkUnits(const Case &what, uint64_t phase, uint64_t begin,
                            llvm::ArrayRef<uint8_t> output) const {
  Verdict verdict;
  Tolerance tolerance = what.tolerance();
  unsigned itemBytes = what.elementBytes();
  uint64_t length = unit(what), count = output.size() / itemBytes;
  for (uint64_t start = 0; start < count; start += length) {
    uint64_t size = std::min(length, count - start);
    uint64_t first = (begin + start + phase) % Pattern::length;
    double scale = 1;
    if (what.suite->hasRows()) {
      double sum = 0;
      for (uint64_t i = 0, at = first; i < size; ++i, at = at + 1 == Pattern::length ? 0 : at + 1)
        sum += mapped[at];
      scale = 1 / sum;
    }
    for (uint64_t i = 0, at = first; i < size; ++i, at = at + 1 == Pattern::length ? 0 : at + 1) {
      double expected = mapped[at] * scale, found = decode(&output[(start + i) * itemBytes]);
      double error = std::abs(found - expected);
      Verdict one;
      if (!(error <= tolerance.absolute + tolerance.relative * std::abs(expected)))
        one = {error, 1, begin + start + i, expected, found};
      one.largestError = error;
      if (one.mismatches != 0 || error > verdict.largestError)
        verdict.merge(one);
    }
  }
  return verdict;
}

Verdict Checker::check(const Case &what, uint64_t phase, uint64_t begin,
                       llvm::ArrayRef<uint8_t> output) const {
  uint64_t unitBytes = unit(what) * what.elementBytes();
  uint64_t units = (output.size() + unitBytes - 1) / unitBytes;
  uint64_t parts = std::min<uint64_t>(std::max(1u, std::thread::hardware_concurrency()), units);
  std::vector<Verdict> verdicts(parts);
  std::vector<std::thread> threads;
  for (uint64_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      uint64_t from = units * part / parts * unitBytes;
      uint64_t to = std::min<uint64_t>(units * (part + 1) / parts * unitBytes, output.size());
      verdicts[part] = checkUnits(what, phase, begin + from / what.elementBytes(),
                                  output.slice(from, to - from));
    });
  for (std::thread &thread : threads)
    thread.join();
  Verdict verdict;
  for (const Verdict &part : verdicts)
    verdict.merge(part);
  return verdict;
}
