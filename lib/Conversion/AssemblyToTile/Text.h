//===- Text.h - the text of inline assembly ---------------------*- C++ -*-===//
//
// PTX as instructions with their operands: names of registers, which scopes may hide, are numbers
// of registers here. What instructions mean is not known at this level.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_TEXT_H
#define TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilec::assembly {

/// What registers, and operands of instructions, hold.
enum class Kind : uint8_t { Predicate, Bits, Unsigned, Signed, Float };

/// A type of PTX: `lanes` numbers of `bits` bits each.
struct NumberType {
  Kind kind = Kind::Bits;
  /// Of floats of one size there are several: "f16", "bf16", "e4m3".
  llvm::StringRef format;
  unsigned bits = 32;
  unsigned lanes = 1;

  unsigned width() const { return bits * lanes; }
  bool isFloat() const { return kind == Kind::Float; }
  bool isInteger() const { return kind == Kind::Unsigned || kind == Kind::Signed; }
  bool isSigned() const { return kind == Kind::Signed; }
  NumberType lane() const { return {kind, format, bits, 1}; }
};

/// The type that a word such as "s32" or "f16x2" names.
std::optional<NumberType> typeNamed(llvm::StringRef word);

/// A register of the text, or an operand ($0) in one.
struct Register {
  std::string name;
  NumberType type;
};

struct Operand {
  enum Form : uint8_t {
    InRegister,
    Number,  // an integer
    Real,    // a float: its bits, or a decimal number
    List,    // {a, b}
    Pair,    // p|q
    Address, // [a+4]
    Nothing, // _
    Special, // %smid
  };
  Form form = Nothing;
  bool isNegated = false; // !p
  unsigned index = 0;     // of the register
  /// An integer; an address's distance; the bits of a float, as a double where it is decimal.
  uint64_t bits = 0;
  /// Of a float: 32 or 64 where its bits are written, 0 where it is decimal.
  unsigned realBits = 0;
  std::string text; // what is special
  std::vector<Operand> parts;
};

struct Statement {
  std::string text; // for messages
  std::optional<unsigned> guard;
  bool guardIsNegated = false;
  std::string opcode; // "add.s32"
  llvm::SmallVector<Operand, 4> operands;
};

struct Program {
  /// Those of the operands come first.
  std::vector<Register> registers;
  std::vector<Statement> statements;
};

/// What the text has for `$0` and so on: a register of so many bits, or a number.
struct Argument {
  unsigned bits;
  std::optional<int64_t> number;
  std::optional<unsigned> sameAs; // the argument whose register it is
};

/// The text as a program, or what is wrong with it.
std::variant<Program, std::string> readAssembly(llvm::StringRef text,
                                                llvm::ArrayRef<Argument> arguments);

} // namespace tilec::assembly

#endif // TILEC_LIB_CONVERSION_ASSEMBLYTOTILE_TEXT_H
