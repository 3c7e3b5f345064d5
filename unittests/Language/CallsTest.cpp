//===- CallsTest.cpp - Helpers, modules, globals ----------------*- C++ -*-===//
//
// Calls of jit functions and of compile-time functions, and what a kernel sees of its module.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;
using llvm::StringRef;

namespace {

/// `prefix` at module level, then a kernel k(p, n) of the given lines.
Specialized withPrefix(StringRef prefix, llvm::ArrayRef<StringRef> statements) {
  std::string text = prefix.str() + "\n@triton.jit\ndef k(p, n):\n";
  for (StringRef statement : statements)
    text += "    " + statement.str() + "\n";
  return specializeText(text, "*fp32,i32");
}

void accepts(StringRef prefix, llvm::ArrayRef<StringRef> statements) {
  Specialized result = withPrefix(prefix, statements);
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

void rejects(StringRef prefix, llvm::ArrayRef<StringRef> statements, StringRef message) {
  Specialized result = withPrefix(prefix, statements);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.says(message)) << "expected: " << message.str() << "\n" << result.diagnostics;
}

const StringRef addDef = "@triton.jit\ndef add(x, y=2, *, z=1):\n    return x\n";
const StringRef scaleDef = "@triton.jit\ndef scale(x, by=2, B: tl.constexpr = 4):\n"
                           "    return x * by + tl.arange(0, B)\n";

} // namespace

TEST(CallsTest, Helpers) {
  accepts(scaleDef, {"x = scale(n)", "tl.static_assert(x.shape == (4,))", "y = scale(n, B=8)",
                     "z = scale(by=n, x=3)", "t = (n, 5)", "w = scale(*t)"});
  rejects(scaleDef, {"x = scale()"}, "missing argument 'x' of 'scale'");
  rejects(scaleDef, {"x = scale(n, bby=2)"}, "'scale' has no parameter 'bby'; did you mean 'by'?");
  rejects(scaleDef, {"x = scale(n, 1, 2, 3)"},
          "too many arguments for 'scale': expected at most 3");
  rejects(scaleDef, {"x = scale(n, x=2)"}, "argument 'x' of 'scale' is given twice");
  rejects(scaleDef, {"x = scale(**n)"}, "'**' is not supported in a call");
  rejects(addDef, {"x = add(n)"}, "only plain parameters are supported");
}

TEST(CallsTest, ArgumentsKeepTheirConstexprness) {
  accepts("@triton.jit\ndef f(v):\n    return tl.zeros([v], tl.int32)\n", {"x = f(32)"});
  rejects("@triton.jit\ndef f(v):\n    return tl.zeros([v], tl.int32)\n", {"x = f(n)"},
          "must be a constexpr integer, found int32");
}

TEST(CallsTest, FunctionsAreValues) {
  accepts("@triton.jit\ndef f(v):\n    return v + 1\n@triton.jit\ndef g(fn, v):\n    return fn(v)\n"
          "alias = f\n",
          {"x = g(f, n)", "y = g(alias, n)"});
}

TEST(CallsTest, ErrorsNameTheChainOfCalls) {
  Specialized result = withPrefix("@triton.jit\ndef inner(a):\n    return a + nothing\n"
                                  "@triton.jit\ndef outer(a):\n    return inner(a) * 2\n",
                                  {"x = outer(n)"});
  EXPECT_TRUE(result.says("k.py:5:16: error: 'nothing' is not defined")) << result.diagnostics;
  EXPECT_TRUE(result.says("k.py:8:12: note: in call to 'inner' from here")) << result.diagnostics;
  EXPECT_TRUE(result.says("k.py:12:9: note: in call to 'outer' from here")) << result.diagnostics;
}

TEST(CallsTest, RecursionNeedsAnEnd) {
  rejects("@triton.jit\ndef f(v):\n    return g(v)\n@triton.jit\ndef g(v):\n    return f(v)\n",
          {"x = f(n)"}, "'f' calls itself without end");
  accepts("@triton.jit\ndef power(v, n: tl.constexpr):\n"
          "    if n == 0:\n        return 1\n    else:\n        return v * power(v, n - 1)\n",
          {"x = power(n, 5)", "tl.store(p, power(tl.load(p), 3))"});
}

TEST(CallsTest, PreludeErrorsPointAtTheCall) {
  Specialized result = withPrefix("", {"x = tl.cdiv(n, 2.5)"});
  EXPECT_TRUE(result.says("k.py:6:9: error: ")) << result.diagnostics;
  EXPECT_FALSE(result.says("<triton.language>")) << result.diagnostics;
  accepts("", {"a = tl.cdiv(n, 4)", "b = n.cdiv(4)", "c = tl.sigmoid(tl.load(p))",
               "d = tl.softmax(tl.load(p + tl.arange(0, 8)))", "i, j = tl.swizzle2d(n, n, 4, 4, 2)",
               "tl.static_assert(a.dtype == tl.int32)", "tl.static_assert(d.shape == (8,))"});
}

TEST(CallsTest, Globals) {
  accepts("B = tl.constexpr(8)\nC = tl.constexpr(B * 2)\nDT = tl.float16\nNONE = None\n",
          {"x = tl.zeros([B, C], DT)", "tl.static_assert(NONE is None)"});
  rejects("B = 8\n", {"x = tl.arange(0, B)"},
          "cannot read the global 'B' in a kernel: it is not a tl.constexpr");
  rejects("B: tl.constexpr = 8\n", {"x = tl.arange(0, B)"}, "it is not a tl.constexpr");
  rejects("import torch\nN = torch.cuda.device_count()\n", {"x = n + N"},
          "cannot use a global of the host program in a kernel");
  rejects("def host(a):\n    return a\n", {"x = host(n)"}, "cannot call the host function 'host'");
  rejects("import config\n", {"x = config.BLOCK"}, "imported files are not read here");
  accepts("import math\n", {"x = tl.load(p) * math.pi", "y: tl.constexpr = math.log(2.0)"});
}

TEST(CallsTest, Imports) {
  accepts("from triton.language import program_id as pid, float32\nimport triton.language as L\n"
          "from triton.language.math import exp\nimport triton as T\n",
          {"x = exp(L.zeros([8], float32))", "y = pid(0)", "z: tl.constexpr = T.cdiv(7, 2)"});
  accepts("try:\n    from triton.language.math import exp2\nexcept ImportError:\n"
          "    from elsewhere import exp2\n",
          {"x = exp2(tl.load(p))"});
}

TEST(CallsTest, CompileTimeFunctions) {
  StringRef log = "@triton.constexpr_function\ndef log2(n):\n    r = 0\n    while n > 1:\n"
                  "        n = n // 2\n        r += 1\n    return r\n";
  accepts(log, {"x = tl.arange(0, 2 ** log2(16))", "tl.static_assert(log2(1024) == 10)"});
  accepts("@triton.constexpr_function\ndef total(t):\n    s = 0\n    for v in t:\n        s += v\n"
          "    for i in range(3):\n        s = s + i\n    return s\n",
          {"tl.static_assert(total((1, 2, 3)) == 9)"});
  rejects("@triton.constexpr_function\ndef f(n):\n    while True:\n        n = 1\n    return n\n",
          {"x = f(3)"}, "runs for more than 100000 statements");
  rejects(log, {"x = tl.arange(0, log2(n))"}, "");
}

TEST(CallsTest, Decorators) {
  Specialized result = specializeText(R"(
@triton.autotune(configs=[triton.Config({'B': 8}, num_warps=4)], key=['n'])
@triton.heuristics({'E': lambda args: args['n'] % 8 == 0})
@triton.jit(do_not_specialize=['n'])
def k(p, n, B: tl.constexpr, E: tl.constexpr):
    tl.store(p + tl.arange(0, B), n)
)",
                                      "*fp32,i32,8,True");
  EXPECT_TRUE(result.ok) << result.diagnostics;
  rejects("@triton.autotune(configs=[], key=[])\n@triton.jit\ndef f(a):\n    return a\n",
          {"x = f(n)"}, "autotune or heuristics make it a launcher");
}

TEST(CallsTest, ReduceWithAFunction) {
  accepts("@triton.jit\ndef comb(a, b):\n    return a * b\n",
          {"x = tl.reduce(tl.load(p + tl.arange(0, 8)), 0, comb)", "tl.store(p, x)"});
  accepts("@triton.jit\ndef comb(a, i, b, j):\n    c = a > b\n"
          "    return tl.where(c, a, b), tl.where(c, i, j)\n",
          {"o = tl.arange(0, 8)", "x, i = tl.reduce((tl.load(p + o), o), 0, comb)"});
  rejects("@triton.jit\ndef comb(a, b):\n    return (a > b)\n",
          {"x = tl.reduce(tl.load(p + tl.arange(0, 8)), 0, comb)"},
          "the combine function must return tuple (float32,), found tuple (int1,)");
}

TEST(CallsTest, Libdevice) {
  Specialized result =
      withPrefix("from triton.language.extra.cuda.libdevice import tanh\n"
                 "from triton.language.extra import libdevice as dev\n",
                 {"x = tl.load(p + tl.arange(0, 8))", "y = tanh(x) + dev.pow(x, 5)",
                  "z = dev.isnan(y)", "tl.static_assert(z.dtype == tl.int1)",
                  "tl.store(p, tl.extra.cuda.libdevice.fast_expf(tl.load(p)))"});
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("math.fma")); // Of pow.
  EXPECT_TRUE(result.has("math.exp %"));
  Specialized square = withPrefix("from triton.language.extra import libdevice as dev\n",
                                  {"tl.store(p, dev.pow(tl.load(p), 2.0))"});
  ASSERT_TRUE(square.ok) << square.diagnostics;
  EXPECT_FALSE(square.has("math.fma"));
  StringRef import = "from triton.language.extra import libdevice\n";
  rejects(import, {"x = libdevice.tanh(n)"},
          "libdevice.tanh takes (float32) or (float64), found (int32)");
  rejects(import, {"x = libdevice.atan2(tl.load(p), n)"},
          "libdevice.atan2 takes (float32, float32) or (float64, float64)");
  rejects(import, {"x = libdevice.tanhh(tl.load(p))"}, "did you mean 'tanh'?");
}

TEST(CallsTest, RandomNumbers) {
  Specialized result = withPrefix(
      "",
      {"o = tl.arange(0, 8)", "r = tl.rand(n, o)", "tl.store(p + o, r)",
       "tl.static_assert(r.dtype == tl.float32)", "w = tl.randint4x(3, o, n_rounds=2)",
       "tl.static_assert(w[3].dtype == tl.uint32)", "a, b, c, d = tl.randn4x(n, o.to(tl.int64))",
       "tl.static_assert(tl.randn(7, n).shape == ())", "o64 = o.to(tl.int64)",
       "w64 = tl.philox(n, o64, o64, o64, o64)", "tl.static_assert(w64[0].dtype == tl.uint64)"});
  ASSERT_TRUE(result.ok) << result.diagnostics;
  // Two products a round.
  EXPECT_EQ(withPrefix("", {"tl.store(p, tl.rand(n, n))"}).count("mului_extended"), 20u);
  EXPECT_EQ(withPrefix("", {"tl.store(p, tl.rand(n, n, 3))"}).count("mului_extended"), 6u);
  rejects("", {"x = tl.rand(3, 4)"}, "the offset must be a tensor, found a constant");
}
