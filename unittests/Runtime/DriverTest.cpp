//===- DriverTest.cpp - Opening the driver -------------------------------*- C++ -*-===//
//
// The driver is opened once a process, so each case here runs in a process of its own (a death test
// that runs the binary again).
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

namespace {

class DriverTest : public ::testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

} // namespace

// Runs BODY in a new process and expects no failure there.
#define IN_NEW_PROCESS(BODY)                                                                       \
  EXPECT_EXIT(                                                                                     \
      {                                                                                            \
        BODY;                                                                                      \
        exit(::testing::Test::HasFailure() ? 1 : 0);                                               \
      },                                                                                           \
      ::testing::ExitedWithCode(0), "")

static void checkMissingDriver() {
  setenv("TILEC_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  for (int i = 0; i < 2; ++i) { // the second time from memory
    auto count = tilec::Device::count();
    ASSERT_FALSE(count);
    EXPECT_EQ(count.error().code(), tilec::Code::NoDriver);
    EXPECT_STREQ(
        count.error().message(),
        "no CUDA driver: tried '/nowhere/libcuda.so.1' (from TILEC_CUDA_DRIVER): "
        "/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory");
    EXPECT_EQ(count.error().driverCode(), 0);
  }
  EXPECT_EQ(tilec::driverVersion().error().code(), tilec::Code::NoDriver);
  EXPECT_EQ(tilec::Device::open(0).error().code(), tilec::Code::NoDriver);
  EXPECT_EQ(tilec::Stream().synchronize().code(), tilec::Code::NoDriver);
}

TEST_F(DriverTest, missingDriverSaysWhatWasTried) { IN_NEW_PROCESS(checkMissingDriver()); }

static void checkDefaultDriver() {
  unsetenv("TILEC_CUDA_DRIVER");
  auto version = tilec::driverVersion();
  ASSERT_FALSE(version);
  EXPECT_STREQ(version.error().message(),
               "no CUDA driver: tried 'libcuda.so.1' (the default; none in TILEC_CUDA_DRIVER): "
               "libcuda.so.1: cannot open shared object file: No such file or directory");
}

TEST_F(DriverTest, theDefaultIsLibcuda) {
  if (void *library = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(library);
    GTEST_SKIP() << "this machine has a driver";
  }
  IN_NEW_PROCESS(checkDefaultDriver());
}

static void checkOldDriver() {
  std::string path = testFolder() + "libTilecOldCuda.so";
  setenv("TILEC_CUDA_DRIVER", path.c_str(), 1);
  auto version = tilec::driverVersion();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code(), tilec::Code::DriverTooOld);
  EXPECT_EQ(version.error().message(), "the CUDA driver '" + path +
                                           "' has no function cuDriverGetVersion; a newer driver "
                                           "is needed");
}

TEST_F(DriverTest, anOldDriverLacksFunctions) { IN_NEW_PROCESS(checkOldDriver()); }

/// A driver from before clusters: everything else works.
static void checkDriverWithoutClusters() {
  setenv("TILEC_CUDA_DRIVER", (testFolder() + "libTilecMockCuda110.so").c_str(), 1);
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device) << device.error().message();
  auto module = tilec::Module::load(*device, testPtx);
  ASSERT_TRUE(module) << module.error().message();
  auto kernel = module->kernel(addRecord());
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_TRUE(kernel->launch({}, {1}, nullptr, nullptr, nullptr, 1));
  EXPECT_EQ(*kernel->residentPrograms(), 16 * 12);
  tilec::Status status = module->kernel(addRecord().withCTAs(2)).error();
  EXPECT_EQ(status.code(), tilec::Code::DriverTooOld);
  EXPECT_STREQ(status.message(), "kernel 'add': a program is a cluster of 2 CTAs, which the driver "
                                 "cannot launch: it must support CUDA 11.8 or later");
  const tilec_map_step steps[] = {
      {TILEC_MAP_CONSTANT, 0, 1}, {TILEC_MAP_ARGUMENT, 0, 0}, {TILEC_MAP_CONSTANT, 0, 64}};
  const tilec_tensor_map map = {1, 4, 1, {16, 0, 0, 0, 0}, 3, steps};
  status = module->kernel(addRecord().withMaps(&map, 1)).error();
  EXPECT_EQ(status.code(), tilec::Code::DriverTooOld);
  EXPECT_STREQ(status.message(), "kernel 'add': tensor maps need a driver for CUDA 12.0 or later");
}

TEST_F(DriverTest, aDriverWithoutClusters) { IN_NEW_PROCESS(checkDriverWithoutClusters()); }

static void checkFailingStart(int result, tilec::Code code, const char *text) {
  mock().fail("cuInit", result);
  auto count = tilec::Device::count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), code);
  EXPECT_EQ(count.error().message(),
            "the CUDA driver '" + testFolder() + "libTilecMockCuda.so' cannot start: " + text);
  EXPECT_EQ(count.error().driverCode(), result);
  EXPECT_STREQ(count.error().driverText(), text);
}

TEST_F(DriverTest, theDriverFindsNoDevice) {
  IN_NEW_PROCESS(checkFailingStart(100, tilec::Code::NoDevice,
                                   "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"));
}

TEST_F(DriverTest, theDriverIsAStub) {
  IN_NEW_PROCESS(checkFailingStart(34, tilec::Code::NoDriver,
                                   "CUDA_ERROR_STUB_LIBRARY: CUDA driver is a stub library"));
}

TEST_F(DriverTest, anUnknownResultIsShownAsANumber) {
  IN_NEW_PROCESS(checkFailingStart(4242, tilec::Code::Driver,
                                   "CUDA error 4242: the driver has no description"));
}

/// Many threads make the first call at once; each does everything up to a launch.
static void checkColdStart() {
  constexpr int numThreads = 16;
  std::atomic<int> ready{0}, launched{0};
  auto work = [&] {
    ++ready;
    while (ready < numThreads)
      std::this_thread::yield();
    auto device = tilec::Device::open(0);
    ASSERT_TRUE(device) << device.error().message();
    auto module = tilec::Module::load(*device, testPtx);
    ASSERT_TRUE(module) << module.error().message();
    auto kernel = module->kernel(addRecord());
    ASSERT_TRUE(kernel) << kernel.error().message();
    auto buffer = tilec::Buffer::allocate(*device, 4096);
    ASSERT_TRUE(buffer) << buffer.error().message();
    for (int i = 0; i < 100; ++i) {
      tilec::Status status = kernel->launch({}, {4}, *buffer, *buffer, *buffer, 1024);
      ASSERT_TRUE(status) << status.message();
      ++launched;
    }
    EXPECT_EQ(mock().depth(), 0);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < numThreads; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(launched, numThreads * 100);
  EXPECT_EQ(mock().calls("cuInit"), 1);
  EXPECT_EQ(mock().calls("cuLaunchKernel"), numThreads * 100);
  MockLive live = mock().live();
  EXPECT_EQ(live.allocations + live.modules + live.primaryRetains, 0);
}

TEST_F(DriverTest, sixteenThreadsMakeTheFirstCall) { IN_NEW_PROCESS(checkColdStart()); }

TEST_F(DriverTest, givesTheDriversVersion) {
  mock().reset();
  auto version = tilec::driverVersion();
  ASSERT_TRUE(version) << version.error().message();
  EXPECT_EQ(*version, 13000);
}
