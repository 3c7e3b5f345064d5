//===- SharedLifetimes.h - when buffers are needed -------------*- C++ -*-===//
//
// From which operation on and until which one a kernel needs each of its buffers, and what that
// means for the size of its shared memory. tile-allocate-shared places buffers by it; passes before
// it that have a buffer needed for longer ask what that costs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDLIFETIMES_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDLIFETIMES_H

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::tile {

/// Lifetimes in the order of the text. A buffer that a loop uses, but does not allocate, is needed
/// in all of the loop. What the kernel's operations are is read once: the object knows of none that
/// come later.
class SharedLifetimes {
public:
  explicit SharedLifetimes(mlir::func::FuncOp kernel);

  /// Whether the two are needed at the same time.
  bool overlap(AllocBufferOp a, AllocBufferOp b) const;

  /// The most bytes that buffers take which are needed at the same time: no allocation is smaller.
  int64_t mostBytes() const;

  /// The most from `first` to where `buffer` is needed now, if it were needed from `first` on,
  /// which stands before its users.
  int64_t mostBytesFrom(AllocBufferOp buffer, mlir::Operation *first) const;

  /// From now on `buffer` is needed from `first` on.
  void needFrom(AllocBufferOp buffer, mlir::Operation *first);

  /// The most behind its users now, if `buffer` were needed up to `last`, which stands behind them.
  int64_t mostBytesUntil(AllocBufferOp buffer, mlir::Operation *last) const;

  /// From now on `buffer` is needed up to `last`.
  void needUntil(AllocBufferOp buffer, mlir::Operation *last);

private:
  struct Lifetime {
    int64_t begin, end;
    int64_t bytes = 0;
    bool contains(int64_t place) const { return begin <= place && place <= end; }
  };

  Lifetime lifeOf(mlir::Operation *user, AllocBufferOp buffer) const;
  int64_t bytesAt(int64_t place) const;

  llvm::DenseMap<mlir::Operation *, Lifetime> numbers;
  llvm::MapVector<mlir::Operation *, Lifetime> lifetimes;
};

/// CTAs of `kernel` that a multiprocessor has room for if each takes so many bytes of shared
/// memory, as far as its threads and shared memory decide.
int64_t residentCTAs(mlir::func::FuncOp kernel, int64_t sharedBytes);

/// The bytes of shared memory that cost `kernel` no resident CTA, compared with `taken` bytes, as
/// far as its tiles leave it registers for more CTAs; at least `taken`. Layouts must be final.
int64_t sharedBesideRegisters(mlir::func::FuncOp kernel, int64_t taken);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDLIFETIMES_H
