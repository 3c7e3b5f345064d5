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

namespace tilec {
namespace {

constexpr tilec_launch_options defaultOptions = TILEC_LAUNCH_OPTIONS;
constexpr uint32_t knownFlags = TILEC_LAUNCH_GRID | TILEC_LAUNCH_CPU | TILEC_LAUNCH_DEPENDENT;

/// Which parameters have the properties that variants assume.
struct Properties {
  uint64_t aligned = 0, ones = 0;
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
  return kernel.version == TILEC_AOT_VERSION && options.struct_size == sizeof(options) &&
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

/// The first configuration that the caller's choices and the arguments leave.
static tilec_status chooseConfig(const tilec_aot_kernel &kernel,
                                 const tilec_launch_options &options, const int64_t *constexprs,
                                 const uint64_t *slots, const tilec_aot_config *&chosen) {
  uint32_t first = options.config ? options.config - 1 : 0;
  uint32_t end = options.config ? options.config : kernel.num_configs;
  for (uint32_t i = first; i < end; ++i) {
    const tilec_aot_config &config = kernel.configs[i];
    if (!hasValues(kernel, config, constexprs))
      continue;
    int32_t accepted = config.accepts ? config.accepts(slots) : 1;
    if (accepted < 0)
      return makeExpressionError(kernel, config, "a heuristic", accepted);
    if (!accepted)
      continue;
    chosen = &config;
    return nullptr;
  }
  return makeConfigError(kernel, options, constexprs);
}

static inline Properties findProperties(const uint64_t *slots, uint32_t count) {
  Properties found;
  constexpr uint64_t alignment = 16;
  for (uint32_t i = 0; i < count; ++i) {
    found.aligned |= uint64_t(slots[i] % alignment == 0) << i;
    found.ones |= uint64_t(slots[i] == 1) << i;
  }
  return found;
}

/// The first variant whose assumptions hold; the last one makes none.
static inline const tilec_aot_variant &chooseVariant(const tilec_aot_kernel &kernel,
                                                     const tilec_aot_config &config,
                                                     const uint64_t *slots) {
  const tilec_aot_variant *variant = config.variants;
  if (config.num_variants == 1)
    return *variant;
  Properties has = findProperties(slots, kernel.num_params < 64 ? kernel.num_params : 64);
  while ((variant->aligned & ~has.aligned) | (variant->ones & ~has.ones))
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

static tilec_status launchOnGpu(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                                const tilec_launch_options &options, const uint64_t *slots,
                                const int64_t (&grid)[3]) {
  auto *values = static_cast<void **>(__builtin_alloca((kernel.num_params + 1) * sizeof(void *)));
  for (uint32_t i = 0; i < kernel.num_params; ++i)
    values[i] = const_cast<uint64_t *>(slots + i);
  auto stream = static_cast<cu::Stream>(options.stream);
  bool dependent = options.flags & TILEC_LAUNCH_DEPENDENT;
  return inTargetContext(options, kernel.name, [&](const LaunchTarget &target) -> tilec_status {
    const tilec_kernel *loaded = findLoaded(variant, target.key);
    if (__builtin_expect(!loaded, 0))
      if (tilec_status status = loadVariant(kernel, variant, target, stream, loaded))
        return status;
    if (__builtin_expect(!isGridPossible(*loaded, grid), 0))
      return makeGridError(*loaded, grid);
    if (__builtin_expect(dependent, 0))
      if (tilec_status status = checkDependentLaunch(*loaded))
        return status;
    return launchGrid(*loaded, stream, grid, values, dependent);
  });
}

static tilec_status launch(const tilec_aot_kernel &kernel, const tilec_launch_options &options,
                           const int64_t *constexprs, const uint64_t *slots) {
  const tilec_aot_config *config = nullptr;
  if (tilec_status status = chooseConfig(kernel, options, constexprs, slots, config))
    return status;
  int64_t grid[3];
  if (tilec_status status = findGrid(kernel, *config, options, slots, grid))
    return status;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return nullptr;
  const tilec_aot_variant &variant = chooseVariant(kernel, *config, slots);
  LaunchMark mark(kernel.name);
  if (!(options.flags & TILEC_LAUNCH_CPU))
    return launchOnGpu(kernel, variant, options, slots, grid);
  const tilec_aot_image *image = findCpuImage(variant);
  return image ? launchOnCpu(kernel, *image, options, slots, grid)
               : makeNoCpuCodeError(kernel, variant);
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
  return inTargetContext(options, nullptr, [&](const LaunchTarget &target) {
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
  return launch(*kernel, given, constexprs, slots);
}

tilec_status tilec_aot_prepare_v1(const tilec_aot_library *library,
                                  const tilec_launch_options *options) {
  using namespace tilec;
  if (!library)
    return makeNullError("tilec_aot_prepare_v1", "library");
  const tilec_launch_options &given = options ? *options : defaultOptions;
  tilec_aot_kernel anyKernel{};
  anyKernel.version = library->version;
  if (!areOptionsValid(anyKernel, given))
    return makeOptionsError(&anyKernel, given);
  return given.flags & TILEC_LAUNCH_CPU ? prepareOnCpu(*library, given)
                                        : prepareOnGpu(*library, given);
}
