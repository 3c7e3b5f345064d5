//===- Tuning.h - The numbers that heuristics use ---------------*- C++ -*-===//
//
// Every number that was chosen because code ran faster with it stands in this file, with what it
// counts and where it is from. Passes read the numbers through GpuArch::tuning(), so that another
// architecture can have other ones. What the hardware or the language prescribes is in GpuArch.h
// instead, and bounds on the time of a search stay with the search.
//
// Origin, unless a comment says otherwise: measured on one H200 on 2026-11-21 and 22, CUDA 13.0
// (driver 580.159.04), with softmax and GELU over all shapes of tilec-bench and with the kernels of
// test/Kernels (docs/performance.md has the machine and the figures). All architectures use these
// numbers until somebody measures another one.
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

/// How many warps and CTAs run a program (tile-choose-launch), and which tiles are streamed: worked
/// on piece by piece (tile-stream-tiles).
struct LaunchTuning {
  /// Warps of a CTA at most: with more, barriers cost more than the additional loads in flight
  /// gain.
  int64_t mostWarps = 16;
  /// Warps of a program whose author does not say. Not measured: it is Triton's default, with which
  /// most kernels are written.
  int64_t defaultWarps = 4;
  /// Bytes of the largest tile that a thread loads, by what the kernel does: it reduces, so few
  /// threads mean few exchanges; it does not, so two accesses suffice; it loads the tile in each
  /// iteration of a loop and waits for it.
  int64_t bytesReduced = 64;
  int64_t bytesMapped = 32;
  int64_t bytesWalked = 32;
  /// Bounds on the elements that these bytes are: the lower one for all three, and the upper one of
  /// each. The last one is doubled for elements of one byte.
  int64_t leastElements = 4;
  int64_t mostReduced = 32;
  int64_t mostMapped = 16;
  int64_t mostWalked = 8;
  /// Elements up to which a kernel without reductions keeps the default number of warps; above, it
  /// gets more. So do reductions whose elements take two registers; those of narrower elements get
  /// more warps at once.
  int64_t mostOfDefault = 32;
  /// Elements that a thread holds in registers without loss of occupancy: of 4 bytes and more, and
  /// of fewer, which take as many registers once they are extended, but bring half as many bytes
  /// into flight.
  int64_t heldElements = 64;
  int64_t heldNarrowElements = 32;
  /// Elements of a tile up to which one CTA that holds it in registers is faster than streaming: of
  /// 4 bytes and more; of fewer; of fewer in kernels without reductions, in which streaming would
  /// compute everything again for each store.
  int64_t mostHeld = 32768;
  int64_t mostHeldNarrow = 8192;
  int64_t mostHeldMapped = 16384;
  /// Elements of a thread, if a cluster holds the tile in registers.
  int64_t clusterElements = 32;
  /// Where tiles are streamed: elements of a thread in one CTA; in a cluster, elements and warps of
  /// each CTA.
  int64_t streamedElements = 128;
  int64_t streamedCTAElements = 16384;
  int64_t streamWarps = 8;
  /// Where tiles are streamed by a cluster and read only once, so that none is kept in shared
  /// memory: bytes of the largest tile for each CTA.
  int64_t readCTABytes = 64 * 1024;
  /// Registers of a thread that all tiles together would take above which they are streamed if each
  /// is read only once, even if each alone fits.
  int64_t heldRegisters = 128;
  /// Elements of a tile, in all threads, below which streaming is not worth it.
  int64_t leastStreamed = 2048;
  /// Bytes of shared memory of a CTA with which three are resident on a multiprocessor of 228 KiB.
  /// A CTA that takes more gets mostWarps, since fewer than three are resident.
  int64_t sharedOfThree = 64 * 1024;
  /// Accesses of kMaxAccessBytes that a thread has in flight for each piece, if no streamed tile is
  /// kept in shared memory.
  uint64_t copiesAhead = 4;
  /// Elements of a thread if each is an access of its own. Accesses far apart need other threads to
  /// hide their latency; where neighbours share cache lines, a thread may have more.
  int64_t narrowElements = 4;
  /// Elements of a thread in a loop that loads a tile, carries one as large, and reduces.
  int64_t accumulatedElements = 16;
  /// Elements of a thread that scans, at least and at most. A program with atomic operations gets
  /// the most: others may wait for it, and few warps wait for each other for a shorter time.
  int64_t leastOfScan = 16;
  int64_t mostOfScan = 32;
  /// Elements of a thread at least, if tiles are split manySplits times or more: compared with half
  /// as many elements, a quarter fewer exchanges between threads are left, and they are most of the
  /// work.
  int64_t splitElements = 16;
  unsigned manySplits = 8;
  /// Registers of a thread that the sums of products may fill: 192 are fastest in attention, 256
  /// spill. Factors that are computed take the place of the scores.
  int64_t mostProductRegisters = 224;
  /// Warps of a program that multiplies at most, and the elements of its largest tile in a thread
  /// from which on it has as many as by default.
  int64_t mostProductWarps = 8;
  int64_t leastProductElements = 8;
};

/// Several programs in a CTA (tile-pack-programs). Measured on one H200 on 2026-11-30, with softmax
/// and SiLU of rows of 128 to 1024 bf16 by 132 to 131072 programs (docs/performance.md): it starts
/// 1.6 CTAs a nanosecond, whatever their threads are.
struct PackTuning {
  /// Bytes that a program without loops loads and stores at most: with more, memory takes longer
  /// than the start of a CTA.
  int64_t mostBytes = 3072;
  /// Instructions of one warp for its arithmetic at most: with more, several warps are faster.
  int64_t mostInstructions = 2048;
  /// Threads of a CTA: fewer do not fill a multiprocessor, more start later together. And of
  /// programs with loops, which may take different times.
  int64_t threads = 128;
  int64_t threadsOfLoops = 64;
  /// Elements of a lane: of a program that reduces or scans, which is one warp; and of others.
  int64_t reducedElements = 16;
  int64_t mappedElements = 8;
  /// And of one with loops that was given more warps, which mostly repeat what one does.
  int64_t loopElements = 2;
  /// Programs for each multiprocessor from which on launches are packed; where a program then has
  /// fewer threads, and does not reduce: each takes longer; with loops; and with loops that more
  /// warps would repeat.
  int32_t least = 16;
  int32_t leastOfFewer = 24;
  int32_t leastOfLoops = 32;
  int32_t leastOfRepeated = 4;
};

/// Which layouts tiles get (tile-assign-layouts).
struct LayoutTuning {
  /// Cost of bringing a value into another layout through shared memory, a few elements a thread:
  /// stores, a barrier and loads. Its unit is that of AccessLayouts::cost(), memory transactions of
  /// a warp.
  int64_t exchangeCost = 16;
  /// An access in another layout counts as nearly as cheap if it costs at most this many quarters
  /// of what it costs in its own.
  int64_t nearlyAsCheapQuarters = 5;
  /// The stride, in elements, that is assumed between neighbours of a tile of pointers if the
  /// arithmetic that computes them does not show one; and the largest constant factor in that
  /// arithmetic that counts as such a small stride. Estimated from the kernels of test/Kernels, not
  /// measured.
  int64_t likelyStride = 4;
  int64_t mostSmallStride = 8;
  /// An argument with this divisor is taken for the stride of an outer dimension.
  int64_t leastLargeDivisor = 16;
  /// Neighbouring elements that one thread scans alone at most, before its warp shares the work.
  int64_t mostScannedAlone = 16;
  /// Neighbouring elements of the last axis that one thread reduces before lanes combine.
  int64_t mostReducedAlone = 8;
  /// Bytes to which the accesses of a load that moves 16 bytes may shrink, if it takes the layout
  /// of other loads: below, an access is not worth its instruction.
  int64_t leastAccessBytes = 4;
  /// Loads of single elements decide on the layout of a group of loads if that saves at least one
  /// part in this many of the cost.
  int64_t leastGain = 4;
  /// Elementwise operations after a reduction whose result is broadcast, from which on their result
  /// is pinned to one layout instead of rematerialized.
  unsigned mostFreeSteps = 6;
  /// Parts of a reduction across warps that each thread would combine alone, from which on the
  /// threads share that work if it takes each at most one part in leastShare of the steps: then the
  /// results are exchanged once more. Not measured.
  int64_t manyParts = 64;
  int64_t leastShare = 4;
  /// Lanes combine such parts, where they would all do the same, if each thread alone took so many
  /// halves of the time. Times are those in which a scheduler issues instructions: a shuffle takes
  /// as long as so many others.
  int64_t leastGainOfLanesHalves = 3;
  int64_t issuesOfShuffle = 4;
};

/// The most stages that an author may ask for.
inline constexpr int64_t kMaxStages = 64;

/// Which loads start early (tile-prefetch-loads, tile-hoist-loads), and what waiting costs.
struct LoadTuning {
  /// Bytes of a thread that a loop carries at most from one iteration to the next, elements of less
  /// than a register counted as the registers that they are computed in: more of them would cost
  /// occupancy, which hides latency as well.
  int64_t mostBytesCarried = 64;
  /// The same of loops that copy ahead, which have few registers left beside products.
  int64_t mostBytesBesideSlots = 16;
  /// Stages of loops whose loads feed products, where the author does not say. Not measured: it is
  /// Triton's default.
  int64_t stagesOfProducts = 3;
  /// Registers of a thread beside sums and left factors, in loops that copy ahead, by which the
  /// CTAs that a multiprocessor has room for are estimated.
  int64_t registersBesideSlots = 40;
  /// CTAs of one warp each for which loops that copy ahead leave room rather than have more than
  /// two stages. With 4 slots, 3 such CTAs of chunk_gla_bwd_kernel_intra (flash-linear-attention)
  /// took 1.3 times as long on an H200 as 4 with 3 slots.
  int64_t mostCTAsOfWarp = 8;
  /// Registers of tiles live before a product above which factors in slots are read there, not
  /// where the loop began; those above which factors of it and of others are read each time; and
  /// those live before a store to shared memory above which threads wait for each other earlier, if
  /// that leaves at least so many fewer to keep meanwhile (tile-sink-loads, tile-insert-barriers).
  /// With fewer, latency counts more. On an H200, by 60 kernels of flash-linear-attention and
  /// mamba.
  int64_t manyLiveAtSlots = 272;
  int64_t manyLiveAtProducts = 320;
  int64_t manyLiveAtBarriers = 160;
  int64_t leastSavedAtBarriers = 32;
  /// Registers of one factor, of several products or of one in a loop that does not change it,
  /// above which it is read each time however few others are live.
  int64_t manyOfFactor = 64;
  /// Registers of a tile from which on it is computed behind a loop that does not need it.
  int64_t leastBehindLoops = 32;
  /// Bytes of a thread and iteration below which ptxas unrolls a loop that is not nested, and so
  /// has the loads of four iterations in flight.
  int64_t leastBytesCarried = 32;
  /// Operations that are rematerialized for the next iteration at most: each costs an instruction
  /// or more in every iteration.
  size_t mostRematerialized = 64;
  /// Operations that a loop repeats at most to know the addresses of an iteration to come, and
  /// elements of a thread of a tile that it carries a second time for them. Not measured.
  size_t mostUpdates = 128;
  unsigned mostUpdatedElements = 16;
  /// Copies of less than 16 bytes each that a thread starts at most for a factor that other threads
  /// copy for themselves, too: with more, the load stays synchronous. Not measured.
  int64_t mostNarrowCopies = 8;
  /// Bytes whose place a loaded index says, below which they are taken for a row of a small table:
  /// it stays in L1, which copies of 16 bytes bypass. A sector; not measured between 16 and 128.
  int64_t leastBytesOfIndex = 32;
  /// Bytes of a thread whose loads move before an exchange at most: they are in registers while the
  /// threads wait.
  int64_t mostBytesAhead = 96;
  /// The same in kernels with products, of which few programs run at a time.
  int64_t mostBytesAheadOfProducts = 256;
  /// Shared memory of a CTA that may be spent to save barriers: so many bytes, or one in so many of
  /// those that are taken anyway. Beyond it, places are used again.
  int64_t barrierBudgetBytes = 8 * 1024;
  int64_t barrierBudgetShare = 8;
};

/// Loops that multiply matrices and work on the results.
struct ProductTuning {
  /// Results of a thread from which on a branch for tiles without a mask is worth it
  /// (tile-scale-maxima): with 8, as in decoding, an attention loses 5 %; with 32, it gains 10 %.
  int64_t leastScores = 16;
  /// Rows of a tile up to which those that may be loaded several times are masked
  /// (tile-mask-rows): products of one row in tiles of 16 took up to 23 % longer than those of
  /// eight on an H200. Masks of more rows take registers.
  int64_t mostRowsMasked = 16;
  /// Bytes of an iteration of a loop from which on hardware had better copy blocks that tiles of
  /// pointers are (tile-find-blocks): with 16 KB, products of 64 rows and columns lose 6 % and
  /// more; with 20 KB, those of 64 rows and 256 columns in steps of 32 gain 12 to 15 % on an H200,
  /// of 256 rows and 64 columns 0 to 2 %. The same of loops in which threads make a factor from
  /// what is loaded or multiplied, so that copies take time from that: with 16 KB these gain 3 to
  /// 13 %. On an H100, 37 of the 51 kernels of test/Kernels with such loops gained, 1.05 in the
  /// geometric mean.
  int64_t leastBytesOfBlocks = 20 * 1024;
  /// And of loops whose two groups of warps add up 128 x 128 elements or more: 128 x 128 x 32,
  /// bf16, 4096^3, 623 -> 663 TFLOP/s on an H200, 688 in persistent programs.
  int64_t leastBytesBesideMuch = 16 * 1024;
  /// Bytes of a tile from which on hardware had better store it (tile-store-blocks): 64 rows of 64
  /// elements of 16 bits. Not measured.
  int64_t leastBytesStored = 8 * 1024;
  /// A factor that is converted comes in two halves if a group multiplies at least so many pairs
  /// in each, which takes 256 cycles (tile-split-products): bf16 x int8 and int4, 128 x 256 x 64
  /// by two groups, 683 and 722 TFLOP/s -> 694 and 744, 128 x 128 x 64 by one 640 and 668 -> 671
  /// and 698, but with half of that, 128 x 128 x 64 by two, 560 and 633 -> 533 and 600.
  int64_t leastInHalf = 1 << 19;
  /// Registers of a thread that tiles do not get where a product is made in parts for want of them
  /// (tile-part-products): addresses, counters, and what scales the part. Not measured.
  int64_t registersBesideTiles = 40;
  /// And cycles that the tensor cores take for a part at least: with 64, int8 by 128 x 256 x 64 and
  /// two groups takes 343 us instead of 309, with 128, fp8 by 128 x 256 x 128 224 instead of 465.
  int64_t leastCyclesOfPart = 128;
  /// Hardware copies all blocks of a loop that pointers name, or none; those that are at most one
  /// part in this many of its bytes do not count. Not measured.
  int64_t shareOfSmall = 8;
};

/// Registers of a thread in kernels with warps that only copy (tile-specialize-warps). Not
/// measured: by what ptxas needs for a product and an attention without spilling.
struct RoleTuning {
  /// Of those that copy, where all addresses of a tile follow from one.
  int64_t registersOfCopies = 40;
  /// Where each access has an address of its own: beside two for each, and all together at most.
  int64_t registersBesideAddresses = 24;
  int64_t mostRegistersOfCopies = 120;
  /// Of those that multiply at most, and with how many at least two CTAs with one group of them
  /// share a multiprocessor.
  int64_t mostRegisters = 240;
  int64_t leastOfSharedGroup = 168;
  /// Of those that multiply, for all but sums and factors of products that overlap
  /// (tile-delay-products).
  int64_t registersBesideProducts = 56;
};

/// How the PTX back end arranges code for ptxas. Registers are estimates of estimateRegisters().
struct CodeTuning {
  /// Iterations up to which a loop is unrolled completely; ptxas unrolls longer ones.
  unsigned mostUnrolled = 8;
  /// Chains in which a thread adds products up at least: as many additions, one after the other,
  /// hide the latency of each.
  int64_t leastChains = 8;
  /// Elements of a thread that are divided by one number from which on they are multiplied by its
  /// reciprocal. Not measured.
  int64_t leastDivided = 4;
  /// Comparisons of one base with one bound from which on computing their difference once pays off.
  size_t leastComparisons = 4;
  /// Instructions that are moved as one group before the access that needs them, in their old
  /// order.
  unsigned groupSize = 256;
  /// Instructions that are searched for a later access that shares operands with an earlier one.
  unsigned mostShared = 512;
  /// Values that one condition selects, beside the first, up to which they are selected together;
  /// and instructions up to which a value's own computation moves there with it.
  unsigned mostPartners = 3, mostOfPartner = 8;
  /// Registers of a thread up to which more than half of the threads that a multiprocessor can have
  /// are resident: a new order of instructions may take so many, even if the old one took fewer.
  unsigned fewRegisters = 48;
  /// Registers of a thread above which fewer independent instructions are worth a higher occupancy.
  unsigned manyRegisters = 64;
  /// And above which ptxas spills, so that even loads from shared memory are better late.
  unsigned spillingRegisters = 256;
  /// The hardware allocates registers to a thread in multiples of this.
  uint64_t registerUnit = 8;
  /// For kernels that start loads early: resident threads from which on a multiprocessor is rarely
  /// idle, so that ptxas is told how many blocks shall be resident; and how many threads that is at
  /// most, with blocks of at most two warps and with larger ones. 2048 threads would leave 32
  /// registers each, for which estimates are too coarse.
  uint64_t enoughThreads = 768;
  /// Kernels whose loops read so many bytes of arrays at once are told so, too: ptxas would have
  /// one load wait for what becomes of the one before it.
  unsigned bytesReadTogether = 64;
  /// Instructions of a loop for each byte that it reads above which they are not: the loads are
  /// the least of it. On an H200, quantisation to four bits (17 of them) takes 54 us instead of 64
  /// with the registers that ptxas takes by itself.
  unsigned manyInstructionsForByte = 12;
  /// Registers that a loop needs beside what it carries and loads: addresses and temporaries.
  uint64_t registersBesideLoops = 16;
  uint64_t mostThreadsOfSmallBlocks = 1024;
  uint64_t mostThreads = 1536;
  /// How many quarters of the estimate a kernel is taken to need: addresses and temporaries come on
  /// top of it.
  uint64_t quartersOfEstimate = 5;
  /// Resident threads below which ptxas is asked for more blocks, if they fit with a smaller
  /// margin: so many eighths of the estimate.
  uint64_t fewThreads = 512;
  uint64_t eighthsOfEstimate = 9;
  /// For kernels with matrix instructions: how many resident blocks a limit of registers may aim
  /// at; the least such limit; by how much the estimate, which counts what ptxas moves or computes
  /// again, may exceed it, with more of which loops spill; and by how much it must exceed the limit
  /// for one more block, with less of which ptxas keeps below by itself. On an H200, 16 of the 17
  /// kernels of test/Kernels that had one block more gained, all by 20 percent in the geometric
  /// mean.
  unsigned mostBlocksOfProducts = 3;
  unsigned leastRegistersOfProducts = 128;
  double estimateToLimit = 8.0 / 7;
  double estimateToNextLimit = 1.1;
};

/// The numbers of one architecture.
struct GpuTuning {
  LaunchTuning launch;
  PackTuning packing;
  LayoutTuning layouts;
  LoadTuning loads;
  ProductTuning products;
  RoleTuning roles;
  CodeTuning code;
};

} // namespace tilec

#endif // TILEC_ARCH_TUNING_H
