//===- Transforms.h - Layouts made from parameters or layouts ---*- C++ -*-===//
//
// Builders, and the layouts that follow when a tile is reshaped, transposed, broadcast or reduced
// with every element staying where it is. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_TRANSFORMS_H
#define TILEC_LAYOUT_TRANSFORMS_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// What blocked() distributes, and over what. All counts are powers of two.
struct BlockedParams {
  Shape shape;
  /// Elements along each dimension that a thread holds next to each other.
  std::vector<int64_t> sizePerThread;
  /// The dimensions from the fastest to the slowest varying; a permutation of 0 .. rank-1.
  std::vector<unsigned> order;
  int64_t numWarps = 4;
  int64_t numCTAs = 1;
  int64_t threadsPerWarp = 32;
};

/// Distributes a tile in rectangular pieces. Registers take sizePerThread (clipped to the shape);
/// lanes, then warps, take what follows, filling the fastest dimension before the next; the CTAs
/// split what is then left from the top of the slowest dimension; the rest wraps into further
/// registers, fastest dimension first. Threads and CTAs beyond the tile replicate (zero bases, in
/// the high bits). Returns nothing and sets \p error if a parameter is not as BlockedParams says.
std::optional<LinearLayout> blocked(const BlockedParams &params, std::string &error);

/// Inserts a dimension of size 1 before \p axis (0 .. rank).
LinearLayout expandDim(const LinearLayout &layout, unsigned axis);
/// Removes dimension \p axis, whose size must be 1.
LinearLayout squeezeDim(const LinearLayout &layout, unsigned axis);
/// Result dimension i is dimension \p order[i] of \p layout; \p order is a permutation.
LinearLayout permute(const LinearLayout &layout, const std::vector<unsigned> &order);
/// The same elements in row-major order under \p newShape, which must have as many.
LinearLayout reshape(const LinearLayout &layout, const Shape &newShape);

/// Inserts a dimension of \p size before \p axis (0 .. rank), along which every thread holds all
/// elements, in the lowest register bits: register r << log2(size) | i holds what register r of
/// \p layout held, at index i.
LinearLayout insertInRegisters(const LinearLayout &layout, unsigned axis, int64_t size);

/// As insertInRegisters, but as many of the lowest bits of the index as possible are lane bits, of
/// lanes that hold the same elements of \p layout.
LinearLayout insertInLanes(const LinearLayout &layout, unsigned axis, int64_t size);

/// Whether every thread holds all elements along \p axis.
bool isInRegisters(const LinearLayout &layout, unsigned axis);

/// The layout in which every thread holds all elements along \p axis, as near to \p layout as can
/// be: each lane or warp bit of the axis changes places with a register bit of other axes. Since
/// elements move at any rate, the bits of the flat index in \p wanted, the most wanted first,
/// change places with registers that hold what is wanted less. Nothing where registers are missing,
/// or where blocks share the axis.
std::optional<LinearLayout> bringIntoRegisters(const LinearLayout &layout, unsigned axis,
                                               const std::vector<uint64_t> &wanted = {});

/// The layout in which every thread has twice as many neighbours along \p axis in its first
/// registers: the lane bit that has them changes places with the register bit nearest behind them
/// on the axis, so that lanes have what lies further away. Nothing if no lane bit, or no register
/// bit, moves along the axis so.
std::optional<LinearLayout> widenFromLanes(const LinearLayout &layout, unsigned axis);

/// Removes register bits whose basis is zero.
LinearLayout dropZeroRegisters(const LinearLayout &layout);
/// Removes register bits whose basis is a sum of the bases of lower register bits, zero included:
/// afterwards no thread holds an element twice.
LinearLayout dropRedundantRegisters(const LinearLayout &layout);
/// The layout of a broadcast's operand, of size 1 along \p axis, from which every thread can make
/// its part of a result laid out as \p result without communication: the axis coordinates become
/// zero, then redundant registers go. broadcastMap in Conversion.h names the register to copy.
LinearLayout projectDim(const LinearLayout &result, unsigned axis);
/// The layout of the result of a reduction along \p axis whose every participant ends with the
/// result: as projectDim, and the dimension is removed.
LinearLayout reduceDim(const LinearLayout &layout, unsigned axis);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_TRANSFORMS_H
