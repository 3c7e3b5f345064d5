//===- AxisInfo.h - how integers and pointers vary along a tile -*- C++ -*-===//
//
// For each dimension of a tile: how many neighbouring elements count up by one, how many are equal,
// and what power of two divides them. Operations say what follows for their results
// (AxisInfoOpInterface).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_AXISINFO_H
#define TILEC_DIALECT_TILE_IR_AXISINFO_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
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

inline int64_t capDivisibility(int64_t value) {
  return std::min(value, AxisInfo::kMaxDivisibility);
}

/// Facts about a value of `type` from `combine(axis) -> Dim` along each axis.
template <typename Fn> AxisInfo alongEachAxis(mlir::Type type, Fn combine) {
  AxisInfo info = AxisInfo::unknown(type);
  for (auto [axis, dim] : llvm::enumerate(info.dims))
    dim = combine(axis);
  return info;
}

/// Facts about `base + scale * offset`: the rule for addition of integers and of pointers.
AxisInfo axisInfoOfSum(mlir::Type type, const AxisInfo &base, const AxisInfo &offset,
                       int64_t scale);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_AXISINFO_H
