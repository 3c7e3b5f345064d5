//===- MockModules.cpp - Modules and launches of the mock driver ---------*- C++ -*-===//
//
// PTX is read as far as its version, its target and the parameters of its entries, so that a launch
// copies as many bytes from each argument as a real driver would. A cubin is read as far as its
// architecture and holds one kernel without parameters, "cubin_kernel".
//
//===-------------------------------------------------------------------------------===//

#include "MockState.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>

using namespace mock;

#define MOCK_EXPORT extern "C" __attribute__((visibility("default"))) cu::Result
#define MOCK_ENTER(NAME)                                                                           \
  if (cu::Result failed = enter(index_##NAME))                                                     \
  return failed
#define MOCK_NEEDS_CONTEXT()                                                                       \
  if (!stack.top())                                                                                \
  return cu::ErrorInvalidContext

/// The first number after a directive of a kernel; `fallback` without it.
static int directive(const std::string &text, const char *name, int fallback) {
  size_t at = text.find(name);
  return at == std::string::npos ? fallback : atoi(text.c_str() + at + strlen(name));
}

std::map<std::string, MockFunction> mock::parseKernels(const std::string &ptx) {
  static const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\)([^{]*))");
  // A number, or, as half floats come, bytes with an alignment.
  static const std::regex param(
      R"(\.param\s+(?:\.align\s+(\d+)\s+\.b8\s+\w+\[(\d+)\]|\.[a-z](\d+)))");
  std::map<std::string, MockFunction> functions;
  for (std::sregex_iterator match(ptx.begin(), ptx.end(), entry), end; match != end; ++match) {
    MockFunction function;
    function.name = (*match)[1];
    std::string directives = (*match)[3];
    function.maxThreads = directive(directives, ".maxntid", function.maxThreads);
    function.maxThreads = directive(directives, ".reqntid", function.maxThreads);
    function.clusterWidth = directive(directives, ".reqnctapercluster", 0);
    function.registers = std::min(function.registers, directive(directives, ".maxnreg", 255));
    std::string list = (*match)[2];
    // Of the first parameter in its memory, where the driver aligns them, on sm_90.
    constexpr size_t first = 0x210;
    size_t address = first;
    for (std::sregex_iterator item(list.begin(), list.end(), param); item != end; ++item) {
      bool isArray = (*item)[1].matched;
      size_t bytes = isArray ? std::stoul((*item)[2]) : std::stoul((*item)[3]) / 8;
      size_t alignment = isArray ? std::stoul((*item)[1]) : bytes;
      address = (address + alignment - 1) / alignment * alignment;
      function.params.push_back({address - first, bytes});
      address += bytes;
    }
    functions[function.name] = function;
  }
  return functions;
}

static bool isElf(const void *image) {
  return memcmp(image,
                "\x7f"
                "ELF",
                4) == 0;
}

static cu::Result loadPtx(const char *text, MockModule &module) {
  int ptxMajor = 0, ptxMinor = 0, target = 0;
  const char *version = strstr(text, ".version"), *where = strstr(text, ".target");
  if (!version || !where || sscanf(version, ".version %d.%d", &ptxMajor, &ptxMinor) != 2 ||
      sscanf(where, ".target sm_%d", &target) != 1)
    return cu::ErrorInvalidPtx;
  if (10 * (ptxMajor + 4) + ptxMinor > state.version / 100)
    return cu::ErrorUnsupportedPtxVersion;
  if (target > 10 * state.major + state.minor)
    return cu::ErrorInvalidPtx;
  module.functions = parseKernels(text);
  return cu::Success;
}

static cu::Result loadCubin(const char *image, MockModule &module) {
  constexpr size_t abiVersionOffset = 8, flagsOffset = 48;
  uint32_t flags = 0;
  memcpy(&flags, image + flagsOffset, sizeof(flags));
  int capability = (image[abiVersionOffset] >= 8 ? flags >> 8 : flags) & 0xff;
  if (capability / 10 != state.major || capability % 10 > state.minor)
    return cu::ErrorNoBinaryForGpu;
  module.functions["cubin_kernel"].name = "cubin_kernel";
  return cu::Success;
}

static void writeLog(unsigned count, const cu::JitOption *options, void **values) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == cu::JitErrorLogBuffer)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == cu::JitErrorLogBufferBytes)
      bytes = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (buffer && bytes)
    snprintf(buffer, bytes, "%s", state.log.c_str());
}

static void readOptions(unsigned count, const cu::JitOption *options, void **values) {
  state.keptLines = false;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == cu::JitGenerateLineInfo)
      state.keptLines = values[i] != nullptr;
}

/// Reads an image for the current context.
static cu::Result loadModule(const char *image, MockModule *&module) {
  // CUDA forbids it in a thread whose stream is captured; the mock, in any.
  constexpr cu::Result errorCaptureUnsupported = 900;
  if (state.captures != 0)
    return errorCaptureUnsupported;
  auto *loaded = new MockModule{stack.top(), image, {}};
  if (cu::Result failed = isElf(image) ? loadCubin(image, *loaded) : loadPtx(image, *loaded)) {
    delete loaded;
    return failed;
  }
  for (auto &entry : loaded->functions)
    entry.second.module = loaded;
  ++state.modules;
  module = loaded;
  return cu::Success;
}

MOCK_EXPORT cuModuleLoadDataEx(cu::Module *module, const void *image, unsigned count,
                               cu::JitOption *options, void **values) {
  cu::Result failed = enter(index_cuModuleLoadDataEx);
  MOCK_NEEDS_CONTEXT();
  std::lock_guard<std::mutex> lock(state.mutex);
  readOptions(count, options, values);
  MockModule *loaded = nullptr;
  if (!failed)
    failed = loadModule(static_cast<const char *>(image), loaded);
  if (failed)
    writeLog(count, options, values);
  else
    *module = reinterpret_cast<cu::Module>(loaded);
  return failed;
}

MOCK_EXPORT cuModuleUnload(cu::Module module) {
  MOCK_ENTER(cuModuleUnload);
  MOCK_NEEDS_CONTEXT();
  auto *loaded = reinterpret_cast<MockModule *>(module);
  if (loaded->context != stack.top())
    return cu::ErrorInvalidContext;
  delete loaded;
  --state.modules;
  return cu::Success;
}

MOCK_EXPORT cuModuleGetFunction(cu::Function *function, cu::Module module, const char *name) {
  MOCK_ENTER(cuModuleGetFunction);
  MOCK_NEEDS_CONTEXT();
  auto &functions = reinterpret_cast<MockModule *>(module)->functions;
  auto found = functions.find(name);
  if (found == functions.end())
    return cu::ErrorNotFound;
  *function = reinterpret_cast<cu::Function>(&found->second);
  return cu::Success;
}

static MockFunction &functionOf(cu::Function function) {
  return *reinterpret_cast<MockFunction *>(function);
}

MOCK_EXPORT cuFuncGetAttribute(int *value, cu::FunctionAttribute attribute, cu::Function function) {
  MOCK_ENTER(cuFuncGetAttribute);
  switch (attribute) {
  case cu::FunctionMaxThreadsPerBlock:
    *value = functionOf(function).maxThreads;
    return cu::Success;
  case cu::FunctionSharedBytes:
    *value = 1024;
    return cu::Success;
  case cu::FunctionLocalBytes:
    *value = 16;
    return cu::Success;
  case cu::FunctionRegisters:
    *value = functionOf(function).registers;
    return cu::Success;
  case cu::FunctionRequiredClusterWidth:
    *value = functionOf(function).clusterWidth;
    return cu::Success;
  default:
    return cu::ErrorInvalidValue;
  }
}

MOCK_EXPORT cuFuncSetAttribute(cu::Function function, cu::FunctionAttribute attribute, int value) {
  MOCK_ENTER(cuFuncSetAttribute);
  MOCK_NEEDS_CONTEXT();
  if (attribute == cu::FunctionMaxDynamicSharedBytes)
    functionOf(function).dynamicSharedBytes = value;
  else if (attribute == cu::FunctionNonPortableClusterSizeAllowed)
    functionOf(function).largeClusters = value != 0;
  else
    return cu::ErrorInvalidValue;
  return cu::Success;
}

MOCK_EXPORT cuFuncGetParamInfo(cu::Function function, size_t index, size_t *offset, size_t *bytes) {
  MOCK_ENTER(cuFuncGetParamInfo);
  const auto &params = functionOf(function).params;
  if (index >= params.size())
    return cu::ErrorInvalidValue;
  *offset = params[index].offset;
  *bytes = params[index].bytes;
  return cu::Success;
}

static int residentBlocks(unsigned threads, size_t sharedBytes) {
  int byThreads = int(2048 / threads), byShared = int(233472 / (1024 + sharedBytes));
  return std::min({byThreads, byShared, state.mostResident.load()});
}

MOCK_EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu::Function, int threads,
                                                        size_t sharedBytes) {
  MOCK_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  MOCK_NEEDS_CONTEXT();
  *blocks = residentBlocks(unsigned(threads), sharedBytes);
  return cu::Success;
}

/// Records a launch in which a block is allowed to be as large as it is.
static cu::Result launchKernel(const cu::LaunchConfig &config, const unsigned (&cluster)[3],
                               cu::Function function, void **args, bool dependent = false) {
  const MockFunction &kernel = functionOf(function);
  if (kernel.module->context != stack.top())
    return cu::ErrorInvalidContext;
  if (!isStreamOfCurrent(config.stream))
    return errorInvalidHandle;
  const unsigned (&grid)[3] = config.gridDim, (&block)[3] = config.blockDim;
  if (!grid[0] || !grid[1] || !grid[2] || grid[0] > INT32_MAX ||
      block[0] * block[1] * block[2] > unsigned(kernel.maxThreads) ||
      config.sharedBytes > unsigned(kernel.dynamicSharedBytes))
    return cu::ErrorInvalidValue;
  std::lock_guard<std::mutex> lock(state.launchMutex);
  MockLaunch &launch = state.launch;
  launch = {};
  snprintf(launch.kernel, sizeof(launch.kernel), "%s", kernel.name.c_str());
  memcpy(launch.grid, grid, sizeof(grid));
  memcpy(launch.block, block, sizeof(block));
  memcpy(launch.cluster, cluster, sizeof(cluster));
  launch.dependent = dependent;
  launch.sharedBytes = config.sharedBytes;
  launch.registers = unsigned(kernel.registers);
  launch.stream = config.stream;
  launch.context = stack.top();
  launch.image = kernel.module->image;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const MockParam &param = kernel.params[i];
    if (param.offset + param.bytes > sizeof(launch.params))
      return cu::ErrorInvalidValue;
    memcpy(launch.params + param.offset, args[i], param.bytes);
    launch.paramBytes = unsigned(param.offset + param.bytes);
  }
  return cu::Success;
}

MOCK_EXPORT cuLaunchKernel(cu::Function function, unsigned gridX, unsigned gridY, unsigned gridZ,
                           unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                           cu::Stream stream, void **args, void **) {
  MOCK_ENTER(cuLaunchKernel);
  MOCK_NEEDS_CONTEXT();
  return launchKernel(
      {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream, nullptr, 0}, {0, 0, 0},
      function, args);
}

// The driver without clusters and libraries of DriverTest is this one without the rest.
#ifndef MOCK_WITHOUT_CLUSTERS

/// Writes what it was given in a form that tests can read.
MOCK_EXPORT cuTensorMapEncodeTiled(cu::TensorMap *map, cu::TensorMapDataType type, unsigned rank,
                                   void *address, const unsigned long long *sizes,
                                   const unsigned long long *strides, const unsigned *box,
                                   const unsigned *steps, cu::TensorMapInterleave interleave,
                                   cu::TensorMapSwizzle swizzle, cu::TensorMapPromotion promotion,
                                   cu::TensorMapFill fill) {
  MOCK_ENTER(cuTensorMapEncodeTiled);
  MockTensorMap made = {};
  static_assert(sizeof(made) <= sizeof(*map));
  auto isOne = [](unsigned step) { return step == 1; };
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || rank < 1 || rank > 5 ||
      reinterpret_cast<uintptr_t>(address) % 16 != 0 || !std::all_of(steps, steps + rank, isOne) ||
      interleave != 0 || fill != 0)
    return cu::ErrorInvalidValue;
  made.address = reinterpret_cast<uintptr_t>(address);
  made.type = uint8_t(type);
  made.rank = uint8_t(rank);
  made.swizzle = uint8_t(swizzle);
  made.promotion = uint8_t(promotion);
  for (unsigned axis = 0; axis < rank; ++axis) {
    made.sizes[axis] = uint32_t(sizes[axis] - 1);
    made.box[axis] = uint16_t(box[axis]);
    if (axis + 1 < rank)
      made.strides[axis] = strides[axis];
    if (sizes[axis] < 1 || sizes[axis] > uint64_t(1) << 32 || box[axis] < 1 || box[axis] > 256 ||
        made.strides[axis] % 16 != 0 || made.strides[axis] >> 40 != 0)
      return cu::ErrorInvalidValue;
  }
  memcpy(map, &made, sizeof(made));
  return cu::Success;
}

/// Reads the attributes of a configuration: a cluster, a dependent launch, or both.
static cu::Result readAttributes(const cu::LaunchConfig &config, const MockFunction &function,
                                 unsigned (&cluster)[3], bool &dependent) {
  bool hasCluster = false;
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const cu::LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == cu::LaunchClusterDimension) {
      memcpy(cluster, attribute.value.clusterDim, sizeof(cluster));
      hasCluster = true;
    } else if (attribute.id == cu::LaunchProgrammaticStreamSerialization && state.major >= 9) {
      dependent = attribute.value.programmaticSerialization != 0;
    } else {
      return cu::ErrorInvalidValue;
    }
  }
  if (!hasCluster)
    return cu::Success;
  unsigned size = cluster[0] * cluster[1] * cluster[2];
  for (int axis = 0; axis < 3; ++axis)
    if (!cluster[axis] || config.gridDim[axis] % cluster[axis] != 0)
      return cu::ErrorInvalidValue;
  return size > (function.largeClusters ? 16u : 8u) ? cu::ErrorInvalidClusterSize : cu::Success;
}

MOCK_EXPORT cuLaunchKernelEx(const cu::LaunchConfig *config, cu::Function function, void **args,
                             void **) {
  MOCK_ENTER(cuLaunchKernelEx);
  MOCK_NEEDS_CONTEXT();
  unsigned cluster[3] = {0, 0, 0};
  bool dependent = false;
  if (cu::Result failed = readAttributes(*config, functionOf(function), cluster, dependent))
    return failed;
  return launchKernel(*config, cluster, function, args, dependent);
}

/// As if four multiprocessors were the reach of a cluster: its blocks must fit on them together.
MOCK_EXPORT cuOccupancyMaxActiveClusters(int *clusters, cu::Function function,
                                         const cu::LaunchConfig *config) {
  MOCK_ENTER(cuOccupancyMaxActiveClusters);
  MOCK_NEEDS_CONTEXT();
  unsigned cluster[3] = {0, 0, 0};
  bool dependent = false;
  if (cu::Result failed = readAttributes(*config, functionOf(function), cluster, dependent))
    return failed;
  constexpr int groups = 3, multiprocessorsOfGroup = 4;
  int blocks = residentBlocks(config->blockDim[0], config->sharedBytes) * multiprocessorsOfGroup;
  *clusters = groups * (blocks / int(cluster[0]));
  return cu::Success;
}

//===-------------------------------------------------------------------------------===//
// Libraries
//===-------------------------------------------------------------------------------===//

MOCK_EXPORT cuLibraryLoadData(cu::Library *library, const void *image, cu::JitOption *options,
                              void **values, unsigned count, cu::LibraryOption *, void **,
                              unsigned) {
  cu::Result failed = enter(index_cuLibraryLoadData);
  std::lock_guard<std::mutex> lock(state.mutex);
  readOptions(count, options, values);
  constexpr cu::Result errorCaptureUnsupported = 900;
  if (!failed && state.captures != 0)
    failed = errorCaptureUnsupported;
  if (failed) {
    writeLog(count, options, values);
    return failed;
  }
  ++state.libraries;
  *library = reinterpret_cast<cu::Library>(new MockLibrary{static_cast<const char *>(image), {}});
  return cu::Success;
}

/// Loads lazily, as the driver may: what is wrong with an image for a device shows here.
MOCK_EXPORT cuLibraryGetModule(cu::Module *module, cu::Library library) {
  MOCK_ENTER(cuLibraryGetModule);
  MOCK_NEEDS_CONTEXT();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto &held = *reinterpret_cast<MockLibrary *>(library);
  MockModule *&opened = held.modules[stack.top()];
  if (!opened)
    if (cu::Result failed = loadModule(held.image, opened))
      return failed;
  *module = reinterpret_cast<cu::Module>(opened);
  return cu::Success;
}

MOCK_EXPORT cuLibraryUnload(cu::Library library) {
  MOCK_ENTER(cuLibraryUnload);
  std::lock_guard<std::mutex> lock(state.mutex);
  auto *held = reinterpret_cast<MockLibrary *>(library);
  for (auto &[context, module] : held->modules) {
    state.modules -= module != nullptr;
    delete module;
  }
  delete held;
  --state.libraries;
  return cu::Success;
}

MOCK_EXPORT cuFuncLoad(cu::Function) {
  MOCK_ENTER(cuFuncLoad);
  MOCK_NEEDS_CONTEXT();
  return cu::Success;
}

#endif
