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

/// Whether warps that copy can compute `value`, which is known before the first of `loops`.
bool canRepeatForCopies(llvm::MutableArrayRef<LoadPipeliner> loops, mlir::Value value);

/// Whether products of `loop` run while its threads work on the results of others, without warps
/// that only copy: a group of warps has several blocks of rows, or there are more products than the
/// work between them takes time for. Calibrated on an H200, with attention and its gradients.
bool overlapsWithoutRoles(mlir::scf::ForOp loop);

/// Registers of each of `numWarps` warps' threads that multiply, where `numCTAs` share those of a
/// multiprocessor and a thread that copies has `ofCopies`.
int64_t registersOfProducts(const tilec::GpuArch &arch, int64_t numWarps, int64_t numCTAs,
                            int64_t ofCopies);

/// How many CTAs of such a kernel a multiprocessor has registers for, if a thread that multiplies
/// needs so many; at least 1.
int64_t mostCTAsWithRoles(const tilec::GpuArch &arch, int64_t numWarps, int64_t registers);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_WARPROLES_H
