//===- Plan.h - which steps over tiles share a loop ------------*- C++ -*-===//
//
// Private to the conversion. A *segment* is a run of operations of one block without structured
// control flow. Its *steps* are the operations that must visit every element of a tile: loads,
// stores, reductions, assertions, and writes of a tile into a buffer. Everything else on tiles is
// *inline*: computed where a step asks for an element.
//
// Each step gets a time, as early as its operands and memory order allow; steps of one time and
// shape form a group, which becomes one loop nest. Within a time, scalar operations run before
// groups.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOLINALG_PLAN_H
#define TILEC_LIB_CONVERSION_TILETOLINALG_PLAN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>

namespace tilec::tile::cpu {

struct Buffer;

/// True for a tile (as opposed to a scalar).
bool isTile(mlir::Value value);

/// True when `op` makes a tile that is computed element by element from its operands' elements.
bool isInline(mlir::Operation *op);

/// True when an inline operation reads its operand at another position than its own element's, and
/// which one is known while compiling.
bool changesPosition(mlir::Operation *op);

/// True for what reads memory where pointers say, and must run once: loads and atomic operations.
bool isAccess(mlir::Operation *op);

/// True for an operation on tiles whose results are in buffers of their own: reductions, scans,
/// histograms, products of matrices.
bool makesBuffers(mlir::Operation *op);

/// A tile that must end up in a given buffer when the segment ends.
struct TileWrite {
  mlir::Value value;
  Buffer *dest;
  /// The loop's block argument that `dest` holds, when the segment may still read the old value.
  mlir::Value replaces;
};

struct Step {
  /// Load is any access that gives a tile, Store any effect that gives nothing.
  enum Kind { Load, Store, Reduce, Scan, Histogram, Dot, Assert, Keep, Write };

  Kind kind;
  mlir::Operation *op = nullptr; // all but Keep and Write
  mlir::Value value;             // Keep, Write: the tile
  Buffer *dest = nullptr;        // Write; Dot that writes into the buffer of a loop
  int time = 0;

  /// The tiles whose elements the step reads at its own position.
  llvm::SmallVector<mlir::Value> reads() const;
  llvm::ArrayRef<int64_t> shape() const;
  /// True for a step that shares its loop with no other.
  bool isAlone() const { return kind == Scan || kind == Histogram || kind == Dot; }
};

/// One loop nest.
struct Group {
  int time;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Step *> steps;
  /// Tiles computed here that something else reads later.
  llvm::SetVector<mlir::Value> kept;
};

struct Plan {
  std::multimap<int, mlir::Operation *> scalars; // by time, then program order
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Group> groups; // by time
};

/// What a plan needs to know of the world before the segment.
struct Segment {
  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::ArrayRef<TileWrite> writes;
  /// The operation after the segment whose uses of tiles are all among `writes`.
  mlir::Operation *next;
  llvm::function_ref<bool(mlir::Value)> hasBuffer;
  /// Whether accesses stay on their side of barriers, which are nothing else where one thread runs
  /// a program.
  bool ordersBarriers;
};

/// Plans `segment`. Every operation in it must be a scalar operation, a step, or inline.
Plan makePlan(const Segment &segment);

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_PLAN_H
