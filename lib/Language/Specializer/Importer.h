//===- Importer.h - Modules that are files of the user ----------*- C++ -*-===//
//
// Turns what Imports finds on disk into modules whose names have values. A file is indexed when a
// name of it is first needed, once for an Interpreter, so functions and classes have one identity
// however they were imported.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_IMPORTER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_IMPORTER_H

#include "Object.h"
#include "tilec/Language/Imports.h"

#include <deque>

namespace tilec::front {

class Interpreter;

/// A file or a folder that kernels can name.
struct SourceModule {
  ModulePlace place;
  llvm::StringRef name;           // Dotted, for messages.
  const ModuleEnv *env = nullptr; // Null for a folder without __init__.py.
};

class Importer {
public:
  /// Without `imports` nothing is found. `report`: errors in imported files are errors of `in`.
  Importer(Interpreter &in, Imports *imports, bool report);
  ~Importer();

  /// The path of the main file; may be empty.
  std::string mainPath() const { return imports ? imports->search().mainFile : std::string(); }
  /// What files see that import the main file. Must outlive this object's use.
  void setMain(const ModuleEnv &env) { mainEnv = &env; }

  /// The module that `from` imports; null after setting `missing`. `whole` is false for
  /// `import a.b`, which binds `a`.
  const SourceModule *find(const ModuleEnv &from, unsigned level, llvm::StringRef dotted,
                           bool whole, llvm::SMRange at, MissingValue &missing);

  /// The value of a name of the module, or its submodule of that name.
  std::optional<Object> member(const SourceModule &module, llvm::StringRef name, llvm::SMRange at);
  /// The same for `from module import *`, which sees public names only.
  std::optional<Object> starMember(const SourceModule &module, llvm::StringRef name,
                                   llvm::SMRange at);

  /// Why member() gives nothing.
  MissingValue missingMember(const SourceModule &module, llvm::StringRef name) const;

  /// ModuleEnv::isPlainGlobal of a member.
  bool isPlain(const SourceModule &module, llvm::StringRef name, llvm::SMRange &definition) const;

private:
  const SourceModule *make(const ModulePlace &place, llvm::StringRef name, llvm::SMRange at);

  Interpreter &in;
  Imports *imports;
  bool report;
  const ModuleEnv *mainEnv = nullptr;
  std::deque<SourceModule> modules;
  std::map<std::string, const SourceModule *> folders;      // Without a file.
  std::map<const SourceFile *, const SourceModule *> files; // The others.
  std::deque<std::unique_ptr<ModuleEnv>> envs;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_IMPORTER_H
