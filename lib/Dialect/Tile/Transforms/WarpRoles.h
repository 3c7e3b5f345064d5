//===- WarpRoles.h - which kernels get warps that only copy ----*- C++ -*-===//
//
// The decision of tile-pipeline-loads, which prepares the loops, and of tile-specialize-warps,
// which takes their copies out.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_WARPROLES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_WARPROLES_H

#include "LoadPipeliner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Arch/WarpRoles.h"

namespace tilec::tile {

/// The warps that copy: one group.
inline constexpr int64_t kCopyWarps = tilec::kWarpsPerGroup;

/// Who wants warps that only copy in `kernel`: Never, Always (also where a loop asks for them), or
/// Auto.
tilec::WarpRoles wantedWarpRoles(mlir::func::FuncOp kernel);

/// Why the copies of `loops`, all of the kernel's whose loads would go ahead, cannot be made by
/// warps of their own; empty if they can.
std::string whyNoWarpRoles(mlir::func::FuncOp kernel, llvm::MutableArrayRef<LoadPipeliner> loops);

/// How many CTAs of such a kernel a multiprocessor has registers for.
int64_t mostCTAsWithRoles(int64_t numWarps);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_WARPROLES_H
