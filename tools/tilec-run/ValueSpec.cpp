//===- ValueSpec.cpp - arrays described on a command line ------*- C++ -*-===//
//
// Reads the notation of ValueSpec.h: takes the offset off the end, then reads contents, type and
// shape. The second half makes the array that was described: fills it with the right kind of
// numbers, or reads the .npy file. Errors say which part was expected.
//
//===----------------------------------------------------------------------===//

#include "ValueSpec.h"

#include "tilec/JIT/Fill.h"
#include "tilec/Language/Signature.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilec;
using llvm::StringRef;
using Contents = ArraySpec::Contents;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// A way to fill an array, with its parameters.
struct Filler {
  StringRef name;
  Contents contents;
  /// Numbers that it needs, numbers that it takes, and what it takes without any.
  size_t least, most;
  std::vector<double> defaults;
};

} // namespace

static llvm::ArrayRef<Filler> fillers() {
  static const std::vector<Filler> rows = {
      {"randn", Contents::Normal, 0, 2, {0, 1}},  {"rand", Contents::Uniform, 0, 2, {0, 1}},
      {"arange", Contents::Range, 0, 2, {0, 1}},  {"zeros", Contents::Full, 0, 0, {0}},
      {"ones", Contents::Full, 0, 0, {1}},        {"full", Contents::Full, 1, 1, {}},
      {"values", Contents::Values, 1, 65536, {}}, {"empty", Contents::Empty, 0, 0, {}},
  };
  return rows;
}

static size_t identifierLength(StringRef text) {
  if (text.empty() || llvm::isDigit(text.front()))
    return 0;
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).size();
}

/// Where the bracket is that closes the one at the start of `text`.
static size_t findClosing(StringRef text) {
  int depth = 0;
  for (auto [index, c] : llvm::enumerate(text)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0)
      return index;
  }
  return StringRef::npos;
}

std::optional<TupleText> splitTuple(StringRef text) {
  StringRef name = text.take_front(identifierLength(text));
  StringRef rest = text.drop_front(name.size());
  if (!rest.starts_with("(") || findClosing(rest) != rest.size() - 1)
    return std::nullopt;
  return TupleText{name, splitAtCommas(rest.drop_front().drop_back())};
}

bool isArraySpec(StringRef text) {
  if (text.starts_with("@"))
    return true;
  StringRef rest = text.drop_front(identifierLength(text));
  if (rest.size() == text.size())
    return false;
  if (rest.starts_with("(")) {
    size_t close = findClosing(rest);
    rest = close == StringRef::npos ? "" : rest.drop_front(close + 1);
  }
  return rest.starts_with(":");
}

/// Takes `+N` off the end.
static llvm::Error takeOffset(StringRef &text, uint64_t &offset) {
  auto [head, tail] = text.rsplit('+');
  if (head.size() == text.size() || tail.empty() || !llvm::all_of(tail, llvm::isDigit))
    return llvm::Error::success();
  if (tail.getAsInteger(10, offset))
    return makeError("the offset '" + tail + "' is too large");
  text = head;
  return llvm::Error::success();
}

static llvm::Expected<ScalarKind> parseElementType(StringRef text) {
  std::optional<DType> type = parseTypeName(text);
  if (type && !type->isPointer() && !type->isScalar(ScalarKind::Void))
    return type->kind;
  if (type)
    return makeError("expected an element type, found '" + text + "'");
  std::string message = "unknown element type '" + text.str() + "'";
  if (std::optional<std::string> near = closestTypeName(text))
    message += "; did you mean '" + *near + "'?";
  return makeError(message);
}

/// The exact value of an integer of 64 bits, with or without sign.
static std::optional<int64_t> parseInteger(StringRef text) {
  int64_t value;
  uint64_t bits;
  if (!text.getAsInteger(10, value))
    return value;
  if (!text.getAsInteger(10, bits))
    return int64_t(bits);
  return std::nullopt;
}

static llvm::Error parseNumbers(StringRef list, ArraySpec &spec) {
  llvm::SmallVector<StringRef> items;
  list.split(items, ',');
  for (StringRef item : items) {
    double number = 0;
    StringRef text = item.trim();
    if (text == "inf" || text == "-inf")
      number = text.front() == '-' ? -HUGE_VAL : HUGE_VAL;
    else if (text == "nan")
      number = NAN;
    else if (text.getAsDouble(number))
      return makeError("expected a number, found '" + text + "'");
    spec.numbers.push_back(number);
    if (std::optional<int64_t> integer = parseInteger(text))
      spec.integers.push_back(*integer);
  }
  if (spec.integers.size() != spec.numbers.size())
    spec.integers.clear();
  return llvm::Error::success();
}

static llvm::Error parseShape(StringRef text, std::vector<uint64_t> &shape) {
  StringRef whole = text;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return makeError("expected a shape such as [3,4] after the element type, found '" + whole +
                     "'");
  if (text.trim().empty())
    return llvm::Error::success();
  llvm::SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    uint64_t size;
    if (item.trim().getAsInteger(10, size))
      return makeError("expected a size in the shape, found '" + item.trim() + "'");
    shape.push_back(size);
  }
  return llvm::Error::success();
}

static llvm::Expected<const Filler *> findFiller(StringRef name) {
  llvm::SmallVector<StringRef> names;
  for (const Filler &filler : fillers()) {
    if (filler.name == name)
      return &filler;
    names.push_back(filler.name);
  }
  std::string message = "unknown contents '" + name.str() + "'";
  if (std::optional<StringRef> near = closestName(name, names))
    message += "; did you mean '" + near->str() + "'?";
  else
    message += "; expected " + llvm::join(names, ", ") + " or @FILE.npy";
  return makeError(message);
}

/// How many numbers belong in the parentheses: "0 to 2 numbers".
static std::string describeCount(const Filler &filler) {
  std::string text = std::to_string(filler.least);
  if (filler.most != filler.least)
    text += " to " + std::to_string(filler.most);
  return text + (filler.most == 1 ? " number" : " numbers");
}

/// Reads the name of the contents and its numbers, and takes them and the colon off `text`.
static llvm::Error parseContents(StringRef &text, ArraySpec &spec) {
  StringRef name = text.take_front(identifierLength(text));
  text = text.drop_front(name.size());
  llvm::Expected<const Filler *> filler = findFiller(name);
  if (!filler)
    return filler.takeError();
  spec.contents = (*filler)->contents;
  size_t given = 0;
  if (text.consume_front("(")) {
    auto [list, rest] = text.split(')');
    if (llvm::Error error = parseNumbers(list, spec))
      return error;
    given = spec.numbers.size();
    text = rest;
  }
  if (given < (*filler)->least || given > (*filler)->most)
    return makeError("'" + name + "' takes " + describeCount(**filler) + " in parentheses, found " +
                     llvm::Twine(given));
  for (size_t index = given; index < (*filler)->defaults.size(); ++index)
    spec.numbers.push_back((*filler)->defaults[index]);
  if (!text.consume_front(":"))
    return makeError("expected ':' and an element type after '" + name + "'");
  return llvm::Error::success();
}

static llvm::Expected<ArraySpec> parseFile(StringRef text, ArraySpec spec) {
  spec.contents = Contents::File;
  auto [path, type] = text.rsplit(':');
  // A colon may belong to the name of the file.
  if (path.size() != text.size() && !type.contains('/') && !type.contains('.')) {
    llvm::Expected<ScalarKind> kind = parseElementType(type);
    if (!kind)
      return kind.takeError();
    spec.type = *kind;
    text = path;
  }
  if (text.empty())
    return makeError("expected the name of a file after '@'");
  spec.path = text.str();
  return spec;
}

llvm::Expected<ArraySpec> parseArraySpec(StringRef text) {
  ArraySpec spec;
  if (llvm::Error error = takeOffset(text, spec.offset))
    return std::move(error);
  if (text.consume_front("@"))
    return parseFile(text, std::move(spec));
  if (llvm::Error error = parseContents(text, spec))
    return std::move(error);
  size_t bracket = text.find('[');
  llvm::Expected<ScalarKind> type = parseElementType(text.take_front(bracket).trim());
  if (!type)
    return type.takeError();
  spec.type = *type;
  if (llvm::Error error = parseShape(text.drop_front(std::min(bracket, text.size())), spec.shape))
    return std::move(error);
  std::optional<uint64_t> count = countElements(spec.shape);
  if (spec.contents == Contents::Values && count != spec.numbers.size())
    return makeError("the shape needs " + llvm::Twine(count.value_or(UINT64_MAX)) +
                     " numbers, found " + llvm::Twine(spec.numbers.size()));
  return spec;
}

llvm::Expected<DescriptorSpec> parseDescriptorSpec(llvm::ArrayRef<StringRef> parts) {
  DescriptorSpec spec;
  bool hasBlock = false, hasPadding = false;
  for (StringRef part : parts) {
    StringRef text = part.trim();
    if (!hasBlock && !hasPadding && text.starts_with("[") && text.ends_with("]")) {
      hasBlock = true;
      for (StringRef size : splitAtCommas(text.drop_front().drop_back())) {
        StringRef name = size.trim();
        bool isNumber = !name.empty() && llvm::all_of(name, llvm::isDigit);
        if (!isNumber && (name.empty() || identifierLength(name) != name.size()))
          return makeError("expected a number or the name of a parameter in the block, found '" +
                           name + "'");
        spec.block.push_back(name.str());
      }
    } else if (!hasPadding && (text == "nan" || text == "zero")) {
      hasPadding = true;
      spec.padsWithNaN = text == "nan";
    } else {
      return makeError("expected desc(ARRAY, [SIZES], nan), where [SIZES] and nan may be left "
                       "out, found '" +
                       text + "'");
    }
  }
  return spec;
}

/// Stores what a float64 cannot hold. Numbers that the type cannot hold stay what they became.
static void correctIntegers(HostArray &array, const ArraySpec &spec) {
  DType type(array.type());
  if (!type.isInt() || type.bits() != 64)
    return;
  for (auto [index, value] : llvm::enumerate(spec.integers)) {
    bool topBit = value < 0, isNegative = spec.numbers[index] < 0;
    if (type.isSignedInt() ? topBit == isNegative : !isNegative)
      array.setInteger(index, value);
  }
}

llvm::Expected<HostArray> makeArray(const ArraySpec &spec, uint64_t seed) {
  if (spec.contents == Contents::File) {
    llvm::Expected<NpyArray> file = readNpy(spec.path);
    if (!file)
      return file.takeError();
    return arrayFromNpy(*file, spec.type, spec.offset);
  }
  llvm::Expected<HostArray> array = HostArray::create(*spec.type, spec.shape, spec.offset);
  if (!array)
    return array.takeError();
  switch (spec.contents) {
  case Contents::Normal:
    fillNormal(*array, seed, spec.numbers[0], spec.numbers[1]);
    break;
  case Contents::Uniform:
    fillUniform(*array, seed, spec.numbers[0], spec.numbers[1]);
    break;
  case Contents::Range:
    fillRange(*array, spec.numbers[0], spec.numbers[1]);
    break;
  case Contents::Full:
    fillValue(*array, spec.numbers[0]);
    break;
  case Contents::Values:
    fillValues(*array, spec.numbers);
    correctIntegers(*array, spec);
    break;
  default:
    array->poison();
  }
  return array;
}
