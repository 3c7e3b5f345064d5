// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Blocks of four rows of one vector stay in registers while a loop adds up products.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = memref.view {{.*}} to memref<8x16xf32>
// CHECK: %[[B:.*]] = memref.view {{.*}} to memref<16x32xf32>
// CHECK: %[[C:.*]] = memref.view {{.*}} to memref<8x32xf32>
// CHECK: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK:   scf.for %[[ROW:.*]] = %c0{{.*}} to %c8{{.*}} step %c4
// CHECK:     %[[FIRST:.*]] = vector.load %[[C]][%[[ROW]], %[[COLUMN]]] : memref<8x32xf32>, vector<16xf32>
// CHECK-COUNT-3: vector.load %[[C]]
// CHECK:     %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %c0{{.*}} to %c16{{.*}} step %c1{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]
// CHECK:       %[[RIGHT:.*]] = vector.load %[[B]][%[[K]], %[[COLUMN]]] : memref<16x32xf32>, vector<16xf32>
// CHECK:       %[[X:.*]] = memref.load %[[A]][%[[ROW]], %[[K]]]
// CHECK:       %[[LEFT:.*]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// CHECK:       %[[PRODUCT:.*]] = arith.mulf %[[LEFT]], %[[RIGHT]] fastmath<contract>
// CHECK:       arith.addf %[[PRODUCT]], %[[SUM]] fastmath<contract>
// CHECK:     vector.store %[[SUMS]]#0, %[[C]][%[[ROW]], %[[COLUMN]]]
func.func @product(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<8x16x!tile.ptr<f32>>
  %a = tile.load %base : tensor<8x16x!tile.ptr<f32>>
  %base2 = tile.splat %p : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %b = tile.load %base2 : tensor<16x32x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<8x32xf32>
  %c = tile.dot %a, %b, %zero : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %base3 = tile.splat %p : !tile.ptr<f32> -> tensor<8x32x!tile.ptr<f32>>
  tile.store %base3, %c : tensor<8x32x!tile.ptr<f32>>
  return
}

// -----

// What a loop carries is added up in its own buffer.
// CHECK-LABEL: func.func @carried
// CHECK: %[[ACC:.*]] = memref.view {{.*}} to memref<16x8xf32>
// CHECK: scf.for {{.*}} : i32
// CHECK-NOT: linalg.generic {{.*}}outs(%{{.*}} : memref<16x8xf32>)
// CHECK: vector.store %{{.*}}, %[[ACC]][{{.*}}] : memref<16x8xf32>, vector<8xf32>
// CHECK-NOT: linalg.generic {{.*}}outs(%{{.*}} : memref<16x8xf32>)
// CHECK: return
func.func @carried(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %left = tile.splat %a : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %right = tile.splat %b : !tile.ptr<f32> -> tensor<32x8x!tile.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x8xf32>) : i32 {
    %x = tile.load %left : tensor<16x32x!tile.ptr<f32>>
    %y = tile.load %right : tensor<32x8x!tile.ptr<f32>>
    %next = tile.dot %x, %y, %acc : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
    scf.yield %next : tensor<16x8xf32>
  }
  %out = tile.splat %a : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  tile.store %out, %r : tensor<16x8x!tile.ptr<f32>>
  return
}
