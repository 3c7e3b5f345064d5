//===- AccessCode.h - one memory access of a thread ------------*- C++ -*-===//
//
// An access without mask or hints is an ordinary load or store of a vector, which LLVM may move and
// combine. Any other becomes inline PTX: one predicated instruction, without a branch, whose
// destination already holds `other`.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H

#include "ThreadCode.h"

namespace mlir::tile {

/// How one access covers memory: `bytes` of it, a power of two up to 16, in elements of
/// `elementBytes`.
struct AccessShape;

/// A load of `type`: from where, and what it does where `predicate` (may be null) is false.
struct Access {
  Value ptr;
  Value predicate;
  Value other; // Null: 0.
  VectorType type;
};

/// What is particular about a load or store of global memory.
struct AccessHints {
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy evict = EvictionPolicy::Normal;
  bool isVolatile = false;
};

class AccessEmitter {
public:
  AccessEmitter(OpBuilder &builder, Location loc) : code(builder, loc), b(builder), loc(loc) {}

  Value loadGlobal(const Access &access, const AccessHints &hints);
  void storeGlobal(Value ptr, Value predicate, Value vector, const AccessHints &hints);
  /// From the shared memory of this CTA.
  Value loadShared(const Access &access);
  /// Starts copying 4, 8 or 16 bytes from global to shared memory.
  void copyAsync(Value shared, Value global, Value predicate, int64_t bytes);
  /// An instruction that other memory accesses do not move across.
  void instruction(StringRef text);

  ThreadCode code;

private:
  Value load(const Access &access, StringRef opcode);
  Value inlineAsm(Type result, ArrayRef<Value> operands, const Twine &text,
                  const Twine &constraints);
  SmallVector<Value> toRegisters(Value vector, const AccessShape &shape);
  Value fromRegisters(Value results, const AccessShape &shape, VectorType type);

  OpBuilder &b;
  Location loc;
};

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H
