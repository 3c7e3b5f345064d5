//===- LibraryTest.h - What the tests of libtilec share ---------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_JIT_LIBRARYTEST_H
#define TILEC_UNITTESTS_JIT_LIBRARYTEST_H

#include "tilec/jit.h"
#include "gtest/gtest.h"

#include <string>

/// Kernels as text: `functions` with the imports in front.
inline std::string kernelText(const std::string &functions) {
  return "import triton\nimport triton.language as tl\n" + functions;
}

/// A compiler for the processor; the test fails if there is none.
inline tilec::jit::Compiler hostCompiler(tilec::jit::Options options = {}) {
  options.target = TILEC_JIT_CPU;
  auto compiler = tilec::jit::Compiler::create(options);
  EXPECT_TRUE(compiler) << compiler.error().message();
  return *compiler;
}

/// The kernel `name` of `functions`, which must be found.
template <typename Function>
tilec::jit::Kernel<Function> getKernel(const tilec::jit::Compiler &compiler,
                                       const std::string &functions, const char *name,
                                       const tilec::jit::KernelOptions &options = {}) {
  auto module = compiler.compileText(kernelText(functions));
  EXPECT_TRUE(module) << module.error().message();
  auto kernel = module->kernel<Function>(name, options);
  EXPECT_TRUE(kernel) << kernel.error().message();
  return *kernel;
}

/// Expects an error whose message contains `part`.
template <typename Result> void expectError(const Result &result, int code, const char *part) {
  ASSERT_FALSE(result);
  EXPECT_EQ(int(result.error().code()), code) << result.error().message();
  EXPECT_NE(std::string(result.error().message()).find(part), std::string::npos)
      << "expected: " << part << "\nfound: " << result.error().message();
}
inline void expectError(const tilec::Status &status, int code, const char *part) {
  ASSERT_FALSE(status);
  EXPECT_EQ(int(status.code()), code) << status.message();
  EXPECT_NE(std::string(status.message()).find(part), std::string::npos)
      << "expected: " << part << "\nfound: " << status.message();
}

/// y[i] = x[i] * s for i below n.
inline const char *const scaleText = R"(
@triton.jit
def scale(y, x, s, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * s, mask=i < n)
)";

#endif // TILEC_UNITTESTS_JIT_LIBRARYTEST_H
