//===- Signature.cpp - Types of kernel parameters from text -----*- C++ -*-===//
//
// A reader by hand for a grammar that needs no tree: items between commas, each `name=` (or not),
// then a number, or a type with a hint. Errors point into the text, which becomes a source buffer.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Signature.h"

#include "ConstArith.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using llvm::SMLoc;
using llvm::SMRange;
using llvm::StringRef;

static SMRange rangeOf(StringRef text) {
  return SMRange(SMLoc::getFromPointer(text.begin()), SMLoc::getFromPointer(text.end()));
}

static bool isIdentifier(StringRef text) {
  if (text.empty() || llvm::isDigit(text.front()))
    return false;
  return llvm::all_of(text,
                      [](unsigned char c) { return llvm::isAlnum(c) || c == '_' || c >= 0x80; });
}

/// What Python's int() and float() accept, and the three named constants.
static std::optional<ConstValue> parseNumber(StringRef text) {
  if (text == "True" || text == "False")
    return ConstValue::boolean(text == "True");
  if (text == "None")
    return ConstValue::none();
  std::string plain = text.lower();
  llvm::erase(plain, '_');
  StringRef digits = plain;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  if (digits.empty())
    return std::nullopt;
  if (llvm::all_of(digits, llvm::isDigit)) {
    // More bits than any number of so many digits has.
    llvm::APInt value(digits.size() * 4 + 2, digits, 10);
    return ConstValue::integer(negative ? -value : value);
  }
  std::optional<double> value = front::parseFloat(plain);
  return value ? std::optional<ConstValue>(ConstValue::real(*value)) : std::nullopt;
}

namespace {
class SignatureReader {
public:
  SignatureReader(StringRef text, DiagnosticEngine &diagnostics)
      : text(text), diagnostics(diagnostics) {}

  std::optional<Signature> read();

private:
  void takeKernelName();
  bool readItem(StringRef item);
  bool readValue(StringRef value, SignatureItem &item);
  bool readHint(StringRef hint, SignatureItem &item);
  bool error(StringRef at, const llvm::Twine &message) {
    diagnostics.error(rangeOf(at), message);
    return false;
  }

  StringRef text;
  DiagnosticEngine &diagnostics;
  Signature signature;
  bool unreadable = false; // After something that may hold commas.
};
} // namespace

void SignatureReader::takeKernelName() {
  auto [head, tail] = text.split('=');
  if (tail.data() == nullptr || head.contains(','))
    return;
  auto [kernel, param] = head.split(':');
  if (param.empty() || !isIdentifier(kernel.trim()) || !isIdentifier(param.trim()))
    return;
  signature.kernel = kernel.trim().str();
  text = text.drop_front(kernel.size() + 1);
}

std::optional<Signature> SignatureReader::read() {
  takeKernelName();
  signature.positional = !text.contains('=');
  if (text.trim().empty())
    return signature;
  bool sound = true;
  llvm::SmallVector<StringRef> items;
  text.split(items, ',');
  if (items.size() > 1 && items.back().trim().empty())
    items.pop_back(); // A trailing comma.
  for (StringRef item : items)
    sound &= unreadable || readItem(item);
  if (!sound)
    return std::nullopt;
  return std::move(signature);
}

bool SignatureReader::readItem(StringRef text) {
  StringRef whole = text.trim();
  if (whole.empty())
    return error(text, "expected a type or a number, found nothing");
  SignatureItem item;
  item.range = rangeOf(whole);
  StringRef value = whole;
  if (!signature.positional) {
    auto [name, rest] = whole.split('=');
    if (!whole.contains('='))
      return error(whole, "expected 'name=type', because other items of the signature have names");
    name = name.rtrim();
    if (!isIdentifier(name))
      return error(name.empty() ? whole : name, "expected a parameter name before '='");
    for (const SignatureItem &other : signature.items)
      if (other.name == name)
        return error(name, "parameter '" + name + "' is given twice in the signature");
    item.name = name.str();
    value = rest.trim();
    if (value.empty())
      return error(whole, "expected a type or a number after '='");
  }
  if (!readValue(value, item))
    return false;
  signature.items.push_back(std::move(item));
  return true;
}

bool SignatureReader::readValue(StringRef value, SignatureItem &item) {
  if (std::optional<ConstValue> number = parseNumber(value)) {
    item.value = std::move(number);
    return true;
  }
  bool hasHint = value.contains(':');
  auto [name, hint] = value.split(':');
  name = name.trim();
  std::optional<DType> type = parseTypeName(name);
  unreadable = llvm::is_contained({'"', '\'', '(', '['}, value.front());
  if (unreadable)
    return error(value, "a signature holds types, numbers, True, False and None; other constants "
                        "are given with -D");
  if (!type || type->isScalar(ScalarKind::Void)) {
    std::optional<std::string> suggestion = closestTypeName(name);
    std::string message = "unknown type '" + name.str() + "' in the signature";
    if (suggestion)
      message += "; did you mean '" + *suggestion + "'?";
    DiagnosticBuilder builder = diagnostics.error(rangeOf(name.empty() ? value : name), message);
    if (suggestion)
      builder.fixIt(rangeOf(name), *suggestion);
    return false;
  }
  item.type = ParamType{*type};
  return !hasHint || readHint(hint.trim(), item);
}

bool SignatureReader::readHint(StringRef hint, SignatureItem &item) {
  if (hint == "1") {
    if (item.type->type.isPointer())
      return error(hint, "the hint ':1' makes a number the constant 1, found a pointer");
    item.type->equalsOne = true;
    item.value = ConstValue::integer(1);
    return true;
  }
  if (hint != "16") {
    diagnostics.error(hint.empty() ? item.range : rangeOf(hint),
                      "the hint after ':' must be 16 or 1, found '" + hint + "'");
    return false;
  }
  // For floats and booleans the promise means nothing.
  DType type = item.type->type;
  if (type.isPointer() || (type.isInt() && !type.isBool()))
    item.type->divisibility = 16;
  return true;
}

std::optional<Signature> tilec::parseSignature(StringRef text, StringRef bufferName,
                                               llvm::SourceMgr &sourceMgr,
                                               DiagnosticEngine &diagnostics) {
  unsigned buffer =
      sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), SMLoc());
  return SignatureReader(sourceMgr.getMemoryBuffer(buffer)->getBuffer(), diagnostics).read();
}
