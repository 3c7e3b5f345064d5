//===- MBarrierTest.cpp - Barriers that are objects in memory ---*- C++ -*-===//

#include "SimulatorTest.h"

using namespace tilec::test;

namespace {

/// Two warps; the object is behind the first 512 bytes of `buffer`.
const char *const kStart = R"(
    setp.eq.b32 %first, %tid.x, 0;
    mov.b64 %base, buffer;
    @%first mbarrier.init.shared.b64 [%base+512], 64;
    mul.wide.u32 %at, %tid.x, 4;
    add.s64 %mine, %base, %at;
    add.s64 %in, %p, %at;
    xor.b64 %at, %at, 128;
    add.s64 %other, %base, %at;)";
const char *const kBarrier = "bar.sync 0;\n";
const char *const kWrite = "st.shared.b32 [%mine], %tid.x;\n";
const char *const kCopy = "cp.async.ca.shared.global [%mine], [%in], 4;\n";
const char *const kArrive = "mbarrier.arrive.shared.b64 _, [%base+512];\n";
const char *const kArriveAfterCopies = "cp.async.mbarrier.arrive.noinc.shared.b64 [%base+512];\n";
const char *const kRead = "ld.shared.b32 %r, [%other];\nst.global.b32 [%in], %r;\n";

std::string wait(int number, int parity) {
  std::string label = "again" + std::to_string(number);
  return label + ": mbarrier.try_wait.parity.shared.b64 %done, [%base+512], " +
         std::to_string(parity) + ";\n@!%done bra " + label + ";\n";
}

std::string errorOf(const std::string &code, uint64_t seed = 0) {
  uint32_t data[64];
  for (uint32_t i = 0; i < 64; ++i)
    data[i] = i;
  std::string error = simulate(kStart + code, data, sizeof(data), 64, seed);
  for (uint32_t i = 0; error.empty() && i < 64; ++i)
    if (data[i] != (i ^ 32))
      return "thread " + std::to_string(i) + " read " + std::to_string(data[i]);
  return error;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(MBarrier, PublishesWhatWasWritten) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string arrive = std::string(kBarrier) + kWrite + kArrive;
    EXPECT_EQ(errorOf(arrive + wait(0, 0) + kRead, seed), "");
    std::string race = errorOf(arrive + kRead, seed);
    EXPECT_TRUE(has(race, "without a barrier in between")) << race;
    // What is written behind the arrival is not published.
    race = errorOf(std::string(kBarrier) + kArrive + kWrite + wait(0, 0) + kRead, seed);
    EXPECT_TRUE(has(race, "without a barrier in between")) << race;
  }
}

TEST(MBarrier, PhasesHaveParitiesInTurn) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string twice = std::string(kBarrier) + kArrive + wait(0, 0) + kWrite + kArrive;
    EXPECT_EQ(errorOf(twice + wait(1, 1) + kRead, seed), "");
    // The first phase is over: this does not wait.
    std::string race = errorOf(twice + wait(1, 0) + kRead, seed);
    EXPECT_TRUE(has(race, "without a barrier in between")) << race;
  }
}

TEST(MBarrier, WaitsForCopies) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string copy = std::string(kBarrier) + kCopy;
    EXPECT_EQ(errorOf(copy + kArriveAfterCopies + wait(0, 0) + kRead, seed), "");
    std::string late = errorOf(copy + kArrive + wait(0, 0) + kRead, seed);
    EXPECT_TRUE(has(late, "reads what a copy on its way will write")) << late;
    // Copies that start behind the arrival are not waited for, nor are they too early for it.
    std::string later =
        errorOf(std::string(kBarrier) + kArriveAfterCopies + kCopy + wait(0, 0) + kRead, seed);
    EXPECT_TRUE(has(later, "reads what a copy on its way will write")) << later;
    EXPECT_EQ(errorOf(std::string(kBarrier) + kArriveAfterCopies + kCopy + wait(0, 0) +
                          kArriveAfterCopies + wait(1, 1) + kRead,
                      seed),
              "");
  }
}

TEST(MBarrier, CopiesThatTheirThreadWaitsForToo) {
  std::string copy = std::string(kBarrier) + kCopy + kArriveAfterCopies +
                     "cp.async.commit_group;\ncp.async.wait_group 0;\n";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(errorOf(copy + wait(0, 0) + kRead, seed), "");
    EXPECT_NE(errorOf(copy + kRead, seed), "");
  }
}

/// One lane arrives for its warp once all have met.
TEST(MBarrier, OneLaneOfEachWarpArrives) {
  std::string init = "@%first mbarrier.inval.shared.b64 [%base+512];\n"
                     "@%first mbarrier.init.shared.b64 [%base+512], 2;\n" +
                     std::string(kBarrier);
  std::string lane = "and.b32 %r, %tid.x, 31;\nsetp.eq.u32 %done, %r, 0;\n";
  std::string arrive = lane + "@%done " + kArrive;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(errorOf(init + kWrite + "bar.warp.sync -1;\n" + arrive + wait(0, 0) + kRead, seed),
              "");
    std::string early = errorOf(init + kWrite + arrive + wait(0, 0) + kRead, seed);
    EXPECT_TRUE(has(early, "arrives before other lanes of its warp have come so far")) << early;
    std::string race =
        errorOf(init + "bar.warp.sync -1;\n" + arrive + kWrite + wait(0, 0) + kRead, seed);
    EXPECT_TRUE(has(race, "without a barrier in between")) << race;
  }
}

TEST(MBarrier, FindsWaitsThatNobodyEnds) {
  // The first warp does not arrive.
  std::string one =
      "setp.ge.u32 %done, %tid.x, 32;\n@!%done bra skip;\n" + std::string(kArrive) + "skip:\n";
  std::string stuck = errorOf(kBarrier + one + wait(0, 0) + kRead);
  EXPECT_TRUE(has(stuck, "waits at an mbarrier for arrivals that do not come")) << stuck;
}

TEST(MBarrier, Misuse) {
  std::string early = errorOf(kArrive);
  EXPECT_TRUE(has(early, "without a barrier in between") || has(early, "nobody has initialised"))
      << early;
  EXPECT_TRUE(has(simulate("mov.b64 %base, buffer;\nst.shared.b64 [%base+512], 0;\n" +
                               std::string("bar.warp.sync -1;\n") + kArrive,
                           nullptr, 0),
                  "uses an mbarrier that nobody has initialised"));
  EXPECT_TRUE(
      has(errorOf(std::string(kBarrier) + "@%first mbarrier.init.shared.b64 [%base+512], 64;\n"),
          "initialises an mbarrier that is in use"));
  EXPECT_TRUE(has(errorOf(std::string(kBarrier) + "@%first " + kArriveAfterCopies),
                  "arrives after copies without other lanes of its warp"));
  EXPECT_TRUE(has(errorOf("@%first mbarrier.inval.shared.b64 [%base+512];\n" +
                          std::string("@%first mbarrier.init.shared.b64 [%base+512], 48;\n") +
                          kBarrier + kArrive),
                  "arrives at an mbarrier that expects fewer"));
}

} // namespace
