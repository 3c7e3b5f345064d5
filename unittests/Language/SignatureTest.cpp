//===- SignatureTest.cpp - Signature text and parameters --------*- C++ -*-===//
//
// Both forms of the signature, and how parameters get a type or a value.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Signature.h"

#include "SpecializeTestSupport.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::test;
using llvm::StringRef;

namespace {

/// The item with its promises.
std::string print(const SignatureItem &item) {
  if (item.isTuple) {
    std::string text = item.className + "(";
    for (const SignatureItem &element : item.elements)
      text += print(element) + ",";
    return text + ")";
  }
  bool hasPromise = item.type && item.type->divisibility != 1;
  return item.str() + (hasPromise ? ":" + std::to_string(item.type->divisibility) : "");
}

/// The signature printed as a list, or the diagnostics.
std::string reread(StringRef text) {
  llvm::SourceMgr sources;
  std::string messages;
  llvm::raw_string_ostream os(messages);
  DiagnosticEngine diagnostics(sources, os);
  std::optional<Signature> signature = parseSignature(text, "<sig>", sources, diagnostics);
  if (!signature)
    return messages;
  std::string result = signature->kernel.empty() ? "" : signature->kernel + ": ";
  for (const SignatureItem &item : signature->items) {
    result += (item.name.empty() ? "" : item.name + "=");
    result += print(item) + ";";
  }
  return result;
}

bool says(StringRef text, StringRef message) {
  bool found = StringRef(reread(text)).contains(message);
  EXPECT_TRUE(found) << reread(text);
  return found;
}

} // namespace

TEST(SignatureTest, Forms) {
  EXPECT_EQ(reread("*fp32:16, *kfp16, i32:16,i32 , 1024"), "*fp32:16;*kfp16;i32:16;i32;1024;");
  EXPECT_EQ(reread("x=*fp32:16,n=i32, B = 8"), "x=*fp32:16;n=i32;B=8;");
  EXPECT_EQ(reread("kern:x=*fp32,n=i32:16"), "kern: x=*fp32;n=i32:16;");
  EXPECT_EQ(reread("i32:1, fp32:16, nan, -1e3, True, None"),
            "1;fp32;float('nan');-1000.0;True;None;");
  EXPECT_EQ(reread(""), "");
  EXPECT_EQ(reread("i32,"), "i32;");
}

TEST(SignatureTest, Tuples) {
  EXPECT_EQ(reread("(i32, *fp32:16), i32"), "(i32,*fp32:16,);i32;");
  EXPECT_EQ(reread("s=(i32:1,(1,None,),), p = Point (fp32,-1)"),
            "s=(1,(1,None,),);p=Point(fp32,-1,);");
  EXPECT_EQ(reread("(), One(i32), (i32,)"), "();One(i32,);(i32,);");
  says("(i32)", "<sig>:1:1: error: a tuple of one item needs a comma: '(i32,)'");
  says("x=(i32, i33)", "<sig>:1:9: error: unknown type 'i33'");
  says("(i32,,i32)", "expected a type or a number, found nothing");
  says("(,)", "expected a type or a number, found nothing");
  says("(i32, i32", "<sig>:1:1: error: expected ')' at the end of the tuple");
  says("(i32, 's')", "<sig>:1:7: error: a signature holds types");
  says("(x=i32, 1)", "expected a parameter name before '='");
  std::string deep;
  for (int i = 0; i < 40; ++i)
    deep += "X(";
  says(deep + std::string(40, ')'), "tuples are nested more than 32 deep");
}

TEST(SignatureTest, Descriptors) {
  // The base, the sizes and the strides. Of the sizes, promises are about the last one.
  EXPECT_EQ(reread("tensordesc<bf16[64, K]>, i32"), "(*bf16,(i32,i32,),(i64,1,),);i32;");
  EXPECT_EQ(reread("x=tensordesc<fp8e5[2,4,16], nan>:16"),
            "x=(*fp8e5,(i32,i32,i32:16,),(i64:16,i64:16,1,),);");
  EXPECT_EQ(reread("(tensordesc< u64 [ 8 ] , zero > , 1)"), "((*u64,(i32,),(1,),),1,);");
  DescriptorType type = DescriptorType::of(ScalarKind::FP16, {"64", "BLOCK_K"}, true);
  EXPECT_EQ(type.str(), "tensordesc<fp16[64, BLOCK_K], nan>");
  EXPECT_EQ(type.numArguments(), 4u);
  EXPECT_EQ(type.divisorOf(0), 16);
  EXPECT_EQ(type.divisorOf(2), 1);
  EXPECT_EQ(type.divisorOf(3), 8);
  EXPECT_EQ(type.classesOf(1).classify(16), ArgumentClass::Any);
  EXPECT_EQ(type.classesOf(2).classify(16), ArgumentClass::MultipleOf16);
  EXPECT_EQ(type.classesOf(3).classify(1), ArgumentClass::Any);
  EXPECT_EQ(reread("x=tensordesc<fp32[4]>").find("error"), std::string::npos);
  says("x=tensordesc<fp32[4], n=i32", "<sig>:1:3: error: expected '>' at the end");
  says("x=tensordesc<fp32[4]>:1", "<sig>:1:23: error: the hint of a tensor descriptor must be 16");
  says("tensordesc", "<sig>:1:1: error: expected '<' after 'tensordesc'");
  says("tensordescriptor<fp32[4]>", "<sig>:1:1: error: expected '<' after 'tensordesc'");
  says("tensordesc<>", "expected the shape of the blocks in brackets");
  says("tensordesc<fp8e4b15[16], nan>", "only floats can be padded with NaN, found float8e4b15");
}

TEST(SignatureTest, Errors) {
  says("*fp32, *fp23",
       "<sig>:1:8: error: unknown type '*fp23' in the signature; did you mean '*fp32'?");
  says("f32", "error: unknown type 'f32' in the signature; did you mean 'fp32'?");
  says("*kf16", "did you mean '*kfp16'?");
  says("f64*", "did you mean '*fp64'?");
  says("s32", "did you mean 'i32'?");
  says("*bfloat", "did you mean '*bf16'?");
  says("size_t", "did you mean 'u64'?");
  says("*fp8e4m3", "did you mean '*fp8e4nv'?");
  says("i32:8", "<sig>:1:5: error: the hint after ':' must be 16 or 1, found '8'");
  says("i32:", "the hint after ':' must be 16 or 1, found ''");
  says("i32,,i32", "<sig>:1:5: error: expected a type or a number, found nothing");
  says("x=i32,i64", "<sig>:1:7: error: expected 'name=type', because other items");
  says("x=i32,x=i64", "<sig>:1:7: error: parameter 'x' is given twice");
  says("1x=i32", "<sig>:1:1: error: expected a parameter name before '='");
  says("x=", "<sig>:1:1: error: expected a type or a number after '='");
  says("*fp31, i33", "<sig>:1:8: error"); // Every wrong item is reported.
  says("void", "unknown type 'void'");
  says("i32, 's', [1, 2]",
       "<sig>:1:6: error: a signature holds types, numbers, True, False, None and tuples of these; "
       "other constants are given with -D");
  says("*fp32:1", "<sig>:1:7: error: the hint ':1' makes a number the constant 1, found a pointer");
}

static const StringRef kernel = R"(
@triton.jit
def k(p, n, s: "fp32", B: tl.constexpr, c=3, DEPTH: tl.constexpr = 7):
    tl.store(p + tl.arange(0, B), s * (n + c + DEPTH))
)";

TEST(SignatureTest, ParametersOfAKernel) {
  Specialized result = specializeText(kernel, "p=*fp32,n=i32", "B=8");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  ASSERT_EQ(result.info.params.size(), 3u);
  EXPECT_EQ(result.info.params[2].type.signatureStr(), "fp32");
  ASSERT_EQ(result.info.constexprs.size(), 3u);
  EXPECT_EQ(result.info.constexprs[1].name, "c");
  EXPECT_EQ(result.info.constexprs[1].value, "3");

  result = specializeText(kernel, "*fp32,i32,fp32,16,i32,5");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_EQ(result.info.params.size(), 4u);

  // A constant wins over a type, for any parameter.
  result = specializeText(kernel, "*fp32,i32,fp32,16,i32,5", "n=1");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  EXPECT_EQ(result.info.params.size(), 3u);
}

TEST(SignatureTest, ErrorsAboutParameters) {
  auto fails = [](StringRef signature, StringRef constexprs, StringRef message) {
    Specialized result = specializeText(kernel, signature, constexprs);
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.says(message)) << result.diagnostics;
  };
  fails("p=*fp32", "B=8", "k.py:5:10: error: parameter 'n' has no type");
  fails("p=*fp32,n=i32", "", "the tl.constexpr parameter 'B' has no value");
  fails("p=*fp32,n=i32,m=i32", "B=8",
        "<signature>:1:15: error: kernel 'k' has no parameter 'm', which the signature names");
  fails("p=*fp32,n=i32", "B=8;DETPH=1",
        "kernel 'k' has no parameter 'DETPH'; did you mean 'DEPTH'?");
  fails("*fp32,i32", "", "the signature has 2 items, but kernel 'k' has 6 parameters");
  // Of the six, 'B' and 'DEPTH' are constexprs and 'c' has a default.
  fails("*fp32:16, i32, fp32", "",
        "note: items without names are for all parameters, or for all that -D does not define; "
        "with names, others can be left out: 'p=*fp32:16,n=i32,s=fp32'");
  fails("*fp32,i32,fp32,i32,3,4", "",
        "<signature>:1:16: error: parameter 'B' is tl.constexpr: expected a value, found the type "
        "'i32'");
  fails("*fp8e4b8,i32,fp32,8,3,4", "",
        "the type float8e4b8 is not supported on sm_90; NVIDIA's GPUs");
}

TEST(SignatureTest, KernelNames) {
  KernelRequest request;
  request.kernel = "copy_rwo";
  Specialized result =
      specializeText("@triton.jit\ndef copy_row(p):\n    pass\n", "*fp32", "", request);
  EXPECT_TRUE(result.says("no @triton.jit function is called 'copy_rwo'; did you mean 'copy_row'?"))
      << result.diagnostics;
}

TEST(SignatureTest, FoldedParameters) {
  Specialized result =
      specializeText("@triton.jit\ndef k(p, s):\n    o = s.to(tl.int64)\n", "*fp32,i32:1");
  EXPECT_TRUE(
      result.says("constexpr int has no attribute 'to'; a compile-time number has no methods of "
                  "tensors, use tl.cast"))
      << result.diagnostics;
  result = specializeText("@triton.jit\ndef k(p, s):\n    if s == 1:\n        tl.store(p, 1.0)\n"
                          "    else:\n        nonsense()\n",
                          "*fp32,i32:1");
  EXPECT_TRUE(result.ok) << result.diagnostics;
}
