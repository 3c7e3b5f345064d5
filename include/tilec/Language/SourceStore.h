//===- SourceStore.h - Files that kernel files import -----------*- C++ -*-===//
//
// Reads files once and keeps them, so that all compilations of a program see the same text,
// whatever happens on disk meanwhile, and none parses a file again.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_SOURCESTORE_H
#define TILEC_LANGUAGE_SOURCESTORE_H

#include "tilec/Language/AST.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem/UniqueID.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilec {

/// A file as it was when it was first read. All members may be called from any thread.
class SourceFile {
public:
  SourceFile(std::string path, llvm::sys::fs::UniqueID id,
             std::unique_ptr<llvm::MemoryBuffer> text);

  /// As it was first asked for.
  const std::string &path() const { return filePath; }
  /// The same for every path to one file.
  llvm::sys::fs::UniqueID id() const { return fileID; }
  llvm::StringRef text() const;
  /// A hash of the text, in hexadecimal digits.
  std::string digest() const;
  /// The tree, parsed by the first call without a report; null when the file is no text. Its places
  /// are in text(), so every SourceMgr with a buffer over that memory can print them.
  const ast::Module *tree() const;
  /// Parsing it reports errors, or reports anything.
  bool hasErrors() const;
  bool hasMessages() const;

private:
  void parse() const;

  std::string filePath;
  llvm::sys::fs::UniqueID fileID;
  mutable std::once_flag parsed;
  mutable llvm::SourceMgr sources; // One buffer: the text.
  mutable ast::Context trees;
  mutable const ast::Module *module = nullptr;
  mutable bool errors = false, messages = false;
};

/// What is at a path.
struct PathState {
  enum class Kind { Absent, Folder, File, Unreadable };

  Kind kind = Kind::Absent;
  const SourceFile *file = nullptr; // Of a File; lives as long as the store.
  std::string problem;              // Of an Unreadable: why.

  /// Text that differs for what differs: a file's digest, or the kind.
  std::string digest() const;
};

/// Thread-safe. What is known of a path never changes: a store is a picture of the file system.
class SourceStore {
public:
  /// Reads what is at `path`, unless it was read before. The result lives as long as the store.
  const PathState &read(const std::string &path);
  /// What kind of thing is there; reads no file.
  PathState::Kind kindOf(const std::string &path);
  /// The paths of all files that were read, sorted.
  std::vector<std::string> filesRead() const;

private:
  mutable std::mutex lock;
  llvm::StringMap<PathState> states;
  llvm::StringMap<PathState::Kind> kinds;
  std::map<llvm::sys::fs::UniqueID, std::unique_ptr<SourceFile>> files;
};

} // namespace tilec

#endif // TILEC_LANGUAGE_SOURCESTORE_H
