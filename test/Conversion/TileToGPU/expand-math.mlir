// RUN: tile-opt %s -tile-expand-math | FileCheck %s

// Functions become what the hardware has.

// CHECK-LABEL: func.func @exp
// Half the power, squared: its result is denormal in no step but the last.
// CHECK: %[[HALF:.*]] = arith.constant dense<0.72134751> : vector<4xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[HALF]] fastmath<contract> : vector<4xf32>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: %[[ROOT:.*]] = vector.from_elements
// CHECK: arith.mulf %[[ROOT]], %[[ROOT]] fastmath<contract> : vector<4xf32>
// CHECK-NOT: math.exp
// CHECK: return
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x fastmath<afn> : vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @expScalar
// CHECK: arith.constant 0.72134751 : f32
// CHECK: %[[ROOT:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: arith.mulf %[[ROOT]], %[[ROOT]] fastmath<contract> : f32
func.func @expScalar(%x: f32) -> f32 {
  %0 = math.exp %x fastmath<nnan,afn> : f32
  return %0 : f32
}

// Exact to the last few bits for f64: clamp, reduce, polynomial, two halves of the power of two.
// CHECK-LABEL: func.func @exp64
// CHECK-NOT: math.exp
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK: math.roundeven
// CHECK-COUNT-15: math.fma
// CHECK: arith.fptosi %{{.*}} : f64 to i64
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK: return
func.func @exp64(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @exp2
// CHECK-NOT: math.exp2
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%{{.*}}) : (f32) -> f32
// CHECK-NOT: math.exp2
// CHECK: arith.fptosi %{{.*}} : vector<2xf64> to vector<2xi64>
func.func @exp2(%x: f32, %y: vector<2xf64>) -> (f32, vector<2xf64>) {
  %0 = math.exp2 %x : f32
  %1 = math.exp2 %y : vector<2xf64>
  return %0, %1 : f32, vector<2xf64>
}

// Logarithms are right at 0 (-inf), below it (NaN), at infinity and for NaN: fma(x, inf, inf) gives the last three.
// CHECK-LABEL: func.func @log
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NOT: math.log
// CHECK-NOT: arith.divf
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK-COUNT-11: math.fma
// CHECK: %[[ISPLAIN:.*]] = arith.cmpi ult
// CHECK: %[[ODD:.*]] = math.fma %{{.*}}, %[[INF:.*]], %[[INF]] : f32
// CHECK: arith.select %[[ISPLAIN]], %{{.*}}, %[[ODD]]
// CHECK: %[[ISZERO:.*]] = arith.cmpf oeq, %[[X]]
// CHECK: arith.select %[[ISZERO]]
// CHECK: return
func.func @log(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @logs
// CHECK-NOT: math.log
// CHECK: arith.bitcast %{{.*}} : vector<2xf64> to vector<2xi64>
// CHECK-NOT: math.log
// CHECK: return
func.func @logs(%x: vector<2xf64>, %y: f32) -> (vector<2xf64>, f32) {
  %0 = math.log %x : vector<2xf64>
  %1 = math.log2 %y : f32
  return %0, %1 : vector<2xf64>, f32
}

// Two forms without a branch; NaN takes the first, and -0 stays -0.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: math.tanh
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: arith.cmpf oge
// CHECK: %[[VALUE:.*]] = arith.select
// CHECK: math.copysign %[[VALUE]]
// CHECK-NOT: math.erf
// CHECK: arith.minnumf
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: arith.cmpf oge
// CHECK: %[[VALUE:.*]] = arith.select
// CHECK: math.copysign %[[VALUE]]
// CHECK: return
func.func @odd(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.erf %x : f32
  return %0, %1 : f32, f32
}

// A division that may be rounded a little is one instruction; any other is kept.
// CHECK-LABEL: func.func @division
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: vector.from_elements
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f64
func.func @division(%x: vector<2xf32>, %y: vector<2xf32>, %z: f64) -> (vector<2xf32>, vector<2xf32>, f64) {
  %0 = arith.divf %x, %y fastmath<arcp> : vector<2xf32>
  %1 = arith.divf %x, %y : vector<2xf32>
  %2 = arith.divf %z, %z fastmath<arcp> : f64
  return %0, %1, %2 : vector<2xf32>, vector<2xf32>, f64
}

// A positive constant and what is not negative make no denormal divisor: a fixed factor keeps the reciprocal of the
// largest ones from being one.
// CHECK-LABEL: func.func @byPositive
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[QUARTER]] : f32
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SCALED]])
// CHECK: %[[D:.*]] = arith.mulf %{{.*}}, %[[QUARTER]] : f32
// CHECK: arith.mulf %[[D]], %[[R]]
// CHECK: llvm.nvvm.div.full
// CHECK: llvm.nvvm.div.full
func.func @byPositive(%x: f32, %y: f32) -> (f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %minusOne = arith.constant -1.0 : f32
  %size = math.absf %y : f32
  %a = arith.addf %one, %size : f32
  %b = arith.addf %minusOne, %size : f32
  %c = arith.addf %one, %y : f32
  %0 = arith.divf %x, %a fastmath<arcp> : f32
  %1 = arith.divf %x, %b fastmath<arcp> : f32
  %2 = arith.divf %x, %c fastmath<arcp> : f32
  return %0, %1, %2 : f32, f32, f32
}

// What expansions ask for where neither an ulp nor denormal numbers matter.
// CHECK-LABEL: func.func @hardware
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%{{.*}})
// CHECK: arith.mulf %{{.*}}, %[[R]] : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"(%{{.*}})
func.func @hardware(%x: f32, %y: f32) -> (f32, f32) {
  %0 = arith.divf %x, %y fastmath<arcp,afn> : f32
  %1 = math.sqrt %x fastmath<arcp,afn> : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func.func @hardwareFunctions
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[LOG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
// CHECK: %[[AGAIN:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
// CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: %[[LOG:.*]] = arith.mulf %[[AGAIN]], %[[LN2]]
// CHECK: %[[SIN:.*]] = llvm.call_intrinsic "llvm.nvvm.sin.approx.ftz.f"(%[[X]])
// CHECK: %[[COS:.*]] = llvm.call_intrinsic "llvm.nvvm.cos.approx.ftz.f"(%[[X]])
// CHECK: return %[[LOG2]], %[[LOG]], %[[SIN]], %[[COS]]
func.func @hardwareFunctions(%x: f32) -> (f32, f32, f32, f32) {
  %0 = math.log2 %x fastmath<arcp,afn> : f32
  %1 = math.log %x fastmath<arcp,afn> : f32
  %2 = math.sin %x fastmath<arcp,afn> : f32
  %3 = math.cos %x fastmath<arcp,afn> : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @rsqrt
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%{{.*}}) : (f32) -> f32
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: arith.divf
func.func @rsqrt(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.rsqrt %x fastmath<afn> : f32
  %1 = math.rsqrt %y : f64
  return %0, %1 : f32, f64
}

// What the back end selects itself stays.
// CHECK-LABEL: func.func @native
// CHECK: math.sqrt
// CHECK: math.absf
// CHECK: math.floor
// CHECK: math.ceil
// CHECK: math.fma
func.func @native(%x: f32) {
  %0 = math.sqrt %x : f32
  %1 = math.absf %0 : f32
  %2 = math.floor %1 : f32
  %3 = math.ceil %2 : f32
  %4 = math.fma %3, %3, %3 : f32
  %5 = llvm.inline_asm has_side_effects "", "r" %4 : (f32) -> f32
  return
}

// A tile divided by a scalar: one multiplication an element, unless the scalar or its reciprocal is denormal.
// CHECK-LABEL: func.func @byScalar
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[D:.*]]: f32
// CHECK: %[[SIZE:.*]] = math.absf %[[D]]
// CHECK: %[[LOW:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}}
// CHECK: %[[HIGH:.*]] = arith.cmpf ogt, %[[SIZE]], %{{.*}}
// CHECK: %[[DOWN:.*]] = arith.select %[[HIGH]]
// CHECK: %[[FACTOR:.*]] = arith.select %[[LOW]], %{{.*}}, %[[DOWN]]
// CHECK: %[[NEEDED:.*]] = arith.ori %[[LOW]], %[[HIGH]]
// CHECK: %[[SCALED:.*]] = scf.if %[[NEEDED]]
// CHECK: arith.mulf %[[X]]
// CHECK: else
// CHECK: scf.yield %[[X]]
// CHECK: %[[MODERATE:.*]] = arith.mulf %[[D]], %[[FACTOR]]
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[MODERATE]])
// CHECK: %[[RS:.*]] = vector.broadcast %[[R]]
// CHECK: arith.mulf %[[SCALED]], %[[RS]]
func.func @byScalar(%x: vector<4xf32>, %d: f32) -> vector<4xf32> {
  %splat = vector.broadcast %d : f32 to vector<4xf32>
  %q = arith.divf %x, %splat fastmath<arcp> : vector<4xf32>
  return %q : vector<4xf32>
}

// bf16 is the upper half of f32.
// CHECK-LABEL: func.func @extend
// CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
// CHECK-DAG: %[[EVEN:.*]] = arith.shli %[[WORDS]]
// CHECK-DAG: %[[ODD:.*]] = arith.andi %[[WORDS]]
// CHECK: vector.shuffle %[[EVEN]], %[[ODD]] [0, 2, 1, 3]
func.func @extend(%x: vector<4xbf16>) -> vector<4xf32> {
  %y = arith.extf %x : vector<4xbf16> to vector<4xf32>
  return %y : vector<4xf32>
}

// The remainder of a division is exact: a step without rounding, which is enough for most quotients, and a loop for those of
// more than 22 digits.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME: %[[X:.*]]: vector<2xf32>, %[[Y:.*]]: vector<2xf32>
// CHECK-NOT: arith.remf
// CHECK: %[[QUOTIENT:.*]] = math.trunc
// CHECK: %[[IS_SMALL:.*]] = arith.cmpf olt, %[[QUOTIENT]], %{{.*}} : vector<2xf32>
// CHECK: %[[IS_DONE:.*]] = arith.andi %[[IS_SMALL]]
// CHECK: math.fma
// CHECK: %[[FIRST:.*]] = arith.select %[[IS_DONE]]
// CHECK: %[[REST:.*]] = scf.while (%{{.*}} = %[[FIRST]])
// CHECK: arith.cmpf oge, %{{.*}}, %[[DIVISOR:.*]] : vector<2xf32>
// CHECK: scf.condition
// CHECK: arith.divf
// CHECK: math.trunc
// CHECK: math.fma
// CHECK: scf.yield
// CHECK: math.copysign %[[REST]], %[[X]]
// CHECK: return
func.func @remainder(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %0 = arith.remf %x, %y : vector<2xf32>
  return %0 : vector<2xf32>
}

// -----

// Conversions saturate as the instruction does; so do those of constants.

// CHECK-LABEL: func.func @shorts
// CHECK-COUNT-2: llvm.inline_asm "cvt.rzi.s16.f32 $0, $1;", "=h,f" %{{.*}} : (f32) -> i16
// CHECK:       vector.from_elements {{.*}} : vector<2xi16>
// CHECK:       "cvt.rzi.u16.f64 $0, $1;", "=h,d" %arg1 : (f64) -> i16
// CHECK:       return
func.func @shorts(%x: vector<2xf32>, %y: f64) -> (vector<2xi16>, i16) {
  %0 = arith.fptosi %x : vector<2xf32> to vector<2xi16>
  %1 = arith.fptoui %y : f64 to i16
  return %0, %1 : vector<2xi16>, i16
}

// CHECK-LABEL: func.func @words
// CHECK:       llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%arg0) : (f32) -> i32
// CHECK:       llvm.call_intrinsic "llvm.nvvm.f2ull.rz"(%arg0) : (f32) -> i64
func.func @words(%x: f32) -> (i32, i64) {
  %0 = arith.fptosi %x : f32 to i32
  %1 = arith.fptoui %x : f32 to i64
  return %0, %1 : i32, i64
}

// The instructions take f32 and f64.
// CHECK-LABEL: func.func @half
// CHECK:       %[[X:.*]] = arith.extf %arg0 : f16 to f32
// CHECK:       llvm.call_intrinsic "llvm.nvvm.f2ui.rz"(%[[X]]) : (f32) -> i32
func.func @half(%x: f16) -> i32 {
  %0 = arith.fptoui %x : f16 to i32
  return %0 : i32
}

// Integers that f16 makes infinite; those of 16 bits are none of these to LLVM, nor are other floats.
// CHECK-LABEL: func.func @to_half
// CHECK:       %[[X:.*]] = arith.sitofp %arg0 : i64 to f32
// CHECK-NEXT:  "cvt.rn.f16.f32 $0, $1;", "=h,f" %[[X]] : (f32) -> f16
// CHECK:       arith.uitofp %arg1 : vector<2xi32> to vector<2xf32>
// CHECK-COUNT-2: "cvt.rn.f16.f32 $0, $1;", "=h,f" %{{.*}} : (f32) -> f16
// CHECK:       arith.uitofp %arg2 : i16 to f16
// CHECK:       arith.sitofp %arg0 : i64 to f32
func.func @to_half(%x: i64, %y: vector<2xi32>, %z: i16) -> (f16, vector<2xf16>, f16, f32) {
  %0 = arith.sitofp %x : i64 to f16
  %1 = arith.uitofp %y : vector<2xi32> to vector<2xf16>
  %2 = arith.uitofp %z : i16 to f16
  %3 = arith.sitofp %x : i64 to f32
  return %0, %1, %2, %3 : f16, vector<2xf16>, f16, f32
}
