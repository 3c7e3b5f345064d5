//===- WarpRoles.cpp - Who wants warps that only copy -----------*- C++ -*-===//

#include "tilec/Arch/WarpRoles.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilec;
using llvm::StringRef;

std::optional<WarpRoles> tilec::warpRolesByName(StringRef name) {
  return llvm::StringSwitch<std::optional<WarpRoles>>(name)
      .Case("never", WarpRoles::Never)
      .Case("asked", WarpRoles::Asked)
      .Case("auto", WarpRoles::Auto)
      .Case("always", WarpRoles::Always)
      .Default(std::nullopt);
}

StringRef tilec::warpRolesName(WarpRoles roles) {
  switch (roles) {
  case WarpRoles::Never:
    return "never";
  case WarpRoles::Asked:
    return "asked";
  case WarpRoles::Auto:
    return "auto";
  case WarpRoles::Always:
    return "always";
  }
  llvm_unreachable("all have names");
}
