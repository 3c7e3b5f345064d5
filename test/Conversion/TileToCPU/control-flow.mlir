// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// The loop carries nothing but its scalar; the tile is updated in place.
// CHECK-LABEL: func.func @accumulate
// CHECK:       %[[ACC:.*]] = memref.view {{.*}} to memref<64xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[ACC]] : memref<64xf32>)
// CHECK:       %[[COUNT:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (i32)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[ACC]] : memref<64xf32>) outs(%[[ACC]] : memref<64xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         scf.yield %{{.*}} : i32
// CHECK:       linalg.generic
// CHECK-SAME:    ins(%[[ACC]] : memref<64xf32>)
// CHECK:         llvm.store
func.func @accumulate(%y: !tile.ptr<f32>, %n: i32, %f: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %fs = tile.splat %f : f32 -> tensor<64xf32>
  %acc, %count = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %k = %c0) -> (tensor<64xf32>, i32) : i32 {
    %s = arith.addf %a, %fs : tensor<64xf32>
    %k1 = arith.addi %k, %i : i32
    scf.yield %s, %k1 : tensor<64xf32>, i32
  }
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %cs = tile.splat %count : i32 -> tensor<64xi32>
  %o = arith.addi %r, %cs : tensor<64xi32>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %acc : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// Carried tiles that change places are read before either is written.
// CHECK-LABEL: func.func @swap
// CHECK:       %[[A:.*]] = memref.view {{.*}} to memref<64xi32>
// CHECK:       %[[B:.*]] = memref.view {{.*}} to memref<64xi32>
// CHECK:       scf.for
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[B]], %[[A]] : memref<64xi32>, memref<64xi32>)
// CHECK-SAME:      outs(%[[A]], %[[B]] : memref<64xi32>, memref<64xi32>)
func.func @swap(%y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %r, %q = %zero) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    scf.yield %q, %p : tensor<64xi32>, tensor<64xi32>
  }
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %yp, %a : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// Both branches write the buffer of the result.
// CHECK-LABEL: func.func @branch
// CHECK:       %[[R:.*]] = memref.view {{.*}} to memref<64xi32>
// CHECK:       scf.if %{{.*}} {
// CHECK:         linalg.generic {{.*}} outs(%[[R]] : memref<64xi32>)
// CHECK:       } else {
// CHECK:         linalg.generic {{.*}} outs(%[[R]] : memref<64xi32>)
func.func @branch(%y: !tile.ptr<i32>, %c: i1) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %t = scf.if %c -> (tensor<64xi32>) {
    %d = arith.addi %r, %r : tensor<64xi32>
    scf.yield %d : tensor<64xi32>
  } else {
    scf.yield %r : tensor<64xi32>
  }
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %yp, %t : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// An assertion over a tile is a reduction; both kinds end up as cf.assert.
// CHECK-LABEL: func.func @asserts
// CHECK:       cf.assert %{{.*}}, "scalar"
// CHECK:       arith.andi {{.*}} : i1
// CHECK:       cf.assert %{{.*}}, "tile"
func.func @asserts(%n: i32) attributes {tile.kernel} {
  %c = arith.constant 10 : i32
  %s = arith.cmpi slt, %n, %c : i32
  tile.assert %s, "scalar" : i1
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %t = arith.cmpi sge, %r, %ns : tensor<256xi32>
  tile.assert %t, "tile" : tensor<256xi1>
  return
}

// -----

// A tile from outside that a branch keeps is written again after it: the branch may not run.
// CHECK-LABEL: func.func @keepsInBranch
// CHECK:       scf.if
// CHECK:         linalg.generic {{.*}} outs(%[[INSIDE:.*]] : memref<8xi32>)
// CHECK:         memref.load %[[INSIDE]]
// CHECK:       linalg.generic {{.*}} outs(%[[AFTER:.*]] : memref<8xi32>)
// CHECK:       memref.load %[[AFTER]]
// CHECK:       return
func.func @keepsInBranch(%y: !tile.ptr<i32>, %c: i1) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  scf.if %c {
    %g = tile.gather %r[%r] axis 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
    tile.store %yp, %g : tensor<8x!tile.ptr<i32>>
  }
  %g = tile.gather %r[%r] axis 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  tile.store %yp, %g : tensor<8x!tile.ptr<i32>>
  return
}

// -----

// A histogram has a loop of its own: the next value of what it reads waits for that.
// CHECK-LABEL: func.func @carriedHistogram
// CHECK:       scf.for
// CHECK:         iterator_types = ["reduction"]} ins(%[[CARRIED:.*]] : memref<2xi32>)
// CHECK:         linalg.generic {{.*}} outs(%[[CARRIED]] : memref<2xi32>)
func.func @carriedHistogram(%y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<2xi32>
  %r = tile.make_range 0 to 2 : tensor<2xi32>
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %r) -> (tensor<2xi32>) : i32 {
    %h = tile.histogram %v : tensor<2xi32> -> tensor<2xi32>
    tile.store %yp, %h : tensor<2x!tile.ptr<i32>>
    scf.yield %ones : tensor<2xi32>
  }
  return
}
