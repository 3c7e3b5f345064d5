//===- UnrollLoops.cpp - Loops of scalars are written out -------*- C++ -*-===//
//
// A loop of scalars that loads and stores arrays, a running sum over an array in place for one, is
// written out up to a size. Only where each iteration has its own offsets does ptxas see that no
// store is to what a later iteration loads, and starts the loads together: 128 counts in turn take
// 8 us instead of 51 on an H200. Shorter loops of any kind are unrolled before, longer ones by
// ptxas. Loops are rotated already.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace tilec;

static bool isVector(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && type->getNumElements() > 1;
}

/// Whether an iteration loads and stores arrays, threads work by themselves, and all iterations
/// together are short.
static bool isSerial(const Loop &loop, ScalarEvolution &evolution) {
  constexpr uint64_t mostInstructions = 2048;
  if (loop.getNumBlocks() != 1)
    return false;
  const BasicBlock &block = *loop.getHeader();
  uint64_t iterations = evolution.getSmallConstantTripCount(&loop);
  if (iterations == 0 || iterations * block.sizeWithoutDebug() > mostInstructions)
    return false;
  bool reads = false, writes = false;
  for (const Instruction &instruction : block) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (isVector(instruction) || (call && call->isConvergent()))
      return false;
    reads |= instruction.mayReadFromMemory();
    writes |= instruction.mayWriteToMemory();
  }
  return reads && writes;
}

PreservedAnalyses UnrollLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  ScalarEvolution &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool anySerial = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isSerial(*loop, evolution)) {
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
      anySerial = true;
    }
  if (!anySerial)
    return PreservedAnalyses::all();
  return LoopUnrollPass(LoopUnrollOptions()
                            .setFullUnrollMaxCount(0)
                            .setPartial(false)
                            .setRuntime(false)
                            .setPeeling(false)
                            .setUpperBound(false))
      .run(function, analyses);
}
