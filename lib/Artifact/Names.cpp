//===- Names.cpp - Names in C of a kernel's functions ----------*- C++ -*-===//
//
// What a signature's functions are called depends on no other signature but the first, so programs
// in C stay as they are when one is added behind it.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "llvm/ADT/StringSet.h"

using namespace tilec;
using namespace tilec::artifact;

void artifact::nameOverloads(llvm::MutableArrayRef<ArtifactKernel> overloads,
                             llvm::ArrayRef<std::string> given) {
  bool isFirst = true;
  for (auto [index, kernel] : llvm::enumerate(overloads)) {
    kernel.cName = index < given.size() && !given[index].empty() ? given[index] : kernel.name;
    if (index < given.size() && !given[index].empty())
      continue;
    for (const ArtifactParam &param : kernel.params) {
      std::string type = param.type.signatureStr();
      std::replace(type.begin(), type.end(), '*', 'p');
      if (!isFirst)
        kernel.cName += "_" + type;
    }
    isFirst = false;
  }
}

/// The names in C that the header has for kernels of one name.
static std::vector<std::string> namesInC(const Artifact &artifact,
                                         llvm::ArrayRef<ArtifactKernel> overloads) {
  std::vector<std::string> names = {artifact.prefix() + overloads.front().name + "_constexprs"};
  for (const ArtifactKernel &kernel : overloads) {
    std::string function = artifact.functionName(kernel);
    names.push_back(function);
    names.push_back(function + "_occupancy");
    names.push_back(artifact.tableName(kernel));
  }
  return names;
}

bool artifact::checkNames(const Artifact &artifact, llvm::ArrayRef<ArtifactKernel> overloads,
                          DiagnosticEngine &diagnostics) {
  llvm::StringSet<> taken = {artifact.prefix() + "prepare_all", artifact.prefix() + "unload_all"};
  for (const ArtifactKernel &kernel : artifact.kernels)
    for (const std::string &name : namesInC(artifact, kernel))
      taken.insert(name);
  for (const std::string &name : namesInC(artifact, overloads)) {
    if (taken.insert(name).second)
      continue;
    diagnostics.error(llvm::SMRange(), "kernel '" + overloads.front().name +
                                           "' needs the C name '" + name +
                                           "', which is taken already in the generated header; "
                                           "--sig=KERNEL@NAME:... names the functions of a "
                                           "signature");
    return false;
  }
  return true;
}
