//===- TensorMaps.h - Tensor maps that launches make ----------------------*- C++ -*-===//
//
// A record's maps are checked once, so that their expressions can be evaluated without looking; a
// launch evaluates them and has the driver encode the maps on its stack.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_TENSORMAPS_H
#define TILEC_LIB_RUNTIME_TENSORMAPS_H

#include "Kernel.h"

namespace tilec {

/// Maps of a kernel at most: what 4 KB of parameters hold.
inline constexpr uint32_t maxMaps = 32;
inline constexpr uint32_t mapBytes = 128;

/// Checks that launches can evaluate the record's maps.
tilec_status checkMaps(const tilec_launch_record &record);

/// Makes the maps of `kernel` from a launch's arguments. The driver has the function.
tilec_status makeMaps(const tilec_kernel &kernel, void *const *args, cu::TensorMap *maps);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_TENSORMAPS_H
