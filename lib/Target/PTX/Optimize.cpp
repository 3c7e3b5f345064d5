//===- Optimize.cpp - The IR passes before code generation ------*- C++ -*-===//
//
// The pipeline that emitPTX() runs on a module. Its input is what the conversion to the work of one
// thread leaves: almost straight-line SSA, whole tiles as vectors of up to thousands of registers,
// few branches, maybe one loop over tiles. So the pipeline is short, and does what the back end's
// own IR passes (InferAddressSpaces, constant offsets out of addresses, loop strength reduction) do
// not.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "tilec/Target/PTX.h"
#include "tilec/Target/PTXAssembly.h"
#include "tilec/Target/PTXPasses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace tilec;

/// Unrolls only loops of a few iterations, completely. Longer ones carry whole tiles, and ptxas
/// unrolls them.
static LoopUnrollOptions shortLoopsOnly(unsigned level, unsigned mostUnrolled) {
  return LoopUnrollOptions(level)
      .setFullUnrollMaxCount(mostUnrolled)
      .setPartial(false)
      .setRuntime(false)
      .setPeeling(false)
      .setUpperBound(false);
}

namespace {

/// Rotates a loop unless it counts to a constant.
struct RotateUncountedLoopPass : PassInfoMixin<RotateUncountedLoopPass> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results, LPMUpdater &updater) {
    auto *branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
    auto *test =
        branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (test && isa<Constant>(test->getOperand(1)))
      return PreservedAnalyses::all();
    return LoopRotatePass().run(loop, analyses, results, updater);
  }
};

/// Has short loops end when they have counted to their last iteration, in whatever type. Loop
/// strength reduction counts in 64 bits where an address does, and compares the lower half with the
/// bound, which ptxas does not see through: it unrolls what it can count, and then has the loads of
/// four iterations on their way at once. Loops with more work hide latencies by that, and those
/// that load nothing have none.
struct CountShortLoopPass : PassInfoMixin<CountShortLoopPass> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results, LPMUpdater &updater) {
    constexpr unsigned mostInstructions = 32;
    const BasicBlock &block = *loop.getHeader();
    if (loop.getNumBlocks() != 1 || block.sizeWithoutDebug() > mostInstructions ||
        none_of(block, [](const Instruction &part) { return part.mayReadFromMemory(); }))
      return PreservedAnalyses::all();
    return IndVarSimplifyPass(/*WidenIndVars=*/false).run(loop, analyses, results, updater);
  }
};

/// Rotates the loops of functions in which warps multiply in groups. Such a loop and the wait
/// behind it are in a branch already, for there may be no iterations. InstCombine, which follows,
/// finds that the test before the rotated loop is the branch's. With that test a phi of each
/// register of the sums goes. Loops with a known number of iterations have no such branch, and
/// ptxas unrolls those that count as their author did.
struct RotateGroupLoopsPass : PassInfoMixin<RotateGroupLoopsPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!any_of(instructions(function), multipliesInGroups))
      return PreservedAnalyses::all();
    return createFunctionToLoopPassAdaptor(RotateUncountedLoopPass()).run(function, analyses);
  }

private:
  static bool multipliesInGroups(const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->hasFnAttribute(kAssemblyTextAttr);
  }
};

} // namespace

/// Adds the passes that make code faster, those of the levels above 0.
static void addOptimizations(FunctionPassManager &passes, const PTXOptions &options) {
  unsigned level = options.optLevel;
  const CodeTuning &tuning = options.arch.tuning().code;
  auto isEnabled = [&](GpuHeuristic heuristic) {
    return !options.disabledHeuristics.contains(heuristic);
  };
  passes.addPass(EarlyCSEPass());
  if (level > 2 && isEnabled(GpuHeuristic::UnrollLoops))
    passes.addPass(LoopUnrollPass(shortLoopsOnly(level, tuning.mostUnrolled)));
  if (level > 1)
    passes.addPass(RotateGroupLoopsPass());
  // Before vectors are split: there are fewer instructions, and later it would undo the pairs.
  passes.addPass(InstCombinePass());
  if (level > 1)
    passes.addPass(SimplifyCFGPass());
  // With the test at the end an iteration is one block, in which ptxas moves loads past other work.
  // Before vectors are split: rotation makes scalar evolution forget each carried value with all
  // that follows from it, and there are few of them here.
  if (level > 1)
    passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  if (level > 2 && isEnabled(GpuHeuristic::UnrollLoops))
    passes.addPass(UnrollLoopsPass());
  passes.addPass(ExpandAssemblyPass());
  passes.addPass(SplitVectorsPass());
  passes.addPass(ConvertIntegersPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/level > 1));
  if (level > 1)
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  if (level > 1)
    passes.addPass(InvertDivisorsPass());
  if (level > 1)
    passes.addPass(createFunctionToLoopPassAdaptor(CountShortLoopPass()));
  passes.addPass(SimplifyRegistersPass(tuning));
  if (level > 1)
    passes.addPass(ShareSumsPass());
  passes.addPass(ADCEPass());
  if (level > 1 && isEnabled(GpuHeuristic::OrderRegisters))
    passes.addPass(OrderRegistersPass(tuning));
  if (level > 1)
    passes.addPass(AddEarlyPass());
  passes.addPass(NarrowProductsPass());
}

void tilec::optimizeForPTX(Module &module, TargetMachine &machine, const PTXOptions &options) {
  // LLVM's own debugging options hook into this: -print-after,
  // -opt-bisect-limit, -time-passes and similar options. It costs nothing measurable without them.
  PassInstrumentationCallbacks callbacks;
  StandardInstrumentations instrumentations(module.getContext(), /*DebugLogging=*/false);
  namePTXPasses(callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  instrumentations.registerCallbacks(callbacks, &modules);
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  FunctionPassManager passes;
  passes.addPass(AvoidOptimizerFaultsPass());
  if (options.optLevel > 0)
    addOptimizations(passes, options);
  else
    passes.addPass(ExpandAssemblyPass());
  passes.addPass(BranchAroundStoresPass());
  ModulePassManager pipeline;
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  if (!options.disabledHeuristics.contains(GpuHeuristic::BoundBlocks))
    pipeline.addPass(BoundResidentBlocksPass(options.arch));
  pipeline.addPass(createModuleToFunctionPassAdaptor(AvoidBackEndFaultsPass()));
  pipeline.addPass(LowerAccessesPass());
  pipeline.run(module, modules);
}
