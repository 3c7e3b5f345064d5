//===- OutputFile.cpp - Writes what tilec made -----------------*- C++ -*-===//

#include "OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

bool writeFile(llvm::StringRef path, llvm::StringRef text, tilec::DiagnosticEngine &diagnostics) {
  std::error_code failure;
  llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_None);
  if (!failure) {
    file.os() << text;
    file.os().flush();
    failure = file.os().error();
  }
  if (failure) {
    file.os().clear_error();
    diagnostics.error(llvm::SMRange(), "cannot write '" + path + "': " + failure.message());
    return false;
  }
  file.keep();
  return true;
}
