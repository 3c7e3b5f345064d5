//===- Graph.h - Launches that are recorded and replayed -----------*- C++ -*-===//
//
// A step of decoding is some hundred short launches. As a CUDA graph they cost the processor one
// call, and the GPU less time between them.
//
// Functions that return a text return what went wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRANSFORMER_GRAPH_H
#define TRANSFORMER_GRAPH_H

#include "tilec/runtime.h"

#include <functional>
#include <string>

class Graph {
public:
  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Records what `launch` launches in the stream, which must not be the default stream. All code
  /// must have been loaded.
  std::string record(const tilec::Stream &stream, const std::function<tilec::Status()> &launch);
  /// Puts the launches into the stream once more.
  std::string replay(const tilec::Stream &stream);

private:
  /// A cudaGraphExec_t.
  void *executable = nullptr;
};

#endif // TRANSFORMER_GRAPH_H
