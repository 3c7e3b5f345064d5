//===- Fill.cpp - Contents for arrays ---------------------------*- C++ -*-===//
//
// Fills arrays with random numbers, ranges, given numbers or the contents of .npy files. A random
// number is a hash of the seed and the element's index, not the state of a generator, so that
// inputs are the same on all machines and in any order of computation.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/Fill.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace tilec;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A well mixed function of both arguments (the finalizer of SplitMix64, twice).
static uint64_t mix(uint64_t seed, uint64_t index) {
  uint64_t value = seed * 0xd1342543de82ef95 + index;
  for (int round = 0; round < 2; ++round) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    value ^= value >> 31;
  }
  return value;
}

/// Evenly distributed in (0, 1): never an end, so that logarithms are finite.
static double unit(uint64_t seed, uint64_t index) {
  return (double(mix(seed, index) >> 12) + 0.5) * 0x1p-52;
}

/// Stores `value`, at most the largest and at least the smallest number of an integer type.
static void store(HostArray &array, uint64_t index, double value) {
  DType type(array.type());
  if (type.isFloat() || type.isBool())
    return array.setReal(index, value);
  unsigned bits = type.bits();
  double low = type.isSignedInt() ? -std::ldexp(1, bits - 1) : 0;
  double high = std::ldexp(1, type.isSignedInt() ? bits - 1 : bits);
  if (std::isnan(value))
    return array.setInteger(index, 0);
  if (value >= high)
    return array.setInteger(
        index, int64_t(type.isSignedInt() ? llvm::maxIntN(bits) : llvm::maxUIntN(bits)));
  array.setReal(index, std::max(value, low));
}

void tilec::fillNormal(HostArray &array, uint64_t seed, double mean, double deviation) {
  constexpr double twoPi = 6.283185307179586;
  for (uint64_t index = 0; index < array.size(); ++index) {
    // Two elements share the radius and take the two coordinates of a point (Box and Muller).
    uint64_t pair = index / 2 * 2;
    double radius = std::sqrt(-2 * std::log(unit(seed, pair)));
    double angle = twoPi * unit(seed, pair + 1);
    double value = radius * (index % 2 ? std::sin(angle) : std::cos(angle));
    store(array, index, mean + deviation * value);
  }
}

void tilec::fillUniform(HostArray &array, uint64_t seed, double low, double high) {
  for (uint64_t index = 0; index < array.size(); ++index)
    store(array, index, low + (high - low) * unit(seed, index));
}

void tilec::fillRange(HostArray &array, double start, double step) {
  constexpr double whole = 0x1p53;
  bool exact = start == std::trunc(start) && step == std::trunc(step) && std::fabs(start) < whole &&
               std::fabs(step) < whole && !DType(array.type()).isFloat();
  for (uint64_t index = 0; index < array.size(); ++index) {
    if (exact)
      array.setInteger(index, int64_t(uint64_t(int64_t(start)) + uint64_t(int64_t(step)) * index));
    else
      store(array, index, start + step * double(index));
  }
}

void tilec::fillValue(HostArray &array, double value) {
  for (uint64_t index = 0; index < array.size(); ++index)
    store(array, index, value);
}

void tilec::fillValues(HostArray &array, llvm::ArrayRef<double> values) {
  assert(values.size() == array.size() && "one value for each element");
  for (uint64_t index = 0; index < array.size(); ++index)
    store(array, index, values[index]);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static ScalarKind kindOf(const NpyHeader &header) {
  unsigned power = llvm::Log2_32(header.itemBytes);
  switch (header.kind) {
  case NpyKind::Bool:
    return ScalarKind::Int1;
  case NpyKind::Int:
    return ScalarKind(unsigned(ScalarKind::Int8) + power);
  case NpyKind::UInt:
    return ScalarKind(unsigned(ScalarKind::UInt8) + power);
  case NpyKind::Float:
    return power == 1 ? ScalarKind::FP16 : power == 2 ? ScalarKind::FP32 : ScalarKind::FP64;
  }
  llvm_unreachable("all kinds are covered");
}

/// True when elements of type `from` in a file stand for the bits of type `to`.
static bool standsForBits(ScalarKind from, ScalarKind to) {
  DType target(to);
  bool narrow = target.isFP8() || to == ScalarKind::BF16 || to == ScalarKind::FP16;
  return narrow && DType(from).isUnsignedInt() && scalarInfo(from).bits == target.bits();
}

llvm::Expected<HostArray> tilec::arrayFromNpy(const NpyArray &file, std::optional<ScalarKind> type,
                                              uint64_t offset) {
  ScalarKind stored = kindOf(file.header);
  ScalarKind wanted = type.value_or(stored);
  llvm::Expected<HostArray> array = HostArray::create(wanted, file.header.shape, offset);
  if (!array)
    return array.takeError();
  if (wanted == stored || standsForBits(stored, wanted)) {
    std::memcpy(array->data(), file.bytes.data(), array->bytes());
    return array;
  }
  llvm::Expected<HostArray> source = HostArray::create(stored, file.header.shape);
  if (!source)
    return source.takeError();
  std::memcpy(source->data(), file.bytes.data(), source->bytes());
  bool integers = !DType(stored).isFloat() && !DType(wanted).isFloat();
  for (uint64_t index = 0; index < array->size(); ++index) {
    if (integers)
      array->setInteger(index, source->integer(index));
    else
      store(*array, index, source->real(index));
  }
  return array;
}

llvm::Error tilec::saveNpy(const HostArray &array, llvm::StringRef path) {
  DType type(array.type());
  NpyHeader header;
  header.shape = array.shape().vec();
  header.itemBytes = array.itemBytes();
  header.kind = type.isFloat()       ? NpyKind::Float
                : type.isBool()      ? NpyKind::Bool
                : type.isSignedInt() ? NpyKind::Int
                                     : NpyKind::UInt;
  if (!type.isBF16() && !type.isFP8())
    return writeNpy(path, header, {array.data(), array.bytes()});
  header.itemBytes = 4;
  llvm::Expected<HostArray> wide = HostArray::create(ScalarKind::FP32, array.shape().vec());
  if (!wide)
    return wide.takeError();
  for (uint64_t index = 0; index < array.size(); ++index)
    wide->setReal(index, array.real(index));
  return writeNpy(path, header, {wide->data(), wide->bytes()});
}
