//===- PTXPasses.h - The PTX back end's passes, by name ---------*- C++ -*-===//
//
// For tools that run single passes on LLVM IR, and for LLVM's options that name passes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTXPASSES_H
#define TILEC_TARGET_PTXPASSES_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace tilec {

/// The names of the passes, in the order in which emitPTX() runs them.
std::vector<llvm::StringRef> ptxPassNames();

/// Lets the parser of \p builder read the names of these passes. Those on functions may be nested:
/// "function(tilec-split-vectors,adce)". `tilec-bound-resident-blocks` takes the registers of the
/// architectures known here, which all have as many.
void registerPTXPasses(llvm::PassBuilder &builder);

/// Tells \p callbacks the names, so that LLVM's -print-after and similar options find the passes.
void namePTXPasses(llvm::PassInstrumentationCallbacks &callbacks);

} // namespace tilec

#endif // TILEC_TARGET_PTXPASSES_H
