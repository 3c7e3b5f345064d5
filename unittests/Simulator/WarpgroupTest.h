//===- WarpgroupTest.h - Products of warpgroups in tests --------*- C++ -*-===//
//
// Factors laid out in an image of shared memory, and PTX that copies it there and multiplies.
// Fragments and layouts are written down bit by bit, apart from the simulator's formulas.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_UNITTESTS_SIMULATOR_WARPGROUPTEST_H
#define TILEC_UNITTESTS_SIMULATOR_WARPGROUPTEST_H

#include "SimulatorTest.h"

namespace tilec::test {

/// One product: the words of its opcode, and how its factors lie.
struct WarpgroupCase {
  std::string types = "f32.f16.f16";
  uint32_t n = 64;
  /// Bytes of the rows that are swizzled: 128, 64, 32, or 16 for none.
  uint32_t width = 128;
  bool leftInRegisters = false;
  bool leftTransposed = false, rightTransposed = false;
  /// Bytes of K before those that are multiplied, in the swizzled rows.
  uint32_t advance = 0;
  std::string predicate = "%yes";
  int leftScale = 1, rightScale = 1;

  uint32_t elementBytes() const;
  uint32_t k() const { return 32 / elementBytes(); }
  bool resultIsHalf() const { return types.compare(0, 3, "f16") == 0; }
  uint32_t results() const { return resultIsHalf() ? n / 4 : n / 2; }
  /// Integers that all types can hold: left(row, k), right(k, column).
  int left(uint32_t row, uint32_t k) const;
  int right(uint32_t k, uint32_t column) const;
};

/// Bytes of the image of shared memory, and where the right factor begins in it.
inline constexpr uint32_t kImageBytes = 32768, kRightBegin = 16384;
/// Lies before the image, and 1024 bytes before are never an address.
inline constexpr uint32_t kImageAddress = 1024 + 4096;

/// "{d0, d1, d2}"
std::string listOf(const std::string &prefix, uint32_t count);

/// Declares %yes, %no and the image `tile`, copies that from %p, and makes the descriptors %da and
/// %db. Then the threads are yet to execute a proxy fence and a barrier.
std::string prepare(const WarpgroupCase &test);
/// As prepare(), with the proxy fence, the barrier and the fence of registers.
std::string prepareAll(const WarpgroupCase &test);
/// Sets the results `prefix`0 .. to 1.
std::string setResults(const WarpgroupCase &test, const std::string &prefix = "%d");
/// One product.
std::string multiply(const WarpgroupCase &test, const std::string &prefix = "%d");
/// Stores the results after the image.
std::string storeResults(const WarpgroupCase &test, const std::string &prefix = "%d");

/// The image, then the left factor's registers, 16 bytes a thread, then 512 bytes a thread.
std::vector<uint8_t> dataOf(const WarpgroupCase &test);
/// The result of an element, as a number.
double resultAt(const WarpgroupCase &test, const std::vector<uint8_t> &data, uint32_t row,
                uint32_t column);
/// Runs `code` for four warps and returns the error.
std::string simulateGroup(const WarpgroupCase &test, const std::string &code,
                          std::vector<uint8_t> *data = nullptr, uint64_t seed = 0);

} // namespace tilec::test

#endif // TILEC_UNITTESTS_SIMULATOR_WARPGROUPTEST_H
