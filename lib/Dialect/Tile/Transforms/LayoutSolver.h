//===- LayoutSolver.h - decides on a layout for every tile value -*- C++ -*-===//
//
// The analysis of tile-assign-layouts: AssignLayouts.cpp asks it and rewrites. It combines what is
// known about single operations (LayoutRelations.h) with decisions about loads (LoadGroups.h) and
// stores (StoreOrder.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTSOLVER_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTSOLVER_H

#include "LoadGroups.h"
#include "StoreOrder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::tile {

/// Decides, without changing the IR, which layout each pinned tile value has and in which layout
/// each operation works.
///
/// A value is pinned, which means that it has one layout, if computing it twice is wrong or
/// expensive: results of loads, reductions and control flow, and elementwise work on pinned values.
/// All others (ranges, splats, shape changes and arithmetic on them) are free: they are
/// rematerialized in each layout that a user demands.
///
/// Operations are visited in program order, so that a pinned value's layout is usually known when
/// it is used. A loop-carried value whose initial value is free has none yet: the first user that
/// demands a layout decides, and values computed from it share its decision.
class LayoutSolver {
public:
  LayoutSolver(mlir::func::FuncOp function, const AxisInfoAnalysis &axes, LaunchShape launch,
               const tilec::LayoutTuning &tuning)
      : accesses(axes, launch, tuning), groups(function, accesses), order(function, axes, launch),
        launch(launch) {
    multiplies =
        function.walk([](DotOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
    visitRegion(function.getBody());
    settle(function);
  }

  /// The layout of a pinned tile value; null for a free one.
  LayoutAttr getPinned(mlir::Value value) const;

  /// Whether a value was pinned between the steps of a network (LayoutSolverNetworks.cpp):
  /// rematerializing it in another layout would repeat those steps, too.
  bool isExchanged(mlir::Value value) const {
    std::optional<Decision> decision = decisionOf(value);
    return decision && exchanged.contains(*decision);
  }

  /// The layout in which `op` takes its tile operand number `operand`, if it is a memory access, an
  /// operation that exchanges data, an assertion, a print, or a pinned elementwise operation;
  /// null for anything else.
  LayoutAttr getWorkLayout(mlir::Operation *op, unsigned operand) const;

  /// Whether one warp executes the store, since it must stay in order with other small ones.
  bool isOrdered(StoreOp op) const { return order.isOrdered(op); }

  /// The type of a buffer that copies fill, with the map that follows from their layout.
  BufferType getBufferType(AllocBufferOp op) const { return bufferTypes.lookup(op.getBuffer()); }

private:
  class Choice;

  /// Values that must agree share a decision.
  using Decision = unsigned;

  void visitRegion(mlir::Region &region);
  void visit(mlir::Operation *op);
  void visitLoad(LoadOp op);
  void visitStore(StoreOp op);
  void visitBufferCopy(BufferCopyOp op);
  void visitBufferLoad(BufferLoadOp op);
  void visitAccess(AccessOpInterface op);
  void visitLayoutOp(LayoutOpInterface op);
  void visitElementwise(mlir::Operation *op);
  void visitTake(TakeOp op);
  void visitFree(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp op);
  void visitIf(mlir::scf::IfOp op);
  void visitWhile(mlir::scf::WhileOp op);

  Decision find(Decision decision) const;
  Decision newDecision(mlir::RankedTensorType type, LayoutAttr layout = {});
  std::optional<Decision> decisionOf(mlir::Value value) const;
  void pin(mlir::Value value, Decision decision) { pinned[value] = decision; }
  void unify(mlir::Value a, mlir::Value b);
  LayoutAttr layoutOf(mlir::Value value) const;
  /// The layout of `value`, or the one that follows where it is a shape change of a value that has
  /// one; null where neither is known.
  LayoutAttr naturalLayout(mlir::Value value) const;
  /// The layout in which a free value, or the only tile that it is computed from, was demanded
  /// last.
  LayoutAttr earlierLayout(mlir::Value value) const;
  /// What follows for a free value from the pinned one that it is computed from.
  struct Forward {
    LayoutAttr layout;        // Null where nothing follows.
    bool hasSplit = false;    // Halves of a split lie between.
    bool hasReduced = false;  // The broadcast of a reduction's result lies between.
    bool isExchanged = false; // isExchanged() is true for the pinned value.
    unsigned depth = 0;       // Elementwise operations between.
  };
  Forward forward(mlir::Value value, unsigned budget = 64);
  Forward followForward(mlir::Value value, unsigned budget);
  Forward followElementwise(mlir::Operation *op, unsigned budget);
  LayoutAttr broadcastAgain(BroadcastOp op) const;
  LayoutAttr broadcastInThread(mlir::Value value, llvm::SmallDenseSet<mlir::Value> &seen,
                               unsigned budget = 64) const;
  LayoutAttr splitLayout(TakeOp op, LayoutAttr layout);
  void pinForward(mlir::Value value);
  void pinJoined(mlir::Operation *op, mlir::Value part, LayoutAttr layout);
  void computeOnce(mlir::Value value);
  bool isCostly(mlir::Value value) const;
  void pinParts(mlir::Value value);
  void computeFactorOnce(mlir::Value factor, LayoutAttr layout);
  /// Records that a user needs `value` in `layout`. If the value, or one that it is computed from,
  /// is pinned and has no layout yet, it gets the one that follows.
  void demand(mlir::Value value, LayoutAttr layout);
  void work(mlir::Operation *op, LayoutAttr layout);
  void workOperand(mlir::Operation *op, unsigned operand, LayoutAttr layout);
  mlir::Value firstPinnedTile(mlir::ValueRange values) const;
  bool isOfProduct(mlir::Value value) const;
  bool isInLoopOfProduct(mlir::Operation *op, mlir::Value value) const;
  mlir::Value leaderOf(mlir::Operation *elementwise) const;
  LayoutAttr settledLayout(mlir::Value value);
  void settle(mlir::func::FuncOp function);

  AccessLayouts accesses;
  LoadGroups groups;
  StoreOrder order;
  LaunchShape launch;
  bool multiplies = false; ///< Whether the kernel has products of matrices.
  llvm::DenseMap<mlir::Value, Decision> pinned;
  llvm::SmallVector<Decision> parents;
  llvm::SmallVector<LayoutAttr> layouts;
  llvm::SmallVector<mlir::RankedTensorType> types;
  llvm::DenseMap<mlir::Operation *, LayoutAttr> workLayouts;
  /// For operations whose operands differ in layout: the layout of each.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, LayoutAttr> operandLayouts;
  /// Of the buffers that copies fill, the layout of the copies, and the type with a map.
  llvm::DenseMap<mlir::Value, LayoutAttr> bufferLayouts;
  llvm::DenseMap<mlir::Value, BufferType> bufferTypes;
  /// The demands that were recorded, so that each is followed once.
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> demanded;
  /// Pinned values without a layout whose users do not decide on it.
  llvm::DenseSet<mlir::Value> leftOpen;
  /// The last layout in which a free value was demanded.
  llvm::DenseMap<mlir::Value, LayoutAttr> madeIn;
  llvm::DenseMap<mlir::Value, Forward> forwards;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, LayoutAttr> splitLayouts;
  /// Decisions that LayoutSolverNetworks.cpp made: about halves of splits that come from an
  /// exchange, and about values pinned in between.
  llvm::DenseSet<Decision> exchanged;
  /// Decisions about what products compute, or add to, with the product.
  llvm::DenseMap<Decision, mlir::Operation *> ofProducts;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTSOLVER_H
