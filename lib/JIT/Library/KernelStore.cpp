//===- KernelStore.cpp - Compiled kernels that are kept ---------*- C++ -*-===//
//
// Keeps the code of kernels for a compiler: in memory by the key of the request, and on disk if
// there is a cache. Threads that ask for the same kernel at the same time wait for one
// compilation. Code whose imported files have changed since is not used.
//
//===----------------------------------------------------------------------===//

#include "KernelStore.h"

using namespace tilec;
using namespace tilec::library;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Failure Place::device(Device &result) {
  std::lock_guard<std::mutex> guard(lock);
  if (!gpu) {
    auto opened = Device::open(ordinal);
    if (!opened)
      return {int32_t(opened.error().code()), opened.error().message()};
    gpu = std::move(*opened);
  }
  result = *gpu;
  return {};
}

std::string Place::name() const {
  if (!isHost())
    return gpu ? gpu->name() : kind->identity();
  unsigned count = threads->size();
  return "CPU (" + std::to_string(count) + (count == 1 ? " thread)" : " threads)");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Failure StoredKernel::load(Place &place) {
  std::lock_guard<std::mutex> guard(lock);
  if (isLoaded)
    return {};
  if (place.isHost()) {
    llvm::Expected<std::unique_ptr<HostKernel>> kernel = HostKernel::load(compiled.object);
    if (!kernel)
      return {TILEC_JIT_ERROR_RUN, kernel.takeError()};
    hostKernel = std::move(*kernel);
  } else {
    Device device;
    if (Failure failure = place.device(device))
      return failure;
    llvm::Expected<Kernel> kernel = loadKernel(device, compiled);
    if (!kernel)
      return {TILEC_ERROR_INVALID_IMAGE, kernel.takeError()};
    gpuKernel = std::move(*kernel);
  }
  isLoaded = true;
  return {};
}

/// From the disk, or compiled and written to it.
Failure KernelStore::make(const CodeRequest &request, const std::string &key,
                          StoredKernel &kernel) {
  std::optional<KernelCode> kept;
  auto accept = [&](llvm::StringRef bytes) {
    kept = deserializeCode(bytes);
    return kept && holds(kept->imports, *request.imports.store);
  };
  if (disk && disk->find(key, accept)) {
    kernel.compiled = std::move(*kept);
    kernel.imports = kernel.compiled.imports;
    return {};
  }
  ++compilations;
  llvm::Expected<KernelCode> code = compileCode(request, &kernel.imports);
  if (!code)
    return {TILEC_JIT_ERROR_COMPILE, code.takeError()};
  kernel.compiled = std::move(*code);
  if (disk)
    disk->store(key, serializeCode(kernel.compiled));
  return {};
}

std::shared_ptr<StoredKernel> KernelStore::slotFor(const std::string &key) {
  std::lock_guard<std::mutex> guard(lock);
  std::shared_ptr<StoredKernel> &slot = kernels[key];
  if (!slot)
    slot = std::make_shared<StoredKernel>();
  return slot;
}

Failure KernelStore::get(const CodeRequest &request, std::shared_ptr<StoredKernel> &result) {
  std::string key = codeKey(request);
  // The same source with other imported files has a slot of its own.
  for (unsigned number = 0;; ++number) {
    std::shared_ptr<StoredKernel> kernel = slotFor(key + "." + std::to_string(number));
    // Who comes while it is being made waits here.
    std::lock_guard<std::mutex> guard(kernel->lock);
    if (!kernel->isDone) {
      kernel->failure = make(request, key, *kernel);
      kernel->isDone = true;
    } else if (!holds(kernel->imports, *request.imports.store)) {
      continue;
    } else {
      ++memoryHits;
    }
    if (!kernel->failure)
      result = kernel;
    return kernel->failure;
  }
}

void KernelStore::count(tilec_jit_counts &counts) const {
  counts.compilations = compilations;
  counts.memory_hits = memoryHits;
  if (!disk)
    return;
  CacheCounts cache = disk->counts();
  counts.disk_hits = cache.hits;
  counts.disk_misses = cache.misses;
  counts.disk_damaged = cache.damaged;
  counts.disk_writes = cache.writes;
  counts.disk_failures = cache.failedWrites;
  counts.disk_evictions = cache.evicted;
}
