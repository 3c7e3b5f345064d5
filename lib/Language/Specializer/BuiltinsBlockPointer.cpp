//===- BuiltinsBlockPointer.cpp - Block pointers ----------------*- C++ -*-===//
//
// A block pointer exists while compiling only: it is a base pointer with a size, a stride (both
// int64) and an offset (int32) for each axis. An access is one through the pointers that
// tile.block_pointers gives, as accesses by tensor descriptors are.
//
//===----------------------------------------------------------------------===//

#include "MemoryArgs.h"

using namespace tilec;
using namespace tilec::front;

namespace {

/// The parts of a block pointer by name.
struct BlockPointer {
  explicit BlockPointer(const Object &object) : parts(object.elements()) {}

  const Object &type() const { return parts[0]; }
  const Object &base() const { return parts[1]; }
  unsigned rank() const { return (parts.size() - 2) / 3; }
  llvm::ArrayRef<Object> sizes() const { return list(0); }
  llvm::ArrayRef<Object> strides() const { return list(1); }
  llvm::ArrayRef<Object> offsets() const { return list(2); }
  llvm::ArrayRef<Object> list(unsigned index) const {
    return llvm::ArrayRef<Object>(parts).slice(2 + index * rank(), rank());
  }
  llvm::SmallVector<int64_t> shape() const { return shapeOfType(type()); }

  const Object::List &parts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t> front::shapeOfType(const Object &blockType) {
  llvm::SmallVector<int64_t> sizes;
  for (const Object &size : blockType.elements())
    sizes.push_back(*size.asInt64());
  return sizes;
}

bool front::addIntegers(Interpreter &in, Args &args, unsigned index, ScalarKind kind, size_t count,
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
        in.tensors().rawBinaryUnchecked(ast::BinaryOp::Add, pointer.offsets()[axis], offsets[axis]);
  return args[0].withElements(std::move(parts));
}

//===----------------------------------------------------------------------===//
// Using them
//===----------------------------------------------------------------------===//

BlockAccess front::accessBlock(Interpreter &in, const TensorBlock &block,
                               llvm::ArrayRef<int64_t> guard) {
  TensorOps &ops = in.tensors();
  bool isConst = block.base.dtype().isConst;
  DType pointer = DType::pointerTo(block.element, isConst);
  Object base = ops.cast(block.base, pointer, in.here());
  auto valuesOf = [&](llvm::ArrayRef<Object> scalars, ScalarKind kind) {
    llvm::SmallVector<mlir::Value> values;
    for (const Object &scalar : scalars)
      values.push_back(ops.cast(scalar, kind, in.here()).value());
    return values;
  };
  mlir::Type type = ops.irType(pointer, block.shape);
  auto op = tilec::tile::BlockPointersOp::create(
      in.ir(), in.loc(), type, tilec::tile::boolLike(type), base.value(),
      valuesOf(block.sizes, ScalarKind::Int64), valuesOf(block.strides, ScalarKind::Int64),
      valuesOf(block.offsets, ScalarKind::Int32),
      block.rows.isTensor() ? block.rows.value() : mlir::Value(), guard, block.isMappable);
  return {Object::tensor(op.getPointers(), pointer),
          guard.empty() ? Object::none() : Object::tensor(op.getInside(), ScalarKind::Int1),
          isConst};
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
  TensorBlock block{pointer.type().dtype(), pointer.base(), pointer.sizes(), pointer.strides(),
                    pointer.offsets(),      shape,          Object::none()};
  return accessBlock(in, block, *axes);
}

llvm::ArrayRef<Builtin> front::blockPointerBuiltins() {
  static constexpr Builtin rows[] = {
      {"make_block_ptr", "base, shape, strides, offsets, block_shape, order", makeBlockPointer},
      {"advance", "base, offsets", advance, IsMethod},
  };
  return rows;
}
