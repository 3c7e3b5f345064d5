//===- Liveness.h - registers that are live along SASS ----------*- C++ -*-===//
//
// Which general registers (R0 ..) of a thread hold something that is still read, instruction by
// instruction: the usual backward analysis over the branches. Which registers an operand covers
// beyond the one that it names follows from the instruction's name; NVIDIA documents no encoding,
// so that what is counted is an estimate, and instructions that are not known count as 32 bits
// wide.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_LIVENESS_H
#define TILEC_LIB_REPORT_LIVENESS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace tilec::report {

/// \p text has lines as makeSASSPane writes them. The result has an entry for each line: how many
/// registers hold something that is needed when the instruction begins, or that it writes; that of
/// a label is of what follows. Nothing if there is a branch whose targets are not in the text.
std::optional<std::vector<unsigned>> countLiveRegisters(llvm::StringRef text);

} // namespace tilec::report

#endif // TILEC_LIB_REPORT_LIVENESS_H
