// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// A number in memory says where the right factor is. It is loaded for the iteration behind the two whose copies are under
// way, if there is one, and carried.
// CHECK-LABEL: func.func @pages
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<i32>
// CHECK: scf.for {{.*}} %[[PAGE:[^ ]*]] = %[[FIRST]], %{{[^ ]*}} = %{{[^ ]*}}) ->
// CHECK: scf.if
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PAGE]],
// CHECK: tile.addptr %{{.*}}, %[[OFFSET]]
// CHECK: }
// CHECK: %[[BEHIND:.*]] = arith.cmpi ugt,
// CHECK: %[[EXISTS:.*]] = arith.andi %{{.*}}, %[[BEHIND]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %[[EXISTS]] : !tile.ptr<i32>
// CHECK-NOT: tile.load
// CHECK: tile.dot
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{.*}}
func.func @pages(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pages: !tile.ptr<i32>,
                 %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %further = arith.muli %i, %size : i32
    %at = tile.addptr %a, %further : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %atPage = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %atPage : !tile.ptr<i32>
    %start = arith.muli %page, %size : i32
    %atB = tile.addptr %b, %start : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Numbers of rows of 16 bytes: the table is small, its rows are in L1. They are loaded where they are needed; only the
// left factor is copied ahead.
// CHECK-LABEL: func.func @table
// CHECK-COUNT-1: tile.alloc_buffer
// CHECK-NOT: tile.alloc_buffer
// CHECK: scf.for
// CHECK: tile.buffer_copy
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.load %{{.*}} : tensor<64x8x!tile.ptr<i16>,
// CHECK: tile.load %{{.*}} : tensor<64x8x8x!tile.ptr<f16>,
// CHECK: tile.dot
func.func @table(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %rows: !tile.ptr<i16>,
                 %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %numRows = arith.constant 512 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %eight = arith.constant dense<8> : tensor<64x8x1xi32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %numbers = tile.make_range 0 to 512 : tensor<512xi32>
  %places = tile.reshape %numbers : tensor<512xi32> -> tensor<64x8xi32>
  %inRow = tile.make_range 0 to 8 : tensor<8xi32>
  %inRow3 = tile.reshape %inRow : tensor<8xi32> -> tensor<1x1x8xi32>
  %columns = tile.broadcast %inRow3 : tensor<1x1x8xi32> -> tensor<64x8x8xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %further = arith.muli %i, %size : i32
    %at = tile.addptr %a, %further : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %first = arith.muli %i, %numRows : i32
    %atRows = tile.addptr %rows, %first : !tile.ptr<i16>, i32
    %basesRows = tile.splat %atRows : !tile.ptr<i16> -> tensor<64x8x!tile.ptr<i16>>
    %ptrsRows = tile.addptr %basesRows, %places : tensor<64x8x!tile.ptr<i16>>, tensor<64x8xi32>
    %row = tile.load %ptrsRows : tensor<64x8x!tile.ptr<i16>>
    %wide = arith.extsi %row : tensor<64x8xi16> to tensor<64x8xi32>
    %wide3 = tile.reshape %wide : tensor<64x8xi32> -> tensor<64x8x1xi32>
    %starts = arith.muli %wide3, %eight : tensor<64x8x1xi32>
    %startsB = tile.broadcast %starts : tensor<64x8x1xi32> -> tensor<64x8x8xi32>
    %indices = arith.addi %startsB, %columns : tensor<64x8x8xi32>
    %basesB = tile.splat %b : !tile.ptr<f16> -> tensor<64x8x8x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %indices : tensor<64x8x8x!tile.ptr<f16>>, tensor<64x8x8xi32>
    %rowsB = tile.load %ptrsB : tensor<64x8x8x!tile.ptr<f16>>
    %right = tile.reshape %rowsB : tensor<64x8x8xf16> -> tensor<64x64xf16>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
