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

// -----

// What a product adds to has its layout, though it comes from memory and a store sees it first: the loop exchanges
// nothing for it.
// CHECK-LABEL: func.func @read_first
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: tile.store %{{.*}}, %
// CHECK: %[[LESS:.*]] = arith.mulf %[[ACC]], %{{.*}}
// CHECK: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[LESS]]
// CHECK-NEXT: scf.yield %[[SUM]]
func.func @read_first(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant dense<0.5> : tensor<32x32xf32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %box = tile.reshape %range : tensor<1024xi32> -> tensor<32x32xi32>
  %base = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %first = tile.load %ptrs : tensor<32x32x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %first) -> (tensor<32x32xf32>) : i32 {
    tile.store %ptrs, %acc : tensor<32x32x!tile.ptr<f32>>
    %baseA = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %ptrsA = tile.addptr %baseA, %box : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %x = tile.load %ptrsA : tensor<32x32x!tile.ptr<f16>>
    %less = arith.mulf %acc, %half : tensor<32x32xf32>
    %next = tile.dot %x, %x, %less : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.store %ptrs, %sum : tensor<32x32x!tile.ptr<f32>>
  return
}

// A step of conjugate gradients: %r meets the product, %p meets %r, and %x meets %p, so all three have its layout, though
// %x comes from memory. What is exchanged is the product's left factor.
// CHECK-LABEL: func.func @met_by_way
// CHECK: scf.for {{.*}} iter_args(%[[X:[^ ]*]] = %{{[^ ]*}}, %[[R:[^ ]*]] = %{{[^ ]*}}, %[[P:[^ ]*]] = %{{[^ ]*}}) -> (tensor<32x32xf32, #[[SUM:[^>]*]]>, tensor<32x32xf32, #[[SUM]]>, tensor<32x32xf32, #[[SUM]]>)
// CHECK: arith.addf %[[X]], %[[P]] : tensor<32x32xf32, #[[SUM]]>
// CHECK-NOT: tile.convert_layout {{.*}} -> tensor<32x32xf32
// CHECK: scf.yield
func.func @met_by_way(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %box = tile.reshape %range : tensor<1024xi32> -> tensor<32x32xi32>
  %base = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %first = tile.load %ptrs : tensor<32x32x!tile.ptr<f32>>
  %baseA = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ptrsA = tile.addptr %baseA, %box : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %matrix = tile.load %ptrsA : tensor<32x32x!tile.ptr<f16>>
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%x = %first, %r = %first, %p = %first)
      -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %half = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xf16>
    %ap = tile.dot %half, %matrix, %zeros : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %nextX = arith.addf %x, %p : tensor<32x32xf32>
    %nextR = arith.subf %r, %ap : tensor<32x32xf32>
    %nextP = arith.addf %nextR, %p : tensor<32x32xf32>
    scf.yield %nextX, %nextR, %nextP : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  }
  tile.store %ptrs, %end#0 : tensor<32x32x!tile.ptr<f32>>
  return
}
