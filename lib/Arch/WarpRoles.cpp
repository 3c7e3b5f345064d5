//===- WarpRoles.cpp - Who wants warps that only copy -----------*- C++ -*-===//

#include "tilec/Arch/WarpRoles.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::StringRef;

std::optional<WarpRoles> tilec::warpRolesByName(StringRef name) {
  return llvm::StringSwitch<std::optional<WarpRoles>>(name)
      .Case("never", WarpRoles::Never)
      .Case("asked", WarpRoles::Asked)
      .Case("always", WarpRoles::Always)
      .Default(std::nullopt);
}
