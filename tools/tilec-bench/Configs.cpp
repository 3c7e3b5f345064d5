//===- Configs.cpp - how a case's kernel is compiled -----------*- C++ -*-===//
//
// A few configurations for each form of a product, as people let their tuners try: large blocks for
// large matrices, small ones where large ones would leave multiprocessors idle, and few rows with a
// deep block, as reading the other factor takes the time there.
//
//===----------------------------------------------------------------------===//

#include "Configs.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using namespace tilec::bench;

std::string Config::text() const {
  if (stages == 0)
    return "";
  std::string text;
  for (const auto &[name, number] : blocks)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return text + " w" + std::to_string(warps) + " s" + std::to_string(stages);
}

static Config product(int64_t m, int64_t n, int64_t k, unsigned warps, unsigned stages) {
  return {{{"BLOCK_M", m}, {"BLOCK_N", n}, {"BLOCK_K", k}}, warps, stages};
}

static Config attention(int64_t queries, int64_t keys, unsigned warps, unsigned stages) {
  return {{{"BLOCK_M", queries}, {"BLOCK_N", keys}}, warps, stages};
}

/// Blocks of few rows for few rows, 256 bytes deep, or twice that.
static std::vector<Config> fewRows(int64_t depth) {
  return {product(16, 32, depth, 4, 4), product(16, 64, depth, 4, 4), product(16, 128, depth, 4, 4),
          product(16, 32, 2 * depth, 4, 4)};
}

static std::vector<Config> manyRows(const Case &what) {
  int64_t depth = 128 / what.elementBytes();
  std::vector<Config> configs = {product(128, 256, depth, 8, 3), product(128, 128, depth, 4, 4),
                                 product(128, 128, depth, 8, 3)};
  if (what.size.rows <= 1024) {
    configs.push_back(product(64, 128, depth, 4, 4));
    configs.push_back(product(64, 64, depth, 4, 4));
    configs.push_back(product(64, 128, 2 * depth, 4, 4));
    configs.push_back(product(64, 64, 2 * depth, 4, 4));
  }
  return configs;
}

static std::vector<Config> matmulConfigs(const Case &what) {
  int64_t depth = 128 / what.elementBytes();
  if (what.size.rows <= 16)
    return fewRows(2 * depth);
  // With 128 rows in a block the kernel promises that rows of matrices start at multiples of 16.
  if (what.size.cols % 16 != 0 || what.size.depth % 16 != 0)
    return {product(256, 128, depth, 8, 3), product(64, 256, depth, 4, 3),
            product(64, 128, depth, 4, 4), product(64, 64, depth, 4, 4)};
  return manyRows(what);
}

static std::vector<Config> mlpConfigs(const Case &what) {
  int64_t depth = 128 / what.elementBytes();
  if (what.size.rows <= 16)
    return fewRows(2 * depth);
  if (what.size.rows <= 64)
    return {product(64, 32, 2 * depth, 4, 3), product(64, 64, depth, 4, 4),
            product(64, 128, depth, 4, 4)};
  return manyRows(what);
}

static std::vector<Config> usualConfigs(const Case &what) {
  switch (what.suite->kind) {
  case KernelKind::SoftmaxRows:
  case KernelKind::SoftmaxPersistent:
  case KernelKind::Gelu:
    break;
  case KernelKind::Matmul:
    return matmulConfigs(what);
  case KernelKind::Attention:
    return {attention(128, 64, 4, 3), attention(128, 128, 8, 2), attention(128, 64, 8, 3),
            attention(64, 64, 4, 3), attention(64, 128, 4, 2)};
  case KernelKind::Mlp:
    return mlpConfigs(what);
  }
  return {{{{"BLOCK", int64_t(what.block())}}, 0, 0}};
}

std::vector<Config> bench::configsOf(const Case &what, unsigned warps) {
  std::vector<Config> configs;
  for (Config config : usualConfigs(what)) {
    config.warps = warps ? warps : config.warps;
    if (!llvm::is_contained(configs, config))
      configs.push_back(std::move(config));
  }
  return configs;
}
