//===- Buffers.h - memory for the tiles that are kept ----------*- C++ -*-===//
//
// Private to the conversion. Every kept tile has a buffer of fixed size, so all of them are laid
// out in one scratch memory at compile time: nothing is allocated while a kernel runs. Time is
// counted in events, one for each loop nest that is emitted.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_LIB_CONVERSION_TILETOLINALG_BUFFERS_H
#define TILEC_LIB_CONVERSION_TILETOLINALG_BUFFERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include <memory>

namespace mlir::tile::linalgroad {

/// The type in which an element is in memory: a boolean takes a byte, so that loops over it
/// vectorise, and f16 and bf16 are integers, which every processor moves without converting them.
Type storageType(Type element);

/// `value` as it is kept in memory, and back.
Value toStorage(OpBuilder &builder, Location loc, Value value);
Value fromStorage(OpBuilder &builder, Location loc, Value value, Type element);

struct Buffer {
  Value memory; // a memref of the tile's shape and storage type
  Type element; // as computed with: pointers are !llvm.ptr, booleans i1

private:
  friend class BufferPool;
  int64_t bytes = 0;
  int first = 0, last = 0; // events of the first write and the last read
  AffineMap firstMap;      // where an iteration of the first loop writes; null for several places
  AffineMap lastMap;       // where an iteration of the last loop reads; null for several places
  bool isReused = false;
  unsigned depth = 0; // loops around its creation
  arith::ConstantOp offset;
};

class BufferPool {
public:
  /// `scratch` is the kernel's argument for the scratch memory; buffers are created at the start of
  /// its block. The argument's type is set by finish().
  explicit BufferPool(BlockArgument scratch);

  /// A buffer for a tile of `shape`, live from the current event on.
  Buffer *create(Location loc, ArrayRef<int64_t> shape, Type element);

  /// A small buffer that one loop nest accumulates in, on the stack when it is small enough to be
  /// promoted to registers.
  Buffer *createAccumulator(Location loc, ArrayRef<int64_t> shape, Type element);

  /// Records that the loop nest of the current event reads or writes the element of `buffer` at
  /// `map`, or any elements where `map` is null.
  void touch(Buffer *buffer, AffineMap map = {});

  /// Records that the loop nest of the current event is the first to write `buffer`, at `map` only,
  /// after it has read everything else that it reads in an iteration.
  void define(Buffer *buffer, AffineMap map) { buffer->firstMap = map; }

  void nextEvent() { ++now; }
  void enterLoop() { loops.emplace_back(); }
  void leaveLoop();

  /// Gives every buffer its place. Returns the size of the scratch memory in bytes.
  int64_t finish();

  unsigned size() const { return buffers.size(); }

private:
  bool placeOver(Buffer *buffer, ArrayRef<std::pair<int64_t, Buffer *>> placed);

  BlockArgument scratch;
  OpBuilder builder; // stays in front of `mark`, and so of everything that uses buffers
  arith::ConstantOp mark;
  std::vector<std::unique_ptr<Buffer>> buffers;
  /// For each open loop, the buffers from outside it that it uses: they live until it ends.
  SmallVector<SmallVector<Buffer *>> loops;
  int now = 0;
};

} // namespace mlir::tile::linalgroad

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_BUFFERS_H
