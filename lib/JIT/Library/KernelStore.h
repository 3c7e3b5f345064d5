//===- KernelStore.h - Compiled kernels that are kept -----------*- C++ -*-===//
//
// What a CodeRequest asks for is compiled, or found on disk, at most once in a compiler's life,
// whoever asks and however many at a time, and is loaded when it first runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_KERNELSTORE_H
#define TILEC_LIB_JIT_LIBRARY_KERNELSTORE_H

#include "Failure.h"
#include "tilec/JIT/DeviceKernel.h"
#include "tilec/JIT/DiskCache.h"
#include "tilec/JIT/KernelCode.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace tilec::library {

/// Where kernels run. What is there is opened when it is first needed.
class Place {
public:
  /// The processor; with `checksMemory` for kernels that a HostMonitor watches, one program after
  /// the other.
  Place(unsigned threads, bool checksMemory)
      : kind(Backend::host(checksMemory)),
        threads(std::make_unique<HostThreads>(checksMemory ? 1 : threads)) {}
  /// A GPU; without `device` it is opened by number at the first load.
  Place(GpuArch arch, std::optional<Device> device, int ordinal)
      : kind(Backend::ptx(arch)), gpu(std::move(device)), ordinal(ordinal) {}

  bool isHost() const { return threads != nullptr; }
  const Backend &backend() const { return *kind; }
  HostThreads &hostThreads() const { return *threads; }
  /// The device, opened if need be.
  Failure device(Device &result);
  /// For people.
  std::string name() const;

private:
  std::unique_ptr<Backend> kind;
  std::unique_ptr<HostThreads> threads;
  std::mutex lock;
  std::optional<Device> gpu;
  int ordinal = -1;
};

/// The code for one request, which several variants of a kernel (ReadyVariant) may be.
class StoredKernel {
public:
  /// The code; valid once KernelStore::get has returned this object.
  const KernelCode &code() const { return compiled; }
  /// Loads the code where it is not yet.
  Failure load(Place &place);
  /// After load().
  const HostKernel &host() const { return *hostKernel; }
  const Kernel &gpu() const { return gpuKernel; }

private:
  friend class KernelStore;
  std::mutex lock;
  bool isDone = false, isLoaded = false;
  Failure failure; // Of compiling; it would fail again.
  std::vector<ImportFact> imports;
  KernelCode compiled;
  std::unique_ptr<HostKernel> hostKernel;
  Kernel gpuKernel;
};

/// All kernels of a compiler. Thread-safe.
class KernelStore {
public:
  /// `disk` may be null.
  explicit KernelStore(std::unique_ptr<DiskCache> disk) : disk(std::move(disk)) {}

  /// Finds or makes the code for `request`. Compilations for different requests run side by side.
  Failure get(const CodeRequest &request, std::shared_ptr<StoredKernel> &result);

  void count(tilec_jit_counts &counts) const;

private:
  Failure make(const CodeRequest &request, const std::string &key, StoredKernel &kernel);
  std::shared_ptr<StoredKernel> slotFor(const std::string &key);

  std::unique_ptr<DiskCache> disk;
  std::mutex lock;
  llvm::StringMap<std::shared_ptr<StoredKernel>> kernels;
  std::atomic<uint64_t> compilations{0}, memoryHits{0};
};

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_KERNELSTORE_H
