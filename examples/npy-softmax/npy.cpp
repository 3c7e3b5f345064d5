//===- npy.cpp - Arrays in NumPy's files ---------------------------*- C++ -*-===//
//
// A file is a magic number, a version, the size of a header, the header (a Python dictionary as
// text) and the elements. Everything in it is checked, since it may come from anywhere.
//
//===----------------------------------------------------------------------===//

#include "npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicSize = sizeof(magic) - 1;

/// What follows `'key':` in the header, without leading spaces; empty if there is no such key.
std::string valueOf(const std::string &header, const char *key) {
  std::string quoted = std::string("'") + key + "'";
  size_t at = header.find(quoted);
  if (at == std::string::npos)
    return "";
  at = header.find_first_not_of(" :", at + quoted.size());
  return at == std::string::npos ? "" : header.substr(at);
}

/// Reads a tuple such as (3, 4), (5,) or (). False if it is none, or a number is too large.
bool readShape(const std::string &text, std::vector<int64_t> &shape) {
  if (text.empty() || text[0] != '(')
    return false;
  int64_t number = -1; // none yet
  for (size_t i = 1; i < text.size(); ++i) {
    char c = text[i];
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > int64_t(1) << 48)
        return false;
    } else if (c == ',' || c == ')') {
      if (number >= 0)
        shape.push_back(number);
      number = -1;
      if (c == ')')
        return true;
    } else if (c != ' ') {
      return false;
    }
  }
  return false;
}

/// Checks the header and takes type and shape from it; `size` bytes of elements follow it.
std::string readHeader(const std::string &header, size_t size, NpyArray &array) {
  std::string type = valueOf(header, "descr");
  size_t end = type.empty() || type[0] != '\'' ? std::string::npos : type.find('\'', 1);
  if (end == std::string::npos)
    return "the elements are records, not numbers";
  array.type = type.substr(1, end - 1);
  if (array.type.size() != 3 || !std::strchr("<|", array.type[0]) ||
      !std::strchr("fiub", array.type[1]) || !std::strchr("1248", array.type[2]))
    return "elements of type '" + array.type + "' cannot be read";
  if (valueOf(header, "fortran_order").compare(0, 5, "False") != 0)
    return "the array is in Fortran order; save numpy.ascontiguousarray(a) instead";
  if (!readShape(valueOf(header, "shape"), array.shape))
    return "the shape cannot be read";

  size_t expected = size_t(array.type[2] - '0');
  for (int64_t extent : array.shape)
    if (__builtin_mul_overflow(expected, size_t(extent), &expected))
      return "the shape is too large";
  if (expected != size)
    return "there should be " + std::to_string(expected) + " bytes of elements, but there are " +
           std::to_string(size);
  return "";
}

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

/// Reads the whole file; false, with errno, if that fails.
bool readFile(const std::string &path, std::vector<char> &text) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return false;
  char block[1 << 16];
  while (size_t size = std::fread(block, 1, sizeof(block), file.get()))
    text.insert(text.end(), block, block + size);
  return !std::ferror(file.get());
}

} // namespace

std::string readNpy(const std::string &path, NpyArray &array) {
  std::vector<char> text;
  if (!readFile(path, text))
    return path + ": cannot be read: " + std::strerror(errno);

  auto byte = [&](size_t i) { return size_t(static_cast<unsigned char>(text[i])); };
  bool isNpy = text.size() >= magicSize + 6 && std::memcmp(text.data(), magic, magicSize) == 0;
  if (!isNpy || byte(6) < 1 || byte(6) > 3)
    return path + ": not a .npy file";
  // Version 1 has a size of two bytes, later ones of four.
  size_t start = byte(6) == 1 ? 10 : 12, headerSize = byte(8) | byte(9) << 8;
  if (start == 12)
    headerSize |= byte(10) << 16 | byte(11) << 24;
  if (headerSize > text.size() - start)
    return path + ": the header is cut off";
  std::string header(text.data() + start, headerSize);
  std::string error = readHeader(header, text.size() - start - headerSize, array);
  if (!error.empty())
    return path + ": " + error;
  array.bytes.assign(text.begin() + std::ptrdiff_t(start + headerSize), text.end());
  return "";
}

std::string writeNpy(const std::string &path, const NpyArray &array) {
  std::string shape;
  for (int64_t extent : array.shape)
    shape += std::to_string(extent) + ",";
  std::string header =
      "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Elements start at a multiple of 64.
  header.append(63 - (magicSize + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::string head(magic, magicSize);
  head += {1, 0, char(header.size() & 255), char(header.size() >> 8)};

  head += header;
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool isWritten =
      file && std::fwrite(head.data(), 1, head.size(), file) == head.size() &&
      std::fwrite(array.bytes.data(), 1, array.bytes.size(), file) == array.bytes.size();
  if (file && std::fclose(file) == 0 && isWritten)
    return "";
  return path + ": cannot be written: " + std::strerror(errno);
}
