// RUN: tile-opt %s -canonicalize -cse | FileCheck %s

// What only reads may disappear or be shared; what writes, or is volatile, may not.

// CHECK-LABEL: func.func @unused
func.func @unused(%p: !tile.ptr<f32>, %x: tensor<8xf32>, %c: i1) {
  // CHECK-NEXT: tile.load %{{.*}} volatile
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tile.assert
  // CHECK-NEXT: return
  %0 = tile.load %p : !tile.ptr<f32>
  %1 = tile.load %p volatile : !tile.ptr<f32>
  %2 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %3 = tile.program_id x
  tile.store %p, %1 : !tile.ptr<f32>
  tile.assert %c, "checked" : i1
  return
}

// CHECK-LABEL: func.func @shared
func.func @shared(%p: !tile.ptr<f32>) -> (f32, f32) {
  // CHECK-NEXT: %[[X:.*]] = tile.load
  // CHECK-NEXT: return %[[X]], %[[X]]
  %0 = tile.load %p : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @notShared
func.func @notShared(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %v: f32) -> (f32, f32, f32, f32) {
  // CHECK-COUNT-2: tile.load %{{.*}} volatile
  // CHECK: tile.load
  // CHECK: tile.store
  // CHECK: tile.load
  %0 = tile.load %p volatile : !tile.ptr<f32>
  %1 = tile.load %p volatile : !tile.ptr<f32>
  %2 = tile.load %p : !tile.ptr<f32>
  tile.store %q, %v : !tile.ptr<f32>
  %3 = tile.load %p : !tile.ptr<f32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @differentHints
func.func @differentHints(%p: !tile.ptr<f32>) -> (f32, f32) {
  // CHECK-COUNT-2: tile.load
  %0 = tile.load %p cache = cg : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  return %0, %1 : f32, f32
}
