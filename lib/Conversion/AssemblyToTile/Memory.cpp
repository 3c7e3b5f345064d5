//===- Memory.cpp - accesses to memory --------------------------*- C++ -*-===//
//
// Loads, stores and atomic operations on global memory become those of tiles, one for each element
// of a vector. What only gives hints to caches, or orders the accesses of threads of which a CPU
// has one, is nothing.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

/// The address plus `distance` bytes, as pointers to `element`; null after an error.
static Value pointerOf(Machine &machine, const Operand &operand, Type element, uint64_t distance) {
  Code &code = machine.code;
  if (operand.form != Operand::Address) {
    (void)machine.fail("expected an address in brackets");
    return {};
  }
  Value address = machine.read(operand.parts[0], {Kind::Bits, "", 64});
  if (!address)
    return {};
  address = code.add(address, code.number(64, operand.bits + distance));
  return code.make<tile::IntToPtrOp>(code.like(tile::PtrType::get(element)), address);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

namespace {

/// What the opcode of an access says.
struct Access {
  NumberType type;
  unsigned count = 1; // elements of the vector
  bool isVolatile = false;
  bool isAtomic = false; // in one step, and in order with others
  bool hasPolicy = false;

  Type element(Code &code) const { return code.integerType(type.bits); }
};

} // namespace

/// Takes the words that are hints, or say what is so anyway.
static void dropHints(Opcode &opcode, StringRef known) {
  llvm::erase_if(opcode.words, [&](StringRef word) {
    bool isLevel =
        word != "L2::cache_hint" && (word.starts_with("L1::") || word.starts_with("L2::"));
    return isLevel || isIn(known, word);
  });
}

/// Where scalar code may not touch memory, an error.
static LogicalResult checkPlace(Machine &machine) {
  if (machine.isInScalarCode())
    return machine.fail("code on single elements must not access memory");
  return success();
}

static std::optional<Access> readAccess(Machine &machine, Opcode &opcode, StringRef hints) {
  static constexpr char types[] = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
  if (opcode.types.size() != 1 || !isIn(types, opcode.typeNames[0])) {
    (void)machine.failUnsupported();
    return std::nullopt;
  }
  Access access{opcode.types[0]};
  for (unsigned count : {2, 4, 8})
    if (opcode.take(("v" + Twine(count)).str()))
      access.count = count;
  access.isVolatile = opcode.take("volatile") || opcode.has("cv");
  for (const char *order : {"relaxed", "acquire", "release"})
    if (opcode.take(order))
      access.isAtomic = true;
  if (access.isAtomic)
    dropHints(opcode, "cta cluster gpu sys");
  access.hasPolicy = opcode.take("L2::cache_hint");
  dropHints(opcode, hints);
  bool isAtomicSize = access.count == 1 && (access.type.bits == 32 || access.type.bits == 64);
  if (access.isAtomic && !isAtomicSize) {
    (void)machine.failUnsupported();
    return std::nullopt;
  }
  if (failed(machine.finish(opcode)) || failed(checkPlace(machine)) ||
      failed(machine.expectOperands(access.hasPolicy ? 3 : 2)) ||
      (access.hasPolicy && failed(machine.readPolicy(machine.operands()[2]))))
    return std::nullopt;
  return access;
}

/// The registers of an access, as many as it has elements.
static std::optional<ArrayRef<Operand>> registersOf(Machine &machine, const Access &access,
                                                    const Operand &operand) {
  ArrayRef<Operand> list =
      operand.form == Operand::List ? ArrayRef<Operand>(operand.parts) : ArrayRef<Operand>(operand);
  if (list.size() == access.count)
    return list;
  (void)machine.fail("the access takes " + Twine(access.count) + " registers, found " +
                     Twine(list.size()));
  return std::nullopt;
}

/// An atomic operation that gives the old value.
static Value change(Machine &machine, tile::AtomicKind kind, Value pointer, Value value) {
  Code &code = machine.code;
  return code.make<tile::AtomicRMWOp>(value.getType(), kind, pointer, value, machine.guard(),
                                      tile::MemSemantic::AcqRel, tile::MemScope::System,
                                      /*firstOnly=*/false);
}

static LogicalResult load(Machine &machine, Opcode &opcode) {
  std::optional<Access> access = readAccess(machine, opcode, "global nc ca cg cs lu cv weak");
  if (!access)
    return failure();
  Code &code = machine.code;
  std::optional<ArrayRef<Operand>> to = registersOf(machine, *access, machine.operands()[0]);
  if (!to)
    return failure();
  Type element = access->element(code);
  SmallVector<Value> loaded;
  // All addresses before a result replaces a register that has one.
  for (unsigned i = 0; i < access->count; ++i) {
    Value pointer = pointerOf(machine, machine.operands()[1], element, i * access->type.bits / 8);
    if (!pointer)
      return failure();
    loaded.push_back(
        access->isAtomic
            ? change(machine, tile::AtomicKind::Or, pointer, code.number(access->type.bits, 0))
            : code.make<tile::LoadOp>(pointer, machine.guard(), /*other=*/Value(),
                                      tile::CacheModifier::None, tile::EvictionPolicy::Normal,
                                      access->isVolatile));
  }
  for (auto [operand, value] : llvm::zip(*to, loaded))
    if (failed(machine.write(operand, value, access->type, /*mayBeWider=*/true)))
      return failure();
  return success();
}

static LogicalResult store(Machine &machine, Opcode &opcode) {
  std::optional<Access> access = readAccess(machine, opcode, "global wb cg cs wt weak");
  if (!access)
    return failure();
  std::optional<ArrayRef<Operand>> from = registersOf(machine, *access, machine.operands()[1]);
  if (!from)
    return failure();
  Type element = access->element(machine.code);
  for (unsigned i = 0; i < access->count; ++i) {
    Value pointer = pointerOf(machine, machine.operands()[0], element, i * access->type.bits / 8);
    Value value = pointer ? machine.read((*from)[i], access->type, /*mayBeWider=*/true) : Value();
    if (!value)
      return failure();
    if (!access->isAtomic && !access->isVolatile)
      machine.code.storeTo(pointer, value, machine.guard());
    else if (access->type.bits < 32)
      return machine.failUnsupported();
    else
      (void)change(machine, tile::AtomicKind::Exchange, pointer, value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// The operation that `word` and the type ask for.
static std::optional<tile::AtomicKind> atomicKind(StringRef word, const NumberType &type) {
  bool isInteger = type.isInteger(), isBits = type.kind == Kind::Bits;
  using Kinds = tile::AtomicKind;
  // Sums of u64 are those of s64, too, which has no name of its own.
  if (word == "add" && (isInteger || type.isFloat()) && !(type.isSigned() && type.bits == 64))
    return Kinds::Add;
  if (isBits)
    return llvm::StringSwitch<std::optional<Kinds>>(word)
        .Case("and", Kinds::And)
        .Case("or", Kinds::Or)
        .Case("xor", Kinds::Xor)
        .Case("exch", Kinds::Exchange)
        .Default(std::nullopt);
  if (isInteger && (word == "min" || word == "max"))
    return word == "min" ? (type.isSigned() ? Kinds::MinS : Kinds::MinU)
                         : (type.isSigned() ? Kinds::MaxS : Kinds::MaxU);
  return std::nullopt;
}

/// "atom.global.add.u32 d, [a], b;" and "red", which has no result.
template <bool hasResult> static LogicalResult atomic(Machine &machine, Opcode &opcode) {
  static constexpr char types[] = "b32 b64 u32 u64 s32 s64 f16 bf16 f32 f64";
  if (opcode.types.size() != 1 || !isIn(types, opcode.typeNames[0]))
    return machine.failUnsupported();
  Code &code = machine.code;
  NumberType type = opcode.types[0];
  bool hasPolicy = opcode.take("L2::cache_hint");
  dropHints(opcode, "global relaxed acquire release acq_rel cta cluster gpu sys");
  // Sums of halves say that they keep subnormal numbers.
  bool isHalf = type.isFloat() && type.bits == 16;
  if (opcode.take("noftz") != isHalf)
    return machine.failUnsupported();
  std::optional<tile::AtomicKind> kind =
      opcode.words.size() == 1 ? atomicKind(opcode.words[0], type) : std::nullopt;
  if (!kind || (!hasResult && *kind == tile::AtomicKind::Exchange))
    return machine.failUnsupported();
  size_t count = (hasResult ? 3 : 2) + (hasPolicy ? 1 : 0);
  if (failed(checkPlace(machine)) || failed(machine.expectOperands(count)))
    return failure();
  ArrayRef<Operand> operands = machine.operands();
  Type element = type.isFloat() ? code.floatType(type) : code.integerType(type.bits);
  Value pointer = pointerOf(machine, operands[hasResult], element, 0);
  Value value = pointer ? machine.read(operands[hasResult + 1], type) : Value();
  if (!value || (hasPolicy && failed(machine.readPolicy(operands.back()))))
    return failure();
  value = type.isFloat() ? code.fromBits(value, element) : value;
  Value old = change(machine, *kind, pointer, value);
  return hasResult ? machine.write(operands[0], code.toBits(old), type) : success();
}

//===----------------------------------------------------------------------===//
// What is nothing
//===----------------------------------------------------------------------===//

static LogicalResult nothing(Machine &, Opcode &) { return success(); }

/// "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;"
static LogicalResult createPolicy(Machine &machine, Opcode &) {
  if (failed(machine.expectOperands(1, 4)))
    return failure();
  return machine.writePolicy(machine.operands()[0]);
}

ArrayRef<Special> tilec::assembly::memorySpecials() {
  static constexpr Special rows[] = {
      {"ld", load},
      {"st", store},
      {"atom", atomic<true>},
      {"red", atomic<false>},
      {"prefetch", nothing},
      {"prefetchu", nothing},
      {"applypriority", nothing},
      {"griddepcontrol", nothing},
      {"membar", nothing},
      {"fence", nothing},
      {"nanosleep", nothing},
      {"createpolicy", createPolicy},
  };
  return rows;
}
