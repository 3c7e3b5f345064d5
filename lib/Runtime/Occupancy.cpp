//===- Occupancy.cpp - How much of a kernel a device holds at once -------*- C++ -*-===//
//
// What the driver knows about a kernel's residency, and whether the clusters that it wants are
// possible at all. Clusters are asked about here, when the kernel is prepared, since a launch that
// cannot work says no more than "invalid argument".
//
//===-------------------------------------------------------------------------------===//

#include "Kernel.h"

namespace tilec {

/// Asks for the clusters of this kernel that the device holds at once. The context must be current.
static cu::Result countClusters(const tilec_kernel &kernel, int &clusters) {
  ExtendedLaunch cluster(
      kernel, {{kernel.numCTAs, 1, 1}, {kernel.threads, 1, 1}, kernel.dynamicSharedBytes}, nullptr);
  return kernel.driver->cuOccupancyMaxActiveClusters(&clusters, kernel.function, &cluster.config);
}

/// Compares the record with the cluster that the image itself declares, if it does.
static tilec_status checkDeclaredCluster(const tilec_kernel &kernel,
                                         const tilec_launch_record &record) {
  int width = 0;
  cu::Result result =
      kernel.driver->cuFuncGetAttribute(&width, cu::FunctionRequiredClusterWidth, kernel.function);
  // Drivers older than clusters do not know the attribute; 0 means that the launch decides.
  if (result != cu::Success || width == 0 || uint32_t(width) == record.num_ctas)
    return nullptr;
  return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, record.symbol,
                         "the launch record has %u CTAs of a program, the image has %d",
                         record.num_ctas, width);
}

tilec_status prepareCluster(const tilec_kernel &kernel, const tilec_launch_record &record) {
  if (tilec_status status = checkDeclaredCluster(kernel, record))
    return status;
  if (record.num_ctas == 1)
    return nullptr;
  const tilec_device &device = *kernel.module->device;
  const Driver &driver = *kernel.driver;
  if (!driver.cuLaunchKernelEx || !driver.cuOccupancyMaxActiveClusters)
    return makeKernelError(TILEC_ERROR_DRIVER_TOO_OLD, record.symbol,
                           "a program is a cluster of %u CTAs, which the driver cannot launch: it "
                           "must support CUDA 11.8 or later",
                           record.num_ctas);
  if (!device.info.cluster_launch)
    return makeKernelError(TILEC_ERROR_WRONG_ARCHITECTURE, record.symbol,
                           "a program is a cluster of %u CTAs, but device %d (%s), which is "
                           "sm_%d%d, has no clusters; sm_90 and later have",
                           record.num_ctas, device.info.ordinal, device.name,
                           device.info.capability_major, device.info.capability_minor);
  constexpr uint32_t portableCTAs = 8;
  cu::Result result = cu::Success;
  if (record.num_ctas > portableCTAs)
    result =
        driver.cuFuncSetAttribute(kernel.function, cu::FunctionNonPortableClusterSizeAllowed, 1);
  int clusters = 0;
  if (result == cu::Success)
    result = countClusters(kernel, clusters);
  if (result)
    return makeDriverError({&driver, result, TILEC_OK, record.symbol},
                           "device %d (%s) cannot run a cluster of %u CTAs", device.info.ordinal,
                           device.name, record.num_ctas);
  if (clusters > 0)
    return nullptr;
  return makeKernelError(TILEC_ERROR_OUT_OF_RESOURCES, record.symbol,
                         "no cluster of %u CTAs fits on device %d (%s) with %u threads a block, %u "
                         "registers a thread, and %u bytes of shared memory a block",
                         record.num_ctas, device.info.ordinal, device.name, record.threads,
                         kernel.info.registers,
                         kernel.info.static_shared_bytes + kernel.info.dynamic_shared_bytes);
}

static cu::Result countBlocks(const tilec_kernel &kernel, int &blocks) {
  return kernel.driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel.function, int(kernel.threads), kernel.dynamicSharedBytes);
}

static tilec_status makeOccupancyError(const tilec_kernel &kernel, cu::Result result) {
  return makeDriverError({kernel.driver, result, TILEC_OK, kernel.info.name},
                         "cannot ask how many blocks fit on a multiprocessor");
}

/// Fills everything but `struct_size`.
static tilec_status fillOccupancy(const tilec_kernel &kernel, tilec_occupancy &occupancy) {
  const tilec_device_info &device = kernel.module->device->info;
  const tilec_kernel_info &info = kernel.info;
  int blocks = 0, clusters = 0;
  ContextScope scope(*kernel.module->device);
  cu::Result result = scope.result();
  if (result == cu::Success)
    result = countBlocks(kernel, blocks);
  if (result == cu::Success && kernel.numCTAs > 1)
    result = countClusters(kernel, clusters);
  if (result)
    return makeOccupancyError(kernel, result);
  uint32_t warpSize = uint32_t(device.warp_size);
  occupancy.threads = info.threads;
  occupancy.num_ctas = info.num_ctas;
  occupancy.registers = info.registers;
  occupancy.local_bytes = info.local_bytes;
  occupancy.static_shared_bytes = info.static_shared_bytes;
  occupancy.dynamic_shared_bytes = info.dynamic_shared_bytes;
  occupancy.multiprocessors = uint32_t(device.multiprocessors);
  occupancy.blocks_per_multiprocessor = uint32_t(blocks);
  occupancy.warps_per_multiprocessor =
      uint32_t(blocks) * ((info.threads + warpSize - 1) / warpSize);
  occupancy.max_warps_per_multiprocessor =
      uint32_t(device.max_threads_per_multiprocessor) / warpSize;
  occupancy.resident_programs =
      kernel.numCTAs > 1 ? uint32_t(clusters) : uint32_t(blocks) * uint32_t(device.multiprocessors);
  return nullptr;
}

tilec_status checkOccupancySize(const char *function, const tilec_occupancy &occupancy) {
  if (occupancy.struct_size == sizeof(tilec_occupancy))
    return nullptr;
  return makeError(TILEC_ERROR_INVALID_ARGUMENT, "%s: 'struct_size' is %u, expected %zu", function,
                   occupancy.struct_size, sizeof(tilec_occupancy));
}

tilec_status findResidentOccupancy(const tilec_kernel &kernel, tilec_occupancy &occupancy) {
  tilec_occupancy found{};
  found.struct_size = sizeof(found);
  if (tilec_status status = fillOccupancy(kernel, found))
    return status;
  if (found.resident_programs == 0)
    return makeKernelError(TILEC_ERROR_OUT_OF_RESOURCES, kernel.info.name,
                           "not even one program fits on device %d (%s)",
                           kernel.module->device->info.ordinal, kernel.module->device->name);
  occupancy = found;
  return nullptr;
}

} // namespace tilec

tilec_status tilec_kernel_max_active_blocks(tilec_kernel *kernel, int32_t *blocks) {
  if (!kernel || !blocks)
    return tilec::makeNullError("tilec_kernel_max_active_blocks", kernel ? "blocks" : "kernel");
  int count = 0;
  tilec::cu::Result result = tilec::inContext(*kernel->module->device, [&](const tilec::Driver &) {
    return tilec::countBlocks(*kernel, count);
  });
  if (result)
    return tilec::makeOccupancyError(*kernel, result);
  *blocks = count;
  return nullptr;
}

tilec_status tilec_kernel_get_occupancy(tilec_kernel *kernel, tilec_occupancy *occupancy) {
  if (!kernel || !occupancy)
    return tilec::makeNullError("tilec_kernel_get_occupancy", kernel ? "occupancy" : "kernel");
  if (tilec_status status = tilec::checkOccupancySize("tilec_kernel_get_occupancy", *occupancy))
    return status;
  tilec_occupancy found{};
  found.struct_size = sizeof(found);
  if (tilec_status status = tilec::fillOccupancy(*kernel, found))
    return status;
  *occupancy = found;
  return nullptr;
}

tilec_status tilec_kernel_resident_programs(tilec_kernel *kernel, int32_t *programs) {
  if (!kernel || !programs)
    return tilec::makeNullError("tilec_kernel_resident_programs", kernel ? "programs" : "kernel");
  tilec_occupancy occupancy{};
  if (tilec_status status = tilec::findResidentOccupancy(*kernel, occupancy))
    return status;
  *programs = int32_t(occupancy.resident_programs);
  return nullptr;
}
