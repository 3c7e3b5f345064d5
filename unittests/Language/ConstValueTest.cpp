//===- ConstValueTest.cpp - Constants given from outside --------*- C++ -*-===//
//
// Reading and printing of constexpr values, and of type names.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/ConstValue.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tilec;
using llvm::StringRef;

namespace {

/// The value printed again, or the diagnostics.
std::string reread(StringRef text) {
  llvm::SourceMgr sources;
  std::string messages;
  llvm::raw_string_ostream os(messages);
  DiagnosticEngine diagnostics(sources, os);
  std::optional<ConstValue> value = parseConstValue(text, "<-D>", sources, diagnostics);
  return value ? value->str() : messages;
}

} // namespace

TEST(ConstValueTest, ReadsLiterals) {
  EXPECT_EQ(reread("12"), "12");
  EXPECT_EQ(reread("-1"), "-1");
  EXPECT_EQ(reread("0x10 + 1"), "17");
  EXPECT_EQ(reread("1 << 70"), "1180591620717411303424");
  EXPECT_EQ(reread("0.5"), "0.5");
  EXPECT_EQ(reread("1e-5"), "1e-05");
  EXPECT_EQ(reread("True"), "True");
  EXPECT_EQ(reread("not 3"), "False");
  EXPECT_EQ(reread("None"), "None");
  EXPECT_EQ(reread("\"it's\""), "\"it's\"");
  EXPECT_EQ(reread("tl.float16"), "tl.float16");
  EXPECT_EQ(reread("triton.language.int8"), "tl.int8");
  EXPECT_EQ(reread("(1, (2.0,), 's')"), "(1, (2.0,), 's')");
  EXPECT_EQ(reread("[1, 2]"), "(1, 2)");
  EXPECT_EQ(reread("()"), "()");
  EXPECT_EQ(reread("float('-inf')"), "float('-inf')");
  EXPECT_EQ(reread("-float('nan')"), "float('nan')");
  EXPECT_EQ(reread("int(3.9)"), "3");
  EXPECT_EQ(reread("-inf"), "float('-inf')");
  EXPECT_EQ(reread("nan"), "float('nan')");
  EXPECT_EQ(reread("some_function"), "some_function");
  EXPECT_EQ(reread("(some_function,)"), "(some_function,)");
  EXPECT_EQ(reread("Point(1, (Empty(),), f)"), "Point(1, (Empty(),), f)");
  EXPECT_EQ(reread("Point(1)"), "Point(1)");
  EXPECT_NE(reread("(some_function + 1,)").find("'some_function' is not a value or a type"),
            std::string::npos);
  EXPECT_NE(reread("Point(x=1)").find("given in order here, without names"), std::string::npos);
  EXPECT_EQ(reread("7 // -2"), "-4");
  EXPECT_EQ(reread("2 ** -1"), "0.5");
}

TEST(ConstValueTest, PrintedValuesReadBack) {
  for (double value : {0.1, 1e16, 1e17, 123456789.0, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308,
                       -0.0, 3.0, 1.0 / 3}) {
    std::string text = reprOfFloat(value);
    EXPECT_EQ(strtod(text.c_str(), nullptr), value) << text;
    EXPECT_EQ(reread(text), text);
  }
  EXPECT_EQ(reprOfFloat(1e16), "1e+16");
  EXPECT_EQ(reprOfFloat(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(reprOfFloat(0.0001), "0.0001");
  EXPECT_EQ(reprOfString("a\n'b'\\"), "\"a\\n'b'\\\\\"");
}

TEST(ConstValueTest, Errors) {
  EXPECT_NE(reread("tl.float61").find("did you mean 'tl.float16'?"), std::string::npos);
  EXPECT_NE(reread("tl.foo()").find("only float(...), int(...) and named tuples"),
            std::string::npos);
  EXPECT_NE(reread("1 // 0").find("<-D>:1:3: error: integer division by zero"), std::string::npos);
  EXPECT_NE(reread("1 +").find("error"), std::string::npos);
  EXPECT_NE(reread("").find("error"), std::string::npos);
  EXPECT_NE(reread("9 ** 9 ** 9").find("needs more than 16384 bits"), std::string::npos);
  EXPECT_NE(reread("(1,) * 1000000").find("more than 65536 elements"), std::string::npos);
  EXPECT_NE(reread("float('x')").find("cannot read 'x' as a float"), std::string::npos);
  EXPECT_NE(reread("1 if True else 2").find("expected a constant"), std::string::npos);
}

TEST(ConstValueTest, Equality) {
  EXPECT_EQ(ConstValue::integer(1), ConstValue::integer(llvm::APInt(200, 1)));
  EXPECT_NE(ConstValue::integer(1), ConstValue::boolean(true));
  EXPECT_NE(ConstValue::real(0.0), ConstValue::real(-0.0));
  EXPECT_EQ(ConstValue::real(NAN), ConstValue::real(NAN));
}

TEST(TypeNameTest, Spellings) {
  auto canonical = [](StringRef text) {
    std::optional<DType> type = parseTypeName(text);
    return type ? type->signatureStr() : "none";
  };
  EXPECT_EQ(canonical("i32"), "i32");
  EXPECT_EQ(canonical("tl.int64"), "i64");
  EXPECT_EQ(canonical("B"), "i1");
  EXPECT_EQ(canonical("bool"), "i1");
  EXPECT_EQ(canonical("float32*"), "*fp32");
  EXPECT_EQ(canonical("*fp32"), "*fp32");
  EXPECT_EQ(canonical("const fp32*"), "*kfp32");
  EXPECT_EQ(canonical("*kfp16"), "*kfp16");
  EXPECT_EQ(canonical("int32_t"), "i32");
  EXPECT_EQ(canonical("float8_e4m3fn"), "fp8e4nv");
  EXPECT_EQ(canonical("**i8"), "**i8");
  EXPECT_EQ(canonical("***************i8"), "none");
  EXPECT_EQ(canonical("fp31"), "none");
  EXPECT_EQ(canonical(""), "none");
  EXPECT_EQ(*closestTypeName("*flot32"), "*fp32");
  EXPECT_EQ(*closestTypeName("i23"), "i32");
}
