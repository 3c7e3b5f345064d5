//===- NcclRank.cpp - Ranks that are GPUs --------------------------*- C++ -*-===//
//
// Memory and streams of the CUDA runtime, reductions of NCCL, kernels of tilec, all in one stream:
// nothing waits for the host between them.
//
//===----------------------------------------------------------------------===//

#include "Rank.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::string explain(const char *what, cudaError_t error) {
  return error == cudaSuccess ? "" : std::string(what) + ": " + cudaGetErrorString(error);
}
std::string explain(const char *what, ncclResult_t result, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess)
    return "";
  return std::string(what) + ": " + ncclGetErrorString(result) + ": " + ncclGetLastError(comm);
}

class NcclRank : public Rank {
public:
  ~NcclRank() override {
    if (comm)
      ncclCommDestroy(comm);
    for (float *block : blocks)
      cudaFree(block);
    if (cudaStream)
      cudaStreamDestroy(cudaStream);
  }

  /// Joins the ranks with this id. The device stays the thread's current one.
  std::string open(const ncclUniqueId &id, int size, int rank, int device) {
    if (std::string error = explain("cudaSetDevice", cudaSetDevice(device)); !error.empty())
      return error;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
      deviceName = properties.name;
    std::string error =
        explain("cudaStreamCreate", cudaStreamCreateWithFlags(&cudaStream, cudaStreamNonBlocking));
    return error.empty() ? explain("ncclCommInitRank", ncclCommInitRank(&comm, size, id, rank))
                         : error;
  }

  std::string name() const override { return deviceName; }
  tilec::LaunchStream stream() override { return cudaStream; }
  std::string allocate(size_t count, float *&memory) override {
    std::string error = explain("cudaMalloc", cudaMalloc(&memory, count * sizeof(float)));
    if (error.empty())
      blocks.push_back(memory);
    return error;
  }
  std::string copyIn(float *to, const float *host, size_t count) override {
    return copy(to, host, count, cudaMemcpyHostToDevice);
  }
  std::string copyOut(float *host, const float *from, size_t count) override {
    return copy(host, from, count, cudaMemcpyDeviceToHost);
  }
  std::string wait() override {
    return explain("cudaStreamSynchronize", cudaStreamSynchronize(cudaStream));
  }
  std::string allReduce(float *values, size_t count, Reduction reduction) override {
    ncclRedOp_t operation = reduction == Reduction::Sum ? ncclSum : ncclMax;
    return explain("ncclAllReduce",
                   ncclAllReduce(values, values, count, ncclFloat, operation, comm, cudaStream),
                   comm);
  }

private:
  std::string copy(float *to, const float *from, size_t count, cudaMemcpyKind kind) {
    std::string error = explain("cudaMemcpyAsync",
                                cudaMemcpyAsync(to, from, count * sizeof(float), kind, cudaStream));
    return error.empty() ? wait() : error;
  }

  std::string deviceName = "GPU";
  cudaStream_t cudaStream = nullptr;
  ncclComm_t comm = nullptr;
  std::vector<float *> blocks;
};

/// Ranks in one process share the id in memory.
class ThreadGroup : public Group {
public:
  ThreadGroup(int size, const ncclUniqueId &id) : size(size), id(id) {}
  std::string join(int rank, int device, std::unique_ptr<Rank> &result) override {
    auto opened = std::make_unique<NcclRank>();
    std::string error = opened->open(id, size, rank, device);
    result = std::move(opened);
    return error;
  }

private:
  int size;
  ncclUniqueId id;
};

/// One rank of many processes. Without NCCL_COMM_ID, which gives all of them the same id, rank 0
/// makes an id and writes it to a file, and the others wait for that.
class ProcessGroup : public Group {
public:
  ProcessGroup(int size, std::string idFile) : size(size), idFile(std::move(idFile)) {}

  std::string join(int rank, int device, std::unique_ptr<Rank> &result) override {
    ncclUniqueId id;
    bool hasFile = !std::getenv("NCCL_COMM_ID");
    std::string error;
    if (rank == 0 || !hasFile)
      error = explain("ncclGetUniqueId", ncclGetUniqueId(&id));
    if (error.empty() && hasFile)
      error = rank == 0 ? writeId(id) : readId(id);
    if (!error.empty())
      return error;
    auto opened = std::make_unique<NcclRank>();
    error = opened->open(id, size, rank, device);
    result = std::move(opened);
    // All ranks have read it, or the run has failed.
    if (hasFile && rank == 0)
      std::remove(idFile.c_str());
    return error;
  }

private:
  /// The file appears under its name when it is complete.
  std::string writeId(const ncclUniqueId &id) const {
    if (access(idFile.c_str(), F_OK) == 0)
      return idFile + " is left from an earlier run; remove it";
    std::string draft = idFile + ".new";
    std::FILE *file = std::fopen(draft.c_str(), "wb");
    bool isWritten = file && std::fwrite(&id, sizeof(id), 1, file) == 1;
    if (file && std::fclose(file) == 0 && isWritten &&
        std::rename(draft.c_str(), idFile.c_str()) == 0)
      return "";
    return idFile + ": cannot be written: " + std::strerror(errno);
  }

  std::string readId(ncclUniqueId &id) const {
    for (int tries = 0; tries < 600; ++tries) {
      if (std::FILE *file = std::fopen(idFile.c_str(), "rb")) {
        bool isRead = std::fread(&id, sizeof(id), 1, file) == 1;
        std::fclose(file);
        return isRead ? "" : idFile + ": is not a file of rank 0";
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return idFile + ": rank 0 has not written it within a minute";
  }

  int size;
  std::string idFile;
};

} // namespace

int countGpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string makeNcclGroup(int size, bool isOneProcess, const std::string &idFile,
                          std::unique_ptr<Group> &group) {
  int gpus = 0;
  if (cudaError_t error = cudaGetDeviceCount(&gpus); error != cudaSuccess || gpus == 0)
    return std::string("no GPU: ") + cudaGetErrorString(error) + "; --device=cpu needs none";
  if (!isOneProcess) {
    if (idFile.empty() && !std::getenv("NCCL_COMM_ID"))
      return "processes find each other by --id-file=PATH, a new file that all of them see, or by "
             "NCCL_COMM_ID=address:port of rank 0 in the environment";
    group = std::make_unique<ProcessGroup>(size, idFile);
    return "";
  }
  if (size > gpus)
    return std::to_string(size) + " ranks need as many GPUs; there " +
           (gpus == 1 ? "is 1" : "are " + std::to_string(gpus));
  ncclUniqueId id;
  std::string error = explain("ncclGetUniqueId", ncclGetUniqueId(&id));
  if (error.empty())
    group = std::make_unique<ThreadGroup>(size, id);
  return error;
}
