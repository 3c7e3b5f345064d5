//===- CommandLine.h - what the user asked tilec-bench to do ---*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_COMMANDLINE_H
#define TILEC_TOOLS_TILEC_BENCH_COMMANDLINE_H

#include "Suites.h"

#include <optional>

namespace tilec::bench {

/// The whole command line, read and checked.
struct CommandLine {
  std::vector<const Suite *> suites;
  /// For each of `suites`.
  std::vector<std::vector<ScalarKind>> types;
  std::vector<std::vector<Size>> sizes;
  std::vector<std::string> providers;
  /// False: all providers are wanted, and it is fine if the machine lacks some.
  bool providersGiven = false;
  bool quick = false;
  /// 0: chosen for each case.
  unsigned numWarps = 0;
  std::string out = "bench-results";
  /// Empty: to be looked for.
  std::string source;
  std::string python = "python3";
};

/// Reads the command line. Returns nothing when the program should end with `exitCode` at once: 0
/// after --help, --version or --list, 2 after wrong usage, which was reported on standard error.
std::optional<CommandLine> parseCommandLine(int argc, char **argv, int &exitCode);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_COMMANDLINE_H
