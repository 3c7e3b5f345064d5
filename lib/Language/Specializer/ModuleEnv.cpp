//===- ModuleEnv.cpp - Module-level names of a kernel file ------*- C++ -*-===//
//
// The file is indexed once; a name is resolved when a kernel first asks for it. Where a name is
// bound several times under `try` or `if`, the definitions that can be resolved must agree, and the
// body of a `try` wins over its handlers.
//
//===----------------------------------------------------------------------===//

#include "ModuleEnv.h"

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

ModuleEnv::ModuleEnv(Interpreter &in, const ast::Module &module, bool isPrelude)
    : in(in), prelude(isPrelude) {
  for (const ast::ModuleItem &item : module.items)
    addItem(item);
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

void ModuleEnv::bind(StringRef name, Binding binding) {
  llvm::SmallVector<Binding, 1> &all = bindings[name];
  if (binding.guard == ast::Guard::Always)
    all.clear();
  all.push_back(binding);
}

void ModuleEnv::addItem(const ast::ModuleItem &item) {
  using What = Binding::What;
  ast::Stmt *stmt = item.stmt;
  if (auto *import = llvm::dyn_cast<ast::Import>(stmt)) {
    for (const ast::ImportAlias &alias : import->names) {
      // `import a.b` binds `a`, `import a.b as c` binds the submodule.
      StringRef name = alias.asName.empty() ? alias.name.split('.').first : alias.asName;
      bind(name, {What::Import, stmt, nullptr, &alias, item.guard, alias.range});
    }
  } else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(stmt)) {
    for (const ast::ImportAlias &alias : from->names) {
      Binding binding{What::ImportFrom, stmt, nullptr, &alias, item.guard, alias.range};
      if (alias.name == "*")
        starImports.push_back(binding);
      else
        bind(alias.asName.empty() ? alias.name : alias.asName, binding);
    }
  } else if (auto *assign = llvm::dyn_cast<ast::Assign>(stmt)) {
    addAssign(*assign, item.guard);
  } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(stmt)) {
    if (auto *name = llvm::dyn_cast<ast::Name>(annotated->target); name && annotated->value)
      bind(name->id, {What::Value, stmt, annotated->value, nullptr, item.guard, stmt->range()});
  } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(stmt)) {
    if (auto *name = llvm::dyn_cast<ast::Name>(augmented->target))
      bind(name->id, {What::Value, stmt, nullptr, nullptr, item.guard, stmt->range()});
  } else if (auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
    bind(function->name, {What::Function, stmt, nullptr, nullptr, item.guard, function->nameRange});
  } else if (auto *host = llvm::dyn_cast<ast::HostDef>(stmt)) {
    bind(host->name, {What::HostDef, stmt, nullptr, nullptr, item.guard, host->nameRange});
  }
}

void ModuleEnv::addAssign(const ast::Assign &assign, ast::Guard guard) {
  for (const ast::Expr *target : assign.targets) {
    if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
      bind(name->id, {Binding::What::Value, &assign, assign.value, nullptr, guard, assign.range()});
      continue;
    }
    auto *names = llvm::dyn_cast<ast::Tuple>(target);
    if (!names)
      continue;
    auto *values = llvm::dyn_cast<ast::Tuple>(assign.value);
    bool paired = values && values->elements.size() == names->elements.size();
    for (auto [index, element] : llvm::enumerate(names->elements))
      if (auto *name = llvm::dyn_cast<ast::Name>(element))
        bind(name->id, {Binding::What::Value, &assign, paired ? values->elements[index] : nullptr,
                        nullptr, guard, assign.range()});
  }
}

void ModuleEnv::listNames(llvm::SmallVectorImpl<StringRef> &names) const {
  for (auto &[name, binding] : bindings)
    names.push_back(name);
}

const ast::Expr *ModuleEnv::findValue(StringRef name) const {
  auto found = bindings.find(name);
  bool isValue = found != bindings.end() && found->second.size() == 1 &&
                 found->second.front().what == Binding::What::Value;
  return isValue ? found->second.front().value : nullptr;
}

std::vector<const JitFunction *> ModuleEnv::functions() const {
  std::vector<const JitFunction *> result;
  for (auto &[name, all] : bindings)
    if (const JitFunction *function = findFunction(name))
      result.push_back(function);
  return result;
}

const JitFunction *ModuleEnv::findFunction(StringRef name) const {
  auto found = bindings.find(name);
  if (found == bindings.end() || found->second.back().what != Binding::What::Function)
    return nullptr;
  Object function = resolveFunction(found->second.back());
  return function.is(Object::Kind::Function) ? function.asFunction() : nullptr;
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

std::optional<Object> ModuleEnv::lookup(StringRef name) const {
  auto found = bindings.find(name);
  if (found == bindings.end()) {
    for (const Binding &star : llvm::reverse(starImports))
      if (const Namespace *space = findNamespace(llvm::cast<ast::ImportFrom>(star.stmt)->module))
        if (std::optional<Object> member = findMember(*space, name))
          return member;
    return std::nullopt;
  }
  Resolved &entry = cache[name];
  if (entry.value)
    return entry.value;
  if (entry.busy)
    return Object::host(in.strings().save("the global '" + name + "'"), found->second[0].range);
  entry.busy = true;
  bool plain = false;
  std::optional<Object> value = resolveBest(found->second, plain);
  Resolved &final = cache[name]; // Resolution may have grown the table.
  final.busy = false;
  final.plain = plain;
  final.value = value;
  return value;
}

bool ModuleEnv::isPlainGlobal(StringRef name, llvm::SMRange &definition) const {
  auto found = bindings.find(name);
  if (found == bindings.end() || !lookup(name) || !cache[name].plain)
    return false;
  definition = found->second.back().range;
  return true;
}

std::optional<Object> ModuleEnv::resolveBest(llvm::ArrayRef<Binding> candidates,
                                             bool &plain) const {
  if (candidates.size() == 1)
    return resolve(candidates.front(), plain);
  std::optional<Object> best;
  bool bestIsTry = false;
  for (const Binding &candidate : candidates) {
    bool candidatePlain = false;
    std::optional<Object> value = resolve(candidate, candidatePlain);
    if (!value || value->is(Object::Kind::Host))
      continue;
    if (best && bestIsTry && candidate.guard == ast::Guard::Handler)
      continue;
    if (best && !best->identicalTo(*value))
      return Object::host("a name that has several definitions under conditions", candidate.range);
    best = value;
    plain = candidatePlain;
    bestIsTry = candidate.guard == ast::Guard::TryBody;
  }
  return best ? best : resolve(candidates.front(), plain);
}

std::optional<Object> ModuleEnv::resolve(const Binding &binding, bool &plain) const {
  switch (binding.what) {
  case Binding::What::Import:
    return resolveImport(binding);
  case Binding::What::ImportFrom:
    return resolveFrom(binding);
  case Binding::What::Value:
    return resolveValue(binding, plain);
  case Binding::What::Function:
    return resolveFunction(binding);
  case Binding::What::HostDef: {
    auto *def = llvm::cast<ast::HostDef>(binding.stmt);
    if (def->isNamedTuple)
      return resolveClass(*def);
    bool isClass = def->what == ast::HostDef::What::Class;
    return Object::host(
        in.strings().save((isClass ? "the class '" : "the host function '") + def->name + "'"),
        def->nameRange);
  }
  }
  llvm_unreachable("unknown binding");
}

Object ModuleEnv::resolveImport(const Binding &binding) const {
  StringRef dotted = binding.alias->name;
  StringRef bound = binding.alias->asName.empty() ? dotted.split('.').first : dotted;
  if (const Namespace *space = findNamespace(bound))
    return Object::module(space);
  return Object::host(in.strings().save("the module '" + bound + "'"), binding.range);
}

Object ModuleEnv::resolveFrom(const Binding &binding) const {
  auto *from = llvm::cast<ast::ImportFrom>(binding.stmt);
  StringRef name = binding.alias->name;
  if (from->level == 0) {
    if (const Namespace *space = findNamespace(from->module))
      if (std::optional<Object> member = findMember(*space, name))
        return *member;
    if (const Namespace *space = findNamespace((from->module + "." + name).str()))
      return Object::module(space);
  }
  return Object::host(in.strings().save("'" + name + "' of the module '" +
                                        std::string(from->level, '.') + from->module + "'"),
                      binding.range);
}

/// True when evaluating `expr` in Python gives a tl.constexpr, not a plain number.
static bool givesConstexpr(const ast::Expr &expr, const ModuleEnv &env, Interpreter &in) {
  if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
    return isConstexprType(in.tryEvalHost(*call->callee, env));
  llvm::SMRange definition;
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return env.lookup(name->id) && !env.isPlainGlobal(name->id, definition);
  if (auto *binary = llvm::dyn_cast<ast::BinOp>(&expr))
    return givesConstexpr(*binary->left, env, in) || givesConstexpr(*binary->right, env, in);
  if (auto *unary = llvm::dyn_cast<ast::UnaryOp>(&expr))
    return givesConstexpr(*unary->operand, env, in);
  if (auto *choice = llvm::dyn_cast<ast::IfExp>(&expr)) {
    bool first = constTruth(in.tryEvalHost(*choice->test, env));
    return givesConstexpr(first ? *choice->body : *choice->orelse, env, in);
  }
  return false;
}

Object ModuleEnv::resolveClass(const ast::HostDef &def) const {
  TupleClass &named = tupleClasses.emplace_back();
  named.name = def.name;
  named.env = this;
  named.definition = def.nameRange;
  for (const ast::Param &field : def.fields) {
    named.fields.push_back(field.name);
    named.defaults.push_back(field.defaultValue);
  }
  return Object::tupleClass(&named);
}

/// The class that `namedtuple("P", ["x", "y"])` or `namedtuple("P", "x, y")` makes; nothing for any
/// other expression.
std::optional<Object> ModuleEnv::namedTupleCall(const ast::Expr &expr) const {
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  if (!call || call->args.size() != 2 || !call->keywords.empty())
    return std::nullopt;
  auto *name = llvm::dyn_cast<ast::Name>(call->callee);
  auto *member = llvm::dyn_cast<ast::Attribute>(call->callee);
  if ((name ? name->id : member ? member->attr : StringRef()) != "namedtuple")
    return std::nullopt;
  Object title = in.tryEvalHost(*call->args[0], *this);
  Object fields = in.tryEvalHost(*call->args[1], *this);
  if (!title.isString())
    return std::nullopt;
  TupleClass named;
  named.name = title.asString();
  named.env = this;
  named.definition = expr.range();
  if (fields.isString()) {
    for (StringRef rest = fields.asString().ltrim(", "); !rest.empty(); rest = rest.ltrim(", ")) {
      named.fields.push_back(rest.take_until([](char c) { return c == ',' || c == ' '; }));
      rest = rest.drop_front(named.fields.back().size());
    }
  } else if (fields.isTuple()) {
    for (const Object &field : fields.elements())
      if (field.isString())
        named.fields.push_back(field.asString());
  } else {
    return std::nullopt;
  }
  named.defaults.resize(named.fields.size(), nullptr);
  tupleClasses.push_back(std::move(named));
  return Object::tupleClass(&tupleClasses.back());
}

Object ModuleEnv::resolveValue(const Binding &binding, bool &plain) const {
  if (binding.value)
    if (std::optional<Object> named = namedTupleCall(*binding.value))
      return *named;
  Object value = binding.value ? in.tryEvalHost(*binding.value, *this) : Object::poison();
  if (value.isPoison() || value.is(Object::Kind::Host))
    return Object::host("a global of the host program", binding.range);
  bool data = value.isNumber() || value.isString() || value.isTuple();
  plain = data && !prelude && !givesConstexpr(*binding.value, *this, in);
  return value;
}

Object ModuleEnv::resolveFunction(const Binding &binding) const {
  auto *def = llvm::cast<ast::FunctionDef>(binding.stmt);
  if (const JitFunction *known = functionOf.lookup(def))
    return Object::function(known);
  bool isJit = false, isConstexpr = false, launchOnly = false, debug = false, noinline = false;
  const ast::Call *jitCall = nullptr;
  for (const ast::Expr *decorator : def->decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    Object object = in.tryEvalHost(call ? *call->callee : *decorator, *this);
    if (!object.is(Object::Kind::Builtin) || object.asBuiltin()->space != Space::Triton)
      continue; // Some decorator of the host program: it wraps the launch only.
    StringRef name = object.asBuiltin()->name;
    isJit |= name == "jit";
    isConstexpr |= name == "constexpr_function";
    launchOnly |= name == "autotune" || name == "heuristics";
    if (call && name == "jit")
      jitCall = call;
    if (call && name == "jit")
      for (const ast::Keyword &keyword : call->keywords) {
        if (keyword.name == "debug")
          debug = constTruth(in.tryEvalHost(*keyword.value, *this));
        if (keyword.name == "noinline")
          noinline = constTruth(in.tryEvalHost(*keyword.value, *this));
      }
  }
  if (!isJit && !isConstexpr)
    return Object::host(in.strings().save("the host function '" + def->name + "'"), def->nameRange);
  jitFunctions.push_back({def, this, isJit, launchOnly, debug, noinline, jitCall});
  functionOf[def] = &jitFunctions.back();
  return Object::function(&jitFunctions.back());
}
