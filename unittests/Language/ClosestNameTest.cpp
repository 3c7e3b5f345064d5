//===- ClosestNameTest.cpp - "did you mean" suggestions ---------*- C++ -*-===//

#include "tilec/Language/Diagnostics.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec;

namespace {

std::string closest(StringRef name, ArrayRef<StringRef> candidates) {
  return closestName(name, candidates).value_or("-").str();
}

TEST(ClosestNameTest, FindsMisspellings) {
  StringRef names[] = {"load", "store", "arange", "program_id", "num_programs", "maximum"};
  EXPECT_EQ(closest("laod", names), "load"); // Swapped letters count once.
  EXPECT_EQ(closest("stroe", names), "store");
  EXPECT_EQ(closest("arrange", names), "arange");
  EXPECT_EQ(closest("programid", names), "program_id");
  EXPECT_EQ(closest("num_program", names), "num_programs");
  EXPECT_EQ(closest("Load", names), "load");
  EXPECT_EQ(closest("LOAD", names), "load"); // A wrong case counts half a letter.
}

TEST(ClosestNameTest, SaysNothingWhenNothingIsNear) {
  StringRef names[] = {"load", "x"};
  EXPECT_EQ(closest("softmax", names), "-");
  EXPECT_EQ(closest("y", names), "-"); // Nothing of the name would be left.
  EXPECT_EQ(closest("", names), "-");
  EXPECT_EQ(closest("load", {}), "-");
  EXPECT_EQ(closest(std::string(1000, 'a'), {std::string(999, 'a')}), "-");
}

TEST(ClosestNameTest, PrefersTheNearest) {
  StringRef names[] = {"offset", "offsets", "off"};
  EXPECT_EQ(closest("ofsets", names), "offsets");
  StringRef tie[] = {"ab1", "ab2"};
  EXPECT_EQ(closest("ab3", tie), "ab1");
  StringRef cases[] = {"block_sizz", "BLOCK_SIZE"};
  EXPECT_EQ(closest("BLOCK_SIZ", cases), "BLOCK_SIZE");
}

} // namespace
