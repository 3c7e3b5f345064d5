//===- GuardTest.cpp - Crashes cost a check, not the server -----*- C++ -*-===//

#include "Guard.h"

#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tilec;

TEST(GuardTest, WorkThatEnds) {
  int result = 0;
  EXPECT_TRUE(ls::runGuarded([&] { result = 1; }));
  EXPECT_EQ(result, 1);
}

TEST(GuardTest, WorkThatDoesNot) {
  EXPECT_FALSE(ls::runGuarded([] { llvm::report_fatal_error("a fault of the compiler"); }));
  EXPECT_FALSE(ls::runGuarded(
      [] { llvm::report_fatal_error("a fault of the user", /*gen_crash_diag=*/false); }));
  EXPECT_FALSE(ls::runGuarded([] { std::abort(); }));
  EXPECT_FALSE(ls::runGuarded([] { __builtin_trap(); }));
  EXPECT_TRUE(ls::runGuarded([] {}));
}
