//===- Tuning.h - The numbers that heuristics use ---------------*- C++ -*-===//
//
// Every number that was chosen because code ran faster with it, in one place: what it counts, and
// where it is from. What the hardware or the language prescribes is in GpuArch.h instead, and
// bounds on the time of a search stay with the search.
//
// Origin, unless a comment says otherwise: chosen by measuring on one H200 on 2026-11-21 and 22,
// CUDA 13.0 (driver 580.159.04), with softmax and GELU over all shapes of tilec-bench and with the
// kernels of test/Kernels (docs/performance.md has the machine and the figures). They are used for
// every architecture until somebody measures another one: GpuArch::tuning() then chooses.
//
// Units: "elements" are those of one tile in one thread, "bytes" those of one thread, unless said
// otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ARCH_TUNING_H
#define TILEC_ARCH_TUNING_H

#include <cstddef>
#include <cstdint>

namespace tilec {

/// How many warps and CTAs work on a program (tile-choose-launch), and which tiles are streamed.
struct LaunchTuning {
  /// Warps of a CTA at most: more of them wait for each other longer than their loads take.
  int64_t mostWarps = 16;
  /// Warps of a program whose author does not say. Not measured: it is Triton's default, which
  /// people try their kernels with.
  int64_t defaultWarps = 4;
  /// Bytes in memory that a thread loads of the largest tile: where it reduces, so that lanes and
  /// warps combine rarely; where it does not, two accesses; and in each iteration of a loop that
  /// waits for them.
  int64_t bytesReduced = 64;
  int64_t bytesMapped = 32;
  int64_t bytesWalked = 32;
  /// Bounds on the elements that these bytes are: at least, and at most in each of the three cases;
  /// of elements of one byte, the last one is twice as many.
  int64_t leastElements = 4;
  int64_t mostReduced = 32;
  int64_t mostMapped = 16;
  int64_t mostWalked = 8;
  /// Elements of a thread that does so before a program gets more than the default number of warps,
  /// unless elements are reduced that take less than two registers.
  int64_t mostOfDefault = 32;
  /// Elements that the registers of a thread hold well: of 4 bytes, and of fewer, which take as
  /// many registers once they are extended, but bring half as many bytes under way.
  int64_t heldElements = 64;
  int64_t heldNarrowElements = 32;
  /// Elements of a CTA up to which holding them is faster than streaming: of 4 bytes, and of fewer.
  int64_t mostHeld = 32768;
  int64_t mostHeldNarrow = 8192;
  /// The latter where nothing reduces: in pieces, each store would compute everything again.
  int64_t mostHeldMapped = 16384;
  /// Elements of a thread in a cluster that holds them.
  int64_t clusterElements = 32;
  /// Where tiles are streamed: elements of a thread, and elements and warps of a CTA in a cluster.
  int64_t streamedElements = 128;
  int64_t streamedCTAElements = 16384;
  int64_t streamWarps = 8;
  /// Bytes of the largest tile that a CTA of a cluster reads if it keeps none.
  int64_t readCTABytes = 64 * 1024;
  /// Registers of a thread above which tiles that are read once are worked through in pieces, even
  /// if the registers would hold each of them.
  int64_t heldRegisters = 128;
  /// Elements of a tile, in all threads, below which streaming is not worth it.
  int64_t leastStreamed = 2048;
  /// Bytes of a CTA's shared memory with which three are resident on a multiprocessor of 228 KiB;
  /// where one takes more, it needs more warps.
  int64_t sharedOfThree = 64 * 1024;
  /// Copies of kMaxAccessBytes that a thread has under way where a streamed tile does not wait in
  /// shared memory.
  uint64_t copiesAhead = 4;
  /// Elements of a thread where each is an access of its own, whose latency other threads hide, or
  /// neighbours in the cache.
  int64_t narrowElements = 4;
  /// Elements of a thread that a loop loads and carries.
  int64_t accumulatedElements = 16;
  /// Elements of a thread that scans, at least and at most. The most where other programs wait for
  /// this one, which is done sooner if its warps do not wait for each other.
  int64_t leastOfScan = 16;
  int64_t mostOfScan = 32;
  /// Elements of a thread where tiles are split at least so many times over: with twice as many,
  /// a quarter fewer exchanges between threads are left, and they are most of the work.
  int64_t splitElements = 16;
  unsigned manySplits = 8;
};

/// Which layouts tiles get (tile-assign-layouts).
struct LayoutTuning {
  /// What it costs to have a value in another layout through shared memory, a few elements a
  /// thread: writing them, waiting for all warps, reading them. In memory transactions of a warp,
  /// as the cost of an access is counted.
  int64_t exchangeCost = 16;
  /// An access in another layout is nearly as cheap if it costs at most so much of what it costs in
  /// its own, in quarters.
  int64_t nearlyAsCheapQuarters = 5;
  /// Elements between neighbours of a tile whose pointers are computed, where nothing else is known
  /// of them; and the largest factor that makes a stride of such a size. An estimate from the
  /// kernels of test/Kernels, not a time.
  int64_t likelyStride = 4;
  int64_t mostSmallStride = 8;
  /// Neighbouring elements that one thread scans alone at most, before its warp shares the work.
  int64_t mostScannedAlone = 16;
  /// Neighbouring elements of the last axis that one thread reduces before lanes combine.
  int64_t mostReducedAlone = 8;
  /// Bytes of an access below which it is not worth its instruction.
  int64_t leastAccessBytes = 4;
  /// Narrow accesses decide for a group of loads if this part of the cost is saved at least: one in
  /// so many.
  int64_t leastGain = 4;
  /// Elementwise operations behind a reduction from which on a value is not rematerialized.
  unsigned mostFreeSteps = 6;
};

/// Which loads start early (tile-prefetch-loads, tile-hoist-loads), and what waiting costs.
struct LoadTuning {
  /// Bytes of a thread that a loop carries at most from one iteration to the next, elements of less
  /// than a register counted as the registers that they are computed in: more of them cost resident
  /// programs, which wait for memory in each other's stead.
  int64_t mostBytesCarried = 64;
  /// Bytes of a thread and iteration below which ptxas unrolls a loop that stands alone, and so has
  /// the loads of four iterations under way.
  int64_t leastBytesCarried = 32;
  /// Operations that are rematerialized for the next iteration at most: each costs an instruction
  /// or more in every iteration.
  size_t mostRemade = 64;
  /// Bytes of a thread that go ahead of an exchange at most: they are in registers while the
  /// threads wait.
  int64_t mostBytesAhead = 96;
  /// Shared memory of a CTA that may be spent to save barriers: so many bytes, or one in so many of
  /// those that are taken anyway. Beyond it, places are used again.
  int64_t barrierBudgetBytes = 8 * 1024;
  int64_t barrierBudgetShare = 8;
};

/// What the back end does for ptxas. Registers are estimates of estimateRegisters().
struct CodeTuning {
  /// Iterations of a loop that is unrolled whole: ptxas unrolls longer ones.
  unsigned mostUnrolled = 8;
  /// Comparisons with one bound that pay for computing the difference to it.
  size_t leastComparisons = 4;
  /// Instructions that are computed together for one access, in the old order.
  unsigned groupSize = 256;
  /// Instructions of a later access that are looked at.
  unsigned mostShared = 512;
  /// Registers of a thread with which as many threads are resident as there can be, or half of
  /// them.
  unsigned fewRegisters = 48;
  /// Those above which less work at a time is worth that more threads are resident.
  unsigned manyRegisters = 64;
  /// What registers of a thread are rounded up to when they are allocated.
  uint64_t registerUnit = 8;
  /// Resident threads of a multiprocessor with which it is rarely idle, and the most blocks and
  /// threads that are asked for: with 32 registers each, as 2048 threads have, estimates are too
  /// coarse.
  uint64_t enoughThreads = 768;
  uint64_t mostBlocks = 16;
  uint64_t mostThreads = 1536;
  /// Resident threads below which one more block is worth that ptxas tries hard.
  uint64_t fewThreads = 512;
};

/// All of them.
struct GpuTuning {
  LaunchTuning launch;
  LayoutTuning layouts;
  LoadTuning loads;
  CodeTuning code;
};

} // namespace tilec

#endif // TILEC_ARCH_TUNING_H
