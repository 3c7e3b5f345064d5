//===- CpuPool.cpp - The runtime's own threads ---------------------------*- C++ -*-===//
//
// Threads that share out the programs of launches on the CPU. They start at the first such launch
// and live as long as the process. A launch is a job with a counter: whoever has time takes the
// next range. The caller works on its own job, so that a launch proceeds even when every thread is
// busy, could not be started, or was lost in a fork.
//
//===-------------------------------------------------------------------------------===//

#include "Aot.h"

#include <pthread.h>
#include <sched.h>

namespace tilec {
namespace {

/// What a kernel's spills may take of a thread's stack.
constexpr size_t stackBytes = size_t(1) << 20;
constexpr uint64_t rangesPerThread = 16, longestRange = 1024;

struct Job {
  uint64_t count, step;
  void (*body)(void *task, uint64_t begin, uint64_t end);
  void *task;
  std::atomic<uint64_t> next{0};
  Job *after = nullptr; ///< in the queue, under the lock
  unsigned working = 0; ///< threads inside, under the lock

  bool isExhausted() const { return next.load(std::memory_order_relaxed) >= count; }
  void work() {
    while (true) {
      uint64_t begin = next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= count)
        return;
      body(task, begin, begin + step < count ? begin + step : count);
    }
  }
};

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t wake = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
Job *queue = nullptr;
unsigned numThreads = 0; ///< beside the caller; under the lock

} // namespace

/// Takes `job` off the queue, where it may be no longer. Under the lock.
static void unlink(Job &job) {
  for (Job **link = &queue; *link; link = &(*link)->after)
    if (*link == &job) {
      *link = job.after;
      return;
    }
}

static void *serve(void *) {
  pthread_mutex_lock(&lock);
  while (true) {
    while (!queue)
      pthread_cond_wait(&wake, &lock);
    Job &job = *queue;
    if (job.isExhausted()) {
      unlink(job);
      continue;
    }
    ++job.working;
    pthread_mutex_unlock(&lock);
    job.work();
    pthread_mutex_lock(&lock);
    if (--job.working == 0)
      pthread_cond_broadcast(&idle);
  }
  return nullptr;
}

static unsigned countProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : unsigned(count);
}

// A child process has none of the threads, and must not inherit a lock that one of them held.
static void beforeFork() { pthread_mutex_lock(&lock); }
static void afterForkInParent() { pthread_mutex_unlock(&lock); }
static void afterForkInChild() {
  queue = nullptr;
  numThreads = 0;
  pthread_mutex_unlock(&lock);
}

static void startOnce() {
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  unsigned wanted = countProcessors() - 1, started = 0;
  pthread_t thread;
  while (started < wanted && pthread_create(&thread, &attributes, serve, nullptr) == 0)
    ++started; // with fewer than wanted, the rest do the work
  pthread_attr_destroy(&attributes);
  pthread_mutex_lock(&lock);
  numThreads = started;
  pthread_mutex_unlock(&lock);
}

void startPool() { pthread_once(&once, startOnce); }

void runOnPool(uint64_t count, void (*body)(void *, uint64_t, uint64_t), void *task) {
  startPool();
  pthread_mutex_lock(&lock);
  uint64_t step = count / ((numThreads + 1) * rangesPerThread);
  step = step < 1 ? 1 : step > longestRange ? longestRange : step;
  Job job{count, step, body, task};
  bool shared = numThreads > 0 && count > step;
  if (shared) {
    Job **end = &queue;
    while (*end)
      end = &(*end)->after;
    *end = &job;
    pthread_cond_broadcast(&wake);
  }
  pthread_mutex_unlock(&lock);
  job.work();
  if (!shared)
    return;
  pthread_mutex_lock(&lock);
  unlink(job);
  while (job.working != 0)
    pthread_cond_wait(&idle, &lock);
  pthread_mutex_unlock(&lock);
}

} // namespace tilec
