//===- Conversion.h - How to move a tile between two layouts ----*- C++ -*-===//
//
// Decides the cheapest means that turns one distribution of a tile into another, and says exactly
// which register and lane each value comes from. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_CONVERSION_H
#define TILEC_LAYOUT_CONVERSION_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// For each register of \p to, the register of \p from that holds the same element in the same
/// lane, warp and block, whichever these are. Nothing if there is no such register, or if the
/// shapes or the numbers of lanes, warps or blocks differ.
std::optional<std::vector<uint32_t>> registerMap(const LinearLayout &from, const LinearLayout &to);

/// As registerMap for a broadcast: for each register of \p result, the register of \p operand that
/// holds the element at the same coordinates, those along dimensions of size 1 in \p operand taken
/// as 0. The ranks must agree.
std::optional<std::vector<uint32_t>> broadcastMap(const LinearLayout &operand,
                                                  const LinearLayout &result);

enum class ConversionKind {
  /// Every register already holds what is asked: destination register r is source register r.
  Identity,
  /// Each thread has all it needs: destination register r is source register registers[r].
  Registers,
  /// Each warp has all it needs: see ShufflePlan.
  Shuffle,
  /// The same, by bits of the register's number that change places with bits of the lane's: see
  /// LaneSwap.
  Swaps,
  /// Data crosses warps (or shuffles would cost more): through shared memory, see Swizzle.h.
  Shared,
};

/// A linear function of the position of a thread that yields one bit: the parity of the number of
/// bits that its lane, warp and block numbers have in common with these masks.
struct BitSelector {
  uint32_t lane = 0;
  uint32_t warp = 0;
  uint32_t block = 0;
  bool operator==(const BitSelector &o) const {
    return lane == o.lane && warp == o.warp && block == o.block;
  }
};

/// How to fetch every destination register inside the warp. The thread at (lane, warp, block) reads
///   destination register r = source register c of lane s, where
///   s = registers[r].laneXor ^ laneBase(lane, warp, block)
///   laneBase = XOR of laneOfLane[i] over the set bits i of lane, likewise laneOfWarp, laneOfBlock
///   c = registers[r].candidates[index], bit j of index = selectors[j] of (lane, warp, block).
/// The selectors are those of the destination thread. With one candidate a register costs one
/// indexed shuffle (none where sameLane holds and laneXor is 0), with several it costs one shuffle
/// for each and a select.
struct ShufflePlan {
  struct Register {
    uint32_t laneXor = 0;
    /// 2^selectors.size() source registers, all different.
    std::vector<uint32_t> candidates;
  };
  std::vector<uint32_t> laneOfLane;
  std::vector<uint32_t> laneOfWarp;
  std::vector<uint32_t> laneOfBlock;
  std::vector<BitSelector> selectors;
  std::vector<Register> registers;
  /// laneBase is the thread's own lane: a nonzero laneXor is then a butterfly shuffle.
  bool sameLane = false;

  /// The lane that the thread at \p point (its reg is the destination register) reads from.
  uint32_t sourceLane(const HwPoint &point) const;
  /// The register that it reads there.
  uint32_t sourceRegister(const HwPoint &point) const;
  /// Shuffles that one thread issues for the whole tile.
  uint64_t numShuffles() const;
};

/// An exchange between pairs of lanes: a bit of the register's number and a bit of the lane's
/// change places. The lane whose bit is y then has in the register whose bit is x what the register
/// whose bit is y had in the lane whose bit is x. Half of the registers are kept, for the others
/// each lane sends one that it does not keep: half a shuffle for each register.
struct LaneSwap {
  unsigned registerBit = 0;
  unsigned laneBit = 0;
  bool operator==(const LaneSwap &o) const {
    return registerBit == o.registerBit && laneBit == o.laneBit;
  }
};

struct ConversionOptions {
  /// Shuffle is chosen only if each register has at most this many candidates ...
  unsigned maxCandidates = 4;
  /// ... and a thread issues at most this many shuffles ...
  uint64_t maxShuffles = 64;
  /// ... or this many where registers have several candidates: each is shuffled, and the thread
  /// selects one. Through shared memory, which moves up to 16 bytes at a time, that takes fewer
  /// instructions.
  uint64_t maxSelectedShuffles = 16;
  /// Swaps are chosen if at most so many do: each takes half a shuffle and one and a half selects
  /// for a register, while threads wait for nobody. Two cost about what shared memory does
  /// (inverse_by_newton 0.94 with them on an H200, sums_of_kernels 1.05).
  std::size_t maxSwaps = 1;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::Identity;
  /// Kind Registers (and Identity): source register of each destination register; kind Swaps: the
  /// same behind the swaps.
  std::vector<uint32_t> registers;
  /// Kind Swaps, in order.
  std::vector<LaneSwap> swaps;
  /// Kind Shuffle.
  ShufflePlan shuffle;
  /// Kind Shared: some element must come from another block of the cluster.
  bool crossesBlocks = false;
};

/// Plans the conversion of a tile from \p src to \p dst. The shapes and the numbers of lanes, warps
/// and blocks must agree; otherwise returns nothing and sets \p error. Of several replicas of an
/// element it takes one in the same lane, register or warp, in that order of preference.
std::optional<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                             std::string &error,
                                             const ConversionOptions &options = {});

/// Checks that a conversion makes sense: equal shapes and equal numbers of lanes, warps and blocks.
/// Returns whether it does, else sets \p error.
bool verifyConvertible(const LinearLayout &src, const LinearLayout &dst, std::string &error);

/// A point at which \p layout holds the element with the flat index \p flat, reached by as few
/// warps and lanes as possible: the register is preferred, then the lane, then the warp. Since
/// layouts are linear, every place p has at p xor this point the element whose flat index differs
/// by \p flat.
HwPoint pointOf(const LinearLayout &layout, uint64_t flat);

/// The elements at one index of a dimension, in the threads that hold them.
struct TakenIndex {
  /// Their layout, without the dimension: threads that hold none have the place of copies.
  LinearLayout layout;
  /// For each register of it, the register of the whole tile.
  std::vector<uint32_t> registers;
  /// The bits of lane and warp that all threads which hold some have in common, of those that tell
  /// copies from each other.
  uint32_t lane = 0;
  uint32_t warp = 0;
};

/// Nothing if a bit of \p layout moves along \p axis and another dimension at once, if several bits
/// share one of the index, or if blocks share the axis.
std::optional<TakenIndex> takeIndex(const LinearLayout &layout, unsigned axis, int64_t index);

/// Whether some block of \p dst needs an element that its own part of \p src lacks. The layouts
/// must be compatible as for planConversion.
bool conversionCrossesBlocks(const LinearLayout &src, const LinearLayout &dst);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_CONVERSION_H
