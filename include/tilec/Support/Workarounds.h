//===- Workarounds.h - Which faults of other tools are avoided --*- C++ -*-===//
//
// LLVM and ptxas compile some correct code to something else. Workarounds.def lists what is done
// about each such fault; here code asks whether to. All are on, unless a developer turns some off
// to see whether a newer tool still needs them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_SUPPORT_WORKAROUNDS_H
#define TILEC_SUPPORT_WORKAROUNDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilec {

/// The rows of Workarounds.def.
enum class Workaround {
#define WORKAROUND(ID, NAME, TOOL, VERSIONS, FAULT, REMEDY) ID,
#include "tilec/Support/Workarounds.def"
};

/// One row.
struct WorkaroundInfo {
  llvm::StringRef name, tool, versions, fault, remedy;
};

/// All rows, in the order of the enumeration.
llvm::ArrayRef<WorkaroundInfo> workarounds();

/// The rows as a JSON array of objects, for scripts.
std::string workaroundsAsJSON();

/// Whether code should avoid the fault. May be called by several threads at once.
bool isEnabled(Workaround workaround);

/// Turns off the workarounds that \p names lists, separated by commas, for the rest of this
/// process. Call it before anything is compiled: what is compiled meanwhile may have some of them
/// and not others. A name that does not exist is an error that lists those which do; none is turned
/// off then.
llvm::Error disableWorkarounds(llvm::StringRef names);

} // namespace tilec

#endif // TILEC_SUPPORT_WORKAROUNDS_H
