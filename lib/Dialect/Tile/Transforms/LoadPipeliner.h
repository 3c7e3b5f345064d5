//===- LoadPipeliner.h - loads of a loop into slots ------------*- C++ -*-===//
//
// What tile-pipeline-loads does with one loop, once it has decided how many stages and slots it
// has.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADPIPELINER_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADPIPELINER_H

#include "FlattenedLoop.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// A load that goes ahead, with the operations of the loop's body that its pointers and mask need,
/// in order.
struct AheadLoad {
  LoadOp load;
  LoopSlices::Slice slice;
  int64_t width = 0;
  /// Whether users want a factor of a product in other layouts than the load's own, after these
  /// casts.
  bool isMatrix = false;
  llvm::SmallVector<mlir::Operation *, 2> casts = {};
  mlir::Value buffer = {};
  /// The block that hardware copies by `map`, if it does; null otherwise.
  BlockOp block = {};
  mlir::Value map = {};

  /// What the users have instead of the load.
  mlir::Value last() { return casts.empty() ? load.getResult() : casts.back()->getResult(0); }
};

/// An iteration by its distance from one whose counter and carried values are known; `stepped` are
/// those of LoopSlices in the iteration itself, `indices` what its loads of indices have brought,
/// or nothing if they are still to be made.
struct Iteration {
  mlir::Value counter;
  mlir::ValueRange carried;
  int64_t ahead;
  mlir::ValueRange stepped;
  mlir::ValueRange indices = {};
};

/// A load whose result says where loads that go ahead find what they load, with what it needs of
/// the loop's body.
struct IndexLoad {
  LoadOp load;
  LoopSlices::Slice slice;
};

class LoadPipeliner {
public:
  LoadPipeliner(mlir::scf::ForOp loop, const AxisInfoAnalysis &axes)
      : loop(loop), loopOfSlots(loop), axes(axes), slices(loop), builder(loop), loc(loop.getLoc()) {
  }

  /// Finds the loads: all, or only those of products' factors. Returns whether there are any.
  bool collect(bool onlyFactors);
  /// Bytes that one slot has more if vectors from which factors are computed go ahead as well, in
  /// a loop of which only factors do; 0 if there are none.
  int64_t lineBytes();
  /// Has these vectors go ahead.
  void takeLines();
  llvm::ArrayRef<AheadLoad> getLoads() const { return loads; }
  /// Bytes of shared memory that one slot for each of the loads takes.
  int64_t slotBytes();
  /// Bytes of memory that are in it, each counted once: neighbours may be one place's.
  int64_t distinctBytes();
  /// Bytes of shared memory that the loop needs beside its slots.
  int64_t otherBytes();
  /// The same if its exchanges use one place, one after the other.
  int64_t leastOtherBytes();
  /// The product behind which all those of the iteration before are done, if warp groups leave some
  /// in flight.
  DotOp lastInFlight();
  /// Whether all that the loop does with what it loads is to multiply it, as it lies in the slots.
  bool onlyMultiplies();
  /// Whether threads make the left factor in registers in each iteration, so that nothing is in
  /// flight meanwhile.
  bool computesLeft(DotOp dot);
  /// Starts loads at the beginning of an iteration or, with `behind`, behind that product, in one
  /// of `numSlots` slots. Where these are one fewer than the stages, there are as many as the loop
  /// has iterations, and all loads start before it.
  void rewrite(int64_t numStages, int64_t numSlots, DotOp behind);
  /// Finds left factors of all iterations that are loaded before the loop and that hardware can
  /// copy, as far as `canRepeat` says of what it has to know that warps that copy can compute it.
  void collectBefore(llvm::function_ref<bool(mlir::Value)> canRepeat);
  /// Has each iteration copy what it reads itself, for other warps to do it: from the buffers of
  /// which `buffers` has one for each load, or that are created at `allocs` if it is empty. What
  /// collectBefore() has found is copied before the loop.
  void rewriteInPlace(int64_t numSlots, mlir::OpBuilder &allocs,
                      llvm::SmallVectorImpl<mlir::Value> &buffers);
  /// Whether loads that stay in the loop say where others find their elements.
  bool followsIndices() const { return !indices.empty(); }
  mlir::scf::ForOp getLoop() const { return loop; }
  /// Whether slots may be in use from one execution of the loop to the next.
  bool isFlattened() const { return around.has_value(); }
  /// The loop in which slots are in use from one iteration to the next: getLoop() or, if rewrite()
  /// found that the first loads can start in the iteration before, the loop around it.
  mlir::scf::ForOp getLoopOfSlots() const { return loopOfSlots; }
  /// Whether tensor maps have to be made in the loop around this one.
  bool makesMapsInside() { return numBulk() != 0 && placeOfMaps() == loop; }
  /// Whether threads copy; what they do not, hardware does.
  bool anyByThreads() { return numBulk() < int64_t(loads.size()); }
  /// Whether threads read what other threads copy.
  bool sharesElements();
  /// That of one slot for each of the loads.
  llvm::SmallVector<mlir::Type> slotTypes();

private:
  BufferType bufferType(AheadLoad &ahead, int64_t numSlots);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value movedBy(mlir::Value value, mlir::Value step, int64_t ahead);
  AheadLoad describe(LoadOp load, bool isOfProduct);
  void copyAllOrNone(llvm::MutableArrayRef<AheadLoad> found);
  bool addSlice(AheadLoad &ahead);
  bool addIndices(AheadLoad &ahead);
  mlir::IRMapping valuesOf(const Iteration &iteration);
  llvm::SmallVector<mlir::Value> loadIndices(const Iteration &iteration);
  LayoutAttr layoutOfCopies(LoadOp line);
  int64_t widthOfCopies(LoadOp line);
  bool isLine(LoadOp load);
  BlockOp mappedBlock(AheadLoad &ahead);
  TensorMapType mapType(AheadLoad &ahead);
  bool haveOneMap(AheadLoad &a, AheadLoad &b);
  mlir::IRMapping start(const Iteration &iteration, mlir::Value slot);
  void startBulk(AheadLoad &ahead, mlir::IRMapping &mapping, mlir::Value slot);
  llvm::SmallVector<mlir::Value> startIf(const Iteration &iteration, mlir::Value slot);
  void addArguments(int64_t numSlots, mlir::ValueRange ofNext);
  bool readsSlot(mlir::Operation *op);
  int64_t exchangedBytes();
  int64_t fixedBytes();
  AheadLoad *sourceOf(mlir::Value factor);
  bool keepsRight(DotOp dot);
  bool isReadInSlot(mlir::Value factor, bool isLeft);
  int64_t numBulk();
  mlir::Operation *placeOfMaps();
  void makeMaps();
  void copyBefore(mlir::OpBuilder &allocs);
  void makeBarrier(mlir::Operation *place);
  mlir::Value firstSlotMoved(int64_t by, int64_t numSlots);
  void startFirst(int64_t numStages, int64_t numSlots);
  void carryThroughAround();
  mlir::Value readMatrix(AheadLoad &ahead, LayoutAttr layout);
  void readSlot(AheadLoad &ahead);
  void startAhead(int64_t numStages, int64_t numSlots);
  void rewriteBody(int64_t numStages, int64_t numSlots, DotOp behind);

  mlir::scf::ForOp loop, loopOfSlots;
  const AxisInfoAnalysis &axes;
  LoopSlices slices;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::SmallVector<AheadLoad> loads;
  /// Those before it, whose blocks are copied once.
  llvm::SmallVector<AheadLoad> before;
  /// What `loads` depend on, in the order of the body: an iteration further ahead, in registers.
  llvm::SmallVector<IndexLoad> indices;
  /// Loads of vectors that takeLines() adds to these.
  llvm::SmallVector<LoadOp> lines;
  /// The loop around this one in which the first loads start an iteration early, if they do.
  std::optional<FlattenedLoop> around;
  /// The slot of the current iteration; where blocks land, and the parity of that iteration there.
  mlir::Value slot, landed, parity;
  /// The slot and the parity of the first iteration.
  mlir::Value firstSlot, firstParity;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LOADPIPELINER_H
