//===- OutputFile.h - Writes what tilec made -------------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_OUTPUTFILE_H
#define TILEC_TOOLS_TILEC_OUTPUTFILE_H

#include "tilec/Language/Diagnostics.h"

#include <string>
#include <vector>

/// The files of one run, which are written all or none: each goes to a temporary file beside its
/// place first, and takes its place when all could be written. What is no regular file (a device, a
/// pipe) and standard output are written directly.
class OutputFiles {
public:
  /// Adds a file; "-" is standard output.
  void add(llvm::StringRef path, std::string text) {
    files.push_back({path.str(), std::move(text)});
  }

  /// Adds the rule `output: inputs` for make; each input is named once, standard input not at all.
  void addDependencies(llvm::StringRef path, llvm::StringRef output,
                       llvm::ArrayRef<std::string> inputs);

  /// Writes all of them, but none over one of `inputs`. False after reporting an error; what was at
  /// the places before is there still, unless the last step itself fails: then none of the files
  /// is.
  bool write(tilec::DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> inputs);

private:
  struct File {
    std::string path, text;
  };
  std::vector<File> files;
};

#endif // TILEC_TOOLS_TILEC_OUTPUTFILE_H
