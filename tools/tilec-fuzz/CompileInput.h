//===- CompileInput.h - one fuzzing input through the compiler -*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_FUZZ_COMPILEINPUT_H
#define TILEC_TOOLS_TILEC_FUZZ_COMPILEINPUT_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilec {

/// Compiles up to two kernels of `text` to LLVM IR for a GPU and for the processor. What is wrong
/// with the text is reported to `os` and nothing else happens: the compiler must neither crash nor
/// hang on any text, and code that it accepts must lower. A parameter's type comes from a first
/// line
/// `#sig: x=*fp32,n=i32,BLOCK=64`, from its annotation, or from its name: capitals are constants,
/// names such as n, num_rows or stride are numbers, all others pointers. Safe in several threads.
void compileInput(llvm::StringRef text, llvm::raw_ostream &os);

} // namespace tilec

#endif // TILEC_TOOLS_TILEC_FUZZ_COMPILEINPUT_H
