//===- GridExpr.h - the grid as the command line gives it ------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_RUN_GRIDEXPR_H
#define TILEC_TOOLS_TILEC_RUN_GRIDEXPR_H

#include "tilec/JIT/Machine.h"
#include "llvm/ADT/StringMap.h"

/// Evaluates one to three expressions between commas: integers, + - * // %, parentheses, cdiv(a,
/// b), min(a, b), max(a, b) and the names in `values`. Arithmetic is Python's, in 64 bits with
/// overflow an error. The result has no negative size.
llvm::Expected<tilec::LaunchGrid> evaluateGrid(llvm::StringRef text,
                                               const llvm::StringMap<int64_t> &values);

#endif // TILEC_TOOLS_TILEC_RUN_GRIDEXPR_H
