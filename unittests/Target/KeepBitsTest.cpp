//===- KeepBitsTest.cpp - Tests of stores of floats' low bits ----*- C++ -*-===//
//
// Which registers get a move, and which are left alone.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// @f(float %x, double %y, <2 x half> %z, i1 %c, ptr %p) of `body`, afterwards; empty if nothing
/// changed.
static std::string keepBits(StringRef body) {
  LLVMContext context;
  std::unique_ptr<Module> module =
      parseModule(("define void @f(float %x, double %y, <2 x half> %z, i1 %c, ptr %p) {\n" + body +
                   "\nret void }")
                      .str(),
                  context);
  if (!module)
    return "no module";
  Function &function = *module->getFunction("f");
  if (!tilec::keepBits(function))
    return "";
  std::string result;
  raw_string_ostream stream(result);
  if (verifyFunction(function, &stream))
    return "invalid: " + result;
  function.print(stream);
  return result;
}

static ::testing::AssertionResult has(StringRef text, StringRef what) {
  if (text.contains(what))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << what.str() << "' in:\n" << text.str();
}

TEST(KeepBits, MovesWhatAStoreTruncates) {
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

TEST(KeepBits, LooksThroughWhatFolds) {
  // The mask is that of the truncation; the branch is one of copies.
  EXPECT_TRUE(has(keepBits("br i1 %c, label %a, label %e\n"
                           "a:\n%b = bitcast float %x to i32\nbr label %e\n"
                           "e:\n%m = phi i32 [ %b, %a ], [ 0, %0 ]\n%k = and i32 %m, 65535\n"
                           "%t = trunc i32 %k to i16\n%h = bitcast i16 %t to half\n"
                           "%v = insertelement <1 x half> poison, half %h, i64 0\n"
                           "store <1 x half> %v, ptr %p"),
                  "(i32 %b)"));
  // An element of a register taken as a vector.
  EXPECT_TRUE(has(keepBits("%b = bitcast float %x to <4 x i8>\n"
                           "%t = extractelement <4 x i8> %b, i64 0\nstore i8 %t, ptr %p"),
                  R"(asm "mov.b32 $0, $1;")"));
}

TEST(KeepBits, MovesWhatAnAuthorsInstructionLeft) {
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

TEST(KeepBits, LeavesOtherStores) {
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
