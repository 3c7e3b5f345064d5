//===- MemoryTest.cpp - Accesses, races and copies --------------*- C++ -*-===//

#include "SimulatorTest.h"

using namespace tilec::test;

namespace {

/// Each thread writes its number, and reads that of the thread 32 further: of another warp.
const char *const kWrite = R"(
    mul.wide.u32 %at, %tid.x, 4;
    mov.b64 %base, buffer;
    add.s64 %mine, %base, %at;
    xor.b64 %at, %at, 128;
    add.s64 %other, %base, %at;
    mul.wide.u32 %offset, %tid.x, 4;
    add.s64 %out, %p, %offset;
    st.shared.b32 [%mine], %tid.x;)";
const char *const kRead = R"(
    ld.shared.b32 %r, [%other];
    st.global.b32 [%out], %r;)";

std::string errorOf(const std::string &code, uint64_t seed = 0) {
  uint32_t data[64] = {};
  return simulate(code, data, sizeof(data), 64, seed);
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Memory, Races) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(errorOf(std::string(kWrite) + "bar.sync 0;" + kRead, seed), "");
    std::string race = errorOf(std::string(kWrite) + kRead, seed);
    EXPECT_TRUE(has(race, "reads what another thread wrote without a barrier") ||
                has(race, "overwrites what another thread reads without a barrier"))
        << race;
    // What is read must be read before it is overwritten, too.
    EXPECT_EQ(errorOf(std::string(kWrite) + "bar.sync 0;" + kRead +
                          "bar.sync 0;\nst.shared.b32 [%mine], 7;",
                      seed),
              "");
    std::string late =
        errorOf(std::string(kWrite) + "bar.sync 0;" + kRead + "st.shared.b32 [%mine], 7;", seed);
    EXPECT_TRUE(has(late, "without a barrier in between")) << late;
  }
}

TEST(Memory, LanesSynchronizeBySyncWarp) {
  std::string swap = "xor.b64 %at, %at, 4;\nadd.s64 %other, %base, %at;\n";
  std::string write = R"(
    mul.wide.u32 %at, %tid.x, 4;
    mov.b64 %base, buffer;
    add.s64 %mine, %base, %at;
    st.shared.b32 [%mine], %tid.x;)";
  EXPECT_TRUE(has(errorOf(write + swap + "ld.shared.b32 %r, [%other];"), "without a barrier"));
  EXPECT_EQ(errorOf(write + swap + "bar.warp.sync -1;\nld.shared.b32 %r, [%other];"), "");
}

TEST(Memory, StoresOfOneValueDoNotRace) {
  EXPECT_EQ(errorOf("st.shared.b32 [buffer], 5;"), "");
  EXPECT_TRUE(has(errorOf("st.shared.b32 [buffer], %tid.x;"), "overwrites"));
  EXPECT_EQ(errorOf("atom.shared.add.u32 %r, [buffer], 1;"), "");
}

TEST(Memory, Bounds) {
  EXPECT_TRUE(has(errorOf("ld.global.b32 %r, [%p+256];"), "accesses memory that it was not given"));
  EXPECT_TRUE(has(errorOf("ld.global.b32 %r, [%p+2];"), "not aligned"));
  EXPECT_TRUE(has(errorOf("ld.shared.b32 %r, [buffer+4096];"), "is outside of shared memory"));
  EXPECT_TRUE(has(errorOf("ld.shared.b32 %r, [0];"), "no address in shared memory"));
  EXPECT_EQ(errorOf("setp.eq.b32 %never, 0, 1;\n@%never ld.global.b32 %r, [0];"), "");
}

TEST(Memory, Vectors) {
  EXPECT_EQ(resultOf("st.shared.v4.b32 [buffer], {1, 2, 3, 4};\nbar.warp.sync -1;\n"
                     "ld.shared.v2.b32 {%a, %r}, [buffer+8];"),
            4U);
  EXPECT_EQ(resultOf("st.shared.b8 [buffer], 200;\nbar.warp.sync -1;\nld.shared.s8 %r, [buffer];"),
            uint32_t(-56));
}

TEST(Memory, CopiesLandWhenTheyAreWaitedFor) {
  uint32_t data[4] = {11, 22, 33, 44};
  std::string start = R"(
    setp.eq.b32 %first, %tid.x, 0;
    mov.b64 %base, buffer;
    @%first cp.async.ca.shared.global [%base], [%p], 8;
    cp.async.commit_group;
    @%first cp.async.ca.shared.global [%base+8], [%p+8], 8, 4;
    cp.async.commit_group;)";
  std::string read = "ld.shared.v4.b32 {%a, %b, %c, %d}, [buffer];\n"
                     "@%first st.global.v4.b32 [%p], {%d, %c, %b, %a};";
  EXPECT_TRUE(has(simulate(start + read, data, 16), "reads what a copy on its way will write"));
  EXPECT_TRUE(has(simulate(start + "cp.async.wait_group 1;\nbar.sync 0;\n" + read, data, 16),
                  "reads what a copy on its way will write"));
  EXPECT_TRUE(has(simulate(start + "cp.async.wait_group 0;\n" + read, data, 16),
                  "reads what another thread wrote"));
  EXPECT_EQ(simulate(start + "cp.async.wait_group 0;\nbar.sync 0;\n" + read, data, 16), "");
  EXPECT_EQ(data[0], 0U); // Filled with zeros.
  EXPECT_EQ(data[1], 33U);
  EXPECT_EQ(data[2], 22U);
  EXPECT_EQ(data[3], 11U);
}

TEST(Memory, CopiesDoNotOvertakeReaders) {
  uint32_t data[4] = {};
  std::string text = simulate("ld.shared.b32 %r, [buffer];\nsetp.eq.b32 %last, %tid.x, 31;\n"
                              "mov.b64 %base, buffer;\n"
                              "@%last cp.async.ca.shared.global [%base], [%p], 4;",
                              data, 16);
  EXPECT_TRUE(has(text, "starts a copy over what another thread reads")) << text;
}

} // namespace
