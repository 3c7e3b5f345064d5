//===- Aggregates.cpp - Values of classes with methods ----------*- C++ -*-===//
//
// An aggregate is made by its __init__, host code that is evaluated while compiling and sets the
// fields of `self`; afterwards it never changes. What holds it (branches, loops, results) treats it
// as its fields, like a tuple.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Why a field that __init__ has not set yet cannot be read.
static const MissingValue &notSetYet() {
  static const MissingValue reason = {"__init__ has not set it yet", "in this function"};
  return reason;
}

static bool isUnset(const Object &field) {
  if (field.isCompound())
    return llvm::any_of(field.elements(), isUnset);
  return field.is(Object::Kind::Host) && field.asMissing() == &notSetYet();
}

/// What `tl.constexpr` admits as a field: whatever is known while compiling.
static bool isConstexprValue(const Object &value) {
  return value.isConst() && !value.is(Object::Kind::Module) && !value.is(Object::Kind::File);
}

bool HostInterpreter::checkField(const RecordClass &type, size_t field, const Object &value,
                                 SMRange range) {
  const ast::Expr &annotation = *type.annotations[field];
  Object wanted = tryEvaluate(annotation, *type.env);
  bool isConstexpr = isConstexprType(wanted);
  std::optional<bool> fits = isConstexpr ? isConstexprValue(value) : isInstance(value, wanted);
  StringRef text(annotation.range().Start.getPointer(),
                 annotation.range().End.getPointer() - annotation.range().Start.getPointer());
  std::string name = ("field '" + type.fields[field] + "' of '" + type.name + "'").str();
  if (!fits)
    in.errorWithNote(range, name + " cannot be checked: '" + text + "' is no type of a field",
                     annotation.range(), "declared here");
  else if (!*fits)
    in.errorWithNote(range, name + " must be " + text + ", found " + value.typeStr(),
                     annotation.range(), "declared here");
  return fits.value_or(false);
}

/// `self.x = value` in __init__.
bool HostInterpreter::setField(const ast::Attribute &target, const Object &value) {
  const RecordClass &type = *in.frame().constructing;
  auto *name = llvm::dyn_cast<ast::Name>(target.value);
  StringRef self = in.frame().function->def->params.front().name;
  if (!name || name->id != self) {
    in.error(target.range(), "only the fields of '" + self + "' can be assigned here");
    return false;
  }
  std::optional<size_t> field = type.findField(target.attr);
  if (!field) {
    in.errorWithHint(target.attrRange, "'" + type.name + "' has no field '" + target.attr + "'",
                     closestName(target.attr, type.fields), target.attrRange);
    return false;
  }
  if (!checkField(type, *field, value, target.range()))
    return false;
  Object::List fields = in.frame().scope[self].value.elements();
  fields[*field] = value;
  in.frame().scope[self].value = Object::aggregate(std::move(fields), &type);
  return true;
}

Object Interpreter::constructAggregate(const RecordClass &type, CallInfo &info) {
  const Method *method = type.findMethod("__init__");
  if (!method)
    return errorWithNote(info.range, "'" + type.name + "' has no __init__ that sets its fields",
                         type.definition, "defined here");
  const JitFunction &init = *method->function;
  if (init.isJit || method->isStatic || init.def->params.empty())
    return errorWithNote(info.range,
                         "__init__ of '" + type.name +
                             "' must be a host function or a constexpr function with a 'self'",
                         init.def->nameRange, "defined here");
  Object unset = Object::host("a field", init.def->nameRange, &notSetYet());
  Object self = Object::aggregate(Object::List(type.fields.size(), unset), &type);
  info.positional.insert(info.positional.begin(), {self, info.calleeRange, true});
  Frame callee;
  if (!canCall(init, info) || !bindJit(init, info, callee))
    return Object::poison();
  callee.function = &init;
  callee.env = init.env;
  callee.caller = innermost();
  callee.callRange = info.range;
  callee.constructing = &type;
  if (host().call(init, callee).isPoison())
    return Object::poison();
  Object made = callee.scope[init.def->params.front().name].value;
  if (!made.isAggregate() || made.asClass() != &type)
    return errorWithNote(info.range, "__init__ of '" + type.name + "' assigns to its 'self'",
                         init.def->nameRange, "defined here");
  for (auto [name, value] : llvm::zip(type.fields, made.elements()))
    if (isUnset(value))
      return errorWithNote(info.range,
                           "__init__ of '" + type.name + "' does not set the field '" + name + "'",
                           init.def->nameRange, "defined here");
  return made;
}

Object Interpreter::aggregateAttribute(const Object &object, StringRef name, SMRange nameRange) {
  const RecordClass &type = *object.asClass();
  if (const Method *method = type.findMethod(name))
    return errorWithNote(nameRange,
                         "'" + name + "' of '" + type.name +
                             "' is host code; kernels call methods that are @triton.jit or "
                             "@triton.constexpr_function",
                         method->def->nameRange, "defined here");
  llvm::SmallVector<StringRef, 16> candidates(type.fields.begin(), type.fields.end());
  for (const Method &method : type.methods)
    candidates.push_back(method.def->name);
  return errorWithHint(nameRange, "'" + type.name + "' has no field or method '" + name + "'",
                       closestName(name, candidates), nameRange);
}
