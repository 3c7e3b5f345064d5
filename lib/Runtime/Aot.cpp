//===- Aot.cpp - Chooses the code of a launch ----------------------------*- C++ -*-===//
//
// The launcher in a compiled object stores its arguments in slots and calls tilec_aot_launch_v1,
// which goes from the kernel's table to one variant: the first configuration that has the wanted
// constexprs and accepts the arguments, then its most specific variant whose assumptions these
// arguments meet. All of that is a few comparisons of numbers. What takes a lock, memory or text
// (loading, errors) is in other files and happens at the first launch, or never.
//
//===-------------------------------------------------------------------------------===//

#include "Aot.h"
#include "Watch.h"

namespace tilec {
namespace {

constexpr tilec_launch_options defaultOptions = TILEC_LAUNCH_OPTIONS;
constexpr uint32_t knownFlags = TILEC_LAUNCH_GRID | TILEC_LAUNCH_CPU | TILEC_LAUNCH_DEPENDENT;

/// What the caller asks for.
struct LaunchRequest {
  const tilec_launch_options &options;
  const int64_t *constexprs;
  const uint64_t *slots;
};

/// What is launched.
struct Selection {
  const tilec_aot_config *config;
  const tilec_aot_variant *variant;
  int64_t grid[3];
  bool isEmpty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

/// Makes a context current for a scope, given what was current before.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, cu::Context current, cu::Context wanted) : driver(driver) {
    if (__builtin_expect(current == wanted, 1))
      return;
    failure = driver.cuCtxPushCurrent_v2(wanted);
    pushed = failure == cu::Success;
  }
  ~CurrentContext() {
    cu::Context popped = nullptr;
    if (__builtin_expect(pushed, 0))
      driver.cuCtxPopCurrent_v2(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  cu::Result result() const { return failure; }

private:
  const Driver &driver;
  cu::Result failure = cu::Success;
  bool pushed = false;
};

} // namespace

static bool areOptionsValid(const tilec_aot_kernel &kernel, const tilec_launch_options &options) {
  return isKnownVersion(kernel.version) && options.struct_size == sizeof(options) &&
         (options.flags & ~knownFlags) == 0 && options.reserved == 0 &&
         options.config <= kernel.num_configs;
}

/// Whether the configuration has all the values that the caller wants.
static inline bool hasValues(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                             const int64_t *wanted) {
  for (uint32_t i = 0; wanted && i < kernel.num_constexprs; ++i)
    if (wanted[i] != TILEC_ANY && wanted[i] != config.values[i])
      return false;
  return true;
}

/// The autotuner's configuration that was measured to be the fastest for these arguments: on this
/// very device, or else on one of the same architecture. 0 when nothing was measured.
static uint32_t findTuned(const tilec_aot_kernel &kernel, const DeviceClass &where,
                          const uint64_t *slots) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < kernel.num_tuned; ++i) {
    const tilec_aot_tuned &tuned = kernel.tuned[i];
    bool matches = tuned.level == where.level;
    for (uint32_t k = 0; k < kernel.num_keys && matches; ++k) {
      uint32_t index = kernel.key[k];
      matches = tuned.key[k] == readInteger(slots[index], kernel.params[index].type);
    }
    if (matches && (tuned.level == 0 || tuned.device == where.name))
      return tuned.tune;
    if (matches && !found)
      found = tuned.tune;
  }
  return found;
}

/// The first configuration that the caller's choices and the arguments leave. `tune`, unless 0,
/// is where it must come from.
static tilec_status chooseConfig(const tilec_aot_kernel &kernel, const LaunchRequest &request,
                                 uint32_t tune, const tilec_aot_config *&chosen) {
  const tilec_launch_options &options = request.options;
  uint32_t first = options.config ? options.config - 1 : 0;
  uint32_t end = options.config ? options.config : kernel.num_configs;
  for (uint32_t i = first; i < end; ++i) {
    const tilec_aot_config &config = kernel.configs[i];
    if ((tune && config.tune != tune) || !hasValues(kernel, config, request.constexprs))
      continue;
    int32_t accepted = config.accepts ? config.accepts(request.slots) : 1;
    if (accepted < 0)
      return makeExpressionError(kernel, config, "a heuristic or a condition", accepted);
    if (!accepted)
      continue;
    chosen = &config;
    return nullptr;
  }
  return nullptr;
}

/// The sign of an integer in a slot, and what of it is no multiple of 16.
static inline uint64_t bitsOfMultiples(uint32_t type) {
  constexpr uint64_t rest = 15;
  constexpr uint8_t bytes[] = {0, 0, 1, 0, 2, 0, 4, 0, 8, 8}; // With a sign; by tilec_type.
  unsigned signedBytes = type < sizeof(bytes) ? bytes[type] : 0;
  return signedBytes ? uint64_t(1) << (8 * signedBytes - 1) | rest : rest;
}

/// Whether the arguments whose bits are set are multiples of 16, and no integers below 0.
/// Parameters of a kind mostly stand together, so whole runs of them are joined.
static inline bool areAligned(const tilec_param *kinds, const uint64_t *slots, uint64_t params) {
  uint64_t bits = 0;
  while (params) {
    int begin = __builtin_ctzll(params);
    uint64_t beyond = ~(params >> begin);
    int end = begin + (beyond ? __builtin_ctzll(beyond) : 64);
    for (int i = begin; i < end; ++i)
      bits |= slots[i] & bitsOfMultiples(kinds[i].type);
    params &= end < 64 ? ~uint64_t(0) << end : 0;
  }
  return bits == 0;
}

/// Whether the arguments whose bits are set are 1: few, as a rule.
static inline bool areOnes(const uint64_t *slots, uint64_t params) {
  for (; params; params &= params - 1)
    if (slots[__builtin_ctzll(params)] != 1)
      return false;
  return true;
}

/// The first variant whose assumptions hold; the last one makes none. Looks at no parameter that
/// the variants say nothing about.
static inline const tilec_aot_variant &chooseVariant(const tilec_aot_kernel &kernel,
                                                     const tilec_aot_config &config,
                                                     const uint64_t *slots) {
  const tilec_aot_variant *variant = config.variants;
  while (!areOnes(slots, variant->ones) || !areAligned(kernel.params, slots, variant->aligned))
    ++variant;
  return *variant;
}

static tilec_status findGrid(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                             const tilec_launch_options &options, const uint64_t *slots,
                             int64_t (&grid)[3]) {
  if (options.flags & TILEC_LAUNCH_GRID) {
    for (int axis = 0; axis < 3; ++axis)
      grid[axis] = options.grid[axis];
  } else if (!config.grid) {
    return makeMissingGridError(kernel, config);
  } else if (int32_t result = config.grid(slots, grid)) {
    return makeExpressionError(kernel, config, "the grid", result);
  }
  bool negative = (grid[0] | grid[1] | grid[2]) < 0;
  return __builtin_expect(negative, 0) ? makeNegativeGridError(kernel, grid) : nullptr;
}

static uint64_t keyOf(const Driver &driver, cu::Context context) {
  unsigned long long id = 0;
  // Without numbers of contexts, an address that comes again is the same context.
  if (!driver.cuCtxGetId || driver.cuCtxGetId(context, &id) != cu::Success)
    return reinterpret_cast<uintptr_t>(context);
  return id;
}

/// Calls `use(target)` with the context of the launch current.
template <typename Use>
static tilec_status inTargetContext(const tilec_launch_options &options, const char *kernel,
                                    Use use) {
  LaunchTarget target{};
  if (tilec_status status = openDriver(target.driver))
    return status;
  const Driver &driver = *target.driver;
  cu::Context current = nullptr;
  if (cu::Result result = driver.cuCtxGetCurrent(&current))
    return makeDriverError({&driver, result, TILEC_OK, kernel},
                           "cannot ask for the current context");
  target.context = options.device ? options.device->context : current;
  if (__builtin_expect(!target.context, 0))
    if (tilec_status status =
            findOtherContext(driver, static_cast<cu::Stream>(options.stream), target.context))
      return status;
  CurrentContext scope(driver, current, target.context);
  if (__builtin_expect(scope.result() != cu::Success, 0))
    return makeDriverError({&driver, scope.result(), TILEC_OK, kernel},
                           "cannot make the context of the launch current");
  target.key = keyOf(driver, target.context);
  return use(target);
}

/// Chooses the configuration. `where` is needed for kernels with tuned choices.
static tilec_status selectConfig(const tilec_aot_kernel &kernel, const LaunchRequest &request,
                                 const DeviceClass *where, const tilec_aot_config *&config) {
  config = nullptr;
  if (where && !request.options.config)
    if (uint32_t tune = findTuned(kernel, *where, request.slots))
      if (tilec_status status = chooseConfig(kernel, request, tune, config))
        return status;
  if (!config)
    if (tilec_status status = chooseConfig(kernel, request, /*tune=*/0, config))
      return status;
  return config ? nullptr
                : makeConfigError(kernel, request.options, request.constexprs, request.slots);
}

/// Chooses configuration, grid and variant.
static tilec_status select(const tilec_aot_kernel &kernel, const LaunchRequest &request,
                           const DeviceClass *where, Selection &selection) {
  const tilec_aot_config *config = nullptr;
  if (tilec_status status = selectConfig(kernel, request, where, config))
    return status;
  if (tilec_status status =
          findGrid(kernel, *config, request.options, request.slots, selection.grid))
    return status;
  selection.config = config;
  selection.variant = &chooseVariant(kernel, *config, request.slots);
  return nullptr;
}

/// Launches what was selected in the context of `target`, which is current.
static tilec_status launchSelected(const tilec_aot_kernel &kernel, const Selection &selection,
                                   const LaunchRequest &request, const LaunchTarget &target) {
  auto *values = static_cast<void **>(__builtin_alloca((kernel.num_params + 1) * sizeof(void *)));
  for (uint32_t i = 0; i < kernel.num_params; ++i)
    values[i] = const_cast<uint64_t *>(request.slots + i);
  auto stream = static_cast<cu::Stream>(request.options.stream);
  bool dependent = request.options.flags & TILEC_LAUNCH_DEPENDENT;
  const tilec_kernel *loaded = findLoaded(*selection.variant, target.key);
  if (__builtin_expect(!loaded, 0))
    if (tilec_status status = loadVariant(kernel, *selection.variant, target, stream, loaded))
      return status;
  if (__builtin_expect(!isGridPossible(*loaded, selection.grid), 0))
    return makeGridError(*loaded, selection.grid);
  if (__builtin_expect(dependent, 0))
    if (tilec_status status = checkDependentLaunch(*loaded))
      return status;
  if (isWatched())
    noteVariant(kernel, *selection.config, *selection.variant);
  return launchGrid(*loaded, stream, selection.grid, values, dependent);
}

/// Whether the choice of a configuration depends on the device.
static bool isTuned(const tilec_aot_kernel &kernel, const LaunchRequest &request) {
  return kernel.num_tuned != 0 && !request.options.config;
}

static tilec_status launchOnGpu(const tilec_aot_kernel &kernel, const LaunchRequest &request) {
  Selection selection{};
  bool tuned = isTuned(kernel, request);
  if (!tuned) {
    if (tilec_status status = select(kernel, request, nullptr, selection))
      return status;
    if (selection.isEmpty())
      return nullptr;
  }
  return inTargetContext(
      request.options, kernel.name, [&](const LaunchTarget &target) -> tilec_status {
        if (!tuned)
          return launchSelected(kernel, selection, request, target);
        const DeviceClass *where = nullptr;
        if (tilec_status status = findDeviceClass(target, where))
          return status;
        if (tilec_status status = select(kernel, request, where, selection))
          return status;
        return selection.isEmpty() ? nullptr : launchSelected(kernel, selection, request, target);
      });
}

static tilec_status launchOnCpu(const tilec_aot_kernel &kernel, const LaunchRequest &request) {
  constexpr DeviceClass cpu{};
  Selection selection{};
  if (tilec_status status = select(kernel, request, &cpu, selection))
    return status;
  if (selection.isEmpty())
    return nullptr;
  const tilec_aot_image *image = findCpuImage(*selection.variant);
  if (!image)
    return makeNoCpuCodeError(kernel, *selection.variant);
  if (isWatched()) {
    noteVariant(kernel, *selection.config, *selection.variant);
    return runWatchedOnCpu(kernel, *image, request.options, request.slots, selection.grid);
  }
  return runOnCpu(kernel, *image, request.options, request.slots, selection.grid);
}

/// Fills `occupancy` for the code that the launch would run, which is loaded if need be.
static tilec_status findOccupancy(const tilec_aot_kernel &kernel, const LaunchRequest &request,
                                  tilec_occupancy &occupancy) {
  return inTargetContext(
      request.options, kernel.name, [&](const LaunchTarget &target) -> tilec_status {
        const DeviceClass *where = nullptr;
        if (isTuned(kernel, request))
          if (tilec_status status = findDeviceClass(target, where))
            return status;
        const tilec_aot_config *config = nullptr;
        if (tilec_status status = selectConfig(kernel, request, where, config))
          return status;
        const tilec_aot_variant &variant = chooseVariant(kernel, *config, request.slots);
        const tilec_kernel *loaded = findLoaded(variant, target.key);
        if (!loaded)
          if (tilec_status status = loadVariant(
                  kernel, variant, target, static_cast<cu::Stream>(request.options.stream), loaded))
            return status;
        return findResidentOccupancy(*loaded, occupancy);
      });
}

/// Calls `use(kernel, variant)` for every variant of the library until one fails.
template <typename Use>
static tilec_status forEachVariant(const tilec_aot_library &library, Use use) {
  for (uint32_t k = 0; k < library.num_kernels; ++k) {
    const tilec_aot_kernel &kernel = *library.kernels[k];
    for (uint32_t c = 0; c < kernel.num_configs; ++c)
      for (uint32_t v = 0; v < kernel.configs[c].num_variants; ++v)
        if (tilec_status status = use(kernel, kernel.configs[c].variants[v]))
          return status;
  }
  return nullptr;
}

static tilec_status prepareOnCpu(const tilec_aot_library &library,
                                 const tilec_launch_options &options) {
  if (!options.executor)
    startPool();
  return forEachVariant(
      library,
      [](const tilec_aot_kernel &kernel, const tilec_aot_variant &variant) -> tilec_status {
        return findCpuImage(variant) ? nullptr : makeNoCpuCodeError(kernel, variant);
      });
}

static tilec_status prepareOnGpu(const tilec_aot_library &library,
                                 const tilec_launch_options &options) {
  auto stream = static_cast<cu::Stream>(options.stream);
  return inTargetContext(options, nullptr, [&](const LaunchTarget &target) -> tilec_status {
    const DeviceClass *where = nullptr;
    if (tilec_status status = findDeviceClass(target, where))
      return status;
    return forEachVariant(
        library,
        [&](const tilec_aot_kernel &kernel, const tilec_aot_variant &variant) -> tilec_status {
          const tilec_kernel *loaded = findLoaded(variant, target.key);
          return loaded ? nullptr : loadVariant(kernel, variant, target, stream, loaded);
        });
  });
}

} // namespace tilec

tilec_status tilec_aot_launch_v1(const tilec_aot_kernel *kernel,
                                 const tilec_launch_options *options, const int64_t *constexprs,
                                 const uint64_t *slots) {
  using namespace tilec;
  if (!kernel || !slots)
    return makeNullError("tilec_aot_launch_v1", !kernel ? "kernel" : "slots");
  const tilec_launch_options &given = options ? *options : defaultOptions;
  if (__builtin_expect(!areOptionsValid(*kernel, given), 0))
    return makeOptionsError(kernel, given);
  LaunchRequest request{given, constexprs, slots};
  LaunchScope watched;
  return given.flags & TILEC_LAUNCH_CPU ? launchOnCpu(*kernel, request)
                                        : launchOnGpu(*kernel, request);
}

tilec_status tilec_aot_occupancy_v1(const tilec_aot_kernel *kernel,
                                    const tilec_launch_options *options, const int64_t *constexprs,
                                    const uint64_t *slots, tilec_occupancy *occupancy) {
  using namespace tilec;
  if (!kernel || !slots || !occupancy)
    return makeNullError("tilec_aot_occupancy_v1", !kernel  ? "kernel"
                                                   : !slots ? "slots"
                                                            : "occupancy");
  const tilec_launch_options &given = options ? *options : defaultOptions;
  if (!areOptionsValid(*kernel, given))
    return makeOptionsError(kernel, given);
  if (given.flags & TILEC_LAUNCH_CPU)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, kernel->name,
                           "occupancy is what a GPU holds at once; the launch is one on the CPU");
  if (tilec_status status = checkOccupancySize("tilec_aot_occupancy_v1", *occupancy))
    return status;
  return findOccupancy(*kernel, {given, constexprs, slots}, *occupancy);
}

tilec_status tilec_aot_prepare_v1(const tilec_aot_library *library,
                                  const tilec_launch_options *options) {
  using namespace tilec;
  if (!library)
    return makeNullError("tilec_aot_prepare_v1", "library");
  const tilec_launch_options &given = options ? *options : defaultOptions;
  tilec_aot_kernel anyKernel{};
  anyKernel.version = library->version;
  anyKernel.num_configs = UINT32_MAX;
  if (!areOptionsValid(anyKernel, given))
    return makeOptionsError(&anyKernel, given);
  if (given.config != 0)
    return makeError(TILEC_ERROR_INVALID_ARGUMENT,
                     "'config' of the options is for a launch of one kernel; all configurations "
                     "of all kernels are prepared");
  return given.flags & TILEC_LAUNCH_CPU ? prepareOnCpu(*library, given)
                                        : prepareOnGpu(*library, given);
}
