//===- Interpreter.h - The abstract interpreter -----------------*- C++ -*-===//
//
// Evaluates the expressions of a kernel and of the host code that it needs over Objects. One
// Interpreter builds one kernel. What it is asked to do differs with the code it is in: statements
// of kernels make tile IR (KernelInterpreter.h), and host code runs at compile time
// (HostInterpreter.h). Frames and errors are those of CallStack.h. The methods are spread over
// files by topic: Expressions.cpp, Subscripts.cpp, Attributes.cpp, Calls.cpp, Aggregates.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H

#include "Args.h"
#include "CallStack.h"
#include "ConstArith.h"
#include "Importer.h"
#include "ModuleEnv.h"
#include "TensorOps.h"
#include "mlir/IR/Builders.h"
#include "tilec/Language/Specializer.h"

namespace tilec::front {

class HostInterpreter;
class KernelInterpreter;

class Interpreter : public CallStack {
public:
  /// `imports` may be null: nothing is imported then. `reportImports`: errors in imported files are
  /// reported.
  Interpreter(mlir::MLIRContext &context, llvm::SourceMgr &sources, DiagnosticEngine &diagnostics,
              const KernelRequest &request, Imports *imports, bool reportImports = true);
  ~Interpreter();

  /// Of statements of kernels and of the functions that they call.
  KernelInterpreter &kernel() { return *kernelPart; }
  /// Of Python that runs at compile time.
  HostInterpreter &host() { return *hostPart; }

  // Evaluation.

  Object eval(const ast::Expr &expr);
  Object evalSequence(llvm::ArrayRef<ast::Expr *> elements);
  /// Tuples of tuples can double at each step; their total size is bounded.
  Object boundedTuple(Object::List items);
  bool evalArguments(const ast::Call &call, CallInfo &info);
  bool bindBuiltin(Args &args, const Object *self, const CallInfo &info);
  /// `is` and `is not`
  static Object evalIs(ast::CompareOp op, const Object &left, const Object &right) {
    return Object::boolean(left.identicalTo(right) == (op == ast::CompareOp::Is));
  }
  /// Whether a branch is taken whose condition is no run-time value; nothing after an error.
  std::optional<bool> staticCondition(const Object &condition, llvm::SMRange range);
  Object call(const Object &callee, CallInfo &info);
  Object callBuiltin(const Builtin &builtin, const Object *self, CallInfo &info);
  Object callJit(const JitFunction &function, CallInfo &info);
  /// Members of an Enum, and what `.value` and `.name` of one are.
  std::optional<Object> enumMember(const RecordClass &type, llvm::StringRef name);
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
  /// Reports what is wrong with the arguments of a function's `@triton.jit(..)`, once.
  bool checkJitCall(const JitFunction &function);

  // Source locations and the builder.

  mlir::OpBuilder &ir() { return builder; }
  mlir::MLIRContext &context() { return *builder.getContext(); }
  TensorOps &tensors() { return ops; }
  const KernelRequest &options() const { return request; }
  /// Whether run-time checks are kept: asked for, or by the kernel's decorator.
  bool debug() const { return request.debug || kernelDebug; }
  void setKernelDebug(bool on) { kernelDebug = on; }
  llvm::StringSaver &strings() { return saver; }
  /// The files of the user that others import.
  Importer &importer() { return files; }
  /// A function of `tl` that is written in the language, or null.
  const JitFunction *preludeFunction(llvm::StringRef name);
  /// One of libdevice.
  const JitFunction *deviceFunction(llvm::StringRef name);
  /// One that kernels by torch.compile call.
  const JitFunction *inductorFunction(llvm::StringRef name);

private:
  /// A module of the library that is written in the language; read when a kernel first needs it.
  struct Prelude {
    std::unique_ptr<ast::Context> context;
    std::unique_ptr<ModuleEnv> env;
  };

  // Expressions.cpp
  Object evalKind(const ast::Expr &expr);
  Object evalName(const ast::Name &name);
  Object undefinedName(const ast::Name &name);
  Object evalConstant(const ast::Constant &constant);
  Object evalListComp(const ast::ListComp &comp);
  Object evalUnary(const ast::UnaryOp &unary);
  Object evalBool(const ast::BoolOp &boolean);
  Object combineBool(const ast::BoolOp &boolean, llvm::ArrayRef<Object> operands,
                     llvm::ArrayRef<llvm::SMRange> ranges);
  Object evalCompare(const ast::Compare &compare);
  Object evalIfExp(const ast::IfExp &ifExp);
  Object evalUnknownChoice(const ast::IfExp &ifExp);
  Object evalFString(const ast::JoinedStr &joined);
  Object evalCall(const ast::Call &call);
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
  Object aggregateAttribute(const Object &object, llvm::StringRef name, llvm::SMRange nameRange);

  // JitDecorator.cpp
  bool checkJitKeyword(const JitFunction &function, const ast::Keyword &keyword);
  bool checkUnspecialized(const JitFunction &function, const ast::Keyword &keyword);

  const JitFunction *findIn(llvm::ArrayRef<const char *> texts, llvm::StringRef library,
                            llvm::StringRef name);

  mlir::OpBuilder builder;
  const KernelRequest &request;
  TensorOps ops;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};
  bool kernelDebug = false;
  llvm::DenseMap<const ast::Call *, bool> checkedJitCalls; // Whether they are sound.
  llvm::DenseMap<const Builtin *, std::vector<BuiltinParam>> builtinParams;
  llvm::DenseMap<const char *, Prelude> preludes; // By their text.
  Importer files;
  std::unique_ptr<HostInterpreter> hostPart;
  std::unique_ptr<KernelInterpreter> kernelPart;
};

/// Appends the IR values inside an object, left to right.
void flatten(const Object &object, llvm::SmallVectorImpl<mlir::Value> &values);
/// A copy of `object` with its IR values replaced, in the order of `flatten`.
Object rebuild(const Object &object, llvm::ArrayRef<mlir::Value> &values);
/// Same front-end types; compile-time values must be equal.
bool sameType(const Object &left, const Object &right);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_INTERPRETER_H
