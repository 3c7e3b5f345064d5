//===- tilec-fuzz-replay.cpp - inputs of the fuzzer, once each -*- C++ -*-===//
//
// Runs the fuzzer's target on files, without a fuzzer and without sanitizers: what was found once
// stays fixed in every build. Crashes end the process, which is how they are noticed.
//
//===----------------------------------------------------------------------===//

#include "CompileInput.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc < 2) {
    llvm::errs() << "USAGE: tilec-fuzz-replay FILE..\n";
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    auto buffer = llvm::MemoryBuffer::getFile(argv[i]);
    if (!buffer) {
      llvm::errs() << "error: cannot read '" << argv[i] << "': " << buffer.getError().message()
                   << "\n";
      return 1;
    }
    llvm::outs() << "input " << argv[i] << "\n";
    llvm::outs().flush();
    tilec::compileInput((*buffer)->getBuffer(), llvm::outs());
  }
  llvm::outs() << argc - 1 << " inputs\n";
  return 0;
}
