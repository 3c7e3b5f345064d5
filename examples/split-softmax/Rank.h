//===- Rank.h - One of the GPUs that work together -----------------*- C++ -*-===//
//
// A rank has memory, a stream for launches, and reductions over all ranks in that stream's order.
// There are two kinds: GPUs under NCCL, and threads on the processor, which need nothing.
//
// Functions that return a text return what went wrong, or nothing. Each rank is used by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef RANK_H
#define RANK_H

#include "tilec/launch.h"

#include <memory>
#include <string>

enum class Reduction { Sum, Max };

class Rank {
public:
  virtual ~Rank() = default;

  /// For people: "NVIDIA H200", "the processor".
  virtual std::string name() const = 0;
  /// Where to launch kernels.
  virtual tilec::LaunchStream stream() = 0;
  /// Memory for `count` floats, which lives as long as the rank.
  virtual std::string allocate(size_t count, float *&memory) = 0;
  virtual std::string copyIn(float *to, const float *host, size_t count) = 0;
  /// Waits until the copy, and so all work in the stream, is done.
  virtual std::string copyOut(float *host, const float *from, size_t count) = 0;
  /// Waits for the stream.
  virtual std::string wait() = 0;
  /// Replaces each of `count` values by the reduction of those of all ranks. Every rank must call
  /// it.
  virtual std::string allReduce(float *values, size_t count, Reduction reduction) = 0;
};

/// How the ranks of a run find each other. Shared by the threads of a process.
class Group {
public:
  virtual ~Group() = default;
  /// Rank `rank` on the process's device `device`. Waits until all ranks have joined.
  virtual std::string join(int rank, int device, std::unique_ptr<Rank> &result) = 0;
};

/// `size` threads of this process.
std::unique_ptr<Group> makeCpuGroup(int size);

/// The GPUs that NCCL can use; 0 also when the program was built without it.
int countGpus();

/// `size` GPUs: of this process if `isOneProcess`, otherwise one in each of as many processes.
/// Those find each other by NCCL_COMM_ID=address:port in the environment, or by `idFile`, a path
/// that all see and where nothing is yet.
std::string makeNcclGroup(int size, bool isOneProcess, const std::string &idFile,
                          std::unique_ptr<Group> &group);

#endif // RANK_H
