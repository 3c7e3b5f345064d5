//===- Model.h - A batch of requests under way ---------------------*- C++ -*-===//
//
// All requests' prompts go through the layers at once; then each step makes one more token of every
// request. Nothing waits for the device until somebody asks for results.
//
//===----------------------------------------------------------------------===//

#ifndef TRANSFORMER_MODEL_H
#define TRANSFORMER_MODEL_H

#include "Graph.h"
#include "Layers.h"

#include <functional>

class Model {
public:
  /// Called with 0 when the tokens' vectors are there, and with i when layer i, from 1 on, has been
  /// launched.
  using Observer = std::function<tilec::Status(int layer)>;

  /// All three must outlive the model.
  Model(const Place &where, const Settings &given, const Weights &numbers)
      : place(where), settings(given), weights(numbers) {}

  /// Takes memory, and the prompts' tokens.
  tilec::Status start(const std::vector<std::vector<int>> &prompts);
  /// The prompts, and the first token after each.
  tilec::Status prefill();
  /// One more token of each request. Every step is the same launches: how far the requests are,
  /// kernels read from memory.
  tilec::Status decode();
  /// The same as a CUDA graph, which is recorded once. What went wrong, or nothing.
  std::string recordDecode();
  std::string replayDecode() { return graph.replay(queue); }

  void observe(Observer function) { observer = std::move(function); }
  /// The vectors of the pass's tokens, and the logits of each request's last token.
  const Array<float> &vectors() const { return scratch.x; }
  const Array<float> &logits() const { return scratch.logits; }
  /// Prompts and answers, `capacity` tokens for each request.
  const Array<int> &texts() const { return sequences; }

private:
  tilec::LaunchStream stream() const {
    return place.isGpu() ? tilec::LaunchStream(queue) : place.stream();
  }
  Layers layers() { return {place, stream(), settings.model, settings.capacity(), scratch}; }
  tilec::Status makeScratch();
  tilec::Status makeCaches();
  tilec::Status runLayers(const int *ids, const Tokens &tokens);
  tilec::Status chooseTokens(const float *x);

  const Place &place;
  const Settings &settings;
  const Weights &weights;
  /// Copies, which go to the default stream, wait for it, and it waits for them.
  tilec::Stream queue;
  Graph graph;
  Observer observer;
  Scratch scratch;
  std::vector<Cache> caches;
  /// Of the prompts' tokens: ids, requests, places. Of prompts: where they start, and their last
  /// tokens.
  Array<int> promptIds, promptRequests, promptPositions, starts, lasts;
  /// Of requests: the newest token, its number, its place.
  Array<int> newest, numbers, positions;
  Array<int> sequences;
};

#endif // TRANSFORMER_MODEL_H
