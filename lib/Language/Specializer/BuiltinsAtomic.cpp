//===- BuiltinsAtomic.cpp - Atomic operations -------------------*- C++ -*-===//
//
// The value and the mask are broadcast to the pointer and the value is cast, but for atomic_cas,
// which does neither. Floats are exchanged and compared as bit patterns. Maximum and minimum of
// floats are integer operations on the bit pattern: as signed integers for values without sign bit,
// and as unsigned integers, with the order reversed, for the others.
//
//===----------------------------------------------------------------------===//

#include "MemoryArgs.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {

/// Memory order and scope of one operation.
struct Order {
  tilec::tile::MemSemantic sem = tilec::tile::MemSemantic::AcqRel;
  tilec::tile::MemScope scope = tilec::tile::MemScope::GPU;
};

/// What the operations change.
struct Target {
  Object pointer, value, mask; // mask: None where there is none.
};

} // namespace

template <typename Enum>
static bool readChoice(Interpreter &in, Args &args, unsigned index,
                       std::optional<Enum> (*parse)(StringRef), StringRef list, Enum &choice) {
  if (args[index].isNone())
    return true;
  std::optional<StringRef> text = args.string(index);
  if (!text)
    return false;
  if (std::optional<Enum> known = parse(*text)) {
    choice = *known;
    return true;
  }
  in.error(args.range(index), "unknown name '" + *text + "'; expected one of " + list);
  return false;
}

static std::optional<Order> orderOf(Interpreter &in, Args &args, unsigned semIndex) {
  Order order;
  if (!readChoice(in, args, semIndex, tilec::tile::symbolizeMemSemantic,
                  "'relaxed', 'acquire', 'release', 'acq_rel'", order.sem) ||
      !readChoice(in, args, semIndex + 1, tilec::tile::symbolizeMemScope, "'gpu', 'cta', 'sys'",
                  order.scope))
    return std::nullopt;
  return order;
}

/// The pointer, which must not be to const.
static Object writablePointer(Interpreter &in, Args &args) {
  Object pointer = pointerOf(args);
  if (!pointer.isPoison() && pointer.dtype().isConst)
    return in.error(args.range(0),
                    args.callee().fullName() + " cannot write through a pointer to const");
  return pointer;
}

static ScalarKind integerOf(unsigned bits, bool isSigned) {
  switch (bits) {
  case 16:
    return isSigned ? ScalarKind::Int16 : ScalarKind::UInt16;
  case 32:
    return isSigned ? ScalarKind::Int32 : ScalarKind::UInt32;
  default:
    return isSigned ? ScalarKind::Int64 : ScalarKind::UInt64;
  }
}

/// Pointer and value argument as the operation works on them; nothing after an error.
static std::optional<Target> targetOf(Interpreter &in, Args &args) {
  Target target{writablePointer(in, args), args.tensor(1), args[2]};
  if (target.pointer.isPoison() || target.value.isPoison())
    return std::nullopt;
  if (!target.mask.isNone() && !(target.mask.isTensor() && target.mask.dtype().isBool())) {
    args.wrong(2, "a tensor of int1 or None");
    return std::nullopt;
  }
  target.value = in.tensors().cast(target.value, target.pointer.dtype().pointee(), args.range(1));
  if (target.value.isPoison())
    return std::nullopt;
  target.value = toPointerShape(in, target.value, target.pointer, args.range(1), "value");
  if (target.mask.isTensor())
    target.mask = toPointerShape(in, target.mask, target.pointer, args.range(2), "mask");
  if (target.value.isPoison() || target.mask.isPoison())
    return std::nullopt;
  return target;
}

/// The target with pointer and value seen as integers of the same width.
static Target asIntegers(Interpreter &in, const Target &target, bool isSigned,
                         llvm::SMRange range) {
  ScalarKind kind = integerOf(target.value.dtype().bits(), isSigned);
  TensorOps &ops = in.tensors();
  return {ops.cast(target.pointer, DType::pointerTo(kind), range),
          ops.bitcast(target.value, kind, range), target.mask};
}

static Object emit(Interpreter &in, tilec::tile::AtomicKind kind, const Target &target,
                   Order order) {
  auto op = tilec::tile::AtomicRMWOp::create(
      in.ir(), in.loc(), target.value.value().getType(), kind, target.pointer.value(),
      target.value.value(), target.mask.isTensor() ? target.mask.value() : mlir::Value(), order.sem,
      order.scope);
  return Object::tensor(op.getResult(), target.value.dtype());
}

/// Maximum or minimum of floats: where the value has no sign bit, of the bit patterns as signed
/// integers; where it has, the opposite of them as unsigned ones.
static Object floatExtreme(Interpreter &in, const Target &target, bool isMax, Order order,
                           llvm::SMRange range) {
  TensorOps &ops = in.tensors();
  Target bits = asIntegers(in, target, /*isSigned=*/true, range);
  Object negative = ops.rawCompare(ast::CompareOp::Lt, bits.value,
                                   ops.zero(bits.value.dtype(), bits.value.shape()));
  Object positive = ops.unary(ast::UnaryOpKind::Invert, negative, range);
  auto under = [&](const Object &condition) {
    return target.mask.isTensor() ? ops.rawBinary(ast::BinaryOp::And, target.mask, condition)
                                  : condition;
  };
  Target onPositive{bits.pointer, bits.value, under(positive)};
  Target onNegative{bits.pointer, bits.value, under(negative)};
  Object first = emit(in, isMax ? tilec::tile::AtomicKind::MaxS : tilec::tile::AtomicKind::MinS,
                      onPositive, order);
  Object second = emit(in, isMax ? tilec::tile::AtomicKind::MinU : tilec::tile::AtomicKind::MaxU,
                       onNegative, order);
  return ops.bitcast(ops.select(positive, first, second), target.value.dtype(), range);
}

/// Why the operation does not work on elements of this type; "" when it does.
static std::string typeProblem(DType type, bool isBitwise, bool isAdd) {
  bool isHalf = type.isFP16() || type.isBF16();
  if (type.isPointer() || type.bits() < 16 || (type.isInt() && type.bits() == 16) ||
      (isHalf && !isAdd) || (type.isFloat() && isBitwise))
    return "does not work on elements of type " + type.str();
  return "";
}

/// atomic_X(pointer, val, mask, sem, scope)
template <tilec::tile::AtomicKind kind> static Object atomic(Interpreter &in, Args &args) {
  constexpr bool isExtreme =
      kind == tilec::tile::AtomicKind::MaxS || kind == tilec::tile::AtomicKind::MinS;
  constexpr bool isBitwise = kind == tilec::tile::AtomicKind::And ||
                             kind == tilec::tile::AtomicKind::Or ||
                             kind == tilec::tile::AtomicKind::Xor;
  Object pointer = writablePointer(in, args);
  std::optional<Order> order = orderOf(in, args, 3);
  if (pointer.isPoison() || !order)
    return Object::poison();
  DType type = pointer.dtype().pointee();
  if (std::string why = typeProblem(type, isBitwise, kind == tilec::tile::AtomicKind::Add);
      !why.empty())
    return in.error(args.range(0), args.callee().fullName() + " " + why);
  std::optional<Target> target = targetOf(in, args);
  if (!target)
    return Object::poison();
  if (isExtreme && type.isFloat())
    return floatExtreme(in, *target, kind == tilec::tile::AtomicKind::MaxS, *order,
                        args.callRange());
  if (isExtreme && type.isUnsignedInt())
    return emit(in,
                kind == tilec::tile::AtomicKind::MaxS ? tilec::tile::AtomicKind::MaxU
                                                      : tilec::tile::AtomicKind::MinU,
                *target, *order);
  if (kind != tilec::tile::AtomicKind::Exchange || type.isInt())
    return emit(in, kind, *target, *order);
  Target bits = asIntegers(in, *target, /*isSigned=*/true, args.callRange());
  return in.tensors().bitcast(emit(in, kind, bits, *order), type, args.callRange());
}

/// atomic_cas(pointer, cmp, val, sem, scope): neither casts nor broadcasts. Integers of one size
/// have the same bits.
static Object compareAndSwap(Interpreter &in, Args &args) {
  Object pointer = pointerOf(args), expected = args.tensor(1), value = args.tensor(2);
  std::optional<Order> order = orderOf(in, args, 3);
  if (pointer.isPoison() || expected.isPoison() || value.isPoison() || !order)
    return Object::poison();
  DType type = pointer.dtype().pointee();
  for (Object *operand : {&expected, &value})
    if (type.isInt() && operand->dtype().isInt() && operand->dtype().bits() == type.bits())
      *operand = in.tensors().bitcast(*operand, type, args.callRange());
  if (type.isPointer() || type.bits() < 16)
    return in.error(args.range(0), "tl.atomic_cas does not work on elements of type " + type.str());
  for (unsigned index : {1, 2}) {
    const Object &operand = index == 1 ? expected : value;
    if (operand.dtype() != type || operand.shape() != pointer.shape())
      return in.error(args.range(index), "tl.atomic_cas converts nothing: expected " +
                                             typeStr(type, pointer.shape()) + ", found " +
                                             operand.typeStr());
  }
  Target bits = asIntegers(in, {pointer, value, Object::none()}, true, args.callRange());
  Object wanted = in.tensors().bitcast(expected, bits.value.dtype(), args.callRange());
  auto op = tilec::tile::AtomicCASOp::create(in.ir(), in.loc(), bits.value.value().getType(),
                                             bits.pointer.value(), wanted.value(),
                                             bits.value.value(), order->sem, order->scope);
  return in.tensors().bitcast(Object::tensor(op.getResult(), bits.value.dtype()), type,
                              args.callRange());
}

/// debug_barrier()
static Object barrier(Interpreter &in, Args &) {
  tilec::tile::BarrierOp::create(in.ir(), in.loc());
  return Object::none();
}

llvm::ArrayRef<Builtin> front::atomicBuiltins() {
  using Kind = tilec::tile::AtomicKind;
  static constexpr llvm::StringLiteral params = "pointer, val, mask=None, sem=None, scope=None";
  static constexpr Builtin rows[] = {
      {"atomic_add", params, atomic<Kind::Add>, IsMethod},
      {"atomic_and", params, atomic<Kind::And>, IsMethod},
      {"atomic_or", params, atomic<Kind::Or>, IsMethod},
      {"atomic_xor", params, atomic<Kind::Xor>, IsMethod},
      {"atomic_max", params, atomic<Kind::MaxS>, IsMethod},
      {"atomic_min", params, atomic<Kind::MinS>, IsMethod},
      {"atomic_xchg", params, atomic<Kind::Exchange>, IsMethod},
      {"atomic_cas", "pointer, cmp, val, sem=None, scope=None", compareAndSwap, IsMethod},
      {"debug_barrier", "", barrier},
  };
  return rows;
}
