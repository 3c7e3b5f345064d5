//===- Args.cpp - Arguments of a builtin ------------------------*- C++ -*-===//
//
// Checked access to the arguments of a builtin: each accessor says at the argument itself what kind
// of value was expected and what was found.
//
//===----------------------------------------------------------------------===//

#include "Args.h"

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

Object Args::wrong(unsigned index, const llvm::Twine &expected) {
  const Object &value = bound[index].value;
  if (value.hasPoison())
    return Object::poison();
  return in.error(range(index), "argument '" + params[index].name + "' of " + builtin.fullName() +
                                    " must be " + expected + ", found " + value.typeStr());
}

Object Args::tensor(unsigned index) {
  Object value = operand(index);
  return value.isPoison() ? value : in.tensors().materialize(value, range(index));
}

Object Args::operand(unsigned index) {
  const Object &value = bound[index].value;
  if (value.isTensor() || value.isNumber())
    return value;
  return wrong(index, "a tensor or a number");
}

std::optional<bool> Args::boolean(unsigned index) {
  const Object &value = bound[index].value;
  if (value.isIntLike())
    return constTruth(value);
  wrong(index, "a constexpr bool");
  return std::nullopt;
}

std::optional<int64_t> Args::oneInteger(const Object &object, llvm::SMRange where, StringRef name) {
  std::optional<int64_t> value = object.isIntLike() ? object.asInt64() : std::nullopt;
  if (!value && !object.hasPoison())
    in.error(where, "argument '" + name + "' of " + builtin.fullName() +
                        " must be a constexpr integer, found " + object.typeStr());
  return value;
}

std::optional<int64_t> Args::integer(unsigned index) {
  return oneInteger(bound[index].value, range(index), params[index].name);
}

std::optional<StringRef> Args::string(unsigned index) {
  const Object &value = bound[index].value;
  if (value.isString())
    return value.asString();
  wrong(index, "a constexpr string");
  return std::nullopt;
}

std::optional<DType> Args::dtype(unsigned index) {
  const Object &value = bound[index].value;
  if (value.isType())
    return value.dtype();
  wrong(index, "a type such as tl.float32");
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> Args::integers(unsigned index) {
  const Object &value = bound[index].value;
  llvm::SmallVector<int64_t> result;
  llvm::ArrayRef<Object> items =
      value.isTuple() ? llvm::ArrayRef<Object>(value.elements()) : llvm::ArrayRef<Object>(value);
  for (const Object &item : items) {
    std::optional<int64_t> number = oneInteger(item, range(index), params[index].name);
    if (!number)
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::optional<llvm::SmallVector<int64_t>> Args::restIntegers() {
  StringRef name = params.back().name;
  for (const BuiltinParam &param : params)
    if (param.variadic)
      name = param.name;
  llvm::SmallVector<int64_t> result;
  auto add = [&](const Object &item, llvm::SMRange where) {
    std::optional<int64_t> number = oneInteger(item, where, name);
    if (number)
      result.push_back(*number);
    return number.has_value();
  };
  if (variadic.size() == 1 && variadic.front().value.isTuple()) {
    for (const Object &item : variadic.front().value.elements())
      if (!add(item, variadic.front().range))
        return std::nullopt;
    return result;
  }
  for (const Arg &arg : variadic)
    if (!add(arg.value, arg.range))
      return std::nullopt;
  return result;
}

std::optional<unsigned> Args::axis(unsigned index, unsigned rank) {
  std::optional<int64_t> value = integer(index);
  if (!value)
    return std::nullopt;
  int64_t axis = *value < 0 ? *value + int64_t(rank) : *value;
  if (axis < 0 || axis >= int64_t(rank)) {
    in.error(range(index), "axis " + llvm::Twine(*value) + " is out of range for a block of rank " +
                               llvm::Twine(rank));
    return std::nullopt;
  }
  return unsigned(axis);
}
