// RUN: tile-opt %s -convert-tile-to-linalg-inductions -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pointers(
// CHECK-SAME:    %[[X:[^ ]*]]: tensor<64x!tile.ptr<f32>>
// CHECK:       %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:       %[[R:.*]] = scf.for {{.*}} iter_args(%[[MOVED:.*]] = %[[ZERO]]) -> (i64)
// CHECK:         %[[BY:.*]] = tile.splat %[[MOVED]] : i64 -> tensor<64xi64>
// CHECK:         %[[P:.*]] = tile.addptr %[[X]], %[[BY]]
// CHECK:         tile.store %[[P]]
// CHECK:         %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         %[[NEXT:.*]] = arith.addi %[[MOVED]], %[[WIDE]] : i64
// CHECK:         scf.yield %[[NEXT]] : i64
// CHECK:       %[[LAST:.*]] = tile.splat %[[R]] : i64 -> tensor<64xi64>
// CHECK:       tile.addptr %[[X]], %[[LAST]]
func.func @pointers(%x: tensor<64x!tile.ptr<f32>>, %n: i32, %v: tensor<64xf32>) -> tensor<64x!tile.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    tile.store %p, %v : tensor<64x!tile.ptr<f32>>
    %by = tile.splat %i : i32 -> tensor<64xi32>
    %q = tile.addptr %p, %by : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tile.ptr<f32>>
  }
  return %r : tensor<64x!tile.ptr<f32>>
}

// -----

// Integers going down; the constant may be on either side of an addition.
// CHECK-LABEL: func.func @integers
// CHECK:       scf.for {{.*}} -> (i32, i32)
// CHECK:         arith.subi %{{.*}}, %{{.*}} : i32
// CHECK:         arith.addi %{{.*}}, %{{.*}} : i32
func.func @integers(%x: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = arith.constant dense<5> : tensor<64xi32>
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %d = arith.subi %a, %k : tensor<64xi32>
    %e = arith.addi %k, %b : tensor<64xi32>
    scf.yield %d, %e : tensor<64xi32>, tensor<64xi32>
  }
  %t = arith.addi %r, %s : tensor<64xi32>
  return %t : tensor<64xi32>
}

// -----

// Elements that move by different amounts stay a tile; so does one that is subtracted from.
// CHECK-LABEL: func.func @not_uniform
// CHECK:       scf.for {{.*}} -> (tensor<64xi32>, tensor<64xi32>)
func.func @not_uniform(%x: tensor<64xi32>, %y: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = arith.constant dense<5> : tensor<64xi32>
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %d = arith.addi %a, %y : tensor<64xi32>
    %e = arith.subi %k, %b : tensor<64xi32>
    scf.yield %d, %e : tensor<64xi32>, tensor<64xi32>
  }
  %t = arith.addi %r, %s : tensor<64xi32>
  return %t : tensor<64xi32>
}
