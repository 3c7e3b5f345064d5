//===- Check.cpp - inputs, and results against float64 ---------*- C++ -*-===//
//
// Checks results of a benchmark against float64. As inputs repeat one block of random numbers, the
// function is computed once for each number of the block, and every row of a matrix, wherever it
// starts in the block, is compared with these values; of products samples are compared. Several
// threads share the elements of a result.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Reference.h"
#include "Threads.h"
#include "tilec/JIT/Fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

Pattern Pattern::scaled(double factor) const {
  Pattern result = *this;
  unsigned itemBytes = unsigned(encoded.size() / length);
  for (uint64_t index = 0; index < length; ++index) {
    uint64_t bits = encodeFloat(values[index] * factor, type);
    std::memcpy(&result.encoded[index * itemBytes], &bits, itemBytes);
    result.values[index] = decodeFloat(bits, type);
  }
  return result;
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
  std::string of = what.suite->isProduct() ? "" : " of " + std::to_string(what.size.elements());
  return std::to_string(mismatches) + of +
         (what.suite->isProduct() ? " of the elements that were checked" : " elements") +
         " are wrong; the first is " + place + ": " + numbers;
}

/// The function that the kernel maps each element with before it relates elements to each other.
static double mapElement(KernelKind kind, double x) {
  if (kind == KernelKind::Gelu)
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  // The pattern's numbers are small: no maximum needs to be taken off in float64.
  return std::exp(x);
}

Checker::Checker(KernelKind kind, const Pattern &pattern)
    : computes(kind), type(pattern.type), pattern(pattern) {
  if (!isProduct(kind))
    for (double value : pattern.values)
      mapped.push_back(mapElement(kind, value));
  if (type == ScalarKind::FP32)
    return;
  for (uint64_t bits = 0; bits < (1 << 16); ++bits)
    decoded.push_back(decodeFloat(bits, type));
}

Checker::~Checker() = default;

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

void Checker::prepareSamples(const Case &what, uint64_t phase) {
  if (sampledSize == what.size && sampledPhase == phase)
    return;
  samples = sampleProduct(what, pattern, phase);
  sampledSize = what.size;
  sampledPhase = phase;
}

Verdict Checker::checkSamples(const Case &what, uint64_t begin,
                              llvm::ArrayRef<uint8_t> output) const {
  Verdict verdict;
  Tolerance tolerance = what.tolerance();
  unsigned itemBytes = what.elementBytes();
  auto isBefore = [](const Sample &sample, uint64_t index) { return sample.index < index; };
  auto sample = std::lower_bound(samples.begin(), samples.end(), begin, isBefore);
  for (uint64_t index = begin, end = begin + output.size() / itemBytes; index < end; ++index) {
    double found = decode(&output[(index - begin) * itemBytes]);
    bool isSample = sample != samples.end() && sample->index == index;
    // Those that are no samples must be written at least: they were NaNs before.
    if (!isSample && !std::isnan(found))
      continue;
    Sample right = isSample ? *sample++ : Sample{index, 0, 0};
    double error = std::abs(found - right.expected);
    double allowed =
        tolerance.absolute * right.scale + tolerance.relative * std::abs(right.expected);
    Verdict one;
    if (!(error <= allowed))
      one = {error, 1, index, right.expected, found};
    one.largestError = error;
    verdict.merge(one);
  }
  return verdict;
}

Verdict Checker::check(const Case &what, uint64_t phase, uint64_t begin,
                       llvm::ArrayRef<uint8_t> output) {
  if (what.suite->isProduct())
    prepareSamples(what, phase);
  uint64_t unitBytes = unit(what) * what.elementBytes();
  uint64_t units = (output.size() + unitBytes - 1) / unitBytes;
  std::vector<Verdict> verdicts(countParts(units));
  forEachPart(units, [&](uint64_t part, uint64_t first, uint64_t last) {
    uint64_t from = first * unitBytes, to = std::min<uint64_t>(last * unitBytes, output.size());
    uint64_t at = begin + from / what.elementBytes();
    llvm::ArrayRef<uint8_t> slice = output.slice(from, to - from);
    verdicts[part] = what.suite->isProduct() ? checkSamples(what, at, slice)
                                             : checkUnits(what, phase, at, slice);
  });
  Verdict verdict;
  for (const Verdict &part : verdicts)
    verdict.merge(part);
  return verdict;
}
