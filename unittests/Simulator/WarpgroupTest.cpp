//===- WarpgroupTest.cpp - What products of warpgroups give -----*- C++ -*-===//

#include "WarpgroupTest.h"

using namespace tilec::test;

namespace {

const char *const kCommit = "wgmma.commit_group.sync.aligned;\n";
const char *const kWait = "wgmma.wait_group.sync.aligned 0;\n";

/// Checks all results of `code`, which multiplies `times` times onto `begin`.
void check(const WarpgroupCase &test, const std::string &code, int begin, int times) {
  std::vector<uint8_t> data;
  ASSERT_EQ(simulateGroup(test, code, &data), "");
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < test.n; ++column) {
      int sum = 0;
      for (uint32_t k = 0; k < test.k(); ++k)
        sum += test.left(row, k) * test.right(k, column);
      sum *= test.leftScale * test.rightScale;
      ASSERT_EQ(resultAt(test, data, row, column), double(begin + times * sum))
          << test.types << ", width " << test.width << ", row " << row << ", column " << column;
    }
}

/// Multiplies once, onto 1.
void checkOne(const WarpgroupCase &test) {
  check(test,
        prepare(test) + setResults(test) +
            "fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" +
            multiply(test) + kCommit + kWait + storeResults(test),
        test.predicate == "%no" ? 0 : 1, 1);
}

TEST(Warpgroup, Types) {
  for (const char *types : {"f32.f16.f16", "f32.bf16.bf16", "f16.f16.f16", "f32.tf32.tf32",
                            "f32.e4m3.e4m3", "f32.e4m3.e5m2", "f32.e5m2.e4m3", "f16.e5m2.e5m2",
                            "s32.s8.s8", "s32.u8.s8", "s32.s8.u8", "s32.u8.u8"}) {
    WarpgroupCase test;
    test.types = types;
    checkOne(test);
    test.leftInRegisters = true;
    checkOne(test);
  }
}

TEST(Warpgroup, Shapes) {
  WarpgroupCase test;
  for (uint32_t n : {8U, 24U, 128U, 256U}) {
    test.n = n;
    test.width = n == 256 ? 64 : 128;
    checkOne(test);
  }
  test.types = "s32.s8.s8";
  checkOne(test);
}

TEST(Warpgroup, SwizzlesAlongK) {
  WarpgroupCase test;
  for (uint32_t width : {128U, 64U, 32U, 16U}) {
    test.width = width;
    for (test.advance = 0; test.advance + 32 <= std::max(width, 32U); test.advance += 32) {
      test.types = "f32.f16.f16";
      checkOne(test);
      test.types = "f32.tf32.tf32";
      checkOne(test);
      test.types = "s32.s8.s8";
      checkOne(test);
    }
  }
}

TEST(Warpgroup, SwizzlesAlongRows) {
  WarpgroupCase test;
  for (uint32_t n : {16U, 64U, 128U})
    for (uint32_t width : {128U, 64U, 32U, 16U})
      for (unsigned transposed = 1; transposed < 4; ++transposed) {
        test.n = n;
        test.width = width;
        test.leftTransposed = transposed & 1;
        test.rightTransposed = transposed & 2;
        checkOne(test);
      }
  test.leftTransposed = false;
  test.leftInRegisters = test.rightTransposed = true;
  checkOne(test);
  // Parts of rows.
  for (test.n = 8; test.n <= 32; test.n *= 2)
    for (test.width = 32; test.width <= 128; test.width *= 2)
      for (test.advance = 0; test.advance + 2 * test.n <= test.width; test.advance += 2 * test.n)
        checkOne(test);
}

TEST(Warpgroup, PredicateAndScales) {
  WarpgroupCase test;
  test.predicate = "%no";
  checkOne(test);
  test.types = "s32.s8.s8";
  checkOne(test);
  test = WarpgroupCase();
  test.leftScale = -1;
  checkOne(test);
  test.rightScale = -1;
  checkOne(test);
}

TEST(Warpgroup, InlineAssembly) {
  // As LLVM writes it: on one line, with registers of its own, results tied by copies.
  WarpgroupCase test;
  test.predicate = "p";
  std::string block =
      "{ .reg .pred p; .reg .b32 t<2>; mov.b32 t1, %flag; setp.ne.b32 p, t1, 0; " + multiply(test);
  block.back() = ' ';
  std::string tie;
  for (uint32_t index = 0; index < test.results(); ++index)
    tie += "mov.b32 %d" + std::to_string(index) + ", %c" + std::to_string(index) + ";\n";
  std::string prefix = "mov.b32 %flag, 1;\nsetp.eq.b32 p, 0, 0;\nmov.b32 t1, 7;\n" + prepare(test) +
                       setResults(test, "%c");
  check(test,
        prefix + "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" + tie + block +
            "}\n" + kCommit + kWait + storeResults(test),
        1, 1);
}

TEST(Warpgroup, TwoGroupsInFlight) {
  // The first group's results are read while the second one is in flight.
  WarpgroupCase test;
  std::string code = prepare(test) + setResults(test) + setResults(test, "%e") +
                     "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" +
                     multiply(test) + multiply(test) + kCommit + multiply(test, "%e") + kCommit +
                     "wgmma.wait_group.sync.aligned 1;\n";
  check(test, code + storeResults(test) + kWait, 1, 2);
  check(test, code + kWait + storeResults(test, "%e"), 1, 1);
}

TEST(Warpgroup, LoopsCopyAccumulatorsInFlight) {
  // Three products, each in flight when the next is issued; copies at the back edge.
  WarpgroupCase test;
  test.n = 16;
  std::string code = prepare(test) + setResults(test, "%c") +
                     "fence.proxy.async;\nbar.sync 0;\nmov.b32 %i, 0;\n"
                     "$head:\nwgmma.fence.sync.aligned;\n";
  auto copy = [&](const std::string &to, const std::string &from) {
    for (uint32_t index = 0; index < test.results(); ++index)
      code += "mov.b32 " + to + std::to_string(index) + ", " + from + std::to_string(index) + ";\n";
  };
  copy("%d", "%c");
  code += multiply(test) + kCommit + "wgmma.wait_group.sync.aligned 1;\n";
  copy("%c", "%d");
  code += "add.s32 %i, %i, 1;\nsetp.lt.s32 %more, %i, 3;\n@%more bra $head;\n";
  check(test, code + kWait + storeResults(test, "%c"), 1, 3);
  EXPECT_NE(simulateGroup(test, code + storeResults(test, "%c") + kWait)
                .find("reads register %c0 while the wgmma of line "),
            std::string::npos);
}

TEST(Warpgroup, SlotsAreUsedAgain) {
  // After the wait and a barrier, the factors are overwritten with themselves and read again.
  WarpgroupCase test;
  std::string code = prepareAll(test);
  test.predicate = "%no";
  code += multiply(test) + kCommit + kWait + "bar.sync 0;\n";
  for (uint32_t at = 0; at < kImageBytes; at += 2048)
    code += "ld.shared.b32 %x, [%to+" + std::to_string(at) + "];\nst.shared.b32 [%to+" +
            std::to_string(at) + "], %x;\n";
  code += "fence.proxy.async;\nbar.sync 0;\n" + multiply(test) + kCommit + kWait;
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(simulateGroup(test, code, nullptr, seed), "");
  check(test, code + storeResults(test), 0, 1);
}

} // namespace
