// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// What is looked up in a table of 16 numbers by parts of loaded words is looked up where the words are: any layout
// finds it in the same few sectors.

// CHECK: #[[WORDS:.*]] = #tile.layout<register = {{\[}}[1], [2]], lane
// CHECK: #[[PARTS:.*]] = #tile.layout<register = {{\[}}[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], lane
// CHECK-LABEL: func.func @table
// CHECK: tile.load {{.*}} : tensor<512x!tile.ptr<i32>, #[[WORDS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.load {{.*}} : tensor<512x8x!tile.ptr<f32>, #[[PARTS]]>
func.func @table(%w: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %table: !tile.ptr<f32>,
                 %out: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %base = tile.splat %w : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %ptrs = tile.addptr %base, %r : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %words = tile.load %ptrs : tensor<512x!tile.ptr<i32>>
  %column = tile.expand_dims %words axis 1 : tensor<512xi32> -> tensor<512x1xi32>
  %spread = tile.broadcast %column : tensor<512x1xi32> -> tensor<512x8xi32>
  %eight = tile.make_range 0 to 8 : tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi32>
  %bits = arith.muli %eight, %four : tensor<8xi32>
  %row = tile.expand_dims %bits axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %shifts = tile.broadcast %row : tensor<1x8xi32> -> tensor<512x8xi32>
  %moved = arith.shrui %spread, %shifts : tensor<512x8xi32>
  %low = arith.constant dense<15> : tensor<512x8xi32>
  %index = arith.andi %moved, %low : tensor<512x8xi32>
  %numbers = tile.splat %table : !tile.ptr<f32> -> tensor<512x8x!tile.ptr<f32>>
  %found = tile.addptr %numbers, %index : tensor<512x8x!tile.ptr<f32>>, tensor<512x8xi32>
  %values = tile.load %found : tensor<512x8x!tile.ptr<f32>>
  %sums = tile.reduce(%values) axis 1 : (tensor<512x8xf32>) -> tensor<512xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %outBase = tile.splat %out : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %outPtrs = tile.addptr %outBase, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  tile.store %outPtrs, %sums : tensor<512x!tile.ptr<f32>>
  return
}
