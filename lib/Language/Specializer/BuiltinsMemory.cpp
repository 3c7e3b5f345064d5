//===- BuiltinsMemory.cpp - tl.load and tl.store ----------------*- C++ -*-===//
//
// Memory access through pointers and blocks of pointers. A load broadcasts pointer, mask and other
// together; a store broadcasts value and mask to the pointer and never the pointer itself. Buffers
// of booleans hold bytes: loads compare with 0, stores write the value as int8.
//
//===----------------------------------------------------------------------===//

#include "MemoryArgs.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {
/// The hints of one access.
struct Hints {
  tilec::tile::CacheModifier cache = tilec::tile::CacheModifier::None;
  tilec::tile::EvictionPolicy evict = tilec::tile::EvictionPolicy::Normal;
};

struct Spelling {
  StringRef text;
  tilec::tile::CacheModifier cache;
};
} // namespace

static constexpr Spelling loadModifiers[] = {{"", tilec::tile::CacheModifier::None},
                                             {".ca", tilec::tile::CacheModifier::CA},
                                             {".cg", tilec::tile::CacheModifier::CG},
                                             {".cv", tilec::tile::CacheModifier::CV}};
static constexpr Spelling storeModifiers[] = {{"", tilec::tile::CacheModifier::None},
                                              {".wb", tilec::tile::CacheModifier::WB},
                                              {".cg", tilec::tile::CacheModifier::CG},
                                              {".cs", tilec::tile::CacheModifier::CS},
                                              {".wt", tilec::tile::CacheModifier::WT}};

static std::optional<Hints> hintsOf(Interpreter &in, Args &args, unsigned cacheIndex,
                                    unsigned evictIndex, llvm::ArrayRef<Spelling> modifiers) {
  Hints hints;
  // None and False are the default, as '' is.
  auto textOf = [&](unsigned index) {
    bool isFalse = args[index].is(Object::Kind::Bool) && !args[index].asBool();
    return args[index].isNone() || isFalse ? std::optional<StringRef>("") : args.string(index);
  };
  std::optional<StringRef> cache = textOf(cacheIndex), evict = textOf(evictIndex);
  if (!cache || !evict)
    return std::nullopt;
  auto *known = llvm::find_if(modifiers, [&](const Spelling &s) { return s.text == *cache; });
  if (known == modifiers.end()) {
    std::string list;
    for (const Spelling &spelling : modifiers)
      list += (list.empty() ? "" : ", ") + ("'" + spelling.text + "'").str();
    in.error(args.range(cacheIndex),
             "unknown cache modifier '" + *cache + "'; expected one of " + list);
    return std::nullopt;
  }
  hints.cache = known->cache;
  if (*evict == "evict_first")
    hints.evict = tilec::tile::EvictionPolicy::First;
  else if (*evict == "evict_last")
    hints.evict = tilec::tile::EvictionPolicy::Last;
  else if (!evict->empty()) {
    in.error(args.range(evictIndex), "unknown eviction policy '" + *evict +
                                         "'; expected '', 'evict_first' or 'evict_last'");
    return std::nullopt;
  }
  return hints;
}

/// The mask as an int1 tensor; None gives an empty object of kind None.
static Object maskOf(Interpreter &in, Args &args, unsigned index) {
  const Object &mask = args[index];
  if (mask.isNone())
    return mask;
  if (mask.is(Object::Kind::Bool))
    return in.tensors().materialize(mask, args.range(index));
  if (!mask.isTensor() || !mask.dtype().isBool())
    return args.wrong(index, "a tensor of int1");
  return mask;
}

static bool rejectBlockPointerOptions(Interpreter &in, Args &args, unsigned boundary,
                                      unsigned padding) {
  for (unsigned index : {boundary, padding}) {
    const Object &value = args[index];
    // As Python has it: (0) is no tuple, but 0, which is none as well.
    bool empty = value.isTuple()               ? value.elements().empty()
                 : value.is(Object::Kind::Int) ? value.asInt().isZero()
                                               : value.isString() && value.asString().empty();
    if (!args.given(index) || empty)
      continue;
    in.error(args.range(index), "boundary checks and padding are for block pointers only");
    return true;
  }
  return false;
}

Object front::pointerOf(Args &args) {
  const Object &pointer = args[0];
  if (!pointer.isTensor() || !pointer.dtype().isPointer())
    return args.wrong(0, "a pointer or a block of pointers");
  return pointer;
}

/// The type in memory behind a pointer.
static DType storageOf(DType pointer) {
  return pointer.pointee().isBool() ? DType(ScalarKind::Int8) : pointer.pointee();
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

static Object loadScalarChecked(Interpreter &in, Args &args, const Object &pointer,
                                const Object &mask, const Object &other) {
  if (!pointer.isBlock() &&
      ((mask.isTensor() && mask.isBlock()) || (other.isTensor() && other.isBlock())))
    return in.error(args.range(mask.isTensor() && mask.isBlock() ? 1 : 2),
                    "a scalar pointer takes a scalar mask and other, found " +
                        (mask.isTensor() && mask.isBlock() ? mask : other).typeStr());
  return pointer;
}

tilec::tile::LoadOp front::loadBlock(Interpreter &in, const BlockAccess &access, DType element,
                                     bool isNan) {
  TensorOps &ops = in.tensors();
  llvm::ArrayRef<int64_t> shape = access.pointers.shape();
  mlir::Value mask, other;
  if (access.mask.isTensor()) {
    mask = access.mask.value();
    Object fill = ops.zero(element, {});
    // Of 8-bit floats with a NaN, this is one.
    if (isNan && element.isFP8())
      fill = ops.bitcast(ops.constantInt(0x7f, ScalarKind::UInt8), element, in.here());
    else if (isNan)
      fill = ops.constant(Object::real(NAN), element, in.here());
    other = ops.splat(fill, shape).value();
  }
  return tilec::tile::LoadOp::create(in.ir(), in.loc(), access.pointers.value(), mask, other);
}

/// Through a block pointer: no mask, no other.
static Object loadByPointer(Interpreter &in, Args &args) {
  std::optional<Hints> hints = hintsOf(in, args, 5, 6, loadModifiers);
  std::optional<bool> isVolatile = args.boolean(7);
  std::optional<StringRef> padding = args.string(4);
  for (unsigned index : {1, 2})
    if (!args[index].isNone())
      return in.error(args.range(index), "a block pointer takes no mask and no other; use "
                                         "boundary_check and padding_option");
  std::optional<BlockAccess> access = blockAccess(in, args, 3);
  if (!hints || !isVolatile || !padding || !access)
    return Object::poison();
  DType type = args[0].elements().front().dtype();
  bool isNan = *padding == "nan";
  if (!isNan && *padding != "zero" && !padding->empty())
    return in.error(args.range(4),
                    "unknown padding '" + *padding + "'; expected '', 'zero' or 'nan'");
  if (isNan && !type.isStandardFloat())
    return in.error(args.range(4), "only floats can be padded with NaN, found " + type.str());
  tilec::tile::LoadOp op = loadBlock(in, *access, type, isNan);
  op.setCache(hints->cache);
  op.setEvict(hints->evict);
  op.setIsVolatile(*isVolatile);
  return Object::tensor(op.getResult(), type);
}

/// load(pointer, mask, other, boundary_check, padding_option, cache_modifier, eviction_policy,
/// volatile)
static Object load(Interpreter &in, Args &args) {
  if (args[0].isBlockPointer())
    return loadByPointer(in, args);
  TensorOps &ops = in.tensors();
  Object pointer = pointerOf(args), mask = maskOf(in, args, 1);
  std::optional<Hints> hints = hintsOf(in, args, 5, 6, loadModifiers);
  std::optional<bool> isVolatile = args.boolean(7);
  if (pointer.isPoison() || mask.isPoison() || !hints || !isVolatile ||
      rejectBlockPointerOptions(in, args, 3, 4))
    return Object::poison();
  DType storage = storageOf(pointer.dtype());
  Object other = args[2];
  if (!other.isNone()) {
    if (mask.isNone())
      return in.error(args.range(2), "'other' needs a mask");
    other = args.tensor(2);
    if (!other.isPoison())
      other = ops.cast(other, storage, args.range(2));
  }
  if (other.isPoison() || loadScalarChecked(in, args, pointer, mask, other).isPoison())
    return Object::poison();
  llvm::SmallVector<Object, 3> parts = {pointer};
  if (mask.isTensor())
    parts.push_back(mask);
  if (!ops.broadcastAll(parts, args.callRange()))
    return Object::poison();
  if (other.isTensor()) {
    std::optional<llvm::SmallVector<int64_t>> shape =
        ops.broadcastShape(parts[0].shape(), other.shape(), args.range(2));
    if (!shape)
      return Object::poison();
    if (llvm::ArrayRef<int64_t>(*shape) != parts[0].shape())
      return in.error(args.range(2), "'other' of type " + other.typeStr() +
                                         " is larger than pointer and mask " +
                                         shapeStr(parts[0].shape()));
    other = ops.broadcastTo(other, *shape);
  }
  auto op = tilec::tile::LoadOp::create(in.ir(), in.loc(), parts[0].value(),
                                        parts.size() > 1 ? parts[1].value() : mlir::Value(),
                                        other.isTensor() ? other.value() : mlir::Value());
  op.setCache(hints->cache);
  op.setEvict(hints->evict);
  op.setIsVolatile(*isVolatile);
  Object result = Object::tensor(op.getResult(), storage);
  return pointer.dtype().pointee().isBool() ? ops.toBool(result, args.callRange()) : result;
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

Object front::toPointerShape(Interpreter &in, const Object &tensor, const Object &pointer,
                             llvm::SMRange range, StringRef what) {
  if (!pointer.isBlock() && tensor.isBlock())
    return in.error(range,
                    "a scalar pointer takes a scalar " + what + ", found " + tensor.typeStr());
  std::optional<llvm::SmallVector<int64_t>> shape =
      in.tensors().broadcastShape(pointer.shape(), tensor.shape(), range);
  if (!shape)
    return Object::poison();
  if (llvm::ArrayRef<int64_t>(*shape) != pointer.shape())
    return in.error(range, "the pointer has the shape " + shapeStr(pointer.shape()) + ", but the " +
                               what + " needs " + shapeStr(*shape) +
                               "; only a load broadcasts the pointer");
  return in.tensors().broadcastTo(tensor, *shape);
}

/// Through a block pointer: no mask, and nothing is cast.
static Object storeByPointer(Interpreter &in, Args &args) {
  Object value = args.tensor(1);
  std::optional<Hints> hints = hintsOf(in, args, 4, 5, storeModifiers);
  if (!args[2].isNone())
    return in.error(args.range(2), "a block pointer takes no mask; use boundary_check");
  std::optional<BlockAccess> access = blockAccess(in, args, 3);
  if (value.isPoison() || !hints || !access)
    return Object::poison();
  DType type = args[0].elements().front().dtype();
  if (value.dtype() != type || (value.isBlock() && value.shape() != access->pointers.shape()))
    return in.error(args.range(1), "a store through a block pointer converts nothing: expected " +
                                       typeStr(type, access->pointers.shape()) + ", found " +
                                       value.typeStr());
  if (access->isConst)
    return in.error(args.range(0), "cannot store through a pointer to const");
  value = in.tensors().broadcastTo(value, access->pointers.shape());
  auto op =
      tilec::tile::StoreOp::create(in.ir(), in.loc(), access->pointers.value(), value.value(),
                                   access->mask.isTensor() ? access->mask.value() : mlir::Value());
  op.setCache(hints->cache);
  op.setEvict(hints->evict);
  return Object::none();
}

/// store(pointer, value, mask, boundary_check, cache_modifier, eviction_policy)
static Object store(Interpreter &in, Args &args) {
  if (args[0].isBlockPointer())
    return storeByPointer(in, args);
  Object pointer = pointerOf(args), value = args.tensor(1), mask = maskOf(in, args, 2);
  std::optional<Hints> hints = hintsOf(in, args, 4, 5, storeModifiers);
  if (pointer.isPoison() || value.isPoison() || mask.isPoison() || !hints ||
      rejectBlockPointerOptions(in, args, 3, 3))
    return Object::poison();
  if (pointer.dtype().isConst)
    return in.error(args.range(0), "cannot store through a pointer to const");
  value = in.tensors().cast(value, storageOf(pointer.dtype()), args.range(1));
  if (value.isPoison())
    return value;
  value = toPointerShape(in, value, pointer, args.range(1), "value");
  if (mask.isTensor())
    mask = toPointerShape(in, mask, pointer, args.range(2), "mask");
  if (value.isPoison() || mask.isPoison())
    return Object::poison();
  auto op = tilec::tile::StoreOp::create(in.ir(), in.loc(), pointer.value(), value.value(),
                                         mask.isTensor() ? mask.value() : mlir::Value());
  op.setCache(hints->cache);
  op.setEvict(hints->evict);
  return Object::none();
}

llvm::ArrayRef<Builtin> front::memoryBuiltins() {
  static constexpr Builtin rows[] = {
      {"load",
       "pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', "
       "eviction_policy='', volatile=False",
       load},
      {"store",
       "pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy=''", store,
       IsMethod},
  };
  return rows;
}
