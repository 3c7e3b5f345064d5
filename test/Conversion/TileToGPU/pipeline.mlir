// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -canonicalize -cse -tile-assign-layouts -canonicalize -cse -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -tile-expand-math | FileCheck %s --implicit-check-not='!tile.' --implicit-check-not='tensor<'

// Whole kernels through all passes: unusual sizes, ranks and element types leave no tile behind.

// One element, 32 warps.
// CHECK-LABEL: func.func @one
// CHECK: llvm.call @tilec.st.global.b32(
func.func @one(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 32 : i32} {
  %r = tile.make_range 0 to 1 : tensor<1xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<1x!tile.ptr<i32>>
  %q = tile.addptr %ps, %r : tensor<1x!tile.ptr<i32>>, tensor<1xi32>
  %x = tile.load %q : tensor<1x!tile.ptr<i32>>
  %sum = tile.reduce(%x) axis 0 : (tensor<1xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %sum : !tile.ptr<i32>
  return
}

// 65536 elements on one warp: 2048 registers.
// CHECK-LABEL: func.func @oneWarp
// CHECK-COUNT-128: llvm.load {{.*}} -> vector<16xi8>
// CHECK: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @oneWarp(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 65536 : tensor<65536xi32>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<65536x!tile.ptr<i8>>
  %q = tile.addptr %ps, %r : tensor<65536x!tile.ptr<i8>>, tensor<65536xi32>
  %x = tile.load %q : tensor<65536x!tile.ptr<i8>>
  %max = tile.reduce(%x) axis 0 : (tensor<65536xi8>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.maxui %a, %b : i8
    tile.yield %c : i8
  }
  tile.store %p, %max : !tile.ptr<i8>
  return
}

// The same on 32 warps.
// CHECK-LABEL: func.func @manyWarps
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<8xf16>
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3>
func.func @manyWarps(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 32 : i32} {
  %r = tile.make_range 0 to 65536 : tensor<65536xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<65536x!tile.ptr<f16>>
  %q = tile.addptr %ps, %r : tensor<65536x!tile.ptr<f16>>, tensor<65536xi32>
  %x = tile.load %q : tensor<65536x!tile.ptr<f16>>
  %max = tile.reduce(%x) axis 0 : (tensor<65536xf16>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %p, %max : !tile.ptr<f16>
  return
}

// Three dimensions, each of them reduced in turn.
// CHECK-LABEL: func.func @rankThree
// CHECK: return
func.func @rankThree(%p: !tile.ptr<f64>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %cube = tile.reshape %r : tensor<512xi32> -> tensor<4x8x16xi32>
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<4x8x16x!tile.ptr<f64>>
  %q = tile.addptr %ps, %cube : tensor<4x8x16x!tile.ptr<f64>>, tensor<4x8x16xi32>
  %x = tile.load %q : tensor<4x8x16x!tile.ptr<f64>>
  %0 = tile.reduce(%x) axis 1 : (tensor<4x8x16xf64>) -> tensor<4x16xf64> {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %a, %b : f64
    tile.yield %c : f64
  }
  %1 = tile.reduce(%0) axis 1 : (tensor<4x16xf64>) -> tensor<4xf64> {
  ^bb0(%a: f64, %b: f64):
    %c = arith.mulf %a, %b : f64
    tile.yield %c : f64
  }
  %2 = tile.reduce(%1) axis 0 : (tensor<4xf64>) -> f64 {
  ^bb0(%a: f64, %b: f64):
    %c = arith.maxnumf %a, %b : f64
    tile.yield %c : f64
  }
  tile.store %p, %2 : !tile.ptr<f64>
  return
}

// Booleans and pointers as elements: masks that a loop carries, a table of pointers.
// CHECK-LABEL: func.func @elements
// CHECK: scf.for {{.*}} -> (vector<1xi1>, vector<1x!llvm.ptr<1>>)
func.func @elements(%p: !tile.ptr<!tile.ptr<f32>>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<!tile.ptr<f32>> -> tensor<64x!tile.ptr<!tile.ptr<f32>>>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<!tile.ptr<f32>>>, tensor<64xi32>
  %table = tile.load %q : tensor<64x!tile.ptr<!tile.ptr<f32>>>
  %bound = tile.splat %n : i32 -> tensor<64xi32>
  %start = arith.cmpi slt, %r, %bound : tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %start, %t = %table)
      -> (tensor<64xi1>, tensor<64x!tile.ptr<f32>>) : i32 {
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %x = tile.load %t mask %m other %zero : tensor<64x!tile.ptr<f32>>
    %positive = arith.cmpf ogt, %x, %zero : tensor<64xf32>
    %next = arith.andi %m, %positive : tensor<64xi1>
    %one = arith.constant dense<1> : tensor<64xi32>
    %moved = tile.addptr %t, %one : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next, %moved : tensor<64xi1>, tensor<64x!tile.ptr<f32>>
  }
  tile.store %q, %end#1 mask %end#0 : tensor<64x!tile.ptr<!tile.ptr<f32>>>
  return
}

// A scalar mask on a scalar access, and one spread over a tile.
// CHECK-LABEL: func.func @scalarMask
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>{{.*}}, %[[C:.*]]: i1
// CHECK: llvm.call @tilec.ld.global.b32(
// CHECK: llvm.call @tilec.st.global.v4.b32(
func.func @scalarMask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.load %p mask %c : !tile.ptr<f32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %xs = tile.splat %x : f32 -> tensor<128xf32>
  %mask = tile.splat %c : i1 -> tensor<128xi1>
  tile.store %q, %xs mask %mask : tensor<128x!tile.ptr<f32>>
  return
}
