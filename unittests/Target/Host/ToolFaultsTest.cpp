//===- ToolFaultsTest.cpp - Tests of what LLVM's back end is spared -*- C++ -*-===//
//
// Which code for processors is rewritten and into what, and which is left alone.
// test/Workarounds has what the code computes.
//
//===----------------------------------------------------------------------===//

#include "HostInternals.h"

#include "../ParseModule.h"

using namespace llvm;
using namespace tilec;

#if defined(__x86_64__)

/// The text of a constant that is on where `mask` has a 1, off at a 0, and poison at a p.
static std::string textOfMask(StringRef mask) {
  std::string text;
  for (char element : mask)
    text += (text.empty() ? "<i1 " : ", i1 ") + std::string(element == 'p'   ? "poison"
                                                            : element == '1' ? "true"
                                                                             : "false");
  return text + ">";
}

/// @f of the module `text` after the rewrite; empty if nothing changed.
static std::string rewriteModule(const Twine &text, StringRef cpu) {
  HostOptions options;
  options.cpu = cpu.str();
  std::unique_ptr<TargetMachine> machine = cantFail(createHostMachine(options));
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(text.str(), context);
  if (!module)
    return "no module";
  if (!host::avoidBackEndFaults(*module, *machine))
    return "";
  return textOf(*module->getFunction("f"));
}

/// The vector `value` stored where `mask` is.
static std::string rewrite(StringRef value, StringRef mask, StringRef cpu = "x86-64-v4") {
  return rewriteModule("define void @f(<8 x i8> %a, <8 x i16> %b, <8 x i32> %w, <8 x i64> %l, "
                       "<8 x half> %h, ptr %p, <8 x i1> %m) {\n"
                       "call void @llvm.masked.store(" +
                           value + ", ptr align 4 %p, <8 x i1> " + mask +
                           "), !alias.scope !0\nret void }\n" +
                           "!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n",
                       cpu);
}

static ::testing::AssertionResult has(StringRef text, StringRef what) {
  if (text.contains(what))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << what.str() << "' in:\n" << text.str();
}

TEST(MaskedTruncation, OneElementIsStoredByItself) {
  std::string text = rewrite("<8 x i16> %b", textOfMask("10000000"));
  EXPECT_TRUE(has(text, "extractelement <8 x i16> %b, i64 0"));
  EXPECT_TRUE(has(text, ", align 4, !alias.scope !0"));
  EXPECT_FALSE(has(text, "masked.store"));
  text = rewrite("<8 x i16> %b", textOfMask("00010000"));
  EXPECT_TRUE(has(text, "extractelement <8 x i16> %b, i64 3"));
  EXPECT_TRUE(has(text, "getelementptr i16, ptr %p, i64 3"));
  EXPECT_TRUE(has(text, ", align 2, !alias.scope !0"));
  text = rewrite("<8 x i8> %a", textOfMask("00000010"));
  EXPECT_TRUE(has(text, "getelementptr i8, ptr %p, i64 6"));
  EXPECT_TRUE(has(text, ", align 2,"));
  EXPECT_TRUE(
      has(rewrite("<8 x i32> %w", textOfMask("00000001")), "getelementptr i32, ptr %p, i64 7"));
  EXPECT_TRUE(
      has(rewrite("<8 x i16> %b", textOfMask("pp1p0000")), "getelementptr i16, ptr %p, i64 2"));
}

TEST(MaskedTruncation, OthersStayMasked) {
  for (StringRef mask : {"00000000", "11000000", "10000001", "11111111"})
    EXPECT_EQ(rewrite("<8 x i16> %b", textOfMask(mask)), "") << mask.str();
  EXPECT_EQ(rewrite("<8 x i16> %b", "%m"), "");
  EXPECT_EQ(rewrite("<8 x i64> %l", textOfMask("10000000")), "");
  EXPECT_EQ(rewrite("<8 x half> %h", textOfMask("10000000")), "");
}

TEST(MaskedTruncation, OnlyWithAVX512) {
  EXPECT_EQ(rewrite("<8 x i16> %b", textOfMask("10000000"), "x86-64-v3"), "");
  EXPECT_NE(rewrite("<8 x i16> %b", textOfMask("10000000"), "sapphirerapids"), "");
}

/// The value of `call`, whose operands are %a, NaN or not, and %n and %m, which are numbers.
static std::string rewriteMinimum(StringRef call, StringRef cpu = "x86-64-v4") {
  return rewriteModule("define float @f(float %a, i32 %i, i32 %j) {\n%n = uitofp i32 %i to float\n"
                       "%m = uitofp i32 %j to float\n%r = " +
                           call + "\nret float %r }\n",
                       cpu);
}

TEST(SignalingMinimum, OperandsAreFenced) {
  std::string text = rewriteMinimum("call float @llvm.minimum.f32(float %n, float %a)");
  EXPECT_TRUE(has(text, "call float @llvm.arithmetic.fence.f32(float %n)"));
  EXPECT_TRUE(has(text, "call float @llvm.arithmetic.fence.f32(float %a)"));
  text = rewriteMinimum("call float @llvm.maximum.f32(float %a, float 1.0)");
  EXPECT_TRUE(has(text, "call float @llvm.arithmetic.fence.f32(float 1.000000e+00)"));
}

TEST(SignalingMinimum, OthersAreLeftAlone) {
  EXPECT_EQ(rewriteMinimum("call float @llvm.minimum.f32(float %n, float %m)"), "");
  EXPECT_EQ(rewriteMinimum("call nnan float @llvm.minimum.f32(float %n, float %a)"), "");
  EXPECT_EQ(rewriteMinimum("call float @llvm.minimumnum.f32(float %n, float %a)"), "");
}

TEST(SignalingMinimum, OnlyWithAVX512) {
  EXPECT_EQ(rewriteMinimum("call float @llvm.minimum.f32(float %n, float %a)", "x86-64-v3"), "");
}

#endif
