//===- MemoryArgs.h - Arguments of memory accesses --------------*- C++ -*-===//
//
// What loads, stores and atomic operations check alike.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H

#include "Interpreter.h"

namespace tilec::front {

/// Argument 0 as a pointer or a block of pointers; poison after an error.
Object pointerOf(Args &args);

/// `tensor` broadcast to the pointer's shape; the pointer itself must not grow. `what` names it in
/// the error at `range`.
Object toPointerShape(Interpreter &in, const Object &tensor, const Object &pointer,
                      llvm::SMRange range, llvm::StringRef what);

/// What a load or store through a block pointer touches.
struct BlockAccess {
  Object pointers; // A block of pointers.
  Object mask;     // int1 in the same shape; None when no axis is checked.
  bool isConst = false;
};

/// Expands the block pointer that is argument 0; argument `boundary` names the axes to check.
/// Nothing after an error.
std::optional<BlockAccess> blockAccess(Interpreter &in, Args &args, unsigned boundary);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H
