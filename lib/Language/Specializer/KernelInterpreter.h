//===- KernelInterpreter.h - Statements of kernels as tile IR ---*- C++ -*-===//
//
// Interprets the statements of kernels and of the functions that they call, and emits tile IR as it
// goes; Interpreter evaluates their expressions. The methods are spread over files by topic:
// Statements.cpp, Branches.cpp, Loops.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_KERNELINTERPRETER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_KERNELINTERPRETER_H

#include "Args.h"
#include "Frame.h"
#include "mlir/IR/Builders.h"
#include "tilec/Language/Observer.h"

namespace tilec::front {

class TensorOps;

/// How a list of statements ends.
struct Flow {
  bool always = false; // Every path returned.
  bool bare = false;   // By a `return` in this very list: what follows it is not compiled.
  mlir::Value maybe;   // Some path returned: the condition, an i1.
  llvm::SmallVector<mlir::Value, 2> values; // What was returned, flattened.

  bool never() const { return !always && !maybe; }
};

using StmtList = llvm::ArrayRef<ast::Stmt *>;

class KernelInterpreter {
public:
  explicit KernelInterpreter(Interpreter &in);

  /// Tells `observer` of names and their values from now on; null: nobody.
  void setObserver(ValueObserver *newObserver) { observer = newObserver; }
  /// The name at `range` has this value.
  void observe(llvm::SMRange range, llvm::StringRef name, const Object &value) {
    if (observer)
      tellObserver(range, name, value);
  }

  /// Runs the body of a function whose parameters are in the scope of the current frame.
  Flow run(const JitFunction &function);
  /// `a if condition else b` of a run-time condition.
  Object evalIfExp(const ast::IfExp &ifExp, const Object &condition);

private:
  // Statements.cpp
  void tellObserver(llvm::SMRange range, llvm::StringRef name, const Object &value);
  Flow execList(StmtList list, bool tail);
  Flow execStmt(const ast::Stmt &stmt, StmtList rest, bool tail, bool &tookRest);
  void execAssign(const ast::Assign &assign);
  void execAnnAssign(const ast::AnnAssign &assign);
  void execAugAssign(const ast::AugAssign &assign);
  void execUnsupported(const ast::Stmt &stmt);
  Object assignable(const Object &value, llvm::SMRange range);
  Object returnValue(const ast::Return &stmt);
  void execAssert(const ast::Assert &stmt);
  Flow execReturn(const ast::Return &stmt);
  void assignTarget(const ast::Expr &target, const Object &value, llvm::SMRange valueRange);
  void execDead(StmtList list);

  // Branches.cpp
  struct Branch;
  struct Merge;
  Flow execIf(const ast::If &stmt, StmtList rest, bool tail, bool &tookRest);
  std::optional<bool> staticCondition(const Object &condition, llvm::SMRange range);
  Object runtimeCondition(const Object &condition, llvm::SMRange range);
  Flow execRuntimeIf(const ast::If &stmt, mlir::Value condition, StmtList rest, bool tail,
                     bool &tookRest);
  Flow execRestUnder(mlir::Value returned, llvm::ArrayRef<mlir::Value> values,
                     llvm::function_ref<Flow()> rest, bool tail);
  void buildBranch(Branch &branch, llvm::function_ref<Flow()> body);
  void mergeScopes(const Scope &before, Branch &thenBranch, Branch &elseBranch, llvm::SMRange range,
                   llvm::SmallVectorImpl<Merge> &merges);
  void mergeName(llvm::StringRef name, const Binding *before, const Binding &thenBinding,
                 const Binding &elseBinding, llvm::SMRange range,
                 llvm::SmallVectorImpl<Merge> &merges);
  bool mergeKnown(llvm::StringRef name, const Binding &before, const Object &thenValue,
                  const Object &elseValue, llvm::SMRange range);
  void continueInBranch(Branch &returning, Branch &other, llvm::function_ref<Flow()> rest,
                        bool tail, llvm::SmallVectorImpl<Merge> &merges);
  std::optional<Object> zeroInside(const Object &object, mlir::Region &region);
  void yieldReturn(Branch &branch, bool withFlag, llvm::SmallVectorImpl<mlir::Value> &values);
  Flow closeIf(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
               llvm::ArrayRef<Merge> merges);
  llvm::SmallVector<mlir::Value> emitIf(mlir::Value condition, Branch &thenBranch,
                                        Branch &elseBranch,
                                        llvm::SmallVector<mlir::Value> (&yields)[2]);

  // Loops.cpp
  struct LoopVars;
  struct RangeArgs;
  Flow execFor(const ast::For &stmt);
  Flow execStaticRange(const ast::For &stmt, const Builtin &builtin, CallInfo &info);
  void execRange(const ast::For &stmt, const Builtin &builtin, CallInfo &info);
  bool readStages(Args &args, RangeArgs &result);
  std::optional<RangeArgs> rangeArgs(const Builtin &builtin, CallInfo &info);
  Object rangeBound(const Arg &arg);
  void emitFor(const ast::For &stmt, const RangeArgs &args);
  Flow unroll(const ast::For &stmt, int64_t at, int64_t end, int64_t step);
  void execWhile(const ast::While &stmt);
  mlir::Value whileCondition(const ast::While &stmt);
  void collectCarried(StmtList body, llvm::StringRef target, LoopVars &vars);
  void bindCarried(LoopVars &vars, llvm::ArrayRef<mlir::BlockArgument> args);
  void runLoopBody(StmtList body);
  void checkUncarried(const LoopVars &vars, llvm::StringRef target, llvm::SMRange range);
  void settleCarried(LoopVars &vars, mlir::Block &block, unsigned offset, llvm::SMRange range);
  void settleWhile(LoopVars &vars, mlir::Block &before, mlir::Block &body, llvm::SMRange range);
  void replaceErased(LoopVars &vars, mlir::Block &block, const llvm::BitVector &unused);
  void bindResults(LoopVars &vars, mlir::ValueRange results, llvm::SMRange range);
  void poisonAssigned(StmtList list);
  void poisonLoop(const ast::For &stmt);

  Interpreter &in;
  mlir::OpBuilder &builder;
  TensorOps &ops;
  ValueObserver *observer = nullptr;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_KERNELINTERPRETER_H
