//===- Stream.cpp - Streams and events of the runtime --------------------*- C++ -*-===//
//
// Streams and events are the driver's own handles, so that those of the CUDA runtime pass through
// unchanged. The functions here add the context in which a handle is valid.
//
//===-------------------------------------------------------------------------------===//

#include "Device.h"

using tilec::Driver;
namespace cu = tilec::cu;

tilec_status tilec_stream_create(tilec_device *device, int32_t non_blocking, void **stream) {
  if (!device || !stream)
    return tilec::makeNullError("tilec_stream_create", device ? "stream" : "device");
  cu::Stream created = nullptr;
  cu::Result result = tilec::inContext(*device, [&](const Driver &driver) {
    return driver.cuStreamCreate(&created,
                                 non_blocking ? cu::StreamNonBlocking : cu::StreamDefault);
  });
  if (result)
    return tilec::makeDeviceError(*device, result, "cannot create a stream");
  *stream = created;
  return nullptr;
}

void tilec_stream_destroy(tilec_device *device, void *stream) {
  if (device && stream)
    tilec::inContext(*device, [&](const Driver &driver) {
      return driver.cuStreamDestroy_v2(static_cast<cu::Stream>(stream));
    });
}

/// Synchronises with a stream of the calling thread's current context.
static tilec_status synchronizeCurrent(cu::Stream stream) {
  const Driver *driver = nullptr;
  if (tilec_status status = tilec::openDriver(driver))
    return status;
  cu::Context current = nullptr;
  cu::Result result = driver->cuCtxGetCurrent(&current);
  // Guessing a context here could wait for the wrong device and report success.
  if (!result && !current)
    return tilec::makeError(TILEC_ERROR_INVALID_ARGUMENT,
                            "cannot wait for a stream of no known device: the thread has no "
                            "current context; name the device");
  if (!result)
    result = driver->cuStreamSynchronize(stream);
  return result ? tilec::makeDriverError({driver, result, TILEC_OK}, "waiting for a stream failed")
                : nullptr;
}

tilec_status tilec_stream_synchronize(tilec_device *device, void *stream) {
  auto handle = static_cast<cu::Stream>(stream);
  if (!device)
    return synchronizeCurrent(handle);
  cu::Result result = tilec::inContext(
      *device, [&](const Driver &driver) { return driver.cuStreamSynchronize(handle); });
  return result ? tilec::makeDeviceError(*device, result, "waiting for a stream failed") : nullptr;
}

tilec_status tilec_event_create(tilec_device *device, void **event) {
  if (!device || !event)
    return tilec::makeNullError("tilec_event_create", device ? "event" : "device");
  cu::Event created = nullptr;
  cu::Result result = tilec::inContext(*device, [&](const Driver &driver) {
    return driver.cuEventCreate(&created, cu::EventDefault);
  });
  if (result)
    return tilec::makeDeviceError(*device, result, "cannot create an event");
  *event = created;
  return nullptr;
}

void tilec_event_destroy(tilec_device *device, void *event) {
  if (device && event)
    tilec::inContext(*device, [&](const Driver &driver) {
      return driver.cuEventDestroy_v2(static_cast<cu::Event>(event));
    });
}

tilec_status tilec_event_record(tilec_device *device, void *event, void *stream) {
  if (!device || !event)
    return tilec::makeNullError("tilec_event_record", device ? "event" : "device");
  cu::Result result = tilec::inContext(*device, [&](const Driver &driver) {
    return driver.cuEventRecord(static_cast<cu::Event>(event), static_cast<cu::Stream>(stream));
  });
  return result ? tilec::makeDeviceError(*device, result, "cannot record an event") : nullptr;
}

tilec_status tilec_event_synchronize(tilec_device *device, void *event) {
  if (!device || !event)
    return tilec::makeNullError("tilec_event_synchronize", device ? "event" : "device");
  cu::Result result = tilec::inContext(*device, [&](const Driver &driver) {
    return driver.cuEventSynchronize(static_cast<cu::Event>(event));
  });
  return result ? tilec::makeDeviceError(*device, result, "waiting for an event failed") : nullptr;
}

tilec_status tilec_event_elapsed(tilec_device *device, void *start, void *end,
                                 float *milliseconds) {
  if (!device || !start || !end || !milliseconds)
    return tilec::makeNullError("tilec_event_elapsed", !device  ? "device"
                                                       : !start ? "start"
                                                       : !end   ? "end"
                                                                : "milliseconds");
  float elapsed = 0;
  cu::Result result = tilec::inContext(*device, [&](const Driver &driver) {
    return driver.cuEventElapsedTime(&elapsed, static_cast<cu::Event>(start),
                                     static_cast<cu::Event>(end));
  });
  if (result)
    return tilec::makeDeviceError(*device, result, "cannot take the time between two events");
  *milliseconds = elapsed;
  return nullptr;
}
