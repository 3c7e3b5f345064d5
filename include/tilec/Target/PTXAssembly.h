//===- PTXAssembly.h - Assembly on vectors as calls ------------*- C++ -*-===//
//
// LLVM's inline assembly has an operand for each register and returns a structure of them. Where
// it works on a tile, that is hundreds of values to take apart and to put together. So until the
// first IR pass of the PTX back end it is a call of a function that is only declared:
//
//     declare <64 x float> @tilec.asm.0(<64 x float>, i64) #0
//     attributes #0 = { "tilec-asm"="..." "tilec-constraints"="=f,..,0,..,l,~{memory}" }
//
// Text and constraints are those of the inline assembly, where each element of a vector is an
// operand or a result of its own. The result may be a structure of vectors, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTXASSEMBLY_H
#define TILEC_TARGET_PTXASSEMBLY_H

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// The names of the functions are this and a number.
inline constexpr llvm::StringLiteral kAssemblyPrefix = "tilec.asm.";
inline constexpr llvm::StringLiteral kAssemblyTextAttr = "tilec-asm";
inline constexpr llvm::StringLiteral kAssemblyConstraintsAttr = "tilec-constraints";
/// Of the function, then of the inline assembly: what frees registers that it gives stands right
/// behind it, before the next part of the same product.
inline constexpr llvm::StringLiteral kAssemblyTakeUpAttr = "tilec-take-up";

} // namespace tilec

#endif // TILEC_TARGET_PTXASSEMBLY_H
