//===- ControlFlowTest.cpp - Branches, loops, returns -----------*- C++ -*-===//
//
// What becomes of `if`, `for`, `while` and early `return`, and which names live where.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;
using llvm::StringRef;

namespace {

Specialized accepts(llvm::ArrayRef<StringRef> statements, StringRef element = "fp32") {
  Specialized result = specializeBody(statements, element);
  EXPECT_TRUE(result.ok) << result.diagnostics;
  return result;
}

void rejects(llvm::ArrayRef<StringRef> statements, StringRef message, StringRef element = "fp32") {
  Specialized result = specializeBody(statements, element);
  EXPECT_FALSE(result.ok) << result.ir;
  EXPECT_TRUE(result.says(message)) << "expected: " << message.str() << "\n" << result.diagnostics;
}

} // namespace

TEST(BranchTest, StaticBranchCompilesTheTakenSideOnly) {
  accepts({"FLAG: tl.constexpr = True", "if FLAG:", "    y = 1", "else:", "    y = tl.nothing(1)",
           "tl.store(p, y)"});
  rejects({"if 1.5:", "    y = 1"}, "must be a bool, an int or None, found constexpr float");
}

TEST(BranchTest, NamesBecomeResults) {
  Specialized result = accepts({"y = 1", "if n > 0:", "    y = n", "    z = 1.0",
                                "else:", "    z = 2.0", "tl.store(p, y + z)"});
  EXPECT_TRUE(result.has("-> (i32, f32)")) << result.ir;
}

TEST(BranchTest, UntouchedBranchHasNoElse) {
  Specialized result = accepts({"if n > 0:", "    tl.store(p, 1.0)"});
  EXPECT_TRUE(result.has("scf.if"));
  EXPECT_FALSE(result.has("else"));
}

TEST(BranchTest, NameRules) {
  rejects({"if n > 0:", "    y = 1", "z = y"}, "'y' is not defined");
  accepts({"y = None", "if n > 0:", "    y = n", "tl.static_assert(y is None)"});
  rejects(
      {"acc = 0", "if n > 0:", "    acc = 1.5"},
      "the initial value of 'acc' is of type int32, but the then block redefines it as float32");
  rejects({"if n > 0:", "    y = 1", "else:", "    y = 1.5"},
          "mismatched type of 'y' between the then block (int32) and the else block (float32)");
  rejects({"B: tl.constexpr = 4", "if n > 0:", "    B = 5"}, "the initial value of 'B'");
  rejects({"if n > 0:", "    C: tl.constexpr = 4", "else:", "    C: tl.constexpr = 4", "x = C"},
          "'C' is not defined");
  rejects({"if tl.arange(0, 8) > 0:", "    x = 1"}, "a condition must be a scalar, found int1[8]");
}

TEST(BranchTest, ConditionsConvert) {
  EXPECT_TRUE(accepts({"if n:", "    tl.store(p, 1.0)"}).has("arith.cmpi ne"));
  EXPECT_TRUE(accepts({"if tl.load(p):", "    tl.store(p, 1.0)"}).has("arith.cmpf une"));
}

TEST(BranchTest, ConditionalExpression) {
  EXPECT_TRUE(accepts({"a = 1.0 if n > 0 else tl.load(p)", "tl.store(q, a)"}).has("scf.if"));
  accepts({"F: tl.constexpr = False", "b = 1 if F else 0.5",
           "tl.static_assert(b.dtype == tl.float32)"});
  rejects({"a = 1.0 if n > 0 else 0"}, "must have one type, found float32 and int32");
}

TEST(ReturnTest, EarlyReturnOfAKernel) {
  Specialized result = accepts({"if n > 0:", "    return", "tl.store(p, 1.0)"});
  EXPECT_EQ(result.count("scf.if"), 1u) << result.ir;
  EXPECT_TRUE(result.has("else"));
  result = accepts(
      {"if n > 0:", "    if m > 0:", "        return", "    tl.store(p, 1.0)", "tl.store(q, 2.0)"});
  EXPECT_TRUE(result.has("-> (i1)")) << result.ir;
  rejects({"return n"}, "a kernel cannot return a value");
}

TEST(ReturnTest, NamesAcrossAReturn) {
  rejects({"if n > 0:", "    return", "else:", "    y = n", "tl.store(p, y)"},
          "'y' is not defined");
  accepts({"y = 1", "if n > 0:", "    return", "else:", "    y = n", "tl.store(p, y)"});
}

static Specialized helper(StringRef body, StringRef use) {
  return specializeText(
      ("@triton.jit\ndef f(a, b):\n" + body + "\n@triton.jit\ndef k(p, n, m):\n    " + use + "\n")
          .str(),
      "*fp32,i32,i32");
}

TEST(ReturnTest, HelperReturnsFromBranches) {
  Specialized result =
      helper("    if a > 0:\n        return b\n    return a + b\n", "tl.store(p, f(n, m))");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_EQ(result.count("scf.if"), 1u) << result.ir;
  result = helper("    if a > 0:\n        if b > 0:\n            return b\n        a = a + 7\n"
                  "    return a + b\n",
                  "tl.store(p, f(n, m))");
  EXPECT_TRUE(result.ok) << result.diagnostics;
  result = helper("    if a > 0:\n        return b\n    else:\n        return 1.5\n",
                  "tl.store(p, f(n, m))");
  EXPECT_TRUE(result.says("inconsistent return types: float32 here, int32 before"))
      << result.diagnostics;
  EXPECT_TRUE(result.says("in call to 'f' from here"));
}

TEST(ReturnTest, CodeBehindAStaticReturnIsChecked) {
  Specialized result = helper("    if b is None:\n        return a * 1.0\n    return a\n",
                              "tl.store(p, f(n, None))");
  EXPECT_TRUE(result.says("inconsistent return types: int32 here, float32 before"))
      << result.diagnostics;
  result =
      helper("    if b is None:\n        return a\n    return a + 1\n", "tl.store(p, f(n, None))");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_FALSE(result.has("addi"));
}

TEST(ReturnTest, OddReturns) {
  EXPECT_TRUE(helper("    return None\n", "x = f(n, m)").says("cannot return None"));
  EXPECT_TRUE(helper("    return\n", "tl.static_assert(f(n, m) is None)").ok);
  EXPECT_TRUE(helper("    a + b\n", "tl.static_assert(f(n, m) is None)").ok);
  EXPECT_TRUE(
      helper("    return 4\n", "x = tl.arange(0, f(n, m))").says("must be a constexpr integer"));
  EXPECT_TRUE(helper("    return a, (b, 2)\n", "x, y = f(n, m)").ok);
  EXPECT_TRUE(helper("    if a > 0:\n        return b\n", "tl.store(p, f(n, m))").ok);
  EXPECT_TRUE(
      helper("    for i in range(4):\n        if a > i:\n            return i\n    return 0\n",
             "x = f(n, m)")
          .says("'return' is not supported inside a run-time loop"));
  EXPECT_TRUE(helper("    for i in tl.static_range(4):\n        if a > i:\n            return i\n"
                     "    return 7\n",
                     "tl.store(p, f(n, m))")
                  .ok);
}

TEST(LoopTest, CarriedNames) {
  Specialized result = accepts({"acc = tl.zeros([8], tl.float32)", "o = tl.arange(0, 8)",
                                "for i in range(0, n, 8):", "    acc += tl.load(p + o + i)",
                                "tl.store(q + o, acc)"});
  EXPECT_TRUE(result.has("iter_args(%")) << result.ir;
  EXPECT_EQ(result.count("tensor<8xf32>) "), 1u) << result.ir;
  result = accepts({"a = n", "for i in range(n):", "    b = a", "    a = b", "tl.store(p, a)"});
  EXPECT_FALSE(result.has("iter_args")) << result.ir;
  result = accepts({"a = n", "b = m", "for i in range(n):", "    a, b = b, a", "tl.store(p, a)"});
  EXPECT_TRUE(result.has("-> (i32, i32)")) << result.ir;
}

TEST(LoopTest, TypesMustBeStable) {
  rejects(
      {"acc = 0.0", "for i in range(n):", "    acc += tl.load(p + tl.arange(0, 64))"},
      "the loop-carried variable 'acc' is of type float32 before the loop but becomes float32[64]");
  rejects({"B: tl.constexpr = 4", "for i in range(n):", "    B = i"},
          "'B' is constexpr int before");
  rejects({"x = None", "for i in range(n):", "    x = i"}, "'x' is None before the loop");
  rejects({"for i in range(n):", "    y = i", "z = y"}, "'y' is not defined");
  rejects({"for i in range(1.5):", "    y = i"}, "a loop bound must be a scalar integer");
  rejects({"for i in range(0, n, 0):", "    y = i"}, "the step of a loop cannot be zero");
  rejects({"for i in (1, 2):", "    y = i"}, "a loop runs over range, tl.range or tl.static_range");
  rejects({"for i in range(n):", "    j = i",
           "for o in range(m):", "    for i in range(n.to(tl.int64)):", "        j = i"},
          "the loop-carried variable 'i' is of type int32 before the loop but becomes int64");
}

TEST(LoopTest, Bounds) {
  EXPECT_TRUE(accepts({"for i in range(n):", "    tl.store(p + i, 1.0)"}).has(": i32 {"));
  EXPECT_TRUE(
      accepts({"for i in tl.range(0, n.to(tl.int64), num_stages=3):", "    tl.store(p + i, 1.0)"})
          .has(": i64 {"));
  Specialized result = accepts({"for i in range(n - 1, -1, -1):", "    tl.store(p + i, 1.0)"});
  EXPECT_TRUE(result.has("scf.for")) << result.ir;
  // The counter rises from -1; the target is n - 1 - counter + -1.
  EXPECT_TRUE(result.has("%1 = arith.subi %0, %arg4 : i32")) << result.ir;
  EXPECT_TRUE(result.has("%2 = arith.addi %1, %c-1_i32 : i32")) << result.ir;
}

TEST(LoopTest, StaticRange) {
  Specialized result =
      accepts({"t = (n, m)", "s = 0", "for i in tl.static_range(2):", "    s += t[i]",
               "x = tl.arange(0, i + 1)", "tl.store(p, s)"});
  EXPECT_FALSE(result.has("scf.for"));
  result = accepts({"for i in tl.static_range(8, 0, -4):", "    tl.store(p + i, 1.0)"});
  EXPECT_EQ(result.count("tile.store"), 2u);
  rejects({"for i in tl.static_range(n):", "    x = i"},
          "must be a constexpr integer, found int32");
  rejects({"for i in tl.static_range(tl.cdiv(16, 4)):", "    x = i"},
          "must be a constexpr integer");
  accepts({"for i in tl.static_range(triton.cdiv(16, 4)):", "    x = i"});
  rejects({"for i in tl.static_range(100000000):", "    x = i"},
          "would unroll 100000000 iterations");
  rejects({"for i in tl.static_range(2):", "    X: tl.constexpr = i"}, "already defined");
}

TEST(LoopTest, While) {
  Specialized result = accepts({"i = n", "while i > 0:", "    tl.store(p + i, 1.0)", "    i -= m"});
  EXPECT_TRUE(result.has("scf.while (%arg4 = %arg2) : (i32) -> i32")) << result.ir;
  rejects({"while True:", "    x = 1"}, "must be a run-time int1 scalar, found constexpr bool");
  rejects({"while n:", "    x = 1"}, "must be a run-time int1 scalar, found int32");
  accepts({"i = n", "while tl.condition(i > 0):", "    i -= 1"});
}

TEST(LoopTest, NestedLoopsAndBranches) {
  accepts({"acc = tl.zeros([8], tl.float32)", "for i in range(n):", "    for j in range(m):",
           "        if j > i:", "            acc += tl.load(p + j + tl.arange(0, 8))",
           "        else:", "            acc = acc * 2", "    if i == 3:", "        acc += 1",
           "tl.store(q + tl.arange(0, 8), acc)"});
}

TEST(LoopTest, UnsupportedStatements) {
  rejects({"for i in range(n):", "    break"}, "'break' is not supported in a kernel");
  rejects({"while n > 0:", "    continue"}, "'continue' is not supported in a kernel");
  rejects({"for i in range(n):", "    x = 1", "else:", "    x = 2"}, "'else' after a loop");
  rejects({"try:", "    x = 1", "except ValueError:", "    x = 2"}, "is not supported in a kernel");
  rejects({"f = lambda x: x"}, "a lambda is not supported in a kernel");
  rejects({"def g(x):", "    return x"}, "a nested function is not supported in a kernel");
  rejects({"x = {1: 2}"}, "is not supported in a kernel");
}
