// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads -split-input-file | FileCheck %s

// The first loads of a tile start behind the products of the tile before: the slots are those of the outer loop, which
// carries the first one. What they need of the next tile is computed there.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: %[[FIRST:[^ :]*]]: i32
// CHECK: %[[LEFTS:.*]] = tile.alloc_buffer : <64x16xf16, #{{.*}}, slots = 4>
// CHECK: %[[RIGHTS:.*]] = tile.alloc_buffer : <16x32xf16, #{{.*}}, slots = 4>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST]], %{{.*}}
// CHECK: scf.if %[[ANY]]
// CHECK: %[[ROW:.*]] = arith.muli %[[FIRST]], %c1024_i32
// CHECK: tile.addptr %{{.*}}, %[[ROW]]
// CHECK: scf.if
// CHECK: tile.buffer_copy %{{.*}} into %[[LEFTS]]
// CHECK: tile.buffer_copy %{{.*}} into %[[RIGHTS]]
// CHECK: tile.async_commit
// CHECK: scf.if
// CHECK: tile.async_commit
// CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP:.*]] iter_args(%[[SLOT:.*]] = %{{.*}}) -> (i32)
// CHECK-NOT: tile.buffer_copy
// CHECK: %[[INNER:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[SLOT]])
// CHECK: tile.dot
// CHECK: %[[MORE:.*]] = arith.andi
// CHECK: scf.if %[[MORE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[TILE]], %[[STEP]]
// CHECK: arith.muli %[[NEXT]], %c1024_i32
// CHECK: tile.buffer_copy %{{.*}} into %[[LEFTS]][%[[INNER]]#1]
// CHECK: tile.buffer_copy %{{.*}} into %[[RIGHTS]][%[[INNER]]#1]
// CHECK: tile.async_commit
// CHECK: arith.cmpi sge, %[[INNER]]#1, %c3_i32
// CHECK: tile.store
// CHECK: scf.yield %[[INNER]]#1
// CHECK-NEXT: } {tile.flatten}
// CHECK: tile.async_wait 0
func.func @tiles(%first: i32, %a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32, %count: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %programs = arith.constant 8 : i32
  %size = arith.constant 1024 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %lines = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  scf.for %tile = %first to %count step %programs : i32 {
    %offset = arith.muli %tile, %size : i32
    %rowOfA = tile.addptr %a, %offset : !tile.ptr<f16>, i32
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
      %at = tile.addptr %rowOfA, %i : !tile.ptr<f16>, i32
      %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
      %ptrs = tile.addptr %bases, %columns : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
      %left = tile.load %ptrs : tensor<64x16x!tile.ptr<f16>>
      %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
      %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
      %ptrsB = tile.addptr %basesB, %lines : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
      %right = tile.load %ptrsB : tensor<16x32x!tile.ptr<f16>>
      %next = tile.dot %left, %right, %acc : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
      scf.yield %next : tensor<64x32xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
    tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  } {tile.flatten}
  return
}

// -----

// What the next tile loads depends on memory that this one may write: its loads start when it comes. The same without
// the attribute.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8_i32 : i32 {
// CHECK: tile.load
// CHECK: tile.buffer_copy
// CHECK: scf.for {{.*}} iter_args(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8_i32 : i32 {
// CHECK: tile.buffer_copy
// CHECK: scf.for {{.*}} iter_args(
// CHECK: return
func.func @unknown(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %c: !tile.ptr<f32>, %n: i32, %count: i32, %table: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %programs = arith.constant 8 : i32
  %size = arith.constant 1024 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %lines = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  scf.for %tile = %zero to %count step %programs : i32 {
    %entry = tile.addptr %table, %tile : !tile.ptr<i32>, i32
    %number = tile.load %entry : !tile.ptr<i32>
    %offset = arith.muli %number, %size : i32
    %rowOfA = tile.addptr %a, %offset : !tile.ptr<f16>, i32
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
      %at = tile.addptr %rowOfA, %i : !tile.ptr<f16>, i32
      %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
      %ptrs = tile.addptr %bases, %columns : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
      %left = tile.load %ptrs : tensor<64x16x!tile.ptr<f16>>
      %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
      %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
      %ptrsB = tile.addptr %basesB, %lines : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
      %right = tile.load %ptrsB : tensor<16x32x!tile.ptr<f16>>
      %next = tile.dot %left, %right, %acc : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
      scf.yield %next : tensor<64x32xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
    tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  } {tile.flatten}
  scf.for %tile = %zero to %count step %programs : i32 {
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
      %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
      %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
      %ptrs = tile.addptr %bases, %columns : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
      %left = tile.load %ptrs : tensor<64x16x!tile.ptr<f16>>
      %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
      %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
      %ptrsB = tile.addptr %basesB, %lines : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
      %right = tile.load %ptrsB : tensor<16x32x!tile.ptr<f16>>
      %next = tile.dot %left, %right, %acc : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
      scf.yield %next : tensor<64x32xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
    tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  }
  return
}

// Nobody is to take iterations for independent whose accesses are ordered.
// CHECK-LABEL: func.func @ordered
// CHECK: tile.barrier
// CHECK-NEXT: }{{$}}
func.func @ordered(%lo: i32, %hi: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.for %i = %lo to %hi step %step : i32 {
    tile.barrier
  } {tile.flatten}
  return
}
