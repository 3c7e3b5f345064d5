//===- CudaMachine.cpp - Kernels on a GPU -----------------------*- C++ -*-===//
//
// Arrays are copied with their guard zones, so that a kernel that writes beyond an array shows on
// the GPU as it does on the processor.
//
//===----------------------------------------------------------------------===//

#include "KernelImage.h"

#include "tilec/runtime.h"

#include <algorithm>

using namespace tilec;

/// Written before each timed run; larger than the L2 cache of any GPU in the table.
static constexpr size_t kFlushBytes = size_t(256) << 20;

static llvm::Error toError(const Status &status) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", status.message());
}

namespace {

class CudaKernel : public LoadedKernel {
public:
  CudaKernel(Device device, Kernel kernel) : device(std::move(device)), kernel(std::move(kernel)) {}

  llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) override;
  llvm::Expected<Timing> measure(const LaunchGrid &grid,
                                 llvm::ArrayRef<LaunchValue> arguments) override;
  unsigned residentPrograms() const override;
  std::string describe() const override;

private:
  Device device;
  Kernel kernel;
};

class CudaMachine : public Machine {
public:
  explicit CudaMachine(Device device) : device(std::move(device)) {}

  std::string name() const override { return device.name(); }
  bool isGPU() const override { return true; }
  unsigned capability(const CodeOptions &options) const override {
    return archFor(options).value_or(GpuArch::all().front()).number();
  }
  std::unique_ptr<LoadedKernel> load(Compilation &compilation, const CodeOptions &options) override;

private:
  std::optional<GpuArch> archFor(const CodeOptions &options) const {
    const tilec_device_info &info = device.info();
    return options.arch ? options.arch
                        : GpuArch::forDevice(info.capability_major, info.capability_minor);
  }
  llvm::Expected<std::unique_ptr<LoadedKernel>> loadImage(const KernelImage &image) const;

  Device device;
};

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

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static uint8_t typeCode(DType type) {
  if (type.isPointer())
    return TILEC_TYPE_POINTER + typeCode(type.pointee());
  switch (type.kind) {
  case ScalarKind::Int1:
    return TILEC_TYPE_I1;
  case ScalarKind::Int8:
    return TILEC_TYPE_I8;
  case ScalarKind::UInt8:
    return TILEC_TYPE_U8;
  case ScalarKind::Int16:
    return TILEC_TYPE_I16;
  case ScalarKind::UInt16:
    return TILEC_TYPE_U16;
  case ScalarKind::Int32:
    return TILEC_TYPE_I32;
  case ScalarKind::UInt32:
    return TILEC_TYPE_U32;
  case ScalarKind::Int64:
    return TILEC_TYPE_I64;
  case ScalarKind::UInt64:
    return TILEC_TYPE_U64;
  case ScalarKind::FP16:
    return TILEC_TYPE_FP16;
  case ScalarKind::BF16:
    return TILEC_TYPE_BF16;
  case ScalarKind::FP32:
    return TILEC_TYPE_FP32;
  case ScalarKind::FP64:
    return TILEC_TYPE_FP64;
  default:
    return TILEC_TYPE_INVALID; // As a pointee: a pointer to anything.
  }
}

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
    types.push_back(typeCode(value.type));
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

llvm::Error CudaKernel::run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) {
  DeviceArguments prepared;
  if (llvm::Error error = prepared.prepare(device, arguments))
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

/// Times `runs` launches, each behind a write of `flush`, without waiting in between.
static llvm::Expected<std::vector<double>> timeRuns(const Device &device, Buffer &flush,
                                                    unsigned runs, const DeviceArguments &arguments,
                                                    const Kernel &kernel, const LaunchGrid &grid) {
  std::vector<std::pair<Event, Event>> events;
  for (unsigned index = 0; index < runs; ++index) {
    auto start = Event::create(device), stop = Event::create(device);
    if (!start || !stop)
      return toError(start ? stop.error() : start.error());
    events.push_back({std::move(*start), std::move(*stop)});
  }
  for (auto &[start, stop] : events) {
    Status status = flush.fill(Stream(), 0);
    if (status)
      status = start.record();
    if (status)
      status = arguments.launch(kernel, grid);
    if (status)
      status = stop.record();
    if (!status)
      return toError(status);
  }
  if (Status status = device.synchronize(); !status)
    return toError(status);
  std::vector<double> times;
  for (auto &[start, stop] : events) {
    auto milliseconds = stop.since(start);
    if (!milliseconds)
      return toError(milliseconds.error());
    times.push_back(*milliseconds);
  }
  return times;
}

llvm::Expected<Timing> CudaKernel::measure(const LaunchGrid &grid,
                                           llvm::ArrayRef<LaunchValue> arguments) {
  constexpr double budgetMs = 500;
  constexpr unsigned warmups = 5, leastRuns = 10, mostRuns = 500;
  DeviceArguments prepared;
  if (llvm::Error error = prepared.prepare(device, arguments))
    return std::move(error);
  auto flush = Buffer::allocate(device, kFlushBytes);
  if (!flush)
    return toError(flush.error());
  llvm::Expected<std::vector<double>> first =
      timeRuns(device, *flush, warmups, prepared, kernel, grid);
  if (!first)
    return first.takeError();
  double wanted = budgetMs / std::max(summarize(*first).medianMs, 1e-3);
  unsigned runs = unsigned(std::min(std::max(wanted, double(leastRuns)), double(mostRuns)));
  llvm::Expected<std::vector<double>> times =
      timeRuns(device, *flush, runs, prepared, kernel, grid);
  if (!times)
    return times.takeError();
  return summarize(std::move(*times));
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<LoadedKernel>>
CudaMachine::loadImage(const KernelImage &image) const {
  auto module = Module::load(device, image.ptx.data(), image.ptx.size());
  if (!module)
    return toError(module.error());
  std::vector<Param> params;
  for (const KernelImage::Param &param : image.params)
    params.push_back({param.name.c_str(), typeCode(param.type), param.offset});
  params.push_back({}); // So that there is an address without parameters, too.
  LaunchRecord record(image.symbol.c_str(), image.threads, image.dynamicSharedBytes, params.data(),
                      uint32_t(image.params.size()));
  auto kernel = module->kernel(record.withCTAs(image.numCTAs));
  if (!kernel)
    return toError(kernel.error());
  return std::make_unique<CudaKernel>(device, std::move(*kernel));
}

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
  std::optional<KernelImage> image = buildImage(compilation, *arch, options);
  if (!image)
    return nullptr;
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel = loadImage(*image);
  if (kernel)
    return std::move(*kernel);
  reportError(compilation, llvm::toString(kernel.takeError()));
  return nullptr;
}

llvm::Expected<std::unique_ptr<Machine>> Machine::cuda(int ordinal) {
  auto device = Device::open(ordinal);
  if (!device)
    return toError(device.error());
  return std::make_unique<CudaMachine>(std::move(*device));
}
