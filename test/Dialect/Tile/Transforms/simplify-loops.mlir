// RUN: tile-opt %s -tile-simplify-loops -split-input-file | FileCheck %s

// A range that the loop makes again is the one before it, and so is what is made of both: two rounds.
// CHECK-LABEL: func.func @set_again
// CHECK: %[[FIRST:.*]] = tile.make_range 0 to 64
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %{{.*}} : tensor<64xi32>
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64xi32>)
// CHECK-NEXT: %[[WITH:.*]] = arith.addi %[[SUM]], %[[FIRST]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.addi %[[WITH]], %[[NEXT]]
// CHECK-NEXT: scf.yield %[[BOTH]]
// CHECK: return
func.func @set_again(%n: i32, %sum: tensor<64xi32>) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sixty_four = arith.constant dense<64> : tensor<64xi32>
  %first = tile.make_range 0 to 64 : tensor<64xi32>
  %next = arith.addi %first, %sixty_four : tensor<64xi32>
  %result:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %sum, %cols = %first, %others = %next)
      -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) : i32 {
    %with = arith.addi %acc, %cols : tensor<64xi32>
    %both = arith.addi %with, %others : tensor<64xi32>
    %again = tile.make_range 0 to 64 : tensor<64xi32>
    %more = arith.addi %cols, %sixty_four : tensor<64xi32>
    scf.yield %both, %again, %more : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
  }
  return %result#0 : tensor<64xi32>
}

// -----

// What changes stays: here from the second iteration on it is another range.
// CHECK-LABEL: func.func @set_to_others
// CHECK: %[[FIRST:.*]] = tile.make_range 0 to 64
// CHECK: iter_args(%{{.*}} = %{{.*}}, %[[COLS:.*]] = %[[FIRST]])
// CHECK: %[[AGAIN:.*]] = tile.make_range 64 to 128
// CHECK: scf.yield %{{.*}}, %[[AGAIN]]
func.func @set_to_others(%n: i32, %sum: tensor<64xi32>) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tile.make_range 0 to 64 : tensor<64xi32>
  %result:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %sum, %cols = %first)
      -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %with = arith.addi %acc, %cols : tensor<64xi32>
    %again = tile.make_range 64 to 128 : tensor<64xi32>
    scf.yield %with, %again : tensor<64xi32>, tensor<64xi32>
  }
  return %result#0 : tensor<64xi32>
}

// -----

// Arms that are the same stand in place of the branch; others stay.
// CHECK-LABEL: func.func @arms
// CHECK-SAME: %[[C:[^ :]*]]: i1, %[[X:[^ :]*]]: f32, %[[P:[^ :]*]]: !tile.ptr<f32>
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: tile.store %[[P]], %[[SQUARE]]
// CHECK-NEXT: %[[OTHER:.*]] = scf.if %[[C]]
// CHECK: return %[[SQUARE]], %[[OTHER]]
func.func @arms(%c: i1, %x: f32, %p: !tile.ptr<f32>) -> (f32, f32) {
  %same = scf.if %c -> (f32) {
    %y = arith.mulf %x, %x : f32
    tile.store %p, %y : !tile.ptr<f32>
    scf.yield %y : f32
  } else {
    %y = arith.mulf %x, %x : f32
    tile.store %p, %y : !tile.ptr<f32>
    scf.yield %y : f32
  }
  %other = scf.if %c -> (f32) {
    tile.store %p, %x : !tile.ptr<f32>
    scf.yield %x : f32
  } else {
    %y = arith.addf %x, %x : f32
    scf.yield %y : f32
  }
  return %same, %other : f32, f32
}
