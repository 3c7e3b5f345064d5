//===- MemoryArgs.h - Arguments of memory accesses --------------*- C++ -*-===//
//
// What loads, stores and atomic operations check alike.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H

#include "Interpreter.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::front {

/// Argument 0 as a pointer or a block of pointers; poison after an error.
Object pointerOf(Args &args);

/// `tensor` broadcast to the pointer's shape; the pointer itself must not grow. `what` names it in
/// the error at `range`.
Object toPointerShape(Interpreter &in, const Object &tensor, const Object &pointer,
                      llvm::SMRange range, llvm::StringRef what);

/// A block of a tensor in memory: what block pointers and tensor descriptors have in common.
struct TensorBlock {
  DType element;
  Object base;                                    // A scalar pointer.
  llvm::ArrayRef<Object> sizes, strides, offsets; // Scalars, one an axis.
  llvm::ArrayRef<int64_t> shape;                  // Of the block.
  Object rows;                                    // The rows of the block; None: a range.
  bool isMappable = false; // Whether it is of a tensor that tensor maps can describe.
};

/// What an access to a block of a tensor touches.
struct BlockAccess {
  Object pointers; // A block of pointers.
  Object mask;     // int1 in the same shape; None when no axis is checked.
  bool isConst = false;
};

/// The elements of `block`, of which the axes in `guard` are compared with their sizes.
BlockAccess accessBlock(Interpreter &in, const TensorBlock &block, llvm::ArrayRef<int64_t> guard);

/// Reads through `access`: elements outside are zero, or NaN.
tilec::tile::LoadOp loadBlock(Interpreter &in, const BlockAccess &access, DType element,
                              bool isNan);

/// The descriptor of a tensor in blocks of `blockType`: its sizes are int32 and its strides int64,
/// the last one 1. That the base and the other strides are multiples of 16 bytes is promised.
Object descriptorOf(Interpreter &in, const Object &blockType, bool padsWithNaN, const Object &base,
                    llvm::ArrayRef<Object> sizes, llvm::ArrayRef<Object> strides);

/// Whether a descriptor may have blocks of this type; reports an error at `range` if not.
bool checkDescriptorBlock(Interpreter &in, DType element, llvm::ArrayRef<int64_t> shape,
                          llvm::SMRange range);

/// Argument `index`, a tuple of `count` integers, as scalars of type `kind`, appended to `parts`.
/// To become int32, run-time values must have 32 bits already. False after an error.
bool addIntegers(Interpreter &in, Args &args, unsigned index, ScalarKind kind, size_t count,
                 Object::List &parts);

/// The sizes in a block type.
llvm::SmallVector<int64_t> shapeOfType(const Object &blockType);

/// Expands the block pointer that is argument 0; argument `boundary` names the axes to check.
/// Nothing after an error.
std::optional<BlockAccess> blockAccess(Interpreter &in, Args &args, unsigned boundary);

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_MEMORYARGS_H
