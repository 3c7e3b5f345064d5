//===- AssemblyForm.h - the registers of inline assembly --------*- C++ -*-===//
//
// What the constraints of a tile.inline_asm say about the registers that one copy of its text works
// on. The GPU path hands the registers to LLVM, the CPU path translates the text; what is an error
// is the same on both.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_ANALYSIS_ASSEMBLYFORM_H
#define TILEC_DIALECT_TILE_ANALYSIS_ASSEMBLYFORM_H

#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include <optional>

namespace tilec::tile {

/// The machine registers of one group of elements of one operand or result. Elements that are
/// narrower than 32 bits share them, low bits first.
struct AssemblyWords {
  unsigned bits;  // of one machine register that is filled
  unsigned count; // of machine registers

  AssemblyWords(mlir::Type element, unsigned pack);
};

/// An integer that is the same for all elements of `arg` and known here, for the constraint 'n'.
std::optional<llvm::APInt> knownNumber(mlir::Value arg);

/// The registers of one copy of the assembly: those of results, then those of operands.
class AssemblyForm {
public:
  explicit AssemblyForm(InlineAsmOp op);

  /// Emits an error where the constraints do not describe the registers.
  mlir::LogicalResult check();

  /// As LLVM reads them: without the spaces that people put behind commas.
  std::string constraintString() const { return llvm::join(constraints, ","); }

  /// Whether the text has a number in place of this register.
  bool isNumber(unsigned index) const { return isNumber(constraints[index]); }

  /// The result whose register an operand's register is, too.
  std::optional<unsigned> tiedTo(unsigned index) const;

  /// The registers of one result or operand.
  struct Part {
    mlir::Type element;
    AssemblyWords words;
    unsigned first;
  };
  /// The types of all registers.
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Part> results, operands;
  unsigned numOutputs = 0;

private:
  static bool isNumber(llvm::StringRef letter) { return letter == "n" || letter == "i"; }
  void addResult(mlir::Type element);
  void addOperand(mlir::Type element, bool isConstant);
  void addType(mlir::Type type);
  llvm::StringRef nextLetter() const;

  InlineAsmOp op;
  mlir::Builder builder;
  llvm::SmallVector<llvm::StringRef> constraints;
  bool isSound = true;
  bool hasNumbers = true; // Whether all operands that must be numbers are.
};

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_ANALYSIS_ASSEMBLYFORM_H
