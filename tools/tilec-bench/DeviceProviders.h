//===- DeviceProviders.h - what this process launches ----------*- C++ -*-===//
//
// The providers that this process launches itself, in one form: what enqueues a run of a case. The
// others run in Python (PythonProviders.h). Session calls both.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_DEVICEPROVIDERS_H
#define TILEC_TOOLS_TILEC_BENCH_DEVICEPROVIDERS_H

#include "Configs.h"
#include "DeviceData.h"
#include "llvm/ADT/StringMap.h"

namespace tilec::bench {

/// A run that is ready to be enqueued.
struct Prepared {
  Run run;
  /// Warps of a program; 0 when there are no programs.
  unsigned warps = 0;
};

/// How a CUDA kernel of bench/cuda is launched.
struct CudaShape {
  std::string file;
  std::string symbol;
  unsigned threads;
  uint64_t grid;
  /// Bytes of shared memory to ask for; where it is not 0 the kernel keeps a row there.
  unsigned sharedBytes;
};

/// The kernel of bench/cuda that `provider` names for a case, on a device whose blocks can have
/// `sharedLimit` bytes of shared memory.
CudaShape cudaShape(llvm::StringRef provider, const Case &what, unsigned sharedLimit);

/// A device copy of the same bytes: the ceiling of what a kernel can reach.
Prepared prepareCopy(const Case &what);

/// Compiles a case's kernel with tilec.
llvm::Expected<Prepared> prepareTilec(const Device &device, const Case &what, const Config &config,
                                      llvm::StringRef sourceFolder);

/// The CUDA C++ kernels, each file compiled once by nvcc.
class CudaKernels {
public:
  CudaKernels(Device device, std::string sourceFolder)
      : device(std::move(device)), folder(std::move(sourceFolder)) {}

  /// Looks for nvcc; the error says where.
  llvm::Error findCompiler();
  llvm::Expected<Prepared> prepare(llvm::StringRef provider, const Case &what);

private:
  llvm::Expected<Module> compile(const std::string &file);

  Device device;
  std::string folder;
  std::string nvcc;
  llvm::StringMap<Module> modules;
  /// Why a file did not compile.
  llvm::StringMap<std::string> failures;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_DEVICEPROVIDERS_H
