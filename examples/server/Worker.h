//===- Worker.h - One thread's part of a GPU -----------------------*- C++ -*-===//
//
// A worker belongs to one thread: it has a stream and memory of its own, so that workers run beside
// each other and none waits for another.
//
//===----------------------------------------------------------------------===//

#ifndef WORKER_H
#define WORKER_H

#include "server_kernels.h"

#include <string>
#include <vector>

class Worker {
public:
  /// The longest vector that a request may have.
  static constexpr size_t maxSize = 8192;

  /// A worker on `gpu`, or on the processor if that is empty.
  static tilec::Expected<Worker> create(const tilec::Device &gpu);

  /// Replaces `values`, not more than maxSize, by the result of `function`.
  tilec::Status run(tilec::Status (*function)(tilec::LaunchStream, float *, const float *, int),
                    std::vector<float> &values);

private:
  Worker() = default;

  tilec::Device gpu;
  tilec::Stream stream;
  tilec::Buffer in, out;
};

#endif // WORKER_H
