//===- TensorMaps.h - What tensor maps can say, and who makes them -*- C++ -*-===//

#ifndef TILEC_ARCH_TENSORMAPS_H
#define TILEC_ARCH_TENSORMAPS_H

#include "tilec/runtime_c.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec {

/// The most axes of a tensor that has a map, or a descriptor. The runtime's header has the number,
/// since that is what programs see.
inline constexpr size_t kMostTensorAxes = TILEC_MAX_TENSOR_AXES;

/// Who makes the tensor maps by which hardware copies blocks.
enum class TensorMaps {
  Kernel,  ///< The kernel itself, so its parameters are those of the source.
  Launcher ///< Whoever launches it, for further parameters, wherever arguments alone say them.
};

/// The names "kernel" and "launcher"; nothing for another one.
std::optional<TensorMaps> tensorMapsByName(llvm::StringRef name);
/// The name of one of them.
llvm::StringRef tensorMapsName(TensorMaps maps);

} // namespace tilec

#endif // TILEC_ARCH_TENSORMAPS_H
