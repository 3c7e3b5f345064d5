// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Two tiles that are never alive together share a place.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    tile.scratch_bytes = 1024
// CHECK-COUNT-2: memref.view
// CHECK-NOT:     memref.view
func.func @chain(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %q = tile.addptr %xp, %ns : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  tile.store %q, %v : tensor<256x!tile.ptr<f32>>
  %w = tile.load %xp : tensor<256x!tile.ptr<f32>>
  tile.store %q, %w : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// What a row costs is computed once a row, not once an element.
// CHECK-LABEL: func.func @rows
// CHECK:       linalg.generic
// CHECK:         math.exp
// CHECK:         linalg.yield
// CHECK:       linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NOT:     math.exp
// CHECK:         llvm.store
func.func @rows(%y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %f = arith.sitofp %r : tensor<16xi32> to tensor<16xf32>
  %e = math.exp %f : tensor<16xf32>
  %x = tile.expand_dims %e axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %b = tile.broadcast %x : tensor<16x1xf32> -> tensor<16x64xf32>
  %c = tile.make_range 0 to 1024 : tensor<1024xi32>
  %o = tile.reshape %c : tensor<1024xi32> -> tensor<16x64xi32>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %o : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  tile.store %yp, %b : tensor<16x64x!tile.ptr<f32>>
  return
}

// -----

// The last float is dear, but the integer made of it is cheap, so the reshape computes it again in its
// loop. That loop has another shape and cannot keep the float for the store's loop.

// CHECK-LABEL: func.func @kept_behind_reshape
// CHECK-NOT:     memref<8xf32>
// CHECK:         outs(%{{.*}} : memref<2x4xi32>)
// CHECK:           arith.mulf
// CHECK:         ins(%{{.*}} : memref<8xi1>)
// CHECK:           arith.mulf
// CHECK:           llvm.store
func.func @kept_behind_reshape(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %x: f32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 8 : tensor<8xi32>
  %f0 = arith.sitofp %range : tensor<8xi32> to tensor<8xf32>
  %s = tile.splat %x : f32 -> tensor<8xf32>
  %f1 = arith.addf %f0, %s : tensor<8xf32>
  %f2 = arith.mulf %f1, %s : tensor<8xf32>
  %f3 = arith.subf %f2, %s : tensor<8xf32>
  %bits = arith.bitcast %f3 : tensor<8xf32> to tensor<8xi32>
  %square = tile.reshape %bits : tensor<8xi32> -> tensor<2x4xi32>
  %sum = tile.reduce(%square) axis 1 : (tensor<2x4xi32>) -> tensor<2xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %two = tile.make_range 0 to 2 : tensor<2xi32>
  %base2 = tile.splat %q : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  %ptrs2 = tile.addptr %base2, %two : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
  tile.store %ptrs2, %sum : tensor<2x!tile.ptr<i32>>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %ptrs = tile.addptr %base, %range : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %ptrs, %bits : tensor<8x!tile.ptr<i32>>
  return
}
