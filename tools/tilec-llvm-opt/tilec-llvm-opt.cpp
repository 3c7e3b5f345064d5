//===- tilec-llvm-opt.cpp - runs passes on LLVM IR -------------*- C++ -*-===//
//
// For tests and for people who read IR: a small `opt` that knows this project's passes on LLVM IR
// beside LLVM's own. Exit status: 0 fine, 1 IR that cannot be read or is not valid afterwards, 2
// passes that do not exist.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/PTXPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

static cl::OptionCategory category("tilec-llvm-opt");
static cl::opt<std::string> input(cl::Positional, cl::desc("<file.ll>"), cl::init("-"),
                                  cl::cat(category));
static cl::opt<std::string>
    passText("passes", cl::desc("What to run, as in LLVM's opt: 'tilec-split-vectors,adce'"),
             cl::cat(category));
static cl::opt<bool> listPasses("list-passes", cl::desc("Print the names of this project's passes"),
                                cl::cat(category));

static int run(Module &module) {
  PassInstrumentationCallbacks callbacks;
  StandardInstrumentations instrumentations(module.getContext(), /*DebugLogging=*/false);
  tilec::namePTXPasses(callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  instrumentations.registerCallbacks(callbacks, &modules);
  PassBuilder builder(nullptr, PipelineTuningOptions(), std::nullopt, &callbacks);
  tilec::registerPTXPasses(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager pipeline;
  if (Error failure = builder.parsePassPipeline(pipeline, passText)) {
    errs() << "tilec-llvm-opt: error: " << toString(std::move(failure)) << "\n";
    return 2;
  }
  pipeline.run(module, modules);
  if (verifyModule(module, &errs())) {
    errs() << "tilec-llvm-opt: error: the IR is not valid after the passes\n";
    return 1;
  }
  outs() << module;
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "runs passes of tilec's PTX back end on LLVM IR\n");
  if (listPasses) {
    for (StringRef name : tilec::ptxPassNames())
      outs() << name << "\n";
    return 0;
  }
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(input, diagnostic, context);
  if (!module) {
    diagnostic.print("tilec-llvm-opt", errs());
    return 1;
  }
  // What the back end says before it runs them.
  Triple triple("nvptx64-nvidia-cuda");
  module->setTargetTriple(triple);
  module->setDataLayout(triple.computeDataLayout());
  return run(*module);
}
