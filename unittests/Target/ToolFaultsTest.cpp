//===- ToolFaultsTest.cpp - Tests of what LLVM and ptxas are spared -*- C++ -*-===//
//
// Which code is rewritten and into what, and which is left alone.
// test/Conformance/found_by_fuzzing.py has what the code computes.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

using namespace llvm;

/// @f of `body` after `avoid`; empty if nothing changed.
static std::string rewrite(StringRef body, bool (*avoid)(Function &)) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(("define void @f(float %x, double %y, <2 x half> "
                                                "%z, i16 %n, <2 x i16> %v, i1 %c, ptr %p) {\n" +
                                                body + "\nret void }")
                                                   .str(),
                                               context);
  if (!module)
    return "no module";
  Function &function = *module->getFunction("f");
  if (!avoid(function))
    return "";
  return textOf(function);
}

static std::string keepBits(StringRef body) { return rewrite(body, tilec::avoidBackEndFaults); }

static ::testing::AssertionResult has(StringRef text, StringRef what) {
  if (text.contains(what))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << what.str() << "' in:\n" << text.str();
}

TEST(LowBitsOfFloats, AreMovedBeforeAStoreTruncates) {
  std::string text = keepBits("%b = bitcast float %x to i32\n%t = trunc i32 %b to i16\n"
                              "store i16 %t, ptr %p");
  EXPECT_TRUE(has(text, R"(= call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %b))"));
  EXPECT_FALSE(has(text, "trunc i32 %b"));
  text = keepBits("%b = bitcast double %y to i64\n%t = trunc i64 %b to i32\nstore i32 %t, ptr %p");
  EXPECT_TRUE(has(text, R"(asm "mov.b64 $0, $1;", "=l,l"(i64 %b))"));
  text = keepBits("%h = fptrunc float %x to half\n%b = bitcast half %h to i16\n"
                  "%t = trunc i16 %b to i8\nstore i8 %t, ptr %p");
  EXPECT_TRUE(has(text, R"(asm "mov.b16 $0, $1;", "=h,h"(i16 %b))"));
}

TEST(LowBitsOfFloats, AreFoundBehindWhatFolds) {
  // The mask is that of the truncation; the branch is one of copies.
  EXPECT_TRUE(has(keepBits("br i1 %c, label %a, label %end\n"
                           "a:\n%b = bitcast float %x to i32\nbr label %end\n"
                           "end:\n%m = phi i32 [ %b, %a ], [ 0, %0 ]\n%k = and i32 %m, 65535\n"
                           "%t = trunc i32 %k to i16\n%h = bitcast i16 %t to half\n"
                           "%e = insertelement <1 x half> poison, half %h, i64 0\n"
                           "store <1 x half> %e, ptr %p"),
                  "(i32 %b)"));
  // An element of a register taken as a vector.
  EXPECT_TRUE(has(keepBits("%b = bitcast float %x to <4 x i8>\n"
                           "%t = extractelement <4 x i8> %b, i64 0\nstore i8 %t, ptr %p"),
                  R"(asm "mov.b32 $0, $1;")"));
}

TEST(LowBitsOfFloats, AreStoredWhereAlignmentIsLess) {
  StringRef body = "%b = bitcast double %y to i64\nstore i64 %b, ptr %p, align ";
  EXPECT_TRUE(has(keepBits((body + "4").str()), "(i64 %b)"));
  EXPECT_EQ(keepBits((body + "8").str()), "");
}

TEST(LowBitsOfFloats, MayBeAnAuthorsInstructions) {
  StringRef store = "%t = trunc i32 %b to i16\nstore i16 %t, ptr %p";
  EXPECT_TRUE(has(keepBits(R"(%b = call i32 asm "ex2.approx.f32 $0, $1;", "=r,f"(float %x))"
                           "\n" +
                           store.str()),
                  "(i32 %b)"));
  EXPECT_EQ(keepBits(R"(%b = call i32 asm "ld.global.b32 $0, [$1];", "=r,l"(ptr %p))"
                     "\n" +
                     store.str()),
            "");
}

TEST(LowBitsOfFloats, AreNotWhatOtherStoresTake) {
  // As wide as the register.
  EXPECT_EQ(keepBits("%b = bitcast float %x to i32\nstore i32 %b, ptr %p"), "");
  EXPECT_EQ(keepBits("store float %x, ptr %p"), "");
  // Shifted by an instruction of integers.
  EXPECT_EQ(keepBits("%b = bitcast float %x to i32\n%s = lshr i32 %b, 16\n"
                     "%t = trunc i32 %s to i16\nstore i16 %t, ptr %p"),
            "");
  // Pairs of floats have no type to ptxas.
  EXPECT_EQ(keepBits("%b = bitcast <2 x half> %z to i32\n%t = trunc i32 %b to i16\n"
                     "store i16 %t, ptr %p"),
            "");
  // Truncated, but not stored.
  EXPECT_EQ(keepBits("%b = bitcast float %x to i32\n%t = trunc i32 %b to i16\n"
                     "%s = sitofp i16 %t to float\nstore float %s, ptr %p"),
            "");
}

TEST(Overflow, OfNegations) {
  StringRef use = "\nstore i16 %r, ptr %p";
  StringRef negation = R"(= call i16 asm "sub.u16 $0, 0, $1;", "=h,h"(i16 %n))";
  EXPECT_TRUE(has(keepBits("%r = sub i16 0, %n" + use.str()), negation));
  EXPECT_TRUE(has(keepBits("%r = mul i16 %n, -1" + use.str()), negation));
  std::string text = keepBits("%r = sub <2 x i16> zeroinitializer, %v\nstore <2 x i16> %r, ptr %p");
  EXPECT_EQ(StringRef(text).count("sub.u16"), 2u) << text;
  EXPECT_EQ(keepBits("%r = sub i16 1, %n" + use.str()), "");
  EXPECT_EQ(keepBits("%s = ashr i16 %n, 1\n%r = sub i16 0, %s" + use.str()), "");
  EXPECT_EQ(keepBits("%w = zext i16 %n to i32\n%r = sub i32 0, %w\nstore i32 %r, ptr %p"), "");
}

TEST(Overflow, OfAbsoluteValues) {
  auto absolute = [](const Twine &type, const Twine &x) {
    return keepBits(("%a = load " + type + ", ptr %p\n%w = sext i16 %n to i32\n%r = call " + type +
                     " @llvm.abs." + type + "(" + type + " " + x + ", i1 false)\nstore " + type +
                     " %r, ptr %p")
                        .str());
  };
  for (StringRef bits : {"16", "32", "64"})
    EXPECT_TRUE(has(absolute("i" + bits, "%a"),
                    ("sub.u" + bits + " negated, 0, $1; max.s" + bits + " $0").str()));
  // These cannot.
  EXPECT_EQ(absolute("i32", "%w"), "");
  EXPECT_EQ(absolute("i8", "%a"), "");
}

TEST(FloatsOfOtherFloats, AreHiddenFromComparisons) {
  auto avoid = [](StringRef body) { return rewrite(body, tilec::avoidOptimizerFaults); };
  StringRef compare = "%r = fcmp une bfloat %b, 0xR0000\nstore i1 %r, ptr %p";
  std::string text =
      avoid("%h = fptrunc float %x to half\n%b = bitcast half %h to bfloat\n" + compare.str());
  EXPECT_TRUE(has(text, R"(call i16 asm "mov.b16 $0, $1;")"));
  // By way of an integer, whose other bits come to nothing.
  text = avoid("%h = fptrunc float %x to half\n%i = bitcast half %h to i16\n%j = or i16 %i, %n\n"
               "%b = bitcast i16 %j to bfloat\n" +
               compare.str());
  EXPECT_TRUE(has(text, R"(call i16 asm "mov.b16 $0, $1;")"));
  text = avoid("%b = bitcast <2 x half> %z to <2 x bfloat>\nstore <2 x bfloat> %b, ptr %p");
  EXPECT_EQ(StringRef(text).count("mov.b16"), 2u) << text;
  // Integers, as loads and casts leave them.
  EXPECT_EQ(avoid("%b = bitcast i16 %n to bfloat\n" + compare.str()), "");
  EXPECT_EQ(avoid("%h = fptrunc float %x to half\n%i = bitcast half %h to i16\n"
                  "%b = bitcast i16 %i to half\nstore half %b, ptr %p"),
            "");
}

TEST(Truth, IsSelectedAsBFloat) {
  StringRef use = "\nstore bfloat %r, ptr %p";
  EXPECT_TRUE(has(keepBits(("%r = sitofp i1 %c to bfloat" + use).str()),
                  "select i1 %c, bfloat 0xRBF80, bfloat 0xR0000"));
  EXPECT_EQ(keepBits(("%r = uitofp i1 %c to bfloat" + use).str()), "");
  EXPECT_EQ(keepBits("%r = sitofp i1 %c to half\nstore half %r, ptr %p"), "");
}

TEST(Truth, IsNotNegativeWhereAnUnsignedIntegerIsMade) {
  auto made = [](const Twine &x) {
    return keepBits(
        (x + "\n%r = call i32 @llvm.nvvm.f2ui.rz(float %f)\nstore i32 %r, ptr %p").str());
  };
  StringRef raised = "select i1 %1, float 0.000000e+00, float %f";
  EXPECT_TRUE(has(made("%f = sitofp i1 %c to float"), raised));
  EXPECT_TRUE(has(made("%u = uitofp i1 %c to float\n%f = fneg float %u"), raised));
  EXPECT_TRUE(
      has(made("%s = select i1 %c, half 0xHBC00, half 0.0\n%f = fpext half %s to float"), raised));
  EXPECT_TRUE(has(keepBits("%f = sitofp i1 %c to float\n%r = call i16 asm \"cvt.rzi.u16.f32 $0, "
                           "$1;\", \"=h,f\"(float %f)\nstore i16 %r, ptr %p"),
                  raised));
  // Other numbers, the thread's, and signed integers.
  EXPECT_EQ(made("%s = sitofp i16 %n to float\n%f = select i1 %c, float %s, float 0.0"), "");
  EXPECT_EQ(made("%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%f = sitofp i32 %t to float"),
            "");
  EXPECT_EQ(keepBits("%f = sitofp i1 %c to float\n%r = call i32 @llvm.nvvm.f2i.rz(float %f)\n"
                     "store i32 %r, ptr %p"),
            "");
}
