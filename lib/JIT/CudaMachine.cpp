//===- CudaMachine.cpp - Kernels on a GPU -----------------------*- C++ -*-===//
//
// Arrays are copied with their guard zones, so that a kernel that writes beyond an array shows on
// the GPU as it does on the processor.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/RuntimeType.h"
#include "tilec/JIT/DeviceKernel.h"
#include "tilec/JIT/DeviceTimer.h"
#include "tilec/JIT/Machine.h"

#include <algorithm>

using namespace tilec;

namespace {

/// The arguments of a launch, with arrays on the device.
class DeviceArguments {
public:
  /// Copies every array once, even if several parameters refer to it.
  /// Without guard zones, and without contents where the monitor says so, for a monitor.
  llvm::Error prepare(const Device &device, llvm::ArrayRef<LaunchValue> arguments,
                      const DeviceMonitor *monitor = nullptr);
  /// Brings the arrays back.
  llvm::Error copyBack() const;
  Status launch(const Kernel &kernel, const LaunchGrid &grid) const;
  std::vector<WatchedLaunch::Placed> places() const;

private:
  struct Copy {
    HostArray *array;
    llvm::MutableArrayRef<uint8_t> memory;
    uint64_t offset; // Of the memory in the buffer.
    Buffer buffer;
  };
  llvm::Error copyArray(const Device &device, HostArray &array, const DeviceMonitor *monitor,
                        uint64_t &address);
  static uint64_t addressOf(const Copy &copy);

  std::vector<Copy> copies;
  std::vector<uint64_t> slots;
  std::vector<uint8_t> types;
};

class CudaKernel : public LoadedKernel {
public:
  CudaKernel(Device device, Kernel kernel) : device(std::move(device)), kernel(std::move(kernel)) {}

  llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) override;
  llvm::Expected<Timing> measure(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments,
                                 const TimingPlan &plan) override;
  unsigned residentPrograms() const override;
  std::string describe() const override;

private:
  Status launch(const DeviceArguments &prepared, const LaunchGrid &grid, uint64_t bytes) const;

protected:
  Device device;
  Kernel kernel;
};

/// A kernel whose launches a monitor is told of.
class WatchedCudaKernel : public CudaKernel {
public:
  WatchedCudaKernel(Device device, Kernel kernel, CompiledKernel code, DeviceMonitor &monitor)
      : CudaKernel(std::move(device), std::move(kernel)), code(std::move(code)), monitor(monitor) {}

  llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) override;

private:
  CompiledKernel code;
  DeviceMonitor &monitor;
};

class CudaMachine : public Machine {
public:
  explicit CudaMachine(Device device, DeviceMonitor *monitor)
      : device(std::move(device)), monitor(monitor) {}

  std::string name() const override { return device.name(); }
  bool isGPU() const override { return true; }
  std::optional<GpuArch> arch(const CodeOptions &options) const override {
    return archFor(options).value_or(GpuArch::oldest());
  }
  std::unique_ptr<LoadedKernel> load(Compilation &compilation, const CodeOptions &options) override;

private:
  std::optional<GpuArch> archFor(const CodeOptions &options) const {
    const tilec_device_info &info = device.info();
    return options.arch ? options.arch
                        : GpuArch::forDevice(info.capability_major, info.capability_minor);
  }

  Device device;
  DeviceMonitor *monitor; // May be null.
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

uint64_t DeviceArguments::addressOf(const Copy &copy) {
  return copy.buffer.address() + copy.offset +
         uint64_t(std::as_const(*copy.array).data() - copy.memory.data());
}

/// Arrays of a monitored launch end where their memory ends. What an offset behind an alignment
/// leaves free lies in front of them.
llvm::Error DeviceArguments::copyArray(const Device &device, HostArray &array,
                                       const DeviceMonitor *monitor, uint64_t &address) {
  auto known = std::find_if(copies.begin(), copies.end(),
                            [&](const Copy &copy) { return copy.array == &array; });
  if (known == copies.end()) {
    constexpr uintptr_t alignment = 64; // Of a HostArray without an offset.
    llvm::MutableArrayRef<uint8_t> memory = array.allocation();
    if (monitor)
      memory = {array.data(), array.bytes()};
    uint64_t offset = reinterpret_cast<uintptr_t>(memory.data()) % alignment;
    auto buffer = Buffer::allocate(device, offset + memory.size());
    if (!buffer)
      return toError(buffer.error());
    if (!monitor || !monitor->isUnwritten(array))
      if (Status status = buffer->copyIn(memory.data(), memory.size(), offset); !status)
        return toError(status);
    copies.push_back({&array, memory, offset, std::move(*buffer)});
    known = std::prev(copies.end());
  }
  address = addressOf(*known);
  return llvm::Error::success();
}

llvm::Error DeviceArguments::prepare(const Device &device, llvm::ArrayRef<LaunchValue> arguments,
                                     const DeviceMonitor *monitor) {
  for (const LaunchValue &value : arguments) {
    uint64_t bits = uint64_t(value.integer);
    if (value.array) {
      if (llvm::Error error = copyArray(device, *value.array, monitor, bits))
        return error;
    } else if (value.type.isFloat()) {
      bits = encodeFloat(value.real, value.type.kind);
    }
    slots.push_back(bits);
    types.push_back(runtimeType(value.type));
  }
  return llvm::Error::success();
}

llvm::Error DeviceArguments::copyBack() const {
  for (const Copy &copy : copies) {
    if (Status status = copy.buffer.copyOut(copy.memory.data(), copy.memory.size(), copy.offset);
        !status)
      return toError(status);
  }
  return llvm::Error::success();
}

std::vector<WatchedLaunch::Placed> DeviceArguments::places() const {
  std::vector<WatchedLaunch::Placed> result;
  result.reserve(copies.size());
  for (const Copy &copy : copies)
    result.push_back({copy.array, addressOf(copy)});
  return result;
}

Status DeviceArguments::launch(const Kernel &kernel, const LaunchGrid &grid) const {
  std::vector<void *> addresses;
  for (const uint64_t &slot : slots)
    addresses.push_back(const_cast<uint64_t *>(&slot));
  return Status(tilec_launch(kernel.c(), nullptr, grid.x, grid.y, grid.z, addresses.data(),
                             types.data(), uint32_t(slots.size())));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status CudaKernel::launch(const DeviceArguments &prepared, const LaunchGrid &grid,
                          uint64_t bytes) const {
  tilec_profile_facts facts = names.facts(bytes, operations);
  tilec_profile_describe(&facts);
  return prepared.launch(kernel, grid);
}

llvm::Error CudaKernel::run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) {
  DeviceArguments prepared;
  if (llvm::Error error = prepared.prepare(device, arguments))
    return error;
  if (Status status = launch(prepared, grid, bytesOf(arguments)); !status)
    return toError(status);
  if (Status status = device.synchronize(); !status)
    return toError(status);
  return prepared.copyBack();
}

llvm::Error WatchedCudaKernel::run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) {
  DeviceArguments prepared;
  if (llvm::Error error = prepared.prepare(device, arguments, &monitor))
    return error;
  RuntimeRecord record(code.record.kernel, code.record);
  tilec_launch_shape shape;
  if (Status status(tilec_launch_shape_evaluate(
          &record.get(), uint32_t(device.info().multiprocessors), grid.x, grid.y, grid.z, &shape));
      !status)
    return toError(status);
  WatchedLaunch launch;
  launch.arrays = prepared.places();
  std::copy_n(shape.grid, 3, launch.grid);
  std::copy_n(shape.block, 3, launch.block);
  launch.numCTAs = kernel.numCTAs();
  launch.ptx = code.ptx;
  if (llvm::Error error = monitor.start(launch))
    return error;
  if (Status status = prepared.launch(kernel, grid); !status)
    return toError(status);
  if (Status status = device.synchronize(); !status)
    return toError(status);
  return prepared.copyBack();
}

unsigned CudaKernel::residentPrograms() const {
  auto programs = kernel.residentPrograms();
  return programs ? unsigned(*programs) : 1;
}

std::string CudaKernel::describe() const {
  std::string text = std::to_string(kernel.registers()) + " registers, " +
                     std::to_string(kernel.staticSharedBytes() + kernel.dynamicSharedBytes()) +
                     " bytes of shared memory";
  if (kernel.localBytes() != 0)
    text += ", " + std::to_string(kernel.localBytes()) + " bytes of local memory";
  if (kernel.numCTAs() > 1)
    text += ", clusters of " + std::to_string(kernel.numCTAs()) + " CTAs";
  text += ", " + std::to_string(residentPrograms()) + " programs at once";
  return text;
}

llvm::Expected<Timing> CudaKernel::measure(const LaunchGrid &grid,
                                           llvm::ArrayRef<LaunchValue> arguments,
                                           const TimingPlan &plan) {
  DeviceArguments prepared;
  if (llvm::Error error = prepared.prepare(device, arguments))
    return std::move(error);
  auto timer = DeviceTimer::create(device);
  if (!timer)
    return timer.takeError();
  uint64_t bytes = bytesOf(arguments);
  return timer->measure([&](unsigned) { return launch(prepared, grid, bytes); }, plan);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::unique_ptr<LoadedKernel> CudaMachine::load(Compilation &compilation,
                                                const CodeOptions &options) {
  std::optional<GpuArch> arch = archFor(options);
  if (!arch) {
    reportError(compilation, llvm::Twine("tilec cannot compile for ") + device.name() +
                                 ", whose compute capability is " +
                                 llvm::Twine(device.info().capability_major) + "." +
                                 llvm::Twine(device.info().capability_minor));
    return nullptr;
  }
  CompiledKernel compiled;
  if (!Backend::ptx(*arch)->compile(compilation, options, compiled))
    return nullptr;
  llvm::Expected<Kernel> kernel = loadKernel(device, compiled);
  if (kernel && monitor)
    return std::make_unique<WatchedCudaKernel>(device, std::move(*kernel), std::move(compiled),
                                               *monitor);
  if (kernel)
    return std::make_unique<CudaKernel>(device, std::move(*kernel));
  reportError(compilation, llvm::toString(kernel.takeError()));
  return nullptr;
}

static llvm::Expected<std::unique_ptr<Machine>> openCuda(int ordinal, DeviceMonitor *monitor) {
  auto device = Device::open(ordinal);
  if (!device)
    return toError(device.error());
  return std::make_unique<CudaMachine>(std::move(*device), monitor);
}

llvm::Expected<std::unique_ptr<Machine>> Machine::cuda(int ordinal) {
  return openCuda(ordinal, nullptr);
}

llvm::Expected<std::unique_ptr<Machine>> Machine::watchedCuda(DeviceMonitor &monitor, int ordinal) {
  return openCuda(ordinal, &monitor);
}

DeviceMonitor::~DeviceMonitor() = default;
