//===- GpuTest.cpp - Compiled kernels on a mock driver -------------------*- C++ -*-===//
//
// Calls the functions of generated headers over the mock driver, which records launches: what is
// loaded when and where, what a launch is given, and what goes wrong.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"
#include "MockTest.h"
#include "Support.h"
#include "cluster_kernels.h"
#include "gpu_kernels.h"
#include "kernels.h"
#include "map_kernels.h"

#include <cstring>
#include <thread>

namespace {

/// Addresses that the mock never follows.
float *addressAt(uintptr_t address) { return reinterpret_cast<float *>(address); }

class GpuTest : public MockTest {
protected:
  void SetUp() override {
    // The first launch without a context makes the runtime hold one, for good.
    mock().reset();
    EXPECT_FINE(kernels::prepare_all());
    kernels::unload_all();
    MockTest::SetUp();
  }
  void TearDown() override {
    kernels::unload_all();
    gpu::unload_all();
    clusters::unload_all();
    maps::unload_all();
    EXPECT_EQ(mock().live().libraries, 0);
    MockTest::TearDown();
  }
};

/// Launches `scale` so that the variant without assumptions is needed, or the one with all.
tilec::Status launchScale(const kernels::scale_options &options, bool aligned = true) {
  return kernels::scale(options, addressAt(aligned ? 4096 : 4100), addressAt(8192), 2.5f, 1600);
}

template <typename T> T paramAt(const MockLaunch &launch, size_t offset) {
  T value;
  memcpy(&value, launch.params + offset, sizeof(value));
  return value;
}

} // namespace

TEST_F(GpuTest, launchesWithArgumentsAndGrid) {
  EXPECT_FINE(launchScale({}));
  MockLaunch launch = mock().lastLaunch();
  EXPECT_STREQ(launch.kernel, "scale");
  EXPECT_EQ(launch.grid[0], 25u); // cdiv(1600, 64)
  EXPECT_EQ(launch.grid[1], 1u);
  EXPECT_EQ(paramAt<uint64_t>(launch, 0), 4096u);
  EXPECT_EQ(paramAt<uint64_t>(launch, 8), 8192u);
  EXPECT_EQ(paramAt<float>(launch, 16), 2.5f);
  EXPECT_EQ(paramAt<int32_t>(launch, 20), 1600);
  EXPECT_EQ(launch.paramBytes, 24u);
  EXPECT_EQ(mock().live().primaryRetains, 2); // of the thread without a context, and of the kernel
}

TEST_F(GpuTest, theVariantIsTheMostSpecificThatHolds) {
  EXPECT_FINE(launchScale({}, /*aligned=*/true));
  std::string aligned = mock().lastLaunch().image;
  EXPECT_FINE(launchScale({}, /*aligned=*/false));
  std::string generic = mock().lastLaunch().image;
  EXPECT_NE(aligned.find(".v2.b32"), std::string::npos);
  EXPECT_EQ(generic.find(".v2.b32"), std::string::npos);
  for (int n : {0, 1, 15, 16, 17, 32}) {
    EXPECT_FINE(kernels::scale({{}, {1}}, addressAt(4096), addressAt(8192), 1.0f, n));
    EXPECT_EQ(mock().lastLaunch().image == aligned, n % 16 == 0) << n;
  }
}

TEST_F(GpuTest, loadsEachVariantOnce) {
  for (int i = 0; i < 3; ++i)
    EXPECT_FINE(launchScale({}));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 1);
  EXPECT_EQ(mock().live().modules, 1);
  EXPECT_FINE(launchScale({}, false));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 2);
  kernels::unload_all();
  EXPECT_EQ(mock().live().libraries, 0);
  EXPECT_FINE(launchScale({}));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 3);
}

TEST_F(GpuTest, anEmptyGridTouchesNoDriver) {
  int before = mock().calls("cuCtxGetCurrent");
  EXPECT_FINE(kernels::scale({}, addressAt(0), addressAt(0), 1.0f, 0));
  EXPECT_EQ(mock().calls("cuCtxGetCurrent"), before);
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 0);
}

TEST_F(GpuTest, gridsOverTheLimit) {
  EXPECT_STREQ(launchScale({{}, {1, 65536}}).message(),
               "kernel 'scale': the grid 1 x 65536 x 1 is not possible: y must be from 0 to 65535 "
               "on device 0 (Mock GPU 0)");
}

//===-------------------------------------------------------------------------------===//
// Contexts
//===-------------------------------------------------------------------------------===//

TEST_F(GpuTest, usesTheCurrentContext) {
  void *own = mock().makeContext(0);
  mock().push(own);
  EXPECT_FINE(launchScale({}));
  EXPECT_EQ(mock().lastLaunch().context, own);
  EXPECT_EQ(mock().pop(), own);
  kernels::unload_all();
  mock().destroyContext(own);
}

TEST_F(GpuTest, twoContextsShareALibrary) {
  void *contexts[] = {mock().makeContext(0), mock().makeContext(0)};
  for (int repeat = 0; repeat < 2; ++repeat)
    for (void *context : contexts) {
      mock().push(context);
      EXPECT_FINE(launchScale({}));
      EXPECT_EQ(mock().lastLaunch().context, context);
      EXPECT_EQ(mock().current(), context);
      mock().pop();
    }
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 1);
  EXPECT_EQ(mock().live().modules, 2);
  kernels::unload_all();
  for (void *context : contexts)
    mock().destroyContext(context);
}

TEST_F(GpuTest, aNewContextAtAnOldAddressIsAnother) {
  // The mock's contexts come from the heap, which likes to give the same address again.
  void *first = mock().makeContext(0);
  mock().push(first);
  EXPECT_FINE(launchScale({}));
  mock().pop();
  int loads = mock().calls("cuLibraryGetModule");
  mock().destroyContext(first);
  void *second = mock().makeContext(0);
  mock().push(second);
  EXPECT_FINE(launchScale({}));
  EXPECT_EQ(mock().calls("cuLibraryGetModule"), loads + 1);
  mock().pop();
  kernels::unload_all();
  mock().destroyContext(second);
}

TEST_F(GpuTest, twoDevices) {
  mock().setDevices(2);
  for (int ordinal : {0, 1, 0, 1}) {
    auto device = tilec::Device::open(ordinal);
    ASSERT_TRUE(device);
    auto stream = tilec::Stream::create(*device);
    ASSERT_TRUE(stream);
    EXPECT_FINE(launchScale({*stream}));
    EXPECT_EQ(mock().lastLaunch().context, device->context());
    EXPECT_EQ(mock().lastLaunch().stream, stream->get());
  }
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 1);
  EXPECT_EQ(mock().live().modules, 2);
}

TEST_F(GpuTest, aStreamOnAThreadWithoutContextBringsItsOwn) {
  void *own = mock().makeContext(0);
  mock().push(own);
  auto device = tilec::Device::current();
  auto stream = tilec::Stream::create(*device);
  mock().pop();
  std::thread([&] {
    EXPECT_FINE(launchScale({static_cast<CUstream_st *>(stream->get())}));
    EXPECT_EQ(mock().depth(), 0);
  }).join();
  EXPECT_EQ(mock().lastLaunch().context, own);
  kernels::unload_all();
  stream = tilec::Stream();
  device = tilec::Device();
  mock().destroyContext(own);
}

TEST_F(GpuTest, sixteenThreadsFromCold) {
  mock().setDevices(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([t] {
      auto device = tilec::Device::open(t % 2);
      for (int repeat = 0; repeat < 50; ++repeat)
        EXPECT_FINE(launchScale({device->defaultStream()}, (t + repeat) % 3 != 0));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 16 * 50);
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 2);
  EXPECT_EQ(mock().live().modules, 4);
}

//===-------------------------------------------------------------------------------===//
// Preparing
//===-------------------------------------------------------------------------------===//

TEST_F(GpuTest, afterPreparingNothingIsLoaded) {
  auto device = tilec::Device::open(0);
  EXPECT_FINE(kernels::prepare_all(*device));
  int loads = mock().calls("cuLibraryLoadData");
  EXPECT_GT(loads, 10);
  EXPECT_EQ(mock().calls("cuFuncLoad"), loads);
  tilec::Freeze freeze;
  for (bool aligned : {true, false})
    EXPECT_FINE(launchScale({device->defaultStream()}, aligned));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), loads);
  EXPECT_EQ(mock().calls("cuModuleGetFunction"), loads);
}

TEST_F(GpuTest, launchesAllocateNothing) {
  EXPECT_FINE(kernels::prepare_all());
  long before = allocationCount();
  bool launched = true;
  for (int i = 0; i < 100; ++i)
    launched &= bool(launchScale({}, i % 2));
  EXPECT_EQ(allocationCount(), before);
  EXPECT_TRUE(launched);
}

TEST_F(GpuTest, frozenWithoutPreparingIsAnError) {
  tilec::Freeze freeze;
  tilec::Status status = launchScale({});
  EXPECT_EQ(status.code(), tilec::Code::NotPrepared);
  EXPECT_STREQ(status.message(),
               "kernel 'scale': the code for these arguments is not loaded in this "
               "context, and loading is frozen; prepare before tilec_freeze");
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 0);
}

TEST_F(GpuTest, captureNeedsPreparing) {
  auto device = tilec::Device::open(0);
  auto stream = tilec::Stream::create(*device);
  mock().capture(stream->get(), true);
  tilec::Status status = launchScale({*stream});
  EXPECT_EQ(status.code(), tilec::Code::NotPrepared);
  EXPECT_STREQ(
      status.message(),
      "kernel 'scale': the code for these arguments is not loaded in this context, and the "
      "stream is being captured into a graph; prepare before the capture");
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 0);
  mock().capture(stream->get(), false);

  mock().fail("cuStreamIsCapturing", 906); // the default stream, while another is captured
  EXPECT_EQ(launchScale({}).code(), tilec::Code::NotPrepared);
  mock().fail("cuStreamIsCapturing", 0);

  EXPECT_FINE(kernels::prepare_all(*stream));
  mock().capture(stream->get(), true);
  EXPECT_FINE(launchScale({*stream}));
  EXPECT_FINE(launchScale({*stream}, /*aligned=*/false));
  mock().capture(stream->get(), false);
}

//===-------------------------------------------------------------------------------===//
// Occupancy
//===-------------------------------------------------------------------------------===//

TEST_F(GpuTest, occupancyIsThatOfTheLaunch) {
  auto occupancy = kernels::scale_occupancy({}, addressAt(4096), addressAt(8192), 2.5f, 1600);
  ASSERT_TRUE(isFine(occupancy.error()));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 1);
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
  EXPECT_FINE(launchScale({}));
  EXPECT_EQ(mock().calls("cuLibraryLoadData"), 1); // the same variant
  EXPECT_EQ(occupancy->threads, mock().lastLaunch().block[0]);
  EXPECT_EQ(occupancy->num_ctas, 1u);
  EXPECT_GT(occupancy->multiprocessors, 0u);
  EXPECT_EQ(occupancy->resident_programs,
            occupancy->multiprocessors * occupancy->blocks_per_multiprocessor);
  // A persistent launch.
  EXPECT_FINE(launchScale({{}, occupancy->resident_programs}));
  EXPECT_EQ(mock().lastLaunch().grid[0] * mock().lastLaunch().block[1],
            occupancy->resident_programs);

  auto big = gpu::big_occupancy({}, addressAt(4096)); // the grid is not needed
  ASSERT_TRUE(isFine(big.error()));
  EXPECT_GT(big->dynamic_shared_bytes, 48u * 1024);
  auto cluster = clusters::cluster_occupancy({}, addressAt(4096));
  ASSERT_TRUE(isFine(cluster.error()));
  EXPECT_EQ(cluster->num_ctas, 2u);
}

TEST_F(GpuTest, occupancyFromC) {
  tilec_occupancy occupancy{};
  occupancy.struct_size = sizeof(occupancy);
  auto ask = [&] {
    return tilec::Status(kernels_scale_occupancy(nullptr, nullptr, addressAt(4096), addressAt(8192),
                                                 2.5f, 1600, &occupancy));
  };
  EXPECT_FINE(ask());
  EXPECT_GT(occupancy.resident_programs, 0u);
  occupancy.struct_size = 4;
  EXPECT_STREQ(ask().message(), "tilec_aot_occupancy_v1: 'struct_size' is 4, expected 48");
}

TEST_F(GpuTest, occupancyErrors) {
  auto ask = [](const kernels::scale_options &options) {
    return kernels::scale_occupancy(options, addressAt(4096), addressAt(8192), 2.5f, 1600).error();
  };
  tilec::Status status = ask({tilec::cpuStream()});
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_STREQ(
      status.message(),
      "kernel 'scale': occupancy is what a GPU holds at once; the launch is one on the CPU");
  kernels::scale_options unknown;
  unknown.BLOCK = 3;
  EXPECT_EQ(ask(unknown).code(), tilec::Code::NoConfig);
  {
    tilec::Freeze freeze;
    EXPECT_EQ(ask({}).code(), tilec::Code::NotPrepared);
  }
  mock().setResident(0);
  status = ask({});
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(),
               "kernel 'scale': not even one program fits on device 0 (Mock GPU 0)");
}

//===-------------------------------------------------------------------------------===//
// Images
//===-------------------------------------------------------------------------------===//

TEST_F(GpuTest, anArchitectureWithoutCodeIsNamed) {
  mock().setCapability(7, 5);
  tilec::Status status = gpu::big({{}, {1}}, addressAt(4096));
  EXPECT_EQ(status.code(), tilec::Code::WrongArchitecture);
  EXPECT_STREQ(status.message(),
               "kernel 'big': the program holds no code for device 0 (Mock GPU 0), "
               "which is sm_75, with a driver for CUDA 13.0; it holds PTX for "
               "sm_90a, PTX for sm_80, PTX for sm_90");
}

TEST_F(GpuTest, theNewestImageForTheDeviceIsTaken) {
  auto targetOn = [&](int major, int minor) -> std::string {
    mock().setCapability(major, minor);
    EXPECT_FINE(gpu::big({{}, {1}}, addressAt(4096)));
    std::string image = mock().lastLaunch().image;
    gpu::unload_all();
    size_t start = image.find(".target ") + 8;
    return image.substr(start, image.find_first_of(", \n", start) - start);
  };
  EXPECT_EQ(targetOn(8, 0), "sm_80");
  EXPECT_EQ(targetOn(8, 9), "sm_80");
  EXPECT_EQ(targetOn(9, 0), "sm_90a");
  EXPECT_EQ(targetOn(10, 0), "sm_90");
  EXPECT_EQ(targetOn(12, 1), "sm_90");
}

TEST_F(GpuTest, anOlderDriverGetsAnOlderImage) {
  mock().setVersion(11040); // PTX up to 7.4, so sm_90 needs a newer one
  EXPECT_FINE(gpu::big({{}, {1}}, addressAt(4096)));
  EXPECT_NE(std::string(mock().lastLaunch().image).find(".target sm_80"), std::string::npos);
}

TEST_F(GpuTest, sharedMemoryClustersAndDependentLaunches) {
  EXPECT_FINE(gpu::big({{}, {3}}, addressAt(4096)));
  MockLaunch launch = mock().lastLaunch();
  EXPECT_GT(launch.sharedBytes, 48u * 1024);
  EXPECT_FALSE(launch.dependent);
  EXPECT_FINE(clusters::cluster({{}, {3}}, addressAt(4096)));
  launch = mock().lastLaunch();
  EXPECT_EQ(launch.cluster[0], 2u);
  EXPECT_EQ(launch.grid[0], 6u);
  clusters::cluster_options options{{}, {3}};
  options.dependent = true;
  EXPECT_FINE(clusters::cluster(options, addressAt(4096)));
  launch = mock().lastLaunch();
  EXPECT_TRUE(launch.dependent);
  EXPECT_EQ(launch.cluster[0], 2u);
}

/// Launches `product` for this many columns of the left factor.
static tilec::Status launchProduct(int depth) {
  auto *halves = reinterpret_cast<tilec::Half *>(uintptr_t(8192));
  return maps::product({{}, {1}}, addressAt(4096), {halves, {60, depth}, {128, 1}},
                       {halves + 64, {depth, 64}});
}

TEST_F(GpuTest, launchesMakeTensorMaps) {
  EXPECT_FINE(launchProduct(112));
  MockLaunch launch = mock().lastLaunch();
  EXPECT_EQ(launch.paramBytes, 368u); // behind nine arguments two maps
  auto left = paramAt<MockTensorMap>(launch, 112), right = paramAt<MockTensorMap>(launch, 240);
  EXPECT_EQ(left.address, 8192u);
  EXPECT_EQ(left.rank, 2);
  EXPECT_EQ(left.type, 1);
  EXPECT_EQ(left.swizzle, 3);
  EXPECT_EQ(left.sizes[0], 111u);
  EXPECT_EQ(left.sizes[1], 59u);
  EXPECT_EQ(left.strides[0], 256u);
  EXPECT_EQ(left.box[0], 64);
  EXPECT_EQ(right.address, 8320u);
  EXPECT_EQ(right.sizes[0], 63u);
  EXPECT_EQ(right.sizes[1], 111u);
  EXPECT_EQ(right.strides[0], 128u);
  long before = allocationCount();
  EXPECT_FINE(launchProduct(128));
  EXPECT_EQ(allocationCount(), before);
  EXPECT_EQ(paramAt<MockTensorMap>(mock().lastLaunch(), 112).sizes[0], 127u);
  // Code for any sizes looks whether they divide: each of its versions has maps of its own.
  EXPECT_FINE(launchProduct(104));
  EXPECT_EQ(paramAt<MockTensorMap>(mock().lastLaunch(), 112).sizes[0], 103u);
  int encoded = mock().calls("cuTensorMapEncodeTiled");
  EXPECT_FINE(launchProduct(100));
  EXPECT_EQ(paramAt<MockTensorMap>(mock().lastLaunch(), 112).rank, 0);
  EXPECT_EQ(mock().calls("cuTensorMapEncodeTiled"), encoded + 2);
  mock().fail("cuTensorMapEncodeTiled", 1);
  EXPECT_STREQ(launchProduct(128).message(), "kernel 'product': the driver makes no tensor map of "
                                             "'left.base': CUDA_ERROR_INVALID_VALUE: invalid "
                                             "argument");
}

TEST_F(GpuTest, codeForOtherDevicesHasNoTensorMaps) {
  mock().setCapability(8, 0);
  EXPECT_FINE(launchProduct(128));
  EXPECT_EQ(mock().lastLaunch().paramBytes, 56u);
  EXPECT_EQ(mock().calls("cuTensorMapEncodeTiled"), 0);
}

TEST_F(GpuTest, dependentLaunchesNeedTheDevice) {
  mock().setCapability(8, 0);
  kernels::scale_options options;
  options.dependent = true;
  tilec::Status status = launchScale(options);
  EXPECT_EQ(status.code(), tilec::Code::WrongArchitecture);
  EXPECT_STREQ(status.message(),
               "kernel 'scale': a dependent launch needs compute capability 9.0 or "
               "later; device 0 (Mock GPU 0) is sm_80");
}

TEST_F(GpuTest, noCpuCodeIsAnErrorOfItsOwn) {
  EXPECT_STREQ(
      gpu::big({tilec::cpuStream(), {1}}, addressAt(4096)).message(),
      "kernel 'big': the program holds no code for this processor; it holds PTX for sm_90a, "
      "PTX for sm_80, PTX for sm_90");
}

TEST_F(GpuTest, errorsOfTheDriverComeThrough) {
  mock().fail("cuLaunchKernel", 1);
  tilec::Status status = launchScale({});
  EXPECT_EQ(status.driverCode(), 1);
  mock().fail("cuLaunchKernel", 0);
  kernels::unload_all();
  mock().fail("cuLibraryGetModule", 2);
  EXPECT_EQ(launchScale({}).code(), tilec::Code::OutOfMemory);
  mock().fail("cuLibraryGetModule", 0);
  EXPECT_FINE(launchScale({})); // failures are not kept
}

TEST_F(GpuTest, optionsOfAnotherVersion) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.struct_size = 8;
  tilec::Status status{kernels_prepare_all(&options)};
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  tilec::Status launched(kernels_checked(&options, nullptr, 1));
  EXPECT_NE(std::string(launched.message()).find(": start from TILEC_LAUNCH_OPTIONS"),
            std::string::npos);
  options = TILEC_LAUNCH_OPTIONS;
  options.flags = 1 << 20;
  EXPECT_STREQ(tilec::Status(kernels_checked(&options, nullptr, 1)).message(),
               "kernel 'checked': the launch options have unknown flags (0x100000) or a reserved "
               "field that is not 0");
  // What a later version of tilec might compile.
  tilec_aot_kernel later{};
  later.version = 3;
  uint64_t slots[1] = {};
  EXPECT_STREQ(tilec::Status(tilec_aot_launch_v1(&later, nullptr, nullptr, slots)).message(),
               "the object was compiled for version 3 of the runtime's interface, this function "
               "takes versions 1 to 2");
  EXPECT_STREQ(tilec::Status(tilec_aot_launch_v1(nullptr, nullptr, nullptr, slots)).message(),
               "tilec_aot_launch_v1: 'kernel' is null");
}
