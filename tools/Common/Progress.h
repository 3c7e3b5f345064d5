//===- Progress.h - how far the run is -------------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_COMMON_PROGRESS_H
#define TILEC_TOOLS_COMMON_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace tilec {

/// The bar for `done` of `total` steps, `width` characters wide: "[####......] 4/10 text". Shows
/// how many seconds are left once some were needed.
std::string progressLine(unsigned done, unsigned total, double seconds, llvm::StringRef text);

/// A line on standard error that is drawn over, if that is a terminal; otherwise nothing.
class Progress {
public:
  explicit Progress(unsigned total);
  ~Progress() { clear(); }

  /// Begins the next step.
  void step(llvm::StringRef text);
  /// Takes the line away before something else is printed.
  void clear();

private:
  unsigned total, done = 0;
  bool isShown, isDrawn = false;
  std::chrono::steady_clock::time_point start;
};

} // namespace tilec

#endif // TILEC_TOOLS_COMMON_PROGRESS_H
