//===- OccupancyTest.cpp - Tests of the occupancy calculation ---*- C++ -*-===//
//
// By hand for cases whose numbers are in the CUDA documentation, and, where the toolkit's own
// calculator is at hand, against it for many.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Occupancy.h"

#include "gtest/gtest.h"

#include <climits>

using namespace tilec;

static GpuArch arch(llvm::StringRef name) { return llvm::cantFail(GpuArch::parse(name)); }

static std::string limitsOf(llvm::StringRef name, const BlockResources &block) {
  return computeOccupancy(arch(name), block).limits();
}

TEST(OccupancyTest, CountsWarps) {
  TheoreticalOccupancy result = computeOccupancy(arch("sm_90"), {256, 32, 0});
  EXPECT_EQ(result.blocksPerSM, 8u);
  EXPECT_EQ(result.warpsPerSM, 64u);
  EXPECT_EQ(result.maxWarpsPerSM, 64u);
  EXPECT_EQ(result.percent(), 100);
  EXPECT_EQ(result.limits(), "threads and registers");
  // A warp that is not full is a warp.
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {33, 16, 0}).warpsPerSM, 64u);
}

TEST(OccupancyTest, NamesWhatRunsOutFirst) {
  EXPECT_EQ(limitsOf("sm_90", {128, 24, 0}), "threads");
  EXPECT_EQ(limitsOf("sm_90", {32, 24, 0}), "CTAs");
  EXPECT_EQ(limitsOf("sm_90", {128, 128, 0}), "registers");
  EXPECT_EQ(limitsOf("sm_90", {128, 32, 100 * 1024}), "shared memory");
  EXPECT_EQ(limitsOf("sm_86", {128, 32, 6 * 1024 - 256}), "threads");
}

TEST(OccupancyTest, RoundsRegistersAndSharedMemoryUp) {
  // 33 registers are given as 40 and 41 as 48: 12 and 10 warps in a quarter of 16384.
  EXPECT_EQ(computeOccupancy(arch("sm_80"), {32, 40, 0}).blocksBy[2], 48u);
  EXPECT_EQ(computeOccupancy(arch("sm_80"), {32, 33, 0}).blocksBy[2], 48u);
  EXPECT_EQ(computeOccupancy(arch("sm_80"), {32, 41, 0}).blocksBy[2], 40u);
  // With the reserve of 1 KiB a block takes 2 KiB, then 128 bytes more.
  EXPECT_EQ(computeOccupancy(arch("sm_80"), {32, 16, 1024}).blocksBy[3], 82u);
  EXPECT_EQ(computeOccupancy(arch("sm_80"), {32, 16, 1025}).blocksBy[3], 77u);
  // sm_75 reserves nothing.
  EXPECT_EQ(computeOccupancy(arch("sm_75"), {32, 16, 0}).blocksBy[3], UINT_MAX);
  EXPECT_EQ(computeOccupancy(arch("sm_75"), {32, 16, 32768}).blocksBy[3], 2u);
}

TEST(OccupancyTest, BlocksThatDoNotFit) {
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {1024, 65, 0}).blocksPerSM, 0u);
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {1024, 64, 0}).blocksPerSM, 1u);
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {1025, 8, 0}).blocksPerSM, 0u);
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {32, 8, 227 * 1024}).blocksPerSM, 1u);
  EXPECT_EQ(limitsOf("sm_90", {32, 8, 227 * 1024 + 1}), "shared memory");
  EXPECT_EQ(computeOccupancy(arch("sm_90"), {32, 8, 227 * 1024 + 1}).percent(), 0);
}

#if __has_include(<cuda_occupancy.h>)

#include <cuda_occupancy.h>

/// The blocks that NVIDIA's calculator finds on a multiprocessor.
static int blocksByCuda(const GpuArch &arch, const BlockResources &block) {
  cudaOccDeviceProp device{};
  device.computeMajor = int(arch.number() / 10);
  device.computeMinor = int(arch.number() % 10);
  device.maxThreadsPerBlock = int(arch.maxThreadsPerBlock());
  device.maxThreadsPerMultiprocessor = int(arch.maxThreadsPerSM());
  device.regsPerBlock = device.regsPerMultiprocessor = int(arch.registersPerSM());
  device.warpSize = int(arch.warpSize());
  device.sharedMemPerBlock = arch.defaultSharedPerBlock();
  device.sharedMemPerBlockOptin = arch.maxSharedPerBlock();
  device.sharedMemPerMultiprocessor = arch.sharedPerSM();
  device.reservedSharedMemPerBlock = arch.reservedSharedPerBlock();
  device.numSms = 1;
  cudaOccFuncAttributes function{};
  function.maxThreadsPerBlock = int(arch.maxThreadsPerBlock());
  function.numRegs = int(block.registers);
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = block.sharedBytes;
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  cudaOccError failure = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, int(block.threads), block.sharedBytes);
  return failure == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(OccupancyTest, AgreesWithTheToolkit) {
  unsigned compared = 0;
  for (const GpuArch &arch : GpuArch::all())
    for (unsigned threads : {1u, 32u, 64u, 96u, 128u, 160u, 256u, 384u, 512u, 768u, 1024u})
      for (unsigned registers = 1; registers <= 255; registers += 7)
        for (unsigned shared : {0u, 16u, 1000u, 4096u, 9000u, 20000u, 49152u, 65536u, 101376u})
          if (shared <= arch.maxSharedPerBlock()) {
            BlockResources block{threads, registers, shared};
            ASSERT_EQ(int(computeOccupancy(arch, block).blocksPerSM), blocksByCuda(arch, block))
                << arch.name() << ", " << threads << " threads, " << registers << " registers, "
                << shared << " bytes";
            ++compared;
          }
  EXPECT_GT(compared, 10000u);
}

#else

TEST(OccupancyTest, AgreesWithTheToolkit) { GTEST_SKIP() << "built without cuda_occupancy.h"; }

#endif
