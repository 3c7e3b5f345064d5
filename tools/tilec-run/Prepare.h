//===- Prepare.h - a kernel made ready for its arguments -------*- C++ -*-===//
//
// Makes a kernel ready for the arguments of tilec-run's command line: compiled, loaded, with its
// grid and its parameters' values. The program itself and the tuner use it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_PREPARE_H
#define TILEC_TOOLS_TILEC_RUN_PREPARE_H

#include "CommandLine.h"
#include "tilec/Compiler/Compiler.h"
#include "tilec/JIT/Machine.h"
#include "tilec/Language/Decorators.h"
#include "llvm/ADT/StringMap.h"

/// A kernel that is loaded, with what it is run with.
struct PreparedKernel {
  std::unique_ptr<tilec::LoadedKernel> kernel;
  std::vector<tilec::LaunchValue> values;
  tilec::LaunchGrid grid;
};

/// Compiles kernels for the arguments that the command line gives. Refers to its arguments.
class Preparer {
public:
  Preparer(const CommandLine &line, tilec::Machine &machine,
           llvm::ArrayRef<tilec::NamedArgument> arguments)
      : line(line), machine(machine), arguments(arguments) {}

  /// What -D gives wins: heuristics for it are dropped, and @triton.autotune when it sets a
  /// parameter that the configurations set. False after reporting errors.
  bool dropGiven(tilec::KernelDecorators &decorators, tilec::Compilation &compilation) const;

  /// Compiles `function`, one of `compilation`, with what `config` (may be null) and the heuristics
  /// set, and finds the grid. False after reporting errors to the compilation.
  bool prepare(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
               const tilec::TuneConfig *config, llvm::ArrayRef<tilec::Heuristic> heuristics,
               PreparedKernel &result) const;

  /// Runs the front end only. `refusal` gets why the kernel must not run with this configuration, a
  /// condition that does not hold, or stays empty. False after reporting errors.
  bool findRefusal(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                   const tilec::TuneConfig &config, llvm::ArrayRef<tilec::Heuristic> heuristics,
                   std::string &refusal) const;

  /// The value of an argument or a -D constant as text; "" for an array and for an unknown name.
  std::string valueOf(llvm::StringRef name) const;
  /// The types of the run-time arguments in the order of the parameters: "x=*fp32, n=i32".
  std::string typesOf(const tilec::ast::FunctionDef &function) const;

  tilec::Machine &target() const { return machine; }
  llvm::ArrayRef<tilec::NamedArgument> inputs() const { return arguments; }

private:
  bool readSignature(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                     tilec::Signature &result) const;
  bool addConstants(tilec::Compilation &compilation, tilec::KernelRequest &request) const;
  /// Adds to `decided`, a configuration, what the heuristics set, and all of it to `request`.
  bool addDecorated(tilec::Compilation &compilation, llvm::ArrayRef<tilec::Heuristic> heuristics,
                    tilec::TuneConfig &decided, tilec::KernelRequest &request) const;
  tilec::CodeOptions codeOptions() const;
  bool specialize(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                  llvm::ArrayRef<tilec::Heuristic> heuristics, const tilec::CodeOptions &code,
                  tilec::TuneConfig &decided, tilec::KernelRequest &request) const;
  llvm::StringMap<tilec::ConstValue> valuesOf(const tilec::Compilation &compilation) const;
  /// `refusal` gets which of the conditions does not hold. False after reporting errors.
  bool checkConditions(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                       std::string &refusal) const;
  bool findGrid(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                tilec::LaunchGrid &grid) const;
  /// What a profile is told of the arithmetic; 0 if nothing is given.
  bool findOperations(tilec::Compilation &compilation, const tilec::ast::FunctionDef &function,
                      uint64_t &operations) const;

  const CommandLine &line;
  tilec::Machine &machine;
  llvm::ArrayRef<tilec::NamedArgument> arguments;
};

#endif // TILEC_TOOLS_TILEC_RUN_PREPARE_H
