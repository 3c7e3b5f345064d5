// RUN: tile-opt %s -tile-join-reductions | FileCheck %s

// All three axes, one after the other, are one.
// CHECK-LABEL: func.func @all
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x32x64xf32>
// CHECK: %[[ROWS:.*]] = tile.reshape %[[X]] : tensor<4x32x64xf32> -> tensor<4x2048xf32>
// CHECK: %[[FLAT:.*]] = tile.reshape %[[ROWS]] : tensor<4x2048xf32> -> tensor<8192xf32>
// CHECK: %[[SUM:.*]] = tile.reduce(%[[FLAT]]) axis 0 : (tensor<8192xf32>) -> f32
// CHECK-NOT: tile.reduce
// CHECK: return %[[SUM]]
func.func @all(%x: tensor<4x32x64xf32>) -> f32 {
  %0 = tile.reduce(%x) axis 2 : (tensor<4x32x64xf32>) -> tensor<4x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %1 = tile.reduce(%0) axis 1 : (tensor<4x32xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %2 = tile.reduce(%1) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %2 : f32
}

// The first axis, then the one that is the first now.
// CHECK-LABEL: func.func @first
// CHECK: %[[FLAT:.*]] = tile.reshape %{{.*}} : tensor<4x32x64xi32> -> tensor<128x64xi32>
// CHECK: tile.reduce(%[[FLAT]]) axis 0 : (tensor<128x64xi32>) -> tensor<64xi32>
func.func @first(%x: tensor<4x32x64xi32>) -> tensor<64xi32> {
  %0 = tile.reduce(%x) axis 0 : (tensor<4x32x64xi32>) -> tensor<32x64xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    tile.yield %s : i32
  }
  %1 = tile.reduce(%0) axis 0 : (tensor<32x64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    tile.yield %s : i32
  }
  return %1 : tensor<64xi32>
}

// Axes that are not neighbours, other operations, and rows that are needed themselves.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tile.reshape
// CHECK: return
func.func @others(%x: tensor<4x32x64xf32>, %y: tensor<32x64xf32>) -> (tensor<32xf32>, f32, tensor<32xf32>, f32) {
  %0 = tile.reduce(%x) axis 2 : (tensor<4x32x64xf32>) -> tensor<4x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %1 = tile.reduce(%0) axis 0 : (tensor<4x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %2 = tile.reduce(%y) axis 1 : (tensor<32x64xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %3 = tile.reduce(%2) axis 0 : (tensor<32xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tile.yield %s : f32
  }
  %4 = tile.reduce(%2) axis 0 : (tensor<32xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %1, %3, %2, %4 : tensor<32xf32>, f32, tensor<32xf32>, f32
}
