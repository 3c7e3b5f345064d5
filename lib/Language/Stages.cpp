//===- Stages.cpp - Whether a kernel reads num_stages -----------*- C++ -*-===//
//
// Follows names from the kernel to the statements that bind them, in its own file and in imported
// ones. Scopes are ignored and one set of names serves all files, so more may be found than the
// kernel can reach, never less.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Stages.h"

#include "tilec/Language/Imports.h"
#include "tilec/Language/Lexer.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

using namespace tilec;
using llvm::StringRef;

namespace {

class NameReach {
public:
  explicit NameReach(Imports *imports) : imports(imports) {}

  bool reachesDot(const ast::Module &module, const ast::FunctionDef &kernel);

private:
  /// A statement at module level, and the path of its file.
  struct Item {
    const ast::Stmt *stmt = nullptr;
    StringRef path;
    bool isTaken = false;
  };

  void addFile(const ast::Module &module, StringRef path);
  void addItems(llvm::ArrayRef<ast::ModuleItem> items, StringRef path);
  void addNested(llvm::ArrayRef<ast::NestedScope *> scopes, StringRef path);
  void addTarget(const ast::Expr &target, unsigned item);
  void bind(StringRef name, unsigned item);
  void addName(StringRef name);
  void addText(llvm::SMRange range);
  void take(unsigned index);
  void takeFunction(const ast::FunctionDef &function);
  void takeImport(const ast::Import &import, StringRef path);
  void takeFrom(const ast::ImportFrom &from, StringRef path);
  void addPlace(const std::optional<ModulePlace> &place);

  Imports *imports;
  std::vector<Item> items;
  llvm::StringMap<std::vector<unsigned>> boundBy; // Name -> items.
  llvm::StringSet<> names;                        // Those that something taken has.
  std::vector<unsigned> pending;                  // Items to take.
  llvm::DenseSet<const ast::Module *> files;
  bool takesAll = false; // Something taken calls what it is given: any function may be meant.
  bool isUnknown = false;
};

} // namespace

static StringRef textOf(llvm::SMRange range) {
  const char *begin = range.Start.getPointer();
  return range.isValid() ? StringRef(begin, range.End.getPointer() - begin) : StringRef();
}

/// Modules of the language, which are no files.
static bool isOwnModule(StringRef dotted) {
  StringRef first = dotted.split('.').first;
  return first == "triton" || first == "math";
}

static TokenList tokensOf(llvm::SMRange range) {
  TokenList tokens;
  StringRef text = textOf(range);
  Lexer(text).lexExpression(text.begin(), text.end(), tokens);
  return tokens;
}

//===----------------------------------------------------------------------===//
// What is bound
//===----------------------------------------------------------------------===//

void NameReach::bind(StringRef name, unsigned item) {
  boundBy[name].push_back(item);
  if (takesAll || names.contains(name))
    pending.push_back(item);
}

void NameReach::addTarget(const ast::Expr &target, unsigned item) {
  for (const Token &token : tokensOf(target.range()).tokens)
    if (token.kind == TokenKind::Name)
      bind(token.text(), item);
}

void NameReach::addItems(llvm::ArrayRef<ast::ModuleItem> list, StringRef path) {
  for (const ast::ModuleItem &entry : list) {
    unsigned item = items.size();
    items.push_back({entry.stmt, path});
    if (auto *function = llvm::dyn_cast<ast::FunctionDef>(entry.stmt)) {
      bind(function->name, item);
    } else if (auto *host = llvm::dyn_cast<ast::HostDef>(entry.stmt)) {
      bind(host->name, item);
    } else if (auto *import = llvm::dyn_cast<ast::Import>(entry.stmt)) {
      for (const ast::ImportAlias &alias : import->names)
        bind(alias.asName.empty() ? alias.name.split('.').first : alias.asName, item);
    } else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(entry.stmt)) {
      for (const ast::ImportAlias &alias : from->names)
        if (alias.name == "*")
          pending.push_back(item);
        else
          bind(alias.asName.empty() ? alias.name : alias.asName, item);
    } else if (auto *assign = llvm::dyn_cast<ast::Assign>(entry.stmt)) {
      for (const ast::Expr *target : assign->targets)
        addTarget(*target, item);
    } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(entry.stmt)) {
      addTarget(*annotated->target, item);
    } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(entry.stmt)) {
      addTarget(*augmented->target, item);
    }
  }
}

void NameReach::addNested(llvm::ArrayRef<ast::NestedScope *> scopes, StringRef path) {
  for (const ast::NestedScope *scope : scopes) {
    addItems(scope->items, path);
    addNested(scope->nested, path);
  }
}

void NameReach::addFile(const ast::Module &module, StringRef path) {
  if (!files.insert(&module).second)
    return;
  addItems(module.items, path);
  addNested(module.nested, path);
}

//===----------------------------------------------------------------------===//
// What is reached
//===----------------------------------------------------------------------===//

void NameReach::addName(StringRef name) {
  if (!names.insert(name).second)
    return;
  auto found = boundBy.find(name);
  if (found != boundBy.end())
    llvm::append_range(pending, found->second);
}

/// Strings count as names: getattr takes such.
void NameReach::addText(llvm::SMRange range) {
  for (const Token &token : tokensOf(range).tokens) {
    if (token.kind == TokenKind::Name)
      addName(token.text());
    if (token.kind != TokenKind::String)
      continue;
    StringShape shape = stringShape(token.text());
    addName(StringRef(shape.bodyBegin, shape.bodyEnd - shape.bodyBegin));
  }
}

void NameReach::takeFunction(const ast::FunctionDef &function) {
  TokenList list = tokensOf(function.range());
  for (size_t i = 0; i + 1 < list.tokens.size() && !takesAll; ++i) {
    if (list.tokens[i].kind != TokenKind::Name || list.tokens[i + 1].kind != TokenKind::LParen ||
        (i != 0 && list.tokens[i - 1].kind == TokenKind::Dot))
      continue;
    StringRef name = list.tokens[i].text();
    takesAll =
        llvm::any_of(function.params, [&](const ast::Param &param) { return param.name == name; });
    if (takesAll)
      for (unsigned item = 0; item < items.size(); ++item)
        pending.push_back(item);
  }
}

void NameReach::addPlace(const std::optional<ModulePlace> &place) {
  const ast::Module *tree = place && place->file ? place->file->tree() : nullptr;
  if (tree)
    addFile(*tree, place->file->path());
}

/// A package has its folder's files as members, imported or not.
void NameReach::takeImport(const ast::Import &import, StringRef path) {
  for (const ast::ImportAlias &alias : import.names) {
    if (!imports || isOwnModule(alias.name))
      continue;
    ImportResult whole = imports->find(path.str(), 0, alias.name);
    addPlace(whole.place);
    ImportResult first = imports->find(path.str(), 0, alias.name.split('.').first);
    isUnknown |= (whole.place && whole.place->isPackage) || (first.place && first.place->isPackage);
  }
}

void NameReach::takeFrom(const ast::ImportFrom &from, StringRef path) {
  for (const ast::ImportAlias &alias : from.names)
    addName(alias.name); // It may be bound to another name here.
  if (!imports || (from.level == 0 && isOwnModule(from.module)))
    return;
  ImportResult result = imports->find(path.str(), from.level, from.module);
  addPlace(result.place);
  for (const ast::ImportAlias &alias : from.names) {
    std::optional<ModulePlace> submodule =
        result.place ? imports->findSubmodule(*result.place, alias.name) : std::nullopt;
    addPlace(submodule);
    isUnknown |= submodule && submodule->isPackage;
  }
}

void NameReach::take(unsigned index) {
  if (items[index].isTaken)
    return;
  items[index].isTaken = true;
  const ast::Stmt *stmt = items[index].stmt;
  StringRef path = items[index].path;
  if (auto *import = llvm::dyn_cast<ast::Import>(stmt))
    return takeImport(*import, path);
  if (auto *from = llvm::dyn_cast<ast::ImportFrom>(stmt))
    return takeFrom(*from, path);
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt))
    takeFunction(*function);
  addText(stmt->range());
}

bool NameReach::reachesDot(const ast::Module &module, const ast::FunctionDef &kernel) {
  auto isReached = [&] {
    return isUnknown || names.contains("dot") || names.contains("dot_scaled");
  };
  addText(kernel.range());
  if (isReached())
    return true;
  addFile(module, imports ? StringRef(imports->search().mainFile) : StringRef());
  takeFunction(kernel);
  while (!pending.empty() && !isReached()) {
    unsigned item = pending.back();
    pending.pop_back();
    take(item);
  }
  return isReached();
}

bool tilec::readsNumStages(const ast::Module &module, const ast::FunctionDef &kernel,
                           Imports *imports) {
  bool isParameter = llvm::any_of(
      kernel.params, [](const ast::Param &param) { return param.name == "num_stages"; });
  return isParameter || NameReach(imports).reachesDot(module, kernel);
}
