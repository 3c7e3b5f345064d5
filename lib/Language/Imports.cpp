//===- Imports.cpp - Finds the files that a kernel file imports -*- C++ -*-===//
//
// Finds the file of an import as Python would, from the folders around the importing file, those
// around the main file and those of -I. Every look at the disk goes through the SourceStore and is
// noted as a fact, what is absent too, so that caches can tell later whether the same search would
// have the same result.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Imports.h"

#include "tilec/Language/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Folders that a search goes up at most.
static constexpr unsigned maxFoldersUp = 100;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static std::string folderOf(StringRef file) { return path::parent_path(file).str(); }

/// The folder around one that may be relative; "" is the current folder.
static std::string folderAround(StringRef folder) {
  if (folder.empty() || folder == ".")
    return "..";
  if (path::filename(folder) == "..")
    return (folder + "/..").str();
  return path::has_relative_path(folder) ? folderOf(folder) : folder.str();
}

static std::string joinPath(StringRef folder, StringRef name) {
  llvm::SmallString<128> result(folder);
  path::append(result, name);
  return result.str().str();
}

static std::string shown(StringRef folder) { return folder.empty() ? "." : folder.str(); }

//===----------------------------------------------------------------------===//
// What results depend on
//===----------------------------------------------------------------------===//

const PathState &Imports::read(const std::string &path) {
  const PathState &state = searchIn.store->read(path);
  if (noted.insert("c" + path).second)
    known.push_back({path, /*isContent=*/true, state.digest()});
  return state;
}

static std::string digestOf(PathState::Kind kind) { return std::to_string(unsigned(kind)); }

PathState::Kind Imports::kindOf(const std::string &path) {
  PathState::Kind kind = searchIn.store->kindOf(path);
  if (noted.insert("k" + path).second)
    known.push_back({path, /*isContent=*/false, digestOf(kind)});
  return kind;
}

bool tilec::holds(llvm::ArrayRef<ImportFact> facts, SourceStore &store) {
  return llvm::all_of(facts, [&](const ImportFact &fact) {
    return fact.digest ==
           (fact.isContent ? store.read(fact.path).digest() : digestOf(store.kindOf(fact.path)));
  });
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Where Python would look while `file` is imported as part of its package, or run as a script:
/// the folder that holds the outermost package, the file's own folder, and, since packages need no
/// __init__.py, the folder that holds one called `firstName` with the file in it.
void Imports::addRoots(const std::string &file, StringRef firstName,
                       std::vector<std::string> &roots) {
  if (file.empty())
    return;
  auto add = [&](const std::string &root) {
    if (!llvm::is_contained(roots, root))
      roots.push_back(root);
  };
  std::string own = folderOf(file), root = own;
  for (unsigned up = 0; up < maxFoldersUp; ++up) {
    if (kindOf(joinPath(root, "__init__.py")) != PathState::Kind::File)
      break;
    root = folderAround(root);
  }
  add(root);
  add(own);
  llvm::SmallString<128> absolute(shown(own));
  if (fs::make_absolute(absolute))
    return;
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  StringRef at = absolute;
  root = own;
  for (unsigned up = 0; up < maxFoldersUp && path::has_relative_path(at); ++up) {
    root = folderAround(root);
    if (path::filename(at) == firstName)
      add(root);
    at = path::parent_path(at);
  }
}

std::vector<std::string> Imports::rootsOf(const std::string &importer, StringRef firstName) {
  std::vector<std::string> roots;
  addRoots(importer, firstName, roots);
  if (importer != searchIn.mainFile)
    addRoots(searchIn.mainFile, firstName, roots);
  for (const std::string &folder : searchIn.folders)
    if (!llvm::is_contained(roots, folder))
      roots.push_back(folder);
  return roots;
}

/// The module `module` below the folder `root`; with an empty name, the folder itself.
std::optional<ModulePlace> Imports::findIn(const std::string &root, StringRef module,
                                           std::string &problem) {
  std::string base = root;
  for (StringRef rest = module; !rest.empty(); rest = rest.split('.').second)
    base = joinPath(base, rest.split('.').first);
  auto fail = [&](const std::string &path, const std::string &why) {
    if (problem.empty())
      problem = "cannot read '" + path + "': " + why;
    return std::nullopt;
  };
  bool isFolder = kindOf(shown(base)) == PathState::Kind::Folder;
  if (isFolder) {
    std::string init = joinPath(base, "__init__.py");
    const PathState &state = read(init);
    if (state.kind == PathState::Kind::Unreadable)
      return fail(init, state.problem);
    if (state.kind == PathState::Kind::File)
      return ModulePlace{state.file, base, /*isPackage=*/true};
  }
  if (!module.empty()) {
    std::string file = base + ".py";
    const PathState &state = read(file);
    if (state.kind == PathState::Kind::Unreadable)
      return fail(file, state.problem);
    if (state.kind == PathState::Kind::File)
      return ModulePlace{state.file, "", /*isPackage=*/false};
    if (state.kind == PathState::Kind::Folder && problem.empty())
      problem = "'" + file + "' is a folder";
  }
  if (isFolder)
    return ModulePlace{nullptr, base, /*isPackage=*/true};
  return std::nullopt;
}

ImportResult Imports::find(const std::string &importer, unsigned level, StringRef module) {
  ImportResult result;
  std::vector<std::string> roots;
  if (level == 0) {
    roots = rootsOf(importer, module.split('.').first);
  } else if (importer.empty()) {
    result.problem = "a text that is no file has no folder";
  } else if (level <= maxFoldersUp) {
    std::string folder = folderOf(importer);
    for (unsigned dot = 1; dot < level; ++dot)
      folder = folderAround(folder);
    roots.push_back(folder);
  }
  // As in Python, a file anywhere comes before a folder without one.
  for (const std::string &root : roots) {
    result.searched.push_back(shown(root));
    std::optional<ModulePlace> place = findIn(root, module, result.problem);
    if (!place || (!place->file && result.place))
      continue;
    result.place = std::move(place);
    result.root = root;
    if (result.place->file)
      break;
  }
  return result;
}

std::optional<ModulePlace> Imports::findSubmodule(const ModulePlace &package, StringRef name) {
  std::string problem; // That of an attribute is that there is none.
  return package.isPackage ? findIn(package.folder, name, problem) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

bool Imports::isMain(const SourceFile &file) {
  if (!mainID) {
    fs::UniqueID id;
    bool isFile = !searchIn.mainFile.empty() && !fs::getUniqueID(searchIn.mainFile, id);
    mainID.emplace(isFile ? std::optional(id) : std::nullopt);
  }
  return *mainID && **mainID == file.id();
}

const ast::Module *Imports::load(const SourceFile &file, llvm::SMLoc importedAt,
                                 DiagnosticEngine *diagnostics) {
  unsigned &buffer = buffers[&file];
  if (!buffer)
    buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.text(), file.path()),
                                        importedAt);
  bool &wasReported = reported[&file];
  if (file.hasMessages() && diagnostics && !wasReported) {
    // Parsed once more, for the report alone.
    wasReported = true;
    ast::Context trees;
    parseModule(sources, buffer, *diagnostics, trees);
  }
  return file.tree();
}

/// @gluon.jit: Triton's other language, in which authors choose layouts themselves.
static bool isGluon(const ast::Expr *decorator) {
  if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
    decorator = call->callee;
  auto *member = llvm::dyn_cast<ast::Attribute>(decorator);
  auto *module = member ? llvm::dyn_cast<ast::Name>(member->value) : nullptr;
  return module && module->id == "gluon" && member->attr == "jit";
}

std::string tilec::adviceForMissing(const ast::Module &module, StringRef name) {
  for (const ast::ModuleItem &item : module.items) {
    auto *function = llvm::dyn_cast<ast::FunctionDef>(item.stmt);
    if (function && function->name == name)
      return llvm::any_of(function->decorators, isGluon)
                 ? "; that one is written in Gluon, which is another language than Triton's"
                 : "; the function of that name has no such decorator";
    auto *from = llvm::dyn_cast<ast::ImportFrom>(item.stmt);
    if (!from)
      continue;
    for (const ast::ImportAlias &alias : from->names)
      if ((alias.asName.empty() ? alias.name : alias.asName) == name)
        return "; it is imported from '" + std::string(from->level, '.') + from->module.str() +
               "': compile that file";
  }
  return "";
}

std::string tilec::describeMissing(const ast::Module &module, StringRef name,
                                   llvm::ArrayRef<StringRef> names, StringRef has) {
  constexpr size_t mostListed = 8;
  std::string message = "no @triton.jit function is called '" + name.str() + "'";
  if (std::string advice = adviceForMissing(module, name); !advice.empty())
    message += advice;
  else if (std::optional<StringRef> near = closestName(name, names))
    message += "; did you mean '" + near->str() + "'?";
  else if (!names.empty() && names.size() <= mostListed)
    message += "; " + has.str() + " '" + llvm::join(names, "', '") + "'";
  return message;
}
