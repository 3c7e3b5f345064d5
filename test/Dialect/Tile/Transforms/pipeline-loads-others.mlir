// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s
// RUN: sed 's/x16xf16/x128xf16/g; s/x16x!tile/x128x!tile/g; s/x16xi32/x128xi32/g; s/x16xf32/x128xf32/g; s/0 to 16 : tensor<16xi32>/0 to 128 : tensor<128xi32>/; s/tensor<16xi32>/tensor<128xi32>/g' %s \
// RUN:   | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=AHEAD

// Where the left factor is, the iteration before has found out. So it cannot go ahead, but could be copied in its iteration. The
// smaller right factor does not go ahead of it; one of the same size does.
// CHECK-LABEL: func.func @linked
// CHECK-NOT: slots
// CHECK: return
// AHEAD-LABEL: func.func @linked
// AHEAD: tile.alloc_buffer : <64x128xf16, {{.*}}, slots = {{[0-9]+}}>
// AHEAD-NOT: tile.alloc_buffer
// AHEAD: scf.for
func.func @linked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %links: !tile.ptr<i32>, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %length = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %j = tile.make_range 0 to 16 : tensor<16xi32>
  %rowB = tile.expand_dims %j axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columnsB = tile.broadcast %rowB : tensor<1x16xi32> -> tensor<64x16xi32>
  %sum:2 = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %place = %zero) -> (tensor<64x16xf32>, i32) : i32 {
    %farA = arith.muli %place, %length : i32
    %at = tile.addptr %a, %farA : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %far = arith.muli %i, %length : i32
    %atB = tile.addptr %b, %far : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columnsB : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
    %right = tile.load %ptrsB : tensor<64x16x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x16xf16> -> tensor<64x16xf32>
    %link = tile.addptr %links, %place : !tile.ptr<i32>, i32
    %some = tile.splat %link : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
    %ends = tile.addptr %some, %k : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
    %found = tile.load %ends : tensor<64x!tile.ptr<i32>>
    %linked = tile.reduce(%found) axis 0 : (tensor<64xi32>) -> i32 {
    ^bb0(%x: i32, %y: i32):
      %most = arith.maxsi %x, %y : i32
      tile.yield %most : i32
    }
    scf.yield %next, %linked : tensor<64x16xf32>, i32
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
  tile.store %out, %sum#0 : tensor<64x16x!tile.ptr<f32>>
  return
}
