//===- dlpack.h - Arguments of kernels from DLPack's tensors --------------*- C++ -*-===//
//
// Takes what functions of generated headers want out of tensors that another library describes by
// DLPack's DLTensor: typed pointers, sizes and strides, tensor descriptors, and where to launch.
// Each is checked first, since a kernel believes what it is told.
//
//   tilec::DLArguments arguments;
//   float *y = arguments.pointer<float>("y", *yTensor);
//   auto *x = arguments.pointer<const float>("x", *xTensor);
//   auto n = arguments.elements<int32_t>("x", *xTensor);
//   if (!arguments)
//     return arguments.status();
//   return kernels::scale({arguments.stream(cudaStream)}, y, x, 2.5f, n);
//
// DLTensor is that of the program's own <dlpack/dlpack.h>, or else of the one that comes with ATen;
// a program with another one includes it first. Nothing throws, and nothing is allocated but the
// text of an error. tilec/torch.h does the same for at::Tensor.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_DLPACK_H
#define TILEC_DLPACK_H

#include "tilec/launch.h"

#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#elif __has_include(<ATen/dlpack.h>)
#include <ATen/dlpack.h>
#else
#error                                                                                             \
    "tilec/dlpack.h needs DLPack's header: install it (Debian's libdlpack-dev) or include yours first"
#endif
#endif

#include <initializer_list>

namespace tilec {
inline namespace runtime_v1 {

/// How the elements of a tensor may lie in memory. Along axes of one element strides never count,
/// and a tensor without elements has any layout.
enum class TensorLayout {
  Contiguous, ///< without gaps, the last axis innermost
  Rows,       ///< neighbours along the last axis lie side by side; other strides are free
  Strided,    ///< any strides
};

namespace detail {

// DLPack's numbers, which versions of its header before 1.1 do not all name.
enum : unsigned {
  DLInt = 0,
  DLUInt = 1,
  DLFloat = 2,
  DLBfloat = 4,
  DLBool = 6,
  DLFloat8E4M3FN = 10,
  DLFloat8E5M2 = 12,
};
enum : int { DLOnCpu = 1, DLOnCuda = 2, DLOnCudaHost = 3, DLOnCudaManaged = 13 };

/// TILEC_TYPE_* of an element, or TILEC_TYPE_INVALID where kernels have no such type.
inline unsigned typeOf(const DLDataType &type) {
  struct Row {
    uint8_t code, bits, type;
  };
  static constexpr Row rows[] = {
      {DLBool, 8, TILEC_TYPE_I1},
      {DLInt, 8, TILEC_TYPE_I8},
      {DLInt, 16, TILEC_TYPE_I16},
      {DLInt, 32, TILEC_TYPE_I32},
      {DLInt, 64, TILEC_TYPE_I64},
      {DLUInt, 8, TILEC_TYPE_U8},
      {DLUInt, 16, TILEC_TYPE_U16},
      {DLUInt, 32, TILEC_TYPE_U32},
      {DLUInt, 64, TILEC_TYPE_U64},
      {DLFloat, 16, TILEC_TYPE_FP16},
      {DLFloat, 32, TILEC_TYPE_FP32},
      {DLFloat, 64, TILEC_TYPE_FP64},
      {DLBfloat, 16, TILEC_TYPE_BF16},
      {DLFloat8E5M2, 8, TILEC_TYPE_FP8E5},
      {DLFloat8E4M3FN, 8, TILEC_TYPE_FP8E4NV},
  };
  for (const Row &row : rows)
    if (type.lanes == 1 && type.code == row.code && type.bits == row.bits)
      return row.type;
  return TILEC_TYPE_INVALID;
}

/// The language's name of a TILEC_TYPE_*.
inline const char *nameOfType(unsigned type) {
  static constexpr const char *names[] = {"?",    "i1",   "i8",    "u8",      "i16",     "u16",
                                          "i32",  "u32",  "i64",   "u64",     "fp16",    "bf16",
                                          "fp32", "fp64", "fp8e5", "fp8e4nv", "fp8e4b15"};
  return type < sizeof(names) / sizeof(*names) ? names[type] : names[0];
}

/// A text of bounded length that is written piece by piece.
class ShortText {
public:
  ShortText() { text[0] = 0; }
  [[gnu::format(printf, 2, 3)]] ShortText &add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = std::vsnprintf(text + used, sizeof(text) - used, format, arguments);
    va_end(arguments);
    size_t room = sizeof(text) - 1 - used;
    if (written > 0)
      used += size_t(written) < room ? size_t(written) : room;
    return *this;
  }
  const char *get() const { return text; }

private:
  char text[80];
  size_t used = 0;
};

inline ShortText describeType(const DLDataType &type) {
  ShortText text;
  if (unsigned known = typeOf(type))
    return text.add("%s", nameOfType(known));
  return text.add("DLPack's type %d of %d bits, %d lanes", type.code, type.bits, type.lanes);
}

/// `device` is an ordinal of CUDA, or -1.
inline ShortText describeDevice(int device) {
  ShortText text;
  return device < 0 ? text.add("the CPU") : text.add("cuda:%d", device);
}

/// "[2, 3]". A number that is `any` is shown as "*".
inline ShortText describeSizes(const int64_t *sizes, int count, int64_t any = INT64_MIN) {
  ShortText text;
  text.add("[");
  for (int axis = 0; axis < count; ++axis) {
    text.add("%s", axis ? ", " : "");
    if (sizes[axis] == any)
      text.add("*");
    else
      text.add("%lld", static_cast<long long>(sizes[axis]));
  }
  return text.add("]");
}

} // namespace detail

/// The tensors of one launch. Each function checks a tensor and returns what a kernel takes; after
/// the first error, which status() tells, all return zeros, so one test before the launch is
/// enough. The errors are Code::InvalidArgument, with the argument's name, what was wanted and what
/// it is. All tensors must be on one device: the CPU (CUDA's page-locked memory counts as that), or
/// a CUDA GPU (with managed memory). The names must live as long as this; tensors need not, their
/// memory must outlive the launch. One thread uses it at a time.
class DLArguments {
public:
  DLArguments() = default;

  /// Whether all checks so far have passed.
  explicit operator bool() const { return bool(first); }
  /// Success, or the first error.
  const Status &status() const { return first; }

  /// The first element of `tensor`, whose elements must be `T`: a type that generated headers use
  /// or that ArgumentType knows, `const` where the kernel writes none, `void` for any. `alignment`
  /// is that of the address in bytes, a power of two; 0 means the element's own. A launch picks
  /// code for aligned addresses by itself, so ask for more only where the kernel counts on it
  /// (tl.multiple_of). A tensor that is written must not have the same element at two places.
  template <typename T>
  T *pointer(const char *name, const DLTensor &tensor,
             TensorLayout layout = TensorLayout::Contiguous, unsigned alignment = 0) {
    constexpr unsigned type = elementType<T>();
    check(name, tensor);
    checkType(name, tensor, &type, 1);
    checkLayout(name, tensor, layout, std::is_const_v<T>);
    auto *data = static_cast<T *>(address(tensor));
    checkAlignment(name, data, alignment ? alignment : (tensor.dtype.bits + 7) / 8);
    return first ? data : nullptr;
  }

  /// `tensor`, whose elements must be `T` and which must have `rank` axes, as the argument for a
  /// tensor descriptor. The rules of TensorDescriptor::check hold, but for strides of axes of one
  /// element, which are replaced.
  template <typename T, unsigned rank>
  TensorDescriptor<T, rank> descriptor(const char *name, const DLTensor &tensor) {
    constexpr unsigned type = elementType<T>();
    static_assert(type != TILEC_TYPE_INVALID, "a tensor descriptor has elements");
    int64_t sizes[rank] = {}, strides[rank] = {};
    check(name, tensor);
    checkType(name, tensor, &type, 1);
    if (first && tensor.ndim != int(rank))
      first = detail::invalidArgument("argument '%.60s': wanted %u axes, found %d", name, rank,
                                      int(tensor.ndim));
    checkLayout(name, tensor, TensorLayout::Strided, std::is_const_v<T>);
    if (!first)
      return {nullptr, sizes};
    // From the last axis on, so that a replaced stride can follow from the one inside it.
    int64_t compact = 1;
    for (unsigned axis = rank; axis-- > 0;) {
      sizes[axis] = tensor.shape[axis];
      strides[axis] = strideOf(tensor, axis);
      constexpr int64_t unit = 16 / sizeof(T);
      if (sizes[axis] == 1)
        strides[axis] = axis + 1 == rank ? 1 : (compact + unit - 1) / unit * unit;
      // A distance beyond 64 bits needs more memory than there is.
      if (__builtin_mul_overflow(strides[axis], sizes[axis], &compact))
        compact = 1;
    }
    TensorDescriptor<T, rank> result(static_cast<T *>(address(tensor)), sizes, strides);
    first = result.check(name);
    return first ? result : TensorDescriptor<T, rank>(nullptr, sizes);
  }

  /// Checks that `tensor` has these sizes, where -1 is any.
  void shape(const char *name, const DLTensor &tensor, std::initializer_list<int64_t> sizes) {
    check(name, tensor);
    if (!first)
      return;
    bool isRight = tensor.ndim == int(sizes.size());
    for (int axis = 0; isRight && axis < tensor.ndim; ++axis)
      isRight = sizes.begin()[axis] == -1 || sizes.begin()[axis] == tensor.shape[axis];
    if (!isRight)
      first =
          detail::invalidArgument("argument '%.60s': wanted sizes %s, found %s", name,
                                  detail::describeSizes(sizes.begin(), int(sizes.size()), -1).get(),
                                  detail::describeSizes(tensor.shape, tensor.ndim).get());
  }

  /// The number of elements along an axis, of which -1 is the last; it must fit in `Integer`.
  template <typename Integer = int32_t>
  Integer size(const char *name, const DLTensor &tensor, int axis) {
    return findAxis(name, tensor, axis) ? narrow<Integer>(name, "size", tensor.shape[axis]) : 0;
  }
  /// How many elements neighbours along an axis are apart; it must fit in `Integer`.
  template <typename Integer = int32_t>
  Integer stride(const char *name, const DLTensor &tensor, int axis) {
    return findAxis(name, tensor, axis) ? narrow<Integer>(name, "stride", strideOf(tensor, axis))
                                        : 0;
  }
  /// The number of all elements; it must fit in `Integer`.
  template <typename Integer = int32_t> Integer elements(const char *name, const DLTensor &tensor) {
    check(name, tensor);
    int64_t count = 0;
    return first && countElements(name, tensor, count)
               ? narrow<Integer>(name, "number of elements", count)
               : 0;
  }

  /// Calls `call` with a zero of the type among `Elements` that the elements of `tensor` have:
  ///   arguments.withElement<float, tilec::half>("x", x, [&](auto zero) {
  ///     using T = decltype(zero);
  ///     ..
  ///   });
  /// None of them is an error, and `call` is not called.
  template <typename... Elements, typename Call>
  void withElement(const char *name, const DLTensor &tensor, Call &&call) {
    constexpr unsigned types[] = {elementType<Elements>()...};
    check(name, tensor);
    checkType(name, tensor, types, sizeof...(Elements));
    if (first)
      (void)((detail::typeOf(tensor.dtype) == elementType<Elements>() &&
              (call(Elements{}), true)) ||
             ...);
  }

  /// Where the tensors are: the ordinal of a CUDA device, or -1 for the CPU, also without tensors.
  int device() const { return place; }
  /// Where to launch: on the CPU, with `executor` if there is one, for tensors there; otherwise in
  /// `cuda`, a cudaStream_t or CUstream of device(), which the caller has made current.
  LaunchStream stream(CUstream_st *cuda, const tilec_executor *executor = nullptr) const {
    return place < 0 ? LaunchStream(cpuStream(executor)) : LaunchStream(cuda);
  }

private:
  template <typename T> static constexpr unsigned elementType() {
    constexpr unsigned type = ArgumentType<std::remove_cv_t<T> *>::code - TILEC_TYPE_POINTER;
    static_assert(type != TILEC_TYPE_INVALID || std::is_void_v<T>,
                  "kernels have no elements of this type; see tilec::ArgumentType");
    static_assert(type != TILEC_TYPE_FP8E4B15, "DLPack has no such type");
    return type;
  }

  static void *address(const DLTensor &tensor) {
    return tensor.data ? static_cast<char *>(tensor.data) + tensor.byte_offset : nullptr;
  }

  /// The stride of an axis, also where DLPack leaves strides of compact tensors out.
  static int64_t strideOf(const DLTensor &tensor, int axis) {
    if (tensor.strides)
      return tensor.strides[axis];
    int64_t stride = 1;
    for (int inner = axis + 1; inner < tensor.ndim; ++inner)
      if (__builtin_mul_overflow(stride, tensor.shape[inner], &stride))
        return INT64_MAX;
    return stride;
  }

  static bool isEmpty(const DLTensor &tensor) {
    for (int axis = 0; axis < tensor.ndim; ++axis)
      if (tensor.shape[axis] == 0)
        return true;
    return false;
  }

  bool countElements(const char *name, const DLTensor &tensor, int64_t &count) {
    count = !isEmpty(tensor);
    for (int axis = 0; count && axis < tensor.ndim; ++axis)
      if (__builtin_mul_overflow(count, tensor.shape[axis], &count)) {
        first = detail::invalidArgument("argument '%.60s': wanted fewer than 2^63 elements", name);
        return false;
      }
    return true;
  }

  /// What holds for every tensor: it is whole, and beside the others.
  void check(const char *name, const DLTensor &tensor) {
    if (!first)
      return;
    bool isSound = tensor.ndim >= 0 && (tensor.ndim == 0 || tensor.shape);
    for (int axis = 0; isSound && axis < tensor.ndim; ++axis)
      isSound = tensor.shape[axis] >= 0;
    if (!isSound)
      first = detail::invalidArgument(
          "argument '%.60s': wanted a tensor, found %d axes with missing or negative sizes", name,
          int(tensor.ndim));
    else if (!tensor.data && !isEmpty(tensor))
      first =
          detail::invalidArgument("argument '%.60s': wanted a tensor in memory, found null", name);
    else
      checkDevice(name, tensor);
  }

  void checkDevice(const char *name, const DLTensor &tensor) {
    int kind = tensor.device.device_type, found = -1;
    if (kind == detail::DLOnCuda || kind == detail::DLOnCudaManaged)
      found = tensor.device.device_id;
    else if (kind != detail::DLOnCpu && kind != detail::DLOnCudaHost)
      first = detail::invalidArgument("argument '%.60s': wanted memory of the CPU or of a CUDA "
                                      "GPU, found DLPack's device %d:%d",
                                      name, kind, int(tensor.device.device_id));
    if (first && placedBy && found != place)
      first = detail::invalidArgument("argument '%.60s': wanted on %s, as '%.60s', found on %s",
                                      name, detail::describeDevice(place).get(), placedBy,
                                      detail::describeDevice(found).get());
    if (!first || placedBy)
      return;
    place = found;
    placedBy = name;
  }

  void checkType(const char *name, const DLTensor &tensor, const unsigned *wanted, size_t count) {
    if (!first)
      return;
    detail::ShortText text;
    for (size_t i = 0; i < count; ++i) {
      if (wanted[i] == TILEC_TYPE_INVALID || wanted[i] == detail::typeOf(tensor.dtype))
        return;
      text.add("%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", detail::nameOfType(wanted[i]));
    }
    first = detail::invalidArgument("argument '%.60s': wanted elements of %s, found %s", name,
                                    text.get(), detail::describeType(tensor.dtype).get());
  }

  void checkLayout(const char *name, const DLTensor &tensor, TensorLayout layout, bool isRead) {
    if (!first || isEmpty(tensor) || !tensor.strides)
      return;
    const char *wanted = nullptr;
    int64_t compact = 1;
    for (int axis = tensor.ndim; axis-- > 0;) {
      int64_t stride = tensor.strides[axis];
      if (tensor.shape[axis] == 1)
        continue;
      if (layout == TensorLayout::Contiguous && stride != compact)
        wanted = "contiguous elements";
      if (layout == TensorLayout::Rows && axis + 1 == tensor.ndim && stride != 1)
        wanted = "a last stride of 1";
      if (!isRead && stride == 0)
        wanted = "memory of its own for each element that is written";
      if (__builtin_mul_overflow(compact, tensor.shape[axis], &compact))
        compact = 0;
    }
    if (wanted)
      first =
          detail::invalidArgument("argument '%.60s': wanted %s, found strides %s of sizes %s", name,
                                  wanted, detail::describeSizes(tensor.strides, tensor.ndim).get(),
                                  detail::describeSizes(tensor.shape, tensor.ndim).get());
  }

  void checkAlignment(const char *name, const void *data, unsigned alignment) {
    auto number = reinterpret_cast<uintptr_t>(data);
    if (first && number % alignment != 0)
      first = detail::invalidArgument(
          "argument '%.60s': wanted an address that is a multiple of %u bytes, found %#llx", name,
          alignment, static_cast<unsigned long long>(number));
  }

  /// Makes `axis` one from 0 on.
  bool findAxis(const char *name, const DLTensor &tensor, int &axis) {
    check(name, tensor);
    if (!first)
      return false;
    int count = tensor.ndim;
    if (axis < -count || axis >= count) {
      first = detail::invalidArgument("argument '%.60s': wanted an axis %d, found %d axes", name,
                                      axis, count);
      return false;
    }
    axis += axis < 0 ? count : 0;
    return true;
  }

  template <typename Integer> Integer narrow(const char *name, const char *what, int64_t number) {
    static_assert(std::is_integral_v<Integer>);
    if (int64_t(Integer(number)) == number && (number >= 0 || std::is_signed_v<Integer>))
      return Integer(number);
    first = detail::invalidArgument("argument '%.60s': wanted a %s of %d bits, found %lld", name,
                                    what, int(sizeof(Integer) * 8), static_cast<long long>(number));
    return 0;
  }

  Status first;
  int place = -1;
  const char *placedBy = nullptr;
};

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_DLPACK_H
