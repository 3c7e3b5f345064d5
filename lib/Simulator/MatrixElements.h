//===- MatrixElements.h - Elements of matrix instructions -------*- C++ -*-===//
//
// The types of elements, and which lanes and registers hold them, for mma.sync and wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_MATRIXELEMENTS_H
#define TILEC_LIB_SIMULATOR_MATRIXELEMENTS_H

#include "Values.h"

namespace tilec::simulator {

enum class Element : uint8_t { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2, None };

/// What Instruction::detail says of a product: its shape in one warp, and the types.
struct Product {
  unsigned m, n, k;
  Element result, left, right;

  uint32_t pack() const {
    return m | (n / 8) << 5 | k << 11 | uint32_t(result) << 18 | uint32_t(left) << 22 |
           uint32_t(right) << 26;
  }
  static Product unpack(uint32_t bits) {
    return {bits & 31,
            (bits >> 5 & 63) * 8,
            bits >> 11 & 127,
            Element(bits >> 18 & 15),
            Element(bits >> 22 & 15),
            Element(bits >> 26 & 15)};
  }
};

/// Where an element of an operand lies: the lane, its register, and the place in that.
struct Fragment {
  unsigned lane, reg, index;
};

/// "bf16"; None for other names.
Element elementNamed(llvm::StringRef name);
unsigned bitsOf(Element element);

/// Element `index` of a register of narrow ones.
double elementOf(Element element, uint64_t bits, unsigned index);
/// `value`, rounded.
uint64_t bitsOfElement(Element element, double value);
/// Sets the result's element at `at` in the register that holds it.
void storeResult(uint64_t &bits, Element element, Fragment at, double value);

/// Of the left factor: registers go down by 8 rows first, then to the second half of the columns.
Fragment leftElement(const Product &p, unsigned row, unsigned column);
/// Of the right factor, which has 8 columns.
Fragment rightElement(const Product &p, unsigned row, unsigned column);
/// Of the result: registers go down by 8 rows first, then to the next 8 columns.
Fragment resultElement(const Product &p, unsigned row, unsigned column);

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_MATRIXELEMENTS_H
