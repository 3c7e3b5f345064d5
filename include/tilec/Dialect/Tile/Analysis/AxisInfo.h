//===- AxisInfo.h - facts along the axes of every value ---------*- C++ -*-===//
//
// The analysis that finds, for every integer and pointer value, how it varies along a tile (see
// AxisInfo.h of the dialect). Memory accesses are made as wide as these facts prove.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H
#define TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "tilec/Dialect/Tile/IR/AxisInfo.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec::tile {

/// The analysis over one operation (a function or module), complete after construction. Reads IR
/// only; facts hold until it changes.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);

  /// Facts about `value`; unknown() for values that the analysis never saw.
  AxisInfo get(mlir::Value value) const;

  /// The largest number of neighbouring elements along `axis` that one access through the tile of
  /// pointers `ptr`, under `mask` (may be null), can move at once: they are adjacent in memory,
  /// aligned to their total size, and all on or all off. At most `maxBytes` in total.
  int64_t getAccessWidth(mlir::Value ptr, mlir::Value mask, unsigned axis, int64_t maxBytes) const;

  /// The same for a tile of pointers with a layout, in registers of a thread: one access covers
  /// that many, and at most 16 bytes.
  int64_t getRegisterWidth(mlir::Value ptr, mlir::Value mask) const;

  /// How many neighbouring registers of a thread, in aligned groups, hold the same element of a
  /// tile with a layout.
  int64_t getSameRegisters(mlir::Value tile) const;
  /// How many neighbouring registers, in aligned groups, one load by `ptr` serves, if it had this
  /// layout, since they hold the same element. Of a vector, what lies between the elements of two
  /// registers may be other lanes'.
  int64_t getRegistersOfLoad(mlir::Value ptr, const tilec::layout::LinearLayout &layout) const;

private:
  mlir::DataFlowSolver solver;
};

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H
