//===- Nvtx.cpp - Launches as ranges in a profile ------------------------*- C++ -*-===//
//
// Marks launches for profilers, when asked to. NVTX 3 has no library: the profiler names one of its
// own in NVTX_INJECTION64_PATH, and what calls NVTX loads it and hands it tables of pointers to
// functions, by module and number, in which the profiler puts its own. The tables here are
// complete, since a profiler may expect all of them, although two functions are called. Where no
// library is named, libnvToolsExt.so.1 (NVTX 2, of CUDA up to 12) is called, if there is one.
// Neither is closed.
//
//===-------------------------------------------------------------------------------===//

#include "Watch.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

namespace tilec {
namespace {

//===-------------------------------------------------------------------------------===//
// What NVTX 3 and profilers agree on
//===-------------------------------------------------------------------------------===//

using Function = void (*)();
using RangePush = int (*)(const char *);
using RangePop = int (*)();

/// By number: CORE, CUDA, OPENCL, CUDART, CORE2, SYNC; functions are numbered from 1 in each.
constexpr unsigned numModules = 6, mostFunctions = 16;
constexpr unsigned functionsOf[numModules] = {16, 9, 15, 7, 16, 7}; // 0 counts too
constexpr unsigned moduleCore = 1, coreRangePushA = 9, coreRangePop = 11;

/// The profiler's functions, null where it has none, and the tables of their addresses.
Function functions[numModules][mostFunctions];
Function *tables[numModules][mostFunctions + 1];

int getFunctionTable(int module, Function ***table, unsigned *size) {
  if (module < 1 || unsigned(module) > numModules)
    return 0;
  if (table)
    *table = tables[module - 1];
  if (size)
    *size = functionsOf[module - 1];
  return 1;
}

void setInjectionVersion(uint32_t) {}

const struct {
  size_t structSize;
  int (*getFunctionTable)(int module, Function ***table, unsigned *size);
} callbacks = {sizeof(callbacks), getFunctionTable};

const struct {
  size_t structSize;
  uint32_t version, reserved;
  void (*setInjectionVersion)(uint32_t);
} versionInfo = {sizeof(versionInfo), 3, 0, setInjectionVersion};

const void *getExportTable(uint32_t id) {
  constexpr uint32_t callbacksId = 1, versionInfoId = 3;
  return id == callbacksId     ? static_cast<const void *>(&callbacks)
         : id == versionInfoId ? &versionInfo
                               : nullptr;
}

pthread_once_t openedOnce = PTHREAD_ONCE_INIT;

} // namespace

//===-------------------------------------------------------------------------------===//
// Opening
//===-------------------------------------------------------------------------------===//

/// POSIX gives data and function pointers the same representation.
template <typename F> static F lookUp(void *library, const char *name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

static void openInjection(const char *path) {
  for (unsigned module = 0; module < numModules; ++module)
    for (unsigned i = 1; i < functionsOf[module]; ++i)
      tables[module][i] = &functions[module][i];
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return;
  using Initialize = int (*)(const void *(*)(uint32_t));
  auto initialize = lookUp<Initialize>(library, "InitializeInjectionNvtx2");
  if (!initialize || !initialize(getExportTable))
    memset(functions, 0, sizeof(functions));
}

static void openLibrary() {
  void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  functions[moduleCore - 1][coreRangePushA] = lookUp<Function>(library, "nvtxRangePushA");
  functions[moduleCore - 1][coreRangePop] = lookUp<Function>(library, "nvtxRangePop");
}

static void openAny() {
  const char *injection = secure_getenv("NVTX_INJECTION64_PATH");
  if (injection && *injection)
    openInjection(injection);
  else
    openLibrary();
}

//===-------------------------------------------------------------------------------===//
// Marking
//===-------------------------------------------------------------------------------===//

/// The profiler's function, which it may take away or put there at any time.
template <typename F> static F functionOf(unsigned number) {
  return reinterpret_cast<F>(__atomic_load_n(&functions[moduleCore - 1][number], __ATOMIC_RELAXED));
}

bool LaunchMark::open() {
  pthread_once(&openedOnce, openAny);
  return functionOf<RangePush>(coreRangePushA) && functionOf<RangePop>(coreRangePop);
}

bool LaunchMark::isWanted() {
  const char *wanted = secure_getenv("TILEC_NVTX");
  return wanted && !strcmp(wanted, "1");
}

void LaunchMark::push(const char *name) {
  if (auto function = functionOf<RangePush>(coreRangePushA))
    function(name);
}

void LaunchMark::pop() {
  if (auto function = functionOf<RangePop>(coreRangePop))
    function();
}

} // namespace tilec

int32_t tilec_mark_launches(int32_t on) {
  bool marks = on != 0 && tilec::LaunchMark::open();
  tilec::watch::turn(tilec::watch::marks, marks);
  return marks;
}
