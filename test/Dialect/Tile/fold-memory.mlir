// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @addZero
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[T:.*]]: tensor<8x!tile.ptr<f32>>
func.func @addZero(%p: !tile.ptr<f32>, %t: tensor<8x!tile.ptr<f32>>)
    -> (!tile.ptr<f32>, tensor<8x!tile.ptr<f32>>, !tile.ptr<f32>) {
  // CHECK: %[[MOVED:.*]] = tile.addptr %[[P]]
  // CHECK: return %[[P]], %[[T]], %[[MOVED]]
  %zero = arith.constant 0 : i64
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %one = arith.constant 1 : i64
  %0 = tile.addptr %p, %zero : !tile.ptr<f32>, i64
  %1 = tile.addptr %t, %zeros : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %2 = tile.addptr %p, %one : !tile.ptr<f32>, i64
  return %0, %1, %2 : !tile.ptr<f32>, tensor<8x!tile.ptr<f32>>, !tile.ptr<f32>
}

// CHECK-LABEL: func.func @castToItself
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>
func.func @castToItself(%p: !tile.ptr<f32>) -> (!tile.ptr<f32>, !tile.ptr<i32>) {
  // CHECK: %[[CAST:.*]] = tile.ptr_cast
  // CHECK: return %[[P]], %[[CAST]]
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f32>
  %1 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  return %0, %1 : !tile.ptr<f32>, !tile.ptr<i32>
}

// CHECK-LABEL: func.func @loadTrueMask
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>
func.func @loadTrueMask(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: tile.load %[[P]] cache = cg evict = last :
  %true = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p mask %true other %o cache = cg evict = last : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @loadFalseMask
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[O:.*]]: f32
func.func @loadFalseMask(%p: !tile.ptr<f32>, %o: f32) -> f32 {
  // CHECK-NOT: tile.load
  // CHECK: return %[[O]]
  %false = arith.constant false
  %0 = tile.load %p mask %false other %o : !tile.ptr<f32>
  return %0 : f32
}

// Nothing says what the value is, so the load stays.
// CHECK-LABEL: func.func @loadFalseMaskWithoutOther
func.func @loadFalseMaskWithoutOther(%p: !tile.ptr<f32>) -> f32 {
  // CHECK: tile.load %{{.*}} mask %{{.*}} :
  %false = arith.constant false
  %0 = tile.load %p mask %false : !tile.ptr<f32>
  return %0 : f32
}

// CHECK-LABEL: func.func @loadMixedMask
func.func @loadMixedMask(%p: tensor<2x!tile.ptr<f32>>, %o: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} :
  %mask = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tile.load %p mask %mask other %o : tensor<2x!tile.ptr<f32>>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @stores
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[V:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>
func.func @stores(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
  // CHECK-NEXT: tile.store %[[P]], %[[V]] cache = wb :
  // CHECK-NEXT: tile.store %[[P]], %[[V]] mask %[[M]] :
  // CHECK-NEXT: return
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  tile.store %p, %v mask %true cache = wb : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v mask %m : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v mask %false cache = cs : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @asserts
func.func @asserts(%c: i1) {
  // CHECK-NOT: "holds"
  // CHECK: tile.assert %{{.*}}, "fails" : i1
  // CHECK: tile.assert %{{.*}}, "unknown" : i1
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant false
  tile.assert %true, "holds" : tensor<8xi1>
  tile.assert %false, "fails" : i1
  tile.assert %c, "unknown" : i1
  return
}
