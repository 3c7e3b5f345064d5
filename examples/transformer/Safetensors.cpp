//===- Safetensors.cpp - Tensors in a file of that format ----------*- C++ -*-===//

#include "Safetensors.h"

#include "Json.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <sys/types.h>

using tilec::BFloat16;

namespace {

/// The bytes of one element, 0 for a type that the format does not have.
int64_t bytesOf(const std::string &type) {
  static const std::map<std::string, int64_t> bytes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
      {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
      {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8}};
  auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

bool readTensor(JsonReader &json, SafetensorsFile::Tensor &tensor) {
  bool hasType = false, hasShape = false;
  std::vector<int64_t> places;
  auto readIntegers = [&](std::vector<int64_t> &values) {
    return json.array([&] {
      values.push_back(0);
      return json.integer(values.back());
    });
  };
  bool isRead = json.object([&](const std::string &key) {
    if (key == "dtype")
      return hasType = json.string(tensor.type);
    if (key == "shape")
      return hasShape = readIntegers(tensor.shape);
    if (key == "data_offsets")
      return readIntegers(places);
    return json.fail("a tensor has no '" + key + "'; it has dtype, shape and data_offsets");
  });
  if (!isRead)
    return false;
  if (!hasType || !hasShape || places.size() != 2)
    return json.fail("the tensor needs a dtype, a shape and two data_offsets");
  tensor.begin = places[0], tensor.end = places[1];
  return true;
}

/// What is wrong with a tensor taken alone.
std::string problemOf(const SafetensorsFile::Tensor &tensor) {
  int64_t bytes = bytesOf(tensor.type);
  if (!bytes)
    return "there is no dtype '" + tensor.type + "'";
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return "the shape is too large";
  if (tensor.begin > tensor.end || tensor.end - tensor.begin != bytes)
    return "type and shape make " + std::to_string(bytes) + " bytes, data_offsets from " +
           std::to_string(tensor.begin) + " to " + std::to_string(tensor.end) + " do not";
  return "";
}

std::string toText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

template <typename Float>
void appendFloats(const std::vector<char> &bytes, std::vector<BFloat16> &elements) {
  size_t count = bytes.size() / sizeof(Float), old = elements.size();
  elements.resize(old + count);
  Float value;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&value, &bytes[i * sizeof(value)], sizeof(value));
    elements[old + i] = BFloat16(float(value));
  }
}

} // namespace

std::string SafetensorsFile::fail(std::string message) const {
  // Names of tensors are shown on terminals, to which some characters are commands.
  std::replace_if(
      message.begin(), message.end(), [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
  return fileName + ": " + message;
}

std::string SafetensorsFile::open(const std::string &path) {
  fileName = path;
  file.reset(std::fopen(path.c_str(), "rb"));
  struct stat facts;
  if (!file || fstat(fileno(file.get()), &facts) != 0)
    return fail(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(facts.st_mode))
    return fail("is no regular file");
  unsigned char bytes[8];
  if (std::fread(bytes, 1, sizeof(bytes), file.get()) != sizeof(bytes))
    return fail("is too short for a safetensors file");
  uint64_t size = 0;
  for (int i = 7; i >= 0; --i)
    size = size << 8 | bytes[i];
  // The format's own limit keeps the memory for a wrong size small.
  constexpr uint64_t most = 100'000'000;
  if (size > most || size > uint64_t(facts.st_size) - sizeof(bytes))
    return fail("the header should have " + std::to_string(size) + " bytes, the file has " +
                std::to_string(facts.st_size) + " in all; is it a safetensors file?");
  elementsAt = int64_t(sizeof(bytes) + size);
  std::string error = readHeader(int64_t(size));
  return error.empty() ? checkPlaces(facts.st_size - elementsAt) : error;
}

std::string SafetensorsFile::readHeader(int64_t size) {
  std::string header(size_t(size), '\0');
  if (std::fread(header.data(), 1, header.size(), file.get()) != header.size())
    return fail("the header cannot be read");
  JsonReader json(header);
  auto readMember = [&](const std::string &name) {
    std::string ignored;
    if (name == "__metadata__")
      return json.object([&](const std::string &) { return json.string(ignored); });
    Tensor tensor;
    if (!readTensor(json, tensor))
      return false;
    std::string problem = problemOf(tensor);
    if (!problem.empty())
      return json.fail("tensor '" + name + "': " + problem);
    tensors[name] = std::move(tensor);
    return true;
  };
  if (json.object(readMember) && json.end())
    return "";
  return fail("byte " + std::to_string(json.position() + 8) + ": " + json.error());
}

std::string SafetensorsFile::checkPlaces(int64_t size) const {
  std::vector<std::pair<const Tensor *, const std::string *>> inOrder;
  for (const auto &[name, tensor] : tensors)
    inOrder.push_back({&tensor, &name});
  std::sort(inOrder.begin(), inOrder.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  int64_t end = 0;
  for (const auto &[tensor, name] : inOrder) {
    if (tensor->begin != end)
      return fail("tensor '" + *name + "' begins at " + std::to_string(tensor->begin) +
                  " of the elements; the one before it ends at " + std::to_string(end));
    end = tensor->end;
  }
  if (end != size)
    return fail("the tensors have " + std::to_string(end) + " bytes, but the file has " +
                std::to_string(size) + " behind its header");
  return "";
}

const SafetensorsFile::Tensor *SafetensorsFile::find(const std::string &name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

std::string SafetensorsFile::readBytes(const std::string &name, const Tensor &tensor,
                                       std::vector<char> &bytes) {
  bytes.resize(size_t(tensor.end - tensor.begin));
  if (fseeko(file.get(), off_t(elementsAt + tensor.begin), SEEK_SET) != 0 ||
      std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return fail("tensor '" + name + "' cannot be read: " + std::strerror(errno));
  return "";
}

std::string SafetensorsFile::read(const std::string &name, const std::vector<int64_t> &shape,
                                  std::vector<BFloat16> &elements) {
  const Tensor *tensor = find(name);
  if (!tensor)
    return fail("there is no tensor '" + name + "'");
  if (tensor->shape != shape)
    return fail("tensor '" + name + "' has the shape " + toText(tensor->shape) + ", the model " +
                toText(shape));
  std::vector<char> bytes;
  if (std::string error = readBytes(name, *tensor, bytes); !error.empty())
    return error;
  if (tensor->type == "BF16")
    appendFloats<BFloat16>(bytes, elements); // exactly
  else if (tensor->type == "F16")
    appendFloats<tilec::Half>(bytes, elements);
  else if (tensor->type == "F32")
    appendFloats<float>(bytes, elements);
  else
    return fail("tensor '" + name + "' has the dtype " + tensor->type +
                "; only BF16, F16 and F32 can be read");
  return "";
}
