//===- DLPackTest.cpp - Arguments of kernels from DLPack's tensors --------------------===//
//
// What dlpack.h takes out of a DLTensor, and every error that it makes of one.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/dlpack.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

using tilec::DLArguments;
using tilec::TensorLayout;

namespace {

/// A DLTensor with memory, sizes and strides of its own.
struct OwnedTensor {
  explicit OwnedTensor(std::vector<int64_t> sizes, std::vector<int64_t> steps = {})
      : shape(std::move(sizes)), strides(std::move(steps)) {
    dl.data = memory;
    dl.device = {kDLCPU, 0};
    dl.dtype = {kDLFloat, 32, 1};
  }
  operator const DLTensor &() {
    dl.ndim = int32_t(shape.size());
    dl.shape = shape.data();
    dl.strides = strides.empty() ? nullptr : strides.data();
    return dl;
  }

  alignas(64) char memory[256];
  std::vector<int64_t> shape, strides;
  DLTensor dl{};
};

/// The first error after `call`, or "success".
template <typename Call> std::string errorOf(Call call) {
  DLArguments arguments;
  call(arguments);
  EXPECT_EQ(bool(arguments), arguments.status().code() == tilec::Code::Ok);
  if (!arguments) {
    EXPECT_EQ(arguments.status().code(), tilec::Code::InvalidArgument);
  }
  return arguments.status().message();
}

template <typename T>
std::string errorOfPointer(const DLTensor &tensor, TensorLayout layout = TensorLayout::Contiguous,
                           unsigned alignment = 0) {
  return errorOf([&](DLArguments &arguments) {
    T *pointer = arguments.pointer<T>("x", tensor, layout, alignment);
    EXPECT_EQ(pointer != nullptr, bool(arguments));
  });
}

template <typename T, unsigned rank> std::string errorOfDescriptor(const DLTensor &tensor) {
  return errorOf([&](DLArguments &arguments) {
    auto descriptor = arguments.descriptor<T, rank>("x", tensor);
    EXPECT_EQ(descriptor.data() != nullptr, bool(arguments));
  });
}

TEST(DLPack, PointersHaveTheOffset) {
  OwnedTensor x({2, 3});
  x.dl.byte_offset = 8;
  DLArguments arguments;
  EXPECT_EQ(arguments.pointer<const float>("x", x), reinterpret_cast<float *>(x.memory + 8));
  EXPECT_EQ(arguments.pointer<const void>("x", x), x.memory + 8);
  EXPECT_TRUE(bool(arguments)) << arguments.status().message();
  EXPECT_EQ(arguments.device(), -1);
}

TEST(DLPack, ElementsAreThoseOfTheFunction) {
  struct Row {
    uint8_t code, bits;
    std::string (*error)(const DLTensor &, TensorLayout, unsigned);
  };
  const Row rows[] = {
      {6, 8, errorOfPointer<bool>},
      {0, 8, errorOfPointer<int8_t>},
      {0, 16, errorOfPointer<int16_t>},
      {0, 32, errorOfPointer<int32_t>},
      {0, 64, errorOfPointer<int64_t>},
      {1, 8, errorOfPointer<uint8_t>},
      {1, 16, errorOfPointer<uint16_t>},
      {1, 32, errorOfPointer<uint32_t>},
      {1, 64, errorOfPointer<uint64_t>},
      {2, 16, errorOfPointer<tilec::half>},
      {4, 16, errorOfPointer<tilec::bfloat16>},
      {2, 32, errorOfPointer<float>},
      {2, 64, errorOfPointer<double>},
      {12, 8, errorOfPointer<tilec::float8e5>},
      {10, 8, errorOfPointer<tilec::float8e4nv>},
  };
  OwnedTensor x({4});
  for (const Row &wanted : rows)
    for (const Row &found : rows) {
      x.dl.dtype.code = found.code;
      x.dl.dtype.bits = found.bits;
      EXPECT_EQ(wanted.error(x, TensorLayout::Contiguous, 0) == "success", &wanted == &found)
          << int(wanted.code) << " " << int(wanted.bits) << " " << int(found.code);
    }
}

TEST(DLPack, OtherElementsAreErrors) {
  OwnedTensor x({4});
  EXPECT_EQ(errorOfPointer<tilec::half>(x), "argument 'x': wanted elements of fp16, found fp32");
  x.dl.dtype = {kDLInt, 64, 1};
  EXPECT_EQ(errorOfPointer<const double>(x), "argument 'x': wanted elements of fp64, found i64");
  x.dl.dtype = {kDLFloat, 32, 4};
  EXPECT_EQ(errorOfPointer<float>(x),
            "argument 'x': wanted elements of fp32, found DLPack's type 2 of 32 bits, 4 lanes");
}

TEST(DLPack, LayoutsAreChecked) {
  OwnedTensor x({2, 3}, {4, 1});
  EXPECT_EQ(errorOfPointer<float>(x), "argument 'x': wanted contiguous elements, found strides "
                                      "[4, 1] of sizes [2, 3]");
  EXPECT_EQ(errorOfPointer<float>(x, TensorLayout::Rows), "success");
  x.strides = {1, 2};
  EXPECT_EQ(errorOfPointer<float>(x, TensorLayout::Rows),
            "argument 'x': wanted a last stride of 1, found strides [1, 2] of sizes [2, 3]");
  EXPECT_EQ(errorOfPointer<float>(x, TensorLayout::Strided), "success");
  x.strides = {0, 1};
  EXPECT_EQ(errorOfPointer<float>(x, TensorLayout::Rows),
            "argument 'x': wanted memory of its own for each element that is written, found "
            "strides [0, 1] of sizes [2, 3]");
  EXPECT_EQ(errorOfPointer<const float>(x, TensorLayout::Rows), "success");
}

TEST(DLPack, StridesOfOneElementDoNotCount) {
  OwnedTensor x({2, 1, 3}, {3, 77, 1});
  EXPECT_EQ(errorOfPointer<float>(x), "success");
  OwnedTensor empty({2, 0, 3}, {5, 7, 9});
  EXPECT_EQ(errorOfPointer<const float>(empty), "success");
  OwnedTensor scalar({});
  EXPECT_EQ(errorOfPointer<float>(scalar), "success");
}

TEST(DLPack, TensorsWithoutElementsNeedNoMemory) {
  OwnedTensor x({0});
  x.dl.data = nullptr;
  DLArguments arguments;
  EXPECT_EQ(arguments.pointer<float>("x", x), nullptr);
  EXPECT_TRUE(bool(arguments)) << arguments.status().message();
  x.shape = {1};
  EXPECT_EQ(errorOfPointer<float>(x), "argument 'x': wanted a tensor in memory, found null");
}

TEST(DLPack, AddressesAreAligned) {
  OwnedTensor x({2});
  x.dl.byte_offset = 4;
  EXPECT_EQ(errorOfPointer<float>(x), "success");
  EXPECT_NE(errorOfPointer<float>(x, TensorLayout::Contiguous, 16)
                .find("argument 'x': wanted an address that is a multiple of 16 bytes, found 0x"),
            std::string::npos);
  x.dl.byte_offset = 2;
  EXPECT_NE(errorOfPointer<float>(x).find("a multiple of 4 bytes"), std::string::npos);
}

TEST(DLPack, AllAreOnOneDevice) {
  OwnedTensor x({2}), y({2});
  y.dl.device = {kDLCUDA, 1};
  DLArguments arguments;
  EXPECT_NE(arguments.pointer<float>("x", x), nullptr);
  EXPECT_EQ(arguments.pointer<float>("y", y), nullptr);
  EXPECT_STREQ(arguments.status().message(),
               "argument 'y': wanted on the CPU, as 'x', found on cuda:1");
  // Later errors do not replace the first one.
  EXPECT_EQ(arguments.pointer<double>("x", x), nullptr);
  EXPECT_STREQ(arguments.status().message(),
               "argument 'y': wanted on the CPU, as 'x', found on cuda:1");
  x.dl.device = {kDLCUDA, 0};
  EXPECT_EQ(errorOf([&](DLArguments &arguments) {
              arguments.pointer<float>("y", y);
              arguments.size("x", x, 0);
            }),
            "argument 'x': wanted on cuda:1, as 'y', found on cuda:0");
}

TEST(DLPack, DevicesAreThoseOfLaunches) {
  OwnedTensor x({2});
  x.dl.device = {kDLVulkan, 3};
  EXPECT_EQ(errorOfPointer<float>(x), "argument 'x': wanted memory of the CPU or of a CUDA GPU, "
                                      "found DLPack's device 7:3");
  auto launchOptions = [](DLDevice device) {
    OwnedTensor x({2});
    x.dl.device = device;
    DLArguments arguments;
    EXPECT_NE(arguments.pointer<float>("x", x), nullptr);
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
    arguments.stream(reinterpret_cast<CUstream_st *>(0x40)).apply(options);
    return options;
  };
  for (DLDeviceType type : {kDLCPU, kDLCUDAHost})
    EXPECT_EQ(launchOptions({type, 0}).flags, uint32_t(TILEC_LAUNCH_CPU));
  for (DLDeviceType type : {kDLCUDA, kDLCUDAManaged}) {
    EXPECT_EQ(launchOptions({type, 1}).flags, 0u);
    EXPECT_EQ(launchOptions({type, 1}).stream, reinterpret_cast<void *>(0x40));
  }
}

TEST(DLPack, BrokenTensorsAreErrors) {
  OwnedTensor x({2, -1});
  EXPECT_EQ(errorOfPointer<float>(x),
            "argument 'x': wanted a tensor, found 2 axes with missing or negative sizes");
  DLTensor none{};
  none.device = {kDLCPU, 0};
  none.ndim = 1;
  EXPECT_EQ(errorOfPointer<float>(none),
            "argument 'x': wanted a tensor, found 1 axes with missing or negative sizes");
}

TEST(DLPack, SizesAndStridesAreNumbers) {
  OwnedTensor x({2, 3}, {8, 1}), compact({2, 3});
  DLArguments arguments;
  EXPECT_EQ(arguments.size("x", x, 0), 2);
  EXPECT_EQ(arguments.size<int64_t>("x", x, -1), 3);
  EXPECT_EQ(arguments.stride("x", x, 0), 8);
  EXPECT_EQ(arguments.stride("compact", compact, -2), 3);
  EXPECT_EQ(arguments.elements("x", x), 6);
  EXPECT_TRUE(bool(arguments)) << arguments.status().message();
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.size("x", x, 2); }),
            "argument 'x': wanted an axis 2, found 2 axes");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.stride("x", x, -3); }),
            "argument 'x': wanted an axis -3, found 2 axes");
}

TEST(DLPack, NumbersFit) {
  OwnedTensor x({int64_t(1) << 31, int64_t(1) << 32}, {-1, 1});
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.size("x", x, 0); }),
            "argument 'x': wanted a size of 32 bits, found 2147483648");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.size<uint32_t>("x", x, 0); }),
            "success");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.stride<uint64_t>("x", x, 0); }),
            "argument 'x': wanted a stride of 64 bits, found -1");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.elements<int64_t>("x", x); }),
            "argument 'x': wanted fewer than 2^63 elements");
  x.shape[1] = 2;
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.elements("x", x); }),
            "argument 'x': wanted a number of elements of 32 bits, found 4294967296");
}

TEST(DLPack, ShapesAreChecked) {
  OwnedTensor x({2, 3});
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.shape("x", x, {-1, 3}); }), "success");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.shape("x", x, {-1, 4}); }),
            "argument 'x': wanted sizes [*, 4], found [2, 3]");
  EXPECT_EQ(errorOf([&](DLArguments &arguments) { arguments.shape("x", x, {2}); }),
            "argument 'x': wanted sizes [2], found [2, 3]");
}

TEST(DLPack, DescriptorsHaveSizesAndStrides) {
  OwnedTensor x({2, 3}, {8, 1});
  DLArguments arguments;
  auto descriptor = arguments.descriptor<const float, 2>("x", x);
  EXPECT_TRUE(bool(arguments)) << arguments.status().message();
  EXPECT_EQ(static_cast<const void *>(descriptor.data()), x.memory);
  EXPECT_EQ(descriptor.size(0), 2);
  EXPECT_EQ(descriptor.size(1), 3);
  EXPECT_EQ(descriptor.stride(0), 8);
  EXPECT_EQ(descriptor.stride(1), 1);
}

TEST(DLPack, DescriptorsTakeAnyStrideOfOneElement) {
  OwnedTensor x({1, 3, 1, 1}, {5, 8, 7, 9});
  DLArguments arguments;
  auto descriptor = arguments.descriptor<float, 4>("x", x);
  EXPECT_TRUE(bool(arguments)) << arguments.status().message();
  EXPECT_EQ(descriptor.stride(0), 24);
  EXPECT_EQ(descriptor.stride(1), 8);
  EXPECT_EQ(descriptor.stride(2), 4);
  EXPECT_EQ(descriptor.stride(3), 1);
}

TEST(DLPack, DescriptorsHaveRules) {
  OwnedTensor x({2, 3}, {8, 1});
  EXPECT_EQ((errorOfDescriptor<float, 3>(x)), "argument 'x': wanted 3 axes, found 2");
  EXPECT_EQ((errorOfDescriptor<tilec::half, 2>(x)),
            "argument 'x': wanted elements of fp16, found fp32");
  x.strides = {6, 1};
  EXPECT_EQ((errorOfDescriptor<float, 2>(x)),
            "tensor descriptor 'x', axis 0: the stride must be a multiple of 16 bytes, in "
            "elements, found 6");
  x.strides = {0, 1};
  EXPECT_NE((errorOfDescriptor<float, 2>(x)).find("memory of its own"), std::string::npos);
}

TEST(DLPack, CallsForTheElementsType) {
  OwnedTensor x({2});
  auto bytesOf = [&](const DLTensor &tensor) {
    size_t bytes = 0;
    std::string error = errorOf([&](DLArguments &arguments) {
      arguments.withElement<float, tilec::half, tilec::bfloat16>(
          "x", tensor, [&](auto zero) { bytes += sizeof(zero); });
    });
    return std::make_pair(bytes, error);
  };
  EXPECT_EQ(bytesOf(x), std::make_pair(size_t(4), std::string("success")));
  x.dl.dtype = {kDLBfloat, 16, 1};
  EXPECT_EQ(bytesOf(x), std::make_pair(size_t(2), std::string("success")));
  x.dl.dtype = {kDLInt, 32, 1};
  EXPECT_EQ(bytesOf(x),
            std::make_pair(size_t(0), std::string("argument 'x': wanted elements of fp32, fp16 or "
                                                  "bf16, found i32")));
}

} // namespace
