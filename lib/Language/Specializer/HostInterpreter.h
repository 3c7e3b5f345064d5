//===- HostInterpreter.h - Python that runs at compile time -----*- C++ -*-===//
//
// Defaults of parameters, module-level constants and constexpr_functions: enough of Python for the
// small functions that compute shapes and configurations. Expressions that kernels have too are
// evaluated by Interpreter; here are statements, and what only host code may write. The methods are
// spread over files by topic: Host.cpp, HostEval.cpp, HostFunctions.cpp, HostContainers.cpp; those
// that set the fields of an aggregate are in Aggregates.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTINTERPRETER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTINTERPRETER_H

#include "Frame.h"
#include "tilec/Language/ASTContext.h"

#include <deque>

namespace tilec::front {

class Interpreter;
struct CallInfo;

class HostInterpreter {
public:
  explicit HostInterpreter(Interpreter &in) : in(in) {}

  /// Evaluates an expression of the host program (a default, a global): host constants are visible,
  /// and `locals`, where there are some.
  Object evaluate(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals = nullptr);
  /// The same without any report; poison when the value cannot be known.
  Object tryEvaluate(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals = nullptr);
  /// Runs a function whose parameters are in the frame's scope, and returns its result.
  Object call(const JitFunction &function, Frame &callee);
  /// The elements of what code of compile time can iterate over: a tuple, the keys of a
  /// dictionary, the characters of a string; poison, after an error, for others.
  Object iterate(const Object &object, llvm::SMRange range);
  /// A default of a parameter that is a list or a dictionary: Python has one for all calls.
  void shareDefault(const Object &value) { sharedDefaults.push_back(value); }
  /// Variables are those of the moment of a call. False, after an error, when they no longer exist.
  bool checkClosure(const JitFunction &function, llvm::SMRange range);

  // Expressions that kernels do not have.

  Object evalComp(const ast::ListComp &comp);
  /// Chained comparisons and membership.
  Object evalCompare(const ast::Compare &compare);
  Object evalDict(const ast::Dict &dict);
  Object evalLambda(const ast::Lambda &lambda);
  /// `name := value`
  Object evalNamedExpr(const ast::NamedExpr &named);
  /// `{key: value, ..}[index]`
  Object lookUp(const ast::Dict &dict, const ast::Expr &index);
  Object lookUp(const Object &dict, const Object &key, llvm::SMRange range);
  /// dict(), dict(other), dict(pairs), dict(name=value)
  Object callDict(const CallInfo &info);
  /// A call of a method that changes a list or a dictionary; nothing for any other call.
  std::optional<Object> callMutator(const ast::Call &call);

private:
  using StmtList = llvm::ArrayRef<ast::Stmt *>;

  // Host.cpp
  struct Run;
  bool exec(StmtList list, Run &run);
  bool execStmt(const ast::Stmt &stmt, Run &run);
  bool execAssign(const ast::Stmt &stmt);
  bool execFor(const ast::For &stmt, Run &run);
  bool execWhile(const ast::While &stmt, Run &run);
  bool execAssert(const ast::Assert &stmt);
  bool execTry(const ast::TryParts &parts, Run &run);
  bool catchesImport(const ast::ExceptClause &clause) const;
  std::optional<bool> conditionOf(const ast::Expr &test);

  // HostEval.cpp
  bool assign(const ast::Expr &target, const Object &value);
  bool collectComp(const ast::ListComp &comp, size_t index, Object::List &items);
  Object evalContainer(const ast::Expr &expr);

  // HostFunctions.cpp
  Object makeClosure(const ast::FunctionDef &def, llvm::SMRange range);
  bool importNames(const ast::Stmt &stmt);
  std::optional<Object> importedValue(llvm::StringRef dotted, llvm::SMRange range);
  bool bindImport(llvm::StringRef dotted, llvm::StringRef name, llvm::SMRange range);
  bool canImport(const ast::Stmt &stmt);

  // HostContainers.cpp
  struct Place;
  Object makeDict(Object::List keysAndValues, llvm::SMRange range);
  std::optional<Place> findPlace(const ast::Expr &expr);
  bool setItem(const ast::Subscript &target, const Object &value);
  bool extendInPlace(const ast::AugAssign &assign, bool &done);
  Object mutateList(Place &place, llvm::StringRef name, const CallInfo &info);
  Object mutateDict(Place &place, llvm::StringRef name, const CallInfo &info);
  bool changed(Place &place, ptrdiff_t more, llvm::SMRange range);

  // Aggregates.cpp
  bool setField(const ast::Attribute &target, const Object &value);
  bool checkField(const RecordClass &type, size_t field, const Object &value, llvm::SMRange range);

  Interpreter &in;
  std::deque<JitFunction> innerFunctions;
  std::deque<Closure> closures;
  std::vector<Object> sharedDefaults; // What is kept here counts as shared, see Object::isShared.
  ast::Context innerSyntax;           // Of lambdas as functions.
  llvm::DenseMap<const ast::Lambda *, const ast::FunctionDef *> lambdaFunctions;
  unsigned lastComprehension = 0;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_HOSTINTERPRETER_H
