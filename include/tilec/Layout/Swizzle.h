//===- Swizzle.h - Bank-conflict-free placement in shared memory -*- C++ -*-===//
//
// A tile that changes its layout through shared memory is stored by one distribution and loaded by
// another. The placement is a linear map over F2, chosen so that both are vectors without bank
// conflicts. Shared memory has 32 banks of 4 bytes; a warp's access of up to 4 bytes a lane is one
// phase, of 8 bytes two (half the lanes each), of 16 bytes four; one phase takes as many wavefronts
// as the busiest bank has different words. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_SWIZZLE_H
#define TILEC_LAYOUT_SWIZZLE_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// Where each element of a tile lies in a block's shared memory.
struct SharedLayout {
  /// Flat tile index -> offset in elements. A block stores only its own elements, so when a tile is
  /// spread over blocks several elements of different blocks share an offset.
  F2Matrix toOffset;
  /// Flat tile index -> the block that stores it (0 if each block stores the whole tile).
  F2Matrix toBlock;

  /// Row-major placement without swizzle, in every block the whole tile.
  static SharedLayout rowMajor(const Shape &shape);

  /// Elements of the buffer.
  uint64_t numElements() const { return uint64_t(1) << toOffset.numRows(); }
  uint64_t offset(uint64_t flat) const { return toOffset.apply(flat); }
  /// What each bit of hardware dimension \p dim of \p layout adds (by XOR) to the offset.
  std::vector<uint64_t> offsetBases(const LinearLayout &layout, InDim dim) const;
};

/// A placement of the tile of \p layout without swizzle: the bits of the flat index that \p order
/// names, the first of them lowest, count the offsets. What the blocks of a cluster add to the
/// index is left out, so that each block has its own elements without gaps.
SharedLayout placeInOrder(const LinearLayout &layout, const std::vector<unsigned> &order);

/// A placement of the tile of \p layout for copies of \p width registers, which must be at most
/// layout.numRegisters(): the registers of a copy are neighbours, then come the copies of the other
/// lanes and warps, then the next copy of each thread. So neighbouring threads access neighbours,
/// without bank conflicts. What the blocks of a cluster add to the index is left out, as by
/// placeInOrder.
SharedLayout placeByThread(const LinearLayout &layout, unsigned width);

/// How many registers, from each multiple of that number on, \p map places side by side in their
/// order, in every thread of \p layout: a power of two, at most \p most.
int64_t neighboursIn(const SharedLayout &map, const LinearLayout &layout, int64_t most);

/// One side of a conversion: how the threads of a layout access the buffer.
struct SharedAccess {
  /// Elements of each access; a power of two. Offsets of vectors are multiples of it.
  unsigned vecElems = 1;
  /// One entry for each access a thread makes: its vecElems registers by ascending offset. The
  /// offset of an access is the XOR of the offsetBases of the first register, lane, warp and block.
  std::vector<std::vector<uint32_t>> vectors;
  /// Wavefronts of one access by a warp, and the fewest that its size permits.
  unsigned wavefronts = 1;
  unsigned minWavefronts = 1;
  /// Whether neighbours in a word of 4 bytes are neighbouring registers, or elements take words of
  /// their own. Otherwise further instructions put words together and take them apart.
  bool takesWholeWords = true;
};

/// What it costs a warp to make an access for all of \p numRegisters registers of a thread, in half
/// issue slots: wavefronts count two slots, and an access one; putting together half a slot an
/// element.
uint64_t accessCost(const SharedAccess &access, uint32_t numRegisters);

/// What accesses of \p vecElems elements to all of \p numRegisters registers cost at least,
/// wherever the elements are; in the unit of accessCost.
uint64_t leastAccessCost(const LinearLayout &layout, unsigned elementBits, unsigned vecElems,
                         uint32_t numRegisters);

struct SharedPlan {
  SharedLayout layout;
  /// Stores from the source. Registers that repeat an element of the same thread are not stored;
  /// lanes and warps that repeat one store the same value (predicate them with freeBits).
  SharedAccess store;
  /// Loads into the destination; every register occurs exactly once.
  SharedAccess load;
};

/// Chooses the placement for a conversion from \p src to \p dst, the vectors (at most \p maxVecBits
/// bits) and the swizzle, to minimise wavefronts and instructions. \p elementBits is the size in
/// memory: 8, 16, 32, 64 or 128. The layouts must be compatible as for planConversion; otherwise,
/// and for other sizes, returns nothing and sets \p error.
std::optional<SharedPlan> chooseSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                        unsigned elementBits, std::string &error,
                                        unsigned maxVecBits = 128);

/// How the threads of \p layout store (\p isStore: registers that repeat an element of the same
/// thread are left out) or load all their elements in a buffer with the placement \p shared: by
/// vectors of at most \p maxVecBits bits, as wide as takes the fewest wavefronts and instructions.
/// \p elementBits as for chooseSwizzle. The layout's blocks must not share elements through the
/// buffer.
SharedAccess planAccess(const LinearLayout &layout, const SharedLayout &shared,
                        unsigned elementBits, bool isStore, unsigned maxVecBits = 128);

/// The wavefronts of one access of a warp, when the lanes of \p layout each access \p vecElems
/// elements that start at an aligned offset and are next to each other in \p shared. It is the same
/// for every register, warp and block.
unsigned bankConflicts(const LinearLayout &layout, const SharedLayout &shared, unsigned elementBits,
                       unsigned vecElems);

/// The fewest wavefronts that such an access by \p numLanes lanes can take: its phases.
unsigned minWavefronts(unsigned elementBits, unsigned vecElems, unsigned numLanes = 32);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_SWIZZLE_H
