// RUN: tile-opt %s -tile-scalar-steps | FileCheck %s

// Pointers become their first values and a 64-bit number; the sum of several steps is one number, too.
// CHECK-LABEL: func.func @pointers
// CHECK-SAME: %[[FIRST:.*]]: tensor<64x!tile.ptr<f32>>, %[[OUT:[^:]*]]: {{.*}}, %[[STRIDE:.*]]: i32, %[[N:.*]]: i32
// CHECK: %[[START:.*]] = arith.constant 0 : i64
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[BY:.*]] = %[[START]]) -> (i64)
// CHECK-NEXT: %[[ALL:.*]] = tile.splat %[[BY]] : i64 -> tensor<64xi64>
// CHECK-NEXT: %[[PTRS:.*]] = tile.addptr %[[FIRST]], %[[ALL]]
// CHECK: tile.load %[[PTRS]]
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[A:.*]] = arith.addi %[[BY]], %[[TWO]] : i64
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
// CHECK: %[[B:.*]] = arith.addi %[[A]], %[[WIDE]] : i64
// CHECK: scf.yield %[[B]] : i64
// CHECK: %[[BEHIND:.*]] = tile.splat %[[LOOP]] : i64 -> tensor<64xi64>
// CHECK: %[[LAST:.*]] = tile.addptr %[[FIRST]], %[[BEHIND]]
// CHECK: tile.load %[[LAST]]
func.func @pointers(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %stride: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %step = tile.splat %stride : i32 -> tensor<64xi32>
    %some = tile.addptr %ptrs, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %next = tile.addptr %some, %two : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  %y = tile.load %r : tensor<64x!tile.ptr<f32>>
  tile.store %out, %y : tensor<64x!tile.ptr<f32>>
  return
}

// Indices keep their type; the step may stand first.
// CHECK-LABEL: func.func @indices
// CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[ALL:.*]] = tile.splat %[[BY]] : i32 -> tensor<64xi32>
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[ALL]] : tensor<64xi32>
// CHECK: tile.addptr %{{.*}}, %[[AT]]
// CHECK: arith.addi %[[BY]], %{{.*}} : i32
func.func @indices(%base: tensor<64x!tile.ptr<f32>>, %stride: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %range) -> (tensor<64xi32>) : i32 {
    %ptrs = tile.addptr %base, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %base, %x : tensor<64x!tile.ptr<f32>>
    %step = tile.splat %stride : i32 -> tensor<64xi32>
    %next = arith.addi %step, %at : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return
}

// A step may go down; constants, too.
// CHECK-LABEL: func.func @down
// CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK: %[[NEXT:.*]] = arith.subi %[[BY]], %[[FIVE]] : i32
// CHECK: scf.yield %[[NEXT]]
func.func @down(%base: tensor<64x!tile.ptr<f32>>, %at: tensor<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %five = arith.constant dense<5> : tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %at) -> (tensor<64xi32>) : i32 {
    %ptrs = tile.addptr %base, %a : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %base, %x : tensor<64x!tile.ptr<f32>>
    %next = arith.subi %a, %five : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return
}

// An inner loop is done first, so that an outer one moves by what it returns.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}}) -> (i64)
// CHECK:   %[[INNER:.*]] = scf.for {{.*}} -> (i64)
// CHECK:   %[[SUM:.*]] = arith.addi %[[OUTER]], %[[INNER]] : i64
// CHECK:   scf.yield %[[SUM]]
func.func @nested(%first: tensor<64x!tile.ptr<f32>>, %stride: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<64x!tile.ptr<f32>>) : i32 {
      %x = tile.load %q : tensor<64x!tile.ptr<f32>>
      tile.store %first, %x : tensor<64x!tile.ptr<f32>>
      %step = tile.splat %stride : i32 -> tensor<64xi32>
      %next = tile.addptr %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tile.ptr<f32>>
    }
    scf.yield %s : tensor<64x!tile.ptr<f32>>
  }
  return
}

// What moves by different amounts, what is multiplied, what is subtracted from, and what stays are
// carried as before.
// CHECK-LABEL: func.func @others
// CHECK: scf.for {{.*}} -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
func.func @others(%n: i32) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<64xi32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %range, %b = %range, %c = %range, %d = %range)
      -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) : i32 {
    %x = arith.addi %a, %range : tensor<64xi32>
    %y = arith.muli %b, %two : tensor<64xi32>
    %z = arith.subi %two, %d : tensor<64xi32>
    scf.yield %x, %y, %c, %z : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
}
