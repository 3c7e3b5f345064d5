//===- ParamRules.h - What the source says of a parameter -------*- C++ -*-===//
//
// Annotations and @triton.jit's arguments decide how a kernel is specialised for an argument, in a
// launch as in an object.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_PARAMRULES_H
#define TILEC_LANGUAGE_PARAMRULES_H

#include "tilec/Language/AST.h"
#include "tilec/Language/KernelParam.h"

namespace tilec {

/// What annotation and decorator say about one parameter.
struct ParamRules {
  bool isConstexpr = false;
  bool isConst = false; // A pointer through which nothing is stored.
  std::optional<DType> type;
  /// Not in do_not_specialize.
  bool isSpecialized = true;
  /// Nor in do_not_specialize_on_alignment.
  bool isAlignmentSpecialized = true;

  /// Which classes of values code may be made for, when it keeps the type `type`.
  ClassRule promises(DType type) const;
  /// The same where the integer 1 becomes a constant, which has no type.
  ClassRule classes(DType type) const;
};

/// Reads the rules for parameter number `index` of `kernel`. Reports nothing: what annotations and
/// lists may be is checked when the kernel is specialised.
ParamRules readParamRules(const ast::FunctionDef &kernel, unsigned index);

/// The elements of a list that do_not_specialize or do_not_specialize_on_alignment is, for None no
/// elements; nothing for what is not written out.
std::optional<llvm::ArrayRef<ast::Expr *>> readParamList(const ast::Expr &list);

/// Whether an element of such a list is a name or a number, and whether it is that of a parameter.
bool isParamName(const ast::Expr &element);
bool isNameOfParam(const ast::Expr &element, const ast::Param &param, unsigned index);

} // namespace tilec

#endif // TILEC_LANGUAGE_PARAMRULES_H
