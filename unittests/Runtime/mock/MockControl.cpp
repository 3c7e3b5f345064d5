//===- MockControl.cpp - The test's side of the mock driver --------------*- C++ -*-===//
//
// The state of the mock and the functions with which a test reads and changes it.
//
//===-------------------------------------------------------------------------------===//

#include "MockState.h"

#include <cstring>

namespace mock {

State state;
thread_local ContextStack stack;

static int indexOf(const char *function) {
  static const char *const names[] = {
#define MOCK_NAME(NAME, PARAMS) #NAME,
      TILEC_DRIVER_REQUIRED(MOCK_NAME) TILEC_DRIVER_OPTIONAL(MOCK_NAME)
#undef MOCK_NAME
  };
  for (int i = 0; i < functionCount; ++i)
    if (!strcmp(names[i], function))
      return i;
  __builtin_trap(); // a test that names a function wrongly must not pass
}

static void reset() {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.devices = 1;
  state.major = 9;
  state.minor = 0;
  state.version = 13000;
  state.mostResident = 32;
  state.memory = size_t(1) << 30;
  state.log.clear();
  for (int i = 0; i < functionCount; ++i) {
    state.failures[i] = 0;
    state.calls[i] = 0;
  }
  state.launch = {};
  stack.depth = 0;
}

static void push(void *context) {
  if (stack.depth == ContextStack::capacity)
    __builtin_trap();
  stack.entries[stack.depth++] = static_cast<MockContext *>(context);
}

static MockLive live() {
  std::lock_guard<std::mutex> lock(state.mutex);
  int retains = 0;
  for (const MockContext &context : state.primary)
    retains += context.retains;
  return {int(state.allocations.size()),
          state.streams,
          state.events,
          state.modules,
          retains,
          state.libraries};
}

static const MockControl control = {
    reset,
    [](int count) { state.devices = count; },
    [](int major, int minor) {
      state.major = major;
      state.minor = minor;
    },
    [](size_t bytes) { state.memory = bytes; },
    [](int version) { state.version = version; },
    [](int blocks) { state.mostResident = blocks; },
    [](const char *log) {
      std::lock_guard<std::mutex> lock(state.mutex);
      state.log = log;
    },
    [](const char *function, int result) { state.failures[indexOf(function)] = result; },
    [](const char *function) { return state.calls[indexOf(function)].load(); },
    [](int device) -> void * { return new MockContext{device, 0, ++state.contextIds}; },
    [](void *context) { delete static_cast<MockContext *>(context); },
    push,
    []() -> void * {
      void *top = stack.top();
      stack.depth -= top ? 1 : 0;
      return top;
    },
    []() { return stack.depth; },
    []() -> void * { return stack.top(); },
    live,
    []() {
      std::lock_guard<std::mutex> lock(state.launchMutex);
      return state.launch;
    },
    [](void *stream, bool on) {
      static_cast<MockHandle *>(stream)->capturing = on;
      state.captures += on ? 1 : -1;
    },
    []() { return state.keptLines.load(); },
};

} // namespace mock

extern "C" __attribute__((visibility("default"))) const MockControl *mockControl() {
  return &mock::control;
}
