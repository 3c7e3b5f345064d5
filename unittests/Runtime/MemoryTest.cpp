//===- MemoryTest.cpp - Buffers ------------------------------------------*- C++ -*-===//
//
// Allocation, copies, fills, their range checks, and running out of memory.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <numeric>
#include <vector>

namespace {

class MemoryTest : public MockTest {
protected:
  void SetUp() override {
    MockTest::SetUp();
    device = std::move(*tilec::Device::open(0));
  }
  void TearDown() override {
    device = tilec::Device();
    MockTest::TearDown();
  }
  tilec::Device device;
};

} // namespace

TEST_F(MemoryTest, copiesInAndOut) {
  std::vector<int> values(100), read(100, -1);
  std::iota(values.begin(), values.end(), 7);
  auto buffer = tilec::Buffer::allocate(device, 400);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->bytes(), 400u);
  EXPECT_EQ(buffer->address() % 256, 0u);
  EXPECT_EQ(uint64_t(uintptr_t(buffer->as<float>())), buffer->address());
  EXPECT_TRUE(buffer->copyIn(values.data(), 400));
  EXPECT_TRUE(buffer->copyOut(read.data(), 400));
  EXPECT_EQ(values, read);
  EXPECT_EQ(mock().calls("cuStreamSynchronize"), 2);
  int one = 0;
  EXPECT_TRUE(buffer->copyOut(&one, 4, 396));
  EXPECT_EQ(one, values[99]);
}

TEST_F(MemoryTest, asynchronousCopiesDoNotWait) {
  auto stream = tilec::Stream::create(device);
  auto from = tilec::Buffer::allocate(device, 8), to = tilec::Buffer::allocate(device, 8);
  ASSERT_TRUE(stream && from && to);
  unsigned char bytes[8] = {};
  EXPECT_TRUE(from->fill(*stream, 0xab));
  EXPECT_TRUE(from->fill(*stream, 0xcd, 2, 3));
  EXPECT_TRUE(to->copyFrom(*stream, *from, 6, 2, 1));
  EXPECT_TRUE(to->fill(*stream, 0, 1, 0));
  EXPECT_TRUE(to->copyInAsync(*stream, "z", 1, 7));
  EXPECT_TRUE(to->copyOutAsync(*stream, bytes, 8));
  EXPECT_EQ(mock().calls("cuStreamSynchronize"), 0);
  const unsigned char expected[8] = {0, 0xab, 0xcd, 0xcd, 0xab, 0xab, 0xab, 'z'};
  EXPECT_EQ(memcmp(bytes, expected, 8), 0);
}

TEST_F(MemoryTest, anEmptyBufferIsNoError) {
  auto buffer = tilec::Buffer::allocate(device, 0);
  ASSERT_TRUE(buffer) << buffer.error().message();
  EXPECT_TRUE(bool(*buffer));
  EXPECT_EQ(buffer->address(), 0u);
  EXPECT_TRUE(buffer->copyIn(nullptr, 0));
  EXPECT_TRUE(buffer->copyOut(nullptr, 0));
  EXPECT_TRUE(buffer->fill({}, 1));
  EXPECT_EQ(mock().calls("cuMemAlloc_v2"), 0);
  EXPECT_EQ(mock().calls("cuMemsetD8Async"), 0);
}

TEST_F(MemoryTest, copiesShareTheBlock) {
  auto buffer = tilec::Buffer::allocate(device, 16);
  ASSERT_TRUE(buffer);
  tilec::Buffer copy = *buffer;
  tilec::Buffer moved = std::move(*buffer);
  EXPECT_EQ(copy.address(), moved.address());
  EXPECT_EQ(buffer->address(), 0u);
  EXPECT_FALSE(bool(*buffer));
  EXPECT_EQ(mock().live().allocations, 1);
  copy = tilec::Buffer();
  EXPECT_EQ(mock().live().allocations, 1);
  moved = tilec::Buffer();
  EXPECT_EQ(mock().live().allocations, 0);
}

TEST_F(MemoryTest, aBufferKeepsItsContextAlive) {
  tilec::Buffer buffer = *tilec::Buffer::allocate(device, 16);
  device = tilec::Device();
  EXPECT_EQ(mock().live().primaryRetains, 1);
  buffer = tilec::Buffer();
  EXPECT_EQ(mock().live().primaryRetains, 0);
}

TEST_F(MemoryTest, outOfMemorySaysHowMuch) {
  mock().setMemory(1000);
  auto first = tilec::Buffer::allocate(device, 300);
  ASSERT_TRUE(first);
  auto second = tilec::Buffer::allocate(device, 701);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), tilec::Code::OutOfMemory);
  EXPECT_STREQ(second.error().message(),
               "out of memory on device 0 (Mock GPU 0): asked for 701 bytes, 700 free of 1000: "
               "CUDA_ERROR_OUT_OF_MEMORY: out of memory");
  EXPECT_TRUE(tilec::Buffer::allocate(device, 700));
  EXPECT_FALSE(tilec::Buffer::allocate(device, SIZE_MAX));
}

TEST_F(MemoryTest, otherFailuresOfAnAllocation) {
  mock().fail("cuMemAlloc_v2", 1);
  EXPECT_STREQ(
      tilec::Buffer::allocate(device, 8).error().message(),
      "cannot allocate 8 bytes on device 0 (Mock GPU 0): CUDA_ERROR_INVALID_VALUE: invalid "
      "argument");
}

TEST_F(MemoryTest, rangesOutsideTheBuffer) {
  auto buffer = tilec::Buffer::allocate(device, 16), other = tilec::Buffer::allocate(device, 8);
  ASSERT_TRUE(buffer && other);
  char host[32] = {};
  EXPECT_STREQ(buffer->copyIn(host, 17).message(),
               "copy to the device of 17 bytes at offset 0 is outside a buffer of 16 bytes");
  EXPECT_STREQ(buffer->copyOut(host, 1, 16).message(),
               "copy from the device of 1 bytes at offset 16 is outside a buffer of 16 bytes");
  EXPECT_STREQ(buffer->fill({}, 0, 2, SIZE_MAX).message(),
               "fill of 2 bytes at offset 18446744073709551615 is outside a buffer of 16 bytes");
  EXPECT_STREQ(buffer->copyFrom({}, *other, 9).message(),
               "copy of 9 bytes at offset 0 is outside a buffer of 8 bytes");
  EXPECT_STREQ(other->copyFrom({}, *buffer, 9).message(),
               "copy of 9 bytes at offset 0 is outside a buffer of 8 bytes");
  EXPECT_EQ(buffer->copyIn(host, SIZE_MAX, 1).code(), tilec::Code::InvalidArgument);
}

TEST_F(MemoryTest, failuresOfTheDriver) {
  auto buffer = tilec::Buffer::allocate(device, 16);
  ASSERT_TRUE(buffer);
  char host[16] = {};
  mock().fail("cuMemcpyHtoDAsync_v2", 700);
  tilec::Status status = buffer->copyIn(host, 16);
  EXPECT_EQ(status.code(), tilec::Code::DeviceFault);
  EXPECT_EQ(std::string(status.message())
                .find("copy to the device of 16 bytes failed on device 0 "
                      "(Mock GPU 0): CUDA_ERROR_ILLEGAL_ADDRESS"),
            0u);
  mock().fail("cuStreamSynchronize", 700);
  EXPECT_EQ(buffer->copyOut(host, 16).code(), tilec::Code::DeviceFault);
}

TEST_F(MemoryTest, copiesBetweenContexts) {
  mock().setDevices(2);
  auto other = tilec::Device::open(1);
  ASSERT_TRUE(other);
  auto from = tilec::Buffer::allocate(device, 8), to = tilec::Buffer::allocate(*other, 8);
  ASSERT_TRUE(from && to);
  EXPECT_STREQ(to->copyFrom({}, *from, 8).message(),
               "copy between contexts: the target is on device 1, the source on device 0; go "
               "through host memory");
}

TEST_F(MemoryTest, anEmptyBufferObjectIsAnError) {
  tilec::Buffer none;
  char host[1];
  EXPECT_STREQ(none.copyIn(host, 1).message(), "tilec_buffer_copy_in: 'buffer' is null");
  EXPECT_STREQ(none.copyOut(host, 1).message(), "tilec_buffer_copy_out: 'buffer' is null");
  EXPECT_STREQ(none.fill({}, 0).message(), "tilec_buffer_fill: 'buffer' is null");
  EXPECT_STREQ(none.copyFrom({}, none, 1).message(), "tilec_buffer_copy: 'to' is null");
  EXPECT_STREQ(tilec::Buffer::allocate({}, 1).error().message(),
               "tilec_buffer_create: 'device' is null");
  auto buffer = tilec::Buffer::allocate(device, 8);
  EXPECT_STREQ(buffer->copyIn(nullptr, 8).message(), "tilec_buffer_copy_in: 'host' is null");
  EXPECT_STREQ(buffer->copyOut(nullptr, 8).message(), "tilec_buffer_copy_out: 'host' is null");
}
