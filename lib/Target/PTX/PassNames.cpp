//===- PassNames.cpp - The passes of this folder by name --------*- C++ -*-===//
//
// Lets tilec-llvm-opt and LLVM's instrumentation find the passes of Passes.def by name.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "tilec/Target/PTXPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace tilec;

std::vector<StringRef> tilec::ptxPassNames() {
  std::vector<StringRef> names;
#define FUNCTION_PASS(NAME, CLASS, FUNCTION, IS_REQUIRED) names.push_back(NAME);
#include "Passes.def"
  // It runs before the last of them.
  names.insert(std::prev(names.end()), BoundResidentBlocksPass::kName);
  names.push_back(LowerAccessesPass::kName);
  return names;
}

static bool addFunctionPass(StringRef name, FunctionPassManager &passes) {
#define FUNCTION_PASS(NAME, CLASS, FUNCTION, IS_REQUIRED)                                          \
  if (name == NAME) {                                                                              \
    passes.addPass(CLASS());                                                                       \
    return true;                                                                                   \
  }
#include "Passes.def"
  return false;
}

void tilec::registerPTXPasses(PassBuilder &builder) {
  using Elements = ArrayRef<PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback([](StringRef name, FunctionPassManager &passes,
                                             Elements) { return addFunctionPass(name, passes); });
  builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager &passes, Elements) {
    if (name == BoundResidentBlocksPass::kName)
      passes.addPass(BoundResidentBlocksPass(GpuArch::all().front()));
    else if (name == LowerAccessesPass::kName)
      passes.addPass(LowerAccessesPass());
    else
      return false;
    return true;
  });
}

void tilec::namePTXPasses(PassInstrumentationCallbacks &callbacks) {
#define FUNCTION_PASS(NAME, CLASS, FUNCTION, IS_REQUIRED)                                          \
  callbacks.addClassToPassName(CLASS::name(), NAME);
#include "Passes.def"
  callbacks.addClassToPassName(BoundResidentBlocksPass::name(), BoundResidentBlocksPass::kName);
  callbacks.addClassToPassName(LowerAccessesPass::name(), LowerAccessesPass::kName);
}
