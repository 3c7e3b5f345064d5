//===- SimulatorTest.cpp - Reading PTX, threads and barriers ----*- C++ -*-===//

#include "SimulatorTest.h"

using namespace tilec;
using namespace tilec::test;

std::string tilec::test::kernelOf(const std::string &code) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n"
         ".visible .entry kernel(.param .u64 .ptr .global .align 1 kernel_param_0)\n"
         ".reqntid 32\n{\n.reg .b64 %p;\n.shared .align 1024 .b8 buffer[4096];\n"
         "ld.param.b64 %p, [kernel_param_0];\n" +
         code + "\nret;\n}\n";
}

std::string tilec::test::simulate(const std::string &code, void *data, uint64_t bytes,
                                  uint32_t threads, uint64_t seed, uint32_t programs,
                                  uint32_t clusterSize) {
  auto kernel = SimulatedKernel::load(kernelOf(code), "kernel");
  if (!kernel)
    return llvm::toString(kernel.takeError());
  uint64_t arguments[] = {reinterpret_cast<uintptr_t>(data)};
  MemoryRange memory[] = {{data, bytes}};
  SimulatedLaunch launch;
  launch.grid = {programs, 1, 1};
  launch.block[0] = threads;
  launch.clusterSize = clusterSize;
  launch.arguments = arguments;
  launch.memory = memory;
  launch.seed = seed;
  launch.maxInstructions = 100000;
  return llvm::toString((*kernel)->run(launch));
}

std::vector<uint32_t> tilec::test::valuesOf(const std::string &code, uint32_t threads) {
  std::vector<uint32_t> values(threads, 0xdeadbeef);
  std::string prefix = "mul.wide.u32 %offset, %tid.x, 4;\nadd.s64 %out, %p, %offset;\n";
  EXPECT_EQ(simulate(prefix + code, values.data(), values.size() * 4, threads), "");
  return values;
}

uint32_t tilec::test::resultOf(const std::string &code) {
  return valuesOf(code + "\nst.global.b32 [%out], %r;").front();
}

namespace {

std::string errorOf(const std::string &code, uint32_t threads = 32, uint64_t seed = 0) {
  uint32_t data[64] = {};
  return simulate(code, data, sizeof(data), threads, seed);
}

TEST(Simulator, KnowsThreads) {
  std::vector<uint32_t> values = valuesOf("st.global.b32 [%out], %tid.x;", 100);
  for (uint32_t thread = 0; thread < 100; ++thread)
    EXPECT_EQ(values[thread], thread);
  EXPECT_EQ(resultOf("mov.u32 %r, %ntid.x;"), 32U);
}

TEST(Simulator, FollowsBranchesOfLanes) {
  // The number of steps to 1 of the Collatz sequence: lanes part and meet again.
  std::vector<uint32_t> values = valuesOf(R"(
    add.s32 %n, %tid.x, 1;
    mov.b32 %steps, 0;
$head:
    setp.eq.b32 %done, %n, 1;
    @%done bra $end;
    and.b32 %odd, %n, 1;
    setp.eq.b32 %isOdd, %odd, 1;
    @%isOdd bra $triple;
    shr.u32 %n, %n, 1;
    bra.uni $next;
$triple:
    mad.lo.s32 %n, %n, 3, 1;
$next:
    add.s32 %steps, %steps, 1;
    bra.uni $head;
$end:
    bar.warp.sync -1;
    st.global.b32 [%out], %steps;)");
  for (uint32_t thread = 0; thread < 32; ++thread) {
    uint32_t steps = 0;
    for (uint64_t n = thread + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
      ++steps;
    EXPECT_EQ(values[thread], steps);
  }
}

TEST(Simulator, TakesTablesOfLabels) {
  std::vector<uint32_t> values = valuesOf(R"(
    and.b32 %i, %tid.x, 1;
    $table: .branchtargets $first, $second;
    brx.idx %i, $table;
$first:
    mov.b32 %r, 10;
    bra.uni $end;
$second:
    mov.b32 %r, 20;
$end:
    st.global.b32 [%out], %r;)");
  EXPECT_EQ(values[0], 10U);
  EXPECT_EQ(values[1], 20U);
}

TEST(Simulator, InnerBlocksHideRegisters) {
  EXPECT_EQ(resultOf("mov.b32 %r1, 1;\nmov.b32 t, 2;\n"
                     "{ .reg .b32 %r<2>, t; mov.b32 %r1, 10; { .reg .b32 t; mov.b32 t, 20; }\n"
                     "mov.b32 t, %r1; add.s32 sum, t, 100; }\n"
                     "{ .reg .b32 t; mov.b32 t, 1000; add.s32 sum, sum, t; }\n"
                     "add.s32 %r, %r1, t;\nadd.s32 %r, %r, sum;"),
            1113U);
}

TEST(Simulator, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(errorOf("vadd4.u32 %r, 1, 2, 3;"),
            "PTX line 10: the simulator does not know 'vadd4.u32'");
  auto missing = SimulatedKernel::load(kernelOf(""), "other");
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(llvm::toString(missing.takeError()), "the PTX has no kernel 'other'");
}

/// The error of a module that has `item` before the kernel.
std::string errorOfModule(const std::string &item, const std::string &parameter = "") {
  std::string text = kernelOf("");
  text.insert(text.find(".visible"), item + "\n");
  if (!parameter.empty())
    text.replace(text.find(".param"), text.find(')') - text.find(".param"), parameter);
  auto kernel = SimulatedKernel::load(text, "kernel");
  return kernel ? "" : llvm::toString(kernel.takeError());
}

TEST(Simulator, SaysWhatItCannotRead) {
  struct Case {
    const char *code, *error;
  };
  for (auto [code, error] : {
           Case{"add.s32 %r, 1x, 2;", "the simulator cannot read the number '1x'"},
           Case{"mov.b32 %r, 0fXYZ;", "the simulator cannot read the number '0fXYZ'"},
           Case{"add.s32 %r, , 2;", "expected an operand"},
           Case{"ld.global.b32 %r, [%p+x];", "expected an offset"},
           Case{"ld.global.b32 %r, [%p;", "expected ']'"},
           Case{"mov.b32 {%r, %q, 1;", "expected the end of the list"},
           Case{"$t: .branchtargets $a, $b bra $a;", "expected ';'"},
           Case{"{ .reg .b32 %r<x>; }", "expected the number of registers"},
           Case{"bra $nowhere;", "the PTX has no label $nowhere"},
           Case{".local .b8 a[8];\n.local .b8 b[8];",
                "the simulator takes one variable in local memory"},
       }) {
    std::string found = errorOf(code);
    EXPECT_NE(found.find(error), std::string::npos) << code << " gives: " << found;
  }
  EXPECT_EQ(errorOfModule(".alias f, g;"),
            "PTX line 4: the simulator cannot read this declaration");
  EXPECT_EQ(errorOfModule(".global .b32 x[2] = {1, y};"),
            "PTX line 4: the simulator cannot read 'y'");
  EXPECT_EQ(errorOfModule(".global .b32 x[1] = {1, 2};"),
            "PTX line 4: there are more elements than the variable has");
  EXPECT_EQ(errorOfModule("", ".param .align 64 .b8 map[256]"),
            "PTX line 5: the simulator takes parameters of one number, or of a tensor map");
  EXPECT_EQ(errorOfModule(".global .b8 text[3] = {104, 105};"), "");
}

TEST(Simulator, ChecksLaunches) {
  auto kernel = llvm::cantFail(SimulatedKernel::load(kernelOf(""), "kernel"));
  EXPECT_EQ(kernel->staticSharedBytes(), 4096U);
  SimulatedLaunch launch;
  EXPECT_EQ(llvm::toString(kernel->run(launch)), "the kernel takes 1 arguments, found 0");
  uint64_t argument = 0;
  launch.arguments = argument;
  launch.block[0] = 1025;
  EXPECT_EQ(llvm::toString(kernel->run(launch)), "a CTA has 1 to 1024 threads, not 1025");
  launch.block[0] = 32;
  launch.clusterSize = 2;
  EXPECT_EQ(llvm::toString(kernel->run(launch)), "the grid is not one of whole clusters");
  launch.clusterSize = 1;
  EXPECT_EQ(llvm::toString(kernel->run(launch)), "");
}

TEST(Simulator, FindsLoopsWithoutEnd) {
  EXPECT_EQ(errorOf("$head:\nbra.uni $head;"),
            "PTX line 11: thread 0 of CTA (0, 0, 0) does not come to an end: bra.uni $head;");
}

TEST(Simulator, FindsBarriersThatNobodyOpens) {
  // The second warp waits at another barrier.
  EXPECT_EQ(errorOf("mov.u32 %w, %warpid;\nbar.sync %w, 64;", 64),
            "warp 0 of CTA (0, 0, 0) waits at a barrier for warps that do not come");
  // Half a warp waits for lanes that have ended at the other place.
  std::string text =
      errorOf("setp.lt.u32 %q, %tid.x, 16;\n@%q bra $a;\nbar.warp.sync 65535;\nret;\n"
              "$a:\nbar.warp.sync -65536;");
  EXPECT_NE(text.find("waits for lanes that do not come"), std::string::npos) << text;
}

TEST(Simulator, MovesRegisters) {
  EXPECT_EQ(
      errorOf("setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 232;", 64), "");
  std::string text = errorOf("setmaxnreg.dec.sync.aligned.u32 42;");
  EXPECT_NE(text.find("asks for a number of registers that there is not"), std::string::npos)
      << text;
}

TEST(Simulator, FailsWithAssertions) {
  std::string text = errorOf("call.uni __assertfail, (%zero, %zero, 7, %zero, 1);");
  EXPECT_NE(text.find("thread 0 of CTA (0, 0, 0) :7: assertion failed: "), std::string::npos)
      << text;
}

TEST(Simulator, RunsClusters) {
  // Each CTA writes its rank to the next one's shared memory.
  uint32_t data[4] = {};
  std::string code = R"(
    mov.b64 %own, buffer;
    add.s32 %next, %cluster_ctarank, 1;
    and.b32 %next, %next, 3;
    mapa.shared::cluster.u64 %theirs, %own, %next;
    setp.eq.b32 %first, %tid.x, 0;
    @%first st.shared::cluster.b32 [%theirs], %cluster_ctarank;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mul.wide.u32 %offset, %ctaid.x, 4;
    add.s64 %out, %p, %offset;
    ld.shared.b32 %r, [buffer];
    @%first st.global.b32 [%out], %r;)";
  EXPECT_EQ(simulate(code, data, sizeof(data), 32, 0, 4, 4), "");
  for (uint32_t cta = 0; cta < 4; ++cta)
    EXPECT_EQ(data[cta], (cta + 3) % 4);
  std::string relaxed = code;
  relaxed.replace(relaxed.find("arrive"), 6, "arrive.relaxed");
  EXPECT_NE(simulate(relaxed, data, sizeof(data), 32, 0, 4, 4).find("without a barrier"),
            std::string::npos);
}

} // namespace
