//===- Layers.cpp - The launches of one layer ----------------------*- C++ -*-===//

#include "Layers.h"

#include "attention_kernels.h"
#include "linear_kernels.h"
#include "pointwise_kernels.h"

#include <algorithm>
#include <cmath>

namespace {

int ceilDiv(int a, int b) { return (a + b - 1) / b; }

/// Columns of a program in the kernels that go over rows.
constexpr int columnsOfProgram = 1024;

/// exp(score) is exp2(score * log2(e)).
float scaleOf(const ModelSizes &model) {
  return 1.4426950408889634f / std::sqrt(float(model.headDim()));
}

} // namespace

int Split::most(const ModelSizes &model, int requests) {
  constexpr int programsThatFillGpu = 264; // two for each multiprocessor
  return std::max(1, programsThatFillGpu / (requests * model.kvHeads));
}

Split Split::of(const ModelSizes &model, int requests, int longest) {
  constexpr int keysOfBlock = 64;
  int blocks = ceilDiv(longest, keysOfBlock);
  int chunk = ceilDiv(blocks, most(model, requests)) * keysOfBlock;
  return {chunk, ceilDiv(longest, chunk)};
}

/// The compiled conditions choose the tile, whose columns are shared by the `matrices`. Only the
/// largest, three stages of it, may be more than the shared memory of a GPU.
template <typename Options> Options Layers::linearOptions(int rows, int matrices) const {
  constexpr int bytesOfLargest = 3 * (128 + 256) * 64 * sizeof(tilec::BFloat16);
  Options options{stream};
  options.dependent = dependent && rows <= 128; // Larger tiles do not wait by themselves.
  if (rows > 128 && place.isGpu() && place.device().sharedPerBlockLimit() < bytesOfLargest)
    options.BLOCK_N = 128 / matrices;
  return options;
}

tilec::Status Layers::embed(const Weights &weights, const int *ids, const Tokens &tokens) {
  tilec::LaunchGrid grid(tokens.count, ceilDiv(model.width, columnsOfProgram));
  return kernels::take_rows({stream, grid, dependent}, scratch.x.data(), weights.embedding.data(),
                            ids, model.width);
}

tilec::Status Layers::take(const int *which, int rows) {
  tilec::LaunchGrid grid(rows, ceilDiv(model.width, columnsOfProgram));
  return kernels::take_rows({stream, grid, dependent}, scratch.last.data(), scratch.x.data(), which,
                            model.width);
}

tilec::Status Layers::normalize(const Array<tilec::BFloat16> &weight, const float *x, int rows) {
  return kernels::rms_norm({stream, rows, dependent}, scratch.normed.data(), x, weight.data(),
                           model.width, model.epsilon);
}

tilec::Status Layers::run(const LayerWeights &weights, const Cache &cache, const Tokens &tokens) {
  int dim = model.headDim(), hidden = model.hidden, count = tokens.count;
  float *x = scratch.x.data();
  tilec::Status status = normalize(weights.attentionNorm, x, count);
  if (status)
    status = kernels::linear(linearOptions<kernels::linear_options>(count),
                             scratch.queriesKeysValues.data(), scratch.normed.data(),
                             weights.queriesKeysValues.data(), count, model.allHeads() * dim,
                             model.width);
  if (status)
    status = attend(cache, tokens);
  if (status)
    status = kernels::linear_add(linearOptions<kernels::linear_add_options>(count), x,
                                 scratch.attended.data(), weights.output.data(), count, model.width,
                                 model.heads * dim);
  if (status)
    status = normalize(weights.mlpNorm, x, count);
  if (status)
    status =
        kernels::linear_swiglu(linearOptions<kernels::linear_swiglu_options>(count, /*matrices=*/2),
                               scratch.activated.data(), scratch.normed.data(),
                               weights.gateUp.data(), count, hidden, model.width);
  if (status)
    status = kernels::linear_add(linearOptions<kernels::linear_add_options>(count), x,
                                 scratch.activated.data(), weights.down.data(), count, model.width,
                                 hidden);
  return status;
}

tilec::Status Layers::attend(const Cache &cache, const Tokens &tokens) {
  constexpr int headsOfProgram = 8, queriesOfProgram = 128;
  kernels::rotate_and_keep_options rotate{stream};
  rotate.dependent = dependent;
  rotate.HEAD_DIM = model.headDim();
  rotate.grid = {tokens.count, ceilDiv(model.allHeads(), headsOfProgram)};
  tilec::Status status =
      kernels::rotate_and_keep(rotate, scratch.queriesKeysValues.data(), cache.keys.data(),
                               cache.values.data(), tokens.request, tokens.position, model.heads,
                               model.kvHeads, capacity, std::log2(model.ropeBase));
  if (!status)
    return status;
  if (!tokens.starts)
    return attendCache(cache, tokens);
  kernels::attend_prompt_options options{stream};
  options.HEAD_DIM = model.headDim();
  options.grid = {ceilDiv(tokens.longest, queriesOfProgram), model.heads, tokens.requests};
  return kernels::attend_prompt(options, scratch.attended.data(), scratch.queriesKeysValues.data(),
                                cache.keys.data(), cache.values.data(), tokens.starts, model.heads,
                                model.kvHeads, capacity, scaleOf(model));
}

tilec::Status Layers::attendCache(const Cache &cache, const Tokens &tokens) {
  Split split = Split::of(model, tokens.count, tokens.longest);
  kernels::attend_cache_options options{stream};
  options.dependent = dependent;
  options.HEAD_DIM = model.headDim();
  options.grid = {split.count, model.kvHeads, tokens.count};
  tilec::Status status = kernels::attend_cache(
      options, scratch.attended.data(), scratch.parts.data(), scratch.tops.data(),
      scratch.totals.data(), scratch.queriesKeysValues.data(), cache.keys.data(),
      cache.values.data(), tokens.position, model.heads, model.kvHeads, capacity, split.count,
      split.chunk, scaleOf(model));
  if (!status || split.count == 1)
    return status;
  kernels::merge_parts_options merge{stream, {model.heads, tokens.count}, dependent};
  merge.HEAD_DIM = model.headDim();
  return kernels::merge_parts(merge, scratch.attended.data(), scratch.parts.data(),
                              scratch.tops.data(), scratch.totals.data(), tokens.position,
                              model.heads, split.count, split.chunk);
}

tilec::Status Layers::predict(const Weights &weights, const float *x, int rows) {
  tilec::Status status = normalize(weights.finalNorm, x, rows);
  return status ? kernels::linear(linearOptions<kernels::linear_options>(rows),
                                  scratch.logits.data(), scratch.normed.data(), weights.head.data(),
                                  rows, model.vocab, model.width)
                : status;
}
