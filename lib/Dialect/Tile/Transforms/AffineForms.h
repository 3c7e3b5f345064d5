//===- AffineForms.h - tiles as sums over their indices ---------*- C++ -*-===//
//
// Addresses of a tile are mostly a pointer plus a sum, of indices times strides and of scalars:
// `base + (first + i) * stride + j`. Here such a tile is written as what it is, so that terms can
// be compared, moved and divided. Numbers are taken not to overflow, as AxisInfo takes them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_AFFINEFORMS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_AFFINEFORMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilec::tile {

/// A product of scalars and, unless `axis` is negative, the index along that axis.
struct Term {
  llvm::SmallVector<unsigned, 3> scalars = {}; // Numbers of scalars of AffineForms, in order.
  int axis = -1;

  bool operator<(const Term &other) const {
    return std::tie(axis, scalars) < std::tie(other.axis, other.scalars);
  }
  bool operator==(const Term &other) const {
    return axis == other.axis && scalars == other.scalars;
  }
};

/// A sum of terms, each times a number that is not 0. The term without scalars and axis is 1.
class AffineSum {
public:
  AffineSum() = default;
  explicit AffineSum(Term term, int64_t factor = 1) { add(term, factor); }
  static AffineSum constant(int64_t value) { return AffineSum(Term(), value); }

  void add(const Term &term, int64_t factor);
  void add(const AffineSum &other, int64_t factor = 1);
  /// Nothing if a term would have two indices.
  std::optional<AffineSum> times(const AffineSum &other) const;
  /// The sum of a tile whose axis `axis` is `map(axis)` of this one.
  AffineSum withAxes(llvm::function_ref<int(int)> map) const;
  int64_t factorOf(const Term &term) const;
  bool operator==(const AffineSum &other) const { return terms == other.terms; }
  const std::map<Term, int64_t> &get() const { return terms; }
  bool empty() const { return terms.empty(); }

private:
  std::map<Term, int64_t> terms;
};

/// Elements along `axis` of a tile are those of the form, the index plus `start`, below `end`, and
/// others of the same tensor from there on: `(start + i) % end`, or 0 for them.
struct Remainder {
  int axis;
  AffineSum start, end;
};

/// What the elements of a tile are: `base`, if there is one, plus so many elements.
struct AffineForm {
  mlir::Value base = {};
  AffineSum sum = {};
  llvm::SmallVector<Remainder, 1> remainders = {};
};

/// A condition on the index along `axis`: index + rest < 0 or, from below, rest - index < 0.
struct IndexBound {
  int axis;
  bool isBelow;
  AffineSum rest;
};

/// Conditions all of which hold where a mask is true; if `isWhole`, it is true where they hold.
struct IndexBounds {
  llvm::SmallVector<IndexBound, 2> bounds = {};
  bool isWhole = true;
};

class AffineForms {
public:
  explicit AffineForms(const AxisInfoAnalysis &axes) : axes(axes) {}

  /// The form of a tile or scalar of integers or pointers; nothing if it has none.
  std::optional<AffineForm> read(mlir::Value value);
  IndexBounds readMask(mlir::Value mask);

  mlir::Value scalar(unsigned number) const { return scalars[number]; }
  /// Whether one of the sum's scalars has 64 bits.
  bool hasWideScalars(const AffineSum &sum) const;
  /// A power of two that divides the term; 1 if nothing is known.
  int64_t divisibilityOf(const Term &term, int64_t factor) const;
  /// The same of a scalar or, in bytes, of a pointer.
  int64_t divisibilityOf(mlir::Value value) const;
  /// Whether a sum without indices is never negative. Counters of loops are at least where these
  /// start.
  bool isNeverNegative(const AffineSum &sum);
  /// The value of a sum without indices in `type`, an integer as wide as all of its scalars.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc, const AffineSum &sum,
                     mlir::Type type) const;

private:
  std::optional<AffineForm> compute(mlir::Value value);
  std::optional<AffineForm> ofOperation(mlir::Operation *op);
  std::optional<AffineForm> ofArgument(mlir::BlockArgument argument);
  std::optional<AffineForm> ofCarried(mlir::scf::ForOp loop, mlir::BlockArgument argument);
  std::optional<AffineForm> ofSum(mlir::Value left, mlir::Value right, int64_t factor);
  std::optional<AffineForm> ofProduct(mlir::Value left, mlir::Value right);
  std::optional<AffineForm> ofRemainder(mlir::arith::RemSIOp op);
  std::optional<AffineForm> ofSelect(mlir::arith::SelectOp op);
  std::optional<AffineForm> ofPromise(PromiseOp op);
  std::optional<AffineForm> movedAxes(mlir::Value source, llvm::function_ref<int(int)> map);
  AffineForm opaque(mlir::Value scalar);
  IndexBounds ofCompare(mlir::arith::CmpIOp compare);
  AffineSum leastOf(const Term &term, int64_t factor);
  bool isNeverNegative(unsigned number) const;

  const AxisInfoAnalysis &axes;
  llvm::SetVector<mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, int64_t> promised; // Divisors of scalars.
  llvm::DenseMap<mlir::Value, std::optional<AffineForm>> known;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_AFFINEFORMS_H
