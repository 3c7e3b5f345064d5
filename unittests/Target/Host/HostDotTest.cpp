//===- HostDotTest.cpp - products of matrices on several processors -------===//
//
// Blocks of a product are as large as the processor's registers allow, and addresses modulo a size
// are taken in two ways. Elements are small integers, so results are exact.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

using namespace tilec;

namespace {

/// A block of rows `% m` of a left factor with 16 columns, times a right one of one block.
const char *const kProductText = R"(
func.func @product(%a: !tile.ptr<T>, %b: !tile.ptr<T>, %c: !tile.ptr<T>, %m: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id x
  %height = arith.constant ROWS : i32
  %start = arith.muli %pid, %height : i32
  %r = tile.make_range 0 to ROWS : tensor<ROWSxi32>
  %starts = tile.splat %start : i32 -> tensor<ROWSxi32>
  %places = arith.addi %starts, %r : tensor<ROWSxi32>
  %ms = tile.splat %m : i32 -> tensor<ROWSxi32>
  %rows = arith.remsi %places, %ms : tensor<ROWSxi32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %n = tile.make_range 0 to COLS : tensor<COLSxi32>
  %depth = arith.constant dense<16> : tensor<ROWSx1xi32>
  %rows2 = tile.expand_dims %rows axis 1 : tensor<ROWSxi32> -> tensor<ROWSx1xi32>
  %rowAt = arith.muli %rows2, %depth : tensor<ROWSx1xi32>
  %rowAts = tile.broadcast %rowAt : tensor<ROWSx1xi32> -> tensor<ROWSx16xi32>
  %k2 = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %ks = tile.broadcast %k2 : tensor<1x16xi32> -> tensor<ROWSx16xi32>
  %at = arith.addi %rowAts, %ks : tensor<ROWSx16xi32>
  %as = tile.splat %a : !tile.ptr<T> -> tensor<ROWSx16x!tile.ptr<T>>
  %ap = tile.addptr %as, %at : tensor<ROWSx16x!tile.ptr<T>>, tensor<ROWSx16xi32>
  %x = tile.load %ap : tensor<ROWSx16x!tile.ptr<T>>
  %width = arith.constant dense<COLS> : tensor<16x1xi32>
  %k3 = tile.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %kAt = arith.muli %k3, %width : tensor<16x1xi32>
  %kAts = tile.broadcast %kAt : tensor<16x1xi32> -> tensor<16xCOLSxi32>
  %n2 = tile.expand_dims %n axis 0 : tensor<COLSxi32> -> tensor<1xCOLSxi32>
  %ns = tile.broadcast %n2 : tensor<1xCOLSxi32> -> tensor<16xCOLSxi32>
  %bAt = arith.addi %kAts, %ns : tensor<16xCOLSxi32>
  %bs = tile.splat %b : !tile.ptr<T> -> tensor<16xCOLSx!tile.ptr<T>>
  %bp = tile.addptr %bs, %bAt : tensor<16xCOLSx!tile.ptr<T>>, tensor<16xCOLSxi32>
  %y = tile.load %bp : tensor<16xCOLSx!tile.ptr<T>>
  %zero = arith.constant dense<0.0> : tensor<ROWSxCOLSxT>
  %z = tile.dot %x, %y, %zero : tensor<ROWSx16xT>, tensor<16xCOLSxT> -> tensor<ROWSxCOLSxT>
  %widths = arith.constant dense<COLS> : tensor<ROWSx1xi32>
  %places2 = tile.expand_dims %places axis 1 : tensor<ROWSxi32> -> tensor<ROWSx1xi32>
  %cAt = arith.muli %places2, %widths : tensor<ROWSx1xi32>
  %cAts = tile.broadcast %cAt : tensor<ROWSx1xi32> -> tensor<ROWSxCOLSxi32>
  %ns2 = tile.broadcast %n2 : tensor<1xCOLSxi32> -> tensor<ROWSxCOLSxi32>
  %cs = arith.addi %cAts, %ns2 : tensor<ROWSxCOLSxi32>
  %cb = tile.splat %c : !tile.ptr<T> -> tensor<ROWSxCOLSx!tile.ptr<T>>
  %cp = tile.addptr %cb, %cs : tensor<ROWSxCOLSx!tile.ptr<T>>, tensor<ROWSxCOLSxi32>
  tile.store %cp, %z : tensor<ROWSxCOLSx!tile.ptr<T>>
  return
})";

/// Two programs, the second of which wraps around where `m` is less than two blocks.
template <typename T>
void checkProduct(const char *type, int rows, int columns, int m, const HostOptions &options) {
  std::string text = replaceAll(kProductText, "ROWS", std::to_string(rows));
  text = replaceAll(replaceAll(text, "COLS", std::to_string(columns)), "<T>",
                    std::string("<") + type + ">");
  text = replaceAll(text, "xT>", std::string("x") + type + ">");
  auto kernel = compileText(text, options);
  ASSERT_TRUE(kernel);
  int depth = 16, places = 2 * rows;
  std::vector<T> a(m * depth), b(depth * columns), c(places * columns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = T(int(i * 7 % 13) - 6);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = T(int(i * 5 % 11) - 5);
  runKernel(*kernel, {2}, {arg(a.data()), arg(b.data()), arg(c.data()), arg(m)});
  for (int i = 0; i < places; ++i)
    for (int j = 0; j < columns; ++j) {
      T sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += a[i % m * depth + k] * b[k * columns + j];
      ASSERT_EQ(c[i * columns + j], sum) << options.cpu << " at " << i << ", " << j;
    }
}

} // namespace

TEST(HostDot, BlocksOfEachProcessor) {
  std::vector<HostOptions> processors = testedProcessors();
  if (hostCpuLevel() >= 3)
    processors.push_back({"x86-64-v3"});
  for (const HostOptions &options : processors)
    for (auto [rows, columns] : {std::pair(16, 64), {1, 512}, {64, 2}, {2, 1}})
      for (int m : {1000, 2 * rows - 1}) {
        checkProduct<float>("f32", rows, columns, m, options);
        checkProduct<double>("f64", rows, columns, m, options);
      }
}
