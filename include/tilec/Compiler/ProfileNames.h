//===- ProfileNames.h - What profiles call launches -------------*- C++ -*-===//

#ifndef TILEC_COMPILER_PROFILENAMES_H
#define TILEC_COMPILER_PROFILENAMES_H

#include "tilec/Language/Specializer.h"
#include "tilec/profile.h"

namespace tilec {

/// The constants of a kernel as profiles write them: "BLOCK=64, MODE='fast'".
std::string profileConstants(const KernelInfo &info);
/// The types of its parameters with what is promised of them, as the runtime knows these:
/// "x=*fp32:16, n=i32".
std::string profileSignature(const KernelInfo &info);

/// What a profile is told of a variant of a kernel (tilec/profile.h).
struct ProfileNames {
  std::string kernel;
  /// The constants, and of warps, stages and CTAs what was asked for: "BLOCK=64, num_warps=4".
  std::string constants;
  std::string signature;

  ProfileNames() = default;
  ProfileNames(const KernelInfo &info, const KernelRequest &request);

  /// The same for the C interface; valid as long as this object.
  tilec_profile_facts facts(uint64_t bytes, uint64_t operations) const;
};

} // namespace tilec

#endif // TILEC_COMPILER_PROFILENAMES_H
