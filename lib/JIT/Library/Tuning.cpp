//===- Tuning.cpp - Which configuration a launch takes ----------*- C++ -*-===//
//
// As in Triton, the first launch for a key runs every configuration on its own arguments. That is
// wrong for kernels that change their inputs; since a pointer does not tell how much memory to
// save, those that say so (reset_to_zero, restore_value) must be tuned elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "tilec/JIT/DeviceTimer.h"
#include "tilec/JIT/HostTimer.h"

using namespace tilec;
using namespace tilec::library;

/// For each configuration; there may be many, and someone waits.
static TimingPlan tuningPlan() {
  TimingPlan plan;
  plan.warmupMs = 10;
  plan.budgetMs = 50;
  plan.mostWarmups = 5;
  plan.mostRuns = 40;
  return plan;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static TunedKey keyOf(const tilec_jit_kernel &kernel, void *const *arguments) {
  const tilec_jit_compiler &compiler = *kernel.module->compiler;
  TunedKey key;
  key.kernel = kernel.base.kernel;
  key.source = kernel.sourceHash;
  key.device = compiler.name;
  key.arch = compiler.place->isHost() ? "cpu" : compiler.place->backend().identity();
  auto add = [&](const std::string &name, const std::string &type) {
    key.types += (key.types.empty() ? "" : ", ") + name + "=" + type;
  };
  auto addType = [&](const Parameter &parameter) {
    add(parameter.name, parameter.type.signatureStr());
  };
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.descriptor)
      add(parameter.name, parameter.descriptor->str());
    else
      parameter.forEachArgument(addType);
  ArgumentValues values(kernel, arguments);
  for (const std::string &name : kernel.autotune->key) {
    bool isPointer = llvm::any_of(kernel.parameters, [&](const Parameter &parameter) {
      bool isArray = parameter.from == Parameter::From::Argument && parameter.type.isPointer();
      return parameter.name == name && (isArray || parameter.descriptor);
    });
    const ConstValue *value = isPointer ? nullptr : values.find(name);
    key.values.push_back({name, value ? value->str() : ""});
  }
  return key;
}

void Choice::refuse(const TuneConfig *which, const Failure &why) {
  refused.push_back(which);
  if (!refusal)
    refusal = why;
}

static bool knowsAll(const TunedEntry &entry, llvm::ArrayRef<TuneConfig> configs,
                     const Choice &choice) {
  return llvm::all_of(configs, [&](const TuneConfig &config) {
    return choice.isRefused(config) || entry.find(config.str());
  });
}

/// The fastest of those that are not refused, else the first; null if all are.
static const TuneConfig *pick(const TunedEntry &entry, llvm::ArrayRef<TuneConfig> configs,
                              const Choice &choice) {
  const TuneConfig *first = nullptr, *best = nullptr;
  double bestTime = 0;
  for (const TuneConfig &config : configs) {
    if (choice.isRefused(config))
      continue;
    first = first ? first : &config;
    const TunedEntry::Time *time = entry.find(config.str());
    if (!time || !time->microseconds || (best && *time->microseconds >= bestTime))
      continue;
    best = &config;
    bestTime = *time->microseconds;
  }
  return best ? best : first;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

static llvm::Error asError(const Failure &failure) {
  if (!failure)
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), failure.text);
}

/// Times a variant that is ready.
static llvm::Expected<Timing> timeVariant(const tilec_jit_kernel &kernel,
                                          const ReadyVariant &variant, const LaunchGrid &grid,
                                          void *const *arguments) {
  Place &place = *kernel.module->compiler->place;
  if (place.isHost())
    return measureOnHost(
        [&] { return asError(runVariant(kernel, variant, grid, nullptr, arguments)); },
        tuningPlan());
  Device device;
  if (Failure failure = place.device(device))
    return asError(failure);
  // What computes the arguments may still run in another stream.
  if (Status status = device.synchronize(); !status)
    return toError(status);
  auto timer = DeviceTimer::create(device);
  if (!timer)
    return timer.takeError();
  return timer->measure([&](unsigned) { return runOnDevice(variant, grid, nullptr, arguments); },
                        tuningPlan());
}

/// Microseconds of one configuration; nothing when the grid is empty, or when `choice` refuses it
/// from now on.
static llvm::Expected<std::optional<double>> timeOf(tilec_jit_kernel &kernel,
                                                    const TuneConfig &config,
                                                    const tilec_jit_launch_options *options,
                                                    void *const *arguments, Choice &choice) {
  TuneConfig decision;
  std::unique_ptr<ReadyVariant> ready;
  LaunchGrid grid;
  Failure failure = decide(kernel, &config, arguments, decision);
  if (!failure)
    failure = makeReady(kernel, decision, arguments, ready);
  if (!failure)
    if (Failure refusal = checkSuits(kernel, *ready, arguments)) {
      choice.refuse(&config, refusal);
      choice.variants.push_back(std::move(ready));
      return std::optional<double>();
    }
  if (!failure)
    failure = findGrid(kernel, *ready, options, arguments, grid);
  if (failure)
    return asError(failure);
  if (grid.isEmpty())
    return std::optional<double>();
  llvm::Expected<Timing> timing = timeVariant(kernel, *ready, grid, arguments);
  if (!timing)
    return timing.takeError();
  return std::optional<double>(timing->medianMs * 1e3);
}

/// Adds to `entry` what it does not know of configurations that suit; others are refused. An empty
/// grid leaves it as it is.
static Failure measure(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                       void *const *arguments, TunedEntry &entry, Choice &choice) {
  const Autotune &autotune = *kernel.autotune;
  if (!autotune.restoreValue.empty() || !autotune.resetToZero.empty())
    return {TILEC_ERROR_INVALID_ARGUMENT,
            "kernel '" + kernel.base.kernel +
                "' changes its inputs (restore_value, reset_to_zero), so it cannot be tuned with a "
                "launch's arguments; tune it with tilec-run --tune --tuned=FILE, or give a "
                "configuration"};
  std::string firstError;
  for (const TuneConfig &config : autotune.configs) {
    if (entry.find(config.str()) || choice.isRefused(config))
      continue;
    llvm::Expected<std::optional<double>> time = timeOf(kernel, config, options, arguments, choice);
    if (choice.isRefused(config))
      continue;
    if (time && !*time)
      return {};
    ++kernel.module->compiler->measurements;
    entry.times.push_back({config.str(), std::nullopt});
    if (time)
      entry.times.back().microseconds = **time;
    else if (firstError.empty())
      firstError = llvm::toString(time.takeError());
    else
      llvm::consumeError(time.takeError());
  }
  if (fastestConfig(entry, autotune.configs))
    return {};
  if (choice.refusal)
    return choice.refusal;
  return {TILEC_JIT_ERROR_COMPILE,
          "no configuration of '" + kernel.base.kernel + "' runs" +
              (firstError.empty() ? "" : "; the first says:\n" + firstError)};
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Fills in the choice: the configuration that is known to be the fastest, or the first.
static Failure chooseOne(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                         void *const *arguments, bool mayMeasure, Choice &choice) {
  if (!kernel.autotune)
    return {};
  llvm::ArrayRef<TuneConfig> configs = kernel.autotune->configs;
  TunedEntry entry;
  if (configs.size() > 1) {
    tilec_jit_compiler &compiler = *kernel.module->compiler;
    entry.key = keyOf(kernel, arguments);
    // Measurements would disturb each other.
    std::unique_lock<std::mutex> guard(compiler.tuningLock);
    if (const TunedEntry *known = compiler.tuned.find(entry.key))
      entry.times = known->times;
    bool isKnown = knowsAll(entry, configs, choice);
    if (!isKnown && compiler.tuning && mayMeasure) {
      if (Failure failure = measure(kernel, options, arguments, entry, choice))
        return failure;
      compiler.tuned.add(entry);
      isKnown = knowsAll(entry, configs, choice);
      if (isKnown && !compiler.tunedPath.empty())
        if (llvm::Error error = compiler.tuned.write(compiler.tunedPath)) {
          llvm::consumeError(std::move(error));
          ++compiler.tunedFailures;
        }
    }
    choice.isFinal = isKnown || !compiler.tuning;
  }
  choice.config = pick(entry, configs, choice);
  return choice.config ? Failure() : choice.refusal;
}

Failure library::chooseConfig(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                              void *const *arguments, bool mayMeasure, Choice &choice,
                              llvm::function_ref<Failure(const TuneConfig &)> make) {
  choice = Choice();
  for (;;) {
    if (Failure failure = chooseOne(kernel, options, arguments, mayMeasure, choice))
      return failure;
    TuneConfig decision;
    if (Failure failure = decide(kernel, choice.config, arguments, decision))
      return failure;
    Failure failure = make(decision);
    if (failure.code != TILEC_ERROR_NO_CONFIG || !choice.config)
      return failure;
    choice.refuse(choice.config, failure);
  }
}
