//===- tensor_descriptor.h - Tensors as arguments of kernels --------------*- C++ -*-===//
//
// A tensor in memory as kernels take it whose parameter is a tensor descriptor: its address, the
// size of each axis, and how far neighbours along it are apart. How large the blocks are that a
// kernel reads and writes is part of the kernel. Launches of generated headers, runtime.h and
// jit.h take it like any other argument. Everything is a plain value; nothing throws or allocates,
// apart from the text of an error.
//
//   tilec::TensorDescriptor<const float, 2> a(x, {rows, columns});
//   tilec::Status status = kernels::scale({stream}, a, ..);
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_TENSOR_DESCRIPTOR_H
#define TILEC_TENSOR_DESCRIPTOR_H

#include "tilec/runtime_status.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace tilec {
inline namespace runtime_v1 {

namespace detail {

/// An error with a text, counted like those of the libraries.
struct BrokenRule {
  std::atomic<int> references{1};
  char text[200];

  static BrokenRule *from(void *error) { return static_cast<BrokenRule *>(error); }
  static void *retain(void *error) {
    from(error)->references.fetch_add(1, std::memory_order_relaxed);
    return error;
  }
  static void release(void *error) {
    if (from(error)->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete from(error);
  }
  static int32_t code(void *) { return TILEC_ERROR_INVALID_ARGUMENT; }
  static const char *message(void *error) { return from(error)->text; }
  static const char *noText(void *) { return ""; }
  static int32_t noCode(void *) { return 0; }
  static constexpr ErrorFunctions functions{retain, release, code, message, noText, noText, noCode};

  // Where there is no memory for a text.
  static void *keep(void *error) { return error; }
  static void drop(void *) {}
  static const char *shortMessage(void *) { return "an argument breaks a rule"; }
  static constexpr ErrorFunctions withoutText{keep,   drop,   code,  shortMessage,
                                              noText, noText, noCode};
};

/// Code::InvalidArgument with this text, as printf makes it.
[[gnu::format(printf, 1, 2)]] inline Status invalidArgument(const char *format, ...) {
  static char none;
  BrokenRule *error = new (std::nothrow) BrokenRule;
  if (!error)
    return Status(&none, BrokenRule::withoutText);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->text, sizeof(error->text), format, arguments);
  va_end(arguments);
  return Status(error, BrokenRule::functions);
}

/// "'a': TEXT, found 3", where TEXT may have an axis in it.
inline Status brokenRule(const char *name, const char *rule, int64_t found, int axis = -1) {
  char place[32] = "";
  if (axis >= 0)
    std::snprintf(place, sizeof(place), ", axis %d", axis);
  return invalidArgument("tensor descriptor '%.60s'%s: %s, found %lld", name, place, rule,
                         static_cast<long long>(found));
}

} // namespace detail

/// A tensor of `rank` axes, 1 to TILEC_MAX_TENSOR_AXES, whose elements are `T`, or `const T` where
/// the kernel writes none. It owns nothing: the memory, of a device or of the processor, must
/// outlive the launches. Sizes and strides count elements.
template <typename T, unsigned rank> class TensorDescriptor {
  static_assert(rank >= 1 && rank <= TILEC_MAX_TENSOR_AXES, "a tensor descriptor has 1 to 5 axes");
  static_assert(!std::is_same_v<std::remove_cv_t<T>, bool> && !std::is_void_v<T>,
                "the elements of a tensor descriptor are numbers of whole bytes");

public:
  /// The tensor at `data` whose rows follow each other without gaps.
  TensorDescriptor(T *data, const int64_t (&shape)[rank]) : address(data) {
    int64_t stride = 1;
    for (unsigned axis = rank; axis-- > 0;) {
      set(axis, shape[axis], stride);
      // A distance beyond 64 bits becomes one that check() refuses.
      if (__builtin_mul_overflow(stride, shape[axis], &stride))
        stride = 1;
    }
  }
  /// The same with strides: neighbours along `axis` are `strides[axis]` elements apart.
  TensorDescriptor(T *data, const int64_t (&shape)[rank], const int64_t (&strides)[rank])
      : address(data) {
    for (unsigned axis = 0; axis < rank; ++axis)
      set(axis, shape[axis], strides[axis]);
  }
  /// A tensor that may be written is also one that is only read.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  TensorDescriptor(const TensorDescriptor<U, rank> &other) : address(other.data()) {
    for (unsigned axis = 0; axis < rank; ++axis)
      set(axis, other.size(axis), other.stride(axis));
  }

  /// The first element.
  T *data() const { return address; }
  /// Elements along an axis, which must be below the rank.
  int64_t size(unsigned axis) const { return sizes[axis]; }
  /// The distance of neighbours along an axis in elements.
  int64_t stride(unsigned axis) const { return steps[axis]; }

  /// Success, or Code::InvalidArgument with a message that calls the tensor `name` and says which
  /// rule it breaks: the address and all strides but the last are multiples of 16 bytes, the last
  /// stride is 1, sizes are from 1 to 2^31 - 1. Launches check it themselves.
  Status check(const char *name) const {
    constexpr int64_t unit = 16;
    auto number = int64_t(reinterpret_cast<uintptr_t>(address));
    if (number % unit != 0)
      return detail::brokenRule(name, "the address must be a multiple of 16 bytes", number);
    for (unsigned axis = 0; axis < rank; ++axis)
      if (sizes[axis] < 1 || sizes[axis] > INT32_MAX)
        return detail::brokenRule(name, "the size must be from 1 to 2147483647", sizes[axis],
                                  int(axis));
    if (steps[rank - 1] != 1)
      return detail::brokenRule(name, "the last stride must be 1", steps[rank - 1]);
    for (unsigned axis = 0; axis + 1 < rank; ++axis)
      if (steps[axis] % (unit / width) != 0)
        return detail::brokenRule(name, "the stride must be a multiple of 16 bytes, in elements",
                                  steps[axis], int(axis));
    return {};
  }

  /// What launches pass, in this order: the address, each size as 32 bits, each stride but the
  /// last. Calls `visit` for each of them, a `T *`, an int32_t or an int64_t of this object.
  template <typename Visitor> void forEachArgument(Visitor visit) const {
    visit(address);
    for (const int32_t &size : narrow)
      visit(size);
    for (unsigned axis = 0; axis + 1 < rank; ++axis)
      visit(steps[axis]);
  }
  static constexpr unsigned numArguments = 2 * rank;

private:
  static constexpr int64_t width = sizeof(T);
  static_assert(width <= 8 && 16 % width == 0, "no element of a kernel has this size");

  void set(unsigned axis, int64_t size, int64_t stride) {
    sizes[axis] = size;
    narrow[axis] = int32_t(size);
    steps[axis] = stride;
  }

  T *address;
  int64_t sizes[rank], steps[rank];
  int32_t narrow[rank];
};

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_TENSOR_DESCRIPTOR_H
