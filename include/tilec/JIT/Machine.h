//===- Machine.h - Where kernels run ----------------------------*- C++ -*-===//
//
// One interface for running a kernel in this process: on the processor through the CPU path, on a
// GPU through PTX and the runtime, or through PTX and the simulator. Arrays stay on the host; a GPU
// gets copies and gives them back.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_MACHINE_H
#define TILEC_JIT_MACHINE_H

#include "tilec/Compiler/ProfileNames.h"
#include "tilec/JIT/Arguments.h"
#include "tilec/JIT/Backend.h"
#include "tilec/JIT/Timing.h"

#include <memory>

namespace tilec {

/// Programs along each axis. A 0 runs nothing.
struct LaunchGrid {
  int64_t x = 1, y = 1, z = 1;
  bool isEmpty() const { return x == 0 || y == 0 || z == 0; }
};

/// An error if CUDA does not launch such a grid, so that what runs on one machine runs on all.
llvm::Error checkGrid(const LaunchGrid &grid);

/// How a machine compiles a kernel, beyond its KernelRequest.
struct CodeOptions : BackendOptions {
  /// Compile for this architecture instead of the GPU's own.
  std::optional<GpuArch> arch;
};

/// A kernel that is ready to run on its machine, which must outlive it.
class LoadedKernel {
public:
  virtual ~LoadedKernel();

  /// Runs one program for each point of `grid`, waits, and leaves the results in the arrays. The
  /// error says what went wrong: a grid out of range, a failed assertion, a fault.
  virtual llvm::Error run(const LaunchGrid &grid, llvm::ArrayRef<LaunchValue> arguments) = 0;

  /// Runs the kernel again and again for about as long as `plan` says, each time with cold caches,
  /// and takes the time: wall clock on a processor, events on a GPU. The arrays' contents
  /// afterwards are those of several runs one after the other on a processor, and unchanged with a
  /// GPU.
  virtual llvm::Expected<Timing> measure(const LaunchGrid &grid,
                                         llvm::ArrayRef<LaunchValue> arguments,
                                         const TimingPlan &plan = TimingPlan()) = 0;

  /// How many programs run at the same time: the natural grid of a persistent kernel. At least 1.
  virtual unsigned residentPrograms() const = 0;

  /// One line for people: registers, shared memory; may be empty.
  virtual std::string describe() const = 0;

  /// What a profile calls the runs of this kernel, if launches are recorded, and how many
  /// operations each takes; 0 is unknown.
  void setProfile(ProfileNames given, uint64_t count) {
    names = std::move(given);
    operations = count;
  }

protected:
  ProfileNames names;
  uint64_t operations = 0;
};

/// A launch on a GPU that a tool of CUDA watches, with what its findings are said in.
struct WatchedLaunch {
  struct Placed {
    const HostArray *array;
    uint64_t address; // Of the first element, on the device.
  };
  std::vector<Placed> arrays;
  uint32_t grid[3], block[3]; // As CUDA launches it.
  unsigned numCTAs = 1;       // Of a program.
  /// With lines (BackendOptions::lineInfo).
  llvm::StringRef ptx;
};

/// Is told of launches whose accesses a tool of CUDA looks at, in which arrays lie on the device as
/// exactly as they are.
class DeviceMonitor {
public:
  virtual ~DeviceMonitor();
  /// Whether the contents of `array` are to be what nobody has written.
  virtual bool isUnwritten(const HostArray &array) const = 0;
  /// Right before the launch, which an error prevents.
  virtual llvm::Error start(const WatchedLaunch &launch) = 0;
};

/// The bytes of all arrays among the arguments, each once.
uint64_t bytesOf(llvm::ArrayRef<LaunchValue> arguments);

/// A processor, a GPU, or a simulated one.
class Machine {
public:
  virtual ~Machine();

  /// This process's processor; 0 threads means as many as it has.
  static std::unique_ptr<Machine> cpu(unsigned threads = 0);
  /// The same with one thread, and `monitor`, which must outlive the machine and its kernels, asked
  /// about each access.
  static std::unique_ptr<Machine> watchedCpu(HostMonitor &monitor);
  /// GPU number `ordinal`; an error says why there is none.
  static llvm::Expected<std::unique_ptr<Machine>> cuda(int ordinal = 0);
  /// The same, whose launches `monitor` is told of; it must outlive the machine and its kernels.
  static llvm::Expected<std::unique_ptr<Machine>> watchedCuda(DeviceMonitor &monitor,
                                                              int ordinal = 0);
  /// Code for a GPU, executed by this process (tilec/Simulator/Simulator.h), with the order of
  /// warps that `seed` gives; for CodeOptions::arch, by default sm_90a.
  static std::unique_ptr<Machine> simulator(uint64_t seed = 0);

  /// For people: "NVIDIA H200", "CPU (2 threads)".
  virtual std::string name() const = 0;
  virtual bool isGPU() const = 0;
  /// What KernelRequest::arch must be: the GPU that `options` ask for or that is there; nothing for
  /// a processor. For a GPU that is too old it is the oldest that there is code for; load() reports
  /// it.
  virtual std::optional<GpuArch> arch(const CodeOptions &options) const = 0;

  /// Compiles the one kernel that was added to `compilation`, which is not needed afterwards. Null
  /// after reporting errors to its diagnostics.
  virtual std::unique_ptr<LoadedKernel> load(Compilation &compilation,
                                             const CodeOptions &options) = 0;
};

} // namespace tilec

#endif // TILEC_JIT_MACHINE_H
