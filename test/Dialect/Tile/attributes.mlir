// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// A layout is printed once, under an alias, with all four of its parts.

// CHECK-DAG: #[[LINE:.*]] = #tile.layout<register = {{\[\[}}1], [256]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-DAG: #[[SMALL:.*]] = #tile.layout<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = [], block = []>
// CHECK-DAG: #[[CLUSTER:.*]] = #tile.layout<register = [], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = {{\[\[}}4, 0]], block = {{\[\[}}8, 0], [0, 8]]>
// CHECK-DAG: #[[SWIZZLED:.*]] = #tile.layout<register = [], lane = {{\[\[}}0, 1], [0, 2], [1, 1], [2, 2], [0, 0]], warp = [], block = []>
#line = #tile.layout<register = [[1], [256]], lane = [[2], [4], [8], [16], [32]],
                     warp = [[64], [128]], block = []>
#small = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>
#cluster = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]],
                        warp = [[4, 0]], block = [[8, 0], [0, 8]]>
#swizzled = #tile.layout<register = [], lane = [[0, 1], [0, 2], [1, 1], [2, 2], [0, 0]], warp = [],
                         block = []>

// CHECK-LABEL: func.func private @layouts(
// CHECK-SAME: tensor<512xf32, #[[LINE]]>
// CHECK-SAME: tensor<512x!tile.ptr<f32>, #[[LINE]]>
// CHECK-SAME: tensor<1xi1, #[[SMALL]]>
// CHECK-SAME: tensor<16x16xf16, #[[CLUSTER]]>
// CHECK-SAME: tensor<4x4xi32, #[[SWIZZLED]]>
func.func private @layouts(tensor<512xf32, #line>, tensor<512x!tile.ptr<f32>, #line>, tensor<1xi1, #small>,
                   tensor<16x16xf16, #cluster>, tensor<4x4xi32, #swizzled>)

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}
// CHECK-SAME: i32 {tile.divisibility = 1073741824 : i32}
// CHECK-SAME: attributes {tile.kernel, tile.num_ctas = 2 : i32, tile.num_warps = 32 : i32, tile.shared_bytes = 64 : i32}
func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 1073741824 : i32})
    attributes {tile.kernel, tile.num_warps = 32 : i32, tile.num_ctas = 2 : i32,
                tile.shared_bytes = 64 : i32} {
  return
}
