//===- CudaGraph.cpp - Launches in a CUDA graph --------------------*- C++ -*-===//

#include "Graph.h"

#include <cuda_runtime.h>

namespace {

std::string textOf(cudaError_t error, const char *what) {
  return error == cudaSuccess ? "" : std::string(what) + ": " + cudaGetErrorString(error);
}

cudaStream_t toCuda(const tilec::Stream &stream) { return static_cast<cudaStream_t>(stream.get()); }

} // namespace

Graph::~Graph() {
  if (executable)
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
}

std::string Graph::record(const tilec::Stream &stream,
                          const std::function<tilec::Status()> &launch) {
  std::string error =
      textOf(cudaStreamBeginCapture(toCuda(stream), cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  if (!error.empty())
    return error;
  tilec::Status launched = launch();
  cudaGraph_t graph = nullptr;
  // Ends the capture also when a launch has failed; the launch's own error says more.
  error = textOf(cudaStreamEndCapture(toCuda(stream), &graph), "cudaStreamEndCapture");
  if (!launched)
    error = launched.message();
  cudaGraphExec_t made = nullptr;
  if (error.empty())
    error = textOf(cudaGraphInstantiateWithFlags(&made, graph, 0), "cudaGraphInstantiate");
  if (graph)
    cudaGraphDestroy(graph);
  if (executable)
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
  executable = made;
  return error;
}

std::string Graph::replay(const tilec::Stream &stream) {
  return textOf(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), toCuda(stream)),
                "cudaGraphLaunch");
}
