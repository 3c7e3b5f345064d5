//===- CheckTest.cpp - wrong results are seen -------------------*- C++ -*-===//

#include "Check.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tilec;
using namespace tilec::bench;

namespace {

double element(const Pattern &pattern, ScalarKind type, uint64_t index) {
  index %= Pattern::length;
  uint64_t bits = 0;
  unsigned bytes = type == ScalarKind::FP32 ? 4 : 2;
  std::memcpy(&bits, &pattern.bytes()[index * bytes], bytes);
  return decodeFloat(bits, type);
}

/// Softmax, the way books write it.
std::vector<double> softmaxRow(const Pattern &pattern, ScalarKind type, uint64_t first,
                               uint64_t cols) {
  std::vector<double> row;
  double top = -HUGE_VAL, sum = 0;
  for (uint64_t col = 0; col < cols; ++col)
    top = std::max(top, element(pattern, type, first + col));
  for (uint64_t col = 0; col < cols; ++col) {
    row.push_back(std::exp(element(pattern, type, first + col) - top));
    sum += row.back();
  }
  for (double &value : row)
    value /= sum;
  return row;
}

std::vector<uint8_t> encode(const std::vector<double> &values, ScalarKind type) {
  unsigned bytes = type == ScalarKind::FP32 ? 4 : 2;
  std::vector<uint8_t> result(values.size() * bytes);
  for (size_t index = 0; index < values.size(); ++index) {
    uint64_t bits = encodeFloat(values[index], type);
    std::memcpy(&result[index * bytes], &bits, bytes);
  }
  return result;
}

class Check : public ::testing::TestWithParam<ScalarKind> {
protected:
  static constexpr uint64_t rows = 7, cols = 300;

  std::vector<double> softmax(uint64_t phase) {
    std::vector<double> values;
    for (uint64_t row = 0; row < rows; ++row)
      for (double value : softmaxRow(pattern, GetParam(), phase + row * cols, cols))
        values.push_back(value);
    return values;
  }

  Pattern pattern = llvm::cantFail(Pattern::create(GetParam()));
  Case what{findSuite("softmax"), GetParam(), {rows, cols}};
  Checker checker{KernelKind::SoftmaxRows, pattern};
};

TEST_P(Check, AcceptsTheRoundedResult) {
  for (uint64_t phase : {uint64_t(0), Pattern::phase(3), Pattern::length - 10}) {
    Verdict verdict = checker.check(what, phase, 0, encode(softmax(phase), GetParam()));
    EXPECT_EQ(verdict.mismatches, 0u) << verdict.text(what);
    EXPECT_LT(verdict.largestError, 1e-3);
    EXPECT_GT(verdict.largestError, 0);
  }
}

TEST_P(Check, SeesEachWrongElement) {
  std::vector<double> values = softmax(0);
  values[2 * cols + 5] *= 1.05;
  values[6 * cols + 299] = NAN;
  Verdict verdict = checker.check(what, 0, 0, encode(values, GetParam()));
  EXPECT_EQ(verdict.mismatches, 2u);
  EXPECT_EQ(verdict.firstMismatch, 2 * cols + 5);
  EXPECT_TRUE(std::isnan(verdict.largestError));
  EXPECT_EQ(verdict.text(what).find("2 of 2100 elements are wrong; the first is [2, 5]: expected"),
            0u);
}

TEST_P(Check, SeesAnotherInputsResult) {
  Verdict verdict =
      checker.check(what, Pattern::phase(1), 0, encode(softmax(Pattern::phase(2)), GetParam()));
  EXPECT_GT(verdict.mismatches, rows * cols / 2);
}

TEST_P(Check, ChecksAPartInItsPlace) {
  std::vector<double> values = softmax(0);
  values.erase(values.begin(), values.begin() + 3 * cols);
  EXPECT_EQ(checker.check(what, 0, 3 * cols, encode(values, GetParam())).mismatches, 0u);
  values[cols] = 5;
  Verdict verdict = checker.check(what, 0, 3 * cols, encode(values, GetParam()));
  EXPECT_EQ(verdict.firstMismatch, 4 * cols);
  EXPECT_EQ(verdict.found, 5);
}

TEST_P(Check, Gelu) {
  constexpr uint64_t count = 200001; // three units and a bit
  Case flat{findSuite("gelu"), GetParam(), {1, count}};
  Checker gelu(KernelKind::Gelu, pattern);
  std::vector<double> values;
  for (uint64_t index = 0; index < count; ++index) {
    double x = element(pattern, GetParam(), index);
    values.push_back(x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))));
  }
  EXPECT_EQ(gelu.check(flat, 0, 0, encode(values, GetParam())).mismatches, 0u);
  values[count - 1] += 0.1;
  Verdict verdict = gelu.check(flat, 0, 0, encode(values, GetParam()));
  EXPECT_EQ(verdict.mismatches, 1u);
  EXPECT_EQ(verdict.firstMismatch, count - 1);
}

INSTANTIATE_TEST_SUITE_P(Types, Check,
                         ::testing::Values(ScalarKind::FP32, ScalarKind::BF16, ScalarKind::FP16));

} // namespace
