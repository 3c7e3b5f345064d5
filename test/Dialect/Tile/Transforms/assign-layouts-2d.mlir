// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// Threads lie along the dimension that is contiguous in memory, whichever it is.

// Rows: lanes along the second dimension, four elements each.
// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [16, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []>
// CHECK-LABEL: func.func @rowMajor
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[L]]>
func.func @rowMajor(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                    %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %slow = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %fast = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %size = tile.splat %n : i32 -> tensor<32x1xi32>
  %start = arith.muli %slow, %size : tensor<32x1xi32>
  %0 = tile.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %1 = tile.broadcast %fast : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %0, %1 : tensor<32x32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %ptrs volatile : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// Columns: the same with the dimensions exchanged.
// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1, 0], [2, 0], [0, 16]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]], block = []>
// CHECK-LABEL: func.func @columnMajor
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[L]]>
func.func @columnMajor(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                       %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %fast = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %slow = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %size = tile.splat %n : i32 -> tensor<1x32xi32>
  %start = arith.muli %slow, %size : tensor<1x32xi32>
  %0 = tile.broadcast %start : tensor<1x32xi32> -> tensor<32x32xi32>
  %1 = tile.broadcast %fast : tensor<32x1xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %0, %1 : tensor<32x32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %ptrs volatile : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// A row that starts anywhere still keeps threads along the row, one element each.
// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}4, 0], [8, 0], [16, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0], [2, 0]], block = []>
// CHECK-LABEL: func.func @unknownStride
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[L]]>
func.func @unknownStride(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %slow = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %fast = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %size = tile.splat %n : i32 -> tensor<32x1xi32>
  %start = arith.muli %slow, %size : tensor<32x1xi32>
  %0 = tile.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %1 = tile.broadcast %fast : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %0, %1 : tensor<32x32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %ptrs volatile : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// A mask along the slow dimension does not narrow the access; its own layout follows from the load's.
// CHECK-DAG: #[[MASK:.*]] = #tile.layout<register = {{\[\[}}16, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []>
// CHECK-DAG: #[[L:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [16, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []>
// CHECK-LABEL: func.func @rowMask
// CHECK: tile.broadcast %{{.*}} : tensor<32x1xi1, #[[MASK]]> -> tensor<32x32xi1, #[[L]]>
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[L]]>
func.func @rowMask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %n: i32 {tile.divisibility = 16 : i32}, %rows: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %slow = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %fast = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %size = tile.splat %n : i32 -> tensor<32x1xi32>
  %start = arith.muli %slow, %size : tensor<32x1xi32>
  %0 = tile.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %1 = tile.broadcast %fast : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %0, %1 : tensor<32x32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %bound = tile.splat %rows : i32 -> tensor<32x1xi32>
  %inside = arith.cmpi slt, %slow, %bound : tensor<32x1xi32>
  %mask = tile.broadcast %inside : tensor<32x1xi1> -> tensor<32x32xi1>
  %x = tile.load %ptrs mask %mask volatile : tensor<32x32x!tile.ptr<f32>>
  return
}
