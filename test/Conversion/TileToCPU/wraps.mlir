// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Offsets modulo a size: a block inside the array is loaded without the remainder, behind which no
// vectoriser sees that elements follow each other.
// CHECK-LABEL: func.func @wrapped
// CHECK-SAME: %arg0: !llvm.ptr, %[[START:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32,
// CHECK: %[[WIDE:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK: %[[FROM:.*]] = arith.addi %[[WIDE]], %c0
// CHECK: %[[TO:.*]] = arith.addi %[[WIDE]], %c63
// CHECK: %[[SIZE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[FROM]], %c0
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[TO]], %[[SIZE]]
// CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK:   linalg.generic
// CHECK-NOT: remsi
// CHECK: } else {
// CHECK:   linalg.generic
// CHECK:   arith.remsi
func.func @wrapped(%p: !tile.ptr<f32>, %start: i32, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %sizes = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %sizes : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %from : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %x : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// Nothing is known of a product, which may wrap around.
// CHECK-LABEL: func.func @product
// CHECK-NOT: scf.if
// CHECK: return
func.func @product(%p: !tile.ptr<f32>, %start: i32, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %factors = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.muli %factors, %range : tensor<64xi32>
  %sizes = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %sizes : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %from : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %x : tensor<64x!tile.ptr<f32>>
  return
}
