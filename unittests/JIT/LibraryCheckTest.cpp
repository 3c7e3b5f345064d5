//===- LibraryCheckTest.cpp - libtilec looks at accesses to memory -*- C++ -*-===//

#include "LibraryTest.h"

#include <cstdlib>

using namespace tilec;

namespace {

/// y[i] = x[i] without a mask, and others that do what they must not.
const char *const kernels = R"(
@triton.jit
def copy(y, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))

@triton.jit
def meet(y):
    tl.store(y, tl.program_id(0))

@triton.jit
def follow(table, y):
    tl.store(y, tl.load(tl.load(table).to(tl.pointer_type(tl.float32)) + 3))
)";

jit::Compiler checkingCompiler() {
  jit::Options options;
  options.checkMemory = true;
  return hostCompiler(options);
}

using Copy = void(float *, const float *);

jit::Kernel<Copy> copyKernel(const jit::Compiler &compiler) {
  return getKernel<Copy>(compiler, kernels, "copy", {{"BLOCK", 16}});
}

TEST(LibraryCheckTest, ReportsWhatIsOutside) {
  jit::Compiler compiler = checkingCompiler();
  EXPECT_STREQ(compiler.target(), "CPU (1 thread)");
  auto copy = copyKernel(compiler);
  std::vector<float> x(64, 1), y(64, 0);
  ASSERT_TRUE(compiler.addMemory(x.data(), 62));
  ASSERT_TRUE(compiler.addMemory(y.data(), 64));
  Status status = copy.launch(Grid(4), y.data(), x.data());
  expectError(status, TILEC_JIT_ERROR_RUN, "kernel 'copy' accesses memory wrongly:\nkernel.py:7:");
  EXPECT_NE(std::string(status.message())
                .find("error: reads 4 bytes right behind the end of 'x' (fp32[62]), where element "
                      "62 would be; in program (3, 0, 0) at [14] of the tile; 2 times in all\n"
                      "    tl.store(y + i, tl.load(x + i))\n"),
            std::string::npos)
      << status.message();
  // The access did not happen, the others did.
  EXPECT_EQ(y[61], 1.0f);
  EXPECT_EQ(y[62], 0.0f);
  // What is within the arrays is no error.
  EXPECT_TRUE(copy.launch(Grid(3), y.data(), x.data()));
  ASSERT_TRUE(compiler.addMemory(x.data(), 64));
  status = copy.launch(Grid(4), y.data(), x.data());
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(y[63], 1.0f);
}

TEST(LibraryCheckTest, KnowsThePlaceOfPointersInMemory) {
  jit::Compiler compiler = checkingCompiler();
  auto copy = copyKernel(compiler);
  std::vector<float> pool(64, 1);
  ASSERT_TRUE(compiler.addMemory(pool.data(), 64));
  EXPECT_TRUE(copy.launch(Grid(1), pool.data() + 48, pool.data() + 3));
  expectError(copy.launch(Grid(1), pool.data() + 49, pool.data() + 3), TILEC_JIT_ERROR_RUN,
              "writes 4 bytes right behind the end of 'y' (fp32[64]), where element 64 would be");
}

TEST(LibraryCheckTest, ReportsRacesOfArraysThatItDoesNotKnow) {
  jit::Compiler compiler = checkingCompiler();
  auto meet = getKernel<void(int *)>(compiler, kernels, "meet");
  int y[4] = {-1, -1, -1, -1};
  EXPECT_TRUE(meet.launch(Grid(1), y));
  EXPECT_EQ(y[0], 0);
  y[0] = -1;
  expectError(meet.launch(Grid(3), y), TILEC_JIT_ERROR_RUN,
              "writes element 0 of 'y' (i32, of unknown size), which program (0, 0, 0) writes, and "
              "nothing orders the two; in program (1, 0, 0)");
  ASSERT_TRUE(compiler.addMemory(y, 4));
  y[0] = -1;
  expectError(meet.launch(Grid(3), y), TILEC_JIT_ERROR_RUN, "writes element [0] of 'y' (i32[4])");
}

TEST(LibraryCheckTest, BoundsOnlyWhatItKnows) {
  jit::Compiler compiler = checkingCompiler();
  auto copy = copyKernel(compiler);
  std::vector<float> x(64, 1), y(64, 0);
  // Neither is known, and nothing can be said.
  EXPECT_TRUE(copy.launch(Grid(4), y.data(), x.data()));
  EXPECT_EQ(y[63], 1.0f);
  // What lies behind x may be y.
  ASSERT_TRUE(compiler.addMemory(x.data(), 62));
  EXPECT_TRUE(copy.launch(Grid(4), y.data(), x.data()));
  // Null is no array.
  expectError(copy.launch(Grid(1), static_cast<float *>(nullptr), x.data()), TILEC_JIT_ERROR_RUN,
              "writes 4 bytes");
}

TEST(LibraryCheckTest, RemembersWhatNobodyHasWritten) {
  jit::Compiler compiler = checkingCompiler();
  auto copy = copyKernel(compiler);
  std::vector<float> x(16, 1), y(16), z(16);
  ASSERT_TRUE(compiler.addMemory(x.data(), x.size()));
  ASSERT_TRUE(compiler.addMemory(y.data(), y.size(), /*unwritten=*/true));
  ASSERT_TRUE(compiler.addMemory(z.data(), z.size(), /*unwritten=*/true));
  expectError(copy.launch(Grid(1), z.data(), y.data()), TILEC_JIT_ERROR_RUN,
              "reads element [0] of 'x' (fp32[16]), which nothing has written; in program "
              "(0, 0, 0) at [0] of the tile; 16 times in all");
  EXPECT_TRUE(copy.launch(Grid(1), y.data(), x.data()));
  EXPECT_TRUE(copy.launch(Grid(1), z.data(), y.data()));
}

TEST(LibraryCheckTest, FollowsPointersInMemory) {
  jit::Compiler compiler = checkingCompiler();
  auto follow = getKernel<void(int64_t *, float *)>(compiler, kernels, "follow");
  std::vector<float> x(4, 2), y(1);
  int64_t table = int64_t(reinterpret_cast<intptr_t>(x.data()));
  ASSERT_TRUE(compiler.addMemory(&table, 1));
  ASSERT_TRUE(compiler.addMemory(y.data(), 1));
  ASSERT_TRUE(compiler.addMemory(x.data(), 4));
  EXPECT_TRUE(follow.launch(Grid(1), &table, y.data()));
  EXPECT_EQ(y[0], 2.0f);
  ASSERT_TRUE(compiler.addMemory(x.data(), 3));
  expectError(follow.launch(Grid(1), &table, y.data()), TILEC_JIT_ERROR_RUN,
              "reads 4 bytes right behind the end of 'other memory'");
  compiler.removeMemory(x.data());
  expectError(follow.launch(Grid(1), &table, y.data()), TILEC_JIT_ERROR_RUN, "reads 4 bytes");
}

TEST(LibraryCheckTest, KnowsTheExtentOfTensorDescriptors) {
  jit::Compiler compiler = checkingCompiler();
  jit::KernelOptions options;
  options.descriptors = "x=tensordesc<fp32[4, 4]>";
  auto kernel = getKernel<void(TensorDescriptor<float, 2>, float *)>(compiler, R"(
@triton.jit
def tiles(x, y):
    i, j = tl.arange(0, 4)[:, None], tl.arange(0, 4)[None, :]
    tl.store(y + i * 4 + j, x.load([2, 2]))
)",
                                                                     "tiles", options);
  alignas(16) float x[5 * 8];
  std::fill(std::begin(x), std::end(x), 3.0f);
  std::vector<float> y(16);
  ASSERT_TRUE(compiler.addMemory(y.data(), 16));
  Status status = kernel.launch(Grid(1), TensorDescriptor<float, 2>{x, {5, 5}, {8, 1}}, y.data());
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(y[0], 3.0f);
  EXPECT_EQ(y[3], 0.0f);
}

TEST(LibraryCheckTest, SaysWhatCannotBeAdded) {
  jit::Compiler compiler = checkingCompiler();
  std::vector<float> x(64);
  ASSERT_TRUE(compiler.addMemory(x.data() + 8, 8));
  ASSERT_TRUE(compiler.addMemory(x.data(), 8));
  expectError(compiler.addMemory(x.data() + 4, 1), TILEC_ERROR_INVALID_ARGUMENT, "overlap memory");
  expectError(compiler.addMemory(x.data(), 9), TILEC_ERROR_INVALID_ARGUMENT, "overlap memory");
  expectError(compiler.addMemory(static_cast<float *>(nullptr), 9), TILEC_ERROR_INVALID_ARGUMENT,
              "there are no 36 bytes at 0x0");
  expectError(compiler.addMemory(reinterpret_cast<const char *>(x.data()) + 256, ~size_t(0)),
              TILEC_ERROR_INVALID_ARGUMENT, "there are no");
  compiler.removeMemory(x.data() + 8);
  EXPECT_TRUE(compiler.addMemory(x.data(), 9));
  // Without checks nobody asks.
  EXPECT_TRUE(hostCompiler().addMemory(static_cast<float *>(nullptr), 9));
  expectError(jit::toStatus(tilec_jit_memory_add(nullptr, x.data(), 4, 0)),
              TILEC_ERROR_INVALID_ARGUMENT, "'compiler' is null");
}

TEST(LibraryCheckTest, SaysWhatDoesNotGoWithIt) {
  jit::Options options;
  options.checkMemory = true;
  options.target = TILEC_JIT_CUDA;
  expectError(jit::Compiler::create(options), TILEC_ERROR_INVALID_ARGUMENT, "on the processor");
  options.target = TILEC_JIT_AUTO;
  auto compiler = jit::Compiler::create(options);
  ASSERT_TRUE(compiler);
  EXPECT_STREQ(compiler->target(), "CPU (1 thread)");
  options.threads = 2;
  expectError(jit::Compiler::create(options), TILEC_ERROR_INVALID_ARGUMENT, "not by 2 threads");
}

TEST(LibraryCheckTest, TheEnvironmentAsksForIt) {
  ASSERT_EQ(setenv("TILEC_CHECK", "1", 1), 0);
  jit::Options options;
  options.threads = 2;
  jit::Compiler compiler = hostCompiler(options);
  ASSERT_EQ(setenv("TILEC_CHECK", "yes", 1), 0);
  jit::Options other;
  other.target = TILEC_JIT_CPU;
  expectError(jit::Compiler::create(other), TILEC_ERROR_INVALID_ARGUMENT,
              "TILEC_CHECK: expected 0 or 1, found 'yes'");
  ASSERT_EQ(setenv("TILEC_CHECK", "0", 1), 0);
  jit::Compiler unchecked = hostCompiler();
  ASSERT_EQ(unsetenv("TILEC_CHECK"), 0);
  int y[1] = {-1};
  expectError(getKernel<void(int *)>(compiler, kernels, "meet").launch(Grid(2), y),
              TILEC_JIT_ERROR_RUN, "nothing orders the two");
  EXPECT_TRUE(getKernel<void(int *)>(unchecked, kernels, "meet").launch(Grid(2), y));
}

} // namespace
