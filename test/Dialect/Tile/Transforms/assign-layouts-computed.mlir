// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts | FileCheck %s

// Warps share rows and columns of a product, two each way here: each element of a factor is in two warps.
// CHECK-DAG: #[[SHARED:.*]] = #tile.layout<register = {{\[}}[0, 1], [8, 0], {{.*}}], lane = [{{.*}}], warp = {{\[}}[16, 0], [0, 8]], block = []>
// A right factor that takes some steps is computed by one warp only, so all warps have columns of their own.
// CHECK-DAG: #[[COLUMNS:.*]] = #tile.layout<register = {{\[}}[0, 1], [8, 0], {{.*}}], lane = [{{.*}}], warp = {{\[}}[0, 8], [0, 16]], block = []>
// Of a left factor, rows.
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<register = {{\[}}[0, 1], [8, 0], {{.*}}], lane = [{{.*}}], warp = {{\[}}[16, 0], [32, 0]], block = []>

// CHECK-LABEL: func.func @loaded
// CHECK: tile.dot {{.*}} -> tensor<32x32xf32, #[[SHARED]]>
func.func @loaded(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ap = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bp = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %at = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
  %bt = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
  %ct = tile.dot %at, %bt, %zeros : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  tile.store %cp, %ct : tensor<32x32x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @right_computed
// CHECK: tile.dot {{.*}} -> tensor<32x32xf32, #[[COLUMNS]]>
func.func @right_computed(%a: !tile.ptr<f16>, %b: !tile.ptr<i8>, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ap = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bp = tile.splat %b : !tile.ptr<i8> -> tensor<32x32x!tile.ptr<i8>>
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %four = arith.constant dense<4> : tensor<32x32xi8>
  %eight = arith.constant dense<8> : tensor<32x32xi8>
  %scale = arith.constant dense<0.125> : tensor<32x32xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %at = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %q = tile.load %bp : tensor<32x32x!tile.ptr<i8>>
    %upper = arith.shrui %q, %four : tensor<32x32xi8>
    %signed = arith.subi %upper, %eight : tensor<32x32xi8>
    %half = arith.sitofp %signed : tensor<32x32xi8> to tensor<32x32xf16>
    %bt = arith.mulf %half, %scale : tensor<32x32xf16>
    %ct = tile.dot %at, %bt, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %ct : tensor<32x32xf32>
  }
  tile.store %cp, %sum : tensor<32x32x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @left_computed
// CHECK: tile.dot {{.*}} -> tensor<64x32xf32, #[[ROWS]]>
func.func @left_computed(%a: !tile.ptr<i8>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ap = tile.splat %a : !tile.ptr<i8> -> tensor<64x32x!tile.ptr<i8>>
  %bp = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %four = arith.constant dense<4> : tensor<64x32xi8>
  %eight = arith.constant dense<8> : tensor<64x32xi8>
  %scale = arith.constant dense<0.125> : tensor<64x32xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
    %q = tile.load %ap : tensor<64x32x!tile.ptr<i8>>
    %upper = arith.shrui %q, %four : tensor<64x32xi8>
    %signed = arith.subi %upper, %eight : tensor<64x32xi8>
    %half = arith.sitofp %signed : tensor<64x32xi8> to tensor<64x32xf16>
    %at = arith.mulf %half, %scale : tensor<64x32xf16>
    %bt = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %ct = tile.dot %at, %bt, %acc : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    scf.yield %ct : tensor<64x32xf32>
  }
  tile.store %cp, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Without matrix instructions many threads hold each element of a factor: what is wider than it was loaded is so before
// the exchange, once.
// CHECK-LABEL: func.func @widened
// CHECK: %[[HALF:.*]] = tile.load
// CHECK: %[[WIDE:.*]] = arith.extf %[[HALF]]
// CHECK: %[[FACTOR:.*]] = tile.convert_layout %[[WIDE]] : tensor<32x32xf32
// CHECK: tile.dot %{{.*}}, %[[FACTOR]]
func.func @widened(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %all = tile.make_range 0 to 1024 : tensor<1024xi32>
  %places = tile.reshape %all : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %places : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %half = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %right = arith.extf %half : tensor<32x32xf16> to tensor<32x32xf32>
    %left = tile.load %ap : tensor<32x32x!tile.ptr<f32>>
    %ct = tile.dot %left, %right, %acc : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %ct : tensor<32x32xf32>
  }
  tile.store %cp, %sum : tensor<32x32x!tile.ptr<f32>>
  return
}
