//===- Texts.h - constant texts, and places in the source ------*- C++ -*-===//
//
// Private to the conversion: what kernels tell people about themselves while they run.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOCPU_TEXTS_H
#define TILEC_LIB_CONVERSION_TILETOCPU_TEXTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec::tile::cpu {

/// The source position behind `loc`: of an inlined operation, where it was written. An empty file
/// and line 0 if there is none.
mlir::FileLineColLoc sourcePosition(mlir::Location loc);

/// The global of `module` with this zero-terminated text, which is made where there is none yet.
mlir::LLVM::GlobalOp globalOfText(mlir::ModuleOp module, mlir::Location loc, llvm::StringRef text);

/// A name for a global that `module` does not have yet: `prefix` and a number.
std::string freshName(mlir::ModuleOp module, llvm::StringRef prefix);

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOCPU_TEXTS_H
