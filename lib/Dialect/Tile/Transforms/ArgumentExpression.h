//===- ArgumentExpression.h - numbers that launches can compute -*- C++ -*-===//
//
// A number of a kernel that follows from its arguments alone, by simple arithmetic, as text in
// postfix form (TensorMapParam.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARGUMENTEXPRESSION_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARGUMENTEXPRESSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include <string>

namespace tilec::tile {

/// Whether whoever launches `kernel` makes tensor maps that follow from arguments.
bool launcherMakesMaps(mlir::func::FuncOp kernel);

/// Whether `value` is a number that whoever launches `kernel` can compute from the arguments.
bool isOfArguments(mlir::Value value, mlir::func::FuncOp kernel);

/// Writes numbers of the kernel as an expression of its arguments. A number of fewer than 64 bits
/// is on the evaluator's stack as one of 64 with the same sign; of one bit it is 0 or 1.
class ArgumentExpression {
public:
  /// Without `text` it only finds out whether there is one.
  ArgumentExpression(mlir::Block &entry, std::string *text) : entry(entry), text(text) {}

  /// False if it follows from something else, or by a long way.
  bool append(mlir::Value value);
  /// Adds a token; false if these are too many.
  bool step(const llvm::Twine &token) {
    constexpr unsigned mostSteps = 32;
    if (text)
      *text += (text->empty() ? "" : " ") + token.str();
    return ++numSteps <= mostSteps;
  }

private:
  bool appendArgument(mlir::BlockArgument argument);
  bool appendOperation(mlir::Operation *op);
  /// Two operands, and what combines them.
  bool appendBoth(mlir::Value left, mlir::Value right, llvm::StringRef name) {
    return append(left) && append(right) && step(name);
  }
  bool appendBits(mlir::Operation *op, llvm::StringRef name) {
    return appendBoth(op->getOperand(0), op->getOperand(1), name);
  }
  bool appendArithmetic(mlir::Operation *op, llvm::StringRef name) {
    return appendBits(op, name) && extend("sext", op->getResult(0).getType());
  }
  bool appendAddress(AddPtrOp op);
  bool appendComparison(mlir::arith::CmpIOp op);
  /// Fills the bits above those of `type`.
  bool extend(llvm::StringRef how, mlir::Type type) {
    unsigned width = type.getIntOrFloatBitWidth();
    return width == 64 || (width > 1 && step(how + llvm::Twine(width)));
  }

  mlir::Block &entry;
  std::string *text;
  unsigned numSteps = 0;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_ARGUMENTEXPRESSION_H
