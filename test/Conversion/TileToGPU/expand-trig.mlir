// RUN: tile-opt %s -tile-expand-math | FileCheck %s

// Sines, cosines and tangents reduce their argument by multiply-adds; a thread that holds a large one
// takes a branch that multiplies with the bits of 2/pi.

// CHECK: llvm.mlir.global internal constant @__tilec_two_over_pi(dense<{{.*}}> : tensor<41xi32>) {addr_space = 1 : i32, alignment = 4 : i64}
// CHECK-NOT: @__tilec_two_over_pi

// CHECK-LABEL: func.func @sin
// CHECK-SAME: %[[X:.*]]: vector<2xf32>
// CHECK-NOT: math.sin
// CHECK: %[[N:.*]] = math.roundeven
// CHECK-COUNT-3: math.fma %[[N]]
// CHECK: %[[Q:.*]] = arith.fptosi %[[N]] : vector<2xf32> to vector<2xi32>
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: scf.if %[[ANY]] -> (vector<2xi32>, vector<2xf32>) {
// CHECK-COUNT-4: llvm.load
// CHECK: arith.sitofp %{{.*}} : i64 to f64
// CHECK-COUNT-4: llvm.load
// CHECK-NOT: llvm.load
// CHECK: arith.select %[[LARGE]]
// CHECK: } else {
// The sine of -0 is -0.
// CHECK: %[[ZERO:.*]] = arith.cmpf oeq, %[[X]]
// CHECK: arith.select %[[ZERO]], %[[X]]
// CHECK: return
func.func @sin(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.sin %x fastmath<afn> : vector<2xf32>
  return %0 : vector<2xf32>
}

// A cosine is the sine a quarter turn later.
// CHECK-LABEL: func.func @cos
// CHECK-NOT: math.cos
// CHECK: %[[IF:.*]]:2 = scf.if
// CHECK: arith.addi %[[IF]]#0, %c1_i32
// CHECK: return
func.func @cos(%x: f64) -> f64 {
  %0 = math.cos %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @tan
// CHECK-NOT: math.tan
// CHECK: arith.mului_extended
// CHECK: arith.divf %{{.*}}, %{{.*}} : f64
// CHECK: return
func.func @tan(%x: f64) -> f64 {
  %0 = math.tan %x : f64
  return %0 : f64
}

// Both of one argument share the reduction and the polynomials; of another block they do not.
// CHECK-LABEL: func.func @both
// CHECK: math.roundeven
// CHECK: scf.if
// CHECK-NOT: math.roundeven
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: math.roundeven
// CHECK-NOT: math.roundeven
// CHECK: return
func.func @both(%x: f32, %y: i1) -> (f32, f32, f32) {
  %c = math.cos %x : f32
  %n = arith.negf %c : f32
  %s = math.sin %x : f32
  %other = scf.if %y -> (f32) {
    %t = math.cos %x : f32
    scf.yield %t : f32
  } else {
    scf.yield %x : f32
  }
  return %n, %s, %other : f32, f32, f32
}
