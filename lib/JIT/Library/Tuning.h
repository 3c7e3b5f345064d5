//===- Tuning.h - Which configuration a launch takes ------------*- C++ -*-===//
//
// Chooses among the configurations of @triton.autotune for the arguments of a launch: by what was
// measured for such arguments before, else by measuring them now.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_TUNING_H
#define TILEC_LIB_JIT_LIBRARY_TUNING_H

#include "Launch.h"

namespace tilec::library {

/// The choice for one launch.
struct Choice {
  const TuneConfig *config = nullptr; // Null without @triton.autotune.
  /// The choice stays; otherwise a later launch may measure and choose once more.
  bool isFinal = true;
  /// What must not run with these arguments, and why the first of them must not.
  llvm::SmallVector<const TuneConfig *> refused;
  Failure refusal;
  /// Their variants, as far as they were loaded.
  std::vector<std::shared_ptr<const ReadyVariant>> variants;

  void refuse(const TuneConfig *which, const Failure &why);
  bool isRefused(const TuneConfig &which) const { return llvm::is_contained(refused, &which); }
};

/// Chooses among the configurations of `kernel` that suit the arguments: the fastest that is known,
/// after measuring those that are not if `mayMeasure`, else the first. `options` are those of the
/// launch, which is measured with its arguments. `make` gets what the choice and the heuristics
/// set; its TILEC_ERROR_NO_CONFIG means that it does not suit.
Failure chooseConfig(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                     void *const *arguments, bool mayMeasure, Choice &choice,
                     llvm::function_ref<Failure(const TuneConfig &)> make);

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_TUNING_H
