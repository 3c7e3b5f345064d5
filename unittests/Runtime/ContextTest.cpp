//===- ContextTest.cpp - Devices and contexts ----------------------------*- C++ -*-===//
//
// Which context a device uses, that calls leave the thread's context alone, and what is said when a
// device cannot be opened.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <thread>

using ContextTest = MockTest;

TEST_F(ContextTest, describesTheDevice) {
  mock().setDevices(2);
  auto device = tilec::Device::open(1);
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(device->ordinal(), 1);
  EXPECT_STREQ(device->name(), "Mock GPU 1");
  EXPECT_EQ(device->capability(), 90);
  EXPECT_EQ(device->multiprocessors(), 12);
  EXPECT_EQ(device->sharedPerBlock(), 49152);
  EXPECT_EQ(device->sharedPerBlockLimit(), 232448);
  EXPECT_EQ(device->totalMemory(), 1u << 30);
  EXPECT_EQ(device->info().warp_size, 32);
  EXPECT_EQ(device->info().struct_size, sizeof(tilec_device_info));
  auto count = tilec::Device::count();
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 2);
}

TEST_F(ContextTest, retainsThePrimaryContextWithoutACurrentOne) {
  {
    auto device = tilec::Device::open(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(mock().live().primaryRetains, 1);
    EXPECT_EQ(mock().depth(), 0);
    tilec::Device copy = *device;
    EXPECT_EQ(copy.context(), device->context());
    EXPECT_EQ(mock().live().primaryRetains, 1);
  }
  EXPECT_EQ(mock().live().primaryRetains, 0);
}

TEST_F(ContextTest, usesTheCurrentContext) {
  void *context = mock().makeContext(0);
  mock().push(context);
  {
    auto device = tilec::Device::current();
    ASSERT_TRUE(device);
    EXPECT_EQ(device->context(), context);
    EXPECT_EQ(mock().live().primaryRetains, 0);
    EXPECT_EQ(mock().calls("cuDevicePrimaryCtxRetain"), 0);
    auto buffer = tilec::Buffer::allocate(*device, 16);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(mock().calls("cuCtxPushCurrent_v2"), 0);
    EXPECT_EQ(mock().current(), context);
  }
  EXPECT_EQ(mock().pop(), context);
  mock().destroyContext(context);
}

TEST_F(ContextTest, prefersTheCurrentContextToAnActivePrimaryOne) {
  auto other = tilec::Device::open(0); // makes the primary context active
  ASSERT_TRUE(other);
  void *context = mock().makeContext(0);
  mock().push(context);
  {
    auto device = tilec::Device::open(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->context(), context);
    EXPECT_EQ(mock().live().primaryRetains, 1);
  }
  mock().pop();
  mock().destroyContext(context);
}

TEST_F(ContextTest, retainsThePrimaryContextThatIsCurrent) {
  tilec::Expected<tilec::Device> first = tilec::Device::open(0);
  ASSERT_TRUE(first);
  mock().push(first->context());
  auto second = tilec::Device::current();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->context(), first->context());
  EXPECT_EQ(mock().live().primaryRetains, 2);
  first = tilec::Device::open(7); // drops the first device
  EXPECT_EQ(mock().live().primaryRetains, 1);
  mock().pop();
}

TEST_F(ContextTest, takesTheCurrentContextsDevice) {
  mock().setDevices(3);
  void *context = mock().makeContext(2);
  mock().push(context);
  {
    auto device = tilec::Device::current();
    ASSERT_TRUE(device);
    EXPECT_EQ(device->ordinal(), 2);
    EXPECT_EQ(device->context(), context);
    // Another device than the current one gets its own primary context.
    auto other = tilec::Device::open(1);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->ordinal(), 1);
    EXPECT_NE(other->context(), context);
    auto buffer = tilec::Buffer::allocate(*other, 64);
    ASSERT_TRUE(buffer) << buffer.error().message();
    EXPECT_EQ(mock().current(), context);
    EXPECT_EQ(mock().depth(), 1);
  }
  mock().pop();
  mock().destroyContext(context);
}

TEST_F(ContextTest, everyCallPopsWhatItPushed) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  {
    auto stream = tilec::Stream::create(*device);
    auto event = tilec::Event::create(*device);
    auto module = tilec::Module::load(*device, testPtx);
    auto buffer = tilec::Buffer::allocate(*device, 256);
    ASSERT_TRUE(stream && event && module && buffer);
    auto kernel = module->kernel(addRecord());
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(kernel->launch(*stream, {1}, *buffer, *buffer, *buffer, 1));
    EXPECT_TRUE(kernel->maxActiveBlocks());
    EXPECT_TRUE(event->record(*stream));
    EXPECT_TRUE(event->synchronize());
    EXPECT_TRUE(stream->synchronize());
    EXPECT_TRUE(device->synchronize());
    EXPECT_TRUE(device->defaultStream().synchronize());
    EXPECT_TRUE(device->freeMemory());
    EXPECT_EQ(mock().depth(), 0);
  }
  EXPECT_EQ(mock().depth(), 0);
  EXPECT_GT(mock().calls("cuCtxPushCurrent_v2"), 10);
  EXPECT_EQ(mock().calls("cuCtxPushCurrent_v2"), mock().calls("cuCtxPopCurrent_v2"));
}

TEST_F(ContextTest, failingCallsPopToo) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  void *none = nullptr;
  for (const char *function : {"cuMemAlloc_v2", "cuStreamCreate", "cuEventCreate", "cuLaunchKernel",
                               "cuModuleLoadDataEx", "cuCtxSynchronize"})
    mock().fail(function, 1);
  EXPECT_FALSE(tilec::Buffer::allocate(*device, 256));
  EXPECT_FALSE(tilec::Stream::create(*device));
  EXPECT_FALSE(tilec::Event::create(*device));
  EXPECT_FALSE(kernel.launch({}, {1}, none, none, none, 1));
  EXPECT_FALSE(tilec::Module::load(*device, testPtx));
  EXPECT_FALSE(device->synchronize());
  EXPECT_EQ(mock().depth(), 0);
  EXPECT_EQ(mock().calls("cuCtxPushCurrent_v2"), mock().calls("cuCtxPopCurrent_v2"));
}

TEST_F(ContextTest, worksFromAThreadWithoutAContext) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  std::thread([&] {
    void *none = nullptr;
    EXPECT_TRUE(kernel.launch({}, {1}, none, none, none, 1));
    EXPECT_EQ(mock().depth(), 0);
  }).join();
}

TEST_F(ContextTest, aDeviceThatDoesNotExist) {
  mock().setDevices(2);
  for (int ordinal : {2, 99, -2}) {
    auto device = tilec::Device::open(ordinal);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), tilec::Code::NoDevice);
    EXPECT_EQ(device.error().message(), "no CUDA device " + std::to_string(ordinal) +
                                            "; the driver found 2, numbered from 0");
  }
}

TEST_F(ContextTest, noDeviceAtAll) {
  mock().setDevices(0);
  auto count = tilec::Device::count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), tilec::Code::NoDevice);
  EXPECT_STREQ(count.error().message(), "the CUDA driver found no device");
  EXPECT_EQ(tilec::Device::current().error().code(), tilec::Code::NoDevice);
}

TEST_F(ContextTest, failuresWhileOpening) {
  struct {
    const char *function, *message;
  } cases[] = {
      {"cuDeviceGetCount", "cannot count CUDA devices"},
      {"cuDeviceGet", "cannot open CUDA device 0"},
      {"cuDeviceGetName", "cannot ask about CUDA device 0"},
      {"cuDeviceTotalMem_v2", "cannot ask about CUDA device 0"},
      {"cuDeviceGetAttribute", "cannot ask about CUDA device 0"},
      {"cuCtxGetCurrent", "cannot ask for the current context"},
      {"cuDevicePrimaryCtxRetain", "cannot make a context on device 0 (Mock GPU 0)"},
  };
  for (auto &test : cases) {
    mock().fail(test.function, 1);
    auto device = tilec::Device::open(0);
    ASSERT_FALSE(device) << test.function;
    EXPECT_EQ(device.error().message(),
              std::string(test.message) + ": CUDA_ERROR_INVALID_VALUE: invalid argument");
    mock().fail(test.function, 0);
  }
  mock().fail("cuDriverGetVersion", 1);
  EXPECT_STREQ(tilec::driverVersion().error().message(),
               "cannot ask the driver's version: CUDA_ERROR_INVALID_VALUE: invalid argument");
}

TEST_F(ContextTest, aCurrentContextWithAStrangeDevice) {
  void *context = mock().makeContext(3);
  mock().push(context);
  EXPECT_STREQ(tilec::Device::current().error().message(),
               "the current context's device is not among the driver's");
  mock().fail("cuCtxGetDevice", 1);
  EXPECT_STREQ(
      tilec::Device::current().error().message(),
      "cannot ask the current context's device: CUDA_ERROR_INVALID_VALUE: invalid argument");
  mock().pop();
  mock().destroyContext(context);
}

TEST_F(ContextTest, failuresOfADevice) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  mock().fail("cuCtxSynchronize", 700);
  tilec::Status status = device->synchronize();
  EXPECT_EQ(status.code(), tilec::Code::DeviceFault);
  EXPECT_STREQ(status.message(),
               "waiting failed on device 0 (Mock GPU 0): CUDA_ERROR_ILLEGAL_ADDRESS: an illegal "
               "memory access was encountered\n"
               "an earlier kernel faulted; its context is unusable from now on");
  mock().fail("cuMemGetInfo_v2", 1);
  EXPECT_STREQ(device->freeMemory().error().message(),
               "cannot ask for the free memory on device 0 (Mock GPU 0): CUDA_ERROR_INVALID_VALUE: "
               "invalid argument");
  mock().fail("cuCtxPushCurrent_v2", 201);
  EXPECT_STREQ(
      device->synchronize().message(),
      "waiting failed on device 0 (Mock GPU 0): CUDA_ERROR_INVALID_CONTEXT: invalid device "
      "context");
}

TEST_F(ContextTest, anEmptyDeviceIsAnError) {
  tilec::Device none;
  EXPECT_FALSE(bool(none));
  EXPECT_EQ(none.ordinal(), 0);
  EXPECT_EQ(none.context(), nullptr);
  EXPECT_STREQ(none.synchronize().message(), "tilec_device_synchronize: 'device' is null");
  EXPECT_STREQ(none.freeMemory().error().message(), "tilec_device_memory: 'device' is null");
  EXPECT_EQ(none.synchronize().code(), tilec::Code::InvalidArgument);
  for (tilec_status raw :
       {tilec_device_open(0, nullptr), tilec_device_count(nullptr), tilec_driver_version(nullptr)})
    EXPECT_EQ(tilec::Status(raw).code(), tilec::Code::InvalidArgument);
}

TEST_F(ContextTest, statusesAreValues) {
  tilec::Status success;
  EXPECT_TRUE(bool(success));
  EXPECT_EQ(success.code(), tilec::Code::Ok);
  EXPECT_STREQ(success.message(), "success");
  EXPECT_STREQ(success.kernel(), "");
  EXPECT_STREQ(success.driverText(), "");
  tilec::Status copy;
  {
    auto device = tilec::Device::open(5);
    copy = device.error();
  }
  tilec::Status moved = std::move(copy);
  EXPECT_FALSE(bool(moved));
  EXPECT_STREQ(moved.message(), "no CUDA device 5; the driver found 1, numbered from 0");
  EXPECT_TRUE(bool(copy)); // what was moved from is success
}
