//===- Machine.h - instructions on registers that are tiles -----*- C++ -*-===//
//
// Carries out the text of one tile.inline_asm: keeps the value that each register has, reads and
// writes operands under the rules of PTX, and finds what an opcode does in tables.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_MACHINE_H
#define TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_MACHINE_H

#include "Code.h"
#include "Text.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::assembly {

/// "mul.wide.s32": a name, modifiers and types, each in the order of the text.
struct Opcode {
  explicit Opcode(llvm::StringRef text);

  bool has(llvm::StringRef word) const { return llvm::is_contained(words, word); }
  /// Whether the modifier is there, which is then done with.
  bool take(llvm::StringRef word);
  /// The direction of rounding: one of rn, rz, rm, rp; "" where none is asked for.
  llvm::StringRef rounding() const;

  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SmallVector<llvm::StringRef, 2> typeNames;
  llvm::SmallVector<NumberType, 2> types;
};

/// Whether `word` is in `list`, whose words are separated by spaces.
bool isIn(llvm::StringRef list, llvm::StringRef word);

/// Instructions that compute one result of some sources: the value of one lane, floats as floats
/// and everything else as integers.
struct Row {
  using Emit = mlir::Value (*)(Code &code, const Opcode &opcode, NumberType type,
                               llvm::ArrayRef<mlir::Value> sources);
  const char *name;
  const char *types;     // that it may have, one at a time
  const char *modifiers; // that may be there
  const char *needs;     // one of these must be there, unless it is empty
  /// The operands, the result first: t has the type, w twice its size, 4 is a u32.
  const char *operands;
  Emit emit;
};

class Machine;

/// Instructions that look at their operands themselves.
struct Special {
  const char *name;
  mlir::LogicalResult (*run)(Machine &machine, Opcode &opcode);
};

llvm::ArrayRef<Row> integerRows();
llvm::ArrayRef<Row> bitRows();
llvm::ArrayRef<Row> floatRows();
llvm::ArrayRef<Special> carrySpecials();
llvm::ArrayRef<Special> comparisonSpecials();
llvm::ArrayRef<Special> conversionSpecials();
llvm::ArrayRef<Special> memorySpecials();

/// What is done to results of float instructions: `.relu` and `.sat`.
mlir::Value cutOffNegative(Code &code, mlir::Value x);
mlir::Value saturate(Code &code, mlir::Value x);

class Machine {
public:
  /// `registers` has the values of the program's registers, null for those without one.
  Machine(tile::InlineAsmOp op, Code code, const Program &program,
          std::vector<mlir::Value> registers)
      : code(code), op(op), program(program), registers(std::move(registers)) {}

  mlir::LogicalResult run();
  /// What a register holds; zeros where nothing was written to it.
  mlir::Value valueOf(unsigned index);

  /// An error at the assembly, about the current instruction.
  mlir::LogicalResult fail(const llvm::Twine &what);
  mlir::LogicalResult failUnsupported();

  const Statement &statement() const { return *current; }
  llvm::ArrayRef<Operand> operands() const { return current->operands; }
  /// Where the instruction is executed, as it was before it: null for everywhere.
  mlir::Value guard() const { return currentGuard; }
  bool isInScalarCode() { return tile::isInScalarCode(op); }
  mlir::LogicalResult expectOperands(size_t least, size_t most);
  mlir::LogicalResult expectOperands(size_t count) { return expectOperands(count, count); }
  /// All modifiers must be known.
  mlir::LogicalResult finish(const Opcode &opcode);

  /// The bits of an operand as an integer with the size of `type`; null after an error. A register
  /// that is wider than `type` is an error unless `mayBeWider`.
  mlir::Value read(const Operand &operand, NumberType type, bool mayBeWider = false);
  mlir::Value readPredicate(const Operand &operand);
  /// The reverse; wider registers are filled up with the sign or zeros.
  mlir::LogicalResult write(const Operand &operand, mlir::Value value, NumberType type,
                            bool mayBeWider = false);
  /// A cache policy, of which only hints may make use.
  mlir::LogicalResult writePolicy(const Operand &operand);
  mlir::LogicalResult readPolicy(const Operand &operand);

  Code code;
  /// What .cc leaves for the next instruction; null for nothing.
  mlir::Value carry;

private:
  mlir::LogicalResult execute(const Statement &statement);
  mlir::Value guardOf(const Statement &statement);
  mlir::LogicalResult execute(const Row &row, const Opcode &opcode);
  const Row *findRow(const Opcode &opcode) const;
  mlir::Value compute(const Row &row, const Opcode &opcode, llvm::ArrayRef<mlir::Value> sources);
  mlir::Value readImmediate(const Operand &operand, NumberType type);
  mlir::LogicalResult checkRegister(unsigned index, NumberType type, bool mayBeWider);

  tile::InlineAsmOp op;
  const Program &program;
  std::vector<mlir::Value> registers;
  llvm::DenseSet<unsigned> policies;
  const Statement *current = nullptr;
  mlir::Value currentGuard;
};

} // namespace tilec::assembly

#endif // TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_MACHINE_H
