//===- F2Matrix.h - Linear maps over the two-element field ------*- C++ -*-===//
//
// Vectors over F2 are the bits of a uint64_t, addition is XOR. A matrix is a list of columns, so
// applying it is the XOR of the columns that the argument selects. Everything here is a value:
// const members may be called from several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_F2MATRIX_H
#define TILEC_LAYOUT_F2MATRIX_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec::layout {

/// Returns the number of set bits of \p x.
unsigned popCount(uint64_t x);

/// Returns the sum over F2 of the bits of \p x: 1 when an odd number is set.
inline bool parity(uint64_t x) { return popCount(x) & 1; }

/// Returns whether \p x is 1, 2, 4, ...
inline bool isPowerOf2(uint64_t x) { return x != 0 && (x & (x - 1)) == 0; }

/// Returns floor(log2(\p x)); \p x must not be 0.
unsigned log2Floor(uint64_t x);

/// An incrementally built basis of a subspace of F2^64, in echelon form. It remembers which of the
/// inserted vectors add up to each member, so it answers "is v a sum of these, and of which".
class F2Basis {
public:
  F2Basis() = default;
  /// Inserts each of \p vectors in turn.
  explicit F2Basis(const std::vector<uint64_t> &vectors);

  /// Adds \p v to the span; returns whether the span grew. At most 64 vectors may be inserted for
  /// express() to be meaningful; contains() and reduce() know no such limit.
  bool insert(uint64_t v);
  /// Returns whether \p v is in the span.
  bool contains(uint64_t v) const { return reduce(v) == 0; }
  /// Returns \p v with every leading bit of the basis cleared: 0 exactly for members of the span.
  uint64_t reduce(uint64_t v) const;
  /// Returns the mask of the inserted vectors (bit i for the i-th call of insert) that add up to
  /// \p v, using only vectors whose insertion grew the span, or nothing if \p v is outside.
  std::optional<uint64_t> express(uint64_t v) const;
  /// Dimension of the span.
  unsigned dim() const { return static_cast<unsigned>(rows.size()); }

private:
  struct Row {
    uint64_t value;
    uint64_t pivot;
    uint64_t combination;
  };
  std::vector<Row> rows;
  unsigned numInserted = 0;
};

/// A linear map F2^numCols -> F2^numRows, both at most 63.
class F2Matrix {
public:
  /// Largest number of rows or columns.
  static constexpr unsigned kMaxDim = 63;

  /// The map from F2^0 to F2^0.
  F2Matrix() = default;
  /// The matrix with \p columns, each below 2^\p numRows. Both counts must be at most kMaxDim.
  F2Matrix(unsigned numRows, std::vector<uint64_t> columns);

  /// The identity on F2^\p n.
  static F2Matrix identity(unsigned n);
  /// The zero map F2^\p numCols -> F2^\p numRows.
  static F2Matrix zero(unsigned numRows, unsigned numCols);
  /// The map that applies \p a to the low bits and \p b to the high bits, without mixing.
  static F2Matrix directSum(const F2Matrix &a, const F2Matrix &b);
  /// The map with the columns of \p a followed by those of \p b: (x, y) -> a x + b y. Both must
  /// have the same number of rows.
  static F2Matrix concatColumns(const F2Matrix &a, const F2Matrix &b);

  unsigned numRows() const { return rowCount; }
  unsigned numCols() const { return static_cast<unsigned>(cols.size()); }
  const std::vector<uint64_t> &columns() const { return cols; }
  uint64_t column(unsigned i) const { return cols[i]; }

  /// Returns the image of \p x; bits of \p x beyond numCols are ignored.
  uint64_t apply(uint64_t x) const;
  /// Returns the map x -> this(\p inner(x)). inner.numRows() must equal numCols().
  F2Matrix compose(const F2Matrix &inner) const;
  /// Returns the matrix with rows and columns exchanged.
  F2Matrix transpose() const;

  /// Dimension of the image.
  unsigned rank() const;
  bool isInjective() const { return rank() == numCols(); }
  bool isSurjective() const { return rank() == numRows(); }
  bool isInvertible() const { return numRows() == numCols() && isInjective(); }
  bool isZero() const;

  /// A basis of { x : A x = 0 }, in order of the highest set bit.
  std::vector<uint64_t> kernelBasis() const;
  /// A basis of the image: the columns that do not depend on columns before them.
  std::vector<uint64_t> imageBasis() const;

  /// Returns some x with A x = \p b, or nothing when there is none. Of the columns, only those that
  /// do not depend on columns before them are used, so the result is a linear function of b.
  std::optional<uint64_t> solve(uint64_t b) const;
  /// Returns the linear map P with P b = solve(b) for every b of the image; outside the image P is
  /// zero on a fixed complement. Thus A P A = A; P is a left inverse if A is injective, a right
  /// inverse if A is surjective and the inverse if both.
  F2Matrix pseudoInverse() const;
  /// Returns P with P A = identity, or nothing if A is not injective.
  std::optional<F2Matrix> leftInverse() const;
  /// Returns P with A P = identity, or nothing if A is not surjective.
  std::optional<F2Matrix> rightInverse() const;

  bool operator==(const F2Matrix &other) const {
    return rowCount == other.rowCount && cols == other.cols;
  }
  bool operator!=(const F2Matrix &other) const { return !(*this == other); }

  /// Rows of 0 and 1, row 0 (the least significant bit of the result) first.
  std::string toString() const;

private:
  unsigned rowCount = 0;
  std::vector<uint64_t> cols;
};

/// Returns a basis of the intersection of the spans of \p a and \p b.
std::vector<uint64_t> intersectSpans(const std::vector<uint64_t> &a,
                                     const std::vector<uint64_t> &b);

} // namespace tilec::layout

#endif // TILEC_LAYOUT_F2MATRIX_H
