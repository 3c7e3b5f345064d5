//===- Suites.cpp - what is measured, at which sizes -----------*- C++ -*-===//
//
// The benchmarks that there are: for each suite the kernel, the types, the sizes and the providers.
// A new suite is one more entry in memorySuites() or productSuites().
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <iterator>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

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

static std::vector<Size> squares(llvm::ArrayRef<uint64_t> numbers) {
  std::vector<Size> sizes;
  for (uint64_t number : numbers)
    sizes.push_back({number, number, number});
  return sizes;
}

/// Heads of `headSize` that are 2048 wide together, and sequences of each length that have 16384
/// tokens together: the work of a layer of one width on a batch of one size.
static void addAttention(std::vector<Size> &sizes, uint64_t headSize,
                         llvm::ArrayRef<uint64_t> lengths) {
  constexpr uint64_t width = 2048, tokens = 16384;
  for (bool isCausal : {false, true})
    for (uint64_t length : lengths)
      sizes.push_back({length, headSize, 1, tokens / length, width / headSize, isCausal});
}

static std::vector<Size> attentionSizes(llvm::ArrayRef<uint64_t> lengths) {
  std::vector<Size> sizes;
  for (uint64_t headSize : {64, 128})
    addAttention(sizes, headSize, lengths);
  return sizes;
}

/// Rows from one token to a large batch, in narrow and in wide layers; then the number of layers.
static std::vector<Size> mlpSizes() {
  std::vector<Size> sizes;
  for (uint64_t width : {2048, 8192})
    for (uint64_t rows : {1, 16, 64, 256, 1024, 4096, 16384})
      sizes.push_back({rows, width, 8});
  for (uint64_t layers : {1, 2, 4, 8, 16})
    sizes.push_back({4096, 4096, layers});
  return sizes;
}

static std::vector<Suite> memorySuites() {
  const std::vector<StringRef> all = allProviders().vec();
  const std::vector<ScalarKind> types = allTypes().vec();
  return {
      {"softmax", "softmax of 4096 rows of 256 to 12672 columns, one program a row",
       KernelKind::SoftmaxRows, all, types, tutorialSweep(),
       usualRows({256, 1024, 2560, 4096, 8192, 12672})},
      {"softmax-long",
       "softmax of rows of up to 262144 columns",
       KernelKind::SoftmaxRows,
       all,
       types,
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
       KernelKind::SoftmaxRows, all, types,
       usualRows({257, 511, 781, 1000, 1023, 1025, 1823, 2047, 2049, 3001, 4095, 4097, 5000, 7919,
                  8191, 8193, 10007, 12671}),
       usualRows({781, 2049, 12671})},
      {"softmax-persistent",
       "as softmax, with as many programs as the GPU holds at once",
       KernelKind::SoftmaxPersistent,
       {"copy", "torch", "triton", "tilec"},
       types,
       tutorialSweep(),
       usualRows({256, 1024, 2560, 4096, 8192, 12672})},
      {"gelu",
       "GELU, tanh form, of 2^16 to 2^28 elements",
       KernelKind::Gelu,
       {"copy", "cuda-naive", "cuda-vector", "torch", "torch.compile", "triton", "tilec"},
       types,
       powersOfTwo({16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28}),
       powersOfTwo({16, 20, 24, 28})},
  };
}

static std::vector<Suite> productSuites() {
  std::vector<Size> products = squares({512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192});
  // A short sum, a long one with few rows, a wide one, and rows that start at no multiple of 16.
  for (Size size : {Size{8192, 8192, 512}, Size{16384, 16384, 2048}, Size{1024, 1024, 16384},
                    Size{16, 8192, 8192}, Size{256, 8192, 8192}, Size{8184, 4104, 4104}})
    products.push_back(size);
  return {
      {"matmul",
       "A B of squares of 512 to 8192 and others; torch is cuBLAS, fp32 is tf32 for all",
       KernelKind::Matmul,
       {"torch", "triton", "tilec"},
       allTypes().vec(),
       std::move(products),
       {{512, 512, 512},
        {2048, 2048, 2048},
        {4096, 4096, 4096},
        {8192, 8192, 8192},
        {16, 8192, 8192},
        {8184, 4104, 4104}}},
      {"attention",
       "softmax(Q K^T / sqrt(D)) V of 16384 tokens in sequences of 512 to 16384, heads of 64 and "
       "128, full and causal; torch is cuDNN",
       KernelKind::Attention,
       {"torch", "triton", "tilec"},
       {ScalarKind::BF16, ScalarKind::FP16},
       attentionSizes({512, 1024, 2048, 4096, 8192, 16384}),
       {{4096, 128, 1, 4, 16},
        {4096, 128, 1, 4, 16, true},
        {1024, 128, 1, 16, 16},
        {4096, 64, 1, 4, 32, true}}},
      {"mlp",
       "layers of gelu(x W^T + bias), 1 to 16384 rows, 2048 to 8192 wide, 1 to 16 layers; torch is "
       "cuBLAS",
       KernelKind::Mlp,
       {"torch", "torch.compile", "triton", "tilec"},
       {ScalarKind::BF16, ScalarKind::FP16},
       mlpSizes(),
       {{16, 2048, 8}, {4096, 2048, 8}, {256, 8192, 4}, {4096, 4096, 2}}},
  };
}

llvm::ArrayRef<Suite> bench::allSuites() {
  static const std::vector<Suite> suites = [] {
    std::vector<Suite> all = memorySuites();
    llvm::append_range(all, productSuites());
    return all;
  }();
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

const Example &bench::exampleOf(KernelKind kind) {
  static const Example examples[] = {
      {"softmax_rows", "examples/softmax/softmax.py", "rows x cols", "4096x781 or 781"},
      {"softmax_persistent", "examples/softmax/softmax.py", "rows x cols", "4096x781 or 781"},
      {"gelu", "examples/gelu/gelu.py", "elements", "1000000 or 2^20"},
      {"matmul", "examples/matmul/matmul.py", "M x N x K", "4096x4096x512 or 4096"},
      {"attention", "examples/attention/attention.py", "batch x heads x length x head size",
       "4x16x4096x128 or 4x16x4096x128-causal"},
      {"linear_gelu", "examples/mlp/mlp.py", "rows x width x layers", "4096x2048x8"}};
  static_assert(std::size(examples) == size_t(KernelKind::Mlp) + 1, "one for each kind");
  return examples[size_t(kind)];
}

bool bench::isProduct(KernelKind kind) {
  return kind == KernelKind::Matmul || kind == KernelKind::Attention || kind == KernelKind::Mlp;
}

Roofline bench::rooflineOf(KernelKind kind, ScalarKind type) {
  double bytes = type == ScalarKind::FP32 ? 8 : 4;
  // Softmax: maximum, subtraction, exponential, addition, division. GELU: two bounds, five
  // operations of the polynomial, a product, an exponential, an addition, a division, a choice.
  return {bytes, kind == KernelKind::Gelu ? 12.0 : 5.0};
}

unsigned bench::chooseWarps(KernelKind kind, uint64_t block, unsigned elementBytes) {
  if (kind == KernelKind::Gelu)
    return 4;
  uint64_t perThread = elementBytes == 4 ? 16 : 32;
  return unsigned(std::clamp<uint64_t>(block / (32 * perThread), 1, 16));
}
