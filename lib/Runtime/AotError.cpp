//===- AotError.cpp - What can be wrong with a launch --------------------*- C++ -*-===//
//
// Texts for tilec_aot_launch_v1. They list what was compiled, because whoever reads them has the
// program at hand and not the command line that made the object.
//
//===-------------------------------------------------------------------------------===//

#include "Aot.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tilec {
namespace {

/// A text that grows to a limit, and says so by dots.
class Text {
public:
  Text() { text[0] = '\0'; }
  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + length, sizeof(text) - length, format, args);
    va_end(args);
    if (more > 0 && size_t(more) < sizeof(text) - length) {
      length += size_t(more);
      return;
    }
    length = sizeof(text) - 1;
    memcpy(text + sizeof(text) - 4, "...", 4);
  }
  const char *get() const { return text; }
  bool isEmpty() const { return length == 0; }

private:
  char text[4000];
  size_t length = 0;
};

} // namespace

tilec_status makeOptionsError(const tilec_aot_kernel *kernel, const tilec_launch_options &options) {
  if (!isKnownVersion(kernel->version))
    return makeError(TILEC_ERROR_INVALID_ARGUMENT,
                     "the object was compiled for version %u of the runtime's interface, this "
                     "function takes versions %d to %d",
                     kernel->version, TILEC_AOT_OLDEST_VERSION, TILEC_AOT_VERSION);
  const char *name = kernel->name ? kernel->name : "";
  if (options.struct_size != sizeof(options))
    return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, name,
                           "the launch options have %u bytes, expected %zu: start from "
                           "TILEC_LAUNCH_OPTIONS",
                           options.struct_size, sizeof(options));
  if (options.config > kernel->num_configs)
    return makeKernelError(TILEC_ERROR_NO_CONFIG, name,
                           "configuration %u was asked for; %u were compiled, numbered from 1",
                           options.config, kernel->num_configs);
  return makeKernelError(TILEC_ERROR_INVALID_ARGUMENT, name,
                         "the launch options have unknown flags (0x%x) or a reserved field that is "
                         "not 0",
                         options.flags);
}

/// Adds the value of constexpr `index` as people write it.
static void addValue(Text &text, const tilec_aot_constexpr &constant, int64_t value) {
  if (!constant.values)
    text.add("%lld", static_cast<long long>(value));
  else if (value >= 0 && value < int64_t(constant.num_values))
    text.add("%s", constant.values[value]);
  else
    text.add("number %lld", static_cast<long long>(value));
}

static bool isNameChar(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Whether the first `length` bytes of `word` stand in `text` as a name.
static bool hasName(const char *text, const char *word, size_t length) {
  for (const char *at = text; *at; ++at) {
    if (!isNameChar(*at))
      continue;
    const char *end = at;
    while (isNameChar(*end))
      ++end;
    if (size_t(end - at) == length && memcmp(at, word, length) == 0)
      return true;
    at = end - 1;
  }
  return false;
}

/// Adds the value of an argument that is a number of C.
static void addArgument(Text &text, const tilec_param &param, uint64_t slot) {
  const char *separator = text.isEmpty() ? "" : ", ";
  switch (param.type) {
  case TILEC_TYPE_I1:
  case TILEC_TYPE_U8:
  case TILEC_TYPE_U16:
  case TILEC_TYPE_U32:
  case TILEC_TYPE_U64:
    text.add("%s%s=%llu", separator, param.name, static_cast<unsigned long long>(slot));
    break;
  case TILEC_TYPE_I8:
  case TILEC_TYPE_I16:
  case TILEC_TYPE_I32:
  case TILEC_TYPE_I64:
    text.add("%s%s=%lld", separator, param.name,
             static_cast<long long>(readInteger(slot, param.type)));
    break;
  case TILEC_TYPE_FP32: {
    float value;
    memcpy(&value, &slot, sizeof(value));
    text.add("%s%s=%g", separator, param.name, double(value));
    break;
  }
  case TILEC_TYPE_FP64: {
    double value;
    memcpy(&value, &slot, sizeof(value));
    text.add("%s%s=%g", separator, param.name, value);
    break;
  }
  default:
    break;
  }
}

/// Adds the values of the arguments that the texts of configurations name: their conditions do. An
/// element of a tuple, "shape.0", is named as its tuple.
static void addNamedArguments(Text &text, const tilec_aot_kernel &kernel, const uint64_t *slots) {
  for (uint32_t i = 0; i < kernel.num_params; ++i) {
    const char *name = kernel.params[i].name;
    bool isNamed = false;
    for (uint32_t c = 0; c < kernel.num_configs && !isNamed; ++c)
      isNamed = hasName(kernel.configs[c].text, name, strcspn(name, "."));
    if (isNamed)
      addArgument(text, kernel.params[i], slots[i]);
  }
}

tilec_status makeConfigError(const tilec_aot_kernel &kernel, const tilec_launch_options &options,
                             const int64_t *constexprs, const uint64_t *slots) {
  Text wanted, compiled, arguments;
  if (options.config)
    wanted.add("configuration %s", kernel.configs[options.config - 1].name);
  for (uint32_t i = 0; constexprs && i < kernel.num_constexprs; ++i) {
    if (constexprs[i] == TILEC_ANY)
      continue;
    wanted.add("%s%s=", wanted.isEmpty() ? "" : ", ", kernel.constexprs[i].name);
    addValue(wanted, kernel.constexprs[i], constexprs[i]);
  }
  for (uint32_t i = 0; i < kernel.num_configs; ++i)
    compiled.add("\n  %s", kernel.configs[i].text);
  addNamedArguments(arguments, kernel, slots);
  return makeKernelError(TILEC_ERROR_NO_CONFIG, kernel.name,
                         "no compiled configuration %s%s%ssuits the arguments%s%s%s; these were "
                         "compiled:%s",
                         wanted.isEmpty() ? "" : "has ", wanted.get(),
                         wanted.isEmpty() ? "" : " and ", arguments.isEmpty() ? "" : " (",
                         arguments.get(), arguments.isEmpty() ? "" : ")", compiled.get());
}

tilec_status makeExpressionError(const tilec_aot_kernel &kernel, const tilec_aot_config &config,
                                 const char *what, int32_t result) {
  return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel.name,
                         "%s cannot be computed from these arguments (with %s): %s", what,
                         config.text,
                         result == -2 ? "division by 0" : "a number does not fit 64 bits");
}

tilec_status makeMissingGridError(const tilec_aot_kernel &kernel, const tilec_aot_config &) {
  return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel.name,
                         "the launch gives no grid, and none was compiled in; set 'grid' in the "
                         "launch's options, or compile one in (GRIDS of tilec_add_library, tilec "
                         "--grid)");
}

tilec_status makeNegativeGridError(const tilec_aot_kernel &kernel, const int64_t (&grid)[3]) {
  return makeKernelError(TILEC_ERROR_INVALID_GRID, kernel.name,
                         "the grid %lld x %lld x %lld is not possible: no dimension may be "
                         "negative",
                         static_cast<long long>(grid[0]), static_cast<long long>(grid[1]),
                         static_cast<long long>(grid[2]));
}

/// Lists what the variant has code for: "cubins for sm_80, sm_90a, PTX for sm_80".
static void addImages(Text &text, const tilec_aot_variant &variant) {
  for (uint32_t i = 0; i < variant.num_images; ++i) {
    const tilec_aot_image &image = variant.images[i];
    const char *separator = i ? ", " : "";
    if (image.kind == TILEC_AOT_CPU)
#if defined(__aarch64__)
      text.add("%sCPU code for aarch64", separator);
#else
      text.add("%sCPU code for x86-64-v%u", separator, image.level);
#endif
    else
      text.add("%s%s for sm_%u%.1s", separator, isCubin(image) ? "a cubin" : "PTX", image.level,
               reinterpret_cast<const char *>(&image.suffix));
  }
  if (variant.num_images == 0)
    text.add("nothing");
}

tilec_status makeNoImageError(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant,
                              const tilec_device &device) {
  Text images;
  addImages(images, variant);
  int version = 0;
  device.driver->cuDriverGetVersion(&version);
  return makeKernelError(TILEC_ERROR_WRONG_ARCHITECTURE, kernel.name,
                         "the program holds no code for device %d (%s), which is sm_%d%d, with a "
                         "driver for CUDA %d.%d; it holds %s",
                         device.info.ordinal, device.name, device.info.capability_major,
                         device.info.capability_minor, version / 1000, version % 1000 / 10,
                         images.get());
}

tilec_status makeNoCpuCodeError(const tilec_aot_kernel &kernel, const tilec_aot_variant &variant) {
  Text images;
  addImages(images, variant);
  return makeKernelError(TILEC_ERROR_WRONG_ARCHITECTURE, kernel.name,
                         "the program holds no code for this processor; it holds %s", images.get());
}

} // namespace tilec
