//===- DotPlan.h - how a product of matrices is computed --------*- C++ -*-===//

#ifndef TILEC_DIALECT_TILE_IR_DOTPLAN_H
#define TILEC_DIALECT_TILE_IR_DOTPLAN_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Layout/Dot.h"

namespace tilec::tile {

/// The matrix instruction that multiplies the elements of `op` on `arch`; nothing where threads
/// multiply by themselves: the target has none for them, or the factors are too shallow. The only
/// place that makes this choice.
std::optional<tilec::layout::MmaShape> matrixInstruction(DotOp op, const tilec::GpuArch &arch);

/// Whether a group of four warps can compute `op` together (wgmma), which takes the right factor
/// from shared memory, and the left one from there or from registers. Its layouts then suit those
/// instructions as well as matrixInstruction(). The same of the transposed product, whose left
/// factor is the transposed right one, if `isTransposed`.
bool fitsWarpGroups(DotOp op, LaunchShape launch, const tilec::GpuArch &arch,
                    bool isTransposed = false);

/// The rows of the result that an instruction of a warp group makes.
inline constexpr int64_t kGroupRows = 64;

/// A thread has one of its results for so many columns of them.
inline constexpr int64_t kColumnsOfSum = 2;

/// What it takes of each row of the left factor and each column of the right one, in bytes.
inline constexpr int64_t kGroupDepthBytes = 32;

/// Whether `value` is a factor of a product, or a factor is computed from it in a few steps,
/// branches and sums of products among them.
bool isFactor(mlir::Value value);
/// The same of those products for which `counts`, which is also told whether it is the left factor.
bool isFactor(mlir::Value value, llvm::function_ref<bool(DotOp, bool)> counts);

/// The loop that carries `sum`, a product in its body, to the next iteration, which reads it, and
/// does nothing else with it in this one, unless it is in a branch: elsewhere the instructions may
/// still be at work. Null if there is none.
mlir::scf::ForOp loopThatCarries(mlir::Value sum);

/// The columns that one instruction of a warp group takes, of a result in the layout `acc`: those
/// of the group, at most 256; where the sums are made in `parts` parts, at most those of a part.
int64_t groupColumns(const tilec::layout::LinearLayout &acc, int64_t parts = 1);

/// How warps best share the result of `op`, by what is done with it and its factors. Asked before
/// layouts are assigned: conversions hide where factors come from.
tilec::layout::WarpOrder chooseWarpOrder(DotOp op, LaunchShape launch, const tilec::GpuArch &arch);

/// The layouts in which `op` works in a kernel of this launch shape. `order` counts only for matrix
/// instructions; Groups only where fitsWarpGroups().
tilec::layout::DotLayouts dotLayouts(DotOp op, LaunchShape launch, const tilec::GpuArch &arch,
                                     tilec::layout::WarpOrder order);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_DOTPLAN_H
