//===- Dot.h - Layouts of a product of matrices -----------------*- C++ -*-===//
//
// Which elements of the factors and of the result each thread holds, so that a warp can multiply
// with matrix instructions (mma.sync), or each thread by itself. A product is rank 2 (M x N) or a
// stack of rank 3 (B x M x N). All functions are pure.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_DOT_H
#define TILEC_LAYOUT_DOT_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec::layout {

/// The sizes of one matrix instruction of a warp: m x k times k x n. `packed` elements along k,
/// neighbours, share a 32-bit register of a factor; 1 where an element fills a register or two.
struct MmaShape {
  int64_t m, n, k;
  int64_t packed;
};

/// The layouts of a product's result and accumulator, and of its factors.
struct DotLayouts {
  LinearLayout acc, lhs, rhs;
};

/// How warps divide a product's result. Of a stack they take matrices first.
enum class WarpOrder {
  Balanced, ///< Rows and columns, so that each warp needs as little of the factors as can be.
  Rows,     ///< Rows, then columns.
  Columns,  ///< Columns, then rows.
  Groups,   ///< Four warps, a warp group, take the 64 rows of an instruction of theirs (wgmma);
            ///< groups take rows, then columns, of which each has neighbours.
};

/// The layouts in which warps multiply by instructions of `shape`: fragments as PTX defines them
/// ("Matrix Fragments for mma.m16n8k16" and those of other sizes), repeated over the tile. Further
/// warps than the result has work for, and all CTAs of a cluster, repeat the work. Where the tile
/// is smaller than the instruction, lanes hold copies, and registers that would are left out.
/// `result` is the result's shape, for groups of rank 2 with 64 rows or more; `depth` is the
/// factors' common size, a multiple of shape.k; `numWarps` and `numCTAs` are powers of two. Groups
/// leave open which rows are whose, if the left factor comes from registers: a thread can have
/// `rowsTogether` neighbours, 2 or 4, of which it has two if the group has no more than 64 rows.
DotLayouts mmaLayouts(const MmaShape &shape, const Shape &result, int64_t depth, int64_t numWarps,
                      int64_t numCTAs, WarpOrder order, int64_t rowsTogether = 1);

/// The layouts in which each thread has the whole rows and columns that its elements of `acc`, the
/// result's layout, need.
DotLayouts threadDotLayouts(const LinearLayout &acc, int64_t depth);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_DOT_H
