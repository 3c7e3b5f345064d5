// RUN: tile-opt %s -convert-tile-to-linalg -split-input-file | FileCheck %s

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
