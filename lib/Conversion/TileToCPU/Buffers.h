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

namespace tilec::tile::cpu {

/// The type in which an element is in memory: a boolean takes a byte, so that loops over it
/// vectorise, and f16 and bf16 are integers, which every processor moves without converting them.
mlir::Type storageType(mlir::Type element);

/// `value` as it is kept in memory, and back.
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        mlir::Type element);

struct Buffer {
  mlir::Value memory; // a memref of the tile's shape and storage type
  mlir::Type element; // as computed with: pointers are !llvm.ptr, booleans i1

private:
  friend class BufferPool;
  int64_t bytes = 0;
  int first = 0, last = 0;  // events of the first write and the last read
  mlir::AffineMap firstMap; // where an iteration of the first loop writes; null for several places
  mlir::AffineMap lastMap;  // where an iteration of the last loop reads; null for several places
  bool isReused = false;
  unsigned depth = 0; // loops around its creation
  mlir::arith::ConstantOp offset;
};

class BufferPool {
public:
  /// `scratch` is the kernel's argument for the scratch memory; buffers are created at the start of
  /// its block. The argument's type is set by finish().
  explicit BufferPool(mlir::BlockArgument scratch);

  /// A buffer for a tile of `shape`, live from the current event on.
  Buffer *create(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// A small buffer that one loop nest accumulates in, on the stack when it is small enough to be
  /// promoted to registers.
  Buffer *createAccumulator(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// Records that the loop nest of the current event reads or writes the element of `buffer` at
  /// `map`, or any elements where `map` is null.
  void touch(Buffer *buffer, mlir::AffineMap map = {});

  /// Records that the loop nest of the current event is the first to write `buffer`, at `map` only,
  /// after it has read everything else that it reads in an iteration.
  void define(Buffer *buffer, mlir::AffineMap map) { buffer->firstMap = map; }

  void nextEvent() { ++now; }
  void enterLoop() { loops.emplace_back(); }
  void leaveLoop();

  /// Gives every buffer its place. Returns the size of the scratch memory in bytes.
  int64_t finish();

  unsigned size() const { return buffers.size(); }

private:
  bool placeOver(Buffer *buffer, llvm::ArrayRef<std::pair<int64_t, Buffer *>> placed);

  mlir::BlockArgument scratch;
  mlir::OpBuilder builder; // stays in front of `mark`, and so of everything that uses buffers
  mlir::arith::ConstantOp mark;
  std::vector<std::unique_ptr<Buffer>> buffers;
  /// For each open loop, the buffers from outside it that it uses: they live until it ends.
  llvm::SmallVector<llvm::SmallVector<Buffer *>> loops;
  int now = 0;
};

} // namespace tilec::tile::cpu

#endif // TILEC_LIB_CONVERSION_TILETOLINALG_BUFFERS_H
