// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// The factors are brought where the instructions take them; a carried accumulator stays in its layout.
// CHECK-DAG: #[[ACC:.*]] = #tile.layout<register = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 8]], block = []>
// CHECK-DAG: #[[LHS:.*]] = #tile.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 0]], block = []>
// CHECK-DAG: #[[RHS:.*]] = #tile.layout<register = {{\[\[}}1, 0], [8, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 8]], block = []>
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} -> (tensor<32x16xf32, #[[ACC]]>)
// CHECK-DAG: %[[A:.*]] = tile.convert_layout {{.*}} -> tensor<32x16xf16, #[[LHS]]>
// CHECK-DAG: %[[B:.*]] = tile.convert_layout {{.*}} -> tensor<16x16xf16, #[[RHS]]>
// CHECK: tile.dot %[[A]], %[[B]], %{{.*}} : tensor<32x16xf16, #[[LHS]]>, tensor<16x16xf16, #[[RHS]]> -> tensor<32x16xf32, #[[ACC]]>
// CHECK-NOT: convert_layout
// CHECK: scf.yield
module attributes {tile.target = #tile.target<"sm_80">} {
func.func @carried(%p: !tile.ptr<f16>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %left = tile.splat %p : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
  %right = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x16xf32>) : i32 {
    %a = tile.load %left volatile : tensor<32x16x!tile.ptr<f16>>
    %b = tile.load %right volatile : tensor<16x16x!tile.ptr<f16>>
    %next = tile.dot %a, %b, %acc : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32>
    scf.yield %next : tensor<32x16xf32>
  }
  %h = arith.truncf %r : tensor<32x16xf32> to tensor<32x16xf16>
  tile.store %left, %h : tensor<32x16x!tile.ptr<f16>>
  return
}
}
