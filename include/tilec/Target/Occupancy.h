//===- Occupancy.h - How many blocks a multiprocessor holds -----*- C++ -*-===//
//
// The occupancy that follows from a kernel's resources and an architecture's limits, without a
// device. What a device really holds, the runtime asks the driver.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_OCCUPANCY_H
#define TILEC_TARGET_OCCUPANCY_H

#include "tilec/Arch/GpuArch.h"

#include <array>
#include <string>

namespace tilec {

/// What one block takes of a multiprocessor.
struct BlockResources {
  /// Threads of the block; at least 1.
  unsigned threads = 1;
  /// Registers of a thread.
  unsigned registers = 0;
  /// Bytes of shared memory, static and dynamic together.
  unsigned sharedBytes = 0;
};

/// What can be the first to run out.
enum class OccupancyLimit { Threads, Blocks, Registers, SharedMemory };

/// "threads", "CTAs", "registers", "shared memory".
llvm::StringRef occupancyLimitName(OccupancyLimit limit);

/// What a multiprocessor holds at once.
struct TheoreticalOccupancy {
  /// Blocks that each resource allows, by OccupancyLimit. A block without registers or shared
  /// memory is not limited by them: the number is UINT_MAX.
  std::array<unsigned, 4> blocksBy{};
  /// Blocks that all of them allow; 0 when not even one fits.
  unsigned blocksPerSM = 0;
  unsigned warpsPerSM = 0;
  unsigned maxWarpsPerSM = 0;

  /// Resident warps in percent of the most that there can be.
  double percent() const { return maxWarpsPerSM ? 100.0 * warpsPerSM / maxWarpsPerSM : 0; }
  /// Whether \p limit allows no more blocks than there are.
  bool isLimitedBy(OccupancyLimit limit) const {
    return blocksBy[static_cast<size_t>(limit)] == blocksPerSM;
  }
  /// The limits that are reached, for people: "registers and shared memory".
  std::string limits() const;
};

/// The occupancy of blocks that take \p block on a multiprocessor of \p arch.
TheoreticalOccupancy computeOccupancy(const GpuArch &arch, const BlockResources &block);

} // namespace tilec

#endif // TILEC_TARGET_OCCUPANCY_H
