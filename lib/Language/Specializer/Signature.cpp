//===- Signature.cpp - Types of kernel parameters from text -----*- C++ -*-===//
//
// A reader by hand for a small grammar: items between commas, each `name=` (or not), then a number,
// a type with a hint, a tensor descriptor, or a tuple of such items. Errors point into the text,
// which becomes a source buffer.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Signature.h"

#include "ConstArith.h"
#include "tilec/Arch/TensorMaps.h"
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

/// What a descriptor's type starts with.
static constexpr llvm::StringLiteral descriptorName = "tensordesc";

/// Where the comma is that ends the first item of `text`: none inside of brackets or quotes counts.
static size_t findComma(StringRef text) {
  int depth = 0;
  char quote = 0;
  // Elsewhere, `<` may be an operator.
  bool inDescriptor = false;
  for (auto [index, c] : llvm::enumerate(text)) {
    if (c == '<' && !quote)
      inDescriptor |= text.take_front(index).rtrim().ends_with(descriptorName);
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (inDescriptor)
      inDescriptor = c != '>';
    else if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    else if (c == ',' && depth <= 0)
      return index;
  }
  return text.size();
}

llvm::SmallVector<StringRef> tilec::splitAtCommas(StringRef text) {
  llvm::SmallVector<StringRef> items;
  for (bool isLast = false; !isLast;) {
    size_t comma = findComma(text);
    items.push_back(text.take_front(comma));
    text = text.substr(comma + 1);
    isLast = text.trim().empty();
  }
  return items;
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
  bool readType(StringRef text, SignatureItem &item);
  bool readTuple(StringRef text, size_t bracket, SignatureItem &item);
  bool readHint(StringRef hint, SignatureItem &item);
  bool readDescriptor(StringRef text, SignatureItem &item);
  bool readBlock(StringRef text, DescriptorType &type);
  bool unknownType(StringRef name, StringRef place);
  bool error(StringRef at, const llvm::Twine &message) {
    diagnostics.error(rangeOf(at), message);
    return false;
  }

  StringRef text;
  DiagnosticEngine &diagnostics;
  Signature signature;
  unsigned depth = 0; // Of tuples in tuples.
};
} // namespace

void SignatureReader::takeKernelName() {
  // Behind a type, a colon is followed by a number.
  auto [kernel, types] = text.split(':');
  types = types.ltrim();
  if (types.empty() || llvm::isDigit(types.front()) || !isIdentifier(kernel.trim()))
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
  for (StringRef item : splitAtCommas(text))
    sound &= readItem(item);
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
  size_t bracket = value.find('(');
  if (bracket != StringRef::npos &&
      (bracket == 0 || isIdentifier(value.take_front(bracket).trim())))
    return readTuple(value, bracket, item);
  if (llvm::is_contained({'"', '\'', '['}, value.front()))
    return error(value, "a signature holds types, numbers, True, False, None and tuples of these; "
                        "other constants are given with -D");
  return readType(value, item);
}

/// `(i32, 1)` or `Point(i32, 1)`, whose bracket is at `bracket`.
bool SignatureReader::readTuple(StringRef text, size_t bracket, SignatureItem &item) {
  constexpr unsigned mostDepth = 32;
  if (!text.ends_with(")"))
    return error(text, "expected ')' at the end of the tuple");
  if (depth == mostDepth)
    return error(text, "tuples are nested more than " + llvm::Twine(mostDepth) + " deep");
  StringRef inner = text.substr(bracket + 1).drop_back();
  llvm::SmallVector<StringRef> parts = splitAtCommas(inner);
  item.isTuple = true;
  item.className = text.take_front(bracket).trim().str();
  if (inner.trim().empty())
    return true;
  if (parts.size() == 1 && item.className.empty() && !inner.rtrim().ends_with(","))
    return error(text, "a tuple of one item needs a comma: '(" + inner.trim() + ",)'");
  ++depth;
  bool sound = true;
  for (StringRef part : parts) {
    SignatureItem &element = item.elements.emplace_back();
    element.range = rangeOf(part.trim());
    sound &= part.trim().empty()
                 ? error(part.empty() ? text : part, "expected a type or a number, found nothing")
                 : readValue(part.trim(), element);
  }
  --depth;
  return sound;
}

/// Reports `name`, which may be empty, in `place`.
bool SignatureReader::unknownType(StringRef name, StringRef place) {
  std::optional<std::string> suggestion = closestTypeName(name);
  std::string message = "unknown type '" + name.str() + "' in the signature";
  if (suggestion)
    message += "; did you mean '" + *suggestion + "'?";
  DiagnosticBuilder builder = diagnostics.error(rangeOf(name.empty() ? place : name), message);
  if (suggestion)
    builder.fixIt(rangeOf(name), *suggestion);
  return false;
}

bool SignatureReader::readType(StringRef value, SignatureItem &item) {
  if (value.starts_with(descriptorName))
    return readDescriptor(value, item);
  bool hasHint = value.contains(':');
  auto [name, hint] = value.split(':');
  name = name.trim();
  std::optional<DType> type = parseTypeName(name);
  if (!type || type->isScalar(ScalarKind::Void))
    return unknownType(name, value);
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

//===----------------------------------------------------------------------===//
// Tensor descriptors
//===----------------------------------------------------------------------===//

/// The sizes of `64, BLOCK_K`.
bool SignatureReader::readBlock(StringRef text, DescriptorType &type) {
  if (text.trim().empty())
    return error(text, whyNoRank(0));
  for (StringRef part : splitAtCommas(text)) {
    StringRef size = part.trim();
    bool isNumber = !size.empty() && llvm::all_of(size, llvm::isDigit);
    if (!isNumber && !isIdentifier(size))
      return error(size.empty() ? text : size,
                   "expected a size of the block, a number or the name of a tl.constexpr "
                   "parameter, found '" +
                       size + "'");
    type.block.push_back({size.str(), rangeOf(size)});
  }
  std::string why = whyNoRank(type.rank());
  return why.empty() || error(text, why);
}

/// `tensordesc<bf16[64, BLOCK_K], nan>:16`
bool SignatureReader::readDescriptor(StringRef text, SignatureItem &item) {
  StringRef rest = text.drop_front(descriptorName.size()).ltrim();
  size_t close = rest.find('>');
  if (!rest.starts_with("<") || close == StringRef::npos)
    return error(text, rest.starts_with("<")
                           ? "expected '>' at the end of the tensor descriptor's type"
                           : "expected '<' after 'tensordesc', as in tensordesc<fp32[64, 32]>");
  StringRef inner = rest.slice(1, close), after = rest.substr(close + 1).trim();
  size_t open = inner.find('['), end = inner.find(']');
  if (open == StringRef::npos || end == StringRef::npos || end < open)
    return error(inner.empty() ? text : inner,
                 "expected the shape of the blocks in brackets, as in tensordesc<fp32[64, 32]>");
  StringRef name = inner.take_front(open).trim(), padding = inner.substr(end + 1).trim();
  std::optional<DType> element = parseTypeName(name);
  if (!element || element->isScalar(ScalarKind::Void))
    return unknownType(name, text);
  DescriptorType type;
  type.element = *element;
  bool hasPadding = padding.consume_front(",");
  padding = padding.trim();
  type.padsWithNaN = hasPadding && padding == "nan";
  if (!padding.empty() && !(hasPadding && (padding == "nan" || padding == "zero")))
    return error(padding,
                 "expected ', nan', ', zero' or nothing behind the shape, found '" + padding + "'");
  if (std::string why = whyNoDescriptor(*element, type.padsWithNaN); !why.empty())
    return error(type.padsWithNaN ? inner : name, why);
  if (!readBlock(inner.slice(open + 1, end), type))
    return false;
  bool hasHint = after.consume_front(":");
  after = after.trim();
  if (hasHint ? after != "16" : !after.empty())
    return error(after.empty() ? text : after,
                 hasHint ? "the hint of a tensor descriptor must be 16, found '" + after + "'"
                         : "expected nothing behind '>' but a hint, found '" + after + "'");
  item.makeDescriptor(std::move(type), [&](unsigned argument) {
    return hasHint && item.descriptor->classesOf(argument).multipleOf16
               ? ArgumentClass::MultipleOf16
               : ArgumentClass::Any;
  });
  return true;
}

std::string tilec::whyNoRank(size_t rank) {
  if (rank >= 1 && rank <= kMostTensorAxes)
    return "";
  return "a tensor descriptor has 1 to " + std::to_string(kMostTensorAxes) + " axes, found " +
         (rank == 0 ? "none" : std::to_string(rank));
}

std::string tilec::whyNoDescriptor(DType element, bool padsWithNaN) {
  if (element.isPointer() || element.isBool() || element.isScalar(ScalarKind::Void))
    return "the elements of a tensor descriptor are numbers of whole bytes, found " + element.str();
  bool hasNaN = element.isFloat() && !element.isScalar(ScalarKind::FP8E4B15);
  return padsWithNaN && !hasNaN ? "only floats can be padded with NaN, found " + element.str() : "";
}

DescriptorType DescriptorType::of(DType element, std::vector<std::string> block, bool padsWithNaN) {
  DescriptorType type;
  type.element = element;
  for (std::string &size : block)
    type.block.push_back({std::move(size), SMRange()});
  type.padsWithNaN = padsWithNaN;
  return type;
}

int64_t DescriptorType::divisorOf(unsigned argument) const {
  constexpr int64_t unitBytes = 16; // What hardware copies, and aligns to.
  if (argument == 0)
    return unitBytes;
  return argument > rank() ? unitBytes * 8 / element.bits() : 1;
}

std::string DescriptorType::str() const {
  std::string text = (descriptorName + "<" + element.signatureStr() + "[").str();
  for (auto [index, size] : llvm::enumerate(block))
    text += (index ? ", " : "") + size.text;
  return text + (padsWithNaN ? "], nan>" : "]>");
}

void SignatureItem::makeDescriptor(DescriptorType given,
                                   llvm::function_ref<ArgumentClass(unsigned)> classOf) {
  unsigned rank = given.rank(), next = 0;
  isTuple = true;
  type.reset();
  value.reset();
  descriptor = std::move(given);
  elements.assign(3, SignatureItem());
  auto add = [&](SignatureItem &part, DType type) {
    part.type = ParamType::of(type, classOf(next++));
    part.range = range;
  };
  add(elements[0], DType::pointerTo(descriptor->element, descriptor->isConst));
  elements[1].isTuple = elements[2].isTuple = true;
  elements[1].elements.resize(rank);
  elements[2].elements.resize(rank);
  for (SignatureItem &size : elements[1].elements)
    add(size, ScalarKind::Int32);
  for (unsigned axis = 0; axis + 1 < rank; ++axis)
    add(elements[2].elements[axis], ScalarKind::Int64);
  elements[2].elements.back().value = ConstValue::integer(1);
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void SignatureItem::forEachLeaf(llvm::function_ref<void(SignatureItem &)> visit) {
  if (!isTuple)
    return visit(*this);
  for (SignatureItem &element : elements)
    element.forEachLeaf(visit);
}

void SignatureItem::forEachLeaf(llvm::function_ref<void(const SignatureItem &)> visit) const {
  if (!isTuple)
    return visit(*this);
  for (const SignatureItem &element : elements)
    element.forEachLeaf(visit);
}

std::string SignatureItem::str() const {
  if (descriptor)
    return descriptor->str();
  if (!isTuple)
    return value ? value->str() : type->type.signatureStr();
  std::string text = className + "(";
  for (auto [index, element] : llvm::enumerate(elements))
    text += (index ? ", " : "") + element.str();
  return text + (elements.size() == 1 && className.empty() ? ",)" : ")");
}

std::optional<Signature> tilec::parseSignature(StringRef text, StringRef bufferName,
                                               llvm::SourceMgr &sourceMgr,
                                               DiagnosticEngine &diagnostics) {
  unsigned buffer =
      sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), SMLoc());
  return SignatureReader(sourceMgr.getMemoryBuffer(buffer)->getBuffer(), diagnostics).read();
}
