//===- Reference.cpp - softmax and GELU in float64 -------------*- C++ -*-===//

#include "Reference.h"

#include <algorithm>
#include <cmath>

using tilec::HostArray;

static const float *floats(const HostArray &array) {
  return reinterpret_cast<const float *>(array.data());
}

static double largerOf(double largest, double error) {
  return std::isnan(error) ? HUGE_VAL : std::max(largest, error);
}

double softmaxError(const HostArray &x, const HostArray &out) {
  uint64_t rows = x.shape()[0], cols = x.shape()[1];
  std::vector<double> weights(cols);
  double largest = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    const float *in = floats(x) + row * cols, *result = floats(out) + row * cols;
    double top = *std::max_element(in, in + cols), sum = 0;
    for (uint64_t col = 0; col < cols; ++col)
      sum += weights[col] = std::exp(double(in[col]) - top);
    for (uint64_t col = 0; col < cols; ++col) {
      double expected = weights[col] / sum;
      largest = largerOf(largest, std::fabs(double(result[col]) - expected) / expected);
    }
  }
  return largest;
}

double geluError(const HostArray &x, const HostArray &out) {
  double largest = 0;
  for (uint64_t index = 0; index < x.size(); ++index) {
    double value = floats(x)[index];
    double u = 0.7978845608028654 * (value + 0.044715 * value * value * value);
    double expected = value / 2 * (1 + std::tanh(u));
    largest = largerOf(largest, std::fabs(double(floats(out)[index]) - expected));
  }
  return largest;
}
