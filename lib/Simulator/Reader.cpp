//===- Reader.cpp - PTX text to a program -----------------------*- C++ -*-===//
//
// Reads one kernel of a module: declarations, labels and instructions. Names become slots; each
// constant becomes a slot, too, filled when a warp starts.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"

#include <cstring>

using namespace llvm;
using namespace tilec::simulator;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Reader::skipSpace() {
  for (;;) {
    rest = rest.ltrim();
    if (rest.starts_with("//"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    else if (rest.starts_with("/*"))
      rest = rest.substr(std::min(rest.size(), rest.find("*/") + 2));
    else
      return;
  }
}

bool Reader::take(char c) {
  skipSpace();
  return rest.consume_front(StringRef(&c, 1));
}

bool Reader::takeWord(StringRef word) {
  skipSpace();
  if (!rest.starts_with(word))
    return false;
  if (rest.size() > word.size() && isNameChar(rest[word.size()]))
    return false;
  rest = rest.drop_front(word.size());
  return true;
}

StringRef Reader::takeName() {
  skipSpace();
  StringRef name = rest.take_while(isNameChar);
  rest = rest.drop_front(name.size());
  return name;
}

/// The text before `c`, which is skipped.
StringRef Reader::takeUntil(char c) {
  size_t end = std::min(rest.find(c), rest.size());
  StringRef text = rest.take_front(end);
  rest = rest.drop_front(std::min(end + 1, rest.size()));
  return text;
}

uint32_t Reader::line() const {
  return uint32_t(whole.take_front(rest.data() - whole.data()).count('\n') + 1);
}

Error Reader::error(const Twine &what) const {
  return createStringError(inconvertibleErrorCode(), "PTX line " + Twine(line()) + ": " + what);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Program>> Reader::read() {
  for (StringRef text = whole; !text.empty();) {
    auto [first, others] = text.split('\n');
    program->lines.push_back(first.trim().str());
    text = others;
  }
  for (skipSpace(); !rest.empty(); skipSpace())
    if (Error failure = readModuleItem())
      return std::move(failure);
  if (!found)
    return createStringError(inconvertibleErrorCode(), "the PTX has no kernel '" + wanted + "'");
  return std::move(program);
}

Error Reader::readModuleItem() {
  if (takeWord(".version") || takeWord(".target") || takeWord(".address_size") ||
      takeWord(".file")) {
    takeUntil('\n');
    return Error::success();
  }
  if (takeWord(".visible") || takeWord(".weak") || takeWord(".extern"))
    return Error::success();
  if (takeWord(".entry") || takeWord(".func"))
    return readFunction();
  for (StringRef space : {".shared", ".global", ".const"})
    if (takeWord(space))
      return readVariable(space);
  if (takeWord(".section")) {
    takeUntil('}');
    return Error::success();
  }
  return error("the simulator cannot read this declaration");
}

Error Reader::readFunction() {
  skipSpace();
  if (rest.starts_with("(")) // The result of a function.
    takeUntil(')');
  StringRef name = takeName();
  if (name != wanted) {
    // Another kernel, or the declaration of a function.
    StringRef head = rest.take_until([](char c) { return c == ';' || c == '{'; });
    rest = rest.drop_front(head.size());
    if (take(';'))
      return Error::success();
    takeUntil('{');
    for (unsigned depth = 1; depth && !rest.empty();) {
      char c = rest.front();
      depth += c == '{' ? 1 : 0;
      depth -= c == '}' ? 1 : 0;
      rest = rest.drop_front();
    }
    return Error::success();
  }
  found = true;
  if (Error failure = readParameters())
    return failure;
  takeUntil('{'); // What was asked for: threads, registers.
  if (Error failure = readBody())
    return failure;
  program->names.resize(program->slots);
  return resolveLabels();
}

/// The bytes of an element of type ".b32", "u8", "pred".
static unsigned typeBytes(StringRef type) {
  type.consume_front(".");
  unsigned bits = 8;
  type.drop_while([](char c) { return !isDigit(c); }).getAsInteger(10, bits);
  return bits / 8;
}

Error Reader::readParameters() {
  if (!take('('))
    return error("expected '('");
  while (!take(')')) {
    take(',');
    if (!takeWord(".param"))
      return error("expected a parameter");
    StringRef words = rest.take_until([](char c) { return c == ',' || c == ')'; });
    rest = rest.drop_front(words.size());
    SmallVector<StringRef> parts;
    words.trim().split(parts, ' ', -1, /*KeepEmpty=*/false);
    // A float of 16 bits is an array of bytes, too: ".param .align 2 .b8 name[2]".
    auto [name, size] = parts.back().split('[');
    unsigned bytes = 0;
    bool isArray = !size.empty(), isRead = parts.size() >= 2;
    isRead &= !isArray || !size.consumeInteger(10, bytes);
    bool isMap = isRead && bytes == kMapBytes;
    if (!isRead || (bytes > 8 && !isMap))
      return error("the simulator takes parameters of one number, or of a tensor map");
    program->parameters.push_back({slotOf(name), isMap});
  }
  return Error::success();
}

/// The elements that initialise a variable, as bytes.
Expected<std::vector<uint8_t>> Reader::readContents(unsigned elementBytes, uint64_t bytes) {
  std::vector<uint8_t> contents(bytes);
  if (!take('='))
    return contents;
  bool isList = take('{');
  uint64_t at = 0;
  SmallVector<StringRef> items;
  StringRef list = takeUntil(isList ? '}' : ';');
  list.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    uint64_t value;
    int64_t negative;
    item = item.trim();
    if (item.getAsInteger(0, value)) {
      if (item.getAsInteger(0, negative))
        return error("the simulator cannot read '" + item + "'");
      value = uint64_t(negative);
    }
    if (at + elementBytes > contents.size())
      return error("there are more elements than the variable has");
    std::memcpy(contents.data() + at, &value, elementBytes);
    at += elementBytes;
  }
  return contents;
}

/// ".shared .align 16 .b8 name[24];"
Error Reader::readVariable(StringRef space) {
  uint64_t align = 1;
  unsigned elementBytes = 1;
  skipSpace();
  while (rest.starts_with(".")) {
    StringRef word = rest.take_until([](char c) { return isSpace(c); });
    rest = rest.drop_front(word.size());
    if (word == ".align") {
      skipSpace();
      if (rest.consumeInteger(10, align))
        return error("expected a number");
    } else {
      elementBytes = typeBytes(word);
    }
    skipSpace();
  }
  StringRef name = takeName();
  uint64_t count = 1;
  if (take('[')) {
    count = 0;
    skipSpace();
    rest.consumeInteger(10, count); // None: dynamic shared memory.
    take(']');
  }
  uint64_t bytes = count * elementBytes;
  if (space == ".shared") {
    program->sharedBytes = uint32_t(alignTo(program->sharedBytes, align));
    sharedAddresses[name] = kSharedBase + program->sharedBytes;
    program->sharedBytes += uint32_t(bytes);
  } else if (space == ".local") {
    if (program->localBytes != 0)
      return error("the simulator takes one variable in local memory");
    program->localBytes = uint32_t(bytes);
    slots[name] = LocalBase;
  } else {
    Expected<std::vector<uint8_t>> contents = readContents(elementBytes, bytes);
    if (!contents)
      return contents.takeError();
    std::vector<uint8_t> &data = program->data.emplace_back(bytes + align);
    uint64_t padding = offsetToAlignment(reinterpret_cast<uintptr_t>(data.data()), Align(align));
    std::copy(contents->begin(), contents->end(), data.begin() + ptrdiff_t(padding));
    addresses[name] = reinterpret_cast<uintptr_t>(data.data()) + padding;
  }
  take(';');
  return Error::success();
}

/// ".reg .b32 %r<103>;" or ".reg .pred p, q;": slots are made when a name is used, but for those
/// of an inner block, which may hide others.
Error Reader::readRegisters() {
  StringRef text = takeUntil(';');
  if (blocks.empty())
    return Error::success();
  SmallVector<StringRef> names;
  text.trim().drop_until([](char c) { return isSpace(c); }).split(names, ',');
  for (StringRef name : names) {
    auto [prefix, size] = name.trim().split('<');
    unsigned count = 0;
    if (size.empty())
      blocks.back()[prefix] = newSlot(prefix);
    else if (size.consumeInteger(10, count))
      return error("expected the number of registers");
    for (unsigned index = 0; index < count; ++index) {
      std::string one = (prefix + Twine(index)).str();
      blocks.back()[one] = newSlot(one);
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Error Reader::readBody() {
  for (;;) {
    skipSpace();
    if (rest.empty())
      return error("the kernel does not end");
    if (take('{')) {
      blocks.emplace_back();
    } else if (take('}')) {
      if (blocks.empty())
        return Error::success();
      blocks.pop_back();
    } else if (Error failure = readStatement()) {
      return failure;
    }
  }
}

Error Reader::readStatement() {
  if (takeWord(".reg"))
    return readRegisters();
  for (StringRef space : {".shared", ".local"})
    if (takeWord(space))
      return readVariable(space);
  if (takeWord(".param") || takeWord(".pragma")) {
    takeUntil(';');
    return Error::success();
  }
  if (takeWord(".loc")) {
    takeUntil('\n');
    return Error::success();
  }
  StringRef before = rest, name = takeName();
  if (!name.empty() && take(':')) {
    if (takeWord(".branchtargets"))
      return readTable(tables[name]);
    labels[name] = uint32_t(program->code.size());
    return Error::success();
  }
  rest = before;
  return readInstruction();
}

/// "label: .branchtargets first, second;"
Error Reader::readTable(std::vector<std::string> &table) {
  do
    table.push_back(takeName().str());
  while (take(','));
  return take(';') ? Error::success() : error("expected ';'");
}

Error Reader::readOperands(Instruction &instruction) {
  while (!take(';')) {
    take(',');
    Expected<Operand> operand = readOperand();
    if (!operand)
      return operand.takeError();
    instruction.operands.push_back(std::move(*operand));
  }
  return Error::success();
}

/// "(retval0), name, (param0, param1);": the name becomes part of the opcode.
Error Reader::readCall(std::string &opcode, Instruction &instruction) {
  if (take('('))
    takeUntil(')');
  take(',');
  opcode = ("call." + takeName()).str();
  return readOperands(instruction);
}

Error Reader::readInstruction() {
  Instruction instruction;
  instruction.line = line();
  if (take('@')) {
    instruction.guardNegated = take('!');
    Expected<Slot> guard = readValue();
    if (!guard)
      return guard.takeError();
    instruction.guard = *guard;
  }
  skipSpace();
  std::string opcode = rest.take_until([](char c) { return isSpace(c) || c == ';'; }).str();
  rest = rest.drop_front(opcode.size());
  readsDoubles = StringRef(opcode).ends_with(".f64");
  if (opcode == "bra" || opcode == "bra.uni")
    jumps.push_back({program->code.size(), {takeName().str()}});
  if (opcode == "brx.idx") {
    Expected<Operand> index = readOperand();
    if (!index)
      return index.takeError();
    instruction.operands.push_back(std::move(*index));
    take(',');
    jumps.push_back({program->code.size(), tables.lookup(takeName())});
  }
  Error failure = StringRef(opcode).starts_with("call") ? readCall(opcode, instruction)
                                                        : readOperands(instruction);
  if (!failure)
    failure = decode(opcode, instruction);
  if (failure)
    return error(toString(std::move(failure)));
  program->usesWarpgroups |= StringRef(opcode).starts_with("wgmma.");
  program->code.push_back(std::move(instruction));
  return Error::success();
}

Error Reader::resolveLabels() {
  for (const Jump &jump : jumps)
    for (const std::string &name : jump.labels) {
      auto label = labels.find(name);
      if (label == labels.end())
        return createStringError(inconvertibleErrorCode(), "the PTX has no label " + name);
      program->code[jump.instruction].targets.push_back(label->second);
    }
  return Error::success();
}

Expected<std::unique_ptr<Program>> tilec::simulator::readProgram(StringRef ptx, StringRef name) {
  return Reader(ptx, name).read();
}
