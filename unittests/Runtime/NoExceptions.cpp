//===- NoExceptions.cpp - The header without exceptions and RTTI ---------*- C++ -*-===//
//
// This file is compiled with -fno-exceptions and -fno-rtti, uses every class of runtime.h, and
// shows how a user teaches the launch a type of their own. It leaves GoogleTest out, whose classes
// need RTTI under some sanitizers; LaunchTest.cpp calls it.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/runtime.h"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "to be compiled with -fno-exceptions -fno-rtti"
#endif

namespace {
struct UserHalf {
  uint16_t raw;
};
struct Point {
  float x, y;
};
enum class Byte : unsigned char {};
} // namespace

template <> struct tilec::ArgumentType<UserHalf> : tilec::ArgumentCode<TILEC_TYPE_FP16> {};

// The parameter type of each C++ type.
template <typename T> constexpr int codeOf = tilec::ArgumentType<T>::code;
static_assert(codeOf<bool> == TILEC_TYPE_I1 && codeOf<signed char> == TILEC_TYPE_I8);
static_assert(codeOf<unsigned char> == TILEC_TYPE_U8 && codeOf<short> == TILEC_TYPE_I16);
static_assert(codeOf<unsigned> == TILEC_TYPE_U32 && codeOf<int> == TILEC_TYPE_I32);
static_assert(codeOf<long> == TILEC_TYPE_I64 && codeOf<long long> == TILEC_TYPE_I64);
static_assert(codeOf<unsigned long> == TILEC_TYPE_U64 && codeOf<size_t> == TILEC_TYPE_U64);
static_assert(codeOf<double> == TILEC_TYPE_FP64 && codeOf<long double> == TILEC_TYPE_INVALID);
static_assert(codeOf<UserHalf> == TILEC_TYPE_FP16 && codeOf<Point> == TILEC_TYPE_INVALID);
static_assert(codeOf<const volatile float *> == TILEC_TYPE_POINTER + TILEC_TYPE_FP32);
static_assert(codeOf<UserHalf *> == TILEC_TYPE_POINTER + TILEC_TYPE_FP16);
static_assert(codeOf<Point *> == TILEC_TYPE_POINTER && codeOf<void *> == TILEC_TYPE_POINTER);
static_assert(codeOf<Byte *> == TILEC_TYPE_POINTER && codeOf<float **> == TILEC_TYPE_POINTER);

static_assert(!std::is_convertible_v<tilec::TensorDescriptor<const float, 1>,
                                     tilec::TensorDescriptor<float, 1>>);
static_assert(std::is_convertible_v<tilec::TensorDescriptor<float, 1>,
                                    tilec::TensorDescriptor<const float, 1>>);

/// Goes through a whole run of the kernel `scalars` in `ptx`; returns the first error.
tilec::Status runWithoutExceptions(const char *ptx);

tilec::Status runWithoutExceptions(const char *ptx) {
  auto device = tilec::Device::open(0);
  if (!device)
    return device.error();
  auto module = tilec::Module::load(*device, ptx);
  auto buffer = tilec::Buffer::allocate(*device, 64);
  auto stream = tilec::Stream::create(*device);
  auto event = tilec::Event::create(*device);
  for (const tilec::Status &status :
       {module.error(), buffer.error(), stream.error(), event.error()})
    if (!status)
      return status;
  if (tilec::Status status = event->record(*stream); !status)
    return status;
  auto kernel = module->kernel({"scalars", 32});
  if (!kernel)
    return kernel.error();
  tilec::TensorDescriptor<float, 1> none(nullptr, {0});
  if (none.check("none"))
    return none.check("none");
  return kernel->launch(*stream, {1}, true, UserHalf{7}, 1, 2l, 3.0f, 4.0, UserHalf{8});
}
