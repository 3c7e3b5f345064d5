//===- Subscripts.cpp - Indexing of tuples and blocks -----------*- C++ -*-===//
//
// Tuples take compile-time indices and slices with Python's rules. Blocks and scalars take ':' and
// None only: a None inserts an axis.
//
//===----------------------------------------------------------------------===//

#include "ConstFunctions.h"
#include "HostInterpreter.h"
#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;

Object Interpreter::evalSubscript(const ast::Subscript &subscript) {
  auto *dict = llvm::dyn_cast<ast::Dict>(subscript.value);
  if (dict && frame().host)
    return host().lookUp(*dict, *subscript.index);
  Object object = eval(*subscript.value);
  if (object.isPoison())
    return object;
  if (object.isTensor())
    return subscriptTensor(object, *subscript.index);
  if (object.isTuple())
    return subscriptTuple(object, *subscript.index);
  if (object.isDict()) {
    Object key = eval(*subscript.index);
    return key.isPoison() ? key : host().lookUp(object, key, subscript.index->range());
  }
  if (object.isString()) {
    Object index = eval(*subscript.index);
    if (index.isPoison())
      return index;
    std::optional<size_t> at = constIndex(index, object.asString().size());
    if (!at)
      return error(subscript.index->range(), "expected an index into the string");
    return Object::string(object.asString().substr(*at, 1));
  }
  if (object.is(Object::Kind::Function))
    return error(subscript.range(), "a kernel cannot launch another kernel");
  return error(subscript.range(), "cannot index " + object.typeStr());
}

Object Interpreter::subscriptTuple(const Object &tuple, const ast::Expr &indexExpr) {
  if (auto *slice = llvm::dyn_cast<ast::Slice>(&indexExpr))
    return sliceTuple(tuple, *slice);
  Object index = eval(indexExpr);
  if (index.isPoison())
    return index;
  if (!index.isIntLike())
    return error(indexExpr.range(),
                 "a tuple is indexed by a constexpr integer, found " + index.typeStr() +
                     (index.isTensor() ? "; the variable of a run-time loop is no constexpr, use "
                                         "tl.static_range"
                                       : ""));
  size_t size = tuple.elements().size();
  std::optional<size_t> at = constIndex(index, size);
  if (!at)
    return error(indexExpr.range(),
                 "index " + index.repr() + " is out of range for a tuple of " + llvm::Twine(size));
  return tuple.elements()[*at];
}

Object Interpreter::sliceTuple(const Object &tuple, const ast::Slice &slice) {
  int64_t size = tuple.elements().size();
  bool failed = false;
  auto part = [&](const ast::Expr *expr) -> std::optional<int64_t> {
    if (!expr)
      return std::nullopt;
    Object value = eval(*expr);
    if (value.isNone())
      return std::nullopt;
    std::optional<int64_t> number = value.isIntLike() ? value.asInt64() : std::nullopt;
    if (!number) {
      failed = true;
      if (!value.isPoison())
        error(expr->range(), "a slice bound must be a constexpr integer, found " + value.typeStr());
    }
    return number;
  };
  std::optional<int64_t> lower = part(slice.lower), upper = part(slice.upper);
  int64_t step = part(slice.step).value_or(1);
  if (failed)
    return Object::poison();
  if (step == 0)
    return error(slice.range(), "a slice step cannot be zero");
  auto clamp = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound)
      return otherwise;
    int64_t at = *bound < 0 ? std::max<int64_t>(*bound, -size - 1) + size : *bound;
    return step > 0 ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
  };
  int64_t from = clamp(lower, step > 0 ? 0 : size - 1), to = clamp(upper, step > 0 ? size : -1);
  step = std::clamp<int64_t>(step, -size - 1, size + 1); // A larger step takes one element as well.
  Object::List items;
  for (int64_t i = from; step > 0 ? i < to : i > to; i += step)
    items.push_back(tuple.elements()[i]);
  return tuple.isList() ? Object::listOf(std::move(items)) : Object::tuple(std::move(items));
}

/// True for `:` without bounds.
static bool isFullSlice(const ast::Expr &expr) {
  auto *slice = llvm::dyn_cast<ast::Slice>(&expr);
  return slice && !slice->lower && !slice->upper && !slice->step;
}

Object Interpreter::subscriptTensor(const Object &tensor, const ast::Expr &index) {
  llvm::SmallVector<const ast::Expr *, 4> indices;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&index))
    indices.assign(tuple->elements.begin(), tuple->elements.end());
  else
    indices.push_back(&index);
  Object result = tensor;
  for (auto [position, expr] : llvm::enumerate(indices)) {
    if (isFullSlice(*expr))
      continue; // Also behind the last axis, as in Triton.
    if (llvm::isa<ast::Slice>(expr))
      return error(expr->range(),
                   "a block can be indexed by ':' and None only; a slice with bounds "
                   "is not supported");
    Object item = eval(*expr);
    if (item.isPoison())
      return item;
    if (!item.isNone())
      return error(expr->range(),
                   "a block can be indexed by ':' and None only, found " + item.typeStr());
    // A scalar has no axes that ':' could stand for: its first None is its first axis.
    unsigned axis = result.isBlock() ? position : 0;
    if (axis > result.shape().size())
      return error(expr->range(), "None at index " + llvm::Twine(position) +
                                      " is beyond the axes of " + result.typeStr());
    result = ops.expandDims(result, axis);
  }
  return result;
}
