//===- ModuleValues.cpp - What names of a kernel file stand for -*- C++ -*-===//
//
// A part of ModuleEnv, which finds the binding of a name: the value that an import, an assignment,
// a class or a function gives it. What only Python could compute is a missing value that says so
// where a kernel uses it.
//
//===----------------------------------------------------------------------===//

#include "ModuleEnv.h"

#include "HostInterpreter.h"
#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

/// Modules that are part of the language, or stand in for Python's: no file has their name.
static bool isOwnModule(StringRef dotted) {
  StringRef first = dotted.split('.').first;
  return first == "triton" || first == "math";
}

Object ModuleEnv::missingImport(const llvm::Twine &what, const Binding &binding,
                                MissingValue missing) const {
  return Object::host(in.strings().save(what), binding.range,
                      missing.why.empty() ? nullptr
                                          : &missingImports.emplace_back(std::move(missing)));
}

Object ModuleEnv::resolveImport(const Binding &binding) const {
  StringRef dotted = binding.alias->name;
  bool isRenamed = !binding.alias->asName.empty();
  StringRef bound = isRenamed ? dotted : dotted.split('.').first;
  if (const Namespace *space = findNamespace(bound))
    return Object::module(space);
  MissingValue missing;
  if (!isOwnModule(dotted))
    if (const SourceModule *module =
            in.importer().find(*this, 0, dotted, isRenamed, binding.range, missing))
      return Object::file(module);
  return Object::hostModule(in.strings().save("the module '" + bound + "'"), binding.range, bound,
                            missing.why.empty() ? nullptr
                                                : &missingImports.emplace_back(std::move(missing)));
}

/// The file that a `from` import names; null, perhaps with the reason, when it names none.
const SourceModule *ModuleEnv::importedModule(const Binding &binding, MissingValue &missing) const {
  auto *from = llvm::cast<ast::ImportFrom>(binding.stmt);
  if (from->level == 0 && isOwnModule(from->module))
    return nullptr;
  return in.importer().find(*this, from->level, from->module, /*whole=*/true, binding.range,
                            missing);
}

/// What a name says of Triton where its value is not known: it is there.
static std::optional<Object> askedOfTriton(StringRef name) {
  name = name.ltrim('_');
  return name == "HAS_TRITON" || name == "TRITON_AVAILABLE" ? std::optional(Object::boolean(true))
                                                            : std::nullopt;
}

Object ModuleEnv::resolveFrom(const Binding &binding, Resolved &result) const {
  auto *from = llvm::cast<ast::ImportFrom>(binding.stmt);
  StringRef name = binding.alias->name;
  if (from->level == 0) {
    if (const Namespace *space = findNamespace(from->module))
      if (std::optional<Object> member = findMember(*space, name))
        return *member;
    std::string dotted = (from->module + "." + name).str();
    if (const Namespace *space = findNamespace(dotted))
      return Object::module(space);
    if (std::optional<Object> known = findHostName(dotted, binding.range))
      return *known;
  }
  MissingValue missing;
  if (const SourceModule *module = importedModule(binding, missing)) {
    std::optional<Object> member = in.importer().member(*module, name, binding.range);
    if (!member || member->is(Object::Kind::Host))
      if (std::optional<Object> known = askedOfTriton(name))
        return *known;
    if (member) {
      result.plain = in.importer().isPlain(*module, name, result.definition);
      return *member;
    }
    missing = in.importer().missingMember(*module, name);
  } else if (name == "Version") {
    return *findHostName("packaging.version.Version", binding.range); // Libraries hand it on.
  } else if (std::optional<Object> known = askedOfTriton(name)) {
    return *known;
  }
  return missingImport("'" + name + "' of the module '" + std::string(from->level, '.') +
                           from->module + "'",
                       binding, std::move(missing));
}

//===----------------------------------------------------------------------===//
// Values, classes and functions
//===----------------------------------------------------------------------===//

/// True when evaluating `expr` in Python gives a tl.constexpr, not a plain number.
bool ModuleEnv::givesConstexpr(const ast::Expr &expr) const {
  if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
    return isConstexprType(in.host().tryEvaluate(*call->callee, *this));
  llvm::SMRange definition;
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return lookup(name->id) && !isPlainGlobal(name->id, definition);
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr)) {
    Object module = in.host().tryEvaluate(*attribute->value, *this);
    return module.is(Object::Kind::File) &&
           !in.importer().isPlain(*module.asFile(), attribute->attr, definition);
  }
  if (auto *binary = llvm::dyn_cast<ast::BinOp>(&expr))
    return givesConstexpr(*binary->left) || givesConstexpr(*binary->right);
  if (auto *unary = llvm::dyn_cast<ast::UnaryOp>(&expr))
    return givesConstexpr(*unary->operand);
  if (auto *choice = llvm::dyn_cast<ast::IfExp>(&expr)) {
    Object test = in.host().tryEvaluate(*choice->test, *this);
    if (test.is(Object::Kind::Host))
      return givesConstexpr(*choice->body) || givesConstexpr(*choice->orelse);
    return givesConstexpr(constTruth(test) ? *choice->body : *choice->orelse);
  }
  return false;
}

/// The function `k` of `k = decorator(k)`: a decorator that is not known wraps its launch.
Object ModuleEnv::wrappedFunction(const Binding &binding) const {
  auto *call = llvm::dyn_cast_if_present<ast::Call>(binding.value);
  if (!call || call->args.size() != 1 || !call->keywords.empty())
    return Object::poison();
  auto *name = llvm::dyn_cast<ast::Name>(call->args.front());
  auto *assign = llvm::dyn_cast<ast::Assign>(binding.stmt);
  auto isItself = [&](const ast::Expr *target) {
    auto *bound = llvm::dyn_cast<ast::Name>(target);
    return bound && bound->id == name->id;
  };
  if (!name || !assign || !llvm::all_of(assign->targets, isItself))
    return Object::poison();
  Object function = lookup(name->id).value_or(Object::poison());
  bool isCallable = function.is(Object::Kind::Function) || function.is(Object::Kind::Builtin);
  return isCallable ? function : Object::poison();
}

/// The function of libdevice that host code with an unknown value names: `pow` for `shim.pow` and
/// for `find("pow")`. Libraries choose so between versions of Triton. Null if there is none.
static const Builtin *namedDeviceFunction(const ast::Expr *value) {
  if (auto *attribute = llvm::dyn_cast_if_present<ast::Attribute>(value))
    return findDeviceFunction(attribute->attr);
  auto *call = llvm::dyn_cast_if_present<ast::Call>(value);
  if (!call || call->args.size() != 1 || !call->keywords.empty())
    return nullptr;
  auto *name = llvm::dyn_cast<ast::Constant>(call->args.front());
  return name && name->isString() ? findDeviceFunction(name->stringValue()) : nullptr;
}

Object ModuleEnv::resolveValue(const Binding &binding, bool &plain) const {
  if (binding.value)
    if (std::optional<Object> named = namedTupleCall(*binding.value))
      return *named;
  Object value = binding.value ? in.host().tryEvaluate(*binding.value, *this) : Object::poison();
  if (binding.element)
    value = value.isTuple() && *binding.element < value.elements().size()
                ? value.elements()[*binding.element]
                : Object::poison();
  if (value.isPoison() || (value.is(Object::Kind::Host) && !value.asHostFunction())) {
    Object function = wrappedFunction(binding);
    return function.isPoison() ? Object::hostMember("a global of the host program", binding.range,
                                                    namedDeviceFunction(binding.value))
                               : function;
  }
  bool data = value.isNumber() || value.isString() || value.isTuple() || value.isDict();
  // A, B = (tl.constexpr(D[name]) for name in ..): each name has what one element is.
  auto *list = llvm::dyn_cast_if_present<ast::ListComp>(binding.value);
  const ast::Expr *source = list && binding.element ? list->element : binding.value;
  plain = data && !prelude && !givesConstexpr(*source);
  return value;
}

/// @functools.cache, @lru_cache(maxsize=None): the function gives what it gives without.
static bool isCache(const ast::Expr *decorator) {
  if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
    decorator = call->callee;
  auto *name = llvm::dyn_cast<ast::Name>(decorator);
  auto *member = llvm::dyn_cast<ast::Attribute>(decorator);
  StringRef last = name ? name->id : member ? member->attr : StringRef();
  return last == "cache" || last == "lru_cache";
}

const JitFunction *ModuleEnv::withoutTuner(const JitFunction &tuned) const {
  const JitFunction *&plain = tunedFunctions[&tuned];
  if (!plain) {
    JitFunction &copy = jitFunctions.emplace_back(tuned);
    copy.launchOnly = false;
    plain = &copy;
  }
  return plain;
}

Object ModuleEnv::resolveFunction(const ast::FunctionDef &def) const {
  if (const JitFunction *known = functionOf.lookup(&def))
    return Object::function(known);
  bool isJit = false, isConstexpr = false, launchOnly = false, debug = false, noinline = false;
  const ast::Call *jitCall = nullptr;
  for (const ast::Expr *decorator : def.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    Object object = in.host().tryEvaluate(call ? *call->callee : *decorator, *this);
    isConstexpr |= !call && isConstexprType(object); // Its value is called when a kernel is read.
    if (!object.is(Object::Kind::Builtin) || object.asBuiltin()->space != Space::Triton)
      continue; // Some decorator of the host program: it wraps the launch only.
    StringRef name = object.asBuiltin()->name;
    isJit |= name == "jit";
    isConstexpr |= name == "constexpr_function";
    launchOnly |= name == "autotune" || name == "heuristics";
    if (!call || name != "jit")
      continue;
    jitCall = call;
    for (const ast::Keyword &keyword : call->keywords) {
      if (keyword.name == "debug")
        debug = constTruth(in.host().tryEvaluate(*keyword.value, *this));
      if (keyword.name == "noinline")
        noinline = constTruth(in.host().tryEvaluate(*keyword.value, *this));
    }
  }
  if (!isJit && !isConstexpr) {
    const JitFunction *plain = nullptr; // What a decorator makes of a function is not known.
    if (llvm::all_of(def.decorators, isCache))
      plain = &jitFunctions.emplace_back(JitFunction{&def, this, /*isJit=*/false});
    return Object::hostFunction(in.strings().save("the host function '" + def.name + "'"), plain,
                                def.nameRange);
  }
  jitFunctions.push_back({&def, this, isJit, launchOnly, debug, noinline, jitCall});
  functionOf[&def] = &jitFunctions.back();
  return Object::function(&jitFunctions.back());
}
