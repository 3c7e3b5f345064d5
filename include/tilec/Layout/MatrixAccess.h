//===- MatrixAccess.h - Factors of products in shared memory ----*- C++ -*-===//
//
// Where a factor of a product lies in shared memory, and how the threads of a warp read or write it
// together (ldmatrix, stmatrix): eight lanes give the addresses of the eight rows of a matrix, 16
// bytes each, and each lane gets or gives four bytes of one row; or, of 16-bit elements, two
// neighbours of a column. All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_MATRIXACCESS_H
#define TILEC_LAYOUT_MATRIXACCESS_H

#include "tilec/Layout/Swizzle.h"

namespace tilec::layout {

/// A placement of a tile of \p shape, rank 2 or more, in lines of up to 128 bytes along dimension
/// \p inner, one of the last two: row after row, panel after panel of lines, matrix after matrix.
/// Within a line, groups of 16 bytes are permuted by the number of the row, as PTX's swizzle modes
/// of 128, 64 and 32 bytes do it: neither eight rows of one group nor eight groups of a row share
/// banks. \p elementBits is 8, 16, 32 or 64.
SharedLayout placeForMatrices(const Shape &shape, unsigned inner, unsigned elementBits);

/// Of the last two dimensions of \p layout, rank 2 or more, the one along which more registers of a
/// thread are neighbours; the last one if there is no difference.
unsigned innerAxis(const LinearLayout &layout);

/// The layout in which threads best move a tile of \p shape, rank 2, between two placements for
/// matrices: from lines along \p inner to lines along the other dimension. Each thread has blocks
/// of 16 bytes along the new lines by four elements along the old ones; lanes are spread over both
/// dimensions, so that neither side has many bank conflicts. Threads that find no block left hold
/// copies. \p elementBits is 8, 16 or 32; the counts are powers of two.
LinearLayout layoutForTransposition(const Shape &shape, unsigned inner, unsigned elementBits,
                                    int64_t numWarps, int64_t numCTAs);

/// How a warp reads all elements of a layout by ldmatrix, or writes them by stmatrix.
struct MatrixPlan {
  /// Lanes have neighbours of a column, not of a row.
  bool transposed = false;
  /// Elements in the 32 bits that a lane has of a matrix: registers r, r + 1, ..
  unsigned elementsPerWord = 1;
  /// What each bit of the lane adds (by XOR) to the offset of the row that it gives: the lowest
  /// three count the rows of a matrix, the others matrices.
  std::vector<uint64_t> laneOffsets;
  /// One entry for each instruction: the first register of each of its 1, 2 or 4 matrices. The
  /// first one's offset is that of the instruction.
  std::vector<std::vector<uint32_t>> instructions;
};

/// Nothing if the threads of \p layout do not hold the elements of a buffer with placement
/// \p shared as ldmatrix gives and stmatrix takes them. \p elementBits is the size in memory.
std::optional<MatrixPlan> planMatrixAccess(const LinearLayout &layout, const SharedLayout &shared,
                                           unsigned elementBits);

/// The plan of planMatrixAccess if it costs less than the ordinary stores (\p isStore) or loads
/// of planAccess. Nothing for stores by threads of which some hold copies.
std::optional<MatrixPlan> planIfCheaper(const LinearLayout &layout, const SharedLayout &shared,
                                        unsigned elementBits, bool isStore);

/// What ordinary stores (\p isStore) or loads of \p shared in \p layout cost, or stmatrix or
/// ldmatrix where \p mayUseMatrices and that is cheaper; in the unit of accessCost.
uint64_t leastCost(const LinearLayout &layout, const SharedLayout &shared, unsigned elementBits,
                   bool isStore, bool mayUseMatrices);

/// A placement through which \p src becomes \p dst, loaded by ldmatrix (elements of less than 32
/// bits), or stored by stmatrix where \p canStore, if that costs less (accessCost) than \p usual,
/// the plan of chooseSwizzle. Nothing for tiles that are spread over blocks.
std::optional<SharedLayout> placeForMatrixAccess(const LinearLayout &src, const LinearLayout &dst,
                                                 const SharedPlan &usual, unsigned elementBits,
                                                 bool canStore);

/// How the instructions of a warp group (wgmma) find a factor in shared memory.
struct GroupFactorPlan {
  /// The matrix descriptor of PTX ("Matrix Descriptor Format") without the address of the first
  /// element that an instruction takes: strides and swizzle mode.
  uint64_t descriptor;
  /// Whether lines run across the depth, i.e. along rows of the left or columns of the right
  /// factor ("MN-major").
  bool isTransposed;
  /// What the buffer's address must be a multiple of, in bytes.
  uint64_t alignment;
};

/// Nothing if no descriptor describes \p shared, the placement of a factor of \p shape (rank 2):
/// then the factor goes through registers. \p depthAxis is the dimension that the product sums
/// over, \p span how many elements of the other one an instruction takes: 64 rows, or 8 to 256
/// columns, a power of two. \p elementBits is 8, 16 or 32. An instruction takes 32 bytes of the
/// depth; it may start at any multiple of these and of \p span.
std::optional<GroupFactorPlan> planGroupFactor(const SharedLayout &shared, const Shape &shape,
                                               unsigned depthAxis, int64_t span,
                                               unsigned elementBits);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_MATRIXACCESS_H
