//===- ExprCode.h - Host expressions as code -------------------*- C++ -*-===//
//
// Grids and heuristics depend on the arguments of a launch, so they become small functions of the
// object, in LLVM IR. What is known at compile time is folded before.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ARTIFACT_EXPRCODE_H
#define TILEC_LIB_ARTIFACT_EXPRCODE_H

#include "tilec/Artifact/Artifact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace tilec {

// What the functions return when Python would raise an error, or needs more than 64 bits.
constexpr int kOverflow = -1, kDivisionByZero = -2;

/// Writes the functions of one configuration. They read arguments from slots of eight bytes and
/// return 0 (1 for `accepts`) or what tilec/aot.h says about failures. Arithmetic is Python's, in
/// 64 bits.
class ExprCode {
public:
  /// All references must outlive this object. Errors are reported at the expressions.
  ExprCode(llvm::Module &module, const ArtifactKernel &kernel, const ArtifactConfig &config,
           DiagnosticEngine &diagnostics);

  /// int32_t name(const uint64_t *slots, int64_t *grid). Null after reporting errors.
  llvm::Function *emitGrid(const llvm::Twine &name);
  /// int32_t name(const uint64_t *slots): whether the heuristics give the configuration's values,
  /// and all that it requires holds.
  llvm::Function *emitAccepts(const llvm::Twine &name);

private:
  enum class Type { Int, Float, Bool, Pointer, Constant };
  /// A value: of the run time, or a constant of any kind.
  struct Operand {
    Type type = Type::Constant;
    llvm::Value *value = nullptr;
    ConstValue constant;
  };
  using MaybeOperand = std::optional<Operand>;

  llvm::Function *begin(const llvm::Twine &name, unsigned numParams);
  bool finish(llvm::Function *function, llvm::Value *result);
  void failIf(llvm::Value *condition, int code);

  MaybeOperand emit(const HostExpr &expr);
  MaybeOperand emitArgument(const HostExpr &expr);
  MaybeOperand emitUnary(const HostExpr &expr);
  MaybeOperand emitBinary(const HostExpr &expr);
  MaybeOperand emitFloatBinary(const HostExpr &expr, const Operand &left, const Operand &right);
  MaybeOperand emitBoolean(const HostExpr &expr);
  MaybeOperand emitCompare(const HostExpr &expr);
  MaybeOperand emitMembership(const HostExpr &expr, const Operand &left, const Operand &right);
  MaybeOperand compare(const HostExpr &expr, ast::CompareOp op, const Operand &left,
                       const Operand &right);
  MaybeOperand emitConditional(const HostExpr &expr);
  MaybeOperand emitCall(const HostExpr &expr);
  llvm::Value *emitEquals(const HostExpr &expr, const ConstValue &wanted);
  llvm::Value *emitTruth(const HostExpr &expr);

  MaybeOperand foldConstant(const HostExpr &expr);
  llvm::Value *toInt(const HostExpr &place, const Operand &operand);
  llvm::Value *toFloat(const HostExpr &place, const Operand &operand);
  llvm::Value *toBool(const HostExpr &place, const Operand &operand);
  MaybeOperand merge(const HostExpr &place, llvm::ArrayRef<Operand> operands,
                     llvm::ArrayRef<llvm::BasicBlock *> blocks, llvm::BasicBlock *join);
  llvm::Value *checked(llvm::Intrinsic::ID operation, llvm::Value *left, llvm::Value *right);
  llvm::Value *floorDivide(llvm::Value *left, llvm::Value *right, bool wantRemainder);
  llvm::Value *shift(const HostExpr &place, bool isLeft, llvm::Value *left, llvm::Value *right);
  llvm::Value *nextPowerOf2(llvm::Value *value);
  llvm::Value *minMax(const HostExpr &expr, llvm::Value *left, llvm::Value *right);
  std::nullopt_t error(const HostExpr &place, const llvm::Twine &message);

  static Operand makeInt(llvm::Value *value) { return {Type::Int, value, {}}; }
  static Operand makeFloat(llvm::Value *value) { return {Type::Float, value, {}}; }
  static Operand makeBool(llvm::Value *value) { return {Type::Bool, value, {}}; }
  static bool isFloat(const Operand &operand) {
    return operand.type == Type::Float ||
           (operand.type == Type::Constant && operand.constant.kind() == ConstValue::Kind::Float);
  }
  static bool isNone(const Operand &operand) {
    return operand.type == Type::Constant && operand.constant.kind() == ConstValue::Kind::None;
  }
  const ConstValue *constexprNamed(llvm::StringRef name) const;

  llvm::Module &module;
  llvm::IRBuilder<> b;
  const ArtifactKernel &kernel;
  const ArtifactConfig &config;
  DiagnosticEngine &diagnostics;
  llvm::Value *slots = nullptr;
  llvm::BasicBlock *failBlock = nullptr;
  llvm::PHINode *failCode = nullptr;
};

} // namespace tilec

#endif // TILEC_LIB_ARTIFACT_EXPRCODE_H
