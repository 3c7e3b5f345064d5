//===- Launch.cpp - Launches kernels -------------------------------------*- C++ -*-===//
//
// The one path that has to be fast: checks on numbers that were prepared with the kernel, then one
// call of the driver. Everything that makes text is out of line and runs only on failure.
//
//===-------------------------------------------------------------------------------===//

#include "TensorMaps.h"
#include "Watch.h"

#include <cstdio>

#define TILEC_COLD __attribute__((noinline, cold))

namespace tilec {

/// "pointer to " or "", which goes before the type's name.
static const char *pointerPrefix(uint32_t type) {
  return type >= TILEC_TYPE_POINTER ? "pointer to " : "";
}

/// Whether an argument of `type` may be passed for `param`.
static inline bool accepts(const KernelParam &param, uint32_t type) {
  return type < 64 && (param.accepted >> type & 1);
}

TILEC_COLD static tilec_status makeArgumentError(const tilec_kernel &kernel, const uint8_t *types,
                                                 uint32_t count) {
  if (count != kernel.numParams)
    return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, kernel.info.name,
                           "expected %u arguments, found %u", kernel.numParams, count);
  uint32_t i = 0;
  while (i + 1 < count && accepts(kernel.params[i], types[i]))
    ++i;
  const KernelParam &param = kernel.params[i];
  if (param.type == TILEC_TYPE_INVALID)
    return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, kernel.info.name,
                           "argument %u: expected %u bytes, found %s%s with %u bytes", i + 1,
                           param.bytes, pointerPrefix(types[i]), typeName(types[i]),
                           typeBytes(types[i]));
  return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, kernel.info.name,
                         "argument %u ('%s'): expected %s%s, found %s%s", i + 1, param.name,
                         pointerPrefix(param.type), typeName(param.type), pointerPrefix(types[i]),
                         typeName(types[i]));
}

TILEC_COLD tilec_status makeGridError(const tilec_kernel &kernel, const int64_t (&grid)[3]) {
  const tilec_device &device = *kernel.module->device;
  int axis = 0;
  while (axis < 2 && grid[axis] >= 0 && grid[axis] <= int64_t(kernel.maxGrid[axis]))
    ++axis;
  char cluster[48] = "";
  if (axis == 0 && kernel.numCTAs > 1)
    snprintf(cluster, sizeof(cluster), " for programs of %u CTAs", kernel.numCTAs);
  return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel.info.name,
                         "the grid %lld x %lld x %lld is not possible: %c must be from 0 to %u%s "
                         "on device %d (%s)",
                         static_cast<long long>(grid[0]), static_cast<long long>(grid[1]),
                         static_cast<long long>(grid[2]), "xyz"[axis], kernel.maxGrid[axis],
                         cluster, device.info.ordinal, device.name);
}

TILEC_COLD static tilec_status makeLaunchError(const tilec_kernel &kernel, cu::Result result) {
  const tilec_device &device = *kernel.module->device;
  const tilec_kernel_info &info = kernel.info;
  char cluster[48] = "";
  if (kernel.numCTAs > 1)
    snprintf(cluster, sizeof(cluster), "%u blocks a cluster, ", kernel.numCTAs);
  return makeDriverError(
      {kernel.driver, result, TILEC_OK, info.name},
      "the launch failed on device %d (%s) with %s%u threads a block, %u registers "
      "a thread, and %u bytes of shared memory",
      device.info.ordinal, device.name, cluster, info.threads, info.registers,
      info.static_shared_bytes + info.dynamic_shared_bytes);
}

/// Out of line, so that plain launches do not carry its frame.
__attribute__((noinline)) static cu::Result launchExtended(const tilec_kernel &kernel,
                                                           cu::Stream stream,
                                                           const LaunchShape &shape, void **values,
                                                           bool dependent) {
  ExtendedLaunch launch(kernel, shape, stream, dependent);
  return kernel.driver->cuLaunchKernelEx(&launch.config, kernel.function, values, nullptr);
}

static inline tilec_status launchValues(const tilec_kernel &kernel, cu::Stream stream,
                                        const int64_t (&grid)[3], void **values, bool dependent) {
  cu::Result result;
  LaunchShape shape = shapeOfLaunch(kernel, grid);
  if (__builtin_expect(kernel.numCTAs > 1 || dependent, 0))
    result = launchExtended(kernel, stream, shape, values, dependent);
  else
    result = kernel.driver->cuLaunchKernel(
        kernel.function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
        shape.block[1], shape.block[2], shape.dynamicSharedBytes, stream, values, nullptr);
  return __builtin_expect(result == cu::Success, 1) ? nullptr : makeLaunchError(kernel, result);
}

/// Adds the grid and the tensor maps to the values. Out of line, so that other launches do not
/// carry its frame.
__attribute__((noinline)) static tilec_status launchWithMore(const tilec_kernel &kernel,
                                                             cu::Stream stream,
                                                             const int64_t (&grid)[3],
                                                             void **values, bool dependent) {
  if (kernel.mostBlocks != 0 && !canCountPrograms(kernel.mostBlocks, grid[0], grid[1], grid[2]))
    return makeCountError(kernel.info.name, grid[0], grid[1], grid[2]);
  cu::TensorMap maps[maxMaps];
  if (tilec_status status = makeMaps(kernel, values, maps))
    return status;
  uint32_t sizes[3] = {uint32_t(grid[0]), uint32_t(grid[1]), uint32_t(grid[2])};
  uint32_t numSizes = numGridParams(kernel.packing);
  uint32_t count = kernel.numParams + numSizes + kernel.numMaps;
  auto **all = static_cast<void **>(__builtin_alloca(count * sizeof(void *)));
  void **next = all;
  for (uint32_t i = 0; i < kernel.numParams; ++i)
    *next++ = values[i];
  for (uint32_t i = 0; i < numSizes; ++i)
    *next++ = &sizes[i];
  for (uint32_t i = 0; i < kernel.numMaps; ++i)
    *next++ = &maps[i];
  return launchValues(kernel, stream, grid, all, dependent);
}

tilec_status launchUnwatched(const tilec_kernel &kernel, cu::Stream stream,
                             const int64_t (&grid)[3], void **values, bool dependent) {
  return __builtin_expect((kernel.numMaps | kernel.mostBlocks) != 0, 0)
             ? launchWithMore(kernel, stream, grid, values, dependent)
             : launchValues(kernel, stream, grid, values, dependent);
}

tilec_status launchGrid(const tilec_kernel &kernel, cu::Stream stream, const int64_t (&grid)[3],
                        void **values, bool dependent) {
  return isWatched() ? launchWatched(kernel, stream, grid, values, dependent)
                     : launchUnwatched(kernel, stream, grid, values, dependent);
}

} // namespace tilec

tilec_status tilec_launch(tilec_kernel *kernel, void *stream, int64_t x, int64_t y, int64_t z,
                          void *const *args, const uint8_t *types, uint32_t num_args) {
  using namespace tilec;
  LaunchScope watched;
  if (!kernel || (num_args != 0 && (!args || !types)))
    return makeNullError("tilec_launch", !kernel ? "kernel" : !args ? "args" : "types");
  if (kernel->numParams != UINT32_MAX) {
    if (num_args != kernel->numParams)
      return makeArgumentError(*kernel, types, num_args);
    for (uint32_t i = 0; i < num_args; ++i)
      if (!accepts(kernel->params[i], types[i]))
        return makeArgumentError(*kernel, types, num_args);
  }
  const int64_t grid[3] = {x, y, z};
  if (!isGridPossible(*kernel, grid))
    return makeGridError(*kernel, grid);
  if (x == 0 || y == 0 || z == 0)
    return nullptr;

  ContextScope scope(*kernel->driver, kernel->context);
  if (__builtin_expect(scope.result() != cu::Success, 0))
    return makeLaunchError(*kernel, scope.result());
  return launchGrid(*kernel, static_cast<cu::Stream>(stream), grid, const_cast<void **>(args),
                    /*dependent=*/false);
}
