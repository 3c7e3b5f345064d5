// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// Nothing is known of the strides of a matrix but that 16 divides one. Neighbouring lanes load along the other axis,
// which is likely to be the near one, and what they store in the same tile's layout along rows is exchanged.

// CHECK: #[[LOADED:.*]] = #tile.layout<register = {{\[}}[0, 4], {{.*}}lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
// CHECK: #[[STORED:.*]] = #tile.layout<register = {{\[}}[0, 1], [0, 2], [0, 4], [8, 0]
// CHECK-LABEL: func.func @transposed
// CHECK: tile.load {{.*}} : tensor<32x128x!tile.ptr<f16>, #[[LOADED]]>
// CHECK: tile.convert_layout {{.*}} : tensor<32x128xf16, #[[LOADED]]> -> tensor<32x128xf16, #[[STORED]]>
// CHECK: tile.store {{.*}} : tensor<32x128x!tile.ptr<f16>, #[[STORED]]>
func.func @transposed(%x: !tile.ptr<f16>, %stride0: i32, %stride1: i32 {tile.divisibility = 16 : i32},
                      %y: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %q = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %q axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %s0 = tile.splat %stride0 : i32 -> tensor<32x1xi32>
  %s1 = tile.splat %stride1 : i32 -> tensor<1x128xi32>
  %m = arith.muli %column, %s0 : tensor<32x1xi32>
  %n = arith.muli %row, %s1 : tensor<1x128xi32>
  %mm = tile.broadcast %m : tensor<32x1xi32> -> tensor<32x128xi32>
  %nn = tile.broadcast %n : tensor<1x128xi32> -> tensor<32x128xi32>
  %at = arith.addi %mm, %nn : tensor<32x128xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<32x128x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %at : tensor<32x128x!tile.ptr<f16>>, tensor<32x128xi32>
  %values = tile.load %ptrs : tensor<32x128x!tile.ptr<f16>>
  %c128 = arith.constant dense<128> : tensor<32x1xi32>
  %rows = arith.muli %column, %c128 : tensor<32x1xi32>
  %rowsWide = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x128xi32>
  %columns = tile.broadcast %row : tensor<1x128xi32> -> tensor<32x128xi32>
  %to = arith.addi %rowsWide, %columns : tensor<32x128xi32>
  %outBase = tile.splat %y : !tile.ptr<f16> -> tensor<32x128x!tile.ptr<f16>>
  %outPtrs = tile.addptr %outBase, %to : tensor<32x128x!tile.ptr<f16>>, tensor<32x128xi32>
  tile.store %outPtrs, %values : tensor<32x128x!tile.ptr<f16>>
  return
}

// -----

// A flat index of a transposed matrix: remainders, which change with each element, are far apart in memory, and quotients,
// which are near, rarely change. So no layout brings neighbouring lanes together, and the load has the store's, in which
// a thread's elements are neighbours.

// CHECK: #[[STORED:.*]] = #tile.layout<register = {{\[}}[1], [2]], lane = {{\[}}[4], [8], [16], [32], [64]]
// CHECK-LABEL: func.func @farRemainders
// CHECK: tile.load {{.*}} : tensor<512x!tile.ptr<f16>, #[[STORED]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store {{.*}} : tensor<512x!tile.ptr<f16>, #[[STORED]]>
func.func @farRemainders(%x: !tile.ptr<f16>, %size: i32, %stride: i32 {tile.divisibility = 16 : i32},
                         %y: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %flat = tile.make_range 0 to 512 : tensor<512xi32>
  %sizes = tile.splat %size : i32 -> tensor<512xi32>
  %strides = tile.splat %stride : i32 -> tensor<512xi32>
  %column = arith.remsi %flat, %sizes : tensor<512xi32>
  %row = arith.divsi %flat, %sizes : tensor<512xi32>
  %far = arith.muli %column, %strides : tensor<512xi32>
  %at = arith.addi %row, %far : tensor<512xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %at : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  %values = tile.load %ptrs : tensor<512x!tile.ptr<f16>>
  %outBase = tile.splat %y : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>>
  %outPtrs = tile.addptr %outBase, %flat : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  tile.store %outPtrs, %values : tensor<512x!tile.ptr<f16>>
  return
}
