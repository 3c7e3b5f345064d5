//===- HostArray.h - Arrays of any element type on the host -----*- C++ -*-===//
//
// The memory that tools pass to kernels: a block of elements of one scalar type of the language,
// with a shape, at any alignment. Guard zones around it show when a kernel wrote close by, and
// pages without access stop one that reaches farther before it damages something else.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_HOSTARRAY_H
#define TILEC_JIT_HOSTARRAY_H

#include "tilec/Language/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilec {

/// Bits of the float type `kind` (fp16, bf16, fp32, fp64, fp8e5, fp8e4nv) nearest to `value`, ties
/// to even. Beyond the largest number: infinity, or NaN where the type has none.
uint64_t encodeFloat(double value, ScalarKind kind);
/// The value of these bits; exact.
double decodeFloat(uint64_t bits, ScalarKind kind);

/// A block of elements. Moves only. Not thread-safe while it is written.
class HostArray {
public:
  /// Allocates an array of `shape` whose first element lies `offset` elements behind a multiple of
  /// 64 bytes. Elements have arbitrary content. An error when the type cannot be an element (void
  /// and the fp8 types that no GPU of NVIDIA computes with) or there is not enough memory.
  static llvm::Expected<HostArray> create(ScalarKind type, std::vector<uint64_t> shape,
                                          uint64_t offset = 0);

  ScalarKind type() const { return elementType; }
  llvm::ArrayRef<uint64_t> shape() const { return sizes; }
  /// Number of elements.
  uint64_t size() const { return numElements; }
  /// Bytes of one element; a bool has one.
  unsigned itemBytes() const;
  /// The elements.
  uint8_t *data() { return block.get() + start; }
  const uint8_t *data() const { return block.get() + start; }
  uint64_t bytes() const { return numElements * itemBytes(); }

  /// An element as a number; `index` counts in C order. Integers beyond 2^53 are rounded.
  double real(uint64_t index) const;
  /// The element of an integer or boolean array; a uint64 keeps its bits.
  int64_t integer(uint64_t index) const;
  /// Stores a number, rounded to the element type; for integers it is truncated and must fit.
  void setReal(uint64_t index, double value);
  /// Stores an integer: its low bits in an integer array, rounded in a float one.
  void setInteger(uint64_t index, int64_t value);

  /// Fills every element with a pattern that computations do not produce: a signalling NaN, or
  /// bytes of 0xa5. See isPoison().
  void poison();
  /// True when the element still holds the pattern of poison().
  bool isPoison(uint64_t index) const;

  /// The elements with their guard zones: whole pages. `data()` is at `dataOffset`.
  llvm::MutableArrayRef<uint8_t> allocation() { return {block.get(), block.get_deleter().bytes}; }
  uint64_t dataOffset() const { return start; }
  /// False when something wrote outside of the elements, within their guard zones: at least 256
  /// bytes on both sides.
  bool guardsIntact() const;
  /// True for an address in the pages without access around this array, or in the array itself.
  bool isNear(const void *address) const;

private:
  /// Unmaps the pages.
  struct Unmap {
    Unmap() : bytes(0) {}
    uint64_t bytes; // Of the part that can be accessed.
    void operator()(uint8_t *memory) const;
  };

  HostArray() = default;
  uint64_t bits(uint64_t index) const;
  void setBits(uint64_t index, uint64_t value);

  ScalarKind elementType = ScalarKind::FP32;
  std::vector<uint64_t> sizes;
  uint64_t numElements = 0;
  uint64_t start = 0;
  std::unique_ptr<uint8_t, Unmap> block;
};

} // namespace tilec

#endif // TILEC_JIT_HOSTARRAY_H
