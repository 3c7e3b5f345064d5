//===- BuiltinsShape.cpp - Shapes of blocks ---------------------*- C++ -*-===//
//
// Functions that change the shape of a block or the order of its elements, and leave the elements
// alone. What joins two blocks selects by the index along a new axis: where that axis lies in a
// thread's registers, nothing of the selection is left.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

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

//===----------------------------------------------------------------------===//
// Order of axes and elements
//===----------------------------------------------------------------------===//

static Object permuteTo(Interpreter &in, const Object &input, llvm::ArrayRef<int32_t> order) {
  llvm::SmallVector<int64_t> shape;
  for (int32_t axis : order)
    shape.push_back(input.shape()[axis]);
  mlir::Type type = in.tensors().irType(input.dtype(), shape);
  return Object::tensor(
      in.ir().createOrFold<tilec::tile::PermuteOp>(in.loc(), type, input.value(), order),
      input.dtype());
}

/// permute(input, *dims), trans(input, *dims): without dims, `trans` swaps the last two axes.
template <bool isTrans> static Object permute(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> dims = args.restIntegers();
  if (input.isPoison() || !dims)
    return Object::poison();
  int64_t rank = input.shape().size();
  if (isTrans && dims->empty()) {
    if (rank < 2)
      return args.wrong(0, "a block with two axes or more");
    for (int64_t axis = 0; axis < rank; ++axis)
      dims->push_back(axis);
    std::swap((*dims)[rank - 1], (*dims)[rank - 2]);
  }
  llvm::SmallVector<int64_t> sorted(*dims);
  llvm::sort(sorted);
  bool isPermutation = int64_t(sorted.size()) == rank;
  for (int64_t axis = 0; isPermutation && axis < rank; ++axis)
    isPermutation = sorted[axis] == axis;
  if (!isPermutation)
    return in.error(args.callRange(), args.callee().fullName() + " needs each axis of " +
                                          input.typeStr() + " once, found " + shapeStr(*dims));
  if (rank == 0)
    return input;
  return permuteTo(in, input, llvm::SmallVector<int32_t>(dims->begin(), dims->end()));
}

/// flip(x, dim)
static Object flip(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (input.isPoison())
    return input;
  if (!input.isBlock())
    return args.wrong(0, "a block");
  std::optional<unsigned> axis = args.axis(1, input.shape().size());
  if (!axis)
    return Object::poison();
  return Object::tensor(
      in.ir().createOrFold<tilec::tile::FlipOp>(in.loc(), input.value(), int32_t(*axis)),
      input.dtype());
}

//===----------------------------------------------------------------------===//
// Two blocks in one
//===----------------------------------------------------------------------===//

/// Two blocks stacked along a new last axis of size 2.
static Object joined(Interpreter &in, Args &args) {
  std::array<Object, 2> operands = {args.tensor(0), args.tensor(1)};
  if (operands[0].isPoison() || operands[1].isPoison())
    return Object::poison();
  if (operands[0].dtype() != operands[1].dtype())
    return in.error(args.callRange(), args.callee().fullName() +
                                          " takes blocks of one type, found " +
                                          operands[0].typeStr() + " and " + operands[1].typeStr());
  TensorOps &ops = in.tensors();
  if (!ops.broadcastAll(operands, args.callRange()))
    return Object::poison();
  llvm::SmallVector<int64_t> shape(operands[0].shape());
  unsigned axis = shape.size();
  shape.push_back(2);
  if (!ops.checkShape(shape, args.callRange()))
    return Object::poison();
  mlir::Type pair = mlir::RankedTensorType::get({2}, in.ir().getI32Type());
  Object side = Object::tensor(tilec::tile::MakeRangeOp::create(in.ir(), in.loc(), pair, 0, 2),
                               ScalarKind::Int32);
  Object isFirst = ops.rawCompare(ast::CompareOp::Eq, side, ops.zero(ScalarKind::Int32, {2}));
  for (Object &operand : operands)
    operand = ops.broadcastTo(ops.expandDims(operand, axis), shape);
  return ops.select(ops.broadcastTo(isFirst, shape), operands[0], operands[1]);
}

/// join(a, b)
static Object join(Interpreter &in, Args &args) { return joined(in, args); }

/// interleave(a, b): a0 b0 a1 b1 ...
static Object interleave(Interpreter &in, Args &args) {
  Object both = joined(in, args);
  if (both.isPoison())
    return both;
  llvm::SmallVector<int64_t> shape(both.shape().drop_back());
  if (shape.empty())
    return both;
  shape.back() *= 2;
  return in.tensors().reshape(both, shape);
}

/// cat(input, other, can_reorder): the elements of `input`, then those of `other`.
static Object cat(Interpreter &in, Args &args) {
  Object first = args.tensor(0), second = args.tensor(1);
  std::optional<bool> reorder = args.boolean(2);
  if (first.isPoison() || second.isPoison() || !reorder)
    return Object::poison();
  if (!*reorder)
    return in.error(args.callRange(), "tl.cat needs can_reorder=True: the order of the elements is "
                                      "not promised");
  if (first.shape().size() != 1 || second.shape() != first.shape())
    return in.error(args.callRange(), "tl.cat takes two blocks of one length, found " +
                                          first.typeStr() + " and " + second.typeStr());
  Object both = joined(in, args);
  if (both.isPoison())
    return both;
  return in.tensors().reshape(permuteTo(in, both, {1, 0}), {2 * first.shape()[0]});
}

/// split(a): the elements at index 0 and at index 1 of the last axis, which has the size 2.
static Object split(Interpreter &in, Args &args) {
  Object input = args.tensor(0);
  if (input.isPoison())
    return input;
  if (!input.isBlock() || input.shape().back() != 2)
    return args.wrong(0, "a block whose last axis has the size 2");
  TensorOps &ops = in.tensors();
  bool isPair = input.shape().size() == 1;
  if (isPair)
    input = ops.expandDims(input, 0);
  llvm::SmallVector<int64_t> shape(input.shape().drop_back());
  Object::List parts;
  for (int32_t index : {0, 1}) {
    mlir::Value part = in.ir().createOrFold<tilec::tile::TakeOp>(
        in.loc(), ops.irType(input.dtype(), shape), input.value(), int32_t(shape.size()), index);
    Object block = Object::tensor(part, input.dtype());
    parts.push_back(isPair ? ops.item(block) : block);
  }
  return Object::tuple(std::move(parts));
}

llvm::ArrayRef<Builtin> front::shapeBuiltins() {
  static constexpr Builtin rows[] = {
      {"expand_dims", "input, axis", expandDims, IsMethod},
      {"broadcast_to", "input, *shape", broadcastTo, IsMethod},
      {"broadcast", "input, other", broadcast},
      {"reshape", "input, *shape, can_reorder=False", reshape, IsMethod},
      {"view", "input, *shape", reshape, IsMethod},
      {"ravel", "x, can_reorder=False", ravel, IsMethod},
      {"permute", "input, *dims", permute<false>, IsMethod},
      {"trans", "input, *dims", permute<true>, IsMethod},
      {"flip", "x, dim", flip, IsMethod},
      {"join", "a, b", join},
      {"interleave", "a, b", interleave},
      {"cat", "input, other, can_reorder=False", cat},
      {"split", "a", split, IsMethod},
      {"item", "input", item, IsMethod | Hidden},
      {"swizzle2d", "i, j, size_i, size_j, size_g", nullptr},
  };
  return rows;
}
