//===- ClusterTest.cpp - Programs that are clusters of blocks ------------*- C++ -*-===//
//
// What a launch of clusters tells the driver, and what is said where there cannot be any.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"
#include "MockTest.h"

#include <cstring>

using ClusterTest = MockTest;

static tilec::Status get(const tilec::LaunchRecord &record, const char *ptx = testPtx) {
  auto device = tilec::Device::open(0);
  auto module = tilec::Module::load(*device, ptx);
  EXPECT_TRUE(module) << module.error().message();
  return module->kernel(record).error();
}

TEST_F(ClusterTest, theGridCountsPrograms) {
  for (uint32_t ctas : {2u, 4u, 8u, 16u}) {
    tilec::Kernel kernel = getKernel(addRecord().withCTAs(ctas), testPtx);
    EXPECT_EQ(kernel.numCTAs(), ctas);
    auto device = tilec::Device::open(0);
    auto stream = tilec::Stream::create(*device);
    tilec::Status status = kernel.launch(*stream, {5, 3, 2}, nullptr, nullptr, nullptr, 77);
    ASSERT_TRUE(status) << status.message();
    MockLaunch launch = mock().lastLaunch();
    EXPECT_EQ(launch.grid[0], 5 * ctas);
    EXPECT_EQ(launch.grid[1], 3u);
    EXPECT_EQ(launch.grid[2], 2u);
    EXPECT_EQ(launch.cluster[0], ctas);
    EXPECT_EQ(launch.cluster[1], 1u);
    EXPECT_EQ(launch.cluster[2], 1u);
    EXPECT_EQ(launch.block[0], 128u);
    EXPECT_EQ(launch.block[1] * launch.block[2], 1u);
    EXPECT_EQ(launch.stream, stream->get());
    EXPECT_EQ(launch.paramBytes, 28u);
    int32_t n = 0;
    memcpy(&n, launch.params + 24, sizeof(n));
    EXPECT_EQ(n, 77);
  }
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
}

TEST_F(ClusterTest, oneBlockIsAnOrdinaryLaunch) {
  for (uint32_t ctas : {0u, 1u}) {
    tilec::Kernel kernel = getKernel(addRecord().withCTAs(ctas), testPtx);
    EXPECT_EQ(kernel.numCTAs(), 1u);
    EXPECT_TRUE(kernel.launch({}, {5}, nullptr, nullptr, nullptr, 1));
    EXPECT_EQ(mock().lastLaunch().cluster[0], 0u);
  }
  EXPECT_EQ(mock().calls("cuLaunchKernelEx"), 0);
  EXPECT_EQ(mock().calls("cuOccupancyMaxActiveClusters"), 0);
}

TEST_F(ClusterTest, sharedMemoryIsOfEachBlock) {
  tilec::LaunchRecord record("add", 128, 65536, addParams);
  tilec::Kernel kernel = getKernel(record.withCTAs(4), testPtx);
  EXPECT_TRUE(kernel.launch({}, {1}, nullptr, nullptr, nullptr, 1));
  EXPECT_EQ(mock().lastLaunch().sharedBytes, 65536u);
}

TEST_F(ClusterTest, onlyLargeClustersAskForPermission) {
  getKernel(addRecord().withCTAs(8), testPtx);
  EXPECT_EQ(mock().calls("cuFuncSetAttribute"), 0);
  getKernel(addRecord().withCTAs(16), testPtx);
  EXPECT_EQ(mock().calls("cuFuncSetAttribute"), 1);
  mock().fail("cuFuncSetAttribute", 1);
  EXPECT_STREQ(get(addRecord().withCTAs(16)).message(),
               "kernel 'add': device 0 (Mock GPU 0) cannot run a cluster of 16 CTAs: "
               "CUDA_ERROR_INVALID_VALUE: invalid argument");
}

TEST_F(ClusterTest, theMultipliedGridMustBePossible) {
  tilec::Kernel kernel = getKernel(tilec::LaunchRecord("none", 32).withCTAs(2), testPtx);
  EXPECT_TRUE(kernel.launch({}, {1073741823, 65535, 65535}));
  EXPECT_EQ(mock().lastLaunch().grid[0], 2147483646u);
  int launches = mock().calls("cuLaunchKernelEx");
  tilec::Status status = kernel.launch({}, {1073741824});
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_STREQ(status.message(),
               "kernel 'none': the grid 1073741824 x 1 x 1 is not possible: x must be from 0 to "
               "1073741823 for programs of 2 CTAs on device 0 (Mock GPU 0)");
  // Twice this number is 2 modulo 2^32.
  EXPECT_EQ(kernel.launch({}, {2147483649}).code(), tilec::Code::InvalidGrid);
  EXPECT_STREQ(kernel.launch({}, {1, 65536}).message(),
               "kernel 'none': the grid 1 x 65536 x 1 is not possible: y must be from 0 to 65535 "
               "on device 0 (Mock GPU 0)");
  EXPECT_TRUE(kernel.launch({}, {0}));
  EXPECT_EQ(mock().calls("cuLaunchKernelEx"), launches);
}

TEST_F(ClusterTest, numbersThatAreNotPossible) {
  for (uint32_t ctas : {3u, 12u, 32u, UINT32_MAX}) {
    tilec::Status status = get(addRecord().withCTAs(ctas));
    EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
    EXPECT_EQ(status.message(),
              "kernel 'add': expected 1, 2, 4, 8 or 16 CTAs of a program, found " +
                  std::to_string(ctas));
  }
}

TEST_F(ClusterTest, devicesWithoutClusters) {
  mock().setCapability(8, 6);
  EXPECT_FALSE(tilec::Device::open(0)->hasClusters());
  tilec::Status status = get(addRecord().withCTAs(2));
  EXPECT_EQ(status.code(), tilec::Code::WrongArchitecture);
  EXPECT_STREQ(
      status.message(),
      "kernel 'add': a program is a cluster of 2 CTAs, but device 0 (Mock GPU 0), which is "
      "sm_86, has no clusters; sm_90 and later have");
  EXPECT_TRUE(get(addRecord()));
}

TEST_F(ClusterTest, clustersThatDoNotFit) {
  // One such block fills a multiprocessor, and four of them are all that a cluster reaches.
  tilec::LaunchRecord large("none", 32, 200000);
  EXPECT_TRUE(get(large.withCTAs(4)));
  tilec::Status status = get(large.withCTAs(8));
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(
      status.message(),
      "kernel 'none': no cluster of 8 CTAs fits on device 0 (Mock GPU 0) with 32 threads a "
      "block, 40 registers a thread, and 201024 bytes of shared memory a block");
  mock().fail("cuOccupancyMaxActiveClusters", 912);
  status = get(addRecord().withCTAs(2));
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(), "kernel 'add': device 0 (Mock GPU 0) cannot run a cluster of 2 "
                                 "CTAs: CUDA_ERROR_INVALID_CLUSTER_SIZE: invalid cluster size");
}

TEST_F(ClusterTest, imagesThatDeclareTheirCluster) {
  const char *ptx = ".version 8.0 .target sm_90 "
                    ".visible .entry k() .maxntid 64 .reqnctapercluster 4 { ret; }";
  EXPECT_TRUE(get(tilec::LaunchRecord("k", 64).withCTAs(4), ptx));
  tilec::Status status = get({"k", 64}, ptx);
  EXPECT_EQ(status.code(), tilec::Code::ArgumentMismatch);
  EXPECT_STREQ(status.message(),
               "kernel 'k': the launch record has 1 CTAs of a program, the image has 4");
  EXPECT_EQ(get(tilec::LaunchRecord("k", 64).withCTAs(2), ptx).code(),
            tilec::Code::ArgumentMismatch);
}

TEST_F(ClusterTest, failuresOfTheLaunch) {
  tilec::Kernel kernel = getKernel(addRecord().withCTAs(2), testPtx);
  mock().fail("cuLaunchKernelEx", 701);
  tilec::Status status = kernel.launch({}, {1}, nullptr, nullptr, nullptr, 1);
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(
      status.message(),
      "kernel 'add': the launch failed on device 0 (Mock GPU 0) with 2 blocks a cluster, 128 "
      "threads a block, 40 registers a thread, and 1024 bytes of shared memory: "
      "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too many resources requested for launch");
}

TEST_F(ClusterTest, allocatesNothing) {
  tilec::Kernel kernel = getKernel(addRecord().withCTAs(2), testPtx);
  long before = allocationCount();
  bool launched = true;
  for (int i = 1; i <= 100; ++i)
    launched &= bool(kernel.launch({}, {i}, nullptr, nullptr, nullptr, i));
  EXPECT_EQ(allocationCount(), before);
  EXPECT_TRUE(launched);
  EXPECT_EQ(mock().calls("cuLaunchKernelEx"), 100);
}
