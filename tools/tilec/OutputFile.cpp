//===- OutputFile.cpp - Writes what tilec made -----------------*- C++ -*-===//

#include "OutputFile.h"

#include "llvm/ADT/StringSet.h"
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

static std::string escapeForMake(llvm::StringRef path) {
  std::string result;
  for (char c : path) {
    if (c == ' ' || c == '#')
      result += '\\';
    if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

bool writeDependencies(llvm::StringRef path, llvm::StringRef output,
                       llvm::ArrayRef<std::string> inputs, tilec::DiagnosticEngine &diagnostics) {
  std::string rule = escapeForMake(output) + ":";
  llvm::StringSet<> seen;
  for (const std::string &input : inputs)
    if (input != "-" && seen.insert(input).second)
      rule += " " + escapeForMake(input);
  return writeFile(path, rule + "\n", diagnostics);
}
