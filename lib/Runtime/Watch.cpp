//===- Watch.cpp - What is told of launches ------------------------------*- C++ -*-===//
//
// Puts together what is known of a launch: the name of the kernel with its constants, which is also
// what Nsight shows, the types of the parameters with what the variant assumes of them, and what
// the program says itself. Notes wait in the thread until the launch happens or fails.
//
//===-------------------------------------------------------------------------------===//

#include "Watch.h"

#include "Aot.h"
#include "Profile.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <pthread.h>

namespace tilec {

//===-------------------------------------------------------------------------------===//
// Who watches
//===-------------------------------------------------------------------------------===//

std::atomic<int> watch::state{watch::unknown};

static void readEnvironment() {
  int bits = watch::none;
  if (LaunchMark::isWanted() && LaunchMark::open())
    bits |= watch::marks;
  if (startProfileOfEnvironment())
    bits |= watch::profile;
  watch::state.store(bits, std::memory_order_release);
}

int watch::find() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, readEnvironment);
  return state.load(std::memory_order_acquire);
}

void watch::turn(int bit, bool on) {
  find();
  if (on)
    state.fetch_or(bit, std::memory_order_acq_rel);
  else
    state.fetch_and(~bit, std::memory_order_acq_rel);
}

//===-------------------------------------------------------------------------------===//
// Notes
//===-------------------------------------------------------------------------------===//

namespace {

struct Notes {
  const tilec_aot_kernel *kernel;
  const tilec_aot_config *config;
  const tilec_aot_variant *variant;
  tilec_profile_facts facts;
};

/// Text that stops where its place is full.
template <size_t size> class ShortText {
public:
  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int written = vsnprintf(text + length, size - length, format, args);
    va_end(args);
    if (written > 0)
      length += size_t(written) < size - length ? size_t(written) : size - length - 1;
  }
  bool isEmpty() const { return length == 0; }
  const char *str() const { return text; }

private:
  char text[size] = {};
  size_t length = 0;
};

} // namespace

static __thread Notes notes;

void LaunchScope::dropNotes() { notes = {}; }

void noteVariant(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                 const tilec_aot_variant &variant) {
  notes.kernel = &kernel;
  notes.config = &config;
  notes.variant = &variant;
}

namespace {

/// What is known of the launch that this thread is about to make.
class NotedLaunch {
public:
  NotedLaunch(const char *kernel, const int64_t (&grid)[3]);
  LaunchFacts facts;
  /// "scale (BLOCK=64, num_warps=4)".
  ShortText<512> name;

private:
  void readConstants(const tilec_aot_config &config);
  void readSignature(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant);

  ShortText<384> constants;
  ShortText<2048> signature;
};

} // namespace

/// What an object says of a configuration, without the condition behind it.
void NotedLaunch::readConstants(const tilec_aot_config &config) {
  const char *text = config.text ? config.text : "";
  const char *condition = strncmp(text, "if ", 3) == 0 ? text : strstr(text, " if ");
  constants.add("%.*s", int(condition ? condition - text : ptrdiff_t(strlen(text))), text);
}

void NotedLaunch::readSignature(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant) {
  constexpr uint32_t mostAssumed = 64; // of which variants say something
  for (uint32_t i = 0; i < kernel.num_params; ++i) {
    const tilec_param &param = kernel.params[i];
    uint64_t bit = i < mostAssumed ? uint64_t(1) << i : 0;
    if (!signature.isEmpty())
      signature.add(", ");
    if (param.name && *param.name)
      signature.add("%s=", param.name);
    signature.add("%s%s%s", param.type >= TILEC_TYPE_POINTER ? "*" : "", typeName(param.type),
                  variant.ones & bit      ? ":1"
                  : variant.aligned & bit ? ":16"
                                          : "");
  }
}

NotedLaunch::NotedLaunch(const char *kernel, const int64_t (&grid)[3])
    : facts{
          kernel, "", "", notes.facts.bytes, notes.facts.operations, {grid[0], grid[1], grid[2]}} {
  if (notes.config && !notes.facts.constants)
    readConstants(*notes.config);
  if (notes.variant && !notes.facts.signature)
    readSignature(*notes.kernel, *notes.variant);
  facts.constants = notes.facts.constants ? notes.facts.constants : constants.str();
  facts.signature = notes.facts.signature ? notes.facts.signature : signature.str();
  name.add(*facts.constants ? "%s (%s)" : "%s", kernel, facts.constants);
}

//===-------------------------------------------------------------------------------===//
// Launching
//===-------------------------------------------------------------------------------===//

tilec_status launchWatched(const tilec_kernel &kernel, cu::Stream stream, const int64_t (&grid)[3],
                           void **values, bool dependent) {
  NotedLaunch launch(kernel.info.name, grid);
  LaunchMark mark(launch.name.str());
  if (!isProfiling())
    return launchUnwatched(kernel, stream, grid, values, dependent);
  DeviceSpan span(kernel, stream);
  tilec_status status = launchUnwatched(kernel, stream, grid, values, dependent);
  span.end(launch.facts, /*launched=*/!status);
  return status;
}

tilec_status runWatchedOnCpu(const tilec_aot_kernel &kernel, const tilec_aot_image &image,
                             const tilec_launch_options &options, const uint64_t *slots,
                             const int64_t (&grid)[3]) {
  NotedLaunch launch(kernel.name, grid);
  LaunchMark mark(launch.name.str());
  uint64_t begin = tilec_profile_clock();
  tilec_status status = runOnCpu(kernel, image, options, slots, grid);
  if (!status && isProfiling())
    recordOnHost(launch.facts, nullptr, begin, tilec_profile_clock());
  return status;
}

} // namespace tilec

void tilec_profile_describe(const tilec_profile_facts *facts) {
  using namespace tilec;
  if (facts && facts->struct_size == sizeof(*facts) && isWatched())
    notes.facts = *facts;
}
