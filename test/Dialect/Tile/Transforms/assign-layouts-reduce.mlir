// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// A reduction works in its source's layout; its result has what is left of it.

// CHECK-DAG: #[[TILE:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [4, 0], [8, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0], [2, 0]], block = []>
// CHECK-DAG: #[[PERROW:.*]] = #tile.layout<register = {{\[\[}}4], [8]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]], block = []>
// CHECK-DAG: #[[PERCOLUMN:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}0], [0]], block = []>

// CHECK-LABEL: func.func @eachAxis
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<16x128x!tile.ptr<f32>, #[[TILE]]>
// CHECK: tile.reduce(%[[X]]) axis 1 : (tensor<16x128xf32, #[[TILE]]>) -> tensor<16xf32, #[[PERROW]]>
// CHECK: tile.reduce(%[[X]]) axis 0 : (tensor<16x128xf32, #[[TILE]]>) -> tensor<128xf32, #[[PERCOLUMN]]>
func.func @eachAxis(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %s = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %column = tile.expand_dims %s axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %size = arith.constant dense<128> : tensor<16x1xi32>
  %start = arith.muli %row, %size : tensor<16x1xi32>
  %0 = tile.broadcast %start : tensor<16x1xi32> -> tensor<16x128xi32>
  %1 = tile.broadcast %column : tensor<1x128xi32> -> tensor<16x128xi32>
  %offsets = arith.addi %0, %1 : tensor<16x128xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %x = tile.load %ptrs : tensor<16x128x!tile.ptr<f32>>
  %rows = tile.reduce(%x) axis 1 : (tensor<16x128xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %columns = tile.reduce(%x) axis 0 : (tensor<16x128xf32>) -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %rowBase = tile.splat %q : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %rowPtrs = tile.addptr %rowBase, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %rowPtrs, %rows : tensor<16x!tile.ptr<f32>>
  %columnBase = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %columnPtrs = tile.addptr %columnBase, %s : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %columnPtrs, %columns : tensor<128x!tile.ptr<f32>>
  return
}

// -----

// A result that is subtracted again from the rows it came from needs no conversion.

// CHECK-LABEL: func.func @broadcastBack
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @broadcastBack(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %column = tile.expand_dims %r axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %size = arith.constant dense<16> : tensor<16x1xi32>
  %start = arith.muli %row, %size : tensor<16x1xi32>
  %0 = tile.broadcast %start : tensor<16x1xi32> -> tensor<16x16xi32>
  %1 = tile.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %0, %1 : tensor<16x16xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %offsets : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %x = tile.load %ptrs : tensor<16x16x!tile.ptr<f32>>
  %max = tile.reduce(%x) axis 1 : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %wide = tile.expand_dims %max axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %all = tile.broadcast %wide : tensor<16x1xf32> -> tensor<16x16xf32>
  %y = arith.subf %x, %all : tensor<16x16xf32>
  tile.store %ptrs, %y : tensor<16x16x!tile.ptr<f32>>
  return
}

// -----

// A reduction of values that are free takes a layout that suits any reduction: neighbours are in a
// thread, but not more than loads bring at once.

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128]], block = []>
// CHECK-LABEL: func.func @free
// CHECK: tile.reduce(%{{.*}}) axis 0 : (tensor<256xi32, #[[L]]>) -> i32
func.func @free(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %sum = tile.reduce(%r) axis 0 : (tensor<256xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %sum : !tile.ptr<i32>
  return
}

// -----

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[\[}}4, 0]], block = []>
// CHECK-LABEL: func.func @freeRows
// CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<32x64xi32, #[[L]]>)
func.func @freeRows(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %sums = tile.reduce(%x) axis 1 : (tensor<32x64xi32>) -> tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %s = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %ptrs = tile.addptr %base, %s : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.store %ptrs, %sums : tensor<32x!tile.ptr<i32>>
  return
}

// -----

// Sources of one reduction meet in one layout.

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane
// CHECK-LABEL: func.func @together
// CHECK: tile.make_range 0 to 512 : tensor<512xi32, #[[L]]>
// CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 : (tensor<512xf32, #[[L]]>, tensor<512xi32, #[[L]]>) -> (f32, i32)
func.func @together(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %x = tile.load %ptrs : tensor<512x!tile.ptr<f32>>
  %max:2 = tile.reduce(%x, %r) axis 0 : (tensor<512xf32>, tensor<512xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %larger, %a, %b : f32
    %ci = arith.select %larger, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  tile.store %q, %max#1 : !tile.ptr<i32>
  return
}

// -----

// A reduction over all axes takes the elements where the load put them.
// CHECK-LABEL: func.func @allAxes
// CHECK-NOT: tile.convert_layout
// CHECK: tile.reduce
func.func @allAxes(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<16x64x!tile.ptr<f32>>
  %flat = tile.reshape %x : tensor<16x64xf32> -> tensor<1024xf32>
  %0 = tile.reduce(%flat) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %q, %0 : !tile.ptr<f32>
  return
}

// -----

// Where nothing else decides, neighbours along the axis are in a thread, and the last axis is along the lanes.
// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [16, 0]], warp = {{\[\[}}32, 0]], block = []>
// CHECK-LABEL: func.func @columns
// CHECK: tile.reduce({{.*}}) axis 0 : (tensor<64x16xi32, #[[L]]>)
func.func @columns(%n: i32, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %x = tile.splat %n : i32 -> tensor<64x16xi32>
  %0 = tile.reduce(%x) axis 0 : (tensor<64x16xi32>) -> tensor<16xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %qs, %0 : tensor<16x!tile.ptr<i32>>
  return
}

// -----

// What is computed from broadcasts is reduced where their source is, each thread with all copies of its elements, if it
// has all along the axis.

// CHECK-DAG: #[[WIDE:.*]] = #tile.layout<register = {{\[\[}}0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 1, 0], [0, 1, 0, 0]], lane = {{\[\[}}0, 2, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0]], warp = {{\[\[}}16, 0, 0, 0], [32, 0, 0, 0]], block = []>

// CHECK-LABEL: func.func @spread
// CHECK: tile.reduce({{.*}}) axis 2 : (tensor<64x4x2x4xf32, #[[WIDE]]>)
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @spread(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %at = tile.reshape %r : tensor<512xi32> -> tensor<64x8xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x8x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %at : tensor<64x8x!tile.ptr<f32>>, tensor<64x8xi32>
  %x = tile.load %ptrs : tensor<64x8x!tile.ptr<f32>>
  %pairs = tile.reshape %x : tensor<64x8xf32> -> tensor<64x4x2x1xf32>
  %wide = tile.broadcast %pairs : tensor<64x4x2x1xf32> -> tensor<64x4x2x4xf32>
  %square = arith.mulf %wide, %wide : tensor<64x4x2x4xf32>
  %sum = tile.reduce(%square) axis 2 : (tensor<64x4x2x4xf32>) -> tensor<64x4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<64x4x4x!tile.ptr<f32>>
  tile.store %to, %sum : tensor<64x4x4x!tile.ptr<f32>>
  return
}

// -----

// Of a vector that lanes share each would make all copies: its layout does not decide.

// CHECK-DAG: #[[FEW:.*]] = #tile.layout<register = {{\[\[}}16]], lane = {{\[\[}}0], [0], [0], [1], [2]], warp = {{\[\[}}4], [8]], block = []>
// CHECK-DAG: #[[ALL:.*]] = #tile.layout<register = {{\[\[}}0, 1, 0], [0, 2, 0], [16, 0, 0]], lane = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0]], warp = {{\[\[}}4, 0, 0], [8, 0, 0]], block = []>

// CHECK-LABEL: func.func @small
// CHECK: tile.load {{.*}} : tensor<32x!tile.ptr<f32>, #[[FEW]]>
// CHECK: tile.reduce({{.*}}) axis 1 : (tensor<32x4x8xf32, #[[ALL]]>)
func.func @small(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %ptrs : tensor<32x!tile.ptr<f32>>
  %thin = tile.reshape %x : tensor<32xf32> -> tensor<32x1x1xf32>
  %wide = tile.broadcast %thin : tensor<32x1x1xf32> -> tensor<32x4x8xf32>
  %square = arith.mulf %wide, %wide : tensor<32x4x8xf32>
  %sum = tile.reduce(%square) axis 1 : (tensor<32x4x8xf32>) -> tensor<32x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<32x8x!tile.ptr<f32>>
  tile.store %to, %sum : tensor<32x8x!tile.ptr<f32>>
  return
}

// -----

// Each value is looked at once, however often the steps before a reduction use it.

// CHECK-LABEL: func.func @manySteps
// CHECK-COUNT-40: math.fma
// CHECK: tile.reduce
func.func @manySteps(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %ptrs : tensor<32x!tile.ptr<f32>>
  %thin = tile.reshape %x : tensor<32xf32> -> tensor<32x1x1xf32>
  %wide = tile.broadcast %thin : tensor<32x1x1xf32> -> tensor<32x4x8xf32>
  %s0 = math.fma %wide, %wide, %wide : tensor<32x4x8xf32>
  %s1 = math.fma %s0, %s0, %s0 : tensor<32x4x8xf32>
  %s2 = math.fma %s1, %s1, %s1 : tensor<32x4x8xf32>
  %s3 = math.fma %s2, %s2, %s2 : tensor<32x4x8xf32>
  %s4 = math.fma %s3, %s3, %s3 : tensor<32x4x8xf32>
  %s5 = math.fma %s4, %s4, %s4 : tensor<32x4x8xf32>
  %s6 = math.fma %s5, %s5, %s5 : tensor<32x4x8xf32>
  %s7 = math.fma %s6, %s6, %s6 : tensor<32x4x8xf32>
  %s8 = math.fma %s7, %s7, %s7 : tensor<32x4x8xf32>
  %s9 = math.fma %s8, %s8, %s8 : tensor<32x4x8xf32>
  %s10 = math.fma %s9, %s9, %s9 : tensor<32x4x8xf32>
  %s11 = math.fma %s10, %s10, %s10 : tensor<32x4x8xf32>
  %s12 = math.fma %s11, %s11, %s11 : tensor<32x4x8xf32>
  %s13 = math.fma %s12, %s12, %s12 : tensor<32x4x8xf32>
  %s14 = math.fma %s13, %s13, %s13 : tensor<32x4x8xf32>
  %s15 = math.fma %s14, %s14, %s14 : tensor<32x4x8xf32>
  %s16 = math.fma %s15, %s15, %s15 : tensor<32x4x8xf32>
  %s17 = math.fma %s16, %s16, %s16 : tensor<32x4x8xf32>
  %s18 = math.fma %s17, %s17, %s17 : tensor<32x4x8xf32>
  %s19 = math.fma %s18, %s18, %s18 : tensor<32x4x8xf32>
  %s20 = math.fma %s19, %s19, %s19 : tensor<32x4x8xf32>
  %s21 = math.fma %s20, %s20, %s20 : tensor<32x4x8xf32>
  %s22 = math.fma %s21, %s21, %s21 : tensor<32x4x8xf32>
  %s23 = math.fma %s22, %s22, %s22 : tensor<32x4x8xf32>
  %s24 = math.fma %s23, %s23, %s23 : tensor<32x4x8xf32>
  %s25 = math.fma %s24, %s24, %s24 : tensor<32x4x8xf32>
  %s26 = math.fma %s25, %s25, %s25 : tensor<32x4x8xf32>
  %s27 = math.fma %s26, %s26, %s26 : tensor<32x4x8xf32>
  %s28 = math.fma %s27, %s27, %s27 : tensor<32x4x8xf32>
  %s29 = math.fma %s28, %s28, %s28 : tensor<32x4x8xf32>
  %s30 = math.fma %s29, %s29, %s29 : tensor<32x4x8xf32>
  %s31 = math.fma %s30, %s30, %s30 : tensor<32x4x8xf32>
  %s32 = math.fma %s31, %s31, %s31 : tensor<32x4x8xf32>
  %s33 = math.fma %s32, %s32, %s32 : tensor<32x4x8xf32>
  %s34 = math.fma %s33, %s33, %s33 : tensor<32x4x8xf32>
  %s35 = math.fma %s34, %s34, %s34 : tensor<32x4x8xf32>
  %s36 = math.fma %s35, %s35, %s35 : tensor<32x4x8xf32>
  %s37 = math.fma %s36, %s36, %s36 : tensor<32x4x8xf32>
  %s38 = math.fma %s37, %s37, %s37 : tensor<32x4x8xf32>
  %s39 = math.fma %s38, %s38, %s38 : tensor<32x4x8xf32>
  %sum = tile.reduce(%s39) axis 1 : (tensor<32x4x8xf32>) -> tensor<32x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<32x8x!tile.ptr<f32>>
  tile.store %to, %sum : tensor<32x8x!tile.ptr<f32>>
  return
}
