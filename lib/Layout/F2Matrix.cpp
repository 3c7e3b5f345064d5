//===- F2Matrix.cpp - Linear maps over the two-element field ----*- C++ -*-===//
//
// Gaussian elimination on 64-bit words. All questions (rank, kernel, solving, inverses) are asked
// of one incrementally built echelon basis, F2Basis, which remembers how each member came about.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/F2Matrix.h"

#include <bitset>
#include <cassert>
#include <utility>

namespace tilec::layout {

unsigned popCount(uint64_t x) { return static_cast<unsigned>(std::bitset<64>(x).count()); }

unsigned log2Floor(uint64_t x) {
  assert(x != 0 && "zero has no logarithm");
  unsigned result = 0;
  while (x >>= 1)
    ++result;
  return result;
}

//===----------------------------------------------------------------------===//
// F2Basis
//===----------------------------------------------------------------------===//

F2Basis::F2Basis(const std::vector<uint64_t> &vectors) {
  for (uint64_t v : vectors)
    insert(v);
}

bool F2Basis::insert(uint64_t v) {
  uint64_t combination = numInserted < 64 ? uint64_t(1) << numInserted : 0;
  ++numInserted;
  for (const Row &row : rows) {
    if (v & row.pivot) {
      v ^= row.value;
      combination ^= row.combination;
    }
  }
  if (v == 0)
    return false;
  rows.push_back({v, uint64_t(1) << log2Floor(v), combination});
  return true;
}

uint64_t F2Basis::reduce(uint64_t v) const {
  // A row has no pivot of an earlier row, so one pass in insertion order clears all of them.
  for (const Row &row : rows)
    if (v & row.pivot)
      v ^= row.value;
  return v;
}

std::optional<uint64_t> F2Basis::express(uint64_t v) const {
  uint64_t combination = 0;
  for (const Row &row : rows) {
    if (v & row.pivot) {
      v ^= row.value;
      combination ^= row.combination;
    }
  }
  if (v != 0)
    return std::nullopt;
  return combination;
}

//===----------------------------------------------------------------------===//
// F2Matrix
//===----------------------------------------------------------------------===//

F2Matrix::F2Matrix(unsigned numRows, std::vector<uint64_t> columns)
    : rowCount(numRows), cols(std::move(columns)) {
  assert(rowCount <= kMaxDim && cols.size() <= kMaxDim && "matrix too large");
#ifndef NDEBUG
  for (uint64_t c : cols)
    assert((c >> rowCount) == 0 && "column has bits beyond the rows");
#endif
}

F2Matrix F2Matrix::identity(unsigned n) {
  std::vector<uint64_t> columns(n);
  for (unsigned i = 0; i < n; ++i)
    columns[i] = uint64_t(1) << i;
  return F2Matrix(n, std::move(columns));
}

F2Matrix F2Matrix::zero(unsigned numRows, unsigned numCols) {
  return F2Matrix(numRows, std::vector<uint64_t>(numCols, 0));
}

F2Matrix F2Matrix::directSum(const F2Matrix &a, const F2Matrix &b) {
  std::vector<uint64_t> columns = a.cols;
  for (uint64_t c : b.cols)
    columns.push_back(c << a.rowCount);
  return F2Matrix(a.rowCount + b.rowCount, std::move(columns));
}

F2Matrix F2Matrix::concatColumns(const F2Matrix &a, const F2Matrix &b) {
  assert(a.rowCount == b.rowCount && "row counts differ");
  std::vector<uint64_t> columns = a.cols;
  columns.insert(columns.end(), b.cols.begin(), b.cols.end());
  return F2Matrix(a.rowCount, std::move(columns));
}

uint64_t F2Matrix::apply(uint64_t x) const {
  uint64_t result = 0;
  for (uint64_t c : cols) {
    if (x & 1)
      result ^= c;
    x >>= 1;
  }
  return result;
}

F2Matrix F2Matrix::compose(const F2Matrix &inner) const {
  assert(inner.rowCount == numCols() && "dimensions do not match");
  std::vector<uint64_t> columns;
  columns.reserve(inner.cols.size());
  for (uint64_t c : inner.cols)
    columns.push_back(apply(c));
  return F2Matrix(rowCount, std::move(columns));
}

F2Matrix F2Matrix::transpose() const {
  std::vector<uint64_t> columns(rowCount, 0);
  for (unsigned j = 0; j < numCols(); ++j)
    for (unsigned i = 0; i < rowCount; ++i)
      columns[i] |= ((cols[j] >> i) & 1) << j;
  return F2Matrix(numCols(), std::move(columns));
}

unsigned F2Matrix::rank() const { return F2Basis(cols).dim(); }

bool F2Matrix::isZero() const {
  for (uint64_t c : cols)
    if (c != 0)
      return false;
  return true;
}

std::vector<uint64_t> F2Matrix::kernelBasis() const {
  std::vector<uint64_t> kernel;
  F2Basis basis;
  for (unsigned i = 0; i < numCols(); ++i) {
    if (std::optional<uint64_t> sum = basis.express(cols[i]))
      kernel.push_back(*sum | uint64_t(1) << i);
    basis.insert(cols[i]);
  }
  return kernel;
}

std::vector<uint64_t> F2Matrix::imageBasis() const {
  std::vector<uint64_t> image;
  F2Basis basis;
  for (uint64_t c : cols)
    if (basis.insert(c))
      image.push_back(c);
  return image;
}

std::optional<uint64_t> F2Matrix::solve(uint64_t b) const { return F2Basis(cols).express(b); }

F2Matrix F2Matrix::pseudoInverse() const {
  // Complete the independent columns with unit vectors to a basis of the whole space; a unit
  // vector's preimage is then the part of its expression that uses columns.
  F2Basis basis;
  std::vector<unsigned> origin;
  for (unsigned i = 0; i < numCols(); ++i) {
    if (!basis.contains(cols[i])) {
      basis.insert(cols[i]);
      origin.push_back(i);
    }
  }
  for (unsigned i = 0; i < rowCount; ++i)
    if (!basis.contains(uint64_t(1) << i))
      basis.insert(uint64_t(1) << i);

  std::vector<uint64_t> columns(rowCount, 0);
  for (unsigned i = 0; i < rowCount; ++i) {
    std::optional<uint64_t> sum = basis.express(uint64_t(1) << i);
    assert(sum && "the basis spans the space");
    for (unsigned k = 0; k < origin.size(); ++k)
      columns[i] |= ((*sum >> k) & 1) << origin[k];
  }
  return F2Matrix(numCols(), std::move(columns));
}

std::optional<F2Matrix> F2Matrix::leftInverse() const {
  if (!isInjective())
    return std::nullopt;
  return pseudoInverse();
}

std::optional<F2Matrix> F2Matrix::rightInverse() const {
  if (!isSurjective())
    return std::nullopt;
  return pseudoInverse();
}

std::string F2Matrix::toString() const {
  std::string text;
  for (unsigned i = 0; i < rowCount; ++i) {
    for (uint64_t c : cols)
      text += (c >> i) & 1 ? '1' : '0';
    text += '\n';
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Subspaces
//===----------------------------------------------------------------------===//

std::vector<uint64_t> intersectSpans(const std::vector<uint64_t> &a,
                                     const std::vector<uint64_t> &b) {
  // Zassenhaus: carry along the part of each vector that came from `a`. When a vector of `b`
  // cancels to zero, what it cancelled against in `a` is in both spans.
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  std::vector<uint64_t> result;
  auto eliminate = [&rows](uint64_t &v, uint64_t &fromA) {
    for (const auto &row : rows) {
      if ((v >> log2Floor(row.first)) & 1) {
        v ^= row.first;
        fromA ^= row.second;
      }
    }
  };
  for (uint64_t v : a) {
    uint64_t fromA = v;
    eliminate(v, fromA);
    if (v != 0)
      rows.emplace_back(v, fromA);
  }
  F2Basis found;
  for (uint64_t v : b) {
    uint64_t fromA = 0;
    eliminate(v, fromA);
    if (v != 0)
      rows.emplace_back(v, fromA);
    else if (found.insert(fromA))
      result.push_back(fromA);
  }
  return result;
}

} // namespace tilec::layout
