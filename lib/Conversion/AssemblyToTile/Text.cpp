//===- Text.cpp - reads the text of inline assembly -------------*- C++ -*-===//
//
// Declarations, scopes and instructions. A function that cannot read what is there notes a problem,
// the first of which ends the reading.
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace llvm;
using namespace tilec::assembly;

std::optional<NumberType> tilec::assembly::typeNamed(StringRef word) {
  static const NumberType floats[] = {
      {Kind::Float, "f16", 16}, {Kind::Float, "bf16", 16}, {Kind::Float, "tf32", 32},
      {Kind::Float, "f32", 32}, {Kind::Float, "f64", 64},  {Kind::Float, "e4m3", 8},
      {Kind::Float, "e5m2", 8}, {Kind::Float, "e2m1", 4},
  };
  if (word == "pred")
    return NumberType{Kind::Predicate, "", 1};
  StringRef name = word;
  unsigned lanes = name.consume_back("x2") ? 2 : 1;
  for (NumberType type : floats)
    if (type.format == name) {
      type.lanes = lanes;
      return type;
    }
  Kind kind = name.consume_front("b")   ? Kind::Bits
              : name.consume_front("u") ? Kind::Unsigned
              : name.consume_front("s") ? Kind::Signed
                                        : Kind::Float;
  bool isPlain = llvm::is_contained({"8", "16", "32", "64"}, name);
  if (kind == Kind::Float || !isPlain || (lanes == 2 && (kind == Kind::Bits || name != "16")))
    return std::nullopt;
  unsigned bits = 0;
  name.getAsInteger(10, bits);
  return NumberType{kind, "", bits, lanes};
}

static bool isNameChar(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '%'; }

namespace {

class Reader {
public:
  Reader(StringRef text, ArrayRef<Argument> arguments) : rest(text), arguments(arguments) {}

  std::variant<Program, std::string> read();

private:
  bool isGood() const { return problem.empty(); }
  void fail(const Twine &what) {
    if (isGood())
      problem = what.str();
  }

  void skipSpace();
  bool take(char c);
  bool isNext(char c) {
    skipSpace();
    return rest.starts_with(StringRef(&c, 1));
  }
  void expect(char c);
  std::string takeName();
  std::optional<unsigned> takeArgument();

  void addArguments();
  void readStatement();
  void readRegisters();
  void declare(const std::string &name, NumberType type);
  void readInstruction();
  void readGuard(Statement &statement);
  void readOpcode(Statement &statement);
  Operand readOperand();
  Operand readValue();
  Operand readArgument(bool isNegative);
  Operand readNumber();
  Operand readNamed();
  Operand readList();
  Operand readAddress();
  std::optional<unsigned> findRegister(StringRef name) const;

  StringRef rest;
  ArrayRef<Argument> arguments;
  SmallVector<unsigned> registerOf; // of each argument
  Program program;
  std::vector<StringMap<unsigned>> scopes{1};
  std::string problem;
};

} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

void Reader::skipSpace() {
  for (;;) {
    rest = rest.ltrim();
    if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/");
      if (end == StringRef::npos)
        fail("a comment does not end");
      rest = rest.substr(std::min(rest.size(), end == StringRef::npos ? rest.size() : end + 2));
    } else {
      return;
    }
  }
}

bool Reader::take(char c) {
  skipSpace();
  return rest.consume_front(StringRef(&c, 1));
}

void Reader::expect(char c) {
  if (take(c))
    return;
  StringRef found = rest.take_front(1);
  fail("expected '" + Twine(c) + "', found " +
       (found.empty() ? Twine("the end") : Twine("'") + found + "'"));
}

/// A name, in which "$$" is the character "$"; empty if there is none.
std::string Reader::takeName() {
  skipSpace();
  std::string name;
  if (!rest.empty() && isDigit(rest.front()))
    return name;
  while (!rest.empty()) {
    if (rest.starts_with("$$"))
      rest = rest.drop_front();
    else if (rest.starts_with("$") || !isNameChar(rest.front()))
      break;
    name += rest.front();
    rest = rest.drop_front();
  }
  return name;
}

/// "$3" or "${3}": the number of an operand of the assembly.
std::optional<unsigned> Reader::takeArgument() {
  skipSpace();
  StringRef after = rest;
  if (!after.consume_front("$") || after.starts_with("$"))
    return std::nullopt;
  bool isBraced = after.consume_front("{");
  unsigned number;
  if (after.consumeInteger(10, number) || (isBraced && !after.consume_front("}"))) {
    fail("'$' needs the number of an operand");
    return std::nullopt;
  }
  if (number >= arguments.size()) {
    fail("there is no operand '$" + Twine(number) + "'");
    return std::nullopt;
  }
  if (!after.empty() && isNameChar(after.front()))
    fail("'$" + Twine(number) + "' is part of a name");
  rest = after;
  return number;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Reader::addArguments() {
  for (const Argument &argument : arguments) {
    if (argument.sameAs) {
      registerOf.push_back(registerOf[*argument.sameAs]);
      continue;
    }
    std::string name = ("$" + Twine(registerOf.size())).str();
    registerOf.push_back(program.registers.size());
    program.registers.push_back({name, {Kind::Bits, "", argument.bits}});
  }
}

void Reader::declare(const std::string &name, NumberType type) {
  if (name.empty())
    return fail("expected the name of a register");
  if (!scopes.back().try_emplace(name, program.registers.size()).second)
    return fail("the register '" + name + "' is declared twice");
  program.registers.push_back({name, type});
}

/// " .b32 a, b<4>;"
void Reader::readRegisters() {
  if (!take('.'))
    return fail("expected the type of a register");
  StringRef word = rest.take_while(isAlnum);
  rest = rest.drop_front(word.size());
  std::optional<NumberType> type = typeNamed(word);
  if (!type)
    return fail("registers of the type '." + word + "' are not supported on the CPU");
  do {
    std::string name = takeName();
    if (!take('<')) {
      declare(name, *type);
      continue;
    }
    unsigned count = 0;
    skipSpace();
    constexpr unsigned most = 4096;
    if (rest.consumeInteger(10, count) || count > most)
      return fail("expected a number of registers up to " + Twine(most));
    expect('>');
    for (unsigned i = 0; i < count && isGood(); ++i)
      declare(name.empty() ? name : (name + Twine(i)).str(), *type);
  } while (isGood() && take(','));
  expect(';');
}

std::optional<unsigned> Reader::findRegister(StringRef name) const {
  for (const StringMap<unsigned> &scope : llvm::reverse(scopes))
    if (auto entry = scope.find(name); entry != scope.end())
      return entry->second;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand Reader::readArgument(bool isNegative) {
  Operand operand;
  std::optional<unsigned> number = takeArgument();
  if (!number)
    return operand;
  if (std::optional<int64_t> value = arguments[*number].number) {
    operand.form = Operand::Number;
    operand.bits = isNegative ? 0 - uint64_t(*value) : uint64_t(*value);
    return operand;
  }
  if (isNegative)
    fail("'-' needs a number");
  operand.form = Operand::InRegister;
  operand.index = registerOf[*number];
  return operand;
}

/// Decimal, 0x, 0b, octal, with U or without; 0f and 0d with the bits of a float; 1.5e-3.
Operand Reader::readNumber() {
  Operand operand;
  bool isNegative = take('-');
  skipSpace();
  if (rest.starts_with("$"))
    return readArgument(isNegative);
  StringRef text = rest.take_while([](char c) { return isAlnum(c) || c == '.'; });
  // The sign of an exponent, which hexadecimal numbers do not have.
  if (!text.empty() && toLower(text.back()) == 'e' && !text.starts_with_insensitive("0x")) {
    StringRef behind = rest.drop_front(text.size());
    StringRef sign = behind.take_while([](char c) { return c == '-' || c == '+'; });
    StringRef digits = behind.drop_front(sign.size()).take_while(isDigit);
    text = rest.take_front(text.size() + sign.size() + digits.size());
  }
  rest = rest.drop_front(text.size());
  StringRef digits = text;
  bool isSingle = digits.consume_front_insensitive("0f");
  if (isSingle || digits.consume_front_insensitive("0d")) {
    operand.form = Operand::Real;
    operand.realBits = isSingle ? 32 : 64;
    if (digits.size() != operand.realBits / 4 || digits.getAsInteger(16, operand.bits))
      fail("cannot read the number '" + text + "'");
    if (isNegative)
      operand.bits ^= uint64_t(1) << (operand.realBits - 1);
    return operand;
  }
  double value;
  if (text.contains('.') ||
      (text.contains_insensitive("e") && !text.starts_with_insensitive("0x"))) {
    operand.form = Operand::Real;
    if (text.getAsDouble(value))
      fail("cannot read the number '" + text + "'");
    value = isNegative ? -value : value;
    std::memcpy(&operand.bits, &value, sizeof(value));
    return operand;
  }
  operand.form = Operand::Number;
  digits.consume_back_insensitive("U");
  if (digits.getAsInteger(0, operand.bits))
    fail(text.empty() ? Twine("expected an operand") : "cannot read the number '" + text + "'");
  operand.bits = isNegative ? 0 - operand.bits : operand.bits;
  return operand;
}

/// Whether PTX defines the name, so that text without a declaration may have it.
static bool isSpecial(StringRef name) {
  static const char *const names[] = {
      "tid",         "ntid",       "laneid",        "warpid",        "nwarpid",
      "ctaid",       "nctaid",     "smid",          "nsmid",         "gridid",
      "clusterid",   "nclusterid", "cluster_",      "is_explicit",   "lanemask_",
      "clock",       "pm",         "envreg",        "globaltimer",   "reserved_",
      "total_smem_", "aggr_smem_", "dynamic_smem_", "current_graph_"};
  return name.consume_front("%") &&
         llvm::any_of(names, [&](StringRef known) { return name.starts_with(known); });
}

Operand Reader::readNamed() {
  Operand operand;
  std::string name = takeName();
  if (name.empty()) {
    StringRef found = rest.take_front(1);
    fail("expected an operand" + (found.empty() ? "" : ", found '" + found + "'"));
    return operand;
  }
  if (name == "_")
    return operand;
  if (std::optional<unsigned> index = findRegister(name)) {
    operand.form = Operand::InRegister;
    operand.index = *index;
    return operand;
  }
  if (name == "WARP_SZ") {
    operand.form = Operand::Number;
    operand.bits = 32;
    return operand;
  }
  operand.form = Operand::Special;
  StringRef part = rest.take_while([](char c) { return c == '.' || isAlnum(c); });
  operand.text = name + (part.starts_with(".") ? part.str() : "");
  if (part.starts_with("."))
    rest = rest.drop_front(part.size());
  if (!isSpecial(name))
    fail("unknown register '" + operand.text + "'");
  return operand;
}

/// A register or a number.
Operand Reader::readValue() {
  skipSpace();
  if (rest.starts_with("$") && !rest.starts_with("$$"))
    return readArgument(/*isNegative=*/false);
  if (!rest.empty() && (isDigit(rest.front()) || rest.front() == '-' || rest.front() == '.'))
    return readNumber();
  return readNamed();
}

Operand Reader::readList() {
  Operand list;
  list.form = Operand::List;
  do
    list.parts.push_back(readValue());
  while (isGood() && take(','));
  expect('}');
  return list;
}

Operand Reader::readAddress() {
  Operand address;
  address.form = Operand::Address;
  address.parts.push_back(readValue());
  if (isGood() && address.parts[0].form != Operand::InRegister &&
      address.parts[0].form != Operand::Special)
    fail("an address needs a register");
  if (take('+')) {
    Operand offset = readNumber();
    if (offset.form != Operand::Number)
      fail("the distance of an address must be a number");
    address.bits = offset.bits;
  }
  if (isNext(','))
    fail("coordinates of tensors are not supported on the CPU");
  expect(']');
  return address;
}

Operand Reader::readOperand() {
  if (take('{'))
    return readList();
  if (take('['))
    return readAddress();
  bool isNegated = take('!');
  Operand operand = readValue();
  operand.isNegated = isNegated;
  if (!take('|'))
    return operand;
  Operand pair;
  pair.form = Operand::Pair;
  pair.parts = {operand, readValue()};
  return pair;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Reader::readGuard(Statement &statement) {
  statement.guardIsNegated = take('!');
  Operand guard = readValue();
  if (!isGood())
    return;
  if (guard.form != Operand::InRegister ||
      program.registers[guard.index].type.kind != Kind::Predicate)
    return fail("'@' needs a predicate");
  statement.guard = guard.index;
}

/// "ld.global.L2::cache_hint.b32"
void Reader::readOpcode(Statement &statement) {
  skipSpace();
  StringRef word = rest;
  size_t size = 0;
  while (size < word.size()) {
    if (isAlnum(word[size]) || word[size] == '_' || word[size] == '.')
      ++size;
    else if (word.substr(size).starts_with("::"))
      size += 2;
    else
      break;
  }
  statement.opcode = word.take_front(size).str();
  rest = rest.drop_front(size);
  if (statement.opcode.empty())
    return fail("expected an instruction, found '" + rest.take_front(1) + "'");
  if (isNext(':'))
    return fail("labels are not supported on the CPU");
  if (isNext('='))
    return fail("expected an instruction");
}

/// The text up to its end, on one line.
static std::string tidy(StringRef text) {
  std::string result;
  for (char c : text.trim())
    if (!isSpace(c))
      result += c;
    else if (result.back() != ' ')
      result += ' ';
  return result;
}

void Reader::readInstruction() {
  StringRef before = rest;
  Statement statement;
  if (take('@'))
    readGuard(statement);
  if (isGood())
    readOpcode(statement);
  if (isGood() && !isNext(';'))
    do
      statement.operands.push_back(readOperand());
    while (isGood() && take(','));
  if (isGood())
    expect(';');
  statement.text = tidy(before.drop_back(rest.size()).rtrim("; "));
  if (!isGood()) {
    StringRef whole = before.take_until([](char c) { return c == ';' || c == '}'; });
    // What was read may reach behind that: a list.
    if (statement.text.size() < whole.trim().size())
      statement.text = tidy(whole);
    problem = "in '" + statement.text + "': " + problem;
  }
  program.statements.push_back(std::move(statement));
}

void Reader::readStatement() {
  if (take('{')) {
    scopes.emplace_back();
    return;
  }
  if (take('}')) {
    if (scopes.size() == 1)
      return fail("'}' without '{'");
    scopes.pop_back();
    return;
  }
  if (take(';'))
    return;
  if (!isNext('.'))
    return readInstruction();
  StringRef word = rest.drop_front().take_while(isAlnum);
  rest = rest.drop_front(1 + word.size());
  if (word == "reg")
    return readRegisters();
  fail("the directive '." + word + "' is not supported on the CPU");
}

std::variant<Program, std::string> Reader::read() {
  addArguments();
  for (skipSpace(); isGood() && !rest.empty(); skipSpace())
    readStatement();
  if (isGood() && scopes.size() > 1)
    fail("'{' without '}'");
  if (isGood())
    return std::move(program);
  return problem;
}

std::variant<Program, std::string> tilec::assembly::readAssembly(StringRef text,
                                                                 ArrayRef<Argument> arguments) {
  return Reader(text, arguments).read();
}
