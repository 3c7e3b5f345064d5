//===- BuiltinsDescriptor.cpp - Tensor descriptors --------------*- C++ -*-===//
//
// A tensor descriptor exists while compiling only: it is a base pointer with a size (int32) and a
// stride (int64) for each axis, the type of its blocks, and what is read outside of the tensor. An
// access is one through the pointers that tile.block_pointers gives, as those by block pointers
// are, with all axes guarded.
//
//===----------------------------------------------------------------------===//

#include "MemoryArgs.h"
#include "tilec/Language/Signature.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;
using llvm::Twine;
using tilec::tile::AtomicKind;

namespace {

/// The parts of a tensor descriptor by name.
struct Descriptor {
  explicit Descriptor(const Object &object) : parts(object.elements()) {}

  const Object &type() const { return parts[0]; }
  bool padsWithNaN() const { return parts[1].asString() == "nan"; }
  const Object &base() const { return parts[2]; }
  unsigned rank() const { return (parts.size() - 3) / 2; }
  llvm::ArrayRef<Object> sizes() const { return llvm::ArrayRef<Object>(parts).slice(3, rank()); }
  llvm::ArrayRef<Object> strides() const {
    return llvm::ArrayRef<Object>(parts).drop_front(3 + rank());
  }

  const Object::List &parts;
};

/// What hardware copies at least, and what it aligns to.
constexpr unsigned unitBytes = 16;

} // namespace

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// The lists must have one length, one that descriptors can have.
static bool checkRank(Interpreter &in, Args &args, size_t blockRank) {
  for (unsigned index : {1, 2})
    if (!args[index].isTuple()) {
      args.wrong(index, "a tuple of integers");
      return false;
    }
  size_t rank = args[1].elements().size();
  auto fail = [&](unsigned index, const Twine &message) {
    in.error(args.range(index), message);
    return false;
  };
  if (std::string why = whyNoRank(rank); !why.empty())
    return fail(1, why);
  if (size_t count = args[2].elements().size(); count != rank)
    return fail(2, "expected " + Twine(rank) + " strides, one an axis, found " + Twine(count));
  if (blockRank != rank)
    return fail(3,
                "expected a block shape with " + Twine(rank) + " axes, found " + Twine(blockRank));
  return true;
}

/// The strides as far as they are known: the last is 1, others are whole units.
static bool checkStrides(Interpreter &in, Args &args, DType element) {
  const Object::List &strides = args[2].elements();
  const Object &last = strides.back();
  if (!last.isIntLike() || last.asInt64() != 1) {
    in.error(args.range(2),
             "the last stride of a tensor descriptor must be the constexpr 1, found " +
                 (last.isIntLike() ? last.repr() : last.typeStr()));
    return false;
  }
  for (const Object &stride : llvm::ArrayRef<Object>(strides).drop_back()) {
    std::optional<int64_t> known = stride.isIntLike() ? stride.asInt64() : std::nullopt;
    int64_t units = unitBytes * 8 / element.bits();
    if (!known || *known % units == 0)
      continue;
    in.error(args.range(2), "strides of a tensor descriptor must be multiples of " +
                                Twine(unitBytes) + " bytes, which are " + Twine(units) +
                                " elements of " + element.str() + ", found " + Twine(*known));
    return false;
  }
  return true;
}

/// The last axis of a block has as many bytes as hardware copies at least.
bool front::checkDescriptorBlock(Interpreter &in, DType element, llvm::ArrayRef<int64_t> shape,
                                 llvm::SMRange range) {
  if (!in.tensors().checkShape(shape, range))
    return false;
  int64_t width = element.bits() / 8, bytes = shape.back() * width;
  if (bytes >= unitBytes)
    return true;
  in.error(range, "the last axis of a descriptor's block needs at least " + Twine(unitBytes) +
                      " bytes, found " + Twine(shape.back()) + " * " + Twine(width) + " = " +
                      Twine(bytes) + " bytes");
  return false;
}

static bool checkPadding(Interpreter &in, Args &args, DType element) {
  std::optional<StringRef> padding = args.string(4);
  if (!padding)
    return false;
  if (*padding != "zero" && *padding != "nan") {
    in.error(args.range(4), "unknown padding '" + *padding + "'; expected 'zero' or 'nan'");
    return false;
  }
  std::string why = *padding == "nan" ? whyNoDescriptor(element, /*padsWithNaN=*/true) : "";
  if (!why.empty())
    in.error(args.range(4), why);
  return why.empty();
}

/// `value`, of which it is known that `divisor` divides it. Nothing but layouts of GPUs asks.
static Object promised(Interpreter &in, const Object &value, int64_t divisor) {
  if (!in.options().arch)
    return value;
  return Object::tensor(tilec::tile::PromiseOp::create(in.ir(), in.loc(), value.value().getType(),
                                                       value.value(), {divisor}, {1}, {1}),
                        value.dtype());
}

/// The sizes as int32, whatever integers they are.
static bool addSizes(Interpreter &in, Args &args, Object::List &parts) {
  TensorOps &ops = in.tensors();
  for (const Object &size : args[1].elements()) {
    std::optional<int64_t> known = size.isIntLike() ? size.asInt64() : std::nullopt;
    if (size.isIntLike() && (!known || !llvm::isInt<32>(*known))) {
      in.error(args.range(1), "sizes of a tensor descriptor are int32, found " + size.repr());
      return false;
    }
    Object value = ops.materialize(size, args.range(1));
    if (value.isPoison())
      return false;
    if (value.isBlock() || !value.isTensor() || !value.dtype().isInt()) {
      args.wrong(1, "scalar integers");
      return false;
    }
    parts.push_back(ops.cast(value, ScalarKind::Int32, args.range(1)));
  }
  return true;
}

Object front::descriptorOf(Interpreter &in, const Object &blockType, bool padsWithNaN,
                           const Object &base, llvm::ArrayRef<Object> sizes,
                           llvm::ArrayRef<Object> strides) {
  int64_t units = std::max<int64_t>(1, unitBytes * 8 / blockType.dtype().bits());
  Object::List parts = {blockType, Object::string(padsWithNaN ? "nan" : "zero"),
                        promised(in, base, unitBytes)};
  llvm::append_range(parts, sizes);
  for (const Object &stride : strides.drop_back())
    parts.push_back(promised(in, stride, units));
  parts.push_back(strides.back());
  return Object::descriptor(std::move(parts));
}

/// make_tensor_descriptor(base, shape, strides, block_shape, padding_option)
static Object makeDescriptor(Interpreter &in, Args &args) {
  std::optional<llvm::SmallVector<int64_t>> shape = args.integers(3);
  if (!args[0].isScalarTensor() || !args[0].dtype().isPointer())
    return args.wrong(0, "a scalar pointer");
  DType element = args[0].dtype().pointee();
  if (!shape || !checkRank(in, args, shape->size()) ||
      !checkDescriptorBlock(in, element, *shape, args.range(3)) ||
      !checkStrides(in, args, element) || !checkPadding(in, args, element))
    return Object::poison();
  Object::List sizes, strides;
  if (!addSizes(in, args, sizes) ||
      !addIntegers(in, args, 2, ScalarKind::Int64, shape->size(), strides))
    return Object::poison();
  return descriptorOf(in, Object::blockType(element, *shape), args[4].asString() == "nan", args[0],
                      sizes, strides);
}

//===----------------------------------------------------------------------===//
// Using them
//===----------------------------------------------------------------------===//

/// Argument 0 must be a descriptor; of a method it is.
static bool isOfDescriptor(Args &args) {
  if (args[0].isDescriptor())
    return true;
  args.wrong(0, "a tensor descriptor");
  return false;
}

/// The block of the tensor at the offsets that argument `index` has; nothing after an error.
static std::optional<BlockAccess> blockAt(Interpreter &in, Args &args, unsigned index) {
  Descriptor descriptor(args[0]);
  if (args[index].isTuple() && args[index].elements().size() != descriptor.rank()) {
    in.error(args.range(index), "expected " + Twine(descriptor.rank()) +
                                    " offsets, one an axis, found " +
                                    Twine(args[index].elements().size()));
    return std::nullopt;
  }
  Object::List offsets;
  if (!addIntegers(in, args, index, ScalarKind::Int32, descriptor.rank(), offsets))
    return std::nullopt;
  llvm::SmallVector<int64_t> shape = shapeOfType(descriptor.type()), guard;
  for (unsigned axis = 0; axis < descriptor.rank(); ++axis)
    guard.push_back(axis);
  TensorBlock block{descriptor.type().dtype(),
                    descriptor.base(),
                    descriptor.sizes(),
                    descriptor.strides(),
                    offsets,
                    shape,
                    Object::none(),
                    /*isMappable=*/true};
  return accessBlock(in, block, guard);
}

static Object loadThrough(Interpreter &in, const Object &object, const BlockAccess &access) {
  Descriptor descriptor(object);
  DType element = descriptor.type().dtype();
  tilec::tile::LoadOp op = loadBlock(in, access, element, descriptor.padsWithNaN());
  return Object::tensor(op.getResult(), element);
}

static Object storeThrough(Interpreter &in, const BlockAccess &access, const Object &value) {
  tilec::tile::StoreOp::create(in.ir(), in.loc(), access.pointers.value(), value.value(),
                               access.mask.value());
  return Object::none();
}

/// Argument `index`, a block of exactly this shape, that a descriptor not of const may write;
/// poison after an error.
static Object valueToWrite(Interpreter &in, Args &args, unsigned index,
                           llvm::ArrayRef<int64_t> shape) {
  if (Descriptor(args[0]).base().dtype().isConst)
    return in.error(args.range(0), "cannot write through a descriptor of a pointer to const");
  Object value = args.tensor(index);
  if (value.isPoison() || (value.isBlock() && value.shape() == shape))
    return value;
  return args.wrong(index, "a block of shape " + shapeStr(shape));
}

/// The same for what converts nothing.
static Object exactValue(Interpreter &in, Args &args, unsigned index,
                         llvm::ArrayRef<int64_t> shape) {
  DType element = Descriptor(args[0]).type().dtype();
  Object value = valueToWrite(in, args, index, shape);
  if (value.isPoison() || value.dtype() == element)
    return value;
  return in.error(args.range(index), args.callee().fullName() + " converts nothing: expected " +
                                         typeStr(element, shape) + ", found " + value.typeStr());
}

/// load(offsets)
static Object load(Interpreter &in, Args &args) {
  if (!isOfDescriptor(args))
    return Object::poison();
  std::optional<BlockAccess> access = blockAt(in, args, 1);
  return access ? loadThrough(in, args[0], *access) : Object::poison();
}

/// store(offsets, value)
static Object store(Interpreter &in, Args &args) {
  if (!isOfDescriptor(args))
    return Object::poison();
  const Object &type = Descriptor(args[0]).type();
  Object value = valueToWrite(in, args, 2, shapeOfType(type));
  std::optional<BlockAccess> access = blockAt(in, args, 1);
  if (value.isPoison() || !access)
    return Object::poison();
  value = in.tensors().cast(value, type.dtype(), args.range(2));
  return value.isPoison() ? value : storeThrough(in, *access, value);
}

//===----------------------------------------------------------------------===//
// Rows anywhere
//===----------------------------------------------------------------------===//

/// The rows that argument `rows` names, from the column that the next argument has; nothing after
/// an error.
static std::optional<BlockAccess> rowsAt(Interpreter &in, Args &args, unsigned rows) {
  Descriptor descriptor(args[0]);
  auto fail = [&](llvm::SMRange range, const Twine &message) {
    in.error(range, args.callee().fullName() + " " + message);
    return std::nullopt;
  };
  DType element = descriptor.type().dtype();
  llvm::SmallVector<int64_t> shape = shapeOfType(descriptor.type());
  if (shape.size() != 2 || shape[0] != 1)
    return fail(args.callRange(), "needs a descriptor of blocks with two axes and one row, found " +
                                      args[0].typeStr());
  if (!args[rows].isBlock() || args[rows].shape().size() != 1 || !args[rows].dtype().isInt() ||
      args[rows].dtype().bits() != 32) {
    args.wrong(rows, "a block of int32 with one axis");
    return std::nullopt;
  }
  shape[0] = args[rows].shape()[0];
  if (shape[0] < 8)
    return fail(args.range(rows), "takes at least 8 rows, found " + Twine(shape[0]));
  int64_t leastColumns = 32 / element.bits() * 8;
  if (shape[1] < leastColumns)
    return fail(args.callRange(), "of " + element.str() + " takes at least " + Twine(leastColumns) +
                                      " columns, found " + Twine(shape[1]));
  Object column = args.tensor(rows + 1);
  if (column.isPoison())
    return std::nullopt;
  if (column.isBlock() || !column.dtype().isInt() || column.dtype().bits() != 32) {
    args.wrong(rows + 1, "a scalar integer of 32 bits");
    return std::nullopt;
  }
  TensorOps &ops = in.tensors();
  Object::List offsets = {ops.constantInt(0, ScalarKind::Int32), column};
  TensorBlock block{element, descriptor.base(), descriptor.sizes(), descriptor.strides(), offsets,
                    shape,   args[rows]};
  return accessBlock(in, block, {0, 1});
}

/// gather(x_offsets, y_offset)
static Object gather(Interpreter &in, Args &args) {
  std::optional<BlockAccess> access = rowsAt(in, args, 1);
  return access ? loadThrough(in, args[0], *access) : Object::poison();
}

/// scatter(value, x_offsets, y_offset)
static Object scatter(Interpreter &in, Args &args) {
  std::optional<BlockAccess> access = rowsAt(in, args, 2);
  if (!access)
    return Object::poison();
  Object value = exactValue(in, args, 1, access->pointers.shape());
  return value.isPoison() ? value : storeThrough(in, *access, value);
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// Whether `kind` works on elements of this type, as hardware has it for whole blocks.
static bool works(AtomicKind kind, DType type) {
  if (kind == AtomicKind::Add)
    return type.isFP32() || type.isFP16() || type.isBF16() || type.isScalar(ScalarKind::Int32) ||
           type.isScalar(ScalarKind::UInt32) || type.isScalar(ScalarKind::UInt64);
  if ((kind == AtomicKind::MaxS || kind == AtomicKind::MinS) && (type.isFP16() || type.isBF16()))
    return true;
  return type.isInt() && type.bits() >= 32;
}

/// atomic_X(offsets, value): no result, and the value is not cast.
template <AtomicKind kind> static Object atomic(Interpreter &in, Args &args) {
  const Object &type = Descriptor(args[0]).type();
  if (!works(kind, type.dtype()))
    return in.error(args.callRange(), args.callee().fullName() +
                                          " does not work on elements of type " +
                                          type.dtype().str());
  Object value = exactValue(in, args, 2, shapeOfType(type));
  std::optional<BlockAccess> access = blockAt(in, args, 1);
  if (value.isPoison() || !access)
    return Object::poison();
  bool isUnsigned = type.dtype().isUnsignedInt();
  bool isFloat = type.dtype().isFloat();
  AtomicKind exact = kind;
  if (kind == AtomicKind::MaxS)
    exact = isFloat ? AtomicKind::MaxNum : isUnsigned ? AtomicKind::MaxU : kind;
  if (kind == AtomicKind::MinS)
    exact = isFloat ? AtomicKind::MinNum : isUnsigned ? AtomicKind::MinU : kind;
  tilec::tile::AtomicRMWOp::create(in.ir(), in.loc(), value.value().getType(), exact,
                                   access->pointers.value(), value.value(), access->mask.value(),
                                   tilec::tile::MemSemantic::Relaxed, tilec::tile::MemScope::GPU);
  return Object::none();
}

llvm::ArrayRef<Builtin> front::descriptorBuiltins() {
  static constexpr Builtin rows[] = {
      {"make_tensor_descriptor", "base, shape, strides, block_shape, padding_option='zero'",
       makeDescriptor},
      {"load_tensor_descriptor", "desc, offsets", load},
      {"store_tensor_descriptor", "desc, offsets, value", store},
  };
  return rows;
}

llvm::ArrayRef<Builtin> front::descriptorMethods() {
  static constexpr llvm::StringLiteral params = "self, offsets, value";
  static constexpr Builtin rows[] = {
      {"load", "self, offsets", load, 0, Space::Descriptor},
      {"store", params, store, 0, Space::Descriptor},
      {"gather", "self, x_offsets, y_offset", gather, 0, Space::Descriptor},
      {"scatter", "self, value, x_offsets, y_offset", scatter, 0, Space::Descriptor},
      {"atomic_add", params, atomic<AtomicKind::Add>, 0, Space::Descriptor},
      {"atomic_min", params, atomic<AtomicKind::MinS>, 0, Space::Descriptor},
      {"atomic_max", params, atomic<AtomicKind::MaxS>, 0, Space::Descriptor},
      {"atomic_and", params, atomic<AtomicKind::And>, 0, Space::Descriptor},
      {"atomic_or", params, atomic<AtomicKind::Or>, 0, Space::Descriptor},
      {"atomic_xor", params, atomic<AtomicKind::Xor>, 0, Space::Descriptor},
  };
  return rows;
}
