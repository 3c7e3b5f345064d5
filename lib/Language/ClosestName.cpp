//===- ClosestName.cpp - "did you mean" suggestions -------------*- C++ -*-===//
//
// Finds the name that a misspelt one most likely stands for. The distance counts insertions,
// deletions, substitutions and swaps of neighbours (optimal string alignment), in half steps so
// that a wrong case is cheaper than a wrong letter.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace tilec {
namespace {

/// Longer names are not compared: the cost is quadratic and nobody misspells those by a letter.
constexpr size_t maxLength = 128;

unsigned substitution(char a, char b) {
  if (a == b)
    return 0;
  return toLower(a) == toLower(b) ? 1 : 2;
}

/// Distance in half steps.
unsigned distance(StringRef a, StringRef b) {
  size_t columns = b.size() + 1;
  std::vector<unsigned> beforeLast(columns), last(columns), row(columns);
  for (size_t j = 0; j < columns; ++j)
    last[j] = static_cast<unsigned>(2 * j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<unsigned>(2 * i);
    for (size_t j = 1; j < columns; ++j) {
      row[j] =
          std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + substitution(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 2);
    }
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

} // namespace

std::optional<StringRef> closestName(StringRef name, ArrayRef<StringRef> candidates) {
  std::optional<StringRef> best;
  unsigned bestDistance = 0;
  if (name.empty() || name.size() > maxLength)
    return best;
  for (StringRef candidate : candidates) {
    if (candidate.empty() || candidate.size() > maxLength)
      continue;
    size_t longer = std::max(name.size(), candidate.size());
    size_t shorter = std::min(name.size(), candidate.size());
    unsigned limit = static_cast<unsigned>(2 * std::max<size_t>(1, longer / 3));
    if (2 * (longer - shorter) > limit)
      continue;
    // A name in capitals is the same name, however long it is.
    unsigned d = name.equals_insensitive(candidate) ? 1 : distance(name, candidate);
    // Something of the name must be left, or every one-letter name would suggest another.
    if (d > limit || d >= 2 * shorter)
      continue;
    if (!best || d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

} // namespace tilec
