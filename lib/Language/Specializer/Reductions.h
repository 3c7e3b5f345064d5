//===- Reductions.h - What reductions and scans share -----------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_REDUCTIONS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_REDUCTIONS_H

#include "Interpreter.h"

namespace tilec::front {

/// Combines two groups of scalars into one; empty after an error.
using Combine = llvm::function_ref<Object::List(llvm::ArrayRef<Object>, llvm::ArrayRef<Object>)>;

/// Writes the combine region of an operation on `inputs`. Returns whether `combine` succeeded.
bool fillCombineRegion(Interpreter &in, mlir::Region &region, llvm::ArrayRef<Object> inputs,
                       Combine combine);

/// Calls the jit function that is argument `index` and checks that it returns what it was given;
/// empty after an error.
Object::List callCombine(Interpreter &in, Args &args, unsigned index, llvm::ArrayRef<Object> a,
                         llvm::ArrayRef<Object> b);

/// Argument 0, a block or a tuple of blocks of one shape, and argument `function`, a jit function;
/// empty after an error.
Object::List combineInputs(Interpreter &in, Args &args, unsigned function);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_REDUCTIONS_H
