//===- PackingTest.cpp - Blocks that run several programs ----------------*- C++ -*-===//
//
// How launches divide a grid of small programs, and what records are refused.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <array>
#include <climits>
#include <cstring>

using PackingTest = MockTest;

namespace {

/// What a launch tells the driver: the grid, the block, and dynamic shared memory.
using Shape = std::array<uint32_t, 7>;

constexpr tilec_packing four = {32, 4, 2};
constexpr tilec_packing persistent = {0, 2, 0};

/// `add` as a persistent kernel, which takes the grid behind its parameters.
const char *const persistentPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n, .param .u32 gx,
                    .param .u32 gy, .param .u32 gz) .maxntid 128
{ ret; }
)";

Shape evaluate(const tilec_packing &packing, int64_t x, int64_t y = 1, int64_t z = 1,
               uint32_t multiprocessors = 0) {
  tilec_launch_record record = addRecord().withPacking(packing);
  tilec_launch_shape shape = {};
  tilec::Status status(tilec_launch_shape_evaluate(&record, multiprocessors, x, y, z, &shape));
  EXPECT_TRUE(status) << status.message();
  return {shape.grid[0],
          shape.grid[1],
          shape.grid[2],
          shape.block[0],
          shape.block[1],
          shape.block[2],
          shape.dynamic_shared_bytes};
}

std::string refuse(const tilec::LaunchRecord &record) {
  auto device = tilec::Device::open(0);
  auto module = tilec::Module::load(*device, testPtx);
  EXPECT_TRUE(module) << module.error().message();
  tilec::Status status = module->kernel(record).error();
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  return status.message();
}

} // namespace

TEST_F(PackingTest, neighboursAlongXShareABlock) {
  EXPECT_EQ(evaluate(four, 128), (Shape{32, 1, 1, 32, 4, 1, 0}));
  EXPECT_EQ(evaluate(four, 4, 3, 2), (Shape{1, 3, 2, 32, 4, 1, 0}));
  EXPECT_EQ(evaluate(four, 6), (Shape{2, 1, 1, 32, 3, 1, 0}));
}

TEST_F(PackingTest, theLastBlockLacksPrograms) {
  EXPECT_EQ(evaluate(four, 4097), (Shape{1025, 1, 1, 32, 4, 1, 3}));
  EXPECT_EQ(evaluate(four, 64, 7, 1), (Shape{16, 7, 1, 32, 4, 1, 0}));
  EXPECT_EQ(evaluate(four, INT32_MAX), (Shape{1u << 29, 1, 1, 32, 4, 1, 1}));
}

TEST_F(PackingTest, neighboursAlongYShareWhereXHasFew) {
  EXPECT_EQ(evaluate(four, 1, 1000, 5), (Shape{1, 250, 5, 32, 1, 4, 0}));
  EXPECT_EQ(evaluate(four, 5, 9), (Shape{5, 3, 1, 32, 1, 3, 0}));
}

TEST_F(PackingTest, whatNothingDividesIsNotPacked) {
  EXPECT_EQ(evaluate(four, 5, 7, 8), (Shape{5, 7, 8, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(four, 0, 4, 4), (Shape{0, 4, 4, 128, 1, 1, 0}));
}

TEST_F(PackingTest, fewProgramsHaveABlockEach) {
  EXPECT_EQ(evaluate(four, 128, 1, 1, 65), (Shape{128, 1, 1, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(four, 128, 1, 1, 64), (Shape{32, 1, 1, 32, 4, 1, 0}));
  EXPECT_EQ(evaluate({}, 128), (Shape{128, 1, 1, 128, 1, 1, 0}));
}

TEST_F(PackingTest, persistentKernelsHaveAsManyBlocksAsTheDeviceHolds) {
  EXPECT_EQ(evaluate(persistent, 1000, 1, 1, 132), (Shape{264, 1, 1, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(persistent, 5, 6, 7, 132), (Shape{210, 1, 1, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(persistent, 5, 6, 7, 0), (Shape{1, 1, 1, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(persistent, 0, 6, 7, 132), (Shape{0, 6, 7, 128, 1, 1, 0}));
  EXPECT_EQ(evaluate(persistent, INT32_MAX - 264, 1, 1, 132), (Shape{264, 1, 1, 128, 1, 1, 0}));
}

TEST_F(PackingTest, launchesOfPersistentKernelsPassTheGrid) {
  tilec::Kernel kernel = getKernel(addRecord().withPacking(persistent), persistentPtx);
  tilec::Status status = kernel.launch({}, {100, 50, 2}, nullptr, nullptr, nullptr, 1);
  EXPECT_TRUE(status) << status.message();
  MockLaunch last = mock().lastLaunch();
  uint32_t values[4];
  EXPECT_EQ(last.paramBytes, 40u);
  memcpy(values, last.params + 24, sizeof(values));
  EXPECT_EQ(values[0], 1u);
  EXPECT_EQ(values[1], 100u);
  EXPECT_EQ(values[2], 50u);
  EXPECT_EQ(values[3], 2u);
  uint32_t multiprocessors = uint32_t(tilec::Device::open(0)->info().multiprocessors);
  EXPECT_EQ(last.grid[0], 2 * multiprocessors);
  EXPECT_EQ(last.grid[1] * last.grid[2], 1u);
  status = kernel.launch({}, {1 << 30, 2}, nullptr, nullptr, nullptr, 1);
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_EQ(std::string(status.message()),
            "kernel 'add': the grid 1073741824 x 2 x 1 is not possible: a persistent kernel counts "
            "its programs in 31 bits");
}

TEST_F(PackingTest, launchesTellTheDriver) {
  tilec::Kernel kernel = getKernel(addRecord().withPacking({32, 4, 1}), testPtx);
  auto launch = [&](tilec::Grid grid) {
    tilec::Status status = kernel.launch({}, grid, nullptr, nullptr, nullptr, 1);
    EXPECT_TRUE(status) << status.message();
    MockLaunch last = mock().lastLaunch();
    return Shape{last.grid[0],  last.grid[1],  last.grid[2],    last.block[0],
                 last.block[1], last.block[2], last.sharedBytes};
  };
  uint32_t multiprocessors = uint32_t(tilec::Device::open(0)->info().multiprocessors);
  EXPECT_EQ(kernel.threads(), 128u);
  EXPECT_EQ(launch({multiprocessors - 1}), (Shape{multiprocessors - 1, 1, 1, 128, 1, 1, 0}));
  EXPECT_EQ(launch({4095, 2}), (Shape{1024, 2, 1, 32, 4, 1, 1}));
}

TEST_F(PackingTest, recordsThatCannotBeRight) {
  EXPECT_EQ(refuse(addRecord().withPacking({32, 1, 1})),
            "kernel 'add': 1 programs of 32 threads cannot share a block");
  EXPECT_EQ(refuse(addRecord().withPacking({48, 2, 1})),
            "kernel 'add': 2 programs of 48 threads cannot share a block");
  std::string notPersistent =
      "kernel 'add': a persistent kernel has known parameters, no clusters, "
      "and no least number of programs";
  EXPECT_EQ(refuse(addRecord().withPacking({0, 2, 1})), notPersistent);
  EXPECT_EQ(refuse(addRecord().withCTAs(2).withPacking(persistent)), notPersistent);
  tilec::Status status = tilec::Module::load(*tilec::Device::open(0), testPtx)
                             ->kernel(addRecord().withPacking(persistent))
                             .error();
  EXPECT_STREQ(status.message(),
               "kernel 'add': the launch record has 7 parameters, the image has 4");
  EXPECT_EQ(refuse(addRecord().withPacking({512, 4, 1})),
            "kernel 'add': 4 programs of 512 threads cannot share a block");
  EXPECT_EQ(refuse(addRecord().withCTAs(2).withPacking(four)),
            "kernel 'add': programs with clusters, dynamic shared memory or tensor maps cannot "
            "share a block");
}

TEST_F(PackingTest, programsThatCannotBeCounted) {
  tilec_launch_record record = addRecord().withPacking(persistent);
  tilec_launch_shape shape = {};
  for (int64_t x : {int64_t(INT32_MAX), int64_t(INT32_MAX) - 263})
    EXPECT_EQ(tilec::Status(tilec_launch_shape_evaluate(&record, 132, x, 1, 1, &shape)).code(),
              tilec::Code::InvalidGrid);
  EXPECT_EQ(
      tilec::Status(tilec_launch_shape_evaluate(&record, 132, 65536, 65535, 65535, &shape)).code(),
      tilec::Code::InvalidGrid);
}

TEST_F(PackingTest, gridsThatCannotBe) {
  tilec_launch_record record = addRecord().withPacking(four);
  tilec_launch_shape shape = {};
  for (int64_t x : {int64_t(-1), int64_t(INT32_MAX) + 1}) {
    tilec::Status status(tilec_launch_shape_evaluate(&record, 1, x, 1, 1, &shape));
    EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  }
  EXPECT_EQ(tilec::Status(tilec_launch_shape_evaluate(&record, 1, 1, 65536, 1, &shape)).code(),
            tilec::Code::InvalidGrid);
  EXPECT_EQ(tilec::Status(tilec_launch_shape_evaluate(nullptr, 1, 1, 1, 1, &shape)).code(),
            tilec::Code::InvalidArgument);
  EXPECT_EQ(tilec::Status(tilec_launch_shape_evaluate(&record, 1, 1, 1, 1, nullptr)).code(),
            tilec::Code::InvalidArgument);
}
