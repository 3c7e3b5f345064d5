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

// -----

// Numbers that count as the loop does are its counter: from the iteration before the first, by a constant or an argument,
// and from the first. One that moves by another number is not.
// CHECK-LABEL: func.func @counters
// CHECK-SAME: %[[P:[^ :]*]]: !tile.ptr<i32>, %[[FIRST:[^ :]*]]: i32
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %{{.*}} step %{{.*}} iter_args(%[[OTHER:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[OTHER]], %{{.*}}
// CHECK-NEXT: tile.store %[[P]], %[[I]]
// CHECK-NEXT: tile.store %[[P]], %[[I]]
// CHECK-NEXT: tile.store %[[P]], %[[MORE]]
// CHECK-NEXT: scf.yield %[[MORE]]
func.func @counters(%p: !tile.ptr<i32>, %first: i32, %n: i32, %other: i32) {
  %step = arith.constant 132 : i32
  %back = arith.constant -132 : i32
  %before = arith.addi %first, %back : i32
  scf.for %i = %first to %n step %step iter_args(%a = %before, %b = %first, %c = %first) -> (i32, i32, i32) : i32 {
    %next_a = arith.addi %a, %step : i32
    %next_b = arith.addi %b, %step : i32
    %next_c = arith.addi %c, %other : i32
    tile.store %p, %next_a : !tile.ptr<i32>
    tile.store %p, %b : !tile.ptr<i32>
    tile.store %p, %next_c : !tile.ptr<i32>
    scf.yield %next_a, %next_b, %next_c : i32, i32, i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @counter_behind
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:[^ ]*]] iter_args(%[[A:.*]] = %{{.*}})
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[A]], %[[STEP]]
// CHECK-NEXT: tile.store %{{.*}}, %[[I]]
// CHECK-NEXT: scf.yield %[[MORE]]
// CHECK: return %[[R]]
func.func @counter_behind(%p: !tile.ptr<i32>, %first: i32, %n: i32, %step: i32) -> i32 {
  %before = arith.subi %first, %step : i32
  %result = scf.for %i = %first to %n step %step iter_args(%a = %before) -> (i32) : i32 {
    %next = arith.addi %a, %step : i32
    tile.store %p, %next : !tile.ptr<i32>
    scf.yield %next : i32
  }
  return %result : i32
}
