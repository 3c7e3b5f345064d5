//===- HostDotTest.cpp - products of matrices on several processors -------===//
//
// Blocks of a product are as large as the processor's registers allow, and addresses modulo a size
// are taken in two ways. Elements are small integers, so results are exact.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"
#include "tilec/float16.h"

using namespace tilec;

namespace {

/// A block of rows `% m` of a left factor of DEPTH columns, times a right one of one block.
const char *const kProductText = R"(
func.func @product(%a: !tile.ptr<T>, %b: !tile.ptr<T>, %c: !tile.ptr<S>, %m: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id x
  %height = arith.constant ROWS : i32
  %start = arith.muli %pid, %height : i32
  %r = tile.make_range 0 to ROWS : tensor<ROWSxi32>
  %starts = tile.splat %start : i32 -> tensor<ROWSxi32>
  %places = arith.addi %starts, %r : tensor<ROWSxi32>
  %ms = tile.splat %m : i32 -> tensor<ROWSxi32>
  %rows = arith.remsi %places, %ms : tensor<ROWSxi32>
  %k = tile.make_range 0 to DEPTH : tensor<DEPTHxi32>
  %n = tile.make_range 0 to COLS : tensor<COLSxi32>
  %depth = arith.constant dense<DEPTH> : tensor<ROWSx1xi32>
  %rows2 = tile.expand_dims %rows axis 1 : tensor<ROWSxi32> -> tensor<ROWSx1xi32>
  %rowAt = arith.muli %rows2, %depth : tensor<ROWSx1xi32>
  %rowAts = tile.broadcast %rowAt : tensor<ROWSx1xi32> -> tensor<ROWSxDEPTHxi32>
  %k2 = tile.expand_dims %k axis 0 : tensor<DEPTHxi32> -> tensor<1xDEPTHxi32>
  %ks = tile.broadcast %k2 : tensor<1xDEPTHxi32> -> tensor<ROWSxDEPTHxi32>
  %at = arith.addi %rowAts, %ks : tensor<ROWSxDEPTHxi32>
  %as = tile.splat %a : !tile.ptr<T> -> tensor<ROWSxDEPTHx!tile.ptr<T>>
  %ap = tile.addptr %as, %at : tensor<ROWSxDEPTHx!tile.ptr<T>>, tensor<ROWSxDEPTHxi32>
  %x = tile.load %ap : tensor<ROWSxDEPTHx!tile.ptr<T>>
  %width = arith.constant dense<COLS> : tensor<DEPTHx1xi32>
  %k3 = tile.expand_dims %k axis 1 : tensor<DEPTHxi32> -> tensor<DEPTHx1xi32>
  %kAt = arith.muli %k3, %width : tensor<DEPTHx1xi32>
  %kAts = tile.broadcast %kAt : tensor<DEPTHx1xi32> -> tensor<DEPTHxCOLSxi32>
  %n2 = tile.expand_dims %n axis 0 : tensor<COLSxi32> -> tensor<1xCOLSxi32>
  %ns = tile.broadcast %n2 : tensor<1xCOLSxi32> -> tensor<DEPTHxCOLSxi32>
  %bAt = arith.addi %kAts, %ns : tensor<DEPTHxCOLSxi32>
  %bs = tile.splat %b : !tile.ptr<T> -> tensor<DEPTHxCOLSx!tile.ptr<T>>
  %bp = tile.addptr %bs, %bAt : tensor<DEPTHxCOLSx!tile.ptr<T>>, tensor<DEPTHxCOLSxi32>
  %y = tile.load %bp : tensor<DEPTHxCOLSx!tile.ptr<T>>
  %zero = arith.constant ZERO : tensor<ROWSxCOLSxS>
  %z = tile.dot %x, %y, %zero : tensor<ROWSxDEPTHxT>, tensor<DEPTHxCOLSxT> -> tensor<ROWSxCOLSxS>
  %widths = arith.constant dense<COLS> : tensor<ROWSx1xi32>
  %places2 = tile.expand_dims %places axis 1 : tensor<ROWSxi32> -> tensor<ROWSx1xi32>
  %cAt = arith.muli %places2, %widths : tensor<ROWSx1xi32>
  %cAts = tile.broadcast %cAt : tensor<ROWSx1xi32> -> tensor<ROWSxCOLSxi32>
  %ns2 = tile.broadcast %n2 : tensor<1xCOLSxi32> -> tensor<ROWSxCOLSxi32>
  %cs = arith.addi %cAts, %ns2 : tensor<ROWSxCOLSxi32>
  %cb = tile.splat %c : !tile.ptr<S> -> tensor<ROWSxCOLSx!tile.ptr<S>>
  %cp = tile.addptr %cb, %cs : tensor<ROWSxCOLSx!tile.ptr<S>>, tensor<ROWSxCOLSxi32>
  tile.store %cp, %z : tensor<ROWSxCOLSx!tile.ptr<S>>
  return
})";

/// MLIR's names of the elements of the factors and of their sums.
struct Types {
  const char *factor, *sum;
};

struct Sizes {
  int rows, columns, depth;
};

/// Two programs, the second of which wraps around where `m` is less than two blocks.
template <typename T, typename Sum>
void checkProduct(Types types, Sizes sizes, int m, const HostOptions &options) {
  auto [rows, columns, depth] = sizes;
  std::string text = replaceAll(kProductText, "ROWS", std::to_string(rows));
  text = replaceAll(text, "COLS", std::to_string(columns));
  text = replaceAll(text, "DEPTH", std::to_string(depth));
  text = replaceAll(text, "ZERO", std::is_integral_v<Sum> ? "dense<0>" : "dense<0.0>");
  for (auto [letter, type] : {std::pair("T", types.factor), {"S", types.sum}})
    for (std::string before : {"<", "x"})
      text = replaceAll(text, before + letter + ">", before + type + ">");
  auto kernel = compileText(text, options);
  ASSERT_TRUE(kernel);
  int places = 2 * rows;
  std::vector<T> a(m * depth), b(depth * columns);
  std::vector<Sum> c(places * columns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = T(float(i * 7 % 13) - 6);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = T(float(i * 5 % 11) - 5);
  runKernel(*kernel, {2}, {arg(a.data()), arg(b.data()), arg(c.data()), arg(m)});
  for (int i = 0; i < places; ++i)
    for (int j = 0; j < columns; ++j) {
      Sum sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += Sum(a[i % m * depth + k]) * Sum(b[k * columns + j]);
      ASSERT_EQ(c[i * columns + j], sum) << options.cpu << " at " << i << ", " << j;
    }
}

} // namespace

// bf16 and i8 are products of AMX where this processor has it, and i8 sums of pairs elsewhere.
TEST(HostDot, BlocksOfEachProcessor) {
  std::vector<HostOptions> processors = testedProcessors();
  if (hostCpuLevel() >= 3)
    processors.push_back({"x86-64-v3"});
  Sizes tested[] = {{16, 64, 16},  {1, 512, 16}, {64, 2, 16}, {2, 1, 16},
                    {32, 32, 128}, {64, 16, 2},  {4, 8, 1}};
  for (const HostOptions &options : processors)
    for (Sizes sizes : tested)
      for (int m : {1000, 2 * sizes.rows - 1}) {
        checkProduct<float, float>({"f32", "f32"}, sizes, m, options);
        checkProduct<double, double>({"f64", "f64"}, sizes, m, options);
        checkProduct<BFloat16, float>({"bf16", "f32"}, sizes, m, options);
        checkProduct<int8_t, int32_t>({"i8", "i32"}, sizes, m, options);
      }
}
