//===- Weights.h - The model's numbers, from a seed or a file ------*- C++ -*-===//

#ifndef TRANSFORMER_WEIGHTS_H
#define TRANSFORMER_WEIGHTS_H

#include "Settings.h"
#include "array.h"

/// Matrices have a row for each output. Those that multiply the same vector are one below the
/// other.
struct LayerWeights {
  /// queriesKeysValues has the rows of queries, of keys, of values; gateUp of gate and up.
  Array<tilec::BFloat16> attentionNorm, queriesKeysValues, output, mlpNorm, gateUp, down;
};

struct Weights {
  /// `head` makes the logits; it is the embedding itself where a file has no other.
  Array<tilec::BFloat16> embedding, finalNorm, head;
  std::vector<LayerWeights> layers;

  /// How many numbers there are.
  size_t count() const;
};

/// Random weights, the same on every device, with which activations neither grow nor vanish.
tilec::Status makeRandomWeights(const Place &place, const ModelSizes &model, int seed,
                                Weights &weights);

/// Reads them from a safetensors file, in which they have the names that Llama's checkpoints use.
/// What is wrong, or nothing.
std::string loadWeights(const Place &place, const ModelSizes &model, const std::string &path,
                        Weights &weights);

#endif // TRANSFORMER_WEIGHTS_H
