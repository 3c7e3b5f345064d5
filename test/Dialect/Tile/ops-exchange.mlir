// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @shapes
func.func @shapes(%cube: tensor<2x4x8xf32>, %ptrs: tensor<4x2x!tile.ptr<i8>>) {
  // CHECK: tile.permute %{{.*}} order [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %0 = tile.permute %cube order [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  // CHECK: tile.permute %{{.*}} order [1, 0] : tensor<4x2x!tile.ptr<i8>> -> tensor<2x4x!tile.ptr<i8>>
  %1 = tile.permute %ptrs order [1, 0] : tensor<4x2x!tile.ptr<i8>> -> tensor<2x4x!tile.ptr<i8>>
  // CHECK: tile.take %{{.*}} axis 1 index 3 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %2 = tile.take %cube axis 1 index 3 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  // CHECK: tile.flip %{{.*}} axis 2 : tensor<2x4x8xf32>
  %3 = tile.flip %cube axis 2 : tensor<2x4x8xf32>
  return
}

// CHECK-LABEL: func.func @scans
func.func @scans(%x: tensor<8x16xf32>, %y: tensor<8x16xi1>) {
  // CHECK: tile.scan(%{{.*}}) axis 1 : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tile.scan(%x) axis 1 : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 0 reverse : (tensor<8x16xf32>, tensor<8x16xi1>) -> (tensor<8x16xf32>, tensor<8x16xi1>) {
  %1:2 = tile.scan(%x, %y) axis 0 reverse : (tensor<8x16xf32>, tensor<8x16xi1>) -> (tensor<8x16xf32>, tensor<8x16xi1>) {
  ^bb0(%a: f32, %f: i1, %b: f32, %g: i1):
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i1
    tile.yield %b, %f : f32, i1
  }
  return
}

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
// CHECK-LABEL: func.func @finish
func.func @finish(%x: tensor<128xf32, #spread>, %p: tensor<4xf32, #parts>) -> tensor<128xf32, #spread> {
  // CHECK: tile.finish_scan elements(%[[X:.*]]) groups(%[[X]]) parts(%{{.*}}) axis 0 reverse : (tensor<128xf32, #[[S:.*]]>, tensor<128xf32, #[[S]]>, tensor<4xf32, #{{.*}}>) -> tensor<128xf32, #[[S]]> {
  %0 = tile.finish_scan elements(%x) groups(%x) parts(%p) axis 0 reverse : (tensor<128xf32, #spread>, tensor<128xf32, #spread>, tensor<4xf32, #parts>) -> tensor<128xf32, #spread> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return %0 : tensor<128xf32, #spread>
}

// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<8x16xf16>, %i: tensor<8x4xi64>, %v: tensor<64xi32>, %m: tensor<64xi1>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 1 : tensor<8x16xf16>, tensor<8x4xi64> -> tensor<8x4xf16>
  %0 = tile.gather %x[%i] axis 1 : tensor<8x16xf16>, tensor<8x4xi64> -> tensor<8x4xf16>
  // CHECK: tile.histogram %{{.*}} : tensor<64xi32> -> tensor<16xi32>
  %1 = tile.histogram %v : tensor<64xi32> -> tensor<16xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<64xi32> -> tensor<256xi32>
  %2 = tile.histogram %v mask %m : tensor<64xi32> -> tensor<256xi32>
  return
}
