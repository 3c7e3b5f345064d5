//===- LaunchTest.cpp - Launches -----------------------------------------*- C++ -*-===//
//
// The bytes that reach the driver, the checks of arguments and grids, and what a launch costs.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"
#include "MockTest.h"

#include <cstring>

using LaunchTest = MockTest;

// In NoExceptions.cpp.
tilec::Status runWithoutExceptions(const char *ptx);

template <typename T> static T valueAt(const MockLaunch &launch, size_t offset) {
  T value;
  memcpy(&value, launch.params + offset, sizeof(value));
  return value;
}

TEST_F(LaunchTest, passesGridAndResources) {
  tilec::Kernel kernel = getKernel({"add", 64, 8192, addParams}, testPtx);
  auto device = tilec::Device::open(0);
  auto stream = tilec::Stream::create(*device);
  ASSERT_TRUE(stream);
  float *x = reinterpret_cast<float *>(0x100), *out = reinterpret_cast<float *>(0x300);
  const float *y = reinterpret_cast<const float *>(0x200);
  tilec::Status status = kernel.launch(*stream, {3, 4u, size_t(5)}, x, y, out, 77);
  ASSERT_TRUE(status) << status.message();
  MockLaunch launch = mock().lastLaunch();
  EXPECT_STREQ(launch.kernel, "add");
  EXPECT_EQ(launch.grid[0], 3u);
  EXPECT_EQ(launch.grid[1], 4u);
  EXPECT_EQ(launch.grid[2], 5u);
  EXPECT_EQ(launch.block[0], 64u);
  EXPECT_EQ(launch.block[1] * launch.block[2], 1u);
  EXPECT_EQ(launch.sharedBytes, 8192u);
  EXPECT_EQ(launch.stream, stream->get());
  EXPECT_EQ(launch.context, device->context());
  EXPECT_EQ(launch.paramBytes, 28u);
  EXPECT_EQ(valueAt<uint64_t>(launch, 0), 0x100u);
  EXPECT_EQ(valueAt<uint64_t>(launch, 8), 0x200u);
  EXPECT_EQ(valueAt<uint64_t>(launch, 16), 0x300u);
  EXPECT_EQ(valueAt<int32_t>(launch, 24), 77);
}

TEST_F(LaunchTest, passesEveryWidth) {
  const tilec::Param params[] = {
      {"a", TILEC_TYPE_I8, 0},    {"b", TILEC_TYPE_U16, 2},   {"c", TILEC_TYPE_I32, 4},
      {"d", TILEC_TYPE_U64, 8},   {"e", TILEC_TYPE_FP32, 16}, {"f", TILEC_TYPE_FP64, 24},
      {"g", TILEC_TYPE_FP16, 32},
  };
  tilec::Kernel kernel = getKernel({"scalars", 32, 0, params}, testPtx);
  const short b = -2;
  tilec::Status status =
      kernel.launch({}, {1}, int8_t(-1), b, 0x89abcdefu, -3ll, 1.5f, 2.25, tilec::Half(1.0f));
  ASSERT_TRUE(status) << status.message();
  MockLaunch launch = mock().lastLaunch();
  EXPECT_EQ(launch.paramBytes, 34u);
  EXPECT_EQ(valueAt<int8_t>(launch, 0), -1);
  EXPECT_EQ(valueAt<int16_t>(launch, 2), -2);
  EXPECT_EQ(valueAt<uint32_t>(launch, 4), 0x89abcdefu);
  EXPECT_EQ(valueAt<int64_t>(launch, 8), -3);
  EXPECT_EQ(valueAt<float>(launch, 16), 1.5f);
  EXPECT_EQ(valueAt<double>(launch, 24), 2.25);
  EXPECT_EQ(valueAt<uint16_t>(launch, 32), 0x3c00);
}

TEST_F(LaunchTest, passesTensors) {
  const tilec::Param params[] = {
      {"x.base", TILEC_TYPE_POINTER + TILEC_TYPE_BF16, 0},
      {"x.shape.0", TILEC_TYPE_I32, 8},
      {"x.shape.1", TILEC_TYPE_I32, 12},
      {"x.strides.0", TILEC_TYPE_I64, 16},
      {"y.base", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 24},
      {"y.shape.0", TILEC_TYPE_I32, 32},
      {"n", TILEC_TYPE_I32, 36},
  };
  const char *ptx =
      ".version 8.0 .target sm_80 .visible .entry tensors(.param .u64 a, .param .u32 b,"
      " .param .u32 c, .param .u64 d, .param .u64 e, .param .u32 f, .param .u32 g) "
      "{ ret; }";
  tilec::Kernel kernel = getKernel({"tensors", 32, 0, params}, ptx);
  auto *x = reinterpret_cast<tilec::BFloat16 *>(0x120);
  auto *y = reinterpret_cast<const float *>(0x200);
  tilec::TensorDescriptor<tilec::BFloat16, 2> matrix(x, {6, 9}, {int64_t(1) << 40, 1});
  tilec::TensorDescriptor<const float, 1> vector(y, {7});
  tilec::Status status = kernel.launch({}, {1}, matrix, vector, 5);
  ASSERT_TRUE(status) << status.message();
  MockLaunch launch = mock().lastLaunch();
  EXPECT_EQ(launch.paramBytes, 40u);
  EXPECT_EQ(valueAt<uint64_t>(launch, 0), 0x120u);
  EXPECT_EQ(valueAt<int32_t>(launch, 8), 6);
  EXPECT_EQ(valueAt<int32_t>(launch, 12), 9);
  EXPECT_EQ(valueAt<int64_t>(launch, 16), int64_t(1) << 40);
  EXPECT_EQ(valueAt<uint64_t>(launch, 24), 0x200u);
  EXPECT_EQ(valueAt<int32_t>(launch, 32), 7);
  EXPECT_EQ(valueAt<int32_t>(launch, 36), 5);
  tilec::TensorDescriptor<tilec::BFloat16, 2> wrong(x, {6, 9});
  status = kernel.launch({}, {1}, matrix, wrong, 5);
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_STREQ(status.message(), "tensor descriptor 'argument 2', axis 0: the stride must be a "
                                 "multiple of 16 bytes, in elements, found 9");
  tilec::Status copy = status; // The text lives as long as one of them.
  status = {};
  EXPECT_STREQ(copy.kernel(), "");
  EXPECT_EQ(copy.driverCode(), 0);
  EXPECT_NE(std::string(copy.message()).find("found 9"), std::string::npos);
  // A tensor is no argument for other parameters.
  EXPECT_FALSE(kernel.launch({}, {1}, vector, matrix, 5));
}

TEST_F(LaunchTest, passesBuffersAndNull) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  auto device = tilec::Device::open(0);
  auto buffer = tilec::Buffer::allocate(*device, 64);
  ASSERT_TRUE(buffer);
  void *untyped = buffer->as<void>();
  tilec::Status status = kernel.launch({}, {1}, *buffer, nullptr, untyped, 16u);
  ASSERT_TRUE(status) << status.message();
  MockLaunch launch = mock().lastLaunch();
  EXPECT_EQ(valueAt<uint64_t>(launch, 0), buffer->address());
  EXPECT_EQ(valueAt<uint64_t>(launch, 8), 0u);
  EXPECT_EQ(valueAt<uint64_t>(launch, 16), buffer->address());
}

TEST_F(LaunchTest, aKernelWithoutParameters) {
  tilec::Kernel known = getKernel({"none", 32, 0, addParams, 0}, testPtx);
  tilec::Kernel unknown = getKernel({"none", 32}, testPtx);
  EXPECT_TRUE(known.launch({}, {1}));
  EXPECT_TRUE(unknown.launch({}, {1}));
  EXPECT_EQ(mock().lastLaunch().paramBytes, 0u);
  EXPECT_STREQ(known.launch({}, {1}, 1).message(), "kernel 'none': expected 0 arguments, found 1");
}

TEST_F(LaunchTest, streamsOfTheCudaRuntime) {
  tilec::Kernel kernel = getKernel({"none", 32}, testPtx);
  auto device = tilec::Device::open(0);
  auto stream = tilec::Stream::create(*device);
  auto *foreign = static_cast<CUstream_st *>(stream->get());
  EXPECT_TRUE(kernel.launch(foreign, {1}));
  EXPECT_EQ(mock().lastLaunch().stream, foreign);
}

TEST_F(LaunchTest, anEmptyGridIsSuccessWithoutALaunch) {
  tilec::Kernel kernel = getKernel({"none", 32}, testPtx);
  for (tilec::Grid grid : {tilec::Grid(0), tilec::Grid(1, 0), tilec::Grid(1, 1, 0)}) {
    tilec::Status status = kernel.launch({}, grid);
    EXPECT_TRUE(status) << status.message();
  }
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
  EXPECT_FALSE(kernel.launch({}, {0}, 1)); // its arguments are checked nevertheless
}

TEST_F(LaunchTest, gridsThatAreNotPossible) {
  tilec::Kernel kernel = getKernel({"none", 32}, testPtx);
  EXPECT_TRUE(kernel.launch({}, {INT32_MAX, 65535, 65535}));
  int launches = mock().calls("cuLaunchKernel");
  tilec::Status status = kernel.launch({}, {1, 65536});
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_STREQ(status.message(), "kernel 'none': the grid 1 x 65536 x 1 is not possible: y must be "
                                 "from 0 to 65535 on device 0 (Mock GPU 0)");
  EXPECT_STREQ(kernel.launch({}, {1, 2, -3}).message(),
               "kernel 'none': the grid 1 x 2 x -3 is not possible: z must be from 0 to 65535 on "
               "device 0 (Mock GPU 0)");
  EXPECT_STREQ(kernel.launch({}, {UINT64_MAX}).message(),
               "kernel 'none': the grid 9223372036854775807 x 1 x 1 is not possible: x must be "
               "from 0 to 2147483647 on device 0 (Mock GPU 0)");
  EXPECT_STREQ(kernel.launch({}, {int64_t(1) << 31, 0}).message(),
               "kernel 'none': the grid 2147483648 x 0 x 1 is not possible: x must be from 0 to "
               "2147483647 on device 0 (Mock GPU 0)");
  EXPECT_EQ(mock().calls("cuLaunchKernel"), launches);
}

TEST_F(LaunchTest, argumentsThatDoNotSuit) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  float *x = nullptr;
  auto messageOf = [&](auto... args) -> std::string {
    tilec::Status status = kernel.launch({}, {1}, args...);
    EXPECT_EQ(status.code(), tilec::Code::ArgumentMismatch);
    EXPECT_EQ(name(status), "add");
    return status.message();
  };
  const std::string kernelName = "kernel 'add': ";
  EXPECT_EQ(messageOf(x, x, x), kernelName + "expected 4 arguments, found 3");
  EXPECT_EQ(messageOf(), kernelName + "expected 4 arguments, found 0");
  EXPECT_EQ(messageOf(x, x, x, int64_t(4)),
            kernelName + "argument 4 ('n'): expected i32, found i64");
  EXPECT_EQ(messageOf(x, x, x, size_t(4)),
            kernelName + "argument 4 ('n'): expected i32, found u64");
  EXPECT_EQ(messageOf(x, x, x, true), kernelName + "argument 4 ('n'): expected i32, found i1");
  EXPECT_EQ(messageOf(x, 1, x, 1),
            kernelName + "argument 2 ('y'): expected pointer to fp32, found i32");
  EXPECT_EQ(messageOf(x, x, static_cast<const tilec::Half *>(nullptr), 1),
            kernelName + "argument 3 ('out'): expected pointer to fp32, found pointer to fp16");
  EXPECT_EQ(messageOf(x, x, x, x),
            kernelName + "argument 4 ('n'): expected i32, found pointer to fp32");
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
}

TEST_F(LaunchTest, whatEachParameterTypeAccepts) {
  const char *ptx = ".version 8.0 .target sm_80 .visible .entry k(.param .u64 p) { ret; }";
  auto pointer = [](uint32_t element) { return TILEC_TYPE_POINTER + element; };
  struct {
    uint32_t param, argument;
    bool accepted;
  } cases[] = {
      {TILEC_TYPE_I64, TILEC_TYPE_I64, true},
      {TILEC_TYPE_I64, TILEC_TYPE_U64, true},
      {TILEC_TYPE_U64, TILEC_TYPE_I64, true},
      {TILEC_TYPE_I64, TILEC_TYPE_FP64, false},
      {TILEC_TYPE_I64, pointer(TILEC_TYPE_INVALID), false},
      {TILEC_TYPE_FP64, TILEC_TYPE_FP64, true},
      {TILEC_TYPE_FP64, TILEC_TYPE_FP32, false},
      {pointer(TILEC_TYPE_INVALID), pointer(TILEC_TYPE_FP16), true},
      {pointer(TILEC_TYPE_INVALID), pointer(TILEC_TYPE_INVALID), true},
      {pointer(TILEC_TYPE_INVALID), TILEC_TYPE_U64, false},
      {pointer(TILEC_TYPE_FP32), pointer(TILEC_TYPE_INVALID), true},
      {pointer(TILEC_TYPE_FP32), pointer(TILEC_TYPE_FP32), true},
      {pointer(TILEC_TYPE_FP32), pointer(TILEC_TYPE_FP64), false},
      {pointer(TILEC_TYPE_I32), pointer(TILEC_TYPE_U32), true},
      {pointer(TILEC_TYPE_I32), pointer(TILEC_TYPE_FP32), false},
      {pointer(TILEC_TYPE_FP16), pointer(TILEC_TYPE_FP16), true},
      {pointer(TILEC_TYPE_FP16), pointer(TILEC_TYPE_U16), true},
      {pointer(TILEC_TYPE_FP16), pointer(TILEC_TYPE_I16), false},
      {pointer(TILEC_TYPE_FP16), pointer(TILEC_TYPE_BF16), false},
      {pointer(TILEC_TYPE_BF16), pointer(TILEC_TYPE_U16), true},
      {pointer(TILEC_TYPE_I1), pointer(TILEC_TYPE_I1), true},
      {pointer(TILEC_TYPE_I1), pointer(TILEC_TYPE_U8), true},
      {pointer(TILEC_TYPE_I8), pointer(TILEC_TYPE_I1), false},
      {TILEC_TYPE_I64, 64, false},
      {TILEC_TYPE_I64, 255, false},
      {TILEC_TYPE_I64, TILEC_TYPE_INVALID, false},
  };
  for (auto &test : cases) {
    const tilec::Param params[] = {{"p", test.param, 0}};
    tilec::Kernel kernel = getKernel({"k", 32, 0, params}, ptx);
    uint64_t value = 0;
    void *address = &value;
    auto type = uint8_t(test.argument);
    tilec::Status status(tilec_launch(kernel.c(), nullptr, 1, 1, 1, &address, &type, 1));
    EXPECT_EQ(bool(status), test.accepted) << test.param << " given " << test.argument;
  }
}

TEST_F(LaunchTest, withoutARecordTheDriverTellsTheSizes) {
  tilec::Kernel kernel = getKernel({"add", 128}, testPtx);
  EXPECT_EQ(kernel.info().num_params, 4u);
  EXPECT_TRUE(kernel.launch({}, {1}, nullptr, nullptr, int64_t(5), 1.0f));
  EXPECT_STREQ(kernel.launch({}, {1}, nullptr, nullptr, nullptr, 1.0).message(),
               "kernel 'add': argument 4: expected 4 bytes, found fp64 with 8 bytes");
  EXPECT_STREQ(
      kernel.launch({}, {1}, nullptr, nullptr, nullptr, nullptr).message(),
      "kernel 'add': argument 4: expected 4 bytes, found pointer to anything with 8 bytes");
  EXPECT_STREQ(kernel.launch({}, {1}, 1).message(), "kernel 'add': expected 4 arguments, found 1");
}

TEST_F(LaunchTest, withoutRecordAndDriverNothingIsChecked) {
  mock().fail("cuFuncGetParamInfo", 801);
  tilec::Kernel kernel = getKernel({"none", 128}, testPtx);
  EXPECT_EQ(kernel.info().num_params, UINT32_MAX);
  EXPECT_TRUE(kernel.launch({}, {1}, 1.0, 2));
}

TEST_F(LaunchTest, failuresOfTheDriver) {
  tilec::Kernel kernel = getKernel({"add", 128, 4096, addParams}, testPtx);
  mock().fail("cuLaunchKernel", 701);
  tilec::Status status = kernel.launch({}, {1}, nullptr, nullptr, nullptr, 1);
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(),
               "kernel 'add': the launch failed on device 0 (Mock GPU 0) with 128 threads a block, "
               "40 registers a thread, and 5120 bytes of shared memory: "
               "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too many resources requested for launch");
  EXPECT_STREQ(status.kernel(), "add");
  EXPECT_STREQ(status.driverText(),
               "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too many resources requested for launch");
  EXPECT_EQ(status.driverCode(), 701);
}

TEST_F(LaunchTest, aStreamOfAnotherContext) {
  mock().setDevices(2);
  tilec::Kernel kernel = getKernel({"none", 32}, testPtx);
  auto other = tilec::Device::open(1);
  auto stream = tilec::Stream::create(*other);
  ASSERT_TRUE(stream);
  tilec::Status status = kernel.launch(*stream, {1});
  EXPECT_EQ(status.code(), tilec::Code::Driver);
  EXPECT_EQ(status.driverCode(), 400);
}

TEST_F(LaunchTest, nullPointersInTheCInterface) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  uint8_t types[4] = {};
  void *args[4] = {};
  EXPECT_STREQ(
      tilec::Status(tilec_launch(kernel.c(), nullptr, 1, 1, 1, nullptr, types, 4)).message(),
      "tilec_launch: 'args' is null");
  EXPECT_STREQ(
      tilec::Status(tilec_launch(kernel.c(), nullptr, 1, 1, 1, args, nullptr, 4)).message(),
      "tilec_launch: 'types' is null");
}

TEST_F(LaunchTest, worksWithoutExceptionsAndRtti) {
  tilec::Status status = runWithoutExceptions(testPtx);
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(mock().lastLaunch().params[0], 1);
}

TEST_F(LaunchTest, allocatesNothing) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  auto device = tilec::Device::open(0);
  auto buffer = tilec::Buffer::allocate(*device, 64);
  ASSERT_TRUE(buffer);
  long before = allocationCount();
  bool launched = true;
  for (int i = 0; i < 100; ++i)
    launched &= bool(kernel.launch({}, {i}, *buffer, *buffer, *buffer, i));
  EXPECT_EQ(allocationCount(), before);
  EXPECT_TRUE(launched);
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 99);
  // The counter does count.
  EXPECT_FALSE(kernel.launch({}, {-1}, *buffer, *buffer, *buffer, 1));
  EXPECT_TRUE(!countsAllocations() || allocationCount() > before);
}
