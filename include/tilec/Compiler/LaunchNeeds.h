//===- LaunchNeeds.h - What launching a kernel's code takes -----*- C++ -*-===//
//
// The part of a kernel's record that launches need beside the parameters, and the one way from it
// to what the runtime knows. KernelRecord and the images of objects have it; KernelRecord.h writes
// and reads it as JSON, and objects have it in their tables.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_LAUNCHNEEDS_H
#define TILEC_COMPILER_LAUNCHNEEDS_H

#include "tilec/Compiler/TensorMapParam.h"
#include "tilec/Language/KernelParam.h"

namespace tilec {

struct KernelInfo;

/// What a launch on a GPU needs to know of code beside the kernel's own parameters. There is no
/// memory among it: what kernels must keep lies in their module.
struct LaunchNeeds {
  /// Threads of a CTA.
  unsigned threads = 0;
  /// Bytes of shared memory that the launch must ask for.
  unsigned dynamicSharedBytes = 0;
  /// CTAs of a program; above 1 they are a cluster, and the grid still counts programs.
  unsigned numCTAs = 1;
  /// How launches give several programs to a CTA; zeros if they do not.
  tilec_packing packing = {};
  /// Parameters behind the kernel's own, which launches make.
  std::vector<TensorMapParam> maps;

  /// Whether a CTA goes on to the next program; then launches pass the grid, too.
  bool isPersistent() const { return packing.programs != 0 && packing.threads == 0; }

  bool operator==(const LaunchNeeds &other) const;
};

/// A parameter as the runtime knows it, with the name of `param`, which must outlive it.
tilec_param toRuntime(const KernelParam &param);

/// A kernel as the runtime knows it. It refers to the names in `kernel`, which must outlive it, and
/// to what lies here, so it stays where it is.
class RuntimeRecord {
public:
  RuntimeRecord(const KernelInfo &kernel, const LaunchNeeds &needs);
  RuntimeRecord(const RuntimeRecord &) = delete;
  RuntimeRecord &operator=(const RuntimeRecord &) = delete;
  const tilec_launch_record &get() const { return record; }

private:
  std::vector<tilec_param> params;
  RuntimeMaps maps;
  tilec_launch_record record;
};

} // namespace tilec

#endif // TILEC_COMPILER_LAUNCHNEEDS_H
