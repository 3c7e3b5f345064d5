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
  EXPECT_EQ(result.info.params[1].type, "*fp32");
  EXPECT_EQ(result.info.params[2].divisibility, 16u);
  ASSERT_EQ(result.info.constexprs.size(), 1u);
  EXPECT_EQ(result.info.constexprs[0].value, "1024");
}
