//===- Imports.h - Finds the files that a kernel file imports ---*- C++ -*-===//
//
// From an import statement to a file, as Python would find it, without running anything:
//
//   - a relative import starts in the importing file's own folder; each further dot is a folder up;
//   - an absolute one is looked for in the folders that rootsOf() lists: those around the importing
//     file, those around the main file, and those that the user gave (-I).
//
// In a folder, `a.b` is a/b/__init__.py, else a/b.py, else the folder a/b, which has submodules
// only; a file in a later folder comes before that. The modules of the language and of Python's
// `math` are never looked for.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_IMPORTS_H
#define TILEC_LANGUAGE_IMPORTS_H

#include "tilec/Language/Diagnostics.h"
#include "tilec/Language/SourceStore.h"

#include "llvm/ADT/StringSet.h"

namespace tilec {

/// Where imports are looked for, and what was read. Copies share what was read.
struct ImportSearch {
  ImportSearch() : store(std::make_shared<SourceStore>()) {}

  /// The file that kernels are compiled from; empty for text that is no file, whose relative
  /// imports are found nowhere.
  std::string mainFile;
  /// Further folders for absolute imports, in order.
  std::vector<std::string> folders;
  std::shared_ptr<SourceStore> store; // Never null.
};

/// What one compilation has found at a path. Those of a whole compilation say what its result
/// depends on beside the main file.
struct ImportFact {
  std::string path;
  bool isContent = false; // `digest` is that of the contents, not just of the kind.
  std::string digest;

  bool operator==(const ImportFact &other) const {
    return path == other.path && isContent == other.isContent && digest == other.digest;
  }
};

/// True when every fact still holds in `store`.
bool holds(llvm::ArrayRef<ImportFact> facts, SourceStore &store);

/// A module as a place on disk.
struct ModulePlace {
  const SourceFile *file = nullptr; // Null for a folder without __init__.py.
  std::string folder;               // Where its submodules are; empty when it is no package.
  bool isPackage = false;
};

/// The outcome of a search.
struct ImportResult {
  std::optional<ModulePlace> place;
  std::string root;                  // With a place: the folder that the module's path starts in.
  std::string problem;               // Without a place: what was in the way, or empty.
  std::vector<std::string> searched; // Folders, "." for the current one.
};

/// The imports of one main file for one SourceMgr. Not thread-safe; objects with the same
/// ImportSearch may be used in different threads at once.
class Imports {
public:
  Imports(llvm::SourceMgr &sources, ImportSearch search)
      : sources(sources), searchIn(std::move(search)) {}

  const ImportSearch &search() const { return searchIn; }

  /// Finds the module that `from <level dots><module> import ..` names in `importer`, the path of a
  /// file (of the main file: search().mainFile). `module` is dotted; empty for `from . import`.
  ImportResult find(const std::string &importer, unsigned level, llvm::StringRef module);
  /// The submodule `name` of a package.
  std::optional<ModulePlace> findSubmodule(const ModulePlace &package, llvm::StringRef name);

  /// True when `file` is the main file itself.
  bool isMain(const SourceFile &file);

  /// The tree of a file, whose text becomes a buffer of the SourceMgr, included from `importedAt`.
  /// The first call for a file reports its errors and warnings, unless `diagnostics` is null. Null
  /// when the file is no text.
  const ast::Module *load(const SourceFile &file, llvm::SMLoc importedAt,
                          DiagnosticEngine *diagnostics);

  /// What the results so far depend on.
  const std::vector<ImportFact> &facts() const { return known; }

private:
  std::vector<std::string> rootsOf(const std::string &importer, llvm::StringRef firstName);
  void addRoots(const std::string &file, llvm::StringRef firstName,
                std::vector<std::string> &roots);
  std::optional<ModulePlace> findIn(const std::string &root, llvm::StringRef module,
                                    std::string &problem);
  const PathState &read(const std::string &path);
  PathState::Kind kindOf(const std::string &path);

  llvm::SourceMgr &sources;
  ImportSearch searchIn;
  std::vector<ImportFact> known;
  llvm::StringSet<> noted;                        // Paths in `known`; contents with a 'c' in front.
  std::map<const SourceFile *, unsigned> buffers; // Of the SourceMgr.
  std::map<const SourceFile *, bool> reported;    // Errors were.
  std::optional<std::optional<llvm::sys::fs::UniqueID>> mainID; // Looked up once.
};

/// What `name` is in `module` where it is no @triton.jit function, as the end of a message:
/// "; it is imported from 'pkg.mod': compile that file", a kernel in Gluon, or a function without
/// the decorator. Empty where it is none of these.
std::string adviceForMissing(const ast::Module &module, llvm::StringRef name);

/// The error that none of the @triton.jit functions \p names is called \p name: with that advice,
/// the name that is nearest, or all of them if they are few, behind \p has.
std::string describeMissing(const ast::Module &module, llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> names,
                            llvm::StringRef has = "the file has");

} // namespace tilec

#endif // TILEC_LANGUAGE_IMPORTS_H
