//===- DeviceTest.cpp - The runtime on a real device ---------------------*- C++ -*-===//
//
// Runs a kernel in hand-written PTX on the GPU and checks its numbers, and provokes the errors that
// need a real driver. Skipped on a machine without a driver or device.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/runtime.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// out[i] = x[i] + y[i] for i < n, one element a thread.
const char *const vectorAdd = R"(
.version 6.3
.target sm_70
.address_size 64

.visible .entry vector_add(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n)
{
  .reg .pred %out_of_range;
  .reg .b32 %block, %size, %thread, %i, %n;
  .reg .b64 %offset, %px, %py, %po;
  .reg .f32 %a, %b, %c;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %block, %size, %thread;
  ld.param.u32 %n, [n];
  setp.ge.u32 %out_of_range, %i, %n;
  @%out_of_range bra done;
  mul.wide.u32 %offset, %i, 4;
  ld.param.u64 %px, [x];
  ld.param.u64 %py, [y];
  ld.param.u64 %po, [out];
  add.u64 %px, %px, %offset;
  add.u64 %py, %py, %offset;
  add.u64 %po, %po, %offset;
  ld.global.f32 %a, [%px];
  ld.global.f32 %b, [%py];
  add.f32 %c, %a, %b;
  st.global.f32 [%po], %c;
done:
  ret;
}
)";

// out[thread] = shared[thread], having stored the thread's number there; in dynamic shared memory.
const char *const dynamicShared = R"(
.version 6.3
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 scratch[];

.visible .entry use_shared(.param .u64 out, .param .u32 first)
{
  .reg .b32 %thread, %at, %base, %value;
  .reg .b64 %offset, %po;
  mov.u32 %thread, %tid.x;
  mov.u32 %base, scratch;
  ld.param.u32 %at, [first];
  add.u32 %base, %base, %at;
  shl.b32 %at, %thread, 2;
  add.u32 %base, %base, %at;
  st.shared.u32 [%base], %thread;
  ld.shared.u32 %value, [%base];
  mul.wide.u32 %offset, %thread, 4;
  ld.param.u64 %po, [out];
  add.u64 %po, %po, %offset;
  st.global.u32 [%po], %value;
  ret;
}
)";

// out[block] = its rank in its cluster, out[blocks + block] = blocks of that cluster.
const char *const clusterRanks = R"(
.version 7.8
.target sm_90
.address_size 64

.visible .entry ranks(.param .u64 out)
{
  .reg .b32 %block, %blocks, %value;
  .reg .b64 %offset, %po;
  mov.u32 %block, %ctaid.x;
  ld.param.u64 %po, [out];
  mul.wide.u32 %offset, %block, 4;
  add.u64 %po, %po, %offset;
  mov.u32 %value, %cluster_ctarank;
  st.global.u32 [%po], %value;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %offset, %blocks, 4;
  add.u64 %po, %po, %offset;
  mov.u32 %value, %cluster_nctarank;
  st.global.u32 [%po], %value;
  ret;
}
)";

const tilec::Param addParams[] = {{"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0},
                                  {"y", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 8},
                                  {"out", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 16},
                                  {"n", TILEC_TYPE_I32, 24}};
constexpr int threads = 128;

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto opened = tilec::Device::open(0);
    if (!opened)
      GTEST_SKIP() << opened.error().message();
    device = std::move(*opened);
  }

  tilec::Kernel getAdd() {
    auto module = tilec::Module::load(device, vectorAdd);
    EXPECT_TRUE(module) << module.error().message();
    if (!module)
      return {};
    auto kernel = module->kernel({"vector_add", threads, 0, addParams});
    EXPECT_TRUE(kernel) << kernel.error().message();
    return kernel ? *kernel : tilec::Kernel();
  }

  /// Adds two vectors of `n` floats in `stream` and checks every element and one behind the end.
  void checkAdd(const tilec::Kernel &kernel, const tilec::Stream &stream, int n) {
    size_t bytes = size_t(n) * sizeof(float);
    std::vector<float> x(n), y(n), out(n + 1, -1);
    for (int i = 0; i < n; ++i) {
      x[i] = float(i % 1000);
      y[i] = float(i / 1000) * 0.5f;
    }
    auto dx = tilec::Buffer::allocate(device, bytes), dy = tilec::Buffer::allocate(device, bytes);
    auto dout = tilec::Buffer::allocate(device, bytes + sizeof(float));
    ASSERT_TRUE(dx && dy && dout);
    ASSERT_TRUE(dx->copyInAsync(stream, x.data(), bytes));
    ASSERT_TRUE(dy->copyInAsync(stream, y.data(), bytes));
    ASSERT_TRUE(dout->fill(stream, 0xff));
    tilec::Status status =
        kernel.launch(stream, {(n + threads - 1) / threads}, *dx, dy->as<float>(), *dout, n);
    ASSERT_TRUE(status) << status.message();
    status = dout->copyOut(out.data(), bytes + sizeof(float), 0, stream);
    ASSERT_TRUE(status) << status.message();
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[i], x[i] + y[i]) << "element " << i;
    uint32_t behind;
    memcpy(&behind, &out[n], sizeof(behind));
    EXPECT_EQ(behind, 0xffffffffu);
  }

  tilec::Device device;
};

} // namespace

TEST_F(DeviceTest, describesItself) {
  EXPECT_GT(strlen(device.name()), 0u);
  EXPECT_GE(device.capability(), 50);
  EXPECT_GT(device.multiprocessors(), 0);
  EXPECT_GE(device.sharedPerBlockLimit(), device.sharedPerBlock());
  EXPECT_EQ(device.info().warp_size, 32);
  EXPECT_GE(device.info().max_grid[0], 65535);
  auto freeBytes = device.freeMemory();
  ASSERT_TRUE(freeBytes);
  EXPECT_LE(*freeBytes, device.totalMemory());
  auto version = tilec::driverVersion();
  ASSERT_TRUE(version);
  RecordProperty("device", device.name());
  printf("device: %s, sm_%d, %d multiprocessors, driver for CUDA %d.%d\n", device.name(),
         device.capability(), device.multiprocessors(), *version / 1000, *version % 1000 / 10);
}

TEST_F(DeviceTest, addsVectors) {
  tilec::Kernel kernel = getAdd();
  ASSERT_TRUE(bool(kernel));
  EXPECT_GT(kernel.registers(), 0u);
  EXPECT_EQ(kernel.localBytes(), 0u);
  auto blocks = kernel.maxActiveBlocks();
  ASSERT_TRUE(blocks);
  EXPECT_GT(*blocks, 0);
  auto stream = tilec::Stream::create(device, true);
  ASSERT_TRUE(stream);
  for (int n : {1, 127, 128, 129, 1 << 20}) {
    checkAdd(kernel, *stream, n);
    checkAdd(kernel, device.defaultStream(), n);
  }
}

TEST_F(DeviceTest, programsThatAreClusters) {
  if (!device.hasClusters())
    GTEST_SKIP() << "the device has no clusters";
  auto module = tilec::Module::load(device, clusterRanks);
  ASSERT_TRUE(module) << module.error().message();
  constexpr uint32_t programs = 37;
  for (uint32_t ctas : {1u, 2u, 4u, 8u, 16u}) {
    auto kernel = module->kernel(tilec::LaunchRecord("ranks", 32).withCTAs(ctas));
    if (ctas == 16 && !kernel && kernel.error().code() == tilec::Code::OutOfResources) {
      printf("%s\n", kernel.error().message());
      continue; // not portable
    }
    ASSERT_TRUE(kernel) << kernel.error().message();
    uint32_t blocks = programs * ctas;
    auto out = tilec::Buffer::allocate(device, blocks * 2 * sizeof(uint32_t));
    ASSERT_TRUE(out);
    ASSERT_TRUE(out->fill({}, 0xff));
    tilec::Status status = kernel->launch({}, {programs}, *out);
    ASSERT_TRUE(status) << status.message();
    std::vector<uint32_t> values(blocks * 2);
    status = out->copyOut(values.data(), out->bytes());
    ASSERT_TRUE(status) << status.message();
    for (uint32_t i = 0; i < blocks; ++i) {
      ASSERT_EQ(values[i], i % ctas) << "block " << i;
      ASSERT_EQ(values[blocks + i], ctas) << "block " << i;
    }
    auto occupancy = kernel->occupancy();
    ASSERT_TRUE(occupancy) << occupancy.error().message();
    EXPECT_GT(occupancy->resident_programs, 0u);
    EXPECT_LE(occupancy->resident_programs * ctas,
              occupancy->blocks_per_multiprocessor * occupancy->multiprocessors);
    printf("clusters of %u: %u resident, %u blocks on each of %u multiprocessors\n", ctas,
           occupancy->resident_programs, occupancy->blocks_per_multiprocessor,
           occupancy->multiprocessors);
  }
  EXPECT_EQ(module->kernel(tilec::LaunchRecord("ranks", 32).withCTAs(32)).error().code(),
            tilec::Code::InvalidArgument);
}

TEST_F(DeviceTest, clustersOnADeviceWithoutThem) {
  if (device.hasClusters())
    GTEST_SKIP() << "the device has clusters";
  auto module = tilec::Module::load(device, vectorAdd);
  ASSERT_TRUE(module) << module.error().message();
  tilec::LaunchRecord record("vector_add", threads, 0, addParams);
  tilec::Status status = module->kernel(record.withCTAs(2)).error();
  EXPECT_TRUE(status.code() == tilec::Code::WrongArchitecture ||
              status.code() == tilec::Code::DriverTooOld)
      << status.message();
}

TEST_F(DeviceTest, occupancyOfAnOrdinaryKernel) {
  tilec::Kernel kernel = getAdd();
  ASSERT_TRUE(bool(kernel));
  auto occupancy = kernel.occupancy();
  ASSERT_TRUE(occupancy) << occupancy.error().message();
  EXPECT_EQ(occupancy->registers, kernel.registers());
  EXPECT_EQ(occupancy->threads, unsigned(threads));
  EXPECT_EQ(occupancy->warps_per_multiprocessor,
            occupancy->blocks_per_multiprocessor * threads / 32);
  EXPECT_LE(occupancy->warps_per_multiprocessor, occupancy->max_warps_per_multiprocessor);
  EXPECT_EQ(occupancy->multiprocessors, unsigned(device.multiprocessors()));
  auto programs = kernel.residentPrograms();
  ASSERT_TRUE(programs) << programs.error().message();
  EXPECT_EQ(unsigned(*programs), occupancy->blocks_per_multiprocessor * occupancy->multiprocessors);
  // The grid of a persistent kernel, in one line.
  EXPECT_TRUE(kernel.launch({}, {*kernel.residentPrograms()}, nullptr, nullptr, nullptr, 0));
  EXPECT_TRUE(device.synchronize());
}

TEST_F(DeviceTest, emptyGridsAndWrongArguments) {
  tilec::Kernel kernel = getAdd();
  ASSERT_TRUE(bool(kernel));
  EXPECT_TRUE(kernel.launch({}, {0}, nullptr, nullptr, nullptr, 0));
  EXPECT_EQ(kernel.launch({}, {1}, nullptr, nullptr, nullptr, 0l).code(),
            tilec::Code::ArgumentMismatch);
  EXPECT_EQ(kernel.launch({}, {1, 70000}, nullptr, nullptr, nullptr, 0).code(),
            tilec::Code::InvalidGrid);
  EXPECT_TRUE(device.synchronize());
}

TEST_F(DeviceTest, theDriverTellsTheParameters) {
  auto version = tilec::driverVersion();
  ASSERT_TRUE(version);
  if (*version < 12040)
    GTEST_SKIP() << "the driver is older than CUDA 12.4";
  auto module = tilec::Module::load(device, vectorAdd);
  ASSERT_TRUE(module) << module.error().message();
  auto kernel = module->kernel({"vector_add", threads});
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_EQ(kernel->info().num_params, 4u);
  EXPECT_EQ(kernel->launch({}, {1}, nullptr).code(), tilec::Code::ArgumentMismatch);
  EXPECT_EQ(module->kernel({"vector_add", threads, 0, addParams, 3}).error().code(),
            tilec::Code::ArgumentMismatch);
}

TEST_F(DeviceTest, dynamicSharedMemoryBeyondTheDefault) {
  auto module = tilec::Module::load(device, dynamicShared);
  ASSERT_TRUE(module) << module.error().message();
  auto bytes = uint32_t(device.sharedPerBlockLimit());
  auto kernel = module->kernel({"use_shared", threads, bytes});
  ASSERT_TRUE(kernel) << kernel.error().message();
  auto out = tilec::Buffer::allocate(device, threads * 4);
  ASSERT_TRUE(out);
  tilec::Status status = kernel->launch({}, {1}, *out, bytes - threads * 4);
  ASSERT_TRUE(status) << status.message();
  uint32_t values[threads] = {};
  status = out->copyOut(values, sizeof(values));
  ASSERT_TRUE(status) << status.message();
  for (uint32_t i = 0; i < threads; ++i)
    ASSERT_EQ(values[i], i);
  EXPECT_EQ(module->kernel({"use_shared", threads, bytes + 1}).error().code(),
            tilec::Code::OutOfResources);
}

TEST_F(DeviceTest, eventsTakeTheTime) {
  tilec::Kernel kernel = getAdd();
  ASSERT_TRUE(bool(kernel));
  auto start = tilec::Event::create(device), end = tilec::Event::create(device);
  auto buffer = tilec::Buffer::allocate(device, 64 << 20);
  ASSERT_TRUE(start && end && buffer);
  tilec::Stream stream = device.defaultStream();
  EXPECT_TRUE(start->record(stream));
  EXPECT_TRUE(buffer->fill(stream, 1));
  EXPECT_TRUE(end->record(stream));
  EXPECT_TRUE(end->synchronize());
  auto elapsed = end->since(*start);
  ASSERT_TRUE(elapsed) << elapsed.error().message();
  EXPECT_GT(*elapsed, 0);
  EXPECT_LT(*elapsed, 10000);
}

TEST_F(DeviceTest, brokenPtxShowsTheLog) {
  std::string broken = vectorAdd;
  broken.replace(broken.find("add.f32 %c"), 10, "bogus   %c");
  auto module = tilec::Module::load(device, broken.c_str());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code(), tilec::Code::InvalidImage);
  EXPECT_NE(std::string(module.error().message()).find("bogus"), std::string::npos)
      << module.error().message();
  printf("%s\n", module.error().message());
}

TEST_F(DeviceTest, ptxForANewerDevice) {
  std::string newer = vectorAdd;
  newer.replace(newer.find("6.3"), 3, "8.7");
  newer.replace(newer.find("sm_70"), 5, "sm_120");
  auto module = tilec::Module::load(device, newer.c_str());
  if (device.capability() >= 120)
    GTEST_SKIP() << "the device is new enough";
  ASSERT_FALSE(module);
  EXPECT_TRUE(module.error().code() == tilec::Code::WrongArchitecture ||
              module.error().code() == tilec::Code::DriverTooOld)
      << module.error().message();
  printf("%s\n", module.error().message());
}

TEST_F(DeviceTest, ptxOfTheFuture) {
  std::string future = vectorAdd;
  future.replace(future.find("6.3"), 3, "99.0");
  auto module = tilec::Module::load(device, future.c_str());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code(), tilec::Code::DriverTooOld) << module.error().message();
  printf("%s\n", module.error().message());
}

TEST_F(DeviceTest, outOfMemory) {
  auto buffer = tilec::Buffer::allocate(device, size_t(1) << 50);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code(), tilec::Code::OutOfMemory);
  EXPECT_NE(std::string(buffer.error().message()).find("asked for 1125899906842624 bytes"),
            std::string::npos);
  printf("%s\n", buffer.error().message());
}

TEST_F(DeviceTest, sixteenThreads) {
  tilec::Kernel kernel = getAdd();
  ASSERT_TRUE(bool(kernel));
  std::vector<std::thread> pool;
  for (int i = 0; i < 16; ++i)
    pool.emplace_back([&, i] {
      auto stream = tilec::Stream::create(device, true);
      ASSERT_TRUE(stream);
      checkAdd(kernel, *stream, 10000 + i);
    });
  for (std::thread &thread : pool)
    thread.join();
}
