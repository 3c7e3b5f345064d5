// RUN: tile-opt %s -tile-cpu-expand-math -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-cpu-expand-math=expand-f16 -split-input-file | FileCheck %s --check-prefix=SOFT

// CHECK-LABEL: func.func @exponential
// CHECK-NOT:   math.exp
// CHECK:       arith.mulf {{.*}} fastmath<contract> : f32
// CHECK-LABEL: func.func @double
// CHECK:       math.exp %{{.*}} : f64
func.func @exponential(%x: f32) -> f32 {
  %0 = math.exp %x fastmath<afn> : f32
  return %0 : f32
}
func.func @double(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// -----

// CHECK-LABEL: func.func @division
// CHECK:       %[[SAFE:.*]] = arith.select
// CHECK:       arith.divsi %{{.*}}, %[[SAFE]] : i32
// CHECK-LABEL: func.func @constant_divisor
// CHECK-NOT:   arith.select
// CHECK:       arith.divsi
// CHECK-NOT:   arith.select
func.func @division(%a: i32, %b: i32) -> i32 {
  %0 = arith.divsi %a, %b : i32
  return %0 : i32
}
func.func @constant_divisor(%a: i32) -> i32 {
  %c = arith.constant 12 : i32
  %0 = arith.divsi %a, %c : i32
  return %0 : i32
}

// -----

// CHECK-LABEL: func.func @shift
// CHECK:       %[[FITS:.*]] = arith.cmpi ule, %arg1, %{{.*}} : i32
// CHECK:       %[[BY:.*]] = arith.select %[[FITS]], %arg1
// CHECK:       %[[S:.*]] = arith.shli %arg0, %[[BY]] : i32
// CHECK:       arith.select %[[FITS]], %[[S]]
func.func @shift(%a: i32, %b: i32) -> i32 {
  %0 = arith.shli %a, %b : i32
  return %0 : i32
}

// -----

// CHECK-LABEL: func.func @saturate
// CHECK:       llvm.call_intrinsic "llvm.fptosi.sat"(%arg0) : (f32) -> i32
func.func @saturate(%a: f32) -> i32 {
  %0 = arith.fptosi %a : f32 to i32
  return %0 : i32
}

// NaN is the highest bit alone where 64 bits take part.
// CHECK-LABEL: func.func @saturate_wide
// CHECK-DAG:   %[[HIGHEST:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG:   %[[SAT:.*]] = llvm.call_intrinsic "llvm.fptoui.sat"(%arg0) : (f64) -> i32
// CHECK-DAG:   %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0 : f64
// CHECK:       arith.select %[[NAN]], %[[HIGHEST]], %[[SAT]] : i32
func.func @saturate_wide(%a: f64) -> i32 {
  %0 = arith.fptoui %a : f64 to i32
  return %0 : i32
}

// -----

// One rounding after each operation. f16 keeps the processor's conversions unless asked otherwise.
// CHECK-LABEL: func.func @halves
// CHECK:       arith.extf %arg0 : f16 to f32
// CHECK:       arith.addf {{.*}} : f32
// CHECK:       arith.truncf {{.*}} : f32 to f16
// SOFT-LABEL:  func.func @halves
// SOFT-NOT:    arith.extf
// SOFT:        arith.addf {{.*}} : f32
// SOFT-NOT:    arith.truncf
// SOFT:        return
// CHECK-LABEL: func.func @brain
// CHECK-NOT:   arith.extf
// CHECK:       arith.mulf {{.*}} : f32
// CHECK-NOT:   arith.truncf
// CHECK:       return
func.func @halves(%a: f16, %b: f16) -> f16 {
  %0 = arith.addf %a, %b : f16
  return %0 : f16
}
func.func @brain(%a: bf16, %b: bf16) -> bf16 {
  %0 = arith.mulf %a, %b : bf16
  return %0 : bf16
}

// -----

// Integers that f16 makes infinite are infinite before, but those of 16 bits, which are none of these to LLVM.
// CHECK-LABEL: func.func @to_half
// CHECK:       %[[WIDE:.*]] = arith.sitofp %arg0 : i32 to f32
// CHECK:       arith.cmpf oge, %[[WIDE]]
// CHECK:       %[[ABOVE:.*]] = arith.select
// CHECK:       arith.cmpf ole, %[[ABOVE]]
// CHECK:       %[[BELOW:.*]] = arith.select
// CHECK:       arith.truncf %[[BELOW]] : f32 to f16
// CHECK:       %[[SHORT:.*]] = arith.uitofp %arg1 : i16 to f32
// CHECK:       arith.truncf %[[SHORT]] : f32 to f16
func.func @to_half(%x: i32, %y: i16) -> (f16, f16) {
  %0 = arith.sitofp %x : i32 to f16
  %1 = arith.uitofp %y : i16 to f16
  return %0, %1 : f16, f16
}

// -----

// LLVM may contract, but not estimate: 1 / sqrt(0) would be NaN.

// CHECK-LABEL: func.func @estimates
// CHECK:       math.sqrt %{{.*}} : f32
// CHECK:       arith.divf %{{.*}}, %{{.*}} : f32
// CHECK:       arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func @estimates(%x: f32, %y: f32) -> f32 {
  %0 = math.sqrt %x fastmath<afn> : f32
  %1 = arith.divf %y, %0 fastmath<arcp> : f32
  %2 = arith.addf %1, %y fastmath<contract> : f32
  return %2 : f32
}
