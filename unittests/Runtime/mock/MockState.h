//===- MockState.h - What the mock driver remembers ----------------------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_RUNTIME_MOCK_MOCKSTATE_H
#define TILEC_UNITTESTS_RUNTIME_MOCK_MOCKSTATE_H

#include "Driver.h"
#include "MockDriver.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mock {

using namespace tilec;

constexpr int maxDevices = 4;

// One number for each function, in the order of the runtime's table.
enum FunctionIndex {
#define MOCK_INDEX(NAME, PARAMS) index_##NAME,
  TILEC_DRIVER_REQUIRED(MOCK_INDEX) TILEC_DRIVER_OPTIONAL(MOCK_INDEX)
#undef MOCK_INDEX
      functionCount
};

struct MockContext {
  int device = 0;
  int retains = 0; ///< of a primary context
  unsigned long long id = 0;
};

struct MockParam {
  size_t offset, bytes;
};

struct MockFunction {
  std::string name;
  std::vector<MockParam> params;
  int maxThreads = 1024;
  int registers = 40;
  int clusterWidth = 0; ///< that the image declares
  bool largeClusters = false;
  int dynamicSharedBytes = 48 * 1024;
  struct MockModule *module = nullptr;
};

struct MockModule {
  MockContext *context = nullptr;
  const char *image = nullptr;
  std::map<std::string, MockFunction> functions;
};

/// An image for all contexts, with the modules that were opened in some.
struct MockLibrary {
  const char *image = nullptr;
  std::map<MockContext *, MockModule *> modules;
};

// A stream or an event.
struct MockHandle {
  MockContext *context = nullptr;
  bool capturing = false;
  bool recorded = false;
  double milliseconds = 0;
};

struct Allocation {
  size_t bytes;
  MockContext *context;
};

struct State {
  std::mutex mutex;
  std::atomic<int> devices{1}, major{9}, minor{0}, version{13000}, mostResident{32};
  std::atomic<size_t> memory{size_t(1) << 30};
  std::string log;
  std::atomic<bool> keptLines{false};
  std::atomic<int> failures[functionCount] = {};
  std::atomic<int> calls[functionCount] = {};
  std::atomic<bool> initialised{false};
  MockContext primary[maxDevices];
  std::map<cu::DevicePtr, Allocation> allocations;
  std::atomic<int> streams{0}, events{0}, modules{0}, libraries{0}, captures{0};
  std::atomic<unsigned long long> contextIds{maxDevices};
  std::mutex launchMutex;
  MockLaunch launch{};
};

extern State state;

/// The calling thread's context stack.
struct ContextStack {
  static constexpr int capacity = 16;
  MockContext *entries[capacity];
  int depth = 0;
  MockContext *top() const { return depth ? entries[depth - 1] : nullptr; }
};
extern thread_local ContextStack stack;

/// Counts a call and returns the failure that was asked for, if any.
inline cu::Result enter(FunctionIndex function) {
  state.calls[function].fetch_add(1, std::memory_order_relaxed);
  if (cu::Result result = state.failures[function].load(std::memory_order_relaxed))
    return result;
  constexpr cu::Result notInitialised = 3;
  bool early = function == index_cuInit || function == index_cuDriverGetVersion;
  return state.initialised.load() || early ? cu::Success : notInitialised;
}

/// Whether the stream may be used under the calling thread's current context.
inline bool isStreamOfCurrent(cu::Stream stream) {
  constexpr uintptr_t lastSpecial = 2; // 1 and 2 name default streams
  return reinterpret_cast<uintptr_t>(stream) <= lastSpecial ||
         reinterpret_cast<MockHandle *>(stream)->context == stack.top();
}

constexpr cu::Result errorInvalidHandle = 400, errorNotReady = 600, errorInvalidDevice = 101;

/// Reads the kernels of PTX text.
std::map<std::string, MockFunction> parseKernels(const std::string &ptx);

} // namespace mock

#endif // TILEC_UNITTESTS_RUNTIME_MOCK_MOCKSTATE_H
