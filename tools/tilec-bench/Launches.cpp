//===- Launches.cpp - the arrays of a case, and who gets them --*- C++ -*-===//
//
// Which arrays each kind of kernel reads, how large they are and where they lie, and what its
// parameters are called.
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

/// Weights with which the activations of all layers are about as large as the input.
static double weightDeviation(uint64_t width) {
  constexpr double meanSquareOfGelu = 0.425; // Of normally distributed numbers.
  return 1 / std::sqrt(meanSquareOfGelu * double(width));
}

/// The arrays without their places.
static std::vector<InputArray> arraysOf(const Case &what) {
  const Size &size = what.size;
  switch (what.suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    // The example's kernel adds a bias; what it is compared with does not.
    return {{"a", size.rows * size.depth, 1, 0},
            {"b", size.depth * size.cols, 1, 0},
            {"bias", size.cols, 0, 0}};
  case KernelKind::Attention:
    return {
        {"q", size.elements(), 1, 0}, {"k", size.elements(), 1, 0}, {"v", size.elements(), 1, 0}};
  case KernelKind::Mlp:
    return {{"x", size.elements(), 1, 0},
            {"weight", size.depth * size.cols * size.cols, weightDeviation(size.cols), 0},
            {"bias", size.depth * size.cols, 1, 0},
            {"between", size.elements(), 0, 0}};
  }
  return {{"x", size.elements(), 1, 0}};
}

std::vector<InputArray> bench::inputsOf(const Case &what) {
  std::vector<InputArray> arrays = arraysOf(what);
  uint64_t offset = 0;
  for (InputArray &array : arrays) {
    array.offset = offset;
    offset += llvm::alignTo(array.elements * what.elementBytes(), kPageBytes);
  }
  return arrays;
}

uint64_t bench::inputBytes(const Case &what) {
  InputArray last = inputsOf(what).back();
  return last.offset + llvm::alignTo(last.elements * what.elementBytes(), kPageBytes);
}

Parameters bench::parametersOf(const Case &what) {
  const Size &size = what.size;
  int64_t rows = int64_t(size.rows), cols = int64_t(size.cols), depth = int64_t(size.depth);
  int64_t heads = int64_t(size.heads);
  switch (what.suite->kind) {
  case KernelKind::SoftmaxRows:
    return {{"out", "x"}, {{"out_stride", cols}, {"x_stride", cols}, {"n_cols", cols}}};
  case KernelKind::SoftmaxPersistent:
    return {{"out", "x"},
            {{"out_stride", cols}, {"x_stride", cols}, {"n_rows", rows}, {"n_cols", cols}}};
  case KernelKind::Gelu:
    return {{"out", "x"}, {{"n", cols}}};
  case KernelKind::Matmul:
    return {{"out", "a", "b", "bias"}, {{"M", rows}, {"N", cols}, {"K", depth}}};
  case KernelKind::Attention:
    return {{"out", "q", "k", "v"},
            {{"length", rows},
             {"heads", heads},
             {"kv_heads", heads},
             {"scale", 0, float(1 / std::sqrt(double(cols)))}}};
  case KernelKind::Mlp:
    break;
  }
  return {{"out", "x", "weight", "bias"}, {{"M", rows}, {"N", cols}, {"K", cols}}};
}

/// Layers write the output and the array between in turn, so that the last one writes the output.
static std::vector<std::vector<Place>> layersOf(const Case &what) {
  std::vector<InputArray> arrays = inputsOf(what);
  uint64_t layers = what.size.depth, width = what.size.cols * what.elementBytes();
  std::vector<std::vector<Place>> launches;
  Place from{false, arrays[0].offset};
  for (uint64_t layer = 0; layer < layers; ++layer) {
    bool isOutput = (layers - layer) % 2 != 0;
    Place to{isOutput, isOutput ? 0 : arrays[3].offset};
    launches.push_back({to,
                        from,
                        {false, arrays[1].offset + layer * what.size.cols * width},
                        {false, arrays[2].offset + layer * width}});
    from = to;
  }
  return launches;
}

std::vector<std::vector<Place>> bench::launchesOf(const Case &what) {
  if (what.suite->kind == KernelKind::Mlp)
    return layersOf(what);
  std::vector<Place> places = {{true, 0}};
  for (const InputArray &array : inputsOf(what))
    places.push_back({false, array.offset});
  return {std::move(places)};
}
