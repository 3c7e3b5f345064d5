//===- BufferCode.h - addresses in buffers ---------------------*- C++ -*-===//
//
// What stores, loads and copies of buffers share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CONVERSION_TILETOGPU_BUFFERCODE_H
#define TILEC_LIB_CONVERSION_TILETOGPU_BUFFERCODE_H

#include "ThreadCode.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec::tile {

/// The address of a slot (null: the only one) of the buffer at address `buffer`.
mlir::Value slotAddress(ThreadCode &code, mlir::Value buffer, mlir::Value slot, BufferType type);

/// The address of the barrier object of a slot (null: the only one) of those at `barrier`.
mlir::Value objectAddress(ThreadCode &code, mlir::Value barrier, mlir::Value slot);

/// The addresses at which the threads of a layout access a buffer. Registers whose own parts of the
/// offset differ in bits that no thread's part has share an address: the difference is an offset in
/// their instructions.
class PlaceAddress {
public:
  /// What the bits of the numbers of lanes, warps and CTAs add to the offset, by xor.
  PlaceAddress(ThreadCode &code, mlir::Value base, int64_t elementBytes,
               llvm::ArrayRef<uint64_t> lanes, llvm::ArrayRef<uint64_t> warps,
               llvm::ArrayRef<uint64_t> blocks);

  /// Where each thread has the register whose own part of the offset is `constant`.
  mlir::Value get(uint64_t constant) const;

private:
  ThreadCode &code;
  mlir::Value base;
  int64_t elementBytes;
  llvm::SmallVector<uint64_t> lanes, warps, blocks;
  uint64_t ofThreads = 0;
};

} // namespace tilec::tile

#endif // TILEC_LIB_CONVERSION_TILETOGPU_BUFFERCODE_H
