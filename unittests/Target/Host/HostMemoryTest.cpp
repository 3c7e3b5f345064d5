//===- HostMemoryTest.cpp - loads, stores, shapes, softmax -----*- C++ -*-===//
//
// Masks must keep every access inside its buffer: buffers here end at a page that may not be
// touched. Loads and stores must appear in program order, tile by tile, however they overlap.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

using namespace tilec;

namespace {

/// Floats that begin or end exactly at a page without access.
class GuardedFloats {
public:
  GuardedFloats(size_t count, bool atEnd) : count(count) {
    page = size_t(sysconf(_SC_PAGESIZE));
    bytes = (count * 4 + page - 1) / page * page;
    memory = static_cast<char *>(mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory, page, PROT_NONE);
    mprotect(memory + page + bytes, page, PROT_NONE);
    first = reinterpret_cast<float *>(memory + page + (atEnd ? bytes - count * 4 : 0));
  }
  ~GuardedFloats() { munmap(memory, bytes + 2 * page); }
  float *data() { return first; }
  float &operator[](size_t i) { return first[i]; }
  size_t size() const { return count; }

private:
  size_t page, bytes, count;
  char *memory;
  float *first;
};

/// Softmax of rows, BLOCK columns a program at most.
const char *const kSoftmaxText = R"(
func.func @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %xs: i32, %ys: i32, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %cols = tile.make_range 0 to BLOCK : tensor<BLOCKxi32>
  %xo = arith.muli %pid, %xs : i32
  %xr = tile.addptr %x, %xo : !tile.ptr<f32>, i32
  %xb = tile.splat %xr : !tile.ptr<f32> -> tensor<BLOCKx!tile.ptr<f32>>
  %xp = tile.addptr %xb, %cols : tensor<BLOCKx!tile.ptr<f32>>, tensor<BLOCKxi32>
  %nb = tile.splat %n : i32 -> tensor<BLOCKxi32>
  %mask = arith.cmpi slt, %cols, %nb : tensor<BLOCKxi32>
  %ninf = arith.constant dense<0xff800000> : tensor<BLOCKxf32>
  %row = tile.load %xp mask %mask other %ninf : tensor<BLOCKx!tile.ptr<f32>>
  %max = tile.reduce(%row) axis 0 : (tensor<BLOCKxf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %maxb = tile.splat %max : f32 -> tensor<BLOCKxf32>
  %d = arith.subf %row, %maxb : tensor<BLOCKxf32>
  %e = math.exp %d fastmath<afn> : tensor<BLOCKxf32>
  %sum = tile.reduce(%e) axis 0 : (tensor<BLOCKxf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sumb = tile.splat %sum : f32 -> tensor<BLOCKxf32>
  %q = arith.divf %e, %sumb fastmath<arcp> : tensor<BLOCKxf32>
  %yo = arith.muli %pid, %ys : i32
  %yr = tile.addptr %y, %yo : !tile.ptr<f32>, i32
  %yb = tile.splat %yr : !tile.ptr<f32> -> tensor<BLOCKx!tile.ptr<f32>>
  %yp = tile.addptr %yb, %cols : tensor<BLOCKx!tile.ptr<f32>>, tensor<BLOCKxi32>
  tile.store %yp, %q mask %mask : tensor<BLOCKx!tile.ptr<f32>>
  return
})";

/// Largest relative error of softmax over `rows` rows of `columns`.
void checkSoftmax(unsigned rows, unsigned columns, const HostOptions &options = {}) {
  unsigned block = 1;
  while (block < columns)
    block *= 2;
  auto kernel = compileText(replaceAll(kSoftmaxText, "BLOCK", std::to_string(block)), options);
  ASSERT_TRUE(kernel);
  GuardedFloats x(size_t(rows) * columns, true), y(size_t(rows) * columns, true);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(std::sin(double(i) * 0.37) * 8);
  int width = int(columns);
  runKernel(*kernel, {rows}, {arg(x.data()), arg(y.data()), arg(width), arg(width), arg(width)});
  double worst = 0;
  for (unsigned row = 0; row < rows; ++row) {
    const float *in = x.data() + size_t(row) * columns;
    double max = -1e300, sum = 0;
    for (unsigned i = 0; i < columns; ++i)
      max = std::fmax(max, in[i]);
    for (unsigned i = 0; i < columns; ++i)
      sum += std::exp(in[i] - max);
    for (unsigned i = 0; i < columns; ++i) {
      double expected = std::exp(in[i] - max) / sum;
      worst = std::fmax(worst, std::fabs(y[size_t(row) * columns + i] - expected) / expected);
    }
  }
  EXPECT_LT(worst, 2e-6) << rows << "x" << columns;
}

} // namespace

TEST(HostMemory, SoftmaxOfManySizes) {
  checkSoftmax(1, 1);
  checkSoftmax(3, 2);
  checkSoftmax(3, 1000);
  checkSoftmax(97, 781);
  checkSoftmax(8, 12672);
  checkSoftmax(7, 65536);
  for (const HostOptions &options : testedProcessors())
    checkSoftmax(5, 333, options);
}

TEST(HostMemory, MasksKeepAccessesInside) {
  auto kernel = compileText(elementwiseText("f32", "f32", "%r = arith.addf %a, %a : TA"));
  ASSERT_TRUE(kernel);
  for (bool atEnd : {false, true})
    for (int n : {1, 2, 3, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 1023, 1024}) {
      GuardedFloats x(n, atEnd), y(n, atEnd);
      for (int i = 0; i < n; ++i)
        x[i] = float(i);
      runKernel(*kernel, {unsigned(n + 255) / 256 + 1}, {arg(x.data()), arg(y.data()), arg(n)});
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(y[i], 2.0f * i);
    }
}

TEST(HostMemory, MaskedElementsAreOtherOrZero) {
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %nb = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %nb : tensor<64xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %other = arith.sitofp %r : tensor<64xi32> to tensor<64xf32>
  %a = tile.load %xp mask %m : tensor<64x!tile.ptr<f32>>
  %b = tile.load %xp mask %m other %other : tensor<64x!tile.ptr<f32>>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %a : tensor<64x!tile.ptr<f32>>
  %zb = tile.splat %z : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %zp = tile.addptr %zb, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %zp, %b : tensor<64x!tile.ptr<f32>>
  return
})");
  ASSERT_TRUE(kernel);
  GuardedFloats x(5, true);
  for (int i = 0; i < 5; ++i)
    x[i] = 100.0f + i;
  std::vector<float> y(64, -1), z(64, -1);
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data()), arg(z.data()), arg(5)});
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(y[i], i < 5 ? 100.0f + i : 0.0f);
    EXPECT_EQ(z[i], i < 5 ? 100.0f + i : float(i));
  }
}

TEST(HostMemory, OverlappingAccessesKeepTheirOrder) {
  // Reads a block, writes it moved by `shift`, reads again, writes that elsewhere.
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<f32>, %shift: i32, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %sb = tile.splat %shift : i32 -> tensor<256xi32>
  %sp = tile.addptr %xp, %sb : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %w = arith.addf %v, %one : tensor<256xf32>
  tile.store %sp, %w : tensor<256x!tile.ptr<f32>>
  %again = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %yp, %again : tensor<256x!tile.ptr<f32>>
  return
})");
  ASSERT_TRUE(kernel);
  for (int shift : {0, 1, -1, 3, -7, 16, 255, -256}) {
    std::vector<float> memory(1024), expected, y(256);
    for (int i = 0; i < 1024; ++i)
      memory[i] = float(i);
    expected = memory;
    for (int i = 0; i < 256; ++i)
      expected[400 + i + shift] = float(400 + i + 1);
    runKernel(*kernel, {1}, {arg(memory.data() + 400), arg(shift), arg(y.data())});
    EXPECT_EQ(memory, expected) << shift;
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(y[i], expected[400 + i]) << shift;
  }
}

TEST(HostMemory, TransposeThroughPointers) {
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<f64>, %y: !tile.ptr<f64>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %c = tile.make_range 0 to 32 : tensor<32xi32>
  %re = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tile.expand_dims %c axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tile.broadcast %re : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tile.broadcast %ce : tensor<1x32xi32> -> tensor<16x32xi32>
  %w = arith.constant dense<32> : tensor<16x32xi32>
  %h = arith.constant dense<16> : tensor<16x32xi32>
  %in0 = arith.muli %rb, %w : tensor<16x32xi32>
  %in = arith.addi %in0, %cb : tensor<16x32xi32>
  %out0 = arith.muli %cb, %h : tensor<16x32xi32>
  %out = arith.addi %out0, %rb : tensor<16x32xi32>
  %xb = tile.splat %x : !tile.ptr<f64> -> tensor<16x32x!tile.ptr<f64>>
  %xp = tile.addptr %xb, %in : tensor<16x32x!tile.ptr<f64>>, tensor<16x32xi32>
  %v = tile.load %xp : tensor<16x32x!tile.ptr<f64>>
  %yb = tile.splat %y : !tile.ptr<f64> -> tensor<16x32x!tile.ptr<f64>>
  %yp = tile.addptr %yb, %out : tensor<16x32x!tile.ptr<f64>>, tensor<16x32xi32>
  tile.store %yp, %v : tensor<16x32x!tile.ptr<f64>>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<double> x(512), y(512);
  for (int i = 0; i < 512; ++i)
    x[i] = i;
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data())});
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 32; ++j)
      ASSERT_EQ(y[j * 16 + i], x[i * 32 + j]);
}

TEST(HostMemory, ReshapesBroadcastsAndConstants) {
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %square = tile.reshape %v : tensor<64xf32> -> tensor<8x8xf32>
  %e = math.exp %square : tensor<8x8xf32>
  %rows = tile.reduce(%e) axis 1 : (tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %logs = math.log %rows : tensor<8xf32>
  %column = tile.expand_dims %logs axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %wide = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x8xf32>
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %row = tile.reshape %table : tensor<8xf32> -> tensor<1x8xf32>
  %tables = tile.broadcast %row : tensor<1x8xf32> -> tensor<8x8xf32>
  %d = arith.subf %square, %wide : tensor<8x8xf32>
  %p = arith.mulf %d, %tables : tensor<8x8xf32>
  %cube = tile.reshape %p : tensor<8x8xf32> -> tensor<2x16x2xf32>
  %o2 = tile.reshape %r : tensor<64xi32> -> tensor<2x16x2xi32>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<2x16x2x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %o2 : tensor<2x16x2x!tile.ptr<f32>>, tensor<2x16x2xi32>
  tile.store %yp, %cube : tensor<2x16x2x!tile.ptr<f32>>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<float> x(64), y(64);
  for (int i = 0; i < 64; ++i)
    x[i] = float(i % 11) * 0.25f;
  runKernel(*kernel, {1}, {arg(x.data()), arg(y.data())});
  for (int i = 0; i < 8; ++i) {
    double sum = 0;
    for (int j = 0; j < 8; ++j)
      sum += std::exp(double(x[8 * i + j]));
    for (int j = 0; j < 8; ++j)
      EXPECT_NEAR(y[8 * i + j], (x[8 * i + j] - std::log(sum)) * (j + 1), 1e-5);
  }
}

TEST(HostMemory, PointersAsData) {
  // A table of pointers: each element says where another is, and which of two buffers to read.
  auto kernel = compileText(R"(
func.func @k(%t: !tile.ptr<!tile.ptr<f32>>, %u: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<i64>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  %tb = tile.splat %t : !tile.ptr<!tile.ptr<f32>> -> tensor<8x!tile.ptr<!tile.ptr<f32>>>
  %tp = tile.addptr %tb, %r : tensor<8x!tile.ptr<!tile.ptr<f32>>>, tensor<8xi32>
  %p = tile.load %tp : tensor<8x!tile.ptr<!tile.ptr<f32>>>
  %ub = tile.splat %u : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %up = tile.addptr %ub, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi32>
  %low = arith.cmpi slt, %r, %four : tensor<8xi32>
  %q = arith.select %low, %p, %up : tensor<8xi1>, tensor<8x!tile.ptr<f32>>
  %v = tile.load %q : tensor<8x!tile.ptr<f32>>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %yi = tile.ptr_to_int %yb : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %r64 = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %bytes = arith.constant dense<4> : tensor<8xi64>
  %step = arith.muli %r64, %bytes : tensor<8xi64>
  %sum = arith.addi %yi, %step : tensor<8xi64>
  %yp = tile.int_to_ptr %sum : tensor<8xi64> -> tensor<8x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<8x!tile.ptr<f32>>
  %cast = tile.ptr_cast %z : !tile.ptr<i64> -> !tile.ptr<i8>
  %c3 = arith.constant 3 : i64
  %byte = tile.addptr %cast, %c3 : !tile.ptr<i8>, i64
  %ff = arith.constant -1 : i8
  tile.store %byte, %ff : !tile.ptr<i8>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<float> values = {10, 11, 12, 13, 14, 15, 16, 17}, others = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<float *> table;
  for (int i = 0; i < 8; ++i)
    table.push_back(&values[7 - i]);
  std::vector<float> y(8);
  int64_t z = 0;
  runKernel(*kernel, {1}, {arg(table.data()), arg(others.data()), arg(y.data()), arg(&z)});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], i < 4 ? 17.0f - i : float(i));
  EXPECT_EQ(z, int64_t(0xff000000));
}

TEST(HostMemory, OffsetsWrapLikeTheirType) {
  // 2^31 - 128 + i leaves i32 in the middle of the tile; the mask keeps the rest from memory.
  auto kernel = compileText(R"(
func.func @k(%x: !tile.ptr<i8>, %y: !tile.ptr<i32>, %start: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %start : i32 -> tensor<256xi32>
  %o = arith.addi %s, %r : tensor<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  %m = arith.cmpi slt, %o, %zero : tensor<256xi32>
  %xb = tile.splat %x : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>>
  %xp = tile.addptr %xb, %o : tensor<256x!tile.ptr<i8>>, tensor<256xi32>
  %v = tile.load %xp mask %m : tensor<256x!tile.ptr<i8>>
  %w = arith.extsi %v : tensor<256xi8> to tensor<256xi32>
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %yp, %w : tensor<256x!tile.ptr<i32>>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<int8_t> x(256);
  for (int i = 0; i < 256; ++i)
    x[i] = int8_t(i / 2);
  std::vector<int32_t> y(256, -1);
  // Wrapped offsets are -2^31 and up.
  const int8_t *base = x.data() + (int64_t(1) << 31);
  runKernel(*kernel, {1}, {arg(base), arg(y.data()), arg(2147483647 - 127)});
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(y[i], i < 128 ? 0 : (i - 128) / 2) << i;
}
