//===- Optimize.cpp - The IR passes before code generation ------*- C++ -*-===//
//
// The input is what distribution leaves: almost straight-line SSA, whole tiles as vectors of up to
// thousands of registers, few branches, maybe one loop over tiles. The pipeline is short for that
// reason, and does what the back end's own IR passes (InferAddressSpaces, constant offsets out of
// addresses, strength reduction, GVN) do not.
//
//===----------------------------------------------------------------------===//

#include "PTXInternals.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace {

struct SplitVectorsPass : PassInfoMixin<SplitVectorsPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return tilec::splitVectors(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct SimplifyRegistersPass : PassInfoMixin<SimplifyRegistersPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return tilec::simplifyRegisters(function) ? PreservedAnalyses::none()
                                              : PreservedAnalyses::all();
  }
};

struct TakeHighHalvesPass : PassInfoMixin<TakeHighHalvesPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return tilec::takeHighHalves(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct OrderRegistersPass : PassInfoMixin<OrderRegistersPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return tilec::orderRegisters(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

} // namespace

/// Unrolls loops of a few turns, whole. Longer ones carry whole tiles, and ptxas unrolls as well.
static LoopUnrollOptions shortLoopsOnly(unsigned level) {
  return LoopUnrollOptions(level)
      .setFullUnrollMaxCount(8)
      .setPartial(false)
      .setRuntime(false)
      .setPeeling(false)
      .setUpperBound(false);
}

void tilec::optimizeForPTX(Module &module, TargetMachine &machine, unsigned level) {
  if (level == 0)
    return;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  if (level > 2)
    passes.addPass(LoopUnrollPass(shortLoopsOnly(level)));
  // Before the split: there are fewer instructions, and later it would undo the pairs.
  passes.addPass(InstCombinePass());
  if (level > 1)
    passes.addPass(SimplifyCFGPass());
  // With the test at the end a turn is one block, in which ptxas moves loads past other work. Scalar
  // evolution forgets each carried value with all that follows from it, so while they are few.
  if (level > 1)
    passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  passes.addPass(SplitVectorsPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/level > 1));
  if (level > 1)
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyRegistersPass());
  passes.addPass(ADCEPass());
  if (level > 1)
    passes.addPass(OrderRegistersPass());
  passes.addPass(TakeHighHalvesPass());
  ModulePassManager pipeline;
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  pipeline.run(module, modules);
}
