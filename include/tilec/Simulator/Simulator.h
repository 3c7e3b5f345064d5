//===- Simulator.h - PTX executed on the processor --------------*- C++ -*-===//
//
// Runs PTX without a GPU: every instruction of every thread, warps in any order that barriers
// allow, asynchronous copies as late as they may come. So it finds what a GPU shows seldom or
// never: a missing barrier, a buffer that is read before its copy is complete, an access out of
// bounds. It says nothing of speed.
//
// Products of warpgroups (wgmma) are made when they are issued, and until their group has been
// waited for nobody may touch their registers or write what they read in shared memory. What they
// read must have been fenced for the async proxy by the threads that wrote it.
//
// It knows the instructions that tilec writes; any other is an error when a kernel is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_SIMULATOR_SIMULATOR_H
#define TILEC_SIMULATOR_SIMULATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <memory>

namespace tilec {

/// Memory of this process that a kernel may access as global memory.
struct MemoryRange {
  const void *begin = nullptr;
  uint64_t bytes = 0;
};

/// Axes of a tensor that has a map: PTX knows no more.
inline constexpr unsigned kMostMapAxes = 5;

/// What a tensor map of a launch is of; of axes the innermost comes first. As in
/// cuTensorMapEncodeTiled, with steps of one element, and zeros outside of the tensor.
struct SimulatedTensorMap {
  uint64_t address = 0;
  uint32_t rank = 1;
  uint32_t elementBytes = 1;
  /// 1 to 3: lines of 32, 64 and 128 bytes.
  uint32_t swizzle = 1;
  std::array<uint64_t, kMostMapAxes> sizes = {};
  /// In bytes; the first is that of the second axis.
  std::array<uint64_t, kMostMapAxes - 1> strides = {};
  /// Elements of a box.
  std::array<uint32_t, kMostMapAxes> box = {};
};

/// One launch of a simulated kernel.
struct SimulatedLaunch {
  /// CTAs along each axis, a multiple of the cluster's along x.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Threads of a CTA along each axis; those along x are whole warps if there are others.
  std::array<uint32_t, 3> block = {32, 1, 1};
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  /// CTAs of a cluster, along x.
  uint32_t clusterSize = 1;
  uint32_t dynamicSharedBytes = 0;
  /// The bits of each parameter that is a number, zero-extended.
  llvm::ArrayRef<uint64_t> arguments;
  /// For each parameter of 128 bytes. Copies of blocks alone may read them.
  llvm::ArrayRef<SimulatedTensorMap> maps;
  /// An access to other memory is an error.
  llvm::ArrayRef<MemoryRange> memory;
  /// Decides the order of warps: equal seeds give equal runs.
  uint64_t seed = 0;
  /// Instructions of a warp after which the kernel is taken to hang.
  uint64_t maxInstructions = uint64_t(1) << 28;
};

namespace simulator {
class Program;
} // namespace simulator

/// A kernel that is ready to be simulated. Immutable: several threads may run it at once.
class SimulatedKernel {
public:
  ~SimulatedKernel();
  /// Reads the kernel `name` out of PTX text. The error has the line of what it cannot execute.
  static llvm::Expected<std::unique_ptr<SimulatedKernel>> load(llvm::StringRef ptx,
                                                               llvm::StringRef name);
  /// Runs all CTAs and waits. The error says which thread of which CTA did what at which line: a
  /// race in shared memory, an access out of bounds, a missing fence or wait of wgmma, a failed
  /// assertion, a deadlock. Memory then holds what was written until then.
  llvm::Error run(const SimulatedLaunch &launch) const;
  /// Shared memory that the kernel declares.
  uint32_t staticSharedBytes() const;

private:
  explicit SimulatedKernel(std::unique_ptr<simulator::Program> program);
  std::unique_ptr<simulator::Program> program;
};

} // namespace tilec

#endif // TILEC_SIMULATOR_SIMULATOR_H
