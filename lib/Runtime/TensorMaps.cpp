//===- TensorMaps.cpp - Tensor maps that launches make ---------------------*- C++ -*-===//
//
// The expressions of a map are a few steps over the arguments, and encoding is work of the
// processor alone, so launches keep nothing between them.
//
//===-------------------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "Status.h"

#include <cstring>

namespace tilec {

/// Numbers on the stack at a time.
static constexpr uint32_t maxHeight = 64;

//===-------------------------------------------------------------------------------===//
// Records
//===-------------------------------------------------------------------------------===//

/// An integer or an address, of which an argument's value can be one.
static bool isNumber(uint32_t type) {
  return type >= TILEC_TYPE_POINTER || (type >= TILEC_TYPE_I1 && type <= TILEC_TYPE_U64);
}

/// How many numbers the step takes; UINT32_MAX if it is none.
static uint32_t operandsOf(const tilec_launch_record &record, const tilec_map_step &step) {
  auto value = uint64_t(step.value);
  switch (step.op) {
  case TILEC_MAP_ARGUMENT:
    return value < record.num_params && isNumber(record.params[value].type) ? 0 : UINT32_MAX;
  case TILEC_MAP_CONSTANT:
    return 0;
  case TILEC_MAP_SEXT:
  case TILEC_MAP_ZEXT:
    return value == 8 || value == 16 || value == 32 ? 1 : UINT32_MAX;
  default:
    return step.op >= TILEC_MAP_ADD && step.op <= TILEC_MAP_LT ? 2 : UINT32_MAX;
  }
}

/// Whether the steps leave as many numbers as a map of that rank has.
static bool areStepsSound(const tilec_launch_record &record, const tilec_tensor_map &map) {
  uint32_t height = 0;
  for (uint32_t i = 0; i < map.num_steps; ++i) {
    uint32_t operands = operandsOf(record, map.steps[i]);
    if (operands > height)
      return false;
    height += 1 - operands;
    if (height > maxHeight)
      return false;
  }
  return height == 1 + 2 * map.rank;
}

static bool isMapSound(const tilec_launch_record &record, const tilec_tensor_map &map) {
  bool isKnown = map.rank >= 1 && map.rank <= TILEC_MAX_TENSOR_AXES &&
                 map.swizzle <= cu::TensorMapSwizzle128B &&
                 (map.element_bytes == 1 || map.element_bytes == 2 || map.element_bytes == 4 ||
                  map.element_bytes == 8);
  for (uint32_t axis = 0; isKnown && axis < map.rank; ++axis)
    isKnown = map.box[axis] >= 1 && map.box[axis] <= 256;
  return isKnown && map.steps && areStepsSound(record, map);
}

tilec_status checkMaps(const tilec_launch_record &record) {
  if (record.num_maps == 0)
    return nullptr;
  if (!record.maps || !record.params || record.num_maps > maxMaps)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                           "the launch record has %u tensor maps %s", record.num_maps,
                           record.num_maps > maxMaps ? "and may have 32"
                           : record.params           ? "but no list of them"
                                                     : "but no parameters");
  for (uint32_t i = 0; i < record.num_maps; ++i)
    if (!isMapSound(record, record.maps[i]))
      return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, record.symbol,
                             "tensor map %u of the launch record is none that can be made", i + 1);
  return nullptr;
}

//===-------------------------------------------------------------------------------===//
// Expressions
//===-------------------------------------------------------------------------------===//

/// The value with so many low bits, and their sign.
static inline int64_t signExtend(int64_t value, uint32_t bits) {
  return int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
}

/// The integer of so many bytes at `place`.
static inline int64_t readArgument(const void *place, uint32_t bytes) {
  uint64_t value = 0;
  memcpy(&value, place, bytes);
  return signExtend(int64_t(value), 8 * bytes);
}

static inline int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
}

static inline int64_t combine(uint32_t op, int64_t a, int64_t b) {
  switch (op) {
  case TILEC_MAP_ADD:
    return int64_t(uint64_t(a) + uint64_t(b));
  case TILEC_MAP_SUB:
    return int64_t(uint64_t(a) - uint64_t(b));
  case TILEC_MAP_MUL:
    return int64_t(uint64_t(a) * uint64_t(b));
  case TILEC_MAP_DIV:
    return divide(a, b);
  case TILEC_MAP_MIN:
    return a < b ? a : b;
  case TILEC_MAP_MAX:
    return a > b ? a : b;
  case TILEC_MAP_AND:
    return a & b;
  case TILEC_MAP_OR:
    return a | b;
  case TILEC_MAP_XOR:
    return a ^ b;
  case TILEC_MAP_EQ:
    return a == b;
  default:
    return a < b;
  }
}

/// Puts the numbers of a sound map on the stack. `bytesOf(i)` is the size of argument i.
template <typename BytesOf>
static inline void evaluate(const tilec_tensor_map &map, BytesOf bytesOf, void *const *args,
                            int64_t (&stack)[maxHeight]) {
  int64_t *top = stack;
  for (const tilec_map_step *step = map.steps, *end = step + map.num_steps; step != end; ++step) {
    switch (step->op) {
    case TILEC_MAP_ARGUMENT:
      *top++ = readArgument(args[step->value], bytesOf(step->value));
      break;
    case TILEC_MAP_CONSTANT:
      *top++ = step->value;
      break;
    case TILEC_MAP_SEXT:
      top[-1] = signExtend(top[-1], uint32_t(step->value));
      break;
    case TILEC_MAP_ZEXT:
      top[-1] &= (int64_t(1) << step->value) - 1;
      break;
    default:
      top[-2] = combine(step->op, top[-2], top[-1]);
      --top;
    }
  }
}

//===-------------------------------------------------------------------------------===//
// Values
//===-------------------------------------------------------------------------------===//

/// Hardware copies so many bytes at a time.
static constexpr uint64_t groupBytes = 16;
static constexpr uint64_t sizeEnd = uint64_t(1) << 32, strideEnd = uint64_t(1) << 40;

/// The values from the numbers of the stack, behind the first one. The stride of an axis with one
/// element is any.
static inline void fillValues(const tilec_tensor_map &map, const int64_t *numbers,
                              tilec_tensor_map_values &values) {
  values.is_needed = 1;
  values.address = uint64_t(numbers[0]);
  for (uint32_t axis = 0; axis < map.rank; ++axis) {
    uint32_t from = map.rank - 1 - axis;
    auto size = uint64_t(numbers[1 + from]);
    values.sizes[axis] = size;
    values.box[axis] = map.box[from];
    if (axis > 0)
      values.strides[axis - 1] =
          size == 1 ? groupBytes : uint64_t(numbers[1 + map.rank + from]) * map.element_bytes;
  }
}

static inline bool areValuesPossible(const tilec_tensor_map &map,
                                     const tilec_tensor_map_values &values) {
  uint64_t low = values.address, high = 0;
  bool areSizes = true;
  for (uint32_t axis = 0; axis < map.rank; ++axis)
    areSizes &= values.sizes[axis] - 1 < sizeEnd;
  for (uint32_t axis = 0; axis + 1 < map.rank; ++axis) {
    low |= values.strides[axis];
    high |= values.strides[axis] / strideEnd;
  }
  return areSizes && low % groupBytes == 0 && high == 0;
}

/// Which rule is broken. `name` is that of the parameter that the address comes from.
__attribute__((noinline, cold)) static tilec_status
makeValuesError(const tilec_tensor_map &map, const tilec_tensor_map_values &values,
                const char *kernel, const char *name) {
  constexpr char form[] =
      "cannot make the tensor map of '%s': the %s of axis %u must be %s, found %lld";
  if (values.address % groupBytes != 0)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, kernel,
                           "cannot make the tensor map of '%s': the address must be a multiple of "
                           "16 bytes, found 0x%llx",
                           name, static_cast<unsigned long long>(values.address));
  for (uint32_t axis = 0; axis < map.rank; ++axis)
    if (values.sizes[axis] - 1 >= sizeEnd)
      return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, kernel, form, name, "size",
                             map.rank - 1 - axis, "from 1 to 2^32",
                             static_cast<long long>(values.sizes[axis]));
  uint32_t axis = 0;
  while (values.strides[axis] % groupBytes == 0 && values.strides[axis] < strideEnd)
    ++axis;
  return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, kernel, form, name, "stride",
                         map.rank - 2 - axis, "a multiple of 16 bytes from 0 and below 2^40",
                         static_cast<long long>(values.strides[axis]));
}

/// The name of the parameter that the address of the map comes from: the last pointer, since a
/// condition comes before the address, and numbers behind it.
template <typename Param>
static const char *nameOf(const Param *params, const tilec_tensor_map &map) {
  for (uint32_t i = map.num_steps; i-- > 0;) {
    if (map.steps[i].op != TILEC_MAP_ARGUMENT)
      continue;
    const Param &param = params[map.steps[i].value];
    if (param.type >= TILEC_TYPE_POINTER && param.name)
      return param.name;
  }
  return "";
}

//===-------------------------------------------------------------------------------===//
// Launches
//===-------------------------------------------------------------------------------===//

__attribute__((noinline, cold)) static tilec_status
makeEncodeError(const tilec_kernel &kernel, const tilec_tensor_map &map, cu::Result result) {
  return makeDriverError({kernel.driver, result, TILEC_OK, kernel.info.name},
                         "the driver makes no tensor map of '%s'", nameOf(kernel.params, map));
}

static cu::TensorMapDataType dataTypeOf(uint32_t bytes) {
  return bytes == 1   ? cu::TensorMapUInt8
         : bytes == 2 ? cu::TensorMapUInt16
         : bytes == 4 ? cu::TensorMapUInt32
                      : cu::TensorMapUInt64;
}

tilec_status makeMaps(const tilec_kernel &kernel, void *const *args, cu::TensorMap *maps) {
  constexpr unsigned steps[TILEC_MAX_TENSOR_AXES] = {1, 1, 1, 1, 1};
  int64_t stack[maxHeight] = {};
  for (uint32_t i = 0; i < kernel.numMaps; ++i) {
    const tilec_tensor_map &map = kernel.maps[i];
    tilec_tensor_map_values values;
    evaluate(map, [&](int64_t param) { return kernel.params[param].bytes; }, args, stack);
    if (stack[0] == 0) {
      maps[i] = {};
      continue;
    }
    fillValues(map, stack + 1, values);
    if (__builtin_expect(!areValuesPossible(map, values), 0))
      return makeValuesError(map, values, kernel.info.name, nameOf(kernel.params, map));
    unsigned long long sizes[TILEC_MAX_TENSOR_AXES], strides[TILEC_MAX_TENSOR_AXES];
    for (uint32_t axis = 0; axis < map.rank; ++axis)
      sizes[axis] = values.sizes[axis];
    for (uint32_t axis = 0; axis + 1 < map.rank; ++axis)
      strides[axis] = values.strides[axis];
    cu::Result result = kernel.driver->cuTensorMapEncodeTiled(
        maps + i, dataTypeOf(map.element_bytes), map.rank, reinterpret_cast<void *>(values.address),
        sizes, strides, values.box, steps, cu::TensorMapInterleaveNone,
        cu::TensorMapSwizzle(map.swizzle), cu::TensorMapPromotion128B, cu::TensorMapFillZeros);
    if (__builtin_expect(result != cu::Success, 0))
      return makeEncodeError(kernel, map, result);
  }
  return nullptr;
}

} // namespace tilec

tilec_status tilec_tensor_map_evaluate(const tilec_launch_record *record, uint32_t number,
                                       void *const *args, tilec_tensor_map_values *values) {
  using namespace tilec;
  if (!record || !args || !values)
    return makeNullError("tilec_tensor_map_evaluate", !record ? "record"
                                                      : !args ? "args"
                                                              : "values");
  tilec_launch_record known;
  if (tilec_status status = readRecord(*record, known))
    return status;
  if (tilec_status status = checkMaps(known))
    return status;
  if (number >= known.num_maps)
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, known.symbol,
                           "the launch record has %u tensor maps, and none with number %u",
                           known.num_maps, number);
  const tilec_tensor_map &map = known.maps[number];
  int64_t stack[maxHeight] = {};
  evaluate(map, [&](int64_t param) { return typeBytes(known.params[param].type); }, args, stack);
  tilec_tensor_map_values found = {};
  if (stack[0] != 0)
    fillValues(map, stack + 1, found);
  if (found.is_needed && !areValuesPossible(map, found))
    return makeValuesError(map, found, known.symbol, nameOf(known.params, map));
  *values = found;
  return nullptr;
}
