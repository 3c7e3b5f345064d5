//===- Types.cpp - Element types of the kernel language ---------*- C++ -*-===//
//
// One table holds every scalar type with its names and widths; the spellings that annotations and
// signatures accept are a second one.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Types.h"

#include "tilec/Language/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using llvm::StringRef;

static constexpr ScalarInfo scalars[numScalarKinds] = {
    {ScalarKind::Void, {"void"}, {"void"}, 0, 0, 0},
    {ScalarKind::Int1, {"int1"}, {"i1"}, 1, 0, 0},
    {ScalarKind::Int8, {"int8"}, {"i8"}, 8, 0, 0},
    {ScalarKind::Int16, {"int16"}, {"i16"}, 16, 0, 0},
    {ScalarKind::Int32, {"int32"}, {"i32"}, 32, 0, 0},
    {ScalarKind::Int64, {"int64"}, {"i64"}, 64, 0, 0},
    {ScalarKind::UInt8, {"uint8"}, {"u8"}, 8, 0, 0},
    {ScalarKind::UInt16, {"uint16"}, {"u16"}, 16, 0, 0},
    {ScalarKind::UInt32, {"uint32"}, {"u32"}, 32, 0, 0},
    {ScalarKind::UInt64, {"uint64"}, {"u64"}, 64, 0, 0},
    {ScalarKind::FP8E5, {"float8e5"}, {"fp8e5"}, 8, 2, 15},
    {ScalarKind::FP8E4NV, {"float8e4nv"}, {"fp8e4nv"}, 8, 3, 7},
    {ScalarKind::FP8E4B15, {"float8e4b15"}, {"fp8e4b15"}, 8, 3, 15},
    {ScalarKind::FP8E4B8, {"float8e4b8"}, {"fp8e4b8"}, 8, 3, 8},
    {ScalarKind::FP8E5B16, {"float8e5b16"}, {"fp8e5b16"}, 8, 2, 16},
    {ScalarKind::FP16, {"float16"}, {"fp16"}, 16, 10, 15},
    {ScalarKind::BF16, {"bfloat16"}, {"bf16"}, 16, 7, 127},
    {ScalarKind::FP32, {"float32"}, {"fp32"}, 32, 23, 127},
    {ScalarKind::FP64, {"float64"}, {"fp64"}, 64, 52, 1023},
};

namespace {
struct Alias {
  llvm::StringLiteral name;
  ScalarKind kind;
};
} // namespace

/// Spellings that are neither a `tl` name nor a short one.
static constexpr Alias aliases[] = {
    {{"bool"}, ScalarKind::Int1},
    {{"uint1"}, ScalarKind::Int1},
    {{"u1"}, ScalarKind::Int1},
    {{"B"}, ScalarKind::Int1},
    {{"int"}, ScalarKind::Int32},
    {{"half"}, ScalarKind::FP16},
    {{"float"}, ScalarKind::FP32},
    {{"double"}, ScalarKind::FP64},
    {{"float8_e4m3fn"}, ScalarKind::FP8E4NV},
    {{"float8_e5m2"}, ScalarKind::FP8E5},
    {{"float8_e4m3fnuz"}, ScalarKind::FP8E4B8},
    {{"float8_e5m2fnuz"}, ScalarKind::FP8E5B16},
};

/// What other languages call these types; not accepted, but it is clear what is meant.
static constexpr Alias foreignNames[] = {
    {{"f16"}, ScalarKind::FP16},
    {{"f32"}, ScalarKind::FP32},
    {{"f64"}, ScalarKind::FP64},
    {{"single"}, ScalarKind::FP32},
    {{"bfloat"}, ScalarKind::BF16},
    {{"e4m3"}, ScalarKind::FP8E4NV},
    {{"fp8e4m3"}, ScalarKind::FP8E4NV},
    {{"fp8_e4m3"}, ScalarKind::FP8E4NV},
    {{"float8_e4m3"}, ScalarKind::FP8E4NV},
    {{"e5m2"}, ScalarKind::FP8E5},
    {{"fp8e5m2"}, ScalarKind::FP8E5},
    {{"fp8_e5m2"}, ScalarKind::FP8E5},
    {{"s8"}, ScalarKind::Int8},
    {{"s16"}, ScalarKind::Int16},
    {{"s32"}, ScalarKind::Int32},
    {{"s64"}, ScalarKind::Int64},
    {{"char"}, ScalarKind::Int8},
    {{"byte"}, ScalarKind::UInt8},
    {{"short"}, ScalarKind::Int16},
    {{"uint"}, ScalarKind::UInt32},
    {{"unsigned"}, ScalarKind::UInt32},
    {{"long"}, ScalarKind::Int64},
    {{"size_t"}, ScalarKind::UInt64},
};

const ScalarInfo &tilec::scalarInfo(ScalarKind kind) { return scalars[unsigned(kind)]; }

DType DType::pointerTo(DType element, bool isConst) {
  DType result = element;
  result.pointerDepth = element.pointerDepth + 1;
  result.isConst = isConst;
  return result;
}

bool DType::isSignedInt() const {
  return !isPointer() && kind >= ScalarKind::Int8 && kind <= ScalarKind::Int64;
}

bool DType::isUnsignedInt() const {
  return isBool() || (!isPointer() && kind >= ScalarKind::UInt8 && kind <= ScalarKind::UInt64);
}

DType DType::pointee() const {
  assert(isPointer() && "not a pointer");
  DType result = *this;
  result.pointerDepth -= 1;
  result.isConst = false; // Const speaks of the outermost pointee only.
  return result;
}

std::string DType::str() const {
  if (!isPointer())
    return scalarInfo(kind).name.str();
  return (isConst ? "const_pointer<" : "pointer<") + pointee().str() + ">";
}

std::string DType::signatureStr() const {
  if (!isPointer())
    return scalarInfo(kind).shortName.str();
  return (isConst ? "*k" : "*") + pointee().signatureStr();
}

std::optional<ScalarKind> tilec::scalarByName(StringRef name) {
  for (const ScalarInfo &info : scalars)
    if (info.name == name)
      return info.kind;
  return std::nullopt;
}

llvm::ArrayRef<StringRef> tilec::scalarNames() {
  static const auto names = [] {
    std::array<StringRef, numScalarKinds> result;
    for (const ScalarInfo &info : scalars)
      result[unsigned(info.kind)] = info.name;
    return result;
  }();
  return names;
}

/// A scalar name in any accepted spelling.
static std::optional<ScalarKind> parseScalarName(StringRef text) {
  text = text.trim();
  text.consume_front("tl.");
  text.consume_back("_t");
  for (const ScalarInfo &info : scalars)
    if (text == info.name || text == info.shortName)
      return info.kind;
  for (const Alias &alias : aliases)
    if (text == alias.name)
      return alias.kind;
  return std::nullopt;
}

/// More levels than any buffer has; it keeps the depth inside its byte.
static constexpr unsigned maxPointerDepth = 8;

static std::optional<DType> parsePointee(StringRef text, bool isConst, unsigned depth) {
  if (depth > maxPointerDepth)
    return std::nullopt;
  text = text.trim();
  bool hasConst = text.consume_front("const ");
  text = text.trim();
  if (text.consume_front("*")) {
    bool constPointee = hasConst || text.consume_front("k");
    std::optional<DType> element = parsePointee(text, false, depth + 1);
    if (!element)
      return std::nullopt;
    return DType::pointerTo(*element, constPointee || isConst);
  }
  if (text.consume_back("*")) {
    std::optional<DType> element = parsePointee(text, false, depth + 1);
    if (!element)
      return std::nullopt;
    return DType::pointerTo(*element, hasConst || isConst);
  }
  if (hasConst)
    return std::nullopt;
  std::optional<ScalarKind> kind = parseScalarName(text);
  if (!kind)
    return std::nullopt;
  return DType(*kind);
}

std::optional<DType> tilec::parseTypeName(StringRef text) { return parsePointee(text, false, 0); }

std::optional<std::string> tilec::closestTypeName(StringRef text) {
  text = text.trim();
  StringRef prefix;
  if (text.consume_front("*k"))
    prefix = "*k";
  else if (text.consume_front("*") || text.consume_back("*")) // As in C too: "f32*".
    prefix = "*";
  text = text.trim();
  for (const Alias &foreign : foreignNames)
    if (text == foreign.name)
      return (prefix + scalarInfo(foreign.kind).shortName).str();
  llvm::SmallVector<StringRef, 48> candidates;
  for (const ScalarInfo &info : scalars)
    if (info.kind != ScalarKind::Void)
      candidates.push_back(info.shortName);
  for (const ScalarInfo &info : scalars)
    if (info.kind != ScalarKind::Void)
      candidates.push_back(info.name);
  for (const Alias &alias : aliases)
    candidates.push_back(alias.name);
  std::optional<StringRef> near = closestName(text, candidates);
  if (!near)
    return std::nullopt;
  // Suggest the canonical spelling, which is the one every place accepts.
  return (prefix + scalarInfo(*parseScalarName(*near)).shortName).str();
}
