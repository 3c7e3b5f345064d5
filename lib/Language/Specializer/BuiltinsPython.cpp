//===- BuiltinsPython.cpp - Python's own functions --------------*- C++ -*-===//
//
// The few functions of Python that kernels can call, and the module `triton`. All but `min` and
// `max` work on compile-time values only.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include <cmath>
#include <numeric>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Functions that need no import
//===----------------------------------------------------------------------===//

static Object len(Interpreter &, Args &args) {
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

/// min(a, b, ...), max(a, b, ...)
template <bool isMax> static Object minMax(Interpreter &in, Args &args) {
  llvm::ArrayRef<Arg> rest = args.rest();
  bool hostTuple = in.inHost() && rest.size() == 1 && rest[0].value.isTuple();
  llvm::SmallVector<Arg, 4> items(rest.begin(), rest.end());
  if (hostTuple) {
    items.clear();
    for (const Object &element : rest[0].value.elements())
      items.push_back({element, rest[0].range, true});
  }
  if (items.size() < (hostTuple ? 1 : 2))
    return in.error(args.callRange(),
                    args.callee().fullName() + " takes two or more numbers or tensors");
  for (const Arg &item : items)
    if (!item.value.isNumber() && !item.value.isTensor())
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
    ConstResult better =
        constCompare(isMax ? ast::CompareOp::Gt : ast::CompareOp::Lt, item.value, result);
    if (better.object.asBool())
      result = item.value;
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
  if (name == "tuple" || name == "list")
    return object.isTuple();
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

static Object list(Interpreter &, Args &args) {
  return args[0].isTuple() ? args[0] : args.wrong(0, "a tuple");
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
  Object::List items;
  for (llvm::APInt at(128, single ? 0 : *first, true), end(128, *second, true);
       *step > 0 ? at.slt(end) : at.sgt(end); at += llvm::APInt(128, *step, true)) {
    if (*step == 0 || items.size() == maxConstElements)
      return in.error(args.callRange(), "the range has too many elements");
    items.push_back(Object::integer(at));
  }
  return Object::tuple(std::move(items));
}

//===----------------------------------------------------------------------===//
// Functions for code of compile time
//===----------------------------------------------------------------------===//

static Object hostAbs(Interpreter &in, Args &args) {
  if (!args[0].isNumber())
    return args.wrong(0, "a number");
  ConstResult negative = constCompare(ast::CompareOp::Lt, args[0], Object::integer(0));
  if (!negative.object.asBool())
    return args[0];
  ConstResult result = constUnary(ast::UnaryOpKind::Minus, args[0]);
  return result.error.empty() ? result.object : in.error(args.callRange(), result.error);
}

static Object hostBool(Interpreter &, Args &args) {
  return args[0].isConst() ? Object::boolean(constTruth(args[0])) : args.wrong(0, "a constexpr");
}

static Object hostStr(Interpreter &in, Args &args) {
  return Object::string(in.strings().save(args[0].str()));
}

/// map(f, iterable), evaluated at once.
static Object hostMap(Interpreter &in, Args &args) {
  if (!args[1].isTuple())
    return args.wrong(1, "a tuple");
  Object::List items;
  for (const Object &element : args[1].elements()) {
    items.push_back(in.callWith(args[0], element, args.callRange()));
    if (items.back().isPoison())
      return Object::poison();
  }
  return Object::tuple(std::move(items));
}

static Object hostSum(Interpreter &in, Args &args) {
  if (!args[0].isTuple())
    return args.wrong(0, "a tuple");
  Object total = Object::integer(0);
  for (const Object &element : args[0].elements()) {
    ConstResult result = constBinary(ast::BinaryOp::Add, total, element, in.strings());
    if (!result.error.empty())
      return in.error(args.callRange(), result.error);
    total = result.object;
  }
  return total;
}

static Object hostAny(Interpreter &, Args &args) {
  return args[0].isTuple() ? Object::boolean(llvm::any_of(args[0].elements(), constTruth))
                           : args.wrong(0, "a tuple");
}

static Object hostAll(Interpreter &, Args &args) {
  return args[0].isTuple() ? Object::boolean(llvm::all_of(args[0].elements(), constTruth))
                           : args.wrong(0, "a tuple");
}

/// The tuple of `items` and nothing else; for functions that pair elements up.
static Object rowOf(llvm::ArrayRef<Object> items) {
  return Object::tuple(Object::List(items.begin(), items.end()));
}

/// zip(a, b, ...): as long as the shortest.
static Object hostZip(Interpreter &in, Args &args) {
  size_t length = args.rest().empty() ? 0 : maxConstElements;
  for (const Arg &arg : args.rest()) {
    if (!arg.value.isTuple())
      return in.error(arg.range, "zip takes tuples, found " + arg.value.typeStr());
    length = std::min(length, arg.value.elements().size());
  }
  Object::List rows;
  for (size_t i = 0; i < length; ++i) {
    llvm::SmallVector<Object> row;
    for (const Arg &arg : args.rest())
      row.push_back(arg.value.elements()[i]);
    rows.push_back(rowOf(row));
  }
  return Object::tuple(std::move(rows));
}

static Object hostEnumerate(Interpreter &, Args &args) {
  std::optional<int64_t> number = args.integer(1);
  if (!number)
    return Object::poison();
  if (!args[0].isTuple())
    return args.wrong(0, "a tuple");
  Object::List rows;
  for (const Object &element : args[0].elements())
    rows.push_back(rowOf({Object::integer((*number)++), element}));
  return Object::tuple(std::move(rows));
}

static Object hostReversed(Interpreter &, Args &args) {
  if (!args[0].isTuple())
    return args.wrong(0, "a tuple");
  auto reversed = llvm::reverse(args[0].elements());
  return Object::tuple(Object::List(reversed.begin(), reversed.end()));
}

/// Numbers, or strings, that a sort can put in order: NaN has no place.
static bool canSort(llvm::ArrayRef<Object> items) {
  auto isOrdered = [](const Object &item) {
    return item.isNumber() && !std::isnan(item.asDouble());
  };
  return llvm::all_of(items, isOrdered) ||
         llvm::all_of(items, [](const Object &item) { return item.isString(); });
}

/// sorted(values, reverse=False): equal ones keep their order.
static Object hostSorted(Interpreter &in, Args &args) {
  std::optional<bool> reverse = args.boolean(1);
  if (!reverse)
    return Object::poison();
  if (!args[0].isTuple())
    return args.wrong(0, "a tuple");
  llvm::ArrayRef<Object> items = args[0].elements();
  if (!canSort(items))
    return in.error(args.range(0), "sorted takes numbers or strings");
  auto less = [&](size_t a, size_t b) {
    return constCompare(ast::CompareOp::Lt, items[a], items[b]).object.asBool();
  };
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    if (*reverse ? less(b, a) : less(a, b))
      return true;
    return (*reverse ? less(a, b) : less(b, a)) ? false : a < b;
  });
  Object::List sorted;
  for (size_t index : order)
    sorted.push_back(items[index]);
  return Object::tuple(std::move(sorted));
}

/// round(x): to the nearest integer, halves to even ones.
static Object hostRound(Interpreter &in, Args &args) {
  if (!args[0].isNumber())
    return args.wrong(0, "a number");
  ConstResult result = args[0].isIntLike()
                           ? constToInt(args[0])
                           : constToInt(Object::real(std::nearbyint(args[0].asDouble())));
  return result.error.empty() ? result.object : in.error(args.callRange(), result.error);
}

/// divmod(a, b) and pow(a, b) by their operators.
template <ast::BinaryOp... ops> static Object hostOperators(Interpreter &in, Args &args) {
  llvm::SmallVector<Object, 2> results;
  for (ast::BinaryOp op : {ops...}) {
    ConstResult result = constBinary(op, args[0], args[1], in.strings());
    if (!result.error.empty())
      return in.error(args.callRange(), result.error);
    results.push_back(result.object);
  }
  return results.size() == 1 ? results.front() : rowOf(results);
}

//===----------------------------------------------------------------------===//
// Methods of strings
//===----------------------------------------------------------------------===//

template <bool atEnd> static Object hasAffix(Interpreter &, Args &args) {
  std::optional<StringRef> text = args.string(0), affix = text ? args.string(1) : text;
  if (!affix)
    return Object::poison();
  return Object::boolean(atEnd ? text->ends_with(*affix) : text->starts_with(*affix));
}

/// ASCII letters only; others stay.
template <bool upper> static Object withCase(Interpreter &in, Args &args) {
  std::optional<StringRef> text = args.string(0);
  return text ? Object::string(in.strings().save(upper ? text->upper() : text->lower()))
              : Object::poison();
}

/// "a.b".split(".")
static Object split(Interpreter &in, Args &args) {
  if (!args[1].isString() || args[1].asString().empty())
    return args.wrong(1, "a separator");
  std::optional<int64_t> most = args.integer(2);
  if (!most)
    return Object::poison();
  llvm::SmallVector<StringRef, 8> parts;
  args[0].asString().split(parts, args[1].asString(), *most < 0 ? -1 : int(*most));
  if (parts.size() > maxConstElements)
    return in.error(args.callRange(), "the string has too many parts");
  Object::List items;
  for (StringRef part : parts)
    items.push_back(Object::string(part));
  return Object::tuple(std::move(items));
}

const Builtin *front::findStringMethod(StringRef name) {
  static constexpr Builtin rows[] = {
      {"endswith", "self, suffix", hasAffix<true>, Hidden, Space::Python},
      {"lower", "self", withCase<false>, Hidden, Space::Python},
      {"split", "self, sep, maxsplit=-1", split, Hidden, Space::Python},
      {"startswith", "self, prefix", hasAffix<false>, Hidden, Space::Python},
      {"upper", "self", withCase<true>, Hidden, Space::Python},
  };
  for (const Builtin &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

llvm::ArrayRef<Builtin> front::pythonBuiltins() {
  static constexpr Builtin rows[] = {
      {"len", "obj", len, 0, Space::Python},
      {"int", "x=0", toInt, 0, Space::Python},
      {"float", "x=0", toFloat, 0, Space::Python},
      {"min", "*args", minMax<false>, 0, Space::Python},
      {"max", "*args", minMax<true>, 0, Space::Python},
      {"isinstance", "obj, class_or_tuple", isInstanceOf, 0, Space::Python},
      {"getattr", "obj, name, default=None", getAttribute, 0, Space::Python},
      {"hasattr", "obj, name", hasAttribute, 0, Space::Python},
      {"list", "iterable", list, 0, Space::Python},
      {"print", "prefix, *args, hex=False", devicePrint, 0, Space::Python},
      {"range",
       "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
       "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
       range, 0, Space::Python},
      {"abs", "x", hostAbs, Hidden, Space::Python},
      {"bool", "x=False", hostBool, Hidden, Space::Python},
      {"str", "x=''", hostStr, Hidden, Space::Python},
      {"map", "function, iterable", hostMap, Hidden, Space::Python},
      {"zip", "*iterables", hostZip, Hidden, Space::Python},
      {"sum", "iterable", hostSum, Hidden, Space::Python},
      {"tuple", "iterable", list, Hidden, Space::Python},
      {"any", "iterable", hostAny, Hidden, Space::Python},
      {"all", "iterable", hostAll, Hidden, Space::Python},
      {"enumerate", "iterable, start=0", hostEnumerate, Hidden, Space::Python},
      {"reversed", "sequence", hostReversed, Hidden, Space::Python},
      {"sorted", "iterable, reverse=False", hostSorted, Hidden, Space::Python},
      {"round", "number", hostRound, Hidden, Space::Python},
      {"divmod", "x, y", hostOperators<ast::BinaryOp::FloorDiv, ast::BinaryOp::Mod>, Hidden,
       Space::Python},
      {"pow", "base, exp", hostOperators<ast::BinaryOp::Pow>, Hidden, Space::Python},
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
  ConstResult sum = constBinary(ast::BinaryOp::Add, args[0], args[1], in.strings());
  if (sum.error.empty())
    sum = constBinary(ast::BinaryOp::Sub, sum.object, Object::integer(1), in.strings());
  if (sum.error.empty())
    sum = constBinary(ast::BinaryOp::FloorDiv, sum.object, args[1], in.strings());
  return sum.error.empty() ? sum.object : in.error(args.callRange(), sum.error);
}

/// triton.next_power_of_2(n)
static Object nextPowerOf2(Interpreter &in, Args &args) {
  std::optional<int64_t> n = args.integer(0);
  if (!n)
    return Object::poison();
  if (*n > int64_t(1) << 61)
    return in.error(args.range(0), "the number is too large");
  return Object::integer(*n <= 0 ? 0 : int64_t(llvm::PowerOf2Ceil(uint64_t(*n))));
}

static Object hostOnly(Interpreter &in, Args &args) {
  return in.error(args.callRange(), args.callee().fullName() + " cannot be used in a kernel");
}

llvm::ArrayRef<Builtin> front::tritonBuiltins() {
  static constexpr Builtin rows[] = {
      {"cdiv", "x, y", hostCdiv, 0, Space::Triton},
      {"next_power_of_2", "n", nextPowerOf2, 0, Space::Triton},
      {"jit", "*args", hostOnly, 0, Space::Triton},
      {"constexpr_function", "*args", hostOnly, 0, Space::Triton},
      {"autotune", "*args", hostOnly, 0, Space::Triton},
      {"heuristics", "*args", hostOnly, 0, Space::Triton},
      {"Config", "*args", hostOnly, 0, Space::Triton},
  };
  return rows;
}
