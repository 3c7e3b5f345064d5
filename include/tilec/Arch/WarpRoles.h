//===- WarpRoles.h - Who wants warps that only copy -------------*- C++ -*-===//

#ifndef TILEC_ARCH_WARPROLES_H
#define TILEC_ARCH_WARPROLES_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec {

/// Whether a kernel gets warps that only copy.
enum class WarpRoles {
  Never,
  Asked, ///< Where a loop says warp_specialize=True.
  Auto,  ///< There, and where they are expected to make the kernel faster.
  Always ///< Wherever they can be.
};

/// The names "never", "asked", "auto" and "always"; nothing for another one.
std::optional<WarpRoles> warpRolesByName(llvm::StringRef name);
/// The name of one of them.
llvm::StringRef warpRolesName(WarpRoles roles);

} // namespace tilec

#endif // TILEC_ARCH_WARPROLES_H
