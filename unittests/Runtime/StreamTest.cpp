//===- StreamTest.cpp - Streams and events -------------------------------*- C++ -*-===//
//
// Streams of our own and of others, and timing.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

using StreamTest = MockTest;

TEST_F(StreamTest, createdStreamsAreDestroyed) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto stream = tilec::Stream::create(*device);
  ASSERT_TRUE(stream);
  auto other = tilec::Stream::create(*device, true);
  ASSERT_TRUE(other);
  EXPECT_NE(stream->get(), other->get());
  EXPECT_EQ(mock().live().streams, 2);
  tilec::Stream moved = std::move(*stream);
  EXPECT_EQ(stream->get(), nullptr);
  EXPECT_TRUE(moved.synchronize());
  moved = std::move(*other);
  EXPECT_EQ(other->get(), nullptr); // what was moved from is empty, and holds on to nothing
  EXPECT_EQ(mock().live().streams, 1);
  EXPECT_TRUE(moved.synchronize());

  auto event = tilec::Event::create(*device);
  auto second = tilec::Event::create(*device);
  ASSERT_TRUE(event && second);
  *event = std::move(*second);
  EXPECT_TRUE(*event);
  EXPECT_FALSE(*second);
}

TEST_F(StreamTest, wrappedStreamsStay) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto owner = tilec::Stream::create(*device);
  ASSERT_TRUE(owner);
  {
    tilec::Stream typed(static_cast<CUstream_st *>(owner->get()));
    tilec::Stream untyped = tilec::Stream::wrap(owner->get(), *device);
    EXPECT_EQ(typed.get(), owner->get());
    EXPECT_TRUE(untyped.synchronize());
  }
  EXPECT_EQ(mock().live().streams, 1);
}

TEST_F(StreamTest, waitingNeedsADeviceOrAContext) {
  tilec::Status status = tilec::Stream().synchronize();
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_STREQ(status.message(), "cannot wait for a stream of no known device: the thread has no "
                                 "current context; name the device");
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  mock().push(device->context());
  EXPECT_TRUE(tilec::Stream().synchronize());
  mock().fail("cuStreamSynchronize", 1);
  EXPECT_STREQ(tilec::Stream().synchronize().message(),
               "waiting for a stream failed: CUDA_ERROR_INVALID_VALUE: invalid argument");
  EXPECT_STREQ(device->defaultStream().synchronize().message(),
               "waiting for a stream failed on device 0 (Mock GPU 0): CUDA_ERROR_INVALID_VALUE: "
               "invalid argument");
  mock().pop();
}

TEST_F(StreamTest, eventsTakeTheTime) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto start = tilec::Event::create(*device), end = tilec::Event::create(*device);
  ASSERT_TRUE(start && end);
  EXPECT_FALSE(end->since(*start)); // not recorded yet
  EXPECT_TRUE(start->record());
  EXPECT_TRUE(end->record());
  EXPECT_TRUE(end->synchronize());
  auto elapsed = end->since(*start);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 0);
  tilec::Event moved = std::move(*end);
  EXPECT_TRUE(bool(moved));
  EXPECT_FALSE(bool(*end));
  EXPECT_EQ(mock().live().events, 2);
}

TEST_F(StreamTest, failuresOfTheDriver) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto event = tilec::Event::create(*device);
  ASSERT_TRUE(event);
  const std::string tail = " on device 0 (Mock GPU 0): CUDA_ERROR_INVALID_VALUE: invalid argument";
  for (const char *function : {"cuStreamCreate", "cuEventCreate", "cuEventRecord",
                               "cuEventSynchronize", "cuEventElapsedTime"})
    mock().fail(function, 1);
  EXPECT_EQ(tilec::Stream::create(*device).error().message(), "cannot create a stream" + tail);
  EXPECT_EQ(tilec::Event::create(*device).error().message(), "cannot create an event" + tail);
  EXPECT_EQ(event->record().message(), "cannot record an event" + tail);
  EXPECT_EQ(event->synchronize().message(), "waiting for an event failed" + tail);
  EXPECT_EQ(event->since(*event).error().message(),
            "cannot take the time between two events" + tail);
}

TEST_F(StreamTest, emptyObjectsAreErrors) {
  tilec::Event none;
  EXPECT_STREQ(none.record().message(), "tilec_event_record: 'device' is null");
  EXPECT_STREQ(none.synchronize().message(), "tilec_event_synchronize: 'device' is null");
  EXPECT_STREQ(none.since(none).error().message(), "tilec_event_elapsed: 'device' is null");
  EXPECT_STREQ(tilec::Stream::create({}).error().message(),
               "tilec_stream_create: 'device' is null");
  EXPECT_STREQ(tilec::Event::create({}).error().message(), "tilec_event_create: 'device' is null");
}
