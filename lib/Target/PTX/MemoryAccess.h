//===- MemoryAccess.h - Calls that stand for accesses -----------*- C++ -*-===//
//
// Recognises the calls that tilec/Target/PTXAccess.h describes. Passes that only ask what an
// instruction reads and writes need no more than the attributes of the calls, as for all others.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_PTX_MEMORYACCESS_H
#define TILEC_LIB_TARGET_PTX_MEMORYACCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace tilec {

class MemoryAccess {
public:
  enum class Kind { Load, Store, Atomic };

  /// The kind of access that \p function stands for, if it does.
  static std::optional<Kind> kindOf(const llvm::Function &function);
  /// The instruction and its modifiers for such a function: "ld.global.v4.b32".
  static llvm::StringRef opcodeOf(const llvm::Function &function);
  /// The access that \p value is, if it is one.
  static std::optional<MemoryAccess> get(const llvm::Value &value);

  Kind kind() const { return what; }
  llvm::StringRef opcode() const { return opcodeOf(*call->getCalledFunction()); }
  /// An operation on floating-point numbers; loads and stores move bits.
  bool isFloatingPoint() const;

  llvm::Value *pointer() const { return call->getArgOperand(0); }
  llvm::Value *predicate() const { return call->getArgOperand(call->arg_size() - 1); }
  /// What is between them: of a load, its result where the predicate is false; else what it stores
  /// or combines with memory.
  llvm::ArrayRef<llvm::Use> registers() const;
  unsigned registerBits() const { return registers()[0]->getType()->getIntegerBitWidth(); }
  unsigned resultCount() const;

private:
  MemoryAccess(const llvm::CallBase &call, Kind what) : call(&call), what(what) {}

  const llvm::CallBase *call;
  Kind what;
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_MEMORYACCESS_H
