//===- ProfileNames.cpp - What profiles call launches -----------*- C++ -*-===//
//
// Names of variants for kernels that are compiled in this process, in the spelling of those in
// objects (lib/Runtime/Watch.cpp): constants as in the source, types as in signatures.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/ProfileNames.h"

using namespace tilec;

static void append(std::string &text, llvm::StringRef name, const std::string &value) {
  text += (text.empty() ? "" : ", ") + name.str() + "=" + value;
}

std::string tilec::profileConstants(const KernelInfo &info) {
  std::string text;
  for (const KernelInfo::Constexpr &constant : info.constexprs)
    append(text, constant.name, constant.value);
  return text;
}

/// The runtime does not know whether a kernel may write what a pointer points to.
static std::string typeOf(const DType &type) {
  return type.isPointer() ? "*" + typeOf(type.pointee()) : type.signatureStr();
}

/// ":16" and the like.
static std::string promiseOf(const KernelParam &param) {
  if (param.equalsOne)
    return ":1";
  return param.divisibility > 1 ? ":" + std::to_string(param.divisibility) : "";
}

std::string tilec::profileSignature(const KernelInfo &info) {
  std::string text;
  for (const KernelParam &param : info.params)
    append(text, param.name, typeOf(param.type) + promiseOf(param));
  return text;
}

ProfileNames::ProfileNames(const KernelInfo &info, const KernelRequest &request)
    : kernel(info.symbol), constants(profileConstants(info)), signature(profileSignature(info)) {
  const std::pair<llvm::StringRef, unsigned> numbers[] = {{"num_warps", request.numWarps},
                                                          {"num_stages", request.numStages},
                                                          {"num_ctas", request.numCTAs}};
  for (auto [name, number] : numbers)
    if (number != 0)
      append(constants, name, std::to_string(number));
}

tilec_profile_facts ProfileNames::facts(uint64_t bytes, uint64_t operations) const {
  return {sizeof(tilec_profile_facts), 0, constants.c_str(), signature.c_str(), bytes, operations};
}
