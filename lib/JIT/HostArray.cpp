//===- HostArray.cpp - Arrays of any element type on the host ---*- C++ -*-===//
//
// Floats narrower than the host's are converted by one function that works for any number of
// exponent and mantissa bits.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/HostArray.h"

#include "tilec/Support/Npy.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>
#include <sys/mman.h>

using namespace tilec;

/// A multiple of the page size of every machine.
static constexpr uint64_t kPageBytes = 64 << 10;
/// Address space without access on both sides of an array.
static constexpr uint64_t kFenceBytes = 16 << 20;
static constexpr uint64_t kGuardBytes = 256;
static constexpr uint8_t kGuardByte = 0xc3;
static constexpr uint8_t kPoisonByte = 0xa5;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

/// fp8e4nv uses the exponent that others keep for infinity and NaN for numbers too.
static bool hasInfinity(ScalarKind kind) { return kind != ScalarKind::FP8E4NV; }

uint64_t tilec::encodeFloat(double value, ScalarKind kind) {
  if (kind == ScalarKind::FP64)
    return llvm::bit_cast<uint64_t>(value);
  if (kind == ScalarKind::FP32)
    return llvm::bit_cast<uint32_t>(float(value));
  const ScalarInfo &info = scalarInfo(kind);
  unsigned mantissa = info.mantissaBits;
  uint64_t sign = uint64_t(std::signbit(value)) << (info.bits - 1);
  uint64_t allOnes = (uint64_t(1) << (info.bits - 1)) - 1;
  uint64_t infinity = allOnes >> mantissa << mantissa;
  uint64_t nan = hasInfinity(kind) ? infinity | uint64_t(1) << (mantissa - 1) : allOnes;
  uint64_t beyond = hasInfinity(kind) ? infinity : nan;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return nan;
  if (std::isinf(value))
    return sign | beyond;
  int smallest = 1 - int(info.exponentBias);
  int exponent = magnitude == 0 ? smallest : std::max(std::ilogb(magnitude), smallest);
  // In units of the last place. A number that rounds up to the next exponent carries into it by
  // itself, since the leading one of a normal number is added to the exponent rather than dropped.
  double units = std::nearbyint(std::ldexp(magnitude, int(mantissa) - exponent));
  uint64_t bits = (uint64_t(exponent - smallest) << mantissa) + uint64_t(units);
  return sign | std::min(bits, beyond);
}

double tilec::decodeFloat(uint64_t bits, ScalarKind kind) {
  if (kind == ScalarKind::FP64)
    return llvm::bit_cast<double>(bits);
  if (kind == ScalarKind::FP32)
    return llvm::bit_cast<float>(uint32_t(bits));
  const ScalarInfo &info = scalarInfo(kind);
  uint64_t allOnes = (uint64_t(1) << (info.bits - 1)) - 1;
  uint64_t magnitude = bits & allOnes;
  uint64_t infinity = allOnes >> info.mantissaBits << info.mantissaBits;
  double sign = bits & ~allOnes ? -1.0 : 1.0;
  if (hasInfinity(kind) ? magnitude > infinity : magnitude == allOnes)
    return std::copysign(NAN, sign);
  if (hasInfinity(kind) && magnitude == infinity)
    return sign * HUGE_VAL;
  uint64_t one = uint64_t(1) << info.mantissaBits;
  int exponent = int(magnitude >> info.mantissaBits);
  uint64_t units = magnitude & (one - 1);
  if (exponent != 0)
    units |= one;
  return sign * std::ldexp(double(units),
                           std::max(exponent, 1) - int(info.exponentBias) - int(info.mantissaBits));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void HostArray::Unmap::operator()(uint8_t *memory) const {
  munmap(memory - kFenceBytes, bytes + 2 * kFenceBytes);
}

unsigned HostArray::itemBytes() const { return std::max(1u, scalarInfo(elementType).bits / 8); }

llvm::Expected<HostArray> HostArray::create(ScalarKind type, std::vector<uint64_t> shape,
                                            uint64_t offset) {
  DType dtype(type);
  bool isElement = dtype.isInt() || dtype.isBool() || dtype.isStandardFloat() ||
                   type == ScalarKind::FP8E5 || type == ScalarKind::FP8E4NV;
  if (!isElement)
    return makeError("arrays of " + scalarInfo(type).shortName + " are not supported");
  HostArray array;
  array.elementType = type;
  uint64_t item = array.itemBytes();
  std::optional<uint64_t> count = countElements(shape);
  // Far below overflow of anything that follows, and far beyond any memory.
  constexpr uint64_t limit = uint64_t(1) << 45;
  if (!count || *count > limit / item || offset > limit / item)
    return makeError("the array is too large");
  array.sizes = std::move(shape);
  array.numElements = *count;
  array.start = kGuardBytes + offset * item;
  uint64_t accessible = llvm::alignTo(array.start + *count * item + kGuardBytes, kPageBytes);
  void *all = mmap(nullptr, accessible + 2 * kFenceBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return makeError("not enough memory for an array of " + llvm::Twine(array.bytes()) + " bytes");
  array.block.get_deleter().bytes = accessible;
  array.block.reset(static_cast<uint8_t *>(all) + kFenceBytes);
  if (mprotect(array.block.get(), accessible, PROT_READ | PROT_WRITE) != 0)
    return makeError("not enough memory for an array of " + llvm::Twine(array.bytes()) + " bytes");
  std::memset(array.block.get(), kGuardByte, array.start);
  std::memset(array.data() + array.bytes(), kGuardByte, accessible - array.start - array.bytes());
  return std::move(array);
}

bool HostArray::guardsIntact() const {
  auto intact = [](const uint8_t *from, const uint8_t *to) {
    return std::all_of(from, to, [](uint8_t byte) { return byte == kGuardByte; });
  };
  return intact(block.get(), data()) &&
         intact(data() + bytes(), block.get() + block.get_deleter().bytes);
}

bool HostArray::isNear(const void *address) const {
  uintptr_t first = reinterpret_cast<uintptr_t>(block.get()) - kFenceBytes;
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  return at >= first && at - first < block.get_deleter().bytes + 2 * kFenceBytes;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

uint64_t HostArray::bits(uint64_t index) const {
  uint64_t value = 0;
  unsigned item = itemBytes();
  std::memcpy(&value, data() + index * item, item);
  return value;
}

void HostArray::setBits(uint64_t index, uint64_t value) {
  unsigned item = itemBytes();
  std::memcpy(data() + index * item, &value, item);
}

int64_t HostArray::integer(uint64_t index) const {
  DType dtype(elementType);
  if (dtype.isBool())
    return bits(index) != 0;
  return dtype.isSignedInt() ? llvm::SignExtend64(bits(index), dtype.bits()) : int64_t(bits(index));
}

double HostArray::real(uint64_t index) const {
  if (DType(elementType).isFloat())
    return decodeFloat(bits(index), elementType);
  int64_t value = integer(index);
  return elementType == ScalarKind::UInt64 ? double(uint64_t(value)) : double(value);
}

void HostArray::setReal(uint64_t index, double value) {
  if (DType(elementType).isFloat())
    setBits(index, encodeFloat(value, elementType));
  else if (elementType == ScalarKind::Int1)
    setBits(index, value != 0);
  else if (value >= 0x1p63)
    setBits(index, uint64_t(value));
  else
    setBits(index, uint64_t(int64_t(value)));
}

void HostArray::setInteger(uint64_t index, int64_t value) {
  if (DType(elementType).isFloat())
    setBits(index, encodeFloat(double(value), elementType));
  else
    setBits(index, elementType == ScalarKind::Int1 ? value != 0 : uint64_t(value));
}

/// What poison() stores in one element.
static uint64_t poisonBits(ScalarKind type) {
  uint64_t bytes = kPoisonByte * (UINT64_MAX / 0xff);
  const ScalarInfo &info = scalarInfo(type);
  if (!DType(type).isFloat())
    return bytes & llvm::maskTrailingOnes<uint64_t>(std::max(8u, info.bits));
  // All ones in the exponent and a mantissa that is neither zero nor quiet.
  uint64_t exponent = llvm::maskTrailingOnes<uint64_t>(info.bits - 1) >> info.mantissaBits
                                                                             << info.mantissaBits;
  if (!hasInfinity(type))
    return llvm::maskTrailingOnes<uint64_t>(info.bits - 1);
  uint64_t quiet = uint64_t(1) << (info.mantissaBits - 1);
  uint64_t payload = bytes & (quiet - 1);
  return exponent | (payload ? payload : 1);
}

void HostArray::poison() {
  for (uint64_t index = 0; index < numElements; ++index)
    setBits(index, poisonBits(elementType));
}

bool HostArray::isPoison(uint64_t index) const { return bits(index) == poisonBits(elementType); }
