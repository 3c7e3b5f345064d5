//===- KernelHash.cpp - The text that a kernel depends on --------*- C++ -*-===//
//
// Follows names, without evaluating anything: from the tokens of the kernel to what the module
// binds them to, from there on likewise, and through imports into other files. Where it is not
// clear what a name is (several bindings, an attribute of a module), everything that it may be
// counts: a hash that changes without need costs a measurement, one that stays costs a wrong
// choice.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/TunedFile.h"
#include "tilec/Language/Lexer.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <deque>
#include <set>

using namespace tilec;
using llvm::StringRef;

namespace {

/// A statement that binds a name at module level, or within a function of the host.
struct Binding {
  const ast::Stmt *stmt;
  const ast::ImportAlias *alias; // Of imports.
  llvm::ArrayRef<ast::GuardTest> tests;
};

/// A file, and what its names are bound to.
struct SourceUnit {
  std::string path; // As Imports::find takes it.
  llvm::StringMap<llvm::SmallVector<Binding, 1>> bindings;
  llvm::SmallVector<const ast::ImportFrom *, 1> stars;

  SourceUnit(const ast::Module &module, std::string path);

private:
  void addItems(llvm::ArrayRef<ast::ModuleItem> items);
  void addNested(llvm::ArrayRef<ast::NestedScope *> scopes);
  void addTarget(const ast::Expr *target, const Binding &binding);
};

/// The names in a piece of text, in order.
struct NamesUsed {
  llvm::SetVector<StringRef> plain;
  llvm::SetVector<StringRef> all; // What follows a dot too.
};

class TextCollector {
public:
  TextCollector(const ast::Module &module, const ImportSearch &search)
      : imports(scratch, search), main(units.emplace_back(module, search.mainFile)) {}

  std::string hash(const ast::FunctionDef &kernel);

private:
  void addStatement(SourceUnit &unit, const Binding &binding);
  void addText(StringRef text);
  void addNames(llvm::SMRange range, NamesUsed &names) const;
  NamesUsed namesOf(const Binding &binding) const;
  void follow(SourceUnit &unit, const NamesUsed &names);
  void followImport(SourceUnit &unit, const Binding &binding, const NamesUsed &names);
  void followFrom(SourceUnit &unit, const ast::ImportFrom &from, StringRef name,
                  const NamesUsed &names);
  void followModule(const std::optional<ModulePlace> &place, const NamesUsed &names);
  SourceUnit *unitOf(const std::optional<ModulePlace> &place);

  llvm::SourceMgr scratch; // The search needs one, and adds nothing to it.
  Imports imports;
  std::deque<SourceUnit> units;
  SourceUnit &main;
  std::map<const SourceFile *, SourceUnit *> unitOfFile;
  llvm::BLAKE3 hasher;
  std::set<const ast::Stmt *> seen;
  std::vector<std::pair<SourceUnit *, Binding>> pending; // Added, their names not yet followed.
  std::vector<std::pair<SourceUnit *, StringRef>> todo;  // Names used by one statement.
};

} // namespace

static StringRef textOf(llvm::SMRange range) {
  return StringRef(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
}

//===----------------------------------------------------------------------===//
// The names of a file
//===----------------------------------------------------------------------===//

SourceUnit::SourceUnit(const ast::Module &module, std::string path) : path(std::move(path)) {
  addItems(module.items);
  addNested(module.nested);
}

void SourceUnit::addNested(llvm::ArrayRef<ast::NestedScope *> scopes) {
  for (const ast::NestedScope *scope : scopes) {
    addItems(scope->items);
    addNested(scope->nested);
  }
}

/// The names that an assignment to `target` binds or changes.
void SourceUnit::addTarget(const ast::Expr *target, const Binding &binding) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    bindings[name->id].push_back(binding);
  else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    for (const ast::Expr *element : tuple->elements)
      addTarget(element, binding);
  else if (auto *list = llvm::dyn_cast<ast::List>(target))
    for (const ast::Expr *element : list->elements)
      addTarget(element, binding);
  else if (auto *starred = llvm::dyn_cast<ast::Starred>(target))
    addTarget(starred->value, binding);
  else if (auto *member = llvm::dyn_cast<ast::Attribute>(target))
    addTarget(member->value, binding);
  else if (auto *element = llvm::dyn_cast<ast::Subscript>(target))
    addTarget(element->value, binding);
}

void SourceUnit::addItems(llvm::ArrayRef<ast::ModuleItem> items) {
  for (const ast::ModuleItem &item : items) {
    Binding binding{item.stmt, nullptr, item.tests};
    if (auto *assign = llvm::dyn_cast<ast::Assign>(item.stmt)) {
      for (const ast::Expr *target : assign->targets)
        addTarget(target, binding);
    } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(item.stmt)) {
      addTarget(annotated->target, binding);
    } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(item.stmt)) {
      addTarget(augmented->target, binding);
    } else if (auto *function = llvm::dyn_cast<ast::FunctionDef>(item.stmt)) {
      bindings[function->name].push_back(binding);
    } else if (auto *host = llvm::dyn_cast<ast::HostDef>(item.stmt)) {
      bindings[host->name].push_back(binding);
    } else if (auto *import = llvm::dyn_cast<ast::Import>(item.stmt)) {
      for (const ast::ImportAlias &alias : import->names) {
        StringRef name = alias.asName.empty() ? alias.name.split('.').first : alias.asName;
        bindings[name].push_back({item.stmt, &alias, item.tests});
      }
    } else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(item.stmt)) {
      for (const ast::ImportAlias &alias : from->names) {
        if (alias.name == "*")
          stars.push_back(from);
        else
          bindings[alias.asName.empty() ? alias.name : alias.asName].push_back(
              {item.stmt, &alias, item.tests});
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// The names in a text
//===----------------------------------------------------------------------===//

/// Adds all that looks like a name: the fields of an f-string are among it.
static void addWords(StringRef text, NamesUsed &names) {
  auto isWord = [](unsigned char c) { return llvm::isAlnum(c) || c == '_' || c >= 0x80; };
  while (!(text = text.drop_until(isWord)).empty()) {
    StringRef word = text.take_while(isWord);
    names.plain.insert(word);
    names.all.insert(word);
    text = text.drop_front(word.size());
  }
}

void TextCollector::addNames(llvm::SMRange range, NamesUsed &names) const {
  StringRef text = textOf(range);
  TokenList list;
  Lexer(text).lexExpression(text.begin(), text.end(), list);
  bool afterDot = false;
  for (const Token &token : list.tokens) {
    if (token.kind == TokenKind::Name) {
      names.all.insert(token.text());
      if (!afterDot)
        names.plain.insert(token.text());
    } else if (token.kind == TokenKind::String && stringShape(token.text()).format) {
      addWords(token.text(), names);
    }
    afterDot = token.kind == TokenKind::Dot;
  }
}

NamesUsed TextCollector::namesOf(const Binding &binding) const {
  NamesUsed names;
  addNames(binding.stmt->range(), names);
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(binding.stmt)) {
    // A parameter hides what the module calls so, but not where its own default is computed.
    for (const ast::Param &param : function->params)
      names.plain.remove(param.name);
    for (const ast::Param &param : function->params)
      for (const ast::Expr *expr : {param.annotation, param.defaultValue})
        if (expr)
          addNames(expr->range(), names);
  }
  for (const ast::GuardTest &test : binding.tests)
    if (test.test)
      addNames(test.test->range(), names);
  return names;
}

//===----------------------------------------------------------------------===//
// From names to statements
//===----------------------------------------------------------------------===//

void TextCollector::addText(StringRef text) {
  hasher.update(text);
  hasher.update(StringRef("\0", 1));
}

void TextCollector::addStatement(SourceUnit &unit, const Binding &binding) {
  if (!seen.insert(binding.stmt).second)
    return;
  addText(textOf(binding.stmt->range()));
  for (const ast::GuardTest &test : binding.tests)
    if (test.test)
      addText(textOf(test.test->range()));
  pending.push_back({&unit, binding});
}

SourceUnit *TextCollector::unitOf(const std::optional<ModulePlace> &place) {
  if (!place || !place->file)
    return nullptr;
  if (imports.isMain(*place->file))
    return &main;
  auto [known, isNew] = unitOfFile.try_emplace(place->file);
  if (isNew)
    if (const ast::Module *tree = place->file->tree())
      known->second = &units.emplace_back(*tree, place->file->path());
  return known->second;
}

/// Whatever the text names, as a member of the module.
void TextCollector::followModule(const std::optional<ModulePlace> &place, const NamesUsed &names) {
  if (SourceUnit *module = unitOf(place))
    for (StringRef name : names.all)
      todo.push_back({module, name});
}

/// The language's own modules are part of the compiler.
static bool isForeign(unsigned level, StringRef module) {
  StringRef first = module.split('.').first;
  return level != 0 || (first != "triton" && first != "math");
}

void TextCollector::followFrom(SourceUnit &unit, const ast::ImportFrom &from, StringRef name,
                               const NamesUsed &names) {
  if (!isForeign(from.level, from.module))
    return;
  std::optional<ModulePlace> place = imports.find(unit.path, from.level, from.module).place;
  SourceUnit *module = unitOf(place);
  if (module)
    todo.push_back({module, name});
  if (place && (!module || !module->bindings.contains(name)))
    followModule(imports.findSubmodule(*place, name), names);
}

void TextCollector::followImport(SourceUnit &unit, const Binding &binding, const NamesUsed &names) {
  if (auto *from = llvm::dyn_cast<ast::ImportFrom>(binding.stmt))
    return followFrom(unit, *from, binding.alias->name, names);
  StringRef dotted = binding.alias->name;
  if (!isForeign(0, dotted))
    return;
  // `import a.b` binds `a`, so members of both may be used.
  size_t end = binding.alias->asName.empty() ? dotted.find('.') : StringRef::npos;
  while (true) {
    followModule(imports.find(unit.path, 0, dotted.substr(0, end)).place, names);
    if (end == StringRef::npos)
      return;
    end = dotted.find('.', end + 1);
  }
}

/// Adds the statements that the names of a text in `unit` lead to.
void TextCollector::follow(SourceUnit &unit, const NamesUsed &names) {
  std::set<std::pair<SourceUnit *, StringRef>> here;
  for (StringRef name : names.plain)
    todo.push_back({&unit, name});
  while (!todo.empty()) {
    auto [in, name] = todo.back();
    todo.pop_back();
    if (!here.insert({in, name}).second)
      continue;
    for (const ast::ImportFrom *star : in->stars)
      if (isForeign(star->level, star->module))
        if (SourceUnit *module = unitOf(imports.find(in->path, star->level, star->module).place))
          todo.push_back({module, name});
    auto found = in->bindings.find(name);
    if (found == in->bindings.end())
      continue;
    for (const Binding &binding : found->second) {
      if (binding.alias)
        followImport(*in, binding, names);
      else
        addStatement(*in, binding);
    }
  }
}

std::string TextCollector::hash(const ast::FunctionDef &kernel) {
  addStatement(main, {&kernel, nullptr, {}});
  for (size_t i = 0; i < pending.size(); ++i) {
    auto [unit, binding] = pending[i];
    follow(*unit, namesOf(binding));
  }
  auto hash = hasher.final<8>();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
}

std::string tilec::hashKernel(const ast::Module &module, const ast::FunctionDef &kernel,
                              const ImportSearch &search) {
  return TextCollector(module, search).hash(kernel);
}
