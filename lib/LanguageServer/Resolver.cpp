//===- Resolver.cpp - What a name of a file stands for ----------*- C++ -*-===//
//
// Follows imports as the specializer does: Imports finds the files, and of several bindings of a
// name the last one counts.
//
//===----------------------------------------------------------------------===//

#include "Resolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

/// Names that are imported from file to file are followed this far.
static constexpr unsigned maxImports = 16;

Resolver::Unit Resolver::main() const {
  return {analysis.module(), analysis.uri().file().str(), nullptr};
}

static Entity languageModule(StringRef dotted) {
  Entity entity;
  entity.kind = Entity::Kind::LanguageModule;
  entity.module = dotted.str();
  return entity;
}

static Entity builtinEntity(const std::optional<builtins::Info> &info) {
  if (!info)
    return Entity();
  if (info->kind == builtins::Info::Kind::Module)
    return languageModule(info->fullName);
  Entity entity;
  entity.kind = Entity::Kind::Builtin;
  entity.builtin = info;
  return entity;
}

/// The module that an import from `unit` finds.
Entity Resolver::moduleAt(const Unit &unit, unsigned level, StringRef dotted) {
  if (level == 0 && builtins::isModule(dotted))
    return languageModule(dotted);
  ImportResult found = analysis.imports().find(unit.path, level, dotted);
  Entity entity;
  if (!found.place)
    return entity;
  entity.kind = Entity::Kind::FileModule;
  entity.place = *found.place;
  return entity;
}

/// What `import a.b` or `import a.b as c` binds.
Entity Resolver::imported(const Unit &unit, const ast::ImportAlias &alias) {
  return moduleAt(unit, 0, alias.asName.empty() ? alias.name.split('.').first : alias.name);
}

Entity Resolver::importedFrom(const Unit &unit, const ast::ImportFrom &import, StringRef name,
                              unsigned depth) {
  return memberOf(moduleAt(unit, import.level, import.module), name, depth + 1);
}

Entity Resolver::memberOf(const Entity &module, StringRef name, unsigned depth) {
  if (depth > maxImports)
    return Entity();
  if (module.kind == Entity::Kind::LanguageModule)
    return builtinEntity(builtins::findMember(module.module, name));
  if (module.kind != Entity::Kind::FileModule)
    return Entity();
  if (const SourceFile *file = module.place.file)
    if (const ast::Module *tree = file->tree())
      if (Entity found = find({tree, file->path(), file}, name, depth); found.isKnown())
        return found;
  Entity entity;
  if (std::optional<ModulePlace> place = analysis.imports().findSubmodule(module.place, name)) {
    entity.kind = Entity::Kind::FileModule;
    entity.place = *place;
  }
  return entity;
}

/// The place of `name` among the targets of an assignment; invalid if it is none of them.
static llvm::SMRange targetNamed(const ast::Expr &target, StringRef name) {
  if (auto *single = llvm::dyn_cast<ast::Name>(&target))
    return single->id == name ? single->range() : llvm::SMRange();
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    for (const ast::Expr *element : tuple->elements)
      if (llvm::SMRange range = targetNamed(*element, name); range.isValid())
        return range;
  return llvm::SMRange();
}

/// What a statement of a module that is no import defines under this name.
static Entity definedBy(const ast::Stmt &stmt, StringRef name) {
  Entity entity;
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(&stmt)) {
    if (function->name != name)
      return entity;
    entity.function = function;
    entity.range = function->nameRange;
  } else if (auto *host = llvm::dyn_cast<ast::HostDef>(&stmt)) {
    if (host->name != name)
      return entity;
    entity.host = host;
    entity.range = host->nameRange;
  } else if (auto *assign = llvm::dyn_cast<ast::Assign>(&stmt)) {
    for (const ast::Expr *target : assign->targets)
      if (!entity.range.isValid())
        entity.range = targetNamed(*target, name);
  } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt)) {
    entity.range = targetNamed(*annotated->target, name);
  }
  if (entity.range.isValid())
    entity.kind = Entity::Kind::Definition;
  return entity;
}

Entity Resolver::find(const Unit &unit, StringRef name, unsigned depth) {
  if (!unit.tree || depth > maxImports)
    return Entity();
  for (const ast::ModuleItem &item : llvm::reverse(unit.tree->items)) {
    if (auto *import = llvm::dyn_cast<ast::Import>(item.stmt)) {
      for (const ast::ImportAlias &alias : import->names)
        if ((alias.asName.empty() ? alias.name.split('.').first : alias.asName) == name)
          return imported(unit, alias);
    } else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(item.stmt)) {
      for (const ast::ImportAlias &alias : from->names) {
        if ((alias.asName.empty() ? alias.name : alias.asName) == name)
          return importedFrom(unit, *from, alias.name, depth);
        if (alias.name != "*" || name.starts_with("_"))
          continue;
        if (Entity found = importedFrom(unit, *from, name, depth); found.isKnown())
          return found;
      }
    } else if (Entity found = definedBy(*item.stmt, name); found.isKnown()) {
      found.file = unit.file;
      return found;
    }
  }
  return Entity();
}

Entity Resolver::resolve(llvm::ArrayRef<StringRef> names, unsigned scope) {
  if (names.empty())
    return Entity();
  Entity entity;
  std::optional<unsigned> bound = analysis.syntax().lookUp(scope, names.front());
  if (bound && *bound != 0)
    entity.kind = Entity::Kind::Value;
  else
    entity = find(main(), names.front(), 0);
  // Names that only host code binds are in the tokens alone.
  if (!entity.isKnown() && bound)
    entity.kind = Entity::Kind::Value;
  if (!entity.isKnown())
    entity = builtinEntity(builtins::findPython(names.front()));
  for (StringRef name : names.drop_front())
    entity = memberOf(entity, name);
  return entity;
}

Entity Resolver::resolveToken(size_t token) {
  const Syntax &syntax = analysis.syntax();
  NameRole role = syntax.tokens()[token].role;
  if (role == NameRole::Module)
    return resolveModulePath(token);
  if (role == NameRole::Keyword)
    return Entity();
  if (role != NameRole::Imported)
    return resolve(syntax.chainOf(token), syntax.tokens()[token].scope);
  // `name as other`: as the import of it finds it.
  StringRef name = syntax.textOf(syntax.tokens()[token]);
  if (const ast::Module *tree = analysis.module())
    for (const ast::ModuleItem &item : tree->items)
      if (auto *from = llvm::dyn_cast<ast::ImportFrom>(item.stmt))
        for (const ast::ImportAlias &alias : from->names)
          if (alias.name == name && analysis.offsetOf(alias.range.Start) ==
                                        std::optional<size_t>(syntax.tokens()[token].begin))
            return importedFrom(main(), *from, name, 0);
  return Entity();
}

Entity Resolver::resolveModulePath(size_t token) {
  const ast::Module *tree = analysis.module();
  const Syntax &syntax = analysis.syntax();
  size_t at = syntax.tokens()[token].begin;
  if (!tree)
    return Entity();
  for (const ast::ModuleItem &item : tree->items) {
    std::optional<size_t> begin = analysis.offsetOf(item.stmt->range().Start);
    std::optional<size_t> end = analysis.offsetOf(item.stmt->range().End);
    if (!begin || !end || at < *begin || at >= *end)
      continue;
    std::string dotted;
    for (size_t i = token;; i -= 2) {
      dotted = syntax.textOf(syntax.tokens()[i]).str() + (dotted.empty() ? "" : "." + dotted);
      if (i < 2 || syntax.tokens()[i - 1].kind != TokenKind::Dot ||
          syntax.tokens()[i - 2].kind != TokenKind::Name)
        break;
    }
    auto *from = llvm::dyn_cast<ast::ImportFrom>(item.stmt);
    return moduleAt(main(), from ? from->level : 0, dotted);
  }
  return Entity();
}

static void addTargets(const ast::Expr &target, std::vector<std::string> &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    names.push_back(name->id.str());
  else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    for (const ast::Expr *element : tuple->elements)
      addTargets(*element, names);
}

std::vector<std::string> Resolver::membersOf(const Entity &module) {
  std::vector<std::string> names;
  const ast::Module *tree = module.place.file ? module.place.file->tree() : nullptr;
  if (!tree)
    return names;
  for (const ast::ModuleItem &item : tree->items) {
    if (auto *function = llvm::dyn_cast<ast::FunctionDef>(item.stmt))
      names.push_back(function->name.str());
    else if (auto *host = llvm::dyn_cast<ast::HostDef>(item.stmt))
      names.push_back(host->name.str());
    else if (auto *assign = llvm::dyn_cast<ast::Assign>(item.stmt))
      for (const ast::Expr *target : assign->targets)
        addTargets(*target, names);
    else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(item.stmt))
      addTargets(*annotated->target, names);
  }
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}
