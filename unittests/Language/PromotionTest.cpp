//===- PromotionTest.cpp - Types of operators, literals, casts --*- C++ -*-===//
//
// The promotion table as a table, and the rules for literals, each checked by a static assertion in
// a kernel, so that the whole path from the operator to its type is under test.
//
//===----------------------------------------------------------------------===//

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;
using llvm::StringRef;

namespace {

/// A kernel with one value of each type: `s_i32` is a scalar, `b_i32` a block of 8, and so on.
const StringRef operandTypes[] = {"i1",  "i8",  "i16",  "i32",  "i64",  "u8",  "u16",
                                  "u32", "u64", "fp16", "bf16", "fp32", "fp64"};

std::string languageName(StringRef type) { return tilec::parseTypeName(type)->str(); }

Specialized withOperands(llvm::ArrayRef<std::string> statements) {
  std::string params, signature, body;
  for (StringRef type : operandTypes) {
    params += (params.empty() ? "p_" : ", p_") + type.str() + ", s_" + type.str();
    signature += (signature.empty() ? "*" : ",*") + type.str() + "," + type.str();
    body += "    b_" + type.str() + " = tl.load(p_" + type.str() + " + tl.arange(0, 8))\n";
  }
  for (const std::string &statement : statements)
    body += "    " + statement + "\n";
  return specializeText("@triton.jit\ndef k(" + params + "):\n" + body, signature);
}

std::string typeIs(StringRef expression, StringRef type) {
  return ("tl.static_assert((" + expression + ").dtype == tl." + languageName(type) + ", '" +
          expression + "')")
      .str();
}

} // namespace

TEST(PromotionTest, TableOfTensorOperands) {
  // Rows and columns in the order of `names`; upper triangle, the table is symmetric.
  const StringRef names[] = {"i1",  "i8",   "i32",  "i64",  "u8",  "u32",
                             "u64", "fp16", "bf16", "fp32", "fp64"};
  const StringRef table[] = {"i1 i8 i32 i64 u8 u32 u64 fp16 fp32 fp32 fp64",
                             "i8 i32 i64 u8 u32 u64 fp16 fp32 fp32 fp64",
                             "i32 i64 i32 u32 u64 fp16 fp32 fp32 fp64",
                             "i64 i64 i64 u64 fp16 fp32 fp32 fp64",
                             "u8 u32 u64 fp16 fp32 fp32 fp64",
                             "u32 u64 fp16 fp32 fp32 fp64",
                             "u64 fp16 fp32 fp32 fp64",
                             "fp16 fp16 fp32 fp64",
                             "bf16 fp32 fp64",
                             "fp32 fp64",
                             "fp64"};
  std::vector<std::string> checks;
  for (unsigned row = 0; row < std::size(names); ++row) {
    llvm::SmallVector<StringRef> cells;
    table[row].split(cells, ' ');
    for (unsigned i = 0; i < cells.size(); ++i) {
      std::string a = names[row].str(), b = names[row + i].str();
      checks.push_back(typeIs("b_" + a + " + b_" + b, cells[i]));
      checks.push_back(typeIs("b_" + b + " * s_" + a, cells[i]));
    }
  }
  Specialized result = withOperands(checks);
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, Literals) {
  Specialized result = withOperands({
      typeIs("b_fp16 * 0.5", "fp16"),
      typeIs("b_bf16 + 1", "bf16"),
      typeIs("b_i8 + 1", "i8"),
      typeIs("b_i32 * 2.0", "fp32"),
      typeIs("b_i1 & 1", "i32"),
      typeIs("b_i1 & True", "i1"),
      typeIs("b_fp16 / 2", "fp32"),
      typeIs("1 / b_bf16", "fp32"),
      typeIs("b_u8 // 2", "u8"),
      typeIs("b_i32 * 1e-40", "fp64"),
      typeIs("b_fp32 + 1e-40", "fp32"),
      typeIs("b_i32 + 3000000000.5", "fp32"),
      typeIs("b_u8 + 255", "u8"),
      typeIs("b_fp16 + 1e300", "fp16"),
      typeIs("b_i1 + 3000000000", "u32"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, AssignedLiteralsLoseLiteralMode) {
  Specialized result = withOperands({
      "s = 0.5",
      typeIs("b_fp16 * s", "fp32"),
      "e = 1e-40",
      typeIs("b_fp32 + e", "fp64"),
      "big = 3000000000",
      typeIs("big", "u32"),
      typeIs("b_i32 + big", "u32"),
      "huge = 9223372036854775808",
      typeIs("huge", "u64"),
      "low = -2147483649",
      typeIs("low", "i64"),
      "flag = True",
      typeIs("flag", "i1"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, Division) {
  Specialized result = withOperands({
      typeIs("b_fp16 / b_fp16", "fp32"),
      typeIs("b_bf16 / b_bf16", "fp32"),
      typeIs("b_fp16 % 2", "fp32"),
      typeIs("b_i64 / b_i64", "fp32"),
      typeIs("b_i32 // 2", "i32"),
      typeIs("b_i64 / b_fp64", "fp64"),
      typeIs("b_u32 % b_u8", "u32"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, MinMaxWhereAndFriends) {
  Specialized result = withOperands({
      typeIs("tl.maximum(b_fp16, 0.0)", "fp32"),
      typeIs("tl.where(b_i1, b_fp16, 0.0)", "fp16"),
      typeIs("tl.maximum(b_bf16, b_bf16)", "fp32"),
      typeIs("tl.maximum(b_i32, 0)", "i32"),
      typeIs("tl.fma(b_fp16, 2.0, b_fp16)", "fp32"),
      typeIs("tl.clamp(b_bf16, 0.0, 1.0)", "fp32"),
      typeIs("tl.where(b_i1, b_i32, b_bf16)", "fp32"),
      typeIs("tl.where(b_i1, 1, 0)", "i32"),
      typeIs("tl.umulhi(b_i32, b_u32)", "u32"),
      typeIs("max(b_fp16, 0.0)", "fp32"),
      typeIs("tl.add(1, 2)", "i32"),
      typeIs("tl.add(b_i8, 1)", "i8"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, Reductions) {
  Specialized result = withOperands({
      typeIs("tl.sum(b_i8, 0)", "i32"),
      typeIs("tl.sum(b_i1, 0)", "u32"),
      typeIs("tl.sum(b_u16, 0)", "u32"),
      typeIs("tl.sum(b_bf16, 0)", "bf16"),
      typeIs("tl.sum(b_i64, 0)", "i64"),
      typeIs("tl.sum(b_i8, 0, dtype=tl.float32)", "fp32"),
      typeIs("tl.max(b_u8, 0)", "i32"),
      typeIs("tl.max(b_fp16, 0)", "fp32"),
      typeIs("tl.max(b_u32, 0)", "u32"),
      typeIs("tl.max(b_i1, 0)", "i32"),
      "v, i = tl.max(b_u8, 0, return_indices=True)",
      typeIs("v", "u8"),
      typeIs("i", "i32"),
      "v2, i2 = tl.min(b_bf16, 0, return_indices=True)",
      typeIs("v2", "fp32"),
      typeIs("tl.argmax(b_fp32, 0)", "i32"),
      typeIs("tl.xor_sum(b_i16, 0)", "i16"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST(PromotionTest, ComparisonsGiveBooleans) {
  Specialized result = withOperands({
      typeIs("b_i8 < 200", "i1"),
      typeIs("b_u32 == -1", "i1"),
      typeIs("b_fp16 != s_bf16", "i1"),
      typeIs("not s_i1", "i1"),
      typeIs("b_i1 + b_i1", "i1"),
      typeIs("-b_u8", "u8"),
      typeIs("~b_i1", "i1"),
      typeIs("~b_u16", "u16"),
  });
  EXPECT_TRUE(result.ok) << result.diagnostics;
  EXPECT_TRUE(result.has("arith.cmpi slt")); // i8 < 200 in int32
  EXPECT_TRUE(result.has("arith.cmpf une"));
}

TEST(PromotionTest, Errors) {
  auto fails = [](const std::string &expression, StringRef message) {
    Specialized result = withOperands({"x = " + expression});
    EXPECT_FALSE(result.ok) << expression;
    EXPECT_TRUE(result.says(message)) << expression << "\n" << result.diagnostics;
  };
  fails("b_u32 // b_i32", "cannot divide uint32 by int32 because they differ in signedness");
  fails("b_u32 % b_i32", "differ in signedness");
  fails("b_u32 + (-1)", "the negative literal -1 cannot become uint32");
  fails("b_i8 + 200", "the literal 200 is out of range for int8");
  fails("b_fp32 // 2", "'//' divides integers only");
  fails("b_fp32 & 1", "cannot apply '&' to float32[8] and constexpr int");
  fails("b_i32 ** 2", "the operator '**' does not exist for tensors");
  fails("+b_i32", "cannot apply unary '+' to int32[8]");
  fails("~b_fp32", "cannot apply unary '~' to float32[8]");
  fails("not s_i32", "'not' needs an int1, found int32");
  fails("s_i32 and s_i1", "'and' needs int1 operands, found int32");
  fails("0 <= s_i32 < 4", "a chained comparison is not supported");
  fails("p_i32 == 0", "pointers cannot be compared");
  fails("s_i32 == None", "cannot compare int32 with None");
  fails("p_i32 + 1.5", "a pointer moves by integers");
  fails("p_i32 + p_i8", "cannot apply '+' to pointer<int32> and pointer<int8>");
  fails("1 - p_i32", "cannot apply '-'");
  fails("p_i32 * 2", "cannot apply '*'");
  fails("b_i32 + 18446744073709551616", "out of range for int32");
  fails("18446744073709551616", "does not fit 64 bits");
  fails("tl.exp(b_fp16)", "tl.exp takes float32 or float64, found float16[8]");
  fails("b_fp16.exp()", "tl.exp takes float32 or float64");
  fails("tl.div_rn(s_fp64, s_fp64)", "tl.div_rn takes float32");
  fails("tl.fdiv(s_fp64, s_fp32)", "two floats of one type");
  fails("b_i32.to(tl.float8e5)", "cannot cast int32[8] to float8e5; go through float32");
  fails("b_fp32.to(tl.float8e4b8)", "the type float8e4b8 is not supported on sm_90; NVIDIA's GPUs");
  fails("b_fp32.to(tl.float8e5) + b_fp32.to(tl.float8e5)", "nothing computes with float8e5");
  fails("b_fp16.to(tl.float8e5, fp_downcast_rounding='rtz')", "from float32 only");
  fails("b_fp32.to(tl.int32, bitcast=True).to(tl.int8, bitcast=True)",
        "cannot bitcast int32 (32 bits)");
  fails("b_fp32.to(tl.float16, fp_downcast_rounding='up')", "unknown rounding 'up'");
  fails("b_fp16.to(tl.float32, fp_downcast_rounding='rtz')", "narrower float");
  fails("p_i32.to(tl.int32)", "a pointer casts to int64, uint64 and int1 only");
}

TEST(PromotionTest, SignednessInTheIR) {
  auto emits = [](const std::string &expression, StringRef op) {
    Specialized result = withOperands({"x = " + expression, "tl.store(p_fp64, x.to(tl.float64))"});
    EXPECT_TRUE(result.ok) << expression << result.diagnostics;
    EXPECT_TRUE(result.has(op)) << expression << "\n" << result.ir;
  };
  emits("s_i32 >> 1", "arith.shrsi");
  emits("s_u32 >> 1", "arith.shrui");
  emits("1 >> s_i32", "arith.shrsi");
  emits("s_u32 // 3", "arith.divui");
  emits("s_i32 % 3", "arith.remsi");
  emits("s_fp32 % 3", "arith.remf");
  emits("s_u32 < s_u32 + 1", "arith.cmpi ult");
  emits("s_i32.to(tl.float32)", "arith.sitofp");
  emits("s_u8.to(tl.int64)", "arith.extui");
  emits("s_fp32.to(tl.uint32)", "arith.fptoui");
  emits("s_fp16.to(tl.int32)", "arith.extf");
  emits("s_fp32.to(tl.float16, fp_downcast_rounding='rtz')", "arith.subi");
  emits("s_fp32.to(tl.int32, bitcast=True)", "arith.bitcast");
  emits("tl.maximum(s_u32, s_u32 + 1)", "arith.maxui");
  emits("tl.maximum(s_fp32, 0.0, propagate_nan=tl.PropagateNan.ALL)", "arith.maximumf");
  emits("tl.minimum(s_fp32, 0.0)", "arith.minnumf");
  emits("s_fp32 / s_fp32", "fastmath<arcp>");
  emits("tl.exp(s_fp64)", "math.exp %");
  emits("tl.div_rn(s_fp32, 3.0)", "arith.divf %");
}
