//===- SimplifyRegistersTest.cpp - Tests of cheaper code ---------*- C++ -*-===//
//
// What the rewrites leave, where they keep away, and that comparisons keep their results at the
// ends of the range of integers.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <climits>

using namespace llvm;

/// The text of @f after `pass`.
static std::string runOn(StringRef text, bool (*pass)(Function &)) {
  LLVMContext context;
  std::unique_ptr<Module> module = parseModule(text, context);
  if (!module)
    return "";
  Function &function = *module->getFunction("f");
  pass(function);
  return textOf(function);
}

static std::string simplify(StringRef text) {
  return runOn(text, [](Function &function) { return tilec::simplifyRegisters(function); });
}

static ::testing::AssertionResult has(StringRef text, StringRef what, size_t times) {
  if (text.count(what) == times)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text.count(what) << " of '" << what.str() << "' in:\n"
                                       << text.str();
}

/// A function of five comparisons, base + c against n, whose results are the bits of the result.
static std::string comparisons(StringRef predicate, bool boundFirst, StringRef base) {
  std::string text;
  raw_string_ostream os(text);
  os << "define i32 @f(i32 %x, i32 %n) {\n%t = " << base << "\n";
  for (int i = 0; i != 5; ++i) {
    std::string sum = ("%e" + Twine(i)).str();
    os << sum << " = or disjoint i32 %t, " << 256 * i << "\n";
    os << "%c" << i << " = icmp " << predicate << " i32 "
       << (boundFirst ? "%n, " + sum : sum + ", %n") << "\n";
    os << "%z" << i << " = zext i1 %c" << i << " to i32\n";
    os << "%b" << i << " = shl i32 %z" << i << ", " << i << "\n";
    os << "%s" << i + 1 << " = or i32 " << (i ? ("%s" + Twine(i)).str() : "0") << ", %b" << i
       << "\n";
  }
  os << "ret i32 %s5\n}\n";
  return text;
}

TEST(SimplifyRegisters, SharesABound) {
  std::string text = simplify(comparisons("slt", false, "and i32 %x, 255"));
  EXPECT_TRUE(has(text, "call i32 @llvm.smax.i32(i32 %n, i32 -1)", 1));
  EXPECT_TRUE(has(text, "sub nsw i32", 1));
  EXPECT_TRUE(has(text, "icmp sgt i32", 5));
  EXPECT_TRUE(has(text, "icmp sgt i32 %2, 1024", 1));
}

TEST(SimplifyRegisters, KeepsWhatMayOverflow) {
  // The base may be negative: its sum with a constant may be as well.
  EXPECT_TRUE(has(simplify(comparisons("slt", false, "add i32 %x, 1")), "icmp slt", 5));
  EXPECT_TRUE(has(simplify(comparisons("ult", false, "and i32 %x, 255")), "icmp ult", 5));
  EXPECT_TRUE(has(simplify(comparisons("eq", false, "and i32 %x, 255")), "icmp eq", 5));
}

TEST(SimplifyRegisters, KeepsFewComparisons) {
  std::string text = simplify("define i1 @f(i32 %x, i32 %n) {\n%t = and i32 %x, 31\n"
                              "%e = or disjoint i32 %t, 32\n%a = icmp slt i32 %t, %n\n"
                              "%b = icmp slt i32 %e, %n\n%c = and i1 %a, %b\nret i1 %c }");
  EXPECT_TRUE(has(text, "icmp slt", 2));
}

TEST(SimplifyRegisters, PlacesTheDifferenceBehindBothValues) {
  std::string text =
      "define void @f(ptr %p, i32 %x) {\nentry:\n%t = and i32 %x, 31\nbr label %loop\n"
      "loop:\n%n = load volatile i32, ptr %p\n";
  for (int i = 0; i != 4; ++i)
    text += "%e" + std::to_string(i) + " = or disjoint i32 %t, " + std::to_string(32 * i) + "\n%c" +
            std::to_string(i) + " = icmp sge i32 %e" + std::to_string(i) +
            ", %n\nstore volatile i1 %c" + std::to_string(i) + ", ptr %p\n";
  std::string result = simplify(text + "br i1 %c0, label %loop, label %end\nend: ret void }");
  EXPECT_TRUE(has(result, "sub nsw i32", 1));
  EXPECT_LT(result.find("%n = load"), result.find("sub nsw"));
}

TEST(SimplifyRegisters, ComparesAlikeAtTheEndsOfTheRange) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  for (StringRef predicate : {"slt", "sle", "sgt", "sge"})
    for (bool boundFirst : {false, true}) {
      auto context = std::make_unique<LLVMContext>();
      std::unique_ptr<Module> module =
          parseModule(comparisons(predicate, boundFirst, "and i32 %x, 255"), *context);
      ASSERT_TRUE(module);
      ASSERT_TRUE(tilec::simplifyRegisters(*module->getFunction("f")));
      auto jit = cantFail(orc::LLJITBuilder().create());
      cantFail(jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
      auto *function = cantFail(jit->lookup("f")).toPtr<int32_t(int32_t, int32_t)>();
      for (int32_t x : {0, 1, 254, 255})
        for (int32_t bound :
             {INT_MIN, INT_MIN + 1, -2, -1, 0, 1, 255, 256, 511, 512, 1279, 1280, INT_MAX})
          for (int i = 0; i != 5; ++i) {
            int64_t left = x | (256 * i), right = bound;
            if (boundFirst)
              std::swap(left, right);
            bool expected = predicate == "slt"   ? left < right
                            : predicate == "sle" ? left <= right
                            : predicate == "sgt" ? left > right
                                                 : left >= right;
            EXPECT_EQ((function(x, bound) >> i) & 1, expected)
                << predicate.str() << " " << x << " " << bound << " " << i;
          }
    }
}

/// A word made of two elements, whose halves are floats of their own.
static std::string pair(StringRef low, StringRef high) {
  return ("define float @f(i16 %a, i16 %b, <2 x bfloat> %v) {\n"
          "%va = bitcast i16 %a to <1 x bfloat>\n%ea = extractelement <1 x bfloat> %va, i64 0\n"
          "%vb = bitcast i16 %b to <1 x bfloat>\n%eb = extractelement <1 x bfloat> %vb, i64 0\n"
          "%ev = extractelement <2 x bfloat> %v, i64 1\n"
          "%p = insertelement <2 x bfloat> poison, bfloat " +
          low + ", i64 0\n%q = insertelement <2 x bfloat> %p, bfloat " + high +
          ", i64 1\n%w = bitcast <2 x bfloat> %q to i32\n%l = shl i32 %w, 16\n"
          "%h = and i32 %w, -65536\n%x = bitcast i32 %l to float\n%y = bitcast i32 %h to float\n"
          "%r = fadd float %x, %y\nret float %r }")
      .str();
}

TEST(SimplifyRegisters, ExtendsElementsThatWereLoadedAlone) {
  std::string text = simplify(pair("%ea", "%eb"));
  EXPECT_TRUE(has(text, "zext i16 %a to i32", 1));
  EXPECT_TRUE(has(text, "zext i16 %b to i32", 1));
  EXPECT_TRUE(has(text, "and i32", 0));
  EXPECT_TRUE(has(simplify(pair("%ev", "%eb")), "and i32 %w, -65536", 1));
}

/// The upper half of a product, or what lies `shift` bits up in it.
static std::string upperHalf(StringRef left, StringRef right, StringRef shift = "32") {
  return ("define i32 @f(i32 %a, i32 %b, i64 %c) {\n%x = zext i32 %a to i64\n"
          "%y = zext i32 %b to i64\n%s = sext i32 %b to i64\n%p = mul nuw i64 " +
          left + ", " + right + "\n%h = lshr i64 %p, " + shift +
          "\n%t = trunc i64 %h to i32\nret i32 %t }")
      .str();
}

TEST(NarrowProducts, TakesHighHalves) {
  std::string text = runOn(upperHalf("%x", "%y"), tilec::narrowProducts);
  EXPECT_TRUE(has(text, "@llvm.nvvm.mulhi.ui(i32 %a, i32 %b)", 1));
  EXPECT_TRUE(has(text, "mul nuw", 0));
  // The multiplier of Philox, in which the sign bit of the word is set.
  EXPECT_TRUE(has(runOn(upperHalf("%x", "3528531795"), tilec::narrowProducts),
                  "@llvm.nvvm.mulhi.ui(i32 %a, i32 -766435501)", 1));
}

TEST(NarrowProducts, KeepsOtherProducts) {
  for (const std::string &text :
       {upperHalf("%x", "%c"), upperHalf("%x", "%s"), upperHalf("%x", "4294967296"),
        upperHalf("%x", "-1"), upperHalf("%x", "%y", "31")})
    EXPECT_TRUE(has(runOn(text, tilec::narrowProducts), "mul nuw", 1));
}
