//===- Disassembly.h - machine code as text, with source lines --*- C++ -*-===//

#ifndef TILEC_TARGET_DISASSEMBLY_H
#define TILEC_TARGET_DISASSEMBLY_H

#include "tilec/Target/Ptxas.h"

namespace tilec {

/// As disassemble() of Ptxas.h, where nvdisasm is there with a comment before code of another line
/// of the source than before: `//## File "kernel.py", line 12`. \p cubin must have line
/// information.
llvm::Expected<std::string> disassembleWithLines(llvm::StringRef cubin,
                                                 const ToolPlaces &places = ToolPlaces());

} // namespace tilec

#endif // TILEC_TARGET_DISASSEMBLY_H
