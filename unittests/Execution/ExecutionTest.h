//===- ExecutionTest.h - kernels, their inputs, expected results -*- C++ -*-===//
//
// The execution tests compile kernel text in this process, run it on the CPU target and, where
// there is one, on the GPU, and compare with a reference computed here in float64 or in wide
// integers. Without a GPU that half still compiles the kernel to PTX, and is skipped then.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_UNITTESTS_EXECUTION_EXECUTIONTEST_H
#define TILEC_UNITTESTS_EXECUTION_EXECUTIONTEST_H

#include "tilec/JIT/Compare.h"
#include "tilec/JIT/Fill.h"
#include "tilec/JIT/Machine.h"
#include "gtest/gtest.h"

#include <functional>
#include <string>

namespace tilec::test {

enum class Target { CPU, CUDA };

/// Kernel text with the imports in front: `functions` are `@triton.jit` functions, the last of
/// which is the kernel unless `Launch::kernel` says otherwise.
struct Launch {
  explicit Launch(std::string functions) : functions(std::move(functions)) {}

  Launch &array(std::string name, HostArray &array) {
    arguments.push_back({std::move(name), &array, ConstValue()});
    return *this;
  }
  Launch &integer(std::string name, int64_t value) {
    arguments.push_back({std::move(name), nullptr, ConstValue::integer(value)});
    return *this;
  }
  Launch &value(std::string name, ConstValue value) {
    arguments.push_back({std::move(name), nullptr, std::move(value)});
    return *this;
  }
  Launch &over(int64_t x, int64_t y = 1, int64_t z = 1) {
    grid = {x, y, z};
    return *this;
  }
  Launch &warps(unsigned count) {
    numWarps = count;
    return *this;
  }
  Launch &ctas(unsigned count) {
    numCTAs = count;
    return *this;
  }
  /// Parameter types that do not follow from the arguments: "n=i64".
  Launch &types(std::string text) {
    signature = std::move(text);
    return *this;
  }

  std::string functions;
  std::string kernel;
  std::vector<NamedArgument> arguments;
  std::string signature;
  LaunchGrid grid;
  unsigned numWarps = 4;
  unsigned numCTAs = 1;
  bool debug = false;
  unsigned maxRegisters = 0;
  std::string *description = nullptr; ///< receives what the machine says about the kernel
};

/// Compiles and runs; the text of every error, or "" after success. Writes outside of an array are
/// errors.
std::string run(Machine &machine, const Launch &launch);

/// An array of `shape` at `offset` elements behind a multiple of 64 bytes.
HostArray makeArray(ScalarKind type, std::vector<uint64_t> shape, uint64_t offset = 0);
/// The same, filled with numbers from `low` to `high`.
HostArray makeRandom(ScalarKind type, std::vector<uint64_t> shape, double low, double high,
                     uint64_t seed = 1, uint64_t offset = 0);
/// The same, with every element marked as not written.
HostArray makeOutput(ScalarKind type, std::vector<uint64_t> shape, uint64_t offset = 0);

/// Checks every element against a number, which is first rounded to the array's type.
void expectReals(const HostArray &actual, const std::function<double(uint64_t)> &expected,
                 Tolerance tolerance = {});
/// Checks every element of an integer array against the low bits of an integer.
void expectIntegers(const HostArray &actual, const std::function<int64_t(uint64_t)> &expected);
/// Checks that no element was written.
void expectUntouched(const HostArray &actual);

/// The machine for a target, opened once. Where there is no GPU, the one for CUDA compiles every
/// kernel to PTX and skips the test where it would run.
Machine &machineFor(Target target);

/// Runs every test on both targets.
class OnEachTarget : public ::testing::TestWithParam<Target> {
protected:
  Machine &machine() const { return machineFor(GetParam()); }
  /// Runs and expects success.
  void runFine(const Launch &launch) { EXPECT_EQ(run(machine(), launch), ""); }
};

/// Runs every test on both targets with every row of a table. Rows have a `name` for the test's
/// name.
template <typename Row>
class OnEachTargetWith : public ::testing::TestWithParam<std::tuple<Target, Row>> {
protected:
  Machine &machine() const { return machineFor(std::get<0>(this->GetParam())); }
  const Row &row() const { return std::get<1>(this->GetParam()); }
  void runFine(const Launch &launch) { EXPECT_EQ(run(machine(), launch), ""); }
};

inline std::string nameOf(Target target) { return target == Target::CPU ? "CPU" : "CUDA"; }

/// For INSTANTIATE_TEST_SUITE_P.
inline auto allTargets() { return ::testing::Values(Target::CPU, Target::CUDA); }
struct TargetName {
  std::string operator()(const ::testing::TestParamInfo<Target> &info) const {
    return nameOf(info.param);
  }
};
template <typename Row> struct RowName {
  std::string operator()(const ::testing::TestParamInfo<std::tuple<Target, Row>> &info) const {
    return nameOf(std::get<0>(info.param)) + "_" + std::string(std::get<1>(info.param).name);
  }
};

/// Every type of elements that kernels of this slice compute with.
llvm::ArrayRef<ScalarKind> elementTypes();

} // namespace tilec::test

#endif // TILEC_UNITTESTS_EXECUTION_EXECUTIONTEST_H
