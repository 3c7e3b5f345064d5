//===- array.h - Arrays where an example runs ---------------------*- C++ -*-===//
//
// Memory of the GPU or of the processor behind one interface, so that a program is written once for
// both, and the time of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_EXAMPLES_ARRAY_H
#define TILEC_EXAMPLES_ARRAY_H

#include "example.h"

#include <memory>

/// `size` elements at a place. Copies refer to the same elements.
template <typename T> class Array {
public:
  Array() = default;

  /// Elements that are not set yet.
  static tilec::Expected<Array> make(const Place &place, size_t size) {
    Array array;
    array.count = size;
    if (!place.isGpu()) {
      array.host = std::make_shared<std::vector<T>>(size);
      return array;
    }
    auto buffer = tilec::Buffer::allocate(place.device(), size * sizeof(T));
    if (!buffer)
      return buffer.error();
    array.buffer = std::move(*buffer);
    return array;
  }
  /// A copy of `values`.
  static tilec::Expected<Array> make(const Place &place, const std::vector<T> &values) {
    auto array = make(place, values.size());
    if (!array)
      return array;
    tilec::Status status;
    if (array->host)
      *array->host = values;
    else
      status = array->buffer.copyIn(values.data(), values.size() * sizeof(T));
    if (!status)
      return status;
    return array;
  }

  size_t size() const { return count; }
  /// The address for launches at the array's place.
  T *data() const { return host ? host->data() : buffer.template as<T>(); }
  /// Copies all elements to the processor, when all launches before are done.
  tilec::Status copyOut(std::vector<T> &values) const {
    values.resize(count);
    if (!host)
      return buffer.copyOut(values.data(), count * sizeof(T));
    values = *host;
    return {};
  }

private:
  size_t count = 0;
  std::shared_ptr<std::vector<T>> host;
  tilec::Buffer buffer;
};

/// Makes an array and puts it into `array`.
template <typename T, typename Contents>
tilec::Status makeArray(const Place &place, const Contents &contents, Array<T> &array) {
  auto made = Array<T>::make(place, contents);
  if (made)
    array = std::move(*made);
  return made.error();
}

/// Milliseconds that `launch` takes at `place`.
template <typename Launch> tilec::Expected<float> timeAt(const Place &place, Launch launch) {
  return place.isGpu() ? timeOnGpu(place.device(), launch) : timeOnCpu(launch);
}

/// `count` numbers from -1 to 1 as bfloat16, others for each `seed`.
inline std::vector<tilec::BFloat16> randomBFloat16(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<tilec::BFloat16> values(count);
  for (tilec::BFloat16 &value : values)
    value = tilec::BFloat16(float(generator()) * 0x1p-31f - 1);
  return values;
}

inline std::vector<double> toDouble(const std::vector<tilec::BFloat16> &values) {
  std::vector<double> wide;
  wide.reserve(values.size());
  for (tilec::BFloat16 value : values)
    wide.push_back(double(float(value)));
  return wide;
}

#endif // TILEC_EXAMPLES_ARRAY_H
