// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s
// RUN: sed 's/128/256/g' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=NONE
// RUN: sed 's/num_warps = 8/num_warps = 2/' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=NONE
// RUN: sed 's/f16/f32/g' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=NONE
// RUN: sed 's/ : i32 {$/ : i32 { tile.store %%c, %%zeros : !tile.ptr<f32>/; s/%%zeros : !tile/%%none : !tile/' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=NONE

// A kernel that asks for one stage has two where a second slot takes the place of no other CTA. Not where it would, as
// with blocks of 256; where the sums fill most registers, as with two warps; without matrix instructions; and where the
// loop stores what it might load.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-2: tile.alloc_buffer : {{.*}} slots = 2>
// NONE-LABEL: func.func @product
// NONE-NOT: slots
// NONE: return
func.func @product(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 1 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %length = arith.constant 64 : i32
  %none = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<128x64xi32>
  %j = tile.make_range 0 to 128 : tensor<128xi32>
  %rowB = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columnsB = tile.broadcast %rowB : tensor<1x128xi32> -> tensor<64x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %far = arith.muli %i, %length : i32
    %at = tile.addptr %a, %far : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = tile.load %ptrs : tensor<128x64x!tile.ptr<f16>>
    %atB = tile.addptr %b, %far : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columnsB : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %right = tile.load %ptrsB : tensor<64x128x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}
