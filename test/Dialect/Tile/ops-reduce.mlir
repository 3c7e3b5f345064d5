// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<128xf32>) -> f32 {
  // CHECK: tile.reduce(%{{.*}}) axis 0 : (tensor<128xf32>) -> f32 {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[C]] : f32
  // CHECK-NEXT: }
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @middle
func.func @middle(%x: tensor<2x4x8xi1>) -> tensor<2x8xi1> {
  // CHECK: tile.reduce(%{{.*}}) axis 1 {note} : (tensor<2x4x8xi1>) -> tensor<2x8xi1> {
  %0 = tile.reduce(%x) axis 1 {note} : (tensor<2x4x8xi1>) -> tensor<2x8xi1> {
  ^bb0(%a: i1, %b: i1):
    %c = arith.ori %a, %b : i1
    tile.yield %c : i1
  }
  return %0 : tensor<2x8xi1>
}

// Two tiles together: the largest element and where it is.
// CHECK-LABEL: func.func @together
func.func @together(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %{{.*}}:2 = tile.reduce(%{{.*}}, %{{.*}}) axis 1 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  %0:2 = tile.reduce(%x, %i) axis 1 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %larger, %a, %b : f32
    %ci = arith.select %larger, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

#source = #tile.layout<register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 0]], warp = [], block = []>
#result = #tile.layout<register = [], lane = [[0], [0], [1], [2], [0]], warp = [], block = []>

// CHECK-LABEL: func.func @layouts
func.func @layouts(%x: tensor<4x4xf32, #source>) -> tensor<4xf32, #result> {
  // CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<4x4xf32, #{{.*}}>) -> tensor<4xf32, #{{.*}}> {
  %0 = tile.reduce(%x) axis 1 : (tensor<4x4xf32, #source>) -> tensor<4xf32, #result> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : tensor<4xf32, #result>
}
