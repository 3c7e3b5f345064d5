//===- Suites.cpp - what is measured, at which sizes -----------*- C++ -*-===//
//
// The benchmarks that there are: for each suite the kernel, the sizes and the providers, and for a
// case what follows from them, such as tolerances and sizes as text. A new suite is one more entry
// in allSuites().
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

/// Rows of a sweep over columns, and of a size that is given without rows.
static constexpr uint64_t kUsualRows = 4096;
/// Elements that one program of GELU maps.
static constexpr uint64_t kGeluBlock = 1024;

static std::vector<Size> usualRows(llvm::ArrayRef<uint64_t> columns) {
  std::vector<Size> sizes;
  for (uint64_t cols : columns)
    sizes.push_back({kUsualRows, cols});
  return sizes;
}

/// The sweep of Triton's softmax tutorial.
static std::vector<Size> tutorialSweep() {
  std::vector<Size> sizes;
  for (uint64_t i = 2; i < 100; ++i)
    sizes.push_back({kUsualRows, 128 * i});
  return sizes;
}

static std::vector<Size> powersOfTwo(llvm::ArrayRef<unsigned> exponents) {
  std::vector<Size> sizes;
  for (unsigned exponent : exponents)
    sizes.push_back({1, uint64_t(1) << exponent});
  return sizes;
}

llvm::ArrayRef<Suite> bench::allSuites() {
  static const std::vector<StringRef> all = allProviders().vec();
  static const Suite suites[] = {
      {"softmax", "softmax of 4096 rows of 256 to 12672 columns, one program a row",
       KernelKind::SoftmaxRows, all, tutorialSweep(),
       usualRows({256, 1024, 2560, 4096, 8192, 12672})},
      {"softmax-long",
       "softmax of rows of up to 262144 columns",
       KernelKind::SoftmaxRows,
       all,
       {{32768, 256},
        {32768, 1024},
        {32768, 4096},
        {16384, 16384},
        {8192, 32768},
        {8192, 65536},
        {4096, 131072},
        {2048, 262144}},
       {{32768, 1024}, {8192, 32768}, {4096, 131072}}},
      {"softmax-odd", "softmax of rows that start anywhere and fill no block",
       KernelKind::SoftmaxRows, all,
       usualRows({257, 511, 781, 1000, 1023, 1025, 1823, 2047, 2049, 3001, 4095, 4097, 5000, 7919,
                  8191, 8193, 10007, 12671}),
       usualRows({781, 2049, 12671})},
      {"softmax-persistent",
       "as softmax, with as many programs as the GPU holds at once",
       KernelKind::SoftmaxPersistent,
       {"copy", "torch", "triton", "tilec"},
       tutorialSweep(),
       usualRows({256, 1024, 2560, 4096, 8192, 12672})},
      {"gelu",
       "GELU, tanh form, of 2^16 to 2^28 elements",
       KernelKind::Gelu,
       {"copy", "cuda-naive", "cuda-vector", "torch", "torch.compile", "triton", "tilec"},
       powersOfTwo({16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28}),
       powersOfTwo({16, 20, 24, 28})},
  };
  return suites;
}

const Suite *bench::findSuite(StringRef name) {
  for (const Suite &suite : allSuites())
    if (suite.name == name)
      return &suite;
  return nullptr;
}

llvm::ArrayRef<StringRef> bench::allProviders() {
  static const StringRef names[] = {"copy",          "cuda-naive",  "cuda-shared",
                                    "cuda-vector",   "cuda-online", "torch",
                                    "torch.compile", "triton",      "tilec"};
  return names;
}

bool bench::isPythonProvider(StringRef name) {
  return name == "torch" || name == "torch.compile" || name == "triton";
}

llvm::ArrayRef<ScalarKind> bench::allTypes() {
  static const ScalarKind types[] = {ScalarKind::FP32, ScalarKind::BF16, ScalarKind::FP16};
  return types;
}

StringRef bench::typeName(ScalarKind type) { return scalarInfo(type).shortName; }

StringRef bench::kernelName(KernelKind kind) {
  switch (kind) {
  case KernelKind::SoftmaxRows:
    return "softmax_rows";
  case KernelKind::SoftmaxPersistent:
    return "softmax_persistent";
  case KernelKind::Gelu:
    break;
  }
  return "gelu";
}

StringRef bench::kernelFile(KernelKind kind) {
  return kind == KernelKind::Gelu ? "examples/gelu/gelu.py" : "examples/softmax/softmax.py";
}

Roofline bench::rooflineOf(KernelKind kind, ScalarKind type) {
  double bytes = type == ScalarKind::FP32 ? 8 : 4;
  // Softmax: maximum, subtraction, exponential, addition, division. GELU: two bounds, five
  // operations of the polynomial, a product, an exponential, an addition, a division, a choice.
  return {bytes, kind == KernelKind::Gelu ? 12.0 : 5.0};
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

uint64_t Case::block() const {
  return suite->kind == KernelKind::Gelu ? kGeluBlock : llvm::PowerOf2Ceil(size.cols);
}

Tolerance Case::tolerance() const {
  // A few steps of the type. Where softmax gives fp16 its smallest numbers, one step is 6e-8;
  // around 0 GELU is a difference of numbers near x, so that its error is one of x.
  bool isGelu = suite->kind == KernelKind::Gelu;
  double relative = type == ScalarKind::FP32 ? 1e-4 : type == ScalarKind::BF16 ? 1e-2 : 2e-3;
  double absolute = isGelu ? 1e-6 : type == ScalarKind::FP16 ? 6e-8 : 1e-10;
  return {relative, absolute};
}

std::string Case::sizeText() const {
  if (suite->hasRows())
    return std::to_string(size.rows) + "x" + std::to_string(size.cols);
  if (llvm::isPowerOf2_64(size.cols))
    return "2^" + std::to_string(llvm::Log2_64(size.cols));
  return std::to_string(size.cols);
}

std::string Case::text() const {
  return (suite->name + " " + typeName(type) + " " + sizeText()).str();
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

llvm::Expected<Size> bench::parseSize(StringRef text, const Suite &suite) {
  // Offsets are 32-bit integers in the kernels, and blocks have at most 2^20 elements in the
  // language.
  constexpr uint64_t mostElements = (uint64_t(1) << 31) - 1, mostCols = uint64_t(1) << 20;
  Size size{suite.hasRows() ? kUsualRows : 1, 0};
  auto [left, right] = text.split('x');
  bool hasTwo = text.contains('x');
  if (hasTwo && !suite.hasRows())
    return sizeError("the sizes of suite '" + suite.name + "' are single numbers, found '" + text +
                     "'");
  if (!readCount(hasTwo ? right : left, size.cols) || (hasTwo && !readCount(left, size.rows)))
    return sizeError("expected a size such as " +
                     llvm::Twine(suite.hasRows() ? "4096x781 or 781" : "1000000 or 2^20") +
                     ", found '" + text + "'");
  if (size.rows > mostElements || size.cols > mostElements || size.elements() > mostElements)
    return sizeError("'" + text + "' has more than 2^31 - 1 elements");
  if (suite.hasRows() && size.cols > mostCols)
    return sizeError("'" + text + "' has rows of more than 2^20 columns");
  return size;
}

unsigned bench::chooseWarps(KernelKind kind, uint64_t block, unsigned elementBytes) {
  if (kind == KernelKind::Gelu)
    return 4;
  uint64_t perThread = elementBytes == 4 ? 16 : 32;
  return unsigned(std::clamp<uint64_t>(block / (32 * perThread), 1, 16));
}
