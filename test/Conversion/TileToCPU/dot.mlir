// RUN: tile-opt %s -convert-tile-to-cpu='vector-registers=32 vector-bytes=64' -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: tile-opt %s -convert-tile-to-cpu='vector-registers=16 vector-bytes=32' -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s --check-prefixes=CHECK,SSE

// Blocks of as many sums as half of the registers, in rows of two vectors, stay in registers while
// a loop adds up products: an element of the left factor serves both vectors of its row.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = memref.view {{.*}} to memref<8x16xf32>
// CHECK: %[[B:.*]] = memref.view {{.*}} to memref<16x32xf32>
// CHECK: %[[C:.*]] = memref.view {{.*}} to memref<8x32xf32>
// AVX512: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c32{{.*}} step %c32
// AVX512:   scf.for %[[ROW:.*]] = %c0{{.*}} to %c8{{.*}} step %c8
// AVX512:     %[[FIRST:.*]] = vector.load %[[C]][%[[ROW]], %[[COLUMN]]] : memref<8x32xf32>, vector<16xf32>
// AVX512-COUNT-15: vector.load %[[C]]
// AVX512:     %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %c0{{.*}} to %c16{{.*}} step %c1{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]
// AVX512:       %[[RIGHT:.*]] = vector.load %[[B]][%[[K]], %[[COLUMN]]] : memref<16x32xf32>, vector<16xf32>
// AVX512:       %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c16
// AVX512:       %[[RIGHT2:.*]] = vector.load %[[B]][%[[K]], %[[NEXT]]] : memref<16x32xf32>, vector<16xf32>
// AVX512:       %[[X:.*]] = memref.load %[[A]][%[[ROW]], %[[K]]]
// AVX512:       %[[LEFT:.*]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// AVX512:       %[[PRODUCT:.*]] = arith.mulf %[[LEFT]], %[[RIGHT]] fastmath<contract>
// AVX512:       arith.addf %[[PRODUCT]], %[[SUM]] fastmath<contract>
// AVX512-NOT:   vector.load
// AVX512:       arith.mulf %[[LEFT]], %[[RIGHT2]] fastmath<contract>
// AVX512:     vector.store %[[SUMS]]#0, %[[C]][%[[ROW]], %[[COLUMN]]]
// AVX512-COUNT-15: vector.store
// AVX512-NOT: vector.store
// AVX2: scf.for {{.*}} to %c32{{.*}} step %c16
// AVX2:   scf.for {{.*}} to %c8{{.*}} step %c4
// AVX2:     :8 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// AVX2-COUNT-2: vector.load %[[B]]
// AVX2-NOT:   vector.load
// SSE: scf.for {{.*}} to %c32{{.*}} step %c8
// SSE:   scf.for {{.*}} to %c8{{.*}} step %c4
// SSE:     :8 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// SSE-COUNT-2: vector.load %[[B]]
// SSE-NOT:   vector.load
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
// CHECK: vector.store %{{.*}}, %[[ACC]][{{.*}}] : memref<16x8xf32>, vector<{{8|4}}xf32>
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

// -----

// One row has the more vectors, and sums of doubles half as many lanes.
// CHECK-LABEL: func.func @row
// AVX512: step %c128
// AVX512:   :16 = scf.for {{.*}}vector<8xf64>
// AVX2: step %c32
// AVX2:   :8 = scf.for {{.*}}vector<4xf64>
// SSE: step %c16
// SSE:   :8 = scf.for {{.*}}vector<2xf64>
func.func @row(%p: !tile.ptr<f64>) attributes {tile.kernel} {
  %left = tile.splat %p : !tile.ptr<f64> -> tensor<1x16x!tile.ptr<f64>>
  %a = tile.load %left : tensor<1x16x!tile.ptr<f64>>
  %right = tile.splat %p : !tile.ptr<f64> -> tensor<16x256x!tile.ptr<f64>>
  %b = tile.load %right : tensor<16x256x!tile.ptr<f64>>
  %zero = arith.constant dense<0.0> : tensor<1x256xf64>
  %c = tile.dot %a, %b, %zero : tensor<1x16xf64>, tensor<16x256xf64> -> tensor<1x256xf64>
  %out = tile.splat %p : !tile.ptr<f64> -> tensor<1x256x!tile.ptr<f64>>
  tile.store %out, %c : tensor<1x256x!tile.ptr<f64>>
  return
}
