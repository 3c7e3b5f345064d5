//===- Enums.cpp - Enumerations of the host program -------------*- C++ -*-===//
//
// Members of classes derived from enum.Enum or its relatives. Those of IntEnum and StrEnum are
// numbers and strings to everything that a kernel does with them; those of Enum are only equal to
// themselves, and have a `.value`.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "HostInterpreter.h"
using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

/// `auto()` or `enum.auto()`
static bool isAuto(const ast::Expr &expr) {
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  if (!call || !call->args.empty())
    return false;
  auto *name = llvm::dyn_cast<ast::Name>(call->callee);
  auto *member = llvm::dyn_cast<ast::Attribute>(call->callee);
  return (name ? name->id : member ? member->attr : StringRef()) == "auto";
}

/// What `auto()` gives after a member of value `last`: the next number, the next power of two, or
/// the name in small letters. Nothing where Python gives no value.
static std::optional<Object> autoValue(const RecordClass &type, StringRef name,
                                       std::optional<int64_t> last, llvm::StringSaver &strings) {
  if (type.enumBase == "StrEnum")
    return Object::string(strings.save(name.lower()));
  if (!type.enumBase.ends_with("Flag"))
    return Object::integer(last.value_or(0) + 1);
  if (last && (*last < 0 || *last >= int64_t(1) << 61))
    return std::nullopt;
  return Object::integer(last && *last ? int64_t(llvm::bit_floor(uint64_t(*last))) * 2 : 1);
}

std::optional<Object> Interpreter::enumMember(const RecordClass &type, StringRef name) {
  if (!type.findField(name))
    return std::nullopt;
  Scope members; // Of the lines above: they see each other by name.
  std::optional<int64_t> last;
  for (auto [field, expr] : llvm::zip(type.fields, type.defaults)) {
    Object value = Object::poison();
    if (expr && isAuto(*expr))
      value = autoValue(type, field, last, saver).value_or(value);
    else if (expr)
      value = host().tryEvaluate(*expr, *type.env, &members);
    bool isPlain = value.isNumber() || value.isString() || value.isTuple() || value.isNone();
    if (value.isIntLike())
      last = value.asInt64();
    members[field] = {value, true};
    if (field != name)
      continue;
    if (!isPlain)
      return Object::host(saver.save("the member '" + type.name + "." + name + "'"),
                          type.definition);
    bool isValue = type.enumBase != "Enum" && type.enumBase != "Flag";
    return isValue ? value : Object::enumerator(field, &type, value);
  }
  return std::nullopt;
}
