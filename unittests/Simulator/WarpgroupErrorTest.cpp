//===- WarpgroupErrorTest.cpp - Mistakes with warpgroups' products --------===//

#include "WarpgroupTest.h"

using namespace tilec::test;

namespace {

const char *const kCommit = "wgmma.commit_group.sync.aligned;\n";
const char *const kWait = "wgmma.wait_group.sync.aligned 0;\n";
const char *const kFence = "wgmma.fence.sync.aligned;\n";

/// A small product that does not read what its results were.
WarpgroupCase smallCase() {
  WarpgroupCase test;
  test.n = 16;
  test.predicate = "%no";
  return test;
}

/// Expects that `code` fails, with `expected` in the message; "@WGMMA", "@COPY" and "@STORE" stand
/// for the lines of the first of these instructions.
void expectError(const WarpgroupCase &test, const std::string &code, std::string expected,
                 uint64_t seed = 0) {
  std::string text = kernelOf(code);
  auto replace = [&](const std::string &mark, const std::string &instruction) {
    size_t at = expected.find(mark), found = text.find(instruction);
    if (at == std::string::npos || found == std::string::npos)
      return;
    auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(found), '\n') + 1;
    expected.replace(at, mark.size(), std::to_string(line));
  };
  replace("@WGMMA", "wgmma.mma_async");
  replace("@STORE", "st.shared.b32");
  replace("@COPY", "cp.async.ca");
  std::string error = simulateGroup(test, code, nullptr, seed);
  EXPECT_NE(error.find(expected), std::string::npos) << error << "\ninstead of: " << expected;
}

TEST(WarpgroupErrors, RegistersInFlight) {
  WarpgroupCase test = smallCase();
  std::string code = prepareAll(test) + multiply(test) + kCommit;
  expectError(test, code + "add.f32 %x, %d3, 0f00000000;",
              " of CTA (0, 0, 0) reads register %d3 while the wgmma of line @WGMMA is in "
              "flight: add.f32 %x, %d3, 0f00000000;");
  expectError(test, code + "st.global.b32 [%p], %d2;",
              "reads register %d2 while the wgmma of line @WGMMA is in flight");
  expectError(test, code + "add.f32 %d1, %x0, %x1;",
              "writes register %d1 while the wgmma of line @WGMMA is in flight");
  expectError(test, code + "mov.b32 %d1, 0;", "writes register %d1 while the wgmma of line @WGMMA");
  expectError(test, code + "mov.b32 %d1, %x0;",
              "writes register %d1 while the wgmma of line @WGMMA");
  // A copy is in flight as long as what it was copied from.
  expectError(test, code + "mov.b32 %c, %d1;\nadd.f32 %x, %c, %c;",
              "reads register %c while the wgmma of line @WGMMA is in flight");
  EXPECT_EQ(simulateGroup(test, code + "mov.b32 %c, %d1;\n" + kWait + "add.f32 %x, %c, %c;"), "");
  // Of two groups, one is waited for; a product that is not committed is not.
  expectError(test,
              code + multiply(test, "%e") + kCommit +
                  "wgmma.wait_group.sync.aligned 1;\nadd.f32 %x, %d1, %e1;",
              "reads register %e1 while");
  expectError(test, code + multiply(test, "%e") + kWait + "add.f32 %x, %d1, %e1;",
              "reads register %e1 while");
}

TEST(WarpgroupErrors, FactorsInFlight) {
  WarpgroupCase test = smallCase();
  test.leftInRegisters = true;
  std::string code = prepareAll(test) + multiply(test) + kCommit;
  expectError(test, code + "mov.b32 %a2, 0;",
              "writes register %a2 while the wgmma of line @WGMMA is in flight");
  expectError(test, code + "xor.b32 %x, %a2, 1;",
              "reads register %a2 while the wgmma of line @WGMMA is in flight");
  EXPECT_EQ(simulateGroup(test, code + multiply(test, "%e") + kCommit + kWait), "");
  // Results as a factor, and a factor as results.
  expectError(test, code + multiply(test, "%a"), "writes register %a0 while");
  WarpgroupCase other = test;
  other.n = 8;
  std::string chain = code;
  for (uint32_t reg = 0; reg < 4; ++reg)
    chain += "mov.b32 %a" + std::to_string(reg) + ", %d" + std::to_string(reg) + ";\n";
  expectError(test, chain, "writes register %a0 while");
  std::string renamed = multiply(other);
  renamed.replace(renamed.find("{%a0, %a1, %a2, %a3}"), 20, "{%d0, %d1, %d2, %d3}");
  renamed.replace(renamed.find("{%d0"), 4, "{%f0");
  expectError(test, code + renamed, "reads register %d0 while");
  // Another shape does not accumulate in order.
  expectError(test, code + multiply(other), "writes register %d0 while");
}

TEST(WarpgroupErrors, ResultsBecomeFactors) {
  WarpgroupCase test = smallCase();
  test.types = "f16.f16.f16";
  std::string code = prepareAll(test) + multiply(test, "%a") + kCommit + kWait;
  test.leftInRegisters = true;
  std::string twice = multiply(test) + multiply(test, "%e") + kCommit;
  EXPECT_EQ(simulateGroup(test, code + kFence + twice + kWait), "");
  expectError(test, code + twice,
              "multiplies with register %a0, written at line @WGMMA, without wgmma.fence");
}

TEST(WarpgroupErrors, FencesOfRegisters) {
  WarpgroupCase test = smallCase();
  std::string prefix = prepare(test) + "fence.proxy.async;\nbar.sync 0;\n";
  expectError(test, prefix + multiply(test), "multiplies before the first wgmma.fence: wgmma");
  expectError(test, prefix + kFence + "mov.b32 %d5, 0;\n" + multiply(test),
              "multiplies with register %d5, written at line ");
  std::string again = prefix + kFence + multiply(test) + kCommit + kWait;
  EXPECT_EQ(simulateGroup(test, again + multiply(test) + kCommit + kWait), "");
  expectError(test, again + "add.f32 %d1, %d1, %d1;\n" + multiply(test),
              "without wgmma.fence in between");
  WarpgroupCase other = test;
  other.n = 8;
  expectError(test, again + multiply(other),
              "multiplies with register %d0, written at line @WGMMA, without wgmma.fence");
  EXPECT_EQ(simulateGroup(test, again + kFence + multiply(other) + kCommit + kWait), "");
  test.leftInRegisters = true;
  expectError(test, prefix + kFence + "mov.b32 %a1, 0;\n" + multiply(test),
              "multiplies with register %a1, written at line ");
}

TEST(WarpgroupErrors, ProxyFences) {
  WarpgroupCase test = smallCase();
  std::string store = "st.shared.b32 [%to], 0;\n", fence = "fence.proxy.async;\n",
              barrier = "bar.sync 0;\n";
  std::string begin = prepare(test) + fence + barrier,
              end = kFence + multiply(test) + kCommit + kWait;
  std::string expected =
      "reads what line @STORE wrote without fence.proxy.async by the thread that "
      "wrote it, and then a barrier, in between (byte ";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(simulateGroup(test, begin + store + fence + barrier + end, nullptr, seed), "");
    expectError(test, begin + store + barrier + end, expected, seed);
    // Too early, too late, of another proxy, of some threads.
    expectError(test, begin + fence + store + barrier + end, expected, seed);
    expectError(test, begin + store + barrier + fence + end, expected, seed);
    expectError(test, begin + store + "fence.proxy.async.global;\n" + barrier + end, expected,
                seed);
    expectError(test,
                begin + store + "setp.lt.u32 %some, %tid.x, 16;\n@%some " + fence + barrier + end,
                expected, seed);
  }
  // One thread may write and execute the fence alone.
  std::string alone = "setp.eq.b32 %one, %tid.x, 40;\n@%one " + store + "@%one " + fence + barrier;
  EXPECT_EQ(simulateGroup(test, begin + alone + end), "");
}

TEST(WarpgroupErrors, CopiesNeedNoProxyFence) {
  WarpgroupCase test = smallCase();
  std::string start =
                  "cp.async.ca.shared.global [%to+16384], [%from], 16;\ncp.async.commit_group;\n",
              wait = "cp.async.wait_group 0;\n", fence = "fence.proxy.async;\n",
              barrier = "bar.sync 0;\n";
  std::string begin = prepare(test) + fence + barrier,
              end = kFence + multiply(test) + kCommit + kWait;
  EXPECT_EQ(simulateGroup(test, begin + start + wait + barrier + end), "");
  expectError(test, begin + start + barrier + end,
              "reads what a copy on its way will write (byte ");
  expectError(test, begin + start + wait + end,
              "reads what line @COPY wrote without a barrier in between");
  // A copy to where a product reads.
  expectError(test, begin + kFence + multiply(test) + kCommit + start,
              "writes what the wgmma of line @WGMMA reads, which is in flight");
}

TEST(WarpgroupErrors, Barriers) {
  WarpgroupCase test = smallCase();
  std::string product = kFence + multiply(test) + kCommit + kWait;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    expectError(test, prepare(test) + "fence.proxy.async;\n" + product,
                " wrote without a barrier in between (byte ", seed);
    // Only the same warp's rows of the left factor may be overwritten without a barrier.
    std::string error = simulateGroup(
        test, prepareAll(test) + product + "st.shared.b32 [%to+16384], 0;", nullptr, seed);
    EXPECT_TRUE(error.find("overwrites what another thread reads without a barrier") !=
                    std::string::npos ||
                error.find(" reads, which is in flight") != std::string::npos ||
                error.find(" wrote without a barrier in between") != std::string::npos)
        << error;
    EXPECT_EQ(simulateGroup(
                  test, prepareAll(test) + product + "bar.sync 0;\nst.shared.b32 [%to+16384], 0;",
                  nullptr, seed),
              "");
  }
}

TEST(WarpgroupErrors, SlotsInFlight) {
  WarpgroupCase test = smallCase();
  std::string code = prepareAll(test) + multiply(test) + kCommit;
  for (const char *store : {"st.shared.b32 [%to+16384], 0;", "red.shared.add.u32 [%to+16384], 1;",
                            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%to+16384], {%x0};"})
    expectError(test, code + "bar.sync 0;\n" + store + kWait,
                "writes what the wgmma of line @WGMMA reads, which is in flight (byte ");
  EXPECT_EQ(simulateGroup(test, code + "bar.sync 0;\nld.shared.b32 %x, [%to];\n" + kWait), "");
}

TEST(WarpgroupErrors, Ends) {
  WarpgroupCase test = smallCase();
  std::string code = prepareAll(test) + multiply(test);
  expectError(test, code, "ends while the wgmma of line @WGMMA is in flight: ret;");
  expectError(test, code + kCommit, "ends while the wgmma of line @WGMMA is in flight: ret;");
  EXPECT_EQ(simulateGroup(test, code + kCommit + kWait), "");
}

TEST(WarpgroupErrors, Descriptors) {
  WarpgroupCase test = smallCase();
  auto withDescriptor = [&](const std::string &change) {
    return prepareAll(test) + change + ";\n" + multiply(test) + kCommit + kWait;
  };
  expectError(test, withDescriptor("add.s64 %db, %db, 8"),
              "has a descriptor of matrix B that is not aligned for its swizzle of 128 bytes");
  expectError(test, withDescriptor("add.s64 %da, %da, 7"),
              "has a descriptor of matrix A that is not aligned for its swizzle of 128 bytes");
  expectError(test, withDescriptor("add.s64 %db, %db, 2048"),
              "is outside of shared memory (byte 53248, matrix B): wgmma.mma_async");
  expectError(test, withDescriptor("sub.s64 %da, %da, 320"),
              "uses 0, which is no address in shared memory (matrix A): wgmma.mma_async");
  expectError(test, withDescriptor("or.b64 %da, %da, 562949953421312"),
              "has a descriptor of matrix A with a base offset, which is not simulated");
  expectError(test, withDescriptor("or.b64 %da, %da, 32768"),
              "has a descriptor of matrix A with bits that mean nothing: 0x");
  expectError(test, withDescriptor("cvt.u64.u32 %t, %laneid;\nadd.s64 %da, %da, %t"),
              " of CTA (0, 0, 0) multiplies with other operands than its warp");
  test.rightTransposed = true;
  expectError(test, withDescriptor("add.s64 %db, %db, 7"),
              "has a descriptor of matrix B that is not aligned for its swizzle of 128 bytes");
  test.leftScale = 2;
  expectError(test, withDescriptor("mov.b32 %t, 0"), "scales by 2, which is not 1 or -1");
}

TEST(WarpgroupErrors, Threads) {
  WarpgroupCase test = smallCase();
  std::vector<uint8_t> data = dataOf(test);
  std::string error = simulate(prepareAll(test) + multiply(test), data.data(), data.size(), 64);
  EXPECT_NE(error.find("is in a warpgroup of fewer than four warps"), std::string::npos) << error;
  std::string some = prepareAll(test) + "setp.ne.b32 %some, %laneid, 3;\n@%some " + multiply(test);
  expectError(test, some, "multiplies without some of its warp");
  // Descriptors and the number of products are the same in all warps.
  std::string change = "cvt.u64.u32 %t, %warpid;\nshl.b64 %t, %t, 6;\nadd.s64 %db, %db, %t;\n";
  expectError(test, prepareAll(test) + change + multiply(test) + kCommit + kWait,
              "multiplies otherwise than another warp of its group at line @WGMMA");
  std::string first = "setp.eq.b32 %rest, %warpid, 0;\n@%rest bra $end;\n";
  std::string missing =
      simulateGroup(test, prepareAll(test) + first + multiply(test) + kCommit + kWait + "$end:\n");
  EXPECT_TRUE(missing.find("multiplies without warp 0 of its group") != std::string::npos ||
              missing.find("ends without the wgmma of line ") != std::string::npos)
      << missing;
}

TEST(WarpgroupErrors, Opcodes) {
  for (const char *instruction :
       {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%a}, %b, %c, %d, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%a0, %a1}, %b, %c, %d, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%a, %b, %c, %d}, %e, %f, %g, 1, 1, "
        "0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%a, %b, %c, %d}, %e, %f, %g, 1, 1;",
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {%a, %b, %c, %d}, %e, %f, %g, 1, 1, "
        "0, 0;"}) {
    std::string error = simulate(instruction, nullptr, 0, 128);
    EXPECT_NE(error.find("the simulator does not know 'wgmma.mma_async"), std::string::npos)
        << error;
  }
}

} // namespace
