//===- Interpreter.h - The abstract interpreter -----------------*- C++ -*-===//
//
// Evaluates expressions and statements of a kernel over Objects and emits tile IR as it goes. One
// Interpreter builds one kernel. Its methods are spread over files by topic: Expressions.cpp,
// Subscripts.cpp, Attributes.cpp, Calls.cpp, Aggregates.cpp, Statements.cpp, Branches.cpp,
// Loops.cpp, Host.cpp.
//
// Errors are reported where they occur and give a poisoned Object; whatever is computed from one is
// poisoned too and reports nothing more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H

#include "Args.h"
#include "ConstArith.h"
#include "Importer.h"
#include "ModuleEnv.h"
#include "TensorOps.h"
#include "mlir/IR/Builders.h"
#include "tilec/Language/Specializer.h"

#include <set>

namespace tilec::front {

/// A name's value, and whether a merge of branches may carry it: `x: tl.constexpr = ..` and targets
/// of static_range may not.
struct Binding {
  Object value;
  bool plain = true;
};
using Scope = llvm::MapVector<llvm::StringRef, Binding>;

struct Frame;

/// What a function within a function sees of the latter, by reference as in Python, for as long as
/// the latter runs.
struct Closure {
  Frame *frame = nullptr;
  std::weak_ptr<char> life;   // Of the frame.
  unsigned comprehension = 0; // The innermost one that it is written in; 0: none.
  std::vector<Object>
      defaults; // One a parameter, as of the definition; poison where there is none.
};

/// One function being interpreted.
struct Frame {
  const JitFunction *function = nullptr; // Null while constants of a command line are read.
  const ModuleEnv *env = nullptr;
  Frame *caller = nullptr;
  llvm::SMRange callRange;                 // In the caller.
  std::optional<mlir::Location> callerLoc; // Of callRange and the calls above, made when needed.
  Scope scope;
  std::vector<Object> arguments;     // Of a jit function, before its body assigns to parameters.
  unsigned loopDepth = 0;            // Run-time loops around the current statement.
  bool isKernel = false;             // Returns no value.
  std::optional<Object> returnShape; // Of the first return seen; None when it was bare.
  llvm::SMRange firstReturn;
  struct Vanished {
    llvm::SMRange range;
    llvm::StringRef why;
  };
  llvm::DenseMap<llvm::StringRef, Vanished> vanished; // Names that did not leave a branch or loop.
  bool host = false; // Evaluated at compile time only (constexpr_function, defaults).
  const RecordClass *constructing = nullptr; // In __init__ of an aggregate, whose self it sets.
  // Of functions of compile time:
  Frame *outer = nullptr;                        // Around a function within it.
  std::shared_ptr<char> life;                    // Set when a closure refers to the frame.
  llvm::SmallVector<unsigned, 2> comprehensions; // Being evaluated, outermost first.
};

/// How a list of statements ends.
struct Flow {
  bool always = false; // Every path returned.
  bool bare = false;   // By a `return` in this very list: what follows it is not compiled.
  mlir::Value maybe;   // Some path returned: the condition, an i1.
  llvm::SmallVector<mlir::Value, 2> values; // What was returned, flattened.

  bool never() const { return !always && !maybe; }
};

using StmtList = llvm::ArrayRef<ast::Stmt *>;

class Interpreter {
public:
  /// `imports` may be null: nothing is imported then. `reportImports`: errors in imported files are
  /// reported.
  Interpreter(mlir::MLIRContext &context, llvm::SourceMgr &sources, DiagnosticEngine &diagnostics,
              const KernelRequest &request, Imports *imports, bool reportImports = true);

  // Diagnostics.

  /// An error at `range` of the function being interpreted, with notes for the chain of calls.
  /// Inside the prelude it is placed at the call of the user's code. Returns poison.
  Object error(llvm::SMRange range, const llvm::Twine &message);
  /// The same with a suggested replacement when `suggestion` is set: "; did you mean 'x'?".
  Object errorWithHint(llvm::SMRange range, const llvm::Twine &message,
                       std::optional<llvm::StringRef> suggestion, llvm::SMRange fix);
  /// The same with a note.
  Object errorWithNote(llvm::SMRange range, const llvm::Twine &message, llvm::SMRange noteRange,
                       const llvm::Twine &note);
  /// An error about `object`, a Host: `message` and why, which is `why` unless the object knows
  /// better.
  Object hostError(llvm::SMRange range, const llvm::Twine &message, const llvm::Twine &why,
                   const Object &object);
  void warning(llvm::SMRange range, const llvm::Twine &message);
  void remark(llvm::SMRange range, const llvm::Twine &message);
  bool hadError() const { return errors; }
  /// An error was reported elsewhere.
  void noteError() { errors = true; }
  DiagnosticEngine &engine() { return diagnostics; }
  /// True in code that runs at compile time only.
  bool inHost() const { return frame && frame->host; }

  // Evaluation.

  Object eval(const ast::Expr &expr);
  Object call(const Object &callee, CallInfo &info);
  Object callBuiltin(const Builtin &builtin, const Object *self, CallInfo &info);
  Object callJit(const JitFunction &function, CallInfo &info);
  /// The elements of what code of compile time can iterate over: a tuple, the keys of a
  /// dictionary, the characters of a string; poison, after an error, for others.
  Object iterate(const Object &object, llvm::SMRange range);
  /// Members of an Enum, and what `.value` and `.name` of one are.
  std::optional<Object> enumMember(const RecordClass &type, llvm::StringRef name);
  /// Python's format(value, spec); nothing after setting `problem`.
  Object formatPercent(llvm::StringRef format, const Object &values, llvm::SMRange range);
  std::optional<std::string> formatHost(const Object &value, llvm::StringRef spec,
                                        std::string &problem);
  /// Calls a jit function with the given positional arguments, as at `range`.
  Object callWith(const Object &callee, llvm::ArrayRef<Object> args, llvm::SMRange range);
  Object attribute(const Object &object, llvm::StringRef name, llvm::SMRange range,
                   llvm::SMRange nameRange);
  std::optional<Object> findAttribute(const Object &object, llvm::StringRef name);
  /// An operator on any two objects.
  Object binaryOp(ast::BinaryOp op, const Object &left, const Object &right,
                  llvm::SMRange leftRange, llvm::SMRange rightRange, llvm::SMRange opRange,
                  llvm::SMRange range);
  /// Converts to run-time what an assignment or a return converts: numbers, also inside tuples.
  Object materializeDeep(const Object &object, llvm::SMRange range);
  /// Evaluates an expression of the host program (a default, a global): host constants are visible,
  /// and `locals`, where there are some.
  Object evalHost(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals = nullptr);
  /// The same without any report; poison when the value cannot be known.
  Object tryEvalHost(const ast::Expr &expr, const ModuleEnv &env, const Scope *locals = nullptr);
  /// Reports what is wrong with the arguments of a function's `@triton.jit(..)`, once.
  bool checkJitCall(const JitFunction &function);
  /// Runs the body of a kernel whose parameters are in `frame`'s scope.
  void runKernel(Frame &frame);

  // Source locations and the builder.

  mlir::Location loc();
  llvm::SMRange here() const { return current; }
  mlir::OpBuilder &ir() { return builder; }
  mlir::MLIRContext &context() { return *builder.getContext(); }
  TensorOps &tensors() { return ops; }
  const KernelRequest &options() const { return request; }
  /// Whether run-time checks are kept: asked for, or by the kernel's decorator.
  bool debug() const { return request.debug || kernelDebug; }
  void setKernelDebug(bool on) { kernelDebug = on; }
  llvm::SourceMgr &sourceMgr() { return sources; }
  llvm::StringSaver &strings() { return saver; }
  /// The files of the user that others import.
  Importer &importer() { return files; }
  /// The functions of `tl` that are written in the language.
  const ModuleEnv &prelude();
  /// Those of libdevice.
  const ModuleEnv &devicePrelude();
  /// Those that kernels by torch.compile call.
  const ModuleEnv &inductorPrelude();

  /// Sets the source location of what is being evaluated while it lives.
  class PlaceScope {
  public:
    PlaceScope(Interpreter &in, llvm::SMRange range) : in(in), saved(in.current) {
      in.current = range;
    }
    ~PlaceScope() { in.current = saved; }

  private:
    Interpreter &in;
    llvm::SMRange saved;
  };

  /// Reports nothing while it lives.
  class SilentScope {
  public:
    explicit SilentScope(Interpreter &in) : in(in) { ++in.silent; }
    ~SilentScope() { --in.silent; }

  private:
    Interpreter &in;
  };

  /// Makes `frame` the current one while it lives.
  class FrameScope {
  public:
    FrameScope(Interpreter &in, Frame &frame) : in(in), saved(in.frame) { in.frame = &frame; }
    ~FrameScope() { in.frame = saved; }

  private:
    Interpreter &in;
    Frame *saved;
  };

private:
  friend class ModuleEnv;

  /// A part of the library that is written in the language; read when a kernel first needs it.
  struct Prelude {
    std::unique_ptr<ast::Context> context;
    std::unique_ptr<ModuleEnv> env;
  };

  /// Counts nested evaluation while it lives. False, after an error, when it is too deep.
  class DepthGuard {
  public:
    DepthGuard(Interpreter &in, llvm::SMRange range);
    ~DepthGuard() { --in.depth; }
    explicit operator bool() const { return fits; }

  private:
    Interpreter &in;
    bool fits;
  };

  // Expressions.cpp
  Object evalKind(const ast::Expr &expr);
  Object evalName(const ast::Name &name);
  Object undefinedName(const ast::Name &name);
  Object evalConstant(const ast::Constant &constant);
  Object evalSequence(llvm::ArrayRef<ast::Expr *> elements);
  Object boundedTuple(Object::List items);
  Object evalListComp(const ast::ListComp &comp);
  bool rejectHost(const Object &object, llvm::SMRange range);
  Object evalUnary(const ast::UnaryOp &unary);
  Object evalBool(const ast::BoolOp &boolean);
  Object combineBool(const ast::BoolOp &boolean, llvm::ArrayRef<Object> operands,
                     llvm::ArrayRef<llvm::SMRange> ranges);
  Object evalCompare(const ast::Compare &compare);
  Object evalIs(ast::CompareOp op, const Object &left, const Object &right);
  Object evalIfExp(const ast::IfExp &ifExp);
  Object evalRuntimeIfExp(const ast::IfExp &ifExp, const Object &condition);
  Object evalFString(const ast::JoinedStr &joined);
  Object evalCall(const ast::Call &call);
  bool evalArguments(const ast::Call &call, CallInfo &info);
  bool addKeywords(const Object &dict, llvm::SMRange range, CallInfo &info);

  // Subscripts.cpp
  Object evalSubscript(const ast::Subscript &subscript);
  Object subscriptTuple(const Object &tuple, const ast::Expr &index);
  Object subscriptTensor(const Object &tensor, const ast::Expr &index);
  Object sliceTuple(const Object &tuple, const ast::Slice &slice);

  // Attributes.cpp
  std::optional<Object> tensorAttribute(const Object &tensor, llvm::StringRef name);
  std::optional<Object> typeAttribute(const Object &type, llvm::StringRef name);
  Object moduleAttribute(const Object &module, llvm::StringRef name, llvm::SMRange nameRange);

  // Calls.cpp
  llvm::ArrayRef<BuiltinParam> paramsOf(const Builtin &builtin);
  bool bindBuiltin(Args &args, const Object *self, const CallInfo &info);
  bool bindKeyword(Args &args, const KeywordArg &keyword);
  bool bindPositional(Args &args, const CallInfo &info, unsigned next);
  bool checkParams(const JitFunction &function);
  bool bindJit(const JitFunction &function, const CallInfo &info, Frame &callee);
  bool bindJitPositional(const JitFunction &function, const CallInfo &info, Frame &callee);
  bool bindDefaults(const JitFunction &function, const CallInfo &info, Frame &callee);
  Object inlineCall(const JitFunction &function, Frame &callee);
  bool checkNoinline(const JitFunction &function, const Frame &callee, llvm::SMRange range);
  bool checkRecursion(const JitFunction &function, Frame &callee, llvm::SMRange range);
  Object construct(const RecordClass &type, CallInfo &info);
  bool canCall(const JitFunction &function, const CallInfo &info);

  // Aggregates.cpp
  Object constructAggregate(const RecordClass &type, CallInfo &info);
  bool setField(const ast::Attribute &target, const Object &value);
  bool checkField(const RecordClass &type, size_t field, const Object &value, llvm::SMRange range);
  Object aggregateAttribute(const Object &object, llvm::StringRef name, llvm::SMRange nameRange);

  // Statements.cpp
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

  // JitDecorator.cpp
  bool checkJitKeyword(const JitFunction &function, const ast::Keyword &keyword);
  bool checkUnspecialized(const JitFunction &function, const ast::Keyword &keyword);

  // Host.cpp
  Object callHost(const JitFunction &function, Frame &callee);
  struct HostRun;
  bool execHost(StmtList list, HostRun &run);
  bool execHostStmt(const ast::Stmt &stmt, HostRun &run);
  bool execHostAssign(const ast::Stmt &stmt);
  bool execHostFor(const ast::For &stmt, HostRun &run);
  bool execHostWhile(const ast::While &stmt, HostRun &run);
  bool execHostAssert(const ast::Assert &stmt);
  bool execHostTry(const ast::TryParts &parts, HostRun &run);
  bool catchesImport(const ast::ExceptClause &clause) const;
  std::optional<bool> hostCondition(const ast::Expr &test);

  // HostEval.cpp
  bool assignHost(const ast::Expr &target, const Object &value);
  bool collectHostComp(const ast::ListComp &comp, size_t index, Object::List &items);
  Object evalHostComp(const ast::ListComp &comp);
  Object evalHostContainer(const ast::Expr &expr);
  Object evalHostCompare(const ast::Compare &compare);
  Object lookUpHost(const ast::Dict &dict, const ast::Expr &index);
  Object evalHostDict(const ast::Dict &dict);
  Object makeDict(Object::List keysAndValues, llvm::SMRange range);
  Object callDict(const CallInfo &info);
  Object evalNamedExpr(const ast::NamedExpr &named);

  // HostFunctions.cpp
  Object evalLambda(const ast::Lambda &lambda);
  Object makeClosure(const ast::FunctionDef &def, llvm::SMRange range);
  bool checkClosure(const JitFunction &function, llvm::SMRange range);
  bool importHost(const ast::Stmt &stmt);
  std::optional<Object> importedValue(llvm::StringRef dotted, llvm::SMRange range);
  bool bindImport(llvm::StringRef dotted, llvm::StringRef name, llvm::SMRange range);
  bool canImport(const ast::Stmt &stmt);

  // HostContainers.cpp
  struct Place;
  std::optional<Place> findPlace(const ast::Expr &expr);
  Object lookUpDict(const Object &dict, const Object &key, llvm::SMRange range);
  bool setItem(const ast::Subscript &target, const Object &value);
  bool extendInPlace(const ast::AugAssign &assign, bool &done);
  std::optional<Object> callMutator(const ast::Call &call);
  Object mutateList(Place &place, llvm::StringRef name, const CallInfo &info);
  Object mutateDict(Place &place, llvm::StringRef name, const CallInfo &info);
  bool changed(Place &place, ptrdiff_t more, llvm::SMRange range);

  const ModuleEnv &load(Prelude &prelude, const char *text, llvm::StringRef name);
  void setName(llvm::StringRef name, Object value, bool plain = true);
  bool chargeStatement(llvm::SMRange range);
  /// No further statement is interpreted.
  void stop();
  bool stopped() const;

  mlir::OpBuilder builder;
  llvm::SourceMgr &sources;
  DiagnosticEngine &diagnostics;
  const KernelRequest &request;
  TensorOps ops;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};
  Frame *frame = nullptr;
  llvm::SMRange current;
  bool errors = false;
  bool kernelDebug = false;
  unsigned silent = 0;     // Errors are not reported while this is not 0.
  unsigned depth = 0;      // Of nested evaluation, over all frames.
  unsigned statements = 0; // Interpreted so far.
  std::set<std::pair<const char *, std::string>> reported;
  llvm::DenseMap<const ast::Call *, bool> checkedJitCalls; // Whether they are sound.
  llvm::DenseMap<const Builtin *, std::vector<BuiltinParam>> builtinParams;
  Prelude languagePrelude, libdevicePrelude, torchPrelude;
  std::deque<JitFunction> innerFunctions;
  std::deque<Closure> closures;
  std::vector<Object> sharedDefaults; // Lists: Python has one for all calls.
  ast::Context innerSyntax;           // Of lambdas as functions.
  llvm::DenseMap<const ast::Lambda *, const ast::FunctionDef *> lambdaFunctions;
  unsigned lastComprehension = 0;
  Importer files;
  const char *locatedAt = nullptr; // One-entry cache of locate().
  mlir::Location locatedLoc;

  mlir::Location locate(llvm::SMRange range);
  mlir::Location frameLoc(Frame *of, llvm::SMRange range);
};

/// Appends the IR values inside an object, left to right.
void flatten(const Object &object, llvm::SmallVectorImpl<mlir::Value> &values);
/// A copy of `object` with its IR values replaced, in the order of `flatten`.
Object rebuild(const Object &object, llvm::ArrayRef<mlir::Value> &values);
/// Same front-end types; compile-time values must be equal.
bool sameType(const Object &left, const Object &right);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H
