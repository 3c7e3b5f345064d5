//===- MatrixElements.cpp - Elements of matrix instructions -----*- C++ -*-===//

#include "MatrixElements.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

Element tilec::simulator::elementNamed(StringRef name) {
  return StringSwitch<Element>(name)
      .Case("f16", Element::F16)
      .Case("bf16", Element::BF16)
      .Case("tf32", Element::TF32)
      .Case("f32", Element::F32)
      .Case("f64", Element::F64)
      .Case("s8", Element::S8)
      .Case("u8", Element::U8)
      .Case("s32", Element::S32)
      .Case("e4m3", Element::E4M3)
      .Case("e5m2", Element::E5M2)
      .Default(Element::None);
}

unsigned tilec::simulator::bitsOf(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::S8:
  case Element::U8:
  case Element::E4M3:
  case Element::E5M2:
    return 8;
  case Element::F64:
    return 64;
  default:
    return 32;
  }
}

/// All values of a type of 8 bits.
static std::array<double, 256> valuesOf(const fltSemantics &semantics) {
  std::array<double, 256> values;
  for (unsigned bits = 0; bits < values.size(); ++bits) {
    APFloat value(semantics, APInt(8, bits));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    values[bits] = value.convertToDouble();
  }
  return values;
}

double tilec::simulator::elementOf(Element element, uint64_t bits, unsigned index) {
  static const std::array<double, 256> e4m3 = valuesOf(APFloat::Float8E4M3FN()),
                                       e5m2 = valuesOf(APFloat::Float8E5M2());
  bits >>= index * (bitsOf(element) % 64);
  switch (element) {
  case Element::F16:
    return float(fromBits<Half>(bits));
  case Element::BF16:
    return float(fromBits<BFloat16>(bits));
  case Element::TF32: // The hardware does not look at the lower bits.
    return fromBits<float>(bits & 0xffffe000);
  case Element::F32:
    return fromBits<float>(bits);
  case Element::F64:
    return fromBits<double>(bits);
  case Element::S8:
    return int8_t(bits);
  case Element::U8:
    return uint8_t(bits);
  case Element::E4M3:
    return e4m3[bits & 0xff];
  case Element::E5M2:
    return e5m2[bits & 0xff];
  default:
    return int32_t(bits);
  }
}

uint64_t tilec::simulator::bitsOfElement(Element element, double value) {
  switch (element) {
  case Element::F16:
    return toBits(Half(roundToOdd(value)));
  case Element::F64:
    return toBits(value);
  case Element::S32:
    return uint32_t(int64_t(value));
  default:
    return toBits(float(value));
  }
}

void tilec::simulator::storeResult(uint64_t &bits, Element element, Fragment at, double value) {
  uint64_t rounded = bitsOfElement(element, value);
  if (element == Element::F16)
    bits = at.index ? (bits & 0xffff) | rounded << 16 : (bits & 0xffff0000) | rounded;
  else
    bits = rounded;
}

Fragment tilec::simulator::leftElement(const Product &p, unsigned row, unsigned column) {
  unsigned each = p.left == Element::F64 ? 1 : 32 / bitsOf(p.left);
  unsigned rowParts = p.m / 8;
  return {row % 8 * 4 + column / each % 4, row / 8 + rowParts * (column / (4 * each)),
          column % each};
}

Fragment tilec::simulator::rightElement(const Product &p, unsigned row, unsigned column) {
  unsigned each = p.right == Element::F64 ? 1 : 32 / bitsOf(p.right);
  return {column * 4 + row / each % 4, row / (4 * each), row % each};
}

Fragment tilec::simulator::resultElement(const Product &p, unsigned row, unsigned column) {
  unsigned lane = row % 8 * 4 + column % 8 / 2, rowParts = p.m / 8;
  unsigned reg = column / 8 * rowParts + row / 8;
  if (p.result == Element::F16)
    return {lane, reg, column % 2};
  return {lane, reg * 2 + column % 2, 0};
}
