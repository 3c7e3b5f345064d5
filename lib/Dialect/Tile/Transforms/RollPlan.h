//===- RollPlan.h - which tiles are worked on in chunks ---------*- C++ -*-===//
//
// What tile-roll-tiles does with a kernel, decided before anything changes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_ROLLPLAN_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_ROLLPLAN_H

#include "Chunks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::tile {

class RollPlan {
public:
  /// How the chunks of a load come to the loops that need them.
  enum class Way {
    InPlace,  ///< The only loop that needs them loads them.
    AtFirst,  ///< The first loop loads them, and keeps them for others.
    Separate, ///< A loop where the load stands keeps them.
  };
  struct Load {
    uint64_t bits;                                     ///< Its chunk bits.
    llvm::SmallVector<mlir::Operation *, 2> readers{}; ///< Sinks that need it, in order.
    Way way = Way::Separate;
  };

  /// Nothing if no tile of `kernel` is large, or something that is no sink works on one that is.
  static std::optional<RollPlan> make(mlir::func::FuncOp kernel);

  /// The chunk bits of the tiles of sinks.
  uint64_t getBits() const { return bits; }
  /// What becomes loops, in the order of the program: stores, reductions, scans, and loads that
  /// follow from other loads. The results of the last two are kept.
  llvm::ArrayRef<mlir::Operation *> getSinks() const { return sinks; }
  /// The loads whose chunks sinks need, in no order.
  const llvm::MapVector<mlir::Operation *, Load> &getLoads() const { return loads; }

private:
  RollPlan(int64_t elements, uint64_t bits, int64_t registers)
      : elements(elements), bits(bits), registers(registers) {}

  /// Whether a thread has more elements of it than registers.
  bool isLarge(mlir::Value value) const;

  bool read(mlir::func::FuncOp kernel);
  bool addSink(mlir::Operation *op);
  bool canMake(mlir::Value tile, uint64_t chunkBits, unsigned depth);
  bool canMakeOperands(mlir::Operation *op, uint64_t chunkBits, unsigned depth);
  bool canLoad(LoadOp load, uint64_t chunkBits, unsigned depth);
  void chooseWays();

  int64_t elements; ///< Of the sinks' tiles.
  uint64_t bits;
  int64_t registers; ///< Of a thread.
  llvm::SmallVector<mlir::Operation *> sinks;
  llvm::MapVector<mlir::Operation *, Load> loads;
  /// What the last sink needs.
  llvm::DenseSet<std::pair<mlir::Value, uint64_t>> seen;
};

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_ROLLPLAN_H
