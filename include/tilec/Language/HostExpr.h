//===- HostExpr.h - Expressions over a launch's arguments -------*- C++ -*-===//
//
// What a lambda of @triton.heuristics computes from the arguments of a launch, as a tree that does
// not refer to the source: names of the module are constants in it. It can be evaluated here, or be
// turned into code.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_HOSTEXPR_H
#define TILEC_LANGUAGE_HOSTEXPR_H

#include "tilec/Language/AST.h"
#include "tilec/Language/ConstValue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace tilec {

/// One node of an expression. Immutable; nodes may be shared, and used from several threads.
class HostExpr {
public:
  using Ref = std::shared_ptr<const HostExpr>;
  enum class Kind {
    Constant,    // A value.
    Argument,    // The argument of that name.
    Unary,       // One operand.
    Binary,      // Two.
    Boolean,     // Two or more; gives the operand that decides, as Python does.
    Compare,     // Two; a chain of comparisons is a Boolean of them.
    Conditional, // Test, value if true, value if false.
    Call,        // Of a function below.
    Element,     // One operand, a tuple, and a constant, the index.
    Part,        // Of one operand, an argument that is a tensor descriptor: base, shape or strides.
  };
  /// triton.cdiv, triton.next_power_of_2, and Python's own functions.
  enum class Function { CDiv, NextPowerOf2, Min, Max, Abs, Int, Float, Bool };

  /// The value of an argument, or null when it is not known. A pointer is its address as an
  /// integer, or None if it is null.
  using Lookup = llvm::function_ref<const ConstValue *(llvm::StringRef name)>;

  static Ref constant(ConstValue value, llvm::SMRange range);
  static Ref argument(std::string name, llvm::SMRange range);
  static Ref unary(ast::UnaryOpKind op, Ref operand, llvm::SMRange range);
  static Ref binary(ast::BinaryOp op, Ref left, Ref right, llvm::SMRange range);
  static Ref boolean(ast::BoolOpKind op, std::vector<Ref> operands, llvm::SMRange range);
  static Ref compare(ast::CompareOp op, Ref left, Ref right, llvm::SMRange range);
  static Ref conditional(Ref test, Ref body, Ref orelse, llvm::SMRange range);
  static Ref call(Function function, std::vector<Ref> args, llvm::SMRange range);
  /// `index` counts as in Python: -1 is the last one.
  static Ref element(Ref tuple, int64_t index, llvm::SMRange range);
  /// `name` is one of descriptorParts().
  static Ref part(Ref descriptor, llvm::StringRef name, llvm::SMRange range);

  Kind kind() const { return nodeKind; }
  /// In the source, for messages.
  llvm::SMRange range() const { return place; }
  llvm::ArrayRef<Ref> operands() const { return children; }
  // Each of these may be called for its kind only.
  const ConstValue &value() const { return literal; }
  llvm::StringRef name() const { return text; }
  ast::UnaryOpKind unaryOp() const { return ast::UnaryOpKind(code); }
  ast::BinaryOp binaryOp() const { return ast::BinaryOp(code); }
  ast::BoolOpKind boolOp() const { return ast::BoolOpKind(code); }
  ast::CompareOp compareOp() const { return ast::CompareOp(code); }
  Function function() const { return Function(code); }
  int64_t index() const { return literal.asInt().getSExtValue(); }

  /// The names of the arguments that the value may depend on, each once, in order of appearance.
  void collectArguments(llvm::SmallVectorImpl<llvm::StringRef> &names) const;

  /// The value for these arguments, by Python's rules. The error says what went wrong: an argument
  /// that is not known (only if its value is needed), a division by zero, operands of wrong kinds.
  llvm::Expected<ConstValue> evaluate(Lookup lookup) const;

private:
  HostExpr(Kind kind, unsigned code, std::vector<Ref> children, llvm::SMRange range)
      : nodeKind(kind), code(code), place(range), children(std::move(children)) {}
  static std::shared_ptr<HostExpr> make(Kind kind, unsigned code, std::vector<Ref> children,
                                        llvm::SMRange range);

  Kind nodeKind;
  unsigned code;
  llvm::SMRange place;
  ConstValue literal;
  std::string text;
  std::vector<Ref> children;
};

/// What a tensor descriptor is made of, in the order of the elements: "base", "shape", "strides".
llvm::ArrayRef<llvm::StringRef> descriptorParts();
/// The class of a tuple of these, as which expressions see a descriptor.
constexpr llvm::StringLiteral descriptorClass = "tensordesc";

/// The name of a function as a program writes it: "triton.cdiv", "min".
llvm::StringRef spelling(HostExpr::Function function);

} // namespace tilec

#endif // TILEC_LANGUAGE_HOSTEXPR_H
