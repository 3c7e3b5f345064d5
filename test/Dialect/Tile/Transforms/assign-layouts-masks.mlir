// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse | FileCheck %s

// What a loaded mask leaves of a product, and what is added to it in the product's loop, stays where the product left
// it: the mask is converted, and the addend, though it comes first, is loaded there.
// CHECK-LABEL: func.func @masked_scores
// CHECK: %[[MASK:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<i8>, #[[BYTES:.*]]>
// CHECK: %[[BIAS:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #[[SUM:.*]]>
// CHECK: %[[SET:.*]] = arith.cmpi ne, %[[MASK]]
// CHECK: %[[SHOWN:.*]] = tile.convert_layout %[[SET]] : tensor<64x64xi1, #[[BYTES]]> -> tensor<64x64xi1, #[[SUM]]>
// CHECK: %[[SCORES:.*]] = tile.dot {{.*}} -> tensor<64x64xf32, #[[SUM]]>
// CHECK: %[[LEFT:.*]] = arith.select %[[SHOWN]], %[[SCORES]], %{{.*}} : tensor<64x64xi1, #[[SUM]]>
// CHECK: arith.addf %[[BIAS]], %[[LEFT]] : tensor<64x64xf32, #[[SUM]]>
func.func @masked_scores(%mask: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %bias: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                         %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %q = arith.constant dense<1.0> : tensor<64x32xf16>
  %k = arith.constant dense<2.0> : tensor<32x64xf16>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %unset = arith.constant dense<0> : tensor<64x64xi8>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %box = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %ahead = arith.muli %i, %size : i32
    %m1 = tile.addptr %mask, %ahead : !tile.ptr<i8>, i32
    %ms = tile.splat %m1 : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
    %mp = tile.addptr %ms, %box : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    %bytes = tile.load %mp : tensor<64x64x!tile.ptr<i8>>
    %b1 = tile.addptr %bias, %ahead : !tile.ptr<f32>, i32
    %bs = tile.splat %b1 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %bp = tile.addptr %bs, %box : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %addend = tile.load %bp : tensor<64x64x!tile.ptr<f32>>
    %set = arith.cmpi ne, %bytes, %unset : tensor<64x64xi8>
    %scores = tile.dot %q, %k, %none : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %left = arith.select %set, %scores, %hidden : tensor<64x64xi1>, tensor<64x64xf32>
    %all = arith.addf %addend, %left : tensor<64x64xf32>
    %next = arith.maximumf %all, %acc : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.addptr %outs, %box : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %ptrs, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What is only stored is computed where the store wants it: what was loaded to be added to is there.
// CHECK-LABEL: func.func @added_in_place
// CHECK: %[[OLD:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>, #[[ROWS:.*]]>
// CHECK: %[[PART:.*]] = tile.dot
// CHECK: %[[THERE:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]]
// CHECK: arith.addf %[[WIDE]], %[[THERE]] : tensor<64x64xf32, #[[ROWS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @added_in_place(%out: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %q = arith.constant dense<1.0> : tensor<64x32xf16>
  %k = arith.constant dense<2.0> : tensor<32x64xf16>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %box = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %ahead = arith.muli %i, %size : i32
    %at = tile.addptr %out, %ahead : !tile.ptr<f16>, i32
    %outs = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %outs, %box : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %old = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %part = tile.dot %q, %k, %none : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %wide = arith.extf %old : tensor<64x64xf16> to tensor<64x64xf32>
    %new = arith.addf %wide, %part : tensor<64x64xf32>
    %half = arith.truncf %new : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %ptrs, %half : tensor<64x64x!tile.ptr<f16>>
  }
  return
}
