//===- BuiltinsHost.cpp - Python in code of compile time --------*- C++ -*-===//
//
// Functions of Python, and methods of numbers, lists and dictionaries, that constexpr_functions and
// other code of compile time may call. Iterators are tuples here. Methods that change a list or a
// dictionary are in HostContainers.cpp.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "ConstFunctions.h"
#include "HostInterpreter.h"
#include <cmath>
#include <numeric>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

static Object hostAbs(Interpreter &in, Args &args) {
  if (!args[0].isNumber())
    return args.wrong(0, "a number");
  ConstResult result = constAbs(args[0]);
  return result.error.empty() ? result.object : in.error(args.callRange(), result.error);
}

static Object hostBool(Interpreter &, Args &args) {
  return args[0].isConst() ? Object::boolean(constTruth(args[0])) : args.wrong(0, "a constexpr");
}

static Object hostStr(Interpreter &in, Args &args) {
  return Object::string(in.strings().save(args[0].str()));
}

static Object hostRepr(Interpreter &in, Args &args) {
  return Object::string(in.strings().save(args[0].repr()));
}

/// map(f, iterable), evaluated at once.
static Object hostMap(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[1], args.range(1));
  if (sequence.isPoison())
    return sequence;
  Object::List items;
  for (const Object &element : sequence.elements()) {
    items.push_back(in.callWith(args[0], element, args.callRange()));
    if (items.back().isPoison())
      return Object::poison();
  }
  return Object::tuple(std::move(items));
}

static Object hostSum(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[0], args.range(0)), total = args[1];
  if (sequence.isPoison())
    return sequence;
  for (const Object &element : sequence.elements()) {
    ConstResult result = constBinary(ast::BinaryOp::Add, total, element, in.strings());
    if (!result.error.empty())
      return in.error(args.callRange(), result.error);
    total = result.object;
  }
  return total;
}

static Object hostAny(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[0], args.range(0));
  return sequence.isPoison() ? sequence
                             : Object::boolean(llvm::any_of(sequence.elements(), constTruth));
}

static Object hostAll(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[0], args.range(0));
  return sequence.isPoison() ? sequence
                             : Object::boolean(llvm::all_of(sequence.elements(), constTruth));
}

/// The tuple of `items` and nothing else; for functions that pair elements up.
static Object rowOf(llvm::ArrayRef<Object> items) {
  return Object::tuple(Object::List(items.begin(), items.end()));
}

/// zip(a, b, ...): as long as the shortest.
static Object hostZip(Interpreter &in, Args &args) {
  size_t length = args.rest().empty() ? 0 : maxConstElements;
  llvm::SmallVector<Object, 4> columns;
  for (const Arg &arg : args.rest()) {
    columns.push_back(in.host().iterate(arg.value, arg.range));
    if (columns.back().isPoison())
      return Object::poison();
    length = std::min(length, columns.back().elements().size());
  }
  Object::List rows;
  for (size_t i = 0; i < length; ++i) {
    llvm::SmallVector<Object> row;
    for (const Object &column : columns)
      row.push_back(column.elements()[i]);
    rows.push_back(rowOf(row));
  }
  return Object::tuple(std::move(rows));
}

static Object hostEnumerate(Interpreter &in, Args &args) {
  std::optional<int64_t> number = args.integer(1);
  Object sequence = number ? in.host().iterate(args[0], args.range(0)) : Object::poison();
  if (sequence.isPoison())
    return sequence;
  Object::List rows;
  for (const Object &element : sequence.elements())
    rows.push_back(rowOf({Object::integer((*number)++), element}));
  return Object::tuple(std::move(rows));
}

static Object hostReversed(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[0], args.range(0));
  if (sequence.isPoison())
    return sequence;
  auto reversed = llvm::reverse(sequence.elements());
  return Object::tuple(Object::List(reversed.begin(), reversed.end()));
}

/// Numbers, strings, or tuples of them, that a sort can put in order: NaN has no place.
static bool canSort(llvm::ArrayRef<Object> items) {
  auto isOrdered = [](const Object &item) {
    return item.isNumber() && !std::isnan(item.asDouble());
  };
  return llvm::all_of(items, isOrdered) ||
         llvm::all_of(items, [](const Object &item) { return item.isString(); }) ||
         llvm::all_of(items, [](const Object &item) {
           return item.isTuple() && llvm::all_of(item.elements(), [](const Object &part) {
                    return part.isString() || (part.isNumber() && !std::isnan(part.asDouble()));
                  });
         });
}

static bool isLess(const Object &a, const Object &b) {
  ConstResult less = a.isTuple() && b.isTuple() ? constCompareTuples(ast::CompareOp::Lt, a, b)
                                                : constCompare(ast::CompareOp::Lt, a, b);
  return less.error.empty() && less.object.asBool();
}

/// sorted(values, key=None, reverse=False): equal ones keep their order.
static Object hostSorted(Interpreter &in, Args &args) {
  std::optional<bool> reverse = args.boolean(2);
  Object sequence = reverse ? in.host().iterate(args[0], args.range(0)) : Object::poison();
  if (sequence.isPoison())
    return sequence;
  llvm::ArrayRef<Object> items = sequence.elements();
  std::vector<Object> keys(items.begin(), items.end());
  if (!args[1].isNone())
    for (Object &key : keys) {
      key = in.callWith(args[1], key, args.callRange());
      if (key.isPoison())
        return key;
    }
  if (!canSort(keys))
    return in.error(args.range(0), "sorted takes numbers, strings or tuples of them");
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    if (*reverse ? isLess(keys[b], keys[a]) : isLess(keys[a], keys[b]))
      return true;
    return (*reverse ? isLess(keys[a], keys[b]) : isLess(keys[b], keys[a])) ? false : a < b;
  });
  Object::List sorted;
  for (size_t index : order)
    sorted.push_back(items[index]);
  return Object::listOf(std::move(sorted));
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
// Containers
//===----------------------------------------------------------------------===//

static Object hostTuple(Interpreter &in, Args &args) {
  Object items = in.host().iterate(args[0], args.range(0));
  return items.isPoison() ? items : Object::tuple(items.elements());
}

/// filter(f, iterable); with None what is true stays.
static Object hostFilter(Interpreter &in, Args &args) {
  Object sequence = in.host().iterate(args[1], args.range(1));
  if (sequence.isPoison())
    return sequence;
  Object::List items;
  for (const Object &element : sequence.elements()) {
    Object wanted = args[0].isNone() ? element : in.callWith(args[0], element, args.callRange());
    if (wanted.isPoison())
      return wanted;
    if (constTruth(wanted))
      items.push_back(element);
  }
  return Object::tuple(std::move(items));
}

/// The keys (0), the values (1) or the entries (2) of a dictionary.
template <int what> static Object dictView(Interpreter &, Args &args) {
  Object::List items;
  llvm::ArrayRef<Object> entries = args[0].elements();
  for (; !entries.empty(); entries = entries.drop_front(2))
    items.push_back(what == 2 ? rowOf(entries.take_front(2)) : entries[what]);
  return Object::tuple(std::move(items));
}

/// get(key, default=None)
static Object dictGet(Interpreter &, Args &args) {
  llvm::ArrayRef<Object> entries = args[0].elements();
  for (; !entries.empty(); entries = entries.drop_front(2))
    if (constEquals(entries[0], args[1]))
      return entries[1];
  return args[2];
}

template <bool isDict> static Object copyOf(Interpreter &, Args &args) {
  Object::List items = args[0].elements();
  return isDict ? Object::dict(std::move(items)) : Object::listOf(std::move(items));
}

/// index(value) and count(value)
template <bool isCount> static Object findItem(Interpreter &in, Args &args) {
  int64_t count = 0;
  for (auto [index, item] : llvm::enumerate(args[0].elements()))
    if (constEquals(item, args[1])) {
      if (!isCount)
        return Object::integer(int64_t(index));
      ++count;
    }
  return isCount ? Object::integer(count)
                 : in.error(args.range(1), "there is no element " + args[1].repr());
}

static const Builtin *findIn(llvm::ArrayRef<Builtin> rows, StringRef name) {
  for (const Builtin &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

const Builtin *front::findListMethod(StringRef name) {
  static constexpr Builtin rows[] = {
      {"copy", "self", copyOf<false>, Hidden, Space::Python},
      {"count", "self, value", findItem<true>, Hidden, Space::Python},
      {"index", "self, value", findItem<false>, Hidden, Space::Python},
  };
  return findIn(rows, name);
}

const Builtin *front::findDictMethod(StringRef name) {
  static constexpr Builtin rows[] = {
      {"copy", "self", copyOf<true>, Hidden, Space::Python},
      {"get", "self, key, default=None", dictGet, Hidden, Space::Python},
      {"items", "self", dictView<2>, Hidden, Space::Python},
      {"keys", "self", dictView<0>, Hidden, Space::Python},
      {"values", "self", dictView<1>, Hidden, Space::Python},
  };
  return findIn(rows, name);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Object bitLength(Interpreter &, Args &args) {
  if (!args[0].isIntLike())
    return args.wrong(0, "an integer");
  return Object::integer(int64_t(args[0].asInt().abs().getActiveBits()));
}

static Object isInteger(Interpreter &, Args &args) {
  double value = args[0].asDouble();
  return Object::boolean(std::isfinite(value) && value == std::floor(value));
}

const Builtin *front::findNumberMethod(StringRef name) {
  static constexpr Builtin rows[] = {
      {"bit_length", "self", bitLength, Hidden, Space::Python},
      {"is_integer", "self", isInteger, Hidden, Space::Python},
  };
  return findIn(rows, name);
}

llvm::ArrayRef<Builtin> front::hostBuiltins() {
  static constexpr Builtin rows[] = {
      {"abs", "x", hostAbs, Hidden, Space::Python},
      {"bool", "x=False", hostBool, Hidden, Space::Python},
      {"str", "x=''", hostStr, Hidden, Space::Python},
      {"map", "function, iterable", hostMap, Hidden, Space::Python},
      {"zip", "*iterables", hostZip, Hidden, Space::Python},
      {"sum", "iterable, start=0", hostSum, Hidden, Space::Python},
      {"tuple", "iterable=()", hostTuple, Hidden, Space::Python},
      {"any", "iterable", hostAny, Hidden, Space::Python},
      {"all", "iterable", hostAll, Hidden, Space::Python},
      {"enumerate", "iterable, start=0", hostEnumerate, Hidden, Space::Python},
      {"reversed", "sequence", hostReversed, Hidden, Space::Python},
      {"sorted", "iterable, key=None, reverse=False", hostSorted, Hidden, Space::Python},
      {"round", "number", hostRound, Hidden, Space::Python},
      {"divmod", "x, y", hostOperators<ast::BinaryOp::FloorDiv, ast::BinaryOp::Mod>, Hidden,
       Space::Python},
      {"pow", "base, exp", hostOperators<ast::BinaryOp::Pow>, Hidden, Space::Python},
      {"filter", "function, iterable", hostFilter, Hidden, Space::Python},
      {"dict", "*args", nullptr, Hidden, Space::Python}, // Interpreter::callDict.
      {"repr", "object", hostRepr, Hidden, Space::Python},
  };
  return rows;
}
