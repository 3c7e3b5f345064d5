//===- Kernel.cpp - Finds and prepares kernels ---------------------------*- C++ -*-===//
//
// Everything about a kernel that does not change between launches is worked out here: its
// attributes, the right to its dynamic shared memory, and per parameter the set of argument types
// that may be passed, as a bit mask, so that a launch checks an argument with one shift.
//
//===-------------------------------------------------------------------------------===//

#include "TensorMaps.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tilec {

static constexpr uint32_t unknownCount = UINT32_MAX;

uint32_t typeBytes(uint32_t type) {
  constexpr uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1};
  if (type >= TILEC_TYPE_POINTER)
    return type - TILEC_TYPE_POINTER < sizeof(sizes) ? 8 : 0;
  return type < sizeof(sizes) ? sizes[type] : 0;
}

const char *typeName(uint32_t type) {
  static constexpr const char *names[] = {"anything", "i1",   "i8",    "u8",      "i16",     "u16",
                                          "i32",      "u32",  "i64",   "u64",     "fp16",    "bf16",
                                          "fp32",     "fp64", "fp8e5", "fp8e4nv", "fp8e4b15"};
  if (typeBytes(type) == 0)
    return "?";
  return names[type % TILEC_TYPE_POINTER];
}

static constexpr uint64_t bit(uint32_t type) { return uint64_t(1) << type; }

/// The scalar types whose values may stand for `type`: itself, the other signedness, and for the
/// floats that C++17 does not have, their raw bits.
static uint64_t acceptedScalars(uint32_t type) {
  switch (type) {
  case TILEC_TYPE_I8:
  case TILEC_TYPE_U8:
    return bit(TILEC_TYPE_I8) | bit(TILEC_TYPE_U8);
  case TILEC_TYPE_I16:
  case TILEC_TYPE_U16:
    return bit(TILEC_TYPE_I16) | bit(TILEC_TYPE_U16);
  case TILEC_TYPE_I32:
  case TILEC_TYPE_U32:
    return bit(TILEC_TYPE_I32) | bit(TILEC_TYPE_U32);
  case TILEC_TYPE_I64:
  case TILEC_TYPE_U64:
    return bit(TILEC_TYPE_I64) | bit(TILEC_TYPE_U64);
  case TILEC_TYPE_FP16:
  case TILEC_TYPE_BF16:
    return bit(type) | bit(TILEC_TYPE_U16);
  case TILEC_TYPE_FP8E5:
  case TILEC_TYPE_FP8E4NV:
  case TILEC_TYPE_FP8E4B15:
    return bit(type) | bit(TILEC_TYPE_I8) | bit(TILEC_TYPE_U8);
  default:
    return bit(type);
  }
}

static constexpr uint64_t allPointers = ~uint64_t(0) << TILEC_TYPE_POINTER;

/// The argument types that may be passed for a parameter of `type`.
static uint64_t acceptedTypes(uint32_t type) {
  if (type < TILEC_TYPE_POINTER)
    return acceptedScalars(type);
  uint32_t element = type - TILEC_TYPE_POINTER;
  if (element == TILEC_TYPE_INVALID)
    return allPointers;
  uint64_t elements = acceptedScalars(element);
  if (element == TILEC_TYPE_I1) // memory of i1 is memory of bytes
    elements |= acceptedScalars(TILEC_TYPE_U8);
  return bit(TILEC_TYPE_POINTER) | elements << TILEC_TYPE_POINTER;
}

/// The argument types of `bytes` bytes, for a parameter of which only the size is known.
static uint64_t acceptedSizes(size_t bytes) {
  uint64_t accepted = 0;
  for (uint32_t type = 1; type < 64; ++type)
    if (typeBytes(type) == bytes)
      accepted |= bit(type);
  return accepted;
}

/// Sizes of a record before `num_ctas` was added, and `maps`; programs compiled then still make
/// such ones.
static constexpr size_t recordBytesWithoutCTAs = offsetof(tilec_launch_record, num_ctas);
static constexpr size_t recordBytesWithoutMaps = offsetof(tilec_launch_record, maps);

tilec_status readRecord(const tilec_launch_record &given, tilec_launch_record &record) {
  if (given.struct_size != sizeof(record) && given.struct_size != recordBytesWithoutMaps &&
      given.struct_size != recordBytesWithoutCTAs)
    return makeError(
        TILEC_ERROR_INVALID_ARGUMENT,
        "the launch record has %u bytes, expected %zu, or %zu or %zu as in earlier versions: it "
        "was made for another version of the runtime",
        given.struct_size, sizeof(record), recordBytesWithoutMaps, recordBytesWithoutCTAs);
  record = {};
  memcpy(static_cast<void *>(&record), &given, given.struct_size);
  if (record.num_ctas == 0)
    record.num_ctas = 1;
  return nullptr;
}

/// Checks that the record can be right at all.
static tilec_status checkRecord(const tilec_launch_record &record) {
  if (!record.symbol || !*record.symbol)
    return makeError(TILEC_ERROR_INVALID_ARGUMENT, "the launch record names no kernel");
  if (record.num_ctas > 16 || (record.num_ctas & (record.num_ctas - 1)) != 0)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "expected 1, 2, 4, 8 or 16 CTAs of a program, found %u",
                           record.num_ctas);
  if ((record.flags & ~uint32_t(TILEC_RECORD_OF_IMAGE)) != 0)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "the launch record has unknown flags (0x%x)", record.flags);
  for (uint32_t i = 0; record.params && i < record.num_params; ++i)
    if (typeBytes(record.params[i].type) == 0)
      return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                             "parameter %u of the launch record has unknown type %u", i + 1,
                             record.params[i].type);
  if (tilec_status status = checkPacking(record))
    return status;
  return checkMaps(record);
}

/// Counts the parameters that the driver reports, up to `most`; unknownCount if it cannot.
static uint32_t countParams(const Driver &driver, cu::Function function, uint32_t most) {
  if (!driver.cuFuncGetParamInfo)
    return unknownCount;
  size_t offset = 0, bytes = 0;
  for (uint32_t count = 0; count < most; ++count) {
    cu::Result result = driver.cuFuncGetParamInfo(function, count, &offset, &bytes);
    if (result == cu::ErrorInvalidValue)
      return count;
    if (result != cu::Success)
      return unknownCount;
  }
  return most;
}

/// Compares what the driver says of parameter `i` with what the record does.
static tilec_status compareParam(const tilec_kernel &kernel, const tilec_launch_record &record,
                                 uint32_t i) {
  const tilec_param &param = record.params[i];
  size_t offset = 0, bytes = 0, expected = typeBytes(param.type);
  if (kernel.driver->cuFuncGetParamInfo(kernel.function, i, &offset, &bytes) != cu::Success ||
      (offset == param.offset && bytes == expected))
    return nullptr;
  return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, record.symbol,
                         "parameter %u ('%s') has %zu bytes at offset %u in the launch record, "
                         "%zu bytes at offset %zu in the image",
                         i + 1, param.name ? param.name : "", expected, param.offset, bytes,
                         offset);
}

/// The same of tensor map `i`. Where it lies is the assembler's choice: it aligns maps in the
/// memory that has the parameters, whose beginning need not be a multiple of 64.
static tilec_status compareMap(const tilec_kernel &kernel, const tilec_launch_record &record,
                               uint32_t i) {
  size_t offset = 0, bytes = 0;
  uint32_t number = record.num_params + numGridParams(record.packing) + i;
  if (kernel.driver->cuFuncGetParamInfo(kernel.function, number, &offset, &bytes) != cu::Success ||
      bytes == mapBytes)
    return nullptr;
  return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, record.symbol,
                         "parameter %u is a tensor map of %u bytes in the launch record, and has "
                         "%zu bytes in the image",
                         number + 1, mapBytes, bytes);
}

/// Parameters of the image that the record speaks of: the kernel's own, and those that launches
/// add.
static uint32_t numParamsOfImage(const tilec_launch_record &record) {
  return record.num_params + numGridParams(record.packing) + record.num_maps;
}

/// Compares the record's parameters, and the tensor maps behind them, with the `count` of the
/// image.
static tilec_status compareParams(const tilec_kernel &kernel, const tilec_launch_record &record,
                                  uint32_t count) {
  if (count != numParamsOfImage(record))
    return makeKernelError(TILEC_ERROR_ARGUMENT_MISMATCH, record.symbol,
                           "the launch record has %u parameters, the image has %u",
                           numParamsOfImage(record), count);
  for (uint32_t i = 0; i < record.num_params; ++i)
    if (tilec_status status = compareParam(kernel, record, i))
      return status;
  for (uint32_t i = 0; i < record.num_maps; ++i)
    if (tilec_status status = compareMap(kernel, record, i))
      return status;
  return nullptr;
}

namespace {

/// The block that holds what a kernel keeps of its record. What has the strictest alignment comes
/// first.
class RecordStorage {
public:
  RecordStorage(const tilec_launch_record &record, uint32_t numParams);
  /// Null without memory.
  void *allocate() { return cursor = static_cast<char *>(malloc(bytes)); }
  template <typename T> T *take(size_t count) {
    T *start = reinterpret_cast<T *>(cursor);
    cursor += count * sizeof(T);
    return start;
  }
  const char *copy(const char *text) {
    const char *start = cursor;
    cursor = stpcpy(cursor, text) + 1;
    return start;
  }

private:
  size_t bytes;
  char *cursor = nullptr;
};

} // namespace

RecordStorage::RecordStorage(const tilec_launch_record &record, uint32_t numParams)
    : bytes(numParams * sizeof(KernelParam) + record.num_maps * sizeof(tilec_tensor_map) +
            strlen(record.symbol) + 1) {
  for (uint32_t i = 0; i < record.num_maps; ++i)
    bytes += record.maps[i].num_steps * sizeof(tilec_map_step);
  for (uint32_t i = 0; record.params && i < numParams; ++i)
    bytes += record.params[i].name ? strlen(record.params[i].name) + 1 : 0;
}

/// Copies the record's tensor maps.
static void fillMaps(tilec_kernel &kernel, const tilec_launch_record &record,
                     RecordStorage &storage) {
  auto *maps = storage.take<tilec_tensor_map>(record.num_maps);
  for (uint32_t i = 0; i < record.num_maps; ++i) {
    maps[i] = record.maps[i];
    size_t count = maps[i].num_steps;
    auto *steps = storage.take<tilec_map_step>(count);
    memcpy(steps, maps[i].steps, count * sizeof(tilec_map_step));
    maps[i].steps = steps;
  }
  kernel.maps = maps;
  kernel.numMaps = record.num_maps;
}

/// Fills the kernel's parameter list from the record or, without one, from the driver, and copies
/// the names.
static tilec_status fillParams(tilec_kernel &kernel, const tilec_launch_record &record) {
  constexpr uint32_t anyCount = 65536; // no parameter block is that large
  bool isOfImage = record.params && (record.flags & TILEC_RECORD_OF_IMAGE);
  uint32_t reported =
      countParams(*kernel.driver, kernel.function, isOfImage ? numParamsOfImage(record) : anyCount);
  kernel.numParams = record.params ? record.num_params : reported;
  if (record.params && reported != unknownCount)
    if (tilec_status status = compareParams(kernel, record, reported))
      return status;
  uint32_t count = kernel.numParams == unknownCount ? 0 : kernel.numParams;
  RecordStorage storage(record, count);
  kernel.storage = storage.allocate();
  if (!kernel.storage)
    return makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a kernel object");
  auto *params = storage.take<KernelParam>(count);
  fillMaps(kernel, record, storage);
  kernel.info.name = storage.copy(record.symbol);
  for (uint32_t i = 0; i < count; ++i) {
    if (record.params) {
      const tilec_param &param = record.params[i];
      params[i] = {acceptedTypes(param.type), param.type, typeBytes(param.type),
                   param.name ? storage.copy(param.name) : ""};
      continue;
    }
    size_t offset = 0, size = 0;
    kernel.driver->cuFuncGetParamInfo(kernel.function, i, &offset, &size);
    params[i] = {acceptedSizes(size), TILEC_TYPE_INVALID, uint32_t(size), ""};
  }
  kernel.params = params;
  return nullptr;
}

/// Checks that launches can make the tensor maps of the record.
static tilec_status prepareMaps(const tilec_kernel &kernel, const tilec_launch_record &record) {
  if (record.num_maps == 0 || kernel.driver->cuTensorMapEncodeTiled)
    return nullptr;
  return makeKernelError(TILEC_ERROR_DRIVER_TOO_OLD, record.symbol,
                         "tensor maps need a driver for CUDA 12.0 or later");
}

/// Reads the attributes of the compiled code.
static tilec_status fillInfo(tilec_kernel &kernel, const tilec_launch_record &record) {
  int maxThreads = 0, sharedBytes = 0, localBytes = 0, registers = 0;
  const struct {
    cu::FunctionAttribute attribute;
    int &value;
  } attributes[] = {{cu::FunctionMaxThreadsPerBlock, maxThreads},
                    {cu::FunctionSharedBytes, sharedBytes},
                    {cu::FunctionLocalBytes, localBytes},
                    {cu::FunctionRegisters, registers}};
  for (const auto &entry : attributes)
    if (cu::Result result =
            kernel.driver->cuFuncGetAttribute(&entry.value, entry.attribute, kernel.function))
      return makeDriverError({kernel.driver, result, TILEC_OK, record.symbol},
                             "cannot ask about the kernel");
  kernel.info = {uint32_t(sizeof(kernel.info)),
                 record.threads,
                 uint32_t(sharedBytes),
                 record.dynamic_shared_bytes,
                 uint32_t(registers),
                 uint32_t(localBytes),
                 uint32_t(maxThreads),
                 unknownCount,
                 "",
                 record.num_ctas};
  return nullptr;
}

/// Checks threads and shared memory against the device, and allows the dynamic shared memory.
static tilec_status prepareResources(const tilec_kernel &kernel,
                                     const tilec_launch_record &record) {
  const tilec_device &device = *kernel.module->device;
  const tilec_kernel_info &info = kernel.info;
  if (record.threads == 0)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "expected at least 1 thread in a block, found 0");
  uint32_t packed = uint32_t(record.packing.threads) * record.packing.programs;
  uint32_t threads = packed > record.threads ? packed : record.threads;
  if (threads > info.max_threads)
    return makeKernelError(TILEC_ERROR_OUT_OF_RESOURCES, record.symbol,
                           "%u threads in a block are too many: the compiled code, with %u "
                           "registers a thread, allows %u on device %d (%s)",
                           threads, info.registers, info.max_threads, device.info.ordinal,
                           device.name);
  uint64_t shared = uint64_t(info.static_shared_bytes) + record.dynamic_shared_bytes;
  if (shared > uint64_t(device.info.shared_per_block_limit))
    return makeKernelError(TILEC_ERROR_OUT_OF_RESOURCES, record.symbol,
                           "%llu bytes of shared memory (%u static, %u dynamic) are too many: "
                           "device %d (%s) allows %d in a block",
                           static_cast<unsigned long long>(shared), info.static_shared_bytes,
                           record.dynamic_shared_bytes, device.info.ordinal, device.name,
                           device.info.shared_per_block_limit);
  if (record.dynamic_shared_bytes == 0)
    return nullptr;
  cu::Result result = kernel.driver->cuFuncSetAttribute(
      kernel.function, cu::FunctionMaxDynamicSharedBytes, int(record.dynamic_shared_bytes));
  return result ? makeDriverError({kernel.driver, result, TILEC_OK, record.symbol},
                                  "cannot get %u bytes of dynamic shared memory",
                                  record.dynamic_shared_bytes)
                : nullptr;
}

static tilec_status getKernel(tilec_kernel &kernel, const tilec_launch_record &record) {
  const tilec_device &device = *kernel.module->device;
  ContextScope scope(device);
  if (scope.result() != cu::Success)
    return makeDeviceError(device, scope.result(), "cannot use the context");
  cu::Result result =
      kernel.driver->cuModuleGetFunction(&kernel.function, kernel.module->handle, record.symbol);
  if (result == cu::ErrorNotFound)
    return makeDriverError({kernel.driver, result, TILEC_ERROR_NO_KERNEL, record.symbol},
                           "the module has no kernel of this name");
  if (result)
    return makeDriverError({kernel.driver, result, TILEC_OK, record.symbol},
                           "cannot get the kernel from its module");
  if (tilec_status status = fillInfo(kernel, record))
    return status;
  if (tilec_status status = prepareResources(kernel, record))
    return status;
  if (tilec_status status = prepareCluster(kernel, record))
    return status;
  if (tilec_status status = prepareMaps(kernel, record))
    return status;
  if (tilec_status status = fillParams(kernel, record))
    return status;
  kernel.info.num_params = kernel.numParams;
  return nullptr;
}

} // namespace tilec

tilec_status tilec_kernel_get(tilec_module *module, const tilec_launch_record *record,
                              tilec_kernel **kernel) {
  if (!module || !record || !kernel)
    return tilec::makeNullError("tilec_kernel_get", !module   ? "module"
                                                    : !record ? "record"
                                                              : "kernel");
  tilec_launch_record known;
  if (tilec_status status = tilec::readRecord(*record, known))
    return status;
  if (tilec_status status = tilec::checkRecord(known))
    return status;
  void *memory = calloc(1, sizeof(tilec_kernel));
  if (!memory)
    return tilec::makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a kernel object");
  auto *found = new (memory) tilec_kernel{};
  const tilec_device &device = *module->device;
  found->references = 1;
  found->module = module;
  found->context = device.context;
  found->driver = device.driver;
  found->threads = known.threads;
  found->dynamicSharedBytes = known.dynamic_shared_bytes;
  found->numCTAs = known.num_ctas;
  for (int i = 0; i < 3; ++i)
    found->maxGrid[i] = uint32_t(device.info.max_grid[i]);
  found->packing = known.packing;
  found->leastPacked = UINT64_MAX;
  if (tilec::isPersistent(known.packing))
    found->mostBlocks =
        tilec::mostPersistentBlocks(known.packing, uint32_t(device.info.multiprocessors));
  else if (known.packing.programs != 0)
    found->leastPacked = uint64_t(known.packing.least) * uint64_t(device.info.multiprocessors);
  found->maxGrid[0] /= known.num_ctas; // so that a launch need not fear an overflow
  if (tilec_status status = tilec::getKernel(*found, known)) {
    free(found->storage);
    free(found);
    return status;
  }
  tilec_module_retain(module);
  *kernel = found;
  return nullptr;
}

tilec_kernel *tilec_kernel_retain(tilec_kernel *kernel) { return tilec::retainObject(kernel); }

void tilec_kernel_release(tilec_kernel *kernel) {
  if (!tilec::releaseObject(kernel))
    return;
  tilec_module_release(kernel->module);
  free(kernel->storage);
  free(kernel);
}

const tilec_kernel_info *tilec_kernel_get_info(const tilec_kernel *kernel) {
  return kernel ? &kernel->info : nullptr;
}
