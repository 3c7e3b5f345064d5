//===- ModuleEnv.cpp - Module-level names of a kernel file ------*- C++ -*-===//
//
// The file is indexed once; a name is resolved when a kernel first asks for it. Where a name is
// bound several times under `try` or `if`, conditions that are known without running the program
// decide (HostNames.cpp). Of the definitions that remain, those that can be resolved must agree,
// and the body of a `try` wins over its handlers. Kernels see the last definition of a name; code
// of the module the last one before it.
//
//===----------------------------------------------------------------------===//

#include "ModuleEnv.h"

#include "HostInterpreter.h"
#include "Interpreter.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

ModuleEnv::ModuleEnv(Interpreter &in, const ast::Module &module, std::string path, bool isPrelude)
    : in(in), filePath(std::move(path)), prelude(isPrelude) {
  for (const ast::ModuleItem &item : module.items)
    addItem(item);
  addNested(module.nested);
}

ModuleEnv::ModuleEnv(Interpreter &in, const ast::NestedScope &scope, const ModuleEnv &parent)
    : in(in), filePath(parent.filePath), prelude(parent.prelude), parent(&parent) {
  for (const ast::ModuleItem &item : scope.items)
    addItem(item);
  addNested(scope.nested);
}

/// Functions see the names of functions around them, but not those of classes.
void ModuleEnv::addNested(llvm::ArrayRef<ast::NestedScope *> scopes) {
  for (const ast::NestedScope *scope : scopes) {
    const ModuleEnv *seen = this;
    if (!scope->isClass) {
      functionScopes.push_back(std::make_unique<ModuleEnv>(in, *scope, *this));
      seen = functionScopes.back().get();
    }
    for (const ast::ModuleItem &item : scope->items)
      if (auto *function = llvm::dyn_cast<ast::FunctionDef>(item.stmt))
        if (!function->decorators.empty())
          inside.push_back({function, seen});
    if (scope->isClass)
      addNested(scope->nested);
    else
      inside.insert(inside.end(), seen->inside.begin(), seen->inside.end());
  }
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

void ModuleEnv::bind(StringRef name, Binding binding) {
  binding.order = numItems;
  llvm::SmallVector<Binding, 1> &all = bindings[name];
  if (binding.guard == ast::Guard::Always && !all.empty()) {
    replaced[name].append(all.begin(), all.end());
    all.clear();
  }
  all.push_back(binding);
}

void ModuleEnv::addItem(const ast::ModuleItem &item) {
  using What = Binding::What;
  ast::Stmt *stmt = item.stmt;
  ++numItems;
  if (auto *import = llvm::dyn_cast<ast::Import>(stmt)) {
    for (const ast::ImportAlias &alias : import->names) {
      // `import a.b` binds `a`, `import a.b as c` binds the submodule.
      StringRef name = alias.asName.empty() ? alias.name.split('.').first : alias.asName;
      bind(name, {What::Import, stmt, nullptr, &alias, item.guard, alias.range, item.tests});
    }
  } else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(stmt)) {
    for (const ast::ImportAlias &alias : from->names) {
      Binding binding{What::ImportFrom, stmt, nullptr, &alias, item.guard, alias.range, item.tests};
      binding.order = numItems;
      if (alias.name == "*")
        starImports.push_back(binding);
      else
        bind(alias.asName.empty() ? alias.name : alias.asName, binding);
    }
  } else if (auto *assign = llvm::dyn_cast<ast::Assign>(stmt)) {
    addAssign(*assign, item);
  } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(stmt)) {
    if (auto *name = llvm::dyn_cast<ast::Name>(annotated->target); name && annotated->value)
      bind(name->id,
           {What::Value, stmt, annotated->value, nullptr, item.guard, stmt->range(), item.tests});
  } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(stmt)) {
    if (auto *name = llvm::dyn_cast<ast::Name>(augmented->target))
      bind(name->id, {What::Value, stmt, nullptr, nullptr, item.guard, stmt->range(), item.tests});
  } else if (auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
    bind(function->name,
         {What::Function, stmt, nullptr, nullptr, item.guard, function->nameRange, item.tests});
  } else if (auto *host = llvm::dyn_cast<ast::HostDef>(stmt)) {
    bind(host->name,
         {What::HostDef, stmt, nullptr, nullptr, item.guard, host->nameRange, item.tests});
  }
}

static llvm::ArrayRef<ast::Expr *> elementsOf(const ast::Expr *expr) {
  if (auto *tuple = llvm::dyn_cast_if_present<ast::Tuple>(expr))
    return tuple->elements;
  auto *list = llvm::dyn_cast_if_present<ast::List>(expr);
  return list ? list->elements : llvm::ArrayRef<ast::Expr *>();
}

/// Binds the names of a target to what they get of the binding's value; to nothing that is known
/// behind a star and in targets within targets, unless the values are written out.
void ModuleEnv::bindTarget(const ast::Expr &target, const Binding &binding) {
  auto isStarred = [](const ast::Expr *expr) { return llvm::isa<ast::Starred>(expr); };
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    return bind(name->id, binding);
  if (auto *starred = llvm::dyn_cast<ast::Starred>(&target)) {
    Binding unknown = binding;
    unknown.value = nullptr;
    return bindTarget(*starred->value, unknown);
  }
  llvm::ArrayRef<ast::Expr *> targets = elementsOf(&target), values = elementsOf(binding.value);
  bool isFixed = llvm::none_of(targets, isStarred) && !binding.element;
  bool isPaired = isFixed && values.size() == targets.size() && llvm::none_of(values, isStarred);
  for (auto [index, element] : llvm::enumerate(targets)) {
    Binding part = binding;
    if (isPaired)
      part.value = values[index];
    else if (isFixed && llvm::isa<ast::Name>(element))
      part.element = index;
    else
      part.value = nullptr;
    bindTarget(*element, part);
  }
}

void ModuleEnv::addAssign(const ast::Assign &assign, const ast::ModuleItem &item) {
  Binding binding{Binding::What::Value, &assign,        assign.value, nullptr,
                  item.guard,           assign.range(), item.tests};
  for (const ast::Expr *target : assign.targets)
    bindTarget(*target, binding);
}

void ModuleEnv::listNames(llvm::SmallVectorImpl<StringRef> &names) const {
  for (auto &[name, binding] : bindings)
    names.push_back(name);
  if (parent)
    parent->listNames(names);
}

const ast::Expr *ModuleEnv::findValue(StringRef name) const {
  auto found = bindings.find(name);
  if (found == bindings.end())
    return nullptr;
  llvm::SmallVector<Binding, 2> candidates = reachable(found->second);
  bool isValue = candidates.size() == 1 && candidates.front().what == Binding::What::Value &&
                 !candidates.front().element;
  return isValue ? candidates.front().value : nullptr;
}

/// What `name += value` adds; null for any other statement.
static const ast::Expr *addedBy(const ast::Stmt *stmt) {
  auto *augmented = llvm::dyn_cast_if_present<ast::AugAssign>(stmt);
  return augmented && augmented->op == ast::BinaryOp::Add ? augmented->value : nullptr;
}

llvm::SmallVector<const ast::Expr *, 2> ModuleEnv::findParts(StringRef name,
                                                             const ast::Expr *before) const {
  llvm::SmallVector<const Binding *> known;
  auto add = [&](llvm::ArrayRef<Binding> all) {
    for (const Binding &binding : all)
      known.push_back(&binding);
  };
  if (auto earlier = replaced.find(name); earlier != replaced.end())
    add(earlier->second);
  if (auto last = bindings.find(name); last != bindings.end())
    add(last->second);
  auto part = [](const Binding &binding) {
    return binding.value ? binding.value : addedBy(binding.stmt);
  };
  bool isBehind = before != nullptr;
  llvm::SmallVector<const ast::Expr *, 2> parts;
  for (const Binding *binding : llvm::reverse(known)) {
    bool isWanted = !isBehind;
    isBehind &= part(*binding) != before;
    std::optional<bool> reached = isWanted ? isReached(*binding) : false;
    if (reached && !*reached)
      continue;
    bool isPlain =
        binding->guard == ast::Guard::Always || binding->guard == ast::Guard::Conditional;
    if (!reached || !isPlain || binding->element || binding->what != Binding::What::Value ||
        !part(*binding))
      return {};
    parts.push_back(part(*binding));
    if (binding->value)
      return {parts.rbegin(), parts.rend()};
  }
  return {};
}

const ast::Expr *ModuleEnv::findValue(StringRef name, const ModuleEnv *&owner) const {
  owner = this;
  if (const ast::Expr *value = findValue(name))
    return value;
  auto found = bindings.find(name);
  if (found == bindings.end() && parent)
    return parent->findValue(name, owner);
  bool isImported = found != bindings.end() && found->second.size() == 1 &&
                    found->second.front().what == Binding::What::ImportFrom && !isBusy(name);
  if (!isImported)
    return nullptr;
  MissingValue missing;
  const SourceModule *module = importedModule(found->second.front(), missing);
  if (!module || !module->env)
    return nullptr;
  Resolved &entry = cache[name];
  entry.busy = true; // An import that goes in a circle ends here.
  const ast::Expr *value = module->env->findValue(found->second.front().alias->name, owner);
  entry.busy = false;
  return value;
}

std::vector<const JitFunction *> ModuleEnv::functions() const {
  std::vector<const JitFunction *> result;
  for (auto &[name, all] : bindings)
    if (const JitFunction *function = findFunction(name))
      result.push_back(function);
  for (const Inside &kernel : inside) {
    Object function = kernel.env->resolveFunction(*kernel.def);
    if (function.is(Object::Kind::Function))
      result.push_back(function.asFunction());
  }
  return result;
}

const JitFunction *ModuleEnv::findFunction(StringRef name) const {
  auto found = bindings.find(name);
  llvm::SmallVector<Binding, 2> candidates;
  if (found != bindings.end())
    candidates = reachable(found->second);
  if (llvm::none_of(candidates, [](const Binding &binding) {
        return binding.what == Binding::What::Function;
      })) {
    for (const Inside &kernel : llvm::reverse(inside))
      if (kernel.def->name == name)
        if (Object function = kernel.env->resolveFunction(*kernel.def);
            function.is(Object::Kind::Function))
          return function.asFunction();
    if (!replaced.contains(name))
      return nullptr;
  }
  // With several definitions, one in a `try` wins over those of its handlers.
  const Binding &last = candidates.back();
  Object function = last.what == Binding::What::Function
                        ? resolveFunction(*llvm::cast<ast::FunctionDef>(last.stmt))
                        : lookup(name).value_or(Object::poison());
  return function.is(Object::Kind::Function) ? function.asFunction() : nullptr;
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

/// What `from .. import *` statements behind the item `after` give for a name.
std::optional<Object> ModuleEnv::resolveStar(StringRef name, unsigned after,
                                             Resolved &result) const {
  for (const Binding &star : llvm::reverse(starImports)) {
    if (star.order < after)
      break;
    auto *from = llvm::cast<ast::ImportFrom>(star.stmt);
    if (const Namespace *space = from->level == 0 ? findNamespace(from->module) : nullptr) {
      // Not in the `__all__` of triton.language.
      bool isHidden = space->name == "triton.language" &&
                      (name == "core" || name == "standard" || name == "random");
      if (std::optional<Object> member = findMember(*space, name); member && !isHidden)
        return member;
      continue;
    }
    MissingValue missing;
    const SourceModule *module = importedModule(star, missing);
    if (!module)
      continue;
    if (std::optional<Object> member = in.importer().starMember(*module, name, star.range)) {
      result.plain = in.importer().isPlain(*module, name, result.definition);
      return member;
    }
  }
  return std::nullopt;
}

std::optional<Object> ModuleEnv::lookup(StringRef name) const {
  std::optional<Object> own = lookUpHere(name);
  return own || !parent ? own : parent->lookup(name);
}

/// The definitions of a name that the item that is evaluated sees, where those at the end of the
/// file are others; none where they are the same.
llvm::SmallVector<ModuleEnv::Binding, 2> ModuleEnv::bindingsBefore(StringRef name) const {
  llvm::SmallVector<Binding, 2> result;
  auto last = bindings.find(name);
  if (last == bindings.end() || last->second.back().order < position)
    return result;
  auto addEarlier = [&](llvm::ArrayRef<Binding> all) {
    for (const Binding &binding : all) {
      if (binding.order >= position)
        break;
      if (binding.guard == ast::Guard::Always)
        result.clear();
      result.push_back(binding);
    }
  };
  if (auto earlier = replaced.find(name); earlier != replaced.end())
    addEarlier(earlier->second);
  addEarlier(last->second);
  return result;
}

/// Which item of the file a function is; the last one for one within others.
unsigned ModuleEnv::orderOf(const ast::FunctionDef &def) const {
  auto last = bindings.find(def.name);
  auto earlier = replaced.find(def.name);
  if (last != bindings.end())
    for (const Binding &binding : last->second)
      if (binding.stmt == &def)
        return binding.order;
  if (earlier != replaced.end())
    for (const Binding &binding : earlier->second)
      if (binding.stmt == &def)
        return binding.order;
  return ~0u;
}

Object ModuleEnv::evaluateDefault(const ast::FunctionDef &def, const ast::Param &param) const {
  llvm::SaveAndRestore at(position, orderOf(def));
  return in.host().evaluate(*param.defaultValue, *this);
}

std::optional<Object> ModuleEnv::lookUpHere(StringRef name) const {
  if (llvm::SmallVector<Binding, 2> before = bindingsBefore(name); !before.empty()) {
    Resolved &entry = earlierValues[{before.back().stmt, bindings.find(name)->first}];
    if (!entry.isKnown)
      resolveBest(before, entry);
    entry.isKnown = true;
    return entry.value;
  }
  auto found = bindings.find(name);
  if (found == bindings.end() && starImports.empty())
    return std::nullopt;
  // Entries of a StringMap stay where they are when resolution adds others.
  Resolved &entry = cache[name];
  if (entry.isKnown)
    return entry.value;
  if (entry.busy) {
    if (found == bindings.end())
      return std::nullopt;
    return Object::host(in.strings().save("the global '" + name + "'"), found->second[0].range);
  }
  entry.busy = true;
  unsigned order = found == bindings.end() ? 0 : found->second.back().order;
  entry.value = resolveStar(name, order, entry);
  if (!entry.value && found != bindings.end())
    resolveBest(found->second, entry);
  entry.busy = false;
  entry.isKnown = true;
  return entry.value;
}

bool ModuleEnv::isBusy(StringRef name) const {
  auto entry = cache.find(name);
  return entry != cache.end() && entry->second.busy;
}

bool ModuleEnv::isPlainGlobal(StringRef name, llvm::SMRange &definition) const {
  if (isBusy(name))
    return false;
  if (!lookUpHere(name))
    return parent && parent->isPlainGlobal(name, definition);
  const Resolved &entry = cache[name];
  if (entry.plain)
    definition = entry.definition;
  return entry.plain;
}

const MissingValue *ModuleEnv::missingStar(llvm::SMRange &import) const {
  for (const Binding &star : starImports) {
    auto *from = llvm::cast<ast::ImportFrom>(star.stmt);
    MissingValue missing;
    if ((from->level == 0 && findNamespace(from->module)) || importedModule(star, missing))
      continue;
    import = star.range;
    missing.note = "nothing is " + missing.note + ": " + missing.why;
    return &missingImports.emplace_back(std::move(missing));
  }
  return parent ? parent->missingStar(import) : nullptr;
}

/// Whether the module's branches around a definition are taken; nothing where that is not known.
std::optional<bool> ModuleEnv::isReached(const Binding &binding) const {
  llvm::SaveAndRestore at(position, binding.order);
  bool known = true;
  for (const ast::GuardTest &guard : binding.tests) {
    Object value = guard.test ? in.host().tryEvaluate(*guard.test, *this) : Object::poison();
    std::optional<bool> holds;
    if (!value.isPoison() && !value.is(Object::Kind::Host))
      holds = constTruth(value);
    else if (guard.test)
      holds = askedPlatform(*guard.test);
    if (holds && *holds != guard.holds)
      return false;
    known &= holds.has_value();
  }
  return known ? std::optional<bool>(true) : std::nullopt;
}

/// The definitions of a name that may be the last one that Python executes, in file order; all of
/// them if none is.
llvm::SmallVector<ModuleEnv::Binding, 2>
ModuleEnv::reachable(llvm::ArrayRef<Binding> candidates) const {
  llvm::SmallVector<Binding, 2> result;
  if (candidates.size() > 1)
    for (const Binding &candidate : candidates) {
      std::optional<bool> reached = isReached(candidate);
      if (reached && !*reached)
        continue;
      if (reached && candidate.guard == ast::Guard::Conditional)
        result.clear();
      result.push_back(candidate);
    }
  if (result.empty())
    result.append(candidates.begin(), candidates.end());
  return result;
}

/// Whether both are the function of one name, in modules of the language: libraries import it from
/// where their version of Triton has it.
static bool areOneFunction(const Object &a, const Object &b) {
  return a.is(Object::Kind::Builtin) && b.is(Object::Kind::Builtin) &&
         a.asBuiltin()->name == b.asBuiltin()->name;
}

/// Whether a name stands for `module` and, where that cannot be imported, for None.
static bool isMissingModule(const Object &none, const Object &module) {
  return none.isNone() && (module.is(Object::Kind::Module) || module.is(Object::Kind::File));
}

void ModuleEnv::resolveBest(llvm::ArrayRef<Binding> all, Resolved &result) const {
  llvm::SmallVector<Binding, 2> candidates = reachable(all);
  if (candidates.size() == 1)
    return resolve(candidates.front(), result);
  std::optional<Resolved> best;
  ast::Guard guardOfBest = ast::Guard::Always;
  for (const Binding &candidate : candidates) {
    Resolved found;
    resolve(candidate, found);
    if (!found.value || found.value->is(Object::Kind::Host))
      continue;
    // A `try` in a handler stands before its own handlers.
    bool isTried = guardOfBest == ast::Guard::TryBody || guardOfBest == ast::Guard::Handler;
    if (best && isTried && candidate.guard == ast::Guard::Handler)
      continue;
    if (best &&
        (areOneFunction(*best->value, *found.value) || isMissingModule(*found.value, *best->value)))
      continue;
    if (best && !best->value->identicalTo(*found.value) &&
        !isMissingModule(*best->value, *found.value)) {
      result.value =
          Object::host("a name that has several definitions under conditions", candidate.range);
      return;
    }
    best = std::move(found);
    guardOfBest = candidate.guard;
  }
  if (!best)
    return resolve(candidates.front(), result);
  result.value = best->value;
  result.plain = best->plain;
  result.definition = best->definition;
}

void ModuleEnv::resolve(const Binding &binding, Resolved &result) const {
  llvm::SaveAndRestore at(position, binding.order);
  result.definition = binding.range;
  switch (binding.what) {
  case Binding::What::Import:
    result.value = resolveImport(binding);
    return;
  case Binding::What::ImportFrom:
    result.value = resolveFrom(binding, result);
    return;
  case Binding::What::Value:
    result.value = resolveValue(binding, result.plain);
    return;
  case Binding::What::Function:
    result.value = resolveFunction(*llvm::cast<ast::FunctionDef>(binding.stmt));
    return;
  case Binding::What::HostDef:
    result.value = resolveHostDef(*llvm::cast<ast::HostDef>(binding.stmt));
    return;
  }
  llvm_unreachable("unknown binding");
}
