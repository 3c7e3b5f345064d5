//===- Settings.cpp - Sizes of the model, and what to do with it ---*- C++ -*-===//

#include "Settings.h"

#include "options.h"

#include <algorithm>

int Settings::promptOf(int request) const {
  return ids.empty() ? prompts[size_t(request) % prompts.size()] : int(ids.size());
}

int Settings::longestPrompt() const {
  return ids.empty() ? *std::max_element(prompts.begin(), prompts.end()) : int(ids.size());
}

int Settings::allPromptTokens() const {
  int sum = 0;
  for (int request = 0; request < batch; ++request)
    sum += promptOf(request);
  return sum;
}

namespace {

/// Why these sizes are none of a model that the kernels can compute; nothing if they are.
std::string problemOf(const ModelSizes &model) {
  if (model.width % model.heads != 0 || (model.headDim() != 64 && model.headDim() != 128))
    return "--width / --heads must be 64 or 128";
  if (model.heads % model.kvHeads != 0 || model.heads / model.kvHeads > 16)
    return "--heads must be a multiple of --kv-heads, at most 16 times as many";
  if (model.hidden % 16 != 0 || model.vocab % 16 != 0)
    return "--hidden and --vocab must be multiples of 16";
  return "";
}

/// The same for a batch and its tokens: the kernels count the elements of an array in 32 bits.
std::string problemOf(const Settings &settings) {
  const ModelSizes &model = settings.model;
  int64_t tokens = std::max(settings.allPromptTokens(), settings.batch);
  int64_t row = std::max({model.allHeads() * model.headDim(), 2 * model.hidden, model.width});
  if (tokens * row > INT32_MAX)
    return "the prompts have too many tokens for one pass: tokens * 2 * hidden must be below 2^31";
  int rows = std::max({model.allHeads() * model.headDim(), 2 * model.hidden, model.vocab});
  if (int64_t(model.width) * rows > INT32_MAX || int64_t(settings.batch) * model.vocab > INT32_MAX)
    return "no matrix of weights may have 2^31 elements";
  for (int id : settings.ids)
    if (id >= model.vocab)
      return "--ids: " + std::to_string(id) + " is beyond the vocabulary";
  return "";
}

} // namespace

bool parseSettings(int argc, char **argv, Settings &settings) {
  ModelSizes &model = settings.model;
  Options options("transformer");
  options.number("layers", model.layers, 1, 1024);
  options.number("heads", model.heads, 1, 1024);
  options.number("kv-heads", model.kvHeads, 1, 1024);
  options.number("width", model.width, 64, 1 << 14);
  options.number("hidden", model.hidden, 16, 1 << 18);
  options.number("vocab", model.vocab, 16, 1 << 20);
  options.real("rope-base", model.ropeBase, 2, 1e9f);
  options.real("epsilon", model.epsilon, 0, 1);
  options.number("batch", settings.batch, 1, 4096);
  options.numbers("ids", settings.ids, 0, 1 << 20);
  options.numbers("prompt", settings.prompts, 1, 1 << 17);
  options.number("tokens", settings.tokens, 1, 1 << 17);
  options.real("temperature", settings.temperature, 0, 100);
  options.number("top-k", settings.topK, 0, 1 << 20);
  options.number("seed", settings.seed, 0, 1 << 30);
  options.text("weights", "FILE.safetensors", settings.weights);
  options.flag("check", settings.check);
  options.flag("graph", settings.graph);
  options.choice("device", settings.device, {"auto", "cuda", "gpu", "cpu"});
  if (!options.parse(argc, argv))
    return false;
  if (settings.device == "gpu")
    settings.device = "cuda";
  std::string problem = problemOf(model);
  if (problem.empty())
    problem = problemOf(settings);
  if (!problem.empty())
    std::fprintf(stderr, "error: %s\n", problem.c_str());
  return problem.empty();
}
