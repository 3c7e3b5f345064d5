//===- launch.h - Launching compiled kernels from C++ --------------------*- C++ -*-===//
//
// What generated headers use of C++17: where a launch goes, its grid, and the scope in which
// nothing may be loaded. All inline over aot.h. docs/embedding.md is the guide.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LAUNCH_H
#define TILEC_LAUNCH_H

#include "tilec/aot.h"
#include "tilec/runtime.h"

namespace tilec {
inline namespace runtime_v1 {

/// The small floats of kernels' parameters, under the names that generated headers use.
using half = Half;
using bfloat16 = BFloat16;
using float8e5 = Float8E5;
using float8e4nv = Float8E4NV;
using float8e4b15 = Float8E4B15;

/// The processor as a place to launch, with the caller's threads or the runtime's own.
struct CpuStream {
  const tilec_executor *executor = nullptr;
};
/// Launches run here, at once, on the CPU code of the kernel. `executor`, unless null, shares the
/// programs out and must outlive every launch with it.
inline CpuStream cpuStream(const tilec_executor *executor = nullptr) { return {executor}; }

/// Where a launch goes. Default constructed: the legacy default stream of the current context.
class LaunchStream {
public:
  LaunchStream() = default;
  /// A cudaStream_t or CUstream.
  LaunchStream(CUstream_st *handle) : stream(handle) {}
  /// `other`, in the context of its device if it has one, must outlive every launch with it.
  LaunchStream(const Stream &other) : stream(other.get()), device(other.device()) {}
  LaunchStream(CpuStream cpu) : executor(cpu.executor), onCpu(true) {}

  /// Writes what this means into `options`.
  void apply(tilec_launch_options &options) const {
    options.stream = stream;
    options.device = device;
    options.executor = executor;
    if (onCpu)
      options.flags |= TILEC_LAUNCH_CPU;
  }

private:
  void *stream = nullptr;
  tilec_device *device = nullptr;
  const tilec_executor *executor = nullptr;
  bool onCpu = false;
};

/// The programs of a launch. Default constructed: what the kernel's compiled expression gives.
class LaunchGrid {
public:
  LaunchGrid() = default;
  LaunchGrid(Grid programs) : grid(programs), given(true) {}
  template <typename X, typename Y = int, typename Z = int,
            typename = std::enable_if_t<std::is_integral_v<X>>>
  LaunchGrid(X x, Y y = 1, Z z = 1) : LaunchGrid(Grid(x, y, z)) {}

  /// Whether there is one.
  explicit operator bool() const { return given; }
  /// Writes the grid into `options`, if there is one.
  void apply(tilec_launch_options &options) const {
    if (!given)
      return;
    options.flags |= TILEC_LAUNCH_GRID;
    options.grid[0] = grid.x;
    options.grid[1] = grid.y;
    options.grid[2] = grid.z;
  }

private:
  Grid grid;
  bool given = false;
};

/// While one of these lives, in any thread of the process, a launch that would have to load code is
/// a NotPrepared error instead. Prepare first. (libtilec's launches have a jit::Freeze of their
/// own.)
class Freeze {
public:
  Freeze() { tilec_freeze(); }
  ~Freeze() { tilec_thaw(); }
  Freeze(const Freeze &) = delete;
  Freeze &operator=(const Freeze &) = delete;
};

namespace detail {

inline tilec_launch_options makeLaunchOptions(const LaunchStream &stream, const LaunchGrid &grid,
                                              bool dependent, uint32_t config) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  stream.apply(options);
  grid.apply(options);
  if (dependent)
    options.flags |= TILEC_LAUNCH_DEPENDENT;
  options.config = config;
  return options;
}

/// An argument as it lies in its slot: its bits, with zeros above.
template <typename T> uint64_t toSlot(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<uintptr_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return std::make_unsigned_t<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint64_t> bits;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else {
    return value.bits; // Half, BFloat16
  }
}

/// Writes an argument, or what a tensor descriptor is made of, into the next slots.
template <typename T> void addSlots(T value, uint64_t *&slot) { *slot++ = toSlot(value); }
template <typename T, unsigned rank>
void addSlots(const TensorDescriptor<T, rank> &tensor, uint64_t *&slot) {
  tensor.forEachArgument([&](auto part) { *slot++ = toSlot(part); });
}

/// The answer of tilec_aot_occupancy_v1.
inline Expected<Occupancy> findOccupancy(const tilec_aot_kernel &kernel,
                                         const tilec_launch_options &launch,
                                         const int64_t *constexprs, const uint64_t *slots) {
  Occupancy occupancy{};
  occupancy.struct_size = sizeof(occupancy);
  if (Status status{tilec_aot_occupancy_v1(&kernel, &launch, constexprs, slots, &occupancy)};
      !status)
    return status;
  return occupancy;
}

} // namespace detail
} // namespace runtime_v1
} // namespace tilec

#endif // TILEC_LAUNCH_H
