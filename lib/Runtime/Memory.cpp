//===- Memory.cpp - Device memory of the runtime -------------------------*- C++ -*-===//
//
// Buffers: allocation, and copies and fills in a stream's order. Ranges are checked here, because a
// device write outside its allocation is not reported where it happens, if at all.
//
//===-------------------------------------------------------------------------------===//

#include "Device.h"

#include <cstdlib>
#include <new>

struct tilec_buffer {
  std::atomic<uint32_t> references;
  tilec_device *device;
  tilec::cu::DevicePtr address;
  size_t bytes;
};

namespace tilec {

/// The message of a failed allocation, with what was asked for and what there was.
static tilec_status makeMemoryError(tilec_device &device, cu::Result result, size_t bytes) {
  size_t freeBytes = 0, totalBytes = 0;
  cu::Result known = inContext(device, [&](const Driver &driver) {
    return driver.cuMemGetInfo_v2(&freeBytes, &totalBytes);
  });
  if (result != cu::ErrorOutOfMemory || known != cu::Success)
    return makeDriverError({device.driver, result, TILEC_OK},
                           "cannot allocate %zu bytes on device %d (%s)", bytes,
                           device.info.ordinal, device.name);
  return makeDriverError({device.driver, result, TILEC_OK},
                         "out of memory on device %d (%s): asked for %zu bytes, %zu free of %zu",
                         device.info.ordinal, device.name, bytes, freeBytes, totalBytes);
}

/// Null when `bytes` bytes at `offset` lie inside the buffer.
static tilec_status checkRange(const tilec_buffer &buffer, size_t offset, size_t bytes,
                               const char *what) {
  if (offset <= buffer.bytes && bytes <= buffer.bytes - offset)
    return nullptr;
  return makeError(TILEC_ERROR_INVALID_ARGUMENT,
                   "%s of %zu bytes at offset %zu is outside a buffer of %zu bytes", what, bytes,
                   offset, buffer.bytes);
}

/// Does `call` on the device, after checking the range; nothing for 0 bytes.
template <typename Call>
static tilec_status transfer(tilec_buffer &buffer, size_t offset, size_t bytes, const char *what,
                             Call call) {
  if (tilec_status status = checkRange(buffer, offset, bytes, what))
    return status;
  if (bytes == 0)
    return nullptr;
  cu::Result result = inContext(*buffer.device, call);
  if (!result)
    return nullptr;
  return makeDriverError({buffer.device->driver, result, TILEC_OK},
                         "%s of %zu bytes failed on device %d (%s)", what, bytes,
                         buffer.device->info.ordinal, buffer.device->name);
}

} // namespace tilec

tilec_status tilec_buffer_create(tilec_device *device, size_t bytes, tilec_buffer **buffer) {
  if (!device || !buffer)
    return tilec::makeNullError("tilec_buffer_create", device ? "buffer" : "device");
  void *memory = malloc(sizeof(tilec_buffer));
  if (!memory)
    return tilec::makeError(TILEC_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer object");
  auto *created = new (memory) tilec_buffer{{1}, nullptr, 0, bytes};
  // The driver refuses to allocate nothing; an empty tensor is no error, though.
  if (bytes != 0) {
    tilec::cu::Result result = tilec::inContext(*device, [&](const tilec::Driver &driver) {
      return driver.cuMemAlloc_v2(&created->address, bytes);
    });
    if (result) {
      free(created);
      return tilec::makeMemoryError(*device, result, bytes);
    }
  }
  created->device = tilec_device_retain(device);
  *buffer = created;
  return nullptr;
}

tilec_buffer *tilec_buffer_retain(tilec_buffer *buffer) { return tilec::retainObject(buffer); }

void tilec_buffer_release(tilec_buffer *buffer) {
  if (!tilec::releaseObject(buffer))
    return;
  if (buffer->address)
    tilec::inContext(*buffer->device, [&](const tilec::Driver &driver) {
      return driver.cuMemFree_v2(buffer->address);
    });
  tilec_device_release(buffer->device);
  free(buffer);
}

uint64_t tilec_buffer_address(const tilec_buffer *buffer) { return buffer ? buffer->address : 0; }

size_t tilec_buffer_bytes(const tilec_buffer *buffer) { return buffer ? buffer->bytes : 0; }

tilec_status tilec_buffer_copy_in(tilec_buffer *buffer, size_t offset, const void *host,
                                  size_t bytes, void *stream) {
  if (!buffer || (!host && bytes != 0))
    return tilec::makeNullError("tilec_buffer_copy_in", buffer ? "host" : "buffer");
  return tilec::transfer(*buffer, offset, bytes, "copy to the device", [&](const auto &driver) {
    return driver.cuMemcpyHtoDAsync_v2(buffer->address + offset, host, bytes,
                                       static_cast<tilec::cu::Stream>(stream));
  });
}

tilec_status tilec_buffer_copy_out(tilec_buffer *buffer, size_t offset, void *host, size_t bytes,
                                   void *stream) {
  if (!buffer || (!host && bytes != 0))
    return tilec::makeNullError("tilec_buffer_copy_out", buffer ? "host" : "buffer");
  return tilec::transfer(*buffer, offset, bytes, "copy from the device", [&](const auto &driver) {
    return driver.cuMemcpyDtoHAsync_v2(host, buffer->address + offset, bytes,
                                       static_cast<tilec::cu::Stream>(stream));
  });
}

tilec_status tilec_buffer_copy(tilec_buffer *to, size_t to_offset, tilec_buffer *from,
                               size_t from_offset, size_t bytes, void *stream) {
  if (!to || !from)
    return tilec::makeNullError("tilec_buffer_copy", to ? "from" : "to");
  if (to->device->context != from->device->context)
    return tilec::makeError(TILEC_ERROR_INVALID_ARGUMENT,
                            "copy between contexts: the target is on device %d, the source on "
                            "device %d; go through host memory",
                            to->device->info.ordinal, from->device->info.ordinal);
  if (tilec_status status = tilec::checkRange(*from, from_offset, bytes, "copy"))
    return status;
  return tilec::transfer(*to, to_offset, bytes, "copy", [&](const auto &driver) {
    return driver.cuMemcpyDtoDAsync_v2(to->address + to_offset, from->address + from_offset, bytes,
                                       static_cast<tilec::cu::Stream>(stream));
  });
}

tilec_status tilec_buffer_fill(tilec_buffer *buffer, size_t offset, size_t bytes, uint8_t value,
                               void *stream) {
  if (!buffer)
    return tilec::makeNullError("tilec_buffer_fill", "buffer");
  return tilec::transfer(*buffer, offset, bytes, "fill", [&](const auto &driver) {
    return driver.cuMemsetD8Async(buffer->address + offset, value, bytes,
                                  static_cast<tilec::cu::Stream>(stream));
  });
}
