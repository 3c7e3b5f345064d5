//===- Machine.cpp - instructions on registers that are tiles ---*- C++ -*-===//
//
// Operands, predicates, and instructions from tables of rows. An instruction under a predicate
// writes the old value where the predicate is false.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::assembly;

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

Opcode::Opcode(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  name = parts.front();
  for (StringRef part : ArrayRef(parts).drop_front()) {
    if (std::optional<NumberType> type = typeNamed(part)) {
      types.push_back(*type);
      typeNames.push_back(part);
    } else {
      words.push_back(part);
    }
  }
}

bool Opcode::take(StringRef word) {
  auto *found = llvm::find(words, word);
  if (found == words.end())
    return false;
  words.erase(found);
  return true;
}

StringRef Opcode::rounding() const {
  for (StringRef word : words)
    if (isIn("rn rz rm rp", word))
      return word;
  return "";
}

bool tilec::assembly::isIn(StringRef list, StringRef word) {
  while (!list.empty()) {
    auto [first, others] = list.split(' ');
    if (first == word)
      return true;
    list = others;
  }
  return false;
}

/// Whether a modifier is there twice, or two that contradict each other.
static bool isContradictory(const Opcode &opcode) {
  static const char *const groups[] = {"rn rz rm rp rna rni rzi rmi rpi approx full",
                                       "lo hi wide",
                                       "wrap clamp",
                                       "l r",
                                       "f4e b4e rc8 ecl ecr rc16",
                                       "sat relu"};
  for (const char *group : groups)
    if (llvm::count_if(opcode.words, [&](StringRef word) { return isIn(group, word); }) > 1)
      return true;
  for (StringRef word : opcode.words)
    if (llvm::count(opcode.words, word) > 1)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

LogicalResult Machine::fail(const Twine &what) {
  return emitError(op.getLoc()) << "inline assembly: in '" << current->text << "': " << what;
}

LogicalResult Machine::failUnsupported() {
  return fail("the instruction '" + current->opcode + "' is not supported on the CPU");
}

LogicalResult Machine::expectOperands(size_t least, size_t most) {
  size_t found = operands().size();
  if (found >= least && found <= most)
    return success();
  return fail("'" + current->opcode + "' takes " + Twine(least) +
              (least == most ? Twine("") : " to " + Twine(most)) + " operands, found " +
              Twine(found));
}

LogicalResult Machine::finish(const Opcode &opcode) {
  return opcode.words.empty() ? success() : failUnsupported();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value Machine::valueOf(unsigned index) {
  Value &value = registers[index];
  if (!value)
    value = code.number(program.registers[index].type.width(), 0);
  return value;
}

Value Machine::guardOf(const Statement &statement) {
  if (!statement.guard)
    return {};
  Value holds = valueOf(*statement.guard);
  return statement.guardIsNegated ? code.bitNot(holds) : holds;
}

static std::string nameOf(NumberType type) {
  switch (type.kind) {
  case Kind::Predicate:
    return "pred";
  case Kind::Bits:
    return "b" + std::to_string(type.width());
  case Kind::Float:
    return type.format.str() + (type.lanes == 2 ? "x2" : "");
  default:
    return (type.isSigned() ? "s" : "u") + std::to_string(type.bits) +
           (type.lanes == 2 ? "x2" : "");
  }
}

/// Bits go with anything of their size, integers with integers and floats with floats.
LogicalResult Machine::checkRegister(unsigned index, NumberType type, bool mayBeWider) {
  const Register &reg = program.registers[index];
  auto isPredicate = [](NumberType t) { return t.kind == Kind::Predicate; };
  bool fits = isPredicate(reg.type) == isPredicate(type);
  unsigned size = reg.type.width();
  mayBeWider &= type.isInteger() || reg.type.kind == Kind::Bits || type.kind == Kind::Bits;
  fits &= size == type.width() || (mayBeWider && size > type.width());
  if (reg.type.kind != Kind::Bits && type.kind != Kind::Bits)
    fits &= reg.type.isFloat() == type.isFloat();
  if (fits)
    return success();
  return fail("the register '" + reg.name + "' of type ." + nameOf(reg.type) +
              " is no operand of type ." + nameOf(type));
}

/// The number that a float in the text is.
static double numberOf(const Operand &operand) {
  return operand.realBits == 32 ? double(llvm::bit_cast<float>(uint32_t(operand.bits)))
                                : llvm::bit_cast<double>(operand.bits);
}

/// A number in the text as the bits of `type`. Halves have none.
Value Machine::readImmediate(const Operand &operand, NumberType type) {
  unsigned bits = type.width();
  bool isInteger = type.isInteger() || type.kind == Kind::Bits;
  if (operand.form == Operand::Number && isInteger)
    return code.number(bits, operand.bits);
  if (operand.form == Operand::Real && (type.format == "f32" || type.format == "f64") &&
      type.lanes == 1) {
    if (operand.realBits == bits)
      return code.number(bits, operand.bits); // also the bits of a NaN
    return code.toBits(code.real(code.floatType(type), numberOf(operand)));
  }
  unsigned written = operand.realBits ? operand.realBits : 64;
  if (operand.form == Operand::Real && type.kind == Kind::Bits && written == bits)
    return code.number(bits, operand.bits);
  (void)fail("an operand of type ." + nameOf(type) + " is no such number");
  return {};
}

Value Machine::read(const Operand &operand, NumberType type, bool mayBeWider) {
  if (operand.isNegated) {
    (void)fail("'!' needs a predicate of a comparison");
    return {};
  }
  switch (operand.form) {
  case Operand::Number:
  case Operand::Real:
    return readImmediate(operand, type);
  case Operand::Special:
    (void)fail("the special register '" + operand.text + "' is not supported on the CPU");
    return {};
  case Operand::InRegister:
    break;
  default:
    (void)fail("expected a register or a number");
    return {};
  }
  if (policies.contains(operand.index)) {
    (void)fail("a cache policy is no number");
    return {};
  }
  if (failed(checkRegister(operand.index, type, mayBeWider)))
    return {};
  return code.resize(valueOf(operand.index), type.width());
}

Value Machine::readPredicate(const Operand &operand) {
  Operand plain = operand;
  plain.isNegated = false;
  Value value = read(plain, {Kind::Predicate, "", 1});
  return value && operand.isNegated ? code.bitNot(value) : value;
}

LogicalResult Machine::write(const Operand &operand, Value value, NumberType type,
                             bool mayBeWider) {
  if (operand.form == Operand::Nothing)
    return success();
  if (operand.form != Operand::InRegister || operand.isNegated)
    return fail("a result needs a register");
  if (failed(checkRegister(operand.index, type, mayBeWider)))
    return failure();
  policies.erase(operand.index);
  unsigned size = program.registers[operand.index].type.width();
  value = code.resize(value, size, type.isSigned());
  if (Value holds = guard())
    value = code.select(holds, value, valueOf(operand.index));
  registers[operand.index] = value;
  return success();
}

LogicalResult Machine::writePolicy(const Operand &operand) {
  if (failed(write(operand, code.number(64, 0), {Kind::Bits, "", 64})))
    return failure();
  if (operand.form == Operand::InRegister)
    policies.insert(operand.index);
  return success();
}

LogicalResult Machine::readPolicy(const Operand &operand) {
  if (operand.form == Operand::InRegister && policies.contains(operand.index))
    return success();
  return success(read(operand, {Kind::Bits, "", 64}) != Value());
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

const Row *Machine::findRow(const Opcode &opcode) const {
  if (opcode.types.size() != 1)
    return nullptr;
  for (ArrayRef<Row> rows : {integerRows(), bitRows(), floatRows()})
    for (const Row &row : rows) {
      StringRef needs = row.needs;
      auto isKnown = [&](StringRef word) { return isIn(row.modifiers, word) || isIn(needs, word); };
      auto isNeeded = [&](StringRef word) { return isIn(needs, word); };
      if (opcode.name == row.name && isIn(row.types, opcode.typeNames[0]) &&
          llvm::all_of(opcode.words, isKnown) &&
          (needs.empty() || llvm::any_of(opcode.words, isNeeded)))
        return &row;
    }
  return nullptr;
}

/// One lane: the modifiers of floats mean the same for all instructions. Null for what a row does
/// not have after all.
static Value computeLane(Code &code, const Row &row, const Opcode &opcode, NumberType type,
                         ArrayRef<Value> sources) {
  if (!type.isFloat())
    return row.emit(code, opcode, type, sources);
  Type element = code.floatType(type);
  bool flushes = opcode.has("ftz");
  SmallVector<Value> floats;
  for (Value source : sources) {
    Value number = code.fromBits(source, element);
    floats.push_back(flushes ? code.flush(number) : number);
  }
  Value result = row.emit(code, opcode, type, floats);
  if (!result)
    return {};
  if (opcode.has("sat"))
    result = saturate(code, result);
  if (opcode.has("relu"))
    result = cutOffNegative(code, result);
  return code.toBits(flushes ? code.flush(result) : result);
}

Value Machine::compute(const Row &row, const Opcode &opcode, ArrayRef<Value> sources) {
  NumberType type = opcode.types[0];
  if (type.lanes == 1)
    return computeLane(code, row, opcode, type, sources);
  Value result;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    SmallVector<Value> parts;
    for (Value source : sources)
      parts.push_back(code.resize(code.shiftRight(source, lane * type.bits), type.bits));
    Value part = computeLane(code, row, opcode, type.lane(), parts);
    if (!part)
      return {};
    part = code.shiftLeft(code.resize(part, type.width()), lane * type.bits);
    result = result ? code.bitOr(result, part) : part;
  }
  return result;
}

/// The type of an operand that a row describes by a letter.
static NumberType typeOf(char letter, NumberType type) {
  if (letter == '4')
    return {Kind::Unsigned, "", 32};
  if (letter == 'w')
    type.bits *= 2;
  return type;
}

LogicalResult Machine::execute(const Row &row, const Opcode &opcode) {
  StringRef letters = row.operands;
  if (failed(expectOperands(letters.size())))
    return failure();
  SmallVector<Value> sources;
  for (auto [letter, operand] : llvm::zip(letters.drop_front(), operands().drop_front())) {
    sources.push_back(read(operand, typeOf(letter, opcode.types[0])));
    if (!sources.back())
      return failure();
  }
  Value result = compute(row, opcode, sources);
  if (!result)
    return failUnsupported();
  return write(operands()[0], result, typeOf(letters[0], opcode.types[0]));
}

LogicalResult Machine::execute(const Statement &statement) {
  current = &statement;
  // Once, as the instruction may write the predicate.
  currentGuard = guardOf(statement);
  Opcode opcode(statement.opcode);
  if (isContradictory(opcode))
    return failUnsupported();
  for (ArrayRef<Special> table :
       {carrySpecials(), comparisonSpecials(), conversionSpecials(), memorySpecials()})
    for (const Special &special : table)
      // "add.cc" is found before "add".
      if (StringRef(special.name) == opcode.name ||
          (opcode.has("cc") && StringRef(special.name) == (opcode.name + ".cc").str()))
        return special.run(*this, opcode);
  if (const Row *row = findRow(opcode))
    return execute(*row, opcode);
  return failUnsupported();
}

LogicalResult Machine::run() {
  for (const Statement &statement : program.statements)
    if (failed(execute(statement)))
      return failure();
  return success();
}
