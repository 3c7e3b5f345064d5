//===- Occupancy.cpp - How many blocks a multiprocessor holds ---*- C++ -*-===//
//
// Each resource allows a number of blocks, and the smallest counts. Registers and shared memory are
// handed out in units, and the registers of a warp must come from one partition; both make the
// numbers smaller than a division of sums.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <climits>

using namespace llvm;
using namespace tilec;

StringRef tilec::occupancyLimitName(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Threads:
    return "threads";
  case OccupancyLimit::Blocks:
    return "CTAs";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("four limits");
}

std::string TheoreticalOccupancy::limits() const {
  std::string text;
  for (OccupancyLimit limit : {OccupancyLimit::Threads, OccupancyLimit::Blocks,
                               OccupancyLimit::Registers, OccupancyLimit::SharedMemory})
    if (isLimitedBy(limit))
      text += (text.empty() ? "" : " and ") + occupancyLimitName(limit).str();
  return text;
}

static unsigned blocksByRegisters(const GpuArch &arch, unsigned registers, unsigned warps) {
  if (registers == 0)
    return UINT_MAX;
  unsigned partitions = arch.partitionsPerSM();
  uint64_t perWarp = alignTo(uint64_t(registers) * arch.warpSize(), arch.registerAllocationUnit());
  // A launch is refused as if the block's warps filled all partitions evenly.
  if (registers > arch.maxRegistersPerThread() ||
      perWarp * alignTo(warps, partitions) > arch.registersPerSM())
    return 0;
  uint64_t warpsPerPartition = arch.registersPerSM() / partitions / perWarp;
  return warpsPerPartition * partitions / warps;
}

static unsigned blocksByShared(const GpuArch &arch, unsigned bytes) {
  if (bytes > arch.maxSharedPerBlock())
    return 0;
  uint64_t perBlock =
      alignTo(uint64_t(bytes) + arch.reservedSharedPerBlock(), arch.sharedAllocationUnit());
  return perBlock == 0 ? UINT_MAX : arch.sharedPerSM() / perBlock;
}

TheoreticalOccupancy tilec::computeOccupancy(const GpuArch &arch, const BlockResources &block) {
  unsigned warps = divideCeil(std::max(block.threads, 1u), arch.warpSize());
  TheoreticalOccupancy result;
  result.maxWarpsPerSM = arch.maxThreadsPerSM() / arch.warpSize();
  result.blocksBy = {block.threads > arch.maxThreadsPerBlock() ? 0 : result.maxWarpsPerSM / warps,
                     arch.maxBlocksPerSM(), blocksByRegisters(arch, block.registers, warps),
                     blocksByShared(arch, block.sharedBytes)};
  result.blocksPerSM = *std::min_element(result.blocksBy.begin(), result.blocksBy.end());
  result.warpsPerSM = result.blocksPerSM * warps;
  return result;
}
