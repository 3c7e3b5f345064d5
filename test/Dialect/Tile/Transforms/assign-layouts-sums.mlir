// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts | FileCheck %s

// Sums of matrix instructions are pairs of a row in each lane. A swap between lanes makes four of them, which half as
// many accesses store. Pairs of 8 bytes each are whole accesses already.

// CHECK-DAG: #[[SUMS:.*]] = #tile.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []>
// CHECK-DAG: #[[WIDE:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [8, 0], [0, 16]], lane = {{\[\[}}0, 8], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []>

// CHECK-LABEL: func.func @sums
// CHECK: %[[SUM:.*]] = tile.dot {{.*}} -> tensor<64x32xf32, #[[SUMS]]>
// CHECK: %[[STORED:.*]] = tile.convert_layout %[[SUM]] : tensor<64x32xf32, #[[SUMS]]> -> tensor<64x32xf32, #[[WIDE]]>
// CHECK: tile.store {{.*}}, %[[STORED]]
// CHECK: tile.store {{.*}}, %{{.*}} : tensor<64x32x!tile.ptr<f64>, #[[SUMS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @sums(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %d: !tile.ptr<f64> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %left = arith.constant dense<1.0> : tensor<64x16xf16>
  %right = arith.constant dense<2.0> : tensor<16x32xf16>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %r = tile.make_range 0 to 2048 : tensor<2048xi32>
  %at = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
  %sum = tile.dot %left, %right, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %at : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %pp, %sum : tensor<64x32x!tile.ptr<f32>>
  %double = arith.extf %sum : tensor<64x32xf32> to tensor<64x32xf64>
  %ds = tile.splat %d : !tile.ptr<f64> -> tensor<64x32x!tile.ptr<f64>>
  %dp = tile.addptr %ds, %at : tensor<64x32x!tile.ptr<f64>>, tensor<64x32xi32>
  tile.store %dp, %double : tensor<64x32x!tile.ptr<f64>>
  return
}
