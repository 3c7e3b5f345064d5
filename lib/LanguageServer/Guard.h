//===- Guard.h - Work that must not end the server --------------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGESERVER_GUARD_H
#define TILEC_LIB_LANGUAGESERVER_GUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::ls {

/// Runs `work` on a thread with a large stack. False if it did not come to its end: a fatal error
/// of LLVM, an assertion, a fault of memory. What it was about to change is then in no defined
/// state, and must not be used or freed.
bool runGuarded(llvm::function_ref<void()> work);

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_GUARD_H
