//===- Importer.cpp - Modules that are files of the user --------*- C++ -*-===//
//
// Answers what a name of an imported module is. The file of an import is found by Imports; its
// names get values when they are first needed, by an environment of their own, as those of the main
// file do. What cannot be found becomes a reason, which an error shows when a kernel uses the name.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "HostInterpreter.h"
#include "Interpreter.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

Importer::Importer(Interpreter &in, Imports *imports, bool report)
    : in(in), imports(imports), report(report) {}

Importer::~Importer() = default;

/// "'.', 'inc'": at most a few.
static std::string listOf(llvm::ArrayRef<std::string> folders) {
  constexpr size_t most = 8;
  std::string text;
  for (const std::string &folder : folders.take_front(most))
    text += (text.empty() ? "'" : ", '") + folder + "'";
  return folders.size() > most ? text + " and more" : text;
}

const SourceModule *Importer::find(const ModuleEnv &from, unsigned level, StringRef dotted,
                                   bool whole, SMRange at, MissingValue &missing) {
  if (!imports) {
    missing.why = "imported files are not read here";
    missing.note = "imported here";
    return nullptr;
  }
  ImportResult result = imports->find(from.path(), level, dotted);
  StringRef name = dotted;
  if (!whole) {
    name = dotted.split('.').first;
    if (!result.place)
      result = imports->find(from.path(), 0, name);
    else
      result.place = imports->findSubmodule({nullptr, result.root, /*isPackage=*/true}, name);
  }
  if (result.place)
    return make(*result.place, name, at);
  missing.why = result.problem.empty() ? "there is no file of that module" : result.problem;
  missing.note = "imported here";
  if (!result.searched.empty())
    missing.note += "; looked for in " + listOf(result.searched);
  if (level == 0)
    missing.note += result.searched.empty() ? "; -I names a folder to look in"
                                            : "; -I adds a folder to look in";
  return nullptr;
}

const SourceModule *Importer::make(const ModulePlace &place, StringRef name, SMRange at) {
  const SourceModule *&known = place.file ? files[place.file] : folders[place.folder];
  if (known)
    return known;
  SourceModule &module = modules.emplace_back();
  known = &module;
  module.place = place;
  if (name.empty()) // `from . import`: called as its folder.
    name = llvm::sys::path::filename(place.folder);
  module.name = in.strings().save(name.empty() ? StringRef(".") : name);
  if (!place.file)
    return known;
  if (mainEnv && imports->isMain(*place.file)) {
    module.env = mainEnv;
    return known;
  }
  const ast::Module *tree = imports->load(*place.file, at.Start, report ? &in.engine() : nullptr);
  if (report && place.file->hasErrors())
    in.setError(true);
  static const ast::Module noText(SMRange(), {}, {});
  envs.push_back(std::make_unique<ModuleEnv>(in, tree ? *tree : noText, place.file->path()));
  module.env = envs.back().get();
  return known;
}

std::optional<Object> Importer::member(const SourceModule &module, StringRef name, SMRange at) {
  // While a package's own name is looked up, the submodule of that name is meant.
  bool isBusy = module.env && module.env->isBusy(name);
  if (module.env && !isBusy)
    if (std::optional<Object> value = module.env->lookup(name))
      return value;
  if (std::optional<ModulePlace> place = imports->findSubmodule(module.place, name)) {
    StringRef dotted = in.strings().save(module.name + "." + name);
    return Object::file(make(*place, module.name == "." ? name : dotted, at));
  }
  return std::nullopt;
}

std::optional<Object> Importer::starMember(const SourceModule &module, StringRef name, SMRange at) {
  if (!module.env || module.env->isBusy(name))
    return std::nullopt;
  if (const ast::Expr *all = module.env->findValue("__all__")) {
    Object names = in.host().tryEvaluate(*all, *module.env);
    if (names.isTuple()) {
      bool isListed = llvm::any_of(names.elements(), [&](const Object &element) {
        return element.isString() && element.asString() == name;
      });
      return isListed ? member(module, name, at) : std::nullopt;
    }
  }
  return name.starts_with("_") ? std::nullopt : module.env->lookup(name);
}

MissingValue Importer::missingMember(const SourceModule &module, StringRef name) const {
  MissingValue missing;
  missing.note = "imported here";
  if (!module.env) {
    missing.why = "there is no file of that name in the folder '" +
                  (module.place.folder.empty() ? std::string(".") : module.place.folder) + "'";
    return missing;
  }
  if (module.env->isBusy(name)) {
    missing.why = "the files import it from each other";
    return missing;
  }
  missing.why = "'" + module.place.file->path() + "' has no such name";
  llvm::SmallVector<StringRef> names;
  module.env->listNames(names);
  if (std::optional<StringRef> near = closestName(name, names))
    missing.why += "; did you mean '" + near->str() + "'?";
  return missing;
}

bool Importer::isPlain(const SourceModule &module, StringRef name, SMRange &definition) const {
  return module.env && module.env->isPlainGlobal(name, definition);
}
