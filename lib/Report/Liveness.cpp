//===- Liveness.cpp - registers that are live along SASS --------*- C++ -*-===//
//
// Operands are read as text. An instruction defines its first general register, unless its name
// says that it has none; one under a predicate leaves what was there.
//
// A call is followed by the subroutine, whose uses count, and by what is behind it. Inside a
// subroutine what any caller still needs is live, too; that is found second, so that it does not
// go from one caller to another.
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <bitset>

using namespace tilec::report;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

using Registers = std::bitset<256>;

struct Instruction {
  Registers used, defined;
  SmallVector<unsigned, 2> next; // Lines that may follow.
  bool isReturn = false;         // Goes on behind some call.
};

/// The words of a mnemonic: "LDG", "E", "128".
class Mnemonic {
public:
  explicit Mnemonic(StringRef text) { text.split(words, '.'); }

  StringRef name() const { return words[0]; }
  bool has(StringRef word) const { return llvm::is_contained(llvm::drop_begin(words), word); }
  /// Registers that a piece of data takes by its size: 1, 2, 4 or 8.
  unsigned dataWidth() const { return has("256") ? 8 : has("128") ? 4 : has("64") ? 2 : 1; }
  StringRef word(size_t index) const { return index < words.size() ? words[index] : StringRef(); }

private:
  SmallVector<StringRef, 8> words;
};

} // namespace

static bool startsWithAny(StringRef name, llvm::ArrayRef<StringRef> starts) {
  return llvm::any_of(starts, [&](StringRef start) { return name.starts_with(start); });
}

/// Whether the instruction writes a general register at all.
static bool definesRegister(StringRef name) {
  if (name.ends_with("SETP") || name.ends_with("SETP2"))
    return false;
  return !startsWithAny(name, {"ST",   "RED",    "BRA",   "BRX",  "JMP", "EXIT",  "BAR",
                               "WARP", "DEPBAR", "LDGST", "R2UR", "R2P", "UTMA",  "UBLK",
                               "MEMB", "ERRBAR", "CCTL",  "NANO", "BSS", "BSYN",  "CALL",
                               "RET",  "PLOP3",  "VOTEU", "FCHK", "NOP", "BREAK", "FENCE"});
}

/// Registers of a fragment of a product for each thread: `operand` 0 is the result, 1 and 2 are the
/// factors, 3 is what is added.
static unsigned productWidth(const Mnemonic &mnemonic, unsigned operand) {
  StringRef name = mnemonic.name(), shape = mnemonic.word(1);
  if (name.ends_with("GMMA")) {
    // 64 rows of N columns in 128 threads: `64x256x16`.
    unsigned columns = 0;
    StringRef rest = shape.split('x').second;
    rest.consumeInteger(10, columns);
    bool isHalf = !mnemonic.has("F32") && !mnemonic.has("S32") && mnemonic.has("F16");
    return operand == 0 || operand == 3 ? std::max(1u, columns / (isHalf ? 4 : 2)) : 4;
  }
  if (name == "DMMA")
    return operand == 0 || operand == 3 ? 4 : 2;
  if (operand == 0 || operand == 3)
    return mnemonic.has("F32") || name == "IMMA" || name == "QMMA" || name == "OMMA" ? 4 : 2;
  bool isDeep = mnemonic.has("TF32") ? shape == "1688" : shape != "1688" && shape != "1684";
  if (name == "IMMA")
    isDeep = shape == "16832" || shape == "16864";
  return (isDeep ? 4 : 2) / (operand == 2 ? 2 : 1);
}

/// Registers from the one that is named on, for `operand`, counted from the first register.
static unsigned operandWidth(const Mnemonic &mnemonic, unsigned operand) {
  StringRef name = mnemonic.name();
  if (name.ends_with("MMA"))
    return productWidth(mnemonic, operand);
  if (name == "IMAD" && mnemonic.has("WIDE"))
    return operand == 0 || operand == 3 ? 2 : 1;
  if (startsWithAny(name, {"DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "FADD2", "FMUL2", "FFMA2"}))
    return 2;
  if (name == "CS2R")
    return mnemonic.has("32") ? 1 : 2;
  bool isWideFloat = mnemonic.has("F64"), isWideInt = mnemonic.has("S64") || mnemonic.has("U64");
  if (name == "F2F" || name == "FRND")
    return mnemonic.word(operand == 0 ? 1 : 2) == "F64" ? 2 : 1;
  if (name == "I2F" || name == "F2I")
    return (operand == 0) == (name == "I2F") ? (isWideFloat ? 2 : 1) : (isWideInt ? 2 : 1);
  if (name == "LDSM" || name == "STSM")
    return mnemonic.has("4") ? 4 : mnemonic.has("2") ? 2 : 1;
  if (startsWithAny(name, {"LD", "ST", "ATOM", "RED", "MOV", "IADD", "SEL"}))
    return mnemonic.dataWidth();
  return 1;
}

/// The general registers in an operand, each with whether `.64` stands behind it.
static SmallVector<std::pair<unsigned, bool>, 2> registersIn(StringRef operand) {
  SmallVector<std::pair<unsigned, bool>, 2> result;
  for (size_t at = operand.find('R'); at != StringRef::npos; at = operand.find('R', at + 1)) {
    if (at > 0 && (llvm::isAlnum(operand[at - 1]) || operand[at - 1] == '_'))
      continue;
    StringRef rest = operand.drop_front(at + 1);
    unsigned number;
    if (!rest.consumeInteger(10, number) && number < 255 &&
        (rest.empty() || (!llvm::isAlnum(rest[0]) && rest[0] != '_')))
      result.emplace_back(number, rest.starts_with(".64"));
  }
  return result;
}

static void add(Registers &registers, unsigned first, unsigned count) {
  for (unsigned number = first; number < std::min(first + count, 255u); ++number)
    registers.set(number);
}

static SmallVector<StringRef, 8> splitOperands(StringRef text) {
  SmallVector<StringRef, 8> operands;
  text.split(operands, ',');
  for (StringRef &operand : operands)
    operand = operand.trim();
  return operands;
}

static void readOperands(const Mnemonic &mnemonic, StringRef text, bool isPredicated,
                         Instruction &result) {
  bool mayDefine = definesRegister(mnemonic.name());
  unsigned position = mayDefine ? 0 : 1;
  for (StringRef operand : splitOperands(text)) {
    // `-R4`, `|R4|` and `R4.reuse` are values; brackets are addresses.
    bool isAddress = operand.contains('[');
    auto registers = registersIn(operand);
    bool isResult = mayDefine && position == 0 && !isAddress && operand.starts_with("R");
    for (auto [number, isPair] : registers) {
      unsigned width = isPair ? 2 : isAddress ? 1 : operandWidth(mnemonic, position);
      // A product of warp groups may take both factors from memory; the sum is what it adds to.
      if (mnemonic.name().ends_with("GMMA") && result.defined.test(number))
        width = operandWidth(mnemonic, 0);
      if (!isResult)
        add(result.used, number, width);
      else if (!isPredicated)
        add(result.defined, number, width);
    }
    // Predicates that come first are results, too, and shift nothing.
    bool isPredicate = operand.starts_with("P") || operand.starts_with("!P");
    if (isResult || (!isPredicate && !operand.starts_with("UP")))
      ++position;
    // Behind an address or a value nothing is written.
    mayDefine &= isPredicate && !isResult;
  }
}

namespace {

class LivenessReader {
public:
  bool read(StringRef text);
  std::vector<unsigned> count() const;

private:
  bool readLine(unsigned line, StringRef text);
  bool addNext(unsigned line, const Mnemonic &mnemonic, StringRef operands, bool isPredicated);
  void keepStackPointer();
  std::vector<Registers> solve(const Registers &behindReturns) const;
  llvm::BitVector findSubroutines() const;

  std::vector<Instruction> code;
  llvm::StringMap<unsigned> labels;
  std::vector<unsigned> callTargets, behindCalls, exits;
};

} // namespace

/// The label in `BRA P0, `(.L_x_0)`.
static StringRef labelIn(StringRef operands) {
  size_t start = operands.find("`(");
  return start == StringRef::npos
             ? StringRef()
             : operands.drop_front(start + 2).take_until([](char c) { return c == ')'; });
}

bool LivenessReader::addNext(unsigned line, const Mnemonic &mnemonic, StringRef operands,
                             bool isPredicated) {
  Instruction &result = code[line];
  StringRef name = mnemonic.name();
  if (name == "BRX" || name == "JMX" || name == "BRXU")
    return false;
  if (name == "RET" || name == "EXIT") {
    result.isReturn = name == "RET";
    exits.push_back(line);
    if (isPredicated)
      result.next.push_back(line + 1);
    return true;
  }
  bool isJump = name == "BRA" || name == "CALL" || name == "JMP";
  if (isJump || mnemonic.has("COLLECTIVE")) {
    auto target = labels.find(labelIn(operands));
    if (target == labels.end())
      return false;
    result.next.push_back(target->second);
    if (name == "CALL") {
      callTargets.push_back(target->second);
      behindCalls.push_back(line + 1);
    }
  }
  // A branch may have its condition among the operands.
  bool isConditional = isPredicated || splitOperands(operands).size() > 1 || mnemonic.has("DIV");
  bool ends = isJump && name != "CALL";
  if (!ends || isConditional)
    result.next.push_back(line + 1);
  return true;
}

bool LivenessReader::readLine(unsigned line, StringRef text) {
  text = text.trim();
  if (text.empty() || text.ends_with(":")) {
    code[line].next.push_back(line + 1);
    return true;
  }
  text = text.split(' ').second.ltrim(); // The address.
  bool isPredicated = text.starts_with("@");
  if (isPredicated) {
    bool isNever = text.starts_with("@!PT");
    text = text.split(' ').second.ltrim();
    if (isNever) {
      code[line].next.push_back(line + 1);
      return true;
    }
  }
  auto [name, operands] = text.split(' ');
  Mnemonic mnemonic(name);
  readOperands(mnemonic, operands, isPredicated, code[line]);
  return addNext(line, mnemonic, operands, isPredicated);
}

bool LivenessReader::read(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  code.resize(lines.size());
  for (auto [line, content] : llvm::enumerate(lines)) {
    StringRef words = content.trim();
    if (words.consume_back(":"))
      labels[words] = unsigned(line);
  }
  for (auto [line, content] : llvm::enumerate(lines))
    if (!readLine(unsigned(line), content))
      return false;
  keepStackPointer();
  return true;
}

/// R1 is the stack pointer, which no other value replaces once it is set.
void LivenessReader::keepStackPointer() {
  bool isSet = llvm::any_of(code, [](const Instruction &one) { return one.defined.test(1); });
  for (unsigned line : exits)
    if (isSet)
      code[line].used.set(1);
}

/// What is live in front of each line; `behindReturns` is live where a subroutine ends.
std::vector<Registers> LivenessReader::solve(const Registers &behindReturns) const {
  std::vector<Registers> before(code.size() + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t line = code.size(); line-- > 0;) {
      Registers live;
      if (code[line].isReturn)
        live = behindReturns;
      for (unsigned next : code[line].next)
        live |= before[std::min<size_t>(next, code.size())];
      live = (live & ~code[line].defined) | code[line].used;
      changed |= live != before[line];
      before[line] = live;
    }
  }
  return before;
}

/// Lines that are reached from targets of calls.
llvm::BitVector LivenessReader::findSubroutines() const {
  llvm::BitVector found(unsigned(code.size()));
  SmallVector<unsigned> open(callTargets.begin(), callTargets.end());
  while (!open.empty()) {
    unsigned line = open.pop_back_val();
    if (line >= code.size() || found.test(line))
      continue;
    found.set(line);
    open.append(code[line].next.begin(), code[line].next.end());
  }
  return found;
}

std::vector<unsigned> LivenessReader::count() const {
  std::vector<Registers> before = solve(Registers());
  if (!callTargets.empty()) {
    Registers callers;
    for (unsigned line : behindCalls)
      callers |= before[std::min<size_t>(line, code.size())];
    std::vector<Registers> inside = solve(callers);
    for (unsigned line : findSubroutines().set_bits())
      before[line] = inside[line];
  }
  std::vector<unsigned> result;
  result.reserve(code.size());
  for (size_t line = 0; line < code.size(); ++line)
    result.push_back(unsigned((before[line] | code[line].defined).count()));
  return result;
}

std::optional<std::vector<unsigned>> tilec::report::countLiveRegisters(StringRef text) {
  LivenessReader reader;
  if (text.empty() || !reader.read(text))
    return std::nullopt;
  return reader.count();
}
