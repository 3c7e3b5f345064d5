//===- ParamRules.h - What the source says of a parameter -------*- C++ -*-===//
//
// Annotations and @triton.jit's arguments decide how a launch specialises a kernel for an argument.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_PARAMRULES_H
#define TILEC_JIT_PARAMRULES_H

#include "tilec/Language/AST.h"
#include "tilec/Language/Types.h"

namespace tilec {

/// What annotation and decorator say about one parameter.
struct ParamRules {
  bool isConstexpr = false;
  bool isConst = false; // A pointer through which nothing is stored.
  std::optional<DType> type;
  /// The integer 1 becomes a constant.
  bool foldOne = true;
  /// A multiple of 16 is promised as such.
  bool promiseAlignment = true;
};

/// Reads the rules for parameter number `index` of `kernel`. Reports nothing: what annotations may
/// be is checked when the kernel is specialised.
ParamRules readParamRules(const ast::FunctionDef &kernel, unsigned index);

} // namespace tilec

#endif // TILEC_JIT_PARAMRULES_H
