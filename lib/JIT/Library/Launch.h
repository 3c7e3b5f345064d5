//===- Launch.h - From a launch's arguments to a variant --------*- C++ -*-===//
//
// What a launch does beyond the short way of LaunchApi.cpp: values of arguments by name, the
// decisions of configurations and heuristics, the request for code, and running a variant.
// Launches, freezing and tuning use these steps.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_LAUNCH_H
#define TILEC_LIB_JIT_LIBRARY_LAUNCH_H

#include "Objects.h"
#include "tilec/JIT/Machine.h"

namespace tilec::library {

/// The arguments of one launch by name. A launch's constants are found too.
class ArgumentValues {
public:
  ArgumentValues(const tilec_jit_kernel &kernel, void *const *arguments)
      : kernel(kernel), arguments(arguments) {}
  /// The value of a parameter that is known; null for another. Valid as long as this object.
  const ConstValue *find(llvm::StringRef name);

private:
  ConstValue valueOf(const Parameter &parameter) const;

  const tilec_jit_kernel &kernel;
  void *const *arguments;
  llvm::StringMap<ConstValue> known;
};

/// A failure if arguments break the rules for tensor descriptors, on which code relies.
Failure checkDescriptors(const tilec_jit_kernel &kernel, void *const *arguments);

/// What `config` (null without @triton.autotune) and the heuristics set for these arguments.
Failure decide(tilec_jit_kernel &kernel, const TuneConfig *config, void *const *arguments,
               TuneConfig &decision);

/// What to compile for arguments of these classes.
CodeRequest makeRequest(const tilec_jit_kernel &kernel, const ClassKey &classes,
                        const TuneConfig &decision);

/// A failure, TILEC_ERROR_NO_CONFIG, if code with these constants must not run with these
/// arguments: a condition of the kernel does not hold, or a size is beyond what the code covers.
Failure checkSuits(const tilec_jit_kernel &kernel, const KernelCode &code,
                   llvm::ArrayRef<NamedConst> constants, void *const *arguments);
/// The same for a variant that is ready, in nanoseconds where no condition was stated.
Failure checkSuits(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                   void *const *arguments);
/// Whether it is success, without a message.
bool suits(const tilec_jit_kernel &kernel, const ReadyVariant &variant, void *const *arguments);

/// Compiles, or finds, and loads the variant for these arguments.
Failure makeReady(tilec_jit_kernel &kernel, const TuneConfig &decision, void *const *arguments,
                  std::unique_ptr<ReadyVariant> &result);

/// The programs of a launch: those of `options`, or the kernel's grid expression.
Failure findGrid(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                 const tilec_jit_launch_options *options, void *const *arguments, LaunchGrid &grid);

/// Runs a variant.
Failure runVariant(const tilec_jit_kernel &kernel, const ReadyVariant &variant,
                   const LaunchGrid &grid, void *stream, void *const *arguments);
/// The same on a GPU, with the runtime's own error.
Status runOnDevice(const ReadyVariant &variant, const LaunchGrid &grid, void *stream,
                   void *const *arguments);

/// What the calling thread has said of its next launch, for profiles.
struct LaunchAmounts {
  uint64_t bytes = 0, operations = 0;
};
/// Returns and forgets it.
LaunchAmounts takeAmounts();

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_LAUNCH_H
