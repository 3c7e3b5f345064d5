//===- SimulatorTest.h - PTX in tests ---------------------------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_SIMULATOR_SIMULATORTEST_H
#define TILEC_UNITTESTS_SIMULATOR_SIMULATORTEST_H

#include "tilec/Simulator/Simulator.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace tilec::test {

/// A kernel of one pointer, `%p`, with `code` as its body. Shared memory is `buffer`; registers of
/// any name may be used.
std::string kernelOf(const std::string &code);

/// Runs kernelOf(code) with `data` behind the pointer and returns the error, or "".
std::string simulate(const std::string &code, void *data, uint64_t bytes, uint32_t threads = 32,
                     uint64_t seed = 0, uint32_t programs = 1, uint32_t clusterSize = 1);

/// Runs `code`, in which each thread stores 32 bits at [%out], and returns what they stored.
std::vector<uint32_t> valuesOf(const std::string &code, uint32_t threads = 32);

/// The results of a one-line instruction `%r = text` in the first thread.
uint32_t resultOf(const std::string &code);

} // namespace tilec::test

#endif // TILEC_UNITTESTS_SIMULATOR_SIMULATORTEST_H
