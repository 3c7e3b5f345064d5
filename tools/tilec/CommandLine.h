//===- CommandLine.h - what the user asked tilec to do ---------*- C++ -*-===//
//
// The command line of tilec as a value. What needs the source, such as the types in signatures and
// constants, stays text until the kernel file is read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_COMMANDLINE_H
#define TILEC_TOOLS_TILEC_COMMANDLINE_H

#include "tilec/Arch/GpuArch.h"
#include "tilec/Arch/Heuristics.h"
#include "tilec/Arch/TensorMaps.h"
#include "tilec/Arch/WarpRoles.h"
#include "tilec/Artifact/Artifact.h"
#include "tilec/Language/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

/// The forms that tilec writes; a report has most of them.
enum class Form { AST, Tile, Layout, GPU, NVVM, LLVM, PTX, Cubin, SASS, JSON, Object, Report };

/// A constexpr value as it was given.
struct Definition {
  std::string kernel; // Empty: every kernel that has the parameter.
  std::string name;
  std::string value;
};

/// A signature as it was given.
struct SignatureText {
  std::string text;  // "KERNEL:types" or "types".
  std::string cName; // Of its C functions, without the prefix; empty: by the rule.
};

/// What only objects have.
struct ObjectOptions {
  std::vector<tilec::GpuArch> gpus;
  tilec::HostArch host = tilec::HostArch::X86_64;
  std::vector<unsigned> cpuLevels; // As in x86-64-v3.
  std::string header;
  std::string nameSpace = "kernels";
  std::vector<std::string> grids;
  std::vector<std::string> requirements;
  std::string spec = "auto";
  std::string tuned;  // Empty: none.
  std::string report; // A page for all variants; empty: none.
  unsigned jobs = 0;
};

/// The whole command line, read and checked as far as it can be without the source.
struct CommandLine {
  std::string input; // The only one, unless the form is Object.
  std::vector<std::string> inputs;
  std::string inspect; // An object to describe; nothing else is done then.
  std::string output;
  bool hasDefaultOutput = false; // Nobody said where `output` goes.
  bool syntaxOnly = false;       // Nothing is written.
  std::string depfile;           // Empty: none.
  Form form = Form::PTX;
  std::vector<std::string> importFolders;
  std::vector<std::string> kernels;
  std::vector<SignatureText> signatures;
  std::vector<Definition> definitions;
  std::optional<tilec::GpuArch> arch;
  std::string reportProfile; // A trace that a report shows; empty: none.
  unsigned cpuLevel = 0;     // Of a report for a processor, as in x86-64-v3; 0 for a GPU.
  unsigned numWarps = 0;     // 0: the compiler chooses.
  unsigned numCTAs = 0;
  unsigned numStages = 0;
  tilec::WarpRoles warpRoles = tilec::WarpRoles::Asked;
  tilec::TensorMaps tensorMaps = tilec::TensorMaps::Kernel;
  unsigned maxRegisters = 0; // 0: no limit was given.
  unsigned optLevel = 3;
  bool fpFusion = true;
  bool lineInfo = false;
  bool remarks = false;
  bool debug = false;
  bool resourceUsage = false;
  bool timeReport = false;
  bool verbose = false;
  bool dryRun = false;
  std::string ptxas;
  tilec::HeuristicSet disabledHeuristics;
  ObjectOptions object;
  tilec::DiagnosticOptions diagnostics;
};

/// Reads the command line; `@FILE` is replaced by the arguments in FILE. Returns nothing when the
/// program should end with `exitCode` at once: 0 after --help or --version, 2 after wrong usage,
/// which was reported on standard error.
std::optional<CommandLine> parseCommandLine(int argc, char **argv, int &exitCode);

#endif // TILEC_TOOLS_TILEC_COMMANDLINE_H
