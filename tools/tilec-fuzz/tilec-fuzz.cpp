//===- tilec-fuzz.cpp - the coverage-guided fuzzer's target ----*- C++ -*-===//
//
// Linked with libFuzzer, which owns main(); docs/fuzzing.md tells how to run it.
//
//===----------------------------------------------------------------------===//

#include "CompileInput.h"

#include "llvm/Support/raw_ostream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tilec::compileInput(llvm::StringRef(reinterpret_cast<const char *>(data), size), llvm::nulls());
  return 0;
}
