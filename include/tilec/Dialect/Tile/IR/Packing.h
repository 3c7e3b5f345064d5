//===- Packing.h - Several programs in a CTA --------------------*- C++ -*-===//
//
// A GPU starts one to two CTAs a nanosecond, so small programs are faster if a CTA runs several of
// them. A launch decides whether it does: then the threads of a program lie along x, the programs
// of a CTA along y or z of the block, and these divide the same axis of the grid that comes before
// it: y of the block x of the grid, z of the block y of the grid. Where x is no multiple, the size
// of dynamic shared memory, of which such kernels have none, is the number of programs that the
// last CTA lacks. docs/design.md has the reasons.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_PACKING_H
#define TILEC_DIALECT_TILE_IR_PACKING_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tilec::tile {

/// On a kernel, three numbers: how launches may pack its programs.
inline constexpr llvm::StringLiteral kPackingAttr = "tile.packing";

/// On a function, the symbol of a kernel: the same program for the number of threads that it has in
/// a packed launch. Passes treat it as a kernel until it becomes a branch of that one
/// (tile-merge-packed).
inline constexpr llvm::StringLiteral kPackedFormAttr = "tile.packed_form_of";

/// Several programs in a CTA.
struct Packing {
  /// Of a program, a multiple of the warp's.
  int32_t threads = 0;
  /// Of a CTA, 2 or more.
  int32_t programs = 0;
  /// For each multiprocessor, in the whole grid: launches of fewer are not packed.
  int32_t least = 0;

  bool operator==(const Packing &other) const {
    return threads == other.threads && programs == other.programs && least == other.least;
  }
};

/// What `kernel` says; nothing if its programs have a CTA each.
std::optional<Packing> getPacking(mlir::Operation *kernel);
void setPacking(mlir::Operation *kernel, const Packing &packing);

/// Whether the code of `function` is for packed launches, and for others only if a CTA has as many
/// threads as a packed program.
bool isPackedCode(mlir::Operation *function);

/// Checks kPackingAttr or kPackedFormAttr on `op`.
mlir::LogicalResult verifyPacking(mlir::Operation *op, mlir::NamedAttribute attr);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_PACKING_H
