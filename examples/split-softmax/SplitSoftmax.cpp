//===- SplitSoftmax.cpp - Softmax over columns that ranks share ----*- C++ -*-===//
//
// The maximum of each row over all ranks, the sum of exponentials over all ranks, the quotient: two
// reductions of one number a row, however long the rows are.
//
//===----------------------------------------------------------------------===//

#include "SplitSoftmax.h"

#include "split_softmax_kernels.h"

#include <cmath>

std::string makeSlice(Rank &rank, int rows, int cols, const float *x, Slice &slice) {
  slice.rows = rows;
  slice.cols = cols;
  size_t count = size_t(rows) * size_t(cols);
  std::string error = rank.allocate(count, slice.x);
  if (error.empty())
    error = rank.allocate(count, slice.out);
  if (error.empty())
    error = rank.allocate(size_t(rows), slice.top);
  if (error.empty())
    error = rank.allocate(size_t(rows), slice.total);
  return error.empty() ? rank.copyIn(slice.x, x, count) : error;
}

std::string softmax(Rank &rank, const Slice &slice, bool isWhole) {
  const auto &[rows, cols, x, out, top, total] = slice;
  tilec::Status status = kernels::row_max({rank.stream(), rows}, top, x, cols);
  if (!status)
    return status.message();
  if (!isWhole)
    if (std::string error = rank.allReduce(top, size_t(rows), Reduction::Max); !error.empty())
      return error;
  status = kernels::row_sum({rank.stream(), rows}, total, x, top, cols);
  if (!status)
    return status.message();
  if (!isWhole)
    if (std::string error = rank.allReduce(total, size_t(rows), Reduction::Sum); !error.empty())
      return error;
  status = kernels::normalise({rank.stream(), rows}, out, x, top, total, cols);
  return status ? "" : status.message();
}

double differenceBound(int cols, int ranks) {
  // A term is added in its lane of BLOCK, then in the tree over lanes, then over the ranks; two
  // more roundings are those of the quotient and of the product.
  constexpr int block = 1024, levels = 10;
  int additions = (cols + block - 1) / block + levels;
  return std::ldexp(2 * (additions + 2) + ranks, -24);
}
