//===- Passes.h - This folder's passes for LLVM's pass manager --*- C++ -*-===//
//
// The classes of Passes.def, and the one pass that looks at a whole module. The files with the
// functions that they call say what each pass does.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_PTX_PASSES_H
#define TILEC_LIB_TARGET_PTX_PASSES_H

#include "PTXInternals.h"

#include "llvm/IR/PassManager.h"

// In a named namespace: LLVM tells passes apart by the names of their classes.
namespace tilec {

#define FUNCTION_PASS(NAME, CLASS, FUNCTION, IS_REQUIRED)                                          \
  struct CLASS : llvm::PassInfoMixin<CLASS> {                                                      \
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {       \
      return FUNCTION(function) ? llvm::PreservedAnalyses::none()                                  \
                                : llvm::PreservedAnalyses::all();                                  \
    }                                                                                              \
    static bool isRequired() { return IS_REQUIRED; }                                               \
  };
#include "Passes.def"

/// Adds launch bounds to kernels that ptxas would give too few registers; changes no code.
class BoundResidentBlocksPass : public llvm::PassInfoMixin<BoundResidentBlocksPass> {
public:
  static constexpr llvm::StringLiteral kName = "tilec-bound-resident-blocks";

  /// The registers of a multiprocessor, and those that a thread can have.
  BoundResidentBlocksPass(unsigned registersPerSM, unsigned maxRegistersPerThread)
      : registersPerSM(registersPerSM), maxRegistersPerThread(maxRegistersPerThread) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    boundResidentBlocks(module, registersPerSM, maxRegistersPerThread);
    return llvm::PreservedAnalyses::all();
  }

private:
  unsigned registersPerSM, maxRegistersPerThread;
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_PASSES_H
