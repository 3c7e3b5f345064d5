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

namespace tilec::tile {

inline constexpr unsigned kWarpBits = 5;
static_assert(tilec::kWarpSize == 1 << kWarpBits);
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
inline constexpr unsigned kClusterSharedSpace = 7;

/// The layout of a tile type; the type must have one.
tilec::layout::LinearLayout layoutOf(mlir::Type tileType);

/// How a scalar is spread over the threads that run `op`: each holds a copy.
tilec::layout::LinearLayout scalarLayout(mlir::Operation *op);

/// Emits at one insertion point: a builder with its location.
class ThreadCode {
public:
  ThreadCode(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() const { return loc; }

  mlir::Value i32(int64_t value);
  /// The number of this thread in its CTA, or its role: lane in the low five bits, warp above.
  mlir::Value threadId();
  /// The linear function over F2 whose image of bit i of `bits` is `bases[i]`, plus (by xor)
  /// `constant`.
  mlir::Value linear(mlir::Value bits, llvm::ArrayRef<uint64_t> bases, uint64_t constant = 0);
  /// As `linear` on the thread's number and the CTA's rank in its cluster, for bases of the bits of
  /// lane, warp and rank.
  mlir::Value linearOfPlace(llvm::ArrayRef<uint64_t> laneBases, llvm::ArrayRef<uint64_t> warpBases,
                            llvm::ArrayRef<uint64_t> blockBases, uint64_t constant = 0);
  /// Whether the bits of the thread's number that `mask` selects are `wanted`; null for no mask.
  mlir::Value threadBitsAre(uint32_t mask, uint32_t wanted = 0);
  /// Whether this thread is the first of those that hold copies under `layout`; null if none does.
  mlir::Value isFirstCopy(const tilec::layout::LinearLayout &layout);
  /// The same among those of its CTA.
  mlir::Value isFirstCopyInCTA(const tilec::layout::LinearLayout &layout);

  /// The number of the program along `axis`, and how many there are: clusters, where there are any.
  mlir::Value programId(Axis axis);
  mlir::Value numPrograms(Axis axis);
  /// The number of this CTA in its cluster.
  mlir::Value ctaRank();

  /// Registers of one thread: a vector of any element type.
  mlir::Value extract(mlir::Value vector, int64_t index);
  mlir::Value slice(mlir::Value vector, int64_t start, int64_t size);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts);
  mlir::Value permute(mlir::Value vector, llvm::ArrayRef<int64_t> order);
  mlir::Value fromElements(llvm::ArrayRef<mlir::Value> elements);

  /// The same bits as a vector of integers of `bits` bits; i1 takes a byte, small vectors are
  /// padded.
  mlir::Value toWords(mlir::Value vector, unsigned bits);
  /// Back from words to a vector of `type`.
  mlir::Value fromWords(mlir::Value words, mlir::VectorType type);

  /// Every register from the lane whose number differs by `mask`, or from lane `lane`.
  mlir::Value shuffleXor(mlir::Value vector, uint32_t mask);
  mlir::Value shuffleFrom(mlir::Value vector, mlir::Value lane);
  /// What the first lane of the warp has of a word, of which ptxas sees that all lanes have the
  /// same.
  mlir::Value fromFirstLane(mlir::Value word);
  /// The number of the first thread of this warp, of which ptxas sees that it is the same in all
  /// lanes: what follows from it is in uniform registers, and branches by it keep warps together.
  mlir::Value firstThreadOfWarp();

  /// Waits for the threads of the program in this CTA, or of the role.
  void barrier();
  /// The same place in the shared memory of the CTA with number `rank`.
  mlir::Value inPeer(mlir::Value sharedAddress, mlir::Value rank);
  /// The address `bytes` (a constant) past the start of the kernel's shared memory.
  mlir::Value sharedBase(mlir::Operation *kernelOp, int64_t bytes);
  /// The address `index` elements of `elementBytes` past `base`.
  mlir::Value sharedAddress(mlir::Value base, mlir::Value index, int64_t elementBytes);
  /// Runs what `emit` writes only where `condition` (null: everywhere) holds.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> emit);
  /// The generic address of `text`, with a terminating zero, in global memory of `kernelOp`'s
  /// module; `what` becomes part of its name.
  mlir::Value globalText(mlir::Operation *kernelOp, llvm::StringRef what, llvm::StringRef text);
  /// The type that an element has in shared memory: i1 takes a byte, pointers are integers.
  mlir::Value toShared(mlir::Value vector);
  mlir::Value fromShared(mlir::Value vector, mlir::VectorType type);

private:
  mlir::Value linearOfThread(llvm::ArrayRef<uint64_t> bases);
  mlir::Value shuffleWords(mlir::Value vector, mlir::NVVM::ShflKind kind, mlir::Value lane);

  mlir::OpBuilder &b;
  mlir::Location loc;
  /// What linearOfThread has made, by the bases: the addresses of all registers start from it.
  llvm::SmallVector<std::pair<llvm::SmallVector<uint64_t>, mlir::Value>, 2> ofThread;
};

/// The global that stands for the shared memory of the kernel around `op`.
mlir::LLVM::GlobalOp getSharedGlobal(mlir::Operation *op);

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_THREADCODE_H
