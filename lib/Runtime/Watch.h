//===- Watch.h - Who is told of launches ---------------------------------*- C++ -*-===//
//
// Launches can be marked as ranges for a profiler (Nvtx.cpp) and be recorded (Profile.cpp). Every
// launch asks one number whether anybody watches, which is all that it costs while nobody does.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_WATCH_H
#define TILEC_LIB_RUNTIME_WATCH_H

#include "Kernel.h"

#include "tilec/aot.h"

namespace tilec {

/// Who watches, as bits. `unknown` until somebody asks: the environment decides.
namespace watch {
enum : int { none = 0, marks = 1, profile = 2, unknown = -1 };
extern std::atomic<int> state;

/// The bits, once the environment has been read.
int find();

/// Adds a bit or takes it away.
void turn(int bit, bool on);
} // namespace watch

/// Whether anybody wants to know of launches.
inline bool isWatched() {
  int now = watch::state.load(std::memory_order_acquire);
  return __builtin_expect(now != watch::none, 0) &&
         (now != watch::unknown || watch::find() != watch::none);
}

/// Forgets at its end what was noted about this thread's launch, whatever became of it.
class LaunchScope {
public:
  LaunchScope() = default;
  ~LaunchScope() {
    if (__builtin_expect(isWatched(), 0))
      dropNotes();
  }
  LaunchScope(const LaunchScope &) = delete;
  LaunchScope &operator=(const LaunchScope &) = delete;

private:
  static void dropNotes();
};

/// Notes which code of an object this thread launches next.
void noteVariant(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                 const tilec_aot_variant &variant);

/// What launchGrid does while nobody watches.
tilec_status launchUnwatched(const tilec_kernel &kernel, cu::Stream stream,
                             const int64_t (&grid)[3], void **values, bool dependent);
/// The same for who watches.
tilec_status launchWatched(const tilec_kernel &kernel, cu::Stream stream, const int64_t (&grid)[3],
                           void **values, bool dependent);

/// runOnCpu for who watches, after noteVariant.
tilec_status runWatchedOnCpu(const tilec_aot_kernel &kernel, const tilec_aot_image &image,
                             const tilec_launch_options &options, const uint64_t *slots,
                             const int64_t (&grid)[3]);

/// A range of NVTX for the scope's life, if launches are marked.
class LaunchMark {
public:
  explicit LaunchMark(const char *name)
      : marked((watch::state.load(std::memory_order_relaxed) & watch::marks) != 0) {
    if (marked)
      push(name);
  }
  ~LaunchMark() {
    if (marked)
      pop();
  }
  LaunchMark(const LaunchMark &) = delete;
  LaunchMark &operator=(const LaunchMark &) = delete;

  /// Opens what takes the ranges; whether there is something.
  static bool open();
  /// Whether the environment asks for marks.
  static bool isWanted();

private:
  static void push(const char *name);
  static void pop();
  bool marked;
};

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_WATCH_H
