//===- LibraryConditionTest.cpp - Launches that code does not suit -*- C++ -*-===//
//
// libtilec never runs code whose conditions do not hold for the arguments: those that a program
// states, and those that the masks of a kernel show.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <numeric>

using namespace tilec;

namespace {

/// Copies rows of n elements, and tells the size of the tile.
const char *const rowText = R"(
@triton.jit
def row(y, used, x, n, BLOCK: tl.constexpr = 64):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i
    tl.store(used, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=i < n), mask=i < n)
)";

/// The same with configurations, which one choice is made of for all n.
const std::string tunedText =
    R"(
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (32, 64, 256)], key=[])
@triton.jit
def row(y, used, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i
    tl.store(used, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=i < n), mask=i < n)
)";

using Row = void(int *, int *, const int *, int);

class LibraryConditionTest : public ::testing::Test {
protected:
  LibraryConditionTest() : x(400) { std::iota(x.begin(), x.end(), 1000); }

  /// The tile's size, after a launch that must copy n elements.
  int run(const jit::Kernel<Row> &kernel, int n) {
    std::vector<int> y(401, -7);
    int used = 0;
    Status status = kernel.launch(Grid(1), y.data(), &used, x.data(), n);
    EXPECT_TRUE(status) << status.message();
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(y[i], x[i]) << "n = " << n;
    EXPECT_EQ(y[std::max(n, 0)], -7) << "n = " << n;
    return used;
  }

  /// Expects that nothing runs.
  void expectRefusal(const jit::Kernel<Row> &kernel, int n, const char *message) {
    std::vector<int> y(401, -7);
    int used = -7;
    expectError(kernel.launch(Grid(1), y.data(), &used, x.data(), n), TILEC_ERROR_NO_CONFIG,
                message);
    EXPECT_EQ(y, std::vector<int>(401, -7));
    EXPECT_EQ(used, -7);
  }

  std::vector<int> x;
};

} // namespace

TEST_F(LibraryConditionTest, ATileThatDoesNotCoverTheSizeIsAnError) {
  jit::Compiler compiler = hostCompiler();
  auto given = getKernel<Row>(compiler, rowText, "row", {{"BLOCK", 32}});
  for (int n : {-5, 0, 1, 7, 16, 31, 32})
    EXPECT_EQ(run(given, n), 32);
  for (int n : {33, 48, 400}) // Of two classes.
    expectRefusal(given, n,
                  ("kernel 'row' requires n <= BLOCK, but is launched with n=" + std::to_string(n) +
                   ", BLOCK=32")
                      .c_str());
  std::vector<int> y(40);
  int used = 0;
  expectError(given.prepare(y.data(), &used, x.data(), 33), TILEC_ERROR_NO_CONFIG, "n <= BLOCK");
  expectError(given.code(y.data(), &used, x.data(), 33), TILEC_ERROR_NO_CONFIG, "n <= BLOCK");
  EXPECT_TRUE(given.code(y.data(), &used, x.data(), 31));
  auto byDefault = getKernel<Row>(compiler, rowText, "row");
  EXPECT_EQ(run(byDefault, 64), 64);
  expectRefusal(byDefault, 65, "requires n <= BLOCK, but is launched with n=65, BLOCK=64");
}

TEST_F(LibraryConditionTest, ElementsOfTuplesHaveLimits) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<void(int *, std::pair<int, unsigned long long>)>(compiler, R"(
@triton.jit
def k(y, shape):
    i = tl.arange(0, 16)
    at = y + tl.program_id(0) * 100 + i
    tl.store(at, tl.load(at, mask=i < shape[1]) + shape[0], mask=i < shape[1])
)",
                                                                           "k");
  int y[17] = {};
  EXPECT_TRUE(kernel.launch(Grid(1), y, {5, 15}));
  EXPECT_EQ(y[14], 5);
  expectError(kernel.launch(Grid(1), y, {5, 17}), TILEC_ERROR_NO_CONFIG,
              "requires shape[1] <= 16, but is launched with shape=(5, 17)");
  expectError(kernel.launch(Grid(1), y, {5, ~0ull}), TILEC_ERROR_NO_CONFIG, "shape[1] <= 16");
}

TEST_F(LibraryConditionTest, StatedConditionsCountToo) {
  jit::Compiler compiler = hostCompiler();
  jit::KernelOptions options = {{"BLOCK", 32}};
  options.require = "n % 2 == 0 and n < BLOCK";
  auto kernel = getKernel<Row>(compiler, rowText, "row", options);
  EXPECT_EQ(run(kernel, 30), 32);
  expectRefusal(kernel, 29,
                "requires n % 2 == 0 and n < BLOCK, but is launched with n=29, BLOCK=32");
  expectRefusal(kernel, 32, "n=32");
  options.require = "True";
  auto any = getKernel<Row>(compiler, rowText, "row", options);
  std::vector<int> y(402, -7);
  int used = 0;
  EXPECT_TRUE(any.launch(Grid(1), y.data(), &used, x.data(), 400));
  EXPECT_EQ(y[31], x[31]);
  EXPECT_EQ(y[32], -7);
}

TEST_F(LibraryConditionTest, ConditionsMustBeExpressions) {
  jit::Compiler compiler = hostCompiler();
  auto module = compiler.compileText(kernelText(rowText));
  ASSERT_TRUE(module);
  jit::KernelOptions options;
  options.require = "m < 4";
  expectError(module->kernel<Row>("row", options), TILEC_JIT_ERROR_COMPILE,
              "require:1:1: error: kernel 'row' has no parameter 'm'");
  options.require = "n <";
  expectError(module->kernel<Row>("row", options), TILEC_JIT_ERROR_COMPILE, "require:1:");
  options.require = "4 // n > 0";
  auto kernel = module->kernel<Row>("row", options);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(run(*kernel, 4), 64);
  expectRefusal(*kernel, 0, "requires 4 // n > 0, which cannot be computed: ");
}

TEST_F(LibraryConditionTest, RequestsOfEarlierProgramsHaveNone) {
  tilec_jit_options options{};
  options.struct_size = sizeof(options);
  options.target = TILEC_JIT_CPU;
  tilec_jit_compiler *compiler = nullptr;
  ASSERT_EQ(tilec_jit_compiler_create(&options, &compiler), nullptr);
  std::string text = kernelText(rowText);
  tilec_jit_module *module = nullptr;
  ASSERT_EQ(tilec_jit_module_create(compiler, text.data(), text.size(), "k.py", &module), nullptr);
  constexpr uint8_t pointer = TILEC_TYPE_POINTER + TILEC_TYPE_I32;
  const uint8_t types[] = {pointer, pointer, pointer, TILEC_TYPE_I32};
  tilec_jit_request request{};
  request.name = "row";
  request.types = types;
  request.num_types = 4;
  request.require = "what no earlier program can have written";
  auto get = [&](uint32_t size) {
    request.struct_size = size;
    tilec_jit_kernel *kernel = nullptr;
    Status status = jit::toStatus(tilec_jit_kernel_get(module, &request, &kernel));
    tilec_jit_kernel_release(kernel);
    return status;
  };
  request.descriptors = request.require;
  EXPECT_TRUE(get(offsetof(tilec_jit_request, require)));
  expectError(get(offsetof(tilec_jit_request, descriptors)), TILEC_JIT_ERROR_COMPILE, "require:1:");
  expectError(get(sizeof(request)), TILEC_JIT_ERROR_COMPILE, "require:1:");
  request.require = nullptr;
  EXPECT_TRUE(get(offsetof(tilec_jit_request, descriptors)));
  expectError(get(sizeof(request)), TILEC_JIT_ERROR_COMPILE, "descriptors:1:");
  expectError(get(sizeof(request) + 8), TILEC_ERROR_INVALID_ARGUMENT, "struct_size is 88");
  tilec_jit_module_release(module);
  tilec_jit_compiler_release(compiler);
}

TEST_F(LibraryConditionTest, ConfigurationsThatSuitAreMeasuredAndTaken) {
  jit::Compiler compiler = hostCompiler();
  auto kernel = getKernel<Row>(compiler, tunedText, "row");
  EXPECT_EQ(run(kernel, 200), 256);
  EXPECT_EQ(compiler.counts().measurements, 1u) << "the others do not suit";
  EXPECT_GE(run(kernel, 50), 64);
  EXPECT_EQ(run(kernel, 250), 256);
  expectRefusal(kernel, 257, "requires n <= BLOCK, but is launched with n=257, BLOCK=32");
  EXPECT_GE(run(kernel, 20), 32);
}

TEST_F(LibraryConditionTest, WithoutMeasuringTheFirstThatSuitsIsTaken) {
  jit::Options options;
  options.tuning = false;
  jit::Compiler compiler = hostCompiler(options);
  auto kernel = getKernel<Row>(compiler, tunedText, "row");
  for (int n : {20, 50, 33, 31, 100, 1, 64})
    EXPECT_EQ(run(kernel, n), n <= 32 ? 32 : n <= 64 ? 64 : 256) << n;
  expectRefusal(kernel, 300, "n=300, BLOCK=32");
  EXPECT_EQ(compiler.counts().measurements, 0u);
}

TEST_F(LibraryConditionTest, LimitsAreKeptWithTheCode) {
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-conditions", folder));
  jit::Options options;
  options.cache = folder.str().str();
  for (uint64_t compilations : {1u, 0u}) {
    jit::Compiler compiler = hostCompiler(options);
    auto kernel = getKernel<Row>(compiler, rowText, "row", {{"BLOCK", 32}});
    EXPECT_EQ(run(kernel, 31), 32);
    expectRefusal(kernel, 33, "n=33, BLOCK=32");
    EXPECT_EQ(compiler.counts().compilations, compilations);
  }
  llvm::sys::fs::remove_directories(folder);
}
