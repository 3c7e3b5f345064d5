//===- ModuleClasses.cpp - Classes of a kernel file -------------*- C++ -*-===//
//
// What kernels and code of compile time can use of the classes of a module: named tuples,
// aggregates, enumerations.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

Object ModuleEnv::resolveHostDef(const ast::HostDef &def) const {
  bool isAggregate = llvm::any_of(def.decorators, [&](const ast::Expr *decorator) {
    return isAggregateDecorator(in.host().tryEvaluate(*decorator, *this));
  });
  if (def.isNamedTuple || (isAggregate && !def.hasBase))
    return resolveClass(def);
  if (!def.enumBase.empty())
    return resolveEnum(def);
  using What = ast::HostDef::What;
  StringRef what = isAggregate               ? "the derived aggregate '"
                   : def.what == What::Class ? "the class '"
                   : def.what == What::Local ? "the local name '"
                                             : "the host function '";
  if (def.what == What::Local)
    return Object::host(in.strings().save(what + def.name + "' of a host function"), def.nameRange);
  return Object::host(in.strings().save(what + def.name + "'"), def.nameRange);
}

/// The functions of an aggregate. Those without a decorator of triton are host code, which only
/// __init__ may be.
void ModuleEnv::addMethods(const ast::HostDef &def, RecordClass &type) const {
  for (const ast::FunctionDef *method : def.methods) {
    Method added{nullptr, method, /*isStatic=*/false};
    for (const ast::Expr *decorator : method->decorators)
      if (auto *name = llvm::dyn_cast<ast::Name>(decorator))
        added.isStatic |= name->id == "staticmethod";
    Object function = resolveFunction(*method);
    if (function.is(Object::Kind::Function)) {
      added.function = function.asFunction();
    } else if (method->name == "__init__") {
      JitFunction &init = jitFunctions.emplace_back();
      init.def = method;
      init.env = this;
      init.isJit = false;
      added.function = &init;
    }
    // The last definition of a name counts.
    llvm::erase_if(type.methods, [&](const Method &old) { return old.def->name == method->name; });
    type.methods.push_back(added);
  }
}

Object ModuleEnv::resolveClass(const ast::HostDef &def) const {
  RecordClass &named = recordClasses.emplace_back();
  named.name = def.name;
  named.env = this;
  named.definition = def.nameRange;
  for (const ast::Param &field : def.fields) {
    named.fields.push_back(field.name);
    named.defaults.push_back(field.defaultValue);
    named.annotations.push_back(field.annotation);
  }
  named.isAggregate = !def.isNamedTuple;
  if (named.isAggregate)
    addMethods(def, named);
  return Object::recordClass(&named);
}

/// An enumeration. Its members get their values when one is first read (Enums.cpp).
Object ModuleEnv::resolveEnum(const ast::HostDef &def) const {
  RecordClass &type = recordClasses.emplace_back();
  type.name = def.name;
  type.env = this;
  type.definition = def.nameRange;
  type.enumBase = def.enumBase;
  for (const ast::Param &member : def.fields) {
    type.fields.push_back(member.name);
    type.defaults.push_back(member.defaultValue);
  }
  return Object::recordClass(&type);
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
  Object title = in.host().tryEvaluate(*call->args[0], *this);
  Object fields = in.host().tryEvaluate(*call->args[1], *this);
  if (!title.isString())
    return std::nullopt;
  RecordClass named;
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
  recordClasses.push_back(std::move(named));
  return Object::recordClass(&recordClasses.back());
}
