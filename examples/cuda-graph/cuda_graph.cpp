//===- cuda_graph.cpp - Launches in a CUDA graph -------------------*- C++ -*-===//
//
// Captures a chain of launches into a graph, replays it many times, and prints what a launch costs
// the host in the graph and without. A capture before anything is prepared shows the error that a
// launch gives then: loading code is forbidden while CUDA captures.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/cuda-graph
//
// Needs the CUDA toolkit to build and a GPU to run; without one it says so and ends well.
//
//===----------------------------------------------------------------------===//

#include "axpy_kernels.h"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int size = 4096, chain = 20, replays = 1000;

/// Ends the program when a call of the CUDA runtime has failed.
void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

struct Work {
  cudaStream_t stream = nullptr;
  float *x = nullptr, *y = nullptr;
};

/// Adds x to y `chain` times.
tilec::Status launchChain(const Work &work) {
  for (int i = 0; i < chain; ++i)
    if (tilec::Status status = kernels::axpy({work.stream}, work.y, work.x, 1.0f, size); !status)
      return status;
  return {};
}

/// Captures the chain; `launched` says whether its launches worked.
cudaGraph_t capture(const Work &work, tilec::Status &launched) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeThreadLocal));
  launched = launchChain(work);
  CHECK(cudaStreamEndCapture(work.stream, &graph));
  return graph;
}

/// Prints what one launch costs: the host's time alone, and until the device is done.
template <typename Step> void measure(const char *what, const Work &work, Step step) {
  using Clock = std::chrono::steady_clock;
  using Microseconds = std::chrono::duration<double, std::micro>;
  CHECK(cudaStreamSynchronize(work.stream));
  Microseconds host{0};
  Clock::time_point start = Clock::now();
  for (int i = 0; i < replays; ++i) {
    Clock::time_point before = Clock::now();
    step();
    host += Clock::now() - before;
    // A full queue would make the host wait for the device.
    if (i % 10 == 9)
      CHECK(cudaStreamSynchronize(work.stream));
  }
  CHECK(cudaStreamSynchronize(work.stream));
  Microseconds total = Clock::now() - start;
  constexpr double launches = double(replays) * chain;
  std::printf("%-22s %6.3f us of the host for a launch, %6.3f us in all\n", what,
              host.count() / launches, total.count() / launches);
}

/// Runs all of it; false if a result is wrong.
bool run(const Work &work) {
  tilec::Status status;
  cudaGraph_t empty = capture(work, status);
  std::printf("not prepared: %s\n", status.message());
  if (status.code() != tilec::Code::NotPrepared) {
    std::fprintf(stderr, "error: this launch should not have worked\n");
    return false;
  }
  CHECK(cudaGraphDestroy(empty));

  status = kernels::prepare_all(work.stream);
  cudaGraph_t graph = status ? capture(work, status) : nullptr;
  if (!status) {
    std::fprintf(stderr, "error: %s\n", status.message());
    return false;
  }
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  measure("launches in a graph", work, [&] { CHECK(cudaGraphLaunch(executable, work.stream)); });
  tilec::Freeze freeze;
  measure("launches one by one", work, [&] {
    if (status)
      status = launchChain(work);
  });
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  if (!status) {
    std::fprintf(stderr, "error: %s\n", status.message());
    return false;
  }

  // Every launch has added 1, and what was captured without being replayed has not.
  std::vector<float> y(size);
  CHECK(cudaMemcpy(y.data(), work.y, size * sizeof(float), cudaMemcpyDeviceToHost));
  constexpr float expected = 2.0f * replays * chain;
  for (float value : y)
    if (value != expected) {
      std::fprintf(stderr, "error: %g launches have run instead of %g\n", double(value),
                   double(expected));
      return false;
    }
  std::printf("%g launches have run\n", double(expected));
  return true;
}

} // namespace

int main() {
  int devices = 0;
  if (cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess || devices == 0) {
    std::printf("SKIPPED, no GPU: %s\n", cudaGetErrorString(error));
    return 0;
  }
  Work work;
  const std::vector<float> ones(size, 1);
  CHECK(cudaStreamCreateWithFlags(&work.stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&work.x, size * sizeof(float)));
  CHECK(cudaMalloc(&work.y, size * sizeof(float)));
  CHECK(cudaMemcpy(work.x, ones.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(work.y, 0, size * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  bool isFine = run(work);
  CHECK(cudaFree(work.x));
  CHECK(cudaFree(work.y));
  CHECK(cudaStreamDestroy(work.stream));
  return isFine ? 0 : 1;
}
