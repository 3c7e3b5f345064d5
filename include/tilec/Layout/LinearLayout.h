//===- LinearLayout.h - How a tile is spread over the hardware --*- C++ -*-===//
//
// A tile's distribution is a linear map over F2 from (register, lane, warp, block) to the tile's
// coordinates; see "Linear Layouts", arXiv 2505.23819. Every dimension of a tile is a power of two,
// so a coordinate vector is one row-major ("flat") index whose bits are the coordinates' bits side
// by side, and XOR of coordinates is XOR of flat indices.
//
// Layouts are values: const members may be called from several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_LINEARLAYOUT_H
#define TILEC_LAYOUT_LINEARLAYOUT_H

#include "tilec/Layout/F2Matrix.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec::layout {

/// The hardware dimensions, from the innermost: the registers of a thread, the lanes of a warp, the
/// warps of a block, the blocks (CTAs) of a cluster.
enum class InDim : unsigned { Register, Lane, Warp, Block };

inline constexpr unsigned kNumInDims = 4;
inline constexpr std::array<InDim, kNumInDims> kAllInDims = {InDim::Register, InDim::Lane,
                                                             InDim::Warp, InDim::Block};

/// Returns "register", "lane", "warp" or "block".
const char *inDimName(InDim dim);

/// One place that holds one tile element.
struct HwPoint {
  uint32_t reg = 0;
  uint32_t lane = 0;
  uint32_t warp = 0;
  uint32_t block = 0;
};

/// Sizes of a tile; each is a power of two.
using Shape = std::vector<int64_t>;
/// One coordinate for each dimension of a tile.
using Coords = std::vector<int32_t>;

/// The distribution of a tile. Register, lane, warp and block numbers are bit strings; each bit has
/// a basis, and the element at a hardware point is the XOR of the bases of its set bits. A zero
/// basis means that both values of that bit hold the same elements (replication).
class LinearLayout {
public:
  /// Basis lists, one for each InDim in order.
  using BasisLists = std::array<std::vector<Coords>, kNumInDims>;
  using FlatBasisLists = std::array<std::vector<uint64_t>, kNumInDims>;

  /// Most bits in one hardware dimension, and in a flat index.
  static constexpr unsigned kMaxInBits = 20;
  static constexpr unsigned kMaxTileBits = 30;

  /// The layout of a rank 0 tile, its one element in one register of one thread.
  LinearLayout() = default;

  /// Checks and builds a layout. On failure returns nothing and sets \p error to what is wrong:
  /// sizes that are not powers of two or too large, a basis of the wrong length or outside the
  /// tile, too many bases, or elements that no hardware point holds.
  static std::optional<LinearLayout> create(const Shape &shape, const BasisLists &bases,
                                            std::string &error);
  /// As create, with each basis as a flat index.
  static std::optional<LinearLayout> createFlat(const Shape &shape, FlatBasisLists bases,
                                                std::string &error);
  /// Checks only the shape; returns whether it is fine, else sets \p error.
  static bool verifyShape(const Shape &shape, std::string &error);

  const Shape &shape() const { return tileShape; }
  unsigned rank() const { return static_cast<unsigned>(tileShape.size()); }
  /// Number of elements of the tile.
  uint64_t numElements() const { return uint64_t(1) << tileBits(); }
  /// log2 of the number of elements.
  unsigned tileBits() const { return totalTileBits; }

  unsigned numBases(InDim dim) const { return static_cast<unsigned>(flatBases(dim).size()); }
  /// Number of values of \p dim: registers in a thread, lanes in a warp, ...
  uint32_t size(InDim dim) const { return uint32_t(1) << numBases(dim); }
  uint32_t numRegisters() const { return size(InDim::Register); }
  /// The coordinates that bit \p i of \p dim adds.
  Coords basis(InDim dim, unsigned i) const { return unflatten(flatBases(dim)[i]); }
  std::vector<Coords> bases(InDim dim) const;
  /// The same as flat indices.
  const std::vector<uint64_t> &flatBases(InDim dim) const {
    return inBases[static_cast<unsigned>(dim)];
  }

  /// The flat index of the element at \p point; bits beyond a dimension's size are ignored.
  uint64_t applyFlat(const HwPoint &point) const;
  /// The coordinates of the element at \p point.
  Coords apply(const HwPoint &point) const { return unflatten(applyFlat(point)); }
  Coords apply(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
    return apply(HwPoint{reg, lane, warp, block});
  }
  /// The part that one dimension adds: the XOR of the bases of \p value's bits.
  uint64_t applyFlat(InDim dim, uint32_t value) const;

  /// Row-major index of \p coords, which must lie inside the tile; and back.
  uint64_t flatten(const Coords &coords) const;
  Coords unflatten(uint64_t flat) const;
  /// Lowest bit of dimension \p axis in a flat index, and the number of its bits.
  unsigned axisShift(unsigned axis) const;
  unsigned axisBits(unsigned axis) const;
  /// The bits of a flat index that belong to \p axis.
  uint64_t axisMask(unsigned axis) const {
    return ((uint64_t(1) << axisBits(axis)) - 1) << axisShift(axis);
  }

  /// The map from the bits of \p dim to flat indices, and from all bits (register lowest).
  F2Matrix matrix(InDim dim) const;
  F2Matrix matrix() const;

  /// The mask of redundant bits of \p dim. Bits are taken in order (registers, lanes, warps,
  /// blocks, low bits first); one is redundant when its basis is a sum of bases of earlier bits.
  /// The points whose redundant bits are all zero hold every element exactly once, so one replica
  /// out of several stores by testing that the masked lane, warp and block numbers are zero.
  uint32_t freeBits(InDim dim) const;
  /// Whether some element is held more than once.
  bool hasReplication() const;

  /// The number 2^k of registers from 0 whose elements follow each other along \p axis: bases 0 to
  /// k-1 are 1, 2, 4, ... there, and no other basis has any of these bits. In every thread, every
  /// aligned group of that many registers then forms a vector.
  uint32_t contiguousRegisters(unsigned axis) const;

  bool operator==(const LinearLayout &other) const {
    return tileShape == other.tileShape && inBases == other.inBases;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  /// A hash for use in this process; equal layouts have equal hashes.
  std::size_t hash() const;

  /// "shape = [8, 16], register = [[0, 1]], lane = [...], warp = [], block = []".
  std::string toString() const;

private:
  Shape tileShape;
  FlatBasisLists inBases;
  unsigned totalTileBits = 0;
};

} // namespace tilec::layout

#endif // TILEC_LAYOUT_LINEARLAYOUT_H
