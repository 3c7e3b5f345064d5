//===- Access.h - How instructions reach memory -----------------*- C++ -*-===//
//
// What loads, stores, atomic operations and matrix instructions share: every access is checked for
// alignment, bounds and, in shared memory, races.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_SIMULATOR_ACCESS_H
#define TILEC_LIB_SIMULATOR_ACCESS_H

#include "Values.h"

namespace tilec::simulator {

enum class Space : uint8_t { Global, Shared, Local, Param };

/// The space that an opcode's words name; none is Global, which is generic memory here.
Space findSpace(llvm::ArrayRef<llvm::StringRef> words);

/// These return false after a fault.
bool readMemory(Warp &warp, const Instruction &i, unsigned lane, Space space, uint64_t address,
                unsigned bytes, uint8_t *result);
bool writeMemory(Warp &warp, const Instruction &i, unsigned lane, Space space, uint64_t address,
                 unsigned bytes, const uint8_t *values, bool atomic);
/// Reads what an atomic operation finds, without being a reader of shared memory.
bool peekMemory(Warp &warp, const Instruction &i, unsigned lane, Space space, uint64_t address,
                unsigned bytes, uint8_t *result);

/// The shared memory behind `address`; null after a fault.
SharedMemory *findShared(Warp &warp, const Instruction &i, unsigned lane, uint64_t address,
                         uint64_t &offset);
/// False after the fault that `problem` at this offset describes, unless it is empty.
bool check(Warp &warp, const Instruction &i, unsigned lane, llvm::StringRef problem,
           uint64_t offset);

/// The mbarrier that all lanes of `mask` name; null after a fault. To use it is to read it, so who
/// initialises it without a barrier in between races.
MBarrier *findBarrier(Warp &warp, const Instruction &i, unsigned operand, uint32_t mask);

} // namespace tilec::simulator

#endif // TILEC_LIB_SIMULATOR_ACCESS_H
