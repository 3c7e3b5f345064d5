// RUN: tile-opt %s -tile-expand-dots | FileCheck %s
// RUN: sed 's/sm_80/sm_75/' %s | tile-opt -tile-expand-dots | FileCheck %s --check-prefix=OLD

module attributes {tile.target = #tile.target<"sm_80">} {
// Three products of parts in bf16; what is NaN in the small ones is dropped.
// CHECK-LABEL: func.func @bf16x3
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x16xf32>, %[[B:[^:]*]]: tensor<16x16xf32>, %[[C:[^:]*]]: tensor<16x16xf32>
// CHECK: %[[BIG_A:.*]] = arith.truncf %[[A]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[BIG_A]]
// CHECK: %[[LEFT:.*]] = arith.subf %[[A]], %[[WIDE]]
// CHECK: %[[SMALL_A:.*]] = arith.truncf %[[LEFT]]
// CHECK: %[[BIG_B:.*]] = arith.truncf %[[B]]
// CHECK: %[[SMALL_B:.*]] = arith.truncf
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[X:.*]] = tile.dot %[[SMALL_A]], %[[BIG_B]], %[[ZERO]] : tensor<16x16xbf16>
// CHECK: %[[Y:.*]] = tile.dot %[[BIG_A]], %[[SMALL_B]], %[[X]] : tensor<16x16xbf16>
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord, %[[Y]], %[[Y]]
// CHECK: %[[CLEAN:.*]] = arith.select %[[NUMBER]], %[[Y]]
// CHECK: %[[Z:.*]] = tile.dot %[[BIG_A]], %[[BIG_B]], %[[CLEAN]] : tensor<16x16xbf16>
// CHECK: %[[R:.*]] = arith.addf %[[Z]], %[[C]]
// CHECK: return %[[R]]
// OLD-LABEL: func.func @bf16x3
// OLD-NEXT: tile.dot {{.*}} precision bf16x3
// OLD-NEXT: return
func.func @bf16x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = tile.dot %a, %b, %c precision bf16x3 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @bf16x6
// CHECK-COUNT-6: tile.dot {{.*}} : tensor<16x16xbf16>
// CHECK-NOT: tile.dot
func.func @bf16x6(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = tile.dot %a, %b, %c precision bf16x6 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// The parts of tf32 are f32 with a short mantissa, rounded but for infinities and NaN.
// CHECK-LABEL: func.func @tf32x3
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x16xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<16x16xf32> to tensor<16x16xi32>
// CHECK: %[[ROUNDED:.*]] = arith.andi
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[A]]
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[MAGNITUDE]]
// CHECK: %[[KEPT:.*]] = arith.select %[[FINITE]], %[[ROUNDED]], %[[BITS]]
// CHECK: %[[BIG:.*]] = arith.bitcast %[[KEPT]]
// CHECK: %[[SMALL:.*]] = arith.subf %[[A]], %[[BIG]]
// The instruction takes as many of its bits as it has use for.
// CHECK: tile.dot %[[SMALL]], {{.*}} precision tf32
// CHECK-COUNT-2: tile.dot %[[BIG]], {{.*}} precision tf32
// CHECK-NOT: tile.dot
func.func @tf32x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = tile.dot %a, %b, %c precision tf32x3 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @others
// CHECK-NEXT: tile.dot {{.*}} precision tf32 :
// CHECK-NEXT: tile.dot %{{.*}}, %{{.*}}, %{{[^ ]*}} :
// CHECK-NEXT: return
func.func @others(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = tile.dot %a, %a, %c precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = tile.dot %a, %a, %0 precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
}
