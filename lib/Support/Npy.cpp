//===- Npy.cpp - NumPy's array files ----------------------------*- C++ -*-===//
//
// The header is a Python dictionary with three known keys, so a reader of exactly that is enough;
// it checks every length against what is there before it uses it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Support/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace tilec;
using llvm::StringRef;

static constexpr StringRef kMagic("\x93NUMPY", 6);
/// NumPy itself reads no more axes than this.
static constexpr size_t kMaxRank = 64;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::optional<uint64_t> tilec::countElements(llvm::ArrayRef<uint64_t> shape) {
  if (llvm::is_contained(shape, 0u))
    return 0;
  uint64_t count = 1;
  for (uint64_t size : shape) {
    bool overflowed = false;
    count = llvm::SaturatingMultiply(count, size, &overflowed);
    if (overflowed)
      return std::nullopt;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The header's dictionary
//===----------------------------------------------------------------------===//

namespace {

/// The three values of the dictionary.
struct Description {
  std::string descr;
  bool fortranOrder = false;
  std::vector<uint64_t> shape;
};

class HeaderReader {
public:
  explicit HeaderReader(StringRef text) : rest(text) {}

  llvm::Expected<Description> read();

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  /// What is left, for a message.
  std::string found() const {
    if (rest.ltrim().empty())
      return "the end of the header";
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::printEscapedString(rest.ltrim().take_front(20), os);
    return "'" + text + "'";
  }
  llvm::Error expected(const llvm::Twine &what) {
    return makeError("malformed header: expected " + what + ", found " + found());
  }
  llvm::Error readEntry();
  llvm::Error readString(std::string &text);
  llvm::Error readBool(bool &value);
  llvm::Error readShape();

  StringRef rest;
  Description result;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

} // namespace

llvm::Error HeaderReader::readString(std::string &text) {
  rest = rest.ltrim();
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
    return expected("a string");
  size_t end = rest.find(rest.front(), 1);
  if (end == StringRef::npos)
    return expected("a string that ends");
  text = rest.slice(1, end).str();
  rest = rest.drop_front(end + 1);
  return llvm::Error::success();
}

llvm::Error HeaderReader::readBool(bool &value) {
  value = take("True");
  if (!value && !take("False"))
    return expected("True or False");
  return llvm::Error::success();
}

llvm::Error HeaderReader::readShape() {
  if (!take("("))
    return expected("a tuple of sizes");
  while (!take(")")) {
    uint64_t size;
    rest = rest.ltrim();
    if (rest.empty() || !llvm::isDigit(rest.front()) || rest.consumeInteger(10, size))
      return expected("a size of at most 64 bits");
    rest.consume_front("L"); // Python 2 wrote long integers so.
    if (result.shape.size() == kMaxRank)
      return makeError("malformed header: the shape has more than " + llvm::Twine(kMaxRank) +
                       " axes");
    result.shape.push_back(size);
    if (take(")"))
      break;
    if (!take(","))
      return expected("',' or ')'");
  }
  return llvm::Error::success();
}

llvm::Error HeaderReader::readEntry() {
  std::string key;
  if (llvm::Error error = readString(key))
    return error;
  if (!take(":"))
    return expected("':'");
  bool *seen = llvm::StringSwitch<bool *>(key)
                   .Case("descr", &hasDescr)
                   .Case("fortran_order", &hasOrder)
                   .Case("shape", &hasShape)
                   .Default(nullptr);
  if (!seen)
    return makeError("malformed header: unknown key '" + key + "'");
  if (*seen)
    return makeError("malformed header: key '" + key + "' is given twice");
  *seen = true;
  if (seen == &hasOrder)
    return readBool(result.fortranOrder);
  if (seen == &hasShape)
    return readShape();
  if (take("["))
    return makeError("structured arrays are not supported");
  return readString(result.descr);
}

llvm::Expected<Description> HeaderReader::read() {
  if (!take("{"))
    return expected("a dictionary");
  while (!take("}")) {
    if (llvm::Error error = readEntry())
      return std::move(error);
    if (take("}"))
      break;
    if (!take(","))
      return expected("',' or '}'");
  }
  if (!rest.trim().empty())
    return expected("nothing after the dictionary");
  if (!hasDescr || !hasOrder || !hasShape)
    return makeError(llvm::Twine("malformed header: no key '") +
                     (!hasDescr   ? "descr"
                      : !hasOrder ? "fortran_order"
                                  : "shape") +
                     "'");
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Element types and orders
//===----------------------------------------------------------------------===//

static llvm::Error readDType(StringRef descr, NpyHeader &header, bool &bigEndian) {
  auto unknown = [&] {
    return makeError(
        "element type '" + descr +
        "' is not supported; expected booleans, integers, or floats of 2, 4 or 8 bytes");
  };
  if (descr.size() < 3 || !StringRef("<>|=").contains(descr.front()))
    return unknown();
  bigEndian = descr.front() == '>';
  unsigned bytes;
  if (descr.drop_front(2).getAsInteger(10, bytes))
    return unknown();
  header.kind = NpyKind(descr[1]);
  header.itemBytes = bytes;
  bool isPower = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  switch (header.kind) {
  case NpyKind::Bool:
    return bytes == 1 ? llvm::Error::success() : unknown();
  case NpyKind::Int:
  case NpyKind::UInt:
    return isPower ? llvm::Error::success() : unknown();
  case NpyKind::Float:
    return isPower && bytes != 1 ? llvm::Error::success() : unknown();
  }
  return unknown();
}

static void swapBytes(std::vector<uint8_t> &bytes, unsigned itemBytes) {
  for (size_t at = 0; at + itemBytes <= bytes.size(); at += itemBytes)
    std::reverse(bytes.begin() + at, bytes.begin() + at + itemBytes);
}

/// Rearranges elements whose first axis varies fastest so that the last one does.
static std::vector<uint8_t> toCOrder(llvm::ArrayRef<uint8_t> bytes, unsigned itemBytes,
                                     llvm::ArrayRef<uint64_t> shape) {
  std::vector<uint8_t> result(bytes.size());
  std::vector<uint64_t> strides(shape.size()), index(shape.size(), 0);
  uint64_t stride = 1;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    strides[axis] = stride;
    stride *= size;
  }
  uint64_t from = 0;
  for (size_t to = 0; to < bytes.size(); to += itemBytes) {
    std::memcpy(&result[to], &bytes[from * itemBytes], itemBytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Takes magic, version and length off `file` and returns the dictionary's text.
static llvm::Expected<StringRef> takeHeader(llvm::ArrayRef<uint8_t> &file) {
  StringRef text = llvm::toStringRef(file);
  if (!text.consume_front(kMagic))
    return makeError("not a .npy file: it does not start with \\x93NUMPY");
  if (text.size() < 2)
    return makeError("truncated: the file ends before its format version");
  unsigned version = uint8_t(text[0]);
  if (version < 1 || version > 3 || text[1] != 0)
    return makeError("unknown format version " + llvm::Twine(version) + "." +
                     llvm::Twine(unsigned(uint8_t(text[1]))) + "; expected 1.0, 2.0 or 3.0");
  text = text.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (text.size() < lengthBytes)
    return makeError("truncated: the file ends before the length of its header");
  uint64_t length = version == 1 ? llvm::support::endian::read16le(text.data())
                                 : llvm::support::endian::read32le(text.data());
  text = text.drop_front(lengthBytes);
  if (length > text.size())
    return makeError("truncated: the header should have " + llvm::Twine(length) + " bytes, found " +
                     llvm::Twine(text.size()));
  file = llvm::arrayRefFromStringRef(text.drop_front(length));
  return text.take_front(length);
}

llvm::Expected<NpyArray> tilec::parseNpy(llvm::ArrayRef<uint8_t> file) {
  llvm::Expected<StringRef> header = takeHeader(file);
  if (!header)
    return header.takeError();
  llvm::Expected<Description> description = HeaderReader(*header).read();
  if (!description)
    return description.takeError();
  NpyArray array;
  bool bigEndian = false;
  if (llvm::Error error = readDType(description->descr, array.header, bigEndian))
    return std::move(error);
  array.header.shape = std::move(description->shape);
  unsigned itemBytes = array.header.itemBytes;
  std::optional<uint64_t> count = countElements(array.header.shape);
  if (!count || *count > UINT64_MAX / itemBytes)
    return makeError("the shape has more elements than 64 bits can count");
  if (*count * itemBytes != file.size())
    return makeError("the header promises " + llvm::Twine(*count * itemBytes) +
                     " bytes of elements, found " + llvm::Twine(file.size()));
  array.bytes = description->fortranOrder && array.header.shape.size() > 1
                    ? toCOrder(file, itemBytes, array.header.shape)
                    : file.vec();
  if (bigEndian)
    swapBytes(array.bytes, itemBytes);
  return std::move(array);
}

llvm::Expected<NpyArray> tilec::readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError())
    return makeError("cannot read '" + path + "': " + error.message());
  llvm::Expected<NpyArray> array = parseNpy(llvm::arrayRefFromStringRef((*buffer)->getBuffer()));
  if (!array)
    return makeError("cannot read '" + path + "': " + llvm::toString(array.takeError()));
  return array;
}

std::string tilec::formatNpyHeader(const NpyHeader &header) {
  std::string dict = "{'descr': '";
  dict += header.itemBytes == 1 ? '|' : '<';
  dict += char(header.kind);
  dict += std::to_string(header.itemBytes) + "', 'fortran_order': False, 'shape': (";
  for (uint64_t size : header.shape)
    dict += std::to_string(size) + ", ";
  if (header.shape.size() == 1)
    dict.pop_back(); // "(3,)": the comma makes it a tuple.
  else if (!header.shape.empty())
    dict.resize(dict.size() - 2);
  dict += "), }";
  bool isLong = kMagic.size() + 4 + dict.size() + 64 > UINT16_MAX;
  size_t start = kMagic.size() + 2 + (isLong ? 4 : 2);
  dict.resize(llvm::alignTo(start + dict.size() + 1, 64) - start - 1, ' ');
  dict += '\n';
  std::string text = kMagic.str();
  text += isLong ? '\2' : '\1';
  text += '\0';
  for (size_t byte = 0; byte < (isLong ? 4 : 2); ++byte)
    text += char(dict.size() >> (8 * byte) & 0xff);
  return text + dict;
}

llvm::Error tilec::writeNpy(StringRef path, const NpyHeader &header,
                            llvm::ArrayRef<uint8_t> bytes) {
  std::error_code failure;
  llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_None);
  if (!failure) {
    file.os() << formatNpyHeader(header) << llvm::toStringRef(bytes);
    file.os().flush();
    failure = file.os().error();
  }
  if (failure) {
    file.os().clear_error();
    return makeError("cannot write '" + path + "': " + failure.message());
  }
  file.keep();
  return llvm::Error::success();
}
