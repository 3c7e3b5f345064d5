// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_75 -tile-assign-layouts -cse | FileCheck %s --check-prefix=NONE

// What a loop loads for factors comes through slots, from which each layout is read as well as any other.

// The sum that is subtracted stays where the product left it, and what it is subtracted from is read there.
// CHECK-LABEL: func.func @corrected
// CHECK: tile.load
// CHECK: %[[V:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f16>, #[[ROWS:.*]]>
// CHECK: %[[THERE:.*]] = tile.convert_layout %[[V]] : tensor<64x64xf16, #[[ROWS]]> -> tensor<64x64xf16, #[[SUM:.*]]>
// CHECK: %[[PART:.*]] = tile.dot %{{.*}} -> tensor<64x64xf32, #[[SUM]]>
// CHECK: %[[WIDE:.*]] = arith.extf %[[THERE]] : tensor<64x64xf16, #[[SUM]]> to tensor<64x64xf32, #[[SUM]]>
// CHECK-NEXT: arith.subf %[[WIDE]], %[[PART]] : tensor<64x64xf32, #[[SUM]]>
// So it does without copies that go ahead.
// NONE-LABEL: func.func @corrected
// NONE: %[[PART:.*]] = tile.dot
// NONE-NOT: tile.convert_layout %[[PART]]
func.func @corrected(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %v: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                     %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant 4096 : i32
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %box = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %ahead = arith.muli %i, %size : i32
    %a1 = tile.addptr %a, %ahead : !tile.ptr<f16>, i32
    %as = tile.splat %a1 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ap = tile.addptr %as, %box : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %w = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %v1 = tile.addptr %v, %ahead : !tile.ptr<f16>, i32
    %vs = tile.splat %v1 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %vp = tile.addptr %vs, %box : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %old = tile.load %vp : tensor<64x64x!tile.ptr<f16>>
    %half = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
    %part = tile.dot %w, %half, %none : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %wide = arith.extf %old : tensor<64x64xf16> to tensor<64x64xf32>
    %new = arith.subf %wide, %part : tensor<64x64xf32>
    %factor = arith.truncf %new : tensor<64x64xf32> to tensor<64x64xf16>
    %next = tile.dot %w, %factor, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.addptr %outs, %box : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %ptrs, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A scaled tile that is a right factor and meets a sum is made in both layouts: only what was loaded is converted.
// CHECK-LABEL: func.func @scaled_twice
// CHECK: %[[K:.*]] = tile.load
// CHECK-COUNT-2: tile.convert_layout %[[K]] :
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot
// CHECK: scf.yield
// NONE-LABEL: func.func @scaled_twice
func.func @scaled_twice(%k: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %scale: f16,
                     %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant 4096 : i32
  %scales = tile.splat %scale : f16 -> tensor<64x64xf16>
  %factor = arith.constant dense<2.0> : tensor<64x64xf16>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %box = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %ahead = arith.muli %i, %size : i32
    %k1 = tile.addptr %k, %ahead : !tile.ptr<f16>, i32
    %ks = tile.splat %k1 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %kp = tile.addptr %ks, %box : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %loaded = tile.load %kp : tensor<64x64x!tile.ptr<f16>>
    %scaled = arith.mulf %loaded, %scales : tensor<64x64xf16>
    %part = tile.dot %factor, %scaled, %none : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %wide = arith.extf %scaled : tensor<64x64xf16> to tensor<64x64xf32>
    %with = arith.addf %acc, %part : tensor<64x64xf32>
    %next = arith.addf %with, %wide : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.addptr %outs, %box : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %ptrs, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What elements of 4 bytes are split into is computed where the product needs it, by both warps that do.
// CHECK-LABEL: func.func @parts
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[HERE:.*]] = tile.convert_layout %[[X]] : {{.*}} -> tensor<32x32xf32, #[[LEFT:.*]]>
// CHECK: arith.truncf %[[HERE]]
// CHECK: arith.subf %[[HERE]], %{{.*}} : tensor<32x32xf32, #[[LEFT]]>
// CHECK-NOT: tile.convert_layout
// CHECK-COUNT-2: tile.dot
// NONE-LABEL: func.func @parts
// NONE: arith.subf
// NONE: tile.convert_layout
// NONE: tile.dot
// NARROW-LABEL: func.func @parts
func.func @parts(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                 %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %size = arith.constant 1024 : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %box = tile.reshape %range : tensor<1024xi32> -> tensor<32x32xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<32x32xf32>) : i32 {
    %ahead = arith.muli %i, %size : i32
    %a1 = tile.addptr %a, %ahead : !tile.ptr<f32>, i32
    %as = tile.splat %a1 : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %ap = tile.addptr %as, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f32>>
    %b1 = tile.addptr %b, %ahead : !tile.ptr<f32>, i32
    %bs = tile.splat %b1 : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %bp = tile.addptr %bs, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f32>>
    %narrow = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xbf16>
    %large = arith.extf %narrow : tensor<32x32xbf16> to tensor<32x32xf32>
    %small = arith.subf %x, %large : tensor<32x32xf32>
    %part = tile.dot %small, %y, %acc precision tf32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %next = tile.dot %large, %y, %part precision tf32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %outs, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %ptrs, %sum : tensor<32x32x!tile.ptr<f32>>
  return
}
