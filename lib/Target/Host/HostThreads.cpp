//===- HostThreads.cpp - the threads that run programs ---------*- C++ -*-===//
//
// A launch is a job with a counter: whoever has time takes the next range from it. Ranges are small
// enough that the threads end together and large enough that the counter is not contended. The
// caller works on its own job, so that a launch proceeds even when every other thread is busy or
// could not be started.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/HostThreads.h"

#include "llvm/Support/Threading.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <vector>

using namespace tilec;

namespace {

/// Threads with little stack overflow silently in a kernel's spills; this is more than any kernel
/// takes.
constexpr size_t kStackBytes = size_t(1) << 20;

struct Job {
  uint64_t count, step, scratchBytes;
  llvm::function_ref<void(uint64_t, uint64_t, void *)> body;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> outOfMemory{false};
  unsigned working = 0; // threads inside, under the lock

  bool isExhausted() const { return next.load(std::memory_order_relaxed) >= count; }
};

/// Memory that grows to what the largest kernel so far needed.
struct Scratch {
  void *memory = nullptr;
  uint64_t bytes = 0;

  bool reserve(uint64_t wanted) {
    if (wanted <= bytes)
      return true;
    std::free(memory);
    memory = std::aligned_alloc(64, (wanted + 63) / 64 * 64);
    bytes = memory ? wanted : 0;
    return memory != nullptr;
  }
};

} // namespace

struct HostThreads::State {
  std::mutex lock;
  std::condition_variable wake, idle;
  std::deque<Job *> jobs;
  std::vector<Scratch> freeScratch;
  std::vector<pthread_t> threads;
  bool stopping = false;

  ~State() {
    for (Scratch &scratch : freeScratch)
      std::free(scratch.memory);
  }

  Scratch takeScratch() {
    std::lock_guard<std::mutex> guard(lock);
    if (freeScratch.empty())
      return {};
    Scratch scratch = freeScratch.back();
    freeScratch.pop_back();
    return scratch;
  }

  void work(Job &job);
  void leave(Job &job);
  void serve();
};

/// Takes ranges of `job` until none is left.
void HostThreads::State::work(Job &job) {
  Scratch scratch = takeScratch();
  if (scratch.reserve(job.scratchBytes)) {
    while (true) {
      uint64_t begin = job.next.fetch_add(job.step, std::memory_order_relaxed);
      if (begin >= job.count)
        break;
      job.body(begin, std::min(job.count, begin + job.step), scratch.memory);
    }
  } else {
    job.outOfMemory = true;
    job.next = job.count;
  }
  std::lock_guard<std::mutex> guard(lock);
  freeScratch.push_back(scratch);
}

/// What each thread runs.
void HostThreads::State::serve() {
  std::unique_lock<std::mutex> guard(lock);
  while (true) {
    wake.wait(guard, [&] { return stopping || !jobs.empty(); });
    if (jobs.empty())
      return;
    Job &job = *jobs.front();
    if (job.isExhausted()) {
      jobs.pop_front();
      continue;
    }
    ++job.working;
    guard.unlock();
    work(job);
    guard.lock();
    if (--job.working == 0)
      idle.notify_all();
  }
}

HostThreads::HostThreads(unsigned count) : state(std::make_unique<State>()) {
  if (count == 0)
    count = llvm::hardware_concurrency().compute_thread_count();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto serve = [](void *pool) -> void * {
    static_cast<State *>(pool)->serve();
    return nullptr;
  };
  while (state->threads.size() + 1 < count) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, serve, state.get()) != 0)
      break; // the rest do the work
    state->threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
}

HostThreads::~HostThreads() {
  {
    std::lock_guard<std::mutex> guard(state->lock);
    state->stopping = true;
  }
  state->wake.notify_all();
  for (pthread_t thread : state->threads)
    pthread_join(thread, nullptr);
}

unsigned HostThreads::size() const { return state->threads.size() + 1; }

bool HostThreads::forEachRange(uint64_t count, uint64_t scratchBytes,
                               llvm::function_ref<void(uint64_t, uint64_t, void *)> body) {
  if (count == 0)
    return true;
  uint64_t ranges = uint64_t(size()) * 16;
  uint64_t step = std::clamp<uint64_t>(count / ranges, 1, 1024);
  Job job{count, step, scratchBytes, body};
  bool shared = size() > 1 && count > step;
  if (shared) {
    std::lock_guard<std::mutex> guard(state->lock);
    state->jobs.push_back(&job);
  }
  if (shared)
    state->wake.notify_all();
  state->work(job);
  if (shared) {
    std::unique_lock<std::mutex> guard(state->lock);
    auto &jobs = state->jobs;
    jobs.erase(std::remove(jobs.begin(), jobs.end(), &job), jobs.end());
    state->idle.wait(guard, [&] { return job.working == 0; });
  }
  return !job.outOfMemory;
}
