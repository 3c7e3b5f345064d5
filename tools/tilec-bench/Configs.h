//===- Configs.h - how a case's kernel is compiled -------------*- C++ -*-===//

#ifndef TILEC_TOOLS_TILEC_BENCH_CONFIGS_H
#define TILEC_TOOLS_TILEC_BENCH_CONFIGS_H

#include "Suites.h"

namespace tilec::bench {

/// What tuners try: the sizes of blocks, and numbers of a launch.
struct Config {
  /// Parameters of the kernel that are tl.constexpr.
  std::vector<std::pair<llvm::StringRef, int64_t>> blocks;
  /// 0: whoever compiles the kernel decides.
  unsigned warps = 0, stages = 0;

  /// "128x256x64 w8 s3": blocks, warps and stages; "" where there was nothing to choose.
  std::string text() const;
  bool operator==(const Config &other) const {
    return blocks == other.blocks && warps == other.warps && stages == other.stages;
  }
};

/// The configurations that are tried for a case, the same for tilec and for Triton; the best of
/// each counts. Each has `warps`, unless that is 0.
std::vector<Config> configsOf(const Case &what, unsigned warps);

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_CONFIGS_H
