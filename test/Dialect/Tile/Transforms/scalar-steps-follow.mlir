// RUN: tile-opt %s -tile-scalar-steps -canonicalize | FileCheck %s

// Pointers that an iteration computes for the next one from its own number: the loop carries the number.
// CHECK-LABEL: func.func @next_one
// CHECK-SAME: %[[FIRST:.*]]: tensor<64x!tile.ptr<f32>>, %[[OUT:[^:]*]]: {{.*}}, %[[N:.*]]: i32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %[[ONE:.*]] iter_args(%[[BY:.*]] = %{{.*}}) -> (i64) : i32 {
// CHECK: %[[ALL:.*]] = tile.splat %[[BY]] : i64 -> tensor<64xi64>
// CHECK: %[[PTRS:.*]] = tile.addptr %[[FIRST]], %[[ALL]]
// CHECK: tile.load %[[PTRS]]
// CHECK: %[[AFTER:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK: %[[STEP:.*]] = arith.muli %[[AFTER]], %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
// CHECK: scf.yield %[[WIDE]] : i64
func.func @next_one(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %after = arith.addi %i, %c1 : i32
    %by = arith.muli %after, %c64 : i32
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Two iterations ahead: numbers are handed on as the pointers were.
// CHECK-LABEL: func.func @handed_on
// CHECK-SAME: %[[FIRST:.*]]: tensor<64x!tile.ptr<f32>>, %[[OUT:[^:]*]]: {{.*}}, %[[N:.*]]: i32, %[[SOME:.*]]: i32
// CHECK: %[[START:.*]] = arith.extsi %[[SOME]] : i32 to i64
// CHECK: scf.for %{{.*}} iter_args(%[[BY:.*]] = %{{.*}}, %[[LATER:.*]] = %[[START]]) -> (i64, i64) : i32 {
// CHECK: tile.splat %[[BY]]
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: scf.yield %[[LATER]], %[[WIDE]] : i64, i64
func.func @handed_on(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32, %some: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %by1 = tile.splat %some : i32 -> tensor<64xi32>
  %second = tile.addptr %first, %by1 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first, %later = %second) -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %after = arith.addi %i, %c2 : i32
    %by = arith.muli %after, %c64 : i32
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %later, %next : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>
  }
  return
}

// What memory says stays carried, as a number.
// CHECK-LABEL: func.func @linked
// CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[LOADED:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[NEXT:.*]] = arith.extsi %[[LOADED]] : i32 to i64
// CHECK: scf.yield %[[NEXT]] : i64
func.func @linked(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %links: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %link = tile.addptr %links, %i : !tile.ptr<i32>, i32
    %by = tile.load %link : !tile.ptr<i32>
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Two that change places come from no iteration's number, and other bases are no numbers.
// CHECK-LABEL: func.func @swapped
// CHECK: scf.for {{.*}} -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>)
// CHECK: scf.for {{.*}} -> (tensor<64x!tile.ptr<f32>>)
func.func @swapped(%first: tensor<64x!tile.ptr<f32>>, %other: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %by = arith.constant dense<64> : tensor<64xi32>
  %second = tile.addptr %first, %by : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first, %b = %second) -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %a : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    scf.yield %b, %a : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %a : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    scf.yield %other : tensor<64x!tile.ptr<f32>>
  }
  return
}
