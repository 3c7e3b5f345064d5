//===- Reference.cpp - elements of products in float64 ---------*- C++ -*-===//
//
// The results of large products would take the host minutes in float64, so a part of their elements
// is computed: of a matrix product those where some rows and some columns meet, of attention the
// results of some queries, of layers some rows. All factors are read from the pattern.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "Launches.h"
#include "Threads.h"

#include <algorithm>
#include <cmath>

using namespace tilec;
using namespace tilec::bench;

/// Multiplications that all threads do together for one case.
static constexpr double kAffordable = double(uint64_t(1) << 30);

/// `count` numbers below `total`, in order: the first, the last, and one by chance of each part.
static std::vector<uint64_t> spread(uint64_t total, uint64_t count) {
  count = std::min(count, total);
  std::vector<uint64_t> chosen;
  for (uint64_t part = 0; part < count; ++part) {
    uint64_t low = total * part / count, high = total * (part + 1) / count;
    uint64_t hash = (part + 1) * 0x9e3779b97f4a7c15;
    chosen.push_back(low + (hash >> 32) % (high - low));
  }
  chosen.front() = 0;
  chosen.back() = total - 1;
  return chosen;
}

/// How many units can be afforded, when each takes `work` multiplications.
static uint64_t countFor(double work, uint64_t least, uint64_t most) {
  return uint64_t(std::clamp(kAffordable / work, double(least), double(most)));
}

/// Sums in four parts, so that additions need not wait for each other.
static double dot(const double *left, const double *right, uint64_t count) {
  double sums[4] = {};
  uint64_t index = 0;
  for (; index + 4 <= count; index += 4)
    for (uint64_t part = 0; part < 4; ++part)
      sums[part] += left[index + part] * right[index + part];
  for (; index < count; ++index)
    sums[0] += left[index] * right[index];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

static double rootMeanSquare(llvm::ArrayRef<double> row) {
  return std::sqrt(dot(row.data(), row.data(), row.size()) / double(row.size()));
}

namespace {

/// One of a case's arrays, as the pattern has it.
class Factor {
public:
  Factor(const Pattern &pattern, uint64_t phase, unsigned array)
      : numbers(pattern.numbers()), start(Pattern::arrayPhase(phase, array)) {}

  /// The elements from `first` on, `stride` apart.
  void read(uint64_t first, uint64_t count, std::vector<double> &row, uint64_t stride = 1) const {
    row.resize(count);
    uint64_t at = (start + first) % Pattern::length;
    stride %= Pattern::length;
    for (uint64_t index = 0; index < count; ++index) {
      row[index] = numbers[at];
      at += stride;
      at -= at >= Pattern::length ? Pattern::length : 0;
    }
  }
  /// The sum of products of `row` and the elements from `first` on.
  double times(const std::vector<double> &row, uint64_t first) const {
    uint64_t at = (start + first) % Pattern::length;
    uint64_t before = std::min<uint64_t>(row.size(), Pattern::length - at);
    double sum = dot(row.data(), &numbers[at], before);
    for (uint64_t done = before; done < row.size();) { // From the start of the pattern once more.
      uint64_t part = std::min<uint64_t>(row.size() - done, Pattern::length);
      sum += dot(row.data() + done, numbers.data(), part);
      done += part;
    }
    return sum;
  }

private:
  llvm::ArrayRef<double> numbers;
  uint64_t start;
};

} // namespace

/// Where some rows and some columns meet.
static std::vector<Sample> sampleMatmul(const Case &what, const Pattern &pattern, uint64_t phase) {
  const Size &size = what.size;
  Factor a(pattern, phase, 0), b(pattern, phase, 1);
  uint64_t count = uint64_t(std::sqrt(double(countFor(double(size.depth), 256, 1 << 18))));
  std::vector<uint64_t> rows = spread(size.rows, count), cols = spread(size.cols, count);
  std::vector<std::vector<double>> columns(cols.size());
  forEachPart(cols.size(), [&](uint64_t, uint64_t begin, uint64_t end) {
    for (uint64_t col = begin; col < end; ++col)
      b.read(cols[col], size.depth, columns[col], size.cols);
  });
  std::vector<Sample> samples(rows.size() * cols.size());
  double scale = std::sqrt(double(size.depth)); // As the numbers are normally distributed.
  forEachPart(rows.size(), [&](uint64_t, uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row)
      for (uint64_t col = 0; col < cols.size(); ++col)
        samples[row * cols.size() + col] = {rows[row] * size.cols + cols[col],
                                            a.times(columns[col], rows[row] * size.depth), scale};
  });
  return samples;
}

/// What attention gives for query number `query`, of all sequences and heads.
static std::vector<double> attend(const Case &what, const Pattern &pattern, uint64_t phase,
                                  uint64_t query) {
  const Size &size = what.size;
  Factor q(pattern, phase, 0), k(pattern, phase, 1), v(pattern, phase, 2);
  uint64_t head = query % size.heads, token = query / size.heads;
  uint64_t place = token % size.rows, first = token - place;
  auto offsetOf = [&](uint64_t key) { return ((first + key) * size.heads + head) * size.cols; };
  std::vector<double> row, value, weights(size.isCausal ? place + 1 : size.rows);
  q.read(query * size.cols, size.cols, row);
  for (uint64_t key = 0; key < weights.size(); ++key)
    weights[key] = k.times(row, offsetOf(key)) / std::sqrt(double(size.cols));
  double top = *std::max_element(weights.begin(), weights.end()), total = 0;
  for (double &weight : weights)
    total += weight = std::exp(weight - top);
  std::vector<double> sums(size.cols);
  for (uint64_t key = 0; key < weights.size(); ++key) {
    v.read(offsetOf(key), size.cols, value);
    for (uint64_t col = 0; col < size.cols; ++col)
      sums[col] += weights[key] / total * value[col];
  }
  return sums;
}

static double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/// Row number `row` behind all layers.
static std::vector<double> passLayers(const Case &what, const Pattern &pattern,
                                      const Pattern &weights, uint64_t phase, uint64_t row) {
  uint64_t width = what.size.cols;
  Factor x(pattern, phase, 0), weight(weights, phase, 1), bias(pattern, phase, 2);
  std::vector<double> values, next;
  x.read(row * width, width, values);
  for (uint64_t layer = 0; layer < what.size.depth; ++layer) {
    bias.read(layer * width, width, next);
    for (uint64_t col = 0; col < width; ++col)
      next[col] = gelu(next[col] + weight.times(values, (layer * width + col) * width));
    std::swap(values, next);
  }
  return values;
}

/// All elements of rows, each of which `rowAt` computes by its number.
static std::vector<Sample> sampleRows(llvm::ArrayRef<uint64_t> rows,
                                      llvm::function_ref<std::vector<double>(uint64_t row)> rowAt,
                                      uint64_t cols) {
  std::vector<Sample> samples(rows.size() * cols);
  forEachPart(rows.size(), [&](uint64_t, uint64_t begin, uint64_t end) {
    for (uint64_t index = begin; index < end; ++index) {
      std::vector<double> row = rowAt(rows[index]);
      double scale = rootMeanSquare(row);
      for (uint64_t col = 0; col < cols; ++col)
        samples[index * cols + col] = {rows[index] * cols + col, row[col], scale};
    }
  });
  return samples;
}

std::vector<Sample> bench::sampleProduct(const Case &what, const Pattern &pattern, uint64_t phase) {
  const Size &size = what.size;
  double width = double(size.cols);
  switch (what.suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    return sampleMatmul(what, pattern, phase);
  case KernelKind::Attention:
    return sampleRows(
        spread(size.batch * size.rows * size.heads,
               countFor(2 * double(size.rows) * width, 64, 1024)),
        [&](uint64_t query) { return attend(what, pattern, phase, query); }, size.cols);
  case KernelKind::Mlp: {
    Pattern weights = pattern.scaled(inputsOf(what)[1].deviation);
    // A row takes a while, and each passes through all weights.
    uint64_t count = 4 * countFor(width * width * double(size.depth), 1, 16);
    return sampleRows(
        spread(size.rows, count),
        [&](uint64_t row) { return passLayers(what, pattern, weights, phase, row); }, size.cols);
  }
  }
  return {};
}
