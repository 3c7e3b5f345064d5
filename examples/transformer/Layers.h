//===- Layers.h - The launches of one layer ------------------------*- C++ -*-===//
//
// A layer adds to each token's vector what attention gives, then what the perceptron gives. The
// vectors are float32; what products read is bfloat16.
//
//===----------------------------------------------------------------------===//

#ifndef TRANSFORMER_LAYERS_H
#define TRANSFORMER_LAYERS_H

#include "Weights.h"

/// The tokens of one pass: whole prompts one after the other, or one token of each request.
struct Tokens {
  int count = 0;
  /// Of each token: which request's it is, and its place there.
  const int *request = nullptr, *position = nullptr;
  /// Of whole prompts: where each starts, and where the last ends. Null for single tokens.
  const int *starts = nullptr;
  int requests = 0;
  /// Places that the longest request may have at the end of this pass.
  int longest = 0;
};

/// Keys and values of one layer: [request, head, place, element].
struct Cache {
  Array<tilec::BFloat16> keys, values;
};

/// What passes leave to nobody, for as many tokens as a pass may have.
struct Scratch {
  Array<float> x, logits, last;
  Array<tilec::BFloat16> normed, queriesKeysValues, attended, activated;
  /// Parts of attention over the cache: sums, largest scores and totals of weights.
  Array<float> parts, tops, totals;
};

/// Attention over the cache is split so that there are enough programs for a GPU.
struct Split {
  int chunk, count;
  static Split of(const ModelSizes &model, int requests, int longest);
  /// The most parts that a request may have.
  static int most(const ModelSizes &model, int requests);
};

/// The launches, in order, in a stream.
class Layers {
public:
  Layers(const Place &where, const tilec::LaunchStream &order, const ModelSizes &sizes,
         int placesOfRequest, Scratch &memory)
      : place(where), stream(order), model(sizes), capacity(placesOfRequest), scratch(memory),
        dependent(where.isGpu() && where.device().capability() == 90) {}

  /// Starts the vectors of as many tokens as `tokens` has, in scratch.x.
  tilec::Status embed(const Weights &weights, const int *ids, const Tokens &tokens);
  tilec::Status run(const LayerWeights &weights, const Cache &cache, const Tokens &tokens);
  /// Puts the vectors of the tokens `which` into scratch.last.
  tilec::Status take(const int *which, int rows);
  /// The logits of `rows` vectors `x`.
  tilec::Status predict(const Weights &weights, const float *x, int rows);

private:
  template <typename Options> Options linearOptions(int rows, int matrices = 1) const;
  tilec::Status normalize(const Array<tilec::BFloat16> &weight, const float *x, int rows);
  tilec::Status attend(const Cache &cache, const Tokens &tokens);
  tilec::Status attendCache(const Cache &cache, const Tokens &tokens);

  const Place &place;
  tilec::LaunchStream stream;
  const ModelSizes &model;
  int capacity;
  Scratch &scratch;
  /// Whether a launch may start before the one before it is over: kernels for sm_90a wait in
  /// follow().
  bool dependent;
};

#endif // TRANSFORMER_LAYERS_H
