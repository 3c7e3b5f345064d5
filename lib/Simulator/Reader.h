//===- Reader.h - what reading PTX text keeps -------------------*- C++ -*-===//
//
// Private to the simulator: the reader of a module. Reader.cpp has its text, declarations and
// instructions, ReadValues.cpp the operands of instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_READER_H
#define TILEC_LIB_SIMULATOR_READER_H

#include "Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilec::simulator {

/// Whether `c` may be part of a name.
inline bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; }

/// Reads the text of a module once, from front to back.
class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef name) : whole(text), rest(text), wanted(name) {}

  llvm::Expected<std::unique_ptr<Program>> read();

private:
  // Text.
  void skipSpace();
  bool take(char c);
  bool takeWord(llvm::StringRef word);
  llvm::StringRef takeName();
  llvm::StringRef takeUntil(char c);
  uint32_t line() const;
  llvm::Error error(const llvm::Twine &what) const;

  // Declarations.
  llvm::Error readModuleItem();
  llvm::Error readFunction();
  llvm::Error readParameters();
  llvm::Error readVariable(llvm::StringRef space);
  llvm::Expected<std::vector<uint8_t>> readContents(unsigned elementBytes, uint64_t bytes);
  llvm::Error readRegisters();

  // Code.
  llvm::Error readBody();
  llvm::Error readStatement();
  llvm::Error readInstruction();
  llvm::Error readOperands(Instruction &instruction);
  llvm::Error readTable(std::vector<std::string> &table);
  llvm::Error readCall(std::string &opcode, Instruction &instruction);
  llvm::Error readList(Operand &operand, char end);
  llvm::Expected<Operand> readOperand();
  llvm::Expected<Slot> readValue();
  llvm::Expected<Slot> readNamed(llvm::StringRef name);
  llvm::Expected<Slot> readNumber(llvm::StringRef text);
  using Numbers = std::vector<std::pair<Slot, uint64_t>>;
  Slot slotOf(uint64_t number, std::map<uint64_t, Slot> &known, Numbers &numbers);
  Slot constant(uint64_t value);
  Slot newSlot(llvm::StringRef name);
  std::optional<Slot> findInner(llvm::StringRef name) const;
  Slot slotOf(llvm::StringRef name);
  llvm::Error resolveLabels();

  llvm::StringRef whole, rest, wanted;
  std::unique_ptr<Program> program = std::make_unique<Program>();
  llvm::StringMap<Slot> slots;
  std::vector<llvm::StringMap<Slot>> blocks; // The registers of the inner blocks that are open.
  llvm::StringMap<uint64_t> addresses;       // Of constant data.
  llvm::StringMap<uint64_t> sharedAddresses; // Of shared variables.
  std::map<uint64_t, Slot> constantSlots, sharedSlots;
  llvm::StringMap<uint32_t> labels;
  struct Jump {
    size_t instruction;
    std::vector<std::string> labels; // One, or a table.
  };
  llvm::StringMap<std::vector<std::string>> tables;
  std::vector<Jump> jumps;
  bool found = false;
  bool readsDoubles = false; // Of the instruction: what decimal numbers are.
};

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_READER_H
