//===- Worker.cpp - One thread's part of a GPU ---------------------*- C++ -*-===//
//
// Memory is allocated once, for the longest request: allocating for each would make all threads
// wait.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

/// On the processor each request stays on its worker's thread: with many requests at once there is
/// nothing to win by sharing one out.
static void runHere(void *, uint64_t count, void (*body)(void *task, uint64_t begin, uint64_t end),
                    void *task) {
  body(task, 0, count);
}

tilec::Expected<Worker> Worker::create(const tilec::Device &gpu) {
  Worker worker;
  if (!gpu)
    return worker;
  auto stream = tilec::Stream::create(gpu, /*nonBlocking=*/true);
  if (!stream)
    return stream.error();
  auto in = tilec::Buffer::allocate(gpu, maxSize * sizeof(float));
  if (!in)
    return in.error();
  auto out = tilec::Buffer::allocate(gpu, maxSize * sizeof(float));
  if (!out)
    return out.error();
  worker.gpu = gpu;
  worker.stream = std::move(*stream);
  worker.in = std::move(*in);
  worker.out = std::move(*out);
  return worker;
}

tilec::Status Worker::run(tilec::Status (*function)(tilec::LaunchStream, float *, const float *,
                                                    int),
                          std::vector<float> &values) {
  int n = int(values.size());
  if (!gpu) {
    static const tilec_executor executor{sizeof(executor), 0, nullptr, runHere};
    std::vector<float> result(values.size());
    tilec::Status status = function(tilec::cpuStream(&executor), result.data(), values.data(), n);
    values = std::move(result);
    return status;
  }
  size_t bytes = values.size() * sizeof(float);
  tilec::Status status = in.copyInAsync(stream, values.data(), bytes);
  if (status)
    status = function(stream, out.as<float>(), in.as<float>(), n);
  // Waits, so that `values` may change; reports also what went wrong in the kernel.
  return status ? out.copyOut(values.data(), bytes, 0, stream) : status;
}
