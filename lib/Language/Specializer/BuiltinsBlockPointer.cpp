//===- BuiltinsBlockPointer.cpp - Block pointers ----------------*- C++ -*-===//
//
// A block pointer exists while compiling only: it is a base pointer with a size, a stride (both
// int64) and an offset (int32) for each axis. An access expands to a block of ordinary pointers and
// a mask. What all elements share is computed on scalars; of the comparison with the bounds, only
// that of the index inside the block is left to the elements, in 32 bits.
//
//===----------------------------------------------------------------------===//

#include "MemoryArgs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
namespace arith = mlir::arith;

namespace {

/// The parts of a block pointer by name.
struct BlockPointer {
  explicit BlockPointer(const Object &object) : parts(object.elements()) {}

  const Object &type() const { return parts[0]; }
  const Object &base() const { return parts[1]; }
  unsigned rank() const { return (parts.size() - 2) / 3; }
  const Object &size(unsigned axis) const { return parts[2 + axis]; }
  const Object &stride(unsigned axis) const { return parts[2 + rank() + axis]; }
  const Object &offset(unsigned axis) const { return parts[2 + 2 * rank() + axis]; }
  llvm::SmallVector<int64_t> shape() const {
    llvm::SmallVector<int64_t> sizes;
    for (const Object &size : type().elements())
      sizes.push_back(*size.asInt64());
    return sizes;
  }

  const Object::List &parts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// Argument `index`, a tuple, as integer scalars of type `kind`, appended to `parts`. Offsets must
/// be int32 already.
static bool addIntegers(Interpreter &in, Args &args, unsigned index, ScalarKind kind, size_t count,
                        Object::List &parts) {
  const Object &list = args[index];
  if (!list.isTuple() || list.elements().size() != count) {
    args.wrong(index, "a tuple of " + llvm::Twine(count) + " integers");
    return false;
  }
  for (const Object &item : list.elements()) {
    Object value = in.tensors().materialize(item, args.range(index));
    if (value.isPoison())
      return false;
    bool isWide = kind == ScalarKind::Int64;
    if (value.isBlock() || !value.dtype().isInt() || (!isWide && value.dtype().bits() != 32)) {
      args.wrong(index, isWide ? "scalar integers" : "scalar integers of 32 bits");
      return false;
    }
    parts.push_back(in.tensors().cast(value, kind, args.range(index)));
  }
  return true;
}

/// make_block_ptr(base, shape, strides, offsets, block_shape, order). The order is a hint.
static Object makeBlockPointer(Interpreter &in, Args &args) {
  const Object &base = args[0];
  std::optional<llvm::SmallVector<int64_t>> shape = args.integers(4), order = args.integers(5);
  if (!base.isScalarTensor() || !base.dtype().isPointer())
    return args.wrong(0, "a scalar pointer");
  if (!shape || !order || !in.tensors().checkShape(*shape, args.range(4)))
    return Object::poison();
  size_t rank = shape->size();
  llvm::SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  bool isOrder = sorted.size() == rank && rank > 0;
  for (size_t axis = 0; isOrder && axis < rank; ++axis)
    isOrder = sorted[axis] == int64_t(axis);
  if (!isOrder)
    return args.wrong(5, "each axis of the block once");
  DType element = base.dtype().pointee();
  // A buffer of booleans holds bytes, and a block pointer shows them.
  if (element.isBool())
    element = ScalarKind::Int8;
  Object::List parts = {Object::blockType(element, *shape), base};
  if (!addIntegers(in, args, 1, ScalarKind::Int64, rank, parts) ||
      !addIntegers(in, args, 2, ScalarKind::Int64, rank, parts) ||
      !addIntegers(in, args, 3, ScalarKind::Int32, rank, parts))
    return Object::poison();
  return Object::blockPointer(std::move(parts));
}

/// advance(base, offsets)
static Object advance(Interpreter &in, Args &args) {
  if (!args[0].isBlockPointer())
    return args.wrong(0, "a block pointer");
  BlockPointer pointer(args[0]);
  Object::List parts = args[0].elements(), offsets;
  unsigned rank = pointer.rank();
  if (!addIntegers(in, args, 1, ScalarKind::Int32, rank, offsets))
    return Object::poison();
  for (unsigned axis = 0; axis < rank; ++axis)
    parts[2 + 2 * rank + axis] =
        in.tensors().rawBinaryUnchecked(ast::BinaryOp::Add, pointer.offset(axis), offsets[axis]);
  return args[0].withElements(std::move(parts));
}

//===----------------------------------------------------------------------===//
// Using them
//===----------------------------------------------------------------------===//

/// The indices 0 .. size-1 along `axis`, in a shape that is 1 elsewhere.
static Object indicesAlong(Interpreter &in, llvm::ArrayRef<int64_t> shape, unsigned axis) {
  auto type = mlir::RankedTensorType::get({shape[axis]}, in.ir().getI32Type());
  Object index = Object::tensor(
      tilec::tile::MakeRangeOp::create(in.ir(), in.loc(), type, 0, shape[axis]), ScalarKind::Int32);
  for (unsigned before = 0; before < axis; ++before)
    index = in.tensors().expandDims(index, 0);
  while (index.shape().size() < shape.size())
    index = in.tensors().expandDims(index, index.shape().size());
  return index;
}

/// `bound - offset`, limited to what can be compared with an index inside the block.
static Object limitInside(Interpreter &in, const Object &bound, const Object &offset,
                          int64_t size) {
  TensorOps &ops = in.tensors();
  Object left = ops.rawBinaryUnchecked(ast::BinaryOp::Sub, bound, offset);
  Object least = ops.minMax(/*isMax=*/true, left, ops.constantInt(0, ScalarKind::Int64), false);
  Object most = ops.minMax(/*isMax=*/false, least, ops.constantInt(size, ScalarKind::Int64), false);
  return ops.cast(most, ScalarKind::Int32, in.here());
}

/// Where the index along `axis` is inside the tensor.
static Object insideAlong(Interpreter &in, const BlockPointer &pointer, unsigned axis,
                          llvm::ArrayRef<int64_t> shape) {
  TensorOps &ops = in.tensors();
  Object index = indicesAlong(in, shape, axis);
  Object offset = ops.cast(pointer.offset(axis), ScalarKind::Int64, in.here());
  auto compare = [&](ast::CompareOp op, const Object &bound) {
    Object limit = limitInside(in, bound, offset, shape[axis]);
    return ops.rawCompare(op, index, ops.splat(limit, index.shape()));
  };
  Object below = compare(ast::CompareOp::Lt, pointer.size(axis));
  Object above = compare(ast::CompareOp::GtE, ops.constantInt(0, ScalarKind::Int64));
  return ops.broadcastTo(ops.rawBinary(ast::BinaryOp::And, above, below), shape);
}

static Object pointersOf(Interpreter &in, const BlockPointer &pointer,
                         llvm::ArrayRef<int64_t> shape) {
  TensorOps &ops = in.tensors();
  llvm::SMRange here = in.here();
  Object base = pointer.base();
  DType type = DType::pointerTo(pointer.type().dtype(), base.dtype().isConst);
  base = ops.cast(base, type, here);
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    Object offset = ops.cast(pointer.offset(axis), ScalarKind::Int64, here);
    Object start = ops.rawBinaryUnchecked(ast::BinaryOp::Mul, offset, pointer.stride(axis));
    base = ops.addPointer(base, start, /*negate=*/false, here);
  }
  Object pointers = ops.splat(base, shape);
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    Object index = ops.cast(indicesAlong(in, shape, axis), ScalarKind::Int64, here);
    Object stride = ops.splat(pointer.stride(axis), index.shape());
    Object distance = ops.rawBinaryUnchecked(ast::BinaryOp::Mul, index, stride);
    pointers = ops.addPointer(pointers, ops.broadcastTo(distance, shape), /*negate=*/false, here);
  }
  return pointers;
}

std::optional<BlockAccess> front::blockAccess(Interpreter &in, Args &args, unsigned boundary) {
  BlockPointer pointer(args[0]);
  std::optional<llvm::SmallVector<int64_t>> axes = args.integers(boundary);
  if (!axes)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape = pointer.shape();
  llvm::sort(*axes);
  bool isSound = std::adjacent_find(axes->begin(), axes->end()) == axes->end();
  for (int64_t axis : *axes)
    isSound &= axis >= 0 && axis < int64_t(shape.size());
  if (!isSound) {
    args.wrong(boundary, "different axes from 0 to " + llvm::Twine(shape.size() - 1));
    return std::nullopt;
  }
  BlockAccess access{pointersOf(in, pointer, shape), Object::none(),
                     pointer.base().dtype().isConst};
  for (int64_t axis : *axes) {
    Object inside = insideAlong(in, pointer, axis, shape);
    access.mask = access.mask.isNone()
                      ? inside
                      : in.tensors().rawBinary(ast::BinaryOp::And, access.mask, inside);
  }
  return access;
}

llvm::ArrayRef<Builtin> front::blockPointerBuiltins() {
  static constexpr Builtin rows[] = {
      {"make_block_ptr", "base, shape, strides, offsets, block_shape, order", makeBlockPointer},
      {"advance", "base, offsets", advance, IsMethod},
  };
  return rows;
}
