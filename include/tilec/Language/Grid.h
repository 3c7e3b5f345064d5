//===- Grid.h - The programs of a launch as expressions --------*- C++ -*-===//
//
// A grid as command lines and programs write it, for all who launch kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_GRID_H
#define TILEC_LANGUAGE_GRID_H

#include "tilec/Language/HostExpr.h"

#include <array>

namespace tilec {

/// Reads the sizes along x, y and z, one to three of them: "cdiv(n, BLOCK), 2" over the parameters
/// of `kernel`, or what Triton's host code has, a lambda whose parameter is subscripted with their
/// names. The text is copied into a buffer `bufferName` of `sourceMgr`, so that errors show it.
/// Nothing after reporting an error.
std::optional<std::vector<HostExpr::Ref>>
parseGrid(llvm::StringRef text, llvm::StringRef bufferName, const ast::FunctionDef &kernel,
          llvm::SourceMgr &sourceMgr, DiagnosticEngine &diagnostics);

/// The sizes for these arguments, 1 where there is no expression; they may be negative. The error
/// says what went wrong, or which size is no integer of 64 bits.
llvm::Expected<std::array<int64_t, 3>> evaluateGrid(llvm::ArrayRef<HostExpr::Ref> grid,
                                                    HostExpr::Lookup lookup);

} // namespace tilec

#endif // TILEC_LANGUAGE_GRID_H
