//===- torch.h - Arguments of kernels from torch's tensors ----------------*- C++ -*-===//
//
// For operators of torch in C++: takes what functions of generated headers want out of at::Tensor,
// checked, launches in torch's current stream, and turns errors into torch's exceptions.
//
//   at::Tensor scale(const at::Tensor &x, double factor) {
//     at::Tensor y = at::empty_like(x);
//     tilec::TorchArguments arguments;
//     arguments.withElement<float, tilec::half>("x", x, [&](auto zero) {
//       using T = decltype(zero);
//       auto *to = arguments.pointer<T>("y", y);
//       auto *from = arguments.pointer<const T>("x", x);
//       auto n = arguments.elements("x", x);
//       tilec::checkTorch(kernels::scale({arguments.stream()}, to, from, float(factor), n));
//     });
//     return y;
//   }
//
// It compiles against torch for the CPU and torch for CUDA alike, needs no header of CUDA and none
// of its libraries, and a library that was built with one torch for the CPU launches on the GPU
// under one for CUDA of the same version. Nothing else in tilec knows torch. It needs torch 2 with
// c10::Stream::native_handle; it was tried with torch 2.15.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_TORCH_H
#define TILEC_TORCH_H

// First: a system's older header of DLPack has the same guard.
#include <ATen/dlpack.h>

#include "tilec/dlpack.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

namespace tilec {
inline namespace runtime_v1 {

/// Throws the error of a launch, if it is one, as torch's: c10::OutOfMemoryError where memory is
/// short, otherwise c10::Error, a RuntimeError in Python. A kernel that faults is reported by a
/// later call, of this library's or of torch's.
inline void checkTorch(const Status &status) {
  if (status.code() == Code::OutOfMemory)
    TORCH_CHECK_WITH(OutOfMemoryError, false, status.message());
  TORCH_CHECK(bool(status), status.message());
}

namespace detail {

inline DLDataType toDLType(const char *name, at::ScalarType type) {
  auto make = [](unsigned code, unsigned bits) {
    DLDataType result{};
    result.code = decltype(result.code)(code);
    result.bits = uint8_t(bits);
    result.lanes = 1;
    return result;
  };
  switch (type) {
  case at::kBool:
    return make(DLBool, 8);
  case at::kChar:
    return make(DLInt, 8);
  case at::kShort:
    return make(DLInt, 16);
  case at::kInt:
    return make(DLInt, 32);
  case at::kLong:
    return make(DLInt, 64);
  case at::kByte:
    return make(DLUInt, 8);
  case at::kUInt16:
    return make(DLUInt, 16);
  case at::kUInt32:
    return make(DLUInt, 32);
  case at::kUInt64:
    return make(DLUInt, 64);
  case at::kHalf:
    return make(DLFloat, 16);
  case at::kFloat:
    return make(DLFloat, 32);
  case at::kDouble:
    return make(DLFloat, 64);
  case at::kBFloat16:
    return make(DLBfloat, 16);
  case at::kFloat8_e5m2:
    return make(DLFloat8E5M2, 8);
  case at::kFloat8_e4m3fn:
    return make(DLFloat8E4M3FN, 8);
  default:
    TORCH_CHECK(false, "argument '", name, "': wanted elements of a type that kernels have, found ",
                c10::toString(type));
  }
}

/// Runs the programs of a launch on torch's threads, torch.set_num_threads() of them.
inline void shareOutByTorch(void *, uint64_t count, void (*body)(void *, uint64_t, uint64_t),
                            void *task) {
  at::parallel_for(0, int64_t(count), 1,
                   [&](int64_t begin, int64_t end) { body(task, uint64_t(begin), uint64_t(end)); });
}

} // namespace detail

/// `tensor` as DLPack describes it, valid as long as `tensor` is unchanged. Of tensors that share
/// memory until one is written, only one that `isWritten` is copied. Throws for a tensor that is
/// undefined or sparse, or whose memory does not hold its elements, since they are negated or
/// conjugated when they are read.
inline DLTensor borrowTorch(const char *name, const at::Tensor &tensor, bool isWritten) {
  TORCH_CHECK(tensor.defined(), "argument '", name, "': wanted a tensor, found an undefined one");
  TORCH_CHECK(tensor.layout() == at::kStrided, "argument '", name,
              "': wanted a dense tensor, found layout ", tensor.layout());
  TORCH_CHECK(!tensor.is_neg() && !tensor.is_conj(), "argument '", name,
              "': wanted a tensor whose memory holds its elements, found a view that negates or "
              "conjugates them; call resolve_neg() or resolve_conj()");
  TORCH_CHECK(tensor.is_cpu() || tensor.is_cuda(), "argument '", name,
              "': wanted on the CPU or a CUDA GPU, found on ", tensor.device());
  DLTensor result{};
  result.data = isWritten ? tensor.mutable_data_ptr() : const_cast<void *>(tensor.const_data_ptr());
  result.device.device_type = tensor.is_cpu() ? kDLCPU : kDLCUDA;
  result.device.device_id = tensor.is_cpu() ? 0 : tensor.device().index();
  result.ndim = int32_t(tensor.dim());
  result.dtype = detail::toDLType(name, tensor.scalar_type());
  result.shape = const_cast<int64_t *>(tensor.sizes().data());
  result.strides = const_cast<int64_t *>(tensor.strides().data());
  return result;
}

/// The tensors of one launch, and the place for it. The functions are those of DLArguments, which
/// says what they check; an error is c10::Error at once. Taking an address tells autograd nothing:
/// an operator that writes to an argument says so in its schema. Make it where the launch is, and
/// keep it until the launch has returned. One thread uses it.
class TorchArguments {
public:
  TorchArguments() = default;
  TorchArguments(const TorchArguments &) = delete;
  TorchArguments &operator=(const TorchArguments &) = delete;

  /// See DLArguments::pointer.
  template <typename T>
  T *pointer(const char *name, const at::Tensor &tensor,
             TensorLayout layout = TensorLayout::Contiguous, unsigned alignment = 0) {
    return checked(checks.pointer<T>(name, borrow<T>(name, tensor), layout, alignment));
  }
  /// See DLArguments::descriptor.
  template <typename T, unsigned rank>
  TensorDescriptor<T, rank> descriptor(const char *name, const at::Tensor &tensor) {
    return checked(checks.descriptor<T, rank>(name, borrow<T>(name, tensor)));
  }
  /// See DLArguments::shape.
  void shape(const char *name, const at::Tensor &tensor, std::initializer_list<int64_t> sizes) {
    checks.shape(name, borrow<const void>(name, tensor), sizes);
    checkTorch(checks.status());
  }
  /// See DLArguments::size.
  template <typename Integer = int32_t>
  Integer size(const char *name, const at::Tensor &tensor, int axis) {
    return checked(checks.size<Integer>(name, borrow<const void>(name, tensor), axis));
  }
  /// See DLArguments::stride.
  template <typename Integer = int32_t>
  Integer stride(const char *name, const at::Tensor &tensor, int axis) {
    return checked(checks.stride<Integer>(name, borrow<const void>(name, tensor), axis));
  }
  /// See DLArguments::elements.
  template <typename Integer = int32_t>
  Integer elements(const char *name, const at::Tensor &tensor) {
    return checked(checks.elements<Integer>(name, borrow<const void>(name, tensor)));
  }
  /// See DLArguments::withElement. What `call` throws comes through.
  template <typename... Elements, typename Call>
  void withElement(const char *name, const at::Tensor &tensor, Call &&call) {
    checks.withElement<Elements...>(name, borrow<const void>(name, tensor),
                                    std::forward<Call>(call));
    checkTorch(checks.status());
  }

  /// Where to launch: torch's current stream of the device that the tensors are on, which becomes
  /// the current device until this is destroyed; or the CPU, where the launch runs on torch's
  /// threads if torch uses OpenMP and this file is compiled with it (-fopenmp), and otherwise on
  /// the runtime's own. Valid as long as this.
  LaunchStream stream() {
    if (checks.device() < 0)
      return cpuStream(executor());
    c10::Device device(c10::kCUDA, c10::DeviceIndex(checks.device()));
    guard.reset_device(device);
    c10::impl::VirtualGuardImpl gpu(c10::kCUDA);
    return static_cast<CUstream_st *>(gpu.getStream(device).native_handle());
  }

private:
  template <typename T> static DLTensor borrow(const char *name, const at::Tensor &tensor) {
    return borrowTorch(name, tensor, /*isWritten=*/!std::is_const_v<T>);
  }

  template <typename Value> Value checked(Value value) {
    checkTorch(checks.status());
    return value;
  }

  static const tilec_executor *executor() {
#ifdef INTRA_OP_PARALLEL // what ATen/Parallel.h calls it when parallel_for has threads
    static const tilec_executor torchThreads{sizeof(tilec_executor), 0, nullptr,
                                             detail::shareOutByTorch};
    return &torchThreads;
#else
    return nullptr;
#endif
  }

  DLArguments checks;
  c10::OptionalDeviceGuard guard;
};

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_TORCH_H
