//===- BuiltinsDebug.cpp - Assertions, printing, hints ----------*- C++ -*-===//
//
// Checks at compile time and at run time, output of the compiler, promises to it, and questions
// about the target.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
namespace tile = mlir::tile;
using llvm::StringRef;

/// static_assert(cond, msg)
static Object staticAssert(Interpreter &in, Args &args) {
  const Object &condition = args[0];
  if (!condition.is(Object::Kind::Bool))
    return args.wrong(0, "a constexpr bool");
  if (condition.asBool())
    return Object::none();
  std::string message = args[1].isConst() ? args[1].str() : "";
  return in.error(args.callRange(),
                  "static assertion failed" + (message.empty() ? "" : ": " + message));
}

/// static_print(*values, sep, end, file, flush)
static Object staticPrint(Interpreter &in, Args &args) {
  std::string separator = args[1].isString() ? args[1].asString().str() : " ", text;
  for (const Arg &arg : args.rest())
    text += (text.empty() ? "" : separator) + arg.value.str();
  in.remark(args.callRange(), text);
  return Object::none();
}

/// device_assert(cond, msg, mask): kept in debug builds only.
static Object deviceAssert(Interpreter &in, Args &args) {
  Object condition = args.tensor(0);
  std::optional<StringRef> message = args.string(1);
  if (condition.isPoison() || !message)
    return Object::poison();
  TensorOps &ops = in.tensors();
  std::array<Object, 2> operands = {condition, condition};
  if (!args[2].isNone()) {
    operands[1] = args.tensor(2);
    if (operands[1].isPoison())
      return operands[1];
  }
  // The language checks the arguments also where it drops the check.
  if (!in.debug())
    return Object::none();
  for (Object &operand : operands)
    operand = ops.toBool(operand, args.callRange());
  Object check = operands[0];
  if (!args[2].isNone()) {
    if (!ops.broadcastAll(operands, args.callRange()))
      return Object::poison();
    Object off = ops.unary(ast::UnaryOpKind::Invert, operands[1], args.callRange());
    check = ops.rawBinaryUnchecked(ast::BinaryOp::Or, operands[0], off);
  }
  tile::AssertOp::create(in.ir(), in.loc(), check.value(), *message);
  return Object::none();
}

/// The prefix as it is printed before a value.
static std::string printPrefix(StringRef prefix, bool hasValue) {
  std::string text = prefix.str();
  if (!hasValue)
    return text;
  if (!prefix.ends_with(": "))
    text = prefix.rtrim(": ").str() + ": ";
  return text.size() > 2 && text.front() != ' ' ? " " + text : text;
}

/// device_print(prefix, *args, hex): one line for each element of each argument.
Object front::devicePrint(Interpreter &in, Args &args) {
  std::optional<StringRef> prefix = args.string(0);
  std::optional<bool> hex = args.boolean(2);
  if (!prefix || !hex)
    return Object::poison();
  if (!llvm::all_of(*prefix, [](char c) { return llvm::isPrint(c); }))
    return args.wrong(0, "a string of printable ASCII characters");
  std::string text = printPrefix(*prefix, !args.rest().empty());
  if (args.rest().empty())
    tile::PrintOp::create(in.ir(), in.loc(), text, *hex, /*isUnsigned=*/false, mlir::Value());
  for (const Arg &arg : args.rest()) {
    Object value = in.tensors().materialize(arg.value, arg.range);
    if (value.isPoison())
      return value;
    tile::PrintOp::create(in.ir(), in.loc(), text, *hex, value.dtype().isUnsignedInt(),
                          value.value());
  }
  return Object::none();
}

/// multiple_of(x, values), max_contiguous, max_constancy: promises, which need not be used.
static Object promise(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> values = args.integers(1);
  if (input.isPoison() || !values)
    return Object::poison();
  size_t expected = std::max<size_t>(1, input.shape().size());
  if (values->size() != expected)
    return in.error(args.range(1),
                    args.callee().fullName() + " takes one value an axis, expected " +
                        llvm::Twine(expected) + ", found " + llvm::Twine(values->size()));
  return input;
}

/// assume(cond)
static Object assume(Interpreter &in, Args &args) {
  Object condition = args.tensor(0);
  if (!condition.isPoison() && (condition.isBlock() || !condition.dtype().isBool()))
    return in.error(args.range(0),
                    "tl.assume takes a scalar of type int1, found " + condition.typeStr());
  return condition.isPoison() ? condition : Object::none();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

static Object isCuda(Interpreter &in, Args &) {
  return Object::boolean(in.options().capability != 0);
}

static Object isOther(Interpreter &, Args &) { return Object::boolean(false); }

static Object capabilityAtLeast(Interpreter &in, Args &args) {
  std::optional<int64_t> major = args.integer(0), minor = args.integer(1);
  if (!major || !minor)
    return Object::poison();
  unsigned have = in.options().capability;
  return Object::boolean(have != 0 &&
                         (int64_t(have / 10) > *major ||
                          (int64_t(have / 10) == *major && int64_t(have % 10) >= *minor)));
}

llvm::ArrayRef<Builtin> front::targetBuiltins() {
  static constexpr Builtin rows[] = {
      {"is_cuda", "", isCuda, 0, Space::Target},
      {"is_hip", "", isOther, 0, Space::Target},
      {"is_hip_cdna3", "", isOther, 0, Space::Target},
      {"is_hip_cdna4", "", isOther, 0, Space::Target},
      {"cuda_capability_geq", "major, minor=0", capabilityAtLeast, 0, Space::Target},
      {"current_target", "", nullptr, Unsupported, Space::Target},
  };
  return rows;
}

llvm::ArrayRef<Builtin> front::debugBuiltins() {
  static constexpr Builtin rows[] = {
      {"static_assert", "cond, msg=''", staticAssert},
      {"static_print", "*values, sep=' ', end=None, file=None, flush=False", staticPrint},
      {"device_assert", "cond, msg='', mask=None", deviceAssert},
      {"device_print", "prefix, *args, hex=False", devicePrint},
      {"multiple_of", "input, values", promise},
      {"max_contiguous", "input, values", promise},
      {"max_constancy", "input, values", promise},
      {"assume", "cond", assume},
  };
  return rows;
}
