//===- ThreadCode.h - building blocks of a thread's code -------*- C++ -*-===//
//
// Small emitters that the patterns share: where the thread is, vectors of registers, shuffles, and
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_THREADCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_THREADCODE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

inline constexpr unsigned kWarpBits = 5;
static_assert(tilec::kWarpSize == 1 << kWarpBits);
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
inline constexpr unsigned kClusterSharedSpace = 7;

/// The layout of a tile type; the type must have one.
tilec::layout::LinearLayout layoutOf(Type tileType);

/// How a scalar is spread over the threads that run `op`: each holds a copy.
tilec::layout::LinearLayout scalarLayout(Operation *op);

/// Emits at one place: a builder with its location.
class ThreadCode {
public:
  ThreadCode(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  OpBuilder &builder() { return b; }
  Location location() const { return loc; }

  Value i32(int64_t value);
  /// The number of this thread in its CTA: lane in the low five bits, warp above.
  Value threadId();
  /// The linear function over F2 whose image of bit i of `bits` is `bases[i]`, plus (by xor)
  /// `constant`.
  Value linear(Value bits, ArrayRef<uint64_t> bases, uint64_t constant = 0);
  /// As `linear` on the thread's number, for bases of its lane and warp bits.
  Value linearOfThread(ArrayRef<uint64_t> laneBases, ArrayRef<uint64_t> warpBases,
                       uint64_t constant = 0);
  /// The same with the bits of the CTA's rank in its cluster.
  Value linearOfPlace(ArrayRef<uint64_t> laneBases, ArrayRef<uint64_t> warpBases,
                      ArrayRef<uint64_t> blockBases, uint64_t constant = 0);
  /// Whether the bits of the thread's number that `mask` selects are all zero; null for no mask.
  Value threadBitsAreZero(uint32_t mask);
  /// Whether this thread is the first of those that hold copies under `layout`; null if none does.
  Value isFirstCopy(const tilec::layout::LinearLayout &layout);

  /// The number of the program along `axis`, and how many there are: clusters, where there are any.
  Value programId(Axis axis);
  Value numPrograms(Axis axis);
  /// The number of this CTA in its cluster.
  Value ctaRank();

  /// Registers of one thread: a vector of any element type.
  Value extract(Value vector, int64_t index);
  Value slice(Value vector, int64_t start, int64_t size);
  Value concat(ArrayRef<Value> parts);
  Value permute(Value vector, ArrayRef<int64_t> order);
  Value fromElements(ArrayRef<Value> elements);

  /// The same bits as a vector of integers of `bits` bits; i1 takes a byte, small vectors are
  /// padded.
  Value toWords(Value vector, unsigned bits);
  /// Back from words to a vector of `type`.
  Value fromWords(Value words, VectorType type);

  /// Every register from the lane whose number differs by `mask`, or from lane `lane`.
  Value shuffleXor(Value vector, uint32_t mask);
  Value shuffleFrom(Value vector, Value lane);

  void barrier();
  /// The same place in the shared memory of the CTA with number `rank`.
  Value inPeer(Value sharedAddress, Value rank);
  /// The address `bytes` (a constant) past the start of the kernel's shared memory.
  Value sharedBase(Operation *kernelOp, int64_t bytes);
  /// The address `index` elements of `elementBytes` past `base`.
  Value sharedAddress(Value base, Value index, int64_t elementBytes);
  /// The generic address of `text`, with a terminating zero, in global memory of `kernelOp`'s
  /// module; `what` becomes part of its name.
  Value globalText(Operation *kernelOp, StringRef what, StringRef text);
  /// The type that an element has in shared memory: i1 takes a byte, pointers are integers.
  Value toShared(Value vector);
  Value fromShared(Value vector, VectorType type);

private:
  Value shuffleWords(Value vector, NVVM::ShflKind kind, Value lane);

  OpBuilder &b;
  Location loc;
};

/// The global that stands for the shared memory of the kernel around `op`.
LLVM::GlobalOp getSharedGlobal(Operation *op);

} // namespace mlir::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_THREADCODE_H
