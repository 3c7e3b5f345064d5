//===- Cases.cpp - what follows from a suite, a type and a size -*- C++ -*-===//
//
// What a case costs at least, how near its result must be, and sizes as text in both directions.
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

/// Elements that one program of GELU maps.
static constexpr uint64_t kGeluBlock = 1024;
/// Behind the size of attention under a causal mask.
static constexpr llvm::StringLiteral kCausal = "-causal";

uint64_t Case::block() const {
  return suite->kind == KernelKind::Gelu ? kGeluBlock : llvm::PowerOf2Ceil(size.cols);
}

uint64_t Case::movedBytes() const {
  switch (suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    return (size.rows * size.depth + size.depth * size.cols + size.elements()) * elementBytes();
  case KernelKind::Attention:
    return 4 * arrayBytes();
  case KernelKind::Mlp:
    // What layers hand to each other may stay in a cache.
    return (2 * size.elements() + size.depth * size.cols * (size.cols + 1)) * elementBytes();
  }
  return 2 * arrayBytes();
}

double Case::operations() const {
  double elements = double(size.elements());
  switch (suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    return 2 * elements * double(size.depth);
  case KernelKind::Attention:
    return (size.isCausal ? 2 : 4) * elements * double(size.rows);
  case KernelKind::Mlp:
    return 2 * elements * double(size.cols) * double(size.depth);
  }
  return 0;
}

/// Factors are rounded to tf32, results and weights of attention to the type, and cuBLAS may add
/// parts of a sum in it: errors in root mean squares of a row, of which six deviations occur among
/// so many elements. Roundings of layers add up like steps in random directions.
static Tolerance productTolerance(const Case &what) {
  double relative = what.type == ScalarKind::BF16 ? 1e-2 : 2e-3;
  double absolute = what.type == ScalarKind::BF16   ? 2e-2
                    : what.type == ScalarKind::FP16 ? 8e-3
                                                    : 1e-2;
  if (what.suite->kind == KernelKind::Mlp)
    absolute *= 1.5 * std::sqrt(double(what.size.depth));
  return {relative, absolute};
}

Tolerance Case::tolerance() const {
  if (suite->isProduct())
    return productTolerance(*this);
  // A few steps of the type. Where softmax gives fp16 its smallest numbers, one step is 6e-8;
  // around 0 GELU is a difference of numbers near x, so that its error is one of x.
  bool isGelu = suite->kind == KernelKind::Gelu;
  double relative = type == ScalarKind::FP32 ? 1e-4 : type == ScalarKind::BF16 ? 1e-2 : 2e-3;
  double absolute = isGelu ? 1e-6 : type == ScalarKind::FP16 ? 6e-8 : 1e-10;
  return {relative, absolute};
}

//===----------------------------------------------------------------------===//
// Sizes as text
//===----------------------------------------------------------------------===//

/// The numbers of a size in the order of Example::sizeName, as something that can be written.
template <typename SizeType> static auto numbersOf(KernelKind kind, SizeType &size) {
  using Number = decltype(&size.rows);
  llvm::SmallVector<Number, 4> numbers;
  if (kind == KernelKind::Attention)
    numbers = {&size.batch, &size.heads, &size.rows, &size.cols};
  else if (kind == KernelKind::Gelu)
    numbers = {&size.cols};
  else
    numbers = {&size.rows, &size.cols};
  if (kind == KernelKind::Matmul || kind == KernelKind::Mlp)
    numbers.push_back(&size.depth);
  return numbers;
}

std::string Case::sizeText() const {
  if (!suite->hasRows() && llvm::isPowerOf2_64(size.cols))
    return "2^" + std::to_string(llvm::Log2_64(size.cols));
  std::string text;
  for (const uint64_t *number : numbersOf(suite->kind, size))
    text += (text.empty() ? "" : "x") + std::to_string(*number);
  return size.isCausal ? text + kCausal.str() : text;
}

std::string Case::text() const {
  return (suite->name + " " + typeName(type) + " " + sizeText()).str();
}

std::string Case::series() const {
  switch (suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    return size.rows == size.cols && size.cols == size.depth ? "squares" : "others";
  case KernelKind::Attention:
    return "head size " + std::to_string(size.cols) + (size.isCausal ? ", causal" : "");
  case KernelKind::Mlp:
    return "width " + std::to_string(size.cols);
  }
  return "";
}

static llvm::Error sizeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// A count, or 2^K.
static bool readCount(StringRef text, uint64_t &count) {
  unsigned exponent = 0;
  if (text.consume_front("2^")) {
    if (text.getAsInteger(10, exponent) || exponent > 40)
      return false;
    count = uint64_t(1) << exponent;
    return true;
  }
  return !text.getAsInteger(10, count) && count != 0;
}

/// Reads all numbers; the suites that know a usual form take the last one alone.
static bool readNumbers(StringRef text, KernelKind kind, Size &size) {
  if (kind == KernelKind::Attention)
    size.isCausal = text.consume_back(kCausal);
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, 'x');
  auto numbers = numbersOf(kind, size);
  if (parts.size() == 1 &&
      (kind == KernelKind::SoftmaxRows || kind == KernelKind::SoftmaxPersistent)) {
    size.rows = kUsualRows;
    return readCount(text, size.cols);
  }
  if (parts.size() == 1 && kind == KernelKind::Matmul) {
    bool isRead = readCount(text, size.rows);
    size.cols = size.depth = size.rows;
    return isRead;
  }
  if (parts.size() != numbers.size())
    return false;
  for (auto [part, number] : llvm::zip(parts, numbers))
    if (!readCount(part, *number))
      return false;
  return true;
}

/// Elements of the largest array, or of what a kernel counts in 32 bits.
static double largestExtent(KernelKind kind, const Size &size) {
  double rows = double(size.rows), cols = double(size.cols), depth = double(size.depth);
  if (kind == KernelKind::Matmul)
    return std::max({rows * cols, rows * depth, depth * cols});
  if (kind == KernelKind::Mlp)
    return std::max(rows * cols, cols * cols);
  return rows * cols * double(size.heads); // Of one sequence; programs of a batch count in 64 bits.
}

llvm::Expected<Size> bench::parseSize(StringRef text, const Suite &suite) {
  // Offsets are 32-bit integers in the kernels, and blocks have at most 2^20 elements in the
  // language.
  constexpr uint64_t mostCols = uint64_t(1) << 20;
  KernelKind kind = suite.kind;
  Size size;
  if (kind == KernelKind::Gelu && text.contains('x'))
    return sizeError("the sizes of suite '" + suite.name + "' are single numbers, found '" + text +
                     "'");
  if (!readNumbers(text, kind, size))
    return sizeError("expected a size such as " + exampleOf(kind).sizeExample + ", found '" + text +
                     "'");
  if (largestExtent(kind, size) > double(INT32_MAX))
    return sizeError("'" + text + "' has more than 2^31 - 1 elements");
  if (!suite.isProduct() && suite.hasRows() && size.cols > mostCols)
    return sizeError("'" + text + "' has rows of more than 2^20 columns");
  if (kind == KernelKind::Attention && size.cols != 64 && size.cols != 128)
    return sizeError("the heads of suite '" + suite.name + "' have 64 or 128 elements, found '" +
                     text + "'");
  if (kind == KernelKind::Attention && (size.batch > UINT16_MAX || size.heads > UINT16_MAX))
    return sizeError("'" + text + "' has more than 65535 sequences or heads");
  if (kind == KernelKind::Mlp && size.cols % 16 != 0)
    return sizeError("the widths of suite '" + suite.name + "' are multiples of 16, found '" +
                     text + "'");
  if (kind == KernelKind::Mlp && size.depth > 1024)
    return sizeError("'" + text + "' has more than 1024 layers");
  return size;
}
