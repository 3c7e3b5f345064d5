//===- Model.cpp - A batch of requests under way -------------------*- C++ -*-===//

#include "Model.h"

#include "pointwise_kernels.h"

#include <numeric>

using tilec::Status;

Status Model::start(const std::vector<std::vector<int>> &prompts) {
  if (place.isGpu() && !queue.get()) {
    auto made = tilec::Stream::create(place.device());
    if (!made)
      return made.error();
    queue = std::move(*made);
  }
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
  Layers launches = layers();
  Status status = launches.embed(weights, ids, tokens);
  if (status && observer)
    status = observer(0);
  for (size_t i = 0; status && i < caches.size(); ++i) {
    status = launches.run(weights.layers[i], caches[i], tokens);
    if (status && observer)
      status = observer(int(i) + 1);
  }
  return status;
}

Status Model::chooseTokens(const float *x) {
  Status status = layers().predict(weights, x, settings.batch);
  if (!status)
    return status;
  return kernels::sample({stream(), settings.batch}, newest.data(), sequences.data(),
                         positions.data(), scratch.logits.data(), settings.model.vocab,
                         settings.capacity(), settings.temperature, settings.topK, settings.seed);
}

Status Model::prefill() {
  Tokens tokens;
  tokens.count = int(promptIds.size());
  tokens.request = promptRequests.data();
  tokens.position = promptPositions.data();
  tokens.starts = starts.data();
  tokens.requests = settings.batch;
  tokens.longest = settings.longestPrompt();
  Status status = runLayers(promptIds.data(), tokens);
  if (status)
    status = layers().take(lasts.data(), settings.batch);
  return status ? chooseTokens(scratch.last.data()) : status;
}

Status Model::decode() {
  // Programs beyond a request's end have nothing to do.
  Tokens tokens;
  tokens.count = tokens.requests = settings.batch;
  tokens.request = numbers.data();
  tokens.position = positions.data();
  tokens.longest = settings.capacity();
  Status status = runLayers(newest.data(), tokens);
  return status ? chooseTokens(scratch.x.data()) : status;
}

std::string Model::recordDecode() {
  return place.isGpu() ? graph.record(queue, [&] { return decode(); })
                       : "there are no graphs on the processor";
}
