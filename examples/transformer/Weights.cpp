//===- Weights.cpp - The model's numbers, from a seed or a file ----*- C++ -*-===//

#include "Weights.h"

#include "Safetensors.h"
#include "pointwise_kernels.h"

using tilec::BFloat16;

namespace {

/// A tensor of a file. Vectors have no columns.
struct Part {
  std::string name;
  int rows, columns = 0;
  std::vector<int64_t> shape() const {
    return columns ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{rows};
  }
};

/// An array of weights: the parts it consists of, and between which numbers random ones are.
struct Target {
  Array<BFloat16> *array;
  std::vector<Part> parts;
  float low, high;
  size_t count() const {
    size_t sum = 0;
    for (const Part &part : parts)
      sum += size_t(part.rows) * size_t(std::max(part.columns, 1));
    return sum;
  }
};

Target vectorTarget(Array<BFloat16> &array, const std::string &name, int size) {
  return {&array, {{name, size}}, 0.5f, 1.5f};
}

/// Its random numbers have the variance 1 / inputs: outputs are as large as inputs.
Target matrixTarget(Array<BFloat16> &array, std::vector<Part> parts, int inputs) {
  float bound = std::sqrt(3 / float(inputs));
  return {&array, std::move(parts), -bound, bound};
}

void addLayer(const ModelSizes &model, const std::string &prefix, LayerWeights &layer,
              std::vector<Target> &targets) {
  int width = model.width, hidden = model.hidden, queries = model.heads * model.headDim(),
      keys = model.kvHeads * model.headDim();
  const std::string attention = prefix + "self_attn.", mlp = prefix + "mlp.";
  targets.push_back(vectorTarget(layer.attentionNorm, prefix + "input_layernorm.weight", width));
  targets.push_back(matrixTarget(layer.queriesKeysValues,
                                 {{attention + "q_proj.weight", queries, width},
                                  {attention + "k_proj.weight", keys, width},
                                  {attention + "v_proj.weight", keys, width}},
                                 width));
  targets.push_back(
      matrixTarget(layer.output, {{attention + "o_proj.weight", width, queries}}, queries));
  targets.push_back(vectorTarget(layer.mlpNorm, prefix + "post_attention_layernorm.weight", width));
  targets.push_back(matrixTarget(
      layer.gateUp,
      {{mlp + "gate_proj.weight", hidden, width}, {mlp + "up_proj.weight", hidden, width}}, width));
  targets.push_back(matrixTarget(layer.down, {{mlp + "down_proj.weight", width, hidden}}, hidden));
}

/// All arrays; the head is the last.
std::vector<Target> makeTargets(const ModelSizes &model, Weights &weights) {
  std::vector<Target> targets;
  // Embeddings are as large as what norms give.
  targets.push_back(matrixTarget(weights.embedding,
                                 {{"model.embed_tokens.weight", model.vocab, model.width}}, 1));
  weights.layers.resize(size_t(model.layers));
  for (size_t i = 0; i < weights.layers.size(); ++i)
    addLayer(model, "model.layers." + std::to_string(i) + ".", weights.layers[i], targets);
  targets.push_back(vectorTarget(weights.finalNorm, "model.norm.weight", model.width));
  targets.push_back(
      matrixTarget(weights.head, {{"lm_head.weight", model.vocab, model.width}}, model.width));
  return targets;
}

} // namespace

size_t Weights::count() const {
  size_t sum = embedding.size() + finalNorm.size();
  if (head.data() != embedding.data())
    sum += head.size();
  for (const LayerWeights &layer : layers)
    for (const Array<BFloat16> *array : {&layer.attentionNorm, &layer.queriesKeysValues,
                                         &layer.output, &layer.mlpNorm, &layer.gateUp, &layer.down})
      sum += array->size();
  return sum;
}

tilec::Status makeRandomWeights(const Place &place, const ModelSizes &model, int seed,
                                Weights &weights) {
  int number = 0;
  for (const Target &target : makeTargets(model, weights)) {
    // Each array has a sequence of its own.
    int ownSeed = int(unsigned(seed) * 100003u + unsigned(number++));
    tilec::Status status = makeArray(place, target.count(), *target.array);
    if (status)
      status = kernels::fill_uniform({place.stream()}, target.array->data(), int(target.count()),
                                     ownSeed, target.low, target.high);
    if (!status)
      return status;
  }
  return {};
}

std::string loadWeights(const Place &place, const ModelSizes &model, const std::string &path,
                        Weights &weights) {
  SafetensorsFile file;
  if (std::string error = file.open(path); !error.empty())
    return error;
  for (const Target &target : makeTargets(model, weights)) {
    if (target.array == &weights.head && !file.find(target.parts[0].name)) {
      weights.head = weights.embedding;
      continue;
    }
    std::vector<BFloat16> elements;
    elements.reserve(target.count());
    for (const Part &part : target.parts)
      if (std::string error = file.read(part.name, part.shape(), elements); !error.empty())
        return error;
    if (tilec::Status status = makeArray(place, elements, *target.array); !status)
      return status.message();
  }
  return "";
}
