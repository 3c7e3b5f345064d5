//===- npy_softmax.cpp - softmax of a NumPy file -------------------*- C++ -*-===//
//
// Reads an array of float16, float32 or float64 from a .npy file, takes the softmax over its last
// axis, and writes the result. The kernels are compiled into the program, for GPUs and for the
// processor.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/npy-softmax [--device=auto|cuda|cpu] IN.npy OUT.npy
//
// `auto` is a GPU if there is one, otherwise the processor.
//
//===----------------------------------------------------------------------===//

#include "npy.h"
#include "softmax_kernels.h"

#include <cstdio>

namespace {

struct Options {
  std::string device = "auto", input, output;
};

/// Where to run: a GPU, or without one the processor.
struct Place {
  tilec::Device gpu;
};

bool parse(int argc, char **argv, Options &options) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.compare(0, 9, "--device=") == 0)
      options.device = argument.substr(9);
    else if (argument.size() > 1 && argument[0] == '-')
      return false;
    else
      files.push_back(argument);
  }
  if (files.size() != 2)
    return false;
  options.input = files[0];
  options.output = files[1];
  return options.device == "auto" || options.device == "cuda" || options.device == "cpu";
}

tilec::Status choose(const std::string &device, Place &place) {
  if (device == "cpu")
    return {};
  auto gpu = tilec::Device::open(0);
  if (gpu) {
    place.gpu = *gpu;
    return {};
  }
  bool isMissing =
      gpu.error().code() == tilec::Code::NoDriver || gpu.error().code() == tilec::Code::NoDevice;
  return device == "auto" && isMissing ? tilec::Status() : gpu.error();
}

/// Replaces `array` by its softmax over rows of `cols` elements.
template <typename T>
tilec::Status softmax(const Place &place, NpyArray &array, int64_t rows, int64_t cols) {
  size_t bytes = array.bytes.size();
  if (!place.gpu) {
    std::vector<char> out(bytes);
    tilec::Status status =
        kernels::softmax({tilec::cpuStream(), rows}, reinterpret_cast<T *>(out.data()),
                         reinterpret_cast<T *>(array.bytes.data()), cols);
    array.bytes = std::move(out);
    return status;
  }
  auto x = tilec::Buffer::allocate(place.gpu, bytes);
  if (!x)
    return x.error();
  auto out = tilec::Buffer::allocate(place.gpu, bytes);
  if (!out)
    return out.error();
  auto stream = tilec::Stream::create(place.gpu);
  if (!stream)
    return stream.error();
  tilec::Status status = x->copyInAsync(*stream, array.bytes.data(), bytes);
  if (status)
    status = kernels::softmax({*stream, rows}, out->as<T>(), x->as<T>(), cols);
  return status ? out->copyOut(array.bytes.data(), bytes, 0, *stream) : status;
}

/// The result, or an error with its text.
std::string run(const Options &options) {
  NpyArray array;
  if (std::string error = readNpy(options.input, array); !error.empty())
    return error;
  if (array.shape.empty())
    return options.input + ": the array is a single number; softmax needs an axis";
  int64_t cols = array.shape.back(), rows = 1;
  for (size_t i = 0; i + 1 < array.shape.size(); ++i)
    rows *= array.shape[i];

  Place place;
  tilec::Status status = choose(options.device, place);
  if (!status)
    return status.message();
  if (array.type == "<f4")
    status = softmax<float>(place, array, rows, cols);
  else if (array.type == "<f2")
    status = softmax<tilec::half>(place, array, rows, cols);
  else if (array.type == "<f8")
    status = softmax<double>(place, array, rows, cols);
  else
    return options.input + ": the elements are '" + array.type +
           "'; softmax takes float16 (<f2), float32 (<f4) and float64 (<f8)";
  if (!status)
    return status.message();
  std::fprintf(stderr, "softmax of %lld x %lld on %s\n", static_cast<long long>(rows),
               static_cast<long long>(cols), place.gpu ? place.gpu.name() : "the processor");
  return writeNpy(options.output, array);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--device=auto|cuda|cpu] IN.npy OUT.npy\n", argv[0]);
    return 2;
  }
  std::string error = run(options);
  if (!error.empty())
    std::fprintf(stderr, "error: %s\n", error.c_str());
  return error.empty() ? 0 : 1;
}
