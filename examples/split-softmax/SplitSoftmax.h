//===- SplitSoftmax.h - Softmax over columns that ranks share ------*- C++ -*-===//

#ifndef SPLIT_SOFTMAX_H
#define SPLIT_SOFTMAX_H

#include "Rank.h"

/// A matrix of which this rank holds `cols` columns, row after row, and the memory to work on it.
struct Slice {
  int rows = 0, cols = 0;
  float *x = nullptr, *out = nullptr;
  /// One value for each row.
  float *top = nullptr, *total = nullptr;
};

/// Takes memory from the rank. `x` is the slice's part of the input.
std::string makeSlice(Rank &rank, int rows, int cols, const float *x, Slice &slice);

/// Puts the softmax over whole rows into `out`. If `isWhole`, the slice has all columns, and the
/// other ranks do not take part. Does not wait.
std::string softmax(Rank &rank, const Slice &slice, bool isWhole);

/// The largest relative difference that a split may make to the result: the sum is added in another
/// order, and each addition that a term goes through may round by 2^-24, on either side.
double differenceBound(int cols, int ranks);

#endif // SPLIT_SOFTMAX_H
