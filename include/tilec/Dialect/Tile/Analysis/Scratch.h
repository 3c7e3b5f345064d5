//===- Scratch.h - shared memory that an operation exchanges through -*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_SCRATCH_H
#define TILEC_DIALECT_TILE_ANALYSIS_SCRATCH_H

#include "tilec/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Alignment of every scratch area: that of the widest access.
inline constexpr int64_t kScratchAlignment = 16;

/// Bytes of shared memory through which the warps of a CTA exchange data for `op`, an operation that
/// exchanges data and whose tiles have layouts; 0 when no data leaves a warp, and for other operations.
int64_t getScratchBytes(Operation *op);

/// The same for what the CTAs of a cluster exchange for a reduction.
int64_t getClusterScratchBytes(Operation *op);

/// Shared memory that a CTA has on every architecture without asking for more.
inline constexpr int64_t kStaticSharedLimit = 48 * 1024;

/// In how many rounds (a power of two) a conversion of `totalBytes` goes through shared memory, so that
/// the scratch of one round stays within kStaticSharedLimit.
int64_t getConversionRounds(int64_t totalBytes);

/// Bytes from the start of the scratch of a reduction to the partial results of source `index`. Each
/// result element has its `numParts` partial results next to each other.
int64_t getReductionScratchOffset(ReduceOp op, uint32_t numParts, unsigned index);

/// Bytes from the start of the scratch of a scan to the totals of source `index`.
int64_t getScanScratchOffset(ScanOp op, unsigned index);

/// In how many rounds (a power of two) a flip goes through shared memory, where it does.
int64_t getFlipRounds(FlipOp op);

} // namespace mlir::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_SCRATCH_H
