//===- CpuMachine.cpp - Kernels on this process's processor -----*- C++ -*-===//
//
// The Machine of the processor: compiles kernels by HostKernel and runs their programs on a pool of
// threads. Arrays of the host need no copies here. Grids are limited as CUDA limits them, so that a
// kernel that runs here runs on a GPU, too.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DeviceTimer.h"
#include "tilec/JIT/HostTimer.h"
#include "tilec/JIT/Machine.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace tilec;

namespace {

class CpuKernel : public LoadedKernel {
public:
  CpuKernel(HostThreads &threads, HostMonitor *monitor, std::unique_ptr<HostKernel> kernel,
            std::string place)
      : threads(threads), monitor(monitor), kernel(std::move(kernel)), place(std::move(place)) {}

  llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) override;
  llvm::Expected<Timing> measure(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments,
                                 const TimingPlan &plan) override;
  unsigned residentPrograms() const override { return threads.size(); }
  std::string describe() const override;

private:
  HostThreads &threads;
  HostMonitor *monitor;
  std::unique_ptr<HostKernel> kernel;
  std::string place; // The machine's name.
};

class CpuMachine : public Machine {
public:
  CpuMachine(unsigned count, HostMonitor *monitor)
      : threads(count), monitor(monitor), backend(Backend::host(monitor != nullptr)) {}

  std::string name() const override {
    unsigned count = threads.size();
    return "CPU (" + std::to_string(count) + (count == 1 ? " thread)" : " threads)");
  }
  bool isGPU() const override { return false; }
  std::optional<GpuArch> arch(const CodeOptions &) const override { return backend->arch(); }
  std::unique_ptr<LoadedKernel> load(Compilation &compilation, const CodeOptions &options) override;

private:
  HostThreads threads;
  HostMonitor *monitor;
  std::unique_ptr<Backend> backend;
};

} // namespace

llvm::Error tilec::checkGrid(const LaunchGrid &grid) {
  constexpr int64_t limits[] = {INT32_MAX, 65535, 65535};
  const int64_t sizes[] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis)
    if (sizes[axis] < 0 || sizes[axis] > limits[axis])
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the grid has " + llvm::Twine(sizes[axis]) +
                                         " programs along " + llvm::Twine("xyz"[axis]) +
                                         "; expected 0 to " + llvm::Twine(limits[axis]));
  return llvm::Error::success();
}

LoadedKernel::~LoadedKernel() = default;
Machine::~Machine() = default;

uint64_t tilec::bytesOf(llvm::ArrayRef<LaunchValue> arguments) {
  llvm::SmallPtrSet<const HostArray *, 8> arrays;
  uint64_t bytes = 0;
  for (const LaunchValue &value : arguments)
    if (value.array && arrays.insert(value.array).second)
      bytes += value.array->bytes();
  return bytes;
}

static HostArgument toHost(const LaunchValue &value) {
  if (value.array)
    return HostArgument::pointer(value.array->data());
  return value.type.isFloat() ? HostArgument::floating(value.real)
                              : HostArgument::integer(value.integer);
}

llvm::Error CpuKernel::run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) {
  if (llvm::Error error = checkGrid(grid))
    return error;
  if (grid.isEmpty())
    return llvm::Error::success();
  std::vector<HostArgument> values;
  for (const LaunchValue &value : arguments)
    values.push_back(toHost(value));
  uint64_t begin = tilec_profile_clock();
  if (llvm::Error error = kernel->run(
          threads, {uint32_t(grid.x), uint32_t(grid.y), uint32_t(grid.z)}, values, monitor))
    return error;
  const int64_t sizes[] = {grid.x, grid.y, grid.z};
  tilec_profile_facts facts = names.facts(bytesOf(arguments), operations);
  return toError(Status(tilec_profile_add(names.kernel.c_str(), place.c_str(), begin,
                                          tilec_profile_clock(), sizes, &facts)));
}

std::string CpuKernel::describe() const {
  return std::to_string(kernel->scratchBytes()) + " bytes of scratch memory for each thread";
}

llvm::Expected<Timing> CpuKernel::measure(const LaunchGrid &grid,
                                          llvm::ArrayRef<LaunchValue> arguments,
                                          const TimingPlan &plan) {
  return measureOnHost([&] { return run(grid, arguments); }, plan);
}

std::unique_ptr<LoadedKernel> CpuMachine::load(Compilation &compilation,
                                               const CodeOptions &options) {
  CompiledKernel compiled;
  if (!backend->compile(compilation, options, compiled))
    return nullptr;
  llvm::Expected<std::unique_ptr<HostKernel>> kernel = HostKernel::load(compiled.object);
  if (kernel)
    return std::make_unique<CpuKernel>(threads, monitor, std::move(*kernel), name());
  reportError(compilation, llvm::toString(kernel.takeError()));
  return nullptr;
}

std::unique_ptr<Machine> Machine::cpu(unsigned threads) {
  return std::make_unique<CpuMachine>(threads, /*monitor=*/nullptr);
}

std::unique_ptr<Machine> Machine::watchedCpu(HostMonitor &monitor) {
  return std::make_unique<CpuMachine>(1, &monitor);
}
