//===- Model.cpp - A batch of requests under way -------------------*- C++ -*-===//

#include "Model.h"

#include "pointwise_kernels.h"

#include <numeric>

using tilec::Status;

Status Model::start(const std::vector<std::vector<int>> &prompts) {
  std::vector<int> ids, owners, places, firsts = {0}, ends, ordinals(prompts.size());
  std::vector<int> texts(prompts.size() * size_t(settings.capacity()));
  std::iota(ordinals.begin(), ordinals.end(), 0);
  for (size_t request = 0; request < prompts.size(); ++request) {
    const std::vector<int> &prompt = prompts[request];
    ids.insert(ids.end(), prompt.begin(), prompt.end());
    owners.insert(owners.end(), prompt.size(), int(request));
    for (size_t i = 0; i < prompt.size(); ++i)
      places.push_back(int(i));
    firsts.push_back(int(ids.size()));
    ends.push_back(int(ids.size()) - 1);
    std::copy(prompt.begin(), prompt.end(),
              texts.begin() + std::ptrdiff_t(request * size_t(settings.capacity())));
  }
  std::vector<int> lastPlaces;
  for (int end : ends)
    lastPlaces.push_back(places[size_t(end)]);
  longest = settings.longestPrompt();

  const std::pair<const std::vector<int> *, Array<int> *> arrays[] = {{&ids, &promptIds},
                                                                      {&owners, &promptRequests},
                                                                      {&places, &promptPositions},
                                                                      {&firsts, &starts},
                                                                      {&ends, &lasts},
                                                                      {&ordinals, &newest},
                                                                      {&texts, &sequences},
                                                                      {&ordinals, &numbers},
                                                                      {&lastPlaces, &positions}};
  for (const auto &[values, array] : arrays)
    if (Status status = makeArray(place, *values, *array); !status)
      return status;
  Status status = makeScratch();
  return status ? makeCaches() : status;
}

Status Model::makeScratch() {
  const ModelSizes &model = settings.model;
  size_t batch = size_t(settings.batch), tokens = std::max(promptIds.size(), batch);
  size_t width = size_t(model.width), dim = size_t(model.headDim()), heads = size_t(model.heads);
  size_t parts = batch * heads * size_t(Split::most(model, settings.batch));
  const std::pair<Array<float> *, size_t> wide[] = {{&scratch.x, tokens * width},
                                                    {&scratch.last, batch * width},
                                                    {&scratch.logits, batch * size_t(model.vocab)},
                                                    {&scratch.parts, parts * dim},
                                                    {&scratch.tops, parts},
                                                    {&scratch.totals, parts}};
  const std::pair<Array<tilec::BFloat16> *, size_t> narrow[] = {
      {&scratch.normed, tokens * width},
      {&scratch.queriesKeysValues, tokens * size_t(model.allHeads()) * dim},
      {&scratch.attended, tokens * heads * dim},
      {&scratch.gateUp, tokens * 2 * size_t(model.hidden)},
      {&scratch.activated, tokens * size_t(model.hidden)}};
  Status status;
  for (const auto &[array, size] : wide)
    if (status)
      status = makeArray(place, size, *array);
  for (const auto &[array, size] : narrow)
    if (status)
      status = makeArray(place, size, *array);
  return status;
}

Status Model::makeCaches() {
  const ModelSizes &model = settings.model;
  size_t size = size_t(settings.batch) * size_t(settings.capacity()) * size_t(model.kvHeads) *
                size_t(model.headDim());
  caches.resize(size_t(model.layers));
  Status status;
  for (Cache &cache : caches) {
    if (status)
      status = makeArray(place, size, cache.keys);
    if (status)
      status = makeArray(place, size, cache.values);
  }
  return status;
}

Status Model::runLayers(const int *ids, const Tokens &tokens) {
  Layers layers(place, settings.model, settings.capacity(), scratch);
  Status status = layers.embed(weights, ids, tokens);
  if (status && observer)
    status = observer(0);
  for (size_t i = 0; status && i < caches.size(); ++i) {
    status = layers.run(weights.layers[i], caches[i], tokens);
    if (status && observer)
      status = observer(int(i) + 1);
  }
  return status;
}

Status Model::chooseTokens(const float *x) {
  Layers layers(place, settings.model, settings.capacity(), scratch);
  Status status = layers.predict(weights, x, settings.batch);
  if (!status)
    return status;
  ++longest;
  return kernels::sample({place.stream(), settings.batch}, newest.data(), sequences.data(),
                         positions.data(), scratch.logits.data(), settings.model.vocab,
                         settings.capacity(), settings.temperature, settings.topK, settings.seed);
}

Status Model::prefill() {
  Tokens tokens{int(promptIds.size()), promptRequests.data(), promptPositions.data(),
                starts.data(),         settings.batch,        longest};
  Status status = runLayers(promptIds.data(), tokens);
  if (status)
    status = Layers(place, settings.model, settings.capacity(), scratch)
                 .take(lasts.data(), settings.batch);
  return status ? chooseTokens(scratch.last.data()) : status;
}

Status Model::decode() {
  Tokens tokens{settings.batch, numbers.data(), positions.data(), nullptr, settings.batch, longest};
  Status status = runLayers(newest.data(), tokens);
  return status ? chooseTokens(scratch.x.data()) : status;
}
