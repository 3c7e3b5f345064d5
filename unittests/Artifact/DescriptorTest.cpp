//===- DescriptorTest.cpp - Tensors as arguments of compiled kernels ------*- C++ -*-===//
//
// Functions of a generated header take tensors for parameters that are tensor descriptors, those
// for C the parts of them. A tensor that breaks a rule is an error in both.
//
//===-------------------------------------------------------------------------------===//

#include "Support.h"
#include "descriptor_kernels.h"

#include <numeric>

namespace {

template <typename T> using Matrix = tilec::TensorDescriptor<T, 2>;

struct alignas(16) Numbers {
  float x[6 * 32];
  float y[6 * 32] = {};
  Numbers() { std::iota(x, x + 6 * 32, 0.0f); }
};

void expectBroken(const tilec::Status &status, const char *message) {
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_NE(std::string(status.message()).find(message), std::string::npos) << status.message();
}

} // namespace

TEST(DescriptorTest, FunctionsTakeTensors) {
  // Multiples of 16 and not, with rows and columns that no block ends at.
  for (int64_t columns : {32, 20, 13})
    for (int64_t rows : {1, 4, 6}) {
      Numbers numbers;
      ASSERT_TRUE(
          isFine(descriptors::scale({tilec::cpuStream()}, {numbers.y, {rows, columns}, {32, 1}},
                                    {numbers.x, {rows, columns}, {32, 1}}, 2.0f)));
      for (int64_t i = 0; i < 6 * 32; ++i) {
        bool isInside = i / 32 < rows && i % 32 < columns;
        ASSERT_EQ(numbers.y[i], isInside ? 2 * numbers.x[i] : 0) << rows << " " << columns;
      }
    }
}

TEST(DescriptorTest, ConfigurationsHaveBlocksOfTheirOwn) {
  for (int64_t block : {2, 4}) {
    Numbers numbers;
    descriptors::scale_options options{tilec::cpuStream()};
    options.ROWS = block;
    ASSERT_TRUE(isFine(descriptors::scale(options, Matrix<float>(numbers.y, {5, 32}),
                                          Matrix<float>(numbers.x, {5, 32}), -1.0f)));
    EXPECT_EQ(numbers.y[4 * 32 + 31], -numbers.x[4 * 32 + 31]);
    EXPECT_EQ(numbers.y[5 * 32], 0);
  }
}

TEST(DescriptorTest, TypesChooseTheOverload) {
  alignas(16) tilec::Half y[32], x[32];
  for (int i = 0; i < 32; ++i)
    x[i] = tilec::Half(float(i));
  // What is only read may be of const.
  const tilec::Half *from = x;
  ASSERT_TRUE(isFine(descriptors::scale({tilec::cpuStream()}, Matrix<tilec::Half>(y, {2, 16}),
                                        Matrix<const tilec::Half>(from, {2, 16}), 0.5f)));
  EXPECT_EQ(float(y[31]), 15.5f);
}

TEST(DescriptorTest, TensorsMayBeElementsOfTuples) {
  alignas(16) int32_t x[24];
  int32_t out[16] = {};
  std::iota(x, x + 24, 100);
  ASSERT_TRUE(
      isFine(descriptors::first_rows({tilec::cpuStream(), 1}, {x, {3, 8}}, /*pair_1=*/2, out)));
  EXPECT_EQ(out[7], 123);
  EXPECT_EQ(out[8], 3 + 8);
}

TEST(DescriptorTest, TensorsThatBreakARuleAreErrors) {
  Numbers numbers;
  Matrix<float> y(numbers.y, {6, 32});
  auto launch = [&](Matrix<float> x) {
    return descriptors::scale({tilec::cpuStream()}, y, x, 2.0f);
  };
  expectBroken(launch({numbers.x + 3, {1, 4}}),
               "tensor descriptor 'x': the address must be a multiple of 16 bytes, found");
  expectBroken(launch({numbers.x, {6, 30}}), "tensor descriptor 'x', axis 0: the stride must be a "
                                             "multiple of 16 bytes, in elements, found 30");
  expectBroken(launch({numbers.x, {6, -1}, {32, 1}}),
               "tensor descriptor 'x', axis 1: the size must be from 1 to 2147483647, found -1");
  expectBroken(launch({numbers.x, {6, 8}, {32, 4}}), "the last stride must be 1, found 4");
  expectBroken(descriptors::scale({tilec::cpuStream()}, {numbers.y + 1, {6, 16}}, y, 2.0f),
               "tensor descriptor 'y': the address");
  EXPECT_EQ(descriptors::scale_occupancy({tilec::cpuStream()}, y, Matrix<float>(nullptr, {0, 4}), 2)
                .error()
                .code(),
            tilec::Code::InvalidArgument);
  for (float value : numbers.y)
    EXPECT_EQ(value, 0) << "nothing ran";
  // Strides beyond 64 bits are no multiples of anything.
  int64_t large = 2147483647;
  tilec::TensorDescriptor<float, 5> beyond(numbers.x, {large, large, large, large, 4});
  EXPECT_FALSE(beyond.check("x"));
}

TEST(DescriptorTest, PartsOfCAreChecked) {
  Numbers numbers;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.flags = TILEC_LAUNCH_CPU;
  auto launch = [&](float *y, int32_t rows, int64_t stride) {
    return tilec::Status(
        descriptors_scale(&options, nullptr, y, rows, 32, stride, numbers.x, rows, 32, 32, 2.0f));
  };
  EXPECT_TRUE(isFine(launch(numbers.y, 6, 32)));
  EXPECT_EQ(numbers.y[6 * 32 - 1], 2 * numbers.x[6 * 32 - 1]);
  for (const tilec::Status &status :
       {launch(numbers.y + 1, 6, 32), launch(numbers.y, 0, 32), launch(numbers.y, 6, 33)}) {
    EXPECT_EQ(status.code(), tilec::Code::NoConfig);
    EXPECT_NE(std::string(status.message())
                  .find("ROWS=2 if y_base % 16 == 0 and y_shape_0 > 0 and y_shape_1 > 0 and "
                        "y_strides_0 % 4 == 0 and x_base % 16 == 0"),
              std::string::npos)
        << status.message();
  }
}
