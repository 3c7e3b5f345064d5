//===- Kernel.h - Kernels ready to launch --------------------------------*- C++ -*-===//
//
// The kernel object: all that a launch needs, computed beforehand, so that a launch only checks the
// arguments and calls the driver. Kernel.cpp prepares kernels, Launch.cpp launches them, and
// Occupancy.cpp asks how many are resident.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_KERNEL_H
#define TILEC_LIB_RUNTIME_KERNEL_H

#include "Module.h"

struct tilec_kernel;

namespace tilec {

/// One parameter, as launches check it.
struct KernelParam {
  uint64_t accepted; ///< bit t is set if an argument of tilec_type t may be passed
  uint32_t type;     ///< tilec_type, or TILEC_TYPE_INVALID when only the size is known
  uint32_t bytes;
  const char *name; ///< "" when not known
};

/// Size in bytes of a value of a tilec_type; 0 for what is not one.
uint32_t typeBytes(uint32_t type);

/// The type's name in the kernel language ("i32"), without "pointer to"; "?" for what is not one.
const char *typeName(uint32_t type);

/// What the driver is told of a launch.
struct LaunchShape {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamicSharedBytes;
};

/// Whether a block goes on to the next program.
inline bool isPersistent(const tilec_packing &packing) {
  return packing.threads == 0 && packing.programs != 0;
}

/// Parameters behind the kernel's own, before its maps, in which launches pass the grid.
inline uint32_t numGridParams(const tilec_packing &packing) {
  return isPersistent(packing) ? 3 : 0;
}

/// Blocks of a launch of a persistent kernel at most.
inline uint32_t mostPersistentBlocks(const tilec_packing &packing, uint32_t multiprocessors) {
  uint64_t most = uint64_t(packing.programs) * multiprocessors;
  return most == 0 ? 1 : most > INT32_MAX ? uint32_t(INT32_MAX) : uint32_t(most);
}

/// Whether so many blocks can count the programs of a grid of `x` * `y` * `z`, none of them 0, in
/// 32 bits with a sign.
inline bool canCountPrograms(uint32_t mostBlocks, int64_t x, int64_t y, int64_t z) {
  // No number of programs along an axis has more than 31 bits.
  uint64_t plane = uint64_t(x) * uint64_t(y), programs = plane * uint64_t(z);
  return plane <= INT32_MAX &&
         programs + (programs < mostBlocks ? programs : mostBlocks) <= INT32_MAX;
}

/// The shape of a launch of at most so many blocks, where `plain` has one for each program.
inline LaunchShape persistentShape(uint32_t mostBlocks, const LaunchShape &plain) {
  uint32_t programs = plain.grid[0] * plain.grid[1] * plain.grid[2];
  return {{programs < mostBlocks ? programs : mostBlocks, 1, 1},
          {plain.block[0], plain.block[1], plain.block[2]},
          plain.dynamicSharedBytes};
}

/// The shape of a launch of which blocks run several programs, where `plain` has a block for each
/// and no 0. It is `plain` if no number of programs divides x or y.
LaunchShape packPrograms(const tilec_packing &packing, const LaunchShape &plain);

/// The error of a grid of which the programs cannot be counted.
tilec_status makeCountError(const char *kernel, int64_t x, int64_t y, int64_t z);

/// Checks that launches can do what the record says of packing.
tilec_status checkPacking(const tilec_launch_record &record);

/// A launch with attributes: of a cluster kernel, or one that may overlap the launch before it.
/// Refers to itself, so it stays where it is made.
struct ExtendedLaunch {
  ExtendedLaunch(const tilec_kernel &kernel, const LaunchShape &shape, cu::Stream stream,
                 bool dependent = false);
  ExtendedLaunch(const ExtendedLaunch &) = delete;
  ExtendedLaunch &operator=(const ExtendedLaunch &) = delete;

  cu::LaunchAttribute attributes[2];
  cu::LaunchConfig config;
};

/// Copies the caller's record, whose size may be an earlier version's, and fills in what it lacks.
tilec_status readRecord(const tilec_launch_record &given, tilec_launch_record &record);

/// Whether the device can have a grid of so many programs; a 0 in it is possible.
inline bool isGridPossible(const tilec_kernel &kernel, const int64_t (&grid)[3]);

/// The shape of a launch of a possible grid without a 0.
inline LaunchShape shapeOfLaunch(const tilec_kernel &kernel, const int64_t (&grid)[3]);

/// The error of a grid that is not possible.
tilec_status makeGridError(const tilec_kernel &kernel, const int64_t (&grid)[3]);

/// Launches a possible grid without a 0. The kernel's context must be current. `dependent` asks for
/// programmatic dependent launch, which the driver and the device must have.
tilec_status launchGrid(const tilec_kernel &kernel, cu::Stream stream, const int64_t (&grid)[3],
                        void **values, bool dependent);

/// Checks that clusters of this kernel can run on its device, and allows large ones. The context
/// must be current; nothing to do for a kernel without clusters.
tilec_status prepareCluster(const tilec_kernel &kernel, const tilec_launch_record &record);

/// An error, which names `function`, unless the caller has set `struct_size`.
tilec_status checkOccupancySize(const char *function, const tilec_occupancy &occupancy);

/// Sets all of `occupancy`; an error if the device holds not even one program.
tilec_status findResidentOccupancy(const tilec_kernel &kernel, tilec_occupancy &occupancy);

} // namespace tilec

struct tilec_kernel {
  // Read by every launch.
  tilec::cu::Function function;
  tilec::cu::Context context;
  const tilec::Driver *driver;
  const tilec::KernelParam *params;
  uint32_t numParams; ///< UINT32_MAX when not known
  uint32_t threads;
  uint32_t dynamicSharedBytes;
  uint32_t numCTAs;    ///< of a program; above 1 it is a cluster
  uint32_t maxGrid[3]; ///< programs
  tilec_packing packing;
  uint64_t leastPacked; ///< programs from which on launches are packed
  uint32_t mostBlocks;  ///< of a launch of a persistent kernel; 0 for others
  uint32_t numMaps;     ///< of which the parameters follow the others
  const tilec_tensor_map *maps;
  // Read when something fails or ends.
  std::atomic<uint32_t> references;
  tilec_module *module;
  tilec_kernel_info info;
  void *storage; ///< the block that `params`, `maps` and every name lie in
};

inline tilec::LaunchShape tilec::shapeOfLaunch(const tilec_kernel &kernel,
                                               const int64_t (&grid)[3]) {
  LaunchShape plain = {{uint32_t(grid[0]) * kernel.numCTAs, uint32_t(grid[1]), uint32_t(grid[2])},
                       {kernel.threads, 1, 1},
                       kernel.dynamicSharedBytes};
  if (__builtin_expect(kernel.mostBlocks != 0, 0))
    return persistentShape(kernel.mostBlocks, plain);
  uint64_t programs = uint64_t(grid[0]) * uint64_t(grid[1]) * uint64_t(grid[2]);
  return __builtin_expect(programs < kernel.leastPacked, 1) ? plain
                                                            : packPrograms(kernel.packing, plain);
}

inline tilec::ExtendedLaunch::ExtendedLaunch(const tilec_kernel &kernel, const LaunchShape &shape,
                                             cu::Stream stream, bool dependent)
    : attributes{}, config{{shape.grid[0], shape.grid[1], shape.grid[2]},
                           {shape.block[0], shape.block[1], shape.block[2]},
                           shape.dynamicSharedBytes,
                           stream,
                           attributes,
                           0} {
  if (kernel.numCTAs > 1)
    attributes[config.numAttributes++] = {cu::LaunchClusterDimension, 0, {{kernel.numCTAs, 1, 1}}};
  if (dependent) {
    cu::LaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = cu::LaunchProgrammaticStreamSerialization;
    attribute.value.programmaticSerialization = 1;
  }
}

// As unsigned, a negative dimension is over every limit.
inline bool tilec::isGridPossible(const tilec_kernel &kernel, const int64_t (&grid)[3]) {
  return uint64_t(grid[0]) <= kernel.maxGrid[0] && uint64_t(grid[1]) <= kernel.maxGrid[1] &&
         uint64_t(grid[2]) <= kernel.maxGrid[2];
}

#endif // TILEC_LIB_RUNTIME_KERNEL_H
