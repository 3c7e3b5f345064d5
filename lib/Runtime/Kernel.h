//===- Kernel.h - Kernels ready to launch --------------------------------*- C++ -*-===//
//
// The kernel object: all that a launch needs, computed beforehand.
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

/// How a cluster kernel is launched. Refers to itself, so it stays where it is made.
struct ClusterConfig {
  ClusterConfig(const tilec_kernel &kernel, unsigned x, unsigned y, unsigned z, cu::Stream stream);
  ClusterConfig(const ClusterConfig &) = delete;
  ClusterConfig &operator=(const ClusterConfig &) = delete;

  cu::LaunchAttribute cluster;
  cu::LaunchConfig config;
};

/// Checks that clusters of this kernel can run on its device, and allows large ones. The context
/// must be current; nothing to do for a kernel without clusters.
tilec_status prepareCluster(const tilec_kernel &kernel, const tilec_launch_record &record);

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
  // Read when something fails or ends.
  std::atomic<uint32_t> references;
  tilec_module *module;
  tilec_kernel_info info;
  void *storage; ///< the block that `params` and every name lie in
};

inline tilec::ClusterConfig::ClusterConfig(const tilec_kernel &kernel, unsigned x, unsigned y,
                                           unsigned z, cu::Stream stream)
    : cluster{cu::LaunchClusterDimension, 0, {{kernel.numCTAs, 1, 1}}},
      config{{x * kernel.numCTAs, y, z},
             {kernel.threads, 1, 1},
             kernel.dynamicSharedBytes,
             stream,
             &cluster,
             1} {}

#endif // TILEC_LIB_RUNTIME_KERNEL_H
