//===- DeviceProviders.cpp - what this process launches --------*- C++ -*-===//
//
// The providers that this process launches itself: a copy of the same bytes, the kernel compiled by
// tilec, and CUDA C++ kernels compiled by nvcc. Each becomes a function that enqueues one run on
// given arrays, so that Session measures all of them in the same way.
//
//===----------------------------------------------------------------------===//

#include "DeviceProviders.h"

#include "CompileKernel.h"
#include "Launches.h"
#include "tilec/Compiler/RuntimeType.h"
#include "tilec/JIT/DeviceKernel.h"
#include "tilec/JIT/DeviceTimer.h"
#include "tilec/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace tilec;
using namespace tilec::bench;
using llvm::StringRef;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Prepared bench::prepareCopy(const Case &what) {
  uint64_t bytes = what.arrayBytes();
  return {[bytes](Buffer &out, const Buffer &in) { return out.copyFrom(Stream(), in, bytes); }, 0};
}

//===----------------------------------------------------------------------===//
// tilec
//===----------------------------------------------------------------------===//

namespace {

/// A kernel with the values of its parameters; the arrays' addresses are filled in late.
struct BoundKernel {
  Kernel kernel;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<uint64_t> slots;
  std::vector<uint8_t> types;
  /// The slots of Parameters::arrays.
  std::vector<size_t> arraySlots;
  /// The launches of a run.
  std::vector<std::vector<Place>> launches;

  Status run(Buffer &out, const Buffer &in) {
    for (const std::vector<Place> &places : launches)
      if (Status status = launch(out, in, places); !status)
        return status;
    return {};
  }

private:
  Status launch(Buffer &out, const Buffer &in, llvm::ArrayRef<Place> places) {
    for (auto [slot, place] : llvm::zip(arraySlots, places))
      slots[slot] = (place.isOutput ? out.address() : in.address()) + place.offset;
    std::vector<void *> addresses;
    for (uint64_t &slot : slots)
      addresses.push_back(&slot);
    return Status(tilec_launch(kernel.c(), nullptr, grid[0], grid[1], grid[2], addresses.data(),
                               types.data(), uint32_t(slots.size())));
  }
};

} // namespace

/// The bits of a number, as a launch reads them.
static uint64_t bitsOf(const Number &number) {
  if (!number.real)
    return uint64_t(number.value);
  uint32_t bits;
  std::memcpy(&bits, &*number.real, sizeof(bits));
  return bits;
}

static llvm::Error bindParams(const KernelInfo &kernel, const Case &what, BoundKernel &bound) {
  Parameters known = parametersOf(what);
  bound.arraySlots.resize(known.arrays.size());
  for (const KernelParam &param : kernel.params) {
    StringRef name = param.name;
    auto array = llvm::find(known.arrays, name);
    auto number = llvm::find_if(known.numbers, [&](const Number &n) { return n.name == name; });
    if (array != known.arrays.end())
      bound.arraySlots[size_t(array - known.arrays.begin())] = bound.slots.size();
    else if (number == known.numbers.end())
      return makeError("the benchmark has no value for parameter '" + name + "' of '" +
                       kernel.symbol + "'");
    bound.slots.push_back(number == known.numbers.end() ? 0 : bitsOf(*number));
    bound.types.push_back(runtimeType(param.type));
  }
  return llvm::Error::success();
}

/// The programs of a product.
static std::array<int64_t, 3> productGrid(const Case &what, const Config &config) {
  auto blocksOf = [&](StringRef name, uint64_t total) {
    for (const auto &[block, number] : config.blocks)
      if (block == name)
        return int64_t(llvm::divideCeil(total, uint64_t(number)));
    return int64_t(1);
  };
  int64_t rows = blocksOf("BLOCK_M", what.size.rows);
  if (what.suite->kind == KernelKind::Attention)
    return {rows, int64_t(what.size.heads), int64_t(what.size.batch)};
  return {rows * blocksOf("BLOCK_N", what.size.cols), 1, 1};
}

static llvm::Expected<std::array<int64_t, 3>> gridOf(const Device &device, const Case &what,
                                                     const Config &config, const Kernel &kernel) {
  using Grid = std::array<int64_t, 3>;
  if (what.suite->isProduct())
    return productGrid(what, config);
  if (what.suite->kind == KernelKind::Gelu)
    return Grid{int64_t(llvm::divideCeil(what.size.cols, what.block())), 1, 1};
  if (what.suite->kind == KernelKind::SoftmaxRows)
    return Grid{int64_t(what.size.rows), 1, 1};
  auto resident = kernel.maxActiveBlocks();
  if (!resident)
    return toError(resident.error());
  int64_t programs = int64_t(std::max(*resident, 1)) * device.multiprocessors();
  return Grid{std::min(int64_t(what.size.rows), programs), 1, 1};
}

llvm::Expected<Prepared> bench::prepareTilec(const Device &device, const Case &what,
                                             const Config &config, StringRef sourceFolder) {
  const tilec_device_info &info = device.info();
  std::optional<GpuArch> arch =
      GpuArch::forDevice(unsigned(info.capability_major), unsigned(info.capability_minor));
  if (!arch)
    return makeError("tilec cannot compile for compute capability " +
                     llvm::Twine(info.capability_major) + "." + llvm::Twine(info.capability_minor));
  llvm::SmallString<128> path(sourceFolder);
  llvm::sys::path::append(path, exampleOf(what.suite->kind).file);
  llvm::Expected<CompiledKernel> compiled = compileKernel(what, config, path, *arch);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<Kernel> kernel = loadKernel(device, *compiled);
  if (!kernel)
    return kernel.takeError();
  auto grid = gridOf(device, what, config, *kernel);
  if (!grid)
    return grid.takeError();
  BoundKernel bound;
  bound.kernel = std::move(*kernel);
  bound.grid = *grid;
  bound.launches = launchesOf(what);
  if (llvm::Error error = bindParams(compiled->record.kernel, what, bound))
    return std::move(error);
  return Prepared{[bound](Buffer &out, const Buffer &in) mutable { return bound.run(out, in); },
                  compiled->record.threads / 32};
}

//===----------------------------------------------------------------------===//
// CUDA C++
//===----------------------------------------------------------------------===//

CudaShape bench::cudaShape(StringRef provider, const Case &what, unsigned sharedLimit) {
  std::string method = provider.substr(StringRef("cuda-").size()).str();
  bool isGelu = what.suite->kind == KernelKind::Gelu;
  CudaShape shape;
  shape.file = (isGelu ? "gelu_" : "softmax_") + method + ".cu";
  shape.symbol = (isGelu ? "gelu_" : "softmax_") + method + "_" + typeName(what.type).str();
  shape.sharedBytes = 0;
  unsigned perVector = 16 / what.elementBytes();
  if (isGelu) {
    shape.threads = 256;
    shape.grid = llvm::divideCeil(what.size.cols, method == "vector" ? 256 * perVector : 256);
    return shape;
  }
  if (method == "naive") {
    shape.threads = 128;
    shape.grid = llvm::divideCeil(what.size.rows, shape.threads);
    return shape;
  }
  shape.grid = what.size.rows;
  // Two vectors a thread, before a thread takes more.
  uint64_t wanted = llvm::PowerOf2Ceil(what.size.cols) / (2 * perVector);
  shape.threads = method == "shared" ? 256 : unsigned(std::clamp<uint64_t>(wanted, 64, 1024));
  // A little of the limit is for what the kernel declares itself.
  uint64_t rowBytes = llvm::alignTo(what.size.cols * what.elementBytes(), 16);
  if (method == "vector" && rowBytes + 1024 <= sharedLimit)
    shape.sharedBytes = unsigned(rowBytes);
  return shape;
}

llvm::Error CudaKernels::findCompiler() {
  llvm::Expected<Tool> tool = findTool("nvcc");
  if (!tool)
    return tool.takeError();
  nvcc = tool->path;
  return llvm::Error::success();
}

/// Runs nvcc; its words are the error.
static llvm::Error runNvcc(StringRef nvcc, StringRef source, StringRef arch, StringRef output) {
  llvm::SmallString<128> log;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tilec-bench-nvcc", "txt", log))
    return makeError("cannot create a temporary file: " + code.message());
  llvm::FileRemover removeLog(log);
  std::string archFlag = ("-arch=" + arch).str();
  StringRef arguments[] = {nvcc, "-cubin", "-O3", "-std=c++17", archFlag, "-o", output, source};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(nvcc, arguments, std::nullopt,
                                         {StringRef(""), log.str(), log.str()}, 0, 0, &message);
  if (status == 0)
    return llvm::Error::success();
  if (message.empty())
    if (auto text = llvm::MemoryBuffer::getFile(log))
      message = (*text)->getBuffer().trim().str();
  return makeError("nvcc failed: " + message);
}

llvm::Expected<Module> CudaKernels::compile(const std::string &file) {
  llvm::SmallString<128> output, source(folder);
  llvm::sys::path::append(source, "bench", "cuda", file);
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tilec-bench", "cubin", output))
    return makeError("cannot create a temporary file: " + code.message());
  llvm::FileRemover removeOutput(output);
  std::string arch = "sm_" + std::to_string(device.capability());
  if (llvm::Error error = runNvcc(nvcc, source, arch, output))
    return std::move(error);
  auto image = llvm::MemoryBuffer::getFile(output);
  if (!image)
    return makeError("nvcc wrote no cubin: " + image.getError().message());
  auto module = Module::load(device, (*image)->getBufferStart(), (*image)->getBufferSize());
  if (!module)
    return toError(module.error());
  return std::move(*module);
}

llvm::Expected<Prepared> CudaKernels::prepare(StringRef provider, const Case &what) {
  CudaShape shape = cudaShape(provider, what, unsigned(device.sharedPerBlockLimit()));
  auto failure = failures.find(shape.file);
  if (failure != failures.end())
    return makeError(failure->second);
  auto known = modules.find(shape.file);
  if (known == modules.end()) {
    llvm::Expected<Module> module = compile(shape.file);
    if (!module) {
      std::string message = llvm::toString(module.takeError());
      failures[shape.file] = message;
      return makeError(message);
    }
    known = modules.try_emplace(shape.file, std::move(*module)).first;
  }
  const Param params[] = {{"out", TILEC_TYPE_POINTER, 0},
                          {"x", TILEC_TYPE_POINTER, 8},
                          {"rows", TILEC_TYPE_I32, 16},
                          {"cols", TILEC_TYPE_I32, 20},
                          {"cached", TILEC_TYPE_I32, 24}};
  auto kernel = known->second.kernel(
      LaunchRecord(shape.symbol.c_str(), shape.threads, shape.sharedBytes, params).ofImage());
  if (!kernel)
    return toError(kernel.error());
  int32_t rows = int32_t(what.size.rows), cols = int32_t(what.size.cols);
  int32_t cached = shape.sharedBytes != 0;
  Run run = [=, kernel = *kernel](Buffer &out, const Buffer &in) {
    return kernel.launch(Stream(), Grid(shape.grid), out, in, rows, cols, cached);
  };
  return Prepared{std::move(run), shape.threads / 32};
}
