//===- AccessCode.h - one memory access of a thread ------------*- C++ -*-===//
//
// An access without mask or hints is an ordinary load or store of a vector. Any other is a call
// that stands for one predicated PTX instruction (tilec/Target/PTXAccess.h), without a branch,
// whose destination already holds `other`. LLVM may move and combine both.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H

#include "ThreadCode.h"

namespace tilec::tile {

/// How one access covers memory: `bytes` of it, a power of two up to 16, in elements of
/// `elementBytes`.
struct AccessShape;

/// A load of `type`: from where, and what it does where `predicate` (may be null) is false.
struct Access {
  mlir::Value ptr;
  mlir::Value predicate;
  mlir::Value other; // Null: 0.
  mlir::VectorType type;
};

/// What is particular about a load or store of global memory.
struct AccessHints {
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy evict = EvictionPolicy::Normal;
  bool isVolatile = false;
};

/// What an instruction does to memory: to that at its address, or to all that other threads see.
enum class MemoryUse { Read, Write, ReadWrite, Volatile, Anything };

class AccessEmitter {
public:
  /// To be made where `builder` inserts into a module.
  AccessEmitter(mlir::OpBuilder &builder, mlir::Location loc);

  mlir::Value loadGlobal(const Access &access, const AccessHints &hints);
  void storeGlobal(mlir::Value ptr, mlir::Value predicate, mlir::Value vector,
                   const AccessHints &hints);
  /// From the shared memory of this CTA.
  mlir::Value loadShared(const Access &access) {
    return load(access, "ld.shared", MemoryUse::Read);
  }
  /// To the shared memory of this CTA, or of any in the cluster if `ptr` is such an address, where
  /// `predicate` holds.
  void storeShared(mlir::Value ptr, mlir::Value predicate, mlir::Value vector);
  /// Any instruction that takes an address: tilec/Target/PTXAccess.h says what operands and results
  /// there are. `predicate` may be null.
  llvm::SmallVector<mlir::Value> call(llvm::StringRef opcode, MemoryUse use, mlir::Value ptr,
                                      mlir::Value predicate, llvm::ArrayRef<mlir::Value> registers,
                                      unsigned resultCount);
  /// Starts copying 4, 8 or 16 bytes from global to shared memory where `predicate` holds; zeros
  /// instead where `mask` does not. Either may be null.
  void copyAsync(mlir::Value shared, mlir::Value global, mlir::Value predicate, mlir::Value mask,
                 int64_t bytes, EvictionPolicy evict);
  /// What instructions with `.L2::cache_hint` take; null where there is nothing to ask for, or the
  /// target has no policies.
  mlir::Value policyOf(EvictionPolicy evict);
  /// An instruction that other memory accesses do not move across; `$0` in it is an address in
  /// shared memory, `$1` a number of 32 bits.
  void instruction(llvm::StringRef text, mlir::Value shared = {}, mlir::Value number = {});
  /// The same with any number of operands: addresses, and integers of 32 and 64 bits.
  void instruction(llvm::StringRef text, llvm::ArrayRef<mlir::Value> operands);

  ThreadCode code;

private:
  std::string suffixOf(const AccessHints &hints) const;
  mlir::Value constantOf(llvm::StringRef text, mlir::Type type);
  mlir::Value unknownZero();
  mlir::Value load(const Access &access, llvm::StringRef opcode, MemoryUse use);
  void store(mlir::Value ptr, mlir::Value predicate, mlir::Value vector, llvm::StringRef opcode);
  void inlineAsm(llvm::ArrayRef<mlir::Value> operands, llvm::StringRef text,
                 const llvm::Twine &constraints);
  llvm::SmallVector<mlir::Value> toRegisters(mlir::Value vector, const AccessShape &shape);
  mlir::Value fromRegisters(llvm::ArrayRef<mlir::Value> registers, const AccessShape &shape,
                            mlir::VectorType type);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::ModuleOp module;
  bool hasPolicies;
};

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_ACCESSCODE_H
