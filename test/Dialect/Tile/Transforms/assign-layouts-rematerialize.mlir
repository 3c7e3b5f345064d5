// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// What is cheap to compute again is computed in every layout that is asked for; data from memory is
// converted.

// A store that would be slow in the loaded value's layout: rows are read, columns are written.

// CHECK-DAG: #[[LINE:.*]] = #tile.layout<register = {{\[\[}}8], [16], [32]], lane = {{\[\[}}0], [0], [0], [0], [1]], warp = {{\[\[}}2], [4]], block = []>
// CHECK-DAG: #[[FAST:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [0]], warp = {{\[\[}}0], [0]], block = []>
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]], block = []>
// CHECK-DAG: #[[COLUMNS:.*]] = #tile.layout<register = {{\[\[}}1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = {{\[\[}}0, 2], [0, 4]], block = []>

// CHECK-LABEL: func.func @transpose
// The one range of the source is made once for rows and once for columns.
// CHECK-DAG: tile.make_range 0 to 64 : tensor<64xi32, #[[LINE]]>
// CHECK-DAG: tile.make_range 0 to 64 : tensor<64xi32, #[[FAST]]>
// CHECK-NOT: tile.make_range
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROWS]]>
// CHECK-NEXT: %[[Y:.*]] = tile.convert_layout %[[X]] : tensor<64x64xf32, #[[ROWS]]> -> tensor<64x64xf32, #[[COLUMNS]]>
// CHECK-NEXT: tile.store %{{.*}}, %[[Y]] : tensor<64x64x!tile.ptr<f32>, #[[COLUMNS]]>
// CHECK-NOT: tile.convert_layout
func.func @transpose(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                     %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                     %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rowSize = tile.splat %n : i32 -> tensor<64x1xi32>
  %columnSize = tile.splat %n : i32 -> tensor<1x64xi32>
  %rowStart = arith.muli %row, %rowSize : tensor<64x1xi32>
  %columnStart = arith.muli %column, %columnSize : tensor<1x64xi32>
  %0 = tile.broadcast %rowStart : tensor<64x1xi32> -> tensor<64x64xi32>
  %1 = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %2 = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %3 = tile.broadcast %columnStart : tensor<1x64xi32> -> tensor<64x64xi32>
  %from = arith.addi %0, %1 : tensor<64x64xi32>
  %to = arith.addi %3, %2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %source = tile.addptr %ps, %from : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %target = tile.addptr %qs, %to : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %source : tensor<64x64x!tile.ptr<f32>>
  tile.store %target, %x : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// What is only wider than what was loaded is converted as it was loaded.
// CHECK-LABEL: func.func @widened
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f16>, #{{.*}}>
// CHECK-NEXT: %[[Y:.*]] = tile.convert_layout %[[X]] : tensor<64x64xf16, #{{.*}}> -> tensor<64x64xf16, #[[COLUMNS:.*]]>
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: tile.store %{{.*}}, %[[WIDE]] : tensor<64x64x!tile.ptr<f32>, #[[COLUMNS]]>
func.func @widened(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rowSize = tile.splat %n : i32 -> tensor<64x1xi32>
  %columnSize = tile.splat %n : i32 -> tensor<1x64xi32>
  %rowStart = arith.muli %row, %rowSize : tensor<64x1xi32>
  %columnStart = arith.muli %column, %columnSize : tensor<1x64xi32>
  %0 = tile.broadcast %rowStart : tensor<64x1xi32> -> tensor<64x64xi32>
  %1 = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %2 = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %3 = tile.broadcast %columnStart : tensor<1x64xi32> -> tensor<64x64xi32>
  %from = arith.addi %0, %1 : tensor<64x64xi32>
  %to = arith.addi %3, %2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %source = tile.addptr %ps, %from : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %target = tile.addptr %qs, %to : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %source : tensor<64x64x!tile.ptr<f16>>
  %wide = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  tile.store %target, %wide : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// A store that is as cheap in the value's own layout takes it. A scatter touches a sector for each
// element in any layout, though by itself it would have chosen one element a thread.

// CHECK: #[[OWN:.*]] = #tile.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NEXT: module
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<i32>, #[[OWN]]>
func.func @scatter(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %source = tile.addptr %ps, %r : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %x = tile.load %source : tensor<1024x!tile.ptr<i32>>
  %target = tile.addptr %qs, %x : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  tile.store %target, %x : tensor<1024x!tile.ptr<i32>>
  return
}

// -----

// Two loaded values that disagree meet in the first one's layout: one is read by rows, the other by columns.

// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2],
// CHECK-DAG: #[[COLUMNS:.*]] = #tile.layout<register = {{\[\[}}1, 0], [2, 0],
// CHECK-LABEL: func.func @meet
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #[[ROWS]]>
// CHECK: %[[Y:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #[[COLUMNS]]>
// CHECK: %[[Z:.*]] = tile.convert_layout %[[Y]] : tensor<64x64xf32, #[[COLUMNS]]> -> tensor<64x64xf32, #[[ROWS]]>
// CHECK: arith.addf %[[X]], %[[Z]] : tensor<64x64xf32, #[[ROWS]]>
func.func @meet(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rowSize = tile.splat %n : i32 -> tensor<64x1xi32>
  %columnSize = tile.splat %n : i32 -> tensor<1x64xi32>
  %rowStart = arith.muli %row, %rowSize : tensor<64x1xi32>
  %columnStart = arith.muli %column, %columnSize : tensor<1x64xi32>
  %0 = tile.broadcast %rowStart : tensor<64x1xi32> -> tensor<64x64xi32>
  %1 = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %2 = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %3 = tile.broadcast %columnStart : tensor<1x64xi32> -> tensor<64x64xi32>
  %byRows = arith.addi %0, %1 : tensor<64x64xi32>
  %byColumns = arith.addi %3, %2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %left = tile.addptr %ps, %byRows : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %right = tile.addptr %qs, %byColumns : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %left : tensor<64x64x!tile.ptr<f32>>
  %y = tile.load %right : tensor<64x64x!tile.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<64x64xf32>
  tile.store %left, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// An operation with two results is rematerialized as one.

// CHECK: #[[L:.*]] = #tile.layout
// CHECK-LABEL: func.func @twoResults
// CHECK: %{{.*}}, %[[HIGH:.*]] = arith.mului_extended %{{.*}}, %{{.*}} : tensor<32xi32, #[[L]]>
// CHECK-NOT: arith.mului_extended
// CHECK: tile.store %{{.*}}, %[[HIGH]]
func.func @twoResults(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %low, %high = arith.mului_extended %r, %r : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %ptrs = tile.addptr %ps, %low : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.store %ptrs, %high : tensor<32x!tile.ptr<i32>>
  return
}

// -----

// Numbers for the rows and the columns of a tile: threads load those that they need, since that takes no more
// transactions than loading each once and exchanging them. Arithmetic on the way moves along.
// CHECK-LABEL: func.func @rowsAndColumns
// CHECK-NOT: tile.convert_layout
// CHECK: tile.load %{{.*}} : tensor<16x!tile.ptr<f32>, #[[ROWS:layout[0-9]*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: arith.addf {{.*}} : tensor<16xf32, #[[ROWS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @rowsAndColumns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                          %k: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %c = tile.make_range 0 to 32 : tensor<32xi32>
  %stride = tile.splat %k : i32 -> tensor<16xi32>
  %at = arith.muli %r, %stride : tensor<16xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x = tile.load %ptrs : tensor<16x!tile.ptr<f32>>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %y = arith.addf %x, %one : tensor<16xf32>
  %column = tile.expand_dims %y axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %wide = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x32xf32>
  %r1 = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %thirtyTwo = arith.constant dense<32> : tensor<16x1xi32>
  %starts = arith.muli %r1, %thirtyTwo : tensor<16x1xi32>
  %rows = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x32xi32>
  %c1 = tile.expand_dims %c axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<16x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<16x32xi32>
  %out = tile.splat %q : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %outs = tile.addptr %out, %offsets : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  tile.store %outs, %wide : tensor<16x32x!tile.ptr<f32>>
  return
}

// -----

// A load with other users stays, and is converted.
// CHECK-LABEL: func.func @twoUsers
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: tile.convert_layout
func.func @twoUsers(%p: !tile.ptr<f16>, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %stride = tile.splat %k : i32 -> tensor<256xi32>
  %at = arith.muli %r, %stride : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %at : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %ptrs : tensor<256x!tile.ptr<f16>>
  %ones = arith.constant dense<1.0> : tensor<256xf16>
  %more = arith.addf %x, %ones : tensor<256xf16>
  tile.store %ptrs, %more : tensor<256x!tile.ptr<f16>>
  %out = tile.splat %q : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %outs = tile.addptr %out, %r : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %column = tile.expand_dims %x axis 1 : tensor<256xf16> -> tensor<256x1xf16>
  %flat = tile.reshape %column : tensor<256x1xf16> -> tensor<256xf16>
  tile.store %outs, %flat : tensor<256x!tile.ptr<f16>>
  return
}

// Code with side effects is not repeated, also where it takes no tile: its first user decides on the layout.
// CHECK-LABEL: func.func @impure
// CHECK: %[[CLOCK:.*]] = tile.inline_asm {{.*}} : () -> tensor<1024xi32, #[[L:.*]]>
// CHECK-NOT: tile.inline_asm
// CHECK: tile.store %{{.*}}, %[[CLOCK]] : tensor<1024x!tile.ptr<i32>, #[[L]]>
func.func @impure(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.inline_asm "mov.u32 $0, %clock;" constraints "=r" pack 1 () : () -> tensor<1024xi32>
  %1 = tile.make_range 0 to 1024 : tensor<1024xi32>
  %2 = tile.splat %p : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %3 = tile.addptr %2, %1 : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  tile.store %3, %0 : tensor<1024x!tile.ptr<i32>>
  return
}
