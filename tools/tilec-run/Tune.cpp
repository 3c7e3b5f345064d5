//===- Tune.cpp - which configuration is the fastest -----------*- C++ -*-===//
//
// Measures the configurations of @triton.autotune for the given arguments, as far as the file of
// --tuned does not know them, prints the times, and adds them to the file. Arrays get their
// contents back after each configuration, since runs change them. A configuration that fails is
// noted as such and does not end the measurements.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "Progress.h"
#include "tilec/JIT/HostArray.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>

using namespace tilec;

/// For each configuration; there may be many.
static TimingPlan tuningPlan() {
  TimingPlan plan;
  plan.warmupMs = 25;
  plan.budgetMs = 100;
  return plan;
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// Copies of the arrays, which runs of a kernel change.
class Contents {
public:
  explicit Contents(llvm::ArrayRef<NamedArgument> arguments) {
    forEachArray(arguments, [&](const NamedArgument &argument) {
      const uint8_t *data = argument.array->data();
      saved.push_back({argument.array, std::vector<uint8_t>(data, data + argument.array->bytes())});
    });
  }
  ~Contents() { restore(); }
  void restore() {
    for (auto &[array, bytes] : saved)
      memcpy(array->data(), bytes.data(), bytes.size());
  }

private:
  std::vector<std::pair<HostArray *, std::vector<uint8_t>>> saved;
};
} // namespace

Tuner::Tuner(const CommandLine &line, const Preparer &preparer, Compilation &compilation,
             const ast::FunctionDef &function, const KernelDecorators &decorators)
    : line(line), preparer(preparer), compilation(compilation), function(function),
      autotune(*decorators.autotune), heuristics(decorators.heuristics) {
  const Machine &machine = preparer.target();
  CodeOptions code;
  code.arch = line.arch;
  std::optional<GpuArch> arch = machine.arch(code);
  entry.key.kernel = function.name.str();
  entry.key.source = hashKernel(*compilation.tree(), function, compilation.imports().search());
  entry.key.device = machine.name();
  entry.key.arch = !arch       ? "cpu"
                   : line.arch ? line.arch->name()
                               : "sm_" + std::to_string(arch->number());
  entry.key.types = preparer.typesOf(function);
  for (const std::string &name : autotune.key)
    entry.key.values.push_back({name, preparer.valueOf(name)});
}

llvm::Error Tuner::readFile() {
  llvm::Expected<TunedFile> file = TunedFile::read(line.tuned);
  if (!file)
    return file.takeError();
  if (const TunedEntry *known = file->find(entry.key))
    entry.times = known->times;
  return llvm::Error::success();
}

bool Tuner::isMeasured(const TuneConfig &config) const {
  const TunedEntry::Time *time = entry.find(config.str());
  return time && time->microseconds;
}

/// Which condition forbids the configuration; empty if none does. One that does not compile has
/// none: its errors are reported when it is to run.
std::string Tuner::refusalOf(const TuneConfig &config) const {
  std::string refusal;
  Compilation own(llvm::nulls());
  if (own.loadSame(compilation) &&
      preparer.findRefusal(own, *own.tree()->findFunction(function.name), config, heuristics,
                           refusal))
    return refusal;
  return "";
}

const TuneConfig *Tuner::choose(std::string &refusal) const {
  std::vector<std::pair<double, size_t>> order; // Those that were not measured last, as they come.
  for (auto [index, config] : llvm::enumerate(autotune.configs))
    order.push_back(
        {isMeasured(config) ? *entry.find(config.str())->microseconds : HUGE_VAL, index});
  llvm::sort(order);
  for (auto [time, index] : order) {
    const TuneConfig &config = autotune.configs[index];
    std::string reason = refusalOf(config);
    if (reason.empty())
      return &config;
    if (refusal.empty())
      refusal = reason;
  }
  return nullptr;
}

/// Microseconds. Errors go into the result, not to the user: others may work.
llvm::Expected<double> Tuner::timeOf(const TuneConfig &config) {
  std::string messages;
  llvm::raw_string_ostream os(messages);
  PreparedKernel prepared;
  bool fine;
  {
    Compilation own(os);
    fine =
        own.loadSame(compilation) && preparer.prepare(own, *own.tree()->findFunction(function.name),
                                                      &config, heuristics, prepared);
  }
  if (!fine)
    return makeError(llvm::StringRef(messages).rtrim());
  if (prepared.grid.isEmpty())
    return makeError("there is nothing to measure: the grid is empty");
  // Elements of tuples have names of their own, the array of a descriptor that of the argument.
  forEachArray(preparer.inputs(), [&](const NamedArgument &argument) {
    if (llvm::is_contained(autotune.resetToZero, argument.name))
      memset(argument.array->data(), 0, argument.array->bytes());
  });
  llvm::Expected<Timing> timing =
      prepared.kernel->measure(prepared.grid, prepared.values, tuningPlan());
  return timing ? llvm::Expected<double>(timing->medianMs * 1e3) : timing.takeError();
}

llvm::Error Tuner::measure() {
  std::vector<const TuneConfig *> wanted;
  for (const TuneConfig &config : autotune.configs)
    if (!entry.find(config.str()))
      wanted.push_back(&config);
  std::string firstError;
  {
    Contents contents(preparer.inputs());
    Progress progress(unsigned(wanted.size()));
    for (const TuneConfig *config : wanted) {
      progress.step(config->str());
      // With other arguments it may run, so nothing is noted of it.
      if (std::string refusal = refusalOf(*config); !refusal.empty()) {
        if (firstError.empty())
          firstError = refusal;
        continue;
      }
      llvm::Expected<double> time = timeOf(*config);
      entry.times.push_back({config->str(), std::nullopt});
      if (time)
        entry.times.back().microseconds = *time;
      else if (firstError.empty())
        firstError = llvm::toString(time.takeError());
      else
        llvm::consumeError(time.takeError());
      contents.restore();
    }
  }
  if (!fastestConfig(entry, autotune.configs))
    return makeError("no configuration of '" + function.name + "' runs" +
                     (firstError.empty() ? "" : "; the first says:\n" + firstError));
  print();
  if (line.tuned.empty())
    return llvm::Error::success();
  TunedFile file;
  file.add(entry);
  return file.write(line.tuned);
}

void Tuner::print() const {
  std::vector<std::pair<double, std::string>> times; // Infinite: it does not run.
  for (const TuneConfig &config : autotune.configs)
    if (const TunedEntry::Time *time = entry.find(config.str()))
      times.push_back({time->microseconds.value_or(HUGE_VAL), config.str()});
  llvm::sort(times);
  llvm::outs() << function.name << " on " << entry.key.device;
  for (const auto &[name, value] : entry.key.values)
    llvm::outs() << ", " << name << "=" << value;
  llvm::outs() << "\n";
  for (const auto &[time, config] : times) {
    if (std::isfinite(time))
      llvm::outs() << llvm::format("%12.2f us  ", time);
    else
      llvm::outs() << "      failed     ";
    llvm::outs() << config << "\n";
  }
  for (const TuneConfig &config : autotune.configs)
    if (!entry.find(config.str()))
      llvm::outs() << "  not for these  " << config.str() << "\n";
}
