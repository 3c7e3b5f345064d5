//===- CpuLaunch.cpp - Runs compiled CPU code ----------------------------*- C++ -*-===//
//
// A launch on the CPU: each program is a call of the image's function. Programs run on an executor
// in ranges; each range borrows scratch memory, which is kept for later ones. The first assertion
// that fails stops programs that have not started.
//
//===-------------------------------------------------------------------------------===//

#include "Aot.h"

#include <cstdlib>
#include <new>
#include <pthread.h>

namespace tilec {
namespace {

/// What a failed assertion leaves behind; the layout is part of compiled code.
struct CpuFailure {
  int32_t claimed;
  int32_t line, column;
  int32_t program[3];
  const char *file;
  const char *message;
};

/// A block of scratch memory: this header, then memory aligned to 64.
struct Scratch {
  static constexpr size_t alignment = 64;
  Scratch *next;
  uint64_t bytes;
  void *memory() { return reinterpret_cast<char *>(this) + alignment; }
};
static_assert(sizeof(Scratch) <= Scratch::alignment);

struct CpuTask {
  tilec_aot_cpu_code code;
  const uint64_t *slots;
  uint64_t grid[3];
  uint64_t scratchBytes;
  CpuFailure failure;
  std::atomic<bool> outOfMemory;
};

pthread_mutex_t scratchLock = PTHREAD_MUTEX_INITIALIZER;
Scratch *freeScratch = nullptr;

} // namespace

/// A block of at least `bytes`, from those that were given back or new; null without memory. Does
/// not wait for the lock: in a child process, another thread may hold it for ever.
static Scratch *takeScratch(uint64_t bytes) {
  Scratch *scratch = nullptr;
  if (pthread_mutex_trylock(&scratchLock) == 0) {
    scratch = freeScratch;
    if (scratch)
      freeScratch = scratch->next;
    pthread_mutex_unlock(&scratchLock);
  }
  if (scratch && scratch->bytes >= bytes)
    return scratch;
  // A block that is too small goes, so that there are never more than threads at work.
  free(scratch);
  uint64_t rounded = (bytes + Scratch::alignment - 1) / Scratch::alignment * Scratch::alignment;
  void *memory = aligned_alloc(Scratch::alignment, Scratch::alignment + rounded);
  return memory ? new (memory) Scratch{nullptr, rounded} : nullptr;
}

static void giveBack(Scratch *scratch) {
  if (pthread_mutex_trylock(&scratchLock) != 0) {
    free(scratch);
    return;
  }
  scratch->next = freeScratch;
  freeScratch = scratch;
  pthread_mutex_unlock(&scratchLock);
}

static bool hasFailed(const CpuTask &task) {
  return __atomic_load_n(&task.failure.claimed, __ATOMIC_RELAXED) != 0 ||
         task.outOfMemory.load(std::memory_order_relaxed);
}

static void runRange(void *self, uint64_t begin, uint64_t end) {
  auto &task = *static_cast<CpuTask *>(self);
  if (hasFailed(task))
    return;
  Scratch *scratch = task.scratchBytes ? takeScratch(task.scratchBytes) : nullptr;
  if (task.scratchBytes && !scratch) {
    task.outOfMemory.store(true, std::memory_order_relaxed);
    return;
  }
  const uint64_t (&grid)[3] = task.grid;
  int32_t position[6] = {int32_t(begin % grid[0]),
                         int32_t(begin / grid[0] % grid[1]),
                         int32_t(begin / grid[0] / grid[1]),
                         int32_t(grid[0]),
                         int32_t(grid[1]),
                         int32_t(grid[2])};
  for (uint64_t program = begin; program < end && !hasFailed(task); ++program) {
    task.code(task.slots, position, scratch ? scratch->memory() : nullptr, &task.failure);
    for (int axis = 0; axis < 3 && ++position[axis] == position[axis + 3] && axis < 2; ++axis)
      position[axis] = 0;
  }
  if (scratch)
    giveBack(scratch);
}

static tilec_status makeAssertionError(const char *kernel, const CpuFailure &failure) {
  const char *message = failure.message ? failure.message : "";
  const char *separator = *message ? ": " : "";
  const int32_t (&program)[3] = failure.program;
  if (failure.line > 0)
    return makeKernelError(TILEC_ERROR_ASSERTION, kernel,
                           "%s:%d:%d: assertion failed in program (%d, %d, %d)%s%s", failure.file,
                           failure.line, failure.column, program[0], program[1], program[2],
                           separator, message);
  return makeKernelError(TILEC_ERROR_ASSERTION, kernel,
                         "assertion failed in program (%d, %d, %d)%s%s", program[0], program[1],
                         program[2], separator, message);
}

/// The limits of CUDA, so that what runs here runs there.
static tilec_status checkGrid(const char *kernel, const int64_t (&grid)[3]) {
  constexpr int64_t limits[] = {INT32_MAX, 65535, 65535};
  for (int axis = 0; axis < 3; ++axis)
    if (grid[axis] > limits[axis])
      return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel,
                             "the grid %lld x %lld x %lld is not possible: %c must be from 0 to "
                             "%lld",
                             static_cast<long long>(grid[0]), static_cast<long long>(grid[1]),
                             static_cast<long long>(grid[2]), "xyz"[axis],
                             static_cast<long long>(limits[axis]));
  return nullptr;
}

tilec_status runOnCpu(const tilec_aot_kernel &kernel, const tilec_aot_image &image,
                      const tilec_launch_options &options, const uint64_t *slots,
                      const int64_t (&grid)[3]) {
  if (tilec_status status = checkGrid(kernel.name, grid))
    return status;
  CpuTask task{image.image.code, slots, {uint64_t(grid[0]), uint64_t(grid[1]), uint64_t(grid[2])},
               image.bytes,      {},    {false}};
  uint64_t count = task.grid[0] * task.grid[1] * task.grid[2]; // below 2^63 by the limits
  const tilec_executor *executor = options.executor;
  if (!executor)
    runOnPool(count, runRange, &task);
  else if (executor->struct_size != sizeof(*executor) || !executor->for_each)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, kernel.name,
                           "the executor has %u bytes, expected %zu, or no function",
                           executor->struct_size, sizeof(*executor));
  else
    executor->for_each(executor->self, count, runRange, &task);
  if (task.outOfMemory.load(std::memory_order_relaxed))
    return makeKernelError(TILEC_ERROR_OUT_OF_HOST_MEMORY, kernel.name,
                           "no host memory for the %llu bytes of scratch that a thread needs",
                           static_cast<unsigned long long>(image.bytes));
  return task.failure.claimed ? makeAssertionError(kernel.name, task.failure) : nullptr;
}

//===-------------------------------------------------------------------------------===//
// Which code
//===-------------------------------------------------------------------------------===//

/// The level of x86-64 that this processor and its operating system have; 1 for aarch64, which has
/// no others; 0 for processors that there is no code for.
static uint32_t findLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return 4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
#elif defined(__aarch64__)
  return 1;
#else
  return 0;
#endif
}

const tilec_aot_image *findCpuImage(const tilec_aot_variant &variant) {
  static std::atomic<uint32_t> known{UINT32_MAX};
  uint32_t level = known.load(std::memory_order_relaxed);
  if (level == UINT32_MAX)
    known.store(level = findLevel(), std::memory_order_relaxed);
  const tilec_aot_image *best = nullptr;
  for (uint32_t i = 0; i < variant.num_images; ++i) {
    const tilec_aot_image &image = variant.images[i];
    if (image.kind == TILEC_AOT_CPU && image.level <= level && (!best || image.level > best->level))
      best = &image;
  }
  return best;
}

} // namespace tilec
