//===- HostEval.cpp - Expressions of compile time only ----------*- C++ -*-===//
//
// What Python has beyond the expressions of kernels, for code that is evaluated at compile time:
// targets of several names, comprehensions in full, chained comparisons, membership, dictionaries
// that are looked up where they are written.
//
//===----------------------------------------------------------------------===//

#include "HostInterpreter.h"

#include "ConstFunctions.h"
#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

/// Binds a name, or the names of a tuple to its elements. False after an error.
bool HostInterpreter::assign(const ast::Expr &target, const Object &value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target)) {
    in.setName(name->id, value);
    return true;
  }
  if (auto *field = llvm::dyn_cast<ast::Attribute>(&target); field && in.frame().constructing)
    return setField(*field, value);
  if (auto *item = llvm::dyn_cast<ast::Subscript>(&target))
    return setItem(*item, value);
  auto *tuple = llvm::dyn_cast<ast::Tuple>(&target);
  auto *list = llvm::dyn_cast<ast::List>(&target);
  if (!tuple && !list) {
    in.error(target.range(), "only names and items can be assigned here");
    return false;
  }
  llvm::ArrayRef<ast::Expr *> targets = tuple ? tuple->elements : list->elements;
  const auto *starred =
      llvm::find_if(targets, [](const ast::Expr *expr) { return llvm::isa<ast::Starred>(expr); });
  size_t before = starred - targets.begin();
  size_t after = starred == targets.end() ? 0 : targets.size() - before - 1;
  bool fits =
      value.isTuple() && (starred == targets.end() ? value.elements().size() == before
                                                   : value.elements().size() >= before + after);
  if (!fits) {
    in.error(target.range(), "expected a tuple of " + llvm::Twine(before + after) +
                                 (starred == targets.end() ? "" : " or more") + ", found " +
                                 value.typeStr());
    return false;
  }
  llvm::ArrayRef<Object> items = value.elements();
  for (size_t i = 0; i < before; ++i)
    if (!assign(*targets[i], items[i]))
      return false;
  for (size_t i = 0; i < after; ++i)
    if (!assign(*targets[before + 1 + i], items[items.size() - after + i]))
      return false;
  if (starred == targets.end())
    return true;
  llvm::ArrayRef<Object> rest = items.slice(before, items.size() - before - after);
  return assign(*llvm::cast<ast::Starred>(*starred)->value,
                Object::listOf(Object::List(rest.begin(), rest.end())));
}

/// The clauses from `index` on, then the element. False after an error.
bool HostInterpreter::collectComp(const ast::ListComp &comp, size_t index, Object::List &items) {
  if (index == comp.generators.size()) {
    if (comp.key)
      items.push_back(in.eval(*comp.key));
    items.push_back(in.eval(*comp.element));
    return !items.back().isPoison() && !items[items.size() - (comp.key ? 2 : 1)].isPoison();
  }
  const ast::Comprehension &generator = comp.generators[index];
  Object sequence = iterate(in.eval(*generator.iter), generator.iter->range());
  if (sequence.isPoison())
    return false;
  for (const Object &element : sequence.elements()) {
    if (!in.chargeStatement(generator.range) || !assign(*generator.target, element))
      return false;
    bool wanted = true;
    for (const ast::Expr *condition : generator.conditions) {
      std::optional<bool> holds = wanted ? conditionOf(*condition) : false;
      if (!holds)
        return false;
      wanted = *holds;
    }
    if (wanted && !collectComp(comp, index + 1, items))
      return false;
  }
  return true;
}

/// The names that a target binds.
static void addNames(const ast::Expr &target, llvm::SmallVectorImpl<StringRef> &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    names.push_back(name->id);
  else if (auto *starred = llvm::dyn_cast<ast::Starred>(&target))
    addNames(*starred->value, names);
  else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    for (const ast::Expr *element : tuple->elements)
      addNames(*element, names);
}

Object HostInterpreter::evalComp(const ast::ListComp &comp) {
  // The targets of a comprehension are its own names.
  llvm::SmallVector<StringRef, 4> names;
  for (const ast::Comprehension &generator : comp.generators)
    addNames(*generator.target, names);
  llvm::SmallVector<std::optional<Binding>, 4> outer;
  for (StringRef name : names) {
    auto *found = in.frame().scope.find(name);
    outer.push_back(found == in.frame().scope.end() ? std::nullopt : std::optional(found->second));
  }
  in.frame().comprehensions.push_back(++lastComprehension);
  Object::List items;
  bool sound = collectComp(comp, 0, items);
  in.frame().comprehensions.pop_back();
  for (auto [name, binding] : llvm::zip(names, outer)) {
    if (binding)
      in.frame().scope[name] = *binding;
    else
      in.frame().scope.erase(name);
  }
  if (!sound)
    return Object::poison();
  if (comp.key)
    return makeDict(std::move(items), comp.range());
  Object result = in.boundedTuple(std::move(items));
  return result.isPoison() || comp.isGenerator ? result : Object::listOf(result.elements());
}

Object HostInterpreter::evalNamedExpr(const ast::NamedExpr &named) {
  Object value = in.eval(*named.value);
  if (!value.isPoison())
    in.setName(llvm::cast<ast::Name>(named.target)->id, value);
  return value;
}

/// The keys of a dictionary that is written out and the elements of a set; any other expression is
/// evaluated.
Object HostInterpreter::evalContainer(const ast::Expr &expr) {
  if (auto *set = llvm::dyn_cast<ast::Set>(&expr))
    return in.evalSequence(set->elements);
  auto *dict = llvm::dyn_cast<ast::Dict>(&expr);
  if (!dict)
    return in.eval(expr);
  Object::List keys;
  for (const ast::DictEntry &entry : dict->entries) {
    if (!entry.key)
      return in.error(expr.range(), "an unpacked dictionary is not supported");
    keys.push_back(in.eval(*entry.key));
    if (keys.back().isPoison())
      return Object::poison();
  }
  return Object::tuple(std::move(keys));
}

Object HostInterpreter::evalCompare(const ast::Compare &compare) {
  Object left = in.eval(*compare.left);
  for (auto [op, expr] : llvm::zip(compare.ops, compare.comparators)) {
    Object right = left.isPoison() ? left : evalContainer(*expr);
    if (right.isPoison() || in.rejectHost(left, compare.range()) ||
        in.rejectHost(right, expr->range()))
      return Object::poison();
    bool holds = false;
    if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn) {
      bool texts = left.isString() && right.isString();
      if (right.isDict())
        right = iterate(right, expr->range());
      if (!texts && !right.isTuple())
        return in.error(expr->range(), "cannot search " + right.typeStr());
      holds = texts ? right.asString().contains(left.asString())
                    : llvm::any_of(right.elements(), [left = &left](const Object &element) {
                        return constEquals(*left, element);
                      });
      holds ^= op == ast::CompareOp::NotIn;
    } else if (op == ast::CompareOp::Is || op == ast::CompareOp::IsNot) {
      holds = Interpreter::evalIs(op, left, right).asBool();
    } else {
      ConstResult result = constCompare(op, left, right);
      if (!result.error.empty())
        return in.error(compare.range(), result.error);
      holds = constTruth(result.object);
    }
    if (!holds)
      return Object::boolean(false);
    left = right;
  }
  return Object::boolean(true);
}

Object HostInterpreter::lookUp(const ast::Dict &dict, const ast::Expr &index) {
  Object keys = evalContainer(dict), wanted = keys.isPoison() ? keys : in.eval(index);
  if (wanted.isPoison())
    return wanted;
  for (size_t i = dict.entries.size(); i-- > 0;) // The last of equal keys counts.
    if (constEquals(keys.elements()[i], wanted))
      return in.eval(*dict.entries[i].value);
  return in.error(index.range(), "the dictionary has no key " + wanted.repr());
}
