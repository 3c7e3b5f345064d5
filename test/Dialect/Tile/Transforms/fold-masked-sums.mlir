// Sums that a mask keeps where its loads give zero.
//
// RUN: tile-opt %s -tile-fold-masked-sums -split-input-file | FileCheck %s

// Of products of two loads, which may have more of a mask than the sum.
// CHECK-LABEL: @products(
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK-NEXT:    scf.yield %[[SUM]]
func.func @products(%p: tensor<64x!tile.ptr<bf16>>, %m: tensor<64xi1>, %o: tensor<64xi1>, %n: i32) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64xbf16>
  %start = arith.constant dense<0.0> : tensor<64xf32>
  %both = arith.andi %o, %m : tensor<64xi1>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<64xf32>) : i32 {
    %a = tile.load %p mask %m other %none : tensor<64x!tile.ptr<bf16>>
    %b = tile.load %p mask %both other %none : tensor<64x!tile.ptr<bf16>>
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %product = arith.mulf %x, %y : tensor<64xf32>
    %more = arith.addf %product, %acc : tensor<64xf32>
    %next = arith.select %m, %more, %acc : tensor<64xi1>, tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return %sum : tensor<64xf32>
}

// -----

// Integers have one zero, so it does not matter what is added to.
// CHECK-LABEL: @integers(
// CHECK:         %[[SUM:.*]] = arith.addi
// CHECK-NEXT:    return %[[SUM]]
func.func @integers(%p: tensor<64x!tile.ptr<i32>>, %m: tensor<64xi1>, %acc: tensor<64xi32>) -> tensor<64xi32> {
  %none = arith.constant dense<0> : tensor<64xi32>
  %a = tile.load %p mask %m other %none : tensor<64x!tile.ptr<i32>>
  %more = arith.addi %acc, %a : tensor<64xi32>
  %next = arith.select %m, %more, %acc : tensor<64xi1>, tensor<64xi32>
  return %next : tensor<64xi32>
}

// -----

// Not where -0 may be carried: + 0 would make it +0.
// CHECK-LABEL: @negative_zeros(
// CHECK-COUNT-3: arith.select
func.func @negative_zeros(%p: tensor<64x!tile.ptr<f32>>, %m: tensor<64xi1>, %given: tensor<64xf32>, %n: i32)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %negative = arith.constant dense<-0.0> : tensor<64xf32>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %negative, %other = %given) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %a = tile.load %p mask %m other %none : tensor<64x!tile.ptr<f32>>
    %more = arith.addf %acc, %a : tensor<64xf32>
    %next = arith.select %m, %more, %acc : tensor<64xi1>, tensor<64xf32>
    %also = arith.addf %other, %a : tensor<64xf32>
    %last = arith.select %m, %also, %other : tensor<64xi1>, tensor<64xf32>
    scf.yield %next, %last : tensor<64xf32>, tensor<64xf32>
  }
  %a = tile.load %p mask %m other %none : tensor<64x!tile.ptr<f32>>
  %more = arith.addf %given, %a : tensor<64xf32>
  %next = arith.select %m, %more, %given : tensor<64xi1>, tensor<64xf32>
  return %sum#0, %sum#1, %next : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// What is loaded must be zero there: not one, not nothing, not under another mask, and in products both factors.
// CHECK-LABEL: @others(
// CHECK-COUNT-5: arith.select
// CHECK:         scf.yield
func.func @others(%p: tensor<64x!tile.ptr<f32>>, %m: tensor<64xi1>, %o: tensor<64xi1>, %w: tensor<64xf32>, %n: i32) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %both = arith.andi %o, %m : tensor<64xi1>
  %s:5 = scf.for %i = %zero to %n step %one iter_args(%1 = %none, %2 = %none, %3 = %none, %4 = %none, %5 = %none)
      -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %a = tile.load %p mask %m other %ones : tensor<64x!tile.ptr<f32>>
    %b = tile.load %p mask %m : tensor<64x!tile.ptr<f32>>
    %c = tile.load %p mask %o other %none : tensor<64x!tile.ptr<f32>>
    %d = tile.load %p mask %m other %none : tensor<64x!tile.ptr<f32>>
    %weighted = arith.mulf %d, %w : tensor<64xf32>
    %s1 = arith.addf %1, %a : tensor<64xf32>
    %n1 = arith.select %m, %s1, %1 : tensor<64xi1>, tensor<64xf32>
    %s2 = arith.addf %2, %b : tensor<64xf32>
    %n2 = arith.select %m, %s2, %2 : tensor<64xi1>, tensor<64xf32>
    %s3 = arith.addf %3, %c : tensor<64xf32>
    %n3 = arith.select %m, %s3, %3 : tensor<64xi1>, tensor<64xf32>
    %s4 = arith.addf %4, %weighted : tensor<64xf32>
    %n4 = arith.select %m, %s4, %4 : tensor<64xi1>, tensor<64xf32>
    %s5 = arith.addf %5, %d : tensor<64xf32>
    %n5 = arith.select %both, %s5, %5 : tensor<64xi1>, tensor<64xf32>
    scf.yield %n1, %n2, %n3, %n4, %n5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  return %s#0 : tensor<64xf32>
}
