// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// A transposition is free: what was loaded is converted once, to what the store wants.
// CHECK-LABEL: func.func @transpose
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[MOVED:.*]] = tile.convert_layout %[[X]]
// CHECK: tile.permute %[[MOVED]] order [1, 0]
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @transpose(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %square = tile.reshape %r : tensor<1024xi32> -> tensor<32x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %square : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %pa : tensor<32x32x!tile.ptr<f32>>
  %y = tile.permute %x order [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %row = tile.make_range 0 to 32 : tensor<32xi32>
  %rows = tile.expand_dims %row axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %wide = tile.broadcast %rows : tensor<1x32xi32> -> tensor<32x32xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %qa = tile.addptr %qs, %wide : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %qa, %y : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// Changes of shape around a flip do not move anything: it works where the load put the elements.
// CHECK: #[[LOADED:.*]] = #tile.layout<register = [], lane = {{\[\[1\], \[2\], \[4\], \[8\], \[16\]\]}}
// CHECK: #[[PAIRS:.*]] = #tile.layout<register = [], lane = {{\[\[0, 1\], \[1, 0\], \[2, 0\], \[4, 0\], \[8, 0\]\]}}
// CHECK-LABEL: func.func @pairs
// CHECK: tile.load
// CHECK-NOT: tile.convert_layout
// CHECK: tile.flip %{{.*}} axis 1 : tensor<16x2xi32, #[[PAIRS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}} : tensor<32x!tile.ptr<i32>, #[[LOADED]]>
func.func @pairs(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %pa = tile.addptr %ps, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %x = tile.load %pa : tensor<32x!tile.ptr<i32>>
  %pairs = tile.reshape %x : tensor<32xi32> -> tensor<16x2xi32>
  %swapped = tile.flip %pairs axis 1 : tensor<16x2xi32>
  %y = tile.reshape %swapped : tensor<16x2xi32> -> tensor<32xi32>
  tile.store %pa, %y : tensor<32x!tile.ptr<i32>>
  return
}

// -----

// A scan works in the layout of its source if that has the right form, here along the rows, ...
// CHECK-LABEL: func.func @rows
// CHECK-NOT: tile.convert_layout
// CHECK: tile.scan(%{{.*}}) axis 1
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @rows(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %flat = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %flat, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pr = tile.reshape %pa : tensor<1024x!tile.ptr<f32>> -> tensor<16x64x!tile.ptr<f32>>
  %x = tile.load %pr : tensor<16x64x!tile.ptr<f32>>
  %s = tile.scan(%x) axis 1 : (tensor<16x64xf32>) -> tensor<16x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %pr, %s : tensor<16x64x!tile.ptr<f32>>
  return
}

// -----

// ... unless neighbours in one thread save more shuffles than the exchange costs, as of places beside values: the
// mask, which no group shares, has lanes load neighbours. The places are computed where the scan needs them, ...
// CHECK-DAG: #[[LANES:.*]] = #tile.layout<register = {{\[\[}}128], [256], [512]],
// CHECK-DAG: #[[NEIGHBOURS:.*]] = #tile.layout<register = {{\[\[}}1], [2], [4]],
// CHECK-LABEL: func.func @values_and_places
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[LANES]]>
// CHECK: %[[VALUES:.*]] = tile.convert_layout %[[X]] {{.*}} -> tensor<1024xf32, #[[NEIGHBOURS]]>
// CHECK: tile.scan(%[[VALUES]], %{{.*}}) axis 0
func.func @values_and_places(%p: !tile.ptr<f32>, %q: !tile.ptr<i64>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pa mask %mask : tensor<1024x!tile.ptr<f32>>
  %places = arith.extsi %r : tensor<1024xi32> to tensor<1024xi64>
  %s:2 = tile.scan(%x, %places) axis 0 : (tensor<1024xf32>, tensor<1024xi64>) -> (tensor<1024xf32>, tensor<1024xi64>) {
  ^bb0(%a: f32, %i: i64, %b: f32, %j: i64):
    %more = arith.cmpf ogt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %later = arith.cmpi sgt, %i, %j : i64
    %tie = arith.andi %same, %later : i1
    %first = arith.ori %more, %tie : i1
    %v = arith.select %first, %a, %b : f32
    %k = arith.select %first, %i, %j : i64
    tile.yield %v, %k : f32, i64
  }
  tile.store %pa, %s#0 mask %mask : tensor<1024x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<i64> -> tensor<1024x!tile.ptr<i64>>
  %qa = tile.addptr %qs, %r : tensor<1024x!tile.ptr<i64>>, tensor<1024xi32>
  tile.store %qa, %s#1 mask %mask : tensor<1024x!tile.ptr<i64>>
  return
}

// -----

// ... which those of a plain sum do not.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @sums(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pa mask %mask : tensor<1024x!tile.ptr<f32>>
  %s = tile.scan(%x) axis 0 : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %pa, %s mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// A gather reads its source from wherever it is.
// CHECK-LABEL: func.func @gather
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[I:.*]] = tile.load
// CHECK: tile.gather %[[X]][%[[I]]] axis 0
func.func @gather(%p: !tile.ptr<f64>, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<256x!tile.ptr<f64>>
  %pa = tile.addptr %ps, %r : tensor<256x!tile.ptr<f64>>, tensor<256xi32>
  %x = tile.load %pa : tensor<256x!tile.ptr<f64>>
  %h = tile.make_range 0 to 64 : tensor<64xi32>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qa = tile.addptr %qs, %h : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %i = tile.load %qa : tensor<64x!tile.ptr<i32>>
  %g = tile.gather %x[%i] axis 0 : tensor<256xf64>, tensor<64xi32> -> tensor<64xf64>
  %os = tile.splat %p : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>>
  %oa = tile.addptr %os, %h : tensor<64x!tile.ptr<f64>>, tensor<64xi32>
  tile.store %oa, %g : tensor<64x!tile.ptr<f64>>
  return
}
