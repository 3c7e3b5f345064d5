//===- PTXAccess.h - Memory accesses as calls -------------------*- C++ -*-===//
//
// An access for which LLVM has no instruction, since it has a predicate or hints or is an atomic
// operation on several registers, is a call until the last IR pass of the PTX back end. The name of
// the called function, which is only declared, is a prefix and the opcode:
//
//     declare { i32, i32 } @tilec.ld.global.v2.b32(ptr addrspace(1), i32, i32, i1)
//
// Operands are the address, registers of 16, 32 or 64 bits, all as wide as those of the result, and
// the predicate. A load takes as many registers as it returns: the result where the predicate is
// false, 0 for one that is poison. A store (`st`) or an atomic operation (`atom`) takes the
// operands of the instruction; where the predicate is false, a store does nothing, and an atomic
// operation returns zeros. Attributes of the function say which memory the access reads and writes.
//
// Where the opcode has `.L2::cache_hint`, the instruction gets the policy of the eviction priority
// that it has for the first-level cache.
//
// The predicate comes last since passes may compute operands in their order: there are few
// registers for predicates.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTXACCESS_H
#define TILEC_TARGET_PTXACCESS_H

#include "llvm/ADT/StringRef.h"

namespace tilec {

inline constexpr llvm::StringLiteral kAccessPrefix = "tilec.";

/// Instructions that make a policy for `.L2::cache_hint` begin so: "first" or "last" follows.
inline constexpr llvm::StringLiteral kPolicyPrefix = "createpolicy.fractional.L2::evict_";

} // namespace tilec

#endif // TILEC_TARGET_PTXACCESS_H
