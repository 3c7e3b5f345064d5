//===- AccessCode.cpp - one memory access of a thread ----------*- C++ -*-===//
//
// How a vector of elements is loaded, stored or copied by one PTX instruction: the vector is taken
// apart into registers of 16 to 64 bits, as the width of the access has them, and the text of the
// inline assembly names them. The patterns for accesses to global memory and for asynchronous
// copies call it.
//
//===----------------------------------------------------------------------===//

#include "AccessCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec::tile;

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
  StringRef constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  /// `{$first, $first+1, ..}`, or the bare operand when there is one.
  std::string operands(unsigned first) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count == 1 ? text : "{" + text + "}";
  }
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
/// operator exclude each other in PTX; the priority says more.
static std::string suffixOf(const AccessHints &hints) {
  if (hints.evict != EvictionPolicy::Normal)
    return evictionSuffix(hints.evict).str();
  return hints.cache == CacheModifier::None ? ""
                                            : ("." + stringifyCacheModifier(hints.cache)).str();
}

static int64_t bytesOf(VectorType type) {
  Type element = type.getElementType();
  int64_t bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  return bytes;
}

Value AccessEmitter::inlineAsm(Type result, ArrayRef<Value> operands, const Twine &text,
                               const Twine &constraints) {
  auto op = LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands, text.str(), constraints.str(),
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? op->getResult(0) : Value();
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

Value AccessEmitter::fromRegisters(Value results, const AccessShape &shape, VectorType type) {
  SmallVector<Value> words;
  for (unsigned i = 0; i < shape.count; ++i) {
    Value word =
        shape.count == 1 ? results : LLVM::ExtractValueOp::create(b, loc, results, i).getResult();
    if (shape.bits < shape.registerBits())
      word = arith::TruncIOp::create(b, loc, b.getIntegerType(shape.bits), word);
    words.push_back(word);
  }
  return code.fromWords(code.fromElements(words), type);
}

Value AccessEmitter::loadGlobal(const Access &access, const AccessHints &hints) {
  std::string suffix = suffixOf(hints);
  if (!access.predicate && suffix.empty())
    return LLVM::LoadOp::create(b, loc, access.type, access.ptr,
                                /*alignment=*/bytesOf(access.type) * access.type.getDimSize(0),
                                hints.isVolatile);
  return load(access, hints.isVolatile ? "ld.volatile.global" : "ld.global" + suffix);
}

void AccessEmitter::copyAsync(Value shared, Value global, Value predicate, Value mask,
                              int64_t bytes) {
  // Bytes that only this CTA reads need no place in the first-level cache.
  std::string text = bytes == 16 ? "cp.async.cg" : "cp.async.ca";
  std::string size = std::to_string(bytes);
  text += ".shared.global [$0], [$1], " + size;
  std::string constraints = "l,l";
  SmallVector<Value> operands = {shared, global};
  if (mask) {
    operands.push_back(mask);
    constraints += ",b";
    text += ", %bytes";
  }
  if (predicate) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    operands.push_back(predicate);
    constraints += ",b";
  }
  // ptxas makes a copy of 0 or all bytes one instruction where it sees the choice.
  if (mask)
    text = "{ .reg .b32 %bytes; selp.b32 %bytes, " + size + ", 0, $2; " + text + "; }";
  else
    text += ";";
  inlineAsm({}, operands, text, constraints + ",~{memory}");
}

void AccessEmitter::instruction(StringRef text) { inlineAsm({}, {}, text, "~{memory}"); }

Value AccessEmitter::load(const Access &access, StringRef opcode) {
  auto [ptr, predicate, other, type] = access;
  int64_t elementBytes = bytesOf(type), bytes = elementBytes * type.getDimSize(0);
  AccessShape shape(bytes, elementBytes);
  SmallVector<Value> operands = {ptr};
  std::string text, outputs, inputs = ",l";
  for (unsigned i = 0; i < shape.count; ++i)
    outputs += (i ? ",=&" : "=&") + shape.constraint().str();
  if (predicate) {
    // Registers that the load leaves alone must hold something: `other`, or 0.
    unsigned next = shape.count + 2;
    inputs += ",b";
    operands.push_back(predicate);
    SmallVector<Value> others = other ? toRegisters(other, shape) : SmallVector<Value>();
    for (unsigned i = 0; i < shape.count; ++i) {
      std::string source = other ? "$" + std::to_string(next + i) : "0";
      text += "mov.b" + std::to_string(shape.registerBits()) + " $" + std::to_string(i) + ", " +
              source + "; ";
      if (other) {
        inputs += "," + shape.constraint().str();
        operands.push_back(others[i]);
      }
    }
    text += "@$" + std::to_string(shape.count + 1) + " ";
  }
  text += opcode.str() + shape.suffix() + " " + shape.operands(0) + ", [$" +
          std::to_string(shape.count) + "];";
  Type word = b.getIntegerType(shape.registerBits());
  Type result =
      shape.count == 1
          ? word
          : LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(shape.count, word));
  return fromRegisters(inlineAsm(result, operands, text, outputs + inputs), shape, type);
}

void AccessEmitter::storeGlobal(Value ptr, Value predicate, Value vector,
                                const AccessHints &hints) {
  auto type = cast<VectorType>(vector.getType());
  int64_t elementBytes = bytesOf(type), bytes = elementBytes * type.getDimSize(0);
  std::string suffix = suffixOf(hints);
  if (!predicate && suffix.empty()) {
    LLVM::StoreOp::create(b, loc, vector, ptr, /*alignment=*/bytes);
    return;
  }
  AccessShape shape(bytes, elementBytes);
  SmallVector<Value> operands = {ptr};
  std::string inputs = "l", text;
  for (Value value : toRegisters(vector, shape)) {
    inputs += "," + shape.constraint().str();
    operands.push_back(value);
  }
  if (predicate) {
    inputs += ",b";
    operands.push_back(predicate);
    text = "@$" + std::to_string(shape.count + 1) + " ";
  }
  text += "st.global" + suffix + shape.suffix() + " [$0], " + shape.operands(1) + ";";
  inlineAsm({}, operands, text, inputs + ",~{memory}");
}
