//===- SourceStore.cpp - Files that kernel files import ---------*- C++ -*-===//
//
// Files that kernels import, each read at most once, and parsed at most once when somebody needs
// its tree. A path that is no file is remembered as well. Threads share a store; its digests are
// what compilations depend on.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/SourceStore.h"

#include "tilec/Language/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace tilec;
namespace fs = llvm::sys::fs;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

SourceFile::SourceFile(std::string path, fs::UniqueID id, std::unique_ptr<llvm::MemoryBuffer> text)
    : filePath(std::move(path)), fileID(id) {
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
}

llvm::StringRef SourceFile::text() const { return sources.getMemoryBuffer(1)->getBuffer(); }

std::string SourceFile::digest() const {
  llvm::BLAKE3 hasher;
  hasher.update(text());
  auto hash = hasher.final<32>();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
}

void SourceFile::parse() const {
  DiagnosticEngine silent(sources, llvm::nulls());
  module = parseModule(sources, 1, silent, trees);
  errors = !module || silent.hasErrors();
  messages = errors || silent.warningCount() != 0;
}

const ast::Module *SourceFile::tree() const {
  std::call_once(parsed, [this] { parse(); });
  return module;
}

bool SourceFile::hasErrors() const {
  tree();
  return errors;
}

bool SourceFile::hasMessages() const {
  tree();
  return messages;
}

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

std::string PathState::digest() const {
  switch (kind) {
  case Kind::Absent:
    return "absent";
  case Kind::Folder:
    return "folder";
  case Kind::File:
    return file->digest();
  case Kind::Unreadable:
    return "unreadable";
  }
  llvm_unreachable("all kinds are covered");
}

static PathState::Kind kindOfStatus(std::error_code error, const fs::file_status &status) {
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
    return PathState::Kind::Absent;
  if (!error && status.type() == fs::file_type::directory_file)
    return PathState::Kind::Folder;
  bool isFile = !error && status.type() == fs::file_type::regular_file;
  return isFile ? PathState::Kind::File : PathState::Kind::Unreadable;
}

PathState::Kind SourceStore::kindOf(const std::string &path) {
  std::lock_guard<std::mutex> guard(lock);
  if (auto known = states.find(path); known != states.end())
    return known->second.kind;
  auto [entry, isNew] = kinds.try_emplace(path);
  if (isNew) {
    fs::file_status status;
    std::error_code error = fs::status(path, status);
    entry->second = kindOfStatus(error, status);
  }
  return entry->second;
}

const PathState &SourceStore::read(const std::string &path) {
  std::lock_guard<std::mutex> guard(lock);
  auto [entry, isNew] = states.try_emplace(path);
  PathState &state = entry->second;
  if (!isNew)
    return state;
  fs::file_status status;
  std::error_code error = fs::status(path, status);
  state.kind = kindOfStatus(error, status);
  if (state.kind == PathState::Kind::Unreadable)
    state.problem = error ? error.message() : "it is no regular file";
  if (state.kind != PathState::Kind::File)
    return state;
  std::unique_ptr<SourceFile> &file = files[status.getUniqueID()];
  if (!file) {
    // A copy: mapped memory would change with the file.
    auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true, /*RequiresNullTerminator=*/true,
                                            /*IsVolatile=*/true);
    if (!text) {
      files.erase(status.getUniqueID());
      state.kind = PathState::Kind::Unreadable;
      state.problem = text.getError().message();
      return state;
    }
    file = std::make_unique<SourceFile>(path, status.getUniqueID(), std::move(*text));
  }
  state.file = file.get();
  return state;
}

std::vector<std::string> SourceStore::filesRead() const {
  std::lock_guard<std::mutex> guard(lock);
  std::vector<std::string> paths;
  for (const auto &[id, file] : files)
    paths.push_back(file->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}
