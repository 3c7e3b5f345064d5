//===- SpecializerTest.cpp - From source to tile IR -------------*- C++ -*-===//
//
// Whole kernels, from text to IR.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;

TEST(SpecializerTest, RowSoftmax) {
  Specialized result = specializeText(R"(
@triton.jit
def k(out_ptr, in_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(in_ptr + row * stride + cols, mask=cols < n_cols, other=-float('inf'))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)
)",
                                      "*fp32:16,*fp32:16,i32:16,i32,1024");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("func.func @k(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32"));
  EXPECT_TRUE(result.has("tile.make_range 0 to 1024 : tensor<1024xi32>"));
  EXPECT_TRUE(result.has("arith.muli %0, %arg2 : i32"));
  EXPECT_TRUE(result.has("fastmath<afn> : tensor<1024xf32>"));
  EXPECT_TRUE(result.has("fastmath<arcp> : tensor<1024xf32>"));
  EXPECT_EQ(result.count("tile.reduce"), 2u);
  ASSERT_EQ(result.info.params.size(), 4u);
  EXPECT_EQ(result.info.params[1].type.signatureStr(), "*fp32");
  EXPECT_EQ(result.info.params[2].divisibility, 16u);
  ASSERT_EQ(result.info.constexprs.size(), 1u);
  EXPECT_EQ(result.info.constexprs[0].value, "1024");
}

TEST(SpecializerTest, ParametersLieLikeMembersOfAStruct) {
  Specialized result = specializeText("@triton.jit\ndef k(a, b, c, d, e, f, g, h):\n    pass\n",
                                      "i1,(fp8e4nv,**kfp16,u16),fp64,7,bf16,i32:16,i8,*i1");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  std::vector<std::pair<std::string, unsigned>> places;
  unsigned end = 0;
  for (const KernelParam &param : result.info.params) {
    places.push_back({param.path, param.offset});
    EXPECT_EQ(param.offset % param.alignment(), 0u) << param.path;
    EXPECT_GE(param.offset, end) << param.path;
    end = param.offset + param.size();
  }
  std::vector<std::pair<std::string, unsigned>> expected = {{"a", 0},    {"b.0", 1}, {"b.1", 8},
                                                            {"b.2", 16}, {"c", 24},  {"e", 32},
                                                            {"f", 36},   {"g", 40},  {"h", 48}};
  EXPECT_EQ(places, expected);
  EXPECT_EQ(end, 56u);
}

TEST(SpecializerTest, TheLaunchBecomesAttributes) {
  KernelRequest request;
  EXPECT_FALSE(specializeBody({"pass"}, "fp32", request).has("tile.num_"));
  request.numWarps = 8;
  request.numCTAs = 2;
  request.numStages = 5;
  Specialized result = specializeBody({"pass"}, "fp32", request);
  EXPECT_TRUE(result.has("tile.num_ctas = 2 : i32, tile.num_stages = 5 : i32, "
                         "tile.num_warps = 8 : i32"))
      << result.ir << result.diagnostics;
  request.numStages = 65;
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request)
                  .says("the number of stages must be from 1 to 64, found 65"));
}

TEST(SpecializerTest, LocationsNameTheChainOfCalls) {
  KernelRequest request;
  Specialized result =
      specializeText("@triton.jit\ndef f(x):\n    return x + 1.0\n\n\n"
                     "@triton.jit\ndef k(p):\n    tl.store(p, f(tl.sigmoid(tl.load(p))))\n",
                     "*fp32", "", request);
  ASSERT_TRUE(result.ok) << result.diagnostics;
  // The helper's addition lies in the helper, called from the kernel.
  EXPECT_TRUE(result.locations.find("callsite(\"k.py\":5:12 at \"k.py\":10:17)") !=
              std::string::npos)
      << result.locations;
  // What the library wrote itself belongs to the line that called it.
  EXPECT_EQ(result.locations.find("<triton.language>"), std::string::npos);
}

TEST(SpecializerTest, HostileInput) {
  auto fails = [](const std::string &text, llvm::StringRef message) {
    Specialized result = specializeText(text, "*fp32,i32");
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.says(message)) << result.diagnostics;
  };
  std::string kernel = "@triton.jit\ndef k(p, n):\n", doubling, returns, chain;
  for (int i = 0; i < 40; ++i) {
    std::string a = std::to_string(i), b = std::to_string(i + 1);
    doubling +=
        "@triton.jit\ndef f" + a + "(a):\n    b = f" + b + "(a)\n    return f" + b + "(b)\n";
  }
  fails(doubling + "@triton.jit\ndef f40(a):\n    return a\n" + kernel + "    x = f0(n)\n",
        "the kernel unrolls to more than 250000 statements");
  for (int i = 0; i < 2000; ++i)
    returns += "    if n == " + std::to_string(i) + ":\n        return\n";
  fails(kernel + returns, "the code is nested too deeply");
  for (int i = 0; i < 150; ++i)
    chain += "@triton.jit\ndef f" + std::to_string(i) + "(a):\n    return f" +
             std::to_string(i + 1) + "(a)\n";
  fails(chain + kernel + "    x = f0(n)\n", "more than 100 nested calls");
  std::string tuples = "    t0 = (n, n)\n";
  for (int i = 0; i < 40; ++i)
    tuples += "    t" + std::to_string(i + 1) + " = (t" + std::to_string(i) + ", t" +
              std::to_string(i) + ")\n";
  fails(kernel + tuples, "the tuple has more than 65536 elements");
  fails("A = tl.constexpr(B)\nB = tl.constexpr(A)\n" + kernel + "    x = tl.arange(0, A)\n",
        "a global of the host program");
}

TEST(SpecializerTest, ManyEarlyReturns) {
  std::string text = "@triton.jit\ndef k(p, n):\n";
  for (int i = 0; i < 200; ++i)
    text += "    if n == " + std::to_string(i) + ":\n        return\n";
  EXPECT_TRUE(specializeText(text + "    tl.store(p, 1.0)\n", "*fp32,i32").ok);
}
