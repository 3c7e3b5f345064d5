//===- BuiltinsPython.cpp - Python's own functions --------------*- C++ -*-===//
//
// The few functions of Python that kernels can call, and the module `triton`. All but `min` and
// `max` work on compile-time values only.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "ConstFunctions.h"
#include "HostInterpreter.h"
#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Functions that need no import
//===----------------------------------------------------------------------===//

static Object len(Interpreter &, Args &args) {
  if (args[0].isDict())
    return Object::integer(args[0].elements().size() / 2);
  if (args[0].isTuple())
    return Object::integer(args[0].elements().size());
  if (args[0].isString())
    return Object::integer(args[0].asString().size());
  return args.wrong(0, "a tuple");
}

static Object toInt(Interpreter &in, Args &args) {
  int64_t parsed;
  if (args[0].isString() && !args[0].asString().trim().getAsInteger(10, parsed))
    return Object::integer(parsed);
  if (!args[0].isNumber())
    return args.wrong(0, "a compile-time number");
  ConstResult result = constToInt(args[0]);
  return result.error.empty() ? result.object : in.error(args.range(0), result.error);
}

/// float("inf"), float("1e-3"), float(2)
static Object toFloat(Interpreter &in, Args &args) {
  if (args[0].isNumber())
    return Object::real(args[0].asDouble());
  if (!args[0].isString())
    return args.wrong(0, "a string or a compile-time number");
  std::optional<double> value = parseFloat(args[0].asString());
  return value ? Object::real(*value)
               : in.error(args.range(0), "cannot read " + args[0].repr() + " as a float");
}

/// A float that is neither less nor greater than some float with other bits: NaN and -0.0.
static bool isUnordered(const Object &number) {
  if (!number.is(Object::Kind::Float))
    return false;
  double value = number.asDouble();
  return std::isnan(value) || (value == 0 && std::signbit(value));
}

/// min(.., key=f, default=x) of code of compile time: the first of equals.
static Object extremeByKey(Interpreter &in, Args &args, llvm::ArrayRef<Arg> items, bool isMax) {
  if (items.empty())
    return in.error(args.callRange(), args.callee().fullName() + " of nothing");
  Object result, best;
  for (const Arg &item : items) {
    Object key = args[1].isNone() ? item.value : in.callWith(args[1], item.value, args.callRange());
    if (key.isPoison())
      return key;
    ast::CompareOp op = isMax ? ast::CompareOp::Gt : ast::CompareOp::Lt;
    bool isFirst = result.isPoison();
    ConstResult better = isFirst                           ? ConstResult{Object::boolean(true), ""}
                         : key.isTuple() && best.isTuple() ? constCompareTuples(op, key, best)
                                                           : constCompare(op, key, best);
    if (!better.error.empty())
      return in.error(item.range, better.error);
    if (!better.object.asBool())
      continue;
    result = item.value;
    best = key;
  }
  return result;
}

/// min(a, b, ...), max(a, b, ...)
template <bool isMax> static Object minMax(Interpreter &in, Args &args) {
  llvm::ArrayRef<Arg> rest = args.rest();
  bool hostTuple = in.inHost() && rest.size() == 1 && !rest[0].value.isNumber();
  llvm::SmallVector<Arg, 4> items(rest.begin(), rest.end());
  if (hostTuple) {
    items.clear();
    Object sequence = in.host().iterate(rest[0].value, rest[0].range);
    if (sequence.isPoison())
      return sequence;
    for (const Object &element : sequence.elements())
      items.push_back({element, rest[0].range, true});
    if (items.empty() && args.given(2))
      return args[2];
  }
  if (args.given(1) || args.given(2))
    return in.inHost() ? extremeByKey(in, args, items, isMax)
                       : in.error(args.callRange(),
                                  args.callee().fullName() + " takes no keywords in a kernel");
  if (items.size() < (hostTuple ? 1 : 2))
    return in.error(args.callRange(),
                    args.callee().fullName() + " takes two or more numbers or tensors");
  for (const Arg &item : items)
    if (!item.value.isNumber() && !item.value.isTensor() && !in.inHost())
      return in.error(item.range, args.callee().fullName() + " takes numbers and tensors, found " +
                                      item.value.typeStr());
  llvm::ArrayRef<Arg> others = llvm::ArrayRef<Arg>(items).drop_front();
  Object result = items.front().value;
  // One tensor among them, and the numbers are tensors too.
  if (llvm::any_of(items, [](const Arg &item) { return item.value.isTensor(); })) {
    for (const Arg &item : others)
      if (!result.isPoison())
        result = foldMinMax(in, result, item.value, isMax, args.callRange());
    return result;
  }
  for (const Arg &item : items)
    if (!in.inHost() && isUnordered(item.value))
      return in.error(item.range, args.callee().fullName() + " of constants takes no NaN and no " +
                                      "-0.0, whose order is not defined");
  for (const Arg &item : others) {
    ConstResult better = constExtreme(isMax, item.value, result);
    if (!better.error.empty())
      return in.error(item.range, better.error);
    result = better.object;
  }
  return result;
}

std::optional<bool> front::isInstance(const Object &object, const Object &type) {
  if (type.is(Object::Kind::Class))
    return (object.isTuple() || object.isAggregate()) && object.asClass() == type.asClass();
  if (!type.is(Object::Kind::Builtin))
    return std::nullopt;
  StringRef name = type.asBuiltin()->name;
  if (name == "constexpr")
    return false; // Arguments arrive unwrapped.
  if (name == "tensor")
    return object.isTensor();
  if (name == "tensor_descriptor")
    return object.isDescriptor();
  if (name == "tensor_descriptor_type" || name == "tuple_type" || name == "constexpr_type" ||
      name == "slice")
    return false; // Types of types and of what kernels see unwrapped: no value is one.
  if (name == "dtype")
    return object.isType();
  if (name == "pointer_type")
    return object.isType() && !object.isBlockType() && object.dtype().isPointer();
  if (name == "block_type")
    return object.isType() && object.isBlockType();
  if (name == "int")
    return object.isIntLike();
  if (name == "float")
    return object.is(Object::Kind::Float);
  if (name == "bool")
    return object.is(Object::Kind::Bool);
  if (name == "str")
    return object.isString();
  if (name == "tuple" || name == "list") // A list of a kernel is a tuple.
    return object.isTuple() && (name == "list" ? true : !object.isList());
  if (name == "dict")
    return object.isDict();
  return std::nullopt;
}

static Object isInstanceOf(Interpreter &in, Args &args) {
  llvm::ArrayRef<Object> types = args[1].isTuple() ? llvm::ArrayRef<Object>(args[1].elements())
                                                   : llvm::ArrayRef<Object>(args[1]);
  bool result = false;
  for (const Object &type : types) {
    // To kernels, named tuples are tl.tuple, whose class is forgotten.
    if (type.is(Object::Kind::Class) && !type.asClass()->isAggregate)
      continue;
    std::optional<bool> match = isInstance(args[0], type);
    if (!match)
      return in.error(args.range(1), "isinstance does not know " + type.typeStr() + " as a class");
    result |= *match;
  }
  return Object::boolean(result);
}

static Object getAttribute(Interpreter &in, Args &args) {
  std::optional<StringRef> name = args.string(1);
  if (!name)
    return Object::poison();
  if (std::optional<Object> found = in.findAttribute(args[0], *name))
    return *found;
  if (args.given(2))
    return args[2];
  return in.error(args.callRange(), args[0].typeStr() + " has no attribute '" + *name + "'");
}

static Object hasAttribute(Interpreter &in, Args &args) {
  std::optional<StringRef> name = args.string(1);
  return name ? Object::boolean(in.findAttribute(args[0], *name).has_value()) : Object::poison();
}

static Object list(Interpreter &in, Args &args) {
  if (!in.inHost())
    return args[0].isTuple() ? args[0] : args.wrong(0, "a tuple");
  Object items = in.host().iterate(args[0], args.range(0));
  return items.isPoison() ? items : Object::listOf(items.elements());
}

/// In code of compile time a range is the tuple of its values.
static Object range(Interpreter &in, Args &args) {
  if (!in.inHost())
    return in.error(args.callRange(), "range can be used in the header of a 'for' only");
  bool single = args[1].isNone();
  std::optional<int64_t> first = args.integer(0), second = single ? first : args.integer(1);
  std::optional<int64_t> step = args[2].isNone() ? std::optional<int64_t>(1) : args.integer(2);
  if (!first || !second || !step)
    return Object::poison();
  if (*step == 0)
    return in.error(args.range(2), "the step of a range cannot be zero");
  Object::List items;
  for (llvm::APInt at(128, single ? 0 : *first, true), end(128, *second, true);
       *step > 0 ? at.slt(end) : at.sgt(end); at += llvm::APInt(128, *step, true)) {
    if (items.size() == maxConstElements)
      return in.error(args.callRange(), "the range has too many elements");
    items.push_back(Object::integer(at));
  }
  return Object::tuple(std::move(items));
}

llvm::ArrayRef<Builtin> front::pythonBuiltins() {
  static constexpr Builtin rows[] = {
      {"len", "obj", len, 0, Space::Python},
      {"int", "x=0", toInt, 0, Space::Python},
      {"float", "x=0", toFloat, 0, Space::Python},
      {"min", "*args, key=None, default=None", minMax<false>, 0, Space::Python},
      {"max", "*args, key=None, default=None", minMax<true>, 0, Space::Python},
      {"isinstance", "obj, class_or_tuple", isInstanceOf, 0, Space::Python},
      {"getattr", "obj, name, default=None", getAttribute, 0, Space::Python},
      {"hasattr", "obj, name", hasAttribute, 0, Space::Python},
      {"list", "iterable", list, 0, Space::Python},
      {"print", "prefix, *args, hex=False", devicePrint, 0, Space::Python},
      {"range",
       "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
       "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
       range, 0, Space::Python},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// triton
//===----------------------------------------------------------------------===//

/// triton.cdiv(x, y): compile-time values only.
static Object hostCdiv(Interpreter &in, Args &args) {
  for (unsigned i = 0; i < 2; ++i)
    if (!args[i].isNumber())
      return args[i].isTensor() ? in.error(args.range(i), "triton.cdiv takes compile-time values, "
                                                          "found " +
                                                              args[i].typeStr() + "; use tl.cdiv")
                                : args.wrong(i, "a compile-time number");
  ConstResult result = constCDiv(args[0], args[1], in.strings());
  return result.error.empty() ? result.object : in.error(args.callRange(), result.error);
}

/// triton.next_power_of_2(n)
static Object nextPowerOf2(Interpreter &in, Args &args) {
  std::optional<int64_t> n = args.integer(0);
  if (!n)
    return Object::poison();
  std::optional<int64_t> result = constNextPowerOf2(*n);
  if (!result)
    return in.error(args.range(0), "the number is too large");
  return Object::integer(*result);
}

static Object hostOnly(Interpreter &in, Args &args) {
  return in.error(args.callRange(), args.callee().fullName() + " cannot be used in a kernel");
}

const RecordClass &front::configClass() {
  static const RecordClass type = [] {
    RecordClass result;
    result.name = "Config";
    result.fields = {"kwargs",  "num_warps", "num_stages",  "num_ctas",
                     "maxnreg", "pre_hook",  "ir_override", "(given options)"};
    return result;
  }();
  return type;
}

/// triton.Config(..): a record, of which the last field has a bit for each option that is given.
static Object makeConfig(Interpreter &in, Args &args) {
  if (!in.inHost())
    return hostOnly(in, args);
  if (!args[0].isDict())
    return args.wrong(0, "a dictionary");
  Object::List fields;
  int64_t given = 0;
  for (unsigned index = 0; index + 1 < configClass().fields.size(); ++index) {
    fields.push_back(args[index]);
    given |= int64_t(args.given(index) && !args[index].isNone()) << index;
  }
  fields.push_back(Object::integer(given));
  return Object::tuple(std::move(fields), &configClass());
}

llvm::ArrayRef<Builtin> front::tritonBuiltins() {
  static constexpr Builtin rows[] = {
      {"cdiv", "x, y", hostCdiv, 0, Space::Triton},
      {"next_power_of_2", "n", nextPowerOf2, 0, Space::Triton},
      {"jit", "*args", hostOnly, 0, Space::Triton},
      {"constexpr_function", "*args", hostOnly, 0, Space::Triton},
      {"autotune", "*args", hostOnly, 0, Space::Triton},
      {"heuristics", "*args", hostOnly, 0, Space::Triton},
      {"Config",
       "kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, "
       "ir_override=None",
       makeConfig, 0, Space::Triton},
  };
  return rows;
}
