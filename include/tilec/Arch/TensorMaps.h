//===- TensorMaps.h - Who makes tensor maps ---------------------*- C++ -*-===//

#ifndef TILEC_ARCH_TENSORMAPS_H
#define TILEC_ARCH_TENSORMAPS_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec {

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
