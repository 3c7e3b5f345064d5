//===- Tuning.h - Which configuration a launch takes ------------*- C++ -*-===//

#ifndef TILEC_LIB_JIT_LIBRARY_TUNING_H
#define TILEC_LIB_JIT_LIBRARY_TUNING_H

#include "Launch.h"

namespace tilec::library {

/// The choice for one launch.
struct Choice {
  const TuneConfig *config = nullptr; // Null without @triton.autotune.
  /// The choice stays; otherwise a later launch may measure and choose anew.
  bool isFinal = true;
};

/// Chooses among the configurations of `kernel`: the fastest that is known, after measuring those
/// that are not if `mayMeasure`. `options` are those of the launch, which is measured with its
/// arguments.
Failure chooseConfig(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                     void *const *arguments, bool mayMeasure, Choice &choice);

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_TUNING_H
