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
  llvm::Error prepare(const Device &device, llvm::ArrayRef<LaunchValue> arguments);
  /// Brings the arrays back.
  llvm::Error copyBack() const;
  Status launch(const Kernel &kernel, const LaunchGrid &grid) const;

private:
  struct Copy {
    HostArray *array;
    Buffer buffer;
  };
  llvm::Error copyArray(const Device &device, HostArray &array, uint64_t &address);

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

  Device device;
  Kernel kernel;
};

class CudaMachine : public Machine {
public:
  explicit CudaMachine(Device device) : device(std::move(device)) {}

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
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

llvm::Error DeviceArguments::copyArray(const Device &device, HostArray &array, uint64_t &address) {
  auto known = std::find_if(copies.begin(), copies.end(),
                            [&](const Copy &copy) { return copy.array == &array; });
  if (known == copies.end()) {
    llvm::MutableArrayRef<uint8_t> memory = array.allocation();
    auto buffer = Buffer::allocate(device, memory.size());
    if (!buffer)
      return toError(buffer.error());
    if (Status status = buffer->copyIn(memory.data(), memory.size()); !status)
      return toError(status);
    copies.push_back({&array, std::move(*buffer)});
    known = std::prev(copies.end());
  }
  address = known->buffer.address() + array.dataOffset();
  return llvm::Error::success();
}

llvm::Error DeviceArguments::prepare(const Device &device, llvm::ArrayRef<LaunchValue> arguments) {
  for (const LaunchValue &value : arguments) {
    uint64_t bits = uint64_t(value.integer);
    if (value.array) {
      if (llvm::Error error = copyArray(device, *value.array, bits))
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
    llvm::MutableArrayRef<uint8_t> memory = copy.array->allocation();
    if (Status status = copy.buffer.copyOut(memory.data(), memory.size()); !status)
      return toError(status);
  }
  return llvm::Error::success();
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
  if (kernel)
    return std::make_unique<CudaKernel>(device, std::move(*kernel));
  reportError(compilation, llvm::toString(kernel.takeError()));
  return nullptr;
}

llvm::Expected<std::unique_ptr<Machine>> Machine::cuda(int ordinal) {
  auto device = Device::open(ordinal);
  if (!device)
    return toError(device.error());
  return std::make_unique<CudaMachine>(std::move(*device));
}
