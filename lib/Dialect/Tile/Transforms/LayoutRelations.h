//===- LayoutRelations.h - layouts that follow from others -----*- C++ -*-===//
//
// What tile-assign-layouts knows about single operations: which layout an operand needs so that the
// result has a given one, which layout suits a memory access, and what an access in a given layout
// costs. LayoutSolver and LoadGroups decide with it; tile-choose-launch asks it about accesses.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTRELATIONS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTRELATIONS_H

#include "tilec/Arch/Tuning.h"
#include "tilec/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/TileLayouts.h"

namespace tilec::tile {

/// The layout that tile operand `operand` of the repeatable or elementwise `op` needs so that its
/// result has layout `result`.
LayoutAttr operandLayout(mlir::Operation *op, unsigned operand, LayoutAttr result);

/// Whether `op` gives a tile another shape and leaves its elements in their order, or permutes
/// axes.
inline bool isShapeChange(mlir::Operation *op) {
  return llvm::isa_and_nonnull<ShapeChangeOpInterface>(op);
}

/// If `op` joins two tiles along a new axis (a select between their broadcasts), the first of them;
/// null otherwise. Sets `axis` to the new axis.
mlir::Value joinedValue(mlir::Operation *op, unsigned &axis);

/// The layout in which every thread has, without any exchange, the elements of the result of the
/// shape change `op` when its source has layout `source`.
LayoutAttr shapedLayout(mlir::Operation *op, LayoutAttr source);
tilec::layout::LinearLayout shapedLayout(mlir::Operation *op,
                                         const tilec::layout::LinearLayout &source);

/// Whether the first warp has all elements of the tile type in `layout`.
bool isInOneWarp(LayoutAttr layout, mlir::RankedTensorType type);

/// What the arithmetic behind a tile of pointers shows of how far neighbours are apart in memory,
/// ordered.
enum class Stride : uint8_t { Small, Unknown, Large };

/// Chooses layouts for memory accesses from what `axes` proves about their pointers and masks.
class AccessLayouts {
public:
  /// `tuning` is the target's; it must outlive this.
  AccessLayouts(const AxisInfoAnalysis &axes, LaunchShape launch, const tilec::LayoutTuning &tuning)
      : axes(axes), launch(launch), tuning(tuning) {}

  const tilec::LayoutTuning &getTuning() const { return tuning; }

  /// The layout in which accesses through `ptr` under `mask` (may be null) are widest and coalesce.
  LayoutAttr choose(mlir::Value ptr, mlir::Value mask) const;

  /// The same for one warp, in a layout in which every warp has the whole tile.
  LayoutAttr chooseForWarp(mlir::Value ptr, mlir::Value mask) const;

  /// The same for one CTA, in a layout in which every CTA of a cluster has the whole tile.
  LayoutAttr chooseForCTA(mlir::Value ptr, mlir::Value mask) const;

  /// Memory transactions and instructions that one warp spends on the access in `layout`; for
  /// comparison with other layouts of the same tile.
  int64_t cost(mlir::Value ptr, mlir::Value mask, LayoutAttr layout) const;

  /// Whether an access in `layout` costs so little more than in `other` that exchanging elements
  /// between threads, to have them in `other`, costs more than that.
  bool isNearlyAsCheap(mlir::Value ptr, mlir::Value mask, LayoutAttr layout,
                       LayoutAttr other) const;

  /// Whether an access in `layout` costs less than one in `other` and an exchange from that to
  /// `layout`.
  bool isCheaperThanExchange(mlir::Value ptr, mlir::Value mask, LayoutAttr layout,
                             LayoutAttr other) const;

  /// A layout that a swap between pairs of lanes brings `layout` to, in which accesses of half the
  /// largest size become whole ones and touch fewer lines in all; null if there is none.
  LayoutAttr widened(mlir::Value ptr, mlir::Value mask, LayoutAttr layout) const;

  /// How many neighbouring elements a thread has in the layout that `choose` gives.
  int64_t elements(mlir::Value ptr, mlir::Value mask) const;

  /// The axis along which neighbours are nearest in memory.
  unsigned fastestAxis(mlir::Value ptr) const;

  /// Whether neighbouring elements are neighbours in memory, aligned and under one mask or not.
  bool isAdjacent(mlir::Value ptr) const;

  /// Whether the whole tile has each element of memory once, as far as is known.
  bool isDistinct(mlir::Value ptr) const;

  /// Whether these fill the largest access of a thread.
  bool isWide(mlir::Value ptr, mlir::Value mask) const;

  /// How many neighbouring registers of a thread one access in `layout` moves.
  int64_t width(mlir::Value ptr, mlir::Value mask, LayoutAttr layout) const;

  /// Whether `load`, which has `ptr` and `mask` before layouts are known, brings a plain tile with
  /// two axes or more in a loop, from addresses that no load of the same iteration gives, in pieces
  /// that can be copied: as a factor it may come through a slot, from which each layout is read as
  /// well as any other.
  bool canGoAhead(LoadOp load, mlir::Value ptr, mlir::Value mask) const;

  /// Whether neighbours in a tile of pointers are likely to be near to each other in memory: they
  /// follow from the program's place and not from loaded values, and no large stride is seen.
  bool isNear(mlir::Value ptr) const { return stride(ptr, std::nullopt) == Stride::Small; }

private:
  /// Of all axes, or of neighbours along one: what is equal along that, such as the place of a row,
  /// does not count.
  Stride stride(mlir::Value ptr, std::optional<unsigned> axis) const;
  /// Whether not all neighbours along `axis` are known to be equal.
  bool varies(mlir::Value value, unsigned axis) const;
  bool variesRarely(mlir::Value value, unsigned axis) const;
  /// Of the fastest axis of a tile of pointers.
  bool isLikelyNear(mlir::Value ptr, unsigned axis) const;
  /// How many aligned pieces of memory of `pieceBytes` the lanes of a warp touch by one access.
  int64_t pieces(mlir::Value ptr, LayoutAttr layout, int64_t pieceBytes) const;
  LayoutAttr chooseForPart(mlir::Value ptr, mlir::Value mask, LaunchShape part) const;

  const AxisInfoAnalysis &axes;
  LaunchShape launch;
  const tilec::LayoutTuning &tuning;
  /// What stride() found, by the axis; of all axes, under a number that no axis has.
  mutable llvm::DenseMap<std::pair<mlir::Value, unsigned>, Stride> strides;
  /// What variesRarely() has found.
  mutable llvm::DenseMap<std::pair<mlir::Value, unsigned>, bool> rare;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_LAYOUTRELATIONS_H
