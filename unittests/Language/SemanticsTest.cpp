//===- SemanticsTest.cpp - Subtle points of the language --------*- C++ -*-===//
//
// One small kernel for each rule that is easy to get wrong: names and scopes, constexpr values,
// memory access, calls. Control flow has its own file.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;
using llvm::StringRef;

namespace {

void accepts(llvm::ArrayRef<StringRef> statements, StringRef element = "fp32") {
  Specialized result = specializeBody(statements, element);
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

void rejects(llvm::ArrayRef<StringRef> statements, StringRef message, StringRef element = "fp32") {
  Specialized result = specializeBody(statements, element);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.says(message)) << "expected: " << message.str() << "\n" << result.diagnostics;
}

} // namespace

TEST(SemanticsTest, ConstexprArithmeticIsPython) {
  accepts({"C: tl.constexpr = -7 // 2",
           "tl.static_assert(C == -4)",
           "D: tl.constexpr = -7 % 3",
           "tl.static_assert(D == 2)",
           "E: tl.constexpr = 7 / 2",
           "tl.static_assert(E == 3.5)",
           "F: tl.constexpr = 2 ** 100 % 1000",
           "tl.static_assert(F == 376)",
           "G: tl.constexpr = (1 << 70) >> 68",
           "tl.static_assert(G == 4)",
           "tl.static_assert((0 if None else 3) == 3)",
           "tl.static_assert(not 0)",
           "tl.static_assert(max(3, 4, 2) == 4)",
           "tl.static_assert(len((1, 2)) == 2)",
           "tl.static_assert(isinstance(n, tl.tensor))",
           "tl.static_assert(isinstance(C, tl.constexpr) == False)",
           "tl.static_assert(isinstance(C, int))",
           "tl.static_assert(triton.cdiv(10, 4) == 3)",
           "tl.static_assert(triton.next_power_of_2(5) == 8)",
           "tl.static_assert((1, 2) + (3,) == (1, 2, 3))"});
  rejects({"H: tl.constexpr = 64 / 2", "x = tl.arange(0, H)"}, "must be a constexpr integer");
  rejects({"H: tl.constexpr = 1 // 0"}, "integer division by zero");
  rejects({"H: tl.constexpr = 2 ** 100000"}, "needs more than 16384 bits");
}

TEST(SemanticsTest, AssignmentMaterialises) {
  accepts({"x = tl.zeros([16, 32], tl.float32)", "y = tl.arange(0, x.shape[0])"});
  rejects({"x = tl.zeros([16], tl.float32)", "m2 = x.shape[0]", "y = tl.arange(0, m2)"},
          "must be a constexpr integer, found int32");
  rejects({"s = 'text'"}, "cannot assign a string to a variable");
  rejects({"a = b = 1"}, "several targets");
  rejects({"a, (b, c) = (1, (2, 3))"}, "only names can be unpacked into");
  rejects({"a, b, c = (1, 2)"}, "expected a tuple of at least 3 elements, found 2");
  rejects({"n.x = 3"}, "attributes cannot be assigned");
  rejects({"n[0] = 3"}, "elements cannot be assigned");
  accepts({"a, b = (1, 2, 3)", "tl.store(p, a + b)"});
  rejects({"N: tl.constexpr = 1", "N: tl.constexpr = 2"}, "a constexpr cannot be reassigned");
  accepts({"N: tl.constexpr = n", "x = N + 1", "tl.store(p, x)"});
  rejects({"N: tl.constexpr = n", "x = tl.arange(0, N)"},
          "must be a constexpr integer, found int32");
}

TEST(SemanticsTest, PointersAndMemory) {
  accepts({"o = tl.arange(0, 8)", "x = tl.load(p + o, mask=o < n, other=0)",
           "tl.store(q + o, x, o < n)"});
  accepts({"p1 = p + tl.arange(0, 8)[:, None]", "mk = tl.arange(0, 4)[None, :] < 2",
           "x = tl.load(p1, mk)", "tl.static_assert(x.shape == (8, 4))"});
  rejects({"p1 = p + tl.arange(0, 8)[:, None]", "mk = tl.arange(0, 4)[None, :] < 2",
           "tl.store(p1, 1, mk)"},
          "only a load broadcasts the pointer");
  rejects({"x = tl.load(p, other=0.0)"}, "'other' needs a mask");
  rejects({"o = tl.arange(0, 8)", "x = tl.load(p + o, mask=1)"}, "must be a tensor of int1");
  accepts({"x = tl.load(p, mask=True)"});
  rejects({"x = tl.load(n)"}, "must be a pointer or a block of pointers, found int32");
  rejects({"x = tl.load(p + tl.arange(0, 8), mask=tl.arange(0, 16) < n)"},
          "cannot broadcast the shapes [8] and [16]");
  rejects({"x = tl.load(p, cache_modifier='.xx')"}, "unknown cache modifier '.xx'");
  rejects({"x = tl.load(p, eviction_policy='no')"}, "unknown eviction policy 'no'");
  rejects({"tl.store(p, tl.arange(0, 8))"}, "a scalar pointer takes a scalar value");
  rejects({"x = tl.load(p, boundary_check=(0,))"}, "for block pointers only");
}

TEST(SemanticsTest, UnsignedOffsetsZeroExtend) {
  Specialized result =
      specializeBody({"o = tl.full([1], 4294967295, tl.uint32)", "tl.store(p + o, 0.0)"});
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("dense<4294967295> : tensor<1xi64>") || result.has("arith.extui"))
      << result.ir;
}

TEST(SemanticsTest, BooleanBuffersHoldBytes) {
  Specialized result = specializeBody({"v = tl.load(p)", "tl.static_assert(v.dtype == tl.int1)",
                                       "tl.store(q, 2)", "tl.store(q, v)", "tl.store(q, 0.5)"},
                                      "i1");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("%arg0: !tile.ptr<i8>"));
  EXPECT_TRUE(result.has("arith.cmpi ne"));
  EXPECT_TRUE(result.has("arith.constant 2 : i8"));
  EXPECT_TRUE(result.has("arith.extui"));
  EXPECT_TRUE(result.has("tile.store %arg1, %c0_i8")) << result.ir;
}

TEST(SemanticsTest, ConstPointersAreNotWritten) {
  Specialized result =
      specializeText("@triton.jit\ndef k(p: tl.const, q):\n    tl.store(p, 1.0)\n", "*fp32,*fp32");
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.says("k.py:5:14: error: cannot store through a pointer to const"))
      << result.diagnostics;
  result = specializeText("@triton.jit\ndef k(p, q):\n    tl.store(p, 1.0)\n", "*kfp32,*fp32");
  EXPECT_TRUE(result.says("pointer to const"));
}

TEST(SemanticsTest, NegativeZeroIsLost) {
  Specialized result =
      specializeBody({"tl.store(p + tl.arange(0, 8), tl.full([8], -0.0, tl.float32))"});
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("dense<0.000000e+00> : tensor<8xf32>"));
  EXPECT_FALSE(result.has("-0.0"));
}

TEST(SemanticsTest, Creation) {
  accepts({"a = tl.arange(3, 7)", "b = tl.full((), 1, tl.int32)", "tl.static_assert(b.shape == ())",
           "c = tl.full([2, 4], n, tl.int64)", "d = tl.zeros_like(c)",
           "tl.static_assert(d.dtype == tl.int64)", "tl.static_assert(c.numel == 8)"});
  rejects({"a = tl.arange(0, 48)"}, "the length of tl.arange must be a power of two, found 48");
  rejects({"a = tl.arange(8, 8)"}, "must be greater than the start");
  rejects({"a = tl.arange(0, n)"}, "must be a constexpr integer, found int32");
  rejects({"a = tl.zeros([3], tl.float32)"},
          "dimension 0 of the shape must be a power of two, found 3");
  rejects({"a = tl.zeros([1024, 2048], tl.float32)"}, "at most 1048576 elements");
  rejects({"a = tl.full([8], 1.5, tl.int32)"}, "the float 1.5 cannot become int32");
  rejects({"a = tl.full([8], -1, tl.uint8)"}, "the negative number -1 cannot become uint8");
  rejects({"a = tl.full([8], tl.zeros([1], tl.int32), tl.int32)"}, "the value must be a scalar");
  rejects({"a = tl.program_id(3)"}, "the axis of a grid is 0, 1 or 2, found 3");
}

TEST(SemanticsTest, Shapes) {
  accepts({"x = tl.arange(0, 8)", "tl.static_assert(x[:, None].shape == (8, 1))",
           "tl.static_assert(x[None].shape == (1, 8))", "tl.static_assert(n[None].shape == (1,))",
           "y = x[:, None] + tl.arange(0, 4)[None, :]", "tl.static_assert(y.shape == (8, 4))",
           "tl.static_assert(tl.reshape(y, (4, 8)).shape == (4, 8))",
           "tl.static_assert(y.reshape(32).shape == (32,))",
           "tl.static_assert(tl.ravel(y).shape == (32,))",
           "tl.static_assert(tl.expand_dims(x, (0, -1)).shape == (1, 8, 1))",
           "tl.static_assert(tl.broadcast_to(x[:, None], 8, 16).shape == (8, 16))",
           "tl.static_assert(y.sum(1).shape == (8,))", "tl.static_assert(tl.sum(y).shape == ())",
           "tl.static_assert(y.max(0, keep_dims=True).shape == (1, 4))",
           "a, b = tl.broadcast(x[:, None], tl.zeros([1, 2], tl.int32))",
           "tl.static_assert(b.shape == (8, 2))"});
  rejects({"x = tl.arange(0, 8) + tl.arange(0, 4)"}, "dimension 0 is 8 and 4");
  rejects({"x = tl.arange(0, 8)[0]"}, "a block can be indexed by ':' and None only");
  rejects({"x = tl.arange(0, 8)[0:2]"}, "a slice with bounds is not supported");
  rejects({"x = tl.arange(0, 8).reshape(4)"}, "cannot reshape int32[8] to [4]");
  rejects({"x = tl.sum(n)"}, "tl.sum takes a block, found int32");
  rejects({"x = tl.sum(tl.arange(0, 8), axis=1)"}, "axis 1 is out of range for a block of rank 1");
  rejects({"x = tl.broadcast_to(tl.arange(0, 8), 4, 8)"}, "cannot broadcast int32[8] to [4, 8]");
  rejects({"x = tl.argmax(tl.arange(0, 8), None)"}, "needs an axis");
}

TEST(SemanticsTest, BooleanOperators) {
  accepts({"v = True and n", "tl.static_assert(v.dtype == tl.int32)"});
  accepts({"tl.static_assert((n > 0 and False) == False)", "w = n > 0 or m > 0"});
  accepts({"tl.static_assert(p is not None)"});
}

TEST(SemanticsTest, TuplesAndComprehensions) {
  accepts({"t = (n, m, 4)", "a = t[0] + t[-1]", "u = [x + 1 for x in t]", "b = u[2]", "c = t[1:]",
           "tl.static_assert(len(c) == 2)", "tl.store(p, a + b + c[1])"});
  rejects({"t = (1, 2)", "for i in range(2):", "    x = t[i]"}, "use tl.static_range");
  rejects({"t = (1, 2)", "x = t[2]"}, "index 2 is out of range for a tuple of 2");
  rejects({"u = [x for x in (1, 2) if x > 1]"}, "a condition in a comprehension");
}

TEST(SemanticsTest, UnknownNames) {
  rejects({"x = tl.progam_id(0)"},
          "module 'triton.language' has no member 'progam_id'; did you mean "
          "'program_id'?");
  rejects({"count = n + 1", "x = cuont"}, "'cuont' is not defined; did you mean 'count'?");
  rejects({"x = tl.load(p, maks=True)"}, "tl.load has no parameter 'maks'; did you mean 'mask'?");
  rejects({"x = abs(n)"}, "'abs' is not defined");
  rejects({"x = n.sumn(0)"}, "int32 has no attribute 'sumn'; did you mean 'sum'?");
  rejects({"x = tl.tensor_descriptor_type(n)"},
          "tl.tensor_descriptor_type is not callable in a kernel");
  rejects({"x = tl.core.extern_elementwise('', '', (n,), (), True)"},
          "tl.core.extern_elementwise is not supported yet");
  rejects({"x = tl.arange(0)"}, "missing argument 'end' of tl.arange");
  rejects({"x = tl.arange(0, 4, 8)"},
          "too many arguments for tl.arange: expected at most 2, found 3");
  rejects({"x = tl.arange(0, 4, end=8)"}, "argument 'end' of tl.arange is given twice");
}

TEST(SemanticsTest, SeveralErrorsInOneRun) {
  Specialized result =
      specializeBody({"x = undefined_a", "y = x + 1", "z = undefined_b + y", "tl.store(p, z)"});
  EXPECT_TRUE(result.says("'undefined_a' is not defined"));
  EXPECT_TRUE(result.says("'undefined_b' is not defined"));
  EXPECT_EQ(StringRef(result.diagnostics).count("error:"), 2u) << result.diagnostics;
}

TEST(SemanticsTest, DebugAssertions) {
  KernelRequest debug;
  debug.debug = true;
  debug.sanitizeOverflow = false;
  Specialized result =
      specializeBody({"assert n > 0, 'positive'", "tl.device_assert(m == 1, 'one')",
                      "tl.device_assert(tl.arange(0, 8) < n, mask=m > 0)"},
                     "fp32", debug);
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_EQ(result.count("tile.assert"), 3u);
  EXPECT_TRUE(result.has("\"positive\""));
  EXPECT_EQ(specializeBody({"assert n > 0"}).count("tile.assert"), 0u);
  EXPECT_TRUE(
      specializeText("@triton.jit(debug=True)\ndef k(p, n):\n    assert n > 0\n", "*fp32,i32")
          .has("tile.assert"));
  debug.sanitizeOverflow = true;
  result = specializeBody({"tl.store(p, n * m)"}, "i32", debug);
  EXPECT_TRUE(result.has("int32 overflow in '*'")) << result.ir;
}

TEST(SemanticsTest, LaunchShape) {
  KernelRequest request;
  request.numWarps = 3;
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request)
                  .says("the number of warps must be a power of two from 1 to 32, found 3"));
  request.numWarps = 8;
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request).has("tile.num_warps = 8 : i32"));
  request.numCTAs = 2;
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request).has("tile.num_ctas = 2 : i32"));
  request.numCTAs = 32;
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request)
                  .says("the number of CTAs must be a power of two from 1 to 16, found 32"));
  request.numCTAs = 2;
  request.arch = llvm::cantFail(GpuArch::parse("sm_89"));
  EXPECT_TRUE(specializeBody({"pass"}, "fp32", request)
                  .says("clusters of more than one CTA need compute capability 9.0 or higher, the "
                        "target has 8.9"));
}

TEST(SemanticsTest, StagesOfALoop) {
  auto loop = [](StringRef stages) {
    return specializeBody({("for i in tl.range(0, n, num_stages=" + stages + "):").str(),
                           "    tl.store(p + i, 1.0)"});
  };
  EXPECT_TRUE(loop("3").has("tile.num_stages = 3 : i32"));
  for (StringRef none : {"None", "0", "1"})
    EXPECT_EQ(loop(none).count("tile.num_stages"), 0u) << none.str();
  EXPECT_TRUE(loop("-1").says("num_stages must be a constexpr integer from 0 to 64"));
  EXPECT_TRUE(loop("65").says("num_stages must be a constexpr integer from 0 to 64"));
  EXPECT_TRUE(loop("n").says("num_stages must be a constexpr integer from 0 to 64"));
}

TEST(SemanticsTest, HostValuesAreNeverUsedSilently) {
  auto fails = [](StringRef use) {
    Specialized result = specializeText(
        ("import torch\nFLAG = torch.cuda.device_count()\n@triton.jit\ndef k(p, n):\n    " + use +
         "\n")
            .str(),
        "*fp32,i32");
    EXPECT_FALSE(result.ok) << use.str();
    EXPECT_TRUE(result.says("a global of the host program")) << result.diagnostics;
  };
  fails("x = n > 0 and FLAG");
  fails("x = FLAG == 1");
  fails("x = FLAG is None");
  fails("x = 1 if FLAG else 2");
  fails("x = not FLAG");
  fails("x = FLAG");
  fails("tl.store(p, FLAG)");
  fails("tl.static_print(f'{FLAG}')");
}
