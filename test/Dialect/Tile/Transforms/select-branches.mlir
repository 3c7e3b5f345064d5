// Branches whose arms are cheap become selections.
//
// RUN: tile-opt %s -tile-select-branches -split-input-file | FileCheck %s

// CHECK-LABEL: @one_arm(
// CHECK-SAME:    %[[FOUND:.*]]: i1, %[[AT:.*]]: tensor<64xi1>, %[[X:.*]]: tensor<64xf32>
// CHECK-NOT:     scf.if
// CHECK:         %[[CHANGED:.*]] = arith.select %[[AT]], %{{.*}}, %[[X]]
// CHECK-NEXT:    %[[ALL:.*]] = tile.splat %[[FOUND]] : i1 -> tensor<64xi1>
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[ALL]], %[[CHANGED]], %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @one_arm(%found: i1, %at: tensor<64xi1>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %y = scf.if %found -> (tensor<64xf32>) {
    %z = arith.select %at, %zero, %x : tensor<64xi1>, tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A number that comes with a tile is selected, too; what is the same in both arms is not.
// CHECK-LABEL: @both_arms(
// CHECK-SAME:    %[[C:.*]]: i1, %[[N:.*]]: i32, %[[X:.*]]: tensor<64xf32>
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:    %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    %[[MORE:.*]] = arith.addi %[[N]], %[[N]]
// CHECK-NEXT:    %[[ALL:.*]] = tile.splat %[[C]]
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[ALL]], %[[SUM]], %[[SQUARE]]
// CHECK-NEXT:    %[[M:.*]] = arith.select %[[C]], %[[N]], %[[MORE]] : i32
// CHECK:         return %[[Y]], %[[M]], %[[X]]
func.func @both_arms(%c: i1, %n: i32, %x: tensor<64xf32>) -> (tensor<64xf32>, i32, tensor<64xf32>) {
  %y:3 = scf.if %c -> (tensor<64xf32>, i32, tensor<64xf32>) {
    %sum = arith.addf %x, %x : tensor<64xf32>
    scf.yield %sum, %n, %x : tensor<64xf32>, i32, tensor<64xf32>
  } else {
    %square = arith.mulf %x, %x : tensor<64xf32>
    %more = arith.addi %n, %n : i32
    scf.yield %square, %more, %x : tensor<64xf32>, i32, tensor<64xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<64xf32>, i32, tensor<64xf32>
}

// -----

// The inner branch first, then what is left of the outer one.
// CHECK-LABEL: @nested(
// CHECK-NOT:     scf.if
// CHECK-COUNT-2: arith.select
func.func @nested(%c: i1, %d: i1, %x: tensor<64xf32>) -> tensor<64xf32> {
  %y = scf.if %c -> (tensor<64xf32>) {
    %z = scf.if %d -> (tensor<64xf32>) {
      %negative = arith.negf %x : tensor<64xf32>
      scf.yield %negative : tensor<64xf32>
    } else {
      scf.yield %x : tensor<64xf32>
    }
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Functions take long, divisions by zero must not happen where nobody divides, and loads may be outside of an array.
// CHECK-LABEL: @costly(
// CHECK-COUNT-4: scf.if
func.func @costly(%c: i1, %x: tensor<64xf32>, %n: tensor<64xi32>, %p: tensor<64x!tile.ptr<f32>>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xi32>, tensor<64xf32>) {
  %e = scf.if %c -> (tensor<64xf32>) {
    %z = math.exp %x : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %q = scf.if %c -> (tensor<64xf32>) {
    %z = arith.divf %x, %e : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %i = scf.if %c -> (tensor<64xi32>) {
    %z = arith.divui %n, %n : tensor<64xi32>
    scf.yield %z : tensor<64xi32>
  } else {
    scf.yield %n : tensor<64xi32>
  }
  %l = scf.if %c -> (tensor<64xf32>) {
    %z = tile.load %p : tensor<64x!tile.ptr<f32>>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  return %e, %q, %i, %l : tensor<64xf32>, tensor<64xf32>, tensor<64xi32>, tensor<64xf32>
}

// -----

// Eight operations on tiles are few, nine are many.
// CHECK-LABEL: @many(
// CHECK-COUNT-8: arith.addf
// CHECK:         arith.select
// CHECK:         scf.if
// CHECK-COUNT-9: arith.addf
func.func @many(%c: i1, %x: tensor<64xf32>) -> tensor<64xf32> {
  %y = scf.if %c -> (tensor<64xf32>) {
    %1 = arith.addf %x, %x : tensor<64xf32>
    %2 = arith.addf %1, %x : tensor<64xf32>
    %3 = arith.addf %2, %x : tensor<64xf32>
    %4 = arith.addf %3, %x : tensor<64xf32>
    %5 = arith.addf %4, %x : tensor<64xf32>
    %6 = arith.addf %5, %x : tensor<64xf32>
    %7 = arith.addf %6, %x : tensor<64xf32>
    %8 = arith.addf %7, %x : tensor<64xf32>
    scf.yield %8 : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %z = scf.if %c -> (tensor<64xf32>) {
    %1 = arith.addf %x, %y : tensor<64xf32>
    %2 = arith.addf %1, %x : tensor<64xf32>
    %3 = arith.addf %2, %x : tensor<64xf32>
    %4 = arith.addf %3, %x : tensor<64xf32>
    %5 = arith.addf %4, %x : tensor<64xf32>
    %6 = arith.addf %5, %x : tensor<64xf32>
    %7 = arith.addf %6, %x : tensor<64xf32>
    %8 = arith.addf %7, %x : tensor<64xf32>
    %9 = arith.addf %8, %x : tensor<64xf32>
    scf.yield %9 : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  return %z : tensor<64xf32>
}

// -----

// Branches on numbers alone, with effects, or in loops stay.
// CHECK-LABEL: @others(
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK:           tile.store
// CHECK:         scf.for
// CHECK:           scf.if
func.func @others(%c: i1, %n: i32, %x: tensor<64xf32>, %p: tensor<64x!tile.ptr<f32>>) -> (i32, tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = scf.if %c -> (i32) {
    %more = arith.addi %n, %one : i32
    scf.yield %more : i32
  } else {
    scf.yield %n : i32
  }
  %y = scf.if %c -> (tensor<64xf32>) {
    tile.store %p, %x : tensor<64x!tile.ptr<f32>>
    %z = arith.negf %x : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %y) -> (tensor<64xf32>) : i32 {
    %first = arith.cmpi eq, %i, %zero : i32
    %z = scf.if %first -> (tensor<64xf32>) {
      %w = arith.addf %acc, %x : tensor<64xf32>
      scf.yield %w : tensor<64xf32>
    } else {
      scf.yield %acc : tensor<64xf32>
    }
    scf.yield %z : tensor<64xf32>
  }
  return %m, %sum : i32, tensor<64xf32>
}
