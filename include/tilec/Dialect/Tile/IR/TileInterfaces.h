//===- TileInterfaces.h - what passes ask of operations --------*- C++ -*-===//
//
// The interfaces and traits of TileInterfaces.td, and the classes that their methods take. Included
// by Tile.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILEINTERFACES_H
#define TILEC_DIALECT_TILE_IR_TILEINTERFACES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "tilec/Dialect/Tile/IR/AxisInfo.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec {
struct LayoutTuning;
} // namespace tilec

namespace tilec::tile {

class BufferType;
class LayoutAttr;
struct LaunchShape;

/// The layouts in which an operation works, one for each operand and each result; null for scalars.
struct WorkLayouts {
  llvm::SmallVector<LayoutAttr> operands, results;
};

/// What an operation may ask when it chooses its layouts.
class LayoutChoice {
public:
  virtual ~LayoutChoice() = default;

  /// The first of `values` that is pinned to a layout; else the first that will be. Null if all are
  /// free.
  virtual mlir::Value getLeader(mlir::ValueRange values) = 0;

  /// The layout of `tile`, or the one that follows where it is a shape change of a tile that has
  /// one; null where neither is known.
  virtual LayoutAttr getLayout(mlir::Value tile) = 0;

  /// For a free tile, the layout that follows from the pinned one that it is computed from; null
  /// where nothing follows.
  virtual LayoutAttr getLayoutOfSource(mlir::Value tile) = 0;

  /// For a free tile that is computed from broadcasts, the layout that follows from the pinned one
  /// behind them if each thread makes all copies of its elements, and no other has these; null
  /// where nothing follows.
  virtual LayoutAttr getLayoutOfBroadcast(mlir::Value tile) = 0;

  /// Has a free tile that is computed from a pinned one, by more than another order of the axes,
  /// computed in the layout that follows, once, and converted to whichever its users work in. What
  /// the operation demands does not decide on the layout of a pinned tile, either.
  virtual void computeOnce(mlir::Value tile) = 0;

  virtual const LaunchShape &getLaunch() const = 0;
  virtual const tilec::LayoutTuning &getTuning() const = 0;

  /// getLayout(), or a layout for tiles of which nothing is known.
  LayoutAttr getLayoutOrDefault(mlir::Value tile);
};

/// Checks the region of an operation with the trait HasScalarCode.
mlir::LogicalResult verifyScalarCode(mlir::Operation *op);

/// The operation's region works on single elements: whoever distributes tiles copies it as it is.
template <typename ConcreteType>
class HasScalarCode : public mlir::OpTrait::TraitBase<ConcreteType, HasScalarCode> {
public:
  static mlir::LogicalResult verifyRegionTrait(mlir::Operation *op) { return verifyScalarCode(op); }
};

/// The operation orders accesses, or works on shared memory and tensor maps: whatever its effects,
/// arrays in global memory stay as they are.
template <typename ConcreteType>
class WritesNoArrays : public mlir::OpTrait::TraitBase<ConcreteType, WritesNoArrays> {};

/// Threads see by the operation what others did, or tell them of what they did: no access moves
/// over it.
template <typename ConcreteType>
class OrdersAccesses : public mlir::OpTrait::TraitBase<ConcreteType, OrdersAccesses> {};

} // namespace tilec::tile

#include "tilec/Dialect/Tile/IR/TileInterfaces.h.inc"

#endif // TILEC_DIALECT_TILE_IR_TILEINTERFACES_H
