//===- tilec-bench.cpp - measures kernels beside others --------*- C++ -*-===//
//
// The instrument from which claims about speed are read; docs/performance.md says how it measures.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace tilec::bench;

static bool hasFiles(llvm::StringRef folder) {
  llvm::SmallString<128> script(folder);
  llvm::sys::path::append(script, "bench", "providers.py");
  return llvm::sys::fs::exists(script);
}

/// The folder with examples/ and bench/: beside bin/ in a bundle, above build/ in a source tree.
static std::string findSource(const CommandLine &line, const char *program) {
  if (!line.source.empty())
    return line.source;
  std::string executable = llvm::sys::fs::getMainExecutable(program, (void *)(intptr_t)findSource);
  llvm::StringRef folder = llvm::sys::path::parent_path(executable);
  for (int level = 0; level < 2; ++level) {
    folder = llvm::sys::path::parent_path(folder);
    if (hasFiles(folder))
      return folder.str();
  }
  return ".";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int exitCode = 0;
  std::optional<CommandLine> line = parseCommandLine(argc, argv, exitCode);
  if (!line)
    return exitCode;
  std::string source = findSource(*line, argv[0]);
  if (!hasFiles(source)) {
    llvm::errs() << "tilec-bench: error: there is no bench/providers.py in '" << source
                 << "'; name the folder that holds bench/ and examples/ with --source=\n";
    return 1;
  }
  return Session(*line, source).run();
}
