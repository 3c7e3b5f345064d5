//===- HostExprBuilder.h - From syntax to host expressions ------*- C++ -*-===//
//
// Operators and calls are read alike wherever the expression comes from; what its leaves and its
// functions are called is up to the derived class.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRBUILDER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRBUILDER_H

#include "tilec/Language/HostExpr.h"

namespace tilec::front {

class HostExprBuilder {
public:
  using Ref = HostExpr::Ref;
  virtual ~HostExprBuilder();

protected:
  /// Null after reporting an error.
  Ref readExpr(const ast::Expr &expr);
  /// An element of a tuple, where the index is a number; nothing for other subscripts.
  std::optional<Ref> readElement(const ast::Subscript &subscript);

  /// Reads `expr` if it is not made of operators and calls. Nothing: it is.
  virtual std::optional<Ref> readLeaf(const ast::Expr &expr) = 0;
  virtual std::optional<HostExpr::Function> functionOf(const ast::Expr &callee) = 0;
  virtual void report(llvm::SMRange range, const llvm::Twine &message) = 0;

  Ref error(llvm::SMRange range, const llvm::Twine &message) {
    report(range, message);
    return nullptr;
  }

private:
  bool readAll(llvm::ArrayRef<ast::Expr *> exprs, std::vector<Ref> &result);
  Ref readBoolean(const ast::BoolOp &boolean);
  Ref readCompare(const ast::Compare &compare);
  Ref readCall(const ast::Call &call);
  Ref readPart(const ast::Attribute &attribute);
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRBUILDER_H
