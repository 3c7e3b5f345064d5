//===- HostReduceTest.cpp - reductions of every shape and type -*- C++ -*-===//
//
// Loads a whole tile, reduces it along one axis, stores the result, and compares with the same
// reduction in double precision (or exactly, for integers).
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <cmath>
#include <limits>

using namespace tilec;

namespace {

using Shape = std::vector<int64_t>;

int64_t product(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string tileType(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// Operations that compute %NAME: the row-major offsets of a tile of `shape`, as i32.
std::string offsetsText(const Shape &shape, const std::string &name) {
  std::string text, sum;
  std::string type = tileType(shape, "i32");
  int64_t stride = product(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    stride /= shape[dim];
    std::string id = name + std::to_string(dim);
    text += "  %" + id + "r = tile.make_range 0 to " + std::to_string(shape[dim]) + " : " +
            tileType({shape[dim]}, "i32") + "\n";
    Shape partial = {shape[dim]};
    std::string last = id + "r";
    // Dimensions in front, then behind.
    for (size_t other = 0; other < shape.size(); ++other) {
      if (other == dim)
        continue;
      Shape next = partial;
      size_t axis = other < dim ? 0 : next.size();
      next.insert(next.begin() + axis, 1);
      std::string now = id + "e" + std::to_string(other);
      text += "  %" + now + " = tile.expand_dims %" + last + " axis " + std::to_string(axis) +
              " : " + tileType(partial, "i32") + " -> " + tileType(next, "i32") + "\n";
      partial = next;
      last = now;
    }
    text += "  %" + id + "b = tile.broadcast %" + last + " : " + tileType(partial, "i32") + " -> " +
            type + "\n";
    text +=
        "  %" + id + "c = arith.constant dense<" + std::to_string(stride) + "> : " + type + "\n";
    text += "  %" + id + "m = arith.muli %" + id + "b, %" + id + "c : " + type + "\n";
    if (dim == 0) {
      sum = id + "m";
      continue;
    }
    text += "  %" + id + "s = arith.addi %" + sum + ", %" + id + "m : " + type + "\n";
    sum = id + "s";
  }
  return text + "  %" + name + "z = arith.constant dense<0> : " + type + "\n  %" + name +
         " = arith.addi %" + sum + ", %" + name + "z : " + type + "\n";
}

std::string pointersText(const Shape &shape, const std::string &element, const std::string &base,
                         const std::string &offsets) {
  std::string type = tileType(shape, "!tile.ptr<" + element + ">");
  return "  %" + base + "b = tile.splat %" + base + " : !tile.ptr<" + element + "> -> " + type +
         "\n  %" + base + "p = tile.addptr %" + base + "b, %" + offsets + " : " + type + ", " +
         tileType(shape, "i32") + "\n";
}

/// A kernel (%x, %y) that reduces a tile with `combine`, a function of %a and %b that makes %c.
std::string reduceText(const Shape &shape, unsigned axis, const std::string &element,
                       const std::string &combine) {
  Shape rest = shape;
  rest.erase(rest.begin() + axis);
  std::string in = tileType(shape, element);
  std::string out = rest.empty() ? element : tileType(rest, element);
  std::string text = "func.func @k(%x: !tile.ptr<" + element + ">, %y: !tile.ptr<" + element +
                     ">) attributes {tile.kernel} {\n" + offsetsText(shape, "o") +
                     pointersText(shape, element, "x", "o") +
                     "  %v = tile.load %xp : " + tileType(shape, "!tile.ptr<" + element + ">") +
                     "\n  %r = tile.reduce(%v) axis " + std::to_string(axis) + " : (" + in +
                     ") -> " + out + " {\n  ^bb0(%a: " + element + ", %b: " + element + "):\n    " +
                     replaceAll(combine, "TE", element) + "\n    tile.yield %c : " + element +
                     "\n  }\n";
  if (rest.empty())
    return text + "  tile.store %y, %r : !tile.ptr<" + element + ">\n  return\n}\n";
  return text + offsetsText(rest, "q") + pointersText(rest, element, "y", "q") +
         "  tile.store %yp, %r : " + tileType(rest, "!tile.ptr<" + element + ">") +
         "\n  return\n}\n";
}

const Shape shapes[] = {{1},        {2},       {16},         {64},      {128},      {1024},
                        {65536},    {1, 1},    {1, 8},       {8, 1},    {4, 4},     {16, 128},
                        {128, 16},  {2, 1024}, {512, 2},     {128, 64}, {4, 8, 16}, {2, 64, 128},
                        {64, 2, 4}, {8, 1, 4}, {2, 4, 8, 16}};

/// Reduces `x` (of `shape`) along `axis` by `combine` in double precision.
std::vector<double> reference(const std::vector<double> &x, const Shape &shape, unsigned axis,
                              double (*combine)(double, double)) {
  int64_t inner = 1, outer = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    (dim < axis ? outer : inner) *= dim == axis ? 1 : shape[dim];
  std::vector<double> result;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t k = 0; k < inner; ++k) {
      double value = x[i * shape[axis] * inner + k];
      for (int64_t j = 1; j < shape[axis]; ++j)
        value = combine(value, x[(i * shape[axis] + j) * inner + k]);
      result.push_back(value);
    }
  return result;
}

double sum(double a, double b) { return a + b; }
double maximum(double a, double b) { return std::fmax(a, b); }

template <typename T> struct TypeName;
template <> struct TypeName<float> {
  static constexpr const char *text = "f32";
};
template <> struct TypeName<double> {
  static constexpr const char *text = "f64";
};
template <> struct TypeName<int8_t> {
  static constexpr const char *text = "i8";
};
template <> struct TypeName<int16_t> {
  static constexpr const char *text = "i16";
};
template <> struct TypeName<int32_t> {
  static constexpr const char *text = "i32";
};
template <> struct TypeName<int64_t> {
  static constexpr const char *text = "i64";
};

/// Runs one reduction and returns results and reference.
template <typename T>
void checkReduction(const Shape &shape, unsigned axis, const std::string &combine,
                    double (*function)(double, double), double tolerance) {
  auto kernel = compileText(reduceText(shape, axis, TypeName<T>::text, combine));
  ASSERT_TRUE(kernel);
  std::vector<T> x(product(shape));
  std::vector<double> wide(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    wide[i] = x[i] =
        T(double(int64_t(i * 2654435761u % 2001) - 1000) / (tolerance > 0 ? 256 : 500));
  std::vector<T> y(x.size() / shape[axis] + 1, T(77));
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data())});
  std::vector<double> expected = reference(wide, shape, axis, function);
  for (size_t i = 0; i < expected.size(); ++i)
    if (tolerance > 0)
      ASSERT_NEAR(double(y[i]), expected[i], tolerance * shape[axis])
          << axis << " of " << tileType(shape, "");
    else
      ASSERT_EQ(y[i], T(int64_t(expected[i]))) << axis << " of " << tileType(shape, "");
  EXPECT_EQ(double(y.back()), 77.0);
}

} // namespace

TEST(HostReduce, FloatSumsAndMaximaOfEveryShape) {
  for (const Shape &shape : shapes)
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      checkReduction<float>(shape, axis, "%c = arith.addf %a, %b : TE", sum, 1e-7);
      checkReduction<float>(shape, axis, "%c = arith.maxnumf %a, %b : TE", maximum, 1e-9);
    }
}

TEST(HostReduce, OtherTypes) {
  for (const Shape &shape : {Shape{256}, Shape{8, 64}, Shape{64, 8}})
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      checkReduction<double>(shape, axis, "%c = arith.addf %a, %b : TE", sum, 1e-15);
      checkReduction<int8_t>(shape, axis, "%c = arith.maxsi %a, %b : TE", maximum, 0);
      checkReduction<int16_t>(shape, axis, "%c = arith.addi %a, %b : TE", sum, 0);
      checkReduction<int32_t>(shape, axis, "%c = arith.addi %a, %b : TE", sum, 0);
      checkReduction<int64_t>(shape, axis, "%c = arith.maxsi %a, %b : TE", maximum, 0);
    }
}

TEST(HostReduce, RegionsThatAreNotOneOperation) {
  // As above, written so that no known operation is recognised, and with one that vectors lack.
  for (const Shape &shape : {Shape{4}, Shape{512}, Shape{8, 64}, Shape{64, 8}})
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      checkReduction<float>(shape, axis,
                            "%g = arith.cmpf ogt, %a, %b : TE\n %c = arith.select %g, %a, %b : TE",
                            maximum, 1e-9);
      checkReduction<int32_t>(shape, axis,
                              "%one = arith.constant 1 : TE\n %d = arith.divsi %a, %one : TE\n"
                              " %c = arith.addi %d, %b : TE",
                              sum, 0);
    }
}

TEST(HostReduce, HalvesReduceInTheirOwnPrecision) {
  auto kernel = compileText(reduceText({128}, 0, "f16", "%c = arith.addf %a, %b : TE"));
  ASSERT_TRUE(kernel);
  const llvm::fltSemantics &format = llvm::APFloat::IEEEhalf();
  std::vector<uint16_t> x(128);
  for (unsigned i = 0; i < 128; ++i)
    x[i] = toHalf(double(i), format); // every partial sum of small integers is exact below 2048
  for (unsigned i = 60; i < 128; ++i)
    x[i] = toHalf(0, format);
  uint16_t y = 0;
  runKernel(*kernel, {1}, {arg(x.data()), arg(&y)});
  EXPECT_EQ(fromHalf(y, format), 59.0 * 60 / 2);
}

TEST(HostReduce, MaximumAndNaN) {
  auto kernel = compileText(reduceText({128}, 0, "f32", "%c = arith.maxnumf %a, %b : TE"));
  auto strict = compileText(reduceText({128}, 0, "f32", "%c = arith.maximumf %a, %b : TE"));
  ASSERT_TRUE(kernel && strict);
  float nan = std::nanf("");
  std::vector<float> x(128, nan);
  float y = 0;
  runKernel(*kernel, {1}, {arg(x.data()), arg(&y)});
  EXPECT_TRUE(std::isnan(y));
  x[77] = -3;
  runKernel(*kernel, {1}, {arg(x.data()), arg(&y)});
  EXPECT_EQ(y, -3);
  runKernel(*strict, {1}, {arg(x.data()), arg(&y)});
  EXPECT_TRUE(std::isnan(y));
  std::fill(x.begin(), x.end(), -std::numeric_limits<float>::infinity());
  runKernel(*kernel, {1}, {arg(x.data()), arg(&y)});
  EXPECT_EQ(y, -std::numeric_limits<float>::infinity());
}

TEST(HostReduce, SumOfNegativeZeros) {
  auto kernel = compileText(reduceText({64}, 0, "f32", "%c = arith.addf %a, %b : TE"));
  ASSERT_TRUE(kernel);
  std::vector<float> x(64, -0.0f);
  float y = 1;
  runKernel(*kernel, {1}, {arg(x.data()), arg(&y)});
  EXPECT_TRUE(y == 0 && std::signbit(y));
}

TEST(HostReduce, ArgMaxReducesTwoTilesTogether) {
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %m:2 = tile.reduce(%v, %r) axis 0 : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %eq, %lt : i1
    %first = arith.ori %gt, %tie : i1
    %value = arith.select %first, %a, %b : f32
    %index = arith.select %first, %i, %j : i32
    tile.yield %value, %index : f32, i32
  }
  tile.store %y, %m#0 : !tile.ptr<f32>
  tile.store %z, %m#1 : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  for (int at : {0, 1, 63, 64, 127, 200, 255}) {
    std::vector<float> x(256);
    for (int i = 0; i < 256; ++i)
      x[i] = float(i * 37 % 100);
    x[at] = 1000;
    x[255] = 1000;
    float y = 0;
    int32_t z = -1;
    runKernel(*kernel, {1}, {arg(x.data()), arg(&y), arg(&z)});
    EXPECT_EQ(y, 1000);
    EXPECT_EQ(z, at);
  }
}

TEST(HostReduce, LargestTile) {
  checkReduction<float>({1 << 20}, 0, "%c = arith.addf %a, %b : TE", sum, 1e-7);
  checkReduction<float>({1024, 1024}, 0, "%c = arith.addf %a, %b : TE", sum, 1e-7);
  checkReduction<float>({1024, 1024}, 1, "%c = arith.addf %a, %b : TE", sum, 1e-7);
}
