//===- ReadDefinitions.cpp - Functions and classes of a file ----*- C++ -*-===//
//
// Which functions are kernels: those under a decorator of triton, and those that a call of such a
// decorator makes, `kernel = triton.jit(f)`. The latter become functions under the decorator, so
// that nobody else has to know. Decorators may have names of their own:
//
//   tune = triton.autotune(..)               fast = functools.partial(triton.jit, noinline=True)
//   def checked(f): return triton.jit(f, debug=True)
//
// Functions and classes with kernels inside are read like a module.
//
//===----------------------------------------------------------------------===//

#include "ModuleReader.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

/// Calls around a function that are followed at most.
static constexpr size_t maxDecorators = 16;

//===----------------------------------------------------------------------===//
// Decorators
//===----------------------------------------------------------------------===//

/// The dotted name at token `i`, with what an import says about its first part; may be empty.
std::string ModuleReader::decoratorPath(const TokenList &tokens, size_t i) const {
  while (tokens.tokens[i].kind == TokenKind::LParen)
    ++i;
  if (tokens.tokens[i].kind != TokenKind::Name)
    return "";
  StringRef root = tokens.tokens[i].text();
  auto found = imported.find(root);
  std::string path = found == imported.end() ? root.str() : found->second;
  while (tokens.tokens[i + 1].kind == TokenKind::Dot &&
         tokens.tokens[i + 2].kind == TokenKind::Name) {
    i += 2;
    path += "." + tokens.tokens[i].text().str();
  }
  return path;
}

/// The same of an expression.
std::string ModuleReader::pathOf(const Expr &expr) const {
  if (auto *name = dyn_cast<Name>(&expr)) {
    auto found = imported.find(name->id);
    return found == imported.end() ? name->id.str() : found->second;
  }
  auto *member = dyn_cast<Attribute>(&expr);
  std::string owner = member ? pathOf(*member->value) : "";
  return owner.empty() ? "" : owner + "." + member->attr.str();
}

/// Is it one of triton's decorators? Libraries re-export triton under module names of their own, so
/// any `jit` counts unless it was imported from another compiler.
bool ModuleReader::isKernelDecorator(StringRef path) const {
  bool isOther =
      StringSwitch<bool>(path.split('.').first)
          .Cases({"numba", "jax", "torch", "taichi", "cupy", "tensorflow", "tilelang", "cutlass"},
                 true)
          .Default(false);
  StringRef last = path.rsplit('.').second;
  return !isOther && StringSwitch<bool>(last.empty() ? path : last)
                         .Cases({"jit", "autotune", "heuristics", "constexpr_function"}, true)
                         .Default(false);
}

/// What `callee(f)` and `@callee` put around a function, if those are decorators of triton.
bool ModuleReader::findDecorators(const Expr &callee, Decorators &found) const {
  if (auto *name = dyn_cast<Name>(&callee)) {
    auto known = decoratorsCalled.find(name->id);
    if (known != decoratorsCalled.end()) {
      found.append(known->second);
      return !known->second.empty();
    }
  }
  auto *call = dyn_cast<Call>(&callee);
  if (call && StringRef(pathOf(*call->callee)).ends_with("partial") && call->args.size() == 1 &&
      isKernelDecorator(pathOf(*call->args[0]))) {
    found.push_back(
        context.create<Call>(call->range(), call->args[0], ArrayRef<Expr *>(), call->keywords));
    return true;
  }
  if (!isKernelDecorator(pathOf(call ? *call->callee : callee)))
    return false;
  found.push_back(const_cast<Expr *>(&callee));
  return true;
}

/// The function in the middle of calls of decorators, `triton.autotune(..)(triton.jit(f))`, and
/// what is around it; empty for any other expression.
StringRef ModuleReader::unwrap(const Expr &value, Decorators &found) const {
  const Expr *at = &value;
  while (auto *call = dyn_cast<Call>(at)) {
    bool isJit = isKernelDecorator(pathOf(*call->callee));
    if (call->args.size() != 1 || found.size() >= maxDecorators ||
        (!isJit && !call->keywords.empty()) || isa<Starred>(call->args[0]))
      return "";
    if (isJit && !call->keywords.empty()) // triton.jit(f, debug=True)
      found.push_back(
          context.create<Call>(call->range(), call->callee, ArrayRef<Expr *>(), call->keywords));
    else if (!findDecorators(*call->callee, found))
      return "";
    at = call->args[0];
  }
  auto *name = dyn_cast<Name>(at);
  return name && !found.empty() ? name->id : "";
}

/// The names of parameters that `list` may stand for, as a list: those of a name's list, of both
/// operands of a sum, and of both cases of a condition, since less that is specialised is slower
/// only. Null for what is not known.
Expr *ModuleReader::writtenOut(Expr *list) const {
  if (isa<List, Tuple>(list))
    return list;
  if (auto *name = dyn_cast<Name>(list))
    return lists.lookup(name->id);
  auto *sum = dyn_cast<BinOp>(list);
  auto *choice = dyn_cast<IfExp>(list);
  if (!choice && (!sum || sum->op != BinaryOp::Add))
    return nullptr;
  SmallVector<Expr *, 4> elements;
  for (Expr *part : {sum ? sum->left : choice->body, sum ? sum->right : choice->orelse}) {
    Expr *known = writtenOut(part);
    if (!known)
      return nullptr;
    auto *tuple = dyn_cast<Tuple>(known);
    llvm::append_range(elements, tuple ? tuple->elements : cast<List>(known)->elements);
  }
  return context.create<List>(list->range(), context.copy(ArrayRef<Expr *>(elements)));
}

/// The decorator with lists of parameters written out, as far as they are known.
Expr *ModuleReader::withLists(Expr *decorator) const {
  auto isList = [](const Keyword &keyword) {
    return keyword.name.starts_with("do_not_specialize");
  };
  auto *call = dyn_cast<Call>(decorator);
  if (!call || none_of(call->keywords, isList))
    return decorator;
  SmallVector<Keyword, 4> keywords(call->keywords);
  for (Keyword &keyword : make_filter_range(keywords, isList))
    if (Expr *list = writtenOut(keyword.value))
      keyword.value = list;
  return context.create<Call>(call->range(), call->callee, call->args,
                              context.copy(ArrayRef<Keyword>(keywords)));
}

/// The decorators with those in place of names that stand for them.
ArrayRef<Expr *> ModuleReader::expanded(ArrayRef<Expr *> decorators) const {
  SmallVector<Expr *, 4> result;
  for (Expr *decorator : decorators) {
    Decorators found;
    if (isa<Name, Call>(decorator) && findDecorators(*decorator, found))
      llvm::append_range(result,
                         llvm::map_range(found, [&](Expr *each) { return withLists(each); }));
    else
      result.push_back(withLists(decorator));
  }
  return context.copy(ArrayRef<Expr *>(result));
}

/// `tune = triton.autotune(..)`, `jit = triton.jit`: a name for a decorator. One that depends on a
/// condition is not followed.
void ModuleReader::recordDecorator(const Assign &assign, Guard guard) {
  for (const Expr *target : assign.targets) {
    auto *name = dyn_cast<Name>(target);
    if (!name)
      continue;
    decoratorsCalled.erase(name->id);
    definitions.erase(name->id);
    if (guard == Guard::Always)
      imported.erase(name->id);
    Decorators found;
    bool isKnown = guard == Guard::Always || guard == Guard::TryBody;
    std::string path = pathOf(*assign.value);
    if (isKnown && !path.empty() && isKernelDecorator(path))
      imported[name->id] = path;
    else if (isKnown && isa<Call, Name>(assign.value) && findDecorators(*assign.value, found))
      decoratorsCalled[name->id] = found;
  }
}

/// `SIZES = ["n", "m"]`: a list whose elements are known.
void ModuleReader::recordList(const Assign &assign, Guard guard) {
  for (const Expr *target : assign.targets)
    if (auto *name = dyn_cast<Name>(target)) {
      lists.erase(name->id);
      if (guard == Guard::Always && isa<List, Tuple>(assign.value))
        lists[name->id] = assign.value;
    }
}

/// Adds what a function may return, and false if it does anything but return under conditions.
static bool collectResults(const Expr *value, SmallVectorImpl<const Expr *> &results) {
  if (auto *choice = dyn_cast_or_null<IfExp>(value))
    return collectResults(choice->body, results) && collectResults(choice->orelse, results);
  results.push_back(value);
  return value != nullptr;
}

static bool collectResults(Block body, SmallVectorImpl<const Expr *> &results) {
  return all_of(body, [&](const Stmt *stmt) {
    if (auto *branch = dyn_cast<If>(stmt))
      return collectResults(branch->body, results) && collectResults(branch->orelse, results);
    auto *result = dyn_cast<Return>(stmt);
    return result ? collectResults(result->value, results) : isa<ExprStmt>(stmt);
  });
}

/// `def checked(f): return triton.jit(f)`: a decorator made of others. It may return the function
/// itself as well, as where there is no Triton.
void ModuleReader::recordDecorator(const FunctionDef &function) {
  decoratorsCalled.erase(function.name);
  imported.erase(function.name);
  SmallVector<const Expr *, 2> results;
  if (function.params.size() != 1 || !collectResults(function.body, results))
    return;
  StringRef wrapped = function.params.front().name;
  llvm::erase_if(results, [&](const Expr *result) {
    auto *name = dyn_cast<Name>(result);
    return name && name->id == wrapped;
  });
  Decorators found;
  if (results.size() == 1 && unwrap(*results.front(), found) == wrapped)
    decoratorsCalled[function.name] = found;
}

/// True when the decorator at token `at` is one of triton's.
bool ModuleReader::isDecorated(const TokenList &tokens, size_t at) const {
  const std::vector<Token> &all = tokens.tokens;
  std::string path = decoratorPath(tokens, at + 1);
  if (isKernelDecorator(path))
    return true;
  if (StringRef(path).ends_with("partial")) { // @functools.partial(triton.jit, ..)
    size_t open = at + 1;
    while (all[open].kind == TokenKind::Name || all[open].kind == TokenKind::Dot)
      ++open;
    return all[open].kind == TokenKind::LParen &&
           isKernelDecorator(decoratorPath(tokens, open + 1));
  }
  return all[at + 1].kind == TokenKind::Name && all[at + 2].kind == TokenKind::Newline &&
         decoratorsCalled.count(all[at + 1].text());
}

//===----------------------------------------------------------------------===//
// Kernels made by calls
//===----------------------------------------------------------------------===//

/// The kernel `name` that `value` makes of a function of this scope; null when it makes none.
FunctionDef *ModuleReader::makeKernel(const Expr &value, StringRef name) {
  Decorators around;
  auto found = definitions.find(unwrap(value, around));
  if (found == definitions.end())
    return nullptr;
  Definition &definition = found->second;
  if (!definition.function && !definition.isReported) {
    // Read as host code so far, whose errors nobody sees.
    TokenList tokens;
    lexer.lexStatement(definition.at, tokens);
    definition.function = Parser(lexer, tokens, context, &diagnostics).parseDecorated();
    definition.isReported = true;
  }
  const FunctionDef *base = definition.function;
  if (!base)
    return nullptr;
  around.append(base->decorators.begin(), base->decorators.end());
  return context.create<FunctionDef>(
      base->range(), name.empty() ? base->name : name, base->nameRange, base->params,
      context.copy(ArrayRef<Expr *>(around)), base->returns, base->body, base->hasErrors);
}

/// `kernel = triton.jit(f)`, also annotated, and, in a function, `return triton.jit(f)`.
bool ModuleReader::addWrapped(const Stmt &stmt, Guard guard) {
  if (auto *result = dyn_cast<Return>(&stmt)) {
    FunctionDef *kernel = inFunction && result->value ? makeKernel(*result->value, "") : nullptr;
    if (kernel)
      addKernel(kernel, nullptr, guard);
    return kernel;
  }
  if (auto *annotated = dyn_cast<AnnAssign>(&stmt)) {
    auto *name = dyn_cast<Name>(annotated->target);
    FunctionDef *kernel =
        name && annotated->value ? makeKernel(*annotated->value, name->id) : nullptr;
    if (kernel)
      addKernel(kernel, nullptr, guard);
    return kernel;
  }
  auto *assign = dyn_cast<Assign>(&stmt);
  if (!assign || !all_of(assign->targets, [](const Expr *target) { return isa<Name>(target); }))
    return false;
  bool isKernel = false;
  for (const Expr *target : assign->targets)
    if (FunctionDef *kernel = makeKernel(*assign->value, cast<Name>(target)->id)) {
      addKernel(kernel, nullptr, guard);
      isKernel = true;
    }
  return isKernel;
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// Keeps a function under a decorator of triton; `at` is where it starts, null if nowhere.
void ModuleReader::addKernel(FunctionDef *function, const char *at, Guard guard) {
  function->decorators = expanded(function->decorators);
  definitions[function->name] = {at, function, /*isReported=*/true};
  decoratorsCalled.erase(function->name);
  addItem(function, guard);
}

const char *ModuleReader::readDefinition(const char *at, Lexer::Line line, Guard guard) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  if (tokens.tokens.front().kind != TokenKind::KwDef || !addHostFunction(at, tokens, guard))
    addDefinition(tokens, 0, guard);
  readInside(at, line, tokens, 0);
  return next;
}

const char *ModuleReader::readDecorated(const char *at, Lexer::Line line, Guard guard) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  bool isKernel = false, isAggregate = false;
  size_t i = 0;
  while (tokens.tokens[i].kind == TokenKind::At) {
    isKernel |= isDecorated(tokens, i);
    isAggregate |= StringRef(decoratorPath(tokens, i + 1)).ends_with("aggregate");
    while (tokens.tokens[i].kind != TokenKind::Newline &&
           tokens.tokens[i].kind != TokenKind::EndOfFile)
      ++i;
    if (tokens.tokens[i].kind == TokenKind::Newline)
      ++i;
  }
  bool isClass = tokens.tokens[i].kind == TokenKind::KwClass;
  if (isKernel && !isClass) {
    Parser parser(lexer, tokens, context, &diagnostics);
    if (FunctionDef *function = parser.parseDecorated())
      addKernel(function, at, guard);
    return next;
  }
  if (tokens.tokens[i].kind != TokenKind::KwDef || !addHostFunction(at, tokens, guard))
    addDefinition(tokens, i, guard, isAggregate && isClass);
  if (!isAggregate)
    readInside(at, line, tokens, i);
  return next;
}

/// Notes the name of a function or class of the host; `keyword` is the index of its first keyword.
/// `isAggregate`: it is a class under a decorator for aggregates.
void ModuleReader::addDefinition(const TokenList &tokens, size_t keyword, Guard guard,
                                 bool isAggregate) {
  addSkipped(tokens);
  if (tokens.tokens[keyword].kind == TokenKind::KwAsync)
    ++keyword;
  const Token &token = tokens.tokens[keyword];
  bool isDefinition = token.kind == TokenKind::KwDef || token.kind == TokenKind::KwClass;
  if (!isDefinition || tokens.tokens[keyword + 1].kind != TokenKind::Name)
    return;
  const Token &name = tokens.tokens[keyword + 1];
  auto what = token.kind == TokenKind::KwDef ? HostDef::What::Function : HostDef::What::Class;
  auto *def = context.create<HostDef>(wholeRange(tokens), what, name.text(), name.range());
  if (what == HostDef::What::Class) {
    // An aggregate is kernel code, whose errors count.
    Parser parser(lexer, tokens, context, isAggregate ? &diagnostics : nullptr);
    parser.startAt(isAggregate ? 0 : keyword);
    parser.parseClass(*def);
  }
  if (what == HostDef::What::Class) {
    definitions.erase(name.text());
    decoratorsCalled.erase(name.text());
  }
  addItem(def, guard);
}

/// Keeps a function of the host, whose decorators and callers say what it is good for; false when
/// it cannot be read.
bool ModuleReader::addHostFunction(const char *at, const TokenList &tokens, Guard guard) {
  Parser parser(lexer, tokens, context, nullptr);
  FunctionDef *function = parser.parseDecorated();
  bool isRead = function && !parser.errorCount();
  if (function)
    definitions[function->name] = {at, isRead ? function : nullptr, isRead};
  if (!isRead)
    return false;
  recordDecorator(*function);
  if (isNested && !function->decorators.empty())
    return false; // In a scope, decorators are those of kernels.
  addSkipped(tokens);
  addItem(function, guard);
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels within functions and classes
//===----------------------------------------------------------------------===//

/// Whether something in the body looks like a decorator of triton.
bool ModuleReader::mayHoldKernels(const TokenList &tokens, size_t keyword) const {
  const std::vector<Token> &all = tokens.tokens;
  for (size_t i = keyword; i + 2 < all.size(); ++i) {
    if (all[i].kind == TokenKind::At && isDecorated(tokens, i))
      return true;
    if (all[i].kind == TokenKind::Name && all[i + 1].kind == TokenKind::LParen &&
        (isKernelDecorator(decoratorPath(tokens, i)) || decoratorsCalled.count(all[i].text())))
      return true;
  }
  return false;
}

/// Starts a scope inside the current one, which `outer` keeps.
void ModuleReader::enterScope(bool isClass, ReaderScope &outer) {
  outer = std::move(static_cast<ReaderScope &>(*this));
  static_cast<ReaderScope &>(*this) = ReaderScope();
  imported = outer.imported;
  decoratorsCalled = outer.decoratorsCalled;
  definitions = outer.definitions;
  isNested = true;
  inFunction = !isClass;
}

/// The parameters of a function are names whose values are not known.
void ModuleReader::addParameters(const TokenList &tokens, size_t keyword) {
  const std::vector<Token> &all = tokens.tokens;
  unsigned brackets = 0;
  bool inParameters = false;
  for (size_t i = keyword + 2; i < all.size() && all[i].kind != TokenKind::Newline; ++i) {
    TokenKind kind = all[i].kind, before = all[i - 1].kind;
    bool isFirst = before == TokenKind::LParen || before == TokenKind::Comma ||
                   before == TokenKind::Star || before == TokenKind::StarStar;
    if (inParameters && brackets == 1 && isFirst && kind == TokenKind::Name)
      addLocal(all[i]);
    inParameters |= !brackets && kind == TokenKind::LParen;
    brackets +=
        kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
    if (kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace) {
      if (brackets <= 1 && inParameters)
        return;
      brackets -= brackets > 0;
    }
  }
}

/// Reads the body of the function or class whose first line, perhaps a decorator's, is at `at`, if
/// there are kernels in it. `keyword` is the index of its `def`, `class` or `async`.
void ModuleReader::readInside(const char *at, Lexer::Line line, const TokenList &tokens,
                              size_t keyword) {
  size_t at1 = keyword + (tokens.tokens[keyword].kind == TokenKind::KwAsync);
  bool isClass = tokens.tokens[at1].kind == TokenKind::KwClass;
  bool isDefinition = isClass || tokens.tokens[at1].kind == TokenKind::KwDef;
  if (!isDefinition || tokens.tokens[at1 + 1].kind != TokenKind::Name ||
      !mayHoldKernels(tokens, at1))
    return;
  while (line.start != tokens.tokens[keyword].begin) { // Over decorators.
    TokenList decorator;
    at = lexer.lexLogicalLine(at, decorator);
    std::optional<Lexer::Line> below = lexer.nextLine(at);
    if (!below)
      return;
    line = *below;
  }
  ReaderScope outer;
  enterScope(isClass, outer);
  if (!isClass)
    addParameters(tokens, at1);
  readBlock(at, line, Guard::Always);
  auto *scope = context.create<NestedScope>();
  scope->name = tokens.tokens[at1 + 1].text();
  scope->isClass = isClass;
  scope->items = context.copy(ArrayRef<ModuleItem>(items));
  scope->nested = context.copy(ArrayRef<NestedScope *>(nested));
  bool hasKernels = !nested.empty() || any_of(items, [](const ModuleItem &item) {
    auto *function = dyn_cast<FunctionDef>(item.stmt);
    return function && !function->decorators.empty();
  });
  static_cast<ReaderScope &>(*this) = std::move(outer);
  if (hasKernels)
    nested.push_back(scope);
}

} // namespace tilec
