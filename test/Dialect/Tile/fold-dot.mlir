// RUN: tile-opt %s -canonicalize | FileCheck %s

// What is added to a product is its accumulator, on either side.
// CHECK-LABEL: func.func @add
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x16xf32>, %[[B:[^:]*]]: tensor<16x16xf32>, %[[C:[^:]*]]: tensor<16x16xf32>
// CHECK: %[[X:.*]] = tile.dot %[[A]], %[[B]], %[[C]] precision tf32
// CHECK: %[[Y:.*]] = tile.dot %[[B]], %[[A]], %[[C]] :
// CHECK: return %[[X]], %[[Y]]
func.func @add(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tile.dot %a, %b, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %x = arith.addf %c, %0 : tensor<16x16xf32>
  %1 = tile.dot %b, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %y = arith.addf %1, %c : tensor<16x16xf32>
  return %x, %y : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK-SAME: %[[C:[^:]*]]: tensor<16x16xi32>
// CHECK: %[[X:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[C]] :
// CHECK: return %[[X]]
func.func @integers(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  %x = arith.addi %0, %c : tensor<16x16xi32>
  return %x : tensor<16x16xi32>
}

// Of two products, the one that has its factors first comes first.
// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x16xf32>, %[[B:[^:]*]]: tensor<16x16xf32>
// CHECK: %[[C:.*]] = math.exp %[[A]]
// CHECK: %[[FIRST:.*]] = tile.dot %[[B]], %[[A]], %{{.*}} :
// CHECK: %[[X:.*]] = tile.dot %[[C]], %[[A]], %[[FIRST]] :
// CHECK: %[[SECOND:.*]] = tile.dot %[[B]], %[[A]], %{{.*}} :
// CHECK: %[[Y:.*]] = tile.dot %[[C]], %[[A]], %[[SECOND]] :
// CHECK: return %[[X]], %[[Y]]
func.func @two(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = math.exp %a : tensor<16x16xf32>
  %0 = tile.dot %b, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = tile.dot %c, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %x = arith.addf %0, %1 : tensor<16x16xf32>
  %2 = tile.dot %c, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %3 = tile.dot %b, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %y = arith.addf %2, %3 : tensor<16x16xf32>
  return %x, %y : tensor<16x16xf32>, tensor<16x16xf32>
}

// A product that has an accumulator, or another use, stays.
// CHECK-LABEL: func.func @keep
// CHECK: arith.addf
// CHECK: arith.addf
func.func @keep(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tile.dot %a, %b, %c : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %x = arith.addf %c, %0 : tensor<16x16xf32>
  %1 = tile.dot %b, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %y = arith.addf %1, %c : tensor<16x16xf32>
  return %x, %y, %1 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// Products of 8-bit floats are summed with fewer bits, so an addition of f32 stays one.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[P:.*]] = tile.dot %{{.*}}, %{{.*}}, %{{.*}} as f8E5M2, f8E5M2
// CHECK: arith.addf %{{.*}}, %[[P]]
func.func @bytes(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero as f8E5M2, f8E5M2 : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  %1 = arith.addf %c, %0 : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// But sums of pieces are added as f32 anyway.
// CHECK-LABEL: func.func @pieces
// CHECK: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %arg2 as f8E5M2, f8E5M2 {piece = 1 : i32}
// CHECK: return %[[SUM]]
func.func @pieces(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero as f8E5M2, f8E5M2 {piece = 1 : i32} : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  %1 = arith.addf %c, %0 : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
