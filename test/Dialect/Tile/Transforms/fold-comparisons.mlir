// RUN: tile-opt %s -tile-fold-comparisons | FileCheck %s

// The last index is 4064 + 31: all are below 4096, in each iteration.
// CHECK-LABEL: func.func @divided
// CHECK: scf.for
// CHECK: %[[TRUE:.*]] = arith.constant dense<true> : tensor<32xi1>
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[TRUE]]
func.func @divided(%p: tensor<32x!tile.ptr<i32>>) {
  %zero = arith.constant 0 : i32
  %end = arith.constant 4096 : i32
  %step = arith.constant 32 : i32
  %ends = arith.constant dense<4096> : tensor<32xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  scf.for %i = %zero to %end step %step : i32 {
    %first = tile.splat %i : i32 -> tensor<32xi32>
    %index = arith.addi %first, %range : tensor<32xi32>
    %mask = arith.cmpi slt, %index, %ends : tensor<32xi32>
    tile.store %p, %index mask %mask : tensor<32x!tile.ptr<i32>>
  }
  return
}

// The last index is 4064 + 31 here, too, but one is missing; the size is not known.
// CHECK-LABEL: func.func @guarded
// CHECK-COUNT-2: arith.cmpi slt
// CHECK-NOT: dense<true>
func.func @guarded(%p: tensor<32x!tile.ptr<i32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %end = arith.constant 4095 : i32
  %step = arith.constant 32 : i32
  %ends = arith.constant dense<4095> : tensor<32xi32>
  %sizes = tile.splat %n : i32 -> tensor<32xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  scf.for %i = %zero to %end step %step : i32 {
    %first = tile.splat %i : i32 -> tensor<32xi32>
    %index = arith.addi %first, %range : tensor<32xi32>
    %inside = arith.cmpi slt, %index, %ends : tensor<32xi32>
    %below = arith.cmpi slt, %index, %sizes : tensor<32xi32>
    %mask = arith.andi %inside, %below : tensor<32xi1>
    tile.store %p, %index mask %mask : tensor<32x!tile.ptr<i32>>
  }
  return
}

// Arithmetic and all predicates; 0 .. 15 and products, quotients and remainders of them.
// CHECK-LABEL: func.func @arithmetic
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @arithmetic(%n: i32) -> (tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>) {
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %four = arith.constant dense<4> : tensor<16xi32>
  %minus = arith.constant dense<-3> : tensor<16xi32>
  %limit = arith.constant dense<45> : tensor<16xi32>
  %any = tile.splat %n : i32 -> tensor<16xi32>
  %product = arith.muli %range, %minus : tensor<16xi32>
  // -45 .. 0 below 4.
  %a = arith.cmpi sle, %product, %four : tensor<16xi32>
  %opposite = arith.subi %four, %product : tensor<16xi32>
  // 4 .. 49 not below 4.
  %b = arith.cmpi slt, %opposite, %four : tensor<16xi32>
  %quotient = arith.divsi %range, %four : tensor<16xi32>
  // 0 .. 3 below 4, also without signs.
  %c = arith.cmpi ult, %quotient, %four : tensor<16xi32>
  %remainder = arith.remsi %any, %four : tensor<16xi32>
  // 0 .. 3 is not 45, which is above -3 .. 3.
  %d = arith.cmpi ne, %quotient, %limit : tensor<16xi32>
  %e = arith.cmpi sgt, %limit, %remainder : tensor<16xi32>
  %low = arith.andi %any, %four : tensor<16xi32>
  %f = arith.cmpi uge, %limit, %low : tensor<16xi32>
  %least = arith.minsi %range, %four : tensor<16xi32>
  %g = arith.cmpi ugt, %least, %four : tensor<16xi32>
  %most = arith.maxsi %range, %limit : tensor<16xi32>
  %h = arith.cmpi eq, %most, %four : tensor<16xi32>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>
}

// What may wrap around may be any number, what may be negative is large without a sign; ranges that touch decide nothing.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-3: arith.cmpi
func.func @unknown() -> (tensor<16xi1>, tensor<16xi1>, tensor<16xi1>) {
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %large = arith.constant dense<2147483640> : tensor<16xi32>
  %minus = arith.constant dense<-3> : tensor<16xi32>
  %fifteen = arith.constant dense<15> : tensor<16xi32>
  %sum = arith.addi %range, %large : tensor<16xi32>
  %a = arith.cmpi sgt, %sum, %minus : tensor<16xi32>
  %shifted = arith.addi %range, %minus : tensor<16xi32>
  %b = arith.cmpi ult, %shifted, %fifteen : tensor<16xi32>
  %c = arith.cmpi slt, %range, %fifteen : tensor<16xi32>
  return %a, %b, %c : tensor<16xi1>, tensor<16xi1>, tensor<16xi1>
}
