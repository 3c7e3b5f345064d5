//===- DropDisabledTest.cpp - Tests of accesses that never happen -*- C++ -*-===//
//
// What is dropped, which values take its place, and which assembly is left alone.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"
#include "ParseModule.h"

using namespace llvm;

/// i32 @f(ptr %p, i1 %c, i32 %n) of `body` afterwards; empty if nothing changed.
static std::string drop(const Twine &body) {
  LLVMContext context;
  std::unique_ptr<Module> module =
      parseModule(("define i32 @f(ptr %p, i1 %c, i32 %n) {\n" + body + " }").str(), context);
  if (!module)
    return "no module";
  Function &function = *module->getFunction("f");
  if (!tilec::dropDisabledAccesses(function))
    return "";
  return textOf(function);
}

static std::string load(StringRef text, StringRef predicate, StringRef kind = "sideeffect ") {
  return drop("%w = call i32 asm " + kind + "\"" + text + "\", \"=&r,l,b,r\"(ptr %p, i1 " +
              predicate + ", i32 %n)\n%r = add i32 %w, 0\nret i32 %r");
}

static ::testing::AssertionResult has(StringRef text, StringRef what) {
  if (text.contains(what) && !text.contains("asm"))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << what.str() << "', or assembly, in:\n"
                                       << text.str();
}

TEST(DropDisabled, LoadsHoldWhatTheyHeld) {
  EXPECT_TRUE(has(load("mov.b32 $0, $3; @$2 ld.global.b32 $0, [$1];", "false"), "ret i32 %n"));
  EXPECT_TRUE(has(load("mov.b32 $0, 0; @$2 ld.global.b32 $0, [$1];", "false"), "ret i32 0"));
}

TEST(DropDisabled, LoadsOfSeveralRegisters) {
  StringRef code =
      R"(%w = call {i32, i32} asm sideeffect "mov.b32 $0, 0; mov.b32 $1, $4; @$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r"(ptr %p, i1 false, i32 %n))"
      "\n";
  EXPECT_TRUE(
      has(drop(code + "%a = extractvalue {i32, i32} %w, 0\n%b = extractvalue {i32, i32} %w, 1\n"
                      "%r = add i32 %a, %b\nret i32 %r"),
          "ret i32 %n"));
  EXPECT_EQ(drop(code + "store {i32, i32} %w, ptr %p\nret i32 0"), "");
}

TEST(DropDisabled, Stores) {
  EXPECT_TRUE(has(
      drop(
          R"(call void asm sideeffect "@$2 st.global.b32 [$0], $1;", "l,r,b,~{memory}"(ptr %p, i32 %n, i1 false))"
          "\nret i32 0"),
      "ret i32 0"));
}

TEST(DropDisabled, LeavesOtherAssembly) {
  StringRef access = "mov.b32 $0, $3; @$2 ld.global.b32 $0, [$1];";
  EXPECT_EQ(load(access, "%c"), "");
  EXPECT_EQ(load(access, "true"), "");
  EXPECT_EQ(load(access, "false", ""), "");
  for (StringRef text :
       {"mov.b32 $0, $3; @$2 ld.global.b32 $0, [$1]; add.u32 $0, $0, 1;",
        "@$2 ld.global.b32 $0, [$1];", "mov.b32 $0, 5; @$2 ld.global.b32 $0, [$1];",
        "mov.b32 $0, $9; @$2 ld.global.b32 $0, [$1];",
        "mov.b32 $0, $1; @$2 ld.global.b32 $0, [$1];", "mov.b32 $7, 0; @$2 ld.global.b32 $0, [$1];",
        "mov.b32 $0, $3; @!$2 ld.global.b32 $0, [$1];",
        "mov.b32 $0, $3; @$0 ld.global.b32 $0, [$1];", "mov.b32 $0, $3;", "mov.b", ""})
    EXPECT_EQ(load(text, "false"), "") << text.str();
}
