//===- LaunchApi.cpp - tilec_jit_launch and its relatives -------*- C++ -*-===//
//
// Without decorators, the class of the arguments decides the variant, which a table gives without a
// lock. With them, values of arguments decide too; what they decided is looked up under a lock that
// launches share.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

using namespace tilec;
using namespace tilec::library;
using llvm::StringRef;

/// How many freezes have no thaw yet.
static std::atomic<int> freezes{0};

/// The error of cold work in a launch while that is forbidden.
static Failure checkThawed(const tilec_jit_kernel &kernel, bool isLaunch) {
  if (!isLaunch || freezes.load(std::memory_order_relaxed) <= 0)
    return {};
  return {TILEC_ERROR_NOT_PREPARED, "kernel '" + kernel.base.kernel +
                                        "' is not prepared for this class of arguments, and "
                                        "compiling is frozen; prepare before tilec_jit_freeze"};
}

/// Decisions that a kernel remembers; more would be a value that differs at each launch.
static constexpr size_t maxDecisions = 4096;
/// The same of one key, by conditions.
static constexpr size_t maxDecisionsOfKey = 64;

/// What decides the variant of a decorated kernel: classes, then the bits of the arguments that
/// configurations and heuristics look at.
static std::vector<uint64_t> decisionKey(const tilec_jit_kernel &kernel, const ClassKey &classes,
                                         void *const *arguments) {
  std::vector<uint64_t> key(classes.begin(), classes.end());
  for (unsigned argument : kernel.deciding)
    key.push_back(uint64_t(readInteger(kernel.rules[argument].bitsType(), arguments[argument])));
  return key;
}

static Failure findPlain(tilec_jit_kernel &kernel, void *const *arguments, bool isLaunch,
                         const ReadyVariant *&result) {
  ClassKey classes = classify(kernel.rules, arguments);
  result = kernel.table.find(classes);
  if (result)
    return checkSuits(kernel, *result, arguments);
  if (Failure failure = checkThawed(kernel, isLaunch))
    return failure;
  std::unique_ptr<ReadyVariant> ready;
  if (Failure failure = makeReady(kernel, TuneConfig(), arguments, ready))
    return failure;
  result = kernel.table.add(classes, std::move(ready));
  return checkSuits(kernel, *result, arguments);
}

/// The decision that was made for such arguments before, if there is one. Needs the lock.
static std::shared_ptr<const ReadyVariant> findDecision(const tilec_jit_kernel &kernel,
                                                        const std::vector<uint64_t> &key,
                                                        void *const *arguments) {
  auto isSuited = [&](const std::shared_ptr<const ReadyVariant> &variant) {
    return suits(kernel, *variant, arguments);
  };
  auto known = kernel.decided.find(key);
  if (known == kernel.decided.end())
    return nullptr;
  for (const Decision &decision : known->second)
    if (isSuited(decision.variant) && llvm::none_of(decision.refused, isSuited))
      return decision.variant;
  return nullptr;
}

static void remember(tilec_jit_kernel &kernel, std::vector<uint64_t> key, Decision decision) {
  std::unique_lock<std::shared_mutex> guard(kernel.decidedLock);
  if (kernel.decided.size() >= maxDecisions)
    kernel.decided.clear();
  std::vector<Decision> &decisions = kernel.decided[std::move(key)];
  if (decisions.size() >= maxDecisionsOfKey)
    decisions.clear();
  decisions.push_back(std::move(decision));
}

static Failure findDecorated(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                             void *const *arguments, bool isLaunch,
                             std::shared_ptr<const ReadyVariant> &result) {
  std::vector<uint64_t> key = decisionKey(kernel, classify(kernel.rules, arguments), arguments);
  {
    std::shared_lock<std::shared_mutex> guard(kernel.decidedLock);
    if ((result = findDecision(kernel, key, arguments)))
      return {};
  }
  if (Failure failure = checkThawed(kernel, isLaunch))
    return failure;
  Choice choice;
  auto make = [&](const TuneConfig &decision) -> Failure {
    std::unique_ptr<ReadyVariant> ready;
    if (Failure failure = makeReady(kernel, decision, arguments, ready))
      return failure;
    result = std::move(ready);
    Failure refusal = checkSuits(kernel, *result, arguments);
    if (refusal)
      choice.variants.push_back(result);
    return refusal;
  };
  if (Failure failure = chooseConfig(kernel, options, arguments, isLaunch, choice, make))
    return failure;
  if (choice.isFinal)
    remember(kernel, std::move(key), {result, std::move(choice.variants)});
  return {};
}

/// The variant for a launch, ready to run; `owner` keeps it alive. Only a launch measures.
static Failure findVariant(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                           void *const *arguments, bool isLaunch, const ReadyVariant *&result,
                           std::shared_ptr<const ReadyVariant> &owner) {
  if (Failure failure = checkDescriptors(kernel, arguments))
    return failure;
  if (!kernel.isDecorated())
    return findPlain(kernel, arguments, isLaunch, result);
  Failure failure = findDecorated(kernel, options, arguments, isLaunch, owner);
  result = owner.get();
  return failure;
}

static Failure launch(tilec_jit_kernel &kernel, const tilec_jit_launch_options *options,
                      void *const *arguments) {
  const ReadyVariant *variant = nullptr;
  std::shared_ptr<const ReadyVariant> owner;
  if (Failure failure = findVariant(kernel, options, arguments, /*isLaunch=*/true, variant, owner))
    return failure;
  LaunchGrid grid;
  if (Failure failure = findGrid(kernel, *variant, options, arguments, grid))
    return failure;
  if (grid.isEmpty() && grid.x >= 0 && grid.y >= 0 && grid.z >= 0)
    return {};
  return runVariant(kernel, *variant, grid, options ? options->stream : nullptr, arguments);
}

void tilec_jit_freeze(void) { freezes.fetch_add(1, std::memory_order_relaxed); }
void tilec_jit_thaw(void) { freezes.fetch_sub(1, std::memory_order_relaxed); }

/// Null arguments of the C interface.
static Failure checkCall(const tilec_jit_kernel *kernel, void *const *arguments,
                         const char *function) {
  if (!kernel || (!kernel->rules.empty() && !arguments))
    return {TILEC_ERROR_INVALID_ARGUMENT, llvm::Twine(function) + ": an argument is null"};
  return {};
}

tilec_jit_error tilec_jit_launch(tilec_jit_kernel *kernel, const tilec_jit_launch_options *options,
                                 void *const *arguments) {
  if (Failure failure = checkCall(kernel, arguments, "tilec_jit_launch"))
    return toC(failure);
  Failure failure = launch(*kernel, options, arguments);
  takeAmounts(); // Where it came to no launch.
  return toC(failure);
}

tilec_jit_error tilec_jit_prepare(tilec_jit_kernel *kernel, void *const *arguments) {
  if (Failure failure = checkCall(kernel, arguments, "tilec_jit_prepare"))
    return toC(failure);
  const ReadyVariant *variant = nullptr;
  std::shared_ptr<const ReadyVariant> owner;
  return toC(findVariant(*kernel, nullptr, arguments, /*isLaunch=*/false, variant, owner));
}

tilec_jit_error tilec_jit_code(tilec_jit_kernel *kernel, void *const *arguments,
                               tilec_jit_text *code) {
  Failure failure = checkCall(kernel, arguments, "tilec_jit_code");
  if (!failure && !code)
    failure = {TILEC_ERROR_INVALID_ARGUMENT, "tilec_jit_code: 'code' is null"};
  if (!failure)
    failure = checkDescriptors(*kernel, arguments);
  Choice choice;
  std::shared_ptr<StoredKernel> stored;
  auto make = [&](const TuneConfig &decision) -> Failure {
    CodeRequest request = makeRequest(*kernel, classify(kernel->rules, arguments), decision);
    if (Failure failure = kernel->module->compiler->kernels.get(request, stored))
      return failure;
    return checkSuits(*kernel, stored->code(), decision.values, arguments);
  };
  if (!failure)
    failure = chooseConfig(*kernel, nullptr, arguments, /*mayMeasure=*/false, choice, make);
  if (failure)
    return toC(failure);
  *code = copyText(stored->code().code());
  return nullptr;
}
