//===- SharedHazards.h - where threads must wait for each other -*- C++ -*-===//
//
// Model: the threads of a CTA run the operations on buffers together, but a fast thread may be
// ahead of a slow one by all that lies between two barriers. So what has been written since the
// last barrier may not be there yet, and what has been read may still be read. An operation that
// touches such an area must wait first.
//
// A CTA of a cluster that writes into its peers' memory may be ahead of them by all that lies
// between two barriers of the whole cluster, so what is written remotely must avoid every area used
// since then. A read is always of a CTA's own memory, so no CTA needs to outlive its last
// operation.
//
// A copy (cp.async) is done for the thread that made it once that has waited for it, and for others
// after a barrier behind that wait. A slot that a copy fills is not used before, so other slots of
// the buffer may be.
//
// A product of warp groups (wgmma) reads its factors until a thread has waited for it, and other
// threads may write there after a barrier behind that wait. As with copies, a slot is not filled
// while products of earlier iterations that are left in flight read it.
//
// The scalars that control flow depends on are the same in every thread, so all threads agree on
// the path: a branch makes the state the union of what its arms leave behind, and a loop body
// starts with what either the code before it or its own end leaves behind.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDHAZARDS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDHAZARDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::tile {

/// Bytes `begin` to `end` of a CTA's shared memory.
struct SharedArea {
  int64_t begin, end;
  /// The buffer if each thread has elements of its own there, so that it waits for no other thread
  /// as long as the place is that buffer's.
  mlir::Operation *owner = nullptr;
  bool overlaps(const SharedArea &other) const {
    return begin < other.end && other.begin < end && !(owner && owner == other.owner);
  }
  bool operator==(const SharedArea &other) const {
    return begin == other.begin && end == other.end && owner == other.owner;
  }
};

using SharedAreas = llvm::SmallVector<SharedArea, 4>;

/// Whether `area` overlaps one of `areas`.
bool overlapsAny(const SharedArea &area, const SharedAreas &areas);

/// What may be unfinished at one point of a kernel.
struct SharedState {
  /// Slots that copies in flight fill. Until the copies are waited for, nothing else uses them.
  SharedAreas copied;
  /// Slots and buffers that products in flight read.
  SharedAreas multiplied;
  /// Written and read by the CTA's own threads since its last barrier.
  SharedAreas written, read;
  /// Written into peers, and used in any way, since the last barrier of the cluster.
  SharedAreas remote, used;

  void merge(const SharedState &other);
  void waitForCopies(bool all);
  void waitForProducts(bool all);
  void waitForCTA();
  void waitForCluster();
};

/// Who waits for whom.
enum class WaitScope { CTA, Cluster };

/// Follows a kernel's operations on shared memory in the order of execution.
class SharedHazards {
public:
  /// The place of a buffer, without an owner; called at each use, with the state before it.
  using PlaceFn = llvm::function_ref<SharedArea(AllocBufferOp buffer, const SharedState &state)>;

  explicit SharedHazards(PlaceFn place) : place(place) {}

  void run(mlir::func::FuncOp kernel);

  /// The operations before which, and after which, threads have to wait.
  const llvm::MapVector<mlir::Operation *, WaitScope> &waitsBefore() const { return before; }
  llvm::ArrayRef<mlir::Operation *> waitsAfter() const { return after.getArrayRef(); }
  /// The first operation that writes into other CTAs; null if there is none.
  mlir::Operation *firstRemoteWrite() const { return firstRemote; }

private:
  /// What is announced writes like a write, and says itself when it has.
  enum class Access { Write, Read, Copy, RemoteWrite, Announced };

  SharedArea areaOf(AllocBufferOp buffer, const SharedState &state);
  void visit(mlir::Region &region, SharedState &state);
  void visitOp(mlir::Operation *op, SharedState &state);
  void visitAccess(mlir::Operation *op, mlir::Value buffer, Access access, SharedState &state);
  void visitEffects(mlir::MemoryEffectOpInterface op, SharedState &state);
  void visitAtomic(mlir::Operation *op, MemSemantic sem, bool firstOnly, SharedState &state);
  void visitBranches(mlir::Operation *op, SharedState &state);
  void waitForCopiesIn(mlir::Operation *branch, SharedState &state);
  void visitFor(mlir::scf::ForOp op, SharedState &state);
  void visitIterations(mlir::scf::ForOp op, SharedState &state);
  void visitRoles(WarpRolesOp op, const SharedState &state);
  void visitWhile(mlir::scf::WhileOp op, SharedState &state);
  void waitBefore(mlir::Operation *op, WaitScope scope, SharedState &state);

  using Waits = llvm::MapVector<mlir::Operation *, WaitScope>;

  PlaceFn place;
  Waits before;
  llvm::SetVector<mlir::Operation *> after;
  mlir::Operation *firstRemote = nullptr;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_SHAREDHAZARDS_H
