//===- MemoryCheckerTest.cpp - Accesses against arrays and orders -===//

#include "tilec/JIT/MemoryChecker.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

using Kind = HostAccess::Kind;

class MemoryCheckerTest : public testing::Test {
protected:
  MemoryCheckerTest() : array(llvm::cantFail(HostArray::create(ScalarKind::FP32, {8}))) {
    for (uint64_t index = 0; index < 8; ++index)
      array.setReal(index, double(index));
    checker.add("a", array, /*unwritten=*/false);
  }

  /// An access of a program, at a line of its own for each kind. Atomic ones synchronize.
  bool access(int32_t program, Kind kind, int64_t byte, int32_t bytes = 4, int64_t index = -1,
              uint64_t value = ~uint64_t(0)) {
    static const HostSite sites[3][2] = {{{"k.py", "", 1, 1, int32_t(Kind::Load), 4, 0},
                                          {"k.py", "", 1, 1, int32_t(Kind::Load), 1, 0}},
                                         {{"k.py", "", 2, 1, int32_t(Kind::Store), 4, 0},
                                          {"k.py", "", 2, 1, int32_t(Kind::Store), 1, 0}},
                                         {{"k.py", "", 3, 1, int32_t(Kind::Atomic), 4, 1},
                                          {"k.py", "", 3, 1, int32_t(Kind::Atomic), 1, 1}}};
    const HostSite &site = sites[int(kind)][bytes == 1];
    return checker.allow({site, array.data() + byte, index, value, {program, 0, 0}});
  }

  HostArray array;
  MemoryChecker checker;
};

TEST_F(MemoryCheckerTest, AllowsWhatIsInside) {
  EXPECT_TRUE(access(0, Kind::Load, 0));
  EXPECT_TRUE(access(0, Kind::Load, 28));
  EXPECT_TRUE(checker.findings().empty());
  EXPECT_FALSE(access(0, Kind::Load, 29));
  EXPECT_FALSE(access(0, Kind::Store, -4));
  ASSERT_EQ(checker.findings().size(), 2u);
  EXPECT_EQ(checker.findings()[0].kind, MemoryFinding::Kind::Outside);
  EXPECT_EQ(checker.findings()[0].message,
            "reads 4 bytes over the end of 'a' (fp32[8]), where element 7 would be; in program "
            "(0, 0, 0)");
}

TEST_F(MemoryCheckerTest, CountsWhatRepeats) {
  EXPECT_FALSE(access(0, Kind::Load, 32));
  EXPECT_FALSE(access(1, Kind::Load, 36));
  ASSERT_EQ(checker.findings().size(), 1u);
  EXPECT_EQ(checker.findings()[0].count, 2u);
}

TEST_F(MemoryCheckerTest, FindsRacesOfPrograms) {
  access(0, Kind::Load, 0);
  access(1, Kind::Load, 0);
  EXPECT_TRUE(checker.findings().empty());
  access(2, Kind::Store, 0);
  ASSERT_EQ(checker.findings().size(), 1u);
  EXPECT_EQ(checker.findings()[0].kind, MemoryFinding::Kind::Race);
  ASSERT_TRUE(checker.findings()[0].other);
  EXPECT_EQ(checker.findings()[0].other->line, 1);
}

TEST_F(MemoryCheckerTest, SeesThatAValueStays) {
  access(0, Kind::Load, 4);
  access(1, Kind::Store, 4, 4, -1, /*the bits of 1.0f*/ 0x3f800000);
  EXPECT_TRUE(checker.findings().empty());
}

/// Program 0 writes and releases, program 1 sees that and releases, program 2 sees that.
TEST_F(MemoryCheckerTest, FollowsOrders) {
  access(0, Kind::Store, 0);
  access(0, Kind::Atomic, 8);
  access(1, Kind::Atomic, 8);
  access(1, Kind::Atomic, 12);
  access(2, Kind::Atomic, 12);
  access(2, Kind::Load, 0);
  EXPECT_TRUE(checker.findings().empty());
  // Program 3 has seen none of it.
  access(3, Kind::Atomic, 16);
  access(3, Kind::Load, 0);
  EXPECT_EQ(checker.findings().size(), 1u);
}

/// What a program does behind its last atomic operation is not released.
TEST_F(MemoryCheckerTest, OrdersOnlyWhatWasReleased) {
  access(0, Kind::Atomic, 8);
  access(0, Kind::Store, 0);
  access(1, Kind::Atomic, 8);
  access(1, Kind::Load, 0);
  EXPECT_EQ(checker.findings().size(), 1u);
}

TEST_F(MemoryCheckerTest, KnowsPartsOfElements) {
  access(0, Kind::Store, 0, 1);
  access(1, Kind::Store, 1, 1);
  EXPECT_TRUE(checker.findings().empty());
  access(2, Kind::Load, 0);
  EXPECT_EQ(checker.findings().size(), 1u);
}

TEST_F(MemoryCheckerTest, NeedsBarriersBetweenPositions) {
  access(0, Kind::Load, 0, 4, /*index=*/3);
  access(0, Kind::Store, 0, 4, /*index=*/3);
  EXPECT_TRUE(checker.findings().empty());
  checker.passBarrier();
  access(0, Kind::Store, 0, 4, /*index=*/4);
  EXPECT_TRUE(checker.findings().empty());
  access(0, Kind::Load, 0, 4, /*index=*/5);
  EXPECT_EQ(checker.findings().size(), 1u);
}

TEST(MemoryChecker, KnowsWhatNobodyWrote) {
  HostArray array = llvm::cantFail(HostArray::create(ScalarKind::FP32, {2}));
  array.poison();
  MemoryChecker checker;
  checker.add("a", array, /*unwritten=*/true);
  const HostSite load{"k.py", "", 1, 1, int32_t(Kind::Load), 4, 0},
      store{"k.py", "", 2, 1, int32_t(Kind::Store), 4, 0};
  EXPECT_TRUE(checker.allow({store, array.data(), -1, 0, {0, 0, 0}}));
  EXPECT_TRUE(checker.allow({load, array.data(), -1, 0, {0, 0, 0}}));
  EXPECT_TRUE(checker.findings().empty());
  EXPECT_TRUE(checker.allow({load, array.data() + 4, -1, 0, {0, 0, 0}}));
  ASSERT_EQ(checker.findings().size(), 1u);
  EXPECT_EQ(checker.findings()[0].kind, MemoryFinding::Kind::Unwritten);
}

} // namespace
