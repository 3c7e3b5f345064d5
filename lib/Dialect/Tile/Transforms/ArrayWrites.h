//===- ArrayWrites.h - who may write to global memory ----------*- C++ -*-===//
//
// Threads and asynchronous copies access memory by different paths (PTX, "Proxies"). What a thread
// wrote to an array is fenced before a copy may read it, which costs as much as an access: passes
// ask here whether anything can have been written.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARRAYWRITES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARRAYWRITES_H

#include "mlir/IR/Operation.h"

namespace tilec::tile {

/// Whether `op` itself, not what is in its regions, might write to an array, or wait for others
/// that do, as volatile loads in a loop may.
bool mayWriteArrays(mlir::Operation *op);

/// The same for `op` and all in it.
bool mayWriteArraysInside(mlir::Operation *op);

/// Whether a program might have done so when it comes to `place`, in its function: in what is
/// executed before, or in an earlier iteration of a loop around.
bool mayFollowWrites(mlir::Operation *place);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARRAYWRITES_H
