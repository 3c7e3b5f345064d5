//===- Passes.h - This folder's passes for LLVM's pass manager --*- C++ -*-===//
//
// The classes of Passes.def, and the passes that look at a whole module. The files with the
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
#define TUNED_PASS(NAME, CLASS, FUNCTION, IS_REQUIRED)                                             \
  class CLASS : public llvm::PassInfoMixin<CLASS> {                                                \
  public:                                                                                          \
    explicit CLASS(const CodeTuning &tuning = CodeTuning()) : tuning(tuning) {}                    \
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {       \
      return FUNCTION(function, tuning) ? llvm::PreservedAnalyses::none()                          \
                                        : llvm::PreservedAnalyses::all();                          \
    }                                                                                              \
    static bool isRequired() { return IS_REQUIRED; }                                               \
                                                                                                   \
  private:                                                                                         \
    CodeTuning tuning;                                                                             \
  };
#define ANALYZED_PASS(NAME, CLASS)                                                                 \
  struct CLASS : llvm::PassInfoMixin<CLASS> {                                                      \
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);        \
  };
#include "Passes.def"

/// Says for some kernels how many blocks shall be resident, from which ptxas derives how many
/// registers it may use; changes no code.
class BoundResidentBlocksPass : public llvm::PassInfoMixin<BoundResidentBlocksPass> {
public:
  static constexpr llvm::StringLiteral kName = "tilec-bound-resident-blocks";

  /// Bounds are for the registers of `arch`.
  explicit BoundResidentBlocksPass(const GpuArch &arch) : arch(arch) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    boundResidentBlocks(module, arch);
    return llvm::PreservedAnalyses::all();
  }

private:
  GpuArch arch;
};

/// Without it the back end would find calls of functions that no one defines.
struct LowerAccessesPass : llvm::PassInfoMixin<LowerAccessesPass> {
  static constexpr llvm::StringLiteral kName = "tilec-lower-accesses";

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return lowerAccesses(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_PASSES_H
