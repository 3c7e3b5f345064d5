//===- runtime.h - The host runtime for C++ ------------------------------*- C++ -*-===//
//
// Devices, memory, streams, modules and typed kernel launches over the CUDA driver, for C++17. All
// of it is inline over the C interface in runtime_c.h, so that no C++ type crosses a library
// boundary; no CUDA header is needed and no CUDA library is linked. docs/runtime.md has a complete
// program.
//
//   tilec::Expected<tilec::Device> gpu = tilec::Device::open(0);
//   if (!gpu)
//     return report(gpu.error().message());
//
// Nothing here throws, prints or exits; it builds with and without exceptions and RTTI. What the
// top of runtime_c.h says about errors, contexts, threads and ownership holds here, where the
// destructors do the releasing: threads may use one object, or copies of it, at the same time, but
// none may assign to it or destroy it meanwhile. An object that was moved from, or default
// constructed, is empty: it may be destroyed, assigned to and tested with operator bool; any other
// use gives an InvalidArgument error, or zeros from functions that return plain values. Only an
// empty Stream is of use: it is the legacy default stream.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_H
#define TILEC_RUNTIME_H

#include "tilec/float16.h"
#include "tilec/float8.h"
#include "tilec/runtime_c.h"
#include "tilec/runtime_status.h"
#include "tilec/tensor_descriptor.h"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// The tag of the CUDA stream types: cudaStream_t and CUstream are both pointers to it.
struct CUstream_st;

namespace tilec {
inline namespace runtime_v1 {

namespace detail {

// One counted object of the C interface.
template <typename T, T *(*retain)(T *), void (*release)(T *)> class Handle {
public:
  Handle() = default;
  explicit Handle(T *counted) : object(counted) {}
  Handle(const Handle &other) : object(retain(other.object)) {}
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() { release(object); }
  T *get() const { return object; }

private:
  T *object = nullptr;
};

} // namespace detail

/// The CUDA version that the driver supports: 1000 * major + 10 * minor.
inline Expected<int> driverVersion() {
  int32_t version = 0;
  if (Status status{tilec_driver_version(&version)}; !status)
    return status;
  return int(version);
}

//===-------------------------------------------------------------------------------===//
// Devices, streams, events
//===-------------------------------------------------------------------------------===//

class Stream;

/// A device with the context in which it is used. Copies refer to the same object.
class Device {
public:
  Device() = default;

  /// Number of devices, at least 1.
  static Expected<int> count() {
    int32_t count = 0;
    if (Status status{tilec_device_count(&count)}; !status)
      return status;
    return int(count);
  }
  /// Opens device `ordinal`: in the calling thread's current context if that is on this device,
  /// else in the device's primary context.
  static Expected<Device> open(int ordinal) {
    tilec_device *device = nullptr;
    if (Status status{tilec_device_open(ordinal, &device)}; !status)
      return status;
    return Device(device);
  }
  /// Opens the device of the calling thread's current context, or device 0 without one.
  static Expected<Device> current() { return open(-1); }

  explicit operator bool() const { return handle.get(); }
  /// Number of the device as the driver counts.
  int ordinal() const { return info().ordinal; }
  /// For example "NVIDIA H200"; lives as long as the device object.
  const char *name() const { return info().name; }
  /// Compute capability as 10 * major + minor: 90 for sm_90.
  int capability() const { return 10 * info().capability_major + info().capability_minor; }
  int multiprocessors() const { return info().multiprocessors; }
  /// Whether programs can be clusters of blocks.
  bool hasClusters() const { return info().cluster_launch != 0; }
  /// Shared memory of a block in bytes: without asking, and at most.
  int sharedPerBlock() const { return info().shared_per_block; }
  int sharedPerBlockLimit() const { return info().shared_per_block_limit; }
  uint64_t totalMemory() const { return info().total_memory; }
  /// All facts about the device.
  const tilec_device_info &info() const {
    static constexpr tilec_device_info none{};
    const tilec_device_info *facts = tilec_device_get_info(handle.get());
    return facts ? *facts : none;
  }
  /// Device memory that is free now, in bytes.
  Expected<uint64_t> freeMemory() const {
    uint64_t bytes = 0;
    if (Status status{tilec_device_memory(handle.get(), &bytes, nullptr)}; !status)
      return status;
    return bytes;
  }
  /// The CUcontext in which this device is used.
  void *context() const { return tilec_device_context(handle.get()); }
  /// Waits until everything submitted to the context is done; reports faults of kernels.
  Status synchronize() const { return Status(tilec_device_synchronize(handle.get())); }
  /// The legacy default stream of the device's context.
  Stream defaultStream() const;

  /// The object of the C interface; stays owned by this one.
  tilec_device *c() const { return handle.get(); }

private:
  explicit Device(tilec_device *device) : handle(device) {}
  detail::Handle<tilec_device, tilec_device_retain, tilec_device_release> handle;
};

/// A queue of work on a device: one that was created here, or a CUstream or cudaStream_t of
/// somebody else, or (default constructed) the default stream of the context it is used in.
class Stream {
public:
  /// The legacy default stream of whatever context uses it.
  Stream() = default;
  /// Refers to a stream of the CUDA runtime or driver, which must outlive this object.
  Stream(CUstream_st *handle) : stream(handle) {}
  /// Likewise, for a handle that has lost its type; `device`, if given, is the stream's.
  static Stream wrap(void *stream, Device device = Device()) {
    return Stream(std::move(device), stream, false);
  }
  /// Creates a stream. Unless `nonBlocking`, it keeps order with the legacy default stream.
  static Expected<Stream> create(const Device &device, bool nonBlocking = false) {
    void *stream = nullptr;
    if (Status status{tilec_stream_create(device.c(), nonBlocking, &stream)}; !status)
      return status;
    return Stream(device, stream, true);
  }

  Stream(const Stream &) = delete;
  Stream(Stream &&other) noexcept
      : owner(std::move(other.owner)), stream(std::exchange(other.stream, nullptr)),
        owned(std::exchange(other.owned, false)) {}
  Stream &operator=(Stream other) noexcept {
    std::swap(owner, other.owner);
    std::swap(stream, other.stream);
    std::swap(owned, other.owned);
    return *this;
  }
  /// Destroys a stream that was created here; its work is done nevertheless.
  ~Stream() {
    if (owned)
      tilec_stream_destroy(owner.c(), stream);
  }

  /// Waits for the work in the stream; reports faults of kernels. A stream without a device needs
  /// the calling thread to have a current context, that of the stream.
  Status synchronize() const { return Status(tilec_stream_synchronize(owner.c(), stream)); }
  /// The CUstream.
  void *get() const { return stream; }
  /// The stream's device as an object of the C interface, owned by this one; null if not known.
  tilec_device *device() const { return owner.c(); }

private:
  Stream(Device device, void *handle, bool isOwned)
      : owner(std::move(device)), stream(handle), owned(isOwned) {}
  Device owner;
  void *stream = nullptr;
  bool owned = false;
};

inline Stream Device::defaultStream() const { return Stream::wrap(nullptr, *this); }

/// A point in a stream, with its time. Moves only.
class Event {
public:
  Event() = default;
  /// Creates an event that takes the time.
  static Expected<Event> create(const Device &device) {
    void *event = nullptr;
    if (Status status{tilec_event_create(device.c(), &event)}; !status)
      return status;
    return Event(device, event);
  }
  Event(Event &&other) noexcept
      : owner(std::move(other.owner)), event(std::exchange(other.event, nullptr)) {}
  Event &operator=(Event other) noexcept {
    std::swap(owner, other.owner);
    std::swap(event, other.event);
    return *this;
  }
  ~Event() { tilec_event_destroy(owner.c(), event); }

  explicit operator bool() const { return event; }
  /// Puts the event behind the work that is in `stream` now, which must be of the event's device.
  Status record(const Stream &stream = Stream()) {
    return Status(tilec_event_record(owner.c(), event, stream.get()));
  }
  /// Waits until the event has happened.
  Status synchronize() const { return Status(tilec_event_synchronize(owner.c(), event)); }
  /// Milliseconds from `start` to this event; both must have been recorded and have happened.
  Expected<float> since(const Event &start) const {
    float milliseconds = 0;
    if (Status status{tilec_event_elapsed(owner.c(), start.event, event, &milliseconds)}; !status)
      return status;
    return milliseconds;
  }

private:
  Event(Device device, void *handle) : owner(std::move(device)), event(handle) {}
  Device owner;
  void *event = nullptr;
};

//===-------------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------------===//

/// A block of device memory; copies refer to the same block, and the last one frees it. Offsets
/// and sizes are in bytes, and a range outside the block is an InvalidArgument error.
class Buffer {
public:
  Buffer() = default;
  /// Allocates memory with undefined contents. 0 bytes give an empty buffer at address 0.
  static Expected<Buffer> allocate(const Device &device, size_t bytes) {
    tilec_buffer *buffer = nullptr;
    if (Status status{tilec_buffer_create(device.c(), bytes, &buffer)}; !status)
      return status;
    return Buffer(device, buffer);
  }
  Buffer(const Buffer &) = default;
  Buffer(Buffer &&other) noexcept
      : owner(std::move(other.owner)), handle(std::move(other.handle)),
        start(std::exchange(other.start, 0)) {}
  Buffer &operator=(Buffer other) noexcept {
    std::swap(owner, other.owner);
    std::swap(handle, other.handle);
    std::swap(start, other.start);
    return *this;
  }

  explicit operator bool() const { return handle.get(); }
  size_t bytes() const { return tilec_buffer_bytes(handle.get()); }
  uint64_t address() const { return start; }
  /// The device address as a pointer; not for the host to follow.
  template <typename T> T *as() const { return reinterpret_cast<T *>(uintptr_t(start)); }
  /// The device that the memory is on.
  const Device &device() const { return owner; }

  /// Copies from or to host memory, after the work in `stream`, and waits for that and for the
  /// copy.
  Status copyIn(const void *host, size_t bytes, size_t offset = 0,
                const Stream &stream = Stream()) {
    Status status = copyInAsync(stream, host, bytes, offset);
    return status ? wait(stream) : status;
  }
  Status copyOut(void *host, size_t bytes, size_t offset = 0,
                 const Stream &stream = Stream()) const {
    Status status = copyOutAsync(stream, host, bytes, offset);
    return status ? wait(stream) : status;
  }
  /// Copies in the stream's order without waiting: `host` must stay valid until it is done.
  Status copyInAsync(const Stream &stream, const void *host, size_t bytes, size_t offset = 0) {
    return Status(tilec_buffer_copy_in(handle.get(), offset, host, bytes, stream.get()));
  }
  Status copyOutAsync(const Stream &stream, void *host, size_t bytes, size_t offset = 0) const {
    return Status(tilec_buffer_copy_out(handle.get(), offset, host, bytes, stream.get()));
  }
  /// Copies from a buffer of the same context in the stream's order.
  Status copyFrom(const Stream &stream, const Buffer &from, size_t bytes, size_t fromOffset = 0,
                  size_t offset = 0) {
    return Status(tilec_buffer_copy(handle.get(), offset, from.handle.get(), fromOffset, bytes,
                                    stream.get()));
  }
  /// Sets every byte, or `bytes` bytes at `offset`, in the stream's order.
  Status fill(const Stream &stream, uint8_t value) { return fill(stream, value, bytes(), 0); }
  Status fill(const Stream &stream, uint8_t value, size_t bytes, size_t offset) {
    return Status(tilec_buffer_fill(handle.get(), offset, bytes, value, stream.get()));
  }

  /// The object of the C interface; stays owned by this one.
  tilec_buffer *c() const { return handle.get(); }
  /// Where the address is stored: what a launch takes.
  const uint64_t *argument() const { return &start; }

private:
  Buffer(Device device, tilec_buffer *buffer)
      : owner(std::move(device)), handle(buffer), start(tilec_buffer_address(buffer)) {}
  Status wait(const Stream &stream) const {
    return Status(tilec_stream_synchronize(owner.c(), stream.get()));
  }
  Device owner;
  detail::Handle<tilec_buffer, tilec_buffer_retain, tilec_buffer_release> handle;
  uint64_t start = 0;
};

//===-------------------------------------------------------------------------------===//
// Arguments
//===-------------------------------------------------------------------------------===//

/// The parameter type that a C++ type is passed as. Specialise it with a `static constexpr uint8_t
/// code` for other types of the same size and bits, such as __half:
///   template <> struct tilec::ArgumentType<__half> : tilec::ArgumentCode<TILEC_TYPE_FP16> {};
template <uint8_t value> struct ArgumentCode {
  static constexpr uint8_t code = value;
};
template <typename T, typename = void> struct ArgumentType : ArgumentCode<TILEC_TYPE_INVALID> {};
template <> struct ArgumentType<bool> : ArgumentCode<TILEC_TYPE_I1> {};
template <> struct ArgumentType<float> : ArgumentCode<TILEC_TYPE_FP32> {};
template <> struct ArgumentType<double> : ArgumentCode<TILEC_TYPE_FP64> {};
template <> struct ArgumentType<Half> : ArgumentCode<TILEC_TYPE_FP16> {};
template <> struct ArgumentType<BFloat16> : ArgumentCode<TILEC_TYPE_BF16> {};
template <> struct ArgumentType<Float8E5> : ArgumentCode<TILEC_TYPE_FP8E5> {};
template <> struct ArgumentType<Float8E4NV> : ArgumentCode<TILEC_TYPE_FP8E4NV> {};
template <> struct ArgumentType<Float8E4B15> : ArgumentCode<TILEC_TYPE_FP8E4B15> {};

/// Integers go by size and signedness, so that long and long long are both i64.
template <typename T>
struct ArgumentType<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static constexpr uint8_t code = (sizeof(T) == 1   ? TILEC_TYPE_I8
                                   : sizeof(T) == 2 ? TILEC_TYPE_I16
                                   : sizeof(T) == 4 ? TILEC_TYPE_I32
                                   : sizeof(T) == 8 ? TILEC_TYPE_I64
                                                    : TILEC_TYPE_INVALID) +
                                  (sizeof(T) <= 8 && std::is_unsigned_v<T> ? 1 : 0);
};
/// A pointer is one to its element type, or to anything (void, structures).
template <typename T> struct ArgumentType<T *> {
  static constexpr uint8_t code =
      TILEC_TYPE_POINTER + ArgumentType<std::remove_cv_t<T>>::code % TILEC_TYPE_POINTER;
};
template <typename T> struct ArgumentType<T **> : ArgumentCode<TILEC_TYPE_POINTER> {};
template <> struct ArgumentType<std::nullptr_t> : ArgumentCode<TILEC_TYPE_POINTER> {};
template <> struct ArgumentType<Buffer> : ArgumentCode<TILEC_TYPE_POINTER> {};

namespace detail {

template <typename T> void *argumentAddress(const T &argument) {
  return const_cast<void *>(static_cast<const volatile void *>(&argument));
}
inline void *argumentAddress(const Buffer &argument) {
  return const_cast<uint64_t *>(argument.argument());
}
inline void *argumentAddress(std::nullptr_t) {
  static constexpr uint64_t null = 0; // the bytes of a nullptr_t object are not defined
  return const_cast<uint64_t *>(&null);
}

/// What a launch passes for an argument: itself, or what a tensor descriptor is made of.
template <typename T> struct Parts {
  static constexpr size_t count = 1;
  static constexpr bool isSound = ArgumentType<T>::code != TILEC_TYPE_INVALID;
  static constexpr void addTypes(uint8_t *&types) { *types++ = ArgumentType<T>::code; }
  static void addAddresses(const T &argument, void **&addresses) {
    *addresses++ = argumentAddress(argument);
  }
  static Status check(const T &, size_t) { return {}; }
};
template <typename T, unsigned rank> struct Parts<TensorDescriptor<T, rank>> {
  static constexpr size_t count = TensorDescriptor<T, rank>::numArguments;
  static constexpr bool isSound = ArgumentType<std::remove_cv_t<T>>::code != TILEC_TYPE_INVALID;
  static constexpr void addTypes(uint8_t *&types) {
    *types++ = ArgumentType<T *>::code;
    for (unsigned axis = 0; axis < rank; ++axis)
      *types++ = TILEC_TYPE_I32;
    for (unsigned axis = 0; axis + 1 < rank; ++axis)
      *types++ = TILEC_TYPE_I64;
  }
  static void addAddresses(const TensorDescriptor<T, rank> &tensor, void **&addresses) {
    tensor.forEachArgument([&](const auto &part) { *addresses++ = argumentAddress(part); });
  }
  /// `index` counts the arguments of the launch.
  static Status check(const TensorDescriptor<T, rank> &tensor, size_t index) {
    char name[32];
    std::snprintf(name, sizeof(name), "argument %zu", index + 1);
    return tensor.check(name);
  }
};

/// The types of a launch's arguments, and a last one so that they are never none.
template <typename... Args> struct PartTypes {
  static constexpr size_t count = (Parts<Args>::count + ... + 0);
  uint8_t codes[count + 1] = {};
  constexpr PartTypes() {
    uint8_t *next = codes;
    (Parts<Args>::addTypes(next), ...);
    *next = 0;
  }
};

/// The first argument that breaks a rule.
template <typename... Args> Status checkParts(const Args &...args) {
  Status status;
  size_t index = 0;
  static_cast<void>(((status = Parts<Args>::check(args, index++)) && ...));
  return status;
}

} // namespace detail

//===-------------------------------------------------------------------------------===//
// Modules and kernels
//===-------------------------------------------------------------------------------===//

/// Programs along each axis; a program is one block, or one cluster of them. A 0 launches nothing;
/// negative and excessive values are errors when launching. Any integer type will do: a value
/// beyond int64_t becomes its largest.
struct Grid {
  template <typename X = int, typename Y = int, typename Z = int>
  constexpr Grid(X alongX = 1, Y alongY = 1, Z alongZ = 1)
      : x(toInt(alongX)), y(toInt(alongY)), z(toInt(alongZ)) {}
  int64_t x, y, z;

private:
  template <typename T> static constexpr int64_t toInt(T value) {
    static_assert(std::is_integral_v<T>, "a grid dimension is an integer");
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t))
      if (value > T(std::numeric_limits<int64_t>::max()))
        return std::numeric_limits<int64_t>::max();
    return int64_t(value);
  }
};

/// One parameter of a kernel: its name (for messages), its tilec_type, its offset in bytes.
using Param = tilec_param;

/// What a launch needs to know about a kernel, as the compiler reports it. Refers to the strings
/// and the parameters that it was made from, until Module::kernel has copied them.
struct LaunchRecord : tilec_launch_record {
  /// A record of the C interface.
  explicit LaunchRecord(const tilec_launch_record &record) : tilec_launch_record(record) {}
  /// A kernel of which the parameters are not known.
  LaunchRecord(const char *kernel, uint32_t blockThreads, uint32_t dynamicSharedBytes = 0)
      : LaunchRecord(kernel, blockThreads, dynamicSharedBytes, nullptr, 0) {}
  /// A kernel with `count` parameters. `parameters` must not be null, even if there are none.
  LaunchRecord(const char *kernel, uint32_t blockThreads, uint32_t dynamicSharedBytes,
               const Param *parameters, uint32_t count)
      : tilec_launch_record{uint32_t(sizeof(tilec_launch_record)),
                            blockThreads,
                            dynamicSharedBytes,
                            count,
                            kernel,
                            parameters,
                            /*num_ctas=*/1,
                            /*flags=*/0,
                            /*maps=*/nullptr,
                            /*num_maps=*/0,
                            /*packing=*/{}} {}
  template <size_t count>
  LaunchRecord(const char *kernel, uint32_t blockThreads, uint32_t dynamicSharedBytes,
               const Param (&parameters)[count])
      : LaunchRecord(kernel, blockThreads, dynamicSharedBytes, parameters, uint32_t(count)) {}

  /// This record for a kernel whose programs are clusters of `count` blocks: 1, 2, 4, 8 or 16.
  LaunchRecord withCTAs(uint32_t count) const {
    LaunchRecord record = *this;
    record.num_ctas = count;
    return record;
  }
  /// This record for a kernel whose launches make `count` tensor maps.
  LaunchRecord withMaps(const tilec_tensor_map *list, uint32_t count) const {
    LaunchRecord record = *this;
    record.maps = list;
    record.num_maps = count;
    return record;
  }
  /// This record for a kernel whose launches may give several programs to a block.
  LaunchRecord withPacking(const tilec_packing &programs) const {
    LaunchRecord record = *this;
    record.packing = programs;
    return record;
  }
  /// This record, made together with the image (see TILEC_RECORD_OF_IMAGE).
  LaunchRecord ofImage() const {
    LaunchRecord record = *this;
    record.flags |= TILEC_RECORD_OF_IMAGE;
    return record;
  }
};

/// What a kernel takes, and how much of it a device holds at once; the fields are documented with
/// tilec_occupancy.
using Occupancy = tilec_occupancy;

/// A kernel that is ready to launch; keeps its module loaded. Copies refer to the same object.
class Kernel {
public:
  Kernel() = default;

  explicit operator bool() const { return handle.get(); }
  /// The kernel's symbol; lives as long as the kernel object.
  const char *name() const { return info().name; }
  uint32_t threads() const { return info().threads; }
  /// Blocks of a program; above 1 they are a cluster.
  uint32_t numCTAs() const { return info().num_ctas; }
  uint32_t staticSharedBytes() const { return info().static_shared_bytes; }
  uint32_t dynamicSharedBytes() const { return info().dynamic_shared_bytes; }
  /// Registers, and bytes of local memory (spills and stack), of one thread.
  uint32_t registers() const { return info().registers; }
  uint32_t localBytes() const { return info().local_bytes; }
  /// All facts about the kernel.
  const tilec_kernel_info &info() const {
    static constexpr tilec_kernel_info none{};
    const tilec_kernel_info *facts = tilec_kernel_get_info(handle.get());
    return facts ? *facts : none;
  }
  /// Blocks of this kernel that fit on one multiprocessor at a time.
  Expected<int> maxActiveBlocks() const {
    int32_t blocks = 0;
    if (Status status{tilec_kernel_max_active_blocks(handle.get(), &blocks)}; !status)
      return status;
    return int(blocks);
  }
  /// What the kernel takes, and how much of it is resident at once.
  Expected<Occupancy> occupancy() const {
    Occupancy occupancy{};
    occupancy.struct_size = sizeof(occupancy);
    if (Status status{tilec_kernel_get_occupancy(handle.get(), &occupancy)}; !status)
      return status;
    return occupancy;
  }
  /// The programs that the device holds at once, at least 1: the grid of a persistent kernel. Asks
  /// the driver at each call.
  Expected<int> residentPrograms() const {
    int32_t programs = 0;
    if (Status status{tilec_kernel_resident_programs(handle.get(), &programs)}; !status)
      return status;
    return int(programs);
  }

  /// Launches the kernel in `stream` over `grid` and returns without waiting. Arguments are device
  /// pointers (T *, Buffer, nullptr), integers, bool, floats, Half and BFloat16, and are passed
  /// exactly as wide as their C++ type; a type that does not suit the kernel's parameter is an
  /// ArgumentMismatch error. Takes no lock and allocates nothing unless it fails.
  template <typename... Args>
  Status launch(const Stream &stream, Grid grid, const Args &...args) const {
    static_assert((!std::is_array_v<Args> && ...),
                  "a host array cannot be passed to a kernel; copy it to a Buffer");
    static_assert((detail::Parts<std::remove_cv_t<Args>>::isSound && ...),
                  "a kernel takes device pointers, Buffer, integers, bool, floats, Half, BFloat16 "
                  "and TensorDescriptor; specialise tilec::ArgumentType for other types");
    static constexpr detail::PartTypes<std::remove_cv_t<Args>...> types;
    if (Status status = detail::checkParts(args...); !status)
      return status;
    void *addresses[types.count + 1];
    void **next = addresses;
    (detail::Parts<std::remove_cv_t<Args>>::addAddresses(args, next), ...);
    *next = nullptr;
    return Status(tilec_launch(handle.get(), stream.get(), grid.x, grid.y, grid.z, addresses,
                               types.codes, uint32_t(types.count)));
  }

  /// The object of the C interface; stays owned by this one.
  tilec_kernel *c() const { return handle.get(); }

private:
  friend class Module;
  explicit Kernel(tilec_kernel *kernel) : handle(kernel) {}
  detail::Handle<tilec_kernel, tilec_kernel_retain, tilec_kernel_release> handle;
};

/// An image on a device. Copies refer to the same object; the last one, and the last of its
/// kernels, unloads it.
class Module {
public:
  Module() = default;
  /// Loads `bytes` bytes of PTX text or of a cubin, which may be freed afterwards.
  static Expected<Module> load(const Device &device, const void *image, size_t bytes) {
    tilec_module *module = nullptr;
    if (Status status{tilec_module_load(device.c(), image, bytes, &module)}; !status)
      return status;
    return Module(module);
  }
  /// Loads PTX text that ends in NUL.
  static Expected<Module> load(const Device &device, const char *ptx) {
    return load(device, ptx, ptx ? std::strlen(ptx) : 0);
  }

  explicit operator bool() const { return handle.get(); }
  /// Finds the kernel that `record` describes and prepares its launches.
  Expected<Kernel> kernel(const LaunchRecord &record) const {
    tilec_kernel *kernel = nullptr;
    if (Status status{tilec_kernel_get(handle.get(), &record, &kernel)}; !status)
      return status;
    return Kernel(kernel);
  }

  /// The object of the C interface; stays owned by this one.
  tilec_module *c() const { return handle.get(); }

private:
  explicit Module(tilec_module *module) : handle(module) {}
  detail::Handle<tilec_module, tilec_module_retain, tilec_module_release> handle;
};

} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_RUNTIME_H
