//===- LoopIterations.h - helpers to move loads across iterations -*- C++ -*-===//
//
// What tile-pipeline-loads, tile-prefetch-loads and tile-hoist-loads have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPITERATIONS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPITERATIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Elements of a product's sum from which on it is large for two groups of warps.
inline constexpr int64_t kLargeSum = 128 * 128;

/// Creates an i1: whether `loop` has an iteration `ahead` steps after the one with `counter`, which
/// exists or is the first. It is right also where the counter of that iteration would overflow.
mlir::Value hasIterationAhead(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value counter,
                              int64_t ahead);

/// `load` with other operands, which `translate` gives, if `exists`; otherwise memory is not
/// accessed.
LoadOp loadIf(mlir::OpBuilder &builder, LoadOp load, mlir::Value exists,
              llvm::function_ref<mlir::Value(mlir::Value)> translate);

/// Whether the loop writes no memory, so that its loads may move across anything in it.
bool onlyReads(mlir::scf::ForOp loop);
/// The same for a loop that tile-pipeline-loads has rewritten.
bool onlyReadsBesideSlots(mlir::scf::ForOp loop);

/// Whether `factor` of a product is what is loaded, perhaps transposed and in another layout.
bool isLoaded(mlir::Value factor);
/// Whether threads make factors of the loop's products in each iteration.
bool computesFactors(mlir::scf::ForOp loop);

/// The first wait from `from` on, to the end of its block, that leaves at most so many products in
/// flight as have been started since; these are counted on in `started`.
GroupWaitOp findWait(mlir::Operation *from, int64_t &started);

/// Whether a kernel has products of matrices.
bool hasProducts(mlir::func::FuncOp kernel);

/// Bytes of all elements of a tile.
int64_t bytesOfTile(mlir::Type type);
/// Bytes that one thread has of a tile, or those of a scalar. Layouts must be final.
int64_t bytesOfThread(mlir::Type type);

/// Bytes of shared memory that an exchange between warps takes, at most; 0 for what is none.
/// Layouts must be final.
int64_t bytesOfExchange(mlir::Operation *op);

/// Whether each CTA of a cluster has all elements of a tile of this type.
bool isWholeInCTA(mlir::RankedTensorType type);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOOPITERATIONS_H
