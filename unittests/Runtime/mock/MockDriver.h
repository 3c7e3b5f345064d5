//===- MockDriver.h - Control of the mock CUDA driver --------------------*- C++ -*-===//
//
// The mock driver is a shared library with the entry points of libcuda.so.1 that the runtime uses,
// over host memory. A test steers and observes it through the functions below, which it gets with
// dlopen and dlsym("mockControl") from the same file that the runtime opens.
//
// The mock is stricter than the driver: every call that needs a context fails without the right
// one, so that a test of the runtime's context handling is a test of every call.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_UNITTESTS_RUNTIME_MOCK_MOCKDRIVER_H
#define TILEC_UNITTESTS_RUNTIME_MOCK_MOCKDRIVER_H

#include <cstddef>
#include <cstdint>

/// What cuLaunchKernel or cuLaunchKernelEx was given.
struct MockLaunch {
  char kernel[64];
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3]; ///< zeros without a cluster
  bool dependent;      ///< may overlap the launch before it
  unsigned sharedBytes;
  unsigned registers; ///< of a thread
  void *stream;
  void *context;
  const char *image;          ///< that the kernel was loaded from; dangling if loading copied it
  unsigned paramBytes;        ///< length of the parameter block
  unsigned char params[1024]; ///< the values, at the offsets of the kernel's parameters
};

/// What cuTensorMapEncodeTiled was given, in place of the driver's own form.
struct MockTensorMap {
  uint64_t address;
  uint64_t strides[5];
  uint32_t sizes[5]; ///< less one
  uint16_t box[5];
  uint8_t type, rank, swizzle, promotion;
};

/// Objects that exist at a moment.
struct MockLive {
  int allocations, streams, events, modules, primaryRetains, libraries;
};

struct MockControl {
  /// Back to one device (sm_90, 1 GiB), CUDA 13.0, no failures, zero counts, no current context
  /// on this thread. Live objects stay.
  void (*reset)();
  void (*setDevices)(int count);
  void (*setCapability)(int major, int minor);
  void (*setMemory)(size_t bytes);
  void (*setVersion)(int version);
  /// Limits the blocks that are resident on a multiprocessor.
  void (*setResident)(int blocks);
  /// What a failing cuModuleLoadDataEx writes to the error log.
  void (*setLog)(const char *log);
  /// Makes the named function fail with `result` at every call until cleared with 0.
  void (*fail)(const char *function, int result);
  /// Calls of the named function since the last reset.
  int (*calls)(const char *function);
  /// Makes a context that is not the primary one, and puts a context on or off the calling
  /// thread's stack.
  void *(*makeContext)(int device);
  void (*destroyContext)(void *context);
  void (*push)(void *context);
  void *(*pop)();
  /// Contexts on the calling thread's stack.
  int (*depth)();
  /// The top of that stack, or null.
  void *(*current)();
  MockLive (*live)();
  MockLaunch (*lastLaunch)();
  /// Begins or ends the capture of a stream into a graph, during which loading is an error.
  void (*capture)(void *stream, bool on);
  /// Whether the last image was to be compiled with lines of the source.
  bool (*keptLines)();
};

#endif // TILEC_UNITTESTS_RUNTIME_MOCK_MOCKDRIVER_H
