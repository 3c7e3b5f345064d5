//===- OutputFile.cpp - Writes what tilec made -----------------*- C++ -*-===//
//
// Writes the outputs of a run all or none: each goes to a temporary file in the folder of its
// target, and the files are renamed when all were written. What is no regular file is written
// directly. The dependency file for make is one of the outputs.
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

namespace fs = llvm::sys::fs;
using llvm::StringRef;

static std::string escapeForMake(StringRef path) {
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

void OutputFiles::addDependencies(StringRef path, StringRef output,
                                  llvm::ArrayRef<std::string> inputs) {
  std::string rule = escapeForMake(output) + ":";
  llvm::StringSet<> seen;
  for (const std::string &input : inputs)
    if (input != "-" && seen.insert(input).second)
      rule += " " + escapeForMake(input);
  add(path, rule + "\n");
}

/// Standard output, or something that is there and cannot be replaced by a file.
static bool isDirect(StringRef path) {
  fs::file_status status;
  return path == "-" ||
         (!fs::status(path, status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

static std::error_code writeAndClose(llvm::raw_fd_ostream &os, StringRef text) {
  os << text;
  os.flush();
  std::error_code failure = os.error();
  os.clear_error();
  return failure;
}

static std::error_code writeDirectly(StringRef path, StringRef text) {
  std::error_code failure;
  llvm::raw_fd_ostream os(path, failure, fs::OF_None);
  return failure ? failure : writeAndClose(os, text);
}

/// Writes a temporary file in the folder of `path`.
static llvm::Expected<fs::TempFile> writeBeside(StringRef path, StringRef text) {
  if (fs::is_directory(path))
    return llvm::errorCodeToError(std::make_error_code(std::errc::is_a_directory));
  llvm::Expected<fs::TempFile> file = fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return file;
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (std::error_code failure = writeAndClose(os, text)) {
    llvm::consumeError(file->discard());
    return llvm::errorCodeToError(failure);
  }
  return file;
}

/// The file that a link leads to, so that the link stays.
static std::string targetOf(StringRef path) {
  llvm::SmallString<128> target;
  return fs::is_symlink_file(path) && !fs::real_path(path, target) ? target.str().str()
                                                                   : path.str();
}

bool OutputFiles::write(tilec::DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> inputs) {
  std::vector<std::pair<fs::TempFile, std::string>> written; // And their places.
  size_t placed = 0;
  auto fail = [&](StringRef path, llvm::Error error) {
    diagnostics.error(llvm::SMRange(),
                      "cannot write '" + path + "': " + llvm::toString(std::move(error)));
    for (auto &[file, target] : llvm::drop_begin(written, placed))
      llvm::consumeError(file.discard());
    for (auto &[file, target] : llvm::ArrayRef(written).take_front(placed))
      fs::remove(target);
    return false;
  };
  llvm::StringSet<> targets;
  for (const File &file : files) {
    bool direct = isDirect(file.path);
    std::string target = direct ? file.path : targetOf(file.path);
    bool isNew = targets.insert(target).second;
    if (!isNew && (!direct || target == "-"))
      return fail(file.path, llvm::createStringError("another output has this name"));
    if (direct)
      continue;
    if (llvm::any_of(inputs, [&](StringRef input) { return fs::equivalent(input, target); }))
      return fail(file.path, llvm::createStringError("it is an input file"));
    llvm::Expected<fs::TempFile> temporary = writeBeside(target, file.text);
    if (!temporary)
      return fail(file.path, temporary.takeError());
    written.push_back({std::move(*temporary), target});
  }
  for (const File &file : files)
    if (isDirect(file.path))
      if (std::error_code failure = writeDirectly(file.path, file.text))
        return fail(file.path, llvm::errorCodeToError(failure));
  for (auto &[file, target] : written) {
    if (llvm::Error error = file.keep(target))
      return fail(target, std::move(error));
    ++placed;
  }
  return true;
}
