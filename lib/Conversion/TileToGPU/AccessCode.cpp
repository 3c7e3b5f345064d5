//===- AccessCode.cpp - one memory access of a thread ----------*- C++ -*-===//
//
// How a vector of elements is loaded, stored or copied by one PTX instruction: the vector is taken
// apart into registers of 16 to 64 bits, as the width of the access has them, and these are
// operands of a call that stands for the instruction. The patterns for accesses to memory and for
// asynchronous copies call it.
//
//===----------------------------------------------------------------------===//

#include "AccessCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Support/Workarounds.h"
#include "tilec/Target/PTXAccess.h"

using namespace mlir;
using namespace tilec::tile;

AccessEmitter::AccessEmitter(OpBuilder &builder, Location loc)
    : code(builder, loc), b(builder), loc(loc),
      module(builder.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>()),
      hasPolicies(getTarget(builder.getInsertionBlock()->getParentOp())
                      .has(tilec::GpuFeature::L2CachePolicy)) {}

struct tilec::tile::AccessShape {
  /// For an access of `bytes` (a power of two up to 16) to elements of `elementBytes`.
  AccessShape(int64_t bytes, int64_t elementBytes)
      : bits(bytes >= 8 && elementBytes == 8 ? 64 : std::min<int64_t>(32, 8 * bytes)),
        count(8 * bytes / bits) {}

  unsigned bits;
  unsigned count;

  std::string suffix() const {
    std::string type = ".b" + std::to_string(bits);
    return count == 1 ? type : ".v" + std::to_string(count) + type;
  }
  /// Bytes travel in 16-bit registers, the smallest that PTX has.
  unsigned registerBits() const { return std::max(bits, 16u); }
};

static StringRef evictionSuffix(EvictionPolicy policy) {
  switch (policy) {
  case EvictionPolicy::Normal:
    return "";
  case EvictionPolicy::First:
    return ".L1::evict_first";
  case EvictionPolicy::Last:
    return ".L1::evict_last";
  }
  llvm_unreachable("all policies are covered");
}

/// The qualifiers between `ld.global` or `st.global` and the type. An eviction priority and a cache
/// operator exclude each other in PTX; the priority says more. The policy that `cache_hint` takes
/// is that of the priority.
std::string AccessEmitter::suffixOf(const AccessHints &hints) const {
  if (hints.evict != EvictionPolicy::Normal)
    return (evictionSuffix(hints.evict) + (hasPolicies ? ".L2::cache_hint" : "")).str();
  return hints.cache == CacheModifier::None ? ""
                                            : ("." + stringifyCacheModifier(hints.cache)).str();
}

static int64_t bytesOf(VectorType type) {
  Type element = type.getElementType();
  int64_t bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  return bytes;
}

SmallVector<Value> AccessEmitter::toRegisters(Value vector, const AccessShape &shape) {
  Value words = code.toWords(vector, shape.bits);
  SmallVector<Value> registers;
  for (unsigned i = 0; i < shape.count; ++i) {
    Value word = code.extract(words, i);
    if (shape.bits < shape.registerBits())
      word = arith::ExtUIOp::create(b, loc, b.getIntegerType(shape.registerBits()), word);
    registers.push_back(word);
  }
  return registers;
}

Value AccessEmitter::fromRegisters(ArrayRef<Value> registers, const AccessShape &shape,
                                   VectorType type) {
  SmallVector<Value> words;
  for (Value word : registers) {
    if (shape.bits < shape.registerBits())
      word = arith::TruncIOp::create(b, loc, b.getIntegerType(shape.bits), word);
    words.push_back(word);
  }
  return code.fromWords(code.fromElements(words), type);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What LLVM may assume that a call does to memory; null: anything.
static LLVM::MemoryEffectsAttr effectsOf(MemoryUse use, MLIRContext *context) {
  using LLVM::ModRefInfo;
  ModRefInfo none = ModRefInfo::NoModRef, onAddress = ModRefInfo::ModRef, beside = none;
  switch (use) {
  case MemoryUse::Anything:
    return {};
  case MemoryUse::Read:
    onAddress = ModRefInfo::Ref;
    break;
  case MemoryUse::Write:
    onAddress = ModRefInfo::Mod;
    break;
  case MemoryUse::ReadWrite:
    break;
  case MemoryUse::Volatile:
    beside = ModRefInfo::ModRef;
    break;
  }
  return LLVM::MemoryEffectsAttr::get(context, /*other=*/none, /*argMem=*/onAddress,
                                      /*inaccessibleMem=*/beside, /*errnoMem=*/none,
                                      /*targetMem0=*/none, /*targetMem1=*/none);
}

/// The declaration that stands for an instruction. It is neither convergent nor speculatable: where
/// its predicate is true it reads or writes an address that may be invalid on other paths.
static LLVM::LLVMFuncOp declare(ModuleOp module, StringRef opcode, MemoryUse use,
                                LLVM::LLVMFunctionType type) {
  std::string name = (tilec::kAccessPrefix + opcode).str();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  function.setMemoryEffectsAttr(effectsOf(use, builder.getContext()));
  function.setNoUnwind(true);
  function.setWillReturn(true);
  function.setPassthroughAttr(builder.getStrArrayAttr({"nocallback"}));
  function.setArgAttr(0, LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr());
  return function;
}

SmallVector<Value> AccessEmitter::call(StringRef opcode, MemoryUse use, Value ptr, Value predicate,
                                       ArrayRef<Value> registers, unsigned resultCount) {
  if (!predicate)
    predicate = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  SmallVector<Value> operands = {ptr};
  llvm::append_range(operands, registers);
  operands.push_back(predicate);
  Type word = registers[0].getType(), result = LLVM::LLVMVoidType::get(b.getContext());
  if (resultCount == 1)
    result = word;
  else if (resultCount > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(resultCount, word));
  auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(TypeRange(operands)));
  auto call = LLVM::CallOp::create(b, loc, declare(module, opcode, use, type), operands);
  if (resultCount == 1)
    return {call.getResult()};
  SmallVector<Value> results;
  for (unsigned i = 0; i < resultCount; ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, call.getResult(), i));
  return results;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Value AccessEmitter::loadGlobal(const Access &access, const AccessHints &hints) {
  std::string suffix = suffixOf(hints);
  if (!access.predicate && suffix.empty())
    return LLVM::LoadOp::create(b, loc, access.type, access.ptr,
                                /*alignment=*/bytesOf(access.type) * access.type.getDimSize(0),
                                hints.isVolatile);
  // By `cg` and `cv`, too, programs wait for what others write, so two such loads are not one.
  bool readsAgain = hints.isVolatile || suffix == ".cg" || suffix == ".cv";
  return load(access, hints.isVolatile ? "ld.volatile.global" : "ld.global" + suffix,
              readsAgain ? MemoryUse::Volatile : MemoryUse::Read);
}

Value AccessEmitter::load(const Access &access, StringRef opcode, MemoryUse use) {
  auto [ptr, predicate, other, type] = access;
  int64_t elementBytes = bytesOf(type), bytes = elementBytes * type.getDimSize(0);
  AccessShape shape(bytes, elementBytes);
  SmallVector<Value> others;
  if (other && predicate)
    others = toRegisters(other, shape);
  else
    others.assign(shape.count,
                  LLVM::PoisonOp::create(b, loc, b.getIntegerType(shape.registerBits())));
  SmallVector<Value> results =
      call(opcode.str() + shape.suffix(), use, ptr, predicate, others, shape.count);
  return fromRegisters(results, shape, type);
}

void AccessEmitter::storeGlobal(Value ptr, Value predicate, Value vector,
                                const AccessHints &hints) {
  std::string suffix = suffixOf(hints);
  if (!predicate && suffix.empty()) {
    auto type = cast<VectorType>(vector.getType());
    int64_t bytes = bytesOf(type) * type.getDimSize(0);
    LLVM::StoreOp::create(b, loc, vector, ptr, /*alignment=*/bytes);
    return;
  }
  store(ptr, predicate, vector, "st.global" + suffix);
}

// The back end makes a branch of it when the order of instructions is final.
void AccessEmitter::storeShared(Value ptr, Value predicate, Value vector) {
  unsigned space = cast<LLVM::LLVMPointerType>(ptr.getType()).getAddressSpace();
  store(ptr, predicate, vector, space == kSharedSpace ? "st.shared" : "st.shared::cluster");
}

void AccessEmitter::store(Value ptr, Value predicate, Value vector, StringRef opcode) {
  auto type = cast<VectorType>(vector.getType());
  int64_t elementBytes = bytesOf(type);
  AccessShape shape(elementBytes * type.getDimSize(0), elementBytes);
  call(opcode.str() + shape.suffix(), MemoryUse::Write, ptr, predicate, toRegisters(vector, shape),
       /*resultCount=*/0);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// What assembly without operands gives, in the block that the kernel, or the role, begins with.
Value AccessEmitter::constantOf(StringRef text, Type type) {
  Region *region = b.getInsertionBlock()->getParent();
  while (!isa<FunctionOpInterface, WarpRolesOp>(region->getParentOp()))
    region = region->getParentRegion();
  for (auto known : region->front().getOps<LLVM::InlineAsmOp>())
    if (known.getAsmString() == text)
      return known->getResult(0);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&region->front());
  return LLVM::InlineAsmOp::create(b, loc, type, ValueRange(), text, "=l",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      ->getResult(0);
}

Value AccessEmitter::policyOf(EvictionPolicy evict) {
  if (evict == EvictionPolicy::Normal || !hasPolicies)
    return {};
  StringRef which = evict == EvictionPolicy::First ? "first" : "last";
  return constantOf((tilec::kPolicyPrefix + which + ".b64 $0, 1.0;").str(), b.getI64Type());
}

/// A zero of which ptxas does not know that, and which it takes to be another in each lane: the
/// highest bit of the mask of lower lanes.
Value AccessEmitter::unknownZero() {
  return constantOf("{ .reg .b32 %mask; mov.u32 %mask, %lanemask_lt; shr.u32 %mask, %mask, 31; "
                    "cvt.u64.u32 $0, %mask; }",
                    b.getI64Type());
}

void AccessEmitter::copyAsync(Value shared, Value global, Value predicate, Value mask,
                              int64_t bytes, EvictionPolicy evict) {
  Value policy = policyOf(evict);
  // Bytes that only this CTA reads need no place in the first-level cache.
  std::string text = bytes == 16 ? "cp.async.cg" : "cp.async.ca";
  std::string size = std::to_string(bytes);
  text +=
      std::string(".shared.global") + (policy ? ".L2::cache_hint" : "") + " [$0], [$1], " + size;
  std::string constraints = "l,l";
  SmallVector<Value> operands = {shared, global};
  if (mask) {
    operands.push_back(mask);
    constraints += ",b";
    text += ", %bytes";
  }
  std::string place;
  if (policy) {
    text += ", $" + std::to_string(operands.size());
    operands.push_back(policy);
    constraints += ",l";
    if (tilec::isEnabled(tilec::Workaround::CopyPolicy)) {
      place = ".reg .b64 %place; or.b64 %place, $0, $" + std::to_string(operands.size()) + "; ";
      operands.push_back(unknownZero());
      constraints += ",l";
      text.replace(text.find("[$0]"), 4, "[%place]");
    }
  }
  if (predicate) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    operands.push_back(predicate);
    constraints += ",b";
  }
  // ptxas makes a copy of 0 or all bytes one instruction where it sees the choice.
  if (mask)
    text = ".reg .b32 %bytes; selp.b32 %bytes, " + size + ", 0, $2; " + text;
  text = place + text + ";";
  if (mask || !place.empty())
    text = "{ " + text + " }";
  inlineAsm(operands, text, constraints + ",~{memory}");
}

void AccessEmitter::instruction(StringRef text, Value shared, Value number) {
  SmallVector<Value, 2> operands;
  for (Value operand : {shared, number})
    if (operand)
      operands.push_back(operand);
  instruction(text, operands);
}

void AccessEmitter::instruction(StringRef text, ArrayRef<Value> operands) {
  std::string constraints;
  for (Value operand : operands)
    constraints += operand.getType().isInteger(32) ? "r," : "l,";
  inlineAsm(operands, text, constraints + "~{memory}");
}

void AccessEmitter::inlineAsm(ArrayRef<Value> operands, StringRef text, const Twine &constraints) {
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text.str(), constraints.str(),
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}
