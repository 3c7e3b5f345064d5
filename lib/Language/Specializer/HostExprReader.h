//===- HostExprReader.h - Lambdas of the host as expressions ----*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRREADER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRREADER_H

#include "HostExprBuilder.h"
#include "Interpreter.h"

namespace tilec::front {

/// Reads `lambda args: ..`, or a function of assignments, branches and returns, into an expression.
/// What does not depend on `args` is evaluated at once with the names of the module; `args["x"]`
/// must name a parameter of the kernel.
class HostExprReader : private HostExprBuilder {
public:
  HostExprReader(Interpreter &in, const ModuleEnv &env, const ast::FunctionDef &kernel)
      : in(in), env(env), kernel(kernel) {}

  /// Null after reporting an error at the part that cannot be known.
  HostExpr::Ref read(const ast::Lambda &lambda);
  HostExpr::Ref read(const ast::FunctionDef &function);

private:
  std::optional<Ref> readLeaf(const ast::Expr &expr) override;
  std::optional<HostExpr::Function> functionOf(const ast::Expr &callee) override;
  void report(llvm::SMRange range, const llvm::Twine &message) override {
    in.error(range, message);
  }
  bool bindParameter(llvm::ArrayRef<ast::Param> params, llvm::SMRange range);
  Ref readBody(llvm::ArrayRef<ast::Stmt *> body, llvm::SMRange range);
  Ref readBranches(const ast::If &branch, llvm::ArrayRef<ast::Stmt *> rest, llvm::SMRange range);
  std::optional<Ref> readGet(const ast::Call &call);
  Ref readSubscript(const ast::Subscript &subscript);
  Ref readConstant(const ast::Expr &expr);
  bool isArguments(const ast::Expr &expr) const;
  bool dependsOnArguments(const ast::Expr &expr) const;

  Interpreter &in;
  const ModuleEnv &env;
  const ast::FunctionDef &kernel;
  llvm::StringRef parameter;
  llvm::MapVector<llvm::StringRef, Ref> locals;
  /// Statements that are still read: those behind a branch are read for each of its sides.
  unsigned budget = 1000;
};

/// Reports that the kernel has no parameter `name`, with a suggestion.
void reportNoParameter(Interpreter &in, const ast::FunctionDef &kernel, llvm::StringRef name,
                       llvm::SMRange range);

/// True when the kernel has a parameter of that name.
bool hasParameter(const ast::FunctionDef &kernel, llvm::StringRef name);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTEXPRREADER_H
