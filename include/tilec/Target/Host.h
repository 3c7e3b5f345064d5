//===- Host.h - kernels as native code in this process ---------*- C++ -*-===//
//
// The CPU target: compiles a kernel in tile IR to machine code for the processor, links it into
// this process, and runs a grid of programs on several threads. Behind it are the pipeline of
// Conversion/TileToCPU, LLVM's back end for the host, and ORC. The same code can be kept as an
// object file for another process, or emitted as LLVM IR to be linked into an object with kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_HOST_H
#define TILEC_TARGET_HOST_H

#include "tilec/Target/HostThreads.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tilec {

/// Number of programs of a launch along each axis. A 0 launches nothing.
struct HostGrid {
  uint32_t x = 1, y = 1, z = 1;
};

/// What a failed tile.assert leaves behind, and whom the programs of a launch tell of their
/// accesses. Compiled kernels write it and pass it on, so the layout is fixed.
struct HostFailure {
  int32_t claimed = 0; // 1 once a program has failed
  int32_t line = 0;    // from 1, or 0 when unknown
  int32_t column = 0;
  int32_t program[3] = {0, 0, 0};
  const char *file = nullptr;           // lives as long as the kernel
  const char *message = nullptr;        // likewise
  class HostMonitor *monitor = nullptr; // of kernels with HostOptions::checkMemory
};

/// A load, store or atomic operation in a kernel's source. Compiled kernels contain them, so the
/// layout is fixed.
struct HostSite {
  const char *file;  // lives as long as the kernel; empty when unknown
  const char *shape; // sizes of the tile: "64, 32"; empty for a scalar
  int32_t line, column;
  int32_t kind; // of HostAccess::Kind
  int32_t bytes;
  int32_t synchronizes; // 1: acquires or releases what others wrote
  /// The calls that led to it, innermost first, "FILE:LINE:COLUMN\n" each; null or empty: none.
  const char *calls = nullptr;
};

/// An access of one element, which is about to happen.
struct HostAccess {
  enum class Kind { Load, Store, Atomic };
  const HostSite &site;
  const void *address;
  int64_t index;  // of the element, in C order in its tile; -1 for a scalar
  uint64_t value; // the bits that a store writes
  int32_t program[3];

  Kind kind() const { return Kind(site.kind); }
};

/// Is told of all accesses of a kernel that was compiled with HostOptions::checkMemory. Programs
/// run one after the other.
class HostMonitor {
public:
  virtual ~HostMonitor();
  /// True if `access` may happen. Otherwise a load gives `other` or zero, an atomic operation zero.
  virtual bool allow(const HostAccess &access) = 0;
  /// The program that made the last access passes a barrier.
  virtual void passBarrier() = 0;
};

/// The value of one kernel parameter.
class HostArgument {
public:
  /// The address of memory that the kernel may access; it must outlive the launch.
  static HostArgument pointer(const void *address);
  /// An integer or boolean, signed or not: the parameter takes its low bits.
  static HostArgument integer(int64_t value);
  /// A number for a float parameter of any width, rounded to nearest even.
  static HostArgument floating(double value);

  enum class Kind { Pointer, Integer, Floating };
  Kind kind() const { return which; }

private:
  friend class HostKernel;
  Kind which = Kind::Integer;
  union {
    const void *address;
    int64_t number;
    double real;
  };
};

/// The type of a kernel parameter.
struct HostParameter {
  enum class Kind { Pointer, Integer, Float16, BFloat16, Float32, Float64 };
  Kind kind;
  unsigned bits;    // of an integer
  std::string name; // from `tile.name`; may be empty
};

struct HostOptions {
  /// The processor to compile for, as LLVM names it (x86-64-v3); empty is the one that this process
  /// runs on, with all it can do.
  std::string cpu;
  /// Compile accesses to memory so that a HostMonitor is asked about each.
  bool checkMemory = false;
  /// Map LLVM IR and assembly to the kernel's lines.
  bool lineInfo = false;
  /// The machine to compile for, whose back end must be registered; empty is this one. Another one
  /// needs a `cpu`.
  std::string triple = "";
};

/// A kernel's code for linking into an object.
struct HostBitcode {
  std::string bitcode; // optimised LLVM IR with one external function, of the name asked for
  uint64_t scratchBytes = 0;
};

/// Compiles as HostKernel::compile() does, up to optimised LLVM IR. The function `entry` runs one
/// program: void(slots, position and grid, scratch, HostFailure *).
llvm::Expected<HostBitcode> emitHostBitcode(mlir::ModuleOp module, llvm::StringRef name,
                                            llvm::StringRef entry, const HostOptions &options);

/// The machine that generates code for the processor that `options` ask for, as kernels are
/// compiled.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(const HostOptions &options = {});

/// The highest level of x86-64 (1 to 4, as in x86-64-v3) that this machine has; 0 for another kind.
unsigned hostCpuLevel();

/// One kernel as relocatable machine code, with what running it takes. A plain value that can be
/// kept in a file and loaded by another process with the same hostMachine().
struct HostObject {
  std::string name;
  std::vector<HostParameter> parameters;
  uint64_t scratchBytes = 0;
  std::string code; // an object file
};

/// The processor that kernels are compiled for without HostOptions: target, name and features. Code
/// is good for another process exactly when this text is the same there.
llvm::Expected<std::string> hostMachine();

/// One kernel compiled for this process. Immutable after compile(): any number of
/// threads may call run() at once.
class HostKernel {
public:
  /// Compiles the kernel `name` of `module`, which holds tile IR without layouts and is left as it
  /// is. The module's context must have been created with registerHostTarget(). Messages about the
  /// kernel go to the context's diagnostic handlers; the error says which stage failed. May run on
  /// several threads at once for modules of different contexts.
  static llvm::Expected<std::unique_ptr<HostKernel>>
  compile(mlir::ModuleOp module, llvm::StringRef name, const HostOptions &options = {});
  /// The two halves of compile(): machine code, and its linking into this process.
  static llvm::Expected<HostObject> compileObject(mlir::ModuleOp module, llvm::StringRef name,
                                                  const HostOptions &options = {});
  static llvm::Expected<std::unique_ptr<HostKernel>> load(const HostObject &object);
  ~HostKernel();

  /// Runs one program for each point of `grid` on `threads` and waits for all. Fails without
  /// running anything when the arguments do not fit the parameters; fails after running when an
  /// assertion failed (the message names the first program that did, programs not yet started are
  /// skipped) or memory ran out. A kernel that was compiled with HostOptions::checkMemory needs a
  /// `monitor`, and `threads` that are one.
  llvm::Error run(HostThreads &threads, HostGrid grid, llvm::ArrayRef<HostArgument> arguments,
                  HostMonitor *monitor = nullptr) const;

  /// The same with the bits of the arguments: `slots` has one word for each parameter, whose low
  /// bytes hold a value of the parameter's type.
  llvm::Error runSlots(HostThreads &threads, HostGrid grid, const uint64_t *slots,
                       HostMonitor *monitor = nullptr) const;

  llvm::ArrayRef<HostParameter> parameters() const;

  /// Bytes of scratch memory that each thread needs while it runs this kernel.
  uint64_t scratchBytes() const;

  /// The optimised LLVM IR and the assembly of a kernel, for people; arguments as for compile().
  static llvm::Expected<std::string> emitLLVM(mlir::ModuleOp module, llvm::StringRef name,
                                              const HostOptions &options = {});
  static llvm::Expected<std::string> emitAssembly(mlir::ModuleOp module, llvm::StringRef name,
                                                  const HostOptions &options = {});

private:
  struct State;
  explicit HostKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// Adds what compile() needs of a context: the dialects of the CPU path and their translation to
/// LLVM.
void registerHostTarget(mlir::DialectRegistry &registry);

} // namespace tilec

#endif // TILEC_TARGET_HOST_H
