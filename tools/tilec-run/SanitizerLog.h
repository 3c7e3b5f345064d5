//===- SanitizerLog.h - what compute-sanitizer prints ----------*- C++ -*-===//
//
// The output of CUDA's compute-sanitizer as values. It is text for people, of which these parts
// have been the same in all releases since the tool's first.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_SANITIZERLOG_H
#define TILEC_TOOLS_TILEC_RUN_SANITIZERLOG_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

/// One error that the tool has found, of one thread or, for a race, of two lines.
struct SanitizerFinding {
  enum class Kind { Outside, Misaligned, Unwritten, Race, Barrier, Assertion, Other };
  enum class Access { Read, Write, Atomic };
  struct Place {
    std::string file; // Empty: not known.
    unsigned line = 0;
    bool operator<(const Place &other) const {
      return std::tie(file, line) < std::tie(other.file, other.line);
    }
  };
  /// The other access of a race.
  struct Opponent {
    Place place;
    Access access = Access::Read;
    uint64_t count = 1;
  };

  Kind kind = Kind::Other;
  std::string text;  // The tool's words: "Divergent thread(s) in warp"; of an assertion its own.
  std::string space; // Of an access: "global", "shared", "local".
  Access access = Access::Read;
  unsigned bytes = 0;
  uint64_t address = 0;
  Place place;
  bool hasThread = false;
  unsigned thread[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  std::vector<Opponent> opponents;
};

struct SanitizerLog {
  std::vector<SanitizerFinding> findings;
  /// What keeps the tool from working, in its words; empty: nothing.
  std::string failure;
  /// Errors by the tool's own count, more than `listed` if it stopped listing them.
  uint64_t counted = 0, listed = 0;
  /// Whether it came to its end.
  bool isComplete = false;
};

SanitizerLog readSanitizerLog(llvm::StringRef text);

/// Takes the lines off `output`, that of a run, which CUDA prints for each thread whose assertion
/// has failed. The log knows that some have, but not which.
void takeAssertions(std::string &output, SanitizerLog &log);

#endif // TILEC_TOOLS_TILEC_RUN_SANITIZERLOG_H
