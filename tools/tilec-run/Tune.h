//===- Tune.h - which configuration is the fastest -------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_TUNE_H
#define TILEC_TOOLS_TILEC_RUN_TUNE_H

#include "Prepare.h"
#include "tilec/Compiler/TunedFile.h"

/// Measures the configurations of @triton.autotune for the arguments of the command line. Refers to
/// what it is made from; `decorators` has an autotune.
class Tuner {
public:
  Tuner(const CommandLine &line, const Preparer &preparer, tilec::Compilation &compilation,
        const tilec::ast::FunctionDef &function, const tilec::KernelDecorators &decorators);

  /// Takes over what the file of --tuned knows. A file that does not exist knows nothing.
  llvm::Error readFile();
  /// Measures the configurations that are not known yet, prints all times to standard output, the
  /// fastest first, and adds them to the file of --tuned. The arrays keep their contents. A
  /// configuration that does not compile or run is passed over; the error says why none does.
  llvm::Error measure();
  /// The fastest known configuration whose conditions hold for the arguments, else the first one;
  /// null if there is none, and `refusal` says which condition does not hold.
  const tilec::TuneConfig *choose(std::string &refusal) const;
  /// Whether it was measured and ran.
  bool isMeasured(const tilec::TuneConfig &config) const;

private:
  std::string refusalOf(const tilec::TuneConfig &config) const;
  llvm::Expected<double> timeOf(const tilec::TuneConfig &config);
  void print() const;

  const CommandLine &line;
  const Preparer &preparer;
  tilec::Compilation &compilation;
  const tilec::ast::FunctionDef &function;
  const tilec::Autotune &autotune;
  llvm::ArrayRef<tilec::Heuristic> heuristics;
  tilec::TunedEntry entry;
};

#endif // TILEC_TOOLS_TILEC_RUN_TUNE_H
