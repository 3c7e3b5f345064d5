//===- AxisInfo.h - how integers and pointers vary along a tile -*- C++ -*-===//
//
// For every integer and pointer value, and for each dimension of a tile: how many neighbouring
// elements count up by one, how many are equal, and what power of two divides them. Memory accesses
// are made as wide as these facts prove.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H
#define TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tilec::tile {

/// Facts about one value; all numbers are powers of two. A scalar counts as a tile of one element
/// in one dimension. An unknown value has 1 everywhere.
struct AxisInfo {
  /// What one dimension of a tile is known to do. A group is a run of neighbouring elements along
  /// the dimension whose length and start are multiples of the given size.
  struct Dim {
    /// Groups of this many elements count up by one (for pointers: by one element).
    int64_t contiguity = 1;
    /// Divides the first element of each such group (for pointers: its address in bytes).
    int64_t divisibility = 1;
    /// Groups of this many elements are equal.
    int64_t constancy = 1;
    bool operator==(const Dim &o) const {
      return contiguity == o.contiguity && divisibility == o.divisibility &&
             constancy == o.constancy;
    }
  };

  /// The largest divisibility that is tracked: that of 0.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 30;

  /// One entry a dimension; empty while the analysis has not reached the value.
  llvm::SmallVector<Dim, 2> dims;
  /// The value of every element, when it is known.
  std::optional<int64_t> constant;
  /// By how much counting up by one element changes the value: 1, or the bytes of a pointee.
  int64_t unit = 1;
  /// No element is below zero as a signed number, unless arithmetic on places in the grid wrapped.
  bool nonNegative = false;

  bool isUninitialized() const { return dims.empty(); }

  /// Facts that hold for any value of this type.
  static AxisInfo unknown(mlir::Type type);
  /// Facts about a value of this type that is `value` everywhere.
  static AxisInfo splat(mlir::Type type, int64_t value);
  /// Facts that hold of a value that is either of two.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  /// A power of two that divides the first element of each group of `group` elements along `axis`.
  int64_t divisibilityAt(unsigned axis, int64_t group) const;

  bool operator==(const AxisInfo &o) const {
    return dims == o.dims && constant == o.constant && nonNegative == o.nonNegative;
  }
  void print(llvm::raw_ostream &os) const;
};

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

private:
  mlir::DataFlowSolver solver;
};

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_AXISINFO_H
