//===- Packing.h - Several programs in a CTA --------------------*- C++ -*-===//
//
// Two ways for a CTA to run several programs: beside each other, and one after the other.
//
// A GPU starts one to two CTAs a nanosecond, so small programs are faster if a CTA runs several of
// them beside each other. A launch decides whether it does: then the threads of a program lie along
// x, the programs of a CTA along y or z of the block, and these divide the same axis of the grid
// that comes before it: y of the block x of the grid, z of the block y of the grid. Where x is no
// multiple, the size of dynamic shared memory, of which such kernels have none, is the number of
// programs that the last CTA lacks.
//
// A large program that copies ahead begins and ends with idle tensor cores. In a persistent kernel
// a CTA goes on to the next program while it ends the one before: there are as many CTAs as the
// device holds at once, along x, and program t of the grid, counted along x, y and z, belongs to
// CTA t modulo their number. The size of the grid along each axis is a parameter behind the
// kernel's own. docs/design.md has the reasons.
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

/// On a kernel, a number: its programs are those of a loop in it, and a launch has no more than so
/// many CTAs for each multiprocessor.
inline constexpr llvm::StringLiteral kPersistentAttr = "tile.persistent";

/// On parameters of a persistent kernel, which launches fill in: the axis of the grid, 0 to 2, of
/// which the parameter is the size.
inline constexpr llvm::StringLiteral kGridAxisAttr = "tile.grid_axis";

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

/// CTAs for each multiprocessor of a launch of a persistent kernel; 0 if `kernel` is none.
int32_t getPersistentCTAs(mlir::Operation *kernel);

/// Checks kPackingAttr, kPackedFormAttr or kPersistentAttr on `op`.
mlir::LogicalResult verifyPacking(mlir::Operation *op, mlir::NamedAttribute attr);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_PACKING_H
