//===- HostContainers.cpp - Lists and dictionaries that change --*- C++ -*-===//
//
// Code of compile time may change lists and dictionaries: `append`, `x[i] = v`, `x += [..]` and the
// like. Objects share their elements when they are copied, so that what has a second name or is
// inside something else would be changed there too, as Python does; but what that means for a loop
// over the list, say, is not worth following. Only elements that nothing else refers to are
// changed; for others there is an error, and never a wrong value.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"

#include "ConstFunctions.h"
#include "Interpreter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::front;
using llvm::SMRange;
using llvm::StringRef;

/// Entries of a dictionary, which are searched one by one.
static constexpr size_t maxDictEntries = 4096;

/// A list or dictionary of a function, and what it is in.
struct HostInterpreter::Place {
  llvm::SmallVector<Object *, 4> path; // From the variable to the container itself.

  Object &container() { return *path.back(); }
};

/// The index of a key among keys and values.
static std::optional<size_t> findKey(llvm::ArrayRef<Object> entries, const Object &key) {
  for (size_t i = 0; i < entries.size(); i += 2)
    if (constEquals(entries[i], key))
      return i;
  return std::nullopt;
}

/// Sets an entry; a new key comes last.
static void setEntry(Object::List &entries, const Object &key, const Object &value) {
  if (std::optional<size_t> at = findKey(entries, key)) {
    entries[*at + 1] = value;
    return;
  }
  entries.push_back(key);
  entries.push_back(value);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Object HostInterpreter::iterate(const Object &object, SMRange range) {
  if (object.isTuple() || object.isPoison())
    return object;
  Object::List items;
  if (object.isDict()) {
    for (size_t i = 0; i < object.elements().size(); i += 2)
      items.push_back(object.elements()[i]);
    return Object::tuple(std::move(items));
  }
  if (!object.isString())
    return in.error(range, "cannot iterate over " + object.typeStr());
  for (StringRef rest = object.asString(); !rest.empty();) {
    size_t size = 1;
    while (size < rest.size() && (rest[size] & 0xC0) == 0x80)
      ++size;
    items.push_back(Object::string(rest.take_front(size)));
    rest = rest.drop_front(size);
  }
  return Object::tuple(std::move(items));
}

Object HostInterpreter::lookUp(const Object &dict, const Object &key, SMRange range) {
  std::optional<size_t> at = findKey(dict.elements(), key);
  return at ? dict.elements()[*at + 1] : in.error(range, "the dictionary has no key " + key.repr());
}

/// A dictionary of keys and values, of which the last of equal keys counts.
Object HostInterpreter::makeDict(Object::List keysAndValues, SMRange range) {
  if (keysAndValues.size() / 2 > maxDictEntries)
    return in.error(range,
                    "the dictionary has more than " + llvm::Twine(maxDictEntries) + " entries");
  Object::List entries;
  for (size_t i = 0; i < keysAndValues.size(); i += 2)
    setEntry(entries, keysAndValues[i], keysAndValues[i + 1]);
  if (Object::leavesOf(entries) > maxConstElements)
    return in.error(range, "the dictionary has too many elements");
  return Object::dict(std::move(entries));
}

Object HostInterpreter::callDict(const CallInfo &info) {
  Object::List entries;
  if (info.positional.size() > 1)
    return in.error(info.range, "dict takes one argument and keywords");
  for (const Arg &arg : info.positional) {
    if (arg.value.isDict()) {
      entries = arg.value.elements();
      continue;
    }
    Object pairs = iterate(arg.value, arg.range);
    if (pairs.isPoison())
      return pairs;
    for (const Object &pair : pairs.elements()) {
      if (!pair.isTuple() || pair.elements().size() != 2)
        return in.error(arg.range, "expected pairs of keys and values, found " + pair.typeStr());
      llvm::append_range(entries, pair.elements());
    }
  }
  for (const KeywordArg &keyword : info.keywords) {
    entries.push_back(Object::string(keyword.name));
    entries.push_back(keyword.arg.value);
  }
  return makeDict(std::move(entries), info.range);
}

Object HostInterpreter::evalDict(const ast::Dict &dict) {
  Object::List entries;
  for (const ast::DictEntry &entry : dict.entries) {
    if (!entry.key) { // **other
      Object other = in.eval(*entry.value);
      if (!other.isDict())
        return other.isPoison() ? other
                                : in.error(entry.value->range(),
                                           "'**' unpacks a dictionary, found " + other.typeStr());
      llvm::append_range(entries, other.elements());
      continue;
    }
    Object key = in.eval(*entry.key), value = key.isPoison() ? key : in.eval(*entry.value);
    if (value.isPoison())
      return value;
    entries.push_back(key);
    entries.push_back(value);
  }
  return makeDict(std::move(entries), dict.range());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Where `name` or `name[i][j]` holds its value, for a change; nothing after an error.
std::optional<HostInterpreter::Place> HostInterpreter::findPlace(const ast::Expr &expr) {
  llvm::SmallVector<std::pair<Object, SMRange>, 4> indices; // Innermost first.
  const ast::Expr *root = &expr;
  for (; auto *item = llvm::dyn_cast<ast::Subscript>(root); root = item->value) {
    indices.push_back({in.eval(*item->index), item->index->range()});
    if (indices.back().first.isPoison())
      return std::nullopt;
  }
  auto *name = llvm::dyn_cast<ast::Name>(root);
  Place place;
  for (Frame *at = in.innermost(); at && name && place.path.empty(); at = at->outer) {
    auto *found = at->scope.find(name->id);
    if (found != at->scope.end())
      place.path.push_back(&found->second.value);
  }
  auto fail = [&](SMRange range, const llvm::Twine &message) {
    in.error(range, message);
    return std::nullopt;
  };
  if (place.path.empty())
    return fail(root->range(), "only variables of the function can be changed");
  const char *shared = "the value has a second name or is inside another one, where the change "
                       "would be seen too; this is not supported";
  for (auto &[index, range] : llvm::reverse(indices)) {
    Object &container = place.container();
    if (!container.isTuple() && !container.isDict())
      return fail(range, "cannot index " + container.typeStr());
    if (container.isShared())
      return fail(expr.range(), shared);
    std::optional<size_t> at = container.isDict() ? findKey(container.elements(), index)
                                                  : constIndex(index, container.elements().size());
    if (!at)
      return fail(range, "there is no element " + index.repr());
    place.path.push_back(&container.mutableElements()[*at + container.isDict()]);
  }
  if (!place.container().isList() && !place.container().isDict())
    return fail(expr.range(),
                "expected a list or a dictionary, found " + place.container().typeStr());
  if (place.container().isShared())
    return fail(expr.range(), shared);
  return place;
}

/// After a change that made `more` leaves. False after an error.
bool HostInterpreter::changed(Place &place, ptrdiff_t more, SMRange range) {
  for (Object *object : place.path)
    object->addLeaves(more);
  bool isDict = place.container().isDict();
  if (place.path.front()->leafCount() <= maxConstElements &&
      (!isDict || place.container().elements().size() / 2 <= maxDictEntries))
    return true;
  in.error(range, "the " + llvm::Twine(isDict ? "dictionary" : "list") + " has too many elements");
  return false;
}

static ptrdiff_t leavesIn(const Object &object) { return Object::leavesOf(object); }

/// `container[index] = value`
bool HostInterpreter::setItem(const ast::Subscript &target, const Object &value) {
  Object index = in.eval(*target.index);
  std::optional<Place> place;
  if (!index.isPoison())
    place = findPlace(*target.value);
  if (!place)
    return false;
  Object &container = place->container();
  Object::List &items = container.mutableElements();
  if (container.isDict()) {
    ptrdiff_t before = Object::leavesOf(items);
    setEntry(items, index, value);
    return changed(*place, ptrdiff_t(Object::leavesOf(items)) - before, target.range());
  }
  std::optional<size_t> at = constIndex(index, items.size());
  if (!at) {
    in.error(target.index->range(),
             "there is no element " + index.repr() + " in a list of " + llvm::Twine(items.size()));
    return false;
  }
  ptrdiff_t more = leavesIn(value) - leavesIn(items[*at]);
  items[*at] = value;
  return changed(*place, more, target.range());
}

/// `list += values`, which changes the list itself; `done` says that it was one. False after an
/// error.
bool HostInterpreter::extendInPlace(const ast::AugAssign &assign, bool &done) {
  if (assign.op != ast::BinaryOp::Add || !llvm::isa<ast::Name, ast::Subscript>(assign.target) ||
      !in.eval(*assign.target).isList())
    return true;
  Object more = iterate(in.eval(*assign.value), assign.value->range());
  std::optional<Place> place;
  if (!more.isPoison())
    place = findPlace(*assign.target);
  if (!place)
    return false;
  done = true;
  llvm::append_range(place->container().mutableElements(), more.elements());
  return changed(*place, Object::leavesOf(more.elements()), assign.range());
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static bool isMutator(StringRef name, const Object &object) {
  if (object.isList())
    return llvm::StringSwitch<bool>(name)
        .Cases({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"}, true)
        .Default(false);
  return object.isDict() && llvm::StringSwitch<bool>(name)
                                .Cases({"update", "setdefault", "pop", "clear"}, true)
                                .Default(false);
}

std::optional<Object> HostInterpreter::callMutator(const ast::Call &call) {
  auto *method = llvm::dyn_cast<ast::Attribute>(call.callee);
  const ast::Expr *root = method ? method->value : nullptr;
  while (auto *item = llvm::dyn_cast_if_present<ast::Subscript>(root))
    root = item->value;
  if (!root || !llvm::isa<ast::Name>(root))
    return std::nullopt;
  {
    // A name of something else is reported by whoever evaluates it next.
    CallStack::SilentScope silent(in);
    bool hadErrors = in.hadError();
    bool mutates = isMutator(method->attr, in.eval(*method->value));
    in.setError(hadErrors);
    if (!mutates)
      return std::nullopt;
  }
  CallInfo info;
  info.range = call.range();
  info.calleeRange = call.callee->range();
  if (!in.evalArguments(call, info))
    return Object::poison();
  std::optional<Place> place = findPlace(*method->value);
  if (!place)
    return Object::poison();
  return place->container().isDict() ? mutateDict(*place, method->attr, info)
                                     : mutateList(*place, method->attr, info);
}

Object HostInterpreter::mutateList(Place &place, StringRef name, const CallInfo &info) {
  Object::List &items = place.container().mutableElements();
  llvm::ArrayRef<Arg> args = info.positional;
  size_t least = llvm::StringSwitch<size_t>(name)
                     .Cases({"append", "extend", "remove"}, 1)
                     .Case("insert", 2)
                     .Default(0);
  size_t most = name == "pop" ? 1 : least;
  if (args.size() < least || args.size() > most || (!info.keywords.empty() && name != "sort"))
    return in.error(info.range, "wrong number of arguments for '" + name + "'");
  ptrdiff_t before = name == "append" ? 0 : Object::leavesOf(items), after = 0;
  Object result = Object::none();
  if (name == "append") {
    after = leavesIn(args[0].value);
    items.push_back(args[0].value);
  } else if (name == "extend") {
    Object more = iterate(args[0].value, args[0].range);
    if (more.isPoison())
      return more;
    llvm::append_range(items, more.elements());
  } else if (name == "insert") {
    std::optional<int64_t> at = args[0].value.isIntLike() ? args[0].value.asInt64() : std::nullopt;
    if (!at)
      return in.error(args[0].range, "expected an index, found " + args[0].value.typeStr());
    int64_t size = items.size(), index = *at < 0 ? std::max<int64_t>(*at + size, 0) : *at;
    items.insert(items.begin() + std::min(index, size), args[1].value);
  } else if (name == "pop") {
    std::optional<size_t> at =
        constIndex(args.empty() ? Object::integer(-1) : args[0].value, items.size());
    if (!at)
      return in.error(info.range, "the list has no such element");
    result = items[*at];
    items.erase(items.begin() + *at);
  } else if (name == "remove") {
    auto found =
        llvm::find_if(items, [&](const Object &item) { return constEquals(item, args[0].value); });
    if (found == items.end())
      return in.error(args[0].range, "the list has no element " + args[0].value.repr());
    items.erase(found);
  } else if (name == "clear") {
    items.clear();
  } else if (name == "reverse") {
    std::reverse(items.begin(), items.end());
  } else {
    CallInfo sorting = info;
    sorting.positional.push_back({Object::tuple(items), info.range, true});
    Object sorted = in.callBuiltin(*findPythonBuiltin("sorted"), nullptr, sorting);
    if (sorted.isPoison())
      return sorted;
    items = sorted.elements();
  }
  if (name != "append")
    after = Object::leavesOf(items);
  return changed(place, after - before, info.range) ? result : Object::poison();
}

Object HostInterpreter::mutateDict(Place &place, StringRef name, const CallInfo &info) {
  Object::List &entries = place.container().mutableElements();
  llvm::ArrayRef<Arg> args = info.positional;
  size_t most = name == "clear" ? 0 : name == "update" ? 1 : 2;
  size_t least = most - (most > 0);
  if (args.size() > most || args.size() < least || (!info.keywords.empty() && name != "update"))
    return in.error(info.range, "wrong number of arguments for '" + name + "'");
  ptrdiff_t before = Object::leavesOf(entries);
  Object result = Object::none();
  if (name == "update") {
    if (!args.empty() && !args[0].value.isDict())
      return in.error(args[0].range, "expected a dictionary, found " + args[0].value.typeStr());
    llvm::ArrayRef<Object> more;
    if (!args.empty())
      more = args[0].value.elements();
    for (; !more.empty(); more = more.drop_front(2))
      setEntry(entries, more[0], more[1]);
    for (const KeywordArg &keyword : info.keywords)
      setEntry(entries, Object::string(keyword.name), keyword.arg.value);
  } else if (name == "clear") {
    entries.clear();
  } else {
    std::optional<size_t> at = findKey(entries, args[0].value);
    if (!at && name == "pop" && args.size() < 2)
      return in.error(args[0].range, "the dictionary has no key " + args[0].value.repr());
    result = at ? entries[*at + 1] : args.size() > 1 ? args[1].value : Object::none();
    if (name == "setdefault" && !at)
      setEntry(entries, args[0].value, result);
    if (name == "pop" && at)
      entries.erase(entries.begin() + *at, entries.begin() + *at + 2);
  }
  ptrdiff_t after = Object::leavesOf(entries);
  return changed(place, after - before, info.range) ? result : Object::poison();
}
