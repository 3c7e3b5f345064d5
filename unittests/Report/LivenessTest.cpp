//===- LivenessTest.cpp - registers that are live along SASS ----*- C++ -*-===//

#include "Liveness.h"

#include "gtest/gtest.h"

using tilec::report::countLiveRegisters;
using Counts = std::vector<unsigned>;

TEST(Liveness, CountsWhatIsStillRead) {
  auto live = countLiveRegisters("kernel:\n"
                                 "0000       MOV R1, 0x1\n"
                                 "0010       MOV R2, 0x2\n"
                                 "0020       IADD3 R3, R1, R2, RZ\n"
                                 "0030       STG.E desc[UR4][R4.64], R3\n"
                                 "0040       EXIT\n");
  ASSERT_TRUE(live);
  // R1 is the stack pointer, which stays to the end.
  EXPECT_EQ(*live, (Counts{2, 3, 4, 5, 4, 1}));
}

TEST(Liveness, FollowsLoops) {
  auto live = countLiveRegisters(".L_x_0:\n"
                                 "0000       IADD3 R0, R0, -0x1, RZ\n"
                                 "0010       ISETP.NE.AND P0, PT, R0, RZ, PT\n"
                                 "0020  @P0  BRA `(.L_x_0)\n"
                                 "0030       STG.E.64 [R2.64], R6\n"
                                 "0040       EXIT\n");
  ASSERT_TRUE(live);
  EXPECT_EQ(*live, (Counts{5, 5, 5, 5, 4, 0}));
}

TEST(Liveness, ConditionMayBeAnOperand) {
  auto live = countLiveRegisters("0000       BRA P0, `(.L_x_1)\n"
                                 "0010       STG.E [R2.64], R4\n"
                                 ".L_x_1:\n"
                                 "0020       EXIT\n");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->front(), 3u);
}

TEST(Liveness, PredicateKeepsTheOldValue) {
  auto live = countLiveRegisters("kernel:\n"
                                 "0000  @P0  MOV R6, R2\n"
                                 "0010       STG.E [R4.64], R6\n"
                                 "0020       EXIT\n");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->front(), 4u); // R6, R2, R4, R5.
}

TEST(Liveness, WideOperands) {
  auto width = [](const char *line) {
    auto live =
        countLiveRegisters(std::string("kernel:\n0000       ") + line + "\n0010       EXIT\n");
    return live ? live->front() : 0;
  };
  EXPECT_EQ(width("STG.E.128 [R4.64], R8"), 6u);
  EXPECT_EQ(width("STS [R4], R8"), 2u);
  EXPECT_EQ(width("IMAD.WIDE R2, R4, 0x4, R8"), 3u);
  EXPECT_EQ(width("DFMA R2, R4, R6, R8"), 6u);
  EXPECT_EQ(width("HMMA.16816.F32.BF16 R4, R8, R12, R16"), 10u);
  EXPECT_EQ(width("HMMA.1688.F32.TF32 R4, R8, R12, R16"), 10u);
  EXPECT_EQ(width("IMMA.16816.S8.S8 R4, R8.ROW, R12.COL, R16"), 7u);
  EXPECT_EQ(width("HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8].tnspB, R24"), 128u);
  EXPECT_EQ(width("HGMMA.64x64x16.F32 R24, R8, gdesc[UR8], R24, gsb0"), 36u);
  EXPECT_EQ(width("STSM.16.M88.4 [R11], R4"), 5u);
  EXPECT_EQ(width("F2F.F32.F64 R2, R4"), 2u);
  EXPECT_EQ(width("I2F.F64.S32 R2, R4"), 1u);
  EXPECT_EQ(width("MOV R2, UR4"), 0u);
  EXPECT_EQ(width("IADD3 R2, P0, |R4|, -R5.reuse, RZ"), 2u);
  EXPECT_EQ(width("ATOMG.E.ADD PT, R5, desc[UR4][R2.64], R6"), 3u);
}

TEST(Liveness, SubroutinesKeepWhatCallersNeed) {
  auto live = countLiveRegisters("0000       MOV R9, 0x1\n"
                                 "0010       CALL.REL.NOINC `(.L_x_9)\n"
                                 "0020       STG.E [R2.64], R9\n"
                                 "0030       CALL.REL.NOINC `(.L_x_9)\n"
                                 "0040       STG.E [R4.64], R8\n"
                                 "0050       EXIT\n"
                                 ".L_x_9:\n"
                                 "0060       IADD3 R8, R20, R21, RZ\n"
                                 "0070       RET.REL.NODEC R22 `(kernel)\n");
  ASSERT_TRUE(live);
  // Behind the second call nobody needs R2, R3 and R9.
  EXPECT_EQ((*live)[3], 6u); // R4, R5, R8, R20 to R22.
  EXPECT_EQ((*live)[4], 3u);
  // In the subroutine what any caller needs is in use: R2 to R5, R8, R9, and its own R20 to R22.
  EXPECT_EQ((*live)[7], 9u);
  EXPECT_EQ((*live)[8], 9u);
}

TEST(Liveness, NothingForUnknownTargets) {
  EXPECT_FALSE(countLiveRegisters("0000       BRX R2 -0x10\n"));
  EXPECT_FALSE(countLiveRegisters("0000       BRA `(.L_nowhere)\n"));
  EXPECT_FALSE(countLiveRegisters(""));
}
