//===- TensorMaps.cpp - Who makes tensor maps -------------------*- C++ -*-===//

#include "tilec/Arch/TensorMaps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tilec;
using llvm::StringRef;

std::optional<TensorMaps> tilec::tensorMapsByName(StringRef name) {
  return llvm::StringSwitch<std::optional<TensorMaps>>(name)
      .Case("kernel", TensorMaps::Kernel)
      .Case("launcher", TensorMaps::Launcher)
      .Default(std::nullopt);
}

StringRef tilec::tensorMapsName(TensorMaps maps) {
  switch (maps) {
  case TensorMaps::Kernel:
    return "kernel";
  case TensorMaps::Launcher:
    return "launcher";
  }
  llvm_unreachable("all have names");
}
