//===- TensorMapTest.cpp - Tensor maps that launches make ----------------*- C++ -*-===//
//
// What expressions give, which tensors have no map, which records are refused, and what a launch
// passes to the kernel.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"
#include "MockTest.h"

#include <cstring>
#include <vector>

namespace {

using Steps = std::vector<tilec_map_step>;

tilec_map_step arg(int64_t number) { return {TILEC_MAP_ARGUMENT, 0, number}; }
tilec_map_step num(int64_t value) { return {TILEC_MAP_CONSTANT, 0, value}; }
tilec_map_step op(uint32_t name, int64_t bits = 0) { return {name, 0, bits}; }

const tilec::Param mappedParams[] = {{"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP16, 0},
                                     {"n", TILEC_TYPE_I32, 8},
                                     {"stride", TILEC_TYPE_I64, 16},
                                     {"scale", TILEC_TYPE_FP32, 24},
                                     {"wide", TILEC_TYPE_U16, 28}};

const char *const mappedPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry mapped(.param .u64 x, .param .u32 n, .param .u64 stride, .param .f32 scale,
                       .param .align 2 .b8 wide[2], .param .align 64 .b8 map[128])
{ ret; }
.visible .entry two(.param .u64 x, .param .u32 n, .param .u64 stride, .param .f32 scale,
                    .param .align 2 .b8 wide[2], .param .align 64 .b8 map[128],
                    .param .align 64 .b8 other[128])
{ ret; }
.visible .entry narrow(.param .u64 x, .param .u32 n, .param .u64 stride, .param .f32 scale,
                       .param .align 2 .b8 wide[2], .param .align 64 .b8 map[64])
{ ret; }
)";

/// A matrix of `n` rows and 64 columns at `x`, `stride` halves apart.
const Steps usualSteps = {num(1), arg(0), arg(1), num(1), op(TILEC_MAP_MAX), num(64), arg(2)};

tilec_tensor_map mapOf(const Steps &steps) {
  return {2, 2, 3, {128, 64, 0, 0, 0}, uint32_t(steps.size()), steps.data()};
}

tilec::LaunchRecord recordOf(const tilec_tensor_map &map) {
  return tilec::LaunchRecord("mapped", 128, 0, mappedParams).withMaps(&map, 1);
}

class TensorMapTest : public MockTest {
protected:
  /// What a launch with these arguments puts into the map.
  tilec::Status evaluate(const tilec_tensor_map &map, tilec_tensor_map_values &values) {
    void *args[] = {&x, &n, &stride, &scale, &wide};
    tilec::LaunchRecord record = recordOf(map);
    return tilec::Status(tilec_tensor_map_evaluate(&record, 0, args, &values));
  }
  /// The error of the usual map with the arguments as they are.
  std::string problem() {
    tilec_tensor_map_values values;
    return evaluate(mapOf(usualSteps), values).message();
  }

  uint64_t x = 0x10000;
  int32_t n = 100;
  int64_t stride = 72;
  float scale = 1;
  uint16_t wide = 0xfff0;
};

/// The address of a map of one axis with these steps.
class MapExpressionTest : public TensorMapTest {
protected:
  uint64_t addressOf(Steps steps) {
    steps.insert(steps.begin(), num(1));
    steps.push_back(num(8));
    tilec_tensor_map map = {1, 2, 1, {16, 0, 0, 0, 0}, uint32_t(steps.size()), steps.data()};
    tilec_tensor_map_values values = {};
    tilec::Status status = evaluate(map, values);
    EXPECT_TRUE(status) << status.message();
    return values.address;
  }
};

} // namespace

//===-------------------------------------------------------------------------------===//
// Values
//===-------------------------------------------------------------------------------===//

TEST_F(TensorMapTest, theInnermostAxisComesFirst) {
  tilec_tensor_map_values values = {};
  tilec::Status status = evaluate(mapOf(usualSteps), values);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(values.address, 0x10000u);
  EXPECT_EQ(values.sizes[0], 64u);
  EXPECT_EQ(values.sizes[1], 100u);
  EXPECT_EQ(values.strides[0], 144u);
  EXPECT_EQ(values.box[0], 64u);
  EXPECT_EQ(values.box[1], 128u);
}

TEST_F(MapExpressionTest, stepsDoWhatTheySay) {
  EXPECT_EQ(addressOf({num(48), num(32), op(TILEC_MAP_ADD)}), 80u);
  EXPECT_EQ(addressOf({num(48), num(32), op(TILEC_MAP_SUB)}), 16u);
  EXPECT_EQ(addressOf({num(48), num(32), op(TILEC_MAP_MUL)}), 1536u);
  EXPECT_EQ(addressOf({num(INT64_MAX), num(16), op(TILEC_MAP_MUL)}), uint64_t(-16));
  EXPECT_EQ(addressOf({num(-100), num(3), op(TILEC_MAP_DIV), num(1), op(TILEC_MAP_ADD)}),
            uint64_t(-32));
  EXPECT_EQ(addressOf({num(48), num(0), op(TILEC_MAP_DIV)}), 0u);
  EXPECT_EQ(addressOf({num(INT64_MIN), num(-1), op(TILEC_MAP_DIV)}), uint64_t(INT64_MIN));
  EXPECT_EQ(addressOf({num(-48), num(32), op(TILEC_MAP_MIN)}), uint64_t(-48));
  EXPECT_EQ(addressOf({num(-48), num(32), op(TILEC_MAP_MAX)}), 32u);
  EXPECT_EQ(addressOf({num(0x70), num(0x1c0), op(TILEC_MAP_AND)}), 0x40u);
  EXPECT_EQ(addressOf({num(0x70), num(0x1c0), op(TILEC_MAP_OR)}), 0x1f0u);
  EXPECT_EQ(addressOf({num(0x70), num(0x1c0), op(TILEC_MAP_XOR)}), 0x1b0u);
  auto times16 = [&](int64_t a, int64_t b, uint32_t name) {
    return addressOf({num(a), num(b), op(name), num(16), op(TILEC_MAP_MUL)});
  };
  EXPECT_EQ(times16(5, 5, TILEC_MAP_EQ), 16u);
  EXPECT_EQ(times16(5, -5, TILEC_MAP_EQ), 0u);
  EXPECT_EQ(times16(-5, 5, TILEC_MAP_LT), 16u);
  EXPECT_EQ(times16(5, 5, TILEC_MAP_LT), 0u);
  EXPECT_EQ(addressOf({num(0x1234567890), op(TILEC_MAP_SEXT, 8)}), uint64_t(-112));
  EXPECT_EQ(addressOf({num(0x1234567890), op(TILEC_MAP_ZEXT, 8)}), 0x90u);
  EXPECT_EQ(addressOf({num(0xffff8000), op(TILEC_MAP_SEXT, 16)}), uint64_t(-32768));
  EXPECT_EQ(addressOf({num(0x180000000), op(TILEC_MAP_SEXT, 32)}), uint64_t(INT32_MIN));
  EXPECT_EQ(addressOf({num(-16), op(TILEC_MAP_ZEXT, 32)}), 0xfffffff0u);
}

TEST_F(MapExpressionTest, argumentsHaveTheirSign) {
  n = -16;
  EXPECT_EQ(addressOf({arg(1)}), uint64_t(-16));
  EXPECT_EQ(addressOf({arg(4)}), uint64_t(-16));
  EXPECT_EQ(addressOf({arg(4), op(TILEC_MAP_ZEXT, 16)}), 0xfff0u);
}

TEST_F(TensorMapTest, hardwareHasRules) {
  x += 8;
  EXPECT_EQ(problem(), "kernel 'mapped': cannot make the tensor map of 'x': the address must be a "
                       "multiple of 16 bytes, found 0x10008");
  x -= 8;
  stride = 68;
  EXPECT_EQ(problem(), "kernel 'mapped': cannot make the tensor map of 'x': the stride of axis 0 "
                       "must be a multiple of 16 bytes from 0 and below 2^40, found 136");
  stride = -72;
  EXPECT_EQ(problem(), "kernel 'mapped': cannot make the tensor map of 'x': the stride of axis 0 "
                       "must be a multiple of 16 bytes from 0 and below 2^40, found -144");
  stride = int64_t(1) << 39;
  EXPECT_NE(problem(), "success");
  stride -= 8;
  EXPECT_EQ(problem(), "success");
  const Steps none = {num(1), arg(0), num(0), num(64), arg(2)};
  tilec_tensor_map_values values;
  EXPECT_STREQ(
      evaluate(mapOf(none), values).message(),
      "kernel 'mapped': cannot make the tensor map of 'x': the size of axis 0 must be from "
      "1 to 2^32, found 0");
  const Steps most = {num(1), arg(0), num(4), num(int64_t(1) << 32), arg(2)};
  EXPECT_TRUE(evaluate(mapOf(most), values));
  const Steps more = {num(1), arg(0), num(4), num((int64_t(1) << 32) + 1), arg(2)};
  tilec::Status status = evaluate(mapOf(more), values);
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_EQ(name(status), "mapped");
  EXPECT_STREQ(
      status.message(),
      "kernel 'mapped': cannot make the tensor map of 'x': the size of axis 1 must be from "
      "1 to 2^32, found 4294967297");
}

TEST_F(TensorMapTest, theStrideOfOneRowIsAny) {
  n = 1;
  stride = -3;
  tilec_tensor_map_values values = {};
  EXPECT_TRUE(evaluate(mapOf(usualSteps), values));
  EXPECT_EQ(values.strides[0], 16u);
}

TEST_F(TensorMapTest, launchesMayDoWithoutAMap) {
  Steps steps = usualSteps;
  steps[0] = arg(4);
  steps.insert(steps.begin() + 1, {num(8), op(TILEC_MAP_AND)});
  tilec_tensor_map_values values = {};
  wide = 8;
  EXPECT_TRUE(evaluate(mapOf(steps), values));
  EXPECT_EQ(values.is_needed, 1u);
  stride = 3;
  EXPECT_FALSE(evaluate(mapOf(steps), values));
  wide = 16;
  EXPECT_TRUE(evaluate(mapOf(steps), values));
  EXPECT_EQ(values.is_needed, 0u);
  EXPECT_EQ(values.sizes[0], 0u);
  tilec_tensor_map map = mapOf(steps);
  tilec::Kernel kernel = getKernel(recordOf(map), mappedPtx);
  auto *tensor = reinterpret_cast<uint16_t *>(x);
  EXPECT_TRUE(kernel.launch({}, {1}, tensor, n, stride, scale, wide));
  EXPECT_EQ(mock().calls("cuTensorMapEncodeTiled"), 0);
  MockLaunch launch = mock().lastLaunch();
  for (int i = 64; i < 192; ++i)
    EXPECT_EQ(launch.params[i], 0);
}

//===-------------------------------------------------------------------------------===//
// Records
//===-------------------------------------------------------------------------------===//

TEST_F(TensorMapTest, mapsThatNobodyCanMake) {
  tilec_tensor_map_values values;
  auto isRefused = [&](const tilec_tensor_map &map) {
    return strcmp(evaluate(map, values).message(),
                  "kernel 'mapped': tensor map 1 of the launch record is none that can be made") ==
           0;
  };
  EXPECT_FALSE(isRefused(mapOf(usualSteps)));
  const Steps broken[] = {
      {},
      {num(1), arg(0), num(1), num(64)},
      {num(1), arg(0), num(1), num(64), num(64), num(64)},
      {op(TILEC_MAP_ADD), num(1), arg(0), num(1), num(64), num(64)},
      {num(1), op(TILEC_MAP_ADD), arg(0), num(1), num(64), num(64), num(1)},
      {num(1), arg(5), num(1), num(64), num(64)},
      {num(1), arg(-1), num(1), num(64), num(64)},
      {num(1), arg(3), num(1), num(64), num(64)},
      {num(1), arg(0), op(TILEC_MAP_SEXT, 7), num(1), num(64), num(64)},
      {num(1), arg(0), op(0), num(1), num(64), num(64)},
      {num(1), arg(0), op(TILEC_MAP_ZEXT + 1), num(1), num(64), num(64)},
  };
  for (const Steps &steps : broken)
    EXPECT_TRUE(isRefused(mapOf(steps))) << &steps - broken;
  auto changed = [&](auto change) {
    tilec_tensor_map map = mapOf(usualSteps);
    change(map);
    return isRefused(map);
  };
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.rank = 0; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.rank = 6; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.element_bytes = 3; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.swizzle = 4; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.box[0] = 257; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.box[1] = 0; }));
  EXPECT_TRUE(changed([](tilec_tensor_map &map) { map.steps = nullptr; }));
}

TEST_F(TensorMapTest, recordsThatCannotBeRight) {
  tilec_tensor_map map = mapOf(usualSteps);
  tilec_tensor_map_values values;
  void *args[1] = {&x};
  auto problemOf = [&](const tilec::LaunchRecord &record, uint32_t number = 0) -> std::string {
    return tilec::Status(tilec_tensor_map_evaluate(&record, number, args, &values)).message();
  };
  EXPECT_EQ(problemOf(recordOf(map), 1),
            "kernel 'mapped': the launch record has 1 tensor maps, and none with number 1");
  EXPECT_EQ(problemOf(recordOf(map).withMaps(&map, 33)),
            "kernel 'mapped': the launch record has 33 tensor maps and may have 32");
  EXPECT_EQ(problemOf(recordOf(map).withMaps(nullptr, 1)),
            "kernel 'mapped': the launch record has 1 tensor maps but no list of them");
  EXPECT_EQ(problemOf(tilec::LaunchRecord("mapped", 128).withMaps(&map, 1)),
            "kernel 'mapped': the launch record has 1 tensor maps but no parameters");
  EXPECT_STREQ(tilec::Status(tilec_tensor_map_evaluate(nullptr, 0, args, &values)).message(),
               "tilec_tensor_map_evaluate: 'record' is null");
}

TEST_F(TensorMapTest, mapsAreParametersOfTheImage) {
  tilec_tensor_map map = mapOf(usualSteps);
  auto device = tilec::Device::open(0);
  auto module = tilec::Module::load(*device, mappedPtx);
  ASSERT_TRUE(module) << module.error().message();
  auto problemOf = [&](const tilec::LaunchRecord &record) -> std::string {
    auto kernel = module->kernel(record);
    return kernel ? "" : kernel.error().message();
  };
  EXPECT_EQ(problemOf(recordOf(map)), "");
  EXPECT_EQ(problemOf(recordOf(map).ofImage()), "");
  EXPECT_EQ(problemOf(recordOf(map).withMaps(nullptr, 0)),
            "kernel 'mapped': the launch record has 5 parameters, the image has 6");
  EXPECT_EQ(problemOf(tilec::LaunchRecord("narrow", 128, 0, mappedParams).withMaps(&map, 1)),
            "kernel 'narrow': parameter 6 is a tensor map of 128 bytes in the launch record, and "
            "has 64 bytes in the image");
}

TEST_F(TensorMapTest, recordsOfEarlierVersionsHaveNone) {
  tilec::LaunchRecord record = addRecord();
  record.struct_size = 40;
  record.maps = nullptr;
  record.num_maps = 99; // beyond what such a record has
  EXPECT_TRUE(getKernel(record, testPtx));
}

//===-------------------------------------------------------------------------------===//
// Launches
//===-------------------------------------------------------------------------------===//

TEST_F(TensorMapTest, launchesPassThemBehindTheArguments) {
  Steps steps = usualSteps;
  std::vector<tilec_tensor_map> maps = {mapOf(steps), mapOf(steps)};
  maps[1].swizzle = 1;
  maps[1].box[1] = 16;
  tilec::Kernel kernel = getKernel(
      tilec::LaunchRecord("two", 128, 0, mappedParams).withMaps(maps.data(), 2), mappedPtx);
  steps.clear(); // the kernel has copied them
  maps.clear();
  ASSERT_TRUE(kernel);
  long before = allocationCount();
  auto *tensor = reinterpret_cast<uint16_t *>(x);
  tilec::Status status = kernel.launch({}, {7}, tensor, n, stride, scale, wide);
  EXPECT_EQ(allocationCount(), before);
  ASSERT_TRUE(status) << status.message();
  MockLaunch launch = mock().lastLaunch();
  EXPECT_EQ(launch.paramBytes, 304u);
  EXPECT_EQ(memcmp(launch.params, &x, sizeof(x)), 0);
  MockTensorMap first, second;
  memcpy(&first, launch.params + 48, sizeof(first));
  memcpy(&second, launch.params + 176, sizeof(second));
  EXPECT_EQ(first.address, x);
  EXPECT_EQ(first.type, 1); // CU_TENSOR_MAP_DATA_TYPE_UINT16
  EXPECT_EQ(first.rank, 2);
  EXPECT_EQ(first.swizzle, 3);
  EXPECT_EQ(first.sizes[0], 63u);
  EXPECT_EQ(first.sizes[1], 99u);
  EXPECT_EQ(first.strides[0], 144u);
  EXPECT_EQ(first.box[0], 64);
  EXPECT_EQ(first.box[1], 128);
  EXPECT_EQ(second.address, x);
  EXPECT_EQ(second.swizzle, 1);
  EXPECT_EQ(second.box[0], 16);
  EXPECT_TRUE(kernel.launch({}, {0}, tensor, n, stride, scale, wide));
  EXPECT_EQ(mock().calls("cuTensorMapEncodeTiled"), 2);
}

TEST_F(TensorMapTest, launchesWithoutAMapFail) {
  tilec_tensor_map map = mapOf(usualSteps);
  tilec::Kernel kernel = getKernel(recordOf(map), mappedPtx);
  auto *tensor = reinterpret_cast<uint16_t *>(x);
  EXPECT_STREQ(kernel.launch({}, {1}, tensor, n, int64_t(68), scale, wide).message(),
               "kernel 'mapped': cannot make the tensor map of 'x': the stride of axis 0 must be a "
               "multiple of 16 bytes from 0 and below 2^40, found 136");
  mock().fail("cuTensorMapEncodeTiled", 1);
  tilec::Status status = kernel.launch({}, {1}, tensor, n, stride, scale, wide);
  EXPECT_EQ(status.driverCode(), 1);
  EXPECT_STREQ(status.message(), "kernel 'mapped': the driver makes no tensor map of 'x': "
                                 "CUDA_ERROR_INVALID_VALUE: invalid argument");
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
}

TEST_F(TensorMapTest, clustersHaveThemToo) {
  tilec_tensor_map map = mapOf(usualSteps);
  tilec::Kernel kernel = getKernel(recordOf(map).withCTAs(2), mappedPtx);
  auto *tensor = reinterpret_cast<uint16_t *>(x);
  EXPECT_TRUE(kernel.launch({}, {1}, tensor, n, stride, scale, wide));
  EXPECT_EQ(mock().lastLaunch().paramBytes, 176u);
  EXPECT_EQ(mock().calls("cuLaunchKernelEx"), 1);
}
