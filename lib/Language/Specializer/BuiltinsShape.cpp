//===- BuiltinsShape.cpp - Shapes of blocks ---------------------*- C++ -*-===//
//
// Functions that change the shape of a block and leave its elements alone.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tilec;
using namespace tilec::front;

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// expand_dims(input, axis): the axes are positions in the result.
static Object expandDims(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> axes = args.integers(1);
  if (input.isPoison() || !axes)
    return Object::poison();
  int64_t rank = input.shape().size() + axes->size();
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank)
      return in.error(args.range(1), "axis " + llvm::Twine(axis) + " is out of range for rank " +
                                         llvm::Twine(rank));
    axis = axis < 0 ? axis + rank : axis;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return in.error(args.range(1), "an axis is given twice");
  for (int64_t axis : *axes)
    input = in.tensors().expandDims(input, axis);
  return input;
}

/// broadcast_to(input, *shape)
static Object broadcastTo(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> shape = args.restIntegers();
  if (input.isPoison() || !shape || !in.tensors().checkShape(*shape, args.callRange()))
    return Object::poison();
  if (!input.isBlock())
    return in.tensors().splat(input, *shape);
  bool fits = shape->size() == input.shape().size();
  for (size_t axis = 0; fits && axis < shape->size(); ++axis)
    fits = input.shape()[axis] == (*shape)[axis] || input.shape()[axis] == 1;
  if (!fits)
    return in.error(args.callRange(),
                    "cannot broadcast " + input.typeStr() + " to " + shapeStr(*shape));
  return in.tensors().broadcastTo(input, *shape);
}

/// broadcast(a, b): both in their common shape.
static Object broadcast(Interpreter &in, Args &args) {
  std::array<Object, 2> operands = {args[0], args[1]};
  for (unsigned index = 0; index < 2; ++index)
    if (!operands[index].isTensor())
      return args.wrong(index, "a tensor");
  if (!in.tensors().broadcastAll(operands, args.callRange()))
    return Object::poison();
  return Object::tuple({operands[0], operands[1]});
}

static Object reshapeTo(Interpreter &in, Args &args, const Object &input,
                        llvm::ArrayRef<int64_t> shape) {
  if (!in.tensors().checkShape(shape, args.callRange()))
    return Object::poison();
  if (countOf(shape) != countOf(input.shape()))
    return in.error(args.callRange(), "cannot reshape " + input.typeStr() + " to " +
                                          shapeStr(shape) + ": " +
                                          llvm::Twine(countOf(input.shape())) +
                                          " elements became " + llvm::Twine(countOf(shape)));
  return in.tensors().reshape(input, shape);
}

/// reshape(input, *shape, can_reorder), view(input, *shape). An order that may change is kept.
static Object reshape(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> shape = args.restIntegers();
  if (input.isPoison() || !shape)
    return Object::poison();
  return reshapeTo(in, args, input, *shape);
}

/// ravel(x, can_reorder)
static Object ravel(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  return input.isPoison() ? input : reshapeTo(in, args, input, {countOf(input.shape())});
}

/// item(x)
static Object item(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (!input.isPoison() && countOf(input.shape()) != 1)
    return in.error(args.callRange(), "item() takes one element, found " + input.typeStr());
  return input.isPoison() ? input : in.tensors().item(input);
}

llvm::ArrayRef<Builtin> front::shapeBuiltins() {
  static constexpr Builtin rows[] = {
      {"expand_dims", "input, axis", expandDims, IsMethod},
      {"broadcast_to", "input, *shape", broadcastTo, IsMethod},
      {"broadcast", "input, other", broadcast},
      {"reshape", "input, *shape, can_reorder=False", reshape, IsMethod},
      {"view", "input, *shape", reshape, IsMethod},
      {"ravel", "x, can_reorder=False", ravel, IsMethod},
      {"item", "input", item, IsMethod | Hidden},
      {"swizzle2d", "i, j, size_i, size_j, size_g", nullptr},
  };
  return rows;
}
