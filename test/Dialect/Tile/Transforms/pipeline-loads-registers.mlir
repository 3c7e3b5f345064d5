// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s
// RUN: sed 's/128/256/g' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=WIDER
// RUN: sed 's/128/256/g; s/num_warps = 4/num_warps = 8/' %s | tile-opt -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=WARPS

// Two slots of 72 KB leave room for one CTA, and none for two: four warps wait alone, eight do not.
// WIDER-LABEL: func.func @wide
// WIDER-NOT: slots
// WIDER: return
// WARPS-LABEL: func.func @wide
// WARPS: slots = 3

// Factors that go through registers: three slots of 40 KB leave room for one CTA, two slots for two.
// CHECK-LABEL: func.func @wide
// CHECK: tile.alloc_buffer : <32x64xf32, #{{.*}}, slots = 2>
func.func @wide(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %j = tile.make_range 0 to 128 : tensor<128xi32>
  %rowB = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columnOfB = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %lineB = arith.muli %columnOfB, %width : tensor<64x1xi32>
  %linesB = tile.broadcast %lineB : tensor<64x1xi32> -> tensor<64x128xi32>
  %inLineB = tile.broadcast %rowB : tensor<1x128xi32> -> tensor<64x128xi32>
  %columnsB = arith.addi %linesB, %inLineB : tensor<64x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<32x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %bases = tile.splat %at : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
    %ptrs = tile.addptr %bases, %columns : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    %left = tile.load %ptrs : tensor<32x64x!tile.ptr<f32>>
    %atB = tile.addptr %b, %i : !tile.ptr<f32>, i32
    %basesB = tile.splat %atB : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
    %ptrsB = tile.addptr %basesB, %columnsB : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
    %right = tile.load %ptrsB : tensor<64x128x!tile.ptr<f32>>
    %next = tile.dot %left, %right, %acc precision tf32 : tensor<32x64xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
    scf.yield %next : tensor<32x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<32x128x!tile.ptr<f32>>
  return
}

// Not where most elements of an iteration are those of the same places.
// WIDER-LABEL: func.func @repeated
// WIDER: slots = 3
func.func @repeated(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %j = tile.make_range 0 to 128 : tensor<128xi32>
  %rowB = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columnsB = tile.broadcast %rowB : tensor<1x128xi32> -> tensor<64x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<32x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %bases = tile.splat %at : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
    %ptrs = tile.addptr %bases, %columns : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    %left = tile.load %ptrs : tensor<32x64x!tile.ptr<f32>>
    %atB = tile.addptr %b, %i : !tile.ptr<f32>, i32
    %basesB = tile.splat %atB : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
    %ptrsB = tile.addptr %basesB, %columnsB : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
    %right = tile.load %ptrsB : tensor<64x128x!tile.ptr<f32>>
    %next = tile.dot %left, %right, %acc precision tf32 : tensor<32x64xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
    scf.yield %next : tensor<32x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<32x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<32x128x!tile.ptr<f32>>
  return
}
