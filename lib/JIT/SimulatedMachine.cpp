//===- SimulatedMachine.cpp - GPU code without a GPU ------------*- C++ -*-===//
//
// Kernels are compiled to PTX as for a GPU, and the simulator executes it on the arrays of the
// host.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/DeviceTimer.h"
#include "tilec/JIT/HostTimer.h"
#include "tilec/JIT/Machine.h"
#include "tilec/Simulator/Simulator.h"

using namespace tilec;

// The simulator stands on its own; a record's maps must fit into its.
static_assert(kMostMapAxes == kMostTensorAxes);

namespace {

class KernelOfSimulator : public LoadedKernel {
public:
  KernelOfSimulator(std::unique_ptr<SimulatedKernel> kernel, const KernelRecord &compiled,
                    uint64_t seed)
      : kernel(std::move(kernel)), record(compiled), forRuntime(record.kernel, record), seed(seed) {
  }

  llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) override;
  llvm::Expected<Timing> measure(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments,
                                 const TimingPlan &plan) override;
  unsigned residentPrograms() const override { return 4; }
  std::string describe() const override;

private:
  llvm::Error makeMaps(llvm::ArrayRef<uint64_t> slots, std::vector<SimulatedTensorMap> &maps) const;

  std::unique_ptr<SimulatedKernel> kernel;
  KernelRecord record;
  RuntimeRecord forRuntime;
  uint64_t seed;
};

class SimulatedMachine : public Machine {
public:
  explicit SimulatedMachine(uint64_t seed) : seed(seed) {}

  std::string name() const override { return "simulated GPU"; }
  bool isGPU() const override { return true; }
  std::optional<GpuArch> arch(const CodeOptions &options) const override {
    return options.arch ? *options.arch : llvm::cantFail(GpuArch::parse("sm_90a"));
  }
  std::unique_ptr<LoadedKernel> load(Compilation &compilation, const CodeOptions &options) override;

private:
  uint64_t seed;
};

} // namespace

/// Makes the tensor maps of a launch of what the runtime would put into them.
llvm::Error KernelOfSimulator::makeMaps(llvm::ArrayRef<uint64_t> slots,
                                        std::vector<SimulatedTensorMap> &maps) const {
  const tilec_launch_record &known = forRuntime.get();
  std::vector<void *> arguments;
  for (const uint64_t &slot : slots)
    arguments.push_back(const_cast<uint64_t *>(&slot));
  for (const tilec_tensor_map &map : llvm::ArrayRef(known.maps, known.num_maps)) {
    tilec_tensor_map_values values;
    if (Status status(
            tilec_tensor_map_evaluate(&known, uint32_t(maps.size()), arguments.data(), &values));
        !status)
      return toError(status);
    SimulatedTensorMap &made = maps.emplace_back();
    if (!values.is_needed)
      continue; // A copy by it is an error.
    made.address = values.address;
    made.rank = map.rank;
    made.elementBytes = map.element_bytes;
    made.swizzle = map.swizzle;
    llvm::copy(values.sizes, made.sizes.begin());
    llvm::copy(values.strides, made.strides.begin());
    llvm::copy(values.box, made.box.begin());
  }
  return llvm::Error::success();
}

llvm::Error KernelOfSimulator::run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) {
  if (llvm::Error error = checkGrid(grid))
    return error;
  if (grid.isEmpty())
    return llvm::Error::success();
  std::vector<uint64_t> slots;
  std::vector<MemoryRange> memory;
  for (const LaunchValue &value : arguments) {
    uint64_t bits = uint64_t(value.integer);
    if (value.array) {
      // The guard zones, too: who writes there is told so as on other machines.
      llvm::MutableArrayRef<uint8_t> allocation = value.array->allocation();
      memory.push_back({allocation.data(), allocation.size()});
      bits = reinterpret_cast<uintptr_t>(value.array->data());
    } else if (value.type.isFloat()) {
      bits = encodeFloat(value.real, value.type.kind);
    }
    slots.push_back(bits);
  }
  std::vector<SimulatedTensorMap> maps;
  if (llvm::Error error = makeMaps(slots, maps))
    return error;
  // Programs share CTAs if the seed is odd: as on a GPU with few multiprocessors, or with many.
  uint32_t multiprocessors = seed % 2 == 1 ? 0 : UINT32_MAX;
  tilec_launch_shape shape;
  if (Status status(tilec_launch_shape_evaluate(&forRuntime.get(), multiprocessors, grid.x, grid.y,
                                                grid.z, &shape));
      !status)
    return toError(status);
  if (record.isPersistent())
    for (int64_t size : {grid.x, grid.y, grid.z})
      slots.push_back(uint64_t(size));
  SimulatedLaunch launch;
  llvm::copy(shape.grid, launch.grid.begin());
  llvm::copy(shape.block, launch.block.begin());
  launch.clusterSize = record.numCTAs;
  launch.dynamicSharedBytes = shape.dynamic_shared_bytes;
  launch.arguments = slots;
  launch.maps = maps;
  launch.memory = memory;
  launch.seed = seed;
  return kernel->run(launch);
}

std::string KernelOfSimulator::describe() const {
  return std::to_string(kernel->staticSharedBytes() + record.dynamicSharedBytes) +
         " bytes of shared memory";
}

llvm::Expected<Timing> KernelOfSimulator::measure(const LaunchGrid &, llvm::ArrayRef<LaunchValue>,
                                                  const TimingPlan &) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the simulator says nothing of speed");
}

std::unique_ptr<LoadedKernel> SimulatedMachine::load(Compilation &compilation,
                                                     const CodeOptions &options) {
  CompiledKernel compiled;
  if (!Backend::ptx(*arch(options))->compile(compilation, options, compiled))
    return nullptr;
  auto kernel = SimulatedKernel::load(compiled.ptx, compiled.record.kernel.symbol);
  if (kernel)
    return std::make_unique<KernelOfSimulator>(std::move(*kernel), compiled.record, seed);
  reportError(compilation, llvm::toString(kernel.takeError()));
  return nullptr;
}

std::unique_ptr<Machine> Machine::simulator(uint64_t seed) {
  return std::make_unique<SimulatedMachine>(seed);
}
