//===- MockTest.h - Tests over the mock driver ---------------------------*- C++ -*-===//

#ifndef TILEC_UNITTESTS_RUNTIME_MOCKTEST_H
#define TILEC_UNITTESTS_RUNTIME_MOCKTEST_H

#include "MockDriver.h"

#include "tilec/runtime.h"
#include "gtest/gtest.h"

#include <string>

/// The folder of the running test binary, with a slash.
std::string testFolder();

/// The mock driver, which the runtime opens too because TILEC_CUDA_DRIVER names it.
const MockControl &mock();

/// Starts from the mock's defaults; ends with a check that nothing leaked and that the thread has
/// as many contexts as the test meant to leave.
class MockTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Opens device 0, loads `ptx` and gets its kernel, all of which must work.
  static tilec::Kernel getKernel(const tilec::LaunchRecord &record, const char *ptx);

  static std::string name(const tilec::Status &status) { return status.kernel(); }

private:
  MockLive before{};
};

/// Three kernels: `add` with 4 parameters, `scalars` with one of each width, `none` with none.
extern const char *const testPtx;

/// The parameters of `add` in testPtx.
extern const tilec::Param addParams[4];
inline tilec::LaunchRecord addRecord() { return {"add", 128, 0, addParams}; }

#endif // TILEC_UNITTESTS_RUNTIME_MOCKTEST_H
