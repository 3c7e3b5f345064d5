//===- ProfileApi.cpp - tilec_jit_profile_write and relatives ---*- C++ -*-===//
//
// libtilec has the runtime inside, and nothing of it shows: these are the runtime's functions for
// profiles under names of its own.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <utility>

using namespace tilec;
using namespace tilec::library;

static thread_local LaunchAmounts nextAmounts;

LaunchAmounts library::takeAmounts() { return std::exchange(nextAmounts, LaunchAmounts()); }

static tilec_jit_error toJit(tilec_status given) {
  Status status(given);
  return toC(status ? Failure() : Failure{int32_t(status.code()), status.message()});
}

void tilec_jit_profile_record(int32_t on) { tilec_profile_record(on); }
tilec_jit_error tilec_jit_profile_write(const char *path) {
  return toJit(tilec_profile_write(path));
}
tilec_jit_error tilec_jit_profile_print(int32_t file) { return toJit(tilec_profile_print(file)); }
void tilec_jit_profile_clear(void) { tilec_profile_clear(); }
void tilec_jit_profile_describe(uint64_t bytes, uint64_t operations) {
  nextAmounts = {bytes, operations};
}
