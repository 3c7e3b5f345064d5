//===- CommandLine.h - what the user asked tilec-run to do -----*- C++ -*-===//
//
// The command line of tilec-run as a value. What needs the source, such as the types of constants
// or the names in a grid, stays text until the kernel file is read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_COMMANDLINE_H
#define TILEC_TOOLS_TILEC_RUN_COMMANDLINE_H

#include "ValueSpec.h"
#include "tilec/Arch/GpuArch.h"
#include "tilec/Arch/Heuristics.h"
#include "tilec/Arch/TensorMaps.h"
#include "tilec/Arch/WarpRoles.h"

#include <optional>
#include <string>
#include <vector>

/// NAME=VALUE with the value as text.
struct NamedText {
  std::string name;
  std::string text;
};

/// NAME=VALUE where the value is an array, a tuple with arrays, a tensor descriptor of an array, or
/// a constant that is still text.
struct NamedValue {
  std::string name; // Of an element "x.0".
  std::optional<ArraySpec> array;
  std::string text;
  std::vector<NamedValue> elements; // Of a tuple with arrays.
  std::string className;            // Of a named one.
  /// Of a tensor descriptor, which has the array as its one element.
  std::optional<DescriptorSpec> descriptor;
};

enum class TargetChoice { Auto, CPU, CUDA, Simulator };

/// The whole command line, read and checked as far as it can be without the source.
struct CommandLine {
  std::string input;
  std::vector<std::string> importFolders;
  std::string kernel;
  std::string grid;
  std::vector<std::string> requirements;
  std::vector<NamedValue> arguments;
  std::vector<NamedText> constants;
  std::string signature;
  unsigned numWarps = 0; // 0: the compiler chooses.
  unsigned numCTAs = 0;
  unsigned numStages = 0;
  tilec::WarpRoles warpRoles = tilec::WarpRoles::Asked;
  tilec::TensorMaps tensorMaps = tilec::TensorMaps::Kernel;
  unsigned maxRegisters = 0; // 0: no limit was given.
  tilec::HeuristicSet disabledHeuristics;
  bool fpFusion = true;
  bool debug = false;
  TargetChoice target = TargetChoice::Auto;
  std::optional<tilec::GpuArch> arch;
  bool check = false;
  /// With --check on a GPU: tools of compute-sanitizer to run this command line under, which is
  /// `childArguments`.
  std::vector<std::string> checkTools, childArguments;
  std::string watchingTool; // The tool that this run is watched by, or "".
  std::string factsFile;    // What such a run writes.
  bool noResults = false;   // It is for the tool alone.
  unsigned threads = 0;
  uint64_t seed = 0;
  std::vector<NamedText> saves;
  std::vector<NamedValue> expectations;
  std::optional<double> rtol, atol;
  std::vector<std::string> prints;
  bool bench = false;
  bool tune = false;
  bool profile = false;
  std::string operations;  // Of a launch, as an expression; empty: not known.
  std::string profileFile; // Of the trace; empty: none.
  std::string tuned;       // The file of choices; empty: none.
  bool verbose = false;
};

/// Reads the command line; `@FILE` is replaced by the arguments in FILE. Returns nothing when the
/// program should end with `exitCode` at once: 0 after --help or --version, 2 after wrong usage,
/// which was reported on standard error.
std::optional<CommandLine> parseCommandLine(int argc, char **argv, int &exitCode);

#endif // TILEC_TOOLS_TILEC_RUN_COMMANDLINE_H
