// RUN: tile-opt %s -tile-expand-exchanges -split-input-file | FileCheck %s

#tile = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = []>
#row = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 0], [0, 0], [0, 0]], warp = [[0, 0]], block = []>
#other = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0]], block = []>

module attributes {tile.target = #tile.target<"sm_90">} {
// A loop that takes one row after the other of the same tile finds it in a buffer, which two gathers share. A row is read in
// the layout in which it is needed.
// CHECK-LABEL: func.func @rows(
// CHECK:       %[[BUFFER:.*]] = tile.alloc_buffer
// CHECK-NEXT:  tile.buffer_store %[[X:.*]], %[[BUFFER]]
// CHECK-NEXT:  scf.for %[[J:.*]] = {{.*}} iter_args(%[[SUM:.*]] =
// CHECK:         %[[SPLAT:.*]] = tile.splat %[[J]] : i32 -> tensor<1x16xi32, #[[ROW:.*]]>
// CHECK-NEXT:    %[[FIRST:.*]] = tile.buffer_gather %[[BUFFER]][%[[SPLAT]]] axis 0 : {{.*}} -> tensor<1x16xf32, #[[ROW]]>
// CHECK:         %[[SECOND:.*]] = tile.buffer_gather %[[BUFFER]]
// CHECK-NOT:     tile.convert_layout
// CHECK:         arith.addf %[[SUM]], %[[FIRST]]
func.func @rows(%x: tensor<16x16xf32, #tile>, %n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<1x16xf32, #row>
  %sum = scf.for %j = %zero to %n step %one iter_args(%acc = %start) -> (tensor<1x16xf32, #row>) : i32 {
    %index = tile.splat %j : i32 -> tensor<1x16xi32, #other>
    %found = tile.gather %x[%index] axis 0 : tensor<16x16xf32, #tile>, tensor<1x16xi32, #other> -> tensor<1x16xf32, #other>
    %row = tile.convert_layout %found : tensor<1x16xf32, #other> -> tensor<1x16xf32, #row>
    %first = arith.constant dense<0> : tensor<1x16xi32, #row>
    %again = tile.gather %x[%first] axis 0 : tensor<16x16xf32, #tile>, tensor<1x16xi32, #row> -> tensor<1x16xf32, #row>
    %next = arith.addf %acc, %row : tensor<1x16xf32, #row>
    %more = arith.addf %next, %again : tensor<1x16xf32, #row>
    scf.yield %more : tensor<1x16xf32, #row>
  }
  %at = tile.splat %p : !tile.ptr<f32> -> tensor<1x16x!tile.ptr<f32>, #row>
  tile.store %at, %sum : tensor<1x16x!tile.ptr<f32>, #row>
  return
}

// A tile that the inner loop does not change, but the outer one does, is stored between them; one that the loop changes, in it.
// CHECK-LABEL: func.func @changed(
// CHECK:       scf.for
// CHECK:         %[[OUTER:.*]] = tile.alloc_buffer
// CHECK-NEXT:    tile.buffer_store %{{.*}}, %[[OUTER]]
// CHECK-NEXT:    scf.for
// CHECK:           tile.buffer_gather %[[OUTER]]
// CHECK:           %[[INNER:.*]] = tile.alloc_buffer
// CHECK-NEXT:      tile.buffer_store %{{.*}}, %[[INNER]]
// CHECK-NEXT:      tile.buffer_gather %[[INNER]]
func.func @changed(%x: tensor<16x16xf32, #tile>, %n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %result = scf.for %i = %zero to %n step %one iter_args(%outer = %x) -> (tensor<16x16xf32, #tile>) : i32 {
    %next = scf.for %j = %zero to %n step %one iter_args(%inner = %outer) -> (tensor<16x16xf32, #tile>) : i32 {
      %index = tile.splat %j : i32 -> tensor<16x16xi32, #tile>
      %a = tile.gather %outer[%index] axis 0 : tensor<16x16xf32, #tile>, tensor<16x16xi32, #tile> -> tensor<16x16xf32, #tile>
      %b = tile.gather %inner[%index] axis 0 : tensor<16x16xf32, #tile>, tensor<16x16xi32, #tile> -> tensor<16x16xf32, #tile>
      %c = arith.addf %a, %b : tensor<16x16xf32, #tile>
      scf.yield %c : tensor<16x16xf32, #tile>
    }
    scf.yield %next : tensor<16x16xf32, #tile>
  }
  %at = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #tile>
  tile.store %at, %result : tensor<16x16x!tile.ptr<f32>, #tile>
  return
}
}

// -----

#large = #tile.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]], block = []>

module attributes {tile.target = #tile.target<"sm_90">} {
// Not where keeping the tile costs a resident CTA. Its registers leave room for two of 128 threads, and so does the first tile.
// CHECK-LABEL: func.func @large(
// CHECK:       %[[FIRST:.*]] = tile.alloc_buffer
// CHECK-NEXT:  tile.buffer_store %{{.*}}, %[[FIRST]]
// CHECK-NEXT:  scf.for
// CHECK:         tile.buffer_gather %[[FIRST]]
// CHECK:         %[[SECOND:.*]] = tile.alloc_buffer
// CHECK-NEXT:    tile.buffer_store %{{.*}}, %[[SECOND]]
// CHECK-NEXT:    tile.buffer_gather %[[SECOND]]
func.func @large(%x: tensor<128x128xf32, #large>, %y: tensor<128x128xf32, #large>, %n: i32, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = tile.splat %p : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>, #large>
  scf.for %j = %zero to %n step %one : i32 {
    %index = tile.splat %j : i32 -> tensor<128x128xi32, #large>
    %a = tile.gather %x[%index] axis 0 : tensor<128x128xf32, #large>, tensor<128x128xi32, #large> -> tensor<128x128xf32, #large>
    %b = tile.gather %y[%index] axis 0 : tensor<128x128xf32, #large>, tensor<128x128xi32, #large> -> tensor<128x128xf32, #large>
    %c = arith.addf %a, %b : tensor<128x128xf32, #large>
    tile.store %at, %c : tensor<128x128x!tile.ptr<f32>, #large>
  }
  return
}
}
